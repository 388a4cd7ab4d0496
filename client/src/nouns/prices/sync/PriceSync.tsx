import { useApolloClient, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import Typography from '@mui/material/Typography';
import { useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailure } from '../../../components/LoadFailure.js';
import { Notice } from '../../../components/Notice.js';
import { SettingRow } from '../../settings/SettingRow.js';
import { PricedNamesDocument } from '../prices.generated.js';
import { priceSyncSettings } from '../../settings/priceSettings.js';
import { useSettingsDraft } from '../../settings/SettingsContext.js';
import { PriceDiff } from './PriceDiff.js';
import { PriceSources } from './PriceSources.js';
import { PriceUpdates } from './PriceUpdates.js';
import { PriceDiffDocument, PriceUpdatesDocument } from './priceSync.generated.js';

/** Prices of public lists beside those of the site: read, selected, applied, undone, and checked on schedule. */
export function PriceSync({ onApplied }: { readonly onApplied: () => void }) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const draft = useSettingsDraft();
  const isEdited = useSyncExternalStore(draft.subscribe, () => draft.state().edits.has('PriceCards'));
  /** The id of the check; null for the newest one. */
  const [checkId, setCheckId] = useState<number | null>(null);
  const last = useQuery(PriceDiffDocument, {
    variables: { id: checkId, filter: { kinds: [] }, pageSize: 1 },
    fetchPolicy: 'cache-and-network',
  });
  const check = (last.data ?? last.previousData)?.priceCheck;
  const updated = () => {
    onApplied();
    void client.refetchQueries({ include: [PricedNamesDocument, PriceDiffDocument, PriceUpdatesDocument] });
  };

  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
      <PriceSources check={check ?? null} onChecked={setCheckId} />
      {isEdited && <Notice tone="amber">{t('priceSync.unsaved')}</Notice>}
      {last.error && !check && (
        <LoadFailure title={t('priceSync.loadFailed')} error={last.error} onRetry={() => void last.refetch()} />
      )}
      {check && <PriceDiff key={check.id} checkId={check.id} isBlocked={isEdited} onApplied={updated} />}
      <PriceUpdates isBlocked={isEdited} onUndone={updated} />
      <Card component="section" aria-label={t('priceSync.schedule')} sx={{ overflow: 'visible' }}>
        <Typography variant="h2" sx={{ fontSize: 14, lineHeight: '20px', padding: '16px' }}>
          {t('priceSync.schedule')}
        </Typography>
        {priceSyncSettings.map((setting) => (
          <SettingRow key={setting.key} setting={setting} />
        ))}
      </Card>
    </Box>
  );
}

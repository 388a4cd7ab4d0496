import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import Typography from '@mui/material/Typography';
import { useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { Notice } from '../../components/Notice.js';
import { Segments } from '../../components/Segments.js';
import { useAction } from '../../components/useAction.js';
import { rootRole, useSession } from '../../lib/session.js';
import { SettingRow } from '../settings/SettingRow.js';
import { ResetModelRatioDocument } from './prices.generated.js';
import { priceSettings } from '../settings/priceSettings.js';
import { useSettingsDraft } from '../settings/SettingsContext.js';
import { DryRunDialog } from './dry-run/DryRunDialog.js';
import { proposalOf } from './dry-run/proposal.js';
import { PriceSync } from './sync/PriceSync.js';
import { UnsetModels } from './UnsetModels.js';
import { usePrices } from './usePrices.js';
import { VisualPrices } from './VisualPrices.js';

const views = ['json', 'visual', 'unset', 'sync'] as const;
type View = (typeof views)[number];

/** Model prices: as JSON, as a table, the models without a price, and public lists. */
export function PriceEditor({ onReset }: { readonly onReset: () => void }) {
  const { t } = useTranslation();
  const act = useAction();
  const draft = useSettingsDraft();
  const [params, setParams] = useSearchParams();
  const [resetRatios, { loading }] = useMutation(ResetModelRatioDocument);
  const prices = usePrices();
  const [trying, setTrying] = useState(false);
  const isEdited = useSyncExternalStore(draft.subscribe, () => proposalOf(draft.state()).length > 0);
  const resets = useSession()?.role === rootRole;
  const syncs = draft.state().saved.get('PriceSyncHours')?.isWritable ?? false;
  const asked = views.find((name) => name === params.get('view')) ?? 'visual';
  const view = asked === 'sync' && !syncs ? 'visual' : asked;

  const reset = () =>
    act(
      async () => {
        await resetRatios();
        draft.edit('ModelRatio', draft.state().saved.get('ModelRatio')?.value ?? '');
        onReset();
        return t('prices.resetDone');
      },
      {
        title: t('prices.resetTitle'),
        body: t('prices.resetBody'),
        verb: t('actions.reset'),
        destructive: true,
      },
    );
  const show = (next: View) =>
    setParams({ tab: 'operation', section: 'prices', ...(next === 'visual' ? {} : { view: next }) });

  return (
    <>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8px 20px', mb: 2 }}>
        <Typography variant="h2">{t('settings.sections.prices')}</Typography>
        <Segments
          label={t('prices.priceView')}
          value={view}
          onChange={show}
          choices={[
            { value: 'json', label: t('settings.viewJson') },
            { value: 'visual', label: t('prices.viewVisual') },
            { value: 'unset', label: t('prices.viewUnset') },
            ...(syncs ? [{ value: 'sync' as const, label: t('priceSync.title') }] : []),
          ]}
        />
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, ml: 'auto' }}>
          {syncs && isEdited && (
            <Button variant="outlined" onClick={() => setTrying(true)}>
              {t('dryRun.open')}
            </Button>
          )}
          {resets && (
            <Button color="error" loading={loading} onClick={() => void reset()}>
              {t('prices.resetToDefaults')}
            </Button>
          )}
        </Box>
      </Box>
      {trying && <DryRunDialog onClose={() => setTrying(false)} />}
      {view === 'json' ? (
        <Card sx={{ overflow: 'visible' }}>
          {priceSettings.map((setting) => (
            <SettingRow key={setting.key} setting={setting} />
          ))}
        </Card>
      ) : view === 'sync' ? (
        <PriceSync onApplied={onReset} />
      ) : prices.tables === null ? (
        <Notice tone="red">{t('prices.pricesUnreadable')}</Notice>
      ) : view === 'visual' ? (
        <VisualPrices prices={{ ...prices, tables: prices.tables }} />
      ) : (
        <UnsetModels prices={{ ...prices, tables: prices.tables }} />
      )}
    </>
  );
}

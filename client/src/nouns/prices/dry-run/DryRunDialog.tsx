import { useLazyQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailure } from '../../../components/LoadFailure.js';
import { Segments } from '../../../components/Segments.js';
import { useIsMobile } from '../../../lib/useMediaFlags.js';
import { useSettingsDraft } from '../../settings/SettingsContext.js';
import { DryRunResult } from './DryRunResult.js';
import { PriceDryRunDocument } from './dryRun.generated.js';
import { proposalOf } from './proposal.js';

const days = ['1', '7', '30'] as const;

/** Replays the unsaved prices over the calls of the last days. */
export function DryRunDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const draft = useSettingsDraft();
  const [chosen, setChosen] = useState<(typeof days)[number]>('7');
  const [load, { data, loading, error }] = useLazyQuery(PriceDryRunDocument, { fetchPolicy: 'no-cache' });
  const run = () => {
    const settings = proposalOf(draft.state());
    // A failure is shown from the state of the query.
    load({ variables: { settings, days: Number(chosen) } }).catch(() => undefined);
  };
  return (
    <Dialog open onClose={onClose} maxWidth="md" fullWidth fullScreen={mobile}>
      <DialogTitle>{t('dryRun.title')}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        <Box sx={{ fontSize: 13, color: 'text.secondary' }}>{t('dryRun.text')}</Box>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center' }}>
          <Segments
            label={t('dryRun.days')}
            value={chosen}
            onChange={setChosen}
            choices={days.map((value) => ({ value, label: t(`dryRun.last${value}`) }))}
          />
          <Button variant="contained" loading={loading} onClick={run}>
            {t('dryRun.run')}
          </Button>
        </Box>
        {error && !loading && <LoadFailure title={t('dryRun.failed')} error={error} onRetry={run} />}
        {data && !loading && <DryRunResult run={data.priceDryRun} />}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t('actions.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}

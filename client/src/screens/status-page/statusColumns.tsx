import Box from '@mui/material/Box';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { RowCard } from '../../components/grid/CardList.js';
import { column, rightColumn } from '../../components/grid/columns.js';
import { serviceColumns } from '../../nouns/health/services.js';
import { Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { uptimeText, type ServiceRow } from './statusData.js';
import { History, StateChip } from './statusParts.js';

export function statusColumns(t: TFunction, buckets: number): GridColDef<ServiceRow>[] {
  return [
    ...serviceColumns<ServiceRow>(t),
    column('state', t('statusPage.state'), 130, (row) => <StateChip state={row.state} />),
    column('history', t('statusPage.history'), { flex: 2, minWidth: 130 }, (row) => (
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <History row={row} buckets={buckets} />
      </Box>
    )),
    rightColumn('uptime', t('statusPage.uptime'), { description: t('statusPage.uptimeHint'), width: 90 }, (row) => (
      <Num>{uptimeText(row.uptime)}</Num>
    )),
  ];
}

export function StatusCard({ row, buckets }: { readonly row: ServiceRow; readonly buckets: number }) {
  const { t } = useTranslation();
  return (
    <>
      <RowCard
        title={row.modelName}
        value={<StateChip state={row.state} />}
        chips={<ToneChip tone="outline">{row.group}</ToneChip>}
        end={t('statusPage.uptimeOf', { share: uptimeText(row.uptime) })}
      />
      <Box sx={{ mt: 1 }}>
        <History row={row} buckets={buckets} />
      </Box>
    </>
  );
}

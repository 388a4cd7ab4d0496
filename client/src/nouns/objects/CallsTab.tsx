import ReceiptLongOutlinedIcon from '@mui/icons-material/ReceiptLongOutlined';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { listVariablesOf } from '../../lib/gridState.js';
import { useFormat } from '../../lib/useFormat.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { LogCard } from '../logs/LogCard.js';
import { logColumns } from '../logs/logColumns.js';
import type { LogRow } from '../logs/logRow.js';
import { LogsDocument, MyLogsDocument, type LogFilter, type LogSortField } from '../logs/logs.generated.js';
import { requestAddress } from './addresses.js';
import { useObjectRange } from './useObjectRange.js';

/** Columns that would have the same value in each row are left out. */
export type OwnColumn = 'channelId' | 'username' | 'tokenName' | 'modelName';

/** The calls of an object in the range of its page, the newest first. A row opens the page of its request. */
export function CallsTab({
  filter,
  own = false,
  without,
}: {
  readonly filter: LogFilter;
  /** Reads the caller's own log. */
  readonly own?: boolean;
  readonly without?: OwnColumn;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const format = useFormat();
  const { from } = useObjectRange();
  const grid = useServerGrid({ filters: {} });
  const types = filter.types ?? (['CONSUME', 'ERROR', 'TEST'] as const);
  const variables = {
    ...listVariablesOf<LogSortField>(grid),
    filter: { ...filter, types: [...types], at: { from } },
  };
  const options = { fetchPolicy: 'no-cache' as const };
  const all = useListPage(grid, LogsDocument, variables, ({ logs }) => logs, { ...options, isSkipped: own });
  const mine = useListPage(grid, MyLogsDocument, variables, ({ myLogs }) => myLogs, { ...options, isSkipped: !own });
  const { listProps } = own ? mine : all;
  const columns = useMemo(
    () => logColumns({ t, format, isAdmin: !own, openUser: null }).filter(({ field }) => field !== without),
    [t, format, own, without],
  );
  return (
    <ListGrid<LogRow>
      label={t('dashboard.calls')}
      {...listProps}
      columns={columns}
      getRowId={(row) => row.id}
      onRowOpen={({ requestId }) => {
        if (requestId) void navigate(requestAddress(requestId));
      }}
      renderCard={(row) => <LogCard row={row} format={format} isAdmin={!own} />}
      empty={<EmptyState icon={<ReceiptLongOutlinedIcon />} title={t('logs.emptyTitle')} text={t('logs.emptyText')} />}
    />
  );
}

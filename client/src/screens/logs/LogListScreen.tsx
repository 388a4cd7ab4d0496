import ReceiptLongOutlinedIcon from '@mui/icons-material/ReceiptLongOutlined';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Hidden } from '../../components/Text.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { RangeFilter } from '../../components/grid/RangeFilter.js';
import { useOpenedRow } from '../../components/grid/useOpenedRow.js';
import { useColumnChoice } from '../../components/grid/useColumnChoice.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { ListScreen } from '../../components/ListScreen.js';
import { LiveControl, NewRows } from '../../components/LiveControl.js';
import { useExportActions } from '../../components/useExportActions.js';
import { idPattern } from '../../lib/gridState.js';
import { useMay } from '../../lib/permissions.js';
import { startOfToday } from '../../lib/timeRange.js';
import { useFormat } from '../../lib/useFormat.js';
import { useRowParam } from '../../lib/useRowParam.js';
import { useStatus } from '../../lib/status.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { useSteady } from '../../lib/useSteady.js';
import { rowsOfSecond, useTimedRow } from '../../lib/useTimedRow.js';
import { LogCard } from '../../nouns/logs/LogCard.js';
import { logColumns } from '../../nouns/logs/logColumns.js';
import type { LogRow } from '../../nouns/logs/logRow.js';
import { LogDetail } from '../../nouns/logs/LogDetail.js';
import { LogFilterBar } from './LogFilterBar.js';
import { costPattern, logSorts, typePattern, logVariables, noFilters, toExportQuery } from './logFilter.js';
import { LogsDocument, MyLogsDocument } from '../../nouns/logs/logs.generated.js';
import { LogStats, useLogStats } from './LogStats.js';
import { LogUserDialog } from './LogUserDialog.js';
import { useLogTail } from './useLogTail.js';

/** Widths below which columns are hidden, so that the cost stays visible. */
const hiddenBelow = { group: 1300, retry: 1300, tokenName: 1200, type: 1200, channelId: 1100, durationMs: 900 };

export function LogListScreen() {
  const { t } = useTranslation();
  const isAdmin = useMay('LOGS_READ');
  const format = useFormat();
  const grid = useServerGrid({
    filters: noFilters,
    patterns: { channelId: idPattern, cost: costPattern, type: typePattern },
    sorts: logSorts,
  });
  const { quotaPerUnit } = useStatus();
  const { opened, second, open } = useTimedRow();
  const [openedUser, setOpenedUser] = useRowParam('user');

  // If the list is sorted otherwise, or is not on its first page, new rows do not belong to its beginning.
  const isNewestFirst = !grid.sort || (grid.sort.field === 'at' && grid.sort.direction === 'DESC');
  const tailPage = isNewestFirst ? grid.page : 1;
  const variables = useMemo(() => logVariables(grid, { isAdmin, quotaPerUnit }), [grid, isAdmin, quotaPerUnit]);
  const { filter } = variables;
  // Log rows never change and no other screen shows them, so they are not cached.
  const fetchPolicy = 'no-cache';
  const all = useListPage(grid, LogsDocument, variables, ({ logs }) => logs, { fetchPolicy, isSkipped: !isAdmin });
  const own = useListPage(grid, MyLogsDocument, variables, ({ myLogs }) => myLogs, { fetchPolicy, isSkipped: isAdmin });
  const { listProps, reload: reloadRows } = isAdmin ? all : own;
  const stats = useLogStats(filter, JSON.stringify(grid.filter), isAdmin);
  const { reload: reloadStats } = stats;
  const refresh = useCallback(() => {
    reloadRows();
    reloadStats();
  }, [reloadRows, reloadStats]);
  const { loading } = listProps;
  const rows = useSteady<readonly LogRow[] | undefined>(listProps.rows);
  const listed = useMemo(() => rows?.map(({ id }) => String(id)) ?? [], [rows]);
  const tail = useLogTail({ filters: grid.filter, page: tailPage, isAdmin, listed, refresh });
  const showNew = () => {
    tail.clear();
    grid.setPage(0);
    scrollTo({ top: 0 });
    refresh();
  };
  const reload = () => {
    if (tailPage === 0) tail.clear();
    refresh();
  };

  const inSecond = () => second && { ...rowsOfSecond, filter: { at: second } };
  const openedOfAll = useOpenedRow(all.rows, opened, LogsDocument, inSecond, ({ logs }) => logs);
  const openedOfOwn = useOpenedRow(own.rows, opened, MyLogsDocument, inSecond, ({ myLogs }) => myLogs);
  const openedRow = isAdmin ? openedOfAll : openedOfOwn;
  const isOnPage = rows?.some(({ id }) => String(id) === opened) ?? false;
  const openRow = (id: string | null) => open(id, rows?.find((row) => String(row.id) === id)?.at ?? null);

  const readsUsers = useMay('USERS_READ');
  const openUser = useMemo(
    () => (readsUsers ? (id: number) => setOpenedUser(String(id)) : null),
    [readsUsers, setOpenedUser],
  );
  const columns = useMemo(() => logColumns({ t, format, isAdmin, openUser }), [t, format, isAdmin, openUser]);
  const columnChoice = useColumnChoice('logs-table-columns', columns, hiddenBelow);
  const exports = useExportActions({
    path: isAdmin ? '/api/log/export' : '/api/log/self/export',
    parameters: () => toExportQuery(filter),
    name: 'logs',
    people: true,
  });

  return (
    <ListScreen
      title={isAdmin ? t('shell.logs') : t('logs.ownTitle')}
      live={
        tail.follows && (
          <>
            <NewRows count={tail.fresh} onShow={showNew} />
            <LiveControl state={tail.state} paused={tail.paused} onPause={tail.setPaused} />
          </>
        )
      }
      range={<RangeFilter filters={grid.filters} start={startOfToday()} />}
      menu={[{ label: t('actions.refresh'), onSelect: reload }, ...exports]}
      badges={<LogStats stats={stats} />}
      filters={<LogFilterBar filters={grid.filters} isAdmin={isAdmin} />}
    >
      <ListGrid
        label={t('shell.logs')}
        {...listProps}
        columns={columns}
        columnChoice={columnChoice}
        rows={rows}
        onRetry={reload}
        getRowId={(row) => row.id}
        onRowOpen={(row) => openRow(String(row.id))}
        renderCard={(row) => <LogCard row={row} format={format} isAdmin={isAdmin} />}
        noMatchText={t('logs.failedText')}
        empty={
          <EmptyState icon={<ReceiptLongOutlinedIcon />} title={t('logs.emptyTitle')} text={t('logs.emptyText')} />
        }
      />
      <Hidden>{loading ? t('grid.loading') : ''}</Hidden>
      {opened !== null && rows && (
        <LogDetail
          rows={isOnPage || !openedRow ? rows : [openedRow]}
          opened={opened}
          onOpen={openRow}
          isAdmin={isAdmin}
        />
      )}
      {openedUser !== null && idPattern.test(openedUser) && readsUsers && (
        <LogUserDialog id={Number(openedUser)} onClose={() => setOpenedUser(null)} />
      )}
    </ListScreen>
  );
}

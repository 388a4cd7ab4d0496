import { skipToken, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import TaskAltOutlinedIcon from '@mui/icons-material/TaskAltOutlined';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { Footer } from '../../components/Footer.js';
import { SelectFilter, TextFilter } from '../../components/grid/filterFields.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Segments } from '../../components/Segments.js';
import { dateTime } from '../../lib/format.js';
import { useSession } from '../../lib/session.js';
import { useStatus } from '../../lib/status.js';
import { useRowsOf } from '../../lib/useLocalGrid.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { StatusCard, statusColumns } from './statusColumns.js';
import { bucketsOf } from './statusData.js';
import { StatusPageDocument } from './statusPage.generated.js';
import { Announcement, IncidentList, OverallState } from './statusParts.js';

const periods = ['DAY', 'WEEK', 'MONTH', 'QUARTER'] as const;
/** The server reads the figures anew after a minute. Milliseconds. */
const refreshEvery = 60_000;

/** The state of what the site sells, for everyone while option `status_page.enabled` is on. */
export function StatusPageScreen() {
  const { t } = useTranslation();
  const signedIn = useSession() !== null;
  const { enableStatusPage } = useStatus();
  const address = useServerGrid({ filters: { keyword: '', group: '', period: 'DAY' } });
  const { keyword, group } = address.filter;
  const period = periods.find((one) => one === address.filter.period) ?? 'DAY';
  const { data, previousData, error, loading, refetch } = useQuery(
    StatusPageDocument,
    enableStatusPage ? { variables: { period }, pollInterval: refreshEvery } : skipToken,
  );
  const shown = data ?? previousData;
  const page = shown?.statusPage;
  const notice = shown?.notice?.trim() ?? '';
  const groups = useMemo(() => [...new Set(page?.services.map((row) => row.group))].sort(), [page]);
  const found = useMemo(
    () =>
      (page?.services ?? []).filter(
        (row) =>
          row.modelName.toLowerCase().includes(keyword.trim().toLowerCase()) && (group === '' || row.group === group),
      ),
    [page, keyword, group],
  );
  const { grid, rows } = useRowsOf(found, { ...address, isFiltered: keyword !== '' || group !== '' });
  const buckets = page ? bucketsOf(page) : 24;
  const columns = useMemo(() => statusColumns(t, buckets), [t, buckets]);
  if (!enableStatusPage) {
    return (
      <>
        <ListScreen title={t('shell.statusPage')}>
          <EmptyState icon={<TaskAltOutlinedIcon />} title={t('statusPage.off')} />
        </ListScreen>
        {!signedIn && <Footer />}
      </>
    );
  }
  return (
    <>
      <ListScreen
        title={t('shell.statusPage')}
        notice={page && <OverallState page={page} />}
        badges={
          page && (
            <>
              {notice !== '' && <Announcement text={notice} />}
              <IncidentList incidents={page.incidents} />
            </>
          )
        }
        filters={
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
            <Segments
              label={t('statusPage.period')}
              value={period}
              onChange={(next) => address.setFilter({ period: next })}
              choices={periods.map((value) => ({ value, label: t(`statusPage.periods.${value}`) }))}
            />
            <TextFilter
              search
              label={t('fields.modelName')}
              value={keyword}
              onChange={(typed) => address.setFilter({ keyword: typed }, { replace: true })}
              width={220}
            />
            {groups.length > 1 && (
              <SelectFilter
                label={t('fields.group')}
                all={t('modelHealth.allGroups')}
                value={group}
                onChange={(value) => address.setFilter({ group: value })}
                width={140}
                choices={groups.map((name) => ({ value: name, label: name }))}
              />
            )}
            {page && (
              <Box sx={{ ml: { sm: 'auto' }, fontSize: 12, color: 'text.secondary' }}>
                {t('statusPage.since', { time: dateTime(page.from) })}
              </Box>
            )}
          </Box>
        }
      >
        <ListGrid
          label={t('shell.statusPage')}
          columnsKey="status-table-columns"
          grid={grid}
          columns={columns}
          rows={page ? rows : undefined}
          totalCount={found.length}
          loading={loading}
          error={error}
          onRetry={() => void refetch()}
          getRowId={(row) => `${row.group}/${row.modelName}`}
          renderCard={(row) => <StatusCard row={row} buckets={buckets} />}
          empty={
            <EmptyState icon={<TaskAltOutlinedIcon />} title={t('statusPage.empty')} text={t('statusPage.emptyText')} />
          }
        />
      </ListScreen>
      {!signedIn && <Footer />}
    </>
  );
}

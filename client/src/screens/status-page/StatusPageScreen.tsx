import { skipToken, useQuery } from '@apollo/client/react';
import TaskAltOutlinedIcon from '@mui/icons-material/TaskAltOutlined';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { Footer } from '../../components/Footer.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Segments } from '../../components/Segments.js';
import { ServiceFilters, useServices } from '../../nouns/health/services.js';
import { dateTime } from '../../lib/format.js';
import { useSession } from '../../lib/session.js';
import { useStatus } from '../../lib/status.js';
import { useLastAnswer } from '../../lib/useLastAnswer.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { StatusCard, statusColumns } from './statusColumns.js';
import { bucketsOf } from './statusData.js';
import { StatusPageDocument } from './statusPage.generated.js';
import { Announcement, IncidentList, OverallState } from './statusParts.js';

const periods = ['DAY', 'WEEK', 'MONTH', 'QUARTER'] as const;
/** Refresh interval in milliseconds. The server reads new figures every minute. */
const refreshEvery = 60_000;

/** The state of what the site sells, for everyone while option `status_page.enabled` is on. */
export function StatusPageScreen() {
  const { t } = useTranslation();
  const signedIn = useSession() !== null;
  const { enableStatusPage } = useStatus();
  const address = useServerGrid({ filters: { keyword: '', group: '', period: 'DAY' }, views: ['period'] });
  const period = periods.find((one) => one === address.filter.period) ?? 'DAY';
  const { data, error, loading, refetch } = useQuery(
    StatusPageDocument,
    enableStatusPage ? { variables: { period }, pollInterval: refreshEvery } : skipToken,
  );
  const shown = useLastAnswer(data, error, period);
  const page = shown?.statusPage;
  const notice = shown?.notice?.trim() ?? '';
  const { groups, found, grid, rows } = useServices(page?.services, address);
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
        notice={(page || loading) && <OverallState state={page?.state} />}
        badges={
          page && (
            <>
              {notice !== '' && <Announcement text={notice} />}
              <IncidentList incidents={page.incidents} />
            </>
          )
        }
        range={
          <Segments
            label={t('statusPage.period')}
            value={period}
            choices={periods.map((value) => ({ value, label: t(`statusPage.periods.${value}`) }))}
            onChange={(next) => address.setFilter({ period: next })}
          />
        }
        filters={
          <ServiceFilters
            address={address}
            groups={groups}
            since={page ? t('statusPage.since', { time: dateTime(page.from) }) : undefined}
          />
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

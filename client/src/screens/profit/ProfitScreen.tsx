import { useQuery } from '@apollo/client/react';
import QueryStatsOutlinedIcon from '@mui/icons-material/QueryStatsOutlined';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Segments } from '../../components/Segments.js';
import { StatBadges } from '../../components/StatBadges.js';
import { useExportActions } from '../../components/useExportActions.js';
import { integer } from '../../lib/format.js';
import { sortVariable } from '../../lib/gridState.js';
import { useFormat } from '../../lib/useFormat.js';
import { useLastAnswer } from '../../lib/useLastAnswer.js';
import { useServerGrid, type ServerGrid } from '../../lib/useServerGrid.js';
import { exportRange } from '../../nouns/dashboards/dashboardRange.js';
import { RangeField } from '../../nouns/dashboards/RangeControls.js';
import { viewerZone } from '../../nouns/dashboards/usageSeries.js';
import { useUsageRange } from '../../nouns/dashboards/useUsageRange.js';
import { ProfitCard, profitColumns, profitSorts, shareText } from './profitColumns.js';
import { ProfitDocument, type UsageMetric } from './profit.generated.js';
import { idOf, isProfitView, profitViews, shareOf, type ProfitRow, type ProfitView } from './profitRows.js';

const views = Object.keys(profitViews) as ProfitView[];
const worstFirst = { field: 'marginUsd', direction: 'ASC' } as const;

/** The profit of each channel, model, user, key or group: charged less cost, over the calls whose cost is known. */
export function ProfitScreen() {
  const grid = useServerGrid({
    filters: { of: 'channel' },
    views: ['of'],
    defaultSort: worstFirst,
    sorts: profitSorts,
  });
  const view = isProfitView(grid.filter.of) ? grid.filter.of : 'channel';
  // Rows of another view have other names: they are not shown while the next ones load.
  return <Profit key={view} view={view} grid={grid} />;
}

function Profit({ view, grid }: { readonly view: ProfitView; readonly grid: ServerGrid<{ of: string }> }) {
  const { t } = useTranslation();
  const { range, change } = useUsageRange();
  const { from, until } = range.at(Date.now());
  const order = sortVariable<UsageMetric>(grid.sort);
  const { data, loading, error, refetch } = useQuery(ProfitDocument, {
    variables: {
      range: {
        from: new Date(from).toISOString(),
        ...(until === null ? {} : { until: new Date(until).toISOString() }),
      },
      timeZone: viewerZone(),
      groupBy: [...profitViews[view]],
      orderBy: order?.map(({ field, direction }) => ({ metric: field, of: 'CURRENT' as const, direction })) ?? null,
      page: grid.page,
      pageSize: grid.pageSize,
    },
    // Calls are charged all the time.
    fetchPolicy: 'no-cache',
  });
  const page = useLastAnswer(data, error, `${from} ${until ?? ''}`)?.usage;
  const [start, end] = [String(Math.floor(from / 1000)), until === null ? '' : String(Math.floor(until / 1000))];
  const shownRange = useMemo(() => ({ from: start, to: end }), [start, end]);
  const columns = useMemo(() => profitColumns(t, view, shownRange), [t, view, shownRange]);
  // Another range begins at its first page.
  const chooseRange = (patch: Parameters<typeof change>[0]) => change({ ...patch, page: null });
  const exports = useExportActions({
    path: '/api/data/export',
    parameters: () => ({
      group_by: profitViews[view].join(',').toLowerCase(),
      ...exportRange({ from, to: until ?? Date.now() }),
    }),
    name: `profit-${view}`,
  });
  return (
    <ListScreen
      title={t('shell.profit')}
      range={<RangeField range={range} change={chooseRange} />}
      menu={exports}
      badges={<ProfitSum total={page?.total} failed={error !== undefined && !page} />}
      filters={
        <Segments
          label={t('profit.by')}
          value={view}
          onChange={(of) => grid.setFilter({ of })}
          choices={views.map((value) => ({ value, label: t(`profit.views.${value}`) }))}
        />
      }
    >
      <ListGrid
        label={t('shell.profit')}
        columnsKey="profit-table-columns"
        columns={columns}
        grid={grid}
        rows={page?.items}
        totalCount={page?.totalCount ?? 0}
        loading={loading}
        error={error}
        onRetry={() => void refetch()}
        getRowId={(row) => idOf(row.key)}
        renderCard={(row) => <ProfitCard view={view} row={row} range={shownRange} />}
        empty={
          <EmptyState icon={<QueryStatsOutlinedIcon />} title={t('profit.emptyTitle')} text={t('profit.emptyText')} />
        }
      />
    </ListScreen>
  );
}

/** Charged less cost is the margin, all three over the same calls. */
function ProfitSum({ total, failed }: { readonly total: ProfitRow['metrics'] | undefined; readonly failed: boolean }) {
  const { t } = useTranslation();
  const { money, total: amount } = useFormat();
  const unread = failed ? '–' : undefined;
  const cost = total?.cost;
  const isKnown = (cost?.knownCalls ?? 0) > 0;
  const shown = (usd: number | undefined) => (total ? (isKnown && usd !== undefined ? amount(usd) : '–') : unread);
  const share = total ? shareOf(total) : null;
  return (
    <StatBadges
      label={t('profit.sums')}
      stats={[
        {
          label: t('profit.knownUsd'),
          value: shown(cost?.usd),
          // The note is shown while the figures load too, so that the content below does not move.
          note: t('profit.knownCallsOf', {
            of: t('profit.knownOf', {
              known: total ? integer(cost?.knownCalls ?? 0) : '–',
              calls: total ? integer(total.calls) : '–',
            }),
          }),
        },
        { label: `− ${t('dashboard.upstreamCost')}`, value: shown(cost?.upstreamUsd) },
        {
          label: `= ${t('dashboard.marginTitle')}`,
          value: shown(cost?.marginUsd),
          ...(share === null ? {} : { note: shareText(share) }),
        },
        // Sites without plans have nothing there.
        ...(cost && cost.planUsd > 0
          ? [{ label: t('profit.planUsd'), value: shown(cost.planUsd), note: t('profit.notInMargin') }]
          : []),
        {
          label: t('profit.charged'),
          value: total ? money(total.quota, 'balance') : unread,
          note: t('profit.allCalls'),
        },
      ]}
    />
  );
}

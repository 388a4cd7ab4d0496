import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import MuiLink from '@mui/material/Link';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import RefreshOutlinedIcon from '@mui/icons-material/RefreshOutlined';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { LoadFailure } from '../../app/LoadFailure.js';
import { ChartPanel } from '../../components/charts/ChartPanel.js';
import { TimeChart, type ChartSeries } from '../../components/charts/TimeChart.js';
import { Segments } from '../../components/Segments.js';
import { count, dateTime, dollars } from '../../lib/format.js';
import { useIsAdmin } from '../../lib/session.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { StatCards } from './StatCards.js';
import { TopList } from './TopList.js';
import { useDashboard, type DashboardData } from './useDashboard.js';
import { intervals, modelSeries, valuesOver, type Granularity } from './usageSeries.js';

const ranges = { '1': 1, '7': 7, '30': 30, '90': 90 } as const;
type Range = keyof typeof ranges;
const granularities: readonly Granularity[] = ['hour', 'day', 'week'];
const namedModels = 5;

const chartColor = (index: number): string => `var(--mui-palette-chart-${String(index)})`;
const otherColor = chartColor(7);

/** What was used in a range: totals, by model over time, and who and what used most. */
export function DashboardScreen() {
  const { t } = useTranslation();
  const admin = useIsAdmin();
  const { dataGranularity } = useStatus();
  const [params, setParams] = useSearchParams();
  const range: Range = (params.get('days') ?? '') in ranges ? (params.get('days') as Range) : '7';
  const wanted = params.get('by') ?? dataGranularity;
  const granularity = granularities.find((one) => one === wanted) ?? 'hour';
  const mine = !admin || params.get('of') === 'me';
  const { data, error, loading, refresh } = useDashboard(!mine, ranges[range], granularity);
  const set = (key: string, value: string) => {
    setParams((before) => {
      const next = new URLSearchParams(before);
      next.set(key, value);
      return next;
    });
  };
  return (
    <Box sx={{ padding: { xs: 2, sm: 3 }, display: 'flex', flexDirection: 'column', gap: 2, minWidth: 0 }}>
      <title>{t('dashboard.title')}</title>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
        <Typography variant="h1" sx={{ mr: 'auto' }}>
          {t('dashboard.title')}
        </Typography>
        {admin && (
          <Segments
            label={t('dashboard.whose')}
            value={mine ? 'me' : 'all'}
            onChange={(next) => {
              set('of', next);
            }}
            choices={[
              { value: 'all', label: t('dashboard.everybody') },
              { value: 'me', label: t('dashboard.mine') },
            ]}
          />
        )}
        <Segments
          label={t('dashboard.granularity')}
          value={granularity}
          onChange={(next) => {
            set('by', next);
          }}
          choices={granularities.map((value) => ({ value, label: t(`settings.granularity.${value}`) }))}
        />
        <Segments
          label={t('dashboard.range')}
          value={range}
          onChange={(next) => {
            set('days', next);
          }}
          choices={(Object.keys(ranges) as Range[]).map((value) => ({
            value,
            label: t('dashboard.days', { count: ranges[value] }),
          }))}
        />
        <IconButton aria-label={t('actions.refresh')} onClick={refresh}>
          <RefreshOutlinedIcon />
        </IconButton>
      </Box>
      <Box sx={{ height: 2, mt: -1.5, mb: -1 }}>
        {loading && data && <LinearProgress aria-label={t('grid.loading')} sx={{ height: 2 }} />}
      </Box>
      {error && !data ? (
        <LoadFailure title={t('dashboard.failed')} error={error} onRetry={refresh} />
      ) : (
        <>
          <StatCards data={data} />
          {data && <Charts data={data} everybody={!mine} />}
          {mine && (
            <MuiLink component={Link} to="/log" sx={{ alignSelf: 'flex-start' }}>
              {t('dashboard.myUsage')}
            </MuiLink>
          )}
        </>
      )}
    </Box>
  );
}

function Charts({ data, everybody }: { readonly data: DashboardData; readonly everybody: boolean }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const { quotaPerUnit, displayInCurrency } = useStatus();
  const starts = useMemo(() => intervals(data.from, data.to, data.granularity), [data]);
  const labels = starts.map((start) =>
    data.granularity === 'hour' ? dateTime(start, 'card') : dateTime(start, 'day').slice(5),
  );
  const spend: ChartSeries[] = useMemo(
    () =>
      modelSeries(
        data.points,
        data.models.slice(0, namedModels).map(({ modelName }) => modelName ?? ''),
        starts,
        data.granularity,
        t('dashboard.other'),
      ).map((one, index) => ({
        ...one,
        color: index < namedModels ? chartColor(index) : otherColor,
      })),
    [data, starts, t],
  );
  const line = (measure: 'calls' | 'totalTokens', name: string): ChartSeries[] => [
    { name, color: chartColor(0), values: valuesOver(data.points, starts, data.granularity, measure) },
  ];
  const calls = line('calls', t('dashboard.calls'));
  const tokens = line('totalTokens', t('dashboard.tokens'));
  const shortMoney = (value: number) => (displayInCurrency ? dollars(value / quotaPerUnit, 2) : count(value));
  return (
    <>
      <Box
        sx={{
          display: 'grid',
          gap: 2,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(0, 2fr) minmax(0, 1fr)' },
        }}
      >
        <ChartPanel title={t('dashboard.spendByModel')} series={spend} labels={labels} format={shortMoney}>
          <TimeChart
            kind="columns"
            height={280}
            series={spend}
            labels={labels}
            format={shortMoney}
            name={t('dashboard.chartName', {
              name: t('dashboard.spendByModel'),
              total: money(data.current.quota, 'balance'),
            })}
          />
        </ChartPanel>
        <TopList
          title={t('dashboard.topModels')}
          rows={data.models.map((row, index) => ({
            name: row.modelName ?? '',
            value: row.quota,
            color: index < namedModels ? chartColor(index) : otherColor,
          }))}
        />
      </Box>
      <Box
        sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' } }}
      >
        <ChartPanel title={t('dashboard.calls')} series={calls} labels={labels} format={count}>
          <TimeChart
            kind="line"
            whole
            height={180}
            series={calls}
            labels={labels}
            format={count}
            name={t('dashboard.chartName', { name: t('dashboard.calls'), total: count(data.current.calls) })}
          />
        </ChartPanel>
        <ChartPanel title={t('dashboard.tokens')} series={tokens} labels={labels} format={count}>
          <TimeChart
            kind="line"
            whole
            height={180}
            series={tokens}
            labels={labels}
            format={count}
            name={t('dashboard.chartName', { name: t('dashboard.tokens'), total: count(data.current.totalTokens) })}
          />
        </ChartPanel>
        {everybody && (
          <>
            <TopList
              title={t('dashboard.topUsers')}
              rows={data.users.map((row) => ({
                name: row.username ?? `#${String(row.userId ?? 0)}`,
                value: row.quota,
                color: chartColor(0),
              }))}
            />
            <TopList
              title={t('dashboard.topChannels')}
              rows={data.channels.map((row) => ({
                name: row.channelName ?? `#${String(row.channelId ?? 0)}`,
                value: row.quota,
                color: chartColor(2),
              }))}
            />
          </>
        )}
      </Box>
    </>
  );
}

import Box from '@mui/material/Box';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ChartPanel } from '../../components/charts/ChartPanel.js';
import type { ChartSeries } from '../../components/charts/TimeChart.js';
import { count, dateTime, dollars, integer, percent } from '../../lib/format.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { rate } from './StatCards.js';
import { TopList } from './TopList.js';
import type { UsagePointFragment } from './dashboard.generated.js';
import type { DashboardData } from './useDashboard.js';
import { intervals, modelSeries, perMinute, valuesOver, type Measure } from './usageSeries.js';

const namedModels = 5;

const chartColor = (index: number): string => `var(--mui-palette-chart-${String(index)})`;
const otherColor = chartColor(7);

/** By model over time, and who and what used most. */
export function Charts({
  data,
  everybody,
  oneUser,
}: {
  readonly data: DashboardData;
  readonly everybody: boolean;
  /** The numbers are of one among everybody: a list of users would have one line. */
  readonly oneUser: boolean;
}) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const marginOf = ({ channelId, calls }: UsagePointFragment): string | undefined => {
    const known = data.margins.find((margin) => margin.channelId === channelId);
    if (!known) return undefined;
    const earned = {
      amount: money(known.marginUsd * quotaPerUnit, 'balance'),
      share: known.usd > 0 ? percent(known.marginUsd / known.usd) : '–',
    };
    return known.calls < calls
      ? t('dashboard.marginOfSome', { ...earned, known: integer(known.calls), calls: integer(calls) })
      : t('dashboard.margin', earned);
  };
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
  const over = (measure: Measure) => valuesOver(data.points, starts, data.granularity, measure);
  const calls: ChartSeries[] = [{ name: t('dashboard.calls'), color: chartColor(0), values: over('calls') }];
  const tokens: ChartSeries[] = [
    { name: t('dashboard.input'), color: chartColor(0), values: over('promptTokens') },
    { name: t('dashboard.output'), color: chartColor(1), values: over('completionTokens') },
  ];
  const rates: ChartSeries[] = [
    {
      name: t('dashboard.requestsPerMinute'),
      color: chartColor(2),
      values: perMinute(over('calls'), starts, data.granularity, data.from, data.to),
    },
  ];
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
        <ChartPanel
          title={t('dashboard.spendByModel')}
          series={spend}
          labels={labels}
          format={shortMoney}
          kind="columns"
          height={280}
          name={t('dashboard.chartName', {
            name: t('dashboard.spendByModel'),
            total: money(data.current.quota, 'balance'),
          })}
        />
        <TopList
          title={t('dashboard.topModels')}
          whole={data.current.quota}
          rows={data.models.map((row, index) => ({
            name: row.modelName ?? '',
            value: row.quota,
            color: index < namedModels ? chartColor(index) : otherColor,
          }))}
        />
      </Box>
      <Box
        sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(3, minmax(0, 1fr))' } }}
      >
        <ChartPanel
          title={t('dashboard.calls')}
          series={calls}
          labels={labels}
          format={count}
          kind="line"
          whole
          height={180}
          name={t('dashboard.chartName', { name: t('dashboard.calls'), total: count(data.current.calls) })}
        />
        <ChartPanel
          title={t('dashboard.tokens')}
          series={tokens}
          labels={labels}
          format={count}
          kind="columns"
          whole
          height={180}
          name={t('dashboard.chartName', { name: t('dashboard.tokens'), total: count(data.current.totalTokens) })}
        />
        <ChartPanel
          title={t('dashboard.requestsPerMinute')}
          series={rates}
          labels={labels}
          format={rate}
          kind="line"
          height={180}
          name={t('dashboard.ratesName', { most: rate(Math.max(0, ...(rates[0]?.values ?? []))) })}
        />
      </Box>
      {everybody && (
        <Box
          sx={{
            display: 'grid',
            gap: 2,
            gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
          }}
        >
          {!oneUser && (
            <TopList
              title={t('dashboard.topUsers')}
              whole={data.current.quota}
              rows={data.users.map((row) => ({
                name: row.username ?? `#${String(row.userId ?? 0)}`,
                value: row.quota,
                color: chartColor(0),
              }))}
            />
          )}
          <TopList
            title={t('dashboard.topChannels')}
            whole={data.current.quota}
            rows={data.channels.map((row) => ({
              name: row.channelName ?? `#${String(row.channelId ?? 0)}`,
              value: row.quota,
              color: chartColor(2),
              note: marginOf(row),
            }))}
          />
        </Box>
      )}
    </>
  );
}

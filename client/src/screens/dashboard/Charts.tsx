import Box from '@mui/material/Box';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ChartPanel } from '../../components/charts/ChartPanel.js';
import { largestSum, markDigits } from '../../components/charts/axis.js';
import type { ChartSeries } from '../../components/charts/TimeChart.js';
import { count, integer, percent } from '../../lib/format.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { rate } from './StatCards.js';
import { TopList } from './TopList.js';
import type { MarginFragment } from './dashboard.generated.js';
import type { DashboardData } from './useDashboard.js';
import { chartColor, colored, otherColor } from '../../nouns/dashboards/chartColors.js';
import { seriesOverTime, spendByModel } from '../../nouns/dashboards/panelData.js';
import { centDigits, labelsOf, perMinute } from '../../nouns/dashboards/usageSeries.js';

const namedModels = 5;

interface Earned {
  readonly calls: number;
  readonly cost?: MarginFragment['cost'];
}

/** Charts of usage over time, and the users, models and channels with the highest cost. */
export function Charts({
  data,
  everybody,
  oneUser,
}: {
  readonly data: DashboardData;
  readonly everybody: boolean;
  /** The numbers are of one user, so the list of users is left out. */
  readonly oneUser: boolean;
}) {
  const { t } = useTranslation();
  const { money, isInCurrency, rate: currencyRate, usd } = useFormat();
  const marginOf = ({ calls, cost }: Earned): string | undefined => {
    if (!cost || cost.knownCalls === 0) return undefined;
    const earned = {
      amount: money(cost.marginUsd * quotaPerUnit, 'balance'),
      share: cost.usd > 0 ? percent(cost.marginUsd / cost.usd) : '–',
    };
    return cost.knownCalls < calls
      ? t('dashboard.marginOfSome', { ...earned, known: integer(cost.knownCalls), calls: integer(calls) })
      : t('dashboard.margin', earned);
  };
  const { quotaPerUnit } = useStatus();
  const starts = useMemo(() => data.buckets.map(({ start }) => start), [data]);
  const labels = labelsOf(starts, data.granularity);
  // Amounts are converted to the shown currency, so that the marks of the axis are round numbers.
  const unitsPerQuota = isInCurrency ? currencyRate / quotaPerUnit : 1;
  const spend: ChartSeries[] = useMemo(
    () =>
      colored(seriesOverTime(data.spend, spendByModel, () => '', t('dashboard.other'), starts)?.series ?? []).map(
        ({ values, ...one }) => ({ ...one, values: values.map((value) => value * unitsPerQuota) }),
      ),
    [data, starts, t, unitsPerQuota],
  );
  const over = (measure: 'calls' | 'promptTokens' | 'completionTokens') =>
    data.timeline.map((metrics) => metrics[measure]);
  const perMinuteValues = perMinute(over('calls'), data.buckets, data);
  const nameOf = (name: string, total: string) => t('dashboard.chartName', { name, total });
  const small = [
    {
      title: t('dashboard.calls'),
      name: nameOf(t('dashboard.calls'), count(data.current.calls)),
      series: [{ name: t('dashboard.calls'), color: chartColor(0), values: over('calls') }],
      format: count,
      kind: 'line' as const,
      minStep: 1,
    },
    {
      title: t('dashboard.tokens'),
      name: nameOf(t('dashboard.tokens'), count(data.current.totalTokens)),
      series: [
        { name: t('fields.input'), color: chartColor(0), values: over('promptTokens') },
        { name: t('fields.output'), color: chartColor(1), values: over('completionTokens') },
      ],
      format: count,
      kind: 'columns' as const,
      minStep: 1,
    },
    {
      title: t('dashboard.requestsPerMinute'),
      name: t(`dashboard.ratesName.${data.granularity}`, { most: rate(Math.max(0, ...perMinuteValues)) }),
      series: [{ name: t('dashboard.requestsPerMinute'), color: chartColor(2), values: perMinuteValues }],
      format: rate,
      kind: 'line' as const,
    },
  ];
  const largest = largestSum(spend);
  const shortMoney = (digits: number) => (value: number) =>
    isInCurrency ? usd(value / currencyRate, digits) : count(value);
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
          format={shortMoney(centDigits(largest))}
          formatMark={shortMoney(markDigits(largest))}
          // The smallest amount that is shown, or one unit of quota.
          minStep={isInCurrency ? 0.000_001 : 1}
          kind="columns"
          // The height equals that of the list beside it, whose rows have a second line if the margin is known.
          height={data.models.some((row) => marginOf(row.metrics)) ? 380 : 280}
          name={nameOf(t('dashboard.spendByModel'), money(data.current.quota, 'balance'))}
        />
        <TopList
          title={t('dashboard.topModels')}
          whole={data.current.quota}
          rows={data.models.map((row, index) => ({
            id: row.key.modelName ?? '',
            name: row.key.modelName ?? '',
            value: row.metrics.quota,
            color: index < namedModels ? chartColor(index) : otherColor,
            note: marginOf(row.metrics),
          }))}
        />
      </Box>
      <Box
        sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(3, minmax(0, 1fr))' } }}
      >
        {small.map((chart) => (
          <ChartPanel key={chart.title} {...chart} labels={labels} height={180} />
        ))}
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
                id: row.key.userId ?? 0,
                name: row.key.username ?? `#${row.key.userId ?? 0}`,
                value: row.metrics.quota,
                color: chartColor(0),
                note: marginOf(row.metrics),
              }))}
            />
          )}
          <TopList
            title={t('dashboard.topChannels')}
            whole={data.current.quota}
            rows={data.channels.map((row) => ({
              id: row.key.channelId ?? 0,
              name: row.key.channelName ?? `#${row.key.channelId ?? 0}`,
              value: row.metrics.quota,
              color: chartColor(2),
              note: marginOf(row.metrics),
            }))}
          />
        </Box>
      )}
    </>
  );
}

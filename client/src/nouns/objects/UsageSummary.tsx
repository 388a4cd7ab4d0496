import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { ChartPanel } from '../../components/charts/ChartPanel.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Segments } from '../../components/Segments.js';
import { StatBadges, type Stat } from '../../components/StatBadges.js';
import { count, integer, percent, responseTime } from '../../lib/format.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { chartColor } from '../dashboards/chartColors.js';
import { labelsOf } from '../dashboards/usageSeries.js';
import { ObjectUsageDocument, type ObjectUsageQuery, type UsageFilter } from './objects.generated.js';
import { objectDays, useObjectRange } from './useObjectRange.js';

type Total = NonNullable<ObjectUsageQuery['usage']>['total'];

/** Four figures of what matches the filter, and its answered and failed calls over time. */
export function UsageSummary({
  filter,
  own = false,
  failures,
}: {
  readonly filter: UsageFilter;
  readonly own?: boolean;
  /** The figure of failures, for an object whose failed calls are not counted. */
  readonly failures?: Stat;
}) {
  const { t } = useTranslation();
  const range = useObjectRange();
  const { data, error, refetch } = useQuery(ObjectUsageDocument, {
    variables: { ...range.variables, filter, own },
    fetchPolicy: 'cache-and-network',
  });
  const usage = data?.usage ?? data?.myUsage;
  const stats = useStats(usage?.total, own, failures);
  if (error && !usage) {
    return <LoadFailure title={t('objects.figuresFailed')} error={error} onRetry={() => void refetch()} />;
  }
  const over = (measure: 'calls' | 'failedCalls') => usage?.items.map(({ metrics }) => metrics[measure]) ?? [];
  const failed = { name: t('objects.failed'), color: 'var(--mui-palette-error-main)', values: over('failedCalls') };
  return (
    <>
      <Segments
        label={t('dashboard.range')}
        value={range.days}
        onChange={range.setDays}
        choices={objectDays.map((days) => ({ value: days, label: t(`objects.last${days}`) }))}
      />
      <StatBadges label={t('objects.figures')} stats={stats} />
      <Box sx={{ minHeight: 226 }}>
        {usage && (
          <ChartPanel
            title={t('objects.callsOverTime')}
            name={t('dashboard.chartName', { name: t('objects.callsOverTime'), total: count(usage.total.calls) })}
            series={[
              { name: t('objects.answered'), color: chartColor(0), values: over('calls') },
              ...(failures ? [] : [failed]),
            ]}
            labels={labelsOf(
              usage.items.map(({ time }) => new Date(time ?? 0).getTime()),
              range.granularity,
            )}
            format={integer}
            formatMark={count}
            minStep={1}
            kind="columns"
            minHeight={160}
          />
        )}
      </Box>
    </>
  );
}

function useStats(total: Total | Omit<Total, 'cost'> | undefined, own: boolean, failures: Stat | undefined): Stat[] {
  const { t } = useTranslation();
  const { money } = useFormat();
  const { quotaPerUnit } = useStatus();
  const calls = {
    label: t('dashboard.calls'),
    value: total && count(total.calls),
    ...(total ? { full: integer(total.calls) } : {}),
  };
  const failed = failures ?? {
    label: t('objects.failedCalls'),
    value: total && (total.errorRate == null ? '–' : percent(total.errorRate)),
    ...(total && total.failedCalls > 0 ? { note: t('objects.countOf', { count: total.failedCalls }) } : {}),
  };
  const charged = { label: t('objects.charged'), value: total && money(total.quota, 'balance') };
  const p95 = {
    label: t('objects.p95'),
    value: total && (total.latencyMs == null ? '–' : responseTime(total.latencyMs)),
  };
  if (own) return [calls, failed, charged, p95];
  const cost = total && 'cost' in total ? total.cost : null;
  const margin = {
    label: t('dashboard.marginTitle'),
    value: total && (cost && cost.knownCalls > 0 ? money(cost.marginUsd * quotaPerUnit, 'balance') : '–'),
    isLoss: (cost?.marginUsd ?? 0) < 0,
    // The margin is that of the calls whose cost is known.
    ...(total && cost && cost.knownCalls < total.calls
      ? { note: t('objects.costKnown', { known: count(cost.knownCalls), calls: count(total.calls) }) }
      : {}),
  };
  return [calls, failed, charged, margin];
}

import { useMemo } from 'react';
import { useStatus } from '../../lib/status.js';
import { useUrlParams } from '../../lib/useUrlParams.js';
import { dashboardRange } from './dashboardRange.js';
import { granularities, granularityFor } from './usageSeries.js';

/** The range and the buckets of a dashboard, from the URL: `days`, or `from` and `to`, and `by`. */
export function useUsageRange() {
  const { dataExportDefaultTime } = useStatus();
  const [params, change] = useUrlParams();
  const [days, from, to] = [params.get('days'), params.get('from'), params.get('to')];
  const range = useMemo(() => dashboardRange({ days, from, to }), [days, from, to]);
  const wanted = params.get('by') ?? dataExportDefaultTime;
  const granularity = granularityFor(granularities.find((one) => one === wanted) ?? 'hour', range.days);
  return { params, change, range, granularity };
}

import { useMemo } from 'react';
import { useUrlParams } from '../../lib/useUrlParams.js';
import { dashboardRange } from '../dashboards/dashboardRange.js';
import { bucketsOf, viewerZone, type Granularity } from '../dashboards/usageSeries.js';

/** Days of the figures and lists of an object's page. */
export const objectDays = ['1', '7', '30'] as const;
export type ObjectDays = (typeof objectDays)[number];

/** The range of an object's page, from the URL. It ends now, at the time of the first render. */
export function useObjectRange() {
  const [params, change] = useUrlParams();
  const days: ObjectDays = objectDays.find((one) => one === params.get('days')) ?? '7';
  return useMemo(() => {
    const { from } = dashboardRange({ days, from: null, to: null }).at(Date.now());
    const granularity: Granularity = days === '1' ? 'hour' : 'day';
    return {
      days,
      granularity,
      setDays: (next: ObjectDays) => change({ days: next === '7' ? null : next, page: null }),
      from: new Date(from).toISOString(),
      variables: {
        range: { from: new Date(from).toISOString() },
        timeZone: viewerZone(),
        bucket: granularity === 'hour' ? ('HOUR' as const) : ('DAY' as const),
        points: bucketsOf(Number(days), granularity),
      },
    };
  }, [days, change]);
}

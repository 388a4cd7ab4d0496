import { useCallback, useMemo, useState } from 'react';
import type { DashboardRange } from './dashboardRange.js';
import { viewerZone, type Granularity } from './usageSeries.js';
import type { ViewerValues } from './usePanelData.js';

const buckets = { hour: 'HOUR', day: 'DAY', week: 'WEEK', month: 'MONTH' } as const;

/**
 * The values that the viewer gives to panels. Relative ranges move with each refresh.
 * @param username the user whose figures are shown; empty for all
 * @returns with `version`, a number that changes with each refresh
 */
export function useViewer(range: DashboardRange, granularity: Granularity, username = '') {
  const [{ version, now }, setMoment] = useState(() => ({ version: 0, now: Date.now() }));
  const refresh = useCallback(() => setMoment((last) => ({ version: last.version + 1, now: Date.now() })), []);
  const viewer = useMemo((): ViewerValues => {
    const { from, until } = range.at(now);
    const start = new Date(from).toISOString();
    return {
      range: { from: start, ...(until === null ? {} : { until: new Date(until).toISOString() }) },
      from: start,
      until: new Date(until ?? now).toISOString(),
      timeZone: viewerZone(),
      bucket: buckets[granularity],
      usageFilter: username === '' ? null : { usernames: [username] },
      logFilter: username === '' ? null : { username },
    };
  }, [range, granularity, username, now]);
  return { viewer, version, refresh };
}

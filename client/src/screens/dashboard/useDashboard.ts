import { useApolloClient } from '@apollo/client/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import {
  AllRatesDocument,
  DashboardDocument,
  MyRatesDocument,
  type DashboardQuery,
  type SpendCellFragment,
  type SpendOfModelsQueryVariables,
  type TopModelFragment,
  type UsageFilter,
} from './dashboard.generated.js';
import type { DashboardRange } from '../../nouns/dashboards/dashboardRange.js';
import { bucketsOf, viewerZone, type Bucket, type Granularity } from '../../nouns/dashboards/usageSeries.js';

type Timeline = NonNullable<DashboardQuery['usage']>;

export interface DashboardData {
  /** The aggregated range, Unix milliseconds; `to` is no later than now. */
  readonly from: number;
  readonly to: number;
  readonly granularity: Granularity;
  readonly current: Timeline['total'];
  readonly previous: Timeline['total'];
  readonly buckets: readonly Bucket[];
  /** The list has one entry for each bucket. */
  readonly timeline: readonly Timeline['items'][number]['metrics'][];
  /** The buckets of the period before, one for each bucket; null for one that it does not have. */
  readonly before: ReadonlyArray<NonNullable<Timeline['items'][number]['compared']> | null>;
  /** The selection of the charts, for charts that ask more. */
  readonly question: Omit<SpendOfModelsQueryVariables, 'filter'> & { readonly filter: UsageFilter | null };
  /** Cost by bucket of the five most expensive models and of all others. */
  readonly spend: readonly SpendCellFragment[];
  /** The models by cost, highest first. */
  readonly models: readonly TopModelFragment[];
  /** The users by cost, highest first; for admins. */
  readonly users: NonNullable<DashboardQuery['users']>['items'];
  readonly channels: NonNullable<DashboardQuery['channels']>['items'];
  /** Payments of the range by currency, for admins; null where the usage is of one user. */
  readonly received: readonly { readonly amount: string; readonly currency: string }[] | null;
  /** Calls and tokens of the last minute, independent of the range. */
  readonly rates: { readonly calls: number; readonly tokens: number };
}

/** The users whose usage is shown. */
export interface Whose {
  readonly everybody: boolean;
  /** The name of a user, to show only this user; empty for all. */
  readonly username: string;
}

/** All numbers of the dashboard for a range, in one query with a field per card and chart. */
export function useDashboard({ everybody, username }: Whose, range: DashboardRange, granularity: Granularity) {
  const client = useApolloClient();
  /** The shown data, with the query that loaded it. Data of another query is not shown after a failure. */
  const [shown, setShown] = useState<{ readonly load: unknown; readonly data: DashboardData } | null>(null);
  const [error, setError] = useState<unknown>();
  const [loading, setLoading] = useState(true);

  const load = useCallback(async (): Promise<DashboardData> => {
    const now = Date.now();
    const oneUser = username !== '';
    const points = bucketsOf(range.days, granularity);
    const { from, until } = range.at(now);
    const question = {
      everybody,
      range: {
        from: new Date(from).toISOString(),
        ...(until === null ? {} : { until: new Date(until).toISOString() }),
      },
      timeZone: viewerZone(),
      bucket: ({ hour: 'HOUR', day: 'DAY', week: 'WEEK', month: 'MONTH' } as const)[granularity],
      filter: oneUser ? { usernames: [username] } : null,
      cells: points * 6,
    };
    const rates = everybody
      ? client
          .query({
            query: AllRatesDocument,
            variables: { filter: oneUser ? { username } : null },
            fetchPolicy: 'no-cache',
          })
          .then(({ data: answer }) => answer?.logs.lastMinute)
      : client
          .query({ query: MyRatesDocument, fetchPolicy: 'no-cache' })
          .then(({ data: answer }) => answer?.myLogs.lastMinute);
    const [{ data: answer }, minute] = await Promise.all([
      client.query({ query: DashboardDocument, variables: { ...question, oneUser, points }, fetchPolicy: 'no-cache' }),
      rates,
    ]);
    const page = answer?.usage ?? answer?.myUsage;
    const spend = answer?.spend ?? answer?.mySpend;
    const models = answer?.models ?? answer?.myModels;
    if (!page?.comparedTotal || !spend || !models || !minute) throw new Error('no response');
    const time = (text: string | null | undefined) => new Date(text ?? 0).getTime();
    return {
      from: time(page.range.from),
      to: Math.min(now, time(page.range.until)),
      granularity,
      current: page.total,
      previous: page.comparedTotal,
      buckets: page.items.map((row) => ({ start: time(row.time), end: time(row.until) })),
      timeline: page.items.map(({ metrics }) => metrics),
      before: page.items.map(({ compared }) => compared ?? null),
      question,
      spend: spend.items,
      models: models.items,
      users: answer?.users?.items ?? [],
      channels: answer?.channels?.items ?? [],
      received: answer?.received?.sums.keptByCurrency ?? null,
      rates: minute,
    };
  }, [client, everybody, granularity, range, username]);

  /** The number of the last request. Responses to earlier requests are ignored. */
  const last = useRef(0);
  const refresh = useCallback(() => {
    const own = ++last.current;
    setLoading(true);
    load().then(
      (next) => {
        if (own !== last.current) return;
        setShown({ load, data: next });
        setError(undefined);
        setLoading(false);
      },
      (failure: unknown) => {
        if (own !== last.current) return;
        setShown((before) => (before?.load === load ? before : null));
        setError(failure);
        setLoading(false);
      },
    );
  }, [load]);
  useEffect(() => {
    refresh();
  }, [refresh]);
  return { data: shown?.data, error, loading, refresh };
}

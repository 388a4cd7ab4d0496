import { useApolloClient } from '@apollo/client/react';
import { useCallback, useEffect, useState } from 'react';
import {
  AllRatesDocument,
  AllUsageDocument,
  AllUsageSummaryDocument,
  ChannelMarginsDocument,
  MyRatesDocument,
  MyUsageDocument,
  MyUsageSummaryDocument,
  type AllUsageQueryVariables,
  type ChannelMarginsQuery,
  type UsagePointFragment,
  type UsageSumFragment,
} from './dashboard.generated.js';
import type { Granularity } from './usageSeries.js';

export interface DashboardData {
  readonly from: number;
  readonly to: number;
  readonly granularity: Granularity;
  readonly current: UsageSumFragment;
  readonly previous: UsageSumFragment;
  /** By time and model. */
  readonly points: readonly UsagePointFragment[];
  /** The dearest first. */
  readonly models: readonly UsagePointFragment[];
  /** For admins, the dearest first. */
  readonly users: readonly UsagePointFragment[];
  readonly channels: readonly UsagePointFragment[];
  /** Of the channels whose provider says what calls cost; none for the usage of one user. */
  readonly margins: ChannelMarginsQuery['channelMargins'];
  /** Calls and tokens of the last minute, whatever the range. */
  readonly rates: { readonly rpm: number; readonly tpm: number };
}

/** Whose usage is asked for. */
export interface Whose {
  readonly everybody: boolean;
  /** Among everybody only this one; empty for all. */
  readonly username: string;
}

/** More pages than any sensible range has; a bound, not a limit anybody meets. */
const mostPages = 40;

type Dimensions = AllUsageQueryVariables['groupBy'];

/** All numbers of the dashboard for a range, read together, so that the cards and the charts tell of the same moment. */
export function useDashboard({ everybody, username }: Whose, days: number, granularity: Granularity) {
  const client = useApolloClient();
  const [data, setData] = useState<DashboardData>();
  const [error, setError] = useState<unknown>();
  const [loading, setLoading] = useState(true);

  const load = useCallback(async (): Promise<DashboardData> => {
    const to = Date.now();
    const from = to - days * 86_400_000;
    const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const filter = { ...range, ...(username === '' ? {} : { username }) };
    const read = async (groupBy: Dimensions, pages = mostPages): Promise<UsagePointFragment[]> => {
      const found: UsagePointFragment[] = [];
      for (let page = 0; page < pages; page += 1) {
        const variables = { filter, groupBy, page };
        const answer = everybody
          ? (await client.query({ query: AllUsageDocument, variables, fetchPolicy: 'no-cache' })).data?.usage
          : (await client.query({ query: MyUsageDocument, variables, fetchPolicy: 'no-cache' })).data?.myUsage;
        found.push(...(answer?.items ?? []));
        if (!answer || answer.items.length === 0 || found.length >= answer.totalCount) break;
      }
      return found;
    };
    const summary = everybody
      ? client
          .query({ query: AllUsageSummaryDocument, variables: { filter }, fetchPolicy: 'no-cache' })
          .then(({ data: answer }) => answer?.usageSummary)
      : client
          .query({ query: MyUsageSummaryDocument, variables: { filter }, fetchPolicy: 'no-cache' })
          .then(({ data: answer }) => answer?.myUsageSummary);
    const rates = everybody
      ? client
          .query({
            query: AllRatesDocument,
            variables: { filter: username === '' ? null : { username } },
            fetchPolicy: 'no-cache',
          })
          .then(({ data: answer }) => answer?.logStat)
      : client.query({ query: MyRatesDocument, fetchPolicy: 'no-cache' }).then(({ data: answer }) => answer?.myLogStat);
    const margins = async () => {
      const variables = { filter: range };
      const answer = await client.query({ query: ChannelMarginsDocument, variables, fetchPolicy: 'no-cache' });
      return answer.data?.channelMargins ?? [];
    };
    const [sums, minute, points, models, users, channels, earned] = await Promise.all([
      summary,
      rates,
      read([granularity === 'hour' ? 'HOUR' : 'DAY', 'MODEL']),
      read(['MODEL'], 1),
      everybody && username === '' ? read(['USER'], 1) : [],
      everybody ? read(['CHANNEL'], 1) : [],
      everybody && username === '' ? margins() : [],
    ]);
    if (!sums || !minute) throw new Error('no answer');
    return { from, to, granularity, ...sums, points, models, users, channels, margins: earned, rates: minute };
  }, [client, days, everybody, granularity, username]);

  const refresh = useCallback(() => {
    let current = true;
    setLoading(true);
    load().then(
      (next) => {
        if (!current) return;
        setData(next);
        setError(undefined);
        setLoading(false);
      },
      (failure: unknown) => {
        if (!current) return;
        setError(failure);
        setLoading(false);
      },
    );
    return () => {
      current = false;
    };
  }, [load]);
  useEffect(() => refresh(), [refresh]);
  return { data, error, loading, refresh };
}

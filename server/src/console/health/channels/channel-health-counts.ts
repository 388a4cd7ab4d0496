import { failureKinds, type FailureKind } from '../../../shared/failure-kind.js';
import {
  fiveMinutes,
  histogramSums,
  hour,
  type Queries,
  readSnapshot,
  type RollupState,
  type Snapshots,
  usageFrom,
} from '../../../billing/rollups/index.js';
import { dateOf } from '../../../shared/clock.js';

/** Failed attempts of one kind at one channel. */
export interface ChannelFailure {
  readonly kind: FailureKind;
  readonly attempts: number;
  readonly lastAt: Date;
  readonly lastModel: string;
  /**
   * The provider's message without addresses and keys. For REQUEST it is only the status and code, unless errors are
   * logged.
   */
  readonly lastError: string;
}

export interface ChannelCounts {
  readonly channelId: number;
  readonly channelName: string;
  /** Number of calls that the channel served. */
  readonly served: number;
  /** Number of served calls by milliseconds (`shared/latency.ts`). */
  readonly durationBuckets: readonly number[];
  /** The failures, the latest first. */
  readonly failures: readonly ChannelFailure[];
  /** Failed attempts whose calls another channel served. */
  readonly rescued: number;
}

/** Returns SQL for FROM with `channel_id`, `calls` and `duration_buckets` of a period. */
type Source = (state: RollupState) => string;

/** The last 60 to 65 minutes, or the last 24 hours and the running one. */
export interface HealthPeriod {
  /** Unix seconds. */
  readonly from: number;
  readonly usage: Source;
}

/**
 * Returns the period of the last hour.
 * @param now Unix seconds
 */
export const lastHour = (now: number): HealthPeriod => {
  const from = now - (now % fiveMinutes) - hour;
  return { from, usage: () => `(SELECT * FROM usage_five_minutes WHERE start >= ${from}) recent` };
};

/**
 * Returns the period of the last day.
 * @param now Unix seconds
 */
export const lastDay = (now: number): HealthPeriod => {
  const running = now - (now % hour);
  const range = { from: running - 24 * hour, end: running + hour };
  const usage: Source = (state) =>
    usageFrom(
      {
        ranges: [range],
        columns: ['channel_id'],
        condition: 'TRUE',
        longest: 'DAY' as const,
        fields: ['channel_id', 'calls', 'duration_buckets'],
      },
      state,
    );
  return { from: range.from, usage };
};

interface UsageRow {
  readonly channel_id: number;
  readonly served: string;
  readonly buckets: readonly string[];
}

interface FailureRow {
  readonly channel_id: number;
  readonly kind: string;
  readonly attempts: string;
  readonly last_at: string;
  readonly last_model: string;
  readonly last_error: string;
}

const failuresSql = `
  SELECT channel_id, kind, sum(attempts)::text AS attempts, max(last_at)::text AS last_at,
         (array_agg(last_model ORDER BY last_at DESC))[1] AS last_model,
         (array_agg(last_error ORDER BY last_at DESC))[1] AS last_error
    FROM channel_failures WHERE start >= $1 GROUP BY channel_id, kind ORDER BY max(last_at) DESC, kind`;
const rescuesSql = `SELECT channel_id, sum(attempts)::text AS attempts FROM channel_rescues WHERE start >= $1
  GROUP BY channel_id`;

/**
 * Reads channels with calls or failed attempts in the period. The number of statements is the same for one channel and
 * for all.
 */
export async function readChannelCounts(database: Snapshots, period: HealthPeriod): Promise<ChannelCounts[]> {
  return readSnapshot(database, async (transaction, state) => {
    const usage = await transaction.query<UsageRow[]>(
      `SELECT channel_id, sum(calls)::text AS served, ARRAY[${histogramSums('duration_buckets')}]::text[] AS buckets
         FROM ${period.usage(state)} WHERE channel_id > 0 GROUP BY channel_id`,
    );
    const failures = await transaction.query<FailureRow[]>(failuresSql, [period.from]);
    const rescues = await transaction.query<Array<{ channel_id: number; attempts: string }>>(rescuesSql, [period.from]);
    const names = await namesOf(
      transaction,
      [...usage, ...failures].map(({ channel_id: id }) => id),
    );
    const used = new Map(usage.map((row) => [row.channel_id, row]));
    const rescued = new Map(rescues.map((row) => [row.channel_id, Number(row.attempts)]));
    const failed = new Map<number, ChannelFailure[]>();
    for (const row of failures) failed.set(row.channel_id, [...(failed.get(row.channel_id) ?? []), toFailure(row)]);
    return names.map(({ id, name }) => ({
      channelId: id,
      channelName: name,
      served: Number(used.get(id)?.served ?? 0),
      durationBuckets: used.get(id)?.buckets.map(Number) ?? [],
      failures: failed.get(id) ?? [],
      rescued: rescued.get(id) ?? 0,
    }));
  });
}

/** Returns the names of channels. Deleted channels are left out. */
const namesOf = (database: Queries, ids: readonly number[]): Promise<Array<{ id: number; name: string }>> =>
  database.query('SELECT id, name FROM channels WHERE id = ANY ($1::int[]) ORDER BY id', [[...new Set(ids)]]);

const toFailure = (row: FailureRow): ChannelFailure => ({
  kind: failureKinds.find((kind) => kind === row.kind) ?? 'OTHER',
  attempts: Number(row.attempts),
  lastAt: dateOf(Number(row.last_at)),
  lastModel: row.last_model,
  lastError: row.last_error,
});

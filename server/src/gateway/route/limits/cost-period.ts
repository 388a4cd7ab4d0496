import type { UseLimits } from '../../../shared/channel-limits.js';
import { secondsIn } from '../../../shared/clock.js';

/** A calendar period in UTC for which cost is counted. */
export interface CostPeriod {
  readonly limit: keyof Pick<UseLimits, 'dailyUsd' | 'monthlyUsd'>;
  /** A name that is unique among all periods. */
  readonly name: string;
  /** Unix milliseconds of the start. */
  readonly start: number;
  readonly end: number;
  /** Seconds for which a count is kept. It is longer than the period, after which the count is no longer read. */
  readonly ttlSeconds: number;
}

const day = 86_400_000;

/**
 * Returns the day and the month of a moment.
 * @param now Unix milliseconds
 */
export function costPeriods(now: number): readonly CostPeriod[] {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const start = Math.floor(now / day) * day;
  const text = date.toISOString();
  return [
    { limit: 'dailyUsd', name: text.slice(0, 10), start, end: start + day, ttlSeconds: 2 * 86_400 },
    {
      limit: 'monthlyUsd',
      name: text.slice(0, 7),
      start: Date.UTC(year, month, 1),
      end: Date.UTC(year, month + 1, 1),
      ttlSeconds: 33 * 86_400,
    },
  ];
}

/** Reads the cost of channels from the ledger's hourly usage. */
export interface CostReader {
  /**
   * @param since Unix milliseconds, a full hour
   * @returns quota that the channel's calls were charged since then
   */
  of(channelId: number, since: number): Promise<number>;
}

interface Queries {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

/** Reads costs from the hourly usage, which is written with each charge. */
export const costsFrom = (database: Queries): CostReader => ({
  async of(channelId, since) {
    const sql =
      'SELECT coalesce(sum(quota), 0)::float8 AS quota FROM usage_hourly WHERE channel_id = $1 AND hour >= $2';
    const rows = (await database.query(sql, [channelId, secondsIn(since)])) as Array<{ quota: number }>;
    return rows[0]?.quota ?? 0;
  },
});

import { durationBounds } from '../../shared/latency.js';
import { detailColumns, loggedCalls } from './logged-calls.js';
import type { Granularity } from './read-plan.js';

/**
 * A rollup table: rows of its source, aggregated by some of their columns per time bucket. Three families: `usage_*` over
 * `usage_hourly`, which settlements write, for dashboards; `log_*` over `logs`, for counts and totals of the log page;
 * `calls_by_detail` over the calls of `logs`, for what dashboards ask and `usage_hourly` does not have.
 */
export interface RollupTable {
  readonly name: string;
  readonly family: 'usage' | 'log' | 'call';
  readonly keys: readonly string[];
  /**
   * The granularities, shortest first. Shorter periods are read from the source. MINUTE and FIVE_MINUTES exist only
   * until the next longer bucket is aggregated.
   */
  readonly granularities: readonly Granularity[];
  /**
   * Whether the row of an hour also has its minutes, in the arrays of `partColumns`: for ranges that begin or end
   * within an hour. They are null when a server of an older version aggregated the hour.
   */
  readonly hasParts: boolean;
  /** The table or source from which the table's shortest hourly or daily buckets are aggregated. */
  readonly madeFrom: string;
}

/** Smallest first: the first table with all requested columns is read. */
export const usageTables: readonly RollupTable[] = [
  usageTable('usage_by_model', ['model_name'], 'usage_by_route'),
  usageTable('usage_by_user', ['user_id'], 'usage_by_token'),
  usageTable('usage_by_route', ['channel_id', 'model_name', 'group'], 'usage_hourly'),
  usageTable('usage_by_token', ['user_id', 'token_id'], 'usage_hourly'),
  {
    // Rows are stored in the order of these keys. The channel is first, because a channel has many rows a day and a
    // user has few.
    ...usageTable('usage_by_all', ['channel_id', 'user_id', 'token_id', 'model_name', 'group'], 'usage_hourly'),
    // Hours of this table would duplicate the source.
    granularities: ['DAY'],
  },
];

/** The tables of the log, smallest first. */
export const logTables: readonly RollupTable[] = [
  { ...logTable('log_by_route', ['type', 'channel_id', 'model_name', 'group'], 'log_by_all'), hasParts: true },
  logTable('log_by_all', ['type', 'user_id', 'token_id', 'token_name', 'channel_id', 'model_name', 'group'], 'logs'),
];

export const callTable: RollupTable = {
  name: 'calls_by_detail',
  family: 'call',
  keys: ['type', 'channel_id', 'model_name', 'group', ...detailColumns],
  granularities: ['HOUR', 'DAY'],
  hasParts: false,
  madeFrom: 'calls',
};

/** Every table comes after the one it is aggregated from. */
export const tablesInOrder: readonly RollupTable[] = [
  ...usageTables.toReversed(),
  ...logTables.toReversed(),
  callTable,
];

const plainMeasures = [
  ...['calls', 'stream_calls', 'failed_calls', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'quota'],
  ...['duration_ms', 'cost_calls', 'cost_quota', 'cost_plan_quota', 'cost_nano_usd'],
];
const plainUsageMeasures = [...plainMeasures, 'logged_calls', 'logged_quota'];
const plainCallMeasures = [...plainMeasures, 'cache_write_tokens', 'cache_saved_nano_usd', 'cache_saved_quota'];
/** Arrays of counts by duration (`shared/latency.ts`). */
export const histogramColumns = ['duration_buckets', 'first_token_buckets'] as const;
export const logMeasures: readonly string[] = ['entries', 'quota', 'prompt_tokens', 'completion_tokens'];

/** Arrays in the row of an hour: its minutes with rows (0 to 59), and the measures of each. */
export const partColumns: readonly string[] = ['parts', ...logMeasures.map((measure) => `part_${measure}`)];

/** All counters of usage. */
export const usageCounters: readonly string[] = [...plainUsageMeasures, ...histogramColumns];

/** A counter that a rollup table aggregates. */
export interface Measure {
  readonly column: string;
  /** The SQL aggregate over rows of a table that has the column. */
  readonly sum: string;
}

/**
 * Element-wise sums of an array column, as an SQL list for `ARRAY[…]`. They are many times cheaper than adding arrays. Double precision is
 * exact up to 2⁵³ calls, and added up in half the time of `bigint`, whose sums are `numeric`.
 * @param only SQL after each aggregate, such as `FILTER (…)`
 */
export const histogramSums = (column: string, only = ''): string =>
  Array.from(
    { length: durationBounds.length + 1 },
    (_, n) => `coalesce(sum(${column}[${n + 1}]::float8)${only}, 0)`,
  ).join(', ');

/** Returns the counters of a table, with their SQL over `source`. */
export function measuresOf({ family }: RollupTable, source: string): readonly Measure[] {
  const plain = (column: string): Measure => ({ column, sum: `sum(${column})` });
  if (family !== 'log') {
    const histogram = (column: string): Measure => ({ column, sum: `ARRAY[${histogramSums(column)}]::bigint[]` });
    const counters = family === 'usage' ? plainUsageMeasures : plainCallMeasures;
    return [...counters.map(plain), ...histogramColumns.map(histogram)];
  }
  return logMeasures.map((column) =>
    source === 'logs' && column === 'entries' ? { column, sum: 'count(*)' } : plain(column),
  );
}

/** Returns the time column of a source; null for a rollup table, whose time is `start`. */
export const sourceTime = (relation: string): string | null =>
  relation === 'usage_hourly' ? 'hour' : relation === 'logs' || relation === 'calls' ? 'created_at' : null;

/** Returns SQL from FROM on that reads the rows of a source from which a table is aggregated. */
export const rowsOf = (source: string, condition: string): string =>
  source === 'calls'
    ? loggedCalls(condition, [...callTable.keys.map(quoted), ...plainCallMeasures, ...histogramColumns])
    : `${source} WHERE ${condition}`;

/** Quotes the one column name that is an SQL keyword. */
export const quoted = (column: string): string => (column === 'group' ? '"group"' : column);

function usageTable(name: string, keys: readonly string[], madeFrom: string): RollupTable {
  return { name, family: 'usage', keys, granularities: ['HOUR', 'DAY'], hasParts: false, madeFrom };
}

function logTable(name: string, keys: readonly string[], madeFrom: string): RollupTable {
  const granularities = ['MINUTE', 'FIVE_MINUTES', 'HOUR', 'DAY'] as const;
  return { name, family: 'log', keys, granularities, hasParts: false, madeFrom };
}

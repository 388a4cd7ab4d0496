import { durationBounds } from '../../shared/latency.js';
import { allSpans, minuteSpan, slotSpan } from './sum-blocks.js';

/**
 * A table of sums: rows of its source added up by some of their columns, for blocks of time. Two families: `usage_*` over
 * `usage_hourly`, which settlements keep, for dashboards; `log_*` over `logs`, for badges and totals of the log page.
 */
export interface SumTable {
  readonly name: string;
  readonly family: 'usage' | 'log';
  readonly keys: readonly string[];
  /** Lengths of its blocks in hours, ascending. Shorter times are read from the source. */
  readonly spans: readonly number[];
  /** Whether it has blocks of slots and minutes as well, of what is not folded by the hour. */
  readonly hasSlots: boolean;
  /** Whether slots stay when their hour is folded, where they are much fewer than its log rows: all of an hour, or none. */
  readonly keepsSlots: boolean;
  /** What its shortest blocks are made of: a table of shorter rows, or the source. */
  readonly madeFrom: string;
}

const usageKeys = ['user_id', 'token_id', 'channel_id', 'model_name', 'group'] as const;

/** The smallest first, so that the first which knows what is asked for is the one to read. */
export const usageTables: readonly SumTable[] = [
  table('usage_by_model', 'usage', ['model_name'], 'usage_by_route'),
  table('usage_by_user', 'usage', ['user_id'], 'usage_by_token'),
  table('usage_by_route', 'usage', ['channel_id', 'model_name', 'group'], 'usage_hourly'),
  table('usage_by_token', 'usage', ['user_id', 'token_id'], 'usage_hourly'),
  // Its hours would be the source once more.
  { ...table('usage_by_all', 'usage', usageKeys, 'usage_hourly'), spans: allSpans.slice(1) },
];

/** The table of badges that name neither user nor key. */
export const logByRoute: SumTable = {
  ...table('log_by_route', 'log', ['type', 'channel_id', 'model_name', 'group'], 'log_by_all'),
  keepsSlots: true,
};

export const logTables: readonly SumTable[] = [
  logByRoute,
  table(
    'log_by_all',
    'log',
    ['type', 'user_id', 'token_id', 'token_name', 'channel_id', 'model_name', 'group'],
    'logs',
  ),
];

/** In the order in which they are made. */
export const tablesInOrder: readonly SumTable[] = [...usageTables.toReversed(), ...logTables.toReversed()];

const usageMeasures = [
  ...['calls', 'stream_calls', 'failed_calls', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'quota'],
  ...['logged_calls', 'logged_quota', 'duration_ms'],
];
const logMeasures = ['entries', 'quota', 'prompt_tokens', 'completion_tokens'];

/** Everything that usage is counted by. */
export const usageCounters: readonly string[] = [...usageMeasures, 'duration_buckets'];

export interface Measure {
  readonly column: string;
  /** Over rows of a table that has the column. */
  readonly sum: string;
}

/** Element by element: many times cheaper than putting arrays together. */
export const bucketSums = Array.from(
  { length: durationBounds.length + 1 },
  (_, n) => `coalesce(sum(duration_buckets[${n + 1}]), 0)`,
).join(', ');

export function measuresOf({ family }: SumTable, source: string): readonly Measure[] {
  const plain = (column: string): Measure => ({ column, sum: `sum(${column})` });
  if (family === 'usage') {
    return [...usageMeasures.map(plain), { column: 'duration_buckets', sum: `ARRAY[${bucketSums}]::bigint[]` }];
  }
  return logMeasures.map((column) =>
    source === 'logs' && column === 'entries' ? { column, sum: 'count(*)' } : plain(column),
  );
}

/** Lengths of all its blocks, in hours; 0 for slots, -1 for minutes. */
export const spansOf = ({ spans, hasSlots }: SumTable): readonly number[] =>
  hasSlots ? [minuteSpan, slotSpan, ...spans] : spans;

/** The column of a source's time; null: a table of sums. */
export const sourceTime = (relation: string): string | null =>
  relation === 'usage_hourly' ? 'hour' : relation === 'logs' ? 'created_at' : null;

export const quoted = (column: string): string => (column === 'group' ? '"group"' : column);

function table(name: string, family: SumTable['family'], keys: readonly string[], madeFrom: string): SumTable {
  return {
    name,
    family,
    keys,
    spans: allSpans,
    hasSlots: family === 'log',
    keepsSlots: false,

    madeFrom,
  };
}

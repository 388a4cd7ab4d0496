import type { DataSource } from 'typeorm';
import type { Queries } from './aggregate.js';
import {
  hour,
  lengthOf,
  minute,
  planRead,
  type Range,
  type ReadGranularity,
  type ReadPlan,
  type Watermarks,
} from './read-plan.js';
import { detailColumns, loggedCalls } from './logged-calls.js';
import { callTable, logMeasures, logTables, partColumns, usageTables, type RollupTable } from './rollup-tables.js';

/** The part of a data source that reading rollups needs. */
export type Snapshots = Pick<DataSource, 'query' | 'transaction'>;

/** Watermarks, and the start of the log that still exists. */
export interface RollupState extends Watermarks {
  /** Log rows before this time may be deleted. Unix seconds. */
  readonly trimmedBefore: number;
}

/**
 * Reads state, rollups and source rows in one snapshot. The watermarks therefore match the rollups read beside them,
 * and the result is exact even while calls are settled or hours are aggregated.
 */
export async function readSnapshot<T>(
  database: Snapshots,
  read: (transaction: Queries, state: RollupState) => Promise<T>,
): Promise<T> {
  return database.transaction('REPEATABLE READ', async (transaction) =>
    read(transaction, await readState(transaction)),
  );
}

/**
 * Settings of the transaction. The remaining aggregation costs less than starting parallel workers or the JIT compiler.
 */
const quickSettings = `set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true),
  set_config('work_mem', '32MB', true)`;

/**
 * Reads the watermarks, and sets `quickSettings` for the rest of a transaction. Outside of a snapshot, a total can miss
 * calls that are settled late meanwhile.
 */
export async function readState(database: Queries): Promise<RollupState> {
  const [row] = await database.query<
    Array<Record<'hours' | 'fiveMinutes' | 'minutes' | 'trimmed', string> & { invalidated: string[] | null }>
  >(
    `SELECT hours_until::text AS hours, five_minutes_until::text AS "fiveMinutes", minutes_until::text AS minutes,
            (SELECT array_agg(DISTINCT start)::text[] FROM rollup_invalidated) AS invalidated,
            (SELECT trimmed_before::text FROM log_state) AS trimmed, ${quickSettings} FROM rollup_state`,
  );
  if (!row) throw new Error('rollup_state has no row');
  return {
    hoursUntil: Number(row.hours),
    fiveMinutesUntil: Number(row.fiveMinutes),
    minutesUntil: Number(row.minutes),
    invalidated: (row.invalidated ?? []).map(Number),
    trimmedBefore: Number(row.trimmed),
  };
}

interface UsageQuestion {
  /** Full hours, ordered, without duplicates. Each range is planned separately. */
  readonly ranges: readonly Range[];
  /** Columns that the query groups by or filters on. */
  readonly columns: readonly string[];
  /** SQL over these columns; TRUE for all rows. */
  readonly condition: string;
  /** The longest bucket that one row may cover. */
  readonly longest: 'HOUR' | 'DAY';
  /** SQL of the columns of the result: of `columns`, counters, and `hour`, the start of a bucket in Unix seconds. */
  readonly fields: readonly string[];
}

/**
 * Returns SQL for FROM that reads usage: rows of the smallest table with these columns, and of `usage_hourly` where no
 * rollup is up to date.
 */
export function usageFrom(question: UsageQuestion, state: Watermarks): string {
  const { ranges, columns, condition, longest, fields } = question;
  const table = usageTableOf(columns);
  const plans = ranges.map((range) => planRead(range, upTo(longest, table), state));
  const plan = { buckets: plans.flatMap(({ buckets }) => buckets), source: plans.flatMap(({ source }) => source) };
  const ofRollup = fields.map((field) => (field === 'hour' ? 'start AS hour' : field)).join(', ');
  const parts = [
    ...inBuckets(plan).map((bucket) => `SELECT ${ofRollup} FROM ${table.name} WHERE ${bucket} AND ${condition}`),
    ...(plan.source.length === 0 && plan.buckets.length > 0
      ? []
      : [`SELECT ${fields.join(', ')} FROM usage_hourly WHERE (${inRanges('hour', plan.source)}) AND ${condition}`]),
  ];
  return `(${parts.join(' UNION ALL ')}) used`;
}

const upTo = (longest: 'HOUR' | 'DAY', { granularities, hasParts }: RollupTable): ReadGranularity[] => [
  ...(hasParts ? (['HOUR_PART'] as const) : []),
  ...granularities.filter((one) => one !== 'DAY' || longest === 'DAY'),
];

/** Returns the smallest rollup table that has these columns. */
export function usageTableOf(columns: readonly string[]): RollupTable {
  const table = usageTables.find(({ keys }) => columns.every((column) => keys.includes(column)));
  if (!table) throw new Error('no rollup table has these columns');
  return table;
}

interface CallQuestion {
  /** Ordered, without duplicates. Each range is planned separately. */
  readonly ranges: readonly Range[];
  /** Columns that the query groups by or filters on. */
  readonly columns: readonly string[];
  /** The longest bucket that one row may cover; null for rows of the log alone. */
  readonly longest: 'HOUR' | 'DAY' | null;
}

/** Plans what `callsFrom` reads: buckets, where the rollup has the columns, and else rows of the log. */
export function planCalls({ ranges, columns, longest }: CallQuestion, state: RollupState): ReadPlan {
  if (longest === null || !columns.every((column) => callTable.keys.includes(column)))
    return { buckets: [], source: ranges };
  const plans = ranges.map((range) => {
    const kept = keptFrom(range, state);
    const { buckets, source } = planRead({ from: kept, end: range.end }, upTo(longest, callTable), state);
    return { buckets, source: range.from < kept ? [{ from: range.from, end: kept }, ...source] : source };
  });
  return { buckets: plans.flatMap(({ buckets }) => buckets), source: plans.flatMap(({ source }) => source) };
}

/**
 * Returns SQL for FROM that reads calls by what only the log has: `columns` may be `type`, those that are
 * read from the text of log rows, and those of the usage tables.
 * @param fields SQL over the columns, counters of calls, and `hour`: the start of a bucket, or the second of a call
 */
export function callsFrom(
  question: CallQuestion & {
    /** SQL over columns that the log has, too. */
    readonly condition: string;
    /** SQL over the columns that are read from the text of log rows. */
    readonly ofDetails: string;
    readonly fields: ReadonlyArray<{ readonly name: string; readonly sql: string; readonly from: readonly string[] }>;
  },
  state: RollupState,
): string {
  const { columns, condition, ofDetails, fields } = question;
  const plan = planCalls(question, state);
  const select = (hourIs: string): string =>
    fields.map(({ name, sql }) => `${name === 'hour' ? hourIs : sql} AS ${name}`).join(', ');
  const details = columns.filter((column) => detailColumns.some((detail) => detail === column));
  const read = [...details, ...fields.flatMap(({ from }) => from)];
  const parts = [
    ...inBuckets(plan).map(
      (bucket) => `SELECT ${select('start')} FROM ${callTable.name} WHERE ${bucket} AND ${condition} AND ${ofDetails}`,
    ),
    ...(plan.source.length === 0 && plan.buckets.length > 0
      ? []
      : [
          `SELECT ${select('created_at')} FROM ${loggedCalls(`(${inRanges('created_at', plan.source)}) AND ${condition}`, read)} WHERE ${ofDetails}`,
        ]),
  ];
  return `(${parts.join(' UNION ALL ')}) used`;
}

/** Returns the start of the log that still exists within a range. Rollups still contain rows that were deleted from it. */
const keptFrom = (range: Range, { trimmedBefore }: RollupState): number =>
  Math.max(range.from, Math.min(range.end, Math.ceil(trimmedBefore / hour) * hour));

interface LogQuestion {
  readonly range: Range;
  /** Columns used by the condition. */
  readonly columns: readonly string[];
  /** SQL that is valid for log rows and for their rollups. */
  readonly condition: string;
  /** The longest bucket that one row may cover; DAY when absent. */
  readonly longest?: 'HOUR' | 'DAY' | undefined;
  /** Whether to read only the rollups, or only the source rows beside them. Both are read when absent. */
  readonly only?: 'rollups' | 'rows' | undefined;
}

/**
 * Returns SQL for FROM that aggregates log rows: `entries` (their number), `quota`, `prompt_tokens`,
 * `completion_tokens`, and their period from `begins` to `ends` (exclusive). Null when no rollup table has one of the
 * columns.
 */
export function logFrom(question: LogQuestion, state: RollupState): string | null {
  const { range, columns, condition, longest = 'DAY', only } = question;
  const table = logTables.find(({ keys }) => columns.every((column) => keys.includes(column)));
  if (!table) return null;
  const whole = keptFrom(range, state);
  const plan = planRead({ from: whole, end: range.end }, upTo(longest, table), state);
  const rows = (part: Range): string =>
    `SELECT 1, quota, prompt_tokens, completion_tokens, ${part.from}, ${part.end} FROM logs
      WHERE ${inRanges('created_at', [part])} AND ${condition}`;
  const hourParts = plan.buckets.filter(({ granularity }) => granularity === 'HOUR_PART');
  const lengths = table.granularities.map((one) => `WHEN '${one}' THEN ${lengthOf[one]}`);
  const parts = [
    ...(only === 'rows' ? [] : inBuckets(plan)).map(
      (bucket) =>
        `SELECT entries, quota, prompt_tokens, completion_tokens, start, start + CASE granularity ${lengths.join(' ')} END
           FROM ${table.name} WHERE ${bucket} AND ${condition}`,
    ),
    ...(only === 'rows' ? [] : hourParts).map((part) => `${sumOfParts(part, table)} AND ${condition}`),
    ...(only === 'rollups' ? [] : hourParts).map((part) => `${rows(part)} AND ${lacksParts(part, table)}`),
    ...(only === 'rollups' ? [] : plan.source.map(rows)),
    ...(range.from < whole && only !== 'rollups' ? [rows({ from: range.from, end: whole })] : []),
  ];
  if (parts.length === 0) parts.push(rows({ from: 0, end: 0 }));
  return `(${parts.join(' UNION ALL ')}) AS summed (entries, quota, prompt_tokens, completion_tokens, begins, ends)`;
}

const hourOf = ({ from }: Range): string => `granularity = 'HOUR' AND start = ${from - (from % hour)}`;

/** SQL that finds rows of the hour without parts. The log rows of that hour are then read. */
const lacksParts = (part: Range, { name }: RollupTable): string =>
  `EXISTS (SELECT FROM ${name} WHERE ${hourOf(part)} AND parts IS NULL)`;

function sumOfParts(part: Range, table: RollupTable): string {
  const first = (part.from % hour) / minute;
  const last = first + (part.end - part.from) / minute - 1;
  return `SELECT ${logMeasures.map((column) => `part.${column}`).join(', ')}, ${part.from}, ${part.end}
            FROM ${table.name} CROSS JOIN LATERAL unnest(${partColumns.join(', ')}) AS part (place, ${logMeasures.join(', ')})
           WHERE ${hourOf(part)} AND part.place BETWEEN ${first} AND ${last} AND NOT ${lacksParts(part, table)}`;
}

/**
 * Returns one condition for each range, each for a SELECT of its own: for ranges joined by OR, Postgres may read a
 * whole index.
 */
const inBuckets = ({ buckets }: ReadPlan): string[] =>
  buckets
    .filter(({ granularity }) => granularity !== 'HOUR_PART')
    .map(({ granularity, from, end }) => `granularity = '${granularity}' AND start >= ${from} AND start < ${end}`);

/** Returns an SQL condition on ranges. The numbers are generated here, so they may be part of the statement's text. */
const inRanges = (column: string, ranges: readonly Range[]): string =>
  ranges.map(({ from, end }) => `${column} >= ${from} AND ${column} < ${end}`).join(' OR ') || 'FALSE';

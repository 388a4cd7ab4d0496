import type { DataSource } from 'typeorm';
import {
  edgesOf,
  hour,
  minute,
  minuteSpan,
  placesOf,
  slot,
  slotSpan,
  totalOf,
  type FoldState,
  type Places,
  type Range,
  type Signed,
} from './sum-blocks.js';
import type { Queries } from './sum-fold.js';
import {
  bucketSums,
  logByRoute,
  logTables,
  quoted,
  spansOf,
  usageCounters,
  usageTables,
  type SumTable,
} from './sum-tables.js';

export { bucketSums, hour, usageCounters };
export type { FoldState, Queries, Range };

/** What reading from the sums needs of a data source. */
export type Snapshots = Pick<DataSource, 'query' | 'transaction'>;

export interface SumState extends FoldState {
  /** Log rows before it may be gone. */
  readonly trimmedBefore: number;
}

/**
 * Asks questions of one moment: what the state says of the sums is true of every sum that is read beside it. So the answer
 * is exact, whatever is settled or folded at the same time.
 * @param range of the log, if any: the state then says which hours at its edges have slots
 */
export async function readSnapshot<T>(
  database: Snapshots,
  ask: (transaction: Queries, state: SumState) => Promise<T>,
  range?: Range,
): Promise<T> {
  return database.transaction('REPEATABLE READ', async (transaction) =>
    ask(transaction, await readState(transaction, range ? edgesOf(range) : [])),
  );
}

/** For the transaction: what is left to add up is less than starting workers or a compiler for it costs. */
const quickSettings = `set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true),
  set_config('work_mem', '32MB', true)`;

async function readState(database: Queries, edges: readonly number[]): Promise<SumState> {
  const [row] = await database.query<
    Array<Record<'folded' | 'slots' | 'minutes' | 'trimmed', string> & Record<Lists, string[] | null>>
  >(
    `SELECT folded_until::text AS folded, slots_until::text AS slots, minutes_until::text AS minutes, (SELECT array_agg(DISTINCT hour)::text[] FROM sums_late) AS late,
            (SELECT trimmed_before::text FROM log_state) AS trimmed, ${slottedAmong(edges)} AS slotted, ${quickSettings} FROM sums_state`,
  );
  if (!row) throw new Error('the state of the sums is gone');
  return {
    foldedUntil: Number(row.folded),
    slotsUntil: Number(row.slots),
    minutesUntil: Number(row.minutes),
    late: (row.late ?? []).map(Number),
    slotted: (row.slotted ?? []).map(Number),
    trimmedBefore: Number(row.trimmed),
  };
}

type Lists = 'late' | 'slotted';

/** An hour that has one slot has all of them. */
const slottedAmong = (hours: readonly number[]): string =>
  hours.length === 0
    ? 'NULL'
    : `(SELECT array_agg(hour)::text[] FROM unnest(ARRAY[${hours.join(', ')}]::bigint[]) hour WHERE EXISTS (
         SELECT 1 FROM ${logByRoute.name} WHERE span = ${slotSpan} AND start >= hour AND start < hour + ${hour}))`;

interface UsageQuestion {
  /** Whole hours. */
  readonly range: Range;
  /** What the answer is told apart by. */
  readonly columns: readonly string[];
  /** What is fixed, and the placeholder of its value. */
  readonly equal: ReadonlyArray<{ readonly column: string; readonly placeholder: string }>;
  /** Those of which only some values are asked for, and the placeholder of the list of these. */
  readonly among?: ReadonlyArray<{ readonly column: string; readonly placeholder: string }>;
  /** Hours that may be one row. */
  readonly longest: number;
  /** Counters that are asked for. Every other one would be carried along. */
  readonly counters: readonly string[];
  /** Adds up what is read from `usage_hourly`, so that no two rows have the same hour and columns. */
  readonly isUnique?: boolean;
}

/**
 * What stands after FROM to read usage: rows of the smallest table that knows these columns, and of `usage_hourly` where
 * there are no sums to trust. Columns are those asked for, the counters, and `hour`: the start of a block.
 */
export function usageFrom(question: UsageQuestion, state: FoldState): string {
  const { range, columns, equal, among = [], longest, counters, isUnique = false } = question;
  const table = usageTableOf(question);
  const places = placesOf(
    range,
    table.spans.filter((span) => span <= longest),
    state,
  );
  const keys = columns.map(quoted);
  const fields = [...keys, ...counters];
  const fixed = [
    ...equal.map(({ column, placeholder }) => ` AND ${quoted(column)} = ${placeholder}`),
    ...among.map(({ column, placeholder }) => ` AND ${quoted(column)} = ANY (${placeholder})`),
  ].join('');
  const rows = `FROM usage_hourly WHERE (${inRanges('hour', places.source)})${fixed}`;
  const added = counters.map((column) => `sum(${column})::bigint AS ${column}`).join(', ');
  const parts = [
    ...(places.sums.length === 0
      ? []
      : [`SELECT ${['start AS hour', ...fields].join(', ')} FROM ${table.name} WHERE (${inBlocks(places)})${fixed}`]),
    ...(places.source.length === 0 && places.sums.length > 0
      ? []
      : [
          isUnique
            ? `SELECT ${['hour', ...keys].join(', ')}, ${added} ${rows} GROUP BY ${['hour', ...keys].join(', ')}`
            : `SELECT ${['hour', ...fields].join(', ')} ${rows}`,
        ]),
  ];
  return `(${parts.join(' UNION ALL ')}) used`;
}

/** Whether blocks of one length have one row for each combination of these columns. */
export const isUniqueBy = (question: Pick<UsageQuestion, 'columns' | 'equal'>): boolean =>
  usageTableOf(question).keys.every((key) => question.columns.includes(key));

function usageTableOf({ columns, equal, among = [] }: Pick<UsageQuestion, 'columns' | 'equal' | 'among'>): SumTable {
  const known = new Set([...columns, ...[...equal, ...among].map(({ column }) => column)]);
  const table = usageTables.find(({ keys }) => [...known].every((column) => keys.includes(column)));
  if (!table) throw new Error('no sums know these columns');
  return table;
}

interface LogQuestion {
  readonly range: Range;
  /** Columns that the condition names. */
  readonly columns: readonly string[];
  /** True of a row of the log and of a sum of such rows alike. */
  readonly condition: string;
  /** Hours that may be one row; any when absent. */
  readonly longest?: number | undefined;
  /** Only what is in the sums, or only what is not; both when absent. */
  readonly only?: 'sums' | 'rows' | undefined;
  /** Everything will be added up: what lies outside of the range is taken off the sum of its hour or slot where that is less to read. */
  readonly isTotal?: boolean | undefined;
}

/**
 * What stands after FROM to add up log rows: `entries` (how many), `quota`, `prompt_tokens`, `completion_tokens`, and the
 * time they lie in, `begins` to before `ends`. Null when no sums know one of the columns.
 */
export function logFrom(
  { range, columns, condition, longest = Infinity, only, isTotal = false }: LogQuestion,
  state: SumState,
): string | null {
  const table = logTables.find(({ keys }) => columns.every((column) => keys.includes(column)));
  if (!table) return null;
  // Sums still have what was deleted from the log.
  const whole = Math.max(range.from, Math.min(range.end, Math.ceil(state.trimmedBefore / hour) * hour));
  const asked: Signed = { from: whole, end: range.end, sign: '' };
  const spans = spansOf(table).filter((span) => span <= longest);
  const known = table.keepsSlots ? state : { ...state, slotted: [] };
  // One after the other, so that each takes the index that suits it. A total is added up where the rows are read.
  const rowsOf = (part: Range, sign: string): string =>
    `SELECT ${isTotal ? rowSums.map((sum) => sign + sum).join(', ') : '1, quota, prompt_tokens, completion_tokens'}, ${part.from}, ${part.end}
       FROM logs WHERE ${inRanges('created_at', [part])} AND ${condition}`;
  const sumsOf = (places: Places, sign: string): string =>
    `SELECT ${sign}entries, ${sign}quota, ${sign}prompt_tokens, ${sign}completion_tokens, start,
            start + CASE span WHEN ${minuteSpan} THEN ${minute} WHEN ${slotSpan} THEN ${slot} ELSE span * ${hour} END FROM ${table.name} WHERE (${inBlocks(places)}) AND ${condition}`;
  const parts = (isTotal ? totalOf(asked, spans, known, state.trimmedBefore) : [asked]).flatMap(({ sign, ...part }) => {
    const places = placesOf(part, spans, known);
    return [
      ...(places.sums.length === 0 || only === 'rows' ? [] : [sumsOf(places, sign)]),
      ...(only === 'sums' ? [] : places.source.map((rows) => rowsOf(rows, sign))),
    ];
  });
  if (range.from < whole && only !== 'sums') parts.push(rowsOf({ from: range.from, end: whole }, ''));
  if (parts.length === 0) parts.push(rowsOf({ from: 0, end: 0 }, ''));
  return `(${parts.join(' UNION ALL ')}) AS summed (entries, quota, prompt_tokens, completion_tokens, begins, ends)`;
}

const rowSums = [
  'count(*)',
  ...['quota', 'prompt_tokens', 'completion_tokens'].map((column) => `sum(${column})::bigint`),
];

const inBlocks = ({ sums }: Places): string =>
  sums.map(({ span, from, end }) => `span = ${span} AND start >= ${from} AND start < ${end}`).join(' OR ');

/** Numbers of ours, so they may stand in the text. */
const inRanges = (column: string, ranges: readonly Range[]): string =>
  ranges.map(({ from, end }) => `${column} >= ${from} AND ${column} < ${end}`).join(' OR ') || 'FALSE';

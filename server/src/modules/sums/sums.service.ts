import type { DataSource } from 'typeorm';
import {
  edgesOf,
  hour,
  placesOf,
  slot,
  slotSpan,
  totalOf,
  type FoldState,
  type Places,
  type Range,
  type Signed,
} from './sum-blocks.js';
import { dropSlots, dropTrimmed, foldHours, foldSlots, type Queries } from './sum-fold.js';
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

/** An hour or a slot is folded when it has been over for this long: twice what the clock of a database may be set back. */
const settledSeconds = 120;
/** So many hours are folded in one transaction when there is much to catch up with. */
const hoursPerStep = 24;
const pollMilliseconds = 20;

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
    Array<Record<'folded' | 'slots' | 'trimmed', string> & Record<Lists, string[] | null>>
  >(
    `SELECT folded_until::text AS folded, slots_until::text AS slots, (SELECT array_agg(DISTINCT hour)::text[] FROM sums_late) AS late,
            (SELECT trimmed_before::text FROM log_state) AS trimmed, ${slottedAmong(edges)} AS slotted, ${quickSettings} FROM sums_state`,
  );
  if (!row) throw new Error('the state of the sums is gone');
  return {
    foldedUntil: Number(row.folded),
    slotsUntil: Number(row.slots),
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
  const fields = [...keys, ...counters].join(', ');
  const fixed = [
    ...equal.map(({ column, placeholder }) => ` AND ${quoted(column)} = ${placeholder}`),
    ...among.map(({ column, placeholder }) => ` AND ${quoted(column)} = ANY (${placeholder})`),
  ].join('');
  const rows = `FROM usage_hourly WHERE (${inRanges('hour', places.source)})${fixed}`;
  const added = counters.map((column) => `sum(${column})::bigint AS ${column}`).join(', ');
  const parts = [
    ...(places.sums.length === 0
      ? []
      : [`SELECT start AS hour, ${fields} FROM ${table.name} WHERE (${inBlocks(places)})${fixed}`]),
    ...(places.source.length === 0 && places.sums.length > 0
      ? []
      : [
          isUnique
            ? `SELECT ${['hour', ...keys].join(', ')}, ${added} ${rows} GROUP BY ${['hour', ...keys].join(', ')}`
            : `SELECT hour, ${fields} ${rows}`,
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
            start + CASE span WHEN 0 THEN ${slot} ELSE span * ${hour} END FROM ${table.name} WHERE (${inBlocks(places)}) AND ${condition}`;
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

/**
 * Folds hours that are over into the sums, slots of the log behind them, and what changed since once more. Each step is one
 * transaction, which either happened or did not, and a step that is done twice changes nothing: any number of nodes may do
 * it, and die.
 *
 * Exact because of two facts. A transaction that changes an hour or a slot which is over leaves a mark (triggers of the
 * migrations), so it is read from its source until it was folded again. And a transaction that changed it before it was
 * over had begun to write by then: nothing is folded before all those have ended.
 */
export class SumFolding {
  /** @param patienceMilliseconds how long a step waits for those who still write */
  constructor(
    private readonly database: Snapshots,
    private readonly patienceMilliseconds = 5_000,
  ) {}

  /** @returns how many hours and slots were folded: none when nothing is left to do, or writers are still at it */
  async step(): Promise<number> {
    const [now] = await this.database.query<Progress[]>(
      `SELECT sums_clock() AS clock, pg_snapshot_xmax(pg_current_snapshot())::text AS horizon, folded_until::text AS folded,
              slots_until::text AS slots, (SELECT min(hour) FROM sums_late WHERE hour < greatest(folded_until, slots_until))::text AS late
         FROM sums_state`,
    );
    if (!now) throw new Error('the state of the sums is gone');
    const folded = Number(now.folded);
    const over = lastBefore(now.clock - settledSeconds, hour);
    const slotsOver = lastBefore(now.clock - settledSeconds, slot);
    const isOver = over > folded || slotsOver > Math.max(folded, Number(now.slots));
    if (isOver && (await this.waitFor(now.horizon))) {
      return this.database.transaction((transaction) =>
        over > folded ? foldNext(transaction, over) : foldNextSlots(transaction, slotsOver),
      );
    }
    if (now.late === null) return 0;
    return this.database.transaction(Number(now.late) < folded ? foldLate : foldLateSlots);
  }

  /** Steps until nothing is left. @returns how many hours and slots were folded */
  async run(): Promise<number> {
    for (let total = 0; ;) {
      const folded = await this.step();
      if (folded === 0) return total;
      total += folded;
    }
  }

  /** Until every transaction that had begun to write has ended. */
  private async waitFor(horizon: string): Promise<boolean> {
    const patience = performance.now() + this.patienceMilliseconds;
    for (;;) {
      const [row] = await this.database.query<Array<{ ended: boolean }>>(
        'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS ended',
        [horizon],
      );
      if (row?.ended) return true;
      if (performance.now() > patience) return false;
      await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
    }
  }
}

interface Progress {
  readonly clock: number;
  readonly horizon: string;
  readonly folded: string;
  readonly slots: string;
  /** The first hour or slot that changed after it was folded. */
  readonly late: string | null;
}

/** The next hours that are over and have something in them. */
async function foldNext(transaction: Queries, over: number): Promise<number> {
  const { foldedUntil } = await lockState(transaction);
  if (foldedUntil >= over) return 0;
  const begin = Math.max(foldedUntil, await nextHour(transaction, foldedUntil, over));
  const end = Math.min(over, (Math.floor(begin / hour / hoursPerStep) + 1) * hoursPerStep * hour);
  // The first hour stands for those that are passed over: a longer block that ends among them has it in it.
  const hours = [...new Set([foldedUntil, ...hoursOf({ from: begin, end })])];
  await dropSlots(transaction, { from: foldedUntil, end });
  await refold(transaction, hours, end);
  await transaction.query('UPDATE sums_state SET folded_until = $1', [end]);
  await dropTrimmed(transaction);
  return hours.length;
}

/** Slots of the log that are over. When there are none, their hours were folded in the meantime. */
async function foldNextSlots(transaction: Queries, over: number): Promise<number> {
  const { foldedUntil, slotsUntil } = await lockState(transaction);
  const from = Math.max(foldedUntil, slotsUntil);
  if (from >= over) return 0;
  await transaction.query('DELETE FROM sums_late WHERE hour >= $1 AND hour < $2', [from, over]);
  await foldSlots(transaction, [{ from, end: over }]);
  await transaction.query('UPDATE sums_state SET slots_until = $1', [over]);
  return (over - from) / slot;
}

/** Hours of one day that changed after they were folded. */
async function foldLate(transaction: Queries): Promise<number> {
  const { foldedUntil } = await lockState(transaction);
  const day = hoursPerStep * hour;
  const rows = await transaction.query<Array<{ hour: string }>>(
    `SELECT DISTINCT (hour - hour % ${hour})::text AS hour FROM sums_late WHERE hour < $1
        AND hour >= (SELECT min(hour) - min(hour) % ${day} FROM sums_late)
        AND hour < (SELECT min(hour) - min(hour) % ${day} + ${day} FROM sums_late)`,
    [foldedUntil],
  );
  const hours = rows.map((row) => Number(row.hour));
  await refold(transaction, hours, foldedUntil);
  return hours.length;
}

/** Slots that changed after they were folded. A mark of an hour that is not folded yet says nothing that will not be read. */
async function foldLateSlots(transaction: Queries): Promise<number> {
  const { foldedUntil, slotsUntil } = await lockState(transaction);
  const rows = await transaction.query<Array<{ slot: string }>>(
    `WITH gone AS (DELETE FROM sums_late WHERE hour >= $1 AND hour < $2 RETURNING hour - hour % ${slot} AS slot)
     SELECT DISTINCT slot::text FROM gone`,
    [foldedUntil, slotsUntil],
  );
  const slots = rows.map((row) => Number(row.slot));
  if (slots.length > 0)
    await foldSlots(
      transaction,
      slots.map((from) => ({ from, end: from + slot })),
    );
  return slots.length;
}

/** Marks first: what the statements after this one see is at least what left them. */
async function refold(transaction: Queries, hours: number[], until: number): Promise<void> {
  await transaction.query(`DELETE FROM sums_late WHERE hour - hour % ${hour} = ANY ($1)`, [hours]);
  await foldHours(transaction, hours, until);
}

/** One folds at a time. @returns until when everything is folded */
async function lockState(transaction: Queries): Promise<Pick<FoldState, 'foldedUntil' | 'slotsUntil'>> {
  await transaction.query('SET LOCAL statement_timeout = 0');
  // What is added up at once fits: nothing is spilled.
  await transaction.query("SET LOCAL work_mem = '64MB'");
  const [state] = await transaction.query<Array<{ folded: string; slots: string }>>(
    'SELECT folded_until::text AS folded, slots_until::text AS slots FROM sums_state FOR UPDATE',
  );
  return { foldedUntil: Number(state?.folded ?? 0), slotsUntil: Number(state?.slots ?? 0) };
}

/** The first hour from a moment on that has rows, or the end. */
async function nextHour(database: Queries, from: number, end: number): Promise<number> {
  const [row] = await database.query<Array<{ next: string | null }>>(
    `SELECT least((SELECT min(hour) FROM usage_hourly WHERE hour >= $1),
                  (SELECT min(created_at) FROM logs WHERE created_at >= $1))::text AS next`,
    [from],
  );
  return Math.min(end, Math.floor(Number(row?.next ?? end) / hour) * hour);
}

/** The last moment before another that a block of this length begins at. */
const lastBefore = (moment: number, length: number): number => Math.floor(moment / length) * length;

const hoursOf = ({ from, end }: Range): number[] =>
  Array.from({ length: (end - from) / hour }, (_, index) => from + index * hour);

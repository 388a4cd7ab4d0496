import { hour, slot, type FoldState, type Range } from './sum-blocks.js';
import { dropSlots, dropTrimmed, foldHours, foldSlots, type Queries } from './sum-fold.js';
import type { Snapshots } from './sums.service.js';

/** An hour or a slot is folded when it has been over for this long: twice what the clock of a database may be set back. */
const settledSeconds = 120;
/** So many hours are folded in one transaction when there is much to catch up with. */
const hoursPerStep = 24;
const pollMilliseconds = 20;

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

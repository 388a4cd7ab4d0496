import { hour, minute, minuteSpan, slot, slotSpan, type FoldState, type Range } from './sum-blocks.js';
import { dropMinutes, dropSlots, dropTrimmed, foldHours, foldShort, type Queries } from './sum-fold.js';
import type { Snapshots } from './sums.service.js';

/**
 * An hour or a slot is folded when it has been over for this long. What comes later, from a node whose clock is behind, is right as
 * well, but costs a second folding.
 */
const settledSeconds = 120;
/** A minute is folded sooner, since it costs little to do again. */
const minuteSettledSeconds = 10;
/** So many hours are folded in one transaction when there is much to catch up with. */
const hoursPerStep = 24;
const pollMilliseconds = 20;

/**
 * Folds hours that are over into the sums, slots of the log behind them, minutes behind these, and what changed since once
 * more. Each step is one transaction, which either happened or did not, and a step that is done twice changes nothing: any
 * number of nodes may do it, and die.
 *
 * Exact because of two facts. A time is closed before it is folded, and a transaction that changes what is closed leaves a mark
 * (triggers of the migrations), so it is read from its source until it was folded again. And a transaction that changed it
 * before it was closed had begun to write by then: nothing is folded before all those have ended. So no clock is trusted:
 * one that is wrong closes too early, which costs marks, or too late.
 */
export class SumFolding {
  /** @param patienceMilliseconds how long a step waits for those who still write */
  constructor(
    private readonly database: Snapshots,
    private readonly patienceMilliseconds = 5_000,
  ) {}

  /** @returns how many hours, slots and minutes were folded: none when nothing is left to do, or writers are still at it */
  async step(): Promise<number> {
    const [now] = await this.database.query<Progress[]>(
      `SELECT sums_clock() AS clock, folded_until::text AS folded, slots_until::text AS slots, minutes_until::text AS minutes,
              (SELECT min(hour) FROM sums_late WHERE hour < greatest(folded_until, slots_until, minutes_until))::text AS late
         FROM sums_state`,
    );
    if (!now) throw new Error('the state of the sums is gone');
    const folded = Number(now.folded);
    const inSlots = Math.max(folded, Number(now.slots));
    const next = [
      { until: folded, over: lastBefore(now.clock - settledSeconds, hour), fold: foldNext },
      { until: inSlots, over: lastBefore(now.clock - settledSeconds, slot), fold: foldNextSlots },
      {
        until: Math.max(inSlots, Number(now.minutes)),
        over: lastBefore(now.clock - minuteSettledSeconds, minute),
        fold: foldNextMinutes,
      },
    ].find(({ until, over }) => over > until);
    if (next && (await this.waitFor(await this.close(next.over)))) {
      return this.database.transaction((transaction) => next.fold(transaction, next.over));
    }
    if (now.late === null) return 0;
    const late = Number(now.late);
    return this.database.transaction(late < folded ? foldLate : late < inSlots ? foldLateSlots : foldLateMinutes);
  }

  /**
   * Whoever changes what ends at or before a moment leaves a mark from now on, save those who already write. Never open again,
   * whoever closes at the same time.
   * @returns the first transaction that cannot be among them
   */
  private close(moment: number): Promise<string> {
    return this.database.transaction(async (transaction) => {
      await lockState(transaction);
      // Seen by all at once, before this transaction ends: a sequence is not a part of any.
      await transaction.query(
        `SELECT setval('sums_closed_until', greatest($1, pg_sequence_last_value('sums_closed_until')))`,
        [moment],
      );
      // A statement of its own, so that it looks after the last one.
      const [row] = await transaction.query<Array<{ horizon: string }>>(
        'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS horizon',
      );
      if (!row) throw new Error('the database told of no snapshot');
      return row.horizon;
    });
  }

  /** Steps until nothing is left. @returns how many hours, slots and minutes were folded */
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
  readonly folded: string;
  readonly slots: string;
  readonly minutes: string;
  /** The first hour, slot or minute that changed after it was folded. */
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
  await foldShort(transaction, slotSpan, [{ from, end: over }]);
  await dropMinutes(transaction, { from, end: over });
  await transaction.query('UPDATE sums_state SET slots_until = $1', [over]);
  return (over - from) / slot;
}

/** Minutes of the log that are over, behind its slots. */
async function foldNextMinutes(transaction: Queries, over: number): Promise<number> {
  const { foldedUntil, slotsUntil, minutesUntil } = await lockState(transaction);
  const from = Math.max(foldedUntil, slotsUntil, minutesUntil);
  if (from >= over) return 0;
  await transaction.query('DELETE FROM sums_late WHERE hour >= $1 AND hour < $2', [from, over]);
  await foldShort(transaction, minuteSpan, [{ from, end: over }]);
  await transaction.query('UPDATE sums_state SET minutes_until = $1', [over]);
  return (over - from) / minute;
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

/** Slots that changed after they were folded. A mark of what is not folded yet says nothing that will not be read. */
async function foldLateSlots(transaction: Queries): Promise<number> {
  const { foldedUntil, slotsUntil } = await lockState(transaction);
  const slots = await takeMarks(transaction, { from: foldedUntil, end: slotsUntil }, slot);
  await foldShort(transaction, slotSpan, slots);
  return slots.length;
}

/** Minutes that changed after they were folded. */
async function foldLateMinutes(transaction: Queries): Promise<number> {
  const { foldedUntil, slotsUntil, minutesUntil } = await lockState(transaction);
  const behindSlots = { from: Math.max(foldedUntil, slotsUntil), end: minutesUntil };
  const minutes = await takeMarks(transaction, behindSlots, minute);
  await foldShort(transaction, minuteSpan, minutes);
  return minutes.length;
}

/** Takes the marks away that lie in a range. @returns the blocks of a length that had one */
async function takeMarks(transaction: Queries, { from, end }: Range, length: number): Promise<Range[]> {
  const rows = await transaction.query<Array<{ start: string }>>(
    `WITH gone AS (DELETE FROM sums_late WHERE hour >= $1 AND hour < $2 RETURNING hour - hour % ${length} AS start)
     SELECT DISTINCT start::text FROM gone`,
    [from, end],
  );
  return rows.map((row) => ({ from: Number(row.start), end: Number(row.start) + length }));
}

/** Marks first: what the statements after this one see is at least what left them. */
async function refold(transaction: Queries, hours: number[], until: number): Promise<void> {
  await transaction.query(`DELETE FROM sums_late WHERE hour - hour % ${hour} = ANY ($1)`, [hours]);
  await foldHours(transaction, hours, until);
}

/** One folds at a time. @returns until when everything is folded */
async function lockState(
  transaction: Queries,
): Promise<Pick<FoldState, 'foldedUntil' | 'slotsUntil' | 'minutesUntil'>> {
  await transaction.query('SET LOCAL statement_timeout = 0');
  // What is added up at once fits: nothing is spilled.
  await transaction.query("SET LOCAL work_mem = '64MB'");
  const [state] = await transaction.query<Array<{ folded: string; slots: string; minutes: string }>>(
    `SELECT folded_until::text AS folded, slots_until::text AS slots, minutes_until::text AS minutes
       FROM sums_state FOR UPDATE`,
  );
  return {
    foldedUntil: Number(state?.folded ?? 0),
    slotsUntil: Number(state?.slots ?? 0),
    minutesUntil: Number(state?.minutes ?? 0),
  };
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

import { aggregateHours, aggregateWithinHour, dropTrimmed, dropWithinHour, type Queries } from './aggregate.js';
import { day, fiveMinutes, hour, minute, type Range, type Watermarks } from './read-plan.js';
import type { Snapshots } from './rollups.js';

/**
 * Seconds after its end at which an hour is aggregated. Later rows are counted correctly too, but cost a second run.
 */
const hourDelay = 120;
/** Seconds after their end at which five minutes and minutes are aggregated. They cost little to recompute. */
const shortDelay = 10;
/**
 * Number of log rows for which a minute is aggregated. Reading fewer rows one by one takes less than a fifth of a
 * millisecond.
 */
export const busyRows = 500;
/** Hours per transaction while catching up. */
const hoursPerStep = 24;
const pollMilliseconds = 20;

/**
 * Keeps the rollups up to date: hours that have ended, later five-minute buckets of the log, on busy sites minutes of the
 * log, and periods that changed after they were aggregated. Each step is one idempotent transaction, so any number of nodes may run it, or crash.
 *
 * The rollups are exact for two reasons. (1) A period is closed before it is aggregated, and a transaction that changes
 * a closed period invalidates it in the same transaction (triggers of the migrations), so it is read from its source
 * until it is aggregated again. (2) A transaction that changed a period before it was closed had already begun to
 * write, and nothing is aggregated before all such transactions have ended.
 *
 * No clock has to be correct: a wrong one closes periods too early, which costs invalidations, or too late.
 */
export class Aggregator {
  /** @param patienceMilliseconds how long a step waits for open transactions that may still write */
  constructor(
    private readonly database: Snapshots,
    private readonly patienceMilliseconds = 5_000,
  ) {}

  /**
   * Aggregates one step.
   * @returns the number of aggregated buckets: 0 when there is nothing left to do, or when a writer has not ended yet
   */
  async step(): Promise<number> {
    const [now] = await this.database.query<Progress[]>(
      `SELECT rollup_clock() AS clock, hours_until::text AS hours, five_minutes_until::text AS "fiveMinutes",
              minutes_until::text AS minutes,
              (SELECT min(start) FROM rollup_invalidated WHERE start < greatest(hours_until, five_minutes_until))::text AS invalidated,
              (SELECT count(*) = ${busyRows} FROM (SELECT FROM logs WHERE created_at < rollup_clock()::bigint - ${shortDelay}
                  AND created_at >= greatest(hours_until, five_minutes_until, minutes_until) LIMIT ${busyRows}) waiting) AS busy
         FROM rollup_state`,
    );
    if (!now) throw new Error('rollup_state has no row');
    const hoursUntil = Number(now.hours);
    const fiveMinutesUntil = Math.max(hoursUntil, Number(now.fiveMinutes));
    const next = [
      { until: hoursUntil, ended: startOf(now.clock - hourDelay, hour), aggregate: aggregateNextHours },
      {
        until: fiveMinutesUntil,
        ended: startOf(now.clock - shortDelay, fiveMinutes),
        aggregate: aggregateNextFiveMinutes,
      },
      {
        until: now.busy ? Math.max(fiveMinutesUntil, Number(now.minutes)) : Infinity,
        ended: startOf(now.clock - shortDelay, minute),
        aggregate: aggregateNextMinutes,
      },
    ].find(({ until, ended }) => ended > until);
    if (next && (await this.waitFor(await this.close(next.ended)))) {
      return this.database.transaction((transaction) => next.aggregate(transaction, next.ended));
    }
    if (now.invalidated === null) return 0;
    return this.database.transaction(
      Number(now.invalidated) < hoursUntil ? aggregateInvalidatedHours : aggregateInvalidatedFiveMinutes,
    );
  }

  /**
   * Runs steps until nothing is left.
   * @returns the number of aggregated buckets
   */
  async run(): Promise<number> {
    for (let total = 0; ;) {
      const done = await this.step();
      if (done === 0) return total;
      total += done;
    }
  }

  /**
   * Closes a period. From now on, every transaction that changes a period at or before this moment invalidates it,
   * except transactions that have already begun to write. A period never reopens, however many nodes close
   * concurrently.
   * @returns the first transaction id that is certainly not among the exceptions
   */
  private close(moment: number): Promise<string> {
    return this.database.transaction(async (transaction) => {
      await lockState(transaction);
      // The value is visible to all transactions at once, before this one commits: sequences are not transactional.
      await transaction.query(
        `SELECT setval('rollup_closed_until', greatest($1, pg_sequence_last_value('rollup_closed_until')))`,
        [moment],
      );
      // A separate statement, so that its snapshot is taken after the one above.
      const [row] = await transaction.query<Array<{ horizon: string }>>(
        'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS horizon',
      );
      if (!row) throw new Error('the database returned no snapshot');
      return row.horizon;
    });
  }

  /**
   * Waits until every transaction that had begun to write has ended.
   * @returns false after the timeout
   */
  private async waitFor(horizon: string): Promise<boolean> {
    const deadline = performance.now() + this.patienceMilliseconds;
    for (;;) {
      const [row] = await this.database.query<Array<{ ended: boolean }>>(
        'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS ended',
        [horizon],
      );
      if (row?.ended) return true;
      if (performance.now() > deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
    }
  }
}

interface Progress {
  readonly clock: number;
  readonly hours: string;
  readonly fiveMinutes: string;
  readonly minutes: string;
  /** Whether enough rows wait for their minutes to be aggregated before the five minutes end. */
  readonly busy: boolean;
  /** The first bucket that changed after it was aggregated. */
  readonly invalidated: string | null;
}

/** Aggregates the next hours that have ended and have rows. */
async function aggregateNextHours(transaction: Queries, ended: number): Promise<number> {
  const { hoursUntil } = await lockState(transaction);
  if (hoursUntil >= ended) return 0;
  const begin = Math.max(hoursUntil, await nextHour(transaction, hoursUntil, ended));
  const end = Math.min(ended, (Math.floor(begin / hour / hoursPerStep) + 1) * hoursPerStep * hour);
  // The first hour represents skipped hours too: a day that ends among them contains it.
  const hours = [...new Set([hoursUntil, ...hoursOf({ from: begin, end })])];
  await dropWithinHour(transaction, ['MINUTE', 'FIVE_MINUTES'], end);
  await recomputeHours(transaction, hours, end);
  await transaction.query('UPDATE rollup_state SET hours_until = $1', [end]);
  await dropTrimmed(transaction);
  return hours.length;
}

/**
 * Aggregates five-minute buckets of the log that have ended. There are none when their hours were aggregated in the
 * meantime.
 */
async function aggregateNextFiveMinutes(transaction: Queries, ended: number): Promise<number> {
  const { hoursUntil, fiveMinutesUntil } = await lockState(transaction);
  const from = Math.max(hoursUntil, fiveMinutesUntil);
  if (from >= ended) return 0;
  await transaction.query('DELETE FROM rollup_invalidated WHERE start >= $1 AND start < $2', [from, ended]);
  await dropWithinHour(transaction, ['MINUTE'], ended);
  await aggregateWithinHour(transaction, 'FIVE_MINUTES', [{ from, end: ended }]);
  await transaction.query('UPDATE rollup_state SET five_minutes_until = $1', [ended]);
  return (ended - from) / fiveMinutes;
}

/**
 * Aggregates minutes of the log since the last five-minute bucket that have ended. Earlier minutes are computed again
 * after a late call, whose invalidation names five minutes.
 */
async function aggregateNextMinutes(transaction: Queries, ended: number): Promise<number> {
  const { hoursUntil, fiveMinutesUntil, minutesUntil } = await lockState(transaction);
  const first = Math.max(hoursUntil, fiveMinutesUntil);
  const next = Math.max(first, minutesUntil);
  if (next >= ended) return 0;
  const [gone] = await transaction.query<Array<{ late: boolean }>>(
    `WITH gone AS (DELETE FROM rollup_invalidated WHERE start >= $1 AND start < $2 RETURNING 1) SELECT count(*) > 0 AS late FROM gone`,
    [first, ended],
  );
  await aggregateWithinHour(transaction, 'MINUTE', [{ from: gone?.late ? first : next, end: ended }]);
  await transaction.query('UPDATE rollup_state SET minutes_until = $1', [ended]);
  return (ended - next) / minute;
}

/** Aggregates the hours of one day that changed after they were aggregated. */
async function aggregateInvalidatedHours(transaction: Queries): Promise<number> {
  const { hoursUntil } = await lockState(transaction);
  const rows = await transaction.query<Array<{ hour: string }>>(
    `SELECT DISTINCT (start - start % ${hour})::text AS hour FROM rollup_invalidated WHERE start < $1
        AND start >= (SELECT min(start) - min(start) % ${day} FROM rollup_invalidated)
        AND start < (SELECT min(start) - min(start) % ${day} + ${day} FROM rollup_invalidated)`,
    [hoursUntil],
  );
  const hours = rows.map((row) => Number(row.hour));
  await recomputeHours(transaction, hours, hoursUntil);
  return hours.length;
}

/** Aggregates five-minute buckets that changed after they were aggregated. */
async function aggregateInvalidatedFiveMinutes(transaction: Queries): Promise<number> {
  const { hoursUntil, fiveMinutesUntil } = await lockState(transaction);
  const rows = await transaction.query<Array<{ start: string }>>(
    `WITH gone AS (DELETE FROM rollup_invalidated WHERE start >= $1 AND start < $2 RETURNING start - start % ${fiveMinutes} AS start)
     SELECT DISTINCT start::text FROM gone`,
    [hoursUntil, fiveMinutesUntil],
  );
  const ranges = rows.map((row) => ({ from: Number(row.start), end: Number(row.start) + fiveMinutes }));
  await aggregateWithinHour(transaction, 'FIVE_MINUTES', ranges);
  return ranges.length;
}

/**
 * Recomputes hours. Invalidations are deleted first: the later statements see at least the changes that caused them.
 */
async function recomputeHours(transaction: Queries, hours: number[], until: number): Promise<void> {
  await transaction.query(`DELETE FROM rollup_invalidated WHERE start - start % ${hour} = ANY ($1)`, [hours]);
  await aggregateHours(transaction, hours, until);
}

/** Locks the state, so that one transaction aggregates at a time. */
async function lockState(transaction: Queries): Promise<Omit<Watermarks, 'invalidated'>> {
  await transaction.query('SET LOCAL statement_timeout = 0');
  // This is enough memory for one step without spilling to disk.
  await transaction.query("SET LOCAL work_mem = '64MB'");
  const [state] = await transaction.query<Array<Record<'hours' | 'fiveMinutes' | 'minutes', string>>>(
    `SELECT hours_until::text AS hours, five_minutes_until::text AS "fiveMinutes", minutes_until::text AS minutes
       FROM rollup_state FOR UPDATE`,
  );
  return {
    hoursUntil: Number(state?.hours ?? 0),
    fiveMinutesUntil: Number(state?.fiveMinutes ?? 0),
    minutesUntil: Number(state?.minutes ?? 0),
  };
}

/** Returns the first hour with rows from a moment on, or the end. */
async function nextHour(database: Queries, from: number, end: number): Promise<number> {
  const [row] = await database.query<Array<{ next: string | null }>>(
    `SELECT least((SELECT min(hour) FROM usage_hourly WHERE hour >= $1),
                  (SELECT min(created_at) FROM logs WHERE created_at >= $1))::text AS next`,
    [from],
  );
  return Math.min(end, startOf(Number(row?.next ?? end), hour));
}

/** Returns the start of the bucket of this length that contains a moment. */
const startOf = (moment: number, length: number): number => Math.floor(moment / length) * length;

const hoursOf = ({ from, end }: Range): number[] =>
  Array.from({ length: (end - from) / hour }, (_, index) => from + index * hour);

import { earlierTime } from '../../platform/db/earlier-time.js';
import { fiveMinutes, hour, lengthOf, minute, type Granularity, type Range } from './read-plan.js';
import {
  callTable,
  logMeasures,
  measuresOf,
  partColumns,
  quoted,
  rowsOf,
  sourceTime,
  tablesInOrder,
  type RollupTable,
} from './rollup-tables.js';

/** Runs SQL inside a transaction or on a connection. */
export interface Queries {
  query<T>(sql: string, parameters?: unknown[]): Promise<T>;
}

/**
 * Recomputes the hourly rollups of `hours`, then every daily rollup that contains one of them and has ended.
 * Idempotent. Run it in a transaction.
 * @param hours starts, Unix seconds
 * @param until days that end later are left for a later run
 */
export async function aggregateHours(database: Queries, hours: readonly number[], until: number): Promise<void> {
  for (const table of tablesInOrder) {
    const longer = table.granularities.filter((one) => one === 'HOUR' || one === 'DAY');
    for (const [index, granularity] of longer.entries()) {
      const ranges = runs(hours, granularity, until);
      if (granularity === 'HOUR' && table.hasParts) await aggregateWithParts(database, table, ranges);
      else await aggregate(database, table, granularity, longer[index - 1] ?? null, ranges);
    }
  }
}

/** Recomputes log rollups shorter than an hour from the log rows. Idempotent. */
export async function aggregateWithinHour(
  database: Queries,
  granularity: 'MINUTE' | 'FIVE_MINUTES',
  ranges: readonly Range[],
): Promise<void> {
  for (const table of logTablesInOrder) await aggregate(database, table, granularity, null, ranges);
}

/**
 * Deletes rollups shorter than an hour that longer ones replace, or that will be computed again.
 * @param begin earlier rollups are all deleted
 */
export async function dropWithinHour(
  database: Queries,
  granularities: ReadonlyArray<'MINUTE' | 'FIVE_MINUTES'>,
  begin: number,
): Promise<void> {
  const list = granularities.map((one) => `'${one}'`).join(', ');
  for (const { name } of logTablesInOrder) {
    await database.query(`DELETE FROM ${name} WHERE granularity IN (${list}) AND start < ${begin}`);
  }
}

/** Deletes rollups of trimmed log rows, which no query reads any more. */
export async function dropTrimmed(database: Queries): Promise<void> {
  for (const table of [...logTablesInOrder, callTable]) {
    for (const granularity of table.granularities) {
      await database.query(
        `DELETE FROM ${table.name} WHERE granularity = '${granularity}'
           AND start <= (SELECT trimmed_before FROM log_state) - ${lengthOf[granularity]}`,
      );
    }
  }
}

/**
 * Seconds for which `usage_five_minutes` keeps its rows: the promised horizon and one extra hour, so that no result
 * loses its start.
 */
export const recentSeconds = 48 * hour;
/** Seconds for which failures are kept: longer than any range of the status page. */
const failureSeconds = 91 * 24 * hour;

/** Seconds for which single failed attempts are kept, and the number of them that is kept at most. */
const attemptSeconds = 7 * 24 * hour;
const maxAttempts = 200_000;

/**
 * Deletes five-minute usage, failures of channels and models, and failed attempts older than their horizons.
 * @param ownTime the time of this node, Unix seconds
 */
export async function dropOldUsage(database: Queries, ownTime: number): Promise<void> {
  const now = await earlierTime(database, ownTime);
  const oldest = Math.floor((now - recentSeconds - hour) / fiveMinutes) * fiveMinutes;
  await database.query('DELETE FROM usage_five_minutes WHERE start < $1', [oldest]);
  await database.query('DELETE FROM channel_failures WHERE start < $1', [oldest]);
  await database.query('DELETE FROM channel_rescues WHERE start < $1', [oldest]);
  await database.query('DELETE FROM model_failures WHERE hour < $1', [now - failureSeconds]);
  await database.query(
    // Clients can cause any number of refused requests, so these are deleted first.
    `DELETE FROM failed_attempts WHERE at < to_timestamp($1)
       OR id IN (SELECT id FROM failed_attempts ORDER BY kind = 'REQUEST', id DESC OFFSET $2)`,
    [now - attemptSeconds, maxAttempts],
  );
}

const logTablesInOrder = tablesInOrder.filter(({ family }) => family === 'log');

/** @param shorter the granularity of the same table to aggregate; null: the table's source */
async function aggregate(
  database: Queries,
  table: RollupTable,
  granularity: Granularity,
  shorter: Granularity | null,
  ranges: readonly Range[],
): Promise<void> {
  if (ranges.length === 0) return;
  const keys = table.keys.map(quoted).join(', ');
  const source = shorter === null ? table.madeFrom : table.name;
  const time = sourceTime(source) ?? 'start';
  const measures = measuresOf(table, source);
  const length = lengthOf[granularity];
  const ofGranularity = time === 'start' ? `granularity = '${shorter ?? granularity}' AND ` : '';
  await database.query(`DELETE FROM ${table.name} WHERE granularity = '${granularity}' AND ${within('start', ranges)}`);
  await database.query(
    `INSERT INTO ${table.name} (granularity, start, ${keys}, ${measures.map(({ column }) => column).join(', ')})
     SELECT '${granularity}', ${time} - ${time} % ${length}, ${keys}, ${measures.map(({ sum }) => sum).join(', ')}
       FROM ${rowsOf(source, ofGranularity + within(time, ranges))} GROUP BY 2, ${keys} ORDER BY 2, ${keys}`,
  );
}

/** Aggregates hours of the log with their minutes, from the log rows. */
async function aggregateWithParts(database: Queries, table: RollupTable, ranges: readonly Range[]): Promise<void> {
  if (ranges.length === 0) return;
  const keys = table.keys.map(quoted).join(', ');
  const measures = measuresOf(table, 'logs');
  const inOrder = (column: string, type: string): string => `array_agg(${column} ORDER BY part)::${type}[]`;
  await database.query(`DELETE FROM ${table.name} WHERE granularity = 'HOUR' AND ${within('start', ranges)}`);
  await database.query(
    `INSERT INTO ${table.name} (granularity, start, ${keys}, ${[...logMeasures, ...partColumns].join(', ')})
     SELECT 'HOUR', start, ${keys}, ${logMeasures.map((column) => `sum(${column})`).join(', ')},
            ${[inOrder('part', 'smallint'), ...logMeasures.map((column) => inOrder(column, 'bigint'))].join(', ')}
       FROM (SELECT created_at - created_at % ${hour} AS start, created_at % ${hour} / ${minute} AS part, ${keys},
                    ${measures.map(({ column, sum }) => `${sum} AS ${column}`).join(', ')}
               FROM logs WHERE ${within('created_at', ranges)} GROUP BY 1, 2, ${keys}) by_part
      GROUP BY start, ${keys} ORDER BY start, ${keys}`,
  );
}

/** Returns an SQL condition on ranges. The numbers are generated here, so they may be part of the SQL text. */
const within = (time: string, ranges: readonly Range[]): string =>
  `(${ranges.map(({ from, end }) => `${time} >= ${from} AND ${time} < ${end}`).join(' OR ')})`;

/**
 * Returns the buckets of a granularity that contain one of these hours and have ended. Adjacent buckets are merged into
 * ranges.
 */
function runs(hours: readonly number[], granularity: Granularity, until: number): Range[] {
  const length = lengthOf[granularity];
  const starts = new Set(hours.map((start) => Math.floor(start / length) * length));
  const found: Range[] = [];
  for (const from of [...starts].sort((left, right) => left - right)) {
    if (from + length > until) continue;
    const last = found.at(-1);
    if (last?.end === from) found[found.length - 1] = { from: last.from, end: from + length };
    else found.push({ from, end: from + length });
  }
  return found;
}

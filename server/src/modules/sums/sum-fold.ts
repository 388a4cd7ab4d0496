import { hour, lengthOf, minuteSpan, slot, slotSpan, type Range } from './sum-blocks.js';
import { measuresOf, quoted, sourceTime, spansOf, tablesInOrder, type SumTable } from './sum-tables.js';

export interface Queries {
  query<T>(sql: string, parameters?: unknown[]): Promise<T>;
}

/** Slots of a folded hour are kept where each stands for so many rows of the log on average. */
const rowsPerSlot = 4;

/**
 * Makes the sums of some hours anew from what they are sums of, and those of every longer block that is over and has one
 * of these hours in it. Doing it again changes nothing. Belongs in a transaction.
 * @param hours starts, Unix seconds
 * @param until longer blocks that end later have to wait
 */
export async function foldHours(database: Queries, hours: readonly number[], until: number): Promise<void> {
  for (const table of tablesInOrder) {
    for (const [index, span] of table.spans.entries()) {
      const shorter = table.spans[index - 1] ?? null;
      await foldBlocks(database, table, span, shorter, runs(hours, span, until));
    }
    if (table.keepsSlots) await keepSlots(database, table, runs(hours, 1, until));
  }
}

/** Makes the sums of some slots or minutes of the log anew from their rows. Doing it again changes nothing. */
export async function foldShort(database: Queries, span: number, ranges: readonly Range[]): Promise<void> {
  for (const table of tablesWithSlots) await foldBlocks(database, table, span, null, ranges);
}

/** Slots and minutes of hours that are being folded, as they were made while these were open. */
export async function dropSlots(database: Queries, { from, end }: Range): Promise<void> {
  for (const { name, keepsSlots } of tablesWithSlots) {
    const since = keepsSlots ? `AND start >= ${from}` : '';
    await database.query(`DELETE FROM ${name} WHERE span = ${slotSpan} ${since} AND start < ${end}`);
  }
  // From the beginning: a node of the version before folds slots and leaves their minutes.
  await dropMinutes(database, { from: 0, end });
}

/** Minutes that nobody reads any more, because their slots are folded. */
export async function dropMinutes(database: Queries, { from, end }: Range): Promise<void> {
  for (const { name } of tablesWithSlots) {
    await database.query(`DELETE FROM ${name} WHERE span = ${minuteSpan} AND start >= ${from} AND start < ${end}`);
  }
}

/**
 * The slots of folded hours, from the rows of the log, for the edges of ranges that begin or end in them. Where one slot would
 * not stand for several rows there are none, so they never take more than a small part of the room that the log takes.
 */
async function keepSlots(database: Queries, table: SumTable, ranges: readonly Range[]): Promise<void> {
  if (ranges.length === 0) return;
  const keys = table.keys.map(quoted).join(', ');
  const measures = measuresOf(table, 'logs');
  const columns = measures.map(({ column }) => column).join(', ');
  await database.query(`DELETE FROM ${table.name} WHERE span = ${slotSpan} AND ${within('start', ranges)}`);
  await database.query(
    `WITH made AS (
       SELECT created_at - created_at % ${slot} AS start, ${keys}, ${measures.map(({ column, sum }) => `${sum} AS ${column}`).join(', ')}
         FROM logs WHERE ${within('created_at', ranges)} GROUP BY 1, ${keys}
     ), dense AS (
       SELECT start - start % ${hour} AS hour FROM made GROUP BY 1 HAVING sum(entries) >= ${rowsPerSlot} * count(*)
     )
     INSERT INTO ${table.name} (span, start, ${keys}, ${columns})
       SELECT ${slotSpan}, start, ${keys}, ${columns} FROM made WHERE start - start % ${hour} IN (SELECT hour FROM dense)
        ORDER BY start, ${keys}`,
  );
}

const tablesWithSlots = tablesInOrder.filter(({ hasSlots }) => hasSlots);

async function foldBlocks(
  database: Queries,
  table: SumTable,
  span: number,
  shorter: number | null,
  ranges: readonly Range[],
): Promise<void> {
  if (ranges.length === 0) return;
  const keys = table.keys.map(quoted).join(', ');
  const source = shorter === null ? table.madeFrom : table.name;
  const time = sourceTime(source) ?? 'start';
  const measures = measuresOf(table, source);
  const length = lengthOf(span);
  const ofSpan = time === 'start' ? `span = ${shorter ?? span} AND ` : '';
  await database.query(`DELETE FROM ${table.name} WHERE span = ${span} AND ${within('start', ranges)}`);
  await database.query(
    `INSERT INTO ${table.name} (span, start, ${keys}, ${measures.map(({ column }) => column).join(', ')})
     SELECT ${span}, ${time} - ${time} % ${length}, ${keys}, ${measures.map(({ sum }) => sum).join(', ')}
       FROM ${source} WHERE ${ofSpan}${within(time, ranges)} GROUP BY 2, ${keys} ORDER BY 2, ${keys}`,
  );
}

/** Numbers of ours, so they may stand in the text. */
const within = (time: string, ranges: readonly Range[]): string =>
  `(${ranges.map(({ from, end }) => `${time} >= ${from} AND ${time} < ${end}`).join(' OR ')})`;

/** The blocks of a length that have these hours in them and are over, neighbours as one range. */
function runs(hours: readonly number[], span: number, until: number): Range[] {
  const length = span * hour;
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

/** Sums of log rows that were deleted since. Nobody asks for them any more. */
export async function dropTrimmed(database: Queries): Promise<void> {
  for (const table of tablesInOrder.filter(({ family }) => family === 'log')) {
    for (const span of spansOf(table)) {
      await database.query(
        `DELETE FROM ${table.name} WHERE span = ${span}
           AND start <= (SELECT trimmed_before FROM log_state) - ${lengthOf(span)}`,
      );
    }
  }
}

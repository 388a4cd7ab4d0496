import { callTypes } from '../../shared/log-type.js';
import { loggedDurationMs } from '../../shared/logged-details.js';
import { hour, type Queries, type RollupState } from '../../billing/rollups/index.js';
import { isIndexed, isNarrowed, logConditions, logSource, type Where, type LogFilter } from './log-conditions.js';
import { viewColumns, type ViewRow } from './log-view.js';

/** The position of a row in the order of the log. */
export interface LogPosition {
  /** Unix seconds. */
  readonly createdAt: number;
  readonly id: number;
}

export interface Wanted {
  readonly direction: 'ASC' | 'DESC';
  readonly offset: number;
  readonly limit: number;
  /** Continues after this row; the offset is then 0. */
  readonly after: LogPosition | null;
  /** Whether to count the total. */
  readonly counted: boolean;
  /** The number up to which rows are counted. */
  readonly most: number;
}

export interface Found {
  readonly rows: ViewRow[];
  /** Exact up to `most`; `most + 1` means that there are more. Null when it was not requested. */
  readonly total: number | null;
}

/** Number of matching rows within a period. `end` is exclusive. */
interface Part {
  readonly from: number;
  readonly end: number;
  readonly rows: number;
}

/**
 * Reads one page of the log. The rollups give the number of rows and, if no index covers all filters, the hours that
 * contain the page. Neither a rare combination nor a late page needs a full scan.
 */
export async function readLogPage(
  database: Queries,
  filter: LogFilter,
  state: RollupState,
  wanted: Wanted,
): Promise<Found> {
  if (wanted.after) {
    const rows = await readAfter(database, filter, state, { ...wanted, after: wanted.after });
    return { rows, total: wanted.counted ? await countLogs(database, filter, state, wanted.most) : null };
  }
  const parts = isIndexed(filter) ? null : await readParts(database, filter, state);
  const counted = parts || !wanted.counted ? null : await countLogs(database, filter, state, wanted.most);
  const total = parts ? parts.reduce((sum, { rows }) => sum + rows, 0) : counted;
  const limit = total === null ? wanted.limit : Math.min(wanted.limit, total - wanted.offset);
  if (limit <= 0) return { rows: [], total };
  const page = { ...wanted, limit };
  if (!parts) return { rows: await readRows(database, filter, page), total };
  const located = await locateWithin(database, parts, filter, state, page);
  return { rows: await readRows(database, located.filter, located.page), total };
}

/** Counts matching rows; `most + 1` when there are more than `most`. */
export async function countLogs(
  database: Queries,
  filter: LogFilter,
  state: RollupState,
  most: number,
): Promise<number> {
  if (isIndexed(filter)) {
    return (await countByRollups(database, filter, state, most)) ?? (await countRows(database, filter, most));
  }
  const parts = await readParts(database, filter, state);
  return parts ? parts.reduce((sum, { rows }) => sum + rows, 0) : countRows(database, filter, most);
}

async function readAfter(
  database: Queries,
  filter: LogFilter,
  state: RollupState,
  wanted: Wanted & { readonly after: LogPosition },
): Promise<ViewRow[]> {
  const { after, direction } = wanted;
  const rest =
    direction === 'ASC'
      ? { ...filter, from: Math.max(after.createdAt, filter.from ?? 0) }
      : { ...filter, until: Math.min(after.createdAt + 1, filter.until ?? Infinity) };
  const page = { ...wanted, offset: 0 };
  const parts = isIndexed(filter) ? null : await readParts(database, rest, state);
  if (!parts) return readRows(database, rest, page);
  // The rollups count all rows of the cursor's second, but some of them were read already.
  const second = { ...filter, from: after.createdAt, until: after.createdAt + 1 };
  const limit = page.limit + (await countRows(database, second, wanted.most));
  const located = await locateWithin(database, parts, rest, state, { ...page, limit });
  return readRows(database, located.filter, page);
}

/** Narrows the filter to the hours that contain the page. */
async function locateWithin<Page extends Wanted>(
  database: Queries,
  parts: readonly Part[],
  filter: LogFilter,
  state: RollupState,
  page: Page,
): Promise<{ filter: LogFilter; page: Page }> {
  const coarse = locate(parts, filter, page);
  const hours = isShort(coarse.filter) ? null : await readParts(database, coarse.filter, state, 'HOUR');
  return hours ? locate(hours, coarse.filter, coarse.page) : coarse;
}

const isShort = ({ from = 0, until = Infinity }: LogFilter): boolean => until - from < 2 * hour;

/** Finds the shortest period that contains the page, and the offset of the page within it. */
function locate<Page extends Wanted>(
  parts: readonly Part[],
  filter: LogFilter,
  page: Page,
): { filter: LogFilter; page: Page } {
  const ascending = page.direction === 'ASC';
  const inOrder = parts
    .filter(({ rows }) => rows > 0)
    .sort((left, right) => (ascending ? left.from - right.from : right.from - left.from));
  let passed = 0;
  let skipped = 0;
  let from = Infinity;
  let end = 0;
  for (const part of inOrder) {
    const isBefore = passed + part.rows <= page.offset;
    if (!isBefore && passed < page.offset + page.limit) {
      from = Math.min(from, part.from);
      end = Math.max(end, part.end);
    }
    passed += part.rows;
    if (isBefore) skipped = passed;
  }
  return {
    filter: { ...filter, from: Math.max(from, filter.from ?? 0), until: Math.min(end, filter.until ?? Infinity) },
    page: { ...page, offset: page.offset - skipped },
  };
}

async function readParts(
  database: Queries,
  filter: LogFilter,
  state: RollupState,
  longest?: 'HOUR',
): Promise<Part[] | null> {
  const source = logSource(filter, state, longest === undefined ? {} : { longest });
  if (!source) return null;
  const rows = await database.query<Array<Record<'begins' | 'ends' | 'rows', string>>>(
    `SELECT begins::text, ends::text, sum(entries)::text AS rows FROM ${source.from} GROUP BY begins, ends`,
    source.values,
  );
  return rows.map((row) => ({ from: Number(row.begins), end: Number(row.ends), rows: Number(row.rows) }));
}

/** Counts rows outside the rollups only while those inside do not exceed `most`. Null when no rollup has the columns. */
async function countByRollups(
  database: Queries,
  filter: LogFilter,
  state: RollupState,
  most: number,
): Promise<number | null> {
  const aggregated = logSource(filter, state, { only: 'rollups' });
  const rest = logSource(filter, state, { only: 'rows' });
  if (!aggregated || !rest) return null;
  const [row] = await database.query<Array<{ rows: string }>>(
    `SELECT (CASE WHEN aggregated > ${most} THEN aggregated ELSE aggregated + (SELECT count(*) FROM ${rest.from}) END)::text AS rows
       FROM (SELECT coalesce(sum(entries), 0) AS aggregated FROM ${aggregated.from}) rollups`,
    aggregated.values,
  );
  return Number(row?.rows ?? 0);
}

async function countRows(database: Queries, filter: LogFilter, most: number): Promise<number> {
  const where = logConditions(filter);
  const [row] = await database.query<Array<{ rows: string }>>(
    `SELECT count(*)::text AS rows
       FROM (SELECT 1 FROM logs WHERE ${where.toString()} LIMIT ${where.value(most + 1)}) counted`,
    where.values,
  );
  return Number(row?.rows ?? 0);
}

/** Reads the keys first, from the index alone, so that skipped rows are never read. */
function readRows(database: Queries, filter: LogFilter, wanted: Wanted): Promise<ViewRow[]> {
  const { direction, limit, offset, after } = wanted;
  const where: Where = logConditions(filter);
  const beyond = after
    ? ` AND (k.created_at, k.id) ${direction === 'ASC' ? '>' : '<'} (${where.value(after.createdAt)}, ${where.value(after.id)})`
    : '';
  const order = (alias: string): string => `${alias}.created_at ${direction}, ${alias}.id ${direction}`;
  return database.query<ViewRow[]>(
    `SELECT ${viewColumns} FROM (
       SELECT k.created_at, k.id FROM logs k WHERE ${where.toString()}${beyond} ORDER BY ${order('k')}
       LIMIT ${where.value(limit)} OFFSET ${where.value(offset)}
     ) keys JOIN logs l ON l.created_at = keys.created_at AND l.id = keys.id ORDER BY ${order('l')}`,
    where.values,
  );
}

/** Reads one page of the matching rows by quota or duration, and equal rows by time. */
export function readByValue(
  database: Queries,
  filter: LogFilter,
  value: 'quota' | 'duration',
  { direction, limit, offset }: Pick<Wanted, 'direction' | 'limit' | 'offset'>,
): Promise<ViewRow[]> {
  const where = logConditions(filter);
  const calls = value === 'quota' ? '' : ` AND type IN (${callTypes.join(', ')})`;
  // Postgres would find the dearest calls of a user, say, by an index on the calls of all. OFFSET 0 keeps it off.
  const within = isNarrowed(filter) ? ' OFFSET 0' : '';
  const order = (alias: string): string =>
    ['value', 'created_at', 'id'].map((column) => `${alias}.${column} ${direction}`).join(', ');
  return database.query<ViewRow[]>(
    `SELECT ${viewColumns} FROM (
       SELECT created_at, id, value FROM (
         SELECT created_at, id, ${value === 'quota' ? 'quota' : loggedDurationMs} AS value FROM logs WHERE ${where.toString()}${calls}${within}
       ) k ORDER BY ${order('k')} LIMIT ${where.value(limit)} OFFSET ${where.value(offset)}
     ) keys JOIN logs l ON l.created_at = keys.created_at AND l.id = keys.id ORDER BY ${order('keys')}`,
    where.values,
  );
}

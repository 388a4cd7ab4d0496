import { hour, type Queries, type RollupState } from '../rollups/rollups.service.js';
import { columnsOf, logConditions, logSource, type Where, type LogFilter } from './log-conditions.js';
import { viewColumns, type ViewRow } from './log-view.js';

export interface Wanted {
  readonly direction: 'ASC' | 'DESC';
  readonly offset: number;
  readonly limit: number;
  /** Rows are counted, and paged through, up to here. */
  readonly most: number;
}

export interface Found {
  readonly rows: ViewRow[];
  /** Exact up to `most`; `most + 1` says that there are more. */
  readonly total: number;
}

/** Number of matching rows in a range of time. `end` is the first second after it. */
interface Part {
  readonly from: number;
  readonly end: number;
  readonly rows: number;
}

/**
 * A page of the log. The rollups give the number of rows and, where no index has all filtered columns, the hours that the
 * page lies in. So neither a rare combination nor a late page needs a scan.
 */
export async function readLogPage(
  database: Queries,
  filter: LogFilter,
  state: RollupState,
  wanted: Wanted,
): Promise<Found> {
  const inIndex = isIndexed(filter);
  const parts = inIndex ? null : await readParts(database, filter, state);
  const total = parts
    ? parts.reduce((sum, { rows }) => sum + rows, 0)
    : ((inIndex ? await countByRollups(database, filter, state, wanted.most) : null) ??
      (await countRows(database, filter, wanted.most)));
  const limit = Math.min(wanted.limit, Math.min(total, wanted.most) - wanted.offset);
  if (limit <= 0) return { rows: [], total };
  const page = { ...wanted, limit };
  if (!parts) return { rows: await readRows(database, filter, page), total };
  const coarse = locate(parts, filter, page);
  const hours = isShort(coarse.filter) ? null : await readParts(database, coarse.filter, state, 'HOUR');
  const { filter: within, page: rest } = hours ? locate(hours, coarse.filter, coarse.page) : coarse;
  return { rows: await readRows(database, within, rest), total };
}

/** One index is in the order of the page already. */
const isIndexed = (filter: LogFilter): boolean =>
  columnsOf(filter).length <= 1 && !(filter.modelName?.includes('*') ?? false);

const isShort = ({ from = 0, to = Infinity }: LogFilter): boolean => to - from < 2 * hour;

/** The shortest time that the page lies in, and where in it the page begins. */
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
    filter: { ...filter, from: Math.max(from, filter.from ?? 0), to: Math.min(end - 1, filter.to ?? Infinity) },
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

/** Counts rows outside the rollups only while the aggregated count is below the display cap. */
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

/** Keys first, from the index alone, so that skipped rows are never read. */
function readRows(database: Queries, filter: LogFilter, { direction, limit, offset }: Wanted): Promise<ViewRow[]> {
  const where: Where = logConditions(filter);
  const order = (alias: string): string => `${alias}.created_at ${direction}, ${alias}.id ${direction}`;
  return database.query<ViewRow[]>(
    `SELECT ${viewColumns} FROM (
       SELECT k.created_at, k.id FROM logs k WHERE ${where.toString()} ORDER BY ${order('k')}
       LIMIT ${where.value(limit)} OFFSET ${where.value(offset)}
     ) keys JOIN logs l ON l.created_at = keys.created_at AND l.id = keys.id ORDER BY ${order('l')}`,
    where.values,
  );
}

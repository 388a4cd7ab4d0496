import { assertFewLogRows, type Queries, type RollupState } from '../../billing/rollups/index.js';
import { dimensions, sortKey } from './usage-dimensions.js';
import { countersOfOrder, orderSql } from './usage-order.js';
import { isFromLog } from './usage-log.js';
import type { UsageOrder, UsageQuery } from './usage-question.js';
import {
  countersOf,
  groupsSql,
  readLogRowsSql,
  toGroup,
  Values,
  type ChosenGroups,
  type GroupRow,
} from './usage-statements.js';
import type { Span } from './usage-time.js';

export interface GroupsWanted {
  readonly order: readonly UsageOrder[];
  readonly limit: number;
  readonly offset: number;
  /** Restricts to groups after this position in the order of time and key. */
  readonly after?: Position | undefined;
  /** Whether to count all groups. */
  readonly counted?: boolean;
  /** Whether to read the keys only. All counters are then zero. */
  readonly keysOnly?: boolean;
}

/**
 * Maximum rows of a page that is read in two steps. A larger page has most of the groups, and is read faster in one.
 */
const maxInTwoSteps = 200;

/**
 * Reads groups in an order. If there may be far more groups than rows on the page, the counters of the order are added
 * up for all groups, and the others only for the groups of the page.
 * @returns `count` is 0 when it is not requested
 * @throws AppError INVALID_INPUT for an order that the query does not support
 */
export async function readGroups(
  database: Queries,
  query: UsageQuery,
  wanted: GroupsWanted,
  state: RollupState,
): Promise<{ rows: GroupRow[]; count: number }> {
  const { order, limit, offset, after, counted = false, keysOnly = false } = wanted;
  const ordered = countersOfOrder(order);
  const counters = countersOf(query.counters);
  const inTwoSteps =
    !keysOnly && limit <= maxInTwoSteps && mayHaveMany(query) && counters.some((column) => !ordered.includes(column));
  const values = new Values();
  const read = keysOnly || inTwoSteps ? ordered : [...new Set([...counters, ...ordered])];
  const grouped = groupsSql(after ? behind(query, after) : query, read, values, state);
  const position = after ? `WHERE ${positionSql(query)} > (${positionValues(query, after, values)})` : '';
  const found = await database.query<Array<Record<string, unknown>>>(
    `SELECT *${counted ? ', count(*) OVER ()::text AS groups' : ''} FROM (${grouped}) grouped ${position}
      ORDER BY ${orderSql(query, order)} LIMIT ${values.add(limit)} OFFSET ${values.add(offset)}`,
    values.list,
  );
  const rows = found.map((row) => toGroup(row, query));
  const isPartial = after !== undefined || (found.length === 0 && offset > 0);
  return {
    rows: inTwoSteps ? await withCounters(database, query, rows, state) : rows,
    count: counted && isPartial ? await countGroups(database, query, state) : Number(found[0]?.['groups'] ?? 0),
  };
}

/** Counts all groups, when the statement of a page does not count them: after a cursor, and after the last page. */
async function countGroups(database: Queries, query: UsageQuery, state: RollupState): Promise<number> {
  // The totals alone are one row, even without usage.
  if (query.dimensions.length === 0 && query.current.starts === null) return 1;
  const values = new Values();
  const [row] = await database.query<Array<{ groups: string }>>(
    `SELECT count(*)::text AS groups FROM (${groupsSql(query, [], values, state)}) grouped`,
    values.list,
  );
  return Number(row?.groups ?? 0);
}

/** Whether there may be many groups. There are many users and API keys, and a filter on them leaves few. */
function mayHaveMany({ dimensions: names, filter }: UsageQuery): boolean {
  const { userIds, usernames, tokenIds, memberIds, projectIds } = filter;
  const isFiltered = [userIds, usernames, tokenIds, memberIds, projectIds].some((list) => list !== undefined);
  return !isFiltered && names.some((name) => name === 'USER' || name === 'TOKEN');
}

/** Reads the same groups with all counters. */
async function withCounters(
  database: Queries,
  query: UsageQuery,
  rows: readonly GroupRow[],
  state: RollupState,
): Promise<GroupRow[]> {
  if (rows.length === 0) return [];
  const nameOf = ({ bucket, keys }: GroupRow): string => JSON.stringify([bucket, ...keys]);
  const keys = new Map(rows.map((row) => [JSON.stringify(row.keys), row.keys]));
  const found = await readChosen(database, around(query, rows), { keys: [...keys.values()], withOthers: false }, state);
  const byName = new Map(found.map((row) => [nameOf(row), row]));
  return rows.map((row) => byName.get(nameOf(row)) ?? row);
}

/** Reads rows of these keys and, if requested, of all other groups together: one per bucket, unsorted. */
export async function readChosen(
  database: Queries,
  query: UsageQuery,
  chosen: ChosenGroups,
  state: RollupState,
): Promise<GroupRow[]> {
  const values = new Values();
  const found = await database.query<Array<Record<string, unknown>>>(
    groupsSql(query, countersOf(query.counters), values, state, chosen),
    values.list,
  );
  return found.map((row) => toGroup(row, query));
}

/** Reads totals over the whole range and filter. */
export async function readTotal(
  database: Queries,
  query: UsageQuery,
  state: RollupState,
): Promise<Pick<GroupRow, 'current' | 'compared'>> {
  const values = new Values();
  const whole = { ...flatten(query), dimensions: [] };
  const [row] = await database.query<Array<Record<string, unknown>>>(
    groupsSql(whole, countersOf(query.counters), values, state),
    values.list,
  );
  if (!row) throw new Error('an aggregate returned no row');
  return toGroup(row, whole);
}

/** @throws AppError INVALID_INPUT for a query that reads too many log rows, in its range and the compared one together */
export async function assertReadable(database: Queries, query: UsageQuery, state: RollupState): Promise<void> {
  if (!isFromLog(query)) return;
  const values = new Values();
  const sql = readLogRowsSql(query, values, state);
  if (sql === null) return;
  await assertFewLogRows(
    database,
    { sql, values: values.list },
    { reader: 'ENDPOINT, ERROR, UPSTREAM_KEY, upstreamKeys and cache', field: 'range' },
  );
}

/** Returns the query without buckets. */
export const flatten = (query: UsageQuery): UsageQuery => ({
  ...query,
  current: wholeOf(query.current),
  compared: query.compared && wholeOf(query.compared),
});

const wholeOf = (span: Span): Span => ({ ...span, starts: null });

/** A position in the order of time and key: the start of a bucket, and the values of the dimensions. */
export interface Position {
  readonly bucket: number | null;
  readonly keys: ReadonlyArray<number | string>;
}

/** Skips buckets before the position. Buckets keep the numbers that they have in the whole range. */
function behind(query: UsageQuery, { bucket }: Position): UsageQuery {
  if (bucket === null) return query;
  const from = Math.max(query.current.range.from, query.current.starts?.[bucket] ?? 0);
  return { ...query, current: { ...query.current, range: { ...query.current.range, from } } };
}

/** Restricts to the buckets of these rows, and buckets between them. */
function around(query: UsageQuery, rows: readonly GroupRow[]): UsageQuery {
  const buckets = rows.map(({ bucket }) => bucket ?? 0);
  const [first, last] = [Math.min(...buckets), Math.max(...buckets)];
  const cut = ({ range, starts, ...span }: Span): Span => ({
    ...span,
    starts,
    range: starts
      ? {
          from: Math.max(range.from, starts[first] ?? range.from),
          end: Math.min(range.end, starts[last + 1] ?? range.end),
        }
      : range,
  });
  return { ...query, current: cut(query.current), compared: query.compared && cut(query.compared) };
}

const positionSql = ({ dimensions: names, current }: UsageQuery): string =>
  `(${[...(current.starts ? ['bucket'] : []), ...names.map((name, n) => sortKey(name, n))].join(', ')})`;

const positionValues = ({ dimensions: names, current }: UsageQuery, position: Position, values: Values): string =>
  [
    ...(current.starts ? [`${values.add(position.bucket ?? 0)}::integer`] : []),
    ...names.map((name, n) => `${values.add(position.keys[n])}::${dimensions[name].type}`),
  ].join(', ');

import type { ListQuery, Slice } from '../../shared/page.js';
import type { Queries } from '../../billing/rollups/index.js';
import { logConditions, type LogFilter } from './log-conditions.js';
import { plainCursor } from './log-cursor.js';
import { viewColumns, type ViewRow } from './log-view.js';

/** Maximum number up to which the rows of one user are counted. */
const maxCounted = 10_000;

/**
 * Reads one page of log rows for each user, in one statement that uses the index of users and times.
 * @throws InvalidInputError for text that is no cursor of this list
 */
export async function readLogsOfUsers(
  database: Queries,
  userIds: readonly number[],
  filter: LogFilter,
  query: Omit<ListQuery, 'sort'> & { readonly sort: ReadonlyArray<{ readonly direction: 'ASC' | 'DESC' }> },
): Promise<Map<number, Slice<ViewRow>>> {
  const direction = query.sort[0]?.direction ?? 'DESC';
  const after = query.after === null ? null : plainCursor.decode(query.after, direction);
  const where = logConditions(filter);
  const users = where.value([...userIds]);
  const beyond = after
    ? ` AND (k.created_at, k.id) ${direction === 'ASC' ? '>' : '<'} (${where.value(after.createdAt)}, ${where.value(after.id)})`
    : '';
  const limit = where.value(query.pageSize + 1);
  const offset = where.value(after ? 0 : query.page * query.pageSize);
  const rows = await database.query<ViewRow[]>(
    `SELECT ${viewColumns} FROM unnest(${users}::integer[]) AS owner (owner_id) CROSS JOIN LATERAL (
       SELECT k.created_at, k.id FROM logs k WHERE k.user_id = owner_id AND ${where.toString()}${beyond}
        ORDER BY k.created_at ${direction}, k.id ${direction} LIMIT ${limit} OFFSET ${offset}
     ) keys JOIN logs l ON l.created_at = keys.created_at AND l.id = keys.id
     ORDER BY l.created_at ${direction}, l.id ${direction}`,
    where.values,
  );
  let counts: Promise<Map<number, number>> | undefined;
  return new Map(
    userIds.map((id) => {
      const own = rows.filter((row) => row.userId === id);
      const items = own.slice(0, query.pageSize);
      const last = items.at(-1);
      const slice: Slice<ViewRow> = {
        items,
        endCursor: last
          ? plainCursor.encode({ createdAt: Number(last.createdAt), id: Number(last.id) }, direction)
          : null,
        hasNextPage: own.length > items.length,
        total: async () => {
          const count = (await (counts ??= countLogsOfUsers(database, userIds, filter))).get(id) ?? 0;
          return { count: Math.min(count, maxCounted), capped: count > maxCounted };
        },
      };
      return [id, slice];
    }),
  );
}

/** @returns one more than the maximum when there are more */
async function countLogsOfUsers(
  database: Queries,
  userIds: readonly number[],
  filter: LogFilter,
): Promise<Map<number, number>> {
  const where = logConditions(filter);
  const users = where.value([...userIds]);
  const rows = await database.query<Array<{ id: number; rows: number }>>(
    `SELECT owner_id AS id, (SELECT count(*)::int FROM (
         SELECT 1 FROM logs WHERE user_id = owner_id AND ${where.toString()} LIMIT ${where.value(maxCounted + 1)}) counted) AS rows
       FROM unnest(${users}::integer[]) AS owner (owner_id)`,
    where.values,
  );
  return new Map(rows.map((row) => [row.id, row.rows]));
}

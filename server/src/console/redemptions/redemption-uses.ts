import type { EntityManager } from 'typeorm';
import { decodeCursor, encodeCursor, readBehind } from '../../platform/db/keyset.js';
import type { ListQuery, Slice } from '../../shared/page.js';

/** One user's use of a code. */
export interface RedemptionUse {
  readonly redemptionId: number;
  readonly userId: number;
  /** Unix seconds. */
  readonly usedTime: number;
  /** Added to the balance. */
  readonly quota: number;
}

/** SQL of the uses. Codes have a row for each use; an imported code that was redeemed has its use in its own row. */
const uses = `(
  SELECT redemption_id, user_id, used_time, quota FROM redemption_uses
  UNION ALL
  SELECT id, used_user_id, redeemed_time, quota FROM redemptions WHERE NOT is_gift AND used_user_id <> 0
     AND NOT EXISTS (SELECT FROM redemption_uses one WHERE one.redemption_id = redemptions.id)
)`;

const columns = { redemptionId: 'redemption_id', userId: 'user_id' } as const;

/**
 * Reads the uses of several codes, or of several users, in one statement; the latest first.
 * @param parent whether the ids are of codes or of users
 * @returns one page for each id
 * @throws InvalidInputError for text that is no cursor of this list
 */
export async function readUses(
  manager: Pick<EntityManager, 'query'>,
  parent: 'redemptionId' | 'userId',
  ids: readonly number[],
  query: ListQuery,
): Promise<ReadonlyMap<number, Slice<RedemptionUse>>> {
  const other = parent === 'redemptionId' ? 'userId' : 'redemptionId';
  const order = [
    { field: 'usedTime', direction: 'DESC' },
    { field: other, direction: 'DESC' },
  ] as const;
  const after = query.after === null ? null : decodeCursor(query.after, order);
  const offset = query.after === null ? query.page * query.pageSize : 0;
  const read = (): Promise<RedemptionUse[]> =>
    manager.query<RedemptionUse[]>(
      `SELECT redemption_id AS "redemptionId", user_id AS "userId", used_time::float8 AS "usedTime", quota::float8 AS quota
       FROM (SELECT *, row_number() OVER (PARTITION BY ${columns[parent]} ORDER BY used_time DESC, ${columns[other]} DESC) AS place
               FROM ${uses} used
              WHERE ${columns[parent]} = ANY ($1::integer[])
                AND ($2::bigint IS NULL OR (used_time, ${columns[other]}) < ($2::bigint, $3::integer))) placed
      WHERE place > $4 AND place <= $5 ORDER BY place`,
      [ids, after?.[0] ?? null, after?.[1] ?? null, offset, offset + query.pageSize + 1],
    );
  const rows = await readBehind(query.after, read);
  let counts: Promise<Map<number, number>> | undefined;
  const count = async (): Promise<Map<number, number>> => {
    const counted = await manager.query<Array<{ id: number; uses: string }>>(
      `SELECT ${columns[parent]} AS id, count(*) AS uses FROM ${uses} used WHERE ${columns[parent]} = ANY ($1) GROUP BY 1`,
      [ids],
    );
    return new Map(counted.map(({ id, uses: found }) => [id, Number(found)]));
  };
  return new Map(
    ids.map((id) => {
      const found = rows.filter((row) => row[parent] === id);
      const items = found.slice(0, query.pageSize);
      const last = items.at(-1);
      const slice: Slice<RedemptionUse> = {
        items,
        endCursor: last ? encodeCursor(order, [last.usedTime, last[other]]) : null,
        hasNextPage: found.length > items.length,
        total: async () => ({ count: (await (counts ??= count())).get(id) ?? 0, capped: false }),
      };
      return [id, slice];
    }),
  );
}

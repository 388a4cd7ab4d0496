import type { EntityManager } from 'typeorm';
import { decodeCursor, encodeCursor, milliseconds, readBehind } from '../../platform/db/keyset.js';
import type { ListQuery, Slice } from '../../shared/page.js';

/** One user's use of a code. */
export interface RedemptionUse {
  readonly redemptionId: number;
  readonly userId: number;
  readonly usedAt: Date;
  /** Added to the balance. */
  readonly quota: number;
}

const timeOf = (column: string): string => milliseconds(`coalesce(${column}, 'epoch')`);

/**
 * SQL of the uses. Codes have a row for each use; an imported code that was redeemed has its use in its own row.
 * An unknown time is shown as the epoch.
 */
const uses = `(
  SELECT redemption_id, user_id, ${timeOf('used_at')} AS used_at, quota FROM redemption_uses
  UNION ALL
  SELECT id, used_user_id, ${timeOf('redeemed_at')}, quota
    FROM redemptions WHERE NOT is_gift AND used_user_id IS NOT NULL
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
    { field: 'usedAt', direction: 'DESC' },
    { field: other, direction: 'DESC' },
  ] as const;
  const after = query.after === null ? null : decodeCursor(query.after, order);
  const offset = query.after === null ? query.page * query.pageSize : 0;
  const read = (): Promise<RedemptionUse[]> =>
    manager.query<RedemptionUse[]>(
      `SELECT redemption_id AS "redemptionId", user_id AS "userId", used_at AS "usedAt", quota::float8 AS quota
       FROM (SELECT *, row_number() OVER (PARTITION BY ${columns[parent]} ORDER BY used_at DESC, ${columns[other]} DESC) AS place
               FROM ${uses} used
              WHERE ${columns[parent]} = ANY ($1::integer[])
                AND ($2::timestamptz IS NULL OR (used_at, ${columns[other]}) < ($2::timestamptz, $3::integer))) placed
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
        endCursor: last ? encodeCursor(order, [last.usedAt, last[other]]) : null,
        hasNextPage: found.length > items.length,
        total: async () => ({ count: (await (counts ??= count())).get(id) ?? 0, capped: false }),
      };
      return [id, slice];
    }),
  );
}

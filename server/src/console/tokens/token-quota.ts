import type { EntityManager } from 'typeorm';
import { personOf, type Actor, type ownKeys } from '../../shared/actor.js';
import { postEntry } from '../../billing/ledger/index.js';

/** Posts a change of a key's remaining quota. No other code of this module writes that number. */
export async function moveQuota(
  manager: EntityManager,
  owner: Actor,
  tokenId: number,
  amount: number,
  source: string,
): Promise<void> {
  if (amount === 0) return;
  await postEntry(manager, {
    source,
    kind: 'token_limit',
    userId: owner.id,
    tokenId,
    amount,
    actorId: personOf(owner).id,
  });
}

/**
 * Reads all quota that the owner has granted to each of these keys, spent or not. Calls do not change it, so the owner
 * can set it while the key is spending. Keys without grants are absent.
 * @param owner only these keys; null for all
 */
export async function grantedQuotas(
  manager: Pick<EntityManager, 'query'>,
  tokenIds: readonly number[],
  owner: ReturnType<typeof ownKeys> | null = null,
): Promise<Map<number, number>> {
  if (tokenIds.length === 0) return new Map();
  const rows = await manager.query<Array<{ tokenId: number; granted: string }>>(
    `SELECT token_id AS "tokenId", sum(amount) AS granted FROM ledger_entries
      WHERE token_id = ANY($1) AND token_id <> 0 AND kind = 'token_limit' AND ($2::int IS NULL OR user_id = $2)
        AND ($3::int IS NULL OR token_id IN (SELECT id FROM tokens WHERE member_id = $3))
      GROUP BY token_id`,
    [tokenIds, owner?.userId ?? null, owner?.memberId ?? null],
  );
  return new Map(rows.map(({ tokenId, granted }) => [tokenId, Number(granted)]));
}

/**
 * Returns the remaining quota after the total of the grants has changed by `amount`. If it is less than what was spent
 * in the meantime, nothing remains, and there is no debt.
 */
export const remainingAfter = (before: number, amount: number): number =>
  Math.max(before + amount, Math.min(before, 0));

import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { BulkFailure, BulkResult } from '../../shared/bulk.js';
import { InvalidInputError, isAppError } from '../../shared/errors.js';
import { assertIdList } from '../../shared/id-list.js';

/** Users that one call may change: each is a transaction of its own, and the caller waits for all. */
const maxBulkUsers = 100;

/**
 * Changes each of these users by itself: those that the caller may not change are in `failed`, the others are changed.
 * @throws AppError INVALID_INPUT for no ids or too many; INSUFFICIENT_PRIVILEGES
 */
export async function changeUsers(
  actor: MaybeActor,
  ids: readonly number[],
  change: (id: number) => Promise<unknown>,
): Promise<BulkResult> {
  requirePermission(actor, 'users.write');
  assertIdList(ids, 'Invalid parameter');
  if (ids.length > maxBulkUsers) throw new InvalidInputError(`At most ${maxBulkUsers} ids at a time`, 'ids');
  const done: number[] = [];
  const failed: BulkFailure[] = [];
  for (const id of new Set(ids)) {
    try {
      await change(id);
      done.push(id);
    } catch (error) {
      if (!isAppError(error)) throw error;
      failed.push({ id, code: error.code, message: error.message });
    }
  }
  return { done, failed };
}

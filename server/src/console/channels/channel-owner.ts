import type { EntityManager } from 'typeorm';
import { InvalidInputError } from '../../shared/errors.js';
import { User } from '../../billing/accounts/index.js';

/**
 * Checks that the owner of a channel is a user, or null for none.
 * @throws InvalidInputError
 */
export async function assertOwner(manager: EntityManager, ownerId: number | null | undefined): Promise<void> {
  if (ownerId != null && !(await manager.existsBy(User, { id: ownerId }))) {
    throw new InvalidInputError('There is no user with this id', 'ownerId');
  }
}

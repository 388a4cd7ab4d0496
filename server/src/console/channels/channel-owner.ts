import type { EntityManager } from 'typeorm';
import { InvalidInputError } from '../../shared/errors.js';
import { User } from '../users/index.js';

/**
 * Checks that the owner of a channel is a user, or 0 for none.
 * @throws InvalidInputError
 */
export async function assertOwner(manager: EntityManager, ownerId = 0): Promise<void> {
  if (ownerId !== 0 && !(await manager.existsBy(User, { id: ownerId }))) {
    throw new InvalidInputError('There is no user with this id', 'ownerId');
  }
}

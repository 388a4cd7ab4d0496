import type { EntityManager } from 'typeorm';
import { CustomRole } from '../../billing/accounts/index.js';
import { holds, outranks, rankOf, type Actor, type Ranked } from '../../shared/actor.js';
import { ForbiddenError } from '../../shared/errors.js';
import { withImplied } from '../../shared/permission.js';

/** @param verb such as `delete` */
export const tooHigh = (verb: string): string => `No permission to ${verb} a user of the same or a higher level`;

/**
 * The rule of every operation on another user: only lower ranks, and only users whose custom role holds nothing that
 * the actor lacks. Otherwise the actor could set a password, sign in as that user and use the difference.
 * @param verb for the message
 * @throws AppError INSUFFICIENT_PRIVILEGES
 */
export async function assertMayActOn(manager: EntityManager, actor: Actor, user: Ranked, verb: string): Promise<void> {
  if (!outranks(actor, rankOf(user))) throw new ForbiddenError(tooHigh(verb));
  if (user.customRoleId === null || actor.role === 'root') return;
  const role = await manager.findOneBy(CustomRole, { id: user.customRoleId });
  if (withImplied(role?.permissions ?? []).every((one) => holds(actor, one))) return;
  throw new ForbiddenError('The custom role of this user holds permissions that you lack');
}

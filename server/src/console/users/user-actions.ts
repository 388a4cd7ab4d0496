import { ranks, type Actor } from '../../shared/actor.js';
import { ConflictError, ForbiddenError } from '../../shared/errors.js';
import type { User } from '../../billing/accounts/index.js';

/** Actions of an admin on a user (docs/reference/rest/accounts.md#user-administration). */
export const userActions = ['enable', 'disable', 'delete', 'promote', 'demote'] as const;
export type UserAction = (typeof userActions)[number];

/** For callers who may act on the target. @throws AppError INSUFFICIENT_PRIVILEGES, CONFLICT */
export function assertMayManage(admin: Actor, target: User, action: UserAction): void {
  if (target.deletedAt) throw new ConflictError('User has been deleted');
  const isRoot = target.role === 'root';
  if (isRoot && action === 'disable') throw new ForbiddenError('Cannot disable the super admin');
  if (isRoot && action === 'delete') throw new ForbiddenError('Cannot delete the super admin');
  if (action === 'promote') {
    if (admin.role !== 'root') throw new ForbiddenError('Only the super admin may promote');
    if (target.kind === 'organisation') throw cannotSignIn();
    if (ranks[target.role] >= ranks.admin) throw new ConflictError('User is already an administrator');
  }
  if (action === 'demote') {
    if (isRoot) throw new ForbiddenError('Cannot demote the super admin');
    if (target.role === 'common') throw new ConflictError('User is already a common user');
  }
}

/** An organisation has no password, no address, no role and no other sign-in method. */
export const cannotSignIn = (): ConflictError => new ConflictError('An organisation cannot sign in');

/** The columns that an action changes. */
export function changeOf(action: UserAction): Partial<User> {
  switch (action) {
    case 'enable':
      return { status: 'enabled' };
    case 'disable':
      return { status: 'banned' };
    case 'delete':
      return { deletedAt: new Date() };
    case 'promote':
      // Only common users have custom roles.
      return { role: 'admin', customRoleId: null };
    case 'demote':
      return { role: 'common' };
  }
}

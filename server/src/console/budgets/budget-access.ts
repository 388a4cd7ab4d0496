/** Decides who reads and sets a budget. */
import type { EntityManager } from 'typeorm';
import { Token, User } from '../../billing/accounts/index.js';
import { holds, mayFor, ownKeys, personOf, requireAccount, requirePermission, type Actor } from '../../shared/actor.js';
import type { BudgetLevel } from '../../shared/budget.js';
import { ForbiddenError, NotFoundError } from '../../shared/errors.js';
import type { Budget, NewBudget } from '../../billing/budgets/index.js';
import { assertMayActOn } from '../auth/index.js';

const ofAccount = `(budget.level = 'user' AND budget.subject_id = :owner)
  OR (budget.level = 'member' AND budget.subject_id IN (SELECT m.id FROM memberships m WHERE m.organisation_id = :owner))
  OR (budget.level = 'project' AND budget.subject_id IN (SELECT p.id FROM projects p WHERE p.organisation_id = :owner))`;
const ofKeys = (condition: string): string => `(budget.level = 'token'
  AND budget.subject_id IN (SELECT t.id FROM tokens t WHERE ${condition} AND t.deleted_at IS NULL))`;
/** Budgets of an account, of its keys, and of the members and projects of an organisation. */
export const ofUser = `(${ofAccount} OR ${ofKeys('t.user_id = :owner')})`;
/** Budgets that a member of an organisation reads who may not read the keys of others. */
const ofMember = `(budget.level = 'member' AND budget.subject_id = :member)
  OR ${ofKeys('t.user_id = :reader AND t.member_id = :member')}`;
const asReader = (condition: string): string => condition.replaceAll(':owner', ':reader');

/** Returns the condition of budgets that a caller without the permission may read, and its values. */
export function readableBy(reader: Actor): readonly [string, { reader: number; member?: number }] {
  const { userId, memberId } = ownKeys(reader);
  if (memberId === undefined) return [asReader(ofUser), { reader: userId }];
  const readable = mayFor(reader, 'budgets.write') ? `(${asReader(ofAccount)} OR ${ofMember})` : `(${ofMember})`;
  return [readable, { reader: userId, member: memberId }];
}

/** Where the subjects of budgets are, and to which account they belong. */
const subjects = {
  member: { noun: 'Member', from: 'organisation_id AS owner FROM memberships WHERE left_at IS NULL' },
  project: { noun: 'Project', from: 'organisation_id AS owner FROM projects WHERE archived_at IS NULL' },
  user: { noun: 'User', from: 'id AS owner FROM users WHERE deleted_at IS NULL' },
  channel: { noun: 'Channel', from: '0 AS owner FROM channels WHERE TRUE' },
} as const;

/**
 * Checks who sets budgets of a level above keys: admins all of them, an organisation those of its members and projects.
 * @throws AppError INSUFFICIENT_PRIVILEGES
 */
export function assertMayLimit(creator: Actor, level: BudgetLevel): void {
  const isOfOrganisation = creator.membership && (level === 'member' || level === 'project');
  if (isOfOrganisation) requireAccount(creator, 'budgets.write');
  else requirePermission(creator, 'budgets');
}

/**
 * Checks the subject of a new budget.
 * @returns whether the budget is an admin's, which the owner of a key cannot change
 */
export async function checkSubject(manager: EntityManager, creator: Actor, fields: NewBudget): Promise<boolean> {
  const { level, subjectId } = fields;
  const isAdmin = holds(creator, 'budgets');
  if (isAdmin) await assertBelow(manager, creator, fields);
  if (level === 'token') {
    const token = await manager.findOneBy(Token, { id: subjectId });
    const { userId, memberId = token?.memberId } = ownKeys(creator);
    const isOwn = token?.userId === userId && token.memberId === memberId;
    if (!token || (!isAdmin && !isOwn)) throw new NotFoundError('Token', subjectId);
    return token.userId !== creator.id;
  }
  if (level === 'group' || level === 'site') return true;
  const { noun, from } = subjects[level];
  const [row] = await manager.query<Array<{ owner: number }>>(`SELECT ${from} AND id = $1`, [subjectId]);
  if (!row || (creator.membership && row.owner !== creator.id)) throw new NotFoundError(noun, subjectId);
  return !creator.membership;
}

/**
 * Checks that the editor may change a budget.
 * @throws AppError INSUFFICIENT_PRIVILEGES for a budget set by an admin, and for a budget of a user of the same or a
 * higher level
 */
export async function assertMayChange(manager: EntityManager, editor: Actor, budget: Budget): Promise<void> {
  if (holds(editor, 'budgets')) return assertBelow(manager, editor, budget);
  if (budget.byAdmin) throw new ForbiddenError('This budget was set by an admin');
  if (budget.level !== 'token') return assertMayLimit(editor, budget.level);
  // A member must not loosen what an owner set for the member's key.
  if (!mayFor(editor, 'keys.all') && budget.createdBy !== personOf(editor).id) {
    throw new ForbiddenError('This budget was set by an owner of the organisation');
  }
}

/**
 * Checks the level. Callers below root may change the budgets of lower users, and those of their own keys that no
 * admin set.
 * @throws AppError INSUFFICIENT_PRIVILEGES
 */
async function assertBelow(
  manager: EntityManager,
  editor: Actor,
  { level, subjectId, byAdmin = false }: Pick<NewBudget, 'level' | 'subjectId'> & { readonly byAdmin?: boolean },
): Promise<void> {
  if (level !== 'user' && level !== 'token') return;
  const where = { id: subjectId };
  const user =
    level === 'user'
      ? await manager.findOne(User, { where, withDeleted: true })
      : (await manager.findOne(Token, { where, relations: { user: true }, withDeleted: true }))?.user;
  if (!user || (user.id === editor.id && level === 'token' && !byAdmin)) return;
  await assertMayActOn(manager, editor, user, 'limit');
}

import { type EntityManager, In, IsNull, Not } from 'typeorm';
import type { Change } from '../../platform/cache/shared-state.js';
import { ConflictError } from '../../shared/errors.js';
import { Invitation, Membership, Token, User } from '../accounts/index.js';

/**
 * Locks the owners of an organisation and one more membership, so that of two concurrent changes one waits for the
 * other.
 * @returns the membership as it is now; null when it has ended
 */
export async function lockMembership(manager: EntityManager, id: number): Promise<Membership | null> {
  // The statement reads each row again when it has waited for its lock.
  const rows = await manager
    .createQueryBuilder(Membership, 'm')
    .where('m.organisation_id = (SELECT organisation_id FROM memberships WHERE id = :id)', { id })
    .andWhere("m.left_at IS NULL AND (m.role = 'owner' OR m.id = :id)")
    .orderBy('m.id')
    .setLock('for_no_key_update')
    .getMany();
  return rows.find((row) => row.id === id) ?? null;
}

/**
 * Checks that an organisation keeps an owner without this one. The owners are locked (`lockMembership`).
 * @throws AppError CONFLICT
 */
export async function assertOtherOwner(manager: EntityManager, { id, organisationId }: Membership): Promise<void> {
  // A deleted user is not joined.
  const other = { id: Not(id), organisationId, role: 'owner', leftAt: IsNull(), user: { kind: 'person' } } as const;
  if (await manager.existsBy(Membership, other)) return;
  throw new ConflictError('An organisation keeps at least one owner: make another member an owner first');
}

/** Revokes the open invitations that a member made, by which the member could come back after losing a role. */
export async function revokeInvitationsOf(
  manager: EntityManager,
  { organisationId, userId: createdBy }: Membership,
): Promise<void> {
  const open = { organisationId, createdBy, acceptedAt: IsNull(), revokedAt: IsNull() };
  await manager.update(Invitation, open, { revokedAt: () => 'now()' });
}

/**
 * Ends a locked membership, in the caller's transaction: the member's keys of the organisation and the budgets of the
 * membership are deleted, and the member's open invitations are revoked. Calls that run are settled as those of any
 * deleted key.
 * @returns ids of the keys, to be announced after the transaction
 * @throws AppError CONFLICT for the only owner
 */
export async function endMembership(manager: EntityManager, membership: Membership): Promise<number[]> {
  if (membership.role === 'owner') await assertOtherOwner(manager, membership);
  return leave(manager, membership);
}

async function leave(manager: EntityManager, membership: Membership): Promise<number[]> {
  await manager.update(Membership, { id: membership.id }, { leftAt: () => 'now()' });
  await revokeInvitationsOf(manager, membership);
  // Rows are locked in the order of ids, as settlements lock them.
  const keys = await manager.find(Token, {
    where: { memberId: membership.id },
    order: { id: 'ASC' },
    lock: { mode: 'for_no_key_update' },
  });
  const ids = keys.map(({ id }) => id);
  await manager.update(Token, { id: In(ids) }, { deletedAt: () => 'now()' });
  await manager.query(
    `WITH gone AS (DELETE FROM budgets WHERE level = 'member' AND subject_id = $1 RETURNING id)
     DELETE FROM budget_windows WHERE budget_id IN (SELECT id FROM gone)`,
    [membership.id],
  );
  return ids;
}

/**
 * Ends all memberships of a person whose account is deleted. Organisations without another member are deleted with it.
 * @returns the changes, to be announced after the transaction
 * @throws AppError CONFLICT for the only owner of an organisation that has other members
 */
export async function endMembershipsOf(manager: EntityManager, userId: number): Promise<Change[]> {
  const rows = await manager.find(Membership, {
    where: { userId, leftAt: IsNull(), organisation: { kind: 'organisation' } },
    order: { id: 'ASC' },
  });
  const changes: Change[] = [];
  for (const { id } of rows) {
    const membership = await lockMembership(manager, id);
    if (!membership) continue;
    const { organisationId } = membership;
    const isAlone = !(await manager.existsBy(Membership, { organisationId, id: Not(id), leftAt: IsNull() }));
    const keys = await (isAlone ? leave : endMembership)(manager, membership);
    changes.push(...keys.map(keyChange));
    if (isAlone) changes.push(await deleteOrganisation(manager, organisationId));
  }
  return changes;
}

/**
 * Deletes an organisation softly, in the caller's transaction: its keys stop, its name stays reserved and its ledger
 * stays.
 * @returns the change, to be announced after the transaction
 */
export async function deleteOrganisation(manager: EntityManager, id: number): Promise<Change> {
  await manager.update(User, { id }, { deletedAt: () => 'now()' });
  await manager.update(Token, { userId: id, status: 'enabled' }, { status: 'disabled' });
  return { kind: 'user', id };
}

const keyChange = (id: number): Change => ({ kind: 'token', id });

/** Returns the changes of a person's keys of organisations, which stop and start with the person's account. */
export async function memberKeysOf(manager: EntityManager, userId: number): Promise<Change[]> {
  const keys = await manager.findBy(Token, { member: { userId, leftAt: IsNull() } });
  return keys.map(({ id }) => keyChange(id));
}

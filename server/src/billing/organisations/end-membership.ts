import type { Change } from '../../platform/cache/shared-state.js';
import type { Queries } from '../../platform/db/queries.js';
import { ConflictError } from '../../shared/errors.js';
import type { OrganisationRole } from '../../shared/organisation.js';

export interface CurrentMembership {
  readonly id: number;
  readonly organisationId: number;
  readonly userId: number;
  readonly role: OrganisationRole;
}

const columns = 'id, organisation_id AS "organisationId", user_id AS "userId", role';

/**
 * Locks the owners of an organisation and one more membership, so that of two concurrent changes one waits for the
 * other.
 * @returns the membership as it is now; null when it has ended
 */
export async function lockMembership(transaction: Queries, id: number): Promise<CurrentMembership | null> {
  // The statement reads each row again when it has waited for its lock.
  const rows = (await transaction.query(
    `SELECT ${columns} FROM memberships
      WHERE organisation_id = (SELECT organisation_id FROM memberships WHERE id = $1)
        AND left_at IS NULL AND (role = 'owner' OR id = $1) ORDER BY id FOR NO KEY UPDATE`,
    [id],
  )) as CurrentMembership[];
  return rows.find((row) => row.id === id) ?? null;
}

/**
 * Checks that an organisation keeps an owner without this one. The owners are locked (`lockMembership`).
 * @throws AppError CONFLICT
 */
export async function assertOtherOwner(transaction: Queries, { id, organisationId }: CurrentMembership): Promise<void> {
  const [other] = (await transaction.query(
    `SELECT FROM memberships m JOIN users u ON u.id = m.user_id
      WHERE m.organisation_id = $1 AND m.id <> $2 AND m.role = 'owner' AND m.left_at IS NULL AND u.deleted_at IS NULL`,
    [organisationId, id],
  )) as unknown[];
  if (!other) throw new ConflictError('An organisation keeps at least one owner: make another member an owner first');
}

/** Revokes the open invitations that a member made, by which the member could come back after losing a role. */
export async function revokeInvitationsOf(transaction: Queries, membership: CurrentMembership): Promise<void> {
  await transaction.query(
    `UPDATE invitations SET revoked_at = now()
      WHERE organisation_id = $1 AND created_by = $2 AND accepted_at IS NULL AND revoked_at IS NULL`,
    [membership.organisationId, membership.userId],
  );
}

/**
 * Ends a locked membership, in the caller's transaction: the member's keys of the organisation and the budgets of the
 * membership are deleted, and the member's open invitations are revoked. Calls that run are settled as those of any
 * deleted key.
 * @returns ids of the keys, to be announced after the transaction
 * @throws AppError CONFLICT for the only owner
 */
export async function endMembership(transaction: Queries, membership: CurrentMembership): Promise<number[]> {
  if (membership.role === 'owner') await assertOtherOwner(transaction, membership);
  return leave(transaction, membership);
}

async function leave(transaction: Queries, membership: CurrentMembership): Promise<number[]> {
  await transaction.query('UPDATE memberships SET left_at = now() WHERE id = $1', [membership.id]);
  await revokeInvitationsOf(transaction, membership);
  // Rows are locked in the order of ids, as settlements lock them.
  const keys = (await transaction.query(
    'SELECT id FROM tokens WHERE member_id = $1 AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE',
    [membership.id],
  )) as Array<{ id: number }>;
  const ids = keys.map(({ id }) => id);
  await transaction.query('UPDATE tokens SET deleted_at = now() WHERE id = ANY ($1)', [ids]);
  await transaction.query(
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
export async function endMembershipsOf(transaction: Queries, userId: number): Promise<Change[]> {
  const rows = (await transaction.query(
    `SELECT m.id FROM memberships m JOIN users o ON o.id = m.organisation_id
      WHERE m.user_id = $1 AND m.left_at IS NULL AND o.deleted_at IS NULL ORDER BY m.id`,
    [userId],
  )) as Array<{ id: number }>;
  const changes: Change[] = [];
  for (const { id } of rows) {
    const membership = await lockMembership(transaction, id);
    if (!membership) continue;
    const isAlone = await hasNoOther(transaction, membership);
    const keys = await (isAlone ? leave : endMembership)(transaction, membership);
    changes.push(...keys.map(keyChange));
    if (isAlone) changes.push(await deleteOrganisation(transaction, membership.organisationId));
  }
  return changes;
}

async function hasNoOther(transaction: Queries, { id, organisationId }: CurrentMembership): Promise<boolean> {
  const others = (await transaction.query(
    'SELECT FROM memberships WHERE organisation_id = $1 AND id <> $2 AND left_at IS NULL LIMIT 1',
    [organisationId, id],
  )) as unknown[];
  return others.length === 0;
}

/**
 * Deletes an organisation softly, in the caller's transaction: its keys stop, its name stays reserved and its ledger
 * stays.
 * @returns the change, to be announced after the transaction
 */
export async function deleteOrganisation(transaction: Queries, id: number): Promise<Change> {
  await transaction.query('UPDATE users SET deleted_at = now() WHERE id = $1', [id]);
  await transaction.query("UPDATE tokens SET status = 'disabled' WHERE user_id = $1 AND status = 'enabled'", [id]);
  return { kind: 'user', id };
}

const keyChange = (id: number): Change => ({ kind: 'token', id });

/** Returns the changes of a person's keys of organisations, which stop and start with the person's account. */
export async function memberKeysOf(database: Queries, userId: number): Promise<Change[]> {
  const rows = (await database.query(
    `SELECT t.id FROM tokens t JOIN memberships m ON m.id = t.member_id
      WHERE m.user_id = $1 AND m.left_at IS NULL AND t.deleted_at IS NULL`,
    [userId],
  )) as Array<{ id: number }>;
  return rows.map(({ id }) => keyChange(id));
}

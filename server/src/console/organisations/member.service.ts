import { type EntityManager, IsNull, type Repository } from 'typeorm';
import {
  assertOtherOwner,
  endMembership,
  lockMembership,
  revokeInvitationsOf,
} from '../../billing/organisations/index.js';
import { advisoryLocks } from '../../platform/db/advisory-locks.js';
import type { Changes } from '../../platform/cache/changes.js';
import { readSlicesByOwner, viewSlices, type SortKeys } from '../../platform/db/keyset.js';
import { holds, requireActor, requirePermission, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditLog } from '../../shared/audit.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { organisationRoles, roleMay, type OrganisationRole } from '../../shared/organisation.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import { Membership, User } from '../../billing/accounts/index.js';
import { accessTo, readableAmong } from './organisation-access.js';

export interface MemberDeps {
  readonly memberships: Repository<Membership>;
  readonly changes: Changes;
  readonly auditLog: AuditLog;
}

/** A member with the person's names and what the member's keys were charged. */
export interface MemberView extends Membership {
  readonly username: string;
  readonly displayName: string;
  /** Keys that are not deleted. */
  readonly keyCount: number;
  /** The use of all keys, deleted ones too. */
  readonly usedQuota: number;
}

/** Maximum number of members at a time. Lists have no pages. */
export const maxMembers = 1000;

const sortKeys: SortKeys<Membership> = { id: { sql: 'm.id', value: ({ id }) => id } };

/** Serializes new members and invitations of an organisation, so that concurrent ones keep its limits. */
export const lockJoins = (manager: EntityManager, organisationId: number): Promise<unknown> =>
  manager.query('SELECT pg_advisory_xact_lock($1, $2)', [advisoryLocks.newMembers, organisationId]);

/** Members of organisations. */
export class MemberService {
  constructor(private readonly deps: MemberDeps) {}

  /**
   * Lists members, owners first. A member without the right to read others sees the own membership only.
   * @param formerToo also those who left
   * @throws AppError NOT_FOUND
   */
  async list(actor: MaybeActor, organisationId: number, formerToo = false): Promise<MemberView[]> {
    const { manager } = this.deps.memberships;
    const { caller, memberId, role } = await accessTo(manager, actor, organisationId, 'organisation.read');
    const seesAll = seesOthers(caller, role);
    return this.read(
      `m.organisation_id = $1 AND ($2 OR m.left_at IS NULL) AND ($3::integer IS NULL OR m.id = $3)`,
      organisationId,
      formerToo,
      seesAll ? null : memberId,
    );
  }

  /**
   * The members of each of these organisations, the latest first, as `list` shows them. Organisations that the caller may
   * not read are left out.
   */
  async listOf(
    actor: MaybeActor,
    organisationIds: readonly number[],
    query: ListQuery<never>,
  ): Promise<Map<number, Slice<MemberView>>> {
    const caller = requireActor(actor);
    const seats = await readableAmong(this.deps.memberships.manager, caller, organisationIds);
    const whole = seats.filter(({ role }) => seesOthers(caller, role)).map(({ id }) => id);
    const select = this.deps.memberships
      .createQueryBuilder('m')
      .where('m.left_at IS NULL AND (m.organisation_id = ANY (:whole) OR m.user_id = :self)', {
        whole,
        self: caller.id,
      });
    const pages = await readSlicesByOwner(select, query, sortKeys, {
      sql: 'm.organisation_id',
      of: ({ organisationId }) => organisationId,
      ids: seats.map(({ id }) => id),
    });
    return viewSlices(pages, (ids) => this.read('m.id = ANY ($1)', ids));
  }

  /** Reads members of any organisation, former ones too, for relations. @throws AppError INSUFFICIENT_PRIVILEGES */
  async readMany(actor: MaybeActor, ids: readonly number[]): Promise<MemberView[]> {
    requirePermission(actor, 'users.read');
    return this.read('m.id = ANY ($1)', ids);
  }

  /**
   * Changes the role of a member.
   * @throws AppError NOT_FOUND, INVALID_INPUT, INSUFFICIENT_PRIVILEGES, CONFLICT for the only owner
   */
  async setRole(actor: MaybeActor, id: number, role: OrganisationRole): Promise<MemberView> {
    assertRole(role);
    const { caller } = await this.accessTo(actor, id);
    const userId = await this.deps.memberships.manager.transaction(async (manager) => {
      const before = await lockMembership(manager, id);
      if (!before) throw new NotFoundError('Member', id);
      if (before.role === role) return null;
      if (before.role === 'owner') {
        await assertOtherOwner(manager, before);
        await revokeInvitationsOf(manager, before);
      }
      await manager.update(Membership, { id }, { role });
      await this.audit(manager, caller, 'update', before, { ...audited(before), role });
      return before.userId;
    });
    // Open streams of the member end: they were opened with the rights of the former role.
    if (userId !== null) await this.deps.changes.announce({ kind: 'session', id: userId });
    return this.get(id);
  }

  /**
   * Removes a member. The member's keys of the organisation stop at once.
   * @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES, CONFLICT for the only owner
   */
  async remove(actor: MaybeActor, id: number): Promise<void> {
    const { caller } = await this.accessTo(actor, id);
    await this.end(caller, id, 'removeMember');
  }

  /**
   * Ends the caller's own membership. The caller's keys of the organisation stop at once.
   * @throws AppError NOT_FOUND, CONFLICT for the only owner
   */
  async leave(actor: MaybeActor, organisationId: number): Promise<void> {
    const caller = requireActor(actor);
    const own = await this.deps.memberships.findOneBy({ organisationId, userId: caller.id, leftAt: IsNull() });
    if (!own) throw new NotFoundError('Organisation', organisationId);
    await this.end(caller, own.id, 'leave');
  }

  /**
   * Adds a person without an invitation, for admins of users.
   * @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES, CONFLICT for a member
   */
  async add(actor: MaybeActor, organisationId: number, userId: number, role: OrganisationRole): Promise<MemberView> {
    const admin = requirePermission(actor, 'users.write');
    assertRole(role);
    await accessTo(this.deps.memberships.manager, actor, organisationId, 'members.write');
    const id = await this.deps.memberships.manager.transaction((manager) =>
      this.join(manager, admin, { organisationId, userId, role }),
    );
    return this.get(id);
  }

  /**
   * Makes a person a member, in the caller's transaction.
   * @param actor who does it, for the audit log
   * @throws AppError NOT_FOUND for an unknown person, CONFLICT for a member, and at the maximum number of members
   */
  async join(
    manager: EntityManager,
    actor: Actor,
    { organisationId, userId, role }: Pick<Membership, 'organisationId' | 'userId' | 'role'>,
  ): Promise<number> {
    await lockJoins(manager, organisationId);
    const where = { id: userId, kind: 'person' } as const;
    const person = await manager.findOne(User, { where, lock: { mode: 'pessimistic_read' } });
    if (!person) throw new NotFoundError('User', userId);
    if ((await manager.countBy(Membership, { organisationId, leftAt: IsNull() })) >= maxMembers) {
      throw new ConflictError(`An organisation can have at most ${maxMembers} members`);
    }
    try {
      const { identifiers } = await manager.insert(Membership, { organisationId, userId, role });
      const { id } = identifiers[0] as { id: number };
      const after = { memberId: id, userId, role };
      const change = { action: 'addMember', subject: 'organisation', id: organisationId, before: null, after } as const;
      await this.deps.auditLog.write(manager, actor, change);
      return id;
    } catch (error) {
      if (!isUniqueViolation(error, 'memberships_current')) throw error;
      throw new ConflictError('This person is a member already');
    }
  }

  private async end(caller: Actor, id: number, action: string): Promise<void> {
    const changes = await this.deps.memberships.manager.transaction(async (manager) => {
      const membership = await lockMembership(manager, id);
      if (!membership) throw new NotFoundError('Member', id);
      const keys = await endMembership(manager, membership);
      await this.audit(manager, caller, action, membership, null);
      return [
        { kind: 'session', id: membership.userId } as const,
        ...keys.map((key) => ({ kind: 'token' as const, id: key })),
      ];
    });
    await this.deps.changes.announce(...changes);
  }

  /** @throws AppError NOT_FOUND, also for members of organisations of others; INSUFFICIENT_PRIVILEGES */
  private async accessTo(actor: MaybeActor, id: number): ReturnType<typeof accessTo> {
    requireActor(actor);
    const membership = await this.deps.memberships.findOneBy({ id });
    if (!membership || membership.leftAt) throw new NotFoundError('Member', id);
    const asked = { noun: 'Member', id };
    return accessTo(this.deps.memberships.manager, actor, membership.organisationId, 'members.write', asked);
  }

  private async get(id: number): Promise<MemberView> {
    const [view] = await this.read('m.id = $1', id);
    if (!view) throw new NotFoundError('Member', id);
    return view;
  }

  private async read(condition: string, ...values: unknown[]): Promise<MemberView[]> {
    const rows = await this.deps.memberships.query<Array<MemberView & { usedQuota: string }>>(
      `SELECT m.id, m.organisation_id AS "organisationId", m.user_id AS "userId", m.role, m.created_at AS "createdAt",
              m.left_at AS "leftAt", coalesce(u.username, '') AS username, coalesce(u.display_name, '') AS "displayName",
              (SELECT count(*)::integer FROM tokens t WHERE t.member_id = m.id AND t.deleted_at IS NULL) AS "keyCount",
              (SELECT coalesce(sum(t.used_quota), 0) FROM tokens t WHERE t.member_id = m.id) AS "usedQuota"
         FROM memberships m LEFT JOIN users u ON u.id = m.user_id
        WHERE ${condition}
        ORDER BY m.left_at IS NOT NULL, array_position('{${organisationRoles.join()}}', m.role), u.username, m.id`,
      values,
    );
    return rows.map((row) => ({ ...row, usedQuota: Number(row.usedQuota) }));
  }

  private async audit(
    manager: EntityManager,
    actor: Actor,
    action: string,
    before: Membership,
    after: Readonly<Record<string, unknown>> | null,
  ): Promise<void> {
    const change = {
      action,
      subject: 'organisation',
      id: before.organisationId,
      before: audited(before),
      after,
    } as const;
    await this.deps.auditLog.write(manager, actor, change);
  }
}

/** @param role of the caller in the organisation */
const seesOthers = (caller: Actor, role: OrganisationRole | null): boolean =>
  holds(caller, 'users.read') || (role !== null && roleMay(role, 'members.read'));

/** @throws InvalidInputError */
export function assertRole(role: OrganisationRole): void {
  if (!organisationRoles.includes(role)) throw new InvalidInputError('Unknown role', 'role');
}

const audited = ({ id, userId, role }: Membership): Record<string, unknown> => ({ memberId: id, userId, role });

import { type EntityManager, type FindOptionsWhere, IsNull, type Repository, type SelectQueryBuilder } from 'typeorm';
import { deleteOrganisation } from '../../billing/organisations/index.js';
import type { Changes } from '../../platform/cache/changes.js';
import { advisoryLocks } from '../../platform/db/advisory-locks.js';
import { milliseconds, readSlice, type SortKeys } from '../../platform/db/keyset.js';
import type { OptionValues } from '../../options/option-registry.js';
import type { SharedState } from '../../platform/cache/shared-state.js';
import type { Idempotency } from '../../platform/idempotency/idempotency.js';
import {
  holds,
  requireActor,
  requireConfirmed,
  requirePermission,
  type Actor,
  type MaybeActor,
  type UserStatus,
} from '../../shared/actor.js';
import type { AuditChange, AuditLog } from '../../shared/audit.js';
import { AppError, ConflictError, NotFoundError } from '../../shared/errors.js';
import { roleMay, type OrganisationRole } from '../../shared/organisation.js';
import { escapeLike, type ListQuery, type Slice } from '../../shared/page.js';
import { Membership, User } from '../../billing/accounts/index.js';
import { claimUsername, parsed, toConflict, usernameRule } from '../users/index.js';
import { accessTo, type OrganisationAccess } from './organisation-access.js';

export interface OrganisationDeps {
  readonly users: Repository<User>;
  readonly changes: Changes;
  readonly auditLog: AuditLog;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly state: Pick<SharedState, 'hit'>;
  readonly options: { readonly values: Pick<OptionValues, 'OrganizationCreationEnabled'> };
}

/** An organisation as the caller sees it. */
export interface OrganisationView extends Omit<OrganisationAccess, 'caller'> {
  readonly createdAt: Date;
  readonly memberCount: number;
  /** Null for members who may not see the wallet. */
  readonly balance: Pick<User, 'quota' | 'usedQuota' | 'requestCount'> | null;
}

export interface OrganisationFilter {
  /** Part of the name. */
  readonly keyword?: string;
  readonly statuses?: readonly UserStatus[];
}

export type OrganisationSortField = 'id' | 'name' | 'quota' | 'usedQuota' | 'createdAt';

const sortKeys: SortKeys<User, OrganisationSortField> = {
  id: { sql: 'account.id', value: ({ id }) => id },
  name: { sql: 'account.username', value: ({ username }) => username },
  quota: { sql: 'account.quota', value: ({ quota }) => quota },
  usedQuota: { sql: 'account.usedQuota', value: ({ usedQuota }) => usedQuota },
  createdAt: { sql: milliseconds('account.createdAt'), value: ({ createdAt }) => createdAt },
};

/** Maximum number of organisations that one person owns. */
const maxOwned = 20;
/** Maximum number of organisations that one person creates in a day. Names of deleted organisations stay reserved. */
const maxCreatedPerDay = 30;

/**
 * Organisations: accounts that cannot sign in. Wallet, ledger, keys, budgets and limits are those of any account; what
 * is here is who may act for it.
 */
export class OrganisationService {
  constructor(private readonly deps: OrganisationDeps) {}

  /**
   * Creates an organisation whose owner is the caller. It has no quota.
   * @param idempotencyKey a retry with the same key returns the organisation of the first call
   * @throws AppError INSUFFICIENT_PRIVILEGES (only admins create organisations on this site), INVALID_INPUT, CONFLICT (the
   * name is taken, too many organisations), RATE_LIMITED
   */
  async create(
    actor: MaybeActor,
    given: string,
    idempotencyKey: string | null = null,
  ): Promise<{ organisation: OrganisationView; replayed: boolean }> {
    const caller = requireActor(actor);
    if (!this.deps.options.values.OrganizationCreationEnabled && !holds(caller, 'users.write')) {
      throw new AppError('INSUFFICIENT_PRIVILEGES', 'Only admins create organisations on this site');
    }
    const name = parsed(usernameRule, given);
    const hits = await this.deps.state.hit(`create-organisation:${caller.id}`, maxCreatedPerDay, 86_400);
    if (!hits.allowed) {
      const { retryAfterSeconds } = hits;
      throw new AppError('RATE_LIMITED', 'Too many organisations created today', { retryAfterSeconds });
    }
    const request = { operation: 'createOrganisation', key: idempotencyKey, input: { name } };
    const { result: id, replayed } = await this.unique(() =>
      this.deps.idempotency.once(caller, request, async (manager) => {
        await manager.query('SELECT pg_advisory_xact_lock($1, $2)', [advisoryLocks.newOrganisations, caller.id]);
        // A deleted organisation is not joined.
        const owned: FindOptionsWhere<Membership> = {
          userId: caller.id,
          role: 'owner',
          leftAt: IsNull(),
          organisation: { kind: 'organisation' },
        };
        if ((await manager.countBy(Membership, owned)) >= maxOwned) {
          throw new ConflictError(`A person can own at most ${maxOwned} organisations`);
        }
        await claimUsername(manager, name);
        const { identifiers } = await manager.insert(User, { ...columnsOf(name), kind: 'organisation' });
        const organisationId = (identifiers[0] as { id: number }).id;
        await manager.insert(Membership, { organisationId, userId: caller.id, role: 'owner' });
        await this.audit(manager, caller, organisationId, 'create', null, { name });
        return organisationId;
      }),
    );
    return { organisation: await this.get(caller, id), replayed };
  }

  /** Lists the organisations of which the caller is a member, by name. */
  async listOwn(actor: MaybeActor): Promise<OrganisationView[]> {
    const { id } = requireActor(actor);
    const rows = await this.query()
      .andWhere(
        'account.id IN (SELECT m.organisation_id FROM memberships m WHERE m.user_id = :id AND m.left_at IS NULL)',
        { id },
      )
      .orderBy('account.username')
      .getMany();
    return this.viewed(requireActor(actor), rows);
  }

  /** @throws AppError INSUFFICIENT_PRIVILEGES for callers who may not read users */
  async list(
    actor: MaybeActor,
    { keyword, statuses }: OrganisationFilter,
    query: ListQuery<OrganisationSortField>,
  ): Promise<Slice<OrganisationView>> {
    const admin = requirePermission(actor, 'users.read');
    const select = this.query();
    if (keyword) {
      select.andWhere('account.username ILIKE :part', { part: `%${escapeLike(keyword.replaceAll('\0', ''))}%` });
    }
    if (statuses) select.andWhere('account.status = ANY (:statuses)', { statuses });
    const page = await readSlice<User, OrganisationSortField>(select, query, sortKeys);
    return { ...page, items: await this.viewed(admin, page.items) };
  }

  /** Reads organisations for relations. @throws AppError INSUFFICIENT_PRIVILEGES */
  async readMany(actor: MaybeActor, ids: readonly number[]): Promise<OrganisationView[]> {
    const admin = requirePermission(actor, 'users.read');
    return this.viewed(admin, await this.query().andWhere('account.id = ANY (:ids)', { ids }).getMany());
  }

  /** @throws AppError NOT_FOUND, also for organisations of others */
  async get(actor: MaybeActor, id: number): Promise<OrganisationView> {
    const { caller } = await accessTo(this.deps.users.manager, actor, id, 'organisation.read');
    const [view] = await this.viewed(caller, await this.query().andWhere('account.id = :id', { id }).getMany());
    if (!view) throw new NotFoundError('Organisation', id);
    return view;
  }

  /**
   * Renames an organisation.
   * @throws AppError NOT_FOUND, INVALID_INPUT, CONFLICT (the name is taken), INSUFFICIENT_PRIVILEGES
   */
  async rename(actor: MaybeActor, id: number, given: string): Promise<OrganisationView> {
    const { caller } = await accessTo(this.deps.users.manager, actor, id, 'organisation.write');
    const name = parsed(usernameRule, given);
    await this.unique(() =>
      this.deps.users.manager.transaction(async (manager) => {
        await claimUsername(manager, name, id);
        const before = await manager.findOneByOrFail(User, { id });
        await manager.update(User, { id }, columnsOf(name));
        await this.audit(manager, caller, id, 'update', { name: before.username }, { name });
      }),
    );
    await this.announce(id);
    return this.get(actor, id);
  }

  /**
   * Deletes an organisation softly: its keys stop at once, its name stays reserved and its ledger stays.
   * @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES, CONFIRMATION_NEEDED
   */
  async delete(actor: MaybeActor, id: number): Promise<void> {
    const { caller } = await accessTo(this.deps.users.manager, actor, id, 'organisation.write');
    requireConfirmed(caller);
    await this.deps.users.manager.transaction(async (manager) => {
      const before = await manager.findOneByOrFail(User, { id });
      await deleteOrganisation(manager, id);
      await this.audit(manager, caller, id, 'delete', { name: before.username, quota: before.quota }, null);
    });
    await this.announce(id);
  }

  private query(): SelectQueryBuilder<User> {
    return this.deps.users.createQueryBuilder('account').where("account.kind = 'organisation'");
  }

  private async viewed(caller: Actor, rows: readonly User[]): Promise<OrganisationView[]> {
    const ids = rows.map(({ id }) => id);
    const seats = await this.deps.users.query<
      Array<{ id: number; count: number; memberId: number | null; role: OrganisationRole | null }>
    >(
      `SELECT organisation_id AS id, count(*)::integer AS count, max(id) FILTER (WHERE user_id = $2) AS "memberId",
              max(role) FILTER (WHERE user_id = $2) AS role
         FROM memberships WHERE organisation_id = ANY ($1) AND left_at IS NULL GROUP BY organisation_id`,
      [ids, caller.id],
    );
    const seatOf = new Map(seats.map((seat) => [seat.id, seat]));
    return rows.map(({ id, username: name, status, group, createdAt, quota, usedQuota, requestCount }) => {
      const { count = 0, role = null, memberId = null } = seatOf.get(id) ?? {};
      const seesWallet = holds(caller, 'users.read') || (role !== null && roleMay(role, 'wallet'));
      return {
        id,
        name,
        status,
        group,
        createdAt,
        role,
        memberId,
        memberCount: count,
        balance: seesWallet ? { quota, usedQuota, requestCount } : null,
      };
    });
  }

  private announce(id: number): Promise<void> {
    return this.deps.changes.announce({ kind: 'user', id });
  }

  private async unique<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw toConflict(error);
    }
  }

  private async audit(
    manager: EntityManager,
    actor: Actor,
    id: number,
    action: string,
    before: AuditChange['before'],
    after: AuditChange['after'],
  ): Promise<void> {
    await this.deps.auditLog.write(manager, actor, { action, subject: 'organisation', id, before, after });
  }
}

/** The name is a username, so that no two accounts have one; lists of accounts also show the other name. */
const columnsOf = (name: string): Pick<User, 'username' | 'displayName'> => ({
  username: name,
  displayName: [...name].slice(0, 20).join(''),
});

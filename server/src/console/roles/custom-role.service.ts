import type { EntityManager, Repository } from 'typeorm';
import { advisoryLocks } from '../../platform/db/advisory-locks.js';
import type { Changes } from '../../platform/cache/changes.js';
import { holds, requireActor, requireConfirmed, requireRole, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { AuditChange, AuditLog } from '../../shared/audit.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { nameRule } from '../../shared/name-rule.js';
import { isPermission, permissions, withImplied, type Permission } from '../../shared/permission.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { Idempotency } from '../../platform/idempotency/idempotency.js';
import { CustomRole, User } from '../../billing/accounts/index.js';

/** Maximum number of roles. It is small, because they are listed without pages. */
const maxRoles = 100;

export interface CustomRoleDeps {
  readonly roles: Repository<CustomRole>;
  readonly auditLog: AuditLog;
  readonly changes: Changes;
  readonly idempotency: Idempotency;
}

export interface NewCustomRole {
  readonly name: string;
  readonly permissions: readonly string[];
}

/**
 * Custom roles: bundles of permissions for common users. Only root creates and assigns them, because every other caller
 * could pass on rights that they lack.
 */
export class CustomRoleService {
  constructor(private readonly deps: CustomRoleDeps) {}

  /**
   * Returns all custom roles by name.
   * @throws AppError INSUFFICIENT_PRIVILEGES below root
   */
  async list(actor: MaybeActor): Promise<CustomRole[]> {
    requireRole(actor, 'root');
    return this.deps.roles.createQueryBuilder('role').orderBy('lower(role.name)').getMany();
  }

  /** Reads roles by id, for relations. Callers who read users see every role, others their own. */
  async readMany(actor: MaybeActor, ids: readonly number[]): Promise<CustomRole[]> {
    const { id } = requireActor(actor);
    return this.deps.roles
      .createQueryBuilder('role')
      .where('role.id = ANY (:ids)', { ids: [...ids] })
      .andWhere('(:all OR role.id = (SELECT u.custom_role_id FROM users u WHERE u.id = :id))', {
        all: holds(actor, 'users.read'),
        id,
      })
      .getMany();
  }

  /** Counts the users who have each of these roles. Roles without users are absent. */
  async userCounts(actor: MaybeActor, ids: readonly number[]): Promise<Map<number, number>> {
    requireRole(actor, 'root');
    const rows = await this.deps.roles.query<Array<{ id: number; count: number }>>(
      `SELECT custom_role_id AS id, count(*)::integer AS count FROM users
        WHERE custom_role_id = ANY ($1) AND deleted_at IS NULL GROUP BY 1`,
      [ids],
    );
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  /**
   * Returns the permissions of a role, including those they imply, for authentication. A deleted role grants nothing.
   */
  async permissionsOf(id: number): Promise<readonly Permission[]> {
    const role = await this.deps.roles.findOneBy({ id });
    return withImplied(role?.permissions ?? []);
  }

  /**
   * @param idempotencyKey a retry with the same key returns the role of the first call
   * @throws AppError INVALID_INPUT, CONFLICT (name in use, too many roles), INSUFFICIENT_PRIVILEGES, CONFIRMATION_NEEDED
   */
  async create(
    actor: MaybeActor,
    given: NewCustomRole,
    idempotencyKey?: string | null,
  ): Promise<{ role: CustomRole; replayed: boolean }> {
    const root = requireEditor(actor);
    const fields = { name: parseName(given.name), permissions: parsePermissions(given.permissions) };
    const request = { operation: 'createCustomRole', key: idempotencyKey ?? null, input: given };
    const { result: id, replayed } = await this.unique(() =>
      this.deps.idempotency.once(root, request, async (manager) => {
        await manager.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.newRoles]);
        if ((await manager.count(CustomRole)) >= maxRoles) {
          throw new ConflictError(`A site can have at most ${maxRoles} custom roles`);
        }
        const { identifiers } = await manager.insert(CustomRole, { ...fields });
        const created = (identifiers[0] as { id: number }).id;
        await this.audit(manager, root, { action: 'create', id: created, before: null, after: fields });
        return created;
      }),
    );
    return { role: await this.find(this.deps.roles.manager, id), replayed };
  }

  /**
   * Changes a role. Users with the role have the new permissions at once.
   * @throws AppError INVALID_INPUT, NOT_FOUND, CONFLICT (name in use), INSUFFICIENT_PRIVILEGES, CONFIRMATION_NEEDED
   */
  async update(actor: MaybeActor, id: number, given: Partial<NewCustomRole>): Promise<CustomRole> {
    const root = requireEditor(actor);
    const fields = {
      ...(given.name === undefined ? {} : { name: parseName(given.name) }),
      ...(given.permissions === undefined ? {} : { permissions: parsePermissions(given.permissions) }),
    };
    if (Object.keys(fields).length === 0) throw new InvalidInputError('Nothing to change');
    const role = await this.unique(() =>
      this.deps.roles.manager.transaction(async (manager) => {
        const before = await this.lock(manager, id);
        await manager.update(CustomRole, { id }, fields);
        const after = await this.find(manager, id);
        await this.audit(manager, root, { action: 'update', id, before: audited(before), after: audited(after) });
        return after;
      }),
    );
    await this.announce();
    return role;
  }

  /** @throws AppError NOT_FOUND, CONFLICT (users have it), INSUFFICIENT_PRIVILEGES, CONFIRMATION_NEEDED */
  async delete(actor: MaybeActor, id: number): Promise<void> {
    const root = requireEditor(actor);
    await this.deps.roles.manager.transaction(async (manager) => {
      const before = await this.lock(manager, id);
      if (await manager.existsBy(User, { customRoleId: id })) {
        throw new ConflictError('Users have this role. Give them another one first.');
      }
      await manager.delete(CustomRole, { id });
      await this.audit(manager, root, { action: 'delete', id, before: audited(before), after: null });
    });
    await this.announce();
  }

  /**
   * Assigns a custom role to a common user.
   * @param customRoleId null removes it
   * @throws AppError NOT_FOUND (user or role), CONFLICT (the user is an admin or root), INSUFFICIENT_PRIVILEGES,
   * CONFIRMATION_NEEDED
   */
  async give(actor: MaybeActor, userId: number, customRoleId: number | null): Promise<User> {
    const root = requireEditor(actor);
    const user = await this.deps.roles.manager.transaction(async (manager) => {
      const role = customRoleId === null ? null : await this.lock(manager, customRoleId);
      const target = await manager.findOne(User, { where: { id: userId }, lock: { mode: 'pessimistic_write' } });
      if (!target) throw new NotFoundError('User', userId);
      if (target.kind === 'organisation') throw new ConflictError('An organisation cannot have a role');
      if (target.role !== 'common') throw new ConflictError('Only common users can have a custom role');
      const before = target.customRoleId && (await manager.findOneBy(CustomRole, { id: target.customRoleId }));
      await manager.update(User, { id: userId }, { customRoleId });
      await this.deps.auditLog.write(manager, root, {
        action: 'giveRole',
        subject: 'user',
        id: userId,
        before: { customRole: before ? before.name : null },
        after: { customRole: role?.name ?? null },
      });
      return manager.findOneByOrFail(User, { id: userId });
    });
    await this.deps.changes.announce({ kind: 'user', id: userId }, { kind: 'session', id: userId });
    return user;
  }

  private async find(manager: EntityManager, id: number): Promise<CustomRole> {
    const role = await manager.findOneBy(CustomRole, { id });
    if (!role) throw new NotFoundError('Custom role', id);
    return role;
  }

  private async lock(manager: EntityManager, id: number): Promise<CustomRole> {
    const role = await manager.findOne(CustomRole, { where: { id }, lock: { mode: 'pessimistic_write' } });
    if (!role) throw new NotFoundError('Custom role', id);
    return role;
  }

  private async unique<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isUniqueViolation(error, 'custom_roles_name')) throw error;
      throw new ConflictError('A role with this name exists already', 'name');
    }
  }

  private audit(manager: EntityManager, actor: Actor, change: Omit<AuditChange, 'subject'>): Promise<void> {
    return this.deps.auditLog.write(manager, actor, { ...change, subject: 'role' });
  }

  /** Announces the change. Every node reads its callers again, and ends streams that they may no longer open. */
  private announce(): Promise<void> {
    return this.deps.changes.announce({ kind: 'session' });
  }
}

const audited = ({ name, permissions: granted }: CustomRole) => ({ name, permissions: granted });

/** Checks that the caller may edit roles. Roles lead to every other right, so a stolen session must not reach them. */
function requireEditor(actor: MaybeActor): Actor {
  const root = requireRole(actor, 'root');
  requireConfirmed(root);
  return root;
}

function parseName(text: string): string {
  const parsed = nameRule.safeParse(text);
  if (!parsed.success) throw new InvalidInputError(parsed.error.issues[0]?.message ?? 'name is not valid', 'name');
  return parsed.data;
}

/** @returns each permission once, in the order of the table */
function parsePermissions(given: readonly string[]): Permission[] {
  const unknown = given.find((name) => !isPermission(name));
  if (unknown !== undefined) throw new InvalidInputError(`Unknown permission ${unknown.slice(0, 40)}`, 'permissions');
  if (given.length === 0) throw new InvalidInputError('A role needs at least one permission', 'permissions');
  return permissions.filter((name) => given.includes(name));
}

import { In, type EntityManager, type Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import type { Change } from '../../platform/cache/shared-state.js';
import {
  outranks,
  rankOf,
  rankOfActor,
  requireConfirmed,
  requirePermission,
  requireScope,
  requireSession,
  visibleUsers,
  type Actor,
  type MaybeActor,
} from '../../shared/actor.js';
import { ConflictError, ForbiddenError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import { isUniqueViolation } from '../../shared/postgres-error.js';
import type { Secrets } from '../../shared/secrets.js';
import { assertMayActOn, type PasswordService, type SessionService, tooHigh } from '../auth/index.js';
import type { Idempotency, OnceRequest, OnceResult } from '../../platform/idempotency/idempotency.js';
import type { OptionValues } from '../../options/option.service.js';
import { endMembershipsOf, memberKeysOf } from '../../billing/organisations/index.js';
import { Token, User } from '../../billing/accounts/index.js';
import { assertMayManage, cannotSignIn, changeOf, userActions } from './user-actions.js';
import { insertUser, withFreshAffiliateCode } from './new-user.js';
import { grantedBy, type UserLedger } from './user-ledger.js';
import {
  newUserInput,
  noteRule,
  parsed,
  quotaRule,
  userPatch,
  withoutKept,
  type NewUserInput,
  type UserPatch,
} from './user-input.js';
import {
  daysLeftOfUsers,
  readUsers,
  sumUsers,
  type UserFilter,
  type UserSortField,
  type UserSums,
} from './user-list.js';
import { claimUsername, UsernameTakenError } from './username.js';

export interface UserServiceDeps {
  readonly users: Repository<User>;
  readonly userLedger: UserLedger;
  readonly passwords: PasswordService;
  readonly sessions: SessionService;
  readonly changes: Changes;
  readonly idempotency: Idempotency;
  readonly secrets: Pick<Secrets, 'hash'>;
  readonly options: { readonly values: OptionValues };
}

/** User administration. An admin acts on users of a lower role, root on all users. Secrets are never selected. */
export class UserService {
  constructor(private readonly deps: UserServiceDeps) {}

  async list(actor: MaybeActor, filter: UserFilter, query: ListQuery<UserSortField>): Promise<Slice<User>> {
    requirePermission(actor, 'users.read');
    return readUsers(this.deps.users, filter, query);
  }

  /** Returns totals over all users that match. */
  async sums(actor: MaybeActor, filter: UserFilter): Promise<UserSums> {
    requirePermission(actor, 'users.read');
    return sumUsers(this.deps.users, filter);
  }

  /** Reads users by id, for relations. Admins see every user, including deleted ones; other users see themselves. */
  async readMany(actor: MaybeActor, ids: readonly number[]): Promise<User[]> {
    return this.deps.users.find({ where: { id: In(visibleUsers(actor, ids)) }, withDeleted: true });
  }

  /** Returns quota reserved for calls in flight, by user; users without reservations are absent. */
  async heldQuota(actor: MaybeActor, ids: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.deps.users.manager.query<Array<{ user_id: number; held: string }>>(
      `SELECT user_id, sum(amount) AS held FROM reservations
       WHERE user_id = ANY($1) AND swept_at IS NULL GROUP BY user_id`,
      [visibleUsers(actor, ids)],
    );
    return new Map(rows.map(({ user_id, held }) => [user_id, Number(held)]));
  }

  /** Returns the days for which balances last at the mean spend of the last 7 days, by user; null without spend. */
  async daysLeft(actor: MaybeActor, ids: readonly number[]): Promise<Map<number, number | null>> {
    const rows = await this.deps.users.manager.query<Array<{ id: number; days: number | null }>>(daysLeftOfUsers, [
      visibleUsers(actor, ids),
    ]);
    return new Map(rows.map(({ id, days }) => [id, days]));
  }

  /** Returns quota that the actor has granted to each of these users, minus the quota that the actor deducted. */
  async granted(actor: MaybeActor, ids: readonly number[]): Promise<Map<number, number>> {
    return grantedBy(this.deps.users.manager, requirePermission(actor, 'users.read').id, ids);
  }

  /**
   * Returns the id of a user, including deleted ones.
   * @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES
   */
  async idOf(actor: MaybeActor, username: string): Promise<number> {
    requirePermission(actor, 'users.read');
    const user = await this.deps.users.findOne({ select: { id: true }, where: { username }, withDeleted: true });
    if (!user) throw new NotFoundError('User', username);
    return user.id;
  }

  /** @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES for a user of the same or a higher level */
  async get(actor: MaybeActor, id: number): Promise<User> {
    const admin = requirePermission(actor, 'users.read');
    const user = await this.deps.users.findOneBy({ id });
    if (!user) throw new NotFoundError('User', id);
    await assertMayActOn(this.deps.users.manager, admin, user, 'read');
    return user;
  }

  /**
   * Creates a user.
   * @param idempotencyKey a retry with the same key returns the user of the first call
   * @returns the new common user, with option QuotaForNewUser as balance unless another is given
   * @throws AppError INSUFFICIENT_PRIVILEGES (also to give a balance without `users.quota`), INVALID_INPUT, CONFLICT (the
   * name or the external id is taken; same key, other input)
   */
  async create(
    actor: MaybeActor,
    input: NewUserInput,
    idempotencyKey: string | null = null,
  ): Promise<{ user: User; replayed: boolean }> {
    const admin = requirePermission(actor, 'users.write');
    const { username, password, displayName, rank, group, externalId, quota } = parsed(newUserInput, input);
    if (quota !== undefined) requirePermission(admin, 'users.quota');
    if (rank !== undefined && rank >= rankOfActor(admin)) {
      throw new ForbiddenError('Cannot create a user with privileges equal to or above your own');
    }
    const passwordHash = await this.deps.passwords.hash(password);
    // The digest of the input is not keyed, so it must not contain the password itself.
    const given = { ...input, password: this.deps.secrets.hash(password).toString('hex') };
    const request = { operation: 'createUser', key: idempotencyKey, input: given };
    const { result, replayed } = await withFreshAffiliateCode(() =>
      this.once(admin, request, async (manager) => {
        const { id } = await this.insert(manager, admin, {
          username,
          displayName: displayName || username.slice(0, 20),
          passwordHash,
          role: 'common',
          ...(group ? { group } : {}),
          externalId: externalId || null,
          quota: quota ?? this.deps.options.values.QuotaForNewUser,
        });
        return { id };
      }),
    );
    return { user: await this.deps.users.findOneOrFail({ where: { id: result.id }, withDeleted: true }), replayed };
  }

  /**
   * Changes a user. Absent keys stay unchanged; a changed password ends the user's sessions.
   * @param idempotencyKey a retry with the same key changes nothing
   * @param verify checks the locked row
   */
  async update(
    actor: MaybeActor,
    id: number,
    patch: UserPatch,
    idempotencyKey: string | null = null,
    verify?: (manager: EntityManager, user: Readonly<Record<string, unknown>>) => Promise<void>,
  ): Promise<{ user: User; replayed: boolean }> {
    const admin = requirePermission(actor, 'users.write', 'users.quota');
    const kept = await this.deps.users.findOneBy({ id });
    const { quota, ungrantedQuota, quotaDelta, password, rank, externalId, ...rest } = parsed(
      userPatch,
      withoutKept(patch, kept),
    );
    const columns = { ...rest, ...(externalId === undefined ? {} : { externalId: externalId || null }) };
    const movesQuota = quota !== undefined || quotaDelta !== undefined;
    if (movesQuota) requirePermission(admin, 'users.quota');
    const changes =
      password !== undefined || rank !== undefined || Object.values(columns).some((one) => one !== undefined);
    if (changes || !movesQuota) requirePermission(admin, 'users.write');
    if (kept?.kind === 'organisation' && (password || columns.email)) throw cannotSignIn();
    // A password and an e-mail address both allow signing in as the user. The rank of a form is only compared.
    if (password || (columns.email !== undefined && columns.email !== kept?.email)) {
      // Root edits its own account like that of another user, without the checks of the own account.
      if (id === admin.id) requireSession(admin, 'change the own password or e-mail address');
      requireConfirmed(admin);
    }
    const passwordHash = password ? await this.deps.passwords.hash(password) : undefined;
    // The digest of the input is not keyed, so it must not contain the password itself.
    const input = { id, ...patch, password: password && this.deps.secrets.hash(password).toString('hex') };
    const request = { operation: 'updateUser', key: idempotencyKey, input };
    const { replayed } = await this.once(admin, request, async (manager) => {
      if (passwordHash && id === admin.id) await this.deps.sessions.assertNotEnded(manager, admin);
      const user = await this.lock(manager, id);
      await assertMayActOn(manager, admin, user, 'update');
      await verify?.(manager, { ...user });
      if (rank !== undefined && !outranks(admin, rank)) {
        throw new ForbiddenError('No permission to raise a user to your own level or above');
      }
      if (columns.username !== undefined) await claimUsername(manager, columns.username, id);
      const set = { ...columns, ...(passwordHash ? { passwordHash } : {}) };
      if (Object.keys(set).length > 0) await manager.update(User, { id }, set);
      if (quota !== undefined) await this.deps.userLedger.moveTo(manager, admin, user, quota, ungrantedQuota);
      if (quotaDelta !== undefined) await this.deps.userLedger.grant(manager, admin, user, quotaDelta);
      if (passwordHash) await this.deps.sessions.revokeAccess(manager, id, ownSession(admin, id));
      const names = changedFields(user, columns, passwordHash !== undefined);
      // A change of the balance has its own log row and audit entry.
      if (names.length === 0) return {};
      await this.deps.userLedger.log(manager, admin, user, `Administrator edited user: ${names.join(', ')}`);
      const after = await manager.findOneByOrFail(User, { id });
      const secret = passwordHash ? { password: passwordHash } : {};
      await this.deps.userLedger.audit(manager, admin, id, 'update', edited(user), { ...edited(after), ...secret });
      return {};
    });
    if (!replayed) await this.announce(id);
    return { user: await this.deps.users.findOneByOrFail({ id }), replayed };
  }

  /**
   * Adds quota, or deducts it when the amount is negative. Runs once per `idempotencyKey`.
   * @returns the user after the change
   * @throws AppError INSUFFICIENT_PRIVILEGES, INVALID_INPUT, NOT_FOUND, CONFLICT (same key, other input)
   */
  async grantQuota(
    actor: MaybeActor,
    id: number,
    amount: number,
    { note = '', idempotencyKey = null }: { readonly note?: string; readonly idempotencyKey?: string | null } = {},
  ): Promise<{ user: User; replayed: boolean }> {
    const admin = requirePermission(actor, 'users.quota');
    const quota = parsed(quotaRule, amount);
    const text = parsed(noteRule, note);
    if (quota === 0) throw new InvalidInputError('The amount must not be 0', 'amount');
    const input = { id, quota, note: text };
    const { replayed } = await this.deps.idempotency.once(
      admin,
      { operation: 'grantQuota', key: idempotencyKey, input },
      async (manager) => {
        const target = await this.lock(manager, id);
        await assertMayActOn(manager, admin, target, 'update');
        await this.deps.userLedger.grant(manager, admin, target, quota, text);
        return { userId: id };
      },
    );
    if (!replayed) await this.announce(id);
    return { user: await this.get(admin, id), replayed };
  }

  /**
   * Bans, unbans, soft-deletes, promotes and demotes. An action that reduces rights ends the user's sessions.
   * @throws AppError INSUFFICIENT_PRIVILEGES, INVALID_INPUT, NOT_FOUND, CONFIRMATION_NEEDED (promote, demote)
   */
  async manage(actor: MaybeActor, id: number, wanted: string): Promise<User> {
    const admin = requirePermission(actor, 'users.write');
    const action = userActions.find((one) => one === wanted);
    if (!action) throw new InvalidInputError('Unknown action', 'action');
    if (action !== 'enable' && action !== 'disable') requireScope(admin, 'WRITE');
    if (action === 'promote' || action === 'demote') requireConfirmed(admin);
    let changes: readonly Change[] = [];
    const user = await this.write(async (manager) => {
      const target = await manager.findOne(User, {
        where: { id },
        withDeleted: true,
        lock: { mode: 'pessimistic_write' },
      });
      if (!target) throw new NotFoundError('User', id);
      await assertMayActOn(manager, admin, target, 'update');
      assertMayManage(admin, target, action);
      await manager.update(User, { id }, changeOf(action));
      if (action === 'delete') {
        await disableTokens(manager, id);
        changes = await endMembershipsOf(manager, id);
      } else if (action === 'enable' || action === 'disable') changes = await memberKeysOf(manager, id);
      if (action !== 'enable' && action !== 'promote') await this.deps.sessions.revokeAll(manager, id);
      await this.deps.userLedger.log(manager, admin, target, `Administrator action: ${action}`);
      const after = await manager.findOneOrFail(User, { where: { id }, withDeleted: true });
      await this.deps.userLedger.audit(manager, admin, id, action, managed(target), managed(after));
      return after;
    });
    await this.announce(id, changes);
    return user;
  }

  /** Deletes the row, so that the name is free again. Log rows stay. */
  async remove(actor: MaybeActor, id: number): Promise<void> {
    const admin = requirePermission(actor, 'users.write');
    let changes: readonly Change[] = [];
    await this.write(async (manager) => {
      const user = await this.lock(manager, id, true);
      // The check is stricter than `outranks`: no user can remove root, not even root.
      if (rankOfActor(admin) <= rankOf(user)) throw new ForbiddenError(tooHigh('delete'));
      await assertMayActOn(manager, admin, user, 'delete');
      const open: unknown[] = await manager.query('SELECT 1 FROM reservations WHERE user_id = $1 LIMIT 1', [id]);
      if (open.length > 0) throw new ConflictError('The user has calls in flight. Try again shortly.');
      changes = await endMembershipsOf(manager, id);
      await manager.delete(User, { id });
      await this.deps.userLedger.log(manager, admin, user, `Administrator removed user ${user.username}`);
      await this.deps.userLedger.audit(manager, admin, id, 'delete', { ...edited(user), ...managed(user) }, null);
    });
    await this.announce(id, changes);
  }

  private async insert(manager: EntityManager, admin: Actor, user: Parameters<typeof insertUser>[2]): Promise<User> {
    const created = await insertUser(manager, this.deps.userLedger.postEntry, user);
    await this.deps.userLedger.logBonus(manager, created);
    await this.deps.userLedger.log(manager, admin, created, `Administrator created user ${created.username}`);
    const row = { ...edited(created), ...managed(created), quota: created.quota };
    await this.deps.userLedger.audit(manager, admin, created.id, 'create', null, row);
    return created;
  }

  private async lock(manager: EntityManager, id: number, withDeleted = false): Promise<User> {
    const user = await manager.findOne(User, { where: { id }, withDeleted, lock: { mode: 'pessimistic_write' } });
    if (!user) throw new NotFoundError('User', id);
    return user;
  }

  private async once<T>(
    admin: Actor,
    request: OnceRequest,
    run: (manager: EntityManager) => Promise<T>,
  ): Promise<OnceResult<T>> {
    try {
      return await this.deps.idempotency.once(admin, request, run);
    } catch (error) {
      throw toConflict(error);
    }
  }

  private async write<T>(run: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await withFreshAffiliateCode(() => this.deps.users.manager.transaction(run));
    } catch (error) {
      throw toConflict(error);
    }
  }

  /** @param more changes of organisations and their keys, which stop or start with the user */
  private announce(id: number, more: readonly Change[] = []): Promise<void> {
    return this.deps.changes.announce({ kind: 'user', id }, { kind: 'session', id }, ...more);
  }
}

/** Audited fields of an edit. Balance changes have their own audit entries. */
const edited = ({ username, displayName, email, group, externalId }: User) => ({
  username,
  displayName,
  email,
  group,
  ...(externalId === null ? {} : { externalId }),
});
const managed = ({ role, status, deletedAt }: User) => ({ role, status, deletedAt });

/** Disables the API keys of an account that is deleted, in the same transaction. */
export async function disableTokens(manager: EntityManager, userId: number): Promise<void> {
  await manager.update(Token, { userId, status: 'enabled' }, { status: 'disabled' });
}

/** Converts violations of unique indexes into readable errors. */
export function toConflict(error: unknown): unknown {
  if (isUniqueViolation(error, 'users_username')) return new UsernameTakenError();
  if (isUniqueViolation(error, 'users_external_id'))
    return new ConflictError('External id already in use', 'externalId');
  if (isUniqueViolation(error, 'users_email')) return new ConflictError('E-mail address already in use', 'email');
  return error;
}

const ownSession = (actor: Actor, id: number): string | undefined => (actor.id === id ? actor.sessionId : undefined);

function changedFields(user: User, columns: Partial<User>, password: boolean): string[] {
  const names = Object.entries(columns)
    .filter(([name, value]) => value !== undefined && user[name as keyof User] !== value)
    .map(([name]) => name);
  return [...names, ...(password ? ['password'] : [])];
}

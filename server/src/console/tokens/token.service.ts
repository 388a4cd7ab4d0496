import { randomUUID } from 'node:crypto';
import { In, IsNull, type EntityManager, type Repository, type SelectQueryBuilder } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import { advisoryLocks } from '../../platform/db/advisory-locks.js';
import { readSlice, readSlicesByOwner } from '../../platform/db/keyset.js';
import {
  holds,
  ownKeys,
  requireAccount,
  requireConfirmed,
  requirePermission,
  visibleUsers,
  type Actor,
  type MaybeActor,
} from '../../shared/actor.js';
import { wholeSecond, type Clock } from '../../shared/clock.js';
import { ForbiddenError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { roleMay } from '../../shared/organisation.js';
import { randomAlphanumeric } from '../../shared/ids.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import type { Secrets } from '../../shared/secrets.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { pick } from '../../shared/snake-case.js';
import { createTokenBudgets, type NewTokenBudget } from '../../billing/budgets/index.js';
import type { GroupService } from '../groups/index.js';
import type { Idempotency } from '../../platform/idempotency/idempotency.js';
import { Membership, Project, Token, type TokenStatus } from '../../billing/accounts/index.js';
import type { KeyedToken, TokenKeyService } from './token-keys.service.js';
import {
  assertCanBeEnabled,
  assertKeepsManagers,
  hasExpired,
  isExhausted,
  newTokenDefaults,
  parseToken,
  shownStatus,
  tokenFieldNames,
  type TokenFields,
  type TokenInput,
  withInput,
} from './token-input.js';
import {
  keyLength,
  prefixLength,
  ownFilter,
  tokenQuery,
  tokenSortKeys,
  type TokenFilter,
  type TokenSortField,
} from './token-query.js';
import { grantedQuotas, moveQuota, remainingAfter } from './token-quota.js';

/** The last use of a key, within about a minute. */
export interface TokenUse {
  readonly address: string;
  readonly at: Date;
}

export interface TokenDeps {
  readonly tokens: Repository<Token>;
  readonly keys: Pick<TokenKeyService, 'get'>;
  readonly groups: Pick<GroupService, 'listUsable'>;
  readonly secrets: Secrets;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly idempotency: Idempotency;
}

/** Where a new key of an organisation belongs. Neither is changed later, because usage follows it. */
export interface TokenPlace {
  /** A project of the organisation. Absent: none. */
  readonly projectId?: number | undefined;
  /** The key is of the organisation itself, and not of the member who makes it. */
  readonly isShared?: boolean | undefined;
}

export const maxTokensPerUser = 1000;

/** API keys. Users manage their own. Admins list all of them, without the keys. */
export class TokenService {
  constructor(private readonly deps: TokenDeps) {}

  /**
   * Lists keys, newest first unless sorted.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async list(actor: MaybeActor, filter: TokenFilter, query: ListQuery<TokenSortField>): Promise<Slice<Token>> {
    requirePermission(actor, 'users.read');
    return readSlice<Token, TokenSortField>(this.query(filter), query, tokenSortKeys);
  }

  async listOwn(
    actor: MaybeActor,
    filter: Omit<TokenFilter, 'userIds'>,
    query: ListQuery<TokenSortField>,
  ): Promise<Slice<Token>> {
    return readSlice<Token, TokenSortField>(
      this.query(ownFilter(requireAccount(actor, 'keys.own'), filter)),
      query,
      tokenSortKeys,
    );
  }

  /** Lists the keys of each of these users. Admins read the keys of all users, others their own. */
  async listOf(
    actor: MaybeActor,
    userIds: readonly number[],
    filter: Omit<TokenFilter, 'userIds'>,
    query: ListQuery<TokenSortField>,
  ): Promise<Map<number, Slice<Token>>> {
    const owners = {
      sql: 'token.user_id',
      of: ({ userId }: Token) => userId,
      ids: visibleUsers(actor, userIds, 'users.read', 'keys.all'),
    };
    return readSlicesByOwner<Token, TokenSortField>(this.query(filter), query, tokenSortKeys, owners);
  }

  /** Returns the given tokens that the caller may see: admins see all, others their own. */
  async readMany(actor: MaybeActor, ids: readonly number[]): Promise<Token[]> {
    const reader = requireAccount(actor, 'keys.own');
    return this.query(holds(reader, 'users.read') ? { ids } : ownFilter(reader, { ids })).getMany();
  }

  /** Returns the total of the grants of each of these keys. Admins read those of all users, others their own. */
  async grantedQuotas(actor: MaybeActor, ids: readonly number[]): Promise<Map<number, number>> {
    const reader = requireAccount(actor, 'keys.own');
    return grantedQuotas(this.deps.tokens.manager, ids, holds(reader, 'users.read') ? null : ownKeys(reader));
  }

  /**
   * Returns the last use of each of these keys. Admins read those of all users, others their own. Unused keys are
   * absent.
   */
  async lastUses(actor: MaybeActor, ids: readonly number[]): Promise<Map<number, TokenUse>> {
    const reader = requireAccount(actor, 'keys.own');
    const rows = await this.deps.tokens.manager.query<Array<TokenUse & { id: number }>>(
      `SELECT token_id AS id, address, at FROM token_uses
        WHERE token_id = ANY($1) AND ($2::int IS NULL OR token_id IN
          (SELECT id FROM tokens WHERE user_id = $2 AND ($3::int IS NULL OR member_id = $3)))`,
      [ids, holds(reader, 'users.read') ? null : reader.id, ownKeys(reader).memberId ?? null],
    );
    return new Map(rows.map(({ id, address, at }) => [id, { address, at }]));
  }

  /**
   * Creates a key and its budgets: both or none.
   * @param idempotencyKey a retry with the same key returns the API key of the first call
   * @throws AppError INVALID_INPUT, CONFLICT (same idempotency key, other input), NOT_FOUND (the API key of the first
   * call was deleted), CONFIRMATION_NEEDED, as for showing a key: the response contains it
   */
  async create(
    actor: MaybeActor,
    given: TokenInput,
    budgets: readonly NewTokenBudget[] = [],
    idempotencyKey?: string | null,
    place: TokenPlace = {},
  ): Promise<KeyedToken & { replayed: boolean }> {
    const owner = requireAccount(actor, 'keys.own');
    // A program that may manage keys creates them without confirmation by a user.
    if (owner.apiKeyId === undefined) requireConfirmed(owner);
    let created: KeyedToken | undefined;
    // The input is complete, because REST sends all fields and GraphQL only those that differ from the default.
    const input = { fields: withInput(newTokenDefaults, given), budgets, ...omitUndefined(place) };
    // The id is stored, not the key: results of idempotency keys are not encrypted.
    const { result: id } = await this.deps.idempotency.once(
      owner,
      { operation: 'createToken', key: idempotencyKey, input },
      async (manager) => {
        created = await this.createIn(manager, owner, given, place);
        await createTokenBudgets(manager, owner, created.token.id, budgets);
        return created.token.id;
      },
    );
    if (created) return { ...created, replayed: false };
    if (owner.apiKeyId !== undefined) requireConfirmed(owner);
    return { ...(await this.deps.keys.get(owner, id)), replayed: true };
  }

  /**
   * Creates a key within the caller's transaction.
   * @throws AppError INVALID_INPUT, also at the maximum number of keys
   */
  async createIn(manager: EntityManager, owner: Actor, given: TokenInput, place: TokenPlace = {}): Promise<KeyedToken> {
    const { remainQuota, ...fields } = await this.parse(manager, owner, withInput(newTokenDefaults, given), null);
    const key = randomAlphanumeric(keyLength);
    await manager.query('SELECT pg_advisory_xact_lock($1, $2)', [advisoryLocks.newTokens, owner.id]);
    if ((await manager.countBy(Token, { userId: owner.id })) >= maxTokensPerUser) {
      throw new InvalidInputError(`A user can have at most ${maxTokensPerUser} tokens`);
    }
    const { identifiers } = await manager.insert(Token, {
      ...fields,
      ...(await placeOf(manager, owner, place)),
      userId: owner.id,
      keyHash: this.deps.secrets.hash(key),
      keyPrefix: key.slice(0, prefixLength),
      keySealed: this.deps.secrets.seal(key),
      createdAt: wholeSecond(this.deps.clock.now()),
    });
    const id = (identifiers[0] as { id: number }).id;
    await moveQuota(manager, owner, id, remainQuota, `token:${id}:opening`);
    return { token: await manager.findOneByOrFail(Token, { id }), key, granted: remainQuota };
  }

  /**
   * Changes the given fields. `remainQuota` is set to exactly the new number, even while calls are charged;
   * `grantedQuota` keeps what was spent. A token that had expired or was exhausted is enabled again when it is extended.
   * @param mustEnable refuse when the token could not be enabled with the new values
   * @throws AppError INVALID_INPUT, NOT_FOUND, also for tokens of other users, INSUFFICIENT_PRIVILEGES for an API key that
   * would loosen its own limits or those of another managing key
   */
  async update(actor: MaybeActor, id: number, given: TokenInput, mustEnable = false): Promise<Token> {
    const owner = requireAccount(actor, 'keys.own');
    return this.change(owner, id, (manager, before) => this.updateIn(manager, owner, before, given, mustEnable));
  }

  /** Does what `update` does, for a key that the caller's transaction has locked. */
  async updateIn(
    manager: EntityManager,
    owner: Actor,
    before: Token,
    given: TokenInput,
    mustEnable = false,
  ): Promise<void> {
    const { id } = before;
    const after = await this.changed(manager, owner, before, given);
    if (mustEnable) assertCanBeEnabled(before.status, after, this.deps.clock.now());
    const { remainQuota, ...fields } = after;
    const status = this.isRevived(before.status, after) ? 'enabled' : before.status;
    await manager.update(Token, { id }, { ...fields, status });
    await moveQuota(manager, owner, id, remainQuota - before.remainQuota, `token:${id}:${randomUUID()}`);
  }

  /**
   * @param status only the relay sets the other values
   * @throws AppError INVALID_INPUT for a key that cannot be enabled, NOT_FOUND
   */
  async setStatus(actor: MaybeActor, id: number, status: 'enabled' | 'disabled'): Promise<Token> {
    const owner = requireAccount(actor, 'keys.own');
    return this.change(owner, id, (manager, before) => this.setStatusIn(manager, before, status));
  }

  /** Does what `setStatus` does, for a key that the caller's transaction has locked. */
  async setStatusIn(manager: EntityManager, before: Token, status: 'enabled' | 'disabled'): Promise<void> {
    const now = this.deps.clock.now();
    if (status === 'enabled') assertCanBeEnabled(shownStatus(before, now), before, now);
    await manager.update(Token, { id: before.id }, { status });
  }

  /** @throws AppError NOT_FOUND, also for tokens of other users */
  async delete(actor: MaybeActor, id: number): Promise<void> {
    const owner = requireAccount(actor, 'keys.own');
    const { affected } = await this.deps.tokens.softDelete({ id, ...ownKeys(owner) });
    if (!affected) throw new NotFoundError('Token', id);
    await this.deps.changes.announce({ kind: 'token', id });
  }

  /**
   * Deletes the caller's tokens among these, and leaves those of other users.
   * @returns the number of deleted tokens
   */
  async deleteOwn(actor: MaybeActor, ids: readonly number[]): Promise<number> {
    const owner = requireAccount(actor, 'keys.own');
    const result = await this.deps.tokens
      .createQueryBuilder()
      .softDelete()
      .where({ id: In([...ids]), ...ownKeys(owner) })
      .returning('id')
      .execute();
    const deleted = result.raw as Array<{ readonly id: number }>;
    await this.deps.changes.announce(...deleted.map(({ id }) => ({ kind: 'token' as const, id })));
    return deleted.length;
  }

  private async change(
    owner: Actor,
    id: number,
    work: (manager: EntityManager, before: Token) => Promise<void>,
  ): Promise<Token> {
    const saved = await this.deps.tokens.manager.transaction(async (manager) => {
      const before = await manager.findOne(Token, {
        where: { id, ...ownKeys(owner) },
        lock: { mode: 'for_no_key_update' },
      });
      if (!before) throw new NotFoundError('Token', id);
      await work(manager, before);
      return manager.findOneByOrFail(Token, { id });
    });
    await this.deps.changes.announce({ kind: 'token', id });
    return saved;
  }

  /** The fields after a change. @throws AppError INVALID_INPUT */
  private async changed(
    manager: EntityManager,
    owner: Actor,
    before: Token,
    { grantedQuota, ...given }: TokenInput,
  ): Promise<TokenFields> {
    const fields = withInput(pick(before, tokenFieldNames), given);
    if (grantedQuota === undefined) return this.parse(manager, owner, fields, before);
    const amount = grantedQuota - ((await grantedQuotas(manager, [before.id])).get(before.id) ?? 0);
    // An unchanged number is not checked, because an overdrawn token has a negative one.
    const { remainQuota } = amount === 0 ? before : fields;
    const after = await this.parse(manager, owner, { ...fields, remainQuota }, before);
    return { ...after, remainQuota: remainingAfter(before.remainQuota, amount) };
  }

  private async parse(
    manager: EntityManager,
    owner: Actor,
    fields: TokenFields,
    before: TokenFields | null,
  ): Promise<TokenFields> {
    const usableGroups = (await this.deps.groups.listUsable(owner, manager)).map(({ name }) => name);
    const after = parseToken(fields, before, { usableGroups, now: this.deps.clock.now() });
    assertKeepsManagers(owner, before, after);
    return after;
  }

  private isRevived(status: TokenStatus, values: TokenFields): boolean {
    if (status === 'expired') return !hasExpired(values, this.deps.clock.now());
    return status === 'exhausted' && !isExhausted(values);
  }

  private query(filter: TokenFilter): SelectQueryBuilder<Token> {
    return tokenQuery(this.deps.tokens, this.deps.secrets, filter);
  }
}

/**
 * Returns member and project of a new key. Locks both, so that the key is not made while they end.
 * @throws AppError INVALID_INPUT for an unknown or archived project, and for a key of a person; INSUFFICIENT_PRIVILEGES
 * for a shared key, and for a member who was removed
 */
async function placeOf(
  manager: EntityManager,
  { id, membership }: Actor,
  { projectId, isShared = false }: TokenPlace,
): Promise<Pick<Token, 'memberId' | 'projectId'>> {
  if (!membership) {
    if (projectId !== undefined)
      throw new InvalidInputError('Only keys of an organisation have a project', 'projectId');
    if (isShared) throw new InvalidInputError('Only keys of an organisation can be shared', 'isShared');
    return { memberId: 0, projectId: 0 };
  }
  if (isShared && !roleMay(membership.role, 'keys.all')) {
    throw new ForbiddenError('Only owners make keys of the organisation itself');
  }
  if (membership.id !== 0) {
    const where = { id: membership.id, leftAt: IsNull() };
    const current = await manager.findOne(Membership, { where, lock: { mode: 'pessimistic_read' } });
    if (!current) throw new ForbiddenError('You are not a member of this organisation any more');
  }
  if (projectId !== undefined) {
    const where = { id: projectId, organisationId: id, archivedAt: IsNull() };
    const open = await manager.findOne(Project, { where, lock: { mode: 'pessimistic_read' } });
    if (!open) throw new InvalidInputError('No such project in this organisation', 'projectId');
  }
  return { memberId: isShared ? 0 : membership.id, projectId: projectId ?? 0 };
}

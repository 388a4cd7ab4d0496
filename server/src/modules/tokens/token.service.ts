import { randomUUID } from 'node:crypto';
import { Brackets, type EntityManager, type Repository, type SelectQueryBuilder } from 'typeorm';
import type { Changes } from '../../cache/changes.js';
import { andAmong, andDuring } from '../../db/conditions.js';
import { readSlice, readSlicesByOwner, type SortKeys } from '../../db/keyset.js';
import { requireActor, requireRole, Role, visibleUsers, type Actor, type MaybeActor } from '../../shared/actor.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { randomAlphanumeric } from '../../shared/ids.js';
import { escapeLike, type ListQuery, type PageQuery, type Slice, type Total } from '../../shared/page.js';
import type { Secrets } from '../../shared/secrets.js';
import { pick } from '../../shared/snake-case.js';
import type { TimeRange } from '../../shared/time-range.js';
import type { GroupService } from '../groups/group.service.js';
import { postEntry } from '../quota/post-entry.service.js';
import { Token, TokenStatus } from './token.entity.js';
import { newTokenDefaults, parseToken, tokenFieldNames, type TokenFields } from './token-input.js';

export type { TokenFields };

/** Conditions on API keys. Absent fields do not restrict; an empty list matches nothing. */
export interface TokenFilter {
  readonly ids?: readonly number[];
  readonly userIds?: readonly number[];
  /** Part of the name, a prefix of the key, or the full key, with or without `sk-`. */
  readonly keyword?: string;
  readonly statuses?: readonly number[];
  readonly groups?: readonly string[];
  readonly created?: TimeRange;
  /** Keys that expire in this range. Keys that never expire do not match. */
  readonly expires?: TimeRange;
  /** Keys whose last charged call was in this range. */
  readonly lastUsed?: TimeRange;
  readonly neverUsed?: boolean;
}

export type TokenSortField =
  | ('id' | 'userId' | 'name' | 'status' | 'group')
  | ('createdTime' | 'accessedTime' | 'expiredTime' | 'remainQuota' | 'usedQuota');

/** A token with its key in plain text, without `sk-`: for its owner only. */
export interface KeyedToken {
  readonly token: Token;
  readonly key: string;
}

export interface TokenDeps {
  readonly tokens: Repository<Token>;
  readonly groups: Pick<GroupService, 'listUsable'>;
  readonly secrets: Secrets;
  readonly changes: Changes;
  readonly clock: Clock;
}

const keyLength = 48;
const prefixLength = 6;
export const maxTokensPerUser = 1000;
/** Advisory lock id that serializes creations of one user. An arbitrary number, the same on every node. */
const creationLock = 730_511;

/** API keys. Users manage their own. Admins list all of them, without the keys. */
export class TokenService {
  constructor(private readonly deps: TokenDeps) {}

  /**
   * Newest first unless sorted.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async list(actor: MaybeActor, filter: TokenFilter, query: ListQuery<TokenSortField>): Promise<Slice<Token>> {
    requireRole(actor, 'admin');
    return readSlice<Token, TokenSortField>(this.query(filter), query, sortKeys);
  }

  async listOwn(
    actor: MaybeActor,
    filter: Omit<TokenFilter, 'userIds'>,
    query: ListQuery<TokenSortField>,
  ): Promise<Slice<Token>> {
    return readSlice<Token, TokenSortField>(
      this.query({ ...filter, userIds: [requireActor(actor).id] }),
      query,
      sortKeys,
    );
  }

  /** The keys of each of these users: admins read those of all users, others their own. */
  async listOf(
    actor: MaybeActor,
    userIds: readonly number[],
    filter: Omit<TokenFilter, 'userIds'>,
    query: ListQuery<TokenSortField>,
  ): Promise<Map<number, Slice<Token>>> {
    const owners = { sql: 'token.user_id', of: ({ userId }: Token) => userId, ids: visibleUsers(actor, userIds) };
    return readSlicesByOwner<Token, TokenSortField>(this.query(filter), query, sortKeys, owners);
  }

  /** Those of the given tokens that the caller may see: admins see all, others their own. */
  async readMany(actor: MaybeActor, ids: readonly number[]): Promise<Token[]> {
    const reader = requireActor(actor);
    return this.query(reader.role >= Role.admin ? { ids } : { ids, userIds: [reader.id] }).getMany();
  }

  /** Newest first. */
  async listOwnKeys(
    actor: MaybeActor,
    query: PageQuery,
  ): Promise<{ items: KeyedToken[]; total: () => Promise<Total> }> {
    const keys = this.ownKeys(requireActor(actor));
    const rows = await keys
      .clone()
      .skip(query.page * query.pageSize)
      .take(query.pageSize)
      .getMany();
    return {
      items: rows.map((token) => this.keyed(token)),
      total: async () => ({ count: await keys.getCount(), capped: false }),
    };
  }

  /** The caller's tokens whose name contains the keyword and whose key contains the part, newest first, not paged. */
  async searchOwnKeys(actor: MaybeActor, keyword: string, keyPart: string): Promise<KeyedToken[]> {
    const rows = await this.ownKeys(requireActor(actor))
      .andWhere('token.name ILIKE :part', { part: `%${escapeLike(keyword)}%` })
      .getMany();
    const part = bareKey(keyPart);
    return rows.map((token) => this.keyed(token)).filter(({ key }) => key.includes(part));
  }

  /** @throws AppError NOT_FOUND, also for tokens of other users */
  async getOwnKey(actor: MaybeActor, id: number): Promise<KeyedToken> {
    const owner = requireActor(actor);
    const token = await this.ownKeys(owner).andWhere('token.id = :id', { id }).getOne();
    if (!token) throw new NotFoundError('Token', id);
    return this.keyed(token);
  }

  /** @throws AppError INVALID_INPUT */
  async create(actor: MaybeActor, given: Partial<TokenFields>): Promise<KeyedToken> {
    const owner = requireActor(actor);
    return this.deps.tokens.manager.transaction((manager) => this.createIn(manager, owner, given));
  }

  /** `create` within the caller's transaction. */
  async createIn(manager: EntityManager, owner: Actor, given: Partial<TokenFields>): Promise<KeyedToken> {
    const { remainQuota, ...fields } = this.parse(owner, { ...newTokenDefaults, ...omitUndefined(given) }, null);
    const key = randomAlphanumeric(keyLength);
    const now = seconds(this.deps.clock);
    await manager.query('SELECT pg_advisory_xact_lock($1, $2)', [creationLock, owner.id]);
    if ((await manager.countBy(Token, { userId: owner.id })) >= maxTokensPerUser) {
      throw new InvalidInputError(`A user can have at most ${maxTokensPerUser} tokens`);
    }
    const { identifiers } = await manager.insert(Token, {
      ...fields,
      userId: owner.id,
      keyHash: this.deps.secrets.hash(key),
      keyPrefix: key.slice(0, prefixLength),
      keySealed: this.deps.secrets.seal(key),
      createdTime: now,
      accessedTime: now,
    });
    const id = (identifiers[0] as { id: number }).id;
    await moveQuota(manager, owner, id, remainQuota, `token:${id}:opening`);
    return { token: await manager.findOneByOrFail(Token, { id }), key };
  }

  /**
   * Changes the given fields. The quota is set to exactly the new number, even while calls are charged. A token that
   * had expired or was exhausted is enabled again when it is extended.
   * @param mustEnable refuse when the token could not be enabled with the new values
   * @throws AppError INVALID_INPUT, NOT_FOUND, also for tokens of other users
   */
  async update(actor: MaybeActor, id: number, given: Partial<TokenFields>, mustEnable = false): Promise<Token> {
    const owner = requireActor(actor);
    return this.change(owner, id, async (manager, before) => {
      const after = this.parse(owner, { ...pick(before, tokenFieldNames), ...omitUndefined(given) }, before);
      if (mustEnable) this.assertCanBeEnabled(before.status, after);
      const { remainQuota, ...fields } = after;
      const status = this.isRevived(before.status, after) ? TokenStatus.enabled : before.status;
      await manager.update(Token, { id }, { ...fields, status });
      await moveQuota(manager, owner, id, remainQuota - before.remainQuota, `token:${id}:${randomUUID()}`);
    });
  }

  /**
   * @param status 1 or 2; only the relay sets the other values
   * @throws AppError INVALID_INPUT, NOT_FOUND
   */
  async setStatus(actor: MaybeActor, id: number, status: number): Promise<Token> {
    const owner = requireActor(actor);
    assertOwnersStatus(status);
    return this.change(owner, id, async (manager, before) => {
      if (status === TokenStatus.enabled) this.assertCanBeEnabled(before.status, before);
      await manager.update(Token, { id }, { status });
    });
  }

  /** @throws AppError NOT_FOUND, also for tokens of other users */
  async delete(actor: MaybeActor, id: number): Promise<void> {
    const owner = requireActor(actor);
    const { affected } = await this.deps.tokens.softDelete({ id, userId: owner.id });
    if (!affected) throw new NotFoundError('Token', id);
    await this.deps.changes.announce({ kind: 'token', id });
  }

  private async change(
    owner: Actor,
    id: number,
    work: (manager: EntityManager, before: Token) => Promise<void>,
  ): Promise<Token> {
    const saved = await this.deps.tokens.manager.transaction(async (manager) => {
      const before = await manager.findOne(Token, {
        where: { id, userId: owner.id },
        lock: { mode: 'for_no_key_update' },
      });
      if (!before) throw new NotFoundError('Token', id);
      await work(manager, before);
      return manager.findOneByOrFail(Token, { id });
    });
    await this.deps.changes.announce({ kind: 'token', id });
    return saved;
  }

  private parse(owner: Actor, fields: TokenFields, before: TokenFields | null): TokenFields {
    const usableGroups = this.deps.groups.listUsable(owner).map(({ name }) => name);
    return parseToken(fields, before, { usableGroups, now: seconds(this.deps.clock) });
  }

  private assertCanBeEnabled(status: number, values: TokenFields): void {
    if (status === TokenStatus.expired && this.hasExpired(values)) {
      throw new InvalidInputError('Token expired, change its expiry first', 'expiresAt');
    }
    if (status === TokenStatus.exhausted && isExhausted(values)) {
      throw new InvalidInputError('Token quota exhausted, change its quota first', 'quota');
    }
  }

  private isRevived(status: number, values: TokenFields): boolean {
    if (status === TokenStatus.expired) return !this.hasExpired(values);
    return status === TokenStatus.exhausted && !isExhausted(values);
  }

  private hasExpired({ expiredTime }: TokenFields): boolean {
    return expiredTime !== -1 && expiredTime <= seconds(this.deps.clock);
  }

  private query(filter: TokenFilter): SelectQueryBuilder<Token> {
    const { ids, userIds, keyword, statuses, groups, created, expires, lastUsed, neverUsed } = filter;
    const query = this.deps.tokens.createQueryBuilder('token');
    andAmong(query, 'token.id', ids);
    andAmong(query, 'token.user_id', userIds);
    andAmong(query, 'token.status', statuses);
    andAmong(query, 'token."group"', groups);
    if (keyword) {
      const key = bareKey(keyword);
      query.andWhere(
        new Brackets((either) => {
          either.where('token.name ILIKE :name', { name: `%${escapeLike(keyword)}%` });
          if (key === '') return;
          either.orWhere('token.keyPrefix LIKE :prefix', { prefix: `${escapeLike(key)}%` });
          either.orWhere('token.keyHash = :hash', { hash: this.deps.secrets.hash(key) });
        }),
      );
    }
    andDuring(query, 'token.created_time', created);
    if (expires?.from || expires?.until) query.andWhere('token.expired_time >= 0');
    andDuring(query, 'token.expired_time', expires);
    if (lastUsed?.from || lastUsed?.until) query.andWhere(used);
    andDuring(query, 'token.accessed_time', lastUsed);
    if (neverUsed !== undefined) query.andWhere(neverUsed ? `NOT (${used})` : used);
    return query;
  }

  /** Newest first. */
  private ownKeys(owner: Actor): SelectQueryBuilder<Token> {
    return this.query({ userIds: [owner.id] })
      .addSelect('token.keySealed')
      .orderBy('token.id', 'DESC');
  }

  private keyed(token: Token): KeyedToken {
    return { token, key: this.deps.secrets.open(token.keySealed) };
  }
}

/** Posts the difference as a ledger entry. Nothing else here writes the remaining quota. */
async function moveQuota(
  manager: EntityManager,
  owner: Actor,
  tokenId: number,
  amount: number,
  source: string,
): Promise<void> {
  if (amount === 0) return;
  await postEntry(manager, { source, kind: 'token_limit', userId: owner.id, tokenId, amount, actorId: owner.id });
}

/** The last call of a new token is its creation time. */
const used = '(token.accessed_time > token.created_time OR token.used_quota <> 0)';
export const wasUsed = ({ accessedTime, createdTime, usedQuota }: Token): boolean =>
  accessedTime > createdTime || usedQuota !== 0;

const sortKeys: SortKeys<Token, TokenSortField> = {
  id: { sql: 'token.id', value: ({ id }) => id },
  userId: { sql: 'token.user_id', value: ({ userId }) => userId },
  name: { sql: 'token.name', value: ({ name }) => name },
  status: { sql: 'token.status', value: ({ status }) => status },
  group: { sql: 'token."group"', value: ({ group }) => group },
  createdTime: { sql: 'token.created_time', value: ({ createdTime }) => createdTime },
  accessedTime: {
    sql: `CASE WHEN ${used} THEN token.accessed_time END`,
    value: (token) => (wasUsed(token) ? token.accessedTime : null),
    nullable: true,
  },
  expiredTime: {
    sql: 'nullif(token.expired_time, -1)',
    value: ({ expiredTime }) => (expiredTime === -1 ? null : expiredTime),
    nullable: true,
  },
  remainQuota: { sql: 'token.remain_quota', value: ({ remainQuota }) => remainQuota },
  usedQuota: { sql: 'token.used_quota', value: ({ usedQuota }) => usedQuota },
};

/** Only the relay sets a token to expired or exhausted. */
function assertOwnersStatus(status: number): void {
  if (status !== TokenStatus.enabled && status !== TokenStatus.disabled) {
    throw new InvalidInputError('A token can be enabled (1) or disabled (2)', 'status');
  }
}

const isExhausted = ({ unlimitedQuota, remainQuota }: TokenFields): boolean => !unlimitedQuota && remainQuota <= 0;

const bareKey = (key: string): string => key.trim().replace(/^sk-/, '');

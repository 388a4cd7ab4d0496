import { randomUUID } from 'node:crypto';
import { Brackets, type EntityManager, type Repository, type SelectQueryBuilder } from 'typeorm';
import type { Changes } from '../../cache/changes.js';
import { requireActor, requireRole, type Actor, type MaybeActor } from '../../shared/actor.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { randomAlphanumeric } from '../../shared/ids.js';
import { escapeLike, type Page, type PageQuery } from '../../shared/page.js';
import type { Secrets } from '../../shared/secrets.js';
import type { GroupService } from '../groups/group.service.js';
import { postEntry } from '../quota/post-entry.service.js';
import { Token, TokenStatus } from './token.entity.js';
import { newTokenDefaults, parseToken, type TokenFields } from './token-input.js';

export type { TokenFields };

export interface TokenFilter {
  /** Part of the name, the beginning of the key, or the whole key, with or without `sk-`. */
  readonly keyword?: string;
  readonly userId?: number;
  readonly status?: number;
}

/** A token with its key in clear, without `sk-`: for its owner only. */
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
/** Any number, the same on every node: creations of one user wait for each other. */
const creationLock = 730_511;

/** API keys. Everybody manages his own; admins list all of them, without keys. */
export class TokenService {
  constructor(private readonly deps: TokenDeps) {}

  async list(actor: MaybeActor, filter: TokenFilter, query: PageQuery): Promise<Page<Token>> {
    requireRole(actor, 'admin');
    return this.readPage(filter, query);
  }

  async listOwn(actor: MaybeActor, filter: Omit<TokenFilter, 'userId'>, query: PageQuery): Promise<Page<Token>> {
    return this.readPage({ ...filter, userId: requireActor(actor).id }, query);
  }

  /** Newest first. */
  async listOwnKeys(actor: MaybeActor, query: PageQuery): Promise<KeyedToken[]> {
    const rows = await this.withKeys({ userId: requireActor(actor).id }, query.sort)
      .skip(query.page * query.pageSize)
      .take(query.pageSize)
      .getMany();
    return rows.map((token) => this.keyed(token));
  }

  /** Own tokens whose name contains the keyword and whose key contains the part, newest first, not paged. */
  async searchOwnKeys(actor: MaybeActor, keyword: string, keyPart: string): Promise<KeyedToken[]> {
    const rows = await this.withKeys({ userId: requireActor(actor).id }, undefined)
      .andWhere('token.name ILIKE :part', { part: `%${escapeLike(keyword)}%` })
      .getMany();
    const part = bareKey(keyPart);
    return rows.map((token) => this.keyed(token)).filter(({ key }) => key.includes(part));
  }

  /** @throws AppError NOT_FOUND, also for one of another user */
  async getOwnKey(actor: MaybeActor, id: number): Promise<KeyedToken> {
    const owner = requireActor(actor);
    const token = await this.withKeys({ userId: owner.id }, undefined).andWhere('token.id = :id', { id }).getOne();
    if (!token) throw new NotFoundError('Token', id);
    return this.keyed(token);
  }

  /** @throws AppError INVALID_INPUT */
  async create(actor: MaybeActor, given: Partial<TokenFields>): Promise<KeyedToken> {
    const owner = requireActor(actor);
    return this.deps.tokens.manager.transaction((manager) => this.createIn(manager, owner, given));
  }

  /** The same in a transaction of the caller's. */
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
   * Changes what is given. Its quota is set to the new number whatever is being spent meanwhile; a token that had
   * expired
   * or run out and is extended is enabled again.
   * @param wish `enabled`: refuse when it could not be; a number is stored, too
   * @throws AppError INVALID_INPUT, NOT_FOUND also for somebody else's
   */
  async update(actor: MaybeActor, id: number, given: Partial<TokenFields>, wish?: 'enabled' | number): Promise<Token> {
    const owner = requireActor(actor);
    if (typeof wish === 'number') assertOwnersStatus(wish);
    return this.change(owner, id, async (manager, before) => {
      const after = this.parse(owner, { ...fieldsOf(before), ...omitUndefined(given) }, before);
      if (wish === 'enabled' || wish === TokenStatus.enabled) this.assertCanBeEnabled(before.status, after);
      const { remainQuota, ...fields } = after;
      const kept = this.isRevived(before.status, after) ? TokenStatus.enabled : before.status;
      await manager.update(Token, { id }, { ...fields, status: typeof wish === 'number' ? wish : kept });
      await moveQuota(manager, owner, id, remainQuota - before.remainQuota, `token:${id}:${randomUUID()}`);
    });
  }

  /** @param status 1 or 2; the others are the relay's to set @throws AppError INVALID_INPUT, NOT_FOUND */
  async setStatus(actor: MaybeActor, id: number, status: number): Promise<Token> {
    const owner = requireActor(actor);
    assertOwnersStatus(status);
    return this.change(owner, id, async (manager, before) => {
      if (status === TokenStatus.enabled) this.assertCanBeEnabled(before.status, before);
      await manager.update(Token, { id }, { status });
    });
  }

  /** @throws AppError NOT_FOUND, also for one of another user */
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
      throw new InvalidInputError('Token expired, change its expiry first', 'expiredTime');
    }
    if (status === TokenStatus.exhausted && isExhausted(values)) {
      throw new InvalidInputError('Token quota exhausted, change its quota first', 'remainQuota');
    }
  }

  private isRevived(status: number, values: TokenFields): boolean {
    if (status === TokenStatus.expired) return !this.hasExpired(values);
    return status === TokenStatus.exhausted && !isExhausted(values);
  }

  private hasExpired({ expiredTime }: TokenFields): boolean {
    return expiredTime !== -1 && expiredTime <= seconds(this.deps.clock);
  }

  private async readPage(filter: TokenFilter, query: PageQuery): Promise<Page<Token>> {
    const [items, totalCount] = await this.query(filter, query.sort)
      .skip(query.page * query.pageSize)
      .take(query.pageSize)
      .getManyAndCount();
    return { items, totalCount };
  }

  private query({ keyword, userId, status }: TokenFilter, sort: PageQuery['sort']): SelectQueryBuilder<Token> {
    const query = this.deps.tokens.createQueryBuilder('token');
    if (userId !== undefined) query.andWhere('token.userId = :userId', { userId });
    if (status !== undefined) query.andWhere('token.status = :status', { status });
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
    return applySort(query, sort);
  }

  private withKeys(filter: TokenFilter, sort: PageQuery['sort']): SelectQueryBuilder<Token> {
    return this.query(filter, sort).addSelect('token.keySealed');
  }

  private keyed(token: Token): KeyedToken {
    return { token, key: this.deps.secrets.open(token.keySealed) };
  }
}

/** The one way a token's remaining quota moves here: the difference, as an entry of the books. */
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

const sortable: readonly (keyof Token)[] = [
  ...(['id', 'name', 'status', 'createdTime', 'accessedTime', 'expiredTime'] as const),
  ...(['remainQuota', 'usedQuota', 'group', 'userId'] as const),
];

function applySort(query: SelectQueryBuilder<Token>, sort: PageQuery['sort']): SelectQueryBuilder<Token> {
  const field = sort ? sortable.find((name) => name === sort.field) : 'id';
  if (!field) throw new InvalidInputError('Tokens cannot be sorted by this field', 'sort');
  query.orderBy(`token.${field}`, sort?.direction ?? 'DESC');
  return field === 'id' ? query : query.addOrderBy('token.id', 'DESC');
}

/** Expired and exhausted are for the relay to set. */
function assertOwnersStatus(status: number): void {
  if (status !== TokenStatus.enabled && status !== TokenStatus.disabled) {
    throw new InvalidInputError('A token can be enabled (1) or disabled (2)', 'status');
  }
}

const isExhausted = ({ unlimitedQuota, remainQuota }: TokenFields): boolean => !unlimitedQuota && remainQuota <= 0;

const bareKey = (key: string): string => key.trim().replace(/^sk-/, '');

const fieldsOf = (token: Token): TokenFields => ({
  name: token.name,
  expiredTime: token.expiredTime,
  remainQuota: token.remainQuota,
  unlimitedQuota: token.unlimitedQuota,
  modelLimitsEnabled: token.modelLimitsEnabled,
  modelLimits: token.modelLimits,
  allowIps: token.allowIps,
  group: token.group,
  rateLimitEnabled: token.rateLimitEnabled,
  rateLimitPeriod: token.rateLimitPeriod,
  rateLimitCount: token.rateLimitCount,
  rateLimitSuccess: token.rateLimitSuccess,
});

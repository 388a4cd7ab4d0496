import type { Repository, SelectQueryBuilder } from 'typeorm';
import { requireAccount, requireConfirmed, type Actor, type MaybeActor } from '../../shared/actor.js';
import { NotFoundError } from '../../shared/errors.js';
import { escapeLike, type PageQuery, type Total } from '../../shared/page.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Token } from '../../billing/accounts/index.js';
import { bareKey, ownFilter, tokenQuery } from './token-query.js';
import { grantedQuotas } from './token-quota.js';

/** A token with its key in plain text, without `sk-`: for its owner only. */
export interface KeyedToken {
  readonly token: Token;
  readonly key: string;
  /** All quota that the owner has granted to the token, spent or not. */
  readonly granted: number;
}

/** Reads the caller's own API keys with their text. */
export class TokenKeyService {
  constructor(private readonly deps: { readonly tokens: Repository<Token>; readonly secrets: Secrets }) {}

  /** Lists the caller's own keys, newest first. */
  async list(actor: MaybeActor, query: PageQuery): Promise<{ items: KeyedToken[]; total: () => Promise<Total> }> {
    const owner = requireAccount(actor, 'keys.own');
    const keys = this.ownKeys(owner);
    const rows = await keys
      .clone()
      .skip(query.page * query.pageSize)
      .take(query.pageSize)
      .getMany();
    return {
      items: await this.keyed(owner, rows),
      total: async () => ({ count: await keys.getCount(), capped: false }),
    };
  }

  /**
   * Finds the caller's tokens whose name contains the keyword and whose key contains the part, newest first, without
   * pages.
   */
  async search(actor: MaybeActor, keyword: string, keyPart: string): Promise<KeyedToken[]> {
    const owner = requireAccount(actor, 'keys.own');
    const rows = await this.ownKeys(owner)
      .andWhere('token.name ILIKE :part', { part: `%${escapeLike(keyword)}%` })
      .getMany();
    const part = bareKey(keyPart);
    return (await this.keyed(owner, rows)).filter(({ key }) => key.includes(part));
  }

  /**
   * Returns the key in plain text.
   * @throws AppError NOT_FOUND, also for tokens of other users; CONFIRMATION_NEEDED
   */
  async reveal(actor: MaybeActor, id: number): Promise<string> {
    requireConfirmed(requireAccount(actor, 'keys.own'));
    return (await this.get(actor, id)).key;
  }

  /**
   * Returns the keys in plain text, by id.
   * @throws AppError NOT_FOUND, also when one of them is a token of another user; CONFIRMATION_NEEDED
   */
  async revealMany(actor: MaybeActor, ids: readonly number[]): Promise<Map<number, string>> {
    const owner = requireAccount(actor, 'keys.own');
    requireConfirmed(owner);
    const rows = await this.ownKeys(owner).andWhere('token.id IN (:...ids)', { ids }).getMany();
    const keys = new Map((await this.keyed(owner, rows)).map(({ token, key }) => [token.id, key]));
    const missing = ids.find((id) => !keys.has(id));
    if (missing !== undefined) throw new NotFoundError('Token', missing);
    return keys;
  }

  /** @throws AppError NOT_FOUND, also for tokens of other users */
  async get(actor: MaybeActor, id: number): Promise<KeyedToken> {
    const owner = requireAccount(actor, 'keys.own');
    const token = await this.ownKeys(owner).andWhere('token.id = :id', { id }).getOne();
    const [keyed] = token ? await this.keyed(owner, [token]) : [];
    if (!keyed) throw new NotFoundError('Token', id);
    return keyed;
  }

  /** Returns a query of the owner's keys, newest first. */
  private ownKeys(owner: Actor): SelectQueryBuilder<Token> {
    const { tokens, secrets } = this.deps;
    return tokenQuery(tokens, secrets, ownFilter(owner, {})).addSelect('token.keySealed').orderBy('token.id', 'DESC');
  }

  /** Lists hide the keys in a session that was not confirmed with the user's second factor. */
  private async keyed(owner: Actor, tokens: readonly Token[]): Promise<KeyedToken[]> {
    const granted = await grantedQuotas(
      this.deps.tokens.manager,
      tokens.map(({ id }) => id),
    );
    return tokens.map((token) => ({
      token,
      key: owner.isUnconfirmed ? `${token.keyPrefix}**********` : this.deps.secrets.open(token.keySealed),
      granted: granted.get(token.id) ?? 0,
    }));
  }
}

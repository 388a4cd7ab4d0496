import type { Repository } from 'typeorm';
import type { Changes } from '../../cache/changes.js';
import { requireActor, requireConfirmed, type MaybeActor } from '../../shared/actor.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { randomAlphanumeric } from '../../shared/ids.js';
import type { Secrets } from '../../shared/secrets.js';
import { Token } from './token.entity.js';
import { keyLength, prefixLength } from './token-query.js';

/** Longest time for which both keys work, in seconds. */
const maxOverlapSeconds = 366 * 86_400;

export interface RotationDeps {
  readonly tokens: Repository<Token>;
  readonly secrets: Secrets;
  readonly changes: Changes;
  readonly clock: Clock;
}

/** Gives an API key new text. Its id, limits, budgets and usage stay. */
export class TokenRotation {
  constructor(private readonly deps: RotationDeps) {}

  /**
   * The key's text until now works until `overlapUntil`; a text from before that ends at once.
   * @param overlapUntil Unix seconds, at most 366 days from now; null: the old text ends at once
   * @returns the row and the new text without `sk-`, which no later response contains without confirmation
   * @throws AppError INVALID_INPUT, NOT_FOUND (also for keys of other users), CONFIRMATION_NEEDED
   */
  async rotate(actor: MaybeActor, id: number, overlapUntil: number | null): Promise<{ token: Token; key: string }> {
    const owner = requireActor(actor);
    // A program that may manage keys rotates them without a user.
    if (owner.apiKeyId === undefined) requireConfirmed(owner);
    const now = seconds(this.deps.clock);
    if (overlapUntil !== null && (overlapUntil <= now || overlapUntil > now + maxOverlapSeconds)) {
      throw new InvalidInputError('The old key can work for 366 days at most, and not in the past', 'overlapUntil');
    }
    const key = randomAlphanumeric(keyLength);
    const token = await this.change(owner.id, id, {
      ...(overlapUntil === null
        ? { previousKeyHash: null, previousKeyUntil: 0 }
        : { previousKeyHash: () => 'key_hash', previousKeyUntil: overlapUntil }),
      keyHash: this.deps.secrets.hash(key),
      keyPrefix: key.slice(0, prefixLength),
      keySealed: this.deps.secrets.seal(key),
    });
    return { token, key };
  }

  /**
   * Ends the overlap of the last rotation now. Changes nothing when there is none.
   * @throws AppError NOT_FOUND, also for keys of other users
   */
  async endPrevious(actor: MaybeActor, id: number): Promise<Token> {
    return this.change(requireActor(actor).id, id, { previousKeyHash: null, previousKeyUntil: 0 });
  }

  private async change(userId: number, id: number, set: object): Promise<Token> {
    const { tokens, changes } = this.deps;
    const { affected } = await tokens.createQueryBuilder().update(Token).set(set).where({ id, userId }).execute();
    const token = affected ? await tokens.findOneBy({ id, userId }) : null;
    if (!token) throw new NotFoundError('Token', id);
    await changes.announce({ kind: 'token', id });
    return token;
  }
}

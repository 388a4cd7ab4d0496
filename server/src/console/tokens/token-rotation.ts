import type { EntityManager, Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import { ownKeys, requireAccount, requireConfirmed, type Actor, type MaybeActor } from '../../shared/actor.js';
import { wholeSecond, type Clock } from '../../shared/clock.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { randomAlphanumeric } from '../../shared/ids.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Idempotency } from '../../platform/idempotency/idempotency.js';
import { Token } from '../../billing/accounts/index.js';
import { isManager, managersOnly } from './token-input.js';
import { keyLength, prefixLength } from './token-query.js';

/** Longest time for which both keys work. */
const maxOverlapMilliseconds = 366 * 86_400_000;

export interface RotationDeps {
  readonly tokens: Repository<Token>;
  readonly secrets: Secrets;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly idempotency: Pick<Idempotency, 'once'>;
}

export interface Rotated {
  readonly token: Token;
  /** The new text without `sk-`. */
  readonly key: string;
  /** Whether an earlier call with the same idempotency key rotated the key. */
  readonly replayed: boolean;
}

/** The stored result of an idempotency key. It does not contain the text. */
interface RotationResult {
  /** Keyed hash of the new text, in hex. */
  readonly keyHash: string;
  /** The API key that rotated it; null when its owner did. */
  readonly apiKeyId: number | null;
}

/** Replaces the text of an API key. Its id, limits, budgets and usage stay. */
export class TokenRotation {
  constructor(private readonly deps: RotationDeps) {}

  /**
   * The key's text until now works until `overlapUntil`; a text from before that ends at once.
   * @param overlapUntil at most 366 days from now; null: the old text ends at once
   * @param idempotencyKey a retry with the same key returns the text of the first call: another rotation would end the
   *   text that was to work until `overlapUntil`
   * @returns the row and the new text without `sk-`, which no later response contains without confirmation
   * @throws AppError INVALID_INPUT, NOT_FOUND (also for keys of other users), CONFIRMATION_NEEDED, CONFLICT (same
   *   idempotency key, other input; or the key was rotated again since), INSUFFICIENT_PRIVILEGES (an API key rotates
   *   another one that manages keys)
   */
  async rotate(
    actor: MaybeActor,
    id: number,
    overlapUntil: Date | null,
    idempotencyKey: string | null = null,
  ): Promise<Rotated> {
    const owner = requireAccount(actor, 'keys.own');
    // A program that may manage keys rotates them without confirmation by a user.
    if (owner.apiKeyId === undefined) requireConfirmed(owner);
    let rotated: { token: Token; key: string } | undefined;
    const request = { operation: 'rotateToken', key: idempotencyKey, input: { id, overlapUntil } };
    const { result } = await this.deps.idempotency.once<RotationResult>(owner, request, async (manager) => {
      rotated = await this.renewIn(manager, owner, id, overlapUntil);
      return { keyHash: this.deps.secrets.hash(rotated.key).toString('hex'), apiKeyId: owner.apiKeyId ?? null };
    });
    if (!rotated) return { ...(await this.rotatedBefore(owner, id, result)), replayed: true };
    await this.deps.changes.announce({ kind: 'token', id });
    return { ...rotated, replayed: false };
  }

  /** Does what `rotate` does, within the caller's transaction, which has checked the actor. */
  async renewIn(
    manager: EntityManager,
    owner: Actor,
    id: number,
    overlapUntil: Date | null,
  ): Promise<{ token: Token; key: string }> {
    const previousKeyUntil = overlapUntil && wholeSecond(overlapUntil.getTime());
    const left = previousKeyUntil ? previousKeyUntil.getTime() - this.deps.clock.now() : null;
    // A date that is out of range has no time, so it must not pass the comparisons.
    if (left !== null && !(left > 0 && left <= maxOverlapMilliseconds)) {
      throw new InvalidInputError('The old key can work for 366 days at most, and not in the past', 'overlapUntil');
    }
    const key = randomAlphanumeric(keyLength);
    const token = await this.change(manager, owner, id, {
      previousKeyHash: previousKeyUntil ? () => 'key_hash' : null,
      previousKeyUntil,
      keyHash: this.deps.secrets.hash(key),
      keyPrefix: key.slice(0, prefixLength),
      keySealed: this.deps.secrets.seal(key),
    });
    if (owner.apiKeyId !== undefined && id !== owner.apiKeyId && isManager(token)) throw managersOnly();
    return { token, key };
  }

  private async rotatedBefore(
    owner: Actor,
    id: number,
    { keyHash, apiKeyId }: RotationResult,
  ): Promise<{ token: Token; key: string }> {
    // An API key may only read the text of its own rotation.
    if (owner.apiKeyId !== undefined && owner.apiKeyId !== apiKeyId) requireConfirmed(owner);
    const token = await this.deps.tokens
      .createQueryBuilder('token')
      .addSelect('token.keySealed')
      .where({ id, ...ownKeys(owner) })
      .getOne();
    if (!token) throw new NotFoundError('Token', id);
    const key = this.deps.secrets.open(token.keySealed);
    if (this.deps.secrets.hash(key).toString('hex') !== keyHash) {
      throw new ConflictError('The key was rotated again since', 'idempotencyKey');
    }
    return { token, key };
  }

  /**
   * Ends the overlap of the last rotation now. Changes nothing when there is none.
   * @throws AppError NOT_FOUND, also for keys of other users
   */
  async endPrevious(actor: MaybeActor, id: number): Promise<Token> {
    const set = { previousKeyHash: null, previousKeyUntil: null };
    const token = await this.change(this.deps.tokens.manager, requireAccount(actor, 'keys.own'), id, set);
    await this.deps.changes.announce({ kind: 'token', id });
    return token;
  }

  private async change(manager: EntityManager, owner: Actor, id: number, set: object): Promise<Token> {
    const which = { id, ...ownKeys(owner) };
    const { affected } = await manager.createQueryBuilder().update(Token).set(set).where(which).execute();
    const token = affected ? await manager.findOneBy(Token, which) : null;
    if (!token) throw new NotFoundError('Token', id);
    return token;
  }
}

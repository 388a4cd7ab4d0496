import type { SharedState } from '../cache/shared-state.js';
import { personOf, type Actor, type MaybeActor } from '../../shared/actor.js';
import { addressKey } from '../../shared/address.js';
import { AppError } from '../../shared/errors.js';
import { millisecondsIn, secondsIn } from '../../shared/clock.js';

const windowSeconds = 60;

export interface Spending {
  readonly allowed: boolean;
  /** The remaining budget of the credential until `resetsInSeconds`. */
  readonly remaining: number;
  readonly resetsInSeconds: number;
}

/**
 * Limits the GraphQL cost of each credential per minute. Callers are distinguished by credential, not by address,
 * because many users may share one address and one program may use many. Only callers without a credential are counted
 * by address, if the site limits addresses.
 */
export class CostBudget {
  constructor(
    private readonly state: Pick<SharedState, 'incrementBy'>,
    private readonly perMinute: number,
    private readonly limitsAddresses: boolean,
  ) {}

  /**
   * Spends a cost.
   * @returns null when there is no limit. If the store is unavailable calls are allowed, because it must not stop the
   * site
   */
  async spend(actor: MaybeActor, address: string, cost: number): Promise<Spending | null> {
    if (!actor && !this.limitsAddresses) return null;
    const now = Date.now();
    const minute = Math.floor(now / millisecondsIn(windowSeconds));
    const spent = await this.state
      .incrementBy(
        `limit:cost:${actor ? credentialOf(actor) : `address:${addressKey(address)}`}:${minute}`,
        cost,
        windowSeconds * 2,
      )
      .catch(() => 0);
    return {
      allowed: spent <= this.perMinute,
      remaining: Math.max(0, this.perMinute - spent),
      resetsInSeconds: Math.max(1, Math.ceil(secondsIn((minute + 1) * millisecondsIn(windowSeconds) - now))),
    };
  }
}

export const budgetSpent = ({ resetsInSeconds }: Spending): AppError =>
  new AppError('RATE_LIMITED', 'This credential has used its GraphQL cost limit for this minute. Try again later.', {
    retryAfterSeconds: resetsInSeconds,
  });

/** Returns the name of a budget: one for all sessions of a person, and one for each named access token. */
const credentialOf = (actor: Actor): string =>
  actor.accessTokenId === undefined ? `user:${personOf(actor).id}` : `token:${actor.accessTokenId}`;

import type { SharedState } from '../cache/shared-state.js';
import type { Actor } from '../shared/actor.js';
import { AppError } from '../shared/errors.js';

const windowSeconds = 60;

export interface Spending {
  readonly allowed: boolean;
  /** What the credential may still spend until `resetsInSeconds`. */
  readonly remaining: number;
  readonly resetsInSeconds: number;
}

/**
 * What each credential may spend on GraphQL in a minute. Callers are told apart by credential, not by address: many
 * people sit behind one address, and one program may use many.
 */
export class CostBudget {
  /** @param perMinute 0 means unlimited */
  constructor(
    private readonly state: Pick<SharedState, 'incrementBy'>,
    private readonly perMinute: number,
  ) {}

  /** Null when nothing is limited. An unavailable store lets calls through: it must not stop the site. */
  async spend(actor: Actor, cost: number): Promise<Spending | null> {
    if (this.perMinute === 0) return null;
    const now = Date.now();
    const minute = Math.floor(now / (windowSeconds * 1000));
    const spent = await this.state
      .incrementBy(`limit:cost:${credentialOf(actor)}:${minute}`, cost, windowSeconds * 2)
      .catch(() => 0);
    return {
      allowed: spent <= this.perMinute,
      remaining: Math.max(0, this.perMinute - spent),
      resetsInSeconds: Math.max(1, Math.ceil(((minute + 1) * windowSeconds * 1000 - now) / 1000)),
    };
  }
}

export const budgetSpent = ({ resetsInSeconds }: Spending): AppError =>
  new AppError('RATE_LIMITED', 'This credential has spent what it may in a minute, try again later', {
    retryAfterSeconds: resetsInSeconds,
  });

/** One budget for a user's sessions, one for each of their named access tokens. */
const credentialOf = ({ id, accessTokenId }: Actor): string =>
  accessTokenId === undefined ? `user:${id}` : `token:${accessTokenId}`;

import type { SharedState } from '../../platform/cache/shared-state.js';
import { raisedLimit } from '../../billing/plans/index.js';
import type { OptionValues } from '../../options/option.service.js';
import { AppError } from '../../shared/errors.js';
import type { Caller } from './authentication.js';

/** Options of the model rate limits. */
export interface RateSettings {
  readonly values: Pick<
    OptionValues,
    | 'ModelRequestRateLimitEnabled'
    | 'ModelRequestRateLimitDurationMinutes'
    | 'ModelRequestRateLimitCount'
    | 'ModelRequestRateLimitSuccessCount'
    | 'ModelRequestRateLimitGroup'
  >;
}

/** At most this many hits of `key` within any window of this many seconds; 0 means no limit. */
interface Limit {
  readonly key: string;
  readonly most: number;
  readonly windowSeconds: number;
  readonly refusal: string;
  /** Whether all calls are counted, and not only successful ones. */
  readonly countsAll: boolean;
}

/** Coding agents count tokens before each turn, and make a few turns per second at most. */
const countsPerMinute = 240;

/**
 * Limits how often a key and a user may call models, over all nodes (docs/reference/relay/access.md#model-rate-limits).
 * One count has all calls, another the successful calls. The key's own limits are checked first. Every step is one
 * atomic step of the shared state. Refused calls are not counted.
 */
export class ModelRateLimit {
  constructor(
    private readonly state: Pick<SharedState, 'hit' | 'peek'>,
    private readonly settings: RateSettings,
  ) {}

  /**
   * Counts a call. Only for callers that are limited (`isRateLimited`).
   * @throws AppError RATE_LIMITED
   */
  async enter(caller: Caller): Promise<void> {
    const limits = this.limitsOf(caller);
    // Limits are checked before any is counted, so that a call refused by one limit is not counted by another.
    for (const limit of limits) await this.ask('peek', limit);
    for (const limit of limits) if (limit.countsAll) await this.ask('hit', limit);
  }

  /**
   * Counts a call that only counts tokens. Such calls have their own limit, because they cost CPU and no quota.
   * @throws AppError RATE_LIMITED
   */
  count({ user }: Caller): Promise<void> {
    const refusal = `Request limit reached: at most ${countsPerMinute} token counts per minute`;
    return this.ask('hit', {
      key: `rate:{${user.id}}:count`,
      most: countsPerMinute,
      windowSeconds: 60,
      refusal,
      countsAll: true,
    });
  }

  /** Counts a successful call. Call it after a response with a status below 400. */
  async succeeded(caller: Caller): Promise<void> {
    for (const { countsAll, key, most, windowSeconds } of this.limitsOf(caller)) {
      if (!countsAll) await this.state.hit(key, most, windowSeconds);
    }
  }

  private async ask(how: 'peek' | 'hit', { key, most, windowSeconds, refusal }: Limit): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.state[how](key, most, windowSeconds);
    if (allowed) return;
    throw new AppError('RATE_LIMITED', refusal, { retryAfterSeconds: Math.max(1, retryAfterSeconds) });
  }

  /** The limits that apply, in the order in which they are checked. */
  private limitsOf({ user, token }: Caller): Limit[] {
    const limits: Limit[] = [];
    const { rateLimit } = token;
    if (rateLimit) {
      const { periodSeconds: windowSeconds, calls, successes } = rateLimit;
      const shared = { windowSeconds, refusal: 'Key-level rate limit exceed.' };
      limits.push({ ...shared, key: `rate:{t${token.id}}:model:all`, most: calls ?? 0, countsAll: true });
      limits.push({ ...shared, key: `rate:{t${token.id}}:model:success`, most: successes ?? 0, countsAll: false });
    }
    const { values } = this.settings;
    if (values.ModelRequestRateLimitEnabled) {
      const minutes = Math.max(1, values.ModelRequestRateLimitDurationMinutes);
      const group = token.group || user.group || 'default';
      const [count, success] = values.ModelRequestRateLimitGroup[group] ?? [
        values.ModelRequestRateLimitCount,
        values.ModelRequestRateLimitSuccessCount,
      ];
      const raisedSuccess = raisedLimit(success, user.plans, 'maxRequests');
      const raised = raisedLimit(count, user.plans, 'maxRequests');
      const windowSeconds = minutes * 60;
      const described = (most: number): string =>
        `Request limit reached: at most ${most} requests in ${minutes} minutes`;
      limits.push({
        key: `rate:{${user.id}}:model:all`,
        most: raised,
        windowSeconds,
        countsAll: true,
        refusal: `${described(raised)}, failures included`,
      });
      limits.push({
        key: `rate:{${user.id}}:model:success`,
        most: raisedSuccess,
        windowSeconds,
        countsAll: false,
        refusal: described(raisedSuccess),
      });
    }
    return limits.filter(({ most }) => most > 0);
  }
}

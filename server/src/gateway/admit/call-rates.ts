import type { SharedState } from '../../platform/cache/shared-state.js';
import type { WindowCount } from '../../platform/cache/sliding-count.js';
import { rateKey, rateSeconds, type KnownBudget } from '../../shared/budget.js';
import { millisecondsIn, secondsIn, unixSecond, type Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';

/** The state of a call at the limit per minute that has the least room left. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Unix milliseconds at which everything counted now has left the window. */
  readonly resetAt: number;
}

/** The states of a call at its limits per minute. A kind without a limit is absent. */
export interface RateStates {
  readonly requests?: RateState;
  readonly tokens?: RateState;
}

/** One count that the call was added to. */
interface Taken {
  readonly rate: KnownBudget;
  readonly amount: number;
  readonly count: WindowCount;
}

/** A limit has no room for the call. The response has the headers of `states`. */
export class RateError extends AppError {
  constructor(
    rate: KnownBudget,
    readonly states: RateStates,
    waitMilliseconds: number,
  ) {
    const whose = rate.level === 'token' ? 'key' : rate.level;
    super('RATE_LIMITED', `Rate limit reached: at most ${rate.amount} ${rate.kind} per minute of this ${whose}`, {
      retryAfterSeconds: Math.max(1, Math.ceil(secondsIn(waitMilliseconds))),
    });
  }
}

/** A call that was counted. */
export interface RateLease {
  readonly states: RateStates;
  /** Replaces the tokens that were reserved by the tokens that were used. Call at most once. */
  correct(tokens: number): void;
}

/** Requests and tokens per minute of keys, users, groups and the site, over all nodes (docs/reference/relay/limits.md). */
export class CallRates {
  constructor(
    private readonly state: Pick<SharedState, 'count' | 'recount'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts a call, with the tokens that it may need.
   * @param rates the limits that count it
   * @param counted ids of the limits that have already counted its request; the method adds to it
   * @throws RateError: nothing is counted then
   */
  async enter(rates: readonly KnownBudget[], tokens: number, counted: Set<number>): Promise<RateLease> {
    const now = this.clock.now();
    const second = unixSecond(now);
    const taken = await Promise.all(
      rates.map(async (rate): Promise<Taken> => {
        const amount = rate.kind === 'tokens' ? tokens : counted.has(rate.id) ? 0 : 1;
        const claim = { second, window: rateSeconds, amount, limit: rate.amount, alone: rate.kind === 'tokens' };
        return { rate, amount, count: await this.state.count(rateKey(rate.id), claim) };
      }),
    );
    const refusals = taken.filter(({ count }) => !count.admitted);
    if (refusals.length > 0) {
      // The counts are given back before the response, so that refused calls take nothing from others.
      const added = taken.filter(({ count, amount }) => count.admitted && amount > 0);
      await Promise.all(
        added.map(({ rate, amount, count }) => this.state.recount(rateKey(rate.id), count.second, -amount)),
      );
      // The client may retry when the last of its limits has room.
      const last = refusals.reduce((one, other) => (other.count.freeAt > one.count.freeAt ? other : one));
      throw new RateError(last.rate, statesOf(taken, true), millisecondsIn(last.count.freeAt) - now);
    }
    for (const { id, kind } of rates) if (kind === 'requests') counted.add(id);
    return {
      states: statesOf(taken, false),
      correct: (used) => {
        for (const { rate, amount, count } of taken) {
          if (rate.kind !== 'tokens' || used === amount) continue;
          // Not awaited: the next call sees the correction, and no client waits for it.
          this.state.recount(rateKey(rate.id), count.second, used - amount).catch(() => undefined);
        }
      },
    };
  }

  /**
   * Counts a request whose tokens are not known before it: a turn of a realtime session, or a task submission.
   * @throws RateError
   */
  async request(rates: readonly KnownBudget[] | null): Promise<void> {
    if (rates) await this.enter(rates, 0, new Set());
  }
}

/** @param returned whether the call was refused and its counts were given back */
function statesOf(taken: readonly Taken[], returned: boolean): RateStates {
  const states: { requests?: RateState; tokens?: RateState } = {};
  for (const { rate, amount, count } of taken) {
    const { kind, amount: limit } = rate;
    if (kind === 'money') continue;
    const sum = count.sum - (returned && count.admitted ? amount : 0);
    const remaining = Math.max(0, limit - sum);
    const known = states[kind];
    if (known && known.remaining <= remaining) continue;
    states[kind] = { limit, remaining, resetAt: millisecondsIn(count.second + rateSeconds + 1) };
  }
  return states;
}

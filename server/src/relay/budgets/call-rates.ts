import type { SharedState } from '../../cache/shared-state.js';
import { rateKey, rateMinute, rateSeconds, type KnownBudget } from '../../shared/budget.js';
import type { Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';

/** Where a call stands at one of its limits per minute: that of the smallest rest. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
}

/** Where a call stands at its limits per minute. A kind without a limit is absent. */
export interface RateStates {
  readonly requests?: RateState;
  readonly tokens?: RateState;
  /** When all counts begin again: Unix milliseconds. */
  readonly resetAt: number;
}

/** One count to which a call was added. */
interface Taken {
  readonly key: string;
  readonly kind: KnownBudget['kind'];
  readonly amount: number;
}

/** A call has no room in one of its limits. The response has the headers of `states`. */
export class RateError extends AppError {
  constructor(
    rate: KnownBudget,
    readonly states: RateStates,
    now: number,
  ) {
    const whose = { token: 'key', user: 'user', group: 'group', channel: 'channel', site: 'site' }[rate.level];
    super('RATE_LIMITED', `Rate limit reached: at most ${rate.amount} ${rate.kind} per minute of this ${whose}`, {
      retryAfterSeconds: Math.max(1, Math.ceil((states.resetAt - now) / 1000)),
    });
  }
}

/** A call that was counted. */
export interface RatePass {
  readonly states: RateStates;
  /** Replaces the tokens that the call held by those that it used. Call at most once. */
  correct(tokens: number): void;
}

/** Requests and tokens per minute of keys, users, groups and the site, over all nodes (docs/reference/relay/limits.md). */
export class CallRates {
  constructor(
    private readonly state: Pick<SharedState, 'incrementBy'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts a call, with the tokens that it may need.
   * @param rates those that count it
   * @param counted ids of those that have counted its request before, which are added to
   * @throws RateError: nothing is counted then
   */
  async enter(rates: readonly KnownBudget[], tokens: number, counted: Set<number>): Promise<RatePass> {
    const now = this.clock.now();
    const minute = rateMinute(now);
    const taken = rates.map(({ id, kind }): Taken => ({
      key: rateKey(id, minute),
      kind,
      amount: kind === 'tokens' ? tokens : counted.has(id) ? 0 : 1,
    }));
    const sums = await Promise.all(taken.map(({ key, amount }) => this.add(key, amount)));
    const refusing = rates.findIndex((rate, at) => isOver(rate, sums[at] ?? 0, taken[at]?.amount ?? 0));
    const resetAt = (minute + 1) * rateSeconds * 1000;
    const refused = rates[refusing];
    if (refused) {
      // Given back before the response, so that refused calls take nothing from others.
      await Promise.all(taken.map(({ key, amount }) => this.add(key, -amount)));
      throw new RateError(refused, statesOf(rates, sums, taken, resetAt), now);
    }
    for (const { id, kind } of rates) if (kind === 'requests') counted.add(id);
    return {
      states: statesOf(rates, sums, [], resetAt),
      correct: (used) => {
        for (const { key, kind, amount } of taken) {
          // Not awaited: the next call sees the correction, and no client waits for it.
          if (kind === 'tokens' && used !== amount) this.add(key, used - amount).catch(() => undefined);
        }
      },
    };
  }

  /** Counts a request whose tokens are not known before it: a turn of a session, or an order. @throws RateError */
  async request(rates: readonly KnownBudget[] | null): Promise<void> {
    if (rates) await this.enter(rates, 0, new Set());
  }

  /** Lives for longer than a minute, so that corrections of long calls do not begin a sum anew that is still read. */
  private add(key: string, amount: number): Promise<number> {
    return this.state.incrementBy(key, amount, 3 * rateSeconds);
  }
}

/** A call that alone needs more tokens than the limit may be the only one of its minute, unless nothing is allowed at all. */
function isOver({ kind, amount: limit }: KnownBudget, sum: number, own: number): boolean {
  if (sum <= limit || own === 0) return false;
  return kind !== 'tokens' || limit === 0 || sum > own;
}

/** @param returned what refused calls took and gave back */
function statesOf(
  rates: readonly KnownBudget[],
  sums: readonly number[],
  returned: readonly Taken[],
  resetAt: number,
): RateStates {
  const states: { requests?: RateState; tokens?: RateState } = {};
  rates.forEach(({ kind, amount: limit }, at) => {
    if (kind === 'money') return;
    const sum = (sums[at] ?? 0) - (returned[at]?.amount ?? 0);
    const remaining = Math.max(0, limit - sum);
    const known = states[kind];
    if (!known || remaining < known.remaining) states[kind] = { limit, remaining };
  });
  return { ...states, resetAt };
}

import type { SharedState } from '../../../platform/cache/shared-state.js';
import type { OptionValues } from '../../../options/option.service.js';
import type { Clock } from '../../../shared/clock.js';
import type { ConcurrencySlot, ConcurrencySlots } from '../../admit/concurrency-slots.js';
import { keyMarksOf } from '../key-mark.js';
import type { RoutedChannel } from '../routed-channel.js';
import type { UseLimits } from '../../../shared/channel-limits.js';
import { costPeriods, type CostReader } from './cost-period.js';

/** The use that a call is expected to make, or made. */
export interface CallUse {
  readonly tokens: number;
  readonly quota: number;
}

/** A call that was admitted under the limits of its channel and key. */
export interface LimitLease {
  /** The call made this use. Call once, before `end`; without it the call counts as it was reserved. */
  correct(use: CallUse): void;
  /** The provider served nothing: the call counts for requests per minute alone. Does nothing once the call is over. */
  cancel(): void;
  /** The call is over. May be called repeatedly. */
  end(): void;
}

/** A limit that the call would exceed. */
export interface LimitRefusal {
  /** The whole channel, or only this key. */
  readonly scope: 'channel' | 'key';
  /** Unix milliseconds. */
  readonly retryAt: number;
}

export const isRefusal = (given: LimitLease | LimitRefusal): given is LimitRefusal => 'retryAt' in given;

/** One limit of a channel or key. */
interface Scope {
  readonly kind: LimitRefusal['scope'];
  /** Name in the shared state. */
  readonly name: string;
  readonly channelId: number;
  readonly limits: UseLimits;
}

/** A sum in the shared state to which the call's use was added. */
type Taken = TakenTokens | TakenCost;

interface TakenTokens {
  readonly kind: 'tokens';
  readonly key: string;
  readonly amount: number;
  /** Of the count to which they were added. */
  readonly second: number;
}

interface TakenCost {
  readonly kind: 'cost';
  readonly key: string;
  readonly amount: number;
  readonly ttlSeconds: number;
}

export interface LimitBoardDeps {
  readonly slots: Pick<ConcurrencySlots, 'enter' | 'leave'>;
  readonly state: Pick<SharedState, 'hit' | 'peek' | 'incrementBy' | 'once' | 'count' | 'recount'>;
  readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit'> };
  readonly costs: CostReader;
  readonly clock: Clock;
}

/** A slot among concurrent calls may become free at any moment. Milliseconds. */
const concurrencyWait = 1000;
const microUsd = 1e6;

/**
 * Counts calls, tokens and cost of channels and keys that have limits (docs/reference/relay/limits.md), over all nodes.
 * Use is added before the call and corrected after it, so that parallel calls together stay within a limit.
 */
export class LimitBoard {
  /** Costs that are being read from the books, in millionths of a USD. */
  private readonly reading = new Map<string, Promise<number>>();
  /** Sums whose cost could not be read from the books: the next call reads it. */
  private readonly unread = new Set<string>();

  constructor(private readonly deps: LimitBoardDeps) {}

  /** @param use as it is reserved */
  async enter(channel: RoutedChannel, keyIndex: number, use: () => CallUse): Promise<LimitLease | LimitRefusal> {
    const scopes = scopesOf(channel, keyIndex);
    const now = this.deps.clock.now();
    const slots: ConcurrencySlot[] = [];
    for (const { kind, name, limits } of scopes) {
      if (limits.concurrentCalls === 0) continue;
      const entering = this.deps.slots.enter(name, limits.concurrentCalls);
      // Not awaited without need, so that parallel calls see each other.
      const slot = entering instanceof Promise ? await entering : entering;
      if (slot) slots.push(slot);
      else {
        for (const taken of slots) this.deps.slots.leave(taken);
        return { scope: kind, retryAt: now + concurrencyWait };
      }
    }
    const taken: Taken[] = [];
    const lease = this.leaseOf(slots, taken);
    let refusal: LimitRefusal | null;
    try {
      refusal = await this.take(scopes, use, now, taken);
    } catch (error) {
      lease.cancel();
      throw error;
    }
    if (!refusal) return lease;
    lease.cancel();
    return refusal;
  }

  private async take(
    scopes: readonly Scope[],
    use: () => CallUse,
    now: number,
    taken: Taken[],
  ): Promise<LimitRefusal | null> {
    const { state } = this.deps;
    // Checked without counting first: a call that another limit refuses is not a request.
    for (const step of ['peek', 'hit'] as const) {
      for (const { kind, name, limits } of scopes) {
        if (limits.requestsPerMinute === 0) continue;
        const { allowed, retryAfterSeconds } = await state[step](`${name}:rpm`, limits.requestsPerMinute, 60);
        if (!allowed) return { scope: kind, retryAt: now + retryAfterSeconds * 1000 };
      }
      if (step === 'hit') continue;
      for (const scope of scopes) {
        const refusal = await this.takeSums(scope, use, now, taken);
        if (refusal) return refusal;
      }
    }
    return null;
  }

  private async takeSums(
    { kind, name, limits, channelId }: Scope,
    use: () => CallUse,
    now: number,
    taken: Taken[],
  ): Promise<LimitRefusal | null> {
    if (limits.tokensPerMinute > 0) {
      const key = `${name}:tpm`;
      const { tokens: amount } = use();
      // A call that alone exceeds the limit may still be the only one of its minute.
      const claim = { second: Math.floor(now / 1000), window: 60, amount, limit: limits.tokensPerMinute, alone: true };
      const { admitted, second, freeAt } = await this.deps.state.count(key, claim);
      if (!admitted) return { scope: kind, retryAt: freeAt * 1000 };
      taken.push({ key, kind: 'tokens', amount, second });
    }
    for (const period of costPeriods(now)) {
      const limit = limits[period.limit];
      if (limit === 0) continue;
      const key = `${name}:cost:${period.name}`;
      const amount = this.toMicroUsd(use().quota);
      const own: TakenCost = { key, kind: 'cost', amount, ttlSeconds: period.ttlSeconds };
      const added = await this.add(own, taken);
      const sum = await this.withBooks(added, own, kind === 'channel' ? channelId : null, period.start);
      if (sum > limit * microUsd || sum - amount >= limit * microUsd) return { scope: kind, retryAt: period.end };
    }
    return null;
  }

  private add(sum: TakenCost, taken: Taken[]): Promise<number> {
    taken.push(sum);
    return this.deps.state.incrementBy(sum.key, sum.amount, sum.ttlSeconds);
  }

  /**
   * A sum that is new begins with the cost in the books, also when calls that began before it was lost have been corrected in
   * it. Keys are not in the books.
   * @returns the whole sum
   */
  private async withBooks(sum: number, taken: TakenCost, channelId: number | null, start: number): Promise<number> {
    if (channelId === null || taken.amount === 0) return sum;
    const { state, costs } = this.deps;
    let reading = this.reading.get(taken.key);
    const { key, ttlSeconds } = taken;
    if (!reading && (this.unread.delete(key) || sum <= taken.amount)) {
      const read = async (): Promise<number> => {
        const booked = this.toMicroUsd(await costs.of(channelId, start));
        // Another node may have read them while this one could not, and calls since then are in both.
        if (!(await state.once(`${key}:books`, ttlSeconds)) || booked === 0) return 0;
        await state.incrementBy(key, booked, ttlSeconds);
        return booked;
      };
      reading = read()
        .catch((error: unknown) => {
          // The sum may have calls of other nodes by now, and is not new any more then.
          this.unread.add(key);
          throw error;
        })
        .finally(() => this.reading.delete(key));
      this.reading.set(key, reading);
    }
    // Calls that were added meanwhile see a sum without it.
    return reading ? sum + (await reading) : sum;
  }

  private leaseOf(slots: readonly ConcurrencySlot[], taken: readonly Taken[]): LimitLease {
    let ended = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      for (const slot of slots) this.deps.slots.leave(slot);
    };
    const correct = (use: CallUse): void => {
      for (const { amount, ...one } of taken) {
        const more = (one.kind === 'tokens' ? use.tokens : this.toMicroUsd(use.quota)) - amount;
        if (more === 0) continue;
        const { state } = this.deps;
        const corrected =
          one.kind === 'tokens'
            ? state.recount(one.key, one.second, more)
            : state.incrementBy(one.key, more, one.ttlSeconds);
        // Not awaited: the next call sees the correction, and no client waits for it.
        corrected.catch(() => undefined);
      }
    };
    return {
      correct,
      cancel: () => {
        if (ended) return;
        correct({ tokens: 0, quota: 0 });
        end();
      },
      end,
    };
  }

  private toMicroUsd(quota: number): number {
    return Math.round((quota / this.deps.options.values.QuotaPerUnit) * microUsd);
  }
}

function scopesOf(channel: RoutedChannel, keyIndex: number): Scope[] {
  const { id, limits } = channel;
  const scopes: Scope[] = [];
  if (limits?.channel) {
    scopes.push({ kind: 'channel', name: `limit:{${id}}`, channelId: id, limits: limits.channel });
  }
  if (limits?.key) {
    const name = `limit:{${id}}:${keyMarksOf(channel)[keyIndex] ?? ''}`;
    scopes.push({ kind: 'key', name, channelId: id, limits: limits.key });
  }
  return scopes;
}

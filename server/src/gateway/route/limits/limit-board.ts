import type { SharedState } from '../../../platform/cache/shared-state.js';
import type { OptionValues } from '../../../options/option.service.js';
import { millisecondsIn, unixSecond, type Clock } from '../../../shared/clock.js';
import type { ConcurrencySlot, ConcurrencySlots } from '../../admit/in-flight.js';
import { keyMarksOf } from '../key-mark.js';
import type { RoutedChannel } from '../routed-channel.js';
import type { UseLimits } from '../../../shared/channel-limits.js';
import { costPeriods, type CostReader } from './cost-period.js';

/** The use of a call: an estimate before it, the real use after it. */
export interface CallUse {
  readonly tokens: number;
  readonly quota: number;
}

/** A call that was admitted under the limits of its channel and key. */
export interface LimitLease {
  /** Records the real use of the call. Call once, before `end`; without it the reserved use counts. */
  correct(use: CallUse): void;
  /**
   * Records that the provider served nothing: the call counts for requests per minute only. Does nothing after the call
   * has ended.
   */
  cancel(): void;
  /** Ends the call. May be called repeatedly. */
  end(): void;
}

/** A limit that the call would exceed. */
export interface LimitRefusal {
  /** Whether the limit belongs to the whole channel, or to this key only. */
  readonly scope: 'channel' | 'key';
  /** Unix milliseconds at which a retry may succeed. */
  readonly retryAt: number;
}

export const isRefusal = (given: LimitLease | LimitRefusal): given is LimitRefusal => 'retryAt' in given;

/** One limit of a channel or key. */
interface Scope {
  readonly kind: LimitRefusal['scope'];
  /** The name in the shared state. */
  readonly name: string;
  readonly channelId: number;
  readonly limits: UseLimits;
}

/** A count in the shared state to which the call's use was added. */
type Taken = TakenTokens | TakenCost;

interface TakenTokens {
  readonly kind: 'tokens';
  readonly key: string;
  readonly amount: number;
  /** The second of the count to which the tokens were added. */
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

/** Milliseconds. A concurrency slot may become free at any moment. */
const concurrencyWait = 1000;
const microUsd = 1e6;

/**
 * Counts calls, tokens and cost of channels and keys that have limits (docs/reference/relay/limits.md), over all nodes.
 * Use is added before the call and corrected after it, so that parallel calls together stay within a limit.
 */
export class LimitBoard {
  /** Costs that are being read from the ledger, in millionths of a USD. */
  private readonly reading = new Map<string, Promise<number>>();
  /** Counts whose cost could not be read from the ledger. The next call reads it. */
  private readonly unread = new Set<string>();

  constructor(private readonly deps: LimitBoardDeps) {}

  /** @param use returns the use that is reserved */
  async enter(channel: RoutedChannel, keyIndex: number, use: () => CallUse): Promise<LimitLease | LimitRefusal> {
    const scopes = scopesOf(channel, keyIndex);
    const now = this.deps.clock.now();
    const slots: ConcurrencySlot[] = [];
    for (const { kind, name, limits } of scopes) {
      if (limits.concurrentCalls === 0) continue;
      const entering = this.deps.slots.enter(name, limits.concurrentCalls);
      // The promise is awaited only when there is one, so that parallel calls see each other.
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
    // All limits are checked before any is counted: a call that another limit refuses is not a request.
    for (const step of ['peek', 'hit'] as const) {
      for (const { kind, name, limits } of scopes) {
        if (limits.requestsPerMinute === 0) continue;
        const { allowed, retryAfterSeconds } = await state[step](`${name}:rpm`, limits.requestsPerMinute, 60);
        if (!allowed) return { scope: kind, retryAt: now + millisecondsIn(retryAfterSeconds) };
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
      // A call that exceeds the limit on its own may still be the only call of its minute.
      const claim = { second: unixSecond(now), window: 60, amount, limit: limits.tokensPerMinute, alone: true };
      const { admitted, second, freeAt } = await this.deps.state.count(key, claim);
      if (!admitted) return { scope: kind, retryAt: millisecondsIn(freeAt) };
      taken.push({ key, kind: 'tokens', amount, second });
    }
    for (const period of costPeriods(now)) {
      const limit = limits[period.limit];
      if (limit === 0) continue;
      const key = `${name}:cost:${period.name}`;
      const amount = this.toMicroUsd(use().quota);
      const own: TakenCost = { key, kind: 'cost', amount, ttlSeconds: period.ttlSeconds };
      const added = await this.add(own, taken);
      const sum = await this.withLedger(added, own, kind === 'channel' ? channelId : null, period.start);
      if (sum > limit * microUsd || sum - amount >= limit * microUsd) return { scope: kind, retryAt: period.end };
    }
    return null;
  }

  private add(sum: TakenCost, taken: Taken[]): Promise<number> {
    taken.push(sum);
    return this.deps.state.incrementBy(sum.key, sum.amount, sum.ttlSeconds);
  }

  /**
   * Adds the cost in the ledger to a count that is new, even when calls that began before the count was lost have been
   * corrected in it. The ledger has no costs of keys.
   * @returns the whole count
   */
  private async withLedger(sum: number, taken: TakenCost, channelId: number | null, start: number): Promise<number> {
    if (channelId === null || taken.amount === 0) return sum;
    const { state, costs } = this.deps;
    let reading = this.reading.get(taken.key);
    const { key, ttlSeconds } = taken;
    if (!reading && (this.unread.delete(key) || sum <= taken.amount)) {
      const read = async (): Promise<number> => {
        const charged = this.toMicroUsd(await costs.of(channelId, start));
        // Another node may have read the cost while this node could not, and calls since then would count twice.
        if (!(await state.once(`${key}:ledger`, ttlSeconds)) || charged === 0) return 0;
        await state.incrementBy(key, charged, ttlSeconds);
        return charged;
      };
      reading = read()
        .catch((error: unknown) => {
          // The count may have calls of other nodes by then, so it is no longer recognized as new.
          this.unread.add(key);
          throw error;
        })
        .finally(() => this.reading.delete(key));
      this.reading.set(key, reading);
    }
    // Calls that are added meanwhile get a count without the ledger's cost, so it is added here.
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
        // The correction is not awaited: the next call sees it, and no client waits for it.
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

import type { BudgetDirectory } from '../../billing/budgets/index.js';
import { AppError } from '../../shared/errors.js';
import { dateOf, secondsIn, type Clock } from '../../shared/clock.js';
import { noChannel } from './call-route.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import type { Health, Standing, Trial } from './health/health.js';
import { noEnd } from './health/cooldown.js';
import type { KeyRing } from './key-ring.js';
import type { BudgetRefusalOfChannel, ChannelBudgets } from './limits/channel-budgets.js';
import { isRefusal, type CallUse, type LimitBoard, type LimitLease, type LimitRefusal } from './limits/limit-board.js';
import type { TierOrder } from './order/tier-order.js';
import type { RoutedChannel } from './routed-channel.js';
import { chooseChannel, type Route, type RouteState, type RoutingTable } from './routing-table.js';

/** The channel and key of one attempt. */
export interface Candidate {
  readonly channel: RoutedChannel;
  readonly keyIndex: number;
  /** Set when the attempt tests whether the key works again. */
  readonly trial: Trial | null;
  /** Null when neither the channel nor its keys have limits. */
  readonly lease: LimitLease | null;
}

/** The call that needs a channel and key. */
export interface CandidateQuery {
  readonly route: Route & { readonly model: string; readonly group: string };
  readonly stream?: boolean | undefined;
  /** Whether the call counts tokens. Providers limit such calls separately, so it is not a trial of the key. */
  readonly isCount?: boolean;
  /** The only channel and key that can serve the call. */
  readonly origin: { readonly channel: RoutedChannel; readonly keyIndex: number } | null;
  /** The id of its reservation; absent when nothing is reserved. */
  readonly requestId?: string;
  /** The usage that is reserved; absent when nothing is reserved. */
  readonly use?: (() => CallUse) | undefined;
  /** The channel and key that served the last call of the session. */
  readonly preferred?: { readonly channelId: number; keyIndexAt(channel: RoutedChannel): number } | null;
}

export interface CandidateSelectorDeps {
  readonly channels: { readonly table: RoutingTable };
  readonly keyRing: KeyRing;
  readonly health: Health;
  readonly limits: LimitBoard;
  readonly order: TierOrder;
  readonly budgets: ChannelBudgets;
  readonly sharedBudgets: Pick<BudgetDirectory, 'isEmpty'>;
  readonly clock: Clock;
}

/**
 * Selects the channel and key of each attempt. Keys in a cooldown (docs/reference/relay/health.md) and channels or keys
 * at their limits (docs/reference/relay/limits.md) are excluded.
 */
export class CandidateSelector {
  /** The routing state for calls while no key is in a cooldown. */
  private readonly quietState: RouteState;

  constructor(private readonly deps: CandidateSelectorDeps) {
    const { channels, keyRing, order } = deps;
    this.quietState = { channels, keyRing, order, health: null };
  }

  /**
   * Selects the candidate of an attempt.
   * @param attempt 0 for the first
   * @param used ids of the channels that failed this call
   * @returns the error for the client when no channel can serve: NO_CHANNEL, or RATE_LIMITED while keys are in a
   * cooldown or limits are reached
   */
  next(
    seeker: CandidateQuery,
    attempt: number,
    used: readonly number[],
  ): Candidate | AppError | Promise<Candidate | AppError> {
    const { health, budgets, sharedBudgets } = this.deps;
    if (!health.quiet) return this.carefully(seeker, attempt, used);
    const { origin, preferred } = seeker;
    const channel = origin?.channel ?? chooseChannel(seeker, this.quietState, attempt, used);
    if (!channel) return this.refusal(seeker, nothingReached);
    if (channel.limits || (!sharedBudgets.isEmpty && budgets.concerns(channel.id)))
      return this.carefully(seeker, attempt, used, channel);
    const keyIndex = origin?.keyIndex ?? this.keyOf(channel, preferred);
    return { channel, keyIndex, trial: null, lease: null };
  }

  private keyOf(channel: RoutedChannel, preferred: CandidateQuery['preferred']): number {
    const { keyRing } = this.deps;
    if (channel.keys.length === 1 && keyRing.quiet) return 0;
    return keyRing.take(channel, undefined, preferred?.keyIndexAt(channel));
  }

  /**
   * Selects a candidate for a request whose result is not reported back. Such a request is no trial.
   * @throws AppError NO_CHANNEL, RATE_LIMITED
   */
  pick(route: CandidateQuery['route']): Pick<Candidate, 'channel' | 'keyIndex'> {
    const seeker = { route, origin: null };
    const chosen = this.choose(seeker, 0, [], nothingReached);
    if (!chosen) throw this.refusal(seeker, nothingReached);
    return chosen;
  }

  /**
   * Selects a candidate when keys are in a cooldown or channels have limits. Both need the shared state.
   * @param chosen the channel to begin with
   */
  private async carefully(
    seeker: CandidateQuery,
    attempt: number,
    used: readonly number[],
    chosen?: RoutedChannel,
  ): Promise<Candidate | AppError> {
    const { health, keyRing } = this.deps;
    const model = seeker.route.candidates.bareModel;
    const reached = new ReachedLimits();
    for (let first = chosen; ; first = undefined) {
      const next = this.choose(seeker, attempt, used, reached, first);
      if (!next) return this.refusal(seeker, reached);
      const { channel, keyIndex } = next;
      const trial = seeker.isCount ? null : health.begin(channel, keyIndex, model);
      // Another node makes the trial. A call that an admin pins to the channel does not wait for it.
      if (trial && !(await trial.claim()) && !seeker.route.pinned) {
        keyRing.undecided(channel, keyIndex);
        continue;
      }
      let lease: LimitLease | LimitRefusal | null;
      try {
        lease = await this.enter(seeker, channel, keyIndex, model);
      } catch (error) {
        this.giveBack({ channel, keyIndex, trial, lease: null });
        throw error;
      }
      if (!lease || !isRefusal(lease)) return { channel, keyIndex, trial, lease };
      this.giveBack({ channel, keyIndex, trial, lease: null });
      reached.add(channel, keyIndex, lease);
      if (seeker.route.pinned) return this.refusal(seeker, reached);
    }
  }

  /** Returns a candidate that is not used: its key, its trial and its lease are free for the next call. */
  giveBack({ channel, keyIndex, trial, lease }: Candidate): void {
    this.deps.keyRing.undecided(channel, keyIndex);
    trial?.released();
    lease?.cancel();
  }

  /**
   * Counts the call in the limits and budgets of the channel.
   * @returns null when it has none
   */
  private async enter(
    { requestId, use = noUse }: CandidateQuery,
    channel: RoutedChannel,
    keyIndex: number,
    model: string,
  ): Promise<LimitLease | LimitRefusal | null> {
    const { limits, budgets } = this.deps;
    const limited = channel.limits ? await limits.enter(channel, keyIndex, use) : null;
    if ((limited && isRefusal(limited)) || requestId === undefined || !budgets.concerns(channel.id)) return limited;
    const budgeted = await budgets.enter(channel.id, { requestId, model, use }).catch((error: unknown) => {
      limited?.cancel();
      throw error;
    });
    if (!budgeted) return limited;
    if ('isBudget' in budgeted) {
      limited?.cancel();
      return budgeted;
    }
    let isOver = false;
    return {
      correct: (made) => limited?.correct(made),
      cancel: () => {
        if (isOver) return;
        isOver = true;
        limited?.cancel();
        budgeted.cancel();
      },
      end: () => {
        isOver = true;
        limited?.end();
      },
    };
  }

  private choose(
    seeker: CandidateQuery,
    attempt: number,
    used: readonly number[],
    reached: ReachedLimits,
    first?: RoutedChannel,
  ): Pick<Candidate, 'channel' | 'keyIndex'> | null {
    const { origin, route, preferred } = seeker;
    const { channels, keyRing, health, order } = this.deps;
    const model = route.candidates.bareModel;
    const standingOf = (channel: RoutedChannel, index: number): Standing =>
      reached.has(channel, index) ? 'closed' : health.standing(channel, index, model);
    if (origin) return standingOf(origin.channel, origin.keyIndex) === 'closed' ? null : origin;
    const open = { ofChannel: (one: RoutedChannel) => (reached.all(one) ? 'closed' : health.ofChannel(one, model)) };
    const sources = { channels, keyRing, health: open, order };
    const channel = first ?? chooseChannel(seeker, sources, attempt, used);
    const standing = (index: number): Standing => (channel ? standingOf(channel, index) : 'closed');
    return channel && { channel, keyIndex: keyRing.take(channel, standing, preferred?.keyIndexAt(channel)) };
  }

  /** Returns RATE_LIMITED with the time at which the first key may be used again, if there is one. */
  private refusal({ route, origin }: CandidateQuery, reached: ReachedLimits): AppError {
    const { channels, health, clock } = this.deps;
    const { candidates, model, group } = route;
    let soonest = noEnd;
    for (const { channels: ofTier } of candidates.tiers) {
      for (const channel of ofTier) {
        if (origin && origin.channel.id !== channel.id) continue;
        if (channels.table.channel(channel.id)?.enabled !== true) continue;
        const ready = health.readyAt(channel, candidates.bareModel, origin?.keyIndex);
        soonest = Math.min(soonest, Math.max(ready, reached.retryAt(channel)));
      }
    }
    if (soonest === noEnd || soonest === 0) return noChannel(model, group);
    return reached.isBudget
      ? spentError(model, Math.ceil(secondsIn(soonest)), clock.now())
      : cooldownError(model, soonest - clock.now());
  }
}

const noUse = (): CallUse => ({ tokens: 0, quota: 0 });

/** The limits that one call reached during the selection. */
class ReachedLimits {
  private readonly channels = new Map<number, number>();
  private readonly keys = new Map<string, number>();
  /** Whether the last limit was a budget. */
  isBudget = false;

  add({ id }: RoutedChannel, keyIndex: number, refusal: LimitRefusal | BudgetRefusalOfChannel): void {
    const { scope, retryAt } = refusal;
    this.isBudget = 'isBudget' in refusal;
    if (scope === 'channel') this.channels.set(id, retryAt);
    else this.keys.set(`${id}/${keyIndex}`, retryAt);
  }

  has({ id }: RoutedChannel, keyIndex: number): boolean {
    return this.channels.has(id) || this.keys.has(`${id}/${keyIndex}`);
  }

  /** Whether the limits exclude every key of the channel. */
  all(channel: RoutedChannel): boolean {
    return (
      this.channels.has(channel.id) || (this.keys.size > 0 && channel.keys.every((_, at) => this.has(channel, at)))
    );
  }

  /** Unix milliseconds at which the channel may be tried again; 0 when no limit was reached. */
  retryAt(channel: RoutedChannel): number {
    const ofKeys = channel.keys.flatMap((_, at) => this.keys.get(`${channel.id}/${at}`) ?? []);
    return this.channels.get(channel.id) ?? (ofKeys.length > 0 ? Math.min(...ofKeys) : 0);
  }
}

const nothingReached = new ReachedLimits();

/**
 * @param resetAt Unix seconds
 * @param now Unix milliseconds
 */
function spentError(model: string, resetAt: number, now: number): AppError {
  const reset = dateOf(resetAt).toISOString().replace('.000Z', 'Z');
  return new AppError(
    'BUDGET_EXCEEDED',
    `The channels for model ${model} have used up their budgets. They reset at ${reset}`,
    {
      retryAfterSeconds: Math.max(1, Math.ceil(resetAt - secondsIn(now))),
      resetAt,
    },
  );
}

/** @param wait milliseconds until a retry may succeed */
function cooldownError(model: string, wait: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(secondsIn(wait)));
  const message = `All channels for model ${model} are at their limits, try again in ${retryAfterSeconds} seconds`;
  return new RelayError('RATE_LIMITED', message, 'channels_busy', { retryAfterSeconds });
}

import type { AppError } from '../../shared/errors.js';
import type { Clock } from '../../shared/clock.js';
import { noChannel } from '../access/admission.js';
import { RelayError } from '../errors/relay-error.js';
import type { Health, Standing, Trial } from './health/health.js';
import { noEnd } from './health/rest.js';
import type { KeyRing } from './key-ring.js';
import type { RoutedChannel } from './routed-channel.js';
import { chooseChannel, type Route, type RoutingTable } from './routing-table.js';

/** The channel and key of one attempt. */
export interface Turn {
  readonly channel: RoutedChannel;
  readonly keyIndex: number;
  /** Set: the attempt finds out whether the key works again. */
  readonly trial: Trial | null;
}

/** The call that needs a channel and key. */
export interface TurnSeeker {
  readonly route: Route & { readonly model: string; readonly group: string };
  /** The only channel and key that can serve it. */
  readonly origin: { readonly channel: RoutedChannel; readonly keyIndex: number } | null;
}

export interface TurnsDeps {
  readonly channels: { readonly table: RoutingTable };
  readonly keyRing: KeyRing;
  readonly health: Health;
  readonly clock: Clock;
}

/** Chooses channel and key of each attempt among those that do not rest (docs/reference/relay/health.md). */
export class Turns {
  constructor(private readonly deps: TurnsDeps) {}

  /**
   * @param attempt 0 for the first
   * @param used ids of the channels that failed this call
   * @returns the error for the client when no channel can serve: NO_CHANNEL, or RATE_LIMITED while keys rest
   */
  next(seeker: TurnSeeker, attempt: number, used: readonly number[]): Turn | AppError | Promise<Turn | AppError> {
    const { keyRing, health } = this.deps;
    if (!health.quiet) return this.carefully(seeker, attempt, used);
    const channel = seeker.origin?.channel ?? chooseChannel(seeker.route, this.deps, attempt, used);
    if (!channel) return this.refusal(seeker);
    return { channel, keyIndex: seeker.origin?.keyIndex ?? keyRing.take(channel), trial: null };
  }

  /**
   * For requests whose result does not come back here: they are no trial.
   * @throws AppError NO_CHANNEL, RATE_LIMITED
   */
  pick(route: TurnSeeker['route']): Pick<Turn, 'channel' | 'keyIndex'> {
    const seeker = { route, origin: null };
    const chosen = this.choose(seeker, 0, []);
    if (!chosen) throw this.refusal(seeker);
    return chosen;
  }

  /** With keys that rest: a trial is made by one node only, which takes a question to the shared state. */
  private async carefully(seeker: TurnSeeker, attempt: number, used: readonly number[]): Promise<Turn | AppError> {
    const { health } = this.deps;
    const model = seeker.route.candidates.bareModel;
    for (;;) {
      const chosen = this.choose(seeker, attempt, used);
      if (!chosen) return this.refusal(seeker);
      const trial = health.begin(chosen.channel, chosen.keyIndex, model);
      if (trial === null || (await trial.claim())) return { ...chosen, trial };
      // Another node makes this call. An admin's own call does not wait for it.
      if (seeker.route.pinned) return { ...chosen, trial: null };
    }
  }

  private choose(
    { origin, route }: TurnSeeker,
    attempt: number,
    used: readonly number[],
  ): Pick<Turn, 'channel' | 'keyIndex'> | null {
    const { keyRing, health } = this.deps;
    const model = route.candidates.bareModel;
    if (origin) return health.standing(origin.channel, origin.keyIndex, model) === 'closed' ? null : origin;
    const channel = chooseChannel(route, this.deps, attempt, used);
    const standing = (index: number): Standing => (channel ? health.standing(channel, index, model) : 'closed');
    return channel && { channel, keyIndex: keyRing.take(channel, standing) };
  }

  /** RATE_LIMITED with the time at which the first key may be used again, if one ever may. */
  private refusal({ route, origin }: TurnSeeker): AppError {
    const { channels, health, clock } = this.deps;
    const { candidates, model, group } = route;
    let soonest = noEnd;
    for (const { channels: ofTier } of candidates.tiers) {
      for (const channel of ofTier) {
        if (origin && origin.channel.id !== channel.id) continue;
        if (channels.table.channel(channel.id)?.enabled !== true) continue;
        soonest = Math.min(soonest, health.readyAt(channel, candidates.bareModel, origin?.keyIndex));
      }
    }
    return soonest === noEnd || soonest === 0 ? noChannel(model, group) : restingError(model, soonest - clock.now());
  }
}

/** @param wait milliseconds until a retry may succeed */
function restingError(model: string, wait: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(wait / 1000));
  const message = `All channels for model ${model} are at their limits, try again in ${retryAfterSeconds} seconds`;
  return new RelayError('RATE_LIMITED', message, 'channels_busy', { retryAfterSeconds });
}

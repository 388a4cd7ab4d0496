import type { Clock } from '../../../shared/clock.js';
import type { RoutedCall } from '../../call.js';
import { keyMarksOf } from '../key-mark.js';
import type { RoutedChannel } from '../routed-channel.js';
import { PinLifetimes, type AffinityOptions } from './affinity-settings.js';
import { sessionKeyOf, type SessionKey } from './session-key.js';
import type { Pin, SessionPins } from './session-pins.js';
import { whenKnown } from '../../../platform/cache/loader.js';

/**
 * How a call of a session was routed: to its pin, as the first call of the session, or to another channel or key than
 * its pin.
 */
export type AffinityResult = 'hit' | 'new' | 'moved';

/** The session of one call. */
export class PinnedSession {
  private pin: Pin | null;
  private pinnedHere = false;
  private wasPinned: boolean;

  constructor(
    private readonly pins: SessionPins,
    private readonly now: () => number,
    private readonly of: { readonly userId: number; readonly model: string },
    private readonly session: SessionKey,
    private readonly ttlSeconds: number,
    found: Pin | null,
  ) {
    this.pin = found;
    this.wasPinned = found !== null;
  }

  /** The channel to prefer among the channels that the call may use; 0 when there is none. */
  get channelId(): number {
    return this.pin?.channelId ?? 0;
  }

  /** @returns the key to prefer at a channel, as an index into `channel.keys`; -1 when there is none */
  keyIndexAt(channel: RoutedChannel): number {
    return this.pin?.channelId === channel.id ? keyMarksOf(channel).indexOf(this.pin.keyMark) : -1;
  }

  /** Records the chosen channel and key. Calls of the session that begin meanwhile use the same ones. */
  chosen(channel: RoutedChannel, keyIndex: number): void {
    if (this.pin) return;
    this.pin = this.put(channel, keyIndex);
    this.pinnedHere = true;
  }

  /** Records that the provider failed at this channel and key, so that the session need not return to it. */
  failed(channel: RoutedChannel, keyIndex: number): void {
    if (!this.pin || !this.isAt(this.pin, channel, keyIndex)) return;
    this.pins.drop(this.session.key, this.pin);
    this.pin = null;
  }

  /** Records that the call was served. */
  served(channel: RoutedChannel, keyIndex: number): AffinityResult {
    if (!this.pin || !this.isAt(this.pin, channel, keyIndex)) {
      this.put(channel, keyIndex);
      return this.wasPinned ? 'moved' : 'new';
    }
    this.pins.used(this.session.key, this.pin, this.ttlSeconds);
    if (!this.pinnedHere) return 'hit';
    return this.wasPinned ? 'moved' : 'new';
  }

  private isAt(pin: Pin, channel: RoutedChannel, keyIndex: number): boolean {
    return pin.channelId === channel.id && pin.keyMark === keyMarksOf(channel)[keyIndex];
  }

  private put(channel: RoutedChannel, keyIndex: number): Pin {
    const now = this.now();
    const { userId, model } = this.of;
    const pin: Pin = {
      channelId: channel.id,
      keyMark: keyMarksOf(channel)[keyIndex] ?? '',
      userId,
      model,
      source: this.session.source,
      since: now,
      usedAt: now,
      calls: 0,
    };
    this.pins.put(this.session.key, pin, this.ttlSeconds);
    return pin;
  }
}

/**
 * Sends the calls of a session to the channel and key that served its last call, whose prompt cache is warm. Affinity
 * narrows the choice inside the tier that would be used: a channel or key that is disabled or unavailable is never
 * preferred.
 */
export class SessionAffinity {
  private readonly lifetimes = new PinLifetimes();

  constructor(
    private readonly options: { readonly values: AffinityOptions },
    private readonly pins: SessionPins,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens the session of a call that may choose between channels or keys, while the option session_affinity.enabled is
   * on.
   * @returns null when the call belongs to no session; a promise only when another node may know the session
   */
  open({
    route,
    request,
    caller,
    headers,
    rawBody,
    price,
  }: RoutedCall): PinnedSession | null | Promise<PinnedSession | null> {
    const { values } = this.options;
    // Counts of tokens are not charged and read no prompt cache.
    if (route.pinned || !price) return null;
    const model = route.bareModel;
    const ttlSeconds = this.lifetimes.of(model, values);
    if (ttlSeconds === 0) return null;
    const session = sessionKeyOf(
      {
        userId: caller.user.id,
        tokenId: caller.token.id,
        group: route.group,
        model,
        headers,
        body: request.body,
        bodyBytes: rawBody.length,
      },
      values['session_affinity.min_prompt_bytes'],
    );
    if (!session) return null;
    const of = { userId: caller.user.id, model };
    const now = (): number => this.clock.now();
    return whenKnown(
      this.pins.find(session.key, ttlSeconds),
      (pin) => new PinnedSession(this.pins, now, of, session, ttlSeconds, pin),
    );
  }
}

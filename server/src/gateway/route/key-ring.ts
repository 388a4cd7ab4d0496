import { randomInt } from 'node:crypto';
import type { ChannelKeyStatus } from '../../console/channels/index.js';
import type { Clock } from '../../shared/clock.js';
import type { Standing } from './health/health.js';
import { keyMarksOf } from './key-mark.js';
import type { RoutedChannel } from './routed-channel.js';

const failuresToOpen = 5;
const openMilliseconds = 30_000;

/** The state of one key at one channel. */
interface KeyState {
  /** Whether the provider refused the key permanently. It is not used until the channel's keys change. */
  dead: boolean;
  /** Number of consecutive failed connections. */
  failures: number;
  /** The key is not used before this time; 0 while the circuit is closed. */
  openUntil: number;
  /** Whether one call is testing if the key works again. */
  probing: boolean;
}

interface Ring {
  readonly keys: readonly string[];
  readonly states: KeyState[];
  next: number;
}

const newState = (): KeyState => ({ dead: false, failures: 0, openUntil: 0, probing: false });

/**
 * Selects the key for the next attempt at a channel: round robin, skipping keys that the provider refused and keys
 * whose connections keep failing (a circuit breaker per channel and key). The state belongs to this process.
 */
export class KeyRing {
  /** Whether every key works, as far as is known. Every call reads this flag. */
  quiet = true;
  private readonly rings = new Map<number, Ring>();
  private channels: ReadonlyMap<number, RoutedChannel> = new Map();
  /** The states of keys that are refused, or whose last connection failed. */
  private readonly troubled = new Set<KeyState>();

  constructor(private readonly clock: Clock) {}

  /** False while no key of the channel is usable. */
  available(channel: RoutedChannel): boolean {
    const ring = this.rings.get(channel.id);
    if (!ring || ring.keys !== channel.keys) return true;
    return ring.states.some((state) => this.usable(state));
  }

  /**
   * Selects a key.
   * @param standing of each key; absent when no key is in a cooldown
   * @param preferred index of the key to use if it is usable; -1 when there is none
   * @returns an index into `channel.keys`; an unusable key only if there is no other
   */
  take(channel: RoutedChannel, standing?: (keyIndex: number) => Standing, preferred = -1): number {
    const ring = this.ringOf(channel);
    const wanted = ring.states[preferred];
    if (wanted?.openUntil === 0 && !wanted.dead && (!standing || standing(preferred) === 'open')) return preferred;
    const index =
      this.search(ring, (at, state) => this.usable(state) && (!standing || standing(at) === 'open')) ??
      (standing && this.search(ring, (at, state) => this.usable(state) && standing(at) !== 'closed')) ??
      (standing && this.search(ring, (at) => standing(at) !== 'closed')) ??
      ring.next % ring.keys.length;
    const state = ring.states[index];
    if (state && state.openUntil > 0 && this.usable(state)) state.probing = true;
    ring.next = (index + 1) % ring.keys.length;
    return index;
  }

  /** Records that the provider responded, with any status. */
  reached(channel: RoutedChannel, index: number): void {
    const state = this.stateOf(channel, index);
    if (!state) return;
    state.failures = 0;
    state.openUntil = 0;
    state.probing = false;
    if (!state.dead) this.forget(state);
  }

  /** Records that no connection could be established. */
  unreachable(channel: RoutedChannel, index: number): void {
    const state = this.stateOf(channel, index);
    if (!state) return;
    state.failures++;
    state.probing = false;
    if (state.failures >= failuresToOpen) state.openUntil = this.clock.now() + openMilliseconds;
    this.note(state);
  }

  /** Ends the probe of a call that ended without a result about the connection. */
  undecided(channel: RoutedChannel, index: number): void {
    const state = this.stateOf(channel, index);
    if (state) state.probing = false;
  }

  /** Whether the keys or the address of a channel were edited, or it was enabled again, since this call read it. */
  isReplaced(channel: RoutedChannel): boolean {
    const current = this.channels.get(channel.id);
    return current !== undefined && current.keys !== channel.keys;
  }

  /** Whether the channel has another key that its provider did not refuse. */
  hasOther(channel: RoutedChannel, index: number): boolean {
    return this.ringOf(channel).states.some((state, at) => at !== index && !state.dead);
  }

  /**
   * Records that the provider refused a key permanently.
   * @returns whether no key of the channel is left; false when its keys were replaced since the call began
   */
  refuse(channel: RoutedChannel, index: number): boolean {
    if (this.isReplaced(channel)) return false;
    const ring = this.ringOf(channel);
    const state = ring.states[index];
    if (state) {
      state.dead = true;
      this.note(state);
    }
    return ring.states.every((one) => one.dead);
  }

  /**
   * Returns how each key is used now, for admins.
   * @param keys of the channel as stored; keys that this process does not use yet count as used
   */
  healthOf(channelId: number, keys: readonly string[]): ChannelKeyStatus[] {
    const ring = this.rings.get(channelId);
    return keys.map((key) => {
      const state = ring?.states[ring.keys.indexOf(key)];
      if (!state || this.usable(state)) return 'USED';
      return state.dead ? 'REFUSED' : 'PAUSED';
    });
  }

  /** Lets a key serve calls again, by an admin's decision. */
  revive(channelId: number, keyMark: string): void {
    const ring = this.rings.get(channelId);
    const state = ring?.states[keyMarksOf(ring).indexOf(keyMark)];
    if (!state) return;
    Object.assign(state, newState());
    this.forget(state);
  }

  /** Drops the state of deleted channels, and of keys that were edited or enabled again. */
  keepOnly(channels: ReadonlyMap<number, RoutedChannel>): void {
    this.channels = channels;
    for (const [id, ring] of this.rings) {
      if (channels.get(id)?.keys === ring.keys) continue;
      this.rings.delete(id);
      this.forget(...ring.states);
    }
  }

  private note(state: KeyState): void {
    this.troubled.add(state);
    this.quiet = false;
  }

  private forget(...states: readonly KeyState[]): void {
    if (this.quiet) return;
    for (const state of states) this.troubled.delete(state);
    this.quiet = this.troubled.size === 0;
  }

  /** Returns the next key in the rotation that qualifies. */
  private search(ring: Ring, qualifies: (index: number, state: KeyState) => boolean): number | undefined {
    const count = ring.keys.length;
    for (let step = 0; step < count; step++) {
      const index = (ring.next + step) % count;
      const state = ring.states[index];
      if (state && qualifies(index, state)) return index;
    }
    return undefined;
  }

  private usable(state: KeyState): boolean {
    if (state.dead) return false;
    if (state.openUntil === 0) return true;
    const left = state.openUntil - this.clock.now();
    // Setting the clock back does not prolong the cooldown.
    return !state.probing && (left <= 0 || left > openMilliseconds);
  }

  private stateOf(channel: RoutedChannel, index: number): KeyState | undefined {
    return this.ringOf(channel).states[index];
  }

  private ringOf(channel: RoutedChannel): Ring {
    const known = this.rings.get(channel.id);
    if (known?.keys === channel.keys) return known;
    const ring: Ring = {
      keys: channel.keys,
      states: channel.keys.map(newState),
      next: channel.keys.length > 1 ? randomInt(channel.keys.length) : 0,
    };
    // A call with former keys must not remove the state of the current keys.
    if (this.isReplaced(channel)) return ring;
    if (known) this.forget(...known.states);
    this.rings.set(channel.id, ring);
    return ring;
  }
}

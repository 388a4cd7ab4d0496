import { randomInt } from 'node:crypto';
import type { Clock } from '../../shared/clock.js';
import type { RoutedChannel } from './routed-channel.js';

const failuresToOpen = 5;
const openMilliseconds = 30_000;

/** Health of one key at one channel. */
interface KeyState {
  /** Refused by the provider for good: not used until the channel's keys change. */
  dead: boolean;
  /** Connections that failed in a row. */
  failures: number;
  /** Not used before; 0 while closed. */
  openUntil: number;
  /** One call is trying whether it works again. */
  probing: boolean;
}

interface Ring {
  readonly keys: readonly string[];
  readonly states: KeyState[];
  next: number;
}

/**
 * Which key of a channel the next attempt uses: round robin, leaving out keys that the provider refused and those whose
 * connections keep failing (a circuit breaker for each channel and key). The state is this process's own.
 */
export class KeyRing {
  private readonly rings = new Map<number, Ring>();

  constructor(private readonly clock: Clock) {}

  /** False while no key of the channel can be used. */
  available(channel: RoutedChannel): boolean {
    const ring = this.rings.get(channel.id);
    if (!ring || ring.keys !== channel.keys) return true;
    return ring.states.some((state) => this.usable(state));
  }

  /** @returns an index into `channel.keys`; a key out of service only when there is no other */
  take(channel: RoutedChannel): number {
    const ring = this.ringOf(channel);
    const count = ring.keys.length;
    for (let step = 0; step < count; step++) {
      const index = (ring.next + step) % count;
      const state = ring.states[index];
      if (!state || !this.usable(state)) continue;
      if (state.openUntil > 0) state.probing = true;
      ring.next = (index + 1) % count;
      return index;
    }
    const index = ring.next % count;
    ring.next = (index + 1) % count;
    return index;
  }

  /** The upstream answered, whatever it said. */
  reached(channel: RoutedChannel, index: number): void {
    const state = this.stateOf(channel, index);
    if (!state) return;
    state.failures = 0;
    state.openUntil = 0;
    state.probing = false;
  }

  /** No connection came about. */
  unreachable(channel: RoutedChannel, index: number): void {
    const state = this.stateOf(channel, index);
    if (!state) return;
    state.failures++;
    state.probing = false;
    if (state.failures >= failuresToOpen) state.openUntil = this.clock.now() + openMilliseconds;
  }

  /** A call ended without telling anything about the connection: whoever was probing no longer does. */
  undecided(channel: RoutedChannel, index: number): void {
    const state = this.stateOf(channel, index);
    if (state) state.probing = false;
  }

  /** The provider refused this key. @returns true when no key of the channel is left */
  refuse(channel: RoutedChannel, index: number): boolean {
    const ring = this.ringOf(channel);
    const state = ring.states[index];
    if (state) state.dead = true;
    return ring.states.every((one) => one.dead);
  }

  /** Forgets channels that are gone, and what was held against keys that were edited or enabled again. */
  keepOnly(channels: ReadonlyMap<number, RoutedChannel>): void {
    for (const [id, ring] of this.rings) if (channels.get(id)?.keys !== ring.keys) this.rings.delete(id);
  }

  private usable(state: KeyState): boolean {
    if (state.dead) return false;
    return state.openUntil === 0 || (!state.probing && this.clock.now() >= state.openUntil);
  }

  private stateOf(channel: RoutedChannel, index: number): KeyState | undefined {
    return this.ringOf(channel).states[index];
  }

  private ringOf(channel: RoutedChannel): Ring {
    const known = this.rings.get(channel.id);
    if (known?.keys === channel.keys) return known;
    const ring: Ring = {
      keys: channel.keys,
      states: channel.keys.map(() => ({ dead: false, failures: 0, openUntil: 0, probing: false })),
      next: channel.keys.length > 1 ? randomInt(channel.keys.length) : 0,
    };
    this.rings.set(channel.id, ring);
    return ring;
  }
}

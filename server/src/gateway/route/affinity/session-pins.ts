import { boundedCache } from '../../../shared/bounded-cache.js';
import type { SharedState } from '../../../platform/cache/shared-state.js';
import type { SessionSource } from './session-key.js';
import { millisecondsIn, secondsIn } from '../../../shared/clock.js';

/** The channel and key that served the last call of a session. */
export interface Pin {
  readonly channelId: number;
  /** Identifies the key among the channel's keys; see `keyMarkOf`. */
  readonly keyMark: string;
  readonly userId: number;
  readonly model: string;
  readonly source: SessionSource;
  /** Unix milliseconds since which the session uses this channel and key. */
  readonly since: number;
  /** Unix milliseconds of the last use. */
  usedAt: number;
  /** Number of calls that this node served with this pin. */
  calls: number;
}

/** A pin in the form that admins see. */
export interface ListedPin extends Pin {
  /** Seconds until the pin is forgotten if no further call uses it. */
  readonly secondsLeft: number;
}

/** State that several nodes share; null with one node. */
type Shared = Pick<SharedState, 'get' | 'set' | 'delete' | 'publish' | 'subscribe'>;

interface Entry {
  pin: Pin;
  ttlSeconds: number;
  /** Unix milliseconds of the last copy in the shared state. */
  sharedAt: number;
}

const maxPins = 100_000;
/** Milliseconds. The first call of a session waits no longer than this for another node's pin. */
const lookUpMilliseconds = 25;
const channelName = 'affinity';
/** Seconds in which a starting node still learns that the pins of a channel were cleared. */
const clearedSeconds = 24 * 3600;

type Message =
  | { readonly node: string; readonly key: string; readonly pin: Pin; readonly ttl: number }
  | { readonly node: string; readonly clear: number };

/**
 * Stores the pins of sessions in this process, and copies them to the other nodes in the background. A call waits for
 * the shared state only if this node does not know its session. Losing a pin costs a cached prompt.
 */
export class SessionPins {
  private readonly entries = boundedCache<string, Entry>({ max: maxPins });
  private unsubscribe: (() => Promise<void>) | null = null;

  /**
   * @param node distinguishes this node's announcements from those of other nodes
   * @param report receives errors of the shared state
   */
  constructor(
    private readonly shared: Shared | null,
    private readonly node: string,
    private readonly now: () => number,
    private readonly report: (error: unknown) => void = () => undefined,
  ) {}

  /** Subscribes to the announcements of other nodes. */
  async start(): Promise<void> {
    if (!this.shared) return;
    this.unsubscribe = await this.shared.subscribe(channelName, (text) => this.receive(JSON.parse(text) as Message));
  }

  async stop(): Promise<void> {
    await this.unsubscribe?.();
  }

  /** @returns the pin at once if this node knows it; otherwise asks the shared state, for a short time */
  find(key: string, ttlSeconds: number): Pin | null | Promise<Pin | null> {
    const entry = this.entries.get(key);
    if (entry && entry.pin.usedAt + millisecondsIn(entry.ttlSeconds) > this.now()) return entry.pin;
    return this.shared ? this.lookUp(this.shared, key, ttlSeconds) : null;
  }

  /** Records where a call of a session is served. Writes to the shared state in the background. */
  put(key: string, pin: Pin, ttlSeconds: number): void {
    const entry: Entry = { pin, ttlSeconds, sharedAt: this.now() };
    this.entries.set(key, entry);
    this.share(key, entry);
  }

  /** Restarts the lifetime of a pin, after a call was served by it. */
  used(key: string, pin: Pin, ttlSeconds: number): void {
    const now = this.now();
    pin.usedAt = now;
    pin.calls++;
    const entry = this.entries.get(key);
    if (entry?.pin !== pin) return;
    entry.ttlSeconds = ttlSeconds;
    // The pin is copied at intervals. The copies live as long as this one.
    if (now - entry.sharedAt < ttlSeconds * 250) return;
    entry.sharedAt = now;
    this.share(key, entry);
  }

  /** Forgets a pin, unless the session was pinned elsewhere meanwhile. */
  drop(key: string, pin: Pin): void {
    if (this.entries.get(key)?.pin !== pin) return;
    this.entries.delete(key);
    this.shared?.delete(nameOf(key)).catch(this.report);
  }

  /** Returns the pins of a channel that this node knows, last used first. */
  ofChannel(channelId: number): ListedPin[] {
    const now = this.now();
    const found: ListedPin[] = [];
    for (const { pin, ttlSeconds } of this.entries.values()) {
      const secondsLeft = Math.ceil(secondsIn(pin.usedAt + millisecondsIn(ttlSeconds) - now));
      if (pin.channelId === channelId && secondsLeft > 0) found.push({ ...pin, secondsLeft });
    }
    return found.sort((a, b) => b.usedAt - a.usedAt);
  }

  /**
   * Forgets the pins of a channel on every node.
   * @returns the number of pins that this node knew
   */
  async clear(channelId: number): Promise<number> {
    const count = this.clearHere(channelId);
    if (this.shared) {
      await this.shared.set(clearedName(channelId), String(this.now()), clearedSeconds);
      await this.announce({ node: this.node, clear: channelId });
    }
    return count;
  }

  private clearHere(channelId: number): number {
    let count = 0;
    for (const [key, { pin }] of this.entries.entries()) {
      if (pin.channelId !== channelId) continue;
      this.entries.delete(key);
      count++;
    }
    return count;
  }

  private async lookUp(shared: Shared, key: string, ttlSeconds: number): Promise<Pin | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, lookUpMilliseconds, null)));
    const found = readShared(shared, key).catch((error: unknown) => {
      this.report(error);
      return null;
    });
    const pin = await Promise.race([found, late]);
    clearTimeout(timer);
    // Another call may have pinned the session meanwhile.
    const known = this.entries.get(key);
    if (known && known.pin.usedAt + millisecondsIn(known.ttlSeconds) > this.now()) return known.pin;
    if (pin) this.entries.set(key, { pin, ttlSeconds, sharedAt: this.now() });
    return pin;
  }

  private share(key: string, { pin, ttlSeconds }: Entry): void {
    if (!this.shared) return;
    this.shared.set(nameOf(key), JSON.stringify(pin), ttlSeconds).catch(this.report);
    this.announce({ node: this.node, key, pin, ttl: ttlSeconds }).catch(this.report);
  }

  private async announce(message: Message): Promise<void> {
    await this.shared?.publish(channelName, JSON.stringify(message));
  }

  private receive(message: Message): void {
    if (message.node === this.node) return;
    if ('clear' in message) this.clearHere(message.clear);
    else this.entries.set(message.key, { pin: message.pin, ttlSeconds: message.ttl, sharedAt: this.now() });
  }
}

async function readShared(shared: Shared, key: string): Promise<Pin | null> {
  const text = await shared.get(nameOf(key));
  if (text === null) return null;
  const pin = JSON.parse(text) as Pin;
  const cleared = await shared.get(clearedName(pin.channelId));
  return cleared !== null && Number(cleared) >= pin.since ? null : pin;
}

const nameOf = (key: string): string => `affinity:${key}`;
const clearedName = (channelId: number): string => `affinity-cleared:${channelId}`;

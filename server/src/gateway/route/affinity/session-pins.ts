import { boundedCache } from '../../../shared/bounded-cache.js';
import type { SharedState } from '../../../platform/cache/shared-state.js';
import type { SessionSource } from './session-key.js';

/** Where the last call of a session was served. */
export interface Pin {
  readonly channelId: number;
  /** Tells the channel's key among several, see `keyMarkOf`. */
  readonly keyMark: string;
  readonly userId: number;
  readonly model: string;
  readonly source: SessionSource;
  /** Unix milliseconds at which the session came to this channel and key. */
  readonly since: number;
  /** Unix milliseconds. */
  usedAt: number;
  /** Calls that this node served here. */
  calls: number;
}

/** A pin as an admin sees it. */
export interface ListedPin extends Pin {
  /** Seconds until it is forgotten, without another call. */
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
/** A first call waits no longer than this for another node's pin. Milliseconds. */
const lookUpMilliseconds = 25;
const channelName = 'affinity';
/** How long a node that starts knows that the pins of a channel were cleared. */
const clearedSeconds = 24 * 3600;

type Message =
  | { readonly node: string; readonly key: string; readonly pin: Pin; readonly ttl: number }
  | { readonly node: string; readonly clear: number };

/**
 * The pins of sessions: in this process, and copied to the other nodes in the background, so that a call waits for the
 * shared state only where this node does not know its session. Losing them costs a cached prompt.
 */
export class SessionPins {
  private readonly entries = boundedCache<string, Entry>({ max: maxPins });
  private unsubscribe: (() => Promise<void>) | null = null;

  /**
   * @param node distinguishes the own announcements from those of other nodes
   * @param report called with errors of the shared state
   */
  constructor(
    private readonly shared: Shared | null,
    private readonly node: string,
    private readonly now: () => number,
    private readonly report: (error: unknown) => void = () => undefined,
  ) {}

  /** Follows the other nodes. */
  async start(): Promise<void> {
    if (!this.shared) return;
    this.unsubscribe = await this.shared.subscribe(channelName, (text) => this.receive(JSON.parse(text) as Message));
  }

  async stop(): Promise<void> {
    await this.unsubscribe?.();
  }

  /** @returns at once what this node knows; asks the shared state, for a short time, about an unknown session */
  find(key: string, ttlSeconds: number): Pin | null | Promise<Pin | null> {
    const entry = this.entries.get(key);
    if (entry && entry.pin.usedAt + entry.ttlSeconds * 1000 > this.now()) return entry.pin;
    return this.shared ? this.lookUp(this.shared, key, ttlSeconds) : null;
  }

  /** Notes where a call of a session is served. Writes to the shared state in the background. */
  put(key: string, pin: Pin, ttlSeconds: number): void {
    const entry: Entry = { pin, ttlSeconds, sharedAt: this.now() };
    this.entries.set(key, entry);
    this.share(key, entry);
  }

  /** A call was served where its session is pinned: the lifetime of the pin starts again. */
  used(key: string, pin: Pin, ttlSeconds: number): void {
    const now = this.now();
    pin.usedAt = now;
    pin.calls++;
    const entry = this.entries.get(key);
    if (entry?.pin !== pin) return;
    entry.ttlSeconds = ttlSeconds;
    // Copied now and then: the copies live as long as this one.
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

  /** The pins of a channel that this node knows, last used first. */
  ofChannel(channelId: number): ListedPin[] {
    const now = this.now();
    const found: ListedPin[] = [];
    for (const { pin, ttlSeconds } of this.entries.values()) {
      const secondsLeft = Math.ceil((pin.usedAt + ttlSeconds * 1000 - now) / 1000);
      if (pin.channelId === channelId && secondsLeft > 0) found.push({ ...pin, secondsLeft });
    }
    return found.sort((a, b) => b.usedAt - a.usedAt);
  }

  /**
   * Forgets the pins of a channel on every node.
   * @returns the number of those that this node knew
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
    // Another call of the session may have been pinned meanwhile.
    const known = this.entries.get(key);
    if (known && known.pin.usedAt + known.ttlSeconds * 1000 > this.now()) return known.pin;
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

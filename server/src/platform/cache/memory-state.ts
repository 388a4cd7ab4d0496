import { LRUCache } from 'lru-cache';
import { boundedCache } from '../../shared/bounded-cache.js';
import type { HitResult, SlotClaim, SharedState } from './shared-state.js';
import { SlidingCount, type CountClaim, type WindowCount } from './sliding-count.js';
import { Subscriptions } from './subscriptions.js';
import { millisecondsIn, secondsIn } from '../../shared/clock.js';

const maxKeys = 100_000;
const maxBytes = 64 * 1024 * 1024;
/** Minimum number of bytes that an entry counts, so that there are no more than `maxKeys`. */
const leastBytes = Math.ceil(maxBytes / maxKeys);
/** Bytes per entry in addition to its text. */
const entryOverhead = 100;
/** Bytes of a count, which has a number for each second of a minute. */
const countBytes = 2500;

interface Entry {
  /** The text. Counters change it in place: the lifetime starts with the first addition. */
  text: string;
}

interface SlidingLog {
  /**
   * Times of the recorded hits by `performance.now()`, oldest first. The list is never longer than the largest
   * requested limit.
   */
  readonly times: number[];
}

/** The slots of a limit, by node. */
interface SlotsOfNode {
  readonly granted: number;
  readonly until: number;
}
type Slots = Map<string, SlotsOfNode>;

/** A cache that is bounded by the bytes of its values. */
const sized = <V extends object>(
  bytesOf: (value: V, key: string) => number,
  options: { readonly updateAgeOnGet?: boolean } = {},
): LRUCache<string, V> =>
  new LRUCache<string, V>({
    ...options,
    maxSize: maxBytes,
    sizeCalculation: (value, key) => Math.max(leastBytes, bytesOf(value, key)),
  });

/**
 * Shared state of a single process, and the fallback while Redis is unavailable. It is bounded in keys and bytes. The
 * least recently used entries are dropped first, which at worst loosens a limit or loses a one-time code.
 */
export class MemoryState implements SharedState {
  private readonly entries = sized<Entry>(({ text }, key) => key.length + text.length + entryOverhead);
  private readonly logs = sized<SlidingLog>(({ times }, key) => key.length + times.length * 8 + entryOverhead);
  private readonly counts = sized<SlidingCount>((_, key) => key.length + countBytes, { updateAgeOnGet: true });
  private readonly slots = boundedCache<string, Slots>({ max: maxKeys });
  private readonly subscriptions: Subscriptions;

  /** @param report called with errors of subscribers */
  constructor(report: (error: unknown) => void = () => undefined) {
    this.subscriptions = new Subscriptions(report);
  }

  async get(key: string): Promise<string | null> {
    return this.entries.get(key)?.text ?? null;
  }

  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    this.entries.set(key, { text: value }, { ttl: milliseconds(ttlSeconds) });
  }

  async take(key: string): Promise<string | null> {
    const text = this.entries.get(key)?.text ?? null;
    this.entries.delete(key);
    return text;
  }

  async delete(key: string): Promise<void> {
    this.entries.delete(key);
    this.logs.delete(key);
    this.counts.delete(key);
  }

  async once(key: string, ttlSeconds: number): Promise<boolean> {
    if (this.entries.get(key)) return false;
    this.entries.set(key, { text: '1' }, { ttl: milliseconds(ttlSeconds) });
    return true;
  }

  async incrementBy(key: string, amount: number, ttlSeconds: number): Promise<number> {
    const entry = this.entries.get(key);
    const sum = Number(entry?.text ?? 0) + amount;
    if (entry) entry.text = String(sum);
    else this.entries.set(key, { text: String(sum) }, { ttl: milliseconds(ttlSeconds) });
    return sum;
  }

  async hit(key: string, limit: number, windowSeconds: number): Promise<HitResult> {
    const result = this.look(key, limit, windowSeconds);
    if (!result.allowed || limit <= 0) return result;
    const times = this.logs.get(key)?.times ?? [];
    times.push(performance.now());
    if (times.length > limit) times.splice(0, times.length - limit);
    // A new object is stored, so that its size is counted again.
    this.logs.set(key, { times }, { ttl: milliseconds(windowSeconds) });
    return result;
  }

  async peek(key: string, limit: number, windowSeconds: number): Promise<HitResult> {
    return this.look(key, limit, windowSeconds);
  }

  async count(key: string, claim: CountClaim): Promise<WindowCount> {
    let count = this.counts.get(key);
    if (!count) {
      count = new SlidingCount();
      // The next claim after that time begins a new count in any case.
      this.counts.set(key, count, { ttl: milliseconds(2 * claim.window) });
    }
    return count.claim(claim);
  }

  async recount(key: string, second: number, amount: number): Promise<void> {
    this.counts.peek(key)?.correct(second, amount);
  }

  async publish(channel: string, message: string): Promise<void> {
    this.subscriptions.deliver(channel, message);
  }

  async subscribe(channel: string, handler: (message: string) => void): Promise<() => Promise<void>> {
    this.subscriptions.add(channel, handler);
    return async () => void this.subscriptions.remove(channel, handler);
  }

  onGap(): void {
    // Nothing is ever missed inside one process.
  }

  async lease(name: string, owner: string, ttlSeconds: number): Promise<boolean> {
    const key = leaseKey(name);
    const holder = this.entries.get(key)?.text;
    if (holder !== undefined && holder !== owner) return false;
    this.entries.set(key, { text: owner }, { ttl: milliseconds(ttlSeconds) });
    return true;
  }

  async release(name: string, owner: string): Promise<void> {
    const key = leaseKey(name);
    if (this.entries.get(key)?.text === owner) this.entries.delete(key);
  }

  async leaseSlots(key: string, { owner, used, wanted, limit, ttlSeconds }: SlotClaim): Promise<number> {
    const slots: Slots = this.slots.get(key) ?? new Map<string, SlotsOfNode>();
    const now = performance.now();
    let others = 0;
    for (const [node, { granted, until }] of slots) {
      if (until <= now) slots.delete(node);
      else if (node !== owner) others += granted;
    }
    const granted = Math.max(used, Math.min(wanted, limit - others));
    if (granted > 0) slots.set(owner, { granted, until: now + milliseconds(ttlSeconds) });
    else slots.delete(owner);
    if (slots.size > 0) this.slots.set(key, slots, { ttl: milliseconds(ttlSeconds) });
    else this.slots.delete(key);
    return granted;
  }

  async ping(): Promise<boolean> {
    return true;
  }

  async close(): Promise<void> {
    this.entries.clear();
    this.logs.clear();
    this.counts.clear();
    this.slots.clear();
  }

  /** Whether one more hit is allowed now. The hit is not recorded. */
  private look(key: string, limit: number, windowSeconds: number): HitResult {
    if (limit <= 0) return allowed;
    const times = this.logs.get(key)?.times ?? [];
    const oldest = times.at(-limit);
    if (oldest === undefined) return allowed;
    const wait = oldest + millisecondsIn(windowSeconds) - performance.now();
    return wait > 0 ? { allowed: false, retryAfterSeconds: Math.ceil(secondsIn(wait)) } : allowed;
  }
}

const allowed: HitResult = { allowed: true, retryAfterSeconds: 0 };

const leaseKey = (name: string): string => `lease:${name}`;

/** Returns milliseconds, at least one: a lifetime of 0 would mean "forever" to the cache. */
const milliseconds = (seconds: number): number => Math.max(1, Math.ceil(millisecondsIn(seconds)));

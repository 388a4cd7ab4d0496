import type { HitResult, SlotClaim, SharedState } from './shared-state.js';
import type { CountClaim, WindowCount } from './sliding-count.js';

/** Milliseconds between attempts to reach an unavailable store. Meanwhile no call waits for it. */
const retryMilliseconds = 1000;

export interface Outage {
  /** Called when the store becomes unavailable. This node then counts and stores alone. */
  onUnavailable(error: unknown): void;
  onBack(): void;
}

/**
 * The shared store, with this node's memory as fallback. Calls never fail and never wait for a store known to be
 * unavailable. Meanwhile limits hold for each node alone, announcements reach this node only, and a lease can be held
 * once on each node, so work under a lease must be safe to run twice.
 */
export class ResilientState implements SharedState {
  /**
   * Zero while the store is available, else the time of the next attempt, by `performance.now()`: the clock may be set
   * back.
   */
  private retryAt = 0;

  constructor(
    private readonly store: SharedState,
    private readonly memory: SharedState,
    private readonly outage: Outage,
  ) {}

  get(key: string): Promise<string | null> {
    return this.use((state) => state.get(key));
  }

  set(key: string, value: string, ttlSeconds: number): Promise<void> {
    return this.use((state) => state.set(key, value, ttlSeconds));
  }

  take(key: string): Promise<string | null> {
    return this.use((state) => state.take(key));
  }

  delete(key: string): Promise<void> {
    return this.use((state) => state.delete(key));
  }

  once(key: string, ttlSeconds: number): Promise<boolean> {
    return this.use((state) => state.once(key, ttlSeconds));
  }

  incrementBy(key: string, amount: number, ttlSeconds: number): Promise<number> {
    return this.use((state) => state.incrementBy(key, amount, ttlSeconds));
  }

  hit(key: string, limit: number, windowSeconds: number): Promise<HitResult> {
    return this.use((state) => state.hit(key, limit, windowSeconds));
  }

  peek(key: string, limit: number, windowSeconds: number): Promise<HitResult> {
    return this.use((state) => state.peek(key, limit, windowSeconds));
  }

  count(key: string, claim: CountClaim): Promise<WindowCount> {
    return this.use((state) => state.count(key, claim));
  }

  recount(key: string, second: number, amount: number): Promise<void> {
    return this.use((state) => state.recount(key, second, amount));
  }

  publish(channel: string, message: string): Promise<void> {
    return this.use((state) => state.publish(channel, message));
  }

  /** Subscribes to both: messages use the memory while the store is unavailable. */
  async subscribe(channel: string, handler: (message: string) => void): Promise<() => Promise<void>> {
    const ends = await Promise.all([this.memory.subscribe(channel, handler), this.store.subscribe(channel, handler)]);
    return async () => {
      await Promise.allSettled(ends.map((end) => end()));
    };
  }

  onGap(handler: () => void): void {
    this.store.onGap(handler);
  }

  lease(name: string, owner: string, ttlSeconds: number): Promise<boolean> {
    return this.use((state) => state.lease(name, owner, ttlSeconds));
  }

  release(name: string, owner: string): Promise<void> {
    return this.use((state) => state.release(name, owner));
  }

  leaseSlots(key: string, claim: SlotClaim): Promise<number> {
    return this.use((state) => state.leaseSlots(key, claim));
  }

  /** Whether the shared store itself responds. The fallback does not count. */
  async ping(): Promise<boolean> {
    const answers = await this.store.ping();
    if (answers) this.back();
    else this.unavailable(new Error('ping failed'));
    return answers;
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.memory.close();
  }

  private async use<T>(operation: (state: SharedState) => Promise<T>): Promise<T> {
    if (this.retryAt > performance.now()) return operation(this.memory);
    // While the store is unavailable, one call per interval tries it. The others use the memory.
    if (this.retryAt > 0) this.retryAt = performance.now() + retryMilliseconds;
    try {
      const result = await operation(this.store);
      this.back();
      return result;
    } catch (error) {
      this.unavailable(error);
      return operation(this.memory);
    }
  }

  private unavailable(error: unknown): void {
    const first = this.retryAt === 0;
    this.retryAt = performance.now() + retryMilliseconds;
    if (first) this.outage.onUnavailable(error);
  }

  private back(): void {
    if (this.retryAt === 0) return;
    this.retryAt = 0;
    this.outage.onBack();
  }
}

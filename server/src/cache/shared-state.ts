/**
 * What the nodes share besides the database: short-lived values, counters, announcements and leases.
 * Two implementations (`memory-state.ts`, `redis-state.ts`) meet one contract suite. Nothing here holds money, and
 * losing all of it costs speed only: callers fall back to the database.
 */
export interface SharedState {
  /** Text values. `ttlSeconds` is always given, so nothing stays for ever. */
  get(key: string): Promise<string | null>;
  set(key: string, value: string, ttlSeconds: number): Promise<void>;
  /** Reads and removes in one step (one-time codes, OAuth state): of two takers one gets it. */
  take(key: string): Promise<string | null>;
  delete(key: string): Promise<void>;
  /** Sets only when absent; true when this call set it. */
  once(key: string, ttlSeconds: number): Promise<boolean>;
  /** Adds and returns the sum; the lifetime starts with the first addition. */
  incrementBy(key: string, amount: number, ttlSeconds: number): Promise<number>;

  /**
   * Sliding-window log: allows at most `limit` hits in any `windowSeconds`; a refused hit is not recorded.
   * One atomic step on every node (docs/reference/relay/access.md#model-rate-limits). `limit` 0 always allows.
   */
  hit(key: string, limit: number, windowSeconds: number): Promise<HitResult>;
  /** Like `hit` but records nothing: is there room? */
  peek(key: string, limit: number, windowSeconds: number): Promise<HitResult>;

  /** Tells every node, this one included. Delivery is best effort; handlers must only ever drop caches. */
  publish(channel: string, message: string): Promise<void>;
  /** Returns a function that ends the subscription. */
  subscribe(channel: string, handler: (message: string) => void): Promise<() => Promise<void>>;
  /** Calls back whenever messages may have been missed: the connection that hears them was lost and is back. */
  onGap(handler: () => void): void;

  /** Takes or extends a named lease; true while this `owner` holds it. */
  lease(name: string, owner: string, ttlSeconds: number): Promise<boolean>;
  release(name: string, owner: string): Promise<void>;

  /** Is the store reachable now? Never throws. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

export interface HitResult {
  readonly allowed: boolean;
  /** Whole seconds until the next hit would be allowed; 0 when allowed. */
  readonly retryAfterSeconds: number;
}

/** The one channel on which changes are announced; the message is JSON `{ kind, id? }`. */
export const changesChannel = 'changes';

export const changeKinds = ['user', 'token', 'channel', 'option', 'session', 'drawing', 'creativeTask'] as const;

/** What changed. Every node drops what it holds of it. `id` absent means all of that kind; of a session it is its user's. */
export interface Change {
  readonly kind: (typeof changeKinds)[number];
  readonly id?: number | string;
}

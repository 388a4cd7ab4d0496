import type { CountClaim, WindowCount } from './sliding-count.js';

/**
 * State that nodes share besides the database: short-lived values, counters, announcements and leases. Two
 * implementations (`memory-state.ts`, `redis-state.ts`) pass one test suite. No balance is stored here; after losing
 * all of it, callers read the database.
 */
export interface SharedState {
  /** Reads a text. `ttlSeconds` of `set` is required, so every value expires. */
  get(key: string): Promise<string | null>;
  set(key: string, value: string, ttlSeconds: number): Promise<void>;
  /** Reads and removes in one step (one-time codes, OAuth state): only one of two parallel callers gets it. */
  take(key: string): Promise<string | null>;
  /** Removes a value or the hits of a key. */
  delete(key: string): Promise<void>;
  /** Sets a value only if it is absent; true when this call set it. */
  once(key: string, ttlSeconds: number): Promise<boolean>;
  /** Adds and returns the total; the lifetime starts with the first addition. */
  incrementBy(key: string, amount: number, ttlSeconds: number): Promise<number>;

  /**
   * Records a hit in a sliding-window log: at most `limit` hits are allowed in any `windowSeconds`; a refused hit is
   * not recorded. It is one atomic step on every node (docs/reference/relay/access.md#model-rate-limits). `limit` 0
   * always allows.
   */
  hit(key: string, limit: number, windowSeconds: number): Promise<HitResult>;
  /** Checks like `hit`, without recording. */
  peek(key: string, limit: number, windowSeconds: number): Promise<HitResult>;

  /**
   * Adds an amount to a count of the last seconds, unless the count would exceed the limit. It is one atomic step on
   * every node: no window of that length ever has more than the limit, and use counts for at most one second longer.
   */
  count(key: string, claim: CountClaim): Promise<WindowCount>;
  /**
   * Changes the amount that a claim added, for example when the real use is known. It has no effect after the window of
   * the claim.
   * @param second returned by the claim
   */
  recount(key: string, second: number, amount: number): Promise<void>;

  /** Sends a message to every node, including this one. Delivery is best effort: handlers must only drop caches. */
  publish(channel: string, message: string): Promise<void>;
  /** Returns a function that ends the subscription. */
  subscribe(channel: string, handler: (message: string) => void): Promise<() => Promise<void>>;
  /** Called when messages may have been missed, after the subscribing connection was lost and restored. */
  onGap(handler: () => void): void;

  /** Takes or extends a named lease; true while this `owner` holds it. */
  lease(name: string, owner: string, ttlSeconds: number): Promise<boolean>;
  release(name: string, owner: string): Promise<void>;

  /**
   * Declares how many slots of a limit a node has and wants. In one atomic step the node gets as many as other nodes
   * leave, and never fewer than it uses. The declaration replaces the previous one of the same node; 0 returns all
   * slots.
   * @returns the slots that the node has for the lifetime
   */
  leaseSlots(key: string, claim: SlotClaim): Promise<number>;

  /** Whether the store is reachable now. Never throws. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

export interface SlotClaim {
  /** The id of the node. */
  readonly owner: string;
  /** Slots in use. They are kept even if the limit is exceeded. */
  readonly used: number;
  /** Slots that the node wants. Not below `used`. */
  readonly wanted: number;
  /** The limit of all nodes together. */
  readonly limit: number;
  readonly ttlSeconds: number;
}

export interface HitResult {
  readonly allowed: boolean;
  /** Whole seconds until the next hit would be allowed; 0 when allowed. */
  readonly retryAfterSeconds: number;
}

/** The one channel on which changes are announced; the message is JSON `{ kind, id? }`. */
export const changesChannel = 'changes';

export const changeKinds = [
  'user',
  'token',
  'channel',
  'option',
  'session',
  'drawing',
  'creativeTask',
  'budget',
] as const;

/** A change. Every node drops its cached copies. Without `id`: all of that kind. For a session, `id` is the user's. */
export interface Change {
  readonly kind: (typeof changeKinds)[number];
  readonly id?: number | string;
}

import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../shared/bounded-cache.js';
import { millisecondsIn } from '../../shared/clock.js';

export interface LoaderOptions<K, V> {
  /** Maximum number of values. The least recently used values are dropped first. */
  readonly max: number;
  readonly lifetimeSeconds: number;
  /** Seconds for which "not found" is cached. 0, the default, loads again every time. */
  readonly missLifetimeSeconds?: number;
  /** Loads a value; null means not found. An error reaches every waiter and is not cached. */
  load(key: K): Promise<V | null>;
}

/** A boxed value, to distinguish a cached "not found" from "not cached". */
interface Held<V> {
  readonly value: V | null;
}

/**
 * Get-or-load cache with single flight: parallel requests for a missing key load it once. A key dropped while it is
 * loading is not cached, because the load may have seen the old row.
 */
export class Loader<K extends string | number, V extends object> {
  private readonly held: LRUCache<K, Held<V>>;
  private readonly flights = new Map<K, Promise<V | null>>();

  constructor(private readonly options: LoaderOptions<K, V>) {
    this.held = boundedCache({ max: options.max, ttl: millisecondsIn(options.lifetimeSeconds) });
  }

  /** Returns the cached value without loading it. Null is a cached "not found", undefined is not cached. */
  peek(key: K): V | null | undefined {
    return this.held.get(key)?.value;
  }

  /**
   * Returns the cached value, or else loads it. Callers of one key share a load.
   * @returns null when there is no such row. Rejects with the error of the load, which is not cached
   */
  get(key: K): Promise<V | null> {
    const held = this.held.get(key);
    if (held) return Promise.resolve(held.value);
    const flight = this.flights.get(key);
    if (flight) return flight;
    const reading = this.options.load(key);
    this.flights.set(key, reading);
    const land = (value?: V | null): void => {
      if (this.flights.get(key) !== reading) return;
      this.flights.delete(key);
      if (value !== undefined) this.keep(key, value);
    };
    reading.then(land, () => land());
    return reading;
  }

  drop(key: K): void {
    this.held.delete(key);
    this.flights.delete(key);
  }

  /** Drops every matching value, for changes that do not name the key. */
  dropWhere(matches: (value: V) => boolean): void {
    for (const [key, { value }] of this.held.entries()) {
      // Missing rows may exist now, so they are dropped too.
      if (value === null || matches(value)) this.held.delete(key);
    }
    // Running loads may have seen old rows, so none of them is cached.
    this.flights.clear();
  }

  clear(): void {
    this.held.clear();
    this.flights.clear();
  }

  private keep(key: K, value: V | null): void {
    if (value !== null) this.held.set(key, { value });
    else if (this.options.missLifetimeSeconds) {
      this.held.set(key, { value }, { ttl: millisecondsIn(this.options.missLifetimeSeconds) });
    }
  }
}

/**
 * Calls a function with a value, at once when it is known already. Most calls find what they need in a cache, and `await`
 * would let others run in between.
 */
export const whenKnown = <Value, Result>(
  value: Value | Promise<Value>,
  then: (value: Value) => Result,
): Result | Promise<Awaited<Result>> =>
  value instanceof Promise ? (value.then(then) as Promise<Awaited<Result>>) : then(value);

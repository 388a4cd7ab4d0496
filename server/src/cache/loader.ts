import { LRUCache } from 'lru-cache';

export interface LoaderOptions<K, V> {
  /** How many values are held at most; what was used longest ago goes first. */
  readonly max: number;
  readonly lifetimeSeconds: number;
  /** How long it is remembered that there is nothing; 0, the default, asks again every time. */
  readonly missLifetimeSeconds?: number;
  /** Reads the truth. Null: there is none. What it throws reaches every waiter and is not remembered. */
  load(key: K): Promise<V | null>;
}

/** Boxed, so that a remembered "there is none" is told from "not known". */
interface Held<V> {
  readonly value: V | null;
}

/**
 * Get-or-load with single flight: however many ask for a missing key at once, it is read once. A key dropped while its
 * reading is under way is not kept, since that reading may have seen the old row.
 */
export class Loader<K extends string | number, V extends object> {
  /** Made on first use, since it allocates megabytes for the keys it may hold. */
  private made: LRUCache<K, Held<V>> | undefined;
  private readonly flights = new Map<K, Promise<V | null>>();

  constructor(private readonly options: LoaderOptions<K, V>) {}

  private get held(): LRUCache<K, Held<V>> {
    const { max, lifetimeSeconds } = this.options;
    return (this.made ??= new LRUCache({ max, ttl: lifetimeSeconds * 1000 }));
  }

  /** What is held, without asking anybody: null is "known to be nothing", undefined is "not known". */
  peek(key: K): V | null | undefined {
    return this.held.get(key)?.value;
  }

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
    this.made?.delete(key);
    this.flights.delete(key);
  }

  /** Drops every value that matches: for changes known by another name than the key. */
  dropWhere(matches: (value: V) => boolean): void {
    for (const [key, { value }] of this.made?.entries() ?? []) {
      // Whatever was missing may be there now.
      if (value === null || matches(value)) this.held.delete(key);
    }
    // What is being read is not known yet, so none of it is kept.
    this.flights.clear();
  }

  clear(): void {
    this.made?.clear();
    this.flights.clear();
  }

  private keep(key: K, value: V | null): void {
    if (value !== null) this.held.set(key, { value });
    else if (this.options.missLifetimeSeconds) {
      this.held.set(key, { value }, { ttl: this.options.missLifetimeSeconds * 1000 });
    }
  }
}

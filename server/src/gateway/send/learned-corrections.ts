import type { Correction } from '../../dialects/corrections/correction.js';
import type { Clock } from '../../shared/clock.js';

/**
 * Milliseconds for which corrections are kept. Providers change which fields they accept, so the original request is
 * tried again later.
 */
const keptMilliseconds = 24 * 3_600_000;
/** Maximum number of pairs of a channel and a model. */
const maxEntries = 10_000;
const maxCorrections = 20;

interface Entry {
  readonly corrections: readonly Correction[];
  readonly until: number;
}

/**
 * Stores the corrections that the provider of a channel requires for one of its models, for a day in the memory of this
 * process.
 */
export class LearnedCorrections {
  /** Whether nothing was refused yet. Calls need no look-up then. */
  isEmpty = true;
  /** The corrections, by channel and model. */
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly clock: Clock) {}

  /** @param key of `keyOf` */
  of(key: string): readonly Correction[] | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    if (entry.until > this.clock.now()) return entry.corrections;
    this.entries.delete(key);
    this.isEmpty = this.entries.size === 0;
    return undefined;
  }

  learn(key: string, found: readonly Correction[]): void {
    const known = this.of(key) ?? [];
    const names = new Set(known.map((each) => JSON.stringify(each)));
    const added = found.filter((each) => !names.has(JSON.stringify(each)));
    if (added.length === 0) return;
    const [oldest] = this.entries.keys();
    if (this.entries.size >= maxEntries && oldest !== undefined) this.entries.delete(oldest);
    const corrections = [...known, ...added].slice(-maxCorrections);
    this.entries.set(key, { corrections, until: this.clock.now() + keptMilliseconds });
    this.isEmpty = false;
  }
}

import { boundedCache } from '../../../shared/bounded-cache.js';
import type { Clock } from '../../../shared/clock.js';

/** The measured times of one channel and model. */
interface Measured {
  /** Moving average in milliseconds; the last calls count most. */
  average: number;
  /** The latest times in milliseconds, in a ring. */
  readonly latest: number[];
  next: number;
  /** Unix milliseconds of the last time. */
  at: number;
}

/** Identifies a series of times. Responses in one piece come when they are complete, so they are measured apart. */
export interface TimeSeries {
  readonly channelId: number;
  readonly model: string;
  readonly stream: boolean;
}

const maxSeries = 10_000;
const maxLatest = 64;
/** Weight of the newest time in the average. */
const newest = 0.2;
/** With fewer times the average says little. */
const fewTimes = 3;
/** Older averages are measured again. Milliseconds. */
const staleAfter = 10 * 60_000;

/** How long providers take until the first byte of a response, measured from calls on this node. */
export class FirstByteTimes {
  private readonly series = boundedCache<string, Measured>({ max: maxSeries });

  constructor(private readonly clock: Clock) {}

  /** @param milliseconds from the request to the first byte */
  note(call: TimeSeries, milliseconds: number): void {
    const key = keyOf(call);
    const known = this.series.get(key);
    const at = this.clock.now();
    if (!known) {
      this.series.set(key, { average: milliseconds, latest: [milliseconds], next: 1, at });
      return;
    }
    // After a long pause the channel may be another one.
    const isStale = known.at + staleAfter < at;
    known.average = isStale ? milliseconds : known.average + newest * (milliseconds - known.average);
    known.latest[known.next % maxLatest] = milliseconds;
    known.next++;
    known.at = at;
  }

  /** The moving average in milliseconds; null: never measured. */
  average(call: TimeSeries): number | null {
    return this.series.get(keyOf(call))?.average ?? null;
  }

  /** False: it was measured too rarely, or too long ago. */
  isKnown(call: TimeSeries): boolean {
    const known = this.series.get(keyOf(call));
    return known !== undefined && known.next >= fewTimes && known.at + staleAfter >= this.clock.now();
  }

  /**
   * The time that this share of the latest calls did not exceed, in milliseconds.
   * @param percent above 0, below 100
   * @param least number of times that it needs
   * @returns null with fewer
   */
  percentile(call: TimeSeries, percent: number, least: number): number | null {
    const known = this.series.get(keyOf(call));
    if (!known || known.latest.length < least) return null;
    const sorted = known.latest.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor((percent / 100) * sorted.length))] ?? null;
  }
}

const keyOf = ({ channelId, model, stream }: TimeSeries): string => `${channelId}/${stream ? 's' : 'j'}/${model}`;

/** Measures one attempt. */
export class FirstByteWatch {
  private readonly startedAt = performance.now();
  private acceptedAt = 0;

  constructor(
    private readonly times: FirstByteTimes,
    private readonly call: TimeSeries,
  ) {}

  /** The provider responded with the status and headers of a success. */
  accepted(): void {
    this.acceptedAt = performance.now();
  }

  /** @param firstByteAt of a stream, by `performance.now()`; null for a response in one piece */
  served(firstByteAt: number | null): void {
    const at = firstByteAt ?? this.acceptedAt;
    if (at > 0) this.times.note(this.call, at - this.startedAt);
  }

  /** The provider was slower than this. */
  gaveUp(): void {
    this.times.note(this.call, performance.now() - this.startedAt);
  }
}

import { boundedCache } from '../../../shared/bounded-cache.js';
import type { Clock } from '../../../shared/clock.js';

/** The measured times of one channel and model. */
interface Measured {
  /** The moving average in milliseconds. The latest calls count most. */
  average: number;
  /** The latest times in milliseconds, in a ring. */
  readonly latest: number[];
  next: number;
  /** Unix milliseconds of the latest measurement. */
  at: number;
}

/**
 * Identifies a series of times. Non-streaming responses arrive when they are complete, so they are measured separately.
 */
export interface TimeSeries {
  readonly channelId: number;
  readonly model: string;
  readonly stream: boolean;
}

const maxSeries = 10_000;
const maxLatest = 64;
/** The weight of the newest time in the average. */
const newest = 0.2;
/** Number of times below which the average is not reliable. */
const fewTimes = 3;
/** Milliseconds. Older averages are measured again. */
const staleAfter = 10 * 60_000;

/** Measures how long providers take until the first byte of a response, from calls on this node. */
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
    // After a long pause the provider's speed may have changed, so the average starts again.
    const isStale = known.at + staleAfter < at;
    known.average = isStale ? milliseconds : known.average + newest * (milliseconds - known.average);
    known.latest[known.next % maxLatest] = milliseconds;
    known.next++;
    known.at = at;
  }

  /** The moving average in milliseconds. Null when nothing was measured. */
  average(call: TimeSeries): number | null {
    return this.series.get(keyOf(call))?.average ?? null;
  }

  /** Whether the average is based on enough recent measurements. */
  isKnown(call: TimeSeries): boolean {
    const known = this.series.get(keyOf(call));
    return known !== undefined && known.next >= fewTimes && known.at + staleAfter >= this.clock.now();
  }

  /**
   * Returns the time that this share of the latest calls did not exceed, in milliseconds.
   * @param percent above 0, below 100
   * @param least number of measurements required
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

  /** Records that the provider responded with the status and headers of a success. */
  accepted(): void {
    this.acceptedAt = performance.now();
  }

  /** @param firstByteAt of a stream, by `performance.now()`; null for a non-streaming response */
  served(firstByteAt: number | null): void {
    const at = firstByteAt ?? this.acceptedAt;
    if (at > 0) this.times.note(this.call, at - this.startedAt);
  }

  /** Records that the attempt was given up, because the provider was slower than the elapsed time. */
  gaveUp(): void {
    this.times.note(this.call, performance.now() - this.startedAt);
  }
}

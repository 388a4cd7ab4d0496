import { readerZone } from '../../lib/reader.js';

/** Series for charts, from the server's buckets. Pure. */
export type Granularity = 'hour' | 'day' | 'week';

/** Longest range in days with hourly buckets: more columns would be narrower than a pixel. */
export const maxHourlyDays = 7;

const hours: Readonly<Record<Granularity, number>> = { hour: 1, day: 24, week: 168 };

/** The granularity for a range of days. */
export const granularityFor = (wanted: Granularity, days: number): Granularity =>
  wanted === 'hour' && days > maxHourlyDays ? 'day' : wanted;

/** Maximum number of buckets in a range of days, in any time zone. */
export const bucketsOf = (days: number, granularity: Granularity): number =>
  Math.ceil((days * 24 + 2) / hours[granularity]) + 2;

/** The reader's time zone, or UTC where days do not start on a full UTC hour: usage is aggregated by UTC hour. */
export function viewerZone(zone: string = readerZone(), now: Date = new Date()): string {
  try {
    const minutes = new Intl.DateTimeFormat('en-US', { timeZone: zone, minute: 'numeric' }).format(now);
    return Number(minutes) === now.getUTCMinutes() ? zone : 'UTC';
  } catch {
    return 'UTC';
  }
}

export interface Bucket {
  /** Unix milliseconds. */
  readonly start: number;
  readonly end: number;
}

/**
 * Means per minute. The first and the last bucket count only for their part inside the range.
 * @param range Unix milliseconds
 */
export const perMinute = (
  values: readonly number[],
  buckets: readonly Bucket[],
  range: { readonly from: number; readonly to: number },
): number[] =>
  values.map((value, index) => {
    const bucket = buckets[index];
    if (!bucket) return 0;
    const milliseconds = Math.min(bucket.end, range.to) - Math.max(bucket.start, range.from);
    return value / Math.max(1, milliseconds / 60_000);
  });

/** Decimals of amounts up to so many units of a currency, such that the marks of an axis differ. */
export const centDigits = (largest: number): number => {
  if (largest === 0 || largest >= 0.5) return 2;
  return largest >= 0.005 ? 4 : 6;
};

export interface Cell {
  readonly time?: string | null;
  readonly key: { readonly isOthers: boolean; readonly modelName?: string | null };
  readonly metrics: { readonly quota: number };
}

export interface Series {
  readonly name: string;
  readonly isOthers: boolean;
  readonly values: readonly number[];
}

/** One series per model in the server's order, and one for all others where they used anything. */
export function modelSeries(cells: readonly Cell[], starts: readonly number[], other: string): Series[] {
  const places = new Map(starts.map((start, index) => [start, index]));
  const series = new Map<string, { name: string; isOthers: boolean; values: number[] }>();
  for (const { time, key, metrics } of cells) {
    const place = places.get(new Date(time ?? 0).getTime());
    if (place === undefined) continue;
    const id = key.isOthers ? 'others' : `model ${key.modelName ?? ''}`;
    let one = series.get(id);
    if (!one) {
      one = { name: key.isOthers ? other : (key.modelName ?? ''), isOthers: key.isOthers, values: starts.map(() => 0) };
      series.set(id, one);
    }
    one.values[place] = metrics.quota;
  }
  const all = [...series.values()];
  const others = all.filter(({ isOthers, values }) => isOthers && values.some((value) => value > 0));
  return [...all.filter(({ isOthers }) => !isOthers), ...others];
}

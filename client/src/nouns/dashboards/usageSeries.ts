import { dateTime } from '../../lib/format.js';
import { chosenZone, readerZone } from '../../lib/reader.js';
import type { Zone } from '../../lib/zone.js';

/** Builds series for charts from the server's buckets. */
export const granularities = ['hour', 'day', 'week', 'month'] as const;
export type Granularity = (typeof granularities)[number];

/** The buckets of a chart. */
export interface Buckets {
  /** Unix milliseconds, ascending. */
  readonly starts: readonly number[];
  readonly granularity: Granularity;
}

/** Hours of the shortest bucket. */
const hours: Readonly<Record<Granularity, number>> = { hour: 1, day: 24, week: 168, month: 672 };

/**
 * Longest range in days of a granularity. More hours would be columns narrower than a pixel; of more days or weeks, the
 * spend of eleven models each would not fit into the page of its panel.
 */
const maxDays: Readonly<Record<Granularity, number>> = { hour: 7, day: 330, week: 2300, month: Infinity };

/** The granularities to choose from. Months are for ranges that are too long for days. */
export const granularitiesFor = (days: number): readonly Granularity[] =>
  granularities.filter((one) => days <= maxDays[one] && (one !== 'month' || days > maxDays.day));

/** The granularity for a range of days: the wanted one, or the next that the range is not too long for. */
export const granularityFor = (wanted: Granularity, days: number): Granularity =>
  granularities.slice(granularities.indexOf(wanted)).find((one) => days <= maxDays[one]) ?? 'month';

const hour = 3_600_000;

/** A bucket. Milliseconds. */
interface Length {
  readonly granularity: Granularity;
  /** The mean. */
  readonly length: number;
  /** How far starts may be from whole multiples, because clocks change and months differ. */
  readonly tolerance: number;
  /** Leads from about the start into the bucket, for its label. */
  readonly inside: number;
}
const fiveMinutes: Length = { granularity: 'hour', length: hour / 12, tolerance: 0, inside: 0 };
const longer: readonly Length[] = [
  { granularity: 'hour', length: hour, tolerance: 0, inside: 0 },
  { granularity: 'day', length: 24 * hour, tolerance: hour, inside: 12 * hour },
  { granularity: 'week', length: 168 * hour, tolerance: hour, inside: 12 * hour },
  { granularity: 'month', length: 730.5 * hour, tolerance: 72 * hour, inside: 336 * hour },
];

/** Maximum number of buckets: the rows of a page. */
const maxBuckets = 5000;

/**
 * The buckets of rows, from the shortest distance of two, with those between them that have no row: a line must not lead
 * over an hour without calls. Moments that are no starts of buckets stay as they are.
 * @param starts ascending
 */
export function withoutHoles(starts: readonly number[]): Buckets {
  const distances = starts.slice(1).map((start, index) => start - (starts[index] ?? 0));
  const shortest = Math.min(...distances);
  // One start has no distance to another: its label has the hour too.
  const { granularity, length, tolerance, inside } =
    longer.findLast((one) => Number.isFinite(shortest) && shortest >= one.length - one.tolerance) ?? fiveMinutes;
  const steps = distances.map((distance) => Math.round(distance / length));
  const isRegular = distances.every(
    (distance, index) => Math.abs(distance - (steps[index] ?? 0) * length) <= tolerance,
  );
  if (!isRegular || steps.reduce((sum, one) => sum + one, 0) >= maxBuckets) return { starts, granularity };
  const between = distances.flatMap((distance, index) =>
    Array.from(
      { length: (steps[index] ?? 1) - 1 },
      (_, step) => (starts[index] ?? 0) + ((step + 1) * distance) / (steps[index] ?? 1) + inside,
    ),
  );
  return { starts: [...starts, ...between].sort((one, two) => one - two), granularity };
}

/**
 * Returns the labels of the buckets, all different: with the year if the range is long, and with the offset for an hour
 * that a clock shows twice.
 */
export function labelsOf(
  starts: readonly number[],
  granularity: Granularity,
  zone: Zone = zoneOf(granularity),
): string[] {
  const isLong = (starts.at(-1) ?? 0) - (starts[0] ?? 0) > maxDays.day * 86_400_000;
  const labelOf = (start: number): string => {
    if (granularity === 'hour') return dateTime(start, 'card', zone);
    if (granularity === 'month') return dateTime(start, 'month', zone);
    return dateTime(start, isLong ? 'day' : 'monthDay', zone);
  };
  const labels = starts.map(labelOf);
  return labels.map((label, index) =>
    label === labels[index - 1] || label === labels[index + 1]
      ? `${label} ${offsetOf(starts[index] ?? 0, zone)}`
      : label,
  );
}

/** `GMT-4`. */
function offsetOf(time: number, zone: Zone): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZoneName: 'shortOffset', ...(zone ? { timeZone: zone } : {}) });
  return format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** Maximum number of buckets in a range of days, in any time zone. */
export const bucketsOf = (days: number, granularity: Granularity): number =>
  Math.ceil((days * 24 + 2) / hours[granularity]) + 2;

/**
 * Returns the reader's time zone, or UTC if days of that zone do not start on a full UTC hour, because usage is
 * aggregated by UTC hour.
 */
export function viewerZone(zone: string = readerZone(), now: Date = new Date()): string {
  try {
    const minutes = new Intl.DateTimeFormat('en-US', { timeZone: zone, minute: 'numeric' }).format(now);
    return Number(minutes) === now.getUTCMinutes() ? zone : 'UTC';
  } catch {
    return 'UTC';
  }
}

/** Whether the days of charts begin at midnight UTC, and not at the reader's midnight. */
export const hasOtherDays = (): boolean => viewerZone() !== readerZone();

/** The zone in which buckets are named: days have the zone `viewerZone`, hours have the reader's. */
const zoneOf = (granularity: Granularity): Zone =>
  granularity !== 'hour' && hasOtherDays() ? viewerZone() : chosenZone();

/** Decimals of amounts up to so many units of a currency, such that the marks of an axis differ. */
export const centDigits = (largest: number): number => {
  if (largest === 0 || largest >= 0.5) return 2;
  return largest >= 0.005 ? 4 : 6;
};

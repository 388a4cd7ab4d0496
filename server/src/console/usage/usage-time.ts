import { addDays, dayOf, firstOfMonth, isZoneName, mondayOf, startOfDay } from '../../shared/calendar.js';
import { InvalidInputError } from '../../shared/errors.js';
import { resolveTimeRange, type CalendarPeriod } from '../../shared/time-range.js';
import { day, fiveMinutes, hour, type Range } from '../../billing/rollups/index.js';
import { dateOf, secondsOrZero, unixSeconds } from '../../shared/clock.js';

export const timeBuckets = ['MINUTE_5', 'HOUR', 'DAY', 'WEEK', 'MONTH'] as const;
/** Buckets of time. Buckets of DAY and longer begin at midnight of the requested time zone; a WEEK begins on Monday. */
export type TimeBucket = (typeof timeBuckets)[number];

export const comparedPeriods = ['PREVIOUS', 'PREVIOUS_CALENDAR', 'SAME_LAST_WEEK', 'SAME_LAST_YEAR'] as const;
export type ComparedPeriod = (typeof comparedPeriods)[number];

/**
 * Unix seconds, half-open; or a calendar period. The last 30 days when absent. A range that ends where it begins is
 * empty.
 */
export interface WantedRange {
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  readonly calendar?: CalendarPeriod | undefined;
}

export interface WantedComparison {
  readonly period?: ComparedPeriod | undefined;
  readonly range?: WantedRange | undefined;
  /** The zone of a calendar period in `range`. When absent, the zone of the query applies. */
  readonly timeZone?: string | undefined;
}

/** A range of full counter buckets, and the starts of its time buckets. */
export interface Span {
  readonly range: Range;
  /** Starts in ascending order; the first is at or before `range.from`. Null when the whole range is one row. */
  readonly starts: readonly number[] | null;
}

/** Maximum number of buckets. */
const maxBuckets = 10_000;
const month = 30 * day;

interface Question {
  readonly range: WantedRange;
  readonly timeZone: string;
  /** The zone of a calendar period in `range`. `timeZone` when absent. */
  readonly rangeTimeZone?: string | undefined;
  readonly bucket: TimeBucket | null;
  /** Unix seconds. */
  readonly now: number;
}

/**
 * The range that is actually aggregated. Usage is counted by UTC hour (MINUTE_5: by five minutes), so `from` is rounded
 * down and `until` up. Midnights within an hour, of zones such as Asia/Kolkata, are moved to its end: that is the same
 * date (`isApproximate`). Half hours are not counted, because they would double the rows of usage of every site.
 * @param atom seconds to which the range is rounded; 1 for rows that have their own time
 * @param field named in errors about the range
 * @throws AppError INVALID_INPUT: contradictory range, unknown time zone, or too many buckets
 */
export function resolveSpan(question: Question, atom = atomOf(question.bucket), field = 'range'): Span {
  const { range: wanted, timeZone, rangeTimeZone = timeZone, bucket, now } = question;
  assertTimeZone(timeZone);
  assertTimeZone(rangeTimeZone);
  const exact = resolveRange(wanted, rangeTimeZone, now, field);
  if (exact.from > exact.end) throw new InvalidInputError('The range ends before it begins', field);
  const isMidnight = startOf(exact.from, 'DAY', rangeTimeZone) === exact.from;
  const from = isMidnight ? roundUp(exact.from, atom) : Math.floor(exact.from / atom) * atom;
  // An empty range stays empty.
  const range = { from, end: exact.from === exact.end ? from : roundUp(exact.end, atom) };
  return { range, starts: bucket === null ? null : startsOf(range, bucket, timeZone, atom) };
}

/**
 * Returns the range to compare with. Its n-th bucket corresponds to the n-th bucket of the range.
 * @throws AppError INVALID_INPUT
 */
export function resolveComparison(span: Span, comparison: WantedComparison, question: Question): Span {
  const { period, range } = comparison;
  const { timeZone, bucket, now } = question;
  if ((period === undefined) === (range === undefined)) {
    throw new InvalidInputError('Compare either with a period or with a range', 'compareTo');
  }
  if (range !== undefined) {
    const other = { range, timeZone, rangeTimeZone: comparison.timeZone, bucket, now };
    return resolveSpan(other, atomOf(bucket), 'compareTo');
  }
  const { from, end } = span.range;
  if (period === 'PREVIOUS_CALENDAR') {
    const period = previousPeriod(question);
    const before = { from: roundUp(period.from, atomOf(bucket)), end: roundUp(period.end, atomOf(bucket)) };
    return { range: before, starts: bucket === null ? null : startsOf(before, bucket, timeZone) };
  }
  const shift = (moment: number): number =>
    period === 'PREVIOUS'
      ? moment - (end - from)
      : roundUp(
          shiftDate(moment, timeZone, period === 'SAME_LAST_WEEK' ? { days: -7 } : { years: -1 }),
          atomOf(bucket),
        );
  return { range: { from: shift(from), end: shift(end) }, starts: span.starts?.map(shift) ?? null };
}

/** Whether the calendar of a zone was moved to whole hours: its midnights are within an hour. */
export function isApproximate(
  { range, starts }: Span,
  { range: wanted, timeZone, rangeTimeZone, bucket }: Question,
): boolean {
  const isMoved = (moment: number, zone: string): boolean => startOf(moment, 'DAY', zone) !== moment;
  if (wanted.calendar !== undefined && isMoved(range.from, rangeTimeZone ?? timeZone)) return true;
  return (
    bucket !== null &&
    bucket !== 'MINUTE_5' &&
    bucket !== 'HOUR' &&
    (starts ?? []).some((start) => isMoved(start, timeZone))
  );
}

/** Returns the first second after a bucket. */
export function bucketEnd(start: number, bucket: TimeBucket, timeZone: string): number {
  if (bucket === 'MINUTE_5') return start + fiveMinutes;
  if (bucket === 'HOUR') return start + hour;
  const first = dayAt(start, timeZone);
  const next = bucket === 'DAY' ? addDays(first, 1) : bucket === 'WEEK' ? addDays(first, 7) : firstOfMonth(first, 1);
  return startAt(next, timeZone);
}

/** @throws AppError INVALID_INPUT for anything but an IANA name */
export function assertTimeZone(timeZone: string): void {
  if (!isZoneName(timeZone)) throw new InvalidInputError(`Unknown time zone ${timeZone}`, 'timeZone');
}

const atomOf = (bucket: TimeBucket | null): number => (bucket === 'MINUTE_5' ? fiveMinutes : hour);

const dayAt = (moment: number, timeZone: string) => dayOf(dateOf(moment), timeZone);
const startAt = (date: ReturnType<typeof dayAt>, timeZone: string): number => unixSeconds(startOfDay(date, timeZone));

function resolveRange({ from, until, calendar }: WantedRange, timeZone: string, now: number, field: string): Range {
  if (calendar === undefined) {
    // The clocks of callers may be ahead.
    const end = until ?? Math.max(now + 1, from ?? 0);
    return { from: from ?? end - month, end };
  }
  if (from !== undefined || until !== undefined) {
    throw new InvalidInputError('Use either calendar, or from and until', field);
  }
  const period = resolveTimeRange({ calendar }, { timeZone, now: dateOf(now) });
  const end = secondsOrZero(period.until);
  // An unfinished period ends now, except a period of future days.
  return { from: secondsOrZero(period.from), end: calendar.startsWith('NEXT_') ? end : Math.min(end, now + 1) };
}

/** A calendar period that is not over. */
export interface OpenPeriod {
  /** Unix seconds, exclusive. */
  readonly end: number;
  /** The share of the period that has passed, above 0 and below 1. */
  readonly passed: number;
}

/**
 * Returns the calendar period of a range, if it has begun and is not over. Like the span that was resolved from it, the
 * period ends with a whole hour. Periods of future days have no usage to project.
 */
export function openPeriodOf(
  { range: { from } }: Span,
  { range: { calendar }, timeZone, rangeTimeZone = timeZone, bucket, now }: Question,
): OpenPeriod | null {
  if (calendar === undefined || calendar.startsWith('NEXT_')) return null;
  const { until } = resolveTimeRange({ calendar }, { timeZone: rangeTimeZone, now: dateOf(now) });
  const end = roundUp(secondsOrZero(until), atomOf(bucket));
  return end > now && now > from ? { end, passed: (now - from) / (end - from) } : null;
}

/** Returns the complete day, week, month or number of days before a calendar period. */
function previousPeriod({
  range,
  timeZone: bucketTimeZone,
  rangeTimeZone: timeZone = bucketTimeZone,
  now,
}: Question): Range {
  const { calendar } = range;
  if (calendar === undefined) {
    throw new InvalidInputError('PREVIOUS_CALENDAR needs a calendar period as range', 'compareTo');
  }
  const { from } = resolveRange({ calendar }, timeZone, now, 'range');
  const first = dayAt(from, timeZone);
  const days = periodDays[calendar];
  return { from: startAt(days === null ? firstOfMonth(first, -1) : addDays(first, -days), timeZone), end: from };
}

/** Days of a period; null for a month. */
const periodDays: Readonly<Record<CalendarPeriod, number | null>> = {
  TODAY: 1,
  YESTERDAY: 1,
  THIS_WEEK: 7,
  LAST_WEEK: 7,
  THIS_MONTH: null,
  LAST_MONTH: null,
  LAST_7_DAYS: 7,
  LAST_30_DAYS: 30,
  NEXT_7_DAYS: 7,
  NEXT_30_DAYS: 30,
};

/**
 * Returns the starts of the buckets of a range, ascending; the first is at or before it. An empty range has none.
 * @throws AppError INVALID_INPUT for too many
 */
export function bucketStarts(range: Range, bucket: TimeBucket, timeZone: string): number[] {
  const starts: number[] = [];
  if (range.from === range.end) return starts;
  for (let at = startOf(range.from, bucket, timeZone); at < range.end; at = bucketEnd(at, bucket, timeZone)) {
    if (starts.length === maxBuckets) {
      throw new InvalidInputError(`The range has more than ${maxBuckets} buckets`, 'bucket');
    }
    starts.push(at);
  }
  return starts;
}

function startsOf(range: Range, bucket: TimeBucket, timeZone: string, atom = atomOf(bucket)): number[] {
  return bucketStarts(range, bucket, timeZone)
    .map((start) => roundUp(start, atom))
    .filter((start) => start < range.end);
}

const roundUp = (moment: number, atom: number): number => Math.ceil(moment / atom) * atom;

/** Returns the first second after a bucket of usage, which is counted by whole hours. */
export const usageBucketEnd = (start: number, bucket: TimeBucket, timeZone: string): number =>
  roundUp(bucketEnd(start, bucket, timeZone), atomOf(bucket));

function startOf(moment: number, bucket: TimeBucket, timeZone: string): number {
  if (bucket === 'MINUTE_5') return moment - (moment % fiveMinutes);
  if (bucket === 'HOUR') return moment - (moment % hour);
  const date = dayAt(moment, timeZone);
  return startAt(bucket === 'DAY' ? date : bucket === 'WEEK' ? mondayOf(date) : firstOfMonth(date), timeZone);
}

/**
 * Returns the same time of day on another date. A leap day that the other year lacks is empty: it begins and ends with
 * March.
 */
function shiftDate(
  moment: number,
  timeZone: string,
  { days = 0, years = 0 }: { days?: number; years?: number },
): number {
  const date = dayAt(moment, timeZone);
  const start = startAt(addDays({ ...date, year: date.year + years }, days), timeZone);
  const isMissing = years !== 0 && dayAt(start, timeZone).day !== date.day;
  return isMissing ? start : start + moment - startAt(date, timeZone);
}

/** Unix seconds; `end` is exclusive. */
export interface Range {
  readonly from: number;
  readonly end: number;
}

/** Lengths of time in seconds. */
export const minute = 60;
export const fiveMinutes = 300;
export const hour = 3600;
export const day = 24 * hour;

/** The length of a bucket, as named by the column `granularity` of the rollup tables. */
export type Granularity = 'MINUTE' | 'FIVE_MINUTES' | 'HOUR' | 'DAY';

/**
 * The granularity of a read. HOUR_PART is a minute that is stored in the row of its hour (`hasParts` of a rollup
 * table).
 */
export type ReadGranularity = Granularity | 'HOUR_PART';

/** Seconds of a bucket. A DAY is a UTC day. */
export const lengthOf: Readonly<Record<ReadGranularity, number>> = {
  MINUTE: minute,
  FIVE_MINUTES: fiveMinutes,
  HOUR_PART: minute,
  HOUR: hour,
  DAY: day,
};

/** Consecutive buckets of one granularity. Buckets of HOUR_PART are all of one hour. */
export interface BucketRange extends Range {
  readonly granularity: ReadGranularity;
}

/** The buckets and source rows that add up to a range. Every second is in exactly one of them. */
export interface ReadPlan {
  readonly buckets: readonly BucketRange[];
  /** Ranges that are read from the source rows. */
  readonly source: readonly Range[];
}

/** The ends of the rollups that are up to date. */
export interface Watermarks {
  /** Every hour and day that ends at or before this time is aggregated. Unix seconds, full hours. */
  readonly hoursUntil: number;
  /**
   * Every five-minute bucket after `hoursUntil` that ends at or before this time is aggregated. A multiple of five
   * minutes.
   */
  readonly fiveMinutesUntil: number;
  /**
   * Every minute after `fiveMinutesUntil` that ends at or before this time is aggregated. It does not advance while few
   * rows wait. A multiple of 60.
   */
  readonly minutesUntil: number;
  /** Starts of five-minute buckets or hours that changed after they were aggregated. */
  readonly invalidated: readonly number[];
}

/**
 * Plans how to read a range: as few buckets as possible, and source rows for partial buckets at the edges, for periods
 * not yet aggregated, and for periods that changed since.
 * @param granularities that the table has and the query allows
 */
export function planRead(range: Range, granularities: readonly ReadGranularity[], watermarks: Watermarks): ReadPlan {
  const plan: MutablePlan = { buckets: [], source: [] };
  const { invalidated, hoursUntil, fiveMinutesUntil, minutesUntil } = watermarks;
  const inHours = clamp(hoursUntil, range.from, range.end);
  const inFiveMinutes = granularities.includes('FIVE_MINUTES') ? clamp(fiveMinutesUntil, inHours, range.end) : inHours;
  const inMinutes = granularities.includes('MINUTE') ? clamp(minutesUntil, inFiveMinutes, range.end) : inFiveMinutes;
  const longestFirst = (['DAY', 'HOUR', 'HOUR_PART'] as const).filter((one) => granularities.includes(one));
  cover({ from: range.from, end: inHours }, longestFirst, startsOf(invalidated, hour), hour, plan);
  const changed = startsOf(invalidated, fiveMinutes);
  cover({ from: inHours, end: inFiveMinutes }, ['FIVE_MINUTES'], changed, fiveMinutes, plan);
  cover({ from: inFiveMinutes, end: inMinutes }, ['MINUTE'], changed, fiveMinutes, plan);
  addRange(plan.source, { from: inMinutes, end: range.end });
  return { buckets: plan.buckets, source: joined(plan.source) };
}

interface MutablePlan {
  readonly buckets: BucketRange[];
  readonly source: Range[];
}

const clamp = (moment: number, low: number, high: number): number => Math.max(low, Math.min(high, moment));

const startsOf = (moments: readonly number[], length: number): number[] =>
  [...new Set(moments.map((moment) => moment - (moment % length)))].sort((left, right) => left - right);

/** Covers a range with buckets; an invalidated bucket of `length` seconds is read from the source completely. */
function cover(
  range: Range,
  longestFirst: readonly ReadGranularity[],
  invalidated: readonly number[],
  length: number,
  plan: MutablePlan,
): void {
  let { from } = range;
  for (const start of invalidated) {
    if (start + length <= from || start >= range.end) continue;
    divide({ from, end: start }, longestFirst, plan);
    const end = Math.min(start + length, range.end);
    addRange(plan.source, { from: Math.max(start, from), end });
    from = end;
  }
  divide({ from, end: range.end }, longestFirst, plan);
}

/** Uses the longest buckets inside a range, and shorter ones before and after them. */
function divide(range: Range, longestFirst: readonly ReadGranularity[], plan: MutablePlan): void {
  const [granularity, ...shorter] = longestFirst;
  if (range.from >= range.end) return;
  if (granularity === undefined) {
    plan.source.push(range);
    return;
  }
  const length = lengthOf[granularity];
  const first = Math.ceil(range.from / length) * length;
  const last = Math.floor(range.end / length) * length;
  if (first >= last) {
    // The minutes of two hours are stored in the rows of two hours.
    const cut = granularity === 'HOUR' ? clamp(first, range.from, range.end) : range.end;
    divide({ from: range.from, end: cut }, shorter, plan);
    divide({ from: cut, end: range.end }, shorter, plan);
    return;
  }
  divide({ from: range.from, end: first }, shorter, plan);
  plan.buckets.push({ granularity, from: first, end: last });
  divide({ from: last, end: range.end }, shorter, plan);
}

function addRange(ranges: Range[], range: Range): void {
  if (range.from < range.end) ranges.push(range);
}

/** Sorts ranges by time and merges adjacent ones. */
function joined(ranges: readonly Range[]): Range[] {
  const whole: Range[] = [];
  for (const range of [...ranges].sort((left, right) => left.from - right.from)) {
    const last = whole.at(-1);
    if (last?.end === range.from) whole[whole.length - 1] = { from: last.from, end: range.end };
    else whole.push(range);
  }
  return whole;
}

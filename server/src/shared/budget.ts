import { addDays, dayOf, firstOfMonth, hourOf, mondayOf, monthsAfter, startOfDay, startOfHour } from './calendar.js';
import { unixSecond, unixSeconds } from './clock.js';

export const budgetLevels = ['token', 'member', 'project', 'user', 'group', 'channel', 'site'] as const;
export type BudgetLevel = (typeof budgetLevels)[number];

export const budgetKinds = ['money', 'tokens', 'requests'] as const;
/** The unit that a budget counts: quota, model tokens or calls. */
export type BudgetKind = (typeof budgetKinds)[number];

export const budgetSpans = ['minute', '5h', 'day', 'week', 'month', 'fixed'] as const;
export type BudgetSpan = (typeof budgetSpans)[number];

/** Whether a budget is a limit per minute. Such limits are counted in the shared state, all others in the ledger. */
export const isRate = ({ span }: { readonly span: BudgetSpan }): boolean => span === 'minute';

export const rateSeconds = 60;
/** Returns the name of a limit's count in the shared state. */
export const rateKey = (id: number): string => `rate:{b${id}}`;

/** When the windows of a budget begin. */
export interface BudgetSchedule {
  readonly span: BudgetSpan;
  /** Whether the window is the last hours or days at any moment, and not a period of the calendar. */
  readonly isRolling: boolean;
  /** IANA name. */
  readonly timeZone: string;
  /** The start of a fixed range; null when it has none. Windows of another span with a start and an end begin at the start. */
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
}

/** The fields of a budget that calls need. */
export interface KnownBudget extends BudgetSchedule {
  readonly id: number;
  /** Windows of plans are budgets that are set with the plan only. */
  readonly level: BudgetLevel | 'plan';
  readonly kind: BudgetKind;
  /** Quota, model tokens or calls in each window. */
  readonly amount: number;
  /** Names, or patterns with `*`. Empty for all models. */
  readonly models: readonly string[];
}

/** The window of a budget at a moment, in Unix seconds: calls compute it and the ledger compares it. */
export interface BudgetWindow {
  /** Start of the window, or of the bucket of a rolling window to which use is added. */
  readonly start: number;
  /** Start of the first window or bucket that counts. */
  readonly from: number;
  /** The time at which this result is outdated: the end of the window or bucket, exclusive. */
  readonly end: number;
  /** Seconds for which the use of a bucket counts. Null when it counts until `end`. */
  readonly lifetime: number | null;
}

const hour = 3600;
const day = 24 * hour;
const rollingSeconds = { '5h': 5 * hour, day, week: 7 * day, month: 30 * day } as const;

/**
 * The number of buckets of a rolling window. Use counts until its whole bucket has left the window: for the length of
 * the window and at most one bucket more, so that no window of that length ever exceeds the budget.
 */
export const rollingBuckets = 60;

/**
 * The window at a moment, by arithmetic alone. Calendar windows begin at local midnight; weeks on Monday; those of five
 * hours at 0, 5, 10, 15 and 20 o'clock, so that the last one of a day has four.
 * @param now Unix milliseconds
 * @returns null outside a fixed range, and for limits per minute
 */
export function budgetWindowAt(schedule: BudgetSchedule, now: number): BudgetWindow | null {
  const { span, isRolling, timeZone, startsAt, endsAt } = schedule;
  const second = unixSecond(now);
  // A limit per minute is counted in the shared state, over the last 60 seconds.
  if (span === 'minute') return null;
  if (span === 'fixed') {
    const start = startsAt ? unixSeconds(startsAt) : 0;
    const end = endsAt ? unixSeconds(endsAt) : 0;
    return second < start || second >= end ? null : { start, from: start, end, lifetime: null };
  }
  if (startsAt && endsAt) return anchoredWindow(span, startsAt, endsAt, second);
  if (isRolling) {
    const length = rollingSeconds[span];
    const bucket = length / rollingBuckets;
    const start = Math.floor(second / bucket) * bucket;
    return { start, from: start - length, end: start + bucket, lifetime: length + bucket };
  }
  const [first, next] = calendarWindow(span, new Date(now), timeZone);
  const start = unixSeconds(first);
  return { start, from: start, end: unixSeconds(next), lifetime: null };
}

/**
 * Returns the window of a span whose first window begins at the second of `startsAt`. The last one ends with the range.
 * @returns null outside the range
 */
function anchoredWindow(
  span: Exclude<BudgetSpan, 'fixed' | 'minute'>,
  startsAt: Date,
  endsAt: Date,
  second: number,
): BudgetWindow | null {
  const first = unixSeconds(startsAt);
  const last = unixSeconds(endsAt);
  if (second < first || second >= last) return null;
  const [start, next] =
    span === 'month' ? anchoredMonth(startsAt, second) : anchoredSeconds(rollingSeconds[span], first, second);
  return { start, from: start, end: Math.min(next, last), lifetime: null };
}

function anchoredSeconds(length: number, first: number, second: number): [number, number] {
  const start = first + Math.floor((second - first) / length) * length;
  return [start, start + length];
}

function anchoredMonth(startsAt: Date, second: number): [number, number] {
  const at = (months: number): number => unixSeconds(monthsAfter(startsAt, months));
  let months = Math.floor((second - unixSeconds(startsAt)) / (31 * day));
  while (at(months + 1) <= second) months++;
  return [at(months), at(months + 1)];
}

function calendarWindow(span: Exclude<BudgetSpan, 'fixed' | 'minute'>, now: Date, timeZone: string): [Date, Date] {
  const today = dayOf(now, timeZone);
  switch (span) {
    case '5h': {
      const block = Math.floor(hourOf(now, timeZone) / 5) * 5;
      const end = block === 20 ? startOfDay(addDays(today, 1), timeZone) : startOfHour(today, block + 5, timeZone);
      return [startOfHour(today, block, timeZone), end];
    }
    case 'day':
      return [startOfDay(today, timeZone), startOfDay(addDays(today, 1), timeZone)];
    case 'week': {
      const monday = mondayOf(today);
      return [startOfDay(monday, timeZone), startOfDay(addDays(monday, 7), timeZone)];
    }
    case 'month':
      return [startOfDay(firstOfMonth(today), timeZone), startOfDay(firstOfMonth(today, 1), timeZone)];
  }
}

/** Whether a budget counts calls of a model. `*` stands for any text. Case matters, as in the names of models. */
export function countsModel(models: readonly string[], model: string): boolean {
  return models.length === 0 || models.some((pattern) => matches(pattern, model));
}

function matches(pattern: string, model: string): boolean {
  if (!pattern.includes('*')) return pattern === model;
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop() ?? '';
  if (!model.startsWith(head) || !model.endsWith(tail) || model.length < head.length + tail.length) return false;
  let at = head.length;
  for (const part of rest) {
    const found = model.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= model.length - tail.length;
}

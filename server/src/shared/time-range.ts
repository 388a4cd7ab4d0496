import { addDays, dayOf, firstOfMonth, isTimeZone, mondayOf, startOfDay, type CalendarDay } from './calendar.js';
import { InvalidInputError } from './errors.js';

/** Periods relative to now, in a time zone. Weeks begin on Monday (ISO 8601). */
export const calendarPeriods = [
  'TODAY',
  'YESTERDAY',
  'THIS_WEEK',
  'LAST_WEEK',
  'THIS_MONTH',
  'LAST_MONTH',
  'LAST_7_DAYS',
  'LAST_30_DAYS',
  'NEXT_7_DAYS',
  'NEXT_30_DAYS',
] as const;
export type CalendarPeriod = (typeof calendarPeriods)[number];

/** A range as callers send it: bounds or a calendar period, never both. Null means absent. */
export interface TimeRangeInput {
  readonly from?: Date | null;
  readonly until?: Date | null;
  readonly calendar?: CalendarPeriod | null;
  readonly timeZone?: string | null;
}

/** Half-open: `from` is included, `until` is not. Null means unbounded. */
export interface TimeRange {
  readonly from: Date | null;
  readonly until: Date | null;
}

/** Returns the first day and the last day (excluded) of a period, counted from today. */
const periods: Record<CalendarPeriod, (today: CalendarDay) => readonly [CalendarDay, CalendarDay]> = {
  TODAY: (today) => [today, addDays(today, 1)],
  YESTERDAY: (today) => [addDays(today, -1), today],
  THIS_WEEK: (today) => [mondayOf(today), addDays(mondayOf(today), 7)],
  LAST_WEEK: (today) => [addDays(mondayOf(today), -7), mondayOf(today)],
  THIS_MONTH: (today) => [firstOfMonth(today), firstOfMonth(today, 1)],
  LAST_MONTH: (today) => [firstOfMonth(today, -1), firstOfMonth(today)],
  LAST_7_DAYS: (today) => [addDays(today, -6), addDays(today, 1)],
  LAST_30_DAYS: (today) => [addDays(today, -29), addDays(today, 1)],
  NEXT_7_DAYS: (today) => [today, addDays(today, 7)],
  NEXT_30_DAYS: (today) => [today, addDays(today, 30)],
};

/**
 * Resolves a range as callers send it to two instants.
 * @param timeZone used for `calendar` when the range names none
 * @param field named in errors
 * @throws InvalidInputError for a calendar beside bounds, an unknown zone, or a range that ends before it begins
 */
export function resolveTimeRange(
  input: TimeRangeInput | null | undefined,
  { timeZone = 'UTC', now = new Date(), field = 'range' }: { timeZone?: string; now?: Date; field?: string } = {},
): TimeRange {
  const { from = null, until = null, calendar } = input ?? {};
  if (!calendar) {
    if (from && until && until < from) throw new InvalidInputError('The range ends before it begins', field);
    return { from, until };
  }
  if (from || until) throw new InvalidInputError('Use either calendar, or from and until', field);
  const zone = input?.timeZone ?? timeZone;
  if (!isTimeZone(zone)) throw new InvalidInputError('Unknown time zone', 'timeZone');
  const [first, end] = periods[calendar](dayOf(now, zone));
  return { from: startOfDay(first, zone), until: startOfDay(end, zone) };
}

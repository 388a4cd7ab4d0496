import { dateOf, millisecondsIn, secondsIn, wholeSecond } from './clock.js';

/** Calendar arithmetic in an IANA time zone. Daylight saving time is respected: a day may have 23 or 25 hours. */

const formats = new Map<string, Intl.DateTimeFormat>();
const maxFormats = 500;

/** A day of the calendar; `month` is 1 to 12. A `day` outside the month carries over as in `Date.UTC`. */
export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** @throws RangeError for an unknown time zone name */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formats.size >= maxFormats) formats.clear();
  formats.set(timeZone, format);
  return format;
}

export function isTimeZone(timeZone: string): boolean {
  try {
    formatOf(timeZone);
    return true;
  } catch {
    return false;
  }
}

/** Whether a text is a zone's name. Offsets such as +08:00 are not: they have the opposite meaning in Postgres. */
export const isZoneName = (text: string): boolean => /^[A-Za-z]/.test(text) && text.length <= 64 && isTimeZone(text);

/**
 * Returns the name of a zone for Postgres, which reads short names as abbreviations: CET is an hour ahead there in
 * summer too, and IST is Israel.
 */
export const longZoneName = (timeZone: string): string =>
  timeZone.includes('/') ? timeZone : formatOf(timeZone).resolvedOptions().timeZone;

/** @returns milliseconds that the zone's clock is ahead of UTC at this instant */
export function offsetAt(instant: Date, timeZone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const clock = Date.UTC(year, month - 1, day, hour, minute, second);
  return clock - wholeSecond(instant.getTime()).getTime();
}

/** The calendar day of an instant in a zone. */
export function dayOf(instant: Date, timeZone: string): CalendarDay {
  const local = new Date(instant.getTime() + offsetAt(instant, timeZone));
  return { year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate() };
}

/** The hour of an instant on a zone's clock, 0 to 23. */
export const hourOf = (instant: Date, timeZone: string): number =>
  new Date(instant.getTime() + offsetAt(instant, timeZone)).getUTCHours();

/** The first instant of a calendar day in a zone. Where the clock skips midnight, the day begins after the skipped hour. */
export const startOfDay = (day: CalendarDay, timeZone: string): Date => startOfHour(day, 0, timeZone);

/** The first instant at which a zone's clock shows this hour of a day; the end of the gap where the clock skips it. */
export function startOfHour({ year, month, day }: CalendarDay, hour: number, timeZone: string): Date {
  const clock = Date.UTC(year, month - 1, day, hour);
  const [early, late] = [clock - probeMilliseconds, clock + probeMilliseconds];
  const before = clock - offsetAt(new Date(early), timeZone);
  const after = clock - offsetAt(new Date(late), timeZone);
  // If two instants show the hour, the earlier one is the start.
  const candidates = [Math.min(before, after), Math.max(before, after)];
  const shown = candidates.find((instant) => instant + offsetAt(new Date(instant), timeZone) === clock);
  return new Date(shown ?? changeBetween(early, late, timeZone));
}

/** Zones are up to 14 hours ahead of UTC and 12 behind. The clocks of none change twice in two days. */
const probeMilliseconds = 24 * 3_600_000;

/**
 * Returns the first instant, in whole seconds, of the offset that a zone has at the end of a period in which its clock
 * changes.
 */
function changeBetween(early: number, late: number, timeZone: string): number {
  const after = offsetAt(new Date(late), timeZone);
  let [low, high] = [secondsIn(early), secondsIn(late)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(dateOf(middle), timeZone) === after) high = middle;
    else low = middle;
  }
  return millisecondsIn(high);
}

/** 1 is Monday, 7 is Sunday. */
export function weekdayOf({ year, month, day }: CalendarDay): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay() || 7;
}

export const addDays = ({ year, month, day }: CalendarDay, days: number): CalendarDay => ({
  year,
  month,
  day: day + days,
});

/** The Monday of the day's ISO week. */
export const mondayOf = (day: CalendarDay): CalendarDay => addDays(day, 1 - weekdayOf(day));

/** The first day of the month, or of one `months` later. */
export const firstOfMonth = ({ year, month }: CalendarDay, months = 0): CalendarDay => ({
  year,
  month: month + months,
  day: 1,
});

/** Returns the instant so many months later in UTC. A day that the month lacks becomes its last day. */
export function monthsAfter(start: Date, months: number): Date {
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const moved = new Date(start);
  moved.setUTCFullYear(year, month, Math.min(start.getUTCDate(), lastDay));
  return moved;
}

/** Computes with wall-clock times in an IANA time zone, correctly at clock changes. */

/**
 * A date and time as a clock shows them. Numbers outside their usual range carry over, as in `Date`: day 0 is the last
 * day of the previous month.
 */
export interface WallClock {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** A zone, or null for the zone of the browser. */
export type Zone = string | null;

const formats = new Map<string, Intl.DateTimeFormat>();
const day = 86_400_000;

/** @throws RangeError for a zone that the browser does not know */
function formatOf(zone: string): Intl.DateTimeFormat {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  formats.set(zone, format);
  return format;
}

/** Whether this browser knows the zone. Older browsers lack newer zones. */
export function isKnownZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** The zone of the browser, as `Asia/Shanghai`. */
export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Clock of a zone at an instant. The browser's own zone needs no `Intl`, which is slow to set up on a phone. */
export function wallClockOf(date: Date, zone: Zone): WallClock {
  if (zone === null) {
    return {
      year: date.getFullYear(),
      month: date.getMonth() + 1,
      day: date.getDate(),
      hour: date.getHours(),
      minute: date.getMinutes(),
      second: date.getSeconds(),
    };
  }
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(date)) parts[type] = Number(value);
  const { year = 0, month = 1, day: dayOfMonth = 1, hour = 0, minute = 0, second = 0 } = parts;
  return { year, month, day: dayOfMonth, hour, minute, second };
}

const asUtc = ({ year, month, day: dayOfMonth, hour, minute, second }: WallClock): number =>
  Date.UTC(year, month - 1, dayOfMonth, hour, minute, second);

/** Milliseconds that the zone's clock is ahead of UTC. @param time Unix milliseconds, whole seconds */
const offsetAt = (time: number, zone: string): number => asUtc(wallClockOf(new Date(time), zone)) - time;

/**
 * Returns the instant at which the zone's clock shows a time. If there are two, it is the first. A time that the clock
 * skips is read with the offset before the change, as `Date` does: 02:30 becomes 03:30.
 */
export function instantOf(clock: WallClock, zone: Zone): Date {
  const { year, month, day: dayOfMonth, hour, minute, second } = clock;
  if (zone === null) return new Date(year, month - 1, dayOfMonth, hour, minute, second);
  const time = asUtc(clock);
  if (Number.isNaN(time)) return new Date(Number.NaN);
  const before = time - offsetAt(time - day, zone);
  const after = time - offsetAt(time + day, zone);
  const matches = [before, after].filter((candidate) => candidate + offsetAt(candidate, zone) === time);
  return new Date(matches.length > 0 ? Math.min(...matches) : before);
}

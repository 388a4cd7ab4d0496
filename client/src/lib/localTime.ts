import { dateTime } from './format.js';
import { chosenZone } from './reader.js';
import { instantOf } from './zone.js';

/**
 * Whether the text is a complete local time `YYYY-MM-DDTHH:mm` that exists. `Date` alone accepts incomplete times, and
 * reads 30 February as 2 March.
 */
export function isLocalTime(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text)) return false;
  // The text is read as UTC, where no hour is skipped.
  const time = new Date(`${text}Z`);
  return !Number.isNaN(time.getTime()) && (text.endsWith('T24:00') || time.toISOString().startsWith(text));
}

/** The instant of a local time, `YYYY-MM-DDTHH:mm`, in the reader's zone. An invalid date for other texts. */
export function fromLocalTime(text: string): Date {
  if (!isLocalTime(text)) return new Date(Number.NaN);
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = text.split(/[-T:]/).map(Number);
  return instantOf({ year, month, day, hour, minute, second: 0 }, chosenZone());
}

/** `YYYY-MM-DDTHH:mm` in the reader's zone, for a date and time field. */
export const toLocalTime = (date: Date | string): string => dateTime(date, 'minutes').replace(' ', 'T');

import { chosenZone } from './reader.js';
import { instantOf, wallClockOf } from './zone.js';

/** A range of local days or hours. `to` is null for an open end. */
interface PresetRange {
  readonly from: Date;
  readonly to: Date | null;
}

const midnight = { hour: 0, minute: 0, second: 0 };

/** The first instant of a day in the reader's zone. */
export function startOfDay(now: Date, daysAgo = 0): Date {
  const { year, month, day } = wallClockOf(now, chosenZone());
  return instantOf({ year, month, day: day - daysAgo, ...midnight }, chosenZone());
}

function startOfMonth(now: Date, monthsAgo: number): Date {
  const { year, month } = wallClockOf(now, chosenZone());
  return instantOf({ year, month: month - monthsAgo, day: 1, ...midnight }, chosenZone());
}

/** Ranges by name, in the reader's time zone. Days may have 23 or 25 hours. */
export const timePresets = {
  lastHour: (now: Date): PresetRange => ({ from: new Date(now.getTime() - 3_600_000), to: null }),
  today: (now: Date): PresetRange => ({ from: startOfDay(now), to: null }),
  yesterday: (now: Date): PresetRange => ({ from: startOfDay(now, 1), to: startOfDay(now) }),
  last7Days: (now: Date): PresetRange => ({ from: startOfDay(now, 6), to: null }),
  last30Days: (now: Date): PresetRange => ({ from: startOfDay(now, 29), to: null }),
  thisMonth: (now: Date): PresetRange => ({ from: startOfMonth(now, 0), to: null }),
  lastMonth: (now: Date): PresetRange => ({ from: startOfMonth(now, 1), to: startOfMonth(now, 0) }),
} as const;

type TimePreset = keyof typeof timePresets;

export const presetNames = Object.keys(timePresets) as TimePreset[];

/** A range of local days or hours. `to` is null for an open end. */
interface PresetRange {
  readonly from: Date;
  readonly to: Date | null;
}

const startOfDay = (now: Date, daysAgo: number): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);

const startOfMonth = (now: Date, monthsAgo: number): Date => new Date(now.getFullYear(), now.getMonth() - monthsAgo, 1);

/** Ranges by name, in the browser's time zone. Days may have 23 or 25 hours. */
export const timePresets = {
  lastHour: (now: Date): PresetRange => ({ from: new Date(now.getTime() - 3_600_000), to: null }),
  today: (now: Date): PresetRange => ({ from: startOfDay(now, 0), to: null }),
  yesterday: (now: Date): PresetRange => ({ from: startOfDay(now, 1), to: startOfDay(now, 0) }),
  last7Days: (now: Date): PresetRange => ({ from: startOfDay(now, 6), to: null }),
  last30Days: (now: Date): PresetRange => ({ from: startOfDay(now, 29), to: null }),
  thisMonth: (now: Date): PresetRange => ({ from: startOfMonth(now, 0), to: null }),
  lastMonth: (now: Date): PresetRange => ({ from: startOfMonth(now, 1), to: startOfMonth(now, 0) }),
} as const;

type TimePreset = keyof typeof timePresets;

export const presetNames = Object.keys(timePresets) as TimePreset[];

/** The zone in which times are shown, as `Asia/Shanghai`. */
export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

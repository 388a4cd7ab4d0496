import { startOfDay, timePresets } from '../../lib/timePresets.js';
import { viewerZone } from './usageSeries.js';

const hour = 3_600_000;
const day = 86_400_000;

/** The last 24 hours, the last days with today, as elsewhere in the console, and calendar months. */
export const rangePresets = ['1', '7', '30', '90', 'month', 'lastMonth'] as const;
type RangePreset = (typeof rangePresets)[number];

export interface DashboardRange {
  /** The preset; null when the range was chosen by hand. */
  readonly preset: RangePreset | null;
  /** Length in days, rounded up. */
  readonly days: number;
  /**
   * Unix milliseconds of full UTC hours, because usage is counted by hour: the range that is shown is the one that is
   * summed. `until` is null for an open end. Relative ranges move with the time of the refresh.
   */
  readonly at: (now: number) => { readonly from: number; readonly until: number | null };
}

const whole = (from: number, until: number | null) => ({
  from: Math.floor(from / hour) * hour,
  until: until === null ? null : Math.ceil(until / hour) * hour,
});

const seconds = (text: string | null): number | null =>
  text !== null && /^\d{1,11}$/.test(text) ? Number(text) : null;

/** Reads the range from the URL: `days` names a preset; `from` and `to`, Unix seconds, win over it. */
export function dashboardRange(
  text: { readonly days: string | null; readonly from: string | null; readonly to: string | null },
  now = Date.now(),
): DashboardRange {
  const from = seconds(text.from);
  const to = seconds(text.to);
  if (from !== null && from * 1000 < (to === null ? now : to * 1000)) {
    const fixed = whole(from * 1000, to === null ? null : to * 1000);
    return { preset: null, days: Math.ceil(((fixed.until ?? now) - fixed.from) / day), at: () => fixed };
  }
  const preset = rangePresets.find((name) => name === text.days) ?? '7';
  if (preset === 'month' || preset === 'lastMonth') {
    const { from: start, to: end } = timePresets[preset === 'month' ? 'thisMonth' : 'lastMonth'](new Date(now));
    const fixed = whole(start.getTime(), end && end.getTime());
    return { preset, days: Math.ceil(((fixed.until ?? now) - fixed.from) / day), at: () => fixed };
  }
  // The current hour or day is the last one of the range.
  const startAt = (time: number): number =>
    preset === '1' ? time - 23 * hour : startOfDay(new Date(time), Number(preset) - 1).getTime();
  return { preset, days: Number(preset), at: (time) => whole(startAt(time), null) };
}

/**
 * The shown range as the query of the export, whose end is an hour that is included, in the days of the charts.
 * @param shown Unix milliseconds, without `to`
 */
export const exportRange = (shown: { readonly from: number; readonly to: number }): Record<string, string> => ({
  start_timestamp: String(Math.floor(shown.from / 1000)),
  end_timestamp: String(Math.ceil(shown.to / 1000) - 1),
  time_zone: viewerZone(),
});

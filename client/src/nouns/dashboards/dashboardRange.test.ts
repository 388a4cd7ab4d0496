import { timePresets } from '../../lib/timePresets.js';
import { dashboardRange, exportRange } from './dashboardRange.js';
import { viewerZone } from './usageSeries.js';

const now = new Date(2026, 2, 10, 12).getTime();
const none = { days: null, from: null, to: null };
const at = (text: Partial<typeof none> | Record<string, string>) => {
  const range = dashboardRange({ ...none, ...text }, now);
  return { ...range, at: range.at(now) };
};

it('is the last seven days with today by default, as in the log, and moves with the time', () => {
  const range = dashboardRange(none, now);
  expect([range.preset, range.days]).toEqual(['7', 7]);
  for (const time of [now, now + 86_400_000]) {
    expect(range.at(time)).toEqual({ from: timePresets.last7Days(new Date(time)).from.getTime(), until: null });
  }
  expect(at({ days: '30' }).at.from).toBe(timePresets.last30Days(new Date(now)).from.getTime());
});

it('is what the server sums: full UTC hours', () => {
  const time = Date.UTC(2026, 2, 10, 12, 34);
  const ranges = [{ days: '1' }, { from: String(Date.UTC(2026, 2, 9, 10, 20) / 1000) }].map((text) =>
    dashboardRange({ ...none, ...text }, time).at(time),
  );
  expect(ranges).toEqual([
    // 24 hours, the one that goes on included.
    { from: Date.UTC(2026, 2, 9, 13), until: null },
    { from: Date.UTC(2026, 2, 9, 10), until: null },
  ]);
  const typed = { from: String(Date.UTC(2026, 2, 9, 10, 20) / 1000), to: String(Date.UTC(2026, 2, 9, 11, 40) / 1000) };
  expect(dashboardRange({ ...none, ...typed }, time).at(time)).toEqual({
    from: Date.UTC(2026, 2, 9, 10),
    until: Date.UTC(2026, 2, 9, 12),
  });
});

it('is a calendar month of the local time zone', () => {
  const start = new Date(2026, 2, 1).getTime();
  expect(at({ days: 'month' })).toEqual({ preset: 'month', days: 10, at: { from: start, until: null } });
  expect(at({ days: 'lastMonth' })).toEqual({
    preset: 'lastMonth',
    days: 28,
    at: { from: new Date(2026, 1, 1).getTime(), until: start },
  });
});

it('is any range, and ignores one that is none', () => {
  expect(at({ days: '30', from: '1000800', to: '1087200' })).toEqual({
    preset: null,
    days: 1,
    at: { from: 1_000_800_000, until: 1_087_200_000 },
  });
  expect(at({ from: '2000', to: '1000' }).preset).toBe('7');
  expect(at({ from: 'x', days: '90' }).preset).toBe('90');
});

it('exports the hours that are shown, and not the one in which the range ends', () => {
  const [from, to] = [Date.UTC(2026, 9, 1), Date.UTC(2026, 10, 1)];
  expect(exportRange({ from, to })).toEqual({
    start_timestamp: String(from / 1000),
    end_timestamp: String(to / 1000 - 1),
    time_zone: viewerZone(),
  });
});

import { dashboardRange, exportRange } from './dashboardRange.js';
import { viewerZone } from './usageSeries.js';

const now = new Date(2026, 2, 10, 12).getTime();
const none = { days: null, from: null, to: null };
const at = (text: Partial<typeof none> | Record<string, string>) => {
  const range = dashboardRange({ ...none, ...text }, now);
  return { ...range, at: range.at(now) };
};

it('is the last seven days by default, and moves with the time', () => {
  const range = dashboardRange(none, now);
  expect([range.preset, range.days]).toEqual(['7', 7]);
  expect(range.at(now)).toEqual({ from: now - 7 * 86_400_000, until: null });
  expect(range.at(now + 5000).from).toBe(now + 5000 - 7 * 86_400_000);
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
  expect(at({ days: '30', from: '1000000', to: '1086400' })).toEqual({
    preset: null,
    days: 1,
    at: { from: 1_000_000_000, until: 1_086_400_000 },
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

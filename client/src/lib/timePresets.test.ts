import { presetNames, timePresets } from './timePresets.js';

const now = new Date(2026, 2, 1, 9, 30);
const text = (date: Date | null) =>
  date && `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()} ${date.getHours()}:${date.getMinutes()}`;

it.each([
  ['lastHour', '2026-3-1 8:30', null],
  ['today', '2026-3-1 0:0', null],
  ['yesterday', '2026-2-28 0:0', '2026-3-1 0:0'],
  ['last7Days', '2026-2-23 0:0', null],
  ['last30Days', '2026-1-31 0:0', null],
  ['thisMonth', '2026-3-1 0:0', null],
  ['lastMonth', '2026-2-1 0:0', '2026-3-1 0:0'],
] as const)('%s is from %s to %s', (name, from, to) => {
  const range = timePresets[name](now);
  expect([text(range.from), text(range.to)]).toEqual([from, to]);
});

it('has a test for each', () => {
  expect(presetNames).toHaveLength(7);
});

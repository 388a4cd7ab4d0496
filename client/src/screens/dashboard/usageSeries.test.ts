import { niceTop } from '../../lib/niceTop.js';
import { intervals, intervalStart, modelSeries, perMinute, valuesOver } from './usageSeries.js';

const at = (text: string) => new Date(text).getTime();
const point = (time: string, modelName: string, quota: number) => ({
  time,
  modelName,
  quota,
  calls: 1,
  totalTokens: 10,
  promptTokens: 8,
  completionTokens: 2,
});

it('begins weeks on Monday', () => {
  expect(intervalStart(at('2025-11-20T14:32:08Z'), 'week')).toBe(at('2025-11-17T00:00:00Z'));
  expect(intervalStart(at('2025-11-23T23:59:59Z'), 'week')).toBe(at('2025-11-17T00:00:00Z'));
});

it('names every interval, also those without usage', () => {
  const starts = intervals(at('2025-11-18T10:00:00Z'), at('2025-11-20T10:00:00Z'), 'day');
  expect(starts).toHaveLength(3);
  expect(valuesOver([point('2025-11-19T00:00:00Z', 'a', 5)], starts, 'day', 'quota')).toEqual([0, 5, 0]);
});

it('sums what is not named, so that columns add up to the totals', () => {
  const starts = intervals(at('2025-11-18T00:00:00Z'), at('2025-11-19T00:00:00Z'), 'day');
  const points = [
    point('2025-11-18T01:00:00Z', 'a', 5),
    point('2025-11-18T02:00:00Z', 'b', 2),
    point('2025-11-18T03:00:00Z', 'c', 1),
  ];
  expect(modelSeries(points, ['a'], starts, 'day', 'Other')).toEqual([
    { name: 'a', values: [5] },
    { name: 'Other', values: [3] },
  ]);
});

it.each([
  [0, 4],
  [7, 8],
  [3.9, 4],
  [130, 200],
])('draws up to a round number above %d', (largest, top) => {
  expect(niceTop(largest)).toBe(top);
});

it('spreads calls over the minutes that have passed, not over those to come', () => {
  const from = at('2025-11-20T08:30:00Z');
  const to = at('2025-11-20T10:10:00Z');
  const starts = intervals(from, to, 'hour');
  // 8 to 9 whole, because the server counts whole hours; 9 to 10; ten minutes of the last.
  expect(perMinute([120, 60, 30], starts, 'hour', from, to)).toEqual([2, 1, 3]);
  expect(perMinute([130], intervals(from, to, 'day'), 'day', from, to)).toEqual([1]);
});

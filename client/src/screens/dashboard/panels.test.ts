import type { TFunction } from 'i18next';
import type { useFormat } from '../../lib/useFormat.js';
import { seriesOverTime } from '../../nouns/dashboards/panelData.js';
import { otherSpend, panelsOf } from './panels.js';
import type { DashboardData } from './useDashboard.js';

const hour = 3_600_000;
const start = Date.UTC(2025, 10, 20);
const metrics = {
  __typename: 'UsageMetrics' as const,
  quota: 40,
  calls: 120,
  promptTokens: 7,
  completionTokens: 5,
  failedCalls: 3,
  p50Ms: 400,
  p95Ms: null,
};
const data = {
  from: start,
  to: start + 2 * hour,
  granularity: 'hour',
  current: { quota: 90 },
  buckets: [0, 1].map((n) => ({ start: start + n * hour, end: start + (n + 1) * hour })),
  timeline: [metrics, { ...metrics, calls: 60 }],
  before: [{ ...metrics, quota: 30, calls: 240 }, null],
  spend: [],
  models: [{ key: { modelName: 'm1' }, metrics: { ...metrics, cost: { usd: 2, marginUsd: 0.5, knownCalls: 60 } } }],
  users: [{ key: { userId: 7, username: null }, metrics }],
  channels: [],
} as unknown as DashboardData;
const texts = {
  t: ((key: string, values?: object) => (values ? `${key} ${JSON.stringify(values)}` : key)) as unknown as TFunction,
  format: { money: (quota: number) => `${quota} units` } as unknown as ReturnType<typeof useFormat>,
  quotaPerUnit: 10,
};
const figures = new Map(panelsOf(data, texts).map(({ key, figure }) => [key, figure]));
const series = (key: string) => {
  const { rows = [], columns = [], buckets } = figures.get(key) ?? {};
  return seriesOverTime(rows, columns, ({ path }) => path, 'Other', buckets)?.series;
};

it('has the figures of each bucket, and requests per minute', () => {
  expect(series('calls')).toMatchObject([{ values: [120, 60] }]);
  expect(series('failures')).toMatchObject([{ values: [3, 3] }]);
  expect(series('latency')).toMatchObject([{ values: [400, 400] }, { values: [null, null] }]);
  expect(series('tokens')).toMatchObject([{ values: [7, 7] }, { values: [5, 5] }]);
  expect(series('rates')).toMatchObject([{ values: [2, 1] }]);
});

it('keeps the buckets of a range without usage', () => {
  expect(figures.get('spend')).toMatchObject({ rows: [], buckets: { starts: [start, start + hour] } });
});

it('ranks with the margin that is known, and names what has no name by its id', () => {
  const [model] = figures.get('models')?.rows ?? [];
  expect(model).toMatchObject({ name: 'm1', quota: 40 });
  expect(figures.get('models')?.noteOf?.(model)).toBe(
    'dashboard.marginOfSome {"amount":"5 units","share":"25%","known":"60","calls":"120"}',
  );
  const [user] = figures.get('users')?.rows ?? [];
  expect(user).toMatchObject({ name: '#7' });
  expect(figures.get('users')?.noteOf?.(user)).toBeUndefined();
});

it('has the same buckets of the period before', () => {
  const earlier = (key: string) => figures.get(key)?.before?.map(({ values }) => values);
  expect(earlier('spend')).toEqual([[30, null]]);
  expect(earlier('rates')).toEqual([[4, 0]]);
  expect(earlier('latency')).toEqual([
    [400, null],
    [null, null],
  ]);
});

it('breaks everything else up into models and what is left', () => {
  const cell = (time: string, modelName: string | null, quota: number) => ({
    time,
    key: { isOthers: modelName === null, modelName },
    metrics: { quota },
  });
  const named = [cell('1', 'm6', 5), cell('1', 'm7', 2), cell('2', 'm6', 0), cell('2', 'm7', 1)];
  expect(otherSpend([cell('1', 'm1', 90), cell('1', null, 10), cell('2', null, 1)], named)).toEqual([
    ...named,
    cell('1', null, 3),
    cell('2', null, 0),
  ]);
});

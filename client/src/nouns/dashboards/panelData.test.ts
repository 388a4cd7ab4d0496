import {
  type Column,
  earlierSeries,
  isSum,
  nameOf,
  numberAt,
  rowsOf,
  seriesOverTime,
  valuesByName,
} from './panelData.js';

const spendByModel: readonly Column[] = [
  { path: 'time', kind: 'TIME' },
  { path: 'key.isOthers', kind: 'BOOLEAN' },
  { path: 'key.modelName', kind: 'TEXT' },
  { path: 'metrics.quota', kind: 'QUOTA' },
];

const modelSeries = (cells: readonly object[], starts: readonly number[]) =>
  seriesOverTime(cells, spendByModel, () => '', 'Other', { starts, granularity: 'day' })?.series;

const at = (text: string) => new Date(text).getTime();
const cell = (time: string, modelName: string | null, quota: number) => ({
  time,
  key: { isOthers: modelName === null, modelName },
  metrics: { quota },
});

it('has a series per model in the order of the server, and the others last', () => {
  const starts = [at('2025-11-18T00:00:00Z'), at('2025-11-19T00:00:00Z')];
  const cells = [
    cell('2025-11-18T00:00:00Z', 'a', 5),
    cell('2025-11-18T00:00:00Z', 'b', 2),
    cell('2025-11-18T00:00:00Z', null, 0),
    cell('2025-11-19T00:00:00Z', 'a', 0),
    cell('2025-11-19T00:00:00Z', 'b', 4),
    cell('2025-11-19T00:00:00Z', null, 3),
    // The cell has no bucket in the chart, so it is never drawn.
    cell('2025-11-20T00:00:00Z', 'a', 9),
  ];
  expect(modelSeries(cells, starts)).toEqual([
    { name: 'a', isOthers: false, values: [5, 0] },
    { name: 'b', isOthers: false, values: [2, 4] },
    { name: 'Other', isOthers: true, values: [0, 3] },
  ]);
});

it('leaves the others out where they used nothing, and keeps a model of that name apart', () => {
  const starts = [at('2025-11-18T00:00:00Z')];
  const cells = [cell('2025-11-18T00:00:00Z', 'Other', 5), cell('2025-11-18T00:00:00Z', null, 0)];
  expect(modelSeries(cells, starts)).toEqual([{ name: 'Other', isOthers: false, values: [5] }]);
});

const columns: readonly Column[] = [
  { path: 'time', kind: 'TIME' },
  { path: 'in', kind: 'NUMBER' },
  { path: 'out', kind: 'QUOTA' },
];
const rows = [
  { time: '2025-11-19T00:00:00Z', in: 3, out: null },
  { time: '2025-11-18T00:00:00Z', in: 1, out: 2 },
];

it('has a series for each number of rows without a name, in the order of time', () => {
  expect(seriesOverTime(rows, columns, ({ path }) => path, 'Other')).toEqual({
    starts: [at('2025-11-18T00:00:00Z'), at('2025-11-19T00:00:00Z')],
    granularity: 'day',
    series: [
      { name: 'in', isOthers: false, values: [1, 3] },
      { name: 'out', isOthers: false, values: [2, null] },
    ],
  });
});

it('has gaps where there is no percentile, and 0 where nothing was counted', () => {
  const of = (path: string): readonly Column[] => [
    { path: 'time', kind: 'TIME' },
    { path: 'name', kind: 'TEXT' },
    { path, kind: 'NUMBER' },
  ];
  const [first, second, third] = ['18', '19', '20'].map((date) => `2025-11-${date}T00:00:00Z`);
  const given = [
    { time: first, name: 'a', latencyMs: 40, errorRate: 0, calls: 2 },
    { time: second, name: 'b', latencyMs: 90, errorRate: 0.5, calls: 1 },
    { time: third, name: 'a', latencyMs: null, errorRate: null, calls: 0 },
  ];
  const valuesOf = (path: string) =>
    seriesOverTime(given, of(path), () => '', 'Other')?.series.map(({ values }) => values);
  expect(valuesOf('latencyMs')).toEqual([
    [40, null, null],
    [null, 90, null],
  ]);
  expect(valuesOf('errorRate')).toEqual([
    [0, null, null],
    [null, 0.5, null],
  ]);
  expect(valuesOf('calls')).toEqual([
    [2, 0, 0],
    [0, 1, 0],
  ]);
});

it('knows a percentile by its field, whatever the query calls it', () => {
  const aliased: readonly Column[] = [
    { path: 'time', kind: 'TIME' },
    { path: 'key.channelName', kind: 'TEXT' },
    { path: 'metrics.p95', field: 'metrics.latencyMs', kind: 'NUMBER' },
  ];
  const given = [
    { time: '2025-11-18T00:00:00Z', key: { channelName: 'a' }, metrics: { p95: 40 } },
    { time: '2025-11-19T00:00:00Z', key: { channelName: 'b' }, metrics: { p95: 90 } },
  ];
  expect(seriesOverTime(given, aliased, () => '', 'Other')?.series.map(({ values }) => values)).toEqual([
    [40, null],
    [null, 90],
  ]);
});

it('has a gap where a bucket has no row at all, and 0 of what is counted', () => {
  const of = (path: string): readonly Column[] => [
    { path: 'time', kind: 'TIME' },
    { path, kind: 'NUMBER' },
  ];
  const given = ['18', '19', '22'].map((date) => ({ time: `2025-11-${date}T00:00:00Z`, latencyMs: 40, calls: 2 }));
  const valuesOf = (path: string) => seriesOverTime(given, of(path), () => '', 'Other')?.series[0]?.values;
  expect(valuesOf('latencyMs')).toEqual([40, 40, null, null, 40]);
  expect(valuesOf('calls')).toEqual([2, 2, 0, 0, 2]);
});

it('adds up what is counted, and no durations, shares, users or amounts of one moment', () => {
  const sums = (...paths: string[]) => paths.filter((path) => isSum({ path, kind: 'NUMBER' }));
  expect(
    sums('metrics.usd', 'calls', 'change.calls', 'metrics.activeUsers', 'averageMs', 'coverage', 'daysLeft'),
  ).toEqual(['metrics.usd', 'calls']);
  expect(sums('balances', 'liabilityUsd', 'errorRate', 'usedShare', 'uptime', 'tokensPerSecond', 'modelRatio')).toEqual(
    [],
  );
});

it('has none without a moment or a number', () => {
  expect(seriesOverTime(rows, columns.slice(1), ({ path }) => path, 'Other')).toBeNull();
  expect(seriesOverTime(rows, columns.slice(0, 1), ({ path }) => path, 'Other')).toBeNull();
  expect(valuesByName(rows, columns.slice(0, 1), 'Other')).toBeNull();
});

it('finds rows by their path, and reads a response without a list as one row', () => {
  const shape = { columns: [], values: [] };
  expect(rowsOf({ usage: { items: [1, 2] } }, { ...shape, rows: 'usage.items' })).toEqual([1, 2]);
  expect(rowsOf({ usage: null }, { ...shape, rows: 'usage.items' })).toEqual([]);
  expect(rowsOf({ a: 1 }, { ...shape, rows: null })).toEqual([{ a: 1 }]);
});

it('names a row by its texts, and puts the row of everything else last', () => {
  const named: readonly Column[] = [
    { path: 'key.isOthers', kind: 'BOOLEAN' },
    { path: 'key.group', kind: 'TEXT' },
    { path: 'key.model', kind: 'TEXT' },
    { path: 'usd', kind: 'NUMBER' },
  ];
  expect(nameOf({ key: { group: 'vip', model: 'm1' } }, named, 'Other')).toEqual({ name: 'vip · m1', isOthers: false });
  expect(nameOf({ key: { group: null } }, named, 'Other').name).toBe('–');
  const given = [
    { key: { isOthers: true }, usd: 9 },
    { key: { isOthers: false, group: 'a', model: 'm' }, usd: '2.5' },
  ];
  expect(valuesByName(given, named, 'Other')?.map(({ name, value }) => [name, value])).toEqual([
    ['a · m', 2.5],
    ['Other', 9],
  ]);
});

it('reads exact amounts, which are texts, and no other text as a number', () => {
  const column: Column = { path: 'a.b', kind: 'NUMBER' };
  expect(['12.50', 7, '', 'x', null, undefined].map((b) => numberAt({ a: { b } }, column))).toEqual([
    ...[12.5, 7, null, null, null, null],
  ]);
});

describe('values of the compared range', () => {
  const column = (path: string, kind: 'TIME' | 'TEXT' | 'NUMBER') => ({ path, kind });
  const numbers = ['metrics.calls', 'metrics.failedCalls', 'compared.calls', 'compared.failedCalls'];
  const columns = [column('time', 'TIME'), ...numbers.map((path) => column(path, 'NUMBER'))];
  const start = Date.UTC(2026, 10, 1);
  const buckets = { starts: [start, start + 86_400_000], granularity: 'day' as const };
  const rowOf = (index: number, calls: number, failedCalls: number, modelName = 'm1') => ({
    time: new Date(buckets.starts[index] ?? 0).toISOString(),
    key: { modelName },
    metrics: { calls: 1, failedCalls: 1 },
    compared: { calls, failedCalls },
  });
  const rows = [rowOf(0, 5, 2), rowOf(1, 7, 3)];
  const nameOfColumn = ({ path }: { readonly path: string }) => path;

  it('are no series, but stand beside each line, or beside all columns together', () => {
    expect(seriesOverTime(rows, columns, nameOfColumn, 'Other')?.series).toHaveLength(2);
    expect(earlierSeries(rows, columns, nameOfColumn, buckets, false)).toEqual([
      { name: 'metrics.calls', values: [5, 7] },
      { name: 'metrics.failedCalls', values: [2, 3] },
    ]);
    expect(earlierSeries(rows, columns, nameOfColumn, buckets, true)).toEqual([{ name: '', values: [7, 10] }]);
  });

  it('are those of all groups where columns are stacked, and none of grouped lines', () => {
    const grouped = [column('time', 'TIME'), column('key.modelName', 'TEXT'), ...columns.slice(1)];
    const both = [...rows, rowOf(0, 1, 0, 'm2')];
    expect(earlierSeries(both, grouped.slice(0, 4).concat(grouped.slice(4, 5)), nameOfColumn, buckets, true)).toEqual([
      { name: '', values: [6, 7] },
    ]);
    expect(earlierSeries(both, grouped, nameOfColumn, buckets, false)).toEqual([]);
  });
});

it('names a row by its name, and by its id where the name is gone', () => {
  const columns = ['key.channelId', 'key.channelName'].map((path) => ({ path, kind: 'TEXT' as const }));
  const named = (channelName: string | null) => nameOf({ key: { channelId: 7, channelName } }, columns, 'Other').name;
  expect([named('router'), named(null)]).toEqual(['router', '#7']);
});

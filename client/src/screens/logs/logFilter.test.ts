import { costRange, noFilters, toExportQuery, toLogFilter } from './logFilter.js';

const admin = { isAdmin: true, quotaPerUnit: 500_000 };

it('finds a request whenever it was, unless a range is chosen', () => {
  const filter = toLogFilter({ ...noFilters, requestId: ' req-1 ' }, admin);
  expect(filter).toMatchObject({ at: null, requestId: 'req-1' });
  expect(toExportQuery(filter)).toMatchObject({ request_id: 'req-1', start_timestamp: '', end_timestamp: '' });
  const inRange = toLogFilter({ ...noFilters, requestId: 'req-1', from: '1700000000' }, admin);
  expect(inRange.at).toEqual({ from: '2023-11-14T22:13:20.000Z', until: null });
});

it('begins today without a request', () => {
  const { at, requestId } = toLogFilter(noFilters, { ...admin, isAdmin: false });
  expect([new Date(at?.from ?? 0).getHours(), requestId]).toEqual([0, null]);
});

it.each([
  // Every amount that rounds to what was typed: 0.305 USD is included, 0.315 is not.
  ['0.31', { atLeast: 152_500, below: 157_500 }],
  ['2', { atLeast: 750_000, below: 1_250_000 }],
  ['0', { atLeast: 0, below: 250_000 }],
  ['0.3-0.4', { atLeast: 150_000, below: 200_001 }],
  ['0.3 - 0.4', { atLeast: 150_000, below: 200_001 }],
  ['>0.3', { atLeast: 150_000 }],
  ['< 0.000002', { below: 1 }],
  ['a lot', null],
  ['0.3-', null],
  ['1e9', null],
])('reads the cost %j as quota', (text, range) => {
  expect(costRange(text, 500_000)).toEqual(range);
});

it('exports rows of the cost that is listed, with the largest included', () => {
  const filter = toLogFilter({ ...noFilters, cost: '0.31' }, admin);
  expect(toExportQuery(filter)).toMatchObject({ min_quota: '152500', max_quota: '157499' });
  expect(toExportQuery(toLogFilter(noFilters, admin))).toMatchObject({ min_quota: '', max_quota: '' });
  // Rows that cost nothing.
  expect(toExportQuery({ quota: { below: 1 } })).toMatchObject({ max_quota: '0' });
  // None, as in the list.
  expect(toExportQuery(toLogFilter({ ...noFilters, cost: '<0' }, admin))).toMatchObject({ max_quota: '-1' });
});

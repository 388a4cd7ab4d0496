import { noFilters, toExportQuery, toLogFilter } from './logFilter.js';

const now = new Date('2026-11-20T12:00:00.000Z');

it('finds a request whenever it was, unless a range is chosen', () => {
  const filter = toLogFilter({ ...noFilters, requestId: ' req-1 ' }, true, now);
  expect(filter).toMatchObject({ at: null, requestId: 'req-1' });
  expect(toExportQuery(filter)).toMatchObject({ request_id: 'req-1', start_timestamp: '', end_timestamp: '' });
  const inRange = toLogFilter({ ...noFilters, requestId: 'req-1', from: '1700000000' }, true, now);
  expect(inRange.at).toEqual({ from: '2023-11-14T22:13:20.000Z', until: '2026-11-20T13:00:00.000Z' });
});

it('begins today without a request', () => {
  const { at, requestId } = toLogFilter(noFilters, false, now);
  expect([new Date(at?.from ?? 0).getHours(), requestId]).toEqual([0, null]);
});

import { monthBefore } from './LogCleanup.js';

it.each([
  ['2026-11-20T12:34', '2026-10-20T12:34'],
  ['2026-01-15T00:00', '2025-12-15T00:00'],
  ['2026-03-31T09:00', '2026-02-28T09:00'],
  ['2024-03-31T09:00', '2024-02-29T09:00'],
  ['2026-12-31T23:59', '2026-11-30T23:59'],
])('proposes for %s what is older than %s', (now, proposed) => {
  expect(monthBefore(new Date(now))).toBe(proposed);
});

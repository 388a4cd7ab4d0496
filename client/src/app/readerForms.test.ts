import { newBudget, toBudgetValues, toTokenBudget, zones } from '../nouns/budgets/budgetForm.js';
import { dashboardRange } from '../nouns/dashboards/dashboardRange.js';
import { viewerZone } from '../nouns/dashboards/usageSeries.js';
import { toLogFilter, noFilters } from '../screens/logs/logFilter.js';
import { monthBefore } from '../screens/settings/LogCleanup.js';
import { inputParts, newToken, toTokenValues } from '../screens/tokens/tokenForm.js';
import { signInAs } from '../testing/signInAs.js';
import { tokenRow } from '../testing/tokenRow.js';
import { reader } from '../lib/reader.js';

/** Forms, ranges and queries of a user who chose a zone that is not that of the browser. */
beforeEach(() => signInAs());
afterEach(() => reader.set({ currency: null, timeZone: null }));

const choose = (timeZone: string): void => reader.set({ currency: null, timeZone });

it('proposes to delete logs before the same time a month ago, on the other side of a change of the clock', () => {
  choose('America/New_York');
  // 10:00 at -5
  expect(monthBefore(new Date('2026-11-08T15:00:00Z'))).toBe('2026-10-08T10:00');
  // 31 March, 23:30 at -4: already April by UTC
  expect(monthBefore(new Date('2026-04-01T03:30:00Z'))).toBe('2026-02-28T23:30');
});

it('reads and shows when a token expires', () => {
  choose('Asia/Shanghai');
  expect(inputParts.expires({ ...newToken, expires: '2026-11-01T00:00' }, 500_000)).toEqual({
    expiresAt: '2026-10-31T16:00:00.000Z',
  });
  const token = tokenRow(5, 'dev', { expiresAt: '2026-10-31T16:00:00.000Z' });
  expect(toTokenValues(token, 500_000).expires).toBe('2026-11-01T00:00');
});

it('reads and shows the bounds of a budget, and offers its zone first', () => {
  choose('America/New_York');
  expect(newBudget().budgetZone).toBe('America/New_York');
  expect(zones().slice(0, 2)).toEqual(['America/New_York', 'UTC']);
  const typed = {
    ...newBudget(),
    budgetAmount: '1',
    budgetSpan: 'FIXED' as const,
    budgetStart: '2026-03-08T00:00',
    budgetEnd: '2026-03-09T00:00',
  };
  const sent = toTokenBudget({ ...typed, budgetModels: [] }, 500_000);
  expect([sent.startsAt, sent.endsAt]).toEqual(['2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z']);
  const shown = toBudgetValues({ ...sent, id: 1, enabled: true } as never, 500_000);
  expect([shown.budgetStart, shown.budgetEnd]).toEqual(['2026-03-08T00:00', '2026-03-09T00:00']);
});

it('asks for usage in that zone, and for a month from its first midnight there', () => {
  choose('America/New_York');
  expect(viewerZone()).toBe('America/New_York');
  const range = (days: string, now: string) =>
    dashboardRange({ days, from: null, to: null }, Date.parse(now)).at(Date.parse(now));
  expect(range('month', '2026-11-20T12:00:00Z')).toEqual({ from: Date.parse('2026-11-01T04:00:00Z'), until: null });
  expect(range('lastMonth', '2026-04-20T12:00:00Z')).toEqual({
    from: Date.parse('2026-03-01T05:00:00Z'),
    until: Date.parse('2026-04-01T04:00:00Z'),
  });
  // The zone's days begin at 18:30 UTC, and usage is kept by UTC hour.
  choose('Asia/Kolkata');
  expect(viewerZone()).toBe('UTC');
});

it('lists the calls since midnight there', () => {
  jest.useFakeTimers({ now: new Date('2026-11-01T17:00:00Z') });
  const start = () => toLogFilter(noFilters, { isAdmin: false, quotaPerUnit: 500_000 }).at?.from;
  choose('Asia/Shanghai');
  expect(start()).toBe('2026-11-01T16:00:00.000Z');
  choose('America/New_York');
  expect(start()).toBe('2026-11-01T04:00:00.000Z');
  jest.useRealTimers();
});

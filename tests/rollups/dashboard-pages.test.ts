import { InsightService, LedgerHistoryService } from '../../server/src/console/insights/index.js';
import { readLogPage, readByValue } from '../../server/src/console/logs/log-page.js';
import { emptyQuestion, type UsageQuestion, type WantedUsage } from '../../server/src/console/usage/usage-question.js';
import { User } from '../../server/src/billing/accounts/index.js';
import { readUsers, type UserFilter, type UserSortField } from '../../server/src/console/users/user-list.js';
import { readSnapshot } from '../../server/src/billing/rollups/index.js';
import { day, now, openPagesSite, rows, users, weeks, type PagesSite } from './pages-site.js';
import { root } from './usage-site.js';

/** The pages that the statements of dashboards read. A question about a week may not read the rest of 90 days. */
let site: PagesSite;
const from = now - (now % 3600) - 7 * day;

beforeAll(async () => {
  site = await openPagesSite();
}, 600_000);
afterAll(() => site.close());

const wanted: WantedUsage = {
  latency: true,
  firstToken: false,
  cost: true,
  total: true,
  compared: false,
  count: true,
  others: false,
  activeUsers: false,
  cache: false,
  projected: false,
};
const usage = (question: Partial<UsageQuestion>, more: Partial<WantedUsage> = {}) =>
  site.usage.list(root, { ...emptyQuestion, range: { from }, ...question }, { ...wanted, ...more });
const deps = () => ({
  database: site.dataSource,
  options: { values: { QuotaPerUnit: 500_000 } as never },
  clock: { now: () => now * 1000 },
});
const zones = { timeZone: 'UTC', rangeTimeZone: 'UTC' };
const week = { range: { from }, ...zones };
const list = (filter: UserFilter, field?: UserSortField) =>
  readUsers(site.dataSource.getRepository(User), filter, {
    page: 0,
    pageSize: 50,
    after: null,
    sort: field ? [{ field, direction: 'ASC' }] : [],
  });

/** Each statement of a week reads a thirteenth of 90 days, and may read that twice: from the index and from the table. */
const shareOf = (...tables: string[]): number =>
  tables.reduce((sum, table) => sum + (2 * (site.pagesOf[table] ?? 0)) / weeks, 100);
/** Reading the usage of each user needs the pages down to the first row, and its rows lie apart. */
const byUser = (): number => users * 4 + rows / weeks;

it.each<[string, () => Promise<unknown>, () => number]>([
  ['models by day', () => usage({ groupBy: ['MODEL'], bucket: 'DAY' }), () => 2 * shareOf('usage_by_model')],
  ['channels by hour', () => usage({ groupBy: ['CHANNEL'], bucket: 'HOUR' }), () => 2 * shareOf('usage_by_route')],
  ['users', () => usage({ groupBy: ['USER'] }), () => 3 * shareOf('usage_by_user')],
  [
    'active users by day',
    () => usage({ bucket: 'DAY' }, { activeUsers: true, latency: false }),
    () => 2 * shareOf('usage_by_user'),
  ],
  [
    'users with their channels',
    () => usage({ groupBy: ['USER', 'CHANNEL'], top: 20, topBy: ['USER'] }),
    () => 3 * shareOf('usage_by_all', 'usage_hourly', 'usage_by_user'),
  ],
  ['errors', () => usage({ groupBy: ['ERROR', 'MODEL'], bucket: 'DAY' }), () => 3 * shareOf('logs', 'log_by_route')],
  ['endpoints', () => usage({ groupBy: ['ENDPOINT'] }), () => 3 * shareOf('logs', 'log_by_route')],
  [
    'savings of caches',
    () => usage({ groupBy: ['MODEL'] }, { cache: true }),
    () => 3 * shareOf('logs', 'log_by_route'),
  ],
  [
    'slowest calls',
    () =>
      readByValue(site.dataSource, { from, durationAtLeast: 30_000 }, 'duration', {
        direction: 'DESC',
        offset: 0,
        limit: 21,
      }),
    () => shareOf('logs'),
  ],
  [
    'the dearest calls',
    () => readByValue(site.dataSource, { from }, 'quota', { direction: 'DESC', offset: 0, limit: 21 }),
    () => shareOf('logs'),
  ],
  [
    'the dearest calls of a user',
    () => readByValue(site.dataSource, { from, userIds: [7] }, 'quota', { direction: 'DESC', offset: 0, limit: 21 }),
    () => 4 * (rows / weeks / users) + 200,
  ],
  [
    'failed calls by code',
    () =>
      readSnapshot(site.dataSource, (transaction, state) =>
        readLogPage(transaction, { from, errorCodes: ['rate_limited'] }, state, {
          direction: 'DESC',
          offset: 0,
          limit: 21,
          after: null,
          counted: true,
          most: 100_000,
        }),
      ),
    () => shareOf('logs'),
  ],
  ['new users', () => new InsightService(deps()).userGrowth(root, { ...week, bucket: 'DAY' }, false), () => 100],
  ['first weeks of new users', () => new InsightService(deps()).userGrowth(root, { ...week, bucket: 'DAY' }), byUser],
  ['users whose balance lasts a day', () => list({ daysLeftBelow: 1 }), byUser],
  ['users by the days that balances last', () => list({}, 'daysLeft'), byUser],
  [
    'credits',
    () => new LedgerHistoryService(deps()).credits(root, { ...week, bucket: 'DAY' }),
    () => shareOf('ledger_entries'),
  ],
  [
    'liabilities',
    () => new LedgerHistoryService(deps()).liabilities(root, { ...week, bucket: 'DAY' }),
    () => 2 * shareOf('ledger_entries', 'usage_by_user'),
  ],
  [
    'balances that fell',
    () => new LedgerHistoryService(deps()).lowBalances(root, 500, week, { page: 0, pageSize: 50 }),
    () => 2 * shareOf('ledger_entries', 'usage_by_user'),
  ],
  [
    'balances that no credit has lifted from below',
    () => new LedgerHistoryService(deps()).lowBalances(root, 100, week, { page: 0, pageSize: 50 }),
    () => shareOf('ledger_entries'),
  ],
  [
    'retries',
    () => new InsightService(deps()).channelRetries(root, { range: { from: now - 2 * day }, timeZone: 'UTC' }),
    () => (2 / 7) * shareOf('logs') + 200,
  ],
])('%s read no more pages than a week has', async (_, ask, most) => {
  const pages = await site.pagesRead(ask);
  expect(pages).toBeLessThan(most());
});

it.each(['HOUR', 'DAY'] as const)('totals beside rows by %s read days', async (bucket) => {
  const ask = (total: boolean) => () =>
    usage({ bucket, timeZone: 'Europe/Berlin' }, { activeUsers: true, latency: false, total });
  const [rowsAlone, withTotals] = [await site.pagesRead(ask(false)), await site.pagesRead(ask(true))];
  expect(withTotals - rowsAlone).toBeLessThan(rowsAlone / 2);
});

it('finds a question that reads all of the history', async () => {
  const everything = await site.pagesRead(() =>
    site.dataSource.query(
      'SELECT sum(quota) FROM usage_hourly WHERE user_id > 0 AND hour > extract(epoch FROM now()) - 604800',
    ),
  );
  expect(everything).toBeGreaterThan((site.pagesOf['usage_hourly'] ?? 0) / 4);
});

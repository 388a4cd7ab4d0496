import pg from 'pg';
import { InsightService, LedgerHistoryService } from '../../server/src/console/insights/index.js';
import { readLogPage, readByValue } from '../../server/src/console/logs/log-page.js';
import { emptyQuestion, type UsageQuestion, type WantedUsage } from '../../server/src/console/usage/usage-question.js';
import { User } from '../../server/src/console/users/user.entity.js';
import { readUsers, type UserFilter, type UserSortField } from '../../server/src/console/users/user-list.js';
import { readSnapshot } from '../../server/src/billing/rollups/index.js';
import { openUsageSite, root, type UsageSite } from './usage-site.js';

/**
 * The pages that dashboards read of a site with 250,000 rows of usage and of the log in 90 days. A question about a week may
 * not read the rest: the statements are explained as they were sent, and pages are counted, which do not depend on the
 * machine.
 */
let site: UsageSite;
const day = 86_400;
const rows = 250_000;
const users = 500;
const weeks = 90 / 7;
const now = Math.floor(Date.now() / 1000);
const thisHour = now - (now % 3600);
const from = thisHour - 7 * day;
/** Pages of a table with its indexes. */
let pagesOf: Readonly<Record<string, number>>;

beforeAll(async () => {
  site = await openUsageSite(now);
  const { dataSource } = site;
  await dataSource.transaction(async (transaction) => {
    await transaction.query(
      `INSERT INTO users (id, username, created_at, quota)
       SELECT n, 'user' || n, to_timestamp($1::bigint - n % 90 * 86400), 1000 FROM generate_series(1, ${users}) n`,
      [now],
    );
    await transaction.query(
      `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, quota, duration_buckets)
       SELECT $1::bigint - n * 90 / ${rows} * 86400 - n % 24 * 3600, 1 + hashint4(n) & 511, n % 1000, n % 20, 'm' || n % 9, 'default', 1, 700,
              '{0,0,1}' FROM generate_series(1, ${rows}) n ON CONFLICT DO NOTHING`,
      [thisHour],
    );
    await transaction.query(
      `INSERT INTO logs (created_at, request_id, type, user_id, channel_id, model_name, quota, use_time, other)
       SELECT $1::bigint - n * ${Math.floor((90 * day) / rows)}, 'r' || n, CASE WHEN n % 50 = 0 THEN 6 ELSE 2 END, 1 + n % ${users}, n % 20, 'm' || n % 9, n % 977, n % 60,
              '{"request_path":"/v1/messages","duration_ms":' || n % 60000 || ',"error_code":"rate_limited","admin_info":{"use_channel":['
                || CASE WHEN n % 31 = 0 THEN '"20",' ELSE '' END || '"' || n % 20 || '"]}}' FROM generate_series(1, ${rows}) n`,
      [now],
    );
    await transaction.query(
      `INSERT INTO ledger_entries (created_at, source, kind, account, user_id, amount)
       SELECT to_timestamp($1::bigint - n * 155), 's' || n, 'top_up', 'user', 1 + n % ${users}, 100 FROM generate_series(1, 50000) n`,
      [now],
    );
  });
  // The aggregation is planned with statistics, as on a site that has been running.
  await dataSource.query('ANALYZE');
  await site.aggregate();
  await dataSource.query('VACUUM ANALYZE');
  const sizes = await dataSource.query<Array<{ name: string; pages: number }>>(
    `SELECT relname AS name, (pg_total_relation_size(oid) / 8192)::integer AS pages FROM pg_class WHERE relkind IN ('r', 'p')
      UNION ALL SELECT 'logs', (sum(pg_total_relation_size(inhrelid)) / 8192)::integer FROM pg_inherits WHERE inhparent = 'logs'::regclass`,
  );
  pagesOf = Object.fromEntries(sizes.map(({ name, pages }) => [name, pages]));
}, 600_000);
afterAll(() => site.close());

/** The pages that the statements of a question read. */
async function pagesRead(ask: () => Promise<unknown>): Promise<number> {
  const sent: Array<readonly [text: string, values: unknown[]]> = [];
  const query = pg.Client.prototype.query as (this: pg.Client, ...parts: unknown[]) => unknown;
  const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...parts) {
    const [text, values] = parts as unknown as [string, unknown[] | undefined];
    if (/^\s*(SELECT|WITH)/.test(text) && /usage_|logs|ledger_entries|created_at/.test(text))
      sent.push([text, values ?? []]);
    return query.apply(this, parts) as never;
  });
  try {
    await ask();
  } finally {
    spy.mockRestore();
  }
  expect(sent.length).toBeGreaterThan(0);
  let pages = 0;
  for (const [text, values] of sent) {
    const [row] = await site.dataSource.query<Array<{ 'QUERY PLAN': Array<{ Plan: Record<string, number> }> }>>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    );
    const plan = row?.['QUERY PLAN'][0]?.Plan;
    pages += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
  }
  return pages;
}

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
  tables.reduce((sum, table) => sum + (2 * (pagesOf[table] ?? 0)) / weeks, 100);
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
  const pages = await pagesRead(ask);
  expect(pages).toBeLessThan(most());
});

it.each(['HOUR', 'DAY'] as const)('totals beside rows by %s read days', async (bucket) => {
  const ask = (total: boolean) => () =>
    usage({ bucket, timeZone: 'Europe/Berlin' }, { activeUsers: true, latency: false, total });
  const [rowsAlone, withTotals] = [await pagesRead(ask(false)), await pagesRead(ask(true))];
  expect(withTotals - rowsAlone).toBeLessThan(rowsAlone / 2);
});

it('finds a question that reads all of the history', async () => {
  const everything = await pagesRead(() =>
    site.dataSource.query(
      'SELECT sum(quota) FROM usage_hourly WHERE user_id > 0 AND hour > extract(epoch FROM now()) - 604800',
    ),
  );
  expect(everything).toBeGreaterThan((pagesOf['usage_hourly'] ?? 0) / 4);
});

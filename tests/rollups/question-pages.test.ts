import { builtInDashboards } from '../../server/src/console/dashboards/built-in.js';
import { queries } from '../contract/question-page.js';
import { startServer, type LocalServer } from '../support/server.js';
import { day, now, openPagesSite, rows, users, weeks, type PagesSite } from './pages-site.js';

/**
 * Every question of docs/graphql.md and every panel of a fresh site, asked as a dashboard does: they may read the part of the history
 * that is in their range, with its indexes, and not the rest of 90 days.
 */
let site: PagesSite;
let server: LocalServer;
let secret: string;
beforeAll(async () => {
  site = await openPagesSite();
  server = await startServer({ database: { ...site.database, drop: async () => undefined } });
  const root = await server.api.setUp();
  const { data } = await server.api.graphql(
    root,
    'mutation { createAccessToken(input: { name: "pages", scopes: [USAGE_READ, ADMIN_READ, LOGS_READ, ACCOUNT_READ] }) { secret } }',
  );
  secret = (data?.['createAccessToken'] as { secret: string }).secret;
  for (const table of Object.keys(site.pagesOf).filter((name) => /^(usage_by|log_by|calls_by)/.test(name))) {
    const [row] = await site.dataSource.query<Array<{ share: number | null }>>(
      `SELECT avg((granularity = 'DAY')::integer)::float8 AS share FROM ${table}`,
    );
    sharesOfDays.set(table, row?.share ?? 1);
  }
}, 600_000);
afterAll(async () => {
  await server.stop();
  await site.close();
});

/** Asks within this process, so that the statements of the question are known from those of jobs. */
async function ask(query: string, variables: Readonly<Record<string, unknown>>): Promise<void> {
  const declared = Object.entries(variables).filter(([name]) => query.includes(`$${name}:`));
  const answer = await server.app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    payload: { query, variables: Object.fromEntries(declared) },
  });
  expect(answer.json()).not.toHaveProperty('errors');
}

const before = (seconds: number): string => new Date((now - seconds) * 1000).toISOString();

/** Days of the time that a query is about, with those of its comparison. */
function daysOf(query: string): number {
  if (query.includes('MINUTE_5')) return 1;
  if (query.includes('SAME_LAST_WEEK')) return 15;
  if (query.includes('PREVIOUS_CALENDAR')) return 63;
  if (query.includes('LAST_7_DAYS')) return 9;
  if (query.includes('TODAY')) return 2;
  return /range|\$from|calendar|logs\(filter/.test(query) ? 32 : 1;
}

/** Tables that are added up by time. A statement reads rows of the source beside them for the newest hour only. */
const rollups = /^(usage_by|log_by|calls_by|ledger_entries|plan_usage)/;
const sources: readonly string[] = ['usage_hourly', 'usage_five_minutes', 'logs'];
/** The share of rows of a day in a rollup; 1 of a table that has no hours. */
const sharesOfDays = new Map<string, number>();

/**
 * Returns the pages that a statement may read, from the index and from the table: of each rollup the days of its range, with the hours of
 * two days at its ends, or all of its hours; and all of a table that does not grow with calls.
 * @param sourceHours hours that are read from the source, because they are not aggregated
 */
function mostPages(tables: readonly string[], days: number, isByHour: boolean, sourceHours: number): number {
  const ofRollup = (table: string): number => {
    const ofDays = sharesOfDays.get(table) ?? 1;
    const inDays = isByHour || ofDays === 1 ? days : days * ofDays + 2 * (1 - ofDays);
    return (2 * (site.pagesOf[table] ?? 0) * Math.min(90, inDays)) / 90;
  };
  const pages = tables
    .filter((table) => !sources.includes(table))
    .map((table) => (rollups.test(table) ? ofRollup(table) : (site.pagesOf[table] ?? 0)));
  return pages.reduce((sum, some) => sum + some, 150 * sourceHours);
}

/** The rows of a user in a week lie apart, and each user needs the pages down to the first one. */
const weekOfUser = 4 + rows / weeks / users;
/** Pages of statements that read rows of a source by an index: the first weeks of new users, a page of the log, the last week of a page of users. */
const ofSource: Readonly<Record<string, number>> = {
  7: (users / 3 + 10) * weekOfUser,
  19: 101 * 6,
  32: 20 * weekOfUser,
  'Balances that end first': 20 * weekOfUser,
};

async function expectFewPages(query: string, variables: Readonly<Record<string, unknown>>, name: string, days: number) {
  // Days of other zones begin within a day of UTC.
  const isByHour = /bucket: HOUR|timeZone: "(Asia|Europe)/.test(query);
  const [state] = await site.dataSource.query<Array<{ until: number }>>(
    'SELECT hours_until::float8 AS until FROM rollup_state',
  );
  const readings = await site.read(() => ask(query, variables));
  // Usually the newest hour alone. For two minutes after its end, the hour before is not aggregated either.
  const sourceHours = Math.ceil((Date.now() / 1000 - (state?.until ?? 0)) / 3600);
  for (const { pages, tables } of readings) {
    const most = mostPages(tables, days, isByHour, sourceHours) + (ofSource[name] ?? 0);
    expect([tables, pages, pages < most]).toEqual([tables, pages, true]);
  }
}

const numbered = queries.filter(([heading]) => /^\d+\. /.test(heading));
it('has every question of the page', () => {
  expect(numbered.map(([heading]) => Number.parseInt(heading))).toEqual(numbered.map((_, index) => index + 1));
  expect(numbered.length).toBeGreaterThanOrEqual(46);
});

it.each(numbered)('%s', async (heading, query) => {
  const variables = {
    customer: 'user7',
    organisation: 'user7',
    from: before(query.includes('MINUTE_5') ? day / 8 : 30 * day),
    anHourAgo: before(3600),
    ninetyDaysAgo: before(90 * day),
    filter: { username: 'user7', types: ['CONSUME', 'ERROR'] },
  };
  await expectFewPages(query, variables, String(Number.parseInt(heading)), daysOf(query));
});

const panels = builtInDashboards.flatMap(({ panels: all }) => all);
it.each(panels.map(({ title, query, variables }) => [title, query, variables] as const))(
  'the panel %s of a fresh site',
  async (title, query, variables) => {
    const viewer = {
      range: { from: before(7 * day) },
      from: before(7 * day),
      until: before(0),
      timeZone: 'UTC',
      bucket: 'DAY',
    };
    await expectFewPages(query, { ...viewer, ...variables }, title, 17);
  },
);

it('finds a question that reads more than its range', async () => {
  const [, query = ''] = numbered[0] ?? [];
  await expect(expectFewPages(query, {}, '', 3)).rejects.toThrow();
});

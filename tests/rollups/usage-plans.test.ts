import pg from 'pg';
import { emptyQuestion, type UsageQuestion, type WantedUsage } from '../../server/src/console/usage/usage-question.js';
import { openUsageSite, root, type UsageSite } from './usage-site.js';

/** How Postgres reads the rollups of a site with hundreds of keys: the statements are explained as they were sent. */
let site: UsageSite;
/** The first second of a day, with 120 days before it. */
const now = Date.UTC(2026, 10, 19) / 1000;

beforeAll(async () => {
  site = await openUsageSite(now);
  await site.dataSource.query(`INSERT INTO users (id, username) SELECT n, 'user' || n FROM generate_series(1, 500) n`);
  const measures = `n, 0, 0, n, n, n, n * 100, n, n, n, n, n, n, n, array_fill(1::bigint, ARRAY[22]), array_fill(1::bigint, ARRAY[22])`;
  await site.dataSource.query(
    `INSERT INTO usage_by_token SELECT 'DAY', $1::bigint - d * 86400, 1 + n / 2, n, ${measures}
       FROM generate_series(1, 120) d, generate_series(1, 300) n`,
    [now],
  );
  await site.dataSource.query(
    `INSERT INTO usage_by_user SELECT 'DAY', $1::bigint - d * 86400, n, ${measures}
       FROM generate_series(1, 120) d, generate_series(1, 200) n`,
    [now],
  );
  await site.dataSource.query('UPDATE rollup_state SET hours_until = $1', [now]);
  await vacuum();
});
afterAll(() => site.close());

/** Until every page is marked: autovacuum, which may look at the same table, keeps VACUUM from that. */
async function vacuum(): Promise<void> {
  for (;;) {
    await site.dataSource.query('VACUUM ANALYZE usage_by_user, usage_by_token, usage_hourly, users');
    const [tables] = await site.dataSource.query<Array<{ marked: boolean }>>(
      `SELECT bool_and(relallvisible >= relpages) AS marked FROM pg_class WHERE relname IN ('usage_by_user', 'usage_by_token')`,
    );
    if (tables?.marked) return;
  }
}

const plain: WantedUsage = {
  latency: false,
  firstToken: false,
  cost: false,
  total: false,
  compared: false,
  count: true,
  others: false,
  activeUsers: false,
  cache: false,
  projected: false,
};

/** The plans of the statements that read usage for a question about the default range, 30 days. */
async function plansOf(question: Partial<UsageQuestion>): Promise<string[]> {
  const sent: Array<{ readonly text: string; readonly values: unknown[] }> = [];
  const query = pg.Client.prototype.query as (this: pg.Client, ...parts: unknown[]) => unknown;
  const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...parts) {
    const [text, values] = parts as unknown as [string, unknown[]];
    if (text.includes('usage_by_')) sent.push({ text, values });
    return query.apply(this, parts) as never;
  });
  try {
    await site.usage.list(root, { ...emptyQuestion, pageSize: 100, ...question }, plain);
  } finally {
    spy.mockRestore();
  }
  const plans = [];
  for (const { text, values } of sent) {
    const rows = await site.dataSource.query<Array<Record<string, string>>>(`EXPLAIN ${text}`, values);
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
  }
  return plans;
}

it.each([
  ['users', { groupBy: ['USER'] }, 'usage_by_user_pkey'],
  ['keys', { groupBy: ['TOKEN'] }, 'usage_by_token_pkey'],
  ['days and users', { groupBy: ['USER'], bucket: 'DAY' }, 'usage_by_user'],
  ['sign-up weeks and weeks', { groupBy: ['USER_COHORT_WEEK'], bucket: 'WEEK' }, 'usage_by_user_pkey'],
] as const)('reads counters of %s from the index alone, and copies no row', async (_, question, index) => {
  const [plan = ''] = await plansOf(question);
  expect(plan).toContain(`Index Only Scan using ${index}`);
  // The question about sign-up weeks computes the week of each user once.
  expect(plan.replace('Subquery Scan on owner', '')).not.toContain('Subquery Scan');
});

it('reads counters of the keys that are shown from the index by key', async () => {
  const [, shown = ''] = await plansOf({ groupBy: ['TOKEN'], pageSize: 5 });
  expect(shown).toContain('Index Only Scan using usage_by_token_key');
});

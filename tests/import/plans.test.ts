import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import type { ImportReport } from '../../server/src/import/report.js';
import { dryRun } from '../../server/src/import/run.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { makeContent, type Content } from '../support/import/content.js';
import { createSource, type TestSource } from '../support/import/source.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { startServer, type LocalServer } from '../support/server.js';
import { eventually } from '../support/task-site.js';
import { move, now, optionsFor, secrets } from './suite.js';

const day = 86_400;
/** Midnight of the first of a month in Shanghai, where most sites of the old program run: UTC is on the day before. */
const nextReset = Date.UTC(new Date(now * 1000).getUTCFullYear(), new Date(now * 1000).getUTCMonth() + 1, 0, 16) / 1000;
const reset =
  nextReset > now
    ? nextReset
    : Date.UTC(new Date(now * 1000).getUTCFullYear(), new Date(now * 1000).getUTCMonth() + 2, 0, 16) / 1000;

let upstream: ScriptedServer;
let content: Content;
let source: TestSource;
let database: TestDatabase;
let server: LocalServer;

beforeAll(async () => {
  upstream = await startScriptedServer(() => ({
    body: {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'gpt-4o',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
    },
  }));
  content = makeContent({ family: 'new-api', upstream: upstream.url, now, logs: 300 });
  source = await createSource('new-api', 'sqlite', content);
  database = await createTestDatabase();
  await source.execute(`
    DELETE FROM user_subscriptions;
    UPDATE users SET setting = '{"billing_preference":"wallet_first"}' WHERE id = 20;
    INSERT INTO subscription_plans (id, title, subtitle, price_amount, currency, duration_unit, duration_value, custom_seconds,
        enabled, sort_order, allow_wallet_overflow, max_purchase_per_user, upgrade_group, total_amount, quota_reset_period,
        quota_reset_custom_seconds, stripe_price_id, created_at) VALUES
      (1, 'Coder', 'for a month', 9.99, 'USD', 'month', 1, 0, 1, 5, 0, 0, '', 1000000, 'monthly', 0, 'price_1', ${now - 90 * day}),
      (2, 'Hours', '', 1, 'USD', 'hour', 5, 0, 1, 0, NULL, 0, '', 2000, 'custom', 7200, '', ${now}),
      (3, 'Everything', '', 100, 'CNY', 'year', 1, 0, 0, 0, 1, 2, 'vip', 0, 'never', 0, '', ${now});
    INSERT INTO user_subscriptions (id, user_id, plan_id, amount_total, amount_used, start_time, end_time, status, next_reset_time,
        upgrade_group, prev_user_group, allow_wallet_overflow) VALUES
      (1, 4, 1, 1000000, 400000, ${now - 40 * day}, ${now + 50 * day}, 'active', ${reset}, '', '', 0),
      (2, 4, 1, 1000000, 250000, ${now - 40 * day}, ${now + 20 * day}, 'active', ${reset}, '', '', 0),
      (3, 20, 3, 0, 7000, ${now - day}, ${now + 300 * day}, 'active', 0, 'vip', 'default', 1),
      (4, 11, 1, 1000000, 999999, ${now - 70 * day}, ${now - 40 * day}, 'expired', 0, '', '', 0),
      (5, 13, 99, 500, 100, ${now - day}, ${now + day}, 'active', 0, '', '', 1)`);
});
afterAll(async () => {
  await server?.stop();
  await database?.drop();
  await source?.drop();
  await upstream?.stop();
});

const choice = () => {
  const options = optionsFor(source.address);
  return { ...options, decisions: { ...options.decisions, plans: 'move' } } as const;
};

const found = (report: ImportReport, code: string): string[] | undefined =>
  report.findings.find((one) => one.code === code)?.examples.map(({ id, detail }) => `${id}: ${detail}`);

const query = <Row = Record<string, unknown>>(sql: string): Promise<Row[]> => server.dataSource.query<Row[]>(sql);

it('moves plans, and subscriptions with what is left of them, which pay for calls', async () => {
  const preview = await dryRun(choice(), false);
  const report = await move(database, choice());
  expect(preview).toMatchObject({ isBlocked: false, sums: report.sums });
  expect(report.proof).toMatchObject({ sumsAreEqual: true, drifts: [] });
  // The subscription without a limit has the most that one can be stored for.
  expect(report.proof?.sums.planQuota).toBe(600_000 + 1_000_000_000_000_000 - 7000);
  expect(found(preview, 'plan-changed')).toEqual([
    '2: a period of 5 hours becomes 1 day',
    '2: resets every 7200 seconds become every 5h',
    '3: the price in CNY is read as USD',
    '3: the group vip is opened to its buyers, who are not moved into it',
    '3: at most 2 for each user',
  ]);
  expect(found(preview, 'plan-twice')).toEqual(['2: plan 1, user 4']);
  expect(found(preview, 'plan-missing')).toEqual(['5: plan 99, what is left is credited']);
  expect(found(preview, 'plan-paid')).toEqual(['1: Coder', '3: Everything']);
  expect(found(preview, 'plan-group')).toEqual(['3: user 20: vip, before default']);
  expect(found(preview, 'plan-preference')).toEqual(['3: wallet_first']);
  expect(found(preview, 'plan-credited')).toEqual(['4: 750000', '13: 400']);
  expect(found(preview, 'column-left-out')).toContain('stripe_price_id: 1 rows');

  server = await startServer({ database });
  expect(
    await query(
      'SELECT id, name, price, period_unit, period_count, overflow, position, on_sale FROM plans ORDER BY id',
    ),
  ).toEqual([
    {
      id: 1,
      name: 'Coder',
      price: '4995000',
      period_unit: 'month',
      period_count: 1,
      overflow: 'stop',
      position: -5,
      on_sale: true,
    },
    {
      id: 2,
      name: 'Hours',
      price: '500000',
      period_unit: 'day',
      period_count: 1,
      overflow: 'wallet',
      position: 0,
      on_sale: false,
    },
    {
      id: 3,
      name: 'Everything',
      price: '50000000',
      period_unit: 'month',
      period_count: 12,
      overflow: 'wallet',
      position: 0,
      on_sale: false,
    },
  ]);
  expect(
    await query(
      `SELECT id, account_id, state, origin, paid, renews, terms -> 'windows' AS windows FROM subscriptions ORDER BY id`,
    ),
  ).toEqual([
    {
      id: 1,
      account_id: 4,
      state: 'active',
      origin: 'grant',
      paid: '0',
      renews: false,
      windows: [{ span: 'month', kind: 'money', amount: 1_000_000 }],
    },
    {
      id: 3,
      account_id: 20,
      state: 'active',
      origin: 'grant',
      paid: '0',
      renews: false,
      windows: [{ span: 'fixed', kind: 'money', amount: 1_000_000_000_000_000 }],
    },
    {
      id: 4,
      account_id: 11,
      state: 'ended',
      origin: 'grant',
      paid: '0',
      renews: false,
      windows: [{ span: 'month', kind: 'money', amount: 1_000_000 }],
    },
  ]);
  const [key] = await query<{ key_sealed: string }>(`
    SELECT key_sealed FROM tokens WHERE user_id = 4 AND status = 'enabled' AND unlimited_quota AND allow_ips = '{}' ORDER BY id LIMIT 1`);
  const answer = await server.api.rest(
    null,
    'POST',
    '/v1/chat/completions',
    { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] },
    { authorization: `Bearer sk-${secrets.open(key?.key_sealed ?? '')}` },
  );
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([200, expect.stringContaining('hello')]);
  // 1000 x 1.25 and 100 x 5.
  const charge = 1750;
  await eventually(
    () => used(1),
    (amount) => amount !== 400_000,
  );
  expect(await used(1)).toBe(400_000 + charge);
  expect(await query('SELECT quota FROM users WHERE id = 4')).toEqual([
    { quota: String((content.balances.get(4) ?? 0) + 750_000) },
  ]);
  const person = await server.api.signIn('user04', 'password of user04');
  const { body } = await server.api.rest(person, 'GET', '/api/plan/self');
  const [own] = (body as { data: Array<{ state: string; windows: Array<Record<string, unknown>> }> }).data;
  expect(own).toMatchObject({
    state: 'active',
    windows: [{ window: 'month', amount: 1_000_000, used: 400_000 + charge, resets_at: reset }],
  });
  const older = await server.api.rest(person, 'GET', '/api/subscription/self');
  expect(older.body).toMatchObject({
    data: { subscriptions: [{ subscription: { amount_total: 1_000_000, amount_used: 400_000 + charge } }] },
  });
  await inStep();
});

it('shows an amount without limit to clients of new-api as they read it', async () => {
  const person = await server.api.signIn('user20', 'password of user20');
  const { body } = await server.api.rest(person, 'GET', '/api/subscription/self');
  const [own] = (body as { data: { subscriptions: Array<{ subscription: object }> } }).data.subscriptions;
  expect(own?.subscription).toMatchObject({ plan_id: 3, amount_total: 0, amount_used: 7000 });
  await query('UPDATE plans SET on_sale = true WHERE id = 3');
  const listed = await server.api.rest(person, 'GET', '/api/subscription/plans');
  const plans = (listed.body as { data: Array<{ plan: { id: number; total_amount: number } }> }).data;
  expect(plans.map(({ plan }) => [plan.id, plan.total_amount])).toEqual([
    [1, 1_000_000],
    [3, 0],
  ]);
  await query('UPDATE plans SET on_sale = false WHERE id = 3');
});

it('carries over what was used and deleted in the source since, and keeps what was used here', async () => {
  const before = await move(database, choice());
  expect(before.tables.map(({ moved, changed }) => moved + changed)).toEqual(before.tables.map(() => 0));
  await source.execute(`
    UPDATE user_subscriptions SET amount_used = 600000 WHERE id = 1;
    DELETE FROM user_subscriptions WHERE id = 3`);
  const report = await move(database, choice());
  expect(report.proof?.drifts).toEqual([]);
  expect(found(report, 'row-deleted')).toEqual(['3: ']);
  expect(await used(1)).toBe(600_000 + 1750);
  expect(await query('SELECT id, state FROM subscriptions ORDER BY id')).toEqual([
    { id: 1, state: 'active' },
    { id: 3, state: 'ended' },
    { id: 4, state: 'ended' },
  ]);
  await inStep();
});

/** Returns the used part of the open window of a subscription. */
async function used(id: number): Promise<number> {
  const [row] = await query<{ used: string }>(
    `SELECT w.used FROM budget_windows w JOIN budgets b ON b.id = w.budget_id WHERE b.level = 'plan' AND b.subject_id = ${id}`,
  );
  return Number(row?.used);
}

async function inStep(): Promise<void> {
  const drifts = await reconcile({
    query: async (text, values) => ({ rows: await server.dataSource.query(text, values) }),
  });
  expect(drifts).toEqual([]);
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import type { Person } from '../support/api.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freeze, untilAlone } from '../support/freeze.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { ScriptedStripe } from '../support/stripe.js';
import { until } from './traffic.js';

/** Killed between two steps of a payment or a refund, always at exactly the same point: a lock blocks the next step. */

let stripe: ScriptedStripe;
let database: TestDatabase;
let dataDir: string;
let server: SpawnedServer;
let pool: pg.Pool;
let root: Person;

const start = (): Promise<SpawnedServer> =>
  spawnServer({
    database,
    environment: {
      DATA_DIR: dataDir,
      PAYMENT_API_URL: stripe.url,
      PAYMENT_SWEEP_INTERVAL: '1',
      OUTBOUND_ALLOW: '127.0.0.1',
    },
  });

beforeAll(async () => {
  stripe = await ScriptedStripe.start();
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-payments-'));
  server = await start();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  root = await server.api.setUp();
  for (const [key, value] of Object.entries({ ...stripe.settings, ServerAddress: 'https://gate.example.com' })) {
    await server.api.data(root, 'PUT', '/api/option/', { key, value });
  }
});
afterAll(async () => {
  await pool.end();
  await server.stop();
  await stripe.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function order(): Promise<{ id: number; tradeNo: string }> {
  const { body } = await server.api.rest(root, 'POST', '/api/user/pay', {
    amount: 10,
    payment_method: 'stripe_checkout',
  });
  expect(body).toMatchObject({ success: true });
  const { rows } = await pool.query<{ id: number; tradeNo: string }>(
    'SELECT id, trade_no AS "tradeNo" FROM top_up_orders ORDER BY id DESC LIMIT 1',
  );
  return rows[0] ?? { id: 0, tradeNo: '' };
}
async function balance(): Promise<number> {
  const { rows } = await pool.query<{ quota: string }>('SELECT quota FROM users WHERE id = $1', [root.id]);
  return Number(rows[0]?.quota);
}
const quota = 5_000_000;

/** Blocks a step of the server, kills it there, and starts another one. */
async function killAt(lock: string, values: unknown[], work: () => Promise<unknown>): Promise<void> {
  const frozen = await freeze(database.url, lock, values);
  const working = work().catch(() => undefined);
  await frozen.reached();
  await server.kill();
  await frozen.release();
  await working;
  await untilAlone(pool);
  server = await start();
}

it('a stored event is credited once after a kill before its credit, although Stripe never repeats it', async () => {
  const { id, tradeNo } = await order();
  const event = stripe.completed(stripe.pay(tradeNo));
  const before = await balance();
  await killAt('SELECT 1 FROM top_up_orders WHERE id = $1 FOR UPDATE', [id], () => stripe.send(server.url, event));
  const { rows } = await pool.query('SELECT body FROM payment_events WHERE event_id = $1', [event.id]);
  expect(rows).toEqual([{ body: event.body }]);
  await pool.query(`UPDATE payment_events SET received_at = received_at - interval '1 minute'`);
  await until(async () => (await balance()) > before, 30, 'the event is credited');
  // Stripe repeats it after all.
  expect(await stripe.send(server.url, event)).toBe(200);
  expect((await balance()) - before).toBe(quota);
  expect(await reconcile(pool)).toEqual([]);
});

it('a kill in the middle of the credit leaves nothing half done', async () => {
  const { tradeNo } = await order();
  const event = stripe.completed(stripe.pay(tradeNo));
  const before = await balance();
  await killAt('LOCK TABLE ledger_entries IN EXCLUSIVE MODE', [], () => stripe.send(server.url, event));
  const [paid] = (await pool.query('SELECT status FROM top_up_orders WHERE trade_no = $1', [tradeNo])).rows;
  // The statements that the database had received may be done as a whole, or none of them.
  const done = (await balance()) - before;
  expect([paid, done]).toEqual(done === 0 ? [{ status: 'pending' }, 0] : [{ status: 'success' }, quota]);
  expect(await stripe.send(server.url, event)).toBe(200);
  expect((await balance()) - before).toBe(quota);
  expect(await reconcile(pool)).toEqual([]);
});

it('a renewal whose server is killed between the charge of the card and the credit is charged and credited once', async () => {
  const windows = [{ window: 'fixed', kind: 'money', amount: 1_000_000 }];
  const sold = { name: 'Coder', price: quota, period_unit: 'day', period_count: 30, windows };
  const { id: planId } = await server.api.data<{ id: number }>(root, 'POST', '/api/plan/', sold);
  const body = { plan_id: planId, payment_method: 'stripe_checkout', renews: true };
  expect((await server.api.rest(root, 'POST', '/api/plan/pay', body)).body).toMatchObject({ success: true });
  const [first] = (
    await pool.query<{ tradeNo: string }>('SELECT trade_no AS "tradeNo" FROM top_up_orders ORDER BY id DESC LIMIT 1')
  ).rows;
  expect(await stripe.send(server.url, stripe.completed(stripe.pay(first?.tradeNo ?? '')))).toBe(200);
  const before = await balance();
  // The credit waits for the log, after the charge.
  await killAt('LOCK TABLE ledger_entries IN EXCLUSIVE MODE', [], async () => {
    await pool.query(
      `UPDATE subscriptions SET ends_at = now(), starts_at = now() - interval '30 days' WHERE plan_id = $1`,
      [planId],
    );
  });
  expect(stripe.cards.charges).toHaveLength(1);
  const renewed = async () =>
    (await pool.query(`SELECT state, origin FROM subscriptions WHERE plan_id = $1 ORDER BY id`, [planId])).rows;
  expect(await renewed()).toEqual([{ state: 'ended', origin: 'order' }]);
  // The claim of the killed node ends.
  await pool.query('UPDATE top_up_orders SET next_charge_at = now() WHERE renews_id IS NOT NULL');
  await until(async () => (await renewed()).length === 2, 30, 'the plan is renewed');
  expect(await renewed()).toEqual([
    { state: 'ended', origin: 'order' },
    { state: 'active', origin: 'renewal' },
  ]);
  expect([stripe.cards.charges.length, await balance()]).toEqual([1, before]);
  expect(await reconcile(pool)).toEqual([]);
});

it('a refund whose server is killed before Stripe responds is made once', async () => {
  const { id, tradeNo } = await order();
  const session = stripe.pay(tradeNo);
  const before = await balance();
  expect(await stripe.send(server.url, stripe.completed(session))).toBe(200);
  let release = (): void => undefined;
  stripe.delays = { path: 'refunds', until: new Promise((resolve) => (release = resolve)) };
  const refund = server.api.rest(root, 'POST', `/api/payment/${id}/refund`, { note: 'asked' }).catch(() => undefined);
  const made = () => stripe.refunds.filter((one) => one.payment_intent === session.payment_intent).length;
  await until(() => Promise.resolve(made() === 1), 30, 'Stripe has the refund');
  await server.kill();
  stripe.delays = null;
  release();
  await refund;
  server = await start();
  await pool.query(`UPDATE top_up_reversals SET created_at = created_at - interval '1 minute'`);
  await until(
    async () => {
      const { rows } = await pool.query<{ state: string }>('SELECT state FROM top_up_reversals WHERE order_id = $1', [
        id,
      ]);
      return rows[0]?.state === 'done';
    },
    30,
    'the refund is confirmed',
  );
  expect([made(), await balance()]).toEqual([1, before]);
  expect(await reconcile(pool)).toEqual([]);
});

it('a plan whose server is killed while the balance pays is bought, upgraded, renewed and refunded once', async () => {
  const windows = [{ window: 'fixed', kind: 'money', amount: 1_000_000 }];
  const sell = async (name: string, price: number): Promise<number> => {
    const sold = { name, price, period_unit: 'day', period_count: 30, windows };
    return (await server.api.data<{ id: number }>(root, 'POST', '/api/plan/', sold)).id;
  };
  const [small, large] = [await sell('Small', 1_000_000), await sell('Large', 2_000_000)];
  const before = await balance();
  const held = async () => {
    const { rows } = await pool.query<{ id: number; plan: number; state: string; left: string }>(
      `SELECT id, plan_id AS plan, state, paid - refunded AS left FROM subscriptions WHERE plan_id IN ($1, $2) ORDER BY id`,
      [small, large],
    );
    return rows;
  };
  const expectHeld = async (...states: Array<readonly [plan: number, state: string]>): Promise<number> => {
    const rows = await held();
    expect(rows.map(({ plan, state }) => [plan, state])).toEqual(states);
    expect(before - (await balance())).toBe(rows.reduce((sum, { left }) => sum + Number(left), 0));
    expect(await reconcile(pool)).toEqual([]);
    return rows.at(-1)?.id ?? 0;
  };
  const lock = 'LOCK TABLE ledger_entries IN EXCLUSIVE MODE';
  /** Asks again after the kill, as a client does that got no response. */
  const twice = async (path: string, body: object): Promise<void> => {
    const ask = () => server.api.rest(root, 'POST', path, body, { 'idempotency-key': path });
    await killAt(lock, [], ask);
    await ask();
  };
  await twice('/api/plan/buy', { plan_id: small });
  const bought = await expectHeld([small, 'active']);
  await twice('/api/plan/upgrade', { subscription_id: bought, plan_id: large });
  const upgraded = await expectHeld([small, 'upgraded'], [large, 'active']);
  await server.api.data(root, 'PUT', '/api/plan/renewal', { subscription_id: upgraded, renews: true });
  await killAt(lock, [], async () => {
    await pool.query(`UPDATE subscriptions SET ends_at = now(), starts_at = now() - interval '30 days' WHERE id = $1`, [
      upgraded,
    ]);
  });
  await until(async () => (await held()).length === 3, 30, 'the plan is renewed');
  const renewed = await expectHeld([small, 'upgraded'], [large, 'ended'], [large, 'active']);
  await twice('/api/plan/refund', { id: renewed, note: 'asked' });
  await expectHeld([small, 'upgraded'], [large, 'ended'], [large, 'refunded']);
});

/** A dispute that is lost moves nothing, and ends the order. */
const lockOrders = 'LOCK TABLE top_up_orders IN EXCLUSIVE MODE';
const lockLedger = 'LOCK TABLE ledger_entries IN EXCLUSIVE MODE';

it('a code that gives a plan gives it once after a kill while it is redeemed', async () => {
  const windows = [{ window: 'fixed', kind: 'money', amount: 1_000_000 }];
  const sold = { name: 'Gift', price: 1_000_000, period_unit: 'day', period_count: 30, windows };
  const { id: planId } = await server.api.data<{ id: number }>(root, 'POST', '/api/plan/', sold);
  const codes = { name: 'gifts', quota: 1, plan_id: planId, count: 1 };
  const [key] = await server.api.data<string[]>(root, 'POST', '/api/redemption/', codes);
  const before = await balance();
  const redeem = () =>
    server.api.rest(root, 'POST', '/api/user/topup', { key }, { 'idempotency-key': `redeem ${planId}` });
  // The use of the code is written, and its plan is not.
  await killAt('LOCK TABLE subscription_use IN EXCLUSIVE MODE', [], redeem);
  expect((await redeem()).body).toMatchObject({ success: true, data: { plan: 'Gift' } });
  const { rows } = await pool.query('SELECT origin, state FROM subscriptions WHERE plan_id = $1', [planId]);
  expect([rows, await balance()]).toEqual([[{ origin: 'code', state: 'active' }], before]);
  expect(await reconcile(pool)).toEqual([]);
});

it('an order that is finished by hand is credited once after a kill, although its event arrives afterwards', async () => {
  const { id, tradeNo } = await order();
  const event = stripe.completed(stripe.pay(tradeNo));
  const before = await balance();
  const query = `mutation { markTopUpPaid(input: { id: ${id}, note: "paid in cash" }) { order { id } } }`;
  const finish = () => server.api.rest(root, 'POST', '/graphql', { query });
  await killAt(lockLedger, [], finish);
  await finish();
  expect((await balance()) - before).toBe(quota);
  expect(await stripe.send(server.url, event)).toBe(200);
  expect((await balance()) - before).toBe(quota);
  expect(await reconcile(pool)).toEqual([]);
});

describe('with an inviter', () => {
  let inviter: number;
  const rebates = async (): Promise<number> => {
    const { rows } = await pool.query<{ quota: string }>('SELECT quota FROM users WHERE id = $1', [inviter]);
    return Number(rows[0]?.quota);
  };
  const rebate = 375_000;

  beforeAll(async () => {
    await server.api.data(root, 'POST', '/api/user/', { username: 'inviter', password: 'password of inviter' });
    const { rows } = await pool.query<{ id: number }>(`SELECT id FROM users WHERE username = 'inviter'`);
    inviter = rows[0]?.id ?? 0;
    await pool.query('UPDATE users SET inviter_id = $1 WHERE id = $2', [inviter, root.id]);
    for (const [key, value] of [
      ['RebatePercentage', '7.5'],
      ['RebateEnabled', 'true'],
    ]) {
      await server.api.data(root, 'PUT', '/api/option/', { key, value });
    }
  });

  /** Pays an order whose inviter gets a rebate. */
  async function paid(): Promise<{ id: number; payment: string; before: [number, number] }> {
    const before: [number, number] = [await balance(), await rebates()];
    const { id, tradeNo } = await order();
    const session = stripe.pay(tradeNo);
    await killAt(lockLedger, [], () => stripe.send(server.url, stripe.completed(session)));
    expect(await stripe.send(server.url, stripe.completed(session))).toBe(200);
    expect([await balance(), await rebates()]).toEqual([before[0] + quota, before[1] + rebate]);
    return { id, payment: session.payment_intent ?? '', before };
  }

  it('a refund takes the quota and the rebate once after a kill', async () => {
    const { id, before } = await paid();
    const refund = () =>
      server.api.rest(
        root,
        'POST',
        `/api/payment/${id}/refund`,
        { note: 'asked' },
        { 'idempotency-key': `back ${id}` },
      );
    await killAt(lockLedger, [], refund);
    await refund();
    expect([await balance(), await rebates()]).toEqual(before);
    expect(await reconcile(pool)).toEqual([]);
  });

  it.each(['won', 'lost'])('a dispute takes both once when it opens, and is right when it is %s', async (end) => {
    const { id, payment, before } = await paid();
    const at = (status: string, type: string) =>
      stripe.event(`charge.dispute.${type}`, stripe.dispute(payment, status, { id: `dp_${id}` }));
    for (const event of [at('needs_response', 'created'), at(end, 'closed')]) {
      await killAt(end === 'lost' && event.body.includes('dispute.closed') ? lockOrders : lockLedger, [], () =>
        stripe.send(server.url, event),
      );
      expect(await stripe.send(server.url, event)).toBe(200);
      if (event.body.includes('dispute.created')) expect([await balance(), await rebates()]).toEqual(before);
    }
    stripe.disputed.clear();
    const [own, others] = before;
    expect([await balance(), await rebates()]).toEqual(end === 'won' ? [own + quota, others + rebate] : before);
    expect(await reconcile(pool)).toEqual([]);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import type { Person } from '../support/api.js';
import { startServer, type LocalServer } from '../support/server.js';
import { ScriptedStripe } from '../support/stripe.js';

/** Every change of one user's plans beside every other one: none waits for a lock in a circle, and the ledger stays exact. */
let stripe: ScriptedStripe;
let server: LocalServer;
let pool: pg.Pool;
let root: Person;
let buyer: Person;
let people = 0;

beforeAll(async () => {
  stripe = await ScriptedStripe.start();
  const environment = {
    PAYMENT_API_URL: stripe.url,
    OUTBOUND_ALLOW: '127.0.0.1',
    TRUSTED_PROXIES: '127.0.0.1',
    DATABASE_POOL_SIZE: '20',
  };
  server = await startServer({ environment });
  pool = new pg.Pool({ connectionString: server.database.url, max: 3 });
  root = await server.api.setUp();
  const options = {
    ...stripe.settings,
    ServerAddress: 'https://gate.example.com',
    StripePrice: '1',
    RebateEnabled: 'true',
    RebatePercentage: '10',
  };
  for (const [key, value] of Object.entries(options))
    await server.api.data(root, 'PUT', '/api/option/', { key, value });
});
afterAll(async () => {
  await pool.end();
  await server.stop();
  await stripe.stop();
});

async function person(): Promise<Person> {
  const username = `person${(people += 1)}`;
  const password = `password of ${username}`;
  await server.api.data(root, 'POST', '/api/user/', { username, password });
  return server.api.signIn(username, password, { 'x-forwarded-for': `10.0.0.${people}` });
}
beforeEach(async () => {
  const inviter = await person();
  buyer = await person();
  await pool.query('UPDATE users SET inviter_id = $2 WHERE id = $1', [buyer.id, inviter.id]);
  await server.api.data(root, 'PUT', '/api/user/', { id: buyer.id, quota: 200_000_000 });
});
afterEach(async () => {
  expect(await reconcile(pool)).toEqual([]);
});

const deadlocks = async (): Promise<number> => {
  const { rows } = await pool.query<{ deadlocks: string }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]?.deadlocks);
};
const price = 5_000_000;
const plan = async (more: object = {}): Promise<number> => {
  const windows = [{ window: 'fixed', kind: 'money', amount: 1_000_000 }];
  const sold = { name: 'Coder', price, period_unit: 'day', period_count: 30, windows, ...more };
  return (await server.api.data<{ id: number }>(root, 'POST', '/api/plan/', sold)).id;
};

/** The code of a response: empty when it succeeded. */
type Act = () => Promise<string>;
const post =
  (by: Person, path: string, body: () => object): Act =>
  async () => {
    const answer = await server.api.rest(by, 'POST', path, body());
    const { success, code } = answer.body as { success?: boolean; code?: string };
    return success === true ? '' : `${answer.status} ${code ?? JSON.stringify(answer.body)}`;
  };
const sent = async (event: Parameters<ScriptedStripe['send']>[1]): Promise<string> => {
  const status = await stripe.send(server.url, event);
  return status === 200 ? '' : `${status}`;
};
/** Orders a plan that the buyer does not have. @returns the number of the order, which is not paid yet */
async function ordered(planId: number): Promise<string> {
  const body = { plan_id: planId, payment_method: 'stripe_checkout' };
  expect((await server.api.rest(buyer, 'POST', '/api/plan/pay', body)).body).toMatchObject({ success: true });
  const { rows } = await pool.query<{ tradeNo: string }>(
    'SELECT trade_no AS "tradeNo" FROM top_up_orders WHERE user_id = $1 ORDER BY id DESC LIMIT 1',
    [buyer.id],
  );
  return rows[0]?.tradeNo ?? '';
}
async function running(planId: number): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `SELECT id FROM subscriptions WHERE account_id = $1 AND plan_id = $2 AND state = 'active'`,
    [buyer.id, planId],
  );
  return rows[0]?.id ?? 0;
}
/** Ends the time of a plan of the buyer, which the periodic work has not noticed yet. */
const letExpire = (planId: number): Promise<unknown> =>
  pool.query(
    `UPDATE subscriptions SET ends_at = date_trunc('second', now()), starts_at = now() - interval '30 days'
      WHERE account_id = $1 AND plan_id = $2 AND state = 'active'`,
    [buyer.id, planId],
  );

/** A plan of the buyer, bought by the first of two orders. */
interface Held {
  readonly planId: number;
  readonly id: number;
  readonly payment: string;
  /** The order that is not paid yet. */
  readonly another: string;
}
async function held(): Promise<Held> {
  const planId = await plan();
  const another = await ordered(planId);
  const session = stripe.pay(await ordered(planId));
  expect(await sent(stripe.completed(session))).toBe('');
  return { planId, id: await running(planId), payment: session.payment_intent ?? '', another };
}

type Prepared = (of: Held) => Promise<Act>;
/** They lock the account before the plan that has expired. */
const openings: ReadonlyArray<readonly [string, Prepared]> = [
  [
    'a grant',
    async ({ planId }) => post(root, '/api/plan/grant', () => ({ user_id: buyer.id, plan_id: planId, note: 'a gift' })),
  ],
  [
    'a payment of an order',
    ({ another }) => {
      const event = stripe.completed(stripe.pay(another));
      return Promise.resolve(() => sent(event));
    },
  ],
];
/** They have to lock both, too. */
const endings: ReadonlyArray<readonly [string, Prepared]> = [
  ['a refund', async ({ id }) => post(root, '/api/plan/refund', () => ({ id, note: 'a mistake' }))],
  [
    'a dispute of its payment',
    ({ payment }) => {
      const event = stripe.event(
        'charge.dispute.created',
        stripe.dispute(payment, 'needs_response', { id: `dp_${payment}` }),
      );
      return Promise.resolve(() => sent(event));
    },
  ],
  [
    'an upgrade to it',
    async ({ planId }) => {
      const small = await plan({ price: 1_000_000 });
      expect(await post(buyer, '/api/plan/buy', () => ({ plan_id: small }))()).toBe('');
      const id = await running(small);
      return post(buyer, '/api/plan/upgrade', () => ({ subscription_id: id, plan_id: planId }));
    },
  ],
];
const pairs = openings.flatMap(([opening, open]) =>
  endings.map(([ending, end]) => [opening, ending, open, end] as const),
);

it.each(pairs)(
  '%s of an expired plan beside %s: neither is the victim of a deadlock',
  async (_first, _second, open, end) => {
    const bought = await held();
    const acts = [await open(bought), await end(bought)];
    const before = await deadlocks();
    const blocker = await pool.connect();
    try {
      await blocker.query('BEGIN');
      await blocker.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [buyer.id]);
      await letExpire(bought.planId);
      const results: Array<Promise<string>> = [];
      // Each waits for the account, in this order.
      for (const act of acts) {
        results.push(act());
        await waitingForLocks(results.length);
      }
      await blocker.query('COMMIT');
      expect((await Promise.all(results)).filter((code) => code !== '' && !code.endsWith(' CONFLICT'))).toEqual([]);
    } finally {
      blocker.release();
    }
    expect((await deadlocks()) - before).toBe(0);
  },
);

/** Resolves once so many statements wait for locks. */
async function waitingForLocks(count: number): Promise<void> {
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await pool.query(waiting)).rows.length < count) await sleep(20);
}

it('purchases, orders, grants, codes, upgrades, refunds, disputes and renewals of one user, all at once', async () => {
  const plans = await Promise.all([1, 2, 3, 4].map((times) => plan({ price: times * 1_000_000 })));
  const code = { name: 'gifts', quota: 1, is_gift: true, max_uses: 9, count: 1 };
  const [before, seen] = [await deadlocks(), new Set<string>()];
  for (let round = 0; round < 6; round++) {
    const paid = await held();
    const acts: Act[] = [];
    for (const [at, planId] of plans.entries()) {
      const target = plans[(at + 1) % plans.length];
      const id = await running(planId);
      const orders = id === 0 ? [await ordered(planId)] : [];
      const [key] = await server.api.data<string[]>(root, 'POST', '/api/redemption/', { ...code, plan_id: planId });
      acts.push(
        post(buyer, '/api/plan/buy', () => ({ plan_id: planId, renews: round % 2 === 0 })),
        post(root, '/api/plan/grant', () => ({ user_id: buyer.id, plan_id: planId, note: 'a gift' })),
        post(buyer, '/api/plan/upgrade', () => ({ subscription_id: id, plan_id: target })),
        post(root, '/api/plan/refund', () => ({ id, note: 'a mistake' })),
        post(buyer, '/api/user/topup', () => ({ key })),
        ...orders.map((order) => () => sent(stripe.completed(stripe.pay(order)))),
      );
    }
    for (const [, prepare] of endings.slice(0, 2)) acts.push(await prepare(paid));
    // Every second round finds plans whose time is over.
    if (round % 2 === 1) for (const planId of [...plans, paid.planId]) await letExpire(planId);
    const codes = await Promise.all(shuffled(acts, round).map((act) => act()));
    for (const one of codes) seen.add(one.replace(/^\d+ /, ''));
  }
  // A refusal is one of these. A deadlock is an internal error.
  const refusals = ['', 'CONFLICT', 'NOT_FOUND', 'INVALID_INPUT'];
  expect([...seen].filter((one) => !refusals.includes(one))).toEqual([]);
  expect(seen).toContain('');
  expect((await deadlocks()) - before).toBe(0);
});

/** Another order in each round. */
const shuffled = (acts: readonly Act[], round: number): Act[] =>
  acts
    .map((act, at) => ({ act, at: (at * 7 + round * 5) % acts.length }))
    .sort((a, b) => a.at - b.at)
    .map(({ act }) => act);

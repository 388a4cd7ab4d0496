import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import type { Person } from '../support/api.js';
import { startServer, type LocalServer } from '../support/server.js';
import { ScriptedStripe } from '../support/stripe.js';

/** Plans whose renewal a saved card pays, on two nodes. */
let stripe: ScriptedStripe;
let server: LocalServer;
let other: LocalServer;
let pool: pg.Pool;
let root: Person;
let buyer: Person;
let planId = 0;

beforeAll(async () => {
  stripe = await ScriptedStripe.start();
  const environment = {
    PAYMENT_API_URL: stripe.url,
    PAYMENT_SWEEP_INTERVAL: '1',
    SYNC_FREQUENCY: '1',
    OUTBOUND_ALLOW: '127.0.0.1',
    TRUSTED_PROXIES: '127.0.0.1',
  };
  server = await startServer({ environment });
  root = await server.api.setUp();
  const options = { ...stripe.settings, ServerAddress: 'https://gate.example.com', StripePrice: '1' };
  for (const [key, value] of Object.entries(options))
    await server.api.data(root, 'PUT', '/api/option/', { key, value });
  other = await startServer({ environment, database: server.database });
  pool = new pg.Pool({ connectionString: server.database.url, max: 2 });
  // Notices are deleted once they are delivered.
  await pool.query(`
    CREATE TABLE seen_notices (LIKE notices);
    CREATE FUNCTION see_notice() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO seen_notices SELECT NEW.*; RETURN NULL; END $$;
    CREATE TRIGGER see_notice AFTER INSERT ON notices FOR EACH ROW EXECUTE FUNCTION see_notice()`);
});
afterAll(async () => {
  await pool.end();
  await other.stop();
  await server.stop();
  await stripe.stop();
});
let people = 0;
beforeEach(async () => {
  const username = `buyer${(people += 1)}`;
  const password = `password of ${username}`;
  await server.api.data(root, 'POST', '/api/user/', { username, password });
  buyer = await server.api.signIn(username, password, { 'x-forwarded-for': `10.0.0.${people}` });
  const windows = [{ window: 'fixed', kind: 'money', amount: 1_000_000 }];
  const plan = { name: 'Coder', price: 5_000_000, period_unit: 'day', period_count: 30, windows };
  planId = (await server.api.data<{ id: number }>(root, 'POST', '/api/plan/', plan)).id;
  stripe.cards.outcomes = [];
});
afterEach(async () => {
  expect(await reconcile(pool)).toEqual([]);
});

interface Period {
  readonly id: number;
  readonly state: string;
  readonly origin: string;
  readonly renews: boolean;
  readonly by: string;
  readonly problem: string;
  readonly start: Date;
  readonly end: Date;
}
async function periods(): Promise<Period[]> {
  const { rows } = await pool.query<Period>(
    `SELECT id, state, origin, renews, renews_by AS by, renewal_problem AS problem, starts_at AS start, ends_at AS "end"
       FROM subscriptions WHERE account_id = $1 ORDER BY id`,
    [buyer.id],
  );
  return rows;
}
const last = async (): Promise<Period> => (await periods()).at(-1)!;
interface Order {
  readonly id: number;
  readonly tradeNo: string;
  readonly status: string;
  readonly declines: number;
  readonly next: Date | null;
  readonly intent: string | null;
}
async function renewals(): Promise<Order[]> {
  const { rows } = await pool.query<Order>(
    `SELECT id, trade_no AS "tradeNo", status, declines, next_charge_at AS next, provider_order_id AS intent
       FROM top_up_orders WHERE user_id = $1 AND renews_id IS NOT NULL ORDER BY id`,
    [buyer.id],
  );
  return rows;
}
/** Charges of the renewals of the buyer. */
async function charges(): Promise<number[]> {
  const numbers = new Set((await renewals()).map(({ tradeNo }) => tradeNo));
  return stripe.cards.charges
    .filter(({ metadata }) => numbers.has(metadata['renewal'] ?? ''))
    .map(({ amount }) => amount);
}
async function balance(): Promise<number> {
  const { rows } = await pool.query<{ quota: string }>('SELECT quota FROM users WHERE id = $1', [buyer.id]);
  return Number(rows[0]?.quota);
}
async function notices(): Promise<string[]> {
  const { rows } = await pool.query<{ type: string; text: string }>(
    `SELECT content AS text FROM seen_notices WHERE user_id = $1 AND type LIKE 'plan_%' ORDER BY id`,
    [buyer.id],
  );
  return rows.map(({ text }) => text);
}
const pay = (more: object) =>
  server.api.rest(buyer, 'POST', '/api/plan/pay', { plan_id: planId, payment_method: 'stripe_checkout', ...more });

/** Buys the plan on a page that saves the card. @returns the subscription */
async function buy(): Promise<Period> {
  expect((await pay({ renews: true })).body).toMatchObject({ success: true });
  const { rows } = await pool.query<{ tradeNo: string }>(
    'SELECT trade_no AS "tradeNo" FROM top_up_orders WHERE user_id = $1 ORDER BY id DESC LIMIT 1',
    [buyer.id],
  );
  expect(await stripe.send(server.url, stripe.completed(stripe.pay(rows[0]?.tradeNo ?? '')))).toBe(200);
  const bought = await last();
  expect(bought).toMatchObject({ state: 'active', origin: 'order', renews: true, by: 'card' });
  return bought;
}
/** Ends a period now. */
const end = ({ id }: Period): Promise<unknown> =>
  pool.query(
    `UPDATE subscriptions SET ends_at = date_trunc('second', now()), starts_at = now() - interval '30 days' WHERE id = $1`,
    [id],
  );
/** Makes the next charge due. */
const nextDay = (): Promise<unknown> =>
  pool.query('UPDATE top_up_orders SET next_charge_at = now() WHERE user_id = $1 AND next_charge_at IS NOT NULL', [
    buyer.id,
  ]);
async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 1200; tries++) {
    if (await condition()) return;
    await delay(100);
  }
  throw new Error(`not in two minutes: ${what} ${JSON.stringify([await periods(), await renewals()])}`);
}
/** Makes the order of the renewal older, and its next charge due. */
async function later(interval: string): Promise<void> {
  await pool.query(
    'UPDATE top_up_orders SET created_at = created_at - $2::interval WHERE user_id = $1 AND renews_id IS NOT NULL',
    [buyer.id, interval],
  );
  await nextDay();
}
/** The claimed order has no answer: it is claimed again in minutes. */
const undecided = () =>
  until(async () => {
    const [order] = await renewals();
    return order?.status === 'pending' && (order.next?.getTime() ?? 0) > Date.now() + 60_000;
  }, 'it is claimed');
/** Stripe has answered that the payment is in progress: it is asked again on the next day. */
const inProgress = () =>
  until(async () => {
    const [order] = await renewals();
    return order?.status === 'pending' && (order.next?.getTime() ?? 0) > Date.now() + 3_600_000;
  }, 'Stripe has answered');
/** Does something that makes the gateway ask Stripe, which decides nothing. */
async function asked(act: () => Promise<unknown>): Promise<void> {
  const before = stripe.calls.length;
  await act();
  await until(async () => stripe.calls.length > before, 'Stripe is asked');
  await undecided();
}
const left = () => until(async () => (await renewals())[0]?.next === null, 'it is left');
/** Sets the price of a dollar, and waits until both nodes know it. */
async function setPrice(value: string): Promise<void> {
  await server.api.data(root, 'PUT', '/api/option/', { key: 'StripePrice', value });
  const options = () => other.api.data<Array<{ key: string; value: string }>>(root, 'GET', '/api/option/');
  await until(
    async () => (await options()).some((option) => option.key === 'StripePrice' && option.value === value),
    'the price is known',
  );
}
const renewed = (count: number) =>
  until(async () => (await periods()).filter(({ origin }) => origin === 'renewal').length === count, 'it is renewed');
const problem = (id: number, wanted: string) =>
  until(async () => (await periods()).some((one) => one.id === id && one.problem === wanted), wanted);
const declines = (count: number) => until(async () => (await renewals())[0]?.declines === count, `${count} declines`);

describe('a renewal by card', () => {
  it('is charged once for each period, credited as an order, and begins at the end of the last one', async () => {
    const first = await buy();
    const created = stripe.calls.filter(
      ({ url, method }) => method === 'POST' && url.pathname === '/v1/checkout/sessions',
    );
    expect(Object.fromEntries(new URLSearchParams(created.at(-1)?.body))).toMatchObject({
      customer_creation: 'always',
      'payment_intent_data[setup_future_usage]': 'off_session',
    });
    await end(first);
    await renewed(1);
    const second = await last();
    const ended = (await periods())[0]!;
    expect(second).toMatchObject({ state: 'active', renews: true, by: 'card', start: ended.end });
    expect([ended.state, ended.problem, await balance(), await charges()]).toEqual(['ended', '', 0, [1000]]);
    const [order] = await renewals();
    const { rows } = await pool.query(
      'SELECT source, amount::float8 AS amount FROM ledger_entries WHERE user_id = $1 ORDER BY id',
      [buyer.id],
    );
    expect(rows.slice(-2)).toEqual([
      { source: `stripe:${order?.tradeNo}`, amount: 5_000_000 },
      { source: `plan:${second.id}`, amount: -5_000_000 },
    ]);
    expect(await notices()).toEqual(['The plan {{value}} was renewed until {{value}}: {{value}}']);
    await end(second);
    await renewed(2);
    expect([await charges(), (await renewals()).length]).toEqual([[1000, 1000], 2]);
  });

  it('is charged once although responses are lost, and events are repeated and come first', async () => {
    const first = await buy();
    stripe.losesResponseOf = 'payment_intents';
    await end(first);
    await until(
      async () => stripe.losesResponseOf === null && (await renewals()).length === 1,
      'the order is prepared',
    );
    const [order] = await renewals();
    // Its node waits for ten minutes. The same key returns the same intent.
    expect(order?.intent).toBeNull();
    const intents = [...stripe.cards.intents.values()].filter(({ metadata }) => metadata['renewal'] === order?.tradeNo);
    expect(intents).toHaveLength(1);
    stripe.losesResponseOf = `payment_intents/${intents[0]!.id}/confirm`;
    await nextDay();
    await until(async () => (await charges()).length === 1, 'the card is charged');
    const event = stripe.event('payment_intent.succeeded', { ...intents[0] });
    expect(await Promise.all([server, other, server].map(({ url }) => stripe.send(url, event)))).toEqual([
      200, 200, 200,
    ]);
    await renewed(1);
    await nextDay();
    await delay(3000);
    expect([await charges(), await balance()]).toEqual([[1000], 0]);
    const { rows } = await pool.query('SELECT refusal FROM payment_events WHERE event_id = $1', [event.id]);
    expect(rows).toEqual([{ refusal: '' }]);
  });

  it('is found by the sweep when neither the response nor an event arrives', async () => {
    const first = await buy();
    stripe.losesRequestTo = 'payment_intents';
    await end(first);
    await until(async () => stripe.losesRequestTo === null, 'the first request');
    await nextDay();
    // The bank takes its time, and its event is lost.
    stripe.cards.outcomes = ['processing'];
    await until(async () => stripe.cards.outcomes.length === 0, 'the payment is in progress');
    const [order] = await renewals();
    const intent = stripe.cards.intents.get(order?.intent ?? '')!;
    Object.assign(intent, { status: 'succeeded', amount_received: intent.amount });
    await pool.query(`UPDATE top_up_orders SET created_at = created_at - interval '6 minutes' WHERE id = $1`, [
      order?.id,
    ]);
    await renewed(1);
    expect([await charges(), await balance()]).toEqual([[1000], 0]);
  });

  it.each([
    ['another account', { account: 'acct_other' }, {}, 'paid to another merchant'],
    ['another amount', {}, { amount_received: 999 }, 'another amount was paid'],
    ['another currency', {}, { currency: 'eur' }, 'paid in another currency'],
  ])('is not credited by an event of %s', async (_, over, changed, refusal) => {
    const first = await buy();
    stripe.cards.outcomes = ['processing'];
    await end(first);
    await until(async () => stripe.cards.outcomes.length === 0, 'the payment is in progress');
    const [order] = await renewals();
    const intent = stripe.cards.intents.get(order?.intent ?? '')!;
    const paid = { ...intent, status: 'succeeded', amount_received: 1000, ...changed };
    const event = stripe.event('payment_intent.succeeded', paid, over);
    expect(await stripe.send(server.url, event)).toBe(200);
    const { rows } = await pool.query('SELECT refusal FROM payment_events WHERE event_id = $1', [event.id]);
    expect([rows, await balance(), (await renewals())[0]?.status]).toEqual([[{ refusal }], 0, 'pending']);
  });
});

describe('a declined card', () => {
  it('is charged again on later days, and its account is notified', async () => {
    const first = await buy();
    stripe.cards.outcomes = ['declined'];
    await end(first);
    await problem(first.id, 'CARD_DECLINED');
    const [order] = await renewals();
    expect(order?.next?.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    expect([await balance(), await charges()]).toEqual([0, []]);
    await nextDay();
    await renewed(1);
    const [old] = await periods();
    expect([old?.problem, await charges(), await balance()]).toEqual(['', [1000], 0]);
    expect(await notices()).toEqual([
      expect.stringContaining('has ended, because your card was declined'),
      expect.stringContaining('was renewed until'),
    ]);
  });

  it('is left after four charges', async () => {
    const first = await buy();
    stripe.cards.outcomes = Array<'declined'>(5).fill('declined');
    await end(first);
    for (const count of [1, 2, 3, 4]) {
      await declines(count);
      await nextDay();
    }
    await problem(first.id, 'PAYMENT_FAILED');
    await delay(3000);
    expect([(await renewals())[0], stripe.cards.outcomes.length]).toMatchObject([{ declines: 4, next: null }, 1]);
    const { rows } = await pool.query<{ kind: string }>(
      `SELECT kind FROM site_events WHERE data #>> '{user,id}' = $1 AND kind <> 'user.created' ORDER BY id`,
      [String(buyer.id)],
    );
    expect(rows.map(({ kind }) => kind)).toEqual([
      'plan.bought',
      'payment.paid',
      'payment.failed',
      'plan.ended',
      ...Array<string>(3).fill('payment.failed'),
    ]);
  });

  it('whose bank asks for its owner is not charged again: they pay on a page, which saves the card', async () => {
    const first = await buy();
    stripe.cards.outcomes = ['authentication'];
    await end(first);
    await problem(first.id, 'AUTHENTICATION_REQUIRED');
    expect([(await renewals())[0]?.next, (await notices())[0]]).toEqual([
      null,
      expect.stringContaining('because your bank asks for your confirmation'),
    ]);
    const second = await buy();
    await end(second);
    await renewed(1);
    expect([await charges(), await balance()]).toEqual([[1000], 0]);
  });

  it('is not charged once its owner pays by hand, or ends the renewal', async () => {
    const first = await buy();
    stripe.cards.outcomes = ['declined'];
    await end(first);
    await problem(first.id, 'CARD_DECLINED');
    await buy();
    await nextDay();
    await until(async () => (await renewals())[0]?.next === null, 'it is left');
    const second = await last();
    stripe.cards.outcomes = ['declined'];
    await end(second);
    await problem(second.id, 'CARD_DECLINED');
    const set = (renews: boolean) =>
      server.api.rest(buyer, 'PUT', '/api/plan/renewal', { subscription_id: second.id, renews });
    expect((await set(true)).body).toMatchObject({ code: 'CONFLICT' });
    expect((await set(false)).body).toMatchObject({ success: true });
    await nextDay();
    await until(async () => (await renewals())[1]?.next === null, 'it is left');
    expect([await charges(), (await periods()).length]).toEqual([[], 2]);
  });

  it.each(['pm', 'cus'])('that was removed (%s) ends the renewal', async (what) => {
    const first = await buy();
    const intent = [...stripe.cards.intents.values()].at(-1)!;
    stripe.cards.removed.add((what === 'pm' ? intent.payment_method : intent.customer) ?? '');
    await end(first);
    await problem(first.id, 'CARD_REMOVED');
    expect([(await renewals())[0]?.next, await charges()]).toEqual([null, []]);
  });
});

describe('a gateway that decides nothing', () => {
  afterEach(() => {
    stripe.isRevoked = false;
  });

  it('is reported to the account after a day, and charges no card after eight', async () => {
    const first = await buy();
    stripe.isRevoked = true;
    await asked(() => end(first));
    expect([(await last()).problem, await notices()]).toEqual(['', []]);
    await asked(() => later('25 hours'));
    await problem(first.id, 'PAYMENT_FAILED');
    stripe.isRevoked = false;
    await later('35 days');
    await left();
    await delay(3000);
    expect([await charges(), await periods(), await notices()]).toMatchObject([
      [],
      [{ state: 'ended', problem: 'PAYMENT_FAILED' }],
      [expect.stringContaining('because your card could not be charged')],
    ]);
  });

  it('charges no prepared order after eight days', async () => {
    const first = await buy();
    stripe.cards.outcomes = ['declined'];
    await end(first);
    await declines(1);
    await later('9 days');
    await left();
    await delay(3000);
    expect([await charges(), (await last()).problem]).toEqual([[], 'PAYMENT_FAILED']);
  });

  it('credits a charge whose response was lost five weeks ago', async () => {
    const first = await buy();
    stripe.losesResponseOf = 'payment_intents';
    await end(first);
    await until(async () => stripe.losesResponseOf === null, 'the intent is created');
    await undecided();
    const [order] = await renewals();
    const intent = [...stripe.cards.intents.values()].find(({ metadata }) => metadata['renewal'] === order?.tradeNo)!;
    stripe.losesResponseOf = `payment_intents/${intent.id}/confirm`;
    await nextDay();
    await until(async () => (await charges()).length === 1, 'the card is charged');
    await undecided();
    await later('35 days');
    await renewed(1);
    expect([await charges(), await balance()]).toEqual([[1000], 0]);
  });

  it('waits for a payment that is in progress for longer', async () => {
    const first = await buy();
    stripe.cards.outcomes = ['processing'];
    await end(first);
    await inProgress();
    expect(stripe.cards.outcomes).toEqual([]);
    await later('10 days');
    await inProgress();
    expect([(await last()).problem, await notices()]).toEqual(['', []]);
    const intent = stripe.cards.intents.get((await renewals())[0]?.intent ?? '')!;
    Object.assign(intent, { status: 'succeeded', amount_received: intent.amount });
    await nextDay();
    await renewed(1);
  });
});

describe('no card is charged', () => {
  it('for an order that an admin marked as paid', async () => {
    await pay({ renews: true });
    const { rows } = await pool.query<{ id: number }>('SELECT id FROM top_up_orders WHERE user_id = $1', [buyer.id]);
    const query = `mutation { markTopUpPaid(input: { id: ${rows[0]?.id}, note: "cash" }) { order { id } } }`;
    await server.api.graphql(root, query);
    const first = await last();
    expect(first).toMatchObject({ state: 'active', by: 'card' });
    await end(first);
    await problem(first.id, 'CARD_REMOVED');
    expect([(await renewals())[0]?.next, await charges()]).toEqual([null, []]);
  });

  it('again once its payment is disputed', async () => {
    const first = await buy();
    const payment = [...stripe.cards.intents.values()].at(-1)!.id;
    await server.api.data(root, 'PUT', '/api/user/', { id: buyer.id, quota: 5_000_000 });
    stripe.cards.outcomes = ['declined'];
    await end(first);
    await problem(first.id, 'CARD_DECLINED');
    const dispute = stripe.event(
      'charge.dispute.created',
      stripe.dispute(payment, 'needs_response', { id: `du_${buyer.id}` }),
    );
    expect(await stripe.send(server.url, dispute)).toBe(200);
    await nextDay();
    await problem(first.id, 'PAYMENT_FAILED');
    expect([(await renewals())[0]?.next, await charges(), await balance()]).toEqual([null, [], 0]);
  });

  it.each([
    ['NOT_SOLD', { on_sale: false }],
    ['PRICE_RAISED', { price: 5_000_001 }],
  ])('for a plan that changed: %s', async (wanted, changed) => {
    const first = await buy();
    await server.api.data(root, 'PUT', '/api/plan/', { id: planId, ...changed });
    await end(first);
    await problem(first.id, wanted);
    expect(await renewals()).toEqual([]);
  });

  it('for more money than before, or after its payment was refunded', async () => {
    const first = await buy();
    await setPrice('1.01');
    await end(first);
    await problem(first.id, 'PRICE_RAISED');
    await setPrice('1');
    const second = await buy();
    await pool.query('UPDATE top_up_orders SET refunded = 1 WHERE user_id = $1', [buyer.id]);
    await end(second);
    await problem(second.id, 'PAYMENT_FAILED');
    await pool.query('UPDATE top_up_orders SET refunded = 0 WHERE user_id = $1', [buyer.id]);
    expect(await renewals()).toEqual([]);
  });

  it('once the balance is to pay', async () => {
    const first = await buy();
    const set = (body: object) =>
      server.api.rest(buyer, 'PUT', '/api/plan/renewal', { subscription_id: first.id, ...body });
    expect((await set({ renews: true, renews_by: 'balance' })).body).toMatchObject({
      data: { renews_by: 'balance', saves_card: true },
    });
    await server.api.data(root, 'PUT', '/api/user/', { id: buyer.id, quota: 6_000_000 });
    await end(first);
    await renewed(1);
    expect([await balance(), await renewals(), (await last()).by]).toEqual([1_000_000, [], 'balance']);
    expect((await set({ renews: true })).body).toMatchObject({ code: 'CONFLICT' });
    // The renewal was paid by the balance: no card belongs to it.
    const { id } = await last();
    const { body } = await server.api.rest(buyer, 'PUT', '/api/plan/renewal', {
      subscription_id: id,
      renews: true,
      renews_by: 'card',
    });
    expect(body).toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('by a way to pay that saves none', async () => {
    expect((await pay({ payment_method: 'alipay', renews: true })).body).toMatchObject({
      data: 'This way to pay cannot be charged again for renewals',
    });
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import { createLogger } from '../../server/src/platform/observability/logger.js';
import { PaymentEventRetention } from '../../server/src/billing/payments/payment-event.jobs.js';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import type { Person } from '../support/api.js';
import { startServer, type LocalServer } from '../support/server.js';
import { ScriptedStripe, type StripeEvent } from '../support/stripe.js';

let stripe: ScriptedStripe;
let server: LocalServer;
/** A second node on the same database. */
let other: LocalServer;
let pool: pg.Pool;
let root: Person;
let buyer: Person;

beforeAll(async () => {
  stripe = await ScriptedStripe.start();
  const environment = {
    PAYMENT_API_URL: stripe.url,
    PAYMENT_SWEEP_INTERVAL: '1',
    OUTBOUND_ALLOW: '127.0.0.1',
    TRUSTED_PROXIES: '127.0.0.1',
  };
  server = await startServer({ environment });
  root = await server.api.setUp();
  await configure({ ...stripe.settings, ServerAddress: 'https://gate.example.com' });
  other = await startServer({ environment, database: server.database });
  pool = new pg.Pool({ connectionString: server.database.url, max: 2 });
});
afterAll(async () => {
  await pool.end();
  await other.stop();
  await server.stop();
  await stripe.stop();
});
beforeEach(async () => {
  buyer = await person();
});
afterEach(async () => {
  expect(await reconcile(pool)).toEqual([]);
});

let people = 0;
async function person(): Promise<Person> {
  const username = `buyer${(people += 1)}`;
  const password = `password of ${username}`;
  await server.api.data(root, 'POST', '/api/user/', { username, password });
  // Sign-ins are limited by address.
  return server.api.signIn(username, password, { 'x-forwarded-for': `10.0.0.${people}` });
}

async function configure(options: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(options)) {
    await server.api.data(root, 'PUT', '/api/option/', { key, value });
  }
}

const usd = { StripeCurrency: 'USD', StripePrice: '1', StripeMinTopUp: '1' };
afterEach(() => configure(usd));

/** @returns the number of the order, and the address of its page */
async function order(amount = 10, by = buyer): Promise<{ tradeNo: string; url: string; id: number }> {
  const { body } = await server.api.rest(by, 'POST', '/api/user/pay', { amount, payment_method: 'stripe_checkout' });
  const { url, data } = body as { url: string; data: object };
  expect(data).toEqual({});
  const { rows } = await pool.query<{ id: number; tradeNo: string }>(
    'SELECT id, trade_no AS "tradeNo" FROM top_up_orders WHERE user_id = $1 ORDER BY id DESC LIMIT 1',
    [by.id],
  );
  return { url, tradeNo: rows[0]?.tradeNo ?? '', id: rows[0]?.id ?? 0 };
}

async function balance(of = buyer): Promise<number> {
  const { rows } = await pool.query<{ quota: string }>('SELECT quota FROM users WHERE id = $1', [of.id]);
  return Number(rows[0]?.quota);
}

const send = (event: StripeEvent, signature?: string): Promise<number> => stripe.send(server.url, event, signature);

/** An order that is paid and credited. @returns with the number of its payment */
async function paidOrder(amount = 10, by = buyer): Promise<{ tradeNo: string; id: number; payment: string }> {
  const { tradeNo, id } = await order(amount, by);
  const session = stripe.pay(tradeNo);
  expect(await send(stripe.completed(session))).toBe(200);
  return { tradeNo, id, payment: session.payment_intent ?? '' };
}

async function history(id: number): Promise<string[]> {
  const { rows } = await pool.query<{ kind: string }>(
    'SELECT kind FROM top_up_events WHERE order_id = $1 ORDER BY id',
    [id],
  );
  return rows.map(({ kind }) => kind);
}

async function stored({ id }: StripeEvent): Promise<unknown> {
  const { rows } = await pool.query<Record<string, unknown>>(
    `SELECT body, processed_at IS NOT NULL AS processed, refusal FROM payment_events WHERE provider = 'stripe' AND event_id = $1`,
    [id],
  );
  return rows[0];
}

/** Makes orders and events old enough for the sweep, which runs every second. */
const age = (minutes = 11): Promise<unknown> =>
  pool.query(
    `UPDATE top_up_orders SET created_at = created_at - make_interval(mins => $1), asked_at = asked_at - make_interval(mins => $1)
      WHERE status = 'pending'`,
    [minutes],
  );
const ageEvents = (): Promise<unknown> =>
  pool.query(`UPDATE payment_events SET received_at = received_at - interval '1 minute' WHERE processed_at IS NULL`);

async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await condition()) return;
    await delay(100);
  }
  throw new Error(`not in ten seconds: ${what}`);
}
/** Long enough for two sweeps. */
const sweeps = (): Promise<void> => delay(2500);

describe('a checkout', () => {
  it('sends what Stripe takes, once for one order, and opens its page', async () => {
    const before = stripe.calls.length;
    const key = { 'idempotency-key': 'one top-up' };
    const body = { amount: 10, payment_method: 'stripe_checkout' };
    const answers = [
      await server.api.rest(buyer, 'POST', '/api/user/pay', body, key),
      await server.api.rest(buyer, 'POST', '/api/user/pay', body, key),
    ];
    const urls = answers.map((answer) => (answer.body as { url: string }).url);
    expect(urls[0]).toMatch(/^https:\/\/checkout\.stripe\.com\/c\/pay\/cs_test_/);
    expect(urls[1]).toBe(urls[0]);
    const [created, found] = stripe.calls.slice(before);
    const { rows } = await pool.query<Record<string, string>>('SELECT * FROM top_up_orders WHERE user_id = $1', [
      buyer.id,
    ]);
    expect(rows).toHaveLength(1);
    const tradeNo = rows[0]?.['trade_no'] ?? '';
    expect([created?.url.pathname, found?.method]).toEqual(['/v1/checkout/sessions', 'GET']);
    expect(created?.headers['idempotency-key']).toBe(tradeNo);
    expect(Object.fromEntries(new URLSearchParams(created?.body))).toEqual({
      mode: 'payment',
      client_reference_id: tradeNo,
      success_url: 'https://gate.example.com/log',
      cancel_url: 'https://gate.example.com/log',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '1000',
      'line_items[0][price_data][product_data][name]': 'Tollgate: balance',
      'payment_intent_data[metadata][trade_no]': tradeNo,
    });
    expect(rows[0]).toMatchObject({ provider: 'stripe', merchant_id: 'test', money: '1000', currency: 'USD' });
  });

  it('whose response was lost is repeated with the same key, and has one page', async () => {
    stripe.losesResponseOf = 'checkout/sessions';
    const key = { 'idempotency-key': 'lost' };
    const body = { amount: 10, payment_method: 'stripe_checkout' };
    const lost = await server.api.rest(buyer, 'POST', '/api/user/pay', body, key);
    expect(lost.body).toMatchObject({ success: false, code: 'UPSTREAM_UNREACHABLE' });
    const again = await server.api.rest(buyer, 'POST', '/api/user/pay', body, key);
    expect(again.body).toMatchObject({ success: true });
    const { rows } = await pool.query<{ trade_no: string }>('SELECT trade_no FROM top_up_orders WHERE user_id = $1', [
      buyer.id,
    ]);
    const pages = [...stripe.sessions.values()].filter((one) => one.client_reference_id === rows[0]?.trade_no);
    expect([rows.length, pages.length]).toEqual([1, 1]);
  });

  it('is not repeated at another account of the gateway', async () => {
    const key = { 'idempotency-key': 'moved' };
    const body = { amount: 10, payment_method: 'stripe_checkout' };
    expect((await server.api.rest(buyer, 'POST', '/api/user/pay', body, key)).body).toMatchObject({ success: true });
    await configure({ StripeSecretKey: stripe.key.replace('sk_test_', 'sk_live_') });
    const calls = stripe.calls.length;
    const moved = await server.api.rest(buyer, 'POST', '/api/user/pay', body, key);
    await configure(stripe.settings);
    expect(moved.body).toMatchObject({ success: false, code: 'CONFLICT' });
    expect(stripe.calls).toHaveLength(calls);
  });

  it('of a currency without decimals, and of one that Stripe counts in hundredths', async () => {
    for (const [currency, price, amount, money] of [
      ['JPY', '150.4', 451, '451'],
      ['ISK', '137', 41_100, '411'],
      ['EUR', '0.9', 270, '270'],
    ] as const) {
      await configure({ StripeCurrency: currency, StripePrice: price });
      const { tradeNo } = await order(3);
      expect(stripe.sessionOf(tradeNo)).toMatchObject({ amount_total: amount, currency: currency.toLowerCase() });
      const { rows } = await pool.query('SELECT money, currency FROM top_up_orders WHERE trade_no = $1', [tradeNo]);
      expect(rows).toEqual([{ money, currency }]);
      const before = await balance();
      expect(await send(stripe.completed(stripe.pay(tradeNo)))).toBe(200);
      expect((await balance()) - before).toBe(1_500_000);
    }
  });

  it('below the minimum of the method or of Stripe is refused with a clear error', async () => {
    const pay = async (amount: number): Promise<unknown> =>
      (await server.api.rest(buyer, 'POST', '/api/user/pay', { amount, payment_method: 'stripe_checkout' })).body;
    await configure({ StripeMinTopUp: '5' });
    expect(await pay(4)).toEqual({ success: false, message: 'error', data: 'Top-up amount must not be below 5' });
    await configure({ StripeMinTopUp: '1', StripePrice: '0.1' });
    expect(await pay(2)).toEqual({
      success: false,
      message: 'error',
      data: 'The payment gateway does not take this amount',
    });
  });

  it('fails without naming the key when Stripe refuses it', async () => {
    await configure({ StripeSecretKey: 'sk_test_another' });
    const { body } = await server.api.rest(buyer, 'POST', '/api/user/pay', {
      amount: 10,
      payment_method: 'stripe_checkout',
    });
    await configure(stripe.settings);
    expect(body).toMatchObject({ success: false, code: 'UPSTREAM_INVALID_RESPONSE' });
    expect(JSON.stringify(body)).not.toContain('sk_test');
  });
});

describe('an event', () => {
  it('credits its order once however often it comes, to two nodes at once, and is kept as it came', async () => {
    const { tradeNo, id } = await order();
    const event = stripe.completed(stripe.pay(tradeNo));
    const sent = Array.from({ length: 10 }, (_, n) => stripe.send((n % 2 ? other : server).url, event));
    expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
    expect(await balance()).toBe(5_000_000);
    expect(await stored(event)).toEqual({ body: event.body, processed: true, refusal: '' });
    const { rows } = await pool.query(`SELECT amount FROM ledger_entries WHERE source = $1`, [`stripe:${tradeNo}`]);
    expect(rows).toEqual([{ amount: '5000000' }]);
    expect((await history(id)).filter((kind) => kind === 'credited')).toEqual(['credited']);
  });

  it('may be as long as Stripe makes them, and no longer', async () => {
    const event = stripe.completed(stripe.pay((await order()).tradeNo));
    const longer = (bytes: number): StripeEvent => ({
      ...event,
      body: `${event.body.slice(0, -1)},"padding":"${'x'.repeat(bytes)}"}`,
    });
    expect(await send(longer(530_000))).toBe(413);
    expect(await balance()).toBe(0);
    expect(await send(longer(50_000))).toBe(200);
    expect(await balance()).toBe(5_000_000);
    // The end of a dispute repeats the evidence (docs.stripe.com/api/disputes/update, 2026-11-27).
    const { id, payment } = await paidOrder();
    const evidence = { uncategorized_text: '证'.repeat(150_000) };
    const closed = stripe.dispute(payment, 'lost', { id: `dp_long_${id}`, evidence });
    expect(await send(stripe.event('charge.dispute.closed', closed))).toBe(200);
    stripe.disputed.clear();
    expect(await balance()).toBe(5_000_000);
  });

  it('that comes before the buyer has the page credits the order', async () => {
    let release = (): void => undefined;
    stripe.delays = { path: 'checkout/sessions', until: new Promise((resolve) => (release = resolve)) };
    const [pages, started] = [stripe.sessions.size, order()];
    await until(() => Promise.resolve(stripe.sessions.size > pages), 'the page is made');
    const { client_reference_id: tradeNo } = [...stripe.sessions.values()].at(-1) ?? {};
    expect(await send(stripe.completed(stripe.pay(tradeNo ?? '')))).toBe(200);
    expect(await balance()).toBe(5_000_000);
    stripe.delays = null;
    release();
    expect(await send(stripe.completed(stripe.sessionOf((await started).tradeNo)))).toBe(200);
    expect(await balance()).toBe(5_000_000);
  });

  it.each<[string, (body: string) => string]>([
    ['no signature', () => ''],
    ['another secret', (body) => stripe.signature(body, { secrets: ['whsec_another'] })],
    ['an empty secret', (body) => stripe.signature(body, { secrets: [''] })],
    ['a time of six minutes ago', (body) => stripe.signature(body, { time: Math.floor(Date.now() / 1000) - 360 })],
    ['a time in six minutes', (body) => stripe.signature(body, { time: Math.floor(Date.now() / 1000) + 360 })],
    [
      'a newer time than was signed',
      (body) => {
        const old = Math.floor(Date.now() / 1000) - 900;
        return stripe.signature(body, { time: old }).replace(String(old), String(old + 900));
      },
    ],
    ['the signature of another body', () => stripe.signature('{}')],
    ['only a signature of the old scheme', (body) => stripe.signature(body).replace('v1=', 'v0=')],
  ])('with %s changes nothing and is not stored', async (_, sign) => {
    const { tradeNo } = await order();
    const event = stripe.completed(stripe.pay(tradeNo));
    expect(await send(event, sign(event.body))).toBe(400);
    expect([await balance(), await stored(event)]).toEqual([0, undefined]);
    expect(await send(event)).toBe(200);
    expect(await balance()).toBe(5_000_000);
  });

  it('is taken with the old and with the new secret while Stripe signs with both', async () => {
    const old = stripe.secrets[0] ?? '';
    for (const secret of [old, 'whsec_rolled']) {
      await configure({ StripeSigningSecret: secret });
      const event = stripe.completed(stripe.pay((await order(2)).tradeNo));
      expect(await send(event, stripe.signature(event.body, { secrets: ['whsec_rolled', old] }))).toBe(200);
    }
    const late = stripe.completed(stripe.pay((await order(2)).tradeNo));
    expect(await send(late, stripe.signature(late.body, { secrets: [old] }))).toBe(400);
    await configure({ StripeSigningSecret: old });
    expect(await balance()).toBe(2_000_000);
    expect(await send(late)).toBe(200);
  });

  it.each(['StripeSigningSecret', 'StripeSecretKey'])('is refused while %s is empty', async (setting) => {
    const { tradeNo } = await order();
    const event = stripe.completed(stripe.pay(tradeNo));
    await configure({ [setting]: '' });
    for (const secrets of [stripe.secrets, ['']]) {
      expect(await send(event, stripe.signature(event.body, { secrets }))).toBe(400);
    }
    await configure(stripe.settings);
    expect(await balance()).toBe(0);
  });

  it('of a delayed method credits when the money arrives, not before', async () => {
    const { tradeNo, id } = await order();
    expect(await send(stripe.completed(stripe.pay(tradeNo, 'unpaid')))).toBe(200);
    expect(await balance()).toBe(0);
    const session = stripe.pay(tradeNo, 'paid');
    const arrived = stripe.event('checkout.session.async_payment_succeeded', { ...session });
    for (let times = 0; times < 3; times++) expect(await send(arrived)).toBe(200);
    expect(await balance()).toBe(5_000_000);
    // The first event comes again, late.
    expect(await send(stripe.event('checkout.session.completed', { ...session, payment_status: 'unpaid' }))).toBe(200);
    expect(await balance()).toBe(5_000_000);
    expect((await history(id))[0]).toBe('credited');
  });

  it('of a delayed method that failed, or of a page that expired, credits nothing and is noted', async () => {
    for (const type of ['checkout.session.async_payment_failed', 'checkout.session.expired']) {
      const { tradeNo, id } = await order();
      expect(await send(stripe.event(type, { ...stripe.pay(tradeNo, 'unpaid') }))).toBe(200);
      expect(await history(id)).toEqual(['failed']);
    }
    expect(await balance()).toBe(0);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    ['another account', {}, { account: 'acct_1another' }, 'paid to another merchant'],
    ['the live mode', { livemode: true }, { livemode: true }, 'paid to another merchant'],
    ['less money', { amount_total: 999 }, {}, 'another amount was paid'],
    ['more money', { amount_total: 1001 }, {}, 'another amount was paid'],
    ['no amount', { amount_total: null }, {}, 'another amount was paid'],
    ['another currency', { currency: 'jpy', amount_total: 1000 }, {}, 'paid in another currency'],
    ['another page', { id: 'cs_test_another' }, {}, 'paid on another page'],
    ['an unknown order', { client_reference_id: 'USR1NOabcdef1700000000' }, {}, 'no such order'],
  ])('of %s is stored with the reason, and credits nothing', async (_, change, over, refusal) => {
    const { tradeNo } = await order();
    const session = stripe.pay(tradeNo);
    const event = stripe.event('checkout.session.completed', { ...session, ...change }, over);
    // It is stored, so that Stripe need not repeat it.
    expect(await send(event)).toBe(200);
    expect([await balance(), await stored(event)]).toEqual([0, { body: event.body, processed: true, refusal }]);
    expect(await send(stripe.completed(session))).toBe(200);
    expect(await balance()).toBe(5_000_000);
  });

  it('that concerns no order is not stored, and one that is not of an event is refused', async () => {
    for (const object of [
      { object: 'customer', id: 'cus_1' },
      { ...stripe.pay((await order()).tradeNo), mode: 'setup' },
      { ...stripe.pay((await order()).tradeNo), client_reference_id: null },
    ]) {
      const event = stripe.event('customer.created', object);
      expect(await send(event)).toBe(200);
      expect(await stored(event)).toBeUndefined();
    }
    for (const body of ['{}', '[]', '"text"', 'null', '{', '']) {
      expect(await stripe.send(server.url, { id: '', body })).toBe(400);
    }
    expect(await balance()).toBe(0);
  });

  it('pays one order, and a second payment of an order is left to the admin', async () => {
    const first = await paidOrder();
    const second = await order();
    const session = Object.assign(stripe.pay(second.tradeNo), { payment_intent: first.payment });
    const event = stripe.completed(session);
    expect(await send(event)).toBe(200);
    expect(await stored(event)).toMatchObject({ refusal: 'this payment paid another order' });
    const again = { ...stripe.sessionOf(first.tradeNo), payment_intent: 'pi_again' };
    expect(await send(stripe.event('checkout.session.completed', again))).toBe(200);
    expect(await history(first.id)).toEqual(['credited', 'paid_again']);
    expect(await balance()).toBe(5_000_000);
  });
});

describe('stored events', () => {
  it('are deleted 90 days after they were processed', async () => {
    const processed = new Date(Date.UTC(2026, 0, 1));
    const { tradeNo } = await order();
    const old = stripe.completed(stripe.pay(tradeNo));
    const open = stripe.event('refund.created', { ...stripe.refund('pi_open', 1), currency: 'usd' });
    for (const event of [old, open]) expect(await send(event)).toBe(200);
    await pool.query('UPDATE payment_events SET processed_at = $2 WHERE event_id = $1', [old.id, processed]);
    const drop = (days: number): Promise<number> =>
      new PaymentEventRetention({
        database: {
          query: async (sql: string, values?: unknown[]) => {
            const { command, rows, rowCount } = await pool.query(sql, values);
            return (command === 'SELECT' ? rows : [rows, rowCount]) as never;
          },
        },
        state: new MemoryState(),
        nodeId: 'node',
        clock: { now: () => processed.getTime() + days * 86_400_000 },
        logger: createLogger('silent'),
      }).drop();
    expect(await drop(90)).toBe(0);
    expect(await stored(old)).toBeDefined();
    expect(await drop(91)).toBe(1);
    expect([await stored(old), await stored(open)]).toEqual([undefined, expect.objectContaining({ processed: false })]);
  });
});

describe('the sweep', () => {
  it('credits an order whose event was lost, and asks for no order twice within five minutes', async () => {
    const { tradeNo, id } = await order();
    stripe.pay(tradeNo);
    const open = await order();
    await age();
    await until(async () => (await balance()) > 0, 'the lost payment is credited');
    expect(await balance()).toBe(5_000_000);
    await sweeps();
    const asked = (number: string): number =>
      stripe.calls.filter(({ url }) => url.pathname.endsWith(stripe.sessionOf(number).id)).length;
    expect([asked(tradeNo), asked(open.tradeNo)]).toEqual([1, 1]);
    // The event comes after all.
    expect(await send(stripe.completed(stripe.sessionOf(tradeNo)))).toBe(200);
    expect(await history(id)).toEqual(['credited', 'repeated']);
  });

  it('finds a delayed payment days later, and leaves orders of another account alone', async () => {
    const { tradeNo } = await order();
    stripe.pay(tradeNo, 'unpaid');
    const foreign = await order();
    stripe.pay(foreign.tradeNo);
    await pool.query(`UPDATE top_up_orders SET merchant_id = 'live' WHERE trade_no = $1`, [foreign.tradeNo]);
    await age();
    await sweeps();
    expect(await balance()).toBe(0);
    stripe.pay(tradeNo);
    await age(3 * 24 * 60);
    await until(async () => (await balance()) > 0, 'the delayed payment is credited');
    expect(await balance()).toBe(5_000_000);
  });

  it('finds the payment of an order whose page got no number, and of no other', async () => {
    const { tradeNo, id } = await order();
    const unpaid = await order();
    stripe.pay(tradeNo);
    await pool.query('UPDATE top_up_orders SET provider_order_id = NULL WHERE id = ANY ($1)', [[id, unpaid.id]]);
    await age();
    await until(async () => (await balance()) > 0, 'the payment is found');
    await sweeps();
    expect(await balance()).toBe(5_000_000);
    expect([await history(id), await history(unpaid.id)]).toEqual([['credited'], []]);
  });

  it('processes an event whose processing failed', async () => {
    const { tradeNo } = await order();
    const event = stripe.completed(stripe.pay(tradeNo));
    await pool.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the disk is full'; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON ledger_entries FOR EACH ROW WHEN (NEW.kind = 'top_up') EXECUTE FUNCTION refuse()`,
    );
    // Stripe repeats it, too.
    expect(await send(event)).toBe(500);
    expect([await balance(), await stored(event)]).toMatchObject([0, { processed: false }]);
    await pool.query('DROP FUNCTION refuse CASCADE');
    await ageEvents();
    await until(async () => (await balance()) > 0, 'the event is processed');
    expect([await balance(), await stored(event)]).toMatchObject([5_000_000, { processed: true }]);
  });

  it('processes events behind those of another site, and behind one that cannot be read', async () => {
    await pool.query(
      `INSERT INTO payment_events (provider, event_id, received_at, body)
       SELECT 'stripe', 'evt_foreign_' || one, now() - interval '1 minute', $1 FROM generate_series(1, 120) one`,
      [stripe.event('refund.created', { ...stripe.refund('pi_foreign', 100), currency: 'usd' }).body],
    );
    const unreadable = stripe.event('refund.created', { ...stripe.refund('pi_unreadable', 100), currency: 'no code' });
    const { tradeNo } = await order();
    const event = stripe.completed(stripe.pay(tradeNo));
    for (const { id, body } of [unreadable, event]) {
      await pool.query(
        `INSERT INTO payment_events (provider, event_id, received_at, body) VALUES ('stripe', $1, now() - interval '1 minute', $2)`,
        [id, body],
      );
    }
    await until(async () => (await balance()) > 0, 'the event is processed');
    expect([await balance(), await stored(event)]).toMatchObject([5_000_000, { processed: true }]);
    // Foreign events are tried again, for three days, and refused then.
    const { rows } = await pool.query<{ tried: string }>(
      `SELECT count(*) AS tried FROM payment_events
        WHERE event_id LIKE 'evt_foreign_%' AND processed_at IS NULL AND next_try_at > now()`,
    );
    expect(rows).toEqual([{ tried: '120' }]);
    await pool.query(
      `UPDATE payment_events SET received_at = now() - interval '4 days', next_try_at = now() WHERE event_id LIKE 'evt_foreign_%'`,
    );
    await until(async () => {
      const open = await pool.query(
        `SELECT 1 FROM payment_events WHERE event_id LIKE 'evt_foreign_%' AND processed_at IS NULL`,
      );
      return open.rows.length === 0;
    }, 'foreign events are refused');
  });
});

/** Quota for 1 USD. */
const dollar = 500_000;

const refundOf = async (id: number, input: object = {}, by = root) => {
  const given = { id, note: 'the buyer asked for it', ...input };
  const { data, errors } = await server.api.graphql(
    by,
    `mutation ($input: RefundTopUpInput!) {
       refundTopUp(input: $input) { confirmed replayed order { refunded { amount currency } } }
     }`,
    { input: given },
  );
  return errors[0]?.extensions?.['code'] ?? data?.['refundTopUp'];
};
const refunded = (amount: string, more: object = {}) => ({
  confirmed: true,
  replayed: false,
  order: { refunded: { amount, currency: 'USD' } },
  ...more,
});

/** Spends quota of a user. */
const spend = (quota: number, of = buyer): Promise<unknown> =>
  server.api.data(root, 'PUT', '/api/user/', { id: of.id, quota_delta: -quota });

async function invitedBuyer(): Promise<{ inviter: Person; payer: Person }> {
  const [inviter, payer] = [await person(), await person()];
  await pool.query('UPDATE users SET inviter_id = $1 WHERE id = $2', [inviter.id, payer.id]);
  await configure({ RebatePercentage: '7.5', RebateEnabled: 'true' });
  return { inviter, payer };
}
afterEach(() => configure({ RebateEnabled: 'false' }));

describe('a refund', () => {
  it('takes the quota back, pays the money, and is in the history and the audit log', async () => {
    const { id, payment, tradeNo } = await paidOrder();
    expect(await refundOf(id)).toEqual(refunded('10.00'));
    expect(await balance()).toBe(0);
    const call = stripe.calls.at(-1);
    const { rows } = await pool.query<{ id: number; provider_id: string }>(
      'SELECT id, provider_id, state FROM top_up_reversals WHERE order_id = $1',
      [id],
    );
    const key = `reversal-${rows[0]?.id}`;
    expect(rows).toEqual([{ id: rows[0]?.id, provider_id: stripe.refunds.at(-1)?.id, state: 'done' }]);
    expect([call?.url.pathname, call?.headers['idempotency-key']]).toEqual(['/v1/refunds', `${tradeNo}-${key}`]);
    expect(Object.fromEntries(new URLSearchParams(call?.body))).toEqual({
      payment_intent: payment,
      amount: '1000',
      'metadata[tollgate_refund]': key,
    });
    expect(await history(id)).toEqual(['credited', 'refunded']);
    const entries = await pool.query(`SELECT kind, amount, actor_id, note FROM ledger_entries WHERE source = $1`, [
      `reversal:${rows[0]?.id}`,
    ]);
    expect(entries.rows).toEqual([
      { kind: 'top_up', amount: '-5000000', actor_id: root.id, note: 'the buyer asked for it' },
    ]);
    const audit = await pool.query(`SELECT changes FROM audit_entries WHERE action = 'refund' AND subject_id = $1`, [
      String(buyer.id),
    ]);
    expect(audit.rows).toEqual([
      {
        changes: Object.entries({
          currency: 'USD',
          money: '10.00',
          note: 'the buyer asked for it',
          order: tradeNo,
        }).map(([field, after]) => ({ field, before: null, after })),
      },
    ]);
    // Its events change nothing more.
    const made = stripe.refunds.at(-1) ?? {};
    for (const type of ['refund.created', 'refund.updated', 'charge.refund.updated', 'refund.created']) {
      expect(await send(stripe.event(type, made))).toBe(200);
    }
    expect(await balance()).toBe(0);
    expect(await refundOf(id)).toBe('CONFLICT');
  });

  it('of parts takes the same parts of the quota, and the last one the rest', async () => {
    const { id } = await paidOrder();
    // A third of the quota is no whole number.
    expect(await refundOf(id, { amount: '3.33' })).toEqual(refunded('3.33'));
    expect(await balance()).toBe(5_000_000 - 1_665_000);
    expect(await refundOf(id, { amount: '3.335' })).toBe('INVALID_INPUT');
    for (const amount of ['0', '-1', '6.68', 'all', '']) expect(await refundOf(id, { amount })).toBe('INVALID_INPUT');
    expect(await refundOf(id, { note: ' ' })).toBe('INVALID_INPUT');
    expect(await refundOf(id, { amount: '3.33' })).toEqual(refunded('6.66'));
    expect(await refundOf(id)).toEqual(refunded('10.00'));
    expect(await balance()).toBe(0);
  });

  it('of a seventh takes a seventh', async () => {
    const { id } = await paidOrder(7);
    await refundOf(id, { amount: '1' });
    expect(await balance()).toBe(3_000_000);
  });

  it('over REST, twice with one idempotency key, is made once', async () => {
    const { id } = await paidOrder();
    const refund = () =>
      server.api.rest(
        root,
        'POST',
        `/api/payment/${id}/refund`,
        { amount: '4', note: 'asked' },
        { 'idempotency-key': `refund ${id}` },
      );
    const before = stripe.refunds.length;
    for (let times = 0; times < 2; times++) {
      expect((await refund()).body).toMatchObject({
        success: true,
        data: { currency: 'USD', refunded: '4.00', confirmed: true },
      });
    }
    expect([stripe.refunds.length - before, await balance()]).toEqual([1, 3_000_000]);
  });

  it('ordered many times at once never pays more than was paid', async () => {
    const { id, payment } = await paidOrder();
    const answers = await Promise.all(Array.from({ length: 8 }, () => refundOf(id, { amount: '4' })));
    expect(answers.filter((one) => typeof one === 'object')).toHaveLength(2);
    const paid = stripe.refunds.filter((one) => one.payment_intent === payment).map(({ amount }) => amount);
    expect([paid, await balance()]).toEqual([[400, 400], dollar * 2]);
  });

  it('takes the rebate of the inviter back with it', async () => {
    const { inviter, payer } = await invitedBuyer();
    const { id } = await paidOrder(10, payer);
    expect([await balance(payer), await balance(inviter)]).toEqual([5_000_000, 375_000]);
    await refundOf(id, { amount: '2.50' });
    expect([await balance(payer), await balance(inviter)]).toEqual([3_750_000, 281_250]);
    await refundOf(id);
    expect([await balance(payer), await balance(inviter)]).toEqual([0, 0]);
  });

  it('never takes what was spent without the word of an admin', async () => {
    const { inviter, payer } = await invitedBuyer();
    const { id } = await paidOrder(10, payer);
    await spend(1, payer);
    const before = stripe.refunds.length;
    expect(await refundOf(id)).toBe('INSUFFICIENT_QUOTA');
    await server.api.data(root, 'PUT', '/api/user/', { id: payer.id, quota_delta: 1 });
    await spend(1, inviter);
    expect(await refundOf(id)).toBe('INSUFFICIENT_QUOTA');
    expect([stripe.refunds.length, await balance(payer), await balance(inviter)]).toEqual([before, 5_000_000, 374_999]);
    expect(await refundOf(id, { belowZero: true })).toEqual(refunded('10.00'));
    expect([await balance(payer), await balance(inviter)]).toEqual([0, -1]);
  });

  it('that Stripe refuses returns the quota, and says why', async () => {
    const { inviter, payer } = await invitedBuyer();
    const { id, payment } = await paidOrder(10, payer);
    stripe.dispute(payment, 'needs_response');
    expect(await refundOf(id)).toBe('UPSTREAM_INVALID_RESPONSE');
    stripe.disputed.clear();
    expect([await balance(payer), await balance(inviter)]).toEqual([5_000_000, 375_000]);
    expect(await history(id)).toEqual(['credited', 'refunded', 'refund_failed']);
    const { rows } = await pool.query('SELECT refunded FROM top_up_orders WHERE id = $1', [id]);
    expect(rows).toEqual([{ refunded: '0' }]);
    // The repeated call fails as the first one did.
    stripe.dispute(payment, 'needs_response');
    const idempotencyKey = `refused ${id}`;
    for (let times = 0; times < 2; times++) {
      expect(await refundOf(id, { idempotencyKey })).toBe('UPSTREAM_INVALID_RESPONSE');
    }
    stripe.disputed.clear();
    // It can be made later.
    expect(await refundOf(id)).toEqual(refunded('10.00'));
    expect([await balance(payer), await balance(inviter)]).toEqual([0, 0]);
  });

  it('whose response is lost is finished by the sweep, without a second refund', async () => {
    const { id, payment } = await paidOrder();
    stripe.losesResponseOf = 'refunds';
    expect(await refundOf(id)).toEqual(refunded('10.00', { confirmed: false }));
    expect(await balance()).toBe(0);
    await pool.query(`UPDATE top_up_reversals SET created_at = created_at - interval '2 days' WHERE state = 'pending'`);
    await until(async () => {
      const { rows } = await pool.query<{ state: string }>('SELECT state FROM top_up_reversals WHERE order_id = $1', [
        id,
      ]);
      return rows[0]?.state === 'done';
    }, 'the refund is confirmed');
    expect(stripe.refunds.filter((one) => one.payment_intent === payment)).toHaveLength(1);
    expect(await balance()).toBe(0);
  });

  it('that fails at the bank later returns the quota, whichever event comes first', async () => {
    const { id } = await paidOrder();
    await refundOf(id);
    const made = stripe.refunds.at(-1) as (typeof stripe.refunds)[number];
    const failed = stripe.event('refund.failed', { ...made, status: 'failed' });
    for (let times = 0; times < 3; times++) expect(await send(failed)).toBe(200);
    expect(await send(stripe.event('refund.updated', { ...made, status: 'pending' }))).toBe(200);
    expect(await balance()).toBe(5_000_000);
    expect(await history(id)).toEqual(['credited', 'refunded', 'refund_failed']);
  });

  it('is for admins of payments and balances, and for orders that were paid at the gateway', async () => {
    const { id } = await paidOrder();
    expect(await refundOf(id, {}, buyer)).toBe('INSUFFICIENT_PRIVILEGES');
    const open = await order();
    expect(await refundOf(open.id)).toBe('CONFLICT');
    expect(await refundOf(2_000_000_000)).toBe('NOT_FOUND');
    await configure({ StripeSecretKey: '' });
    expect(await refundOf(id)).toBe('CONFLICT');
    await configure(stripe.settings);
    expect(await balance()).toBe(5_000_000);
  });
});

describe('a refund that is made in the dashboard', () => {
  it('takes the quota and the rebate, once, in parts', async () => {
    const { inviter, payer } = await invitedBuyer();
    const { id, payment } = await paidOrder(10, payer);
    const first = stripe.refund(payment, 250);
    for (let times = 0; times < 3; times++) expect(await send(stripe.event('refund.created', first))).toBe(200);
    expect([await balance(payer), await balance(inviter)]).toEqual([3_750_000, 281_250]);
    await Promise.all(
      [server, other].map(({ url }) => stripe.send(url, stripe.event('refund.created', stripe.refund(payment, 750)))),
    );
    expect([await balance(payer), await balance(inviter)]).toEqual([0, 0]);
    const { rows } = await pool.query('SELECT refunded FROM top_up_orders WHERE id = $1', [id]);
    expect(rows).toEqual([{ refunded: '1000' }]);
  });

  it('takes quota that calls in flight hold', async () => {
    const { payment } = await paidOrder();
    const held = 4_000_000;
    await pool.query(
      `WITH held AS (UPDATE users SET quota = quota - $2 WHERE id = $1)
       INSERT INTO reservations (request_id, node_id, user_id, amount) VALUES ($3, (SELECT id FROM nodes LIMIT 1), $1, $2)`,
      [buyer.id, held, `held ${buyer.id}`],
    );
    expect(await send(stripe.event('refund.created', stripe.refund(payment, 1000)))).toBe(200);
    expect(await balance()).toBe(-held);
    await pool.query(
      `WITH released AS (DELETE FROM reservations WHERE request_id = $3)
       UPDATE users SET quota = quota + $2 WHERE id = $1`,
      [buyer.id, held, `held ${buyer.id}`],
    );
    expect(await balance()).toBe(0);
  });

  it('takes no more than the balance has', async () => {
    const { payment, id } = await paidOrder();
    await spend(4_900_000);
    expect(await send(stripe.event('refund.created', stripe.refund(payment, 1000)))).toBe(200);
    expect(await balance()).toBe(0);
    const { rows } = await pool.query('SELECT quota, taken FROM top_up_reversals WHERE order_id = $1', [id]);
    expect(rows).toEqual([{ quota: '5000000', taken: '100000' }]);
  });

  it('is kept until its payment is reported', async () => {
    const { tradeNo } = await order();
    const session = stripe.pay(tradeNo);
    const event = stripe.event('refund.created', stripe.refund(session.payment_intent ?? '', 400));
    expect(await send(event)).toBe(200);
    expect(await stored(event)).toMatchObject({ processed: false });
    expect(await send(stripe.completed(session))).toBe(200);
    await ageEvents();
    await until(async () => (await balance()) === 3_000_000, 'the refund is processed');
    expect(await stored(event)).toMatchObject({ processed: true });
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['another currency', { currency: 'eur' }, {}],
    ['another account', {}, { account: 'acct_1another' }],
  ])('in %s changes nothing, and is in the history', async (_, change, over) => {
    const { id, payment } = await paidOrder();
    const event = stripe.event('refund.created', { ...stripe.refund(payment, 1000), ...change }, over);
    expect(await send(event)).toBe(200);
    expect([await balance(), await history(id)]).toEqual([5_000_000, ['credited', 'refused']]);
  });
});

describe('revenue', () => {
  interface Income {
    readonly time: string;
    readonly money: { readonly amount: string };
    readonly paid: { readonly amount: string };
    readonly refunded: { readonly amount: string };
    readonly orders: number;
    readonly quota: number;
  }
  const income = async (): Promise<Income[]> => {
    const fields = 'money { amount } paid { amount } refunded { amount }';
    const { data } = await server.api.graphql(
      root,
      `{ revenue(bucket: DAY, timeZone: "UTC") { time ${fields} orders quota }
         topUps(filter: { statuses: [PAID] }) { sums { keptByCurrency { amount } } } }`,
    );
    const { revenue, topUps } = data as {
      revenue: Income[];
      topUps: { sums: { keptByCurrency: Array<{ amount: string }> } };
    };
    const total = revenue.reduce((sum, { money }) => sum + Number(money.amount), 0);
    expect(topUps.sums.keptByCurrency.map(({ amount }) => Number(amount))).toEqual([total]);
    return revenue;
  };

  it('is what was paid less what went back, each when it moved', async () => {
    await pool.query('DELETE FROM top_up_orders');
    const { id } = await paidOrder(10);
    const second = await paidOrder(20);
    await pool.query(`UPDATE top_up_orders SET paid_at = paid_at - interval '40 days'`);
    await paidOrder(5);
    expect(await refundOf(id, { amount: '4.00' })).toMatchObject({ confirmed: true });
    // A refund and a dispute of one payment: together no more than was paid.
    expect(await refundOf(second.id, { amount: '15.00' })).toMatchObject({ confirmed: true });
    const dispute = stripe.dispute(second.payment, 'needs_response', { id: 'du_income' });
    await send(stripe.event('charge.dispute.created', dispute));
    const row = (money: string, paid: string, refunded: string, orders: number, quota: number): object => ({
      time: expect.any(String) as string,
      money: { amount: money },
      paid: { amount: paid },
      refunded: { amount: refunded },
      orders,
      quota,
    });
    expect(await income()).toEqual([
      row('30.00', '30.00', '0.00', 2, 15_000_000),
      row('-19.00', '5.00', '24.00', 1, 2_500_000 - 12_000_000),
    ]);
    const { rows } = await pool.query<{ kept: string; balances: string }>(
      `SELECT sum(money - refunded) AS kept,
              (SELECT sum(amount) FROM ledger_entries WHERE user_id = $1 AND kind = 'top_up') AS balances
         FROM top_up_orders WHERE status = 'success'`,
      [buyer.id],
    );
    expect(rows[0]).toEqual({ kept: '1100', balances: String(17_500_000 - 12_000_000) });
    // A dispute that is won is income again.
    await send(stripe.event('charge.dispute.closed', { ...dispute, status: 'won' }));
    expect((await income())[1]).toEqual(row('-14.00', '5.00', '19.00', 1, 2_500_000 - 9_500_000));
  });

  it('shows the outcome of each refund and dispute of an order', async () => {
    const { id, payment } = await paidOrder();
    await refundOf(id, { amount: '1.00' });
    stripe.losesResponseOf = 'refunds';
    await refundOf(id, { amount: '2.00' });
    stripe.disputed.add(payment);
    expect(await refundOf(id, { amount: '3.00' })).toBe('UPSTREAM_INVALID_RESPONSE');
    await send(stripe.event('charge.dispute.created', stripe.dispute(payment, 'needs_response', { id: 'du_outcome' })));
    const { data } = await server.api.graphql(
      root,
      `{ topUpReversals(orderId: ${id}) { kind state money { amount currency } actorName note } }`,
    );
    const one = (kind: string, state: string, amount: string, by: string | null): object => ({
      kind,
      state,
      money: { amount, currency: 'USD' },
      actorName: by,
      note: by ? 'the buyer asked for it' : '',
    });
    expect(data?.['topUpReversals']).toEqual([
      one('REFUND', 'DONE', '1.00', 'root'),
      one('REFUND', 'PENDING', '2.00', 'root'),
      one('REFUND', 'UNDONE', '3.00', 'root'),
      one('DISPUTE', 'PENDING', '10.00', null),
    ]);
  });
});

describe('a dispute', () => {
  it.each(['won', 'lost'])('takes the quota when it opens; after it is %s the order is right', async (end) => {
    const { inviter, payer } = await invitedBuyer();
    const { id, payment } = await paidOrder(10, payer);
    const at = (status: string, type: string) =>
      stripe.event(`charge.dispute.${type}`, stripe.dispute(payment, status, { id: `dp_${id}` }));
    for (const event of [
      at('needs_response', 'created'),
      at('needs_response', 'created'),
      at('under_review', 'updated'),
    ]) {
      expect(await send(event)).toBe(200);
    }
    expect([await balance(payer), await balance(inviter)]).toEqual([0, 0]);
    for (let times = 0; times < 3; times++) expect(await send(at(end, 'closed'))).toBe(200);
    // An old event comes late.
    expect(await send(at('needs_response', 'created'))).toBe(200);
    stripe.disputed.clear();
    expect([await balance(payer), await balance(inviter)]).toEqual(end === 'won' ? [5_000_000, 375_000] : [0, 0]);
    expect(await history(id)).toEqual(['credited', 'disputed', `dispute_${end}`]);
  });

  it('whose end comes first is right, too', async () => {
    for (const [end, left] of [
      ['won', 5_000_000],
      ['lost', 0],
    ] as const) {
      const by = await person();
      const { id, payment } = await paidOrder(10, by);
      const dispute = (status: string) => stripe.dispute(payment, status, { id: `dp_first_${id}` });
      expect(await send(stripe.event('charge.dispute.closed', dispute(end)))).toBe(200);
      expect(await send(stripe.event('charge.dispute.created', dispute('needs_response')))).toBe(200);
      expect(await balance(by)).toBe(left);
    }
    stripe.disputed.clear();
  });

  it('that is only an inquiry takes nothing, and one after a refund takes the rest', async () => {
    const { id, payment } = await paidOrder();
    const dispute = (status: string) =>
      stripe.event('charge.dispute.created', stripe.dispute(payment, status, { id: `dp_rest_${id}` }));
    expect(await send(dispute('warning_needs_response'))).toBe(200);
    expect(await balance()).toBe(5_000_000);
    stripe.disputed.clear();
    await refundOf(id, { amount: '4' });
    expect(await send(dispute('needs_response'))).toBe(200);
    expect(await balance()).toBe(0);
    expect(await send(dispute('won'))).toBe(200);
    stripe.disputed.clear();
    expect(await balance()).toBe(3_000_000);
  });
});

describe('the payment of a plan', () => {
  /** A plan of 10 USD that was paid online. */
  async function paidPlan(): Promise<{ id: number; payment: string }> {
    const windows = [{ window: 'fixed', kind: 'money', amount: 9 }];
    const terms = { name: 'Coder', price: 5_000_000, period_unit: 'month', period_count: 1, windows };
    const plan = await server.api.data<{ id: number }>(root, 'POST', '/api/plan/', terms);
    await server.api.data(buyer, 'POST', '/api/plan/pay', { plan_id: plan.id, payment_method: 'stripe_checkout' });
    const { rows } = await pool.query<{ id: number; tradeNo: string }>(
      'SELECT id, trade_no AS "tradeNo" FROM top_up_orders WHERE user_id = $1 ORDER BY id DESC LIMIT 1',
      [buyer.id],
    );
    const session = stripe.pay(rows[0]!.tradeNo);
    expect(await send(stripe.completed(session))).toBe(200);
    expect(await subscriptions()).toEqual(['active 0']);
    return { id: rows[0]!.id, payment: session.payment_intent! };
  }
  const subscriptions = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ text: string }>(
      `SELECT state || ' ' || refunded AS text FROM subscriptions WHERE account_id = $1 ORDER BY id`,
      [buyer.id],
    );
    return rows.map(({ text }) => text);
  };
  const disputeOf = (payment: string, status: string) =>
    send(stripe.event('charge.dispute.created', stripe.dispute(payment, status, { id: `dp_plan_${payment}` })));

  it('ends the plan when it is disputed, and opens it again when the dispute is won', async () => {
    const { payment } = await paidPlan();
    expect(await disputeOf(payment, 'needs_response')).toBe(200);
    expect([await subscriptions(), await balance()]).toEqual([['refunded 5000000'], 0]);
    for (let times = 0; times < 2; times++) expect(await disputeOf(payment, 'won')).toBe(200);
    expect([await subscriptions(), await balance()]).toEqual([['active 0'], 0]);
    stripe.disputed.clear();
  });

  it('ends the plan that it was upgraded to, and stays lost', async () => {
    const { payment } = await paidPlan();
    await server.api.data(root, 'PUT', '/api/user/', { id: buyer.id, quota: 6_000_000 });
    const [old] = await server.api.data<Array<{ id: number }>>(buyer, 'GET', '/api/plan/self');
    const windows = [{ window: 'fixed', kind: 'money', amount: 9 }];
    const terms = { name: 'Large', price: 10_000_000, period_unit: 'month', period_count: 1, windows };
    const plan = await server.api.data<{ id: number }>(root, 'POST', '/api/plan/', terms);
    await server.api.data(buyer, 'POST', '/api/plan/upgrade', { subscription_id: old!.id, plan_id: plan.id });
    const left = await balance();
    expect(await disputeOf(payment, 'needs_response')).toBe(200);
    expect(await disputeOf(payment, 'lost')).toBe(200);
    expect([await subscriptions(), await balance()]).toEqual([['upgraded 0', `refunded ${5_000_000 - left}`], 0]);
    stripe.disputed.clear();
  });

  it('ends the plan when an admin refunds it, and takes the balance alone when that is enough', async () => {
    const { id } = await paidPlan();
    expect(await refundOf(id)).toEqual(refunded('10.00'));
    expect([await subscriptions(), await balance()]).toEqual([['refunded 5000000'], 0]);
    buyer = await person();
    const second = await paidPlan();
    await server.api.data(root, 'PUT', '/api/user/', { id: buyer.id, quota: 5_000_001 });
    expect(await refundOf(second.id)).toEqual(refunded('10.00'));
    expect([await subscriptions(), await balance()]).toEqual([['active 0'], 1]);
  });
});

describe('a reversal that is undone', () => {
  const stateOf = async (id: number): Promise<string[]> => {
    const { rows } = await pool.query<{ state: string }>(
      'SELECT state FROM top_up_reversals WHERE order_id = $1 ORDER BY id',
      [id],
    );
    return rows.map(({ state }) => state);
  };
  /** A refund whose request did not reach Stripe. */
  const lostRefund = async (id: number, input: object = {}): Promise<void> => {
    stripe.losesRequestTo = 'refunds';
    expect(await refundOf(id, input)).toMatchObject({ confirmed: false });
  };
  const swept = async (id: number): Promise<void> => {
    await pool.query(`UPDATE top_up_reversals SET created_at = created_at - interval '1 hour' WHERE state = 'pending'`);
    await until(async () => (await stateOf(id))[0] === 'undone', 'the refund is refused');
  };
  const refundedMoney = async (id: number): Promise<unknown> =>
    (await pool.query('SELECT refunded::integer FROM top_up_orders WHERE id = $1', [id])).rows[0];

  it('because the money was refunded in the dashboard returns nothing', async () => {
    const { inviter, payer } = await invitedBuyer();
    const { id, payment } = await paidOrder(10, payer);
    await lostRefund(id);
    expect(await send(stripe.event('refund.created', stripe.refund(payment, 1000)))).toBe(200);
    await swept(id);
    expect([await balance(payer), await balance(inviter)]).toEqual([0, 0]);
    expect([await stateOf(id), await refundedMoney(id)]).toEqual([['undone', 'done'], { refunded: 1000 }]);
  });

  it('because of a dispute returns nothing until the dispute is won', async () => {
    for (const [end, left, rebate] of [
      ['lost', 0, 0],
      ['won', 5_000_000, 375_000],
    ] as const) {
      const { inviter, payer } = await invitedBuyer();
      const { id, payment } = await paidOrder(10, payer);
      await lostRefund(id);
      const dispute = (status: string) => stripe.dispute(payment, status, { id: `dp_undone_${id}` });
      expect(await send(stripe.event('charge.dispute.created', dispute('needs_response')))).toBe(200);
      await swept(id);
      expect([await balance(payer), await balance(inviter)]).toEqual([0, 0]);
      expect(await send(stripe.event('charge.dispute.closed', dispute(end)))).toBe(200);
      expect([await balance(payer), await balance(inviter)]).toEqual([left, rebate]);
    }
    stripe.disputed.clear();
  });

  it('returns the difference to what was refunded meanwhile, also when that fails later', async () => {
    const { inviter, payer } = await invitedBuyer();
    const { id, payment } = await paidOrder(10, payer);
    const dispute = (status: string) =>
      stripe.event('charge.dispute.closed', stripe.dispute(payment, status, { id: `dp_part_${id}` }));
    expect(await send(dispute('needs_response'))).toBe(200);
    const parts = [300, 100].map((amount) => stripe.refund(payment, amount));
    for (const part of parts) expect(await send(stripe.event('refund.created', part))).toBe(200);
    expect(await send(dispute('won'))).toBe(200);
    stripe.disputed.clear();
    expect([await balance(payer), await balance(inviter)]).toEqual([3_000_000, 225_000]);
    for (const [part, left] of [
      [parts[1], 3_500_000],
      [parts[0], 5_000_000],
    ] as const) {
      for (let times = 0; times < 2; times++) {
        expect(await send(stripe.event('refund.failed', { ...part, status: 'failed' }))).toBe(200);
      }
      expect([await balance(payer), await balance(inviter)]).toEqual([left, left * 0.075]);
    }
  });

  it('pays what another lacked because the quota was spent', async () => {
    const { id, payment } = await paidOrder();
    await spend(2_500_000);
    const [first, second] = [500, 500].map((amount) => stripe.refund(payment, amount));
    for (const part of [first, second]) expect(await send(stripe.event('refund.created', part ?? {}))).toBe(200);
    expect(await balance()).toBe(0);
    expect(await send(stripe.event('refund.failed', { ...first, status: 'failed' }))).toBe(200);
    // Half of the money is back, and the other half was spent.
    expect([await balance(), await refundedMoney(id)]).toEqual([0, { refunded: 500 }]);
  });
});

describe('secrets', () => {
  it('are not shown again, and not logged', async () => {
    await paidOrder();
    const shown = JSON.stringify((await server.api.rest(root, 'GET', '/api/option/')).body);
    const logged = [...server.logLines(), ...other.logLines()].join('\n');
    for (const secret of [stripe.key, ...stripe.secrets]) {
      expect(shown).not.toContain(secret);
      expect(logged).not.toContain(secret);
    }
  });
});

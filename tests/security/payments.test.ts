import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';

let server: TestServer;
let pool: pg.Pool;
let root: Person;

const key = 'the key of the gateway';

type Parameters = Record<string, string>;

beforeAll(async () => {
  server = await startServer({ environment: { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_SWEEP_INTERVAL: '1' } });
  pool = new pg.Pool({ connectionString: server.database.url, max: 2 });
  root = await server.api.setUp();
  await configure();
});
afterAll(async () => {
  await pool.end();
  await server.stop();
});

async function configure(change: Parameters = {}): Promise<void> {
  const options = { PayAddress: 'https://pay.example.com', EpayId: '1000', EpayKey: key, Price: '7.3', ...change };
  for (const [name, value] of Object.entries(options)) {
    await server.api.data(root, 'PUT', '/api/option/', { key: name, value });
  }
}

/** Implemented from docs/reference/rest/tokens-and-wallet.md#online-top-up, not from the code. */
function signed(parameters: Parameters, secret = key): Parameters {
  const text = Object.keys(parameters)
    .filter((name) => name !== 'sign' && name !== 'sign_type' && parameters[name] !== '')
    .sort()
    .map((name) => `${name}=${parameters[name]}`)
    .join('&');
  return {
    ...parameters,
    sign: createHash('md5')
      .update(text + secret)
      .digest('hex'),
    sign_type: 'MD5',
  };
}

async function person(username: string): Promise<Person> {
  const password = `password of ${username}`;
  await server.api.data(root, 'POST', '/api/user/', { username, password });
  return server.api.signIn(username, password);
}

async function order(amount = 2, buyer = root): Promise<Parameters> {
  const { body } = await server.api.rest(buyer, 'POST', '/api/user/pay', { amount, payment_method: 'wx' });
  return (body as { data: Parameters }).data;
}

let payments = 0;
/** The gateway's callback for a paid order. */
const paymentOf = (form: Parameters): Parameters => ({
  pid: '1000',
  trade_no: `gw${(payments += 1)}`,
  out_trade_no: form['out_trade_no'] ?? '',
  type: 'wxpay',
  name: form['name'] ?? '',
  money: form['money'] ?? '',
  trade_status: 'TRADE_SUCCESS',
});

const notify = async (parameters: Parameters): Promise<unknown> =>
  (await server.api.rest(null, 'GET', `/api/user/epay/notify?${new URLSearchParams(parameters)}`)).body;

async function balance(): Promise<number> {
  const { rows } = await pool.query<{ quota: string }>('SELECT quota FROM users WHERE id = $1', [root.id]);
  return Number(rows[0]?.quota);
}

beforeEach(async () => {
  // Orders are deleted, so that no test is refused by the limit on orders.
  await pool.query('DELETE FROM top_up_orders');
});

describe('a payment callback', () => {
  it('credits a paid order once, in one transaction with its log row, and repeats change nothing', async () => {
    const form = await order();
    const payment = signed(paymentOf(form));
    const before = await balance();
    expect(await notify(payment)).toBe('success');
    expect((await balance()) - before).toBe(1_000_000);
    expect(await notify(payment)).toBe('success');
    expect((await balance()) - before).toBe(1_000_000);
    const { rows } = await pool.query('SELECT type, quota, content FROM logs WHERE type = 1');
    expect(rows).toEqual([{ type: 1, quota: '1000000', content: 'Online top-up $2.000000 quota, paid 14.60' }]);
    const orders = await pool.query('SELECT status, provider_trade_no, paid_at IS NOT NULL AS paid FROM top_up_orders');
    expect(orders.rows).toEqual([{ status: 'success', provider_trade_no: payment['trade_no'], paid: true }]);
  });

  it('may come as a form, too', async () => {
    const payment = signed(paymentOf(await order()));
    const before = await balance();
    const response = await fetch(`${server.url}/api/user/epay/notify`, {
      method: 'POST',
      body: new URLSearchParams(payment),
    });
    expect([response.status, await response.text()]).toEqual([200, 'success']);
    expect((await balance()) - before).toBe(1_000_000);
  });

  it('told a hundred times at once credits once', async () => {
    const payment = signed(paymentOf(await order()));
    const before = await balance();
    const answers = await Promise.all(Array.from({ length: 100 }, () => notify(payment)));
    expect(new Set(answers)).toEqual(new Set(['success']));
    expect((await balance()) - before).toBe(1_000_000);
  });

  it('of a payment that is not finished is heard and credits nothing', async () => {
    const before = await balance();
    for (const status of ['WAIT_BUYER_PAY', 'TRADE_CLOSED', 'trade_success', '']) {
      expect(await notify(signed({ ...paymentOf(await order()), trade_status: status }))).toBe('success');
    }
    expect(await balance()).toBe(before);
  });
});

describe('an order that an admin marks as paid', () => {
  // Another buyer, because the orders of one are limited.
  let payer: Person;
  beforeAll(async () => {
    payer = await person('latepayer');
  });
  const balanceOfPayer = async (): Promise<number> => {
    const { rows } = await pool.query<{ quota: string }>('SELECT quota FROM users WHERE id = $1', [payer.id]);
    return Number(rows[0]?.quota);
  };
  const mark = (id: number, note = 'seen at the gateway', as = root) =>
    server.api.graphql(
      as,
      `mutation ($id: Int!, $note: String!) { markTopUpPaid(input: { id: $id, note: $note }) { order { status paidAt } } }`,
      { id, note },
    );
  const orderId = async (form: Parameters): Promise<number> => {
    const { rows } = await pool.query<{ id: number }>('SELECT id FROM top_up_orders WHERE trade_no = $1', [
      form['out_trade_no'],
    ]);
    return rows[0]?.id ?? 0;
  };
  const events = async (id: number): Promise<unknown> =>
    (await server.api.graphql(root, `{ topUpEvents(orderId: ${id}) { kind detail payment actorName } }`)).data?.[
      'topUpEvents'
    ];

  it('is credited once, and a late callback is harmless and bound to it', async () => {
    const form = await order(2, payer);
    const id = await orderId(form);
    const before = await balanceOfPayer();
    expect((await mark(id, ' ')).errors[0]?.extensions?.['code']).toBe('INVALID_INPUT');
    expect((await mark(id)).data).toEqual({
      markTopUpPaid: { order: { status: 'PAID', paidAt: expect.any(String) as string } },
    });
    expect((await balanceOfPayer()) - before).toBe(1_000_000);
    expect((await mark(id)).errors[0]?.extensions?.['code']).toBe('CONFLICT');
    const late = paymentOf(form);
    expect(await notify(signed(late))).toBe('success');
    expect((await balanceOfPayer()) - before).toBe(1_000_000);
    const payment = late['trade_no'];
    expect(await events(id)).toEqual([
      { kind: 'MARKED_PAID', detail: 'seen at the gateway', payment: null, actorName: root.username },
      { kind: 'REPEATED', detail: '', payment, actorName: null },
    ]);
    // The payment is bound to this order, so that it pays no other one.
    const other = await order(2, payer);
    expect(await notify(signed({ ...paymentOf(other), trade_no: payment ?? '' }))).toBe('fail');
    expect((await balanceOfPayer()) - before).toBe(1_000_000);
    expect(await events(await orderId(other))).toEqual([
      { kind: 'REFUSED', detail: 'this payment paid another order', payment, actorName: null },
    ]);
  });

  it('is credited once, whichever of mark and callback comes first of many at once', async () => {
    for (let round = 0; round < 8; round++) {
      const form = await order(2, payer);
      const id = await orderId(form);
      const before = await balanceOfPayer();
      const payment = signed(paymentOf(form));
      const both = [0, 1, 2].flatMap(() => [() => mark(id), () => notify(payment)]);
      await Promise.all((round % 2 === 0 ? both : both.reverse()).map((one) => one()));
      expect((await balanceOfPayer()) - before).toBe(1_000_000);
      const { rows } = await pool.query(
        `SELECT count(*)::int AS n FROM top_up_events WHERE order_id = $1 AND kind IN ('credited', 'marked_paid')`,
        [id],
      );
      expect(rows).toEqual([{ n: 1 }]);
    }
    expect(await reconcile(pool)).toEqual([]);
  });

  it('has the mark in its history, however often the gateway sent what was refused', async () => {
    const form = await order(2, payer);
    const id = await orderId(form);
    const underpaid = signed({ ...paymentOf(form), money: '0.01' });
    for (let sent = 0; sent < 110; sent++) expect(await notify(underpaid)).toBe('fail');
    expect((await mark(id)).errors).toEqual([]);
    const history = (await events(id)) as ReadonlyArray<{ readonly kind: string }>;
    expect(history.filter(({ kind }) => kind === 'REFUSED')).toHaveLength(100);
    expect(history.at(-1)).toMatchObject({ kind: 'MARKED_PAID', detail: 'seen at the gateway' });
  });

  it('is exported with who marked it and why; an admin marks no order of their own', async () => {
    const form = await order(2, payer);
    await mark(await orderId(form), 'paid, by hand');
    const headers = { cookie: root.cookie, 'veloera-user': String(root.id) };
    const response = await fetch(`${server.url}/api/payment/export?status=success`, { headers });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [header, line, ...rest] = (await response.text()).trimEnd().split('\r\n');
    expect(rest).toEqual([]);
    expect(header).toBe(
      'id,trade_no,user_id,username,provider,method,status,amount,currency,quota,created_at,paid_at,payment,marked_by,note,top_up_code,refunded',
    );
    expect(line).toContain(`,${form['out_trade_no']},${payer.id},latepayer,epay,wxpay,success,14.60,CNY,1000000,`);
    expect(line?.endsWith(`,${root.username},"paid, by hand",,0.00`)).toBe(true);

    const admin = await person('cashier');
    await server.api.data(root, 'POST', '/api/user/manage', { id: admin.id, action: 'promote' });
    const again = await server.api.signIn('cashier', 'password of cashier');
    const own = await orderId(await order(2, again));
    expect((await mark(own, 'mine', again)).errors[0]?.extensions?.['code']).toBe('INSUFFICIENT_PRIVILEGES');
  });
});

describe('forged, replayed or cross-provider payment callbacks', () => {
  const cases: ReadonlyArray<[string, (payment: Parameters) => Parameters]> = [
    ['unsigned', (payment) => payment],
    ['with an empty signature', (payment) => ({ ...payment, sign: '' })],
    ['signed with another key', (payment) => signed(payment, 'another key')],
    ['signed with an empty key', (payment) => signed(payment, '')],
    ['changed after it was signed', (payment) => ({ ...signed(payment), money: '0.01' })],
    ['extended after it was signed', (payment) => ({ ...signed(payment), more: '1' })],
    ['of an unknown order', (payment) => signed({ ...payment, out_trade_no: 'USR1NOabcdef1700000000' })],
    ['without an order', (payment) => signed({ ...payment, out_trade_no: '' })],
    ['of another merchant', (payment) => signed({ ...payment, pid: '1001' })],
    ['without a merchant', (payment) => signed({ ...payment, pid: '' })],
    ['of less money', (payment) => signed({ ...payment, money: '14.59' })],
    ['of more money', (payment) => signed({ ...payment, money: '14.61' })],
    ['of money that is no number', (payment) => signed({ ...payment, money: 'NaN' })],
    ['of money in another notation', (payment) => signed({ ...payment, money: '1.46e1' })],
    ['of negative money', (payment) => signed({ ...payment, money: '-14.60' })],
    ['in another currency', (payment) => signed({ ...payment, currency: 'VND' })],
  ];
  it.each(cases)('a callback %s is refused and credits nothing', async (_name, forge) => {
    const payment = paymentOf(await order());
    const before = await balance();
    expect(await notify(forge(payment))).toBe('fail');
    expect(await balance()).toBe(before);
    // A refused payment did not consume the order.
    expect(await notify(signed(payment))).toBe('success');
    expect((await balance()) - before).toBe(1_000_000);
  });

  it('one payment pays one order', async () => {
    const [first, second] = [paymentOf(await order()), paymentOf(await order())];
    expect(await notify(signed(first))).toBe('success');
    const before = await balance();
    expect(await notify(signed({ ...second, trade_no: first['trade_no'] ?? '' }))).toBe('fail');
    expect(await balance()).toBe(before);
  });

  it('a second payment of a paid order credits nothing, and the operator finds it in the log', async () => {
    const buyer = await person('paystwice');
    const first = paymentOf(await order(2, buyer));
    for (let told = 0; told < 2; told++) expect(await notify(signed(first))).toBe('success');
    const second = { ...first, trade_no: 'paid-again' };
    expect(await notify(signed(second))).toBe('success');
    expect((await pool.query('SELECT quota FROM users WHERE id = $1', [buyer.id])).rows).toEqual([
      { quota: '1000000' },
    ]);
    const lines = server
      .logLines()
      .filter((line) => line.includes('order was paid again'))
      .map((line) => JSON.parse(line) as object);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        tradeNo: first['out_trade_no'],
        paidBy: first['trade_no'],
        payment: 'paid-again',
      }),
    ]);
  });

  it('a retry for an order that is paid does not send the buyer to pay again', async () => {
    const buyer = await person('retries');
    const retry = () =>
      server.api.rest(
        buyer,
        'POST',
        '/api/user/pay',
        { amount: 2, payment_method: 'wx' },
        { 'idempotency-key': 'once' },
      );
    const form = ((await retry()).body as { data: Parameters }).data;
    expect((await retry()).body).toMatchObject({ success: true, data: { out_trade_no: form['out_trade_no'] } });
    expect(await notify(signed(paymentOf(form)))).toBe('success');
    expect((await retry()).body).toMatchObject({ success: false, code: 'CONFLICT' });
    const again = await server.api.graphql(
      buyer,
      'mutation { startTopUp(input: { amount: 2, method: WXPAY, idempotencyKey: "once" }) { form { url } } }',
    );
    expect(again).toMatchObject({ errors: [{ extensions: { code: 'CONFLICT' } }] });
  });

  it('an order of another gateway, or made for another account at this one, is not paid here', async () => {
    const before = await balance();
    const foreign = paymentOf(await order());
    await pool.query(`UPDATE top_up_orders SET provider = 'other'`);
    expect(await notify(signed(foreign))).toBe('fail');
    const payment = paymentOf(await order());
    await configure({ EpayId: '2000' });
    expect(await notify(signed(payment))).toBe('fail');
    expect(await notify(signed({ ...payment, pid: '2000' }))).toBe('fail');
    await configure();
    expect(await balance()).toBe(before);
  });

  it.each(['EpayKey', 'EpayId', 'PayAddress'])('with an empty %s the route is closed', async (option) => {
    const payment = paymentOf(await order());
    const before = await balance();
    await configure({ [option]: '' });
    for (const secret of [key, '']) expect(await notify(signed(payment, secret))).toBe('fail');
    await configure();
    expect(await balance()).toBe(before);
  });
});

describe('check-then-act on the inviter’s share', () => {
  afterEach(() => configure({ RebateEnabled: 'false' }));

  it('is not credited to the admin who marks the order as paid', async () => {
    const payer = await person('invitedpayer');
    await pool.query('UPDATE users SET inviter_id = $1 WHERE id = $2', [root.id, payer.id]);
    await configure({ RebatePercentage: '7.5', RebateEnabled: 'true' });
    const form = await order(2, payer);
    const { rows } = await pool.query<{ id: number }>('SELECT id FROM top_up_orders WHERE trade_no = $1', [
      form['out_trade_no'],
    ]);
    const before = await balance();
    const document = `mutation { markTopUpPaid(input: { id: ${rows[0]?.id}, note: "seen" }) { order { status } } }`;
    expect((await server.api.graphql(root, document)).data).toEqual({ markTopUpPaid: { order: { status: 'PAID' } } });
    expect(await balance()).toBe(before);
  });

  it('is credited once with the order, however often and at once that is told, and the ledger adds up', async () => {
    const [inviter, payer] = [await person('inviter'), await person('payer')];
    await pool.query('UPDATE users SET inviter_id = $1 WHERE id = $2', [inviter.id, payer.id]);
    await configure({ RebatePercentage: '7.5', RebateEnabled: 'true' });
    const payment = signed(paymentOf(await order(2, payer)));
    const answers = await Promise.all(Array.from({ length: 20 }, () => notify(payment)));
    for (let again = 0; again < 3; again++) answers.push(await notify(payment));
    expect(new Set(answers)).toEqual(new Set(['success']));
    // The rebate is added to the balance, not to the inviter's earnings from invites.
    const { rows } = await pool.query('SELECT quota, aff_quota FROM users WHERE id = ANY ($1) ORDER BY id', [
      [inviter.id, payer.id],
    ]);
    expect(rows).toEqual([
      { quota: '75000', aff_quota: '0' },
      { quota: '1000000', aff_quota: '0' },
    ]);
    const entries = await pool.query(
      `SELECT user_id, kind, source, amount FROM ledger_entries WHERE kind IN ('top_up', 'rebate') AND user_id = ANY ($1) ORDER BY id`,
      [[inviter.id, payer.id]],
    );
    const source = `epay:${payment['out_trade_no']}`;
    expect(entries.rows).toEqual([
      { user_id: payer.id, kind: 'top_up', source, amount: '1000000' },
      { user_id: inviter.id, kind: 'rebate', source: `rebate:${source}`, amount: '75000' },
    ]);
    const logs = await pool.query(
      `SELECT type, user_id, quota FROM logs WHERE content ILIKE '%rebate%' AND user_id = ANY ($1) ORDER BY id`,
      [[inviter.id, payer.id]],
    );
    expect(logs.rows).toEqual([
      { type: 4, user_id: inviter.id, quota: '75000' },
      { type: 4, user_id: payer.id, quota: '0' },
    ]);
    expect(await reconcile(pool)).toEqual([]);
  });

  it('is not credited when the order cannot be, nor the order without it', async () => {
    const [inviter, payer] = [await person('inviter2'), await person('payer2')];
    await pool.query('UPDATE users SET inviter_id = $1 WHERE id = $2', [inviter.id, payer.id]);
    await configure({ RebatePercentage: '10', RebateEnabled: 'true' });
    const payment = paymentOf(await order(2, payer));
    await pool.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the disk is full'; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON ledger_entries FOR EACH ROW WHEN (NEW.kind = 'rebate') EXECUTE FUNCTION refuse()`,
    );
    const balances = async (): Promise<unknown> =>
      (await pool.query('SELECT quota FROM users WHERE id = ANY ($1) ORDER BY id', [[inviter.id, payer.id]])).rows;
    expect(await notify(signed(payment))).toBe('fail');
    expect(await notify(signed({ ...payment, money: '0.01' }))).toBe('fail');
    await pool.query('DROP FUNCTION refuse CASCADE');
    expect(await balances()).toEqual([{ quota: '0' }, { quota: '0' }]);
    expect(await notify(signed(payment))).toBe('success');
    expect(await balances()).toEqual([{ quota: '100000' }, { quota: '1000000' }]);
    expect(await reconcile(pool)).toEqual([]);
  });

  it('does not keep the order from the buyer when it would not fit into the balance of the inviter', async () => {
    const [inviter, payer] = [await person('fullinviter'), await person('payerof')];
    await pool.query('UPDATE users SET inviter_id = $1 WHERE id = $2', [inviter.id, payer.id]);
    const nearlyFull = 9_000_000_000_000_000 - 400;
    await server.api.data(root, 'PUT', '/api/user/', { id: inviter.id, quota_delta: nearlyFull });
    await configure({ RebatePercentage: '10', RebateEnabled: 'true' });
    for (const rebates of [1, 1]) {
      expect(await notify(signed(paymentOf(await order(2, payer))))).toBe('success');
      const { rows } = await pool.query(
        `SELECT sum(amount) AS sum, count(*) AS count FROM ledger_entries WHERE kind = 'rebate' AND user_id = $1`,
        [inviter.id],
      );
      expect(rows).toEqual([{ sum: '400', count: String(rebates) }]);
    }
    const { rows } = await pool.query('SELECT quota FROM users WHERE id = ANY ($1) ORDER BY id', [
      [inviter.id, payer.id],
    ]);
    expect(rows).toEqual([{ quota: '9000000000000000' }, { quota: '2000000' }]);
    expect(await reconcile(pool)).toEqual([]);
  });
});

describe('the key of the Epay gateway', () => {
  afterAll(() => configure());

  const set = async (by: Person, name: string, value: string): Promise<unknown> =>
    (await server.api.rest(by, 'PUT', '/api/option/', { key: name, value })).body;
  const isSet = async (): Promise<unknown> =>
    (await server.api.graphql(root, '{ options(filter: { keys: ["EpayKey"] }) { items { isSet } } }')).data;
  /** A key that was saved just now was entered for the address that is saved after it. */
  const ageKey = (): Promise<unknown> =>
    pool.query(`UPDATE options SET updated_at = updated_at - interval '31 seconds' WHERE key = 'EpayKey'`);
  const known = { options: { items: [{ isSet: true }] } };

  it('is not sent to another address than it was entered for: the sweep asks there for nothing', async () => {
    const received: string[] = [];
    const thief = createServer((request, response) => {
      received.push(request.url ?? '');
      response.end('{}');
    });
    await new Promise<void>((resolve) => void thief.listen(0, '127.0.0.1', resolve));
    await configure();
    await ageKey();
    await order(2, await person('swept'));
    const { port } = thief.address() as AddressInfo;
    await set(root, 'PayAddress', `http://127.0.0.1:${port}`);
    await pool.query(`UPDATE top_up_orders SET created_at = created_at - interval '11 minutes'`);
    await delay(2500);
    expect(received).toEqual([]);
    expect(await isSet()).toEqual({ options: { items: [{ isSet: false }] } });
    const { rows } = await pool.query(
      `SELECT changes FROM audit_entries WHERE subject_id = 'EpayKey' ORDER BY id DESC LIMIT 1`,
    );
    expect(JSON.stringify(rows)).not.toContain(key);
    // The key is entered for this address: now it is asked.
    await set(root, 'EpayKey', key);
    await pool.query('UPDATE top_up_orders SET asked_at = NULL');
    for (let n = 0; n < 200 && received.length === 0; n++) await delay(100);
    expect(received[0]).toContain('act=order');
    thief.closeAllConnections();
    thief.close();
  });

  it('stays when only the path of the address changes', async () => {
    await configure();
    await ageKey();
    await set(root, 'PayAddress', 'https://pay.example.com/gateway');
    expect(await isSet()).toEqual(known);
  });

  it('stays when the form of an older console saves it before the address', async () => {
    await configure();
    await set(root, 'EpayKey', 'a new key');
    await set(root, 'PayAddress', 'https://other.example.com');
    expect(await isSet()).toEqual(known);
  });

  it('is not sent readably over the internet', async () => {
    await configure();
    expect(await set(root, 'PayAddress', 'http://pay.example.com')).toMatchObject({
      success: false,
      message: 'PayAddress: must be an https:// address',
    });
    expect(await isSet()).toEqual(known);
  });
});

describe('a refund at Epay', () => {
  afterAll(() => configure());

  let orders = 0;
  async function paid(buyer: Person): Promise<{ id: number; tradeNo: string }> {
    const { out_trade_no: tradeNo = '' } = await order(2, buyer);
    const fields = { pid: '1000', trade_no: `refunded${(orders += 1)}`, out_trade_no: tradeNo, money: '14.60' };
    await notify(signed({ ...fields, type: 'wxpay', trade_status: 'TRADE_SUCCESS' }));
    const { rows } = await pool.query<{ id: number }>('SELECT id FROM top_up_orders WHERE trade_no = $1', [tradeNo]);
    return { id: rows[0]?.id ?? 0, tradeNo };
  }
  const graphql = async (text: string): Promise<unknown> => {
    const { data, errors } = await server.api.graphql(root, `mutation { ${text} }`);
    return errors[0]?.extensions?.['code'] ?? Object.values(data ?? {})[0];
  };
  const refund = (id: number, amount: string): Promise<unknown> =>
    graphql(`refundTopUp(input: { id: ${id}, amount: "${amount}", note: "asked" }) { confirmed }`);
  const settle = (id: number, isMade: boolean, more = ''): Promise<unknown> =>
    graphql(
      `settleTopUpRefund(input: { id: ${id}, isMade: ${isMade}, note: "seen" ${more} }) { order { refunded { amount } } }`,
    );
  const balance = async ({ id }: Person): Promise<number> => {
    const { rows } = await pool.query<{ quota: string }>('SELECT quota FROM users WHERE id = $1', [id]);
    return Number(rows[0]?.quota);
  };
  afterEach(async () => {
    expect(await reconcile(pool)).toEqual([]);
  });

  it('that was not sent returns the quota at once', async () => {
    const buyer = await person('unsent');
    const { id } = await paid(buyer);
    for (const PayAddress of ['https://127.0.0.1:1', 'https://gateway.invalid']) {
      await configure({ PayAddress, EpayKey: key });
      expect(await refund(id, '7.30')).toBe('UPSTREAM_UNREACHABLE');
      expect(await balance(buyer)).toBe(1_000_000);
    }
    // This server does not call private addresses.
    await configure({ PayAddress: 'https://10.0.0.1', EpayKey: key });
    expect(await refund(id, '7.30')).toBe('INVALID_INPUT');
    expect(await balance(buyer)).toBe(1_000_000);
    expect(await settle(id, false)).toBe('CONFLICT');
  });

  it('whose outcome is not known ends as an admin reports it', async () => {
    const buyer = await person('unknown');
    const { id, tradeNo } = await paid(buyer);
    // This address does not speak TLS.
    await configure({ PayAddress: server.url.replace('http:', 'https:'), EpayKey: key });
    expect(await refund(id, '7.30')).toEqual({ confirmed: false });
    expect(await refund(id, '3.65')).toEqual({ confirmed: false });
    expect(await balance(buyer)).toBe(250_000);
    // They may be on their way.
    expect(await settle(id, false)).toBe('CONFLICT');
    await pool.query(`UPDATE top_up_reversals SET created_at = created_at - interval '2 minutes'`);
    expect(await settle(id, false)).toBe('INVALID_INPUT');
    expect(await settle(id, false, 'amount: "all"')).toBe('INVALID_INPUT');
    expect(await settle(id, false, 'amount: "1"')).toBe('CONFLICT');
    expect(await settle(id, true, 'amount: "7.30"')).toEqual({ order: { refunded: { amount: '10.95' } } });
    expect(await balance(buyer)).toBe(250_000);
    const outcome = { made: false, note: 'not in the list' };
    expect((await server.api.rest(buyer, 'POST', `/api/payment/${id}/refund/outcome`, outcome)).body).toMatchObject({
      success: false,
    });
    const { body } = await server.api.rest(root, 'POST', `/api/payment/${id}/refund/outcome`, outcome);
    expect(body).toMatchObject({ success: true, data: { trade_no: tradeNo, currency: 'CNY', refunded: '7.30' } });
    expect(await balance(buyer)).toBe(500_000);
    for (const isMade of [true, false]) expect(await settle(id, isMade)).toBe('CONFLICT');
    const { rows } = await pool.query(
      `SELECT kind, detail, actor_name FROM top_up_events WHERE order_id = $1 AND kind = 'refund_failed'`,
      [id],
    );
    expect(rows).toEqual([{ kind: 'refund_failed', detail: '3.65 CNY: not in the list', actor_name: 'root' }]);
    const audit = await pool.query(
      `SELECT count(*)::integer AS count FROM audit_entries WHERE action = 'refund' AND subject_id = $1`,
      [String(buyer.id)],
    );
    expect(audit.rows).toEqual([{ count: 4 }]);
  });
});

describe('unbounded bodies on anonymous routes', () => {
  it('a callback of 20 kB is refused before it is read', async () => {
    const response = await fetch(`${server.url}/api/user/epay/notify`, { method: 'POST', body: 'x'.repeat(20_000) });
    expect(response.status).toBe(413);
    await response.arrayBuffer();
  });

  it.each(['', 'sign=', 'out_trade_no=%00', 'sign=%F0%28', 'a[b]=c&sign[]=d', '__proto__=1', 'sign=1&sign=2'])(
    'a callback of %j is refused quietly',
    async (query) => {
      const answer = await server.api.rest(null, 'GET', `/api/user/epay/notify?${query}`);
      expect([answer.status, answer.body]).toEqual([200, 'fail']);
    },
  );
});

describe('integer overflow', () => {
  it('no amount makes an order of nothing, of less, or of more than the ledger holds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double(), fc.bigInt().map(Number)),
        async (amount) => {
          const body = JSON.stringify({ amount: Number.isFinite(amount) ? amount : 1e300, payment_method: 'wx' });
          await server.api.rest(root, 'POST', '/api/user/amount', body);
          await server.api.rest(root, 'POST', '/api/user/pay', body);
        },
      ),
      { numRuns: 50 },
    );
    const { rows } = await pool.query(
      `SELECT quota, money FROM top_up_orders
        WHERE quota <= 0 OR quota > 9000000000000000 OR money <= 0 OR money <> round(quota / 500000.0 * 730)`,
    );
    expect(rows).toEqual([]);
  });
});

describe('money out of orders', () => {
  it('credited = paid, once, whatever is told in whatever order', async () => {
    const told = fc.record({
      order: fc.nat(2),
      how: fc.constantFrom('paid', 'paid', 'unpaid', 'forged', 'cheaper'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(told, { maxLength: 12 }), async (tellings) => {
        const { rows: made } = await pool.query<{ trade_no: string; quota: string }>(
          `INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, created_at)
           SELECT $1, gen_random_uuid(), 'epay', '1000', 'wxpay', n * 1000, n * 100, 'CNY', to_timestamp(0) FROM generate_series(1, 3) n
           RETURNING trade_no, quota`,
          [root.id],
        );
        const all = made.map(({ trade_no: tradeNo }, n) => paymentOf({ out_trade_no: tradeNo, money: `${n + 1}.00` }));
        const before = await balance();
        await Promise.all(
          tellings.map(({ order: index, how }) => {
            const payment = all[index] as Parameters;
            if (how === 'unpaid') return notify(signed({ ...payment, trade_status: 'WAIT' }));
            if (how === 'forged') return notify(signed(payment, 'guess'));
            if (how === 'cheaper') return notify(signed({ ...payment, money: '0.01' }));
            return notify(signed(payment));
          }),
        );
        const paid = new Set(tellings.filter(({ how }) => how === 'paid').map(({ order: index }) => index));
        const expected = [...paid].reduce((sum, index) => sum + Number(made[index]?.quota), 0);
        expect((await balance()) - before).toBe(expected);
      }),
      { numRuns: 25 },
    );
    expect(await reconcile(pool)).toEqual([]);
  });
});

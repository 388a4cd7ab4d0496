import { createHash, randomUUID } from 'node:crypto';
import { Site, type Answer, type Person } from './site.js';

let site: Site;
let root: Person;
let buyer: Person;

const key = 'the key of the gateway';

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  buyer = await site.invite(root);
});
afterAll(() => site.stop());
beforeEach(async () => {
  await configure({
    PayAddress: 'https://pay.example.com/',
    EpayId: '1000',
    EpayKey: key,
    ServerAddress: 'https://gate.example.com',
    CustomCallbackAddress: '',
    DisplayInCurrencyEnabled: 'true',
    MinTopUp: '1',
    Price: '7.3',
    TopupGroupRatio: '{"default":1,"vip":0.5,"svip":0}',
  });
});

async function configure(options: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(options)) {
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: name, value });
  }
}

const post = (path: string, body: unknown): Promise<Answer> => site.rest(buyer, 'POST', path, body);
const failure = (data: unknown) => ({ success: false, message: 'error', data });

/** Implemented from docs/reference/rest/tokens-and-wallet.md#online-top-up, not from the code. */
function sign(parameters: Record<string, string>): string {
  const text = Object.keys(parameters)
    .filter((name) => name !== 'sign' && name !== 'sign_type' && parameters[name] !== '')
    .sort()
    .map((name) => `${name}=${parameters[name]}`)
    .join('&');
  return createHash('md5').update(`${text}${key}`).digest('hex');
}

describe('POST /api/user/amount', () => {
  it('answers what is payable as text with two decimals', async () => {
    const body = { amount: 10, top_up_code: '' };
    expect((await post('/api/user/amount', body)).body).toEqual({ success: true, message: 'success', data: '73.00' });
  });

  it('takes the factor of the group, and one where it is missing or zero', async () => {
    const price = async (group: string): Promise<unknown> => {
      await site.expectSuccess(root, 'PUT', '/api/user/', { id: buyer.id, username: buyer.username, group });
      return (await post('/api/user/amount', { amount: 1 })).body.data;
    };
    expect([await price('vip'), await price('svip'), await price('default')]).toEqual(['3.65', '7.30', '7.30']);
  });

  it('counts points when the site shows points', async () => {
    await configure({ DisplayInCurrencyEnabled: 'false' });
    expect((await post('/api/user/amount', { amount: 750_000 })).body.data).toBe('10.95');
    expect((await post('/api/user/amount', { amount: 499_999 })).body).toEqual(
      failure('Top-up amount must not be below 500000'),
    );
  });

  it.each([
    [{ amount: 0 }, 'Top-up amount must not be below 1'],
    [{ amount: -5 }, 'Top-up amount must not be below 1'],
    [{ amount: 18_446_744_073_686_647_000 }, 'Invalid parameter'],
    [{ amount: 9_007_199_254_740_991 }, 'Top-up amount is too large'],
    [{ amount: 1e10 }, 'Top-up amount is too large'],
    [{ amount: 1.5 }, 'Invalid parameter'],
    [{ amount: '1' }, 'Invalid parameter'],
    [{}, 'Invalid parameter'],
    ['not json', 'Invalid parameter'],
  ])('refuses %j', async (body, reason) => {
    expect((await post('/api/user/amount', body)).body).toEqual(failure(reason));
  });

  it('refuses what would be payable with nothing', async () => {
    await configure({ Price: '0.01' });
    expect((await post('/api/user/amount', { amount: 1 })).body).toEqual(failure('Amount too low'));
    expect((await post('/api/user/pay', { amount: 1, payment_method: 'wx' })).body).toEqual(failure('Amount too low'));
    await configure({ Price: '0.001' });
    expect((await post('/api/user/pay', { amount: 1, payment_method: 'wx' })).body).toEqual(failure('Amount too low'));
  });
});

describe('POST /api/user/pay', () => {
  it.each([
    ['zfb', 'alipay'],
    ['wx', 'wxpay'],
    ['alipay', 'alipay'],
    ['wxpay', 'wxpay'],
  ])('makes a pending order and answers the signed form for %s', async (method, type) => {
    const answer = await post('/api/user/pay', { amount: 2, top_up_code: '', payment_method: method });
    const fields = answer.body.data as Record<string, string>;
    expect(answer.body).toEqual({
      success: true,
      message: 'success',
      url: 'https://pay.example.com/submit.php',
      data: {
        pid: '1000',
        type,
        out_trade_no: expect.stringMatching(new RegExp(`^USR${buyer.id}NO[0-9A-Za-z]{6}\\d{10}$`)) as string,
        notify_url: 'https://gate.example.com/api/user/epay/notify',
        return_url: 'https://gate.example.com/log',
        name: 'TUC2',
        money: '14.60',
        device: 'pc',
        sign_type: 'MD5',
        sign: sign(fields),
      },
    });
    const [order] = await site.query('SELECT * FROM top_up_orders WHERE trade_no = $1', [fields['out_trade_no']]);
    expect(order).toMatchObject({
      user_id: buyer.id,
      provider: 'epay',
      quota: '1000000',
      money: '1460',
      currency: 'CNY',
      status: 'pending',
    });
    expect(JSON.stringify(answer.body)).not.toContain(key);
  });

  it('sends the callback where the site says', async () => {
    await configure({ CustomCallbackAddress: 'https://hooks.example.com' });
    const { body } = await post('/api/user/pay', { amount: 2, payment_method: 'wx' });
    expect(body.data).toMatchObject({ notify_url: 'https://hooks.example.com/api/user/epay/notify' });
  });

  it('refuses an unknown method, a missing one, and everything while no gateway is set up', async () => {
    for (const body of [{ amount: 2, payment_method: 'constructor' }, { amount: 2 }]) {
      expect((await post('/api/user/pay', body)).body).toEqual(failure('Invalid parameter'));
    }
    for (const missing of ['PayAddress', 'EpayId', 'EpayKey']) {
      await configure({ PayAddress: 'https://pay.example.com', EpayId: '1000', EpayKey: key, [missing]: '' });
      const { body } = await post('/api/user/pay', { amount: 2, payment_method: 'wx' });
      expect(body).toEqual(failure('Payment is not configured'));
    }
  });

  it.each([4, 0, -5])('refuses %d below the least amount, and keeps no order', async (amount) => {
    await configure({ MinTopUp: '5' });
    const before = await site.query('SELECT count(*) FROM top_up_orders');
    const { status, body } = await post('/api/user/pay', { amount, payment_method: 'wx' });
    expect([status, body]).toEqual([200, failure('Top-up amount must not be below 5')]);
    expect(await site.query('SELECT count(*) FROM top_up_orders')).toEqual(before);
  });

  it('reports that the order could not be stored, and the reason in the log only', async () => {
    await site.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the disk is full'; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON top_up_orders EXECUTE FUNCTION refuse()`,
    );
    const order = { amount: 2, payment_method: 'wx' };
    const { status, body } = await post('/api/user/pay', order);
    const { codes, text } = await site.graphql(
      buyer,
      'mutation { startTopUp(input: { amount: 2, method: WXPAY }) { order { tradeNo } } }',
    );
    await site.query('DROP FUNCTION refuse CASCADE');
    expect([status, body]).toEqual([200, failure('Failed to create order')]);
    expect([codes, text]).toEqual([['SERVICE_UNAVAILABLE'], expect.stringContaining('Failed to create order')]);
    expect(text).not.toContain('disk');
    const told = site.server.logLines().filter((line) => line.includes('the disk is full'));
    expect(told).toHaveLength(2);
    for (const line of told) expect(line).toContain('order could not be stored');
    expect((await post('/api/user/pay', order)).body).toMatchObject({ success: true });
  });

  it('answers strangers as every endpoint does', async () => {
    const { status, body } = await site.rest(null, 'POST', '/api/user/pay', { amount: 2, payment_method: 'wx' });
    expect([status, body['success'], body['code']]).toEqual([401, false, 'NOT_SIGNED_IN']);
  });

  it('ends a flood of orders', async () => {
    const person = await site.invite(root);
    const order = () => site.rest(person, 'POST', '/api/user/pay', { amount: 1, payment_method: 'wx' });
    const answers = await Promise.all(Array.from({ length: 31 }, order));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  });
});

describe('a site that shows points', () => {
  it('prices, keeps and credits every point of an amount', async () => {
    await configure({ DisplayInCurrencyEnabled: 'false' });
    const person = await site.invite(root);
    const ask = (path: string, amount: number): Promise<Answer> =>
      site.rest(person, 'POST', path, { amount, payment_method: 'wx' });
    expect((await ask('/api/user/pay', 499_999)).body).toEqual(failure('Top-up amount must not be below 500000'));
    expect((await ask('/api/user/amount', 1_234_567)).body.data).toBe('18.02');
    const form = (await ask('/api/user/pay', 1_234_567)).body.data as Record<string, string>;
    expect(form).toMatchObject({ name: 'TUC1234567', money: '18.02' });
    const order = 'SELECT quota, money, status FROM top_up_orders WHERE user_id = $1';
    expect(await site.query(order, [person.id])).toEqual([{ quota: '1234567', money: '1802', status: 'pending' }]);

    const payment = {
      pid: '1000',
      trade_no: randomUUID(),
      out_trade_no: form['out_trade_no'] ?? '',
      type: 'wxpay',
      name: form['name'] ?? '',
      money: '18.02',
      trade_status: 'TRADE_SUCCESS',
    };
    const told = new URLSearchParams({ ...payment, sign: sign(payment), sign_type: 'MD5' });
    expect((await site.rest(null, 'GET', `/api/user/epay/notify?${told}`)).body).toEqual({ text: 'success' });
    expect((await site.rest(person, 'GET', '/api/user/self')).body.data).toMatchObject({ quota: 1_234_567 });
    expect(await site.query(order, [person.id])).toEqual([{ quota: '1234567', money: '1802', status: 'success' }]);
    expect(await site.query('SELECT quota, content FROM logs WHERE user_id = $1 AND type = 1', [person.id])).toEqual([
      { quota: '1234567', content: 'Online top-up 1234567 points, paid 18.02' },
    ]);
  });
});

describe('orders over GraphQL', () => {
  it('are started, priced and listed, each buyer his own', async () => {
    const person = await site.invite(root);
    const { data } = await site.graphql(
      person,
      `mutation { startTopUp(input: { amount: 3, method: ALIPAY }) {
         order { tradeNo method status } form { url fields { name value } } } }`,
    );
    const { order, form } = data?.['startTopUp'] as {
      order: { tradeNo: string };
      form: { url: string; fields: Array<{ name: string; value: string }> };
    };
    expect(order).toMatchObject({ method: 'ALIPAY', status: 'PENDING' });
    expect(form.url).toBe('https://pay.example.com/submit.php');
    expect(form.fields).toContainEqual({ name: 'money', value: '21.90' });
    expect(form.fields).toContainEqual({ name: 'out_trade_no', value: order.tradeNo });
    const mine = await site.graphql(
      person,
      `{ payableAmount(amount: 3) { amount currency }
         myTopUps { totalCount items { tradeNo money { amount currency } status quota usd paidAt }
                    sums { orders quota byCurrency { amount currency } } } }`,
    );
    const money = { amount: '21.90', currency: 'CNY' };
    expect(mine.data).toEqual({
      payableAmount: money,
      myTopUps: {
        totalCount: 1,
        items: [{ tradeNo: order.tradeNo, money, status: 'PENDING', quota: 1_500_000, usd: 3, paidAt: null }],
        sums: { orders: 1, quota: 1_500_000, byCurrency: [money] },
      },
    });
    const all = await site.graphql(root, `{ topUps(filter: { userIds: [${person.id}] }) { totalCount } }`);
    expect(all.data).toEqual({ topUps: { totalCount: 1 } });
    const foreign = await site.graphql(buyer, `{ myTopUps(filter: { tradeNo: "${order.tradeNo}" }) { totalCount } }`);
    expect(foreign.data).toEqual({ myTopUps: { totalCount: 0 } });
  });

  it('are listed as new-api lists them: the own ones, and all for admins', async () => {
    const person = await site.invite(root);
    const pay = async (amount: number) => {
      const { body } = await site.rest(person, 'POST', '/api/user/pay', { amount, payment_method: 'alipay' });
      return (body.data as Record<string, string>)['out_trade_no'] ?? '';
    };
    const [first, second] = [await pay(2), await pay(3)];
    const placed = new Date('2026-03-01T08:00:00Z');
    const paid = new Date('2026-03-01T08:05:00Z');
    await site.query(`UPDATE top_up_orders SET status = 'success', created_at = $2, paid_at = $3 WHERE trade_no = $1`, [
      first,
      placed,
      paid,
    ]);
    const newApi = (who: Person) => ({ cookie: who.cookie, 'new-api-user': String(who.id) });
    const list = async (who: Person, path: string) => (await site.rest(null, 'GET', path, undefined, newApi(who))).body;
    const paidRow = {
      id: expect.any(Number) as number,
      user_id: person.id,
      amount: 2,
      money: 14.6,
      currency: 'CNY',
      trade_no: first,
      payment_method: 'alipay',
      payment_provider: 'epay',
      create_time: placed.getTime() / 1000,
      complete_time: paid.getTime() / 1000,
      status: 'success',
    };
    const own = await list(person, '/api/user/topup/self?p=1&page_size=10');
    expect(own).toMatchObject({ success: true, data: { total: 2, page: 1, page_size: 10 } });
    const pending = { ...paidRow, amount: 3, money: 21.9, trade_no: second, status: 'pending', complete_time: 0 };
    expect(own.data).toMatchObject({ items: [{ ...pending, create_time: expect.any(Number) as number }, paidRow] });
    expect((await list(person, '/api/user/topup/self?p=2&page_size=1')).data).toMatchObject({ items: [paidRow] });
    expect((await list(person, `/api/user/topup/self?keyword=${first}`)).data).toMatchObject({ total: 1 });
    expect((await list(buyer, `/api/user/topup/self?keyword=${first}`)).data).toMatchObject({ total: 0, items: [] });
    expect((await list(root, `/api/user/topup?keyword=${first}`)).data).toMatchObject({ total: 1, items: [paidRow] });
    expect(await list(person, '/api/user/topup')).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
    // A client of one-api reads arrays.
    const token = await site.accessToken(person);
    const array = await site.rest(null, 'GET', '/api/user/topup/self', undefined, { authorization: token });
    expect((array.body.data as Array<{ trade_no: string }>).map((row) => row.trade_no)).toEqual([second, first]);
    expect((await site.rest(null, 'GET', '/api/user/topup/self')).status).toBe(401);
  });

  it('are created once for one idempotency key', async () => {
    const person = await site.invite(root);
    const start = async (key: string, amount = 3): Promise<unknown> => {
      const { data, text } = await site.graphql(
        person,
        `mutation { startTopUp(input: { amount: ${amount}, method: ALIPAY, idempotencyKey: "${key}" }) {
           replayed order { tradeNo } form { fields { name value } } } }`,
      );
      if (!data?.['startTopUp']) throw new Error(text);
      return data['startTopUp'];
    };
    const first = (await start('a')) as Record<string, unknown>;
    expect(first['replayed']).toBe(false);
    expect(await start('a')).toEqual({ ...first, replayed: true });
    expect(await start('b')).toMatchObject({ replayed: false });
    await expect(start('a', 4)).rejects.toThrow('CONFLICT');
    expect(await site.query('SELECT count(*)::int AS n FROM top_up_orders WHERE user_id = $1', [person.id])).toEqual([
      { n: 2 },
    ]);
  });

  it('expire after a day without a payment, and are still credited when it comes', async () => {
    const person = await site.invite(root);
    await site.graphql(person, 'mutation { startTopUp(input: { amount: 3, method: ALIPAY }) { order { id } } }');
    await site.query(
      "UPDATE top_up_orders SET created_at = created_at - interval '1 day 1 minute' WHERE user_id = $1",
      [person.id],
    );
    const count = async (filter: string): Promise<unknown> =>
      (await site.graphql(person, `{ myTopUps(filter: { ${filter} }) { totalCount items { status } } }`)).data?.[
        'myTopUps'
      ];
    expect(await count('statuses: [EXPIRED, PAID]')).toEqual({ totalCount: 1, items: [{ status: 'EXPIRED' }] });
    expect(await count('statuses: [PENDING]')).toEqual({ totalCount: 0, items: [] });
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    const unpaid = await site.graphql(
      root,
      `{ topUps(filter: { statuses: [PENDING, EXPIRED], created: { until: "${hourAgo}" }, userIds: [${person.id}] }) { totalCount } }`,
    );
    expect(unpaid.data).toEqual({ topUps: { totalCount: 1 } });
  });
});

describe('a list of orders', () => {
  let anne: Person;
  let bert: Person;
  beforeAll(async () => {
    anne = await site.invite(root);
    bert = await site.invite(root);
    await site.query('DELETE FROM top_up_orders');
    await site.query(
      `INSERT INTO top_up_orders
         (user_id, trade_no, provider, merchant_id, payment_method, currency, quota, money, status, created_at, paid_at)
       SELECT owner, n, 'epay', '1000', 'wxpay', 'CNY', quota, money, status, to_timestamp(created), to_timestamp(paid)
         FROM (VALUES (1, $1::int, 30, 300, 'pending', 1003, NULL), (2, $2::int, 10, 100, 'success', 1001, 2001),
                      (3, $1, 20, 300, 'success', 1001, 2002), (4, $2, 20, 200, 'pending', 1002, NULL),
                      (5, $1, 10, 100, 'success', 1002, 2000), (6, $2, 30, 200, 'pending', 1003, NULL))
              AS row (n, owner, quota, money, status, created, paid) ORDER BY n`,
      [anne.id, bert.id],
    );
  });

  /** Returns the ids of the rows above, in the returned order. */
  async function list(person: Person, field: string, args = ''): Promise<string> {
    const fields = '{ totalCount items { tradeNo } }';
    const { data } = await site.graphql(person, `{ ${field}(pageSize: 100${args}) ${fields} }`);
    const { totalCount, items } = data?.[field] as { totalCount: number; items: Array<{ tradeNo: string }> };
    expect(totalCount).toBe(items.length);
    return items.map(({ tradeNo }) => tradeNo).join('');
  }

  it.each([
    ['ID', '123456', '654321'],
    ['CREATED_AT', '234516', '615432'],
    ['PAID_AT', '523146', '325641'],
    ['QUOTA', '253416', '614352'],
    ['MONEY', '254613', '316452'],
    ['STATUS', '146235', '532641'],
  ])(
    'is sorted by %s both ways, equal ones by id in the same direction, those without a time last',
    async (field, ascending, descending) => {
      const all = (direction: string) => list(root, 'topUps', `, sort: { field: ${field}, direction: ${direction} }`);
      const own = (direction: string) => list(anne, 'myTopUps', `, sort: { field: ${field}, direction: ${direction} }`);
      expect([await all('ASC'), await all('DESC')]).toEqual([ascending, descending]);
      const ofAnne = (numbers: string) => numbers.replace(/[246]/g, '');
      expect([await own('ASC'), await own('DESC')]).toEqual([ofAnne(ascending), ofAnne(descending)]);
    },
  );

  it('shows every order once, page by page, where many are equal', async () => {
    const page = async (number: number): Promise<string> => {
      const args = `page: ${number}, pageSize: 2, sort: { field: STATUS, direction: ASC }`;
      const { data } = await site.graphql(root, `{ topUps(${args}) { totalCount items { tradeNo } } }`);
      const { totalCount, items } = data?.['topUps'] as { totalCount: number; items: Array<{ tradeNo: string }> };
      return `${items.map(({ tradeNo }) => tradeNo).join('')} of ${totalCount}`;
    };
    expect([await page(0), await page(1), await page(2), await page(3)]).toEqual([
      '14 of 6',
      '62 of 6',
      '35 of 6',
      ' of 6',
    ]);
  });

  it.each([
    ['', '654321', '531'],
    ['filter: { statuses: [PAID] }', '532', '53'],
    ['filter: { statuses: [EXPIRED] }', '641', '1'],
    ['filter: { statuses: [PENDING] }', '', ''],
    ['filter: { statuses: [] }', '', ''],
    ['filter: { statuses: null }', '654321', '531'],
    ['filter: { methods: [ALIPAY] }', '', ''],
    ['filter: { created: { until: "1970-01-01T00:16:42Z" } }', '32', '3'],
    ['filter: { paid: { from: "1970-01-01T00:33:21Z" } }', '32', '3'],
    ['filter: { statuses: [PAID] }, sort: { field: QUOTA, direction: ASC }', '253', '53'],
  ])('is filtered by {%s}', async (args, all, ofAnne) => {
    expect([await list(root, 'topUps', `, ${args}`), await list(anne, 'myTopUps', `, ${args}`)]).toEqual([all, ofAnne]);
  });

  it('of own orders holds no others, not even for root', async () => {
    expect(await list(anne, 'myTopUps', ', filter: { ids: [], statuses: [PAID] }')).toBe('');
    expect(await list(anne, 'myTopUps', ', filter: { tradeNo: "2" }')).toBe('');
    expect(await list(root, 'myTopUps')).toBe('');
    expect(await list(root, 'topUps', `, filter: { userIds: [${bert.id}] }`)).toBe('642');
    expect(await list(root, 'topUps', ', filter: { tradeNo: "2" }')).toBe('2');
    expect((await site.graphql(anne, '{ topUps { totalCount } }')).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
    const foreign = await site.graphql(anne, `{ myTopUps(filter: { userIds: [${bert.id}] }) { totalCount } }`);
    expect(foreign.codes).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  });

  it('has sums by currency, and revenue by period, method and currency', async () => {
    await site.query(`UPDATE top_up_orders SET currency = 'EUR', payment_method = 'alipay' WHERE trade_no = '2'`);
    const { data } = await site.graphql(
      root,
      `{ topUps(filter: { statuses: [PAID] }) { sums { orders quota byCurrency { amount currency } } }
         all: revenue { time until method money { amount currency } orders quota }
         shanghai: revenue(timeZone: "Asia/Shanghai", bucket: DAY, range: { until: "1970-01-01T00:33:21Z" }) {
           time until orders }
         ofRange: revenue(bucket: MONTH, range: { until: "1970-01-01T00:33:21Z", timeZone: "Asia/Shanghai" }) { time }
         mixed: revenue(timeZone: "UTC", bucket: MONTH, range: { until: "1970-01-01T00:33:21Z", timeZone: "Asia/Shanghai" }) { time } }`,
    );
    expect(data?.['ofRange']).toEqual([{ time: '1969-12-31T16:00:00.000Z' }]);
    expect(data?.['mixed']).toEqual([{ time: '1970-01-01T00:00:00.000Z' }]);
    expect(data?.['topUps']).toEqual({
      sums: {
        orders: 3,
        quota: 40,
        byCurrency: [
          { amount: '4.00', currency: 'CNY' },
          { amount: '1.00', currency: 'EUR' },
        ],
      },
    });
    const january = { time: '1970-01-01T00:00:00.000Z', until: '1970-02-01T00:00:00.000Z' };
    expect(data?.['all']).toEqual([
      { ...january, method: 'ALIPAY', money: { amount: '1.00', currency: 'EUR' }, orders: 1, quota: 10 },
      { ...january, method: 'WXPAY', money: { amount: '4.00', currency: 'CNY' }, orders: 2, quota: 30 },
    ]);
    expect(data?.['shanghai']).toEqual([
      { time: '1969-12-31T16:00:00.000Z', until: '1970-01-01T16:00:00.000Z', orders: 1 },
    ]);
    expect((await site.graphql(anne, '{ revenue { orders } }')).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  });

  it('is sorted by the status that is shown: unpaid orders of the last day are apart from expired ones', async () => {
    await site.query("UPDATE top_up_orders SET created_at = now() WHERE trade_no = '4'");
    const sort = 'sort: { field: STATUS, direction: ASC }';
    expect(await list(root, 'topUps', `, ${sort}`)).toBe('164235');
    const read = async (person: Person, list: string, after: string | null) => {
      const query = `query ($after: String) { ${list}(pageSize: 2, ${sort}, after: $after) {
        items { tradeNo status } pageInfo { endCursor } } }`;
      const { data } = await site.graphql(person, query, { after });
      return data?.[list] as { items: Array<{ tradeNo: string; status: string }>; pageInfo: { endCursor: string } };
    };
    const first = await read(root, 'topUps', null);
    const second = await read(root, 'topUps', first.pageInfo.endCursor);
    expect([...first.items, ...second.items].map(({ tradeNo, status }) => `${tradeNo} ${status}`)).toEqual([
      ...['1 EXPIRED', '6 EXPIRED', '4 PENDING', '2 PAID'],
    ]);
    await site.query("UPDATE top_up_orders SET created_at = to_timestamp(1002) WHERE trade_no = '4'");
  });

  it('has orders of other methods, which were imported, and counts them together', async () => {
    await site.query(
      `INSERT INTO top_up_orders
         (user_id, trade_no, provider, merchant_id, payment_method, currency, quota, money, status, created_at, paid_at)
       SELECT $1, 'moved ' || method, 'stripe', '', method, 'USD', 5, 250, 'success', to_timestamp(3000), to_timestamp(3000)
         FROM unnest(ARRAY['stripe', 'custom1']) method`,
      [anne.id],
    );
    const methods = 'items { tradeNo method }';
    const { data, codes } = await site.graphql(
      root,
      `{ topUps(pageSize: 2) { ${methods} }
         others: topUps(filter: { methods: [OTHER] }) { totalCount }
         known: topUps(filter: { methods: [ALIPAY, WXPAY] }) { totalCount }
         all: topUps(filter: { methods: [ALIPAY, WXPAY, OTHER] }) { totalCount }
         users(filter: { ids: [${anne.id}] }) { items { topUps(pageSize: 2) { ${methods} } } }
         revenue(bucket: MONTH, range: { from: "1970-01-01T00:50:00Z" }) { method money { amount currency } orders quota } }`,
    );
    const moved = ['custom1', 'stripe'].map((method) => ({ tradeNo: `moved ${method}`, method: 'OTHER' }));
    expect([codes, data]).toEqual([
      [],
      {
        topUps: { items: moved },
        others: { totalCount: 2 },
        known: { totalCount: 6 },
        all: { totalCount: 8 },
        users: { items: [{ topUps: { items: moved } }] },
        revenue: [{ method: 'OTHER', money: { amount: '5.00', currency: 'USD' }, orders: 2, quota: 10 }],
      },
    ]);
    const own = await site.graphql(anne, `{ myTopUps(pageSize: 2) { ${methods} } }`);
    expect(own.data).toEqual({ myTopUps: { items: moved } });
    const start = 'mutation { startTopUp(input: { amount: 2, method: OTHER }) { replayed } }';
    expect((await site.graphql(anne, start)).codes).toEqual(['INVALID_INPUT']);
    await site.query("DELETE FROM top_up_orders WHERE provider = 'stripe'");
  });

  it.each([
    // Postgres knows CET as one hour ahead in summer too, and IST as the time of Israel.
    ['CET', '2026-06-30T22:00:00.000Z', '2026-07-31T22:00:00.000Z'],
    ['IST', '2026-06-30T18:30:00.000Z', '2026-07-31T18:30:00.000Z'],
    ['Asia/Kolkata', '2026-06-30T18:30:00.000Z', '2026-07-31T18:30:00.000Z'],
    ['america/new_york', '2026-07-01T04:00:00.000Z', '2026-08-01T04:00:00.000Z'],
  ])('has the months of %s in the revenue', async (zone, from, until) => {
    const first = Date.parse(from) / 1000;
    await site.query(
      `INSERT INTO top_up_orders
         (user_id, trade_no, provider, merchant_id, payment_method, currency, quota, money, status, created_at, paid_at)
       SELECT $1, 'month ' || at, 'epay', '1000', 'alipay', 'CNY', 1, 100, 'success', to_timestamp(at), to_timestamp(at) FROM unnest($2::bigint[]) at`,
      [anne.id, [first - 1, first, Date.parse(until) / 1000 - 1]],
    );
    const { data } = await site.graphql(
      root,
      `{ revenue(timeZone: "${zone}", range: { from: "2026-01-01T00:00:00Z" }) { time until orders } }`,
    );
    expect((data?.['revenue'] as object[])[1]).toEqual({ time: from, until, orders: 2 });
    expect((data?.['revenue'] as object[])[0]).toMatchObject({ until: from, orders: 1 });
    await site.query("DELETE FROM top_up_orders WHERE trade_no LIKE 'month %'");
  });

  it.each(['MERCHANT_ID', 'TRADE_NO', 'constructor'])('is not sorted by %s', async (field) => {
    for (const name of ['topUps', 'myTopUps']) {
      const { codes } = await site.graphql(root, `{ ${name}(sort: { field: ${field} }) { totalCount } }`);
      expect(codes).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    }
  });
});

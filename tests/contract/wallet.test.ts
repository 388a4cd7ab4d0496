import { createHash } from 'node:crypto';
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

/** Written from the rule of the contract, not from the code. */
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
    await configure({ Price: '0.001' });
    expect((await post('/api/user/pay', { amount: 1, payment_method: 'wx' })).body).toEqual(failure('Amount too low'));
  });
});

describe('POST /api/user/pay', () => {
  it.each([
    ['zfb', 'alipay'],
    ['wx', 'wxpay'],
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

describe('orders over GraphQL', () => {
  it('are started, priced and listed, each buyer his own', async () => {
    const person = await site.invite(root);
    const { data } = await site.graphql(
      person,
      'mutation { startTopUp(amount: 3, paymentMethod: "zfb") { tradeNo url fields { name value } } }',
    );
    const started = data?.['startTopUp'] as { tradeNo: string; fields: Array<{ name: string; value: string }> };
    expect(started).toMatchObject({ url: 'https://pay.example.com/submit.php' });
    expect(started.fields).toContainEqual({ name: 'money', value: '21.90' });
    const mine = await site.graphql(
      person,
      '{ payableAmount(amount: 3) myTopUps { totalCount items { tradeNo money currency status quota paidTime } } }',
    );
    expect(mine.data).toEqual({
      payableAmount: '21.90',
      myTopUps: {
        totalCount: 1,
        items: [
          {
            tradeNo: started.tradeNo,
            money: '21.90',
            currency: 'CNY',
            status: 'pending',
            quota: 1_500_000,
            paidTime: null,
          },
        ],
      },
    });
    const all = await site.graphql(root, `{ topUps(filter: { userId: ${person.id} }) { totalCount } }`);
    expect(all.data).toEqual({ topUps: { totalCount: 1 } });
    const foreign = await site.graphql(
      buyer,
      `{ myTopUps(filter: { userId: ${person.id}, tradeNo: "${started.tradeNo}" }) { totalCount } }`,
    );
    expect(foreign.data).toEqual({ myTopUps: { totalCount: 0 } });
  });
});

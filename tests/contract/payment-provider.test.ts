import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { postEntry } from '../../server/src/billing/ledger/post-entry.js';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import { PlanSales } from '../../server/src/billing/plans/plan-sales.js';
import { CreditService } from '../../server/src/billing/payments/credit.service.js';
import { PaymentCallbacks } from '../../server/src/billing/payments/payment-callbacks.js';
import { PaymentProviders } from '../../server/src/billing/payments/payment-providers.js';
import type { PaymentProvider } from '../../server/src/billing/payments/provider.js';
import { paymentProviders } from '../../server/src/billing/payments/providers/all.js';
import { TopUpOrder } from '../../server/src/billing/payments/top-up-order.entity.js';
import { entities } from '../../server/src/compose/entities.js';
import { WalletService } from '../../server/src/console/wallet/wallet.service.js';
import { PaymentTestService } from '../../server/src/console/wallet/payment-test.service.js';
import { defaultOptionValues } from '../../server/src/options/option-registry.js';
import { Changes } from '../../server/src/platform/cache/changes.js';
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import { Idempotency } from '../../server/src/platform/idempotency/idempotency.js';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/**
 * A provider that differs from the built-in one in everything that may differ. It is asked over the network before the buyer
 * can pay, numbers orders itself, opens a page instead of a form, signs its body in a header, reports in JSON, has no
 * decimals, and expects other replies.
 */
const asked: string[] = [];
const scripted: PaymentProvider = {
  name: 'scripted',
  methodIds: ['transfer'],
  methods: () => [
    {
      id: 'transfer',
      aliases: ['bank'],
      names: { en: 'Transfer', zh: '转账' },
      icon: '<svg/>',
      currency: 'JPY',
      pricePerUsd: 150.4,
    },
  ],
  isConfigured: ({ SystemName }) => SystemName !== '',
  account: ({ SystemName }) => SystemName,
  start: async ({ tradeNo, money, currency }, amount, { notifyUrl, returnUrl }) => {
    asked.push(`${tradeNo} ${money} ${currency} ${amount} ${notifyUrl} ${returnUrl}`);
    await Promise.resolve();
    return { url: `https://pay.example.com/${tradeNo}`, fields: {}, providerOrderId: `page of ${tradeNo}` };
  },
  checkoutAddresses: () => [],
  maxCallbackBytes: 16 * 1024,
  callbackParameters: {},
  verify: ({ headers, body }) =>
    headers['signature'] === `signed ${body.length}`
      ? { id: createHash('md5').update(body).digest('hex'), body }
      : null,
  read: (body) => {
    const { event, payment } = JSON.parse(body) as { event: string; payment: Payment };
    return event === 'paid' ? { kind: 'paid', payment } : null;
  },
  replyTo: (result) => ({ status: result === 'accepted' ? 204 : 400, text: '' }),
  query: () => Promise.resolve(null),
  repeatsRefunds: true,
  refund: () => Promise.resolve(null),
  test: ({ settings }) => Promise.resolve({ outcome: 'WORKS', reply: settings.SystemName }),
};

interface Payment {
  tradeNo: string;
  id: string | null;
  account: string;
  money: number | null;
  currency: string;
}

const buyer = { id: 7, username: 'ada', role: 'common', status: 'enabled', group: 'default' } as const;
const root = { ...buyer, id: 1, role: 'root' } as const;
const options = { values: { ...defaultOptionValues(), SystemName: 'shop', ServerAddress: 'https://gate.example.com' } };

let database: TestDatabase;
let dataSource: DataSource;
let pool: pg.Pool;
let wallet: WalletService;
let callbacks: PaymentCallbacks;
let tests: PaymentTestService;
const logged: string[] = [];
const logger = { warn: jest.fn(), error: jest.fn() };

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 2, entities).initialize();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  await pool.query(`INSERT INTO users (id, username) VALUES (7, 'ada')`);
  const clock = { now: () => 1_800_000_000_000 };
  const state = new MemoryState();
  const providers = new PaymentProviders({
    list: [...paymentProviders, scripted],
    options,
    fetch: { fetch: () => Promise.reject(new Error('no network here')) },
  });
  const credit = new CreditService({
    postEntry,
    usageLog: { record: (_manager, { content }) => Promise.resolve(void logged.push(content)) },
    changes: new Changes(state),
    options,
  });
  wallet = new WalletService({
    orders: dataSource.getRepository(TopUpOrder),
    options,
    providers,
    idempotency: new Idempotency(dataSource),
    state,
    clock,
    logger,
  });
  const reversals = { report: () => Promise.reject(new Error('nothing is refunded here')) };
  callbacks = new PaymentCallbacks({
    database: dataSource,
    options,
    credit,
    sales: new PlanSales(postEntry),
    notifyRenewal: () => Promise.resolve(),
    reversals,
    clock,
    logger,
  });
  tests = new PaymentTestService({ providers, options, state });
});
afterAll(async () => {
  await pool.end();
  await dataSource.destroy();
  await database.drop();
});

async function report(event: string, payment: Payment, signature?: string): Promise<number> {
  const body = JSON.stringify({ event, payment });
  const headers = { signature: signature ?? `signed ${body.length}` };
  return (await callbacks.take(scripted, { headers, query: {}, body })).status;
}
const balance = async (): Promise<number> =>
  Number((await pool.query<{ quota: string }>('SELECT quota FROM users WHERE id = 7')).rows[0]?.quota);

it('offers the methods of the providers that are configured, and names those of the others', () => {
  expect(wallet.methods(buyer).map(({ provider, method, isOffered }) => [provider.name, method.id, isOffered])).toEqual(
    [
      ['scripted', 'transfer', true],
      ['epay', 'alipay', false],
      ['epay', 'wxpay', false],
      ['stripe', 'stripe_checkout', false],
    ],
  );
});

it('prices in the minor unit of the method’s currency, and by the method that is offered unless one is named', () => {
  expect(wallet.payable(buyer, 3)).toEqual({ amount: '451', currency: 'JPY' });
  expect(wallet.payable(buyer, 3, 'bank')).toEqual({ amount: '451', currency: 'JPY' });
  expect(wallet.payable(buyer, 3, 'wx')).toEqual({ amount: '21.90', currency: 'CNY' });
  expect(() => wallet.payable(buyer, 3, 'other')).toThrow('Invalid parameter');
});

it('keeps provider, account, method, currency and the provider’s number of an order, and opens its page', async () => {
  const { order, checkout } = await wallet.pay(buyer, 3, 'bank', 'once');
  const { tradeNo } = order;
  expect(checkout).toMatchObject({ url: `https://pay.example.com/${tradeNo}`, fields: {} });
  expect(asked).toEqual([
    `${tradeNo} 451 JPY 3 https://gate.example.com/api/user/scripted/notify https://gate.example.com/log`,
  ]);
  const { rows } = await pool.query('SELECT * FROM top_up_orders');
  expect(rows).toEqual([
    expect.objectContaining({
      trade_no: tradeNo,
      provider: 'scripted',
      merchant_id: 'shop',
      payment_method: 'transfer',
      money: '451',
      currency: 'JPY',
      quota: '1500000',
      provider_order_id: `page of ${tradeNo}`,
    }),
  ]);
  expect(await wallet.pay(buyer, 3, 'transfer', 'once')).toMatchObject({ replayed: true, checkout });
});

it('refuses a method whose provider is not configured', async () => {
  await expect(wallet.pay(buyer, 3, 'wx')).rejects.toMatchObject({ code: 'NOT_IMPLEMENTED' });
});

it('credits what the provider reports once, and nothing that differs from the order', async () => {
  const { order } = await wallet.pay(buyer, 3, 'transfer');
  const payment = { tradeNo: order.tradeNo, id: 'p1', account: 'shop', money: 451, currency: 'JPY' };
  expect(await report('paid', payment, 'forged')).toBe(400);
  for (const change of [{ money: 450 }, { money: null }, { currency: 'CNY' }, { account: 'other' }, { tradeNo: 'x' }]) {
    expect(await report('paid', { ...payment, ...change })).toBe(400);
  }
  expect(await report('created', payment)).toBe(204);
  expect(await balance()).toBe(0);
  for (let times = 0; times < 2; times++) expect(await report('paid', payment)).toBe(204);
  expect(await balance()).toBe(1_500_000);
  const { rows } = await pool.query('SELECT source, amount FROM ledger_entries');
  expect(rows).toEqual([{ source: `scripted:${order.tradeNo}`, amount: '1500000' }]);
  expect(await reconcile(pool)).toEqual([]);
});

describe('an order of a plan', () => {
  const before = 1_500_000;
  let planId: number;
  beforeAll(async () => {
    const { rows } = await pool.query<{ id: number }>(
      `INSERT INTO plans (name, price, period_unit, period_count, windows, overflow)
       VALUES ('Coder', 4995000, 'month', 1, '[{"span": "fixed", "kind": "money", "amount": 9}]', 'stop') RETURNING id`,
    );
    planId = rows[0]!.id;
  });
  const subscriptions = async (): Promise<unknown[]> =>
    (await pool.query('SELECT origin, paid, state FROM subscriptions ORDER BY id')).rows;
  const paymentOf = ({ tradeNo, money }: TopUpOrder): Payment => {
    return { tradeNo, id: `p of ${tradeNo}`, account: 'shop', money, currency: 'JPY' };
  };

  it('is credited, and buys the plan in the same transaction, once', async () => {
    // 9.99 USD at 150.4.
    const { order } = await wallet.payForPlan(buyer, planId, 'transfer', 'plan');
    expect(order).toMatchObject({ quota: 4_995_000, money: 1502, planId });
    expect((await wallet.payForPlan(buyer, planId, 'transfer', 'plan')).order.id).toBe(order.id);
    const { order: late } = await wallet.payForPlan(buyer, planId, 'transfer');
    expect(await report('paid', { ...paymentOf(order), money: 1501 })).toBe(400);
    expect(await subscriptions()).toEqual([]);
    await Promise.all([1, 2, 3].map(() => report('paid', paymentOf(order))));
    expect(await subscriptions()).toEqual([{ origin: 'order', paid: '4995000', state: 'active' }]);
    expect(logged.slice(-1)).toEqual(['Bought the plan Coder for $9.990000 quota']);
    expect(await balance()).toBe(before);
    // A second order of the plan that is running stays in the balance.
    expect(await report('paid', paymentOf(late))).toBe(204);
    expect(await subscriptions()).toHaveLength(1);
    expect(await balance()).toBe(before + 4_995_000);
    expect(await reconcile(pool)).toEqual([]);
  });

  it('stays in the balance when the plan costs more by then, is off sale, or cannot be bought', async () => {
    await pool.query(`UPDATE subscriptions SET state = 'ended'`);
    const change = (terms: string): Promise<unknown> => pool.query(`UPDATE plans SET ${terms} WHERE id = $1`, [planId]);
    const expectKept = async (): Promise<void> => {
      const { order } = await wallet.payForPlan(buyer, planId, 'transfer');
      const had = await balance();
      await changed();
      expect(await report('paid', paymentOf(order))).toBe(204);
      expect(await subscriptions()).toHaveLength(1);
      expect(await balance()).toBe(had + 4_995_000);
      await change(`price = 4995000, on_sale = true`);
    };
    let changed = () => change('price = 4995001');
    await expectKept();
    changed = () => change('on_sale = false');
    await expectKept();
    // Any error of the purchase leaves the payment credited, and is logged.
    await pool.query(`ALTER TABLE subscriptions ADD CONSTRAINT nothing_is_sold CHECK (state <> 'active') NOT VALID`);
    changed = () => Promise.resolve();
    logger.error.mockClear();
    await expectKept();
    await pool.query('ALTER TABLE subscriptions DROP CONSTRAINT nothing_is_sold');
    expect(logger.error).toHaveBeenCalledWith(
      expect.objectContaining({ planId }),
      'the plan of a paid order could not be bought',
    );
    // A plan that became cheaper is sold at its price, and the rest stays.
    const { order } = await wallet.payForPlan(buyer, planId, 'transfer');
    const had = await balance();
    await change('price = 4000000');
    expect(await report('paid', paymentOf(order))).toBe(204);
    expect((await subscriptions()).at(-1)).toEqual({ origin: 'order', paid: '4000000', state: 'active' });
    expect(await balance()).toBe(had + 995_000);
    expect(await reconcile(pool)).toEqual([]);
  });

  it('is refused while the buyer has the plan, and for a plan that is not on sale', async () => {
    await expect(wallet.payForPlan(buyer, planId, 'transfer')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(wallet.payForPlan(buyer, 2_000_000_000, 'transfer')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

it('tests the settings of the provider that is named, else of the one that is configured', async () => {
  const callbackUrl = 'https://gate.example.com/api/user/scripted/notify';
  expect(await tests.test(root)).toEqual({ outcome: 'WORKS', reply: 'shop', callbackUrl });
  expect(await tests.test(root, 'scripted')).toMatchObject({ outcome: 'WORKS' });
  expect(await tests.test(root, 'epay')).toMatchObject({ outcome: 'NOT_CONFIGURED' });
  await expect(tests.test(root, 'none')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

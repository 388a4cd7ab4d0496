import { setTimeout as sleep } from 'node:timers/promises';
import { siteEvents } from '../../server/src/shared/site-events.js';
import { Site, type Person } from './site.js';

/** Plans over GraphQL and REST: sold, bought, changed and refunded. `relay-plans.test.ts` tests the calls. */
let site: Site;
let root: Person;
let admin: Person;
let buyer: Person;

beforeAll(async () => {
  site = await Site.open({ DATABASE_POOL_SIZE: '10' });
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
});
afterAll(() => site.stop());
beforeEach(async () => {
  buyer = await site.invite(root);
  await site.expectSuccess(root, 'PUT', '/api/user/', { id: buyer.id, quota: 20_000_000 });
});

type Row = Record<string, unknown> & { readonly id: number };
const windows = [
  { window: '5h', kind: 'money', amount: 1_000_000 },
  { window: 'week', kind: 'requests', amount: 50 },
];
const newPlan = { name: 'Coder', price: 5_000_000, period_unit: 'day', period_count: 30, windows };

const balance = async (): Promise<number> =>
  Number((await site.query<{ quota: string }>('SELECT quota FROM users WHERE id = $1', [buyer.id]))[0]?.quota);
const entries = (source: string): Promise<unknown[]> =>
  site.query('SELECT kind, amount::float8 AS amount, actor_id, note FROM ledger_entries WHERE source = $1', [source]);

async function data(person: Person, method: string, path: string, body?: unknown): Promise<Row> {
  return (await site.expectSuccess(person, method, path, body)).body.data as Row;
}
const addPlan = (more: object = {}): Promise<Row> => data(admin, 'POST', '/api/plan/', { ...newPlan, ...more });

it('is created, changed, listed and deleted over GraphQL', async () => {
  const created = await site.graphql(
    admin,
    `mutation { createPlan(input: { name: " Team ", price: 7, periodUnit: MONTH, periodCount: 1, groups: ["vip"], models: ["gpt-*"],
       windows: [{ span: PERIOD, kind: TOKENS, amount: 9 }], overflow: WALLET, overflowRatio: 0.8, maxConcurrent: 5,
       onSale: false }) { plan { id name } replayed } }`,
  );
  const { id } = (created.data!['createPlan'] as { plan: Row }).plan;
  const fields = `id name description price periodUnit periodCount groups models maxConcurrent maxRequests overflow
    overflowRatio position onSale windows { span kind amount }`;
  const find = async (person: Person): Promise<unknown> => {
    const { data: found } = await site.graphql(person, `query { plans { ${fields} } }`);
    return (found!['plans'] as Row[]).find((one) => one.id === id);
  };
  const plan = {
    id,
    name: 'Team',
    description: '',
    price: 7,
    periodUnit: 'MONTH',
    periodCount: 1,
    groups: ['vip'],
    models: ['gpt-*'],
    maxConcurrent: 5,
    maxRequests: null,
    overflow: 'WALLET',
    overflowRatio: 0.8,
    position: 0,
    onSale: false,
    windows: [{ span: 'PERIOD', kind: 'TOKENS', amount: 9 }],
  };
  expect(await find(admin)).toEqual(plan);
  expect(await find(buyer)).toBeUndefined();
  const changed = await site.graphql(
    admin,
    `mutation { updatePlan(input: { id: ${id}, onSale: true, maxConcurrent: null, models: ["gpt-4o-*"] }) { plan { ${fields} } } }`,
  );
  const expected = { ...plan, onSale: true, maxConcurrent: null, models: ['gpt-4o-*'] };
  expect(changed.data).toEqual({ updatePlan: { plan: expected } });
  expect(await find(buyer)).toEqual(expected);
  await site.graphql(admin, `mutation { deletePlan(id: ${id}) { id } }`);
  expect([await find(admin), await find(buyer)]).toEqual([undefined, undefined]);
});

it.each([
  ['name', { name: ' ' }],
  ['price', { price: -1 }],
  ['periodCount', { period_count: 0 }],
  ['periodCount', { period_unit: 'month', period_count: 121 }],
  ['windows', { windows: [] }],
  ['windows', { windows: [{ window: 'day', kind: 'tokens', amount: 1 }] }],
  ['windows', { windows: [{ window: 'day', kind: 'money', amount: 0 }] }],
  ['overflowRatio', { overflow_ratio: 0 }],
  ['overflowRatio', { overflow_ratio: 1.01 }],
  ['maxConcurrent', { max_concurrent: 0 }],
])('refuses a wrong %s: %j', async (_field, wrong) => {
  const { body } = await site.rest(admin, 'POST', '/api/plan/', { ...newPlan, ...wrong });
  expect(body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
});

describe('a purchase', () => {
  it('is one ledger entry, with an immutable copy of the plan', async () => {
    const plan = await addPlan();
    const bought = await data(buyer, 'POST', '/api/plan/buy', { plan_id: plan.id, renews: true });
    expect(await entries(`plan:${bought.id}`)).toEqual([
      { kind: 'plan', amount: -5_000_000, actor_id: 0, note: 'Coder' },
    ]);
    expect(await balance()).toBe(15_000_000);
    await site.expectSuccess(admin, 'PUT', '/api/plan/', { id: plan.id, name: 'Other', price: 1 });
    const [own] = (await site.expectSuccess(buyer, 'GET', '/api/plan/self')).body.data as Row[];
    const start = Number(own!['starts_at']);
    expect(own).toMatchObject({
      id: bought.id,
      user_id: buyer.id,
      state: 'active',
      origin: 'purchase',
      paid: 5_000_000,
      renews: true,
      ends_at: start + 30 * 86_400,
      terms: { name: 'Coder', price: 5_000_000 },
      windows: [
        { window: '5h', kind: 'money', used: 0, held: 0, window_start: start, resets_at: start + 5 * 3600 },
        { window: 'week', kind: 'requests', window_start: start, resets_at: start + 7 * 86_400 },
      ],
    });
  });

  it('happens once, however often and wherever it is sent', async () => {
    const { id } = await addPlan();
    const send = (key: string) =>
      site.rest(buyer, 'POST', '/api/plan/buy', { plan_id: id }, { 'idempotency-key': key });
    const same = await Promise.all([send('one'), send('one'), send('one')]);
    const ids = same.map(({ body }) => (body.data as Row).id);
    expect(ids).toEqual(Array(3).fill(ids[0]));
    const others = await Promise.all([send('two'), send('three')]);
    expect(others.map(({ body }) => body['code'])).toEqual(['CONFLICT', 'CONFLICT']);
    expect(await balance()).toBe(15_000_000);
  });

  it('is refused without the balance, and for a plan that is not on sale', async () => {
    const dear = await addPlan({ price: 20_000_001 });
    const hidden = await addPlan({ on_sale: false });
    const codes = [];
    for (const { id } of [dear, hidden]) {
      codes.push((await site.rest(buyer, 'POST', '/api/plan/buy', { plan_id: id })).body['code']);
    }
    expect(codes).toEqual(['INSUFFICIENT_QUOTA', 'NOT_FOUND']);
    expect(await balance()).toBe(20_000_000);
    expect(await site.query('SELECT 1 FROM subscriptions WHERE account_id = $1', [buyer.id])).toEqual([]);
  });
});

it('an upgrade costs what it was quoted, and its receipt has the formula', async () => {
  const [small, large] = [await addPlan(), await addPlan({ name: 'Large', price: 9_000_000 })];
  const { id } = await data(buyer, 'POST', '/api/plan/buy', { plan_id: small.id });
  // Half of the period is over.
  await site.query(
    `UPDATE subscriptions SET starts_at = starts_at - interval '15 days', ends_at = ends_at - interval '15 days' WHERE id = $1`,
    [id],
  );
  const upgrade = `subscriptionId: ${id}, planId: ${large.id}`;
  const { data: quoted } = await site.graphql(
    buyer,
    `query { planUpgrade(${upgrade}) { price credit formula rest { paid left of span kind } } }`,
  );
  expect(quoted!['planUpgrade']).toMatchObject({
    price: 9_000_000,
    rest: { paid: 5_000_000, of: 2_592_000, span: null, kind: null },
  });
  const { data: answer } = await site.graphql(
    buyer,
    `mutation { upgradePlan(input: { ${upgrade} }) { subscription { id paid receipt { price credit formula } } } }`,
  );
  const { subscription } = answer!['upgradePlan'] as { subscription: Row & { paid: number; receipt: Row } };
  const { credit, formula } = subscription.receipt as unknown as { credit: number; formula: string };
  expect(Math.abs(credit - 2_500_000)).toBeLessThan(1000);
  expect(formula).toBe(
    `9000000 - min(9000000, floor(5000000 x ${Math.round((credit / 5_000_000) * 2_592_000)} / 2592000 (seconds))) = ${9_000_000 - credit}`,
  );
  expect(subscription.paid).toBe(9_000_000 - credit);
  expect(await balance()).toBe(20_000_000 - 5_000_000 - subscription.paid);
  expect(await site.query('SELECT state FROM subscriptions WHERE id = $1', [id])).toEqual([{ state: 'upgraded' }]);
});

describe('an upgrade beside', () => {
  /** Runs a statement in a transaction that stays open until so many others wait for it. */
  async function whileLocked<Result>(
    [statement, values]: readonly [sql: string, values: readonly unknown[]],
    act: () => Promise<Result>,
    count = 1,
  ): Promise<Result> {
    const connection = site.dataSource.createQueryRunner();
    try {
      await connection.startTransaction();
      await connection.query(statement, [...values]);
      const result = act();
      await waitingForLocks(count);
      await connection.commitTransaction();
      return await result;
    } finally {
      await connection.release();
    }
  }

  it('a call that reserves meanwhile credits nothing of what the call reserves', async () => {
    const whole = [{ window: 'fixed', kind: 'money', amount: 1_000_000 }];
    const [small, large] = [await addPlan({ windows: whole }), await addPlan({ price: 9_000_000, windows: whole })];
    const { id } = await data(buyer, 'POST', '/api/plan/buy', { plan_id: small.id });
    const [budget] = await site.query<{ i: number; s: number; e: number }>(
      `SELECT id AS i, extract(epoch FROM starts_at)::int AS s, extract(epoch FROM ends_at)::int AS e
         FROM budgets WHERE level = 'plan' AND subject_id = $1`,
      [id],
    );
    const { i, s, e } = budget!;
    const hold = { i, k: 'm', s, f: s, e, a: 500_000 };
    const call = { r: `upgrade-${id}`, u: buyer.id, t: 0, a: 500_000, m: 0, n: '', p: id, b: [hold] };
    const reservation = [
      `SELECT outcome FROM ledger_reserve_budgeted('another', $1)`,
      [JSON.stringify([call])],
    ] as const;
    const upgraded = await whileLocked([...reservation], () =>
      data(buyer, 'POST', '/api/plan/upgrade', { subscription_id: id, plan_id: large.id }),
    );
    await site.query('SELECT ledger_release($1, false)', [[call.r]]);
    expect(upgraded['receipt']).toMatchObject({ credit: 2_500_000 });
    expect(await balance()).toBe(20_000_000 - 5_000_000 - 6_500_000);
  });

  it('a purchase of the same plan ends in a refusal, not in a deadlock', async () => {
    const [small, large] = [await addPlan(), await addPlan({ price: 9_000_000 })];
    const { id } = await data(buyer, 'POST', '/api/plan/buy', { plan_id: small.id });
    const answers = await whileLocked(
      ['SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [buyer.id]],
      async () => {
        const upgraded = site.rest(buyer, 'POST', '/api/plan/upgrade', { subscription_id: id, plan_id: large.id });
        await waitingForLocks(1);
        return Promise.all([upgraded, site.rest(buyer, 'POST', '/api/plan/buy', { plan_id: large.id })]);
      },
      2,
    );
    expect(answers.map(({ body }) => body['code'] ?? body['success'])).toEqual([true, 'CONFLICT']);
  });

  /** Resolves once so many statements wait for locks. */
  async function waitingForLocks(count: number): Promise<void> {
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    while ((await site.query(waiting)).length < count) await sleep(20);
  }
});

it('a refund by an admin reverses the purchase once, with the reason', async () => {
  const plan = await addPlan();
  const { id } = await data(buyer, 'POST', '/api/plan/buy', { plan_id: plan.id });
  const refund = (person: Person, more: object) => site.rest(person, 'POST', '/api/plan/refund', { id, ...more });
  expect((await refund(buyer, { note: 'please' })).body['code']).toBe('INSUFFICIENT_PRIVILEGES');
  expect((await refund(admin, { note: ' ' })).body['code']).toBe('INVALID_INPUT');
  expect((await refund(admin, { note: 'too much', amount: 5_000_001 })).body['code']).toBe('INVALID_INPUT');
  const answers = await Promise.all(
    [1, 2, 3].map(() => refund(admin, { note: 'bought by mistake', amount: 4_000_000 })),
  );
  expect(answers.map(({ body }) => body['code'] ?? 'done').sort()).toEqual(['CONFLICT', 'CONFLICT', 'done']);
  expect(await balance()).toBe(19_000_000);
  expect(await entries(`plan:${id}:refund`)).toEqual([
    { kind: 'plan', amount: 4_000_000, actor_id: admin.id, note: 'bought by mistake' },
  ]);
  // The plan can be bought again.
  await data(buyer, 'POST', '/api/plan/buy', { plan_id: plan.id });
});

it('a code gives a plan once to each user, and stays unused while the user has the plan', async () => {
  const plan = await addPlan();
  const body = { name: 'gifts', quota: 1, plan_id: plan.id, is_gift: true, max_uses: 2, count: 1 };
  const [key] = (await site.expectSuccess(admin, 'POST', '/api/redemption/', body)).body.data as string[];
  const redeem = () => site.rest(buyer, 'POST', '/api/user/topup', { key });
  const bought = await data(buyer, 'POST', '/api/plan/buy', { plan_id: plan.id });
  expect((await redeem()).body['code']).toBe('CONFLICT');
  await site.expectSuccess(admin, 'POST', '/api/plan/refund', { id: bought.id, note: 'a code instead' });
  expect((await redeem()).body).toMatchObject({ success: true, data: { quota: 0, is_gift: true, plan: 'Coder' } });
  expect((await redeem()).body['code']).toBe('INVALID_INPUT');
  expect(await balance()).toBe(20_000_000);
  expect(
    await site.query('SELECT origin, paid FROM subscriptions WHERE account_id = $1 ORDER BY id', [buyer.id]),
  ).toEqual([
    { origin: 'purchase', paid: '5000000' },
    { origin: 'code', paid: '0' },
  ]);
  const unknown = { ...body, plan_id: 2_000_000_000 };
  expect((await site.rest(admin, 'POST', '/api/redemption/', unknown)).body['code']).toBe('INVALID_INPUT');
});

it('a plan opens its groups for keys while it runs', async () => {
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'GroupRatio', value: '{"default":1,"secret":2}' });
  const plan = await addPlan({ groups: ['secret'] });
  const token = { name: 'fast', expired_time: -1, remain_quota: 1, unlimited_quota: true, group: 'secret' };
  expect((await site.rest(buyer, 'POST', '/api/token/', token)).body['code']).toBe('INVALID_INPUT');
  const { id } = await data(buyer, 'POST', '/api/plan/buy', { plan_id: plan.id });
  await site.expectSuccess(buyer, 'POST', '/api/token/', token);
  const groups = async () => (await data(buyer, 'GET', '/api/user/self/groups'))['secret'];
  expect(await groups()).toEqual({ desc: 'Opened by a plan', ratio: 2 });
  await site.expectSuccess(admin, 'POST', '/api/plan/refund', { id, note: 'a mistake' });
  expect(await groups()).toBeUndefined();
});

it('renewal is switched by the owner only', async () => {
  const plan = await addPlan();
  const { id } = await data(buyer, 'POST', '/api/plan/buy', { plan_id: plan.id });
  const set = (person: Person, renews: boolean) =>
    site.rest(person, 'PUT', '/api/plan/renewal', { subscription_id: id, renews });
  expect((await set(buyer, true)).body.data).toMatchObject({ renews: true });
  expect((await set(admin, false)).body['code']).toBe('NOT_FOUND');
  expect((await set(buyer, false)).body.data).toMatchObject({ renews: false });
});

it('an admin stops the renewal of a user of a lower rank, with an entry of the audit log, and the period goes on', async () => {
  const plan = await addPlan();
  const { id } = await data(buyer, 'POST', '/api/plan/buy', { plan_id: plan.id, renews: true });
  const stop = (person: Person, subscription = id) =>
    site.rest(person, 'POST', '/api/plan/renewal/stop', { id: subscription });
  expect((await stop(buyer)).body['code']).toBe('INSUFFICIENT_PRIVILEGES');
  expect((await stop(admin, 2_000_000_000)).body['code']).toBe('NOT_FOUND');
  expect((await stop(admin)).body.data).toMatchObject({ id, state: 'active', renews: false });
  // A second time changes nothing.
  const again = `mutation { stopPlanRenewal(input: { id: ${id} }) { subscription { renews state } } }`;
  expect((await site.graphql(admin, again)).data!['stopPlanRenewal']).toEqual({
    subscription: { renews: false, state: 'ACTIVE' },
  });
  expect(
    await site.query(
      `SELECT actor_id, changes FROM audit_entries WHERE action = 'stopPlanRenewal' AND subject = 'user' AND subject_id = $1`,
      [String(buyer.id)],
    ),
  ).toEqual([
    {
      actor_id: admin.id,
      changes: [
        { field: 'renews', before: 'true', after: 'false' },
        { field: 'subscription', before: null, after: String(id) },
      ],
    },
  ]);
  expect(
    await site.query(`SELECT content FROM logs WHERE user_id = $1 AND content LIKE '%renewal%'`, [buyer.id]),
  ).toEqual([{ content: 'Administrator stopped the renewal of the plan Coder' }]);
  expect(await balance()).toBe(15_000_000);

  await site.expectSuccess(root, 'PUT', '/api/user/', { id: admin.id, quota: 5_000_000 });
  const own = await data(admin, 'POST', '/api/plan/buy', { plan_id: plan.id, renews: true });
  const peer = await site.invite(root, 'admin');
  expect((await stop(peer, own.id)).body['code']).toBe('INSUFFICIENT_PRIVILEGES');
  await site.query(`UPDATE subscriptions SET state = 'ended' WHERE id = $1`, [own.id]);
  expect((await stop(root, own.id)).body['code']).toBe('CONFLICT');
});

it('admins give plans, and list those of all users', async () => {
  const plan = await addPlan();
  const given = await data(admin, 'POST', '/api/plan/grant', { user_id: buyer.id, plan_id: plan.id, note: 'a gift' });
  expect(given).toMatchObject({ origin: 'grant', paid: 0, note: 'a gift', user_id: buyer.id });
  expect(await balance()).toBe(20_000_000);
  const { data: listed } = await site.graphql(
    admin,
    `query { planSubscriptions(filter: { planId: ${plan.id}, state: ACTIVE }) { totalCount items { id username account { id } plan { name } } } }`,
  );
  const row = { id: given.id, username: buyer.username, account: { id: buyer.id }, plan: { name: 'Coder' } };
  expect(listed!['planSubscriptions']).toEqual({ totalCount: 1, items: [row] });
});

it('the history of balances leaves out what plans paid, and names purchases', async () => {
  const hour = 3_600_000;
  const now = Date.now();
  const rangeTo = (until: number): string =>
    `{ from: "${new Date(now - 4 * hour).toISOString()}", until: "${new Date(until).toISOString()}" }`;
  const history = async (): Promise<number[]> => {
    const { data: read, text } = await site.graphql(
      root,
      `query { liabilities(bucket: HOUR, range: ${rangeTo(now + 1000)}) { balances } }`,
    );
    if (!read) throw new Error(text);
    return (read['liabilities'] as Array<{ balances: number }>).map(({ balances }) => balances);
  };
  const before = await history();
  const at = Math.floor(now / hour) * 3600 - 3600;
  await site.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, quota)
     VALUES ($1, $2, 0, 0, 'gpt-4o', 'default', 1, 700)`,
    [at, buyer.id],
  );
  await site.query('INSERT INTO plan_usage_hourly (hour, account_id, quota) VALUES ($1, $2, 700)', [at, buyer.id]);
  expect(await history()).toEqual(before);
  const ofPlans = async (): Promise<number> => {
    const range = rangeTo(now + hour);
    const { data: credits } = await site.graphql(root, `query { credits(range: ${range}) { source deducted } }`);
    return (credits!['credits'] as Array<{ source: string; deducted: number }>)
      .filter(({ source }) => source === 'PLAN')
      .reduce((sum, { deducted }) => sum + deducted, 0);
  };
  // Upgrades of other tests cost what the time between two requests makes of them.
  const paid = await ofPlans();
  const plan = await addPlan({ price: 12_345 });
  await data(buyer, 'POST', '/api/plan/buy', { plan_id: plan.id });
  expect((await ofPlans()) - paid).toBe(12_345);
});

describe('a free plan', () => {
  it('is bought again only after the end of its last period, whatever became of it', async () => {
    const free = await addPlan({ name: 'Free', price: 0 });
    const paid = await addPlan();
    const { id } = await data(buyer, 'POST', '/api/plan/buy', { plan_id: free.id });
    await data(buyer, 'POST', '/api/plan/upgrade', { subscription_id: id, plan_id: paid.id });
    const again = () => site.rest(buyer, 'POST', '/api/plan/buy', { plan_id: free.id });
    expect((await again()).body['code']).toBe('CONFLICT');
    await site.query(
      `UPDATE subscriptions SET starts_at = starts_at - interval '31 days', ends_at = ends_at - interval '31 days' WHERE id = $1`,
      [id],
    );
    expect((await again()).body).toMatchObject({ success: true });
  });

  it('is not upgraded to another free one, nor any plan to one of its price', async () => {
    for (const price of [0, 1_000_000]) {
      const [one, other] = [await addPlan({ price }), await addPlan({ price })];
      const { id } = await data(buyer, 'POST', '/api/plan/buy', { plan_id: one.id });
      const upgrade = { subscription_id: id, plan_id: other.id };
      expect((await site.rest(buyer, 'POST', '/api/plan/upgrade', upgrade)).body['code']).toBe('INVALID_INPUT');
      const quote = `query { planUpgrade(subscriptionId: ${id}, planId: ${other.id}) { price } }`;
      expect((await site.graphql(buyer, quote)).codes).toEqual(['INVALID_INPUT']);
    }
  });
});

it('two upgrades at once cost the price of the last plan, and a refund returns all of it', async () => {
  const prices = [2_000_000, 4_000_000, 10_000_000];
  const ids = [];
  for (const price of prices) ids.push((await addPlan({ price })).id);
  let { id } = await data(buyer, 'POST', '/api/plan/buy', { plan_id: ids[0] });
  for (const planId of ids.slice(1)) {
    ({ id } = await data(buyer, 'POST', '/api/plan/upgrade', { subscription_id: id, plan_id: planId }));
  }
  // A few seconds of the period may have passed.
  const paid = 20_000_000 - (await balance());
  expect(Math.abs(paid - 10_000_000)).toBeLessThan(100);
  const refund = (amount?: number) => site.rest(admin, 'POST', '/api/plan/refund', { id, note: 'a mistake', amount });
  expect((await refund(10_000_001)).body['code']).toBe('INVALID_INPUT');
  expect((await refund()).body.data).toMatchObject({ state: 'refunded', refunded: 10_000_000 });
  expect(await balance()).toBe(20_000_000 - paid + 10_000_000);
});

it('admins neither give nor refund plans of their own or a higher rank', async () => {
  const plan = await addPlan({ price: 0 });
  const other = await site.invite(root, 'admin');
  const give = (user_id: number) =>
    site.rest(admin, 'POST', '/api/plan/grant', { user_id, plan_id: plan.id, note: 'a gift' });
  for (const { id } of [admin, other, root]) {
    expect((await give(id)).body['code']).toBe('INSUFFICIENT_PRIVILEGES');
    const own = await data(root, 'POST', '/api/plan/grant', { user_id: id, plan_id: plan.id, note: 'a gift' });
    const refund = { id: own.id, note: 'mine' };
    expect((await site.rest(admin, 'POST', '/api/plan/refund', refund)).body['code']).toBe('INSUFFICIENT_PRIVILEGES');
  }
});

it('an upgrade and a refund are events for the systems of the operator', async () => {
  const [small, large] = [await addPlan(), await addPlan({ price: 6_000_000 })];
  const { id } = await data(buyer, 'POST', '/api/plan/buy', { plan_id: small.id });
  const next = await data(buyer, 'POST', '/api/plan/upgrade', { subscription_id: id, plan_id: large.id });
  await data(admin, 'POST', '/api/plan/refund', { id: next.id, note: 'a mistake' });
  const events = await site.query<{ kind: keyof typeof siteEvents; data: { plan: object } }>(
    `SELECT kind, data FROM site_events WHERE kind LIKE 'plan.%' AND data #>> '{user,id}' = $1 ORDER BY id`,
    [String(buyer.id)],
  );
  expect(events).toMatchObject([
    { kind: 'plan.bought', data: { plan: { id, origin: 'purchase', paid: 5_000_000 } } },
    { kind: 'plan.bought', data: { plan: { id: next.id, origin: 'upgrade' } } },
    { kind: 'plan.refunded', data: { plan: { id: next.id, returned: 6_000_000 } } },
  ]);
  for (const { kind, data: sent } of events) siteEvents[kind].data.parse(sent);
});

it('the end of a plan is a notice to its account, with the reason when it was not renewed', async () => {
  const plan = await addPlan({ price: 15_000_000 });
  const { id } = await data(buyer, 'POST', '/api/plan/buy', { plan_id: plan.id, renews: true });
  await site.query(
    `UPDATE subscriptions SET starts_at = starts_at - interval '31 days', ends_at = ends_at - interval '31 days' WHERE id = $1`,
    [id],
  );
  const notices = () =>
    site.query<{ type: string; text: string }>(`SELECT type, content AS text FROM notices WHERE user_id = $1`, [
      buyer.id,
    ]);
  // The server ends plans every five seconds.
  for (let tries = 0; tries < 80 && (await notices()).length === 0; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(await notices()).toEqual([
    { type: 'plan_ended', text: 'The plan {{value}} has ended, because your balance is too low: {{value}}' },
  ]);
});

it('counts what a plan paid neither in the days for which a balance lasts nor in their order', async () => {
  const person = await site.invite(root);
  const at = Math.floor(Date.now() / 3_600_000) * 3600 - 7200;
  const use = (quota: number) =>
    site.query(
      `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, quota)
       VALUES ($1, $2, 0, 0, $3, 'default', 1, $4)`,
      [at, person.id, `model-${quota}`, quota],
    );
  await use(700);
  await site.query('INSERT INTO plan_usage_hourly (hour, account_id, quota) VALUES ($1, $2, 700)', [at, person.id]);
  await site.query('UPDATE users SET quota = 100 WHERE id = $1', [person.id]);
  const days = async (more = '') =>
    (
      await site.graphql(
        root,
        `{ users(filter: { ids: [${person.id}] ${more} }, sort: [{ field: DAYS_LEFT }]) { items { daysLeft } } }`,
      )
    ).data?.['users'];
  expect(await days()).toEqual({ items: [{ daysLeft: null }] });
  expect(await days('daysLeftBelow: 2')).toEqual({ items: [] });
  await use(70);
  expect(await days()).toEqual({ items: [{ daysLeft: 10 }] });
});

describe('clients of new-api', () => {
  const summary = async (): Promise<Record<string, unknown>> => data(buyer, 'GET', '/api/subscription/self');

  it('list the plans on sale with the amount of the longest window', async () => {
    const weekly = [...windows, { window: 'week', kind: 'money', amount: 3_000_000 }];
    const { id } = await addPlan({ windows: weekly, overflow: 'wallet', position: -1 });
    const short = await addPlan({ windows: [windows[0]] });
    const hidden = await addPlan({ on_sale: false });
    const listed = async (person: Person): Promise<Row[]> =>
      (
        (await site.expectSuccess(person, 'GET', '/api/subscription/plans')).body.data as Array<{ readonly plan: Row }>
      ).map(({ plan }) => plan);
    const found = await listed(buyer);
    expect(found.find((plan) => plan.id === id)).toMatchObject({
      title: 'Coder',
      price_amount: 10,
      currency: 'USD',
      duration_unit: 'day',
      duration_value: 30,
      enabled: true,
      sort_order: 1,
      allow_wallet_overflow: true,
      total_amount: 3_000_000,
      quota_reset_period: 'weekly',
      quota_reset_custom_seconds: 0,
    });
    expect(found.find((plan) => plan.id === short.id)).toMatchObject({
      sort_order: 0,
      allow_wallet_overflow: false,
      total_amount: 1_000_000,
      quota_reset_period: 'custom',
      quota_reset_custom_seconds: 5 * 3600,
    });
    expect((await listed(admin)).map((plan) => plan.id)).not.toContain(hidden.id);
  });

  it('buy a plan from the balance, for one period', async () => {
    const { id } = await addPlan();
    await site.expectSuccess(buyer, 'POST', '/api/subscription/balance/pay', { plan_id: id });
    expect(await balance()).toBe(15_000_000);
    const { subscriptions } = (await summary()) as { subscriptions: Array<{ subscription: object }> };
    expect(subscriptions).toMatchObject([{ subscription: { plan_id: id, status: 'active', source: 'order' } }]);
    expect(await site.query('SELECT renews, paid FROM subscriptions WHERE account_id = $1', [buyer.id])).toEqual([
      { renews: false, paid: '5000000' },
    ]);
    const refused = async (plan_id: unknown): Promise<unknown> => {
      const { status, body } = await site.rest(buyer, 'POST', '/api/subscription/balance/pay', { plan_id });
      return [status, body['success'], body['code']];
    };
    const hidden = await addPlan({ on_sale: false });
    const dear = await addPlan({ price: 15_000_001 });
    expect(await refused(id)).toEqual([200, false, 'CONFLICT']);
    expect(await refused(hidden.id)).toEqual([200, false, 'NOT_FOUND']);
    expect(await refused(dear.id)).toEqual([200, false, 'INSUFFICIENT_QUOTA']);
    expect(await refused('all')).toEqual([200, false, 'INVALID_INPUT']);
    expect(await balance()).toBe(15_000_000);
  });

  it('read the own subscriptions, running and ended', async () => {
    expect(await summary()).toEqual({
      billing_preference: 'subscription_first',
      subscriptions: [],
      all_subscriptions: [],
    });
    const whole = await addPlan({ windows: [{ window: 'fixed', kind: 'money', amount: 9_000_000 }] });
    const bought = await data(buyer, 'POST', '/api/plan/buy', { plan_id: whole.id });
    const given = await data(root, 'POST', '/api/plan/grant', { user_id: buyer.id, plan_id: (await addPlan()).id });
    await data(root, 'POST', '/api/plan/refund', { id: bought.id, note: 'by mistake' });
    const start = Number(given['starts_at']);
    const running = {
      id: given.id,
      user_id: buyer.id,
      amount_total: 1_000_000,
      amount_used: 0,
      start_time: start,
      end_time: start + 30 * 86_400,
      status: 'active',
      source: 'admin',
      last_reset_time: start,
      next_reset_time: start + 5 * 3600,
    };
    const ended = { id: bought.id, plan_id: whole.id, amount_total: 9_000_000, status: 'cancelled', source: 'order' };
    expect(await summary()).toMatchObject({
      subscriptions: [{ subscription: running }],
      all_subscriptions: [{ subscription: running }, { subscription: ended }],
    });
  });
});

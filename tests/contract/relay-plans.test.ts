import { PlanSales } from '../../server/src/billing/plans/plan-sales.js';
import { newPlan, Plan, type PlanInput } from '../../server/src/billing/plans/plan.entity.js';
import { Subscription } from '../../server/src/billing/plans/subscription.entity.js';
import { SubscriptionKeeper } from '../../server/src/billing/plans/subscription.jobs.js';
import { postEntry } from '../../server/src/billing/ledger/post-entry.js';
import { siteEvents } from '../../server/src/shared/site-events.js';
import { json } from '../support/upstream/replies.js';
import { RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** Calls that a plan pays for (docs/reference/relay/plans.md). After each test the ledger is reconciled. */
let relay: RelayHarness;
const bought = Date.UTC(2026, 0, 31, 10, 20, 30);
let now = bought;
const clock = { now: () => now };
const hour = 3_600_000;
const day = 24 * hour;
const dollar = 500_000;
/** The price of a call of `gpt-4o`. */
const call = 15_000;

const values = {
  SelfUseModeEnabled: true,
  ModelPrice: { 'gpt-4o': 0.03, 'gpt-4o-mini': 0.01 },
  ModelRatio: { 'gpt-ratio': 0.5 },
  CompletionRatio: { 'gpt-ratio': 1 },
  GroupRatio: { default: 1, vip: 1 },
  UserUsableGroups: { default: 'Default' },
};
relaySuite((started) => (relay = started), { clock, values, settings: { maxBodyBytes: 4 * 1024 * 1024 } });
beforeEach(() => {
  now = bought;
});

const sales = new PlanSales(postEntry);
const plan = (given: Partial<PlanInput> = {}): PlanInput => ({
  ...newPlan,
  name: 'Coder',
  price: 10 * dollar,
  windows: [{ span: 'fixed', kind: 'money', amount: 2 * dollar }],
  ...given,
});

async function buy(accountId: number, given: Partial<PlanInput> = {}, renews = false): Promise<Subscription> {
  const subscription = await relay.dataSource.transaction(async (manager) => {
    const { id } = await manager.save(Plan, manager.create(Plan, plan(given)));
    return sales.buy(manager, await manager.findOneByOrFail(Plan, { id }), accountId, now, renews);
  });
  await relay.changed({ kind: 'user', id: accountId });
  return subscription;
}

const addBuyer = (quota: number, group = '') =>
  relay.addUser({ quota }).then((userId) => relay.addToken({ userId, group }));

interface Answer {
  readonly status: number;
  readonly code: unknown;
  readonly resetAt: unknown;
}
async function ask(key: string, body: object = {}, node = relay): Promise<Answer> {
  const response = await node.chat(key, { model: 'gpt-4o', messages: userMessage('hi'), ...body });
  const { error } = (await response.json()) as { error?: Record<string, unknown> };
  return { status: response.status, code: error?.['code'], resetAt: error?.['reset_at'] };
}

const useOf = async (subscription: Subscription): Promise<{ used: number; held: number }> => {
  const [row] = await relay.sql<{ used: string; held: string }>(
    'SELECT used, held FROM subscription_use WHERE subscription_id = $1',
    [subscription.id],
  );
  return { used: Number(row!.used), held: Number(row!.held) };
};
const windowsOf = async ({ id }: Subscription): Promise<Record<string, Array<[start: string, used: number]>>> => {
  const rows = await relay.sql<{ span: string; started_at: string; used: string }>(
    `SELECT b.span, w.started_at, w.used FROM budget_windows w JOIN budgets b ON b.id = w.budget_id
      WHERE b.level = 'plan' AND b.subject_id = $1 AND w.held = 0 ORDER BY 1, 2`,
    [id],
  );
  const found: Record<string, Array<[string, number]>> = {};
  for (const { span, started_at, used } of rows) {
    (found[span] ??= []).push([new Date(Number(started_at) * 1000).toISOString(), Number(used)]);
  }
  return found;
};

it('takes nothing from the balance; the log has the full price and the plan', async () => {
  await relay.addChannel();
  const { key, userId } = await addBuyer(10 * dollar);
  const subscription = await buy(userId);
  expect(await relay.balance(userId)).toMatchObject({ quota: 0 });
  expect(await ask(key)).toMatchObject({ status: 200 });
  expect(await relay.balance(userId)).toEqual({ quota: 0, used: call, requests: 1 });
  const [row] = await relay.logs(userId);
  expect(row).toMatchObject({ quota: call, other: { plan: { id: subscription.id, name: 'Coder' } } });
  expect(await useOf(subscription)).toEqual({ used: call, held: 0 });
  const entries = await relay.sql<{ amount: string }>(`SELECT amount FROM ledger_entries WHERE source = $1`, [
    `plan:${subscription.id}`,
  ]);
  expect(entries).toEqual([{ amount: String(-10 * dollar) }]);
});

it('finds drift of what plans paid', async () => {
  await relay.addChannel();
  const { key, userId } = await addBuyer(10 * dollar);
  const subscription = await buy(userId);
  await ask(key);
  await relay.idle();
  await relay.sql('UPDATE subscription_use SET used = used + 1, logged = logged + 1 WHERE subscription_id = $1', [
    subscription.id,
  ]);
  expect(await relay.drift()).toEqual([
    expect.objectContaining({ account: 'user balance', id: String(userId), expected: 1, found: 0 }),
    expect.objectContaining({ account: 'plan paid', expected: call, found: call + 1 }),
    expect.objectContaining({ account: 'plan paid by the hour', expected: call + 1, found: call }),
  ]);
  await relay.sql('UPDATE subscription_use SET used = used - 1, logged = logged - 1 WHERE subscription_id = $1', [
    subscription.id,
  ]);
});

describe('three windows at once, from the second of purchase', () => {
  let two: RelayHarness;
  beforeAll(async () => {
    two = await RelayHarness.start({ beside: relay, clock });
    two.setOptions(values);
  });
  afterAll(() => two.stop());

  const windows = [
    { span: '5h', kind: 'money', amount: 2 * dollar },
    { span: 'week', kind: 'money', amount: 3 * dollar },
    { span: 'month', kind: 'money', amount: 100 * dollar },
  ] as const;

  it.each(['stop', 'wallet'] as const)('200 parallel calls on two nodes pass none of them: %s', async (overflow) => {
    await relay.addChannel({ group: 'vip' });
    await two.changed({ kind: 'channel' });
    const wallet = 20 * call;
    const { key, userId } = await addBuyer(10 * dollar + wallet, 'vip');
    const subscription = await buy(userId, { windows: [...windows], groups: ['vip'], overflow });
    await two.changed({ kind: 'user', id: userId });
    const race = async (): Promise<Record<number, number>> => {
      const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => ask(key, {}, at % 2 ? two : relay)));
      await Promise.all([relay.idle(), two.idle()]);
      const counts: Record<number, number> = {};
      for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
      return counts;
    };
    const inPlan = Math.floor((2 * dollar) / call);
    const ofWallet = overflow === 'wallet' ? 20 : 0;
    const refusal = overflow === 'wallet' ? 403 : 429;
    expect(await race()).toEqual({ 200: inPlan + ofWallet, [refusal]: 200 - inPlan - ofWallet });
    expect(await useOf(subscription)).toEqual({ used: inPlan * call, held: 0 });
    expect((await relay.balance(userId)).quota).toBe(wallet - ofWallet * call);
    // The next five hours: the week has a dollar left.
    now = bought + 5 * hour;
    const ofWeek = Math.floor((3 * dollar - inPlan * call) / call);
    expect(await race()).toEqual({ 200: ofWeek, [refusal]: 200 - ofWeek });
    expect(await windowsOf(subscription)).toEqual({
      '5h': [
        ['2026-01-31T10:20:30.000Z', inPlan * call],
        ['2026-01-31T15:20:30.000Z', ofWeek * call],
      ],
      week: [['2026-01-31T10:20:30.000Z', (inPlan + ofWeek) * call]],
      month: [['2026-01-31T10:20:30.000Z', (inPlan + ofWeek) * call]],
    });
  });

  it('refuses with the reset of the window, and never past the expiry', async () => {
    await relay.addChannel();
    const { key, userId } = await addBuyer(10 * dollar);
    // 2026-01-31 plus a month is 2026-02-28.
    await buy(userId, { windows: [{ span: 'week', kind: 'requests', amount: 1 }] });
    const end = Date.UTC(2026, 1, 28, 10, 20, 30);
    expect(await ask(key)).toMatchObject({ status: 200 });
    expect(await ask(key)).toEqual({ status: 429, code: 'budget_exceeded', resetAt: (bought + 7 * day) / 1000 });
    now = bought + 22 * day;
    expect(await ask(key)).toMatchObject({ status: 200 });
    expect(await ask(key)).toEqual({ status: 429, code: 'budget_exceeded', resetAt: end / 1000 });
    // The plan has ended, and the balance is empty.
    now = end;
    expect(await ask(key)).toMatchObject({ status: 403, code: 'insufficient_user_quota' });
  });
});

it('pays from the balance at a discount when it has no room, exact to the unit', async () => {
  await relay.addChannel({ models: 'gpt-4o,gpt-ratio' });
  const { key, userId } = await addBuyer(11 * dollar);
  const subscription = await buy(userId, {
    windows: [{ span: 'fixed', kind: 'money', amount: call }],
    overflow: 'wallet',
    overflowRatio: 0.7,
  });
  await ask(key);
  await ask(key);
  expect((await relay.balance(userId)).quota).toBe(dollar - call * 0.7);
  const rows = await relay.logs(userId);
  expect(rows[1]).toMatchObject({
    quota: call * 0.7,
    other: { group_ratio: 0.7, plan_overflow: { id: subscription.id, name: 'Coder', ratio: 0.7 } },
  });
  expect(rows[1]!.other['plan']).toBeUndefined();
  expect(await useOf(subscription)).toEqual({ used: call, held: 0 });
  // Fractions of a unit are carried as ever: 11 tokens cost 11 x 0.5 x 0.7 = 3.85.
  const usage = { prompt_tokens: 4, completion_tokens: 7, total_tokens: 11 };
  const reply = { id: 'x', object: 'chat.completion', created: 1, model: 'gpt-ratio', usage };
  const choices = [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }];
  for (let at = 0; at < 20; at++) {
    relay.upstream.script({}, json({ ...reply, choices }));
    await ask(key, { model: 'gpt-ratio', max_tokens: 50 });
  }
  expect((await relay.balance(userId)).quota).toBe(dollar - call * 0.7 - 77);
  expect(await relay.unexplained()).toEqual([]);
});

it('lets the plan with the lowest position pay first, and the next one when it has no room', async () => {
  await relay.addChannel();
  const { key, userId } = await addBuyer(30 * dollar);
  const one = { windows: [{ span: 'fixed', kind: 'requests', amount: 1 }] } as const;
  const second = await buy(userId, { ...one, windows: [...one.windows], name: 'Second', position: 2 });
  const first = await buy(userId, { ...one, windows: [...one.windows], name: 'First', position: 1 });
  const other = await buy(userId, { models: ['gpt-4o-*'], name: 'Other models', position: 0 });
  const statuses = [await ask(key), await ask(key), await ask(key)].map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 429]);
  const names = (await relay.logs(userId)).map(({ other: { plan } }) => (plan as { name: string }).name);
  expect(names).toEqual(['First', 'Second']);
  await ask(key, { model: 'gpt-4o-mini' });
  expect(await useOf(other)).toEqual({ used: 5000, held: 0 });
  expect([await useOf(first), await useOf(second)]).toEqual([
    { used: call, held: 0 },
    { used: call, held: 0 },
  ]);
});

it('opens its groups, and pays in no other', async () => {
  await relay.addChannel({ group: 'default,vip' });
  const { key, userId } = await addBuyer(11 * dollar, 'vip');
  const { key: plain } = await relay.addToken({ userId });
  expect(await ask(key)).toMatchObject({ status: 403 });
  const subscription = await buy(userId, { groups: ['vip'] });
  expect(await ask(key)).toMatchObject({ status: 200 });
  expect(await ask(plain)).toMatchObject({ status: 200 });
  expect(await useOf(subscription)).toEqual({ used: call, held: 0 });
  expect((await relay.balance(userId)).quota).toBe(dollar - call);
});

it('keeps within the limit of the key, which counts what a plan pays', async () => {
  await relay.addChannel();
  const userId = await relay.addUser({ quota: 10 * dollar });
  const { key } = await relay.addToken({ userId, quota: call });
  await buy(userId);
  expect(await ask(key)).toMatchObject({ status: 200 });
  expect((await ask(key)).status).toBe(401);
});

it('releases what a failed call held in the plan', async () => {
  await relay.addChannel();
  const { key, userId } = await addBuyer(10 * dollar);
  const subscription = await buy(userId);
  relay.upstream.script({}, json({ error: { message: 'bad' } }, 400));
  expect(await ask(key)).toMatchObject({ status: 400 });
  await relay.idle();
  expect(await useOf(subscription)).toEqual({ used: 0, held: 0 });
  expect((await relay.balance(userId)).quota).toBe(0);
});

describe('a call that runs', () => {
  let notified: Array<[account: number, how: string]> = [];
  beforeEach(() => {
    notified = [];
  });
  const keeper = (): SubscriptionKeeper =>
    new SubscriptionKeeper({
      database: relay.dataSource,
      sales,
      changes: { announce: (change) => relay.changed(change) },
      notify: (_manager, { accountId }, { renewal, problem }) => {
        notified.push([accountId, renewal ? renewal.endsAt.toISOString() : problem]);
        return Promise.resolve();
      },
      orderRenewal: () => Promise.reject(new Error('no card was saved')),
      clock,
      logger: { warn: (details) => fail(details) },
    });
  const fail = (details: object): never => {
    throw new Error(JSON.stringify(details));
  };

  /** Starts a stream, ends the plan meanwhile, and reads the stream to its end. */
  async function during(key: string, meanwhile: () => Promise<unknown>): Promise<string> {
    const response = await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi'), stream: true });
    expect(response.status).toBe(200);
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    let text = decoder.decode((await reader.read()).value);
    await meanwhile();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return text;
      text += decoder.decode(value);
    }
  }

  it('settles in its plan when the plan ends during the stream', async () => {
    await relay.addChannel();
    const { key, userId } = await addBuyer(10 * dollar);
    const subscription = await buy(userId);
    const text = await during(key, async () => {
      now = subscription.endsAt.getTime() + 1000;
      await keeper().run();
    });
    expect(text).toContain('[DONE]');
    await relay.idle();
    expect(await useOf(subscription)).toEqual({ used: call, held: 0 });
    expect((await relay.balance(userId)).quota).toBe(0);
    expect((await relay.logs(userId))[0]).toMatchObject({ quota: call, other: { plan: { id: subscription.id } } });
    expect((await ask(key)).status).toBe(403);
  });

  it('settles in its plan when the plan is refunded meanwhile; the next call is not paid by it', async () => {
    await relay.addChannel();
    const { key, userId } = await addBuyer(10 * dollar);
    const subscription = await buy(userId);
    // The refund is not announced to the node, so only the ledger refuses.
    await during(key, () =>
      relay.dataSource.transaction((manager) =>
        sales.refund(manager, subscription.id, { amount: null, actorId: 1, note: 'a mistake', now }),
      ),
    );
    await relay.idle();
    expect(await useOf(subscription)).toEqual({ used: call, held: 0 });
    expect((await relay.balance(userId)).quota).toBe(10 * dollar);
    expect((await ask(key)).status).toBe(200);
    expect((await relay.balance(userId)).quota).toBe(10 * dollar - call);
  });

  it('is renewed once by two nodes, with windows of its own', async () => {
    await relay.addChannel();
    const { key, userId } = await addBuyer(20 * dollar);
    const subscription = await buy(userId, { windows: [{ span: 'fixed', kind: 'requests', amount: 1 }] }, true);
    await ask(key);
    expect((await ask(key)).status).toBe(429);
    now = subscription.endsAt.getTime();
    await Promise.all([keeper().run(), keeper().run(), keeper().run()]);
    expect(await relay.balance(userId)).toMatchObject({ quota: 0 });
    expect((await ask(key)).status).toBe(200);
    expect((await ask(key)).status).toBe(429);
    const all = await relay.dataSource
      .getRepository(Subscription)
      .find({ where: { accountId: userId }, order: { id: 1 } });
    expect(all.map(({ state, origin, previousId }) => ({ state, origin, previousId }))).toEqual([
      { state: 'ended', origin: 'purchase', previousId: null },
      { state: 'active', origin: 'renewal', previousId: subscription.id },
    ]);
    expect(all[1]!.startsAt).toEqual(subscription.endsAt);
    // The next renewal is not paid for.
    now = all[1]!.endsAt.getTime();
    await keeper().run();
    const ended = await relay.dataSource.getRepository(Subscription).findOneByOrFail({ id: all[1]!.id });
    expect(ended).toMatchObject({ state: 'ended', renewalProblem: 'INSUFFICIENT_QUOTA' });
    expect(notified).toEqual([
      [userId, all[1]!.endsAt.toISOString()],
      [userId, 'INSUFFICIENT_QUOTA'],
    ]);
    const events = await relay.sql<{ kind: string; data: { user: object; plan: object } }>(
      `SELECT kind, data FROM site_events WHERE kind LIKE 'plan.%' AND data #>> '{user,id}' = $1 ORDER BY id`,
      [String(userId)],
    );
    expect(events.map(({ kind }) => kind)).toEqual(['plan.bought', 'plan.renewed', 'plan.ended']);
    for (const { kind, data } of events) siteEvents[kind as 'plan.ended'].data.parse(data);
    expect(events[2]!.data.plan).toMatchObject({ id: ended.id, renewal_problem: 'INSUFFICIENT_QUOTA' });
    expect((await ask(key)).status).toBe(403);
  });

  it('is not renewed for a banned account', async () => {
    const { userId } = await addBuyer(20 * dollar);
    const subscription = await buy(userId, {}, true);
    await relay.sql(`UPDATE users SET status = 'banned' WHERE id = $1`, [userId]);
    now = subscription.endsAt.getTime();
    await keeper().run();
    expect(await relay.dataSource.getRepository(Subscription).findBy({ accountId: userId })).toEqual([
      expect.objectContaining({ state: 'ended', renewalProblem: 'USER_BANNED' }),
    ]);
    expect((await relay.balance(userId)).quota).toBe(10 * dollar);
  });
});

it('a free plan does not lift the limits for people without money; one that was paid for lifts that of bodies', async () => {
  await relay.addChannel();
  const large = { messages: userMessage('x'.repeat(1_200_000)) };
  const { key, userId } = await addBuyer(0);
  const free = await buy(userId, { price: 0 });
  expect(await ask(key, large)).toMatchObject({ status: 413 });
  expect(await ask(key)).toMatchObject({ status: 200 });
  expect(await useOf(free)).toEqual({ used: call, held: 0 });
  const { key: paying, userId: other } = await addBuyer(10 * dollar);
  await buy(other);
  expect((await relay.balance(other)).quota).toBe(0);
  expect(await ask(paying, large)).toMatchObject({ status: 200 });
  // Files are kept at the provider, and no plan pays for them.
  const form = new FormData();
  form.set('purpose', 'user_data');
  form.set('file', new Blob(['hello']), 'note.txt');
  const headers = { authorization: `Bearer ${paying}` };
  const response = await fetch(`${relay.url}/v1/files`, { method: 'POST', headers, body: form });
  expect(await response.json()).toMatchObject({ error: { code: 'insufficient_user_quota' } });
});

it('asks the ledger once for each exhausted plan, and only for the last one after that', async () => {
  await relay.addChannel();
  const { key, userId } = await addBuyer(20 * dollar);
  const windows = [{ span: '5h', kind: 'requests', amount: 1 } as const];
  const all = [];
  for (const position of [1, 2, 3])
    all.push(await buy(userId, { windows, position, price: dollar, overflow: 'wallet' }));
  for (let at = 0; at < 4; at++) expect(await ask(key)).toMatchObject({ status: 200 });
  await relay.idle();
  const reserve = jest.spyOn(relay.ledger, 'reserve');
  expect(await ask(key)).toMatchObject({ status: 200 });
  expect(reserve.mock.calls.map(([{ subscriptionId }]) => subscriptionId)).toEqual([all[2]!.id, undefined]);
  reserve.mockClear();
  // Their windows have room again.
  now = bought + 5 * hour;
  expect(await ask(key)).toMatchObject({ status: 200 });
  expect(reserve.mock.calls.map(([{ subscriptionId }]) => subscriptionId)).toEqual([all[0]!.id]);
  reserve.mockRestore();
});

it('an upgrade credits the smallest share that is left, with the formula', async () => {
  const { userId } = await addBuyer(40 * dollar);
  await relay.addChannel();
  const windows = [{ span: 'fixed', kind: 'money', amount: 2 * dollar }] as const;
  const period = { periodUnit: 'day', periodCount: 30 } as const;
  const old = await buy(userId, { ...period, windows: [...windows], price: 9_000_000 });
  now = bought + 10 * day;
  const next = await relay.dataSource.transaction(async (manager) => {
    const { id } = await manager.save(Plan, manager.create(Plan, plan({ name: 'Large', price: 10_000_000 })));
    return sales.upgrade(manager, old.id, userId, await manager.findOneByOrFail(Plan, { id }), now);
  });
  expect(next).toMatchObject({
    paid: 4_000_000,
    receipt: {
      price: 10_000_000,
      credit: 6_000_000,
      rest: { paid: 9_000_000, left: 20 * 86_400, of: 30 * 86_400, window: null },
      formula: '10000000 - min(10000000, floor(9000000 x 1728000 / 2592000 (seconds))) = 4000000',
    },
  });
  expect((await relay.balance(userId)).quota).toBe(40 * dollar - 9_000_000 - 4_000_000);
  // The rest of the second plan is what both have paid for it.
  const last = await relay.dataSource.transaction(async (manager) => {
    const { id } = await manager.save(Plan, manager.create(Plan, plan({ price: 15_000_000 })));
    return sales.upgrade(manager, next.id, userId, await manager.findOneByOrFail(Plan, { id }), now);
  });
  expect(last).toMatchObject({ paid: 5_000_000, receipt: { credit: 10_000_000 } });
  const refund = { amount: null, actorId: 1, note: 'a mistake', now };
  await relay.dataSource.transaction((manager) => sales.refund(manager, last.id, refund));
  expect((await relay.balance(userId)).quota).toBe(40 * dollar - 9_000_000 - 4_000_000 - 5_000_000 + 15_000_000);
});

it('raises the limit of calls per time, and never lowers it', async () => {
  await relay.addChannel();
  relay.setOptions({
    ...values,
    ModelRequestRateLimitEnabled: true,
    ModelRequestRateLimitDurationMinutes: 1,
    ModelRequestRateLimitCount: 3,
    ModelRequestRateLimitSuccessCount: 3,
  });
  const passed = async (maxRequests: number): Promise<number> => {
    const { key, userId } = await addBuyer(11 * dollar);
    await buy(userId, { maxRequests });
    let count = 0;
    for (let at = 0; at < 7; at++) if ((await ask(key)).status === 200) count++;
    return count;
  };
  expect([await passed(5), await passed(1)]).toEqual([5, 3]);
});

it('raises the limit of calls at once', async () => {
  await relay.addChannel();
  relay.setOptions({ ...values, ModelRequestUserInFlightLimit: 2 });
  const { key, userId } = await addBuyer(11 * dollar);
  await buy(userId, { maxConcurrent: 4 });
  const statuses = (await Promise.all(Array.from({ length: 6 }, () => ask(key)))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(4);
  expect(statuses.filter((status) => status === 429)).toHaveLength(2);
});

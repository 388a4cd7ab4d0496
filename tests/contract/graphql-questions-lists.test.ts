import { askQuestion, listQuestions, readingToken } from './question-page.js';
import { Site, type Person } from './site.js';

/** Questions of docs/graphql.md about orders, API keys and log rows, with their figures. */
let site: Site;
let root: Person;
let people: Person[];
let token: string;
const day = 24 * 3600;
const now = Math.floor(Date.now() / 1000);
const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();
const asked = new Set<number>();

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  people = [await site.invite(root), await site.invite(root)];
  token = await readingToken(site, root);
});
afterAll(() => site.stop());

function ask(number: number, variables: Record<string, unknown>): Promise<Record<string, never>> {
  asked.add(number);
  return askQuestion(site, token, number, variables);
}
const idOf = (index: number): number => people[index]?.id ?? 0;

it('10: unpaid orders older than an hour, the oldest first', async () => {
  const orders = [
    ['too-new', 0, 'pending', now - 1800, 700],
    ['waiting', 0, 'pending', now - 2 * 3600, 1250],
    ['given-up', 1, 'pending', now - 3 * day, 30],
    ['paid', 1, 'success', now - 2 * day, 9900],
    ['at-the-hour', 1, 'pending', now - 3600, 5],
  ] as const;
  for (const [tradeNo, user, status, created, money] of orders) {
    await site.query(
      `INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, money, currency, quota, status, created_at)
       VALUES ($1, $2, 'epay', 'merchant', 'alipay', $3, 'CNY', 500000, $4, to_timestamp($5))`,
      [idOf(user), tradeNo, money, status, created],
    );
  }
  const { topUps } = await ask(10, { anHourAgo: iso(now - 3600) });
  expect(topUps).toEqual({
    totalCount: 2,
    sums: { byCurrency: [{ amount: '12.80', currency: 'CNY' }] },
    items: [
      {
        tradeNo: 'given-up',
        status: 'EXPIRED',
        userId: idOf(1),
        createdAt: iso(now - 3 * day),
        money: { amount: '0.30', currency: 'CNY' },
      },
      {
        tradeNo: 'waiting',
        status: 'PENDING',
        userId: idOf(0),
        createdAt: iso(now - 2 * 3600),
        money: { amount: '12.50', currency: 'CNY' },
      },
    ],
  });
});

it('17: keys that expire within a week, or were not used for 90 days', async () => {
  const [today, old] = [now - (now % day), now - 100 * day];
  const keys = [
    // The columns are name, status, created, last used, expires and used quota.
    ['soon', 'enabled', old, now - day, today + 3 * day, 1],
    ['sooner', 'enabled', old, now - day, today + 2 * day, 1],
    ['next-week', 'enabled', old, now - day, today + 7 * day, 1],
    ['disabled', 'disabled', old, old + 10, today + day, 1],
    ['idle', 'enabled', old, old + 3600, null, 5],
    ['idle-longer', 'enabled', old - day, old - 60, null, 5],
    ['used', 'enabled', old, now - 89 * day, null, 5],
    ['never', 'enabled', old, null, null, 0],
    ['never-but-new', 'enabled', now - day, null, null, 0],
  ] as const;
  for (const [index, [name, status, created, used, expires, quota]] of keys.entries()) {
    await site.query(
      `INSERT INTO tokens (user_id, key_hash, key_prefix, key_sealed, name, status, created_at, last_used_at, expires_at,
         used_quota,
         unlimited_quota)
       VALUES ($1, $2, '', '', $3, $4, to_timestamp($5), to_timestamp($6), to_timestamp($7), $8, true)`,
      [idOf(index % 2), Buffer.from(`key ${name}`), name, status, created, used, expires, quota],
    );
  }
  interface Keys {
    readonly totalCount: number;
    readonly items: ReadonlyArray<{ readonly name: string; readonly userId: number }>;
  }
  const { expiring, unused, neverUsed } = (await ask(17, { ninetyDaysAgo: iso(now - 90 * day) })) as unknown as {
    [Name in 'expiring' | 'unused' | 'neverUsed']: Keys;
  };
  expect(expiring).toMatchObject({
    totalCount: 2,
    items: [
      { name: 'sooner', userId: idOf(1), expiresAt: iso(today + 2 * day) },
      { name: 'soon', userId: idOf(0), expiresAt: iso(today + 3 * day) },
    ],
  });
  expect(unused).toMatchObject({
    totalCount: 2,
    items: [
      { name: 'idle-longer', lastUsedAt: iso(old - 60) },
      { name: 'idle', lastUsedAt: iso(old + 3600) },
    ],
  });
  expect(neverUsed).toMatchObject({ totalCount: 1, items: [{ name: 'never', createdAt: iso(old) }] });
});

it('19: every call of one customer and of one request id, while new ones are logged', async () => {
  const log = (count: number, user: number, from: number): Promise<unknown> =>
    site.query(
      `INSERT INTO logs (created_at, request_id, type, user_id, username, model_name, quota, prompt_tokens, completion_tokens)
       SELECT $3::bigint + n / 7, 'r-' || $2::integer || '-' || ($3::bigint + n), CASE n % 5 WHEN 4 THEN 6 ELSE 2 END, $2,
              $4, 'm', n, n, 1
         FROM generate_series(1, $1::integer) n`,
      [count, idOf(user), from, people[user]?.username],
    );
  await Promise.all([log(251, 0, now - 5000), log(300, 1, now - 5000)]);
  interface Row {
    readonly id: number;
    readonly at: string;
    readonly requestId: string;
    readonly type: string;
    readonly quota: number;
    readonly usd: number;
  }
  interface Read {
    readonly logs: { items: Row[]; pageInfo: { endCursor: string | null; hasNextPage: boolean } };
  }
  const filter = { username: people[0]?.username, types: ['CONSUME', 'ERROR'] };
  const rows: Row[] = [];
  for (let after: string | null = null, more = true, page = 0; more; page++) {
    const { logs } = (await ask(19, { filter, after })) as unknown as Read;
    rows.push(...logs.items);
    ({ endCursor: after, hasNextPage: more } = logs.pageInfo);
    // Newer rows come first, so with offsets they would move all other rows.
    await log(30, 0, now + page);
  }
  expect(rows.map(({ requestId }) => requestId).sort()).toEqual(
    Array.from({ length: 251 }, (_, n) => `r-${idOf(0)}-${now - 5000 + n + 1}`).sort(),
  );
  expect(rows.reduce((sum, { quota }) => sum + quota, 0)).toBe((251 * 252) / 2);
  expect(rows.filter(({ type }) => type === 'ERROR')).toHaveLength(50);
  expect(rows.map(({ at }) => at)).toEqual([...rows.map(({ at }) => at)].sort().reverse());

  const one = (await ask(19, { filter: { requestId: rows[7]?.requestId } })) as unknown as Read;
  expect(one.logs).toEqual({ items: [rows[7]], pageInfo: { endCursor: expect.any(String), hasNextPage: false } });
});

it('45: plans that end within a week and are not renewed, and what plans sold this month', async () => {
  await site.query(
    `INSERT INTO plans (id, name, price, period_unit, period_count, windows, overflow)
     OVERRIDING SYSTEM VALUE SELECT n, 'Plan ' || n, 500, 'month', 1, '[]', 'stop' FROM generate_series(1, 9) n`,
  );
  const monthAgo = now - 40 * day;
  const sold = [
    // [plan, user, state, ends, renews, created, paid, refunded, used]
    [1, 0, 'active', now + 6 * day, false, now, 900, 0, 30],
    [2, 1, 'active', now + 2 * day, false, monthAgo, 700, 0, 20],
    [3, 0, 'active', now + 3 * day, true, now, 500, 0, 7],
    [4, 0, 'active', now + 8 * day, false, now, 11, 0, 0],
    [5, 1, 'refunded', now + 5 * day, false, now, 100, 60, 5],
    [6, 1, 'ended', now - day, false, monthAgo, 100, 0, 1],
  ] as const;
  for (const [plan, user, state, ends, renews, created, paid, refunded, used] of sold) {
    const terms = JSON.stringify({ name: `Plan ${plan}`, groups: [], models: [], windows: [] });
    await site.query(
      `WITH one AS (INSERT INTO subscriptions (account_id, plan_id, terms, state, origin, starts_at, ends_at, renews, created_at, paid, refunded)
         VALUES ($1, $2, $3, $4, 'purchase', to_timestamp($6), to_timestamp($5), $7, to_timestamp($6), $8, $9) RETURNING id)
       INSERT INTO subscription_use (subscription_id, account_id, used) SELECT id, $1, $10 FROM one`,
      [idOf(user), plan, terms, state, ends, created, renews, paid, refunded, used],
    );
  }
  const ending = (user: number, plan: number, ends: number, used: number): unknown => ({
    account: { username: people[user]?.username, email: null },
    terms: { name: `Plan ${plan}` },
    endsAt: iso(ends),
    used,
  });
  expect(await ask(45, {})).toEqual({
    ending: { totalCount: 2, items: [ending(1, 2, now + 2 * day, 20), ending(0, 1, now + 6 * day, 30)] },
    sold: { sums: { subscriptions: 4, paid: 1511, refunded: 60, used: 42 } },
  });
  const failed = await site.graphql(root, '{ planSubscriptions(filter: { failed: true }) { totalCount } }');
  expect(failed.data).toEqual({ planSubscriptions: { totalCount: 0 } });
});

it('46: refunds and disputes of this month', async () => {
  const orders = [
    ['kept', 0, []],
    ['returned', 0, [['refund', 'done', now, 300, 1500]]],
    ['long-ago', 1, [['refund', 'done', now - 40 * day, 300, 1]]],
    ['won', 1, [['dispute', 'undone', now, 300, 2]]],
    [
      'disputed',
      1,
      [
        ['dispute', 'undone', now - 40 * day, 100, 3],
        ['dispute', 'pending', now, 250, 4],
      ],
    ],
  ] as const;
  for (const [tradeNo, user, reversals] of orders) {
    const [order] = await site.query<{ id: number }>(
      `INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, money, currency, quota, status, created_at)
       VALUES ($1, $2, 'epay', 'merchant', 'alipay', 900, 'CNY', 500000, 'success', to_timestamp($3)) RETURNING id`,
      [idOf(user), tradeNo, now - 41 * day],
    );
    for (const [kind, state, at, money, taken] of reversals) {
      await site.query(
        `INSERT INTO top_up_reversals (order_id, kind, state, money, quota, taken, created_at)
         VALUES ($1, $2, $3, $4, $5, $5, to_timestamp($6))`,
        [order?.id, kind, state, money, taken, at],
      );
    }
  }
  const reversal = (kind: string, state: string, at: number, amount: string, quotaTaken: number): unknown => ({
    kind,
    state,
    createdAt: iso(at),
    money: { amount },
    quotaTaken,
  });
  const row = (tradeNo: string, user: number, reversals: readonly unknown[]): unknown => ({
    tradeNo,
    buyer: { username: people[user]?.username },
    money: { amount: '9.00', currency: 'CNY' },
    reversals,
  });
  expect(await ask(46, {})).toEqual({
    topUps: {
      totalCount: 2,
      items: [
        row('disputed', 1, [
          reversal('DISPUTE', 'UNDONE', now - 40 * day, '1.00', 3),
          reversal('DISPUTE', 'PENDING', now, '2.50', 4),
        ]),
        row('returned', 0, [reversal('REFUND', 'DONE', now, '3.00', 1500)]),
      ],
    },
  });
  const count = async (reversed: string): Promise<unknown> =>
    (await site.graphql(root, `{ topUps(filter: { reversed: ${reversed} }) { totalCount } }`)).data;
  expect(await count('{}')).toEqual({ topUps: { totalCount: 4 } });
  expect(await count('{ kinds: [DISPUTE] }')).toEqual({ topUps: { totalCount: 2 } });
  expect(await count('{ kinds: [] }')).toEqual({ topUps: { totalCount: 0 } });
});

it('has asked every question that it is to ask', () => {
  expect([...asked]).toEqual(listQuestions);
});

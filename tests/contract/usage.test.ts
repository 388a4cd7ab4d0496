import { Site, type Person } from './site.js';

let site: Site;
let root: Person;
let alice: Person;
let bob: Person;
let channel: number;
let token: { id: number; key: string };

const hour = 3600;
/** The start of this hour, so that all hours below are complete and in the past. */
const now = Math.floor(Date.now() / 1000 / hour) * hour;
const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

interface Used {
  readonly at: number;
  readonly user: Person;
  readonly model?: string;
  readonly group?: string;
  readonly tokenId?: number;
  readonly channelId?: number;
  readonly calls?: number;
  readonly failed?: number;
  readonly prompt?: number;
  readonly completion?: number;
  readonly quota?: number;
  readonly logged?: boolean;
  readonly durations?: number[];
  readonly milliseconds?: number;
}

const use = (used: Used): Promise<unknown> =>
  site.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, failed_calls, prompt_tokens,
       completion_tokens, cached_tokens, quota, logged_calls, logged_quota, duration_ms, duration_buckets)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, $11, $12, $13, $14, $15)`,
    [
      ...[
        used.at,
        used.user.id,
        used.tokenId ?? 0,
        used.channelId ?? 0,
        used.model ?? 'gpt-4o',
        used.group ?? 'default',
      ],
      ...[used.calls ?? 1, used.failed ?? 0, used.prompt ?? 10, used.completion ?? 5, used.quota ?? 100],
      ...(used.logged === false ? [0, 0] : [used.calls ?? 1, used.quota ?? 100]),
      ...[used.milliseconds ?? 1000, used.durations ?? []],
    ],
  );

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  alice = await site.invite(root);
  bob = await site.invite(root);
  await site.expectSuccess(root, 'POST', '/api/channel/', {
    name: 'main',
    type: 1,
    key: 'k',
    models: 'gpt-4o',
    group: 'default',
    base_url: 'http://127.0.0.1:9',
  });
  [{ id: channel } = { id: 0 }] = await site.query<{ id: number }>('SELECT id FROM channels');
  const made = { name: 'dev', expired_time: -1, remain_quota: 400_000, unlimited_quota: false };
  token = (await site.expectSuccess(alice, 'POST', '/api/token/', made)).body.data as typeof token;
});
afterAll(() => site.stop());
beforeEach(async () => {
  await site.query('DELETE FROM usage_hourly');
  await use({
    at: now - 2 * hour,
    user: alice,
    tokenId: token.id,
    channelId: channel,
    quota: 500_000,
    calls: 4,
    failed: 1,
  });
  await use({ at: now - 2 * hour, user: bob, model: 'o1', quota: 200 });
  await use({ at: now - hour, user: alice, model: 'o1', group: 'vip', quota: 300, calls: 2 });
  await use({ at: now - 40 * 24 * hour, user: alice, quota: 7 });
});

async function usage(person: Person, fields: string, args: string): Promise<unknown> {
  const name = person === root ? 'usage' : 'myUsage';
  const { data, text } = await site.graphql(person, `{ ${name}(${args}) { totalCount items { ${fields} } } }`);
  if (!data?.[name]) throw new Error(text);
  return data[name];
}

const refused = async (person: Person, query: string): Promise<string[]> => (await site.graphql(person, query)).codes;

describe('usage over GraphQL', () => {
  it('counts the groups of all pages on every page', async () => {
    const count = async (args: string): Promise<unknown> => {
      const { data } = await site.graphql(
        root,
        `{ usage(groupBy: [MODEL, USER], ${args}) { totalCount pageInfo { endCursor } items { key { modelName } } } }`,
      );
      return data?.['usage'];
    };
    expect(await count('page: 7, pageSize: 2')).toMatchObject({ totalCount: 3, items: [] });
    const order = 'orderBy: [{ metric: KEY, direction: ASC }], pageSize: 1';
    const first = (await count(order)) as { totalCount: number; pageInfo: { endCursor: string } };
    expect(first.totalCount).toBe(3);
    const second = await count(`${order}, after: "${first.pageInfo.endCursor}"`);
    expect(second).toMatchObject({ totalCount: 3, items: [expect.anything()] });
  });

  it('ranks the top groups by quota where only the order of time is given', async () => {
    const args =
      'groupBy: [USER], bucket: DAY, range: { calendar: LAST_7_DAYS }, top: 1, orderBy: [{ metric: TIME, direction: ASC }]';
    await site.query('UPDATE usage_hourly SET quota = 900000 WHERE user_id = $1', [bob.id]);
    const { items } = (await usage(root, 'key { userId }', args)) as { items: unknown[] };
    expect(items[0]).toEqual({ key: { userId: bob.id } });
  });

  it('compares with a calendar period of another time zone', async () => {
    const { data } = await site.graphql(
      root,
      `{ usage(compareTo: { range: { calendar: YESTERDAY, timeZone: "Asia/Tokyo" } }) { comparedRange { from until } } }`,
    );
    const { from } = (data?.['usage'] as { comparedRange: { from: string } }).comparedRange;
    expect(new Date(from).getUTCHours()).toBe(15);
  });

  it('reads a calendar period of one time zone in buckets of another', async () => {
    const query = (zones: string, more = '') =>
      `{ usage(range: { calendar: YESTERDAY, timeZone: "Asia/Tokyo" }${zones}, bucket: DAY, fill: true${more}) {
           range { from until timeZone } comparedRange { from until } items { time } } }`;
    interface Read {
      readonly range: { readonly from: string; readonly until: string; readonly timeZone: string };
      readonly comparedRange: { readonly from: string; readonly until: string } | null;
      readonly items: ReadonlyArray<{ readonly time: string }>;
    }
    const read = async (text: string): Promise<Read> => (await site.graphql(root, text)).data?.['usage'] as Read;
    const utcHours = (times: readonly string[]) => times.map((time) => new Date(time).getUTCHours());
    const mixed = await read(query(', timeZone: "America/Phoenix"', ', compareTo: { period: PREVIOUS_CALENDAR }'));
    expect(utcHours([mixed.range.from, mixed.range.until])).toEqual([15, 15]);
    expect(utcHours(mixed.items.map(({ time }) => time))).toEqual([7, 7]);
    expect(mixed.range.timeZone).toBe('America/Phoenix');
    expect(mixed.comparedRange?.until).toBe(mixed.range.from);
    // Without a time zone of its own, the range has the time zone of the buckets.
    const alone = await read(query(''));
    expect(alone.range).toEqual({ ...mixed.range, timeZone: 'Asia/Tokyo' });
    expect(utcHours(alone.items.map(({ time }) => time))).toEqual([15]);
  });

  it('adds up the last 30 days by a dimension, most quota first, with names', async () => {
    expect(
      await usage(root, 'key { userId username } metrics { calls quota usd totalTokens }', 'groupBy: [USER]'),
    ).toEqual({
      totalCount: 2,
      items: [
        {
          key: { userId: alice.id, username: alice.username },
          metrics: { calls: 6, quota: 500_300, usd: 1.0006, totalTokens: 30 },
        },
        {
          key: { userId: bob.id, username: bob.username },
          metrics: { calls: 1, quota: 200, usd: 0.0004, totalTokens: 15 },
        },
      ],
    });
    expect(await usage(root, 'key { tokenName }', 'groupBy: [TOKEN], pageSize: 1')).toMatchObject({
      items: [{ key: { tokenName: 'dev' } }],
    });
    expect(await usage(root, 'key { channelName }', 'groupBy: [CHANNEL], pageSize: 1')).toMatchObject({
      items: [{ key: { channelName: 'main' } }],
    });
    expect(await usage(root, 'key { group } metrics { quota }', 'groupBy: [GROUP]')).toMatchObject({
      items: [
        { key: { group: 'default' }, metrics: { quota: 500_200 } },
        { key: { group: 'vip' }, metrics: { quota: 300 } },
      ],
    });
  });

  it('crosses dimensions with buckets, in the order of time and key', async () => {
    const row = (at: number, modelName: string, quota: number) => ({
      time: iso(at),
      until: iso(at + hour),
      key: { modelName, username: null },
      metrics: { quota },
    });
    expect(
      await usage(root, 'time until key { modelName username } metrics { quota }', 'bucket: HOUR, groupBy: [MODEL]'),
    ).toEqual({
      totalCount: 3,
      items: [row(now - 2 * hour, 'gpt-4o', 500_000), row(now - 2 * hour, 'o1', 200), row(now - hour, 'o1', 300)],
    });
  });

  it('has UTC days, and half-open ranges', async () => {
    const day = Math.floor((now - 40 * 24 * hour) / 86_400) * 86_400;
    const within = (from: number, until: number) =>
      usage(root, 'time metrics { quota }', `bucket: DAY, range: { from: "${iso(from)}", until: "${iso(until)}" }`);
    const all = { totalCount: 1, items: [{ time: iso(day), metrics: { quota: 7 } }] };
    expect(await within(day, day + 86_400)).toEqual(all);
    const at = now - 40 * 24 * hour;
    expect(await within(at, at + hour)).toEqual(all);
    // The end `until` is exclusive.
    expect(await within(at - hour, at)).toEqual({ totalCount: 0, items: [] });
  });

  it('filters, orders and pages', async () => {
    const byModel = 'groupBy: [MODEL], orderBy: { metric: CALLS, direction: ASC }, pageSize: 1';
    expect(await usage(root, 'key { modelName } metrics { calls }', `${byModel}, page: 1`)).toEqual({
      totalCount: 2,
      items: [{ key: { modelName: 'gpt-4o' }, metrics: { calls: 4 } }],
    });
    const filter = `filter: { userIds: [${alice.id}], models: ["o1"], groups: ["vip"] }, range: { from: "${iso(now - hour)}" }`;
    expect(await usage(root, 'metrics { quota }', `groupBy: [USER], ${filter}`)).toEqual({
      totalCount: 1,
      items: [{ metrics: { quota: 300 } }],
    });
  });

  it('reads on by cursor', async () => {
    const keys: unknown[] = [];
    let after = '';
    for (let hasNextPage = true; hasNextPage;) {
      const args = `bucket: HOUR, groupBy: [MODEL, USER], pageSize: 1 ${after && `, after: "${after}"`}`;
      const query = `{ usage(${args}) { items { time key { modelName userId } } pageInfo { endCursor hasNextPage } } }`;
      const { data, text } = await site.graphql(root, query);
      if (!data) throw new Error(text);
      const page = data['usage'] as { items: unknown[]; pageInfo: { endCursor: string; hasNextPage: boolean } };
      keys.push(...page.items);
      ({ hasNextPage, endCursor: after } = page.pageInfo);
    }
    expect(keys).toEqual([
      { time: iso(now - 2 * hour), key: { modelName: 'gpt-4o', userId: alice.id } },
      { time: iso(now - 2 * hour), key: { modelName: 'o1', userId: bob.id } },
      { time: iso(now - hour), key: { modelName: 'o1', userId: alice.id } },
    ]);
  });

  it('knows users by their whole name, and nothing of an unknown name', async () => {
    const of = (username: string, more = '') => `groupBy: [USER], filter: { usernames: ["${username}"]${more} }`;
    expect(await usage(root, 'key { userId } metrics { quota }', of(bob.username))).toEqual({
      totalCount: 1,
      items: [{ key: { userId: bob.id }, metrics: { quota: 200 } }],
    });
    for (const unknown of [of('%'), of(bob.username.slice(1)), of(bob.username, `, userIds: [${alice.id}]`)]) {
      expect(await usage(root, 'metrics { quota }', unknown)).toEqual({ totalCount: 0, items: [] });
    }
  });

  it('reports mean and quantiles of durations, and the share that failed', async () => {
    await site.query('DELETE FROM usage_hourly');
    // 19 calls within 50 ms, one between 750 ms and a second.
    await use({
      at: now - hour,
      user: bob,
      calls: 20,
      milliseconds: 1800,
      durations: [19, 0, 0, 0, 0, 0, 1],
      failed: 5,
    });
    await use({ at: now - 2 * hour, user: bob, calls: 0, milliseconds: 0, quota: 0 });
    const fields = 'averageMs p95: latencyMs p99: latencyMs(quantile: 0.99) errorRate failedCalls firstTokenMs';
    expect(await usage(root, `metrics { ${fields} }`, 'bucket: HOUR')).toEqual({
      totalCount: 2,
      items: [
        { metrics: { averageMs: null, p95: null, p99: null, errorRate: null, failedCalls: 0, firstTokenMs: null } },
        { metrics: { averageMs: 90, p95: 50, p99: 950, errorRate: 0.2, failedCalls: 5, firstTokenMs: null } },
      ],
    });
    expect(await refused(root, '{ usage { total { latencyMs(quantile: 0) } } }')).toEqual(['INVALID_INPUT']);
  });

  it('orders by the 95th percentile, whether it is shown or not', async () => {
    await use({ at: now - hour, user: bob, model: 'slow', durations: [0, 0, 0, 0, 0, 0, 1] });
    await use({ at: now - hour, user: bob, model: 'quick', durations: [9, 1] });
    const by = (direction: string) => `groupBy: [MODEL], orderBy: { metric: P95_MS, direction: ${direction} }`;
    const shown = (models: Array<[string, number | null]>) => ({
      items: models.map(([modelName, latencyMs]) => ({ key: { modelName }, metrics: { latencyMs } })),
    });
    expect(await usage(root, 'key { modelName } metrics { latencyMs }', by('DESC'))).toMatchObject(
      shown([
        ['slow', 988],
        ['quick', 75],
        ['gpt-4o', null],
        ['o1', null],
      ]),
    );
    expect(await usage(bob, 'key { modelName }', by('ASC'))).toMatchObject({
      items: ['quick', 'slow', 'o1'].map((modelName) => ({ key: { modelName } })),
    });
  });

  it('shows users their own usage, never by channel, never of others, and no costs', async () => {
    expect(await usage(bob, 'key { userId } metrics { quota }', 'groupBy: [USER]')).toEqual({
      totalCount: 1,
      items: [{ key: { userId: bob.id }, metrics: { quota: 200 } }],
    });
    for (const query of [
      '{ myUsage(groupBy: [CHANNEL]) { totalCount } }',
      '{ myUsage(groupBy: [PROVIDER]) { totalCount } }',
      `{ myUsage(filter: { userIds: [${alice.id}] }) { totalCount } }`,
      `{ myUsage(filter: { channelIds: [${channel}] }) { totalCount } }`,
      '{ myUsage { total { cost { marginUsd } } } }',
      '{ usage { totalCount } }',
    ]) {
      expect([query, await refused(bob, query)]).toEqual([query, ['INSUFFICIENT_PRIVILEGES']]);
    }
  });

  it.each([
    ['groupBy: [USER, USER]'],
    ['top: 3'],
    ['bucket: MINUTE_5, groupBy: [USER], range: { calendar: TODAY }'],
    ['groupBy: [USER], orderBy: { metric: QUOTA, of: RATIO }'],
    ['groupBy: [USER], pageSize: 5001'],
    ['page: 0, after: "x"'],
    [`range: { from: "${iso(now)}", until: "${iso(now - hour)}" }`],
  ])('refuses %s', async (args) => {
    expect(await refused(root, `{ usage(${args}) { totalCount } }`)).toEqual(['INVALID_INPUT']);
  });

  it('compares a range with the one before it, and reports the ranges that were added up', async () => {
    const range = `range: { from: "${iso(now - hour)}", until: "${iso(now)}" }, compareTo: { period: PREVIOUS }`;
    const fields = `range { from until timeZone } comparedRange { from until } total { quota calls latencyMs }
      comparedTotal { quota calls errorRate } items { change { quota calls } }`;
    const { data } = await site.graphql(root, `{ usage(${range}) { ${fields} } }`);
    expect(data?.['usage']).toEqual({
      range: { from: iso(now - hour), until: iso(now), timeZone: 'UTC' },
      comparedRange: { from: iso(now - 2 * hour), until: iso(now - hour) },
      total: { quota: 300, calls: 2, latencyMs: null },
      comparedTotal: { quota: 500_200, calls: 5, errorRate: 1 / 6 },
      items: [{ change: { quota: (300 - 500_200) / 500_200, calls: -0.6 } }],
    });
    const mine = await site.graphql(bob, `{ myUsage(${range}) { total { quota } comparedTotal { quota } } }`);
    expect(mine.data?.['myUsage']).toEqual({ total: { quota: 0 }, comparedTotal: { quota: 200 } });
  });

  it('stands beside users, tokens and channels, and is zero without calls', async () => {
    const range = `range: { from: "${iso(now - 2 * hour)}", until: "${iso(now)}" }`;
    const { data, text } = await site.graphql(
      root,
      `{ users(pageSize: 10) { items { username usage(${range}) { calls quota latencyMs } } }
         tokens { items { name usage(${range}) { quota } } } channels { items { name usage(${range}) { quota cost { coverage } } } } }`,
    );
    if (!data) throw new Error(text);
    expect(data['users']).toMatchObject({
      items: expect.arrayContaining([
        { username: alice.username, usage: { calls: 6, quota: 500_300, latencyMs: null } },
        { username: bob.username, usage: { calls: 1, quota: 200, latencyMs: null } },
        { username: 'root', usage: { calls: 0, quota: 0, latencyMs: null } },
      ]) as object[],
    });
    expect(data['tokens']).toEqual({ items: [{ name: 'dev', usage: { quota: 500_000 } }] });
    expect(data['channels']).toEqual({ items: [{ name: 'main', usage: { quota: 500_000, cost: { coverage: 0 } } }] });
    const own = await site.graphql(bob, `{ me { usage(${range}) { quota } } }`);
    expect(own.data).toEqual({ me: { usage: { quota: 200 } } });
    expect(await refused(bob, '{ me { usage { cost { usd } } } }')).toEqual(['INSUFFICIENT_PRIVILEGES']);
  });

  it('keeps a failing question from emptying its neighbours', async () => {
    const { data, codes } = await site.graphql(bob, '{ mine: myUsage { total { quota } } usage { totalCount } }');
    expect([data, codes]).toEqual([{ mine: { total: { quota: 200 } }, usage: null }, ['INSUFFICIENT_PRIVILEGES']]);
  });
});

describe('/api/data', () => {
  const range = `start_timestamp=${now - 24 * hour}&end_timestamp=${now}`;
  const row = (model: string, at: number, quota: number, count: number) => ({
    id: 0,
    user_id: 0,
    username: '',
    model_name: model,
    created_at: at,
    token_used: 15,
    count,
    quota,
  });

  it('sums over all users by model and hour', async () => {
    const { body } = await site.expectSuccess(root, 'GET', `/api/data/?${range}&default_time=hour`);
    expect(body.data).toEqual([
      row('gpt-4o', now - 2 * hour, 500_000, 4),
      row('o1', now - 2 * hour, 200, 1),
      row('o1', now - hour, 300, 2),
    ]);
  });

  it('shows one user by name, and nothing for a name nobody has', async () => {
    const { body } = await site.expectSuccess(root, 'GET', `/api/data/?${range}&username=${bob.username}`);
    expect(body.data).toEqual([
      { ...row('o1', now - 2 * hour, 200, 1), id: 1, user_id: bob.id, username: bob.username },
    ]);
    expect((await site.expectSuccess(root, 'GET', `/api/data?${range}&username=%25`)).body.data).toEqual([]);
  });

  it('shows users their own, a month at most', async () => {
    const { body } = await site.expectSuccess(bob, 'GET', `/api/data/self/?${range}`);
    expect(body.data).toEqual([
      { ...row('o1', now - 2 * hour, 200, 1), id: 1, user_id: bob.id, username: bob.username },
    ]);
    const long = `start_timestamp=${now - 2_592_001}&end_timestamp=${now}`;
    expect((await site.rest(bob, 'GET', `/api/data/self?${long}`)).body).toEqual({
      success: false,
      message: 'Time span must not exceed 1 month',
      code: 'INVALID_INPUT',
    });
    await site.expectSuccess(bob, 'GET', `/api/data/self?start_timestamp=NaN&end_timestamp=`);
  });

  it('hides calls without a log row, and everything while nothing is exported', async () => {
    await use({ at: now - 3 * hour, user: bob, model: 'silent', logged: false });
    const { body } = await site.expectSuccess(root, 'GET', `/api/data/?${range}`);
    expect(JSON.stringify(body)).not.toContain('silent');
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'DataExportEnabled', value: 'false' });
    expect((await site.expectSuccess(root, 'GET', `/api/data/?${range}`)).body.data).toEqual([]);
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'DataExportEnabled', value: 'true' });
  });
});

describe('billing with an API key', () => {
  const ask = (path: string, key: string) => site.rest(null, 'GET', path, undefined, { authorization: key });
  const set = (options: Record<string, boolean>) =>
    Promise.all(
      Object.entries(options).map(([key, value]) =>
        site.expectSuccess(root, 'PUT', '/api/option/', { key, value: String(value) }),
      ),
    );
  const subscription = (limit: number, until = 0) => ({
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: until,
  });

  beforeAll(() => site.query('UPDATE tokens SET used_quota = 100000 WHERE id = $1', [token.id]));
  afterEach(async () => {
    await set({ DisplayTokenStatEnabled: true, DisplayInCurrencyEnabled: true });
    await site.query("UPDATE tokens SET status = 'enabled', unlimited_quota = false, expires_at = NULL WHERE id = $1", [
      token.id,
    ]);
    await site.query("UPDATE users SET status = 'enabled'");
  });

  it.each(['/dashboard/billing', '/v1/dashboard/billing'])('answers what the key has and used at %s', async (path) => {
    for (const form of [`Bearer sk-${token.key}`, `sk-${token.key}`, token.key, `Bearer ${token.key}-7`]) {
      expect((await ask(`${path}/subscription`, form)).body).toEqual(subscription(1));
    }
    const used = await ask(`${path}/usage?start_date=2026-01-01&end_date=2026-02-01`, `Bearer sk-${token.key}`);
    expect(used.body).toEqual({ object: 'list', total_usage: 20 });
    expect(used.headers.get('cache-control')).toBe('no-store');
  });

  it('answers points, an unlimited key, an expiry, or the owner’s balance', async () => {
    const path = '/v1/dashboard/billing';
    await set({ DisplayInCurrencyEnabled: false });
    expect((await ask(`${path}/subscription`, token.key)).body).toEqual(subscription(500_000));
    expect((await ask(`${path}/usage`, token.key)).body).toEqual({ object: 'list', total_usage: 10_000_000 });
    await set({ DisplayInCurrencyEnabled: true });
    await site.query('UPDATE tokens SET unlimited_quota = true, expires_at = to_timestamp(4102444800) WHERE id = $1', [
      token.id,
    ]);
    expect((await ask(`${path}/subscription`, token.key)).body).toEqual(subscription(100_000_000, 4_102_444_800));
    await set({ DisplayTokenStatEnabled: false });
    expect((await ask(`${path}/subscription`, token.key)).body).toEqual(subscription(0));
    expect((await ask(`${path}/usage`, token.key)).body).toEqual({ object: 'list', total_usage: 0 });
  });

  it('answers balance and figures as OpenRouter does', async () => {
    const now = new Date();
    const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()) / 1000;
    const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) / 1000;
    const monday = midnight - ((now.getUTCDay() + 6) % 7) * 86_400;
    const used: ReadonlyArray<readonly [hour: number, quota: number]> = [
      [midnight, 50_000],
      [monday - 3600, 5000],
      [first - 3600, 500],
      [Math.min(first, monday) - 3600, 50],
    ];
    const key = async (path: string) =>
      (await ask(path, `Bearer sk-${token.key}`)).body as { data: Record<string, number> };
    const { data: before } = await key('/v1/key');
    for (const [at, [hour, quota]] of used.entries()) {
      await site.query(
        `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", quota)
         VALUES ($1, $2, $3, 0, $4, 'openrouter', $5)`,
        [hour, alice.id, token.id, `m${at}`, quota],
      );
    }
    const since = (start: number): number =>
      used.reduce((sum, [hour, quota]) => sum + (hour >= start ? quota : 0), 0) / 500_000;
    const figures = {
      label: expect.any(String) as string,
      limit: 1,
      limit_remaining: 0.8,
      limit_reset: null,
      usage: 0.2,
      usage_daily: expect.closeTo(since(midnight) + (before['usage_daily'] ?? NaN)) as number,
      usage_weekly: expect.closeTo(since(monday) + (before['usage_weekly'] ?? NaN)) as number,
      usage_monthly: expect.closeTo(since(first) + (before['usage_monthly'] ?? NaN)) as number,
      is_free_tier: false,
      expires_at: null,
    };
    for (const path of ['/v1/key', '/v1/auth/key']) expect(await key(path)).toMatchObject({ data: figures });
    expect((await ask('/v1/credits', token.key)).body).toEqual({ data: { total_credits: 1, total_usage: 0.2 } });
    await set({ DisplayTokenStatEnabled: false });
    expect((await ask('/v1/credits', token.key)).body).toEqual({ data: { total_credits: 0, total_usage: 0 } });
    await set({ DisplayTokenStatEnabled: true });
    await site.query('UPDATE tokens SET unlimited_quota = true, expires_at = to_timestamp(4102444800) WHERE id = $1', [
      token.id,
    ]);
    expect((await ask('/v1/key', token.key)).body).toMatchObject({
      data: { limit: null, limit_remaining: null, expires_at: '2100-01-01T00:00:00.000Z' },
    });
    expect(await ask('/v1/key', 'sk-nothing')).toMatchObject({
      status: 401,
      body: { error: { type: 'veloera_error' } },
    });
    await site.query(`DELETE FROM usage_hourly WHERE "group" = 'openrouter'`);
    await site.query(`UPDATE tokens SET allow_ips = '{203.0.113.1}' WHERE id = $1`, [token.id]);
    for (const path of ['/v1/credits', '/v1/key', '/v1/auth/key']) {
      expect(await ask(path, token.key)).toMatchObject({
        status: 403,
        body: { error: { message: expect.stringContaining('IP') as string } },
      });
    }
    await site.query(`UPDATE tokens SET allow_ips = '{}' WHERE id = $1`, [token.id]);
  });

  it('answers a call of the key, and of no other, as OpenRouter does', async () => {
    const at = Math.floor(Date.now() / 1000);
    const insert = (requestId: string, tokenId: number, type: number, other = {}) =>
      site.query(
        `INSERT INTO logs (created_at, request_id, type, user_id, token_id, model_name, quota, prompt_tokens,
                           completion_tokens, use_time, is_stream, other)
         VALUES ($1, $2, $3, $4, $5, 'gpt-4o', 1250, 100, 20, 3, true, $6)`,
        [at, requestId, type, alice.id, tokenId, JSON.stringify(other)],
      );
    const details = { cache_tokens: 64, reasoning_tokens: 7, frt: 420, duration_ms: 2600, client_gone: true };
    await insert('generation1', token.id, 2, { ...details, admin_info: { use_channel: ['7'], upstream_cost: 0.001 } });
    await insert('generation2', token.id, 2, { frt: -1000 });
    await insert('generation3', token.id + 1000, 2);
    await insert('generation4', token.id, 6);
    const generation = (id: string) => ask(`/v1/generation?id=${id}`, `Bearer sk-${token.key}`);
    const unknown = ['upstream_id', 'provider_name', 'cache_discount', 'upstream_inference_cost', 'app_id'];
    const more = ['finish_reason', 'native_finish_reason', 'moderation_latency', 'num_search_results'];
    const media = ['num_media_prompt', 'num_media_completion'];
    expect((await generation('generation1')).body).toEqual({
      data: {
        ...Object.fromEntries([...unknown, ...more, ...media].map((name) => [name, null])),
        id: 'generation1',
        created_at: new Date(at * 1000).toISOString(),
        model: 'gpt-4o',
        total_cost: 0.0025,
        usage: 0.0025,
        tokens_prompt: 100,
        tokens_completion: 20,
        native_tokens_prompt: 100,
        native_tokens_completion: 20,
        native_tokens_cached: 64,
        native_tokens_reasoning: 7,
        streamed: true,
        cancelled: true,
        generation_time: 2600,
        latency: 420,
        is_byok: false,
        origin: '',
      },
    });
    expect((await generation('chatcmpl-generation2')).body).toMatchObject({
      data: { id: 'chatcmpl-generation2', generation_time: 3000, latency: 3000, cancelled: false },
    });
    for (const id of ['generation3', 'generation4', 'none', '', 'a-']) {
      expect(await generation(id)).toMatchObject({ status: 404, body: { error: { type: 'veloera_error' } } });
    }
    expect((await ask('/v1/generation?id=generation1', 'sk-nothing')).status).toBe(401);
    await site.query(`UPDATE tokens SET allow_ips = '{203.0.113.1}' WHERE id = $1`, [token.id]);
    expect((await generation('generation1')).status).toBe(403);
    await site.query(`UPDATE tokens SET allow_ips = '{}' WHERE id = $1`, [token.id]);
    await site.query("DELETE FROM logs WHERE request_id LIKE 'generation_'");
  });

  it('lets a key that expired or ran out read what it used, and no other', async () => {
    const status = async (value: string) => {
      await site.query('UPDATE tokens SET status = $1 WHERE id = $2', [value, token.id]);
      return (await ask('/dashboard/billing/usage', token.key)).status;
    };
    expect([await status('expired'), await status('exhausted'), await status('disabled')]).toEqual([200, 200, 401]);
    await status('enabled');
    await site.query("UPDATE users SET status = 'banned' WHERE id = $1", [alice.id]);
    const banned = await ask('/dashboard/billing/usage', token.key);
    expect([banned.status, banned.body]).toMatchObject([403, { error: { type: 'veloera_error' } }]);
  });

  it.each(['', 'Bearer', 'Bearer sk-', 'Bearer sk-nothing', `sk-${'x'.repeat(5000)}`])(
    'refuses the key %j',
    async (key) => {
      const { status, body } = await ask('/v1/dashboard/billing/subscription', key);
      expect([status, body]).toEqual([
        401,
        {
          error: {
            message: expect.stringMatching(/\(request id: \w+\)$/) as string,
            type: 'veloera_error',
            param: '',
            code: null,
          },
        },
      ]);
    },
  );

  it('answers what the key has in the form of new-api', async () => {
    const usage = async (key: string) => (await ask('/api/usage/token/', key)).body;
    await site.query(`UPDATE tokens SET model_limits_enabled = true, model_limits = '{gpt-4o,o1}' WHERE id = $1`, [
      token.id,
    ]);
    const expected = {
      object: 'token_usage',
      name: expect.any(String) as string,
      total_granted: 500_000,
      total_used: 100_000,
      total_available: 400_000,
      unlimited_quota: false,
      model_limits: { 'gpt-4o': true, o1: true },
      model_limits_enabled: true,
      expires_at: 0,
    };
    for (const form of [`Bearer sk-${token.key}`, `sk-${token.key}`, token.key]) {
      expect(await usage(form)).toEqual({ success: true, code: true, message: 'ok', data: expected });
    }
    await site.query(
      `UPDATE tokens SET unlimited_quota = true, expires_at = to_timestamp(4102444800), model_limits_enabled = false, model_limits = '{}'
        WHERE id = $1`,
      [token.id],
    );
    expect(await usage(token.key)).toMatchObject({
      data: { unlimited_quota: true, expires_at: 4_102_444_800, model_limits: {}, model_limits_enabled: false },
    });
    await site.query("UPDATE tokens SET status = 'exhausted' WHERE id = $1", [token.id]);
    expect(await usage(token.key)).toMatchObject({ success: true });
    for (const form of ['', 'Bearer sk-nothing']) {
      const { status, body } = await ask('/api/usage/token', form);
      expect([status, body]).toMatchObject([401, { success: false, message: expect.stringMatching(/./) as string }]);
    }
  });

  it('may be asked by a page of another site, without credentials', async () => {
    const answer = await site.rest(null, 'GET', '/v1/dashboard/billing/usage', undefined, {
      authorization: token.key,
      origin: 'https://elsewhere.example',
    });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

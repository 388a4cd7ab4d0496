import { operator } from './operator.js';
import { Site, type Person } from './site.js';

/* Figures that dashboards read: usage of unusual ranges, `channelRetries`, `ledgerTotals`, `userGrowth`, and sums of lists. */

let site: Site;
let root: Person;
const now = Math.floor(Date.now() / 1000);

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
});
afterAll(() => site.stop());

async function read(document: string): Promise<Record<string, unknown>> {
  const { data, codes } = await site.graphql(root, document);
  expect(codes).toEqual([]);
  return data ?? {};
}

describe('channelRetries', () => {
  /** @param asJsonb whether `other` has the format of Postgres's jsonb, as for failed calls and calls with budgets */
  const log = (type: 2 | 6, servedBy: number, tried: number[], { aborted = 0, asJsonb = false } = {}) => {
    const attempt = aborted ? { aborted_attempt: { channel: String(aborted), after_ms: 900 } } : {};
    const other = { request_path: '/v1/messages', admin_info: { use_channel: tried.map(String), ...attempt } };
    return site.query(
      `INSERT INTO logs (created_at, type, user_id, channel_id, model_name, other)
       VALUES ($1, $2, 1, $3, 'm', ${asJsonb ? '$4::jsonb::text' : '$4::text'})`,
      [now - 60, type, servedBy, JSON.stringify(other)],
    );
  };
  const retries = async () =>
    (await read('{ channelRetries { channelId passedOn takenOver failedLast } }'))['channelRetries'];
  const row = (channelId: number, passedOn: number, takenOver: number, failedLast: number) => ({
    channelId,
    passedOn,
    takenOver,
    failedLast,
  });
  beforeEach(() => site.query('DELETE FROM logs'));

  it('counts failed calls and calls with budgets, whose details Postgres has written', async () => {
    await log(6, 22, [21, 22], { asJsonb: true });
    await log(2, 22, [21, 22], { asJsonb: true });
    await log(2, 22, [21, 22]);
    expect(await retries()).toEqual([row(21, 3, 0, 0), row(22, 0, 2, 1)]);
  });

  it('counts a call once for a channel of which several keys were tried', async () => {
    await log(2, 22, [21, 21, 22, 22]);
    await log(2, 21, [21, 21]);
    await log(6, 21, [21, 21], { asJsonb: true });
    expect(await retries()).toEqual([row(21, 1, 0, 0), row(22, 0, 1, 0)]);
  });

  it('leaves out an attempt that was aborted because another one was faster', async () => {
    await log(2, 21, [21, 22], { aborted: 22 });
    await log(2, 22, [21, 22], { aborted: 21, asJsonb: true });
    expect(await retries()).toEqual([]);
    await log(2, 22, [23, 21, 22], { aborted: 21 });
    expect(await retries()).toEqual([row(23, 1, 0, 0), row(22, 0, 1, 0)]);
  });
});

describe('amounts that no balance can have', () => {
  const largest = 9_000_000_000_000_000;

  it('are totals of users, of codes and of the ledger', async () => {
    const [one, two] = [await site.invite(root), await site.invite(root)];
    await site.query('UPDATE users SET quota = $1 WHERE id = ANY ($2)', [largest, [one.id, two.id]]);
    await read(
      `mutation { createRedemptions(input: { batch: "large", quota: ${largest}, kind: GIFT, maxUses: 3000 }) { replayed } }`,
    );
    const { users, redemptions, redemptionBatches, ledgerTotals } = await read(
      `{ users(filter: { ids: [${one.id}, ${two.id}] }) { totalCount sums { quota usd } }
         redemptions(filter: { batch: "large" }) { sums { unusedQuota } }
         redemptionBatches(names: ["large"]) { items { quotaOpen } }
         ledgerTotals { balances unusedCodes liability } }`,
    );
    expect(users).toEqual({ totalCount: 2, sums: { quota: 2 * largest, usd: (2 * largest) / 500_000 } });
    expect(redemptions).toEqual({ sums: { unusedQuota: 3000 * largest } });
    expect(redemptionBatches).toEqual({ items: [{ quotaOpen: 3000 * largest }] });
    const { balances, unusedCodes, liability } = ledgerTotals as Record<string, number>;
    expect(balances).toBeGreaterThanOrEqual(2 * largest);
    expect([unusedCodes, liability]).toEqual([3000 * largest, expect.closeTo(3002 * largest, -12)]);
    await site.query("DELETE FROM redemptions WHERE name = 'large'");
    await site.query('UPDATE users SET quota = 0 WHERE id = ANY ($1)', [[one.id, two.id]]);
  });
});

describe('userGrowth', () => {
  let person: Person;
  beforeAll(async () => (person = await site.invite(root)));
  const signedUp = (at: string) => site.query('UPDATE users SET created_at = $1 WHERE id = $2', [at, person.id]);
  const growth = async (args: string) => {
    const { userGrowth } = await read(`{ userGrowth(${args}) { time users } }`);
    return (userGrowth as Array<{ time: string; users: number }>).map(({ time, users }) => [time, users]);
  };

  it('counts days of a half-hour zone, and a range to the second', async () => {
    await signedUp('2020-03-01T18:29:59Z');
    const days = 'timeZone: "Asia/Kolkata", bucket: DAY, range:';
    expect(await growth(`${days} { from: "2020-02-29T18:30:00Z", until: "2020-03-02T18:30:00Z" }`)).toEqual([
      ['2020-02-29T18:30:00.000Z', 1],
      ['2020-03-01T18:30:00.000Z', 0],
    ]);
    expect(await growth('bucket: DAY, range: { from: "2020-03-01T18:30:00Z", until: "2020-03-01T19:00:00Z" }')).toEqual(
      [['2020-03-01T00:00:00.000Z', 0]],
    );
  });

  it('counts UTC hours of a half-hour zone', async () => {
    await signedUp('2020-03-01T18:29:59Z');
    const hours = 'timeZone: "Asia/Kolkata", bucket: HOUR, range:';
    expect(await growth(`${hours} { from: "2020-03-01T18:00:00Z", until: "2020-03-01T20:00:00Z" }`)).toEqual([
      ['2020-03-01T18:00:00.000Z', 1],
      ['2020-03-01T19:00:00.000Z', 0],
    ]);
  });

  it('has what users spent in their first week, to the hour in which they signed up', async () => {
    await signedUp('2020-03-01T18:29:59.5Z');
    const insert = 'INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", quota)';
    for (const [hour, quota] of [
      ['2020-03-01T17:00:00Z', 1],
      ['2020-03-01T18:00:00Z', 20],
      ['2020-03-08T18:00:00Z', 300],
      ['2020-03-08T19:00:00Z', 4000],
    ] as const) {
      await site.query(`${insert} VALUES ($1, $2, 0, 0, 'm', 'default', $3)`, [
        Date.parse(hour) / 1000,
        person.id,
        quota,
      ]);
    }
    const range = '{ from: "2020-03-01T00:00:00Z", until: "2020-03-02T00:00:00Z" }';
    const { userGrowth } = await read(`{ userGrowth(range: ${range}) { users firstWeekQuota } }`);
    expect(userGrowth).toEqual([{ users: 1, firstWeekQuota: 320 }]);
    await site.query('DELETE FROM usage_hourly WHERE user_id = $1', [person.id]);
  });

  it('counts the last half second of a day to that day', async () => {
    await signedUp('2020-03-01T23:59:59.7Z');
    expect(await growth('bucket: DAY, range: { from: "2020-03-01T00:00:00Z", until: "2020-03-03T00:00:00Z" }')).toEqual(
      [
        ['2020-03-01T00:00:00.000Z', 1],
        ['2020-03-02T00:00:00.000Z', 0],
      ],
    );
  });
});

describe('days that a balance lasts', () => {
  it('are a field, a filter and an order of users, with the mean of seven days', async () => {
    const [rich, poor, idle] = [await site.invite(root), await site.invite(root), await site.invite(root)];
    const ids = [rich.id, poor.id, idle.id];
    await site.query('UPDATE users SET quota = id * 1000 WHERE id = ANY ($1)', [ids]);
    await site.query(
      `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", quota) VALUES
        ($1, $3, 0, 0, 'm', 'default', 700), ($1, $4, 0, 0, 'm', 'default', 70000), ($2, $4, 0, 0, 'm', 'default', 5)`,
      [now - (now % 3600), now - (now % 3600) - 8 * 86_400, rich.id, poor.id],
    );
    const list = (more: string) => read(`{ users(filter: { ids: [${ids.join(', ')}] }, ${more} }`);
    const sorted = await list(
      'sort: { field: DAYS_LEFT, direction: ASC }) { pageInfo { endCursor } items { id daysLeft } }',
    );
    expect(sorted['users']).toEqual({
      pageInfo: { endCursor: null },
      items: [
        { id: poor.id, daysLeft: poor.id / 10 },
        { id: rich.id, daysLeft: rich.id * 10 },
        { id: idle.id, daysLeft: null },
      ],
    });
    const { users } = await read(
      `{ users(filter: { ids: [${ids.join(', ')}], daysLeftBelow: ${poor.id / 10 + 0.01} }) { items { id } } }`,
    );
    expect(users).toEqual({ items: [{ id: poor.id }] });
    const costOf = async (args: string): Promise<number> => {
      const { text } = await site.graphql(root, `{ users(${args}) { items { id } } }`);
      return (JSON.parse(text) as { extensions: { cost: { requested: number } } }).extensions.cost.requested;
    };
    // The spend of all users is added up, also for one row. A value of a list costs 1.
    const cheap = await costOf('pageSize: 1, sort: [{ field: QUOTA }]');
    expect(await costOf('pageSize: 1, sort: [{ field: DAYS_LEFT }]')).toBe(cheap + 200);
    expect(await costOf('pageSize: 1, sort: [{ field: QUOTA }], filter: { daysLeftBelow: 1 }')).toBe(cheap + 200);
    for (const days of ['-1', '0', '1e308']) {
      const { codes, text } = await site.graphql(root, `{ users(filter: { daysLeftBelow: ${days} }) { totalCount } }`);
      expect([codes, text]).toEqual([
        ['INVALID_INPUT'],
        expect.stringContaining('"field":"filter.daysLeftBelow"') as string,
      ]);
    }
    const behind = await site.graphql(root, '{ users(sort: { field: DAYS_LEFT }, after: "x") { items { id } } }');
    expect(behind.codes).toEqual(['INVALID_INPUT']);
    await site.query('DELETE FROM usage_hourly WHERE user_id = ANY ($1)', [ids]);
    await site.query('UPDATE users SET quota = 0 WHERE id = ANY ($1)', [ids]);
  });
});

it('has cohorts of zones with short names, in their summer time', async () => {
  const person = await site.invite(root);
  // The user signed up on Monday, half past midnight in Brussels.
  await site.query("UPDATE users SET created_at = '2026-06-28T22:30:00Z' WHERE id = $1", [person.id]);
  await site.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls) VALUES ($1, $2, 0, 0, 'm', 'default', 3)`,
    [now - (now % 3600), person.id],
  );
  const cohorts = async (zone: string) =>
    (
      await read(
        `{ usage(timeZone: "${zone}", groupBy: [USER_COHORT_WEEK]) { items { key { cohortWeek } metrics { calls } } } }`,
      )
    )['usage'];
  const items = [{ key: { cohortWeek: '2026-06-28T22:00:00.000Z' }, metrics: { calls: 3 } }];
  expect([await cohorts('CET'), await cohorts('Europe/Brussels'), await cohorts('cet')]).toEqual([
    { items },
    { items },
    { items },
  ]);
});

it('names the provider of a group, and none where the channel was deleted', async () => {
  const [gone, anthropic] = [4242, 14];
  const [channel] = await site.query<{ id: number }>(
    `INSERT INTO channels (type, name, key_sealed, status, models) VALUES ($1, 'c', '', 'disabled', '{m}') RETURNING id`,
    [anthropic],
  );
  await site.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", quota)
     SELECT $1, 1, 0, unnest($2::integer[]), 'of a provider', 'default', unnest($3::integer[])`,
    [now - (now % 3600), [channel?.id, gone], [7, 5]],
  );
  expect(
    await read(
      '{ usage(groupBy: [PROVIDER], filter: { models: ["of a provider"] }) { items { key { providerId providerName } metrics { quota } } } }',
    ),
  ).toEqual({
    usage: {
      items: [
        { key: { providerId: anthropic, providerName: 'Anthropic Claude' }, metrics: { quota: 7 } },
        { key: { providerId: null, providerName: null }, metrics: { quota: 5 } },
      ],
    },
  });
});

it('shows a custom role usage without the costs that it may not see', async () => {
  const [reader, support] = [await operator(site, root, ['usage.read']), await operator(site, root, ['users.read'])];
  const document =
    '{ users(pageSize: 1) { items { usage { quota cost { usd } } } } myUsage { total { quota cost { usd } } } }';
  const usage = { quota: 0, cost: null };
  const found = await site.graphql(support, document);
  expect([found.codes, found.data]).toEqual([[], { users: { items: [{ usage }] }, myUsage: { total: usage } }]);
  const own = await site.graphql(reader, '{ myUsage { total { quota cost { usd } } } }');
  expect(own.data).toEqual({ myUsage: { total: { quota: 0, cost: { usd: 0 } } } });
  // For the fixed roles, a closed field is an error.
  expect((await site.graphql(await site.invite(root), '{ myUsage { total { cost { usd } } } }')).codes).toEqual([
    'INSUFFICIENT_PRIVILEGES',
  ]);
});

it.each([
  ['usage', 'range', 'usage(range: RANGE) { totalCount }'],
  ['userGrowth', 'range', 'userGrowth(range: RANGE) { users }'],
  ['revenue', 'range', 'revenue(range: RANGE) { orders }'],
  ['channelRetries', 'range', 'channelRetries(range: RANGE) { passedOn }'],
  ['logs', 'filter.at', 'logs(filter: { at: RANGE }) { totalCount }'],
  ['users', 'filter.created', 'users(filter: { created: RANGE }) { totalCount }'],
  ['tokens', 'filter.lastUsed', 'tokens(filter: { lastUsed: RANGE }) { totalCount }'],
  ['redemptions', 'filter.created', 'redemptions(filter: { created: RANGE }) { totalCount }'],
  ['topUps', 'filter.paid', 'topUps(filter: { paid: RANGE }) { totalCount }'],
  ['drawings', 'filter.submitted', 'drawings(filter: { submitted: RANGE }) { totalCount }'],
  ['auditEntries', 'filter.created', 'auditEntries(filter: { created: RANGE }) { totalCount }'],
])('%s refuses a range that ends before it begins, and names %s', async (name, field, selection) => {
  const backwards = '{ from: "2026-02-01T00:00:00Z", until: "2026-01-01T00:00:00Z" }';
  const { text } = await site.graphql(root, `{ ${selection.replace('RANGE', backwards)} }`);
  expect(JSON.parse(text)).toMatchObject({
    data: { [name]: null },
    errors: [
      { message: 'The range ends before it begins', path: [name], extensions: { code: 'INVALID_INPUT', field } },
    ],
  });
});

it.each([
  ['a range that ends before it begins', 'range: { from: "2026-02-01T00:00:00Z", until: "2026-01-01T00:00:00Z" }', ''],
  ['a period beside bounds', 'range: { calendar: TODAY, from: "2026-02-01T00:00:00Z" }', ''],
  ['five minutes that are too old', 'period: SAME_LAST_WEEK', 'range: { calendar: TODAY } bucket: MINUTE_5'],
])('a comparison with %s is refused by its own name', async (_, comparison, more) => {
  const { text } = await site.graphql(root, `{ usage(compareTo: { ${comparison} } ${more}) { totalCount } }`);
  expect(JSON.parse(text)).toMatchObject({
    errors: [{ path: ['usage'], extensions: { code: 'INVALID_INPUT', field: 'compareTo' } }],
  });
});

it.each([
  ['groupBy: [MODEL, CHANNEL_TAG]', 'CHANNEL_TAG'],
  ['filter: { channelIds: [1] }', 'channelIds'],
  ['filter: { usernames: ["root"] }', 'usernames'],
  ['groupBy: [MODEL], orderBy: [{ metric: MARGIN_USD }]', 'costs'],
])('myUsage(%s) is refused to users with its reason', async (args, reason) => {
  const { text } = await site.graphql(await site.invite(root), `{ myUsage(${args}) { totalCount } }`);
  const { errors } = JSON.parse(text) as { errors: Array<{ message: string; extensions: { code: string } }> };
  expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PRIVILEGES' } }]);
  expect(errors[0]?.message).toMatch(new RegExp(`^No permission: own usage has no .*\\b${reason}$`));
});

describe('an empty range of usage', () => {
  const moment = '2026-01-01T10:30:00.500Z';
  const ahead = new Date(Date.now() + 90 * 60_000).toISOString();

  it.each([
    ['that ends where it begins', `{ from: "${moment}", until: "${moment}" }`],
    ['of a caller whose clock is ahead', `{ from: "${ahead}" }`],
  ])('%s has no rows and totals of zero', async (_, range) => {
    for (const more of [
      '',
      'bucket: HOUR',
      'bucket: DAY, fill: true',
      'bucket: DAY, groupBy: [MODEL], top: 3, others: true, fill: true',
    ]) {
      const { usage } = await read(
        `{ usage(range: ${range} ${more}) { items { time } totalCount total { calls quota } range { from until } } }`,
      );
      const { range: resolved, ...rest } = usage as { range: { from: string; until: string } };
      const rows = more === '' ? { items: [{ time: null }], totalCount: 1 } : { items: [], totalCount: 0 };
      expect([more, rest]).toEqual([more, { ...rows, total: { calls: 0, quota: 0 } }]);
      expect(resolved.from).toBe(resolved.until);
    }
  });
});

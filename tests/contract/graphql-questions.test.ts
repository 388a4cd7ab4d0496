import { buildSchema, getNamedType, isLeafType, isObjectType, parse, validate } from 'graphql';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { percentile } from '../../server/src/shared/latency.js';
import { secondWithinHour } from '../support/hours.js';
import {
  askQuestion,
  dashboardQuestions,
  listQuestions,
  organisationQuestions,
  page,
  queries,
  readingToken,
} from './question-page.js';
import { Site, type Person } from './site.js';

/**
 * Each question of docs/graphql.md is one query with a dashboard's access token. The figures are checked against the seeded
 * rows, which this file adds up in plain JavaScript.
 */
let site: Site;
let root: Person;
let people: Person[];
let token: string;
const hour = 3600;
const day = 24 * hour;
const week = 7 * day;
const now = secondWithinHour();
const thisHour = now - (now % hour);
const thisFive = now - (now % 300);
const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

interface Used {
  readonly hour: number;
  readonly user: number;
  readonly tokenId: number;
  readonly channel: number;
  readonly model: string;
  readonly calls: number;
  readonly failed: number;
  readonly prompt: number;
  readonly cached: number;
  readonly quota: number;
  readonly costCalls: number;
  readonly costQuota: number;
  readonly nanoUsd: number;
  readonly firsts: number[];
}
const used: Used[] = [];
const recent: Array<{
  start: number;
  channel: number;
  model: string;
  calls: number;
  failed: number;
  durations: number[];
}> = [];

/** Pseudo-random numbers: reproducible and distinct. */
const pseudo = (seed: number): number => Math.abs(Math.imul(seed * 2_654_435_761 + 12_345, 1_540_483_477) >> 8);

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  people = [await site.invite(root), await site.invite(root), await site.invite(root)];
  await site.query(`
    INSERT INTO channels (id, type, name, key_sealed, tag, models, status, status_reason, status_changed_at) VALUES
      (1, 20, 'router', '', 'eu', '{m1}', 'enabled', '', NULL), (2, 14, 'claude', '', 'eu', '{m2}', 'enabled', '', NULL),
      (3, 1, 'spare', '', '', '{m1}', 'autoDisabled', '401 from the provider', to_timestamp(${now - 5000}))`);
  for (const [index, person] of people.entries()) {
    await site.query(
      `INSERT INTO tokens (id, user_id, key_hash, key_prefix, key_sealed, created_at, last_used_at, expires_at, name)
       VALUES ($1, $2, $3, '', '', to_timestamp(0), to_timestamp($4), to_timestamp($5), $6)`,
      [
        ...[11 + index, person.id, Buffer.from(`key ${index}`), now - (index === 0 ? 100 : 1) * day],
        ...[index === 1 ? now + 3 * day : null, `key ${index}`],
      ],
    );
  }
  for (let n = 0; n < 900; n++) {
    const model = 1 + (pseudo(n) % 4);
    const user = pseudo(n + 1000) % 3;
    const calls = 1 + (pseudo(n + 3000) % 5);
    used.push({
      hour: thisHour - (pseudo(n + 2000) % 1600) * hour,
      user: people[user]?.id ?? 0,
      tokenId: 11 + user,
      channel: 1 + (pseudo(n + 7000) % 2),
      model: `m${model}`,
      calls,
      failed: pseudo(n + 4000) % 3,
      prompt: 10 + (pseudo(n + 5000) % 500),
      cached: pseudo(n + 5500) % 10,
      quota: 1000 + (pseudo(n + 6000) % 90_000),
      costCalls: n % 2,
      costQuota: (n % 2) * 500,
      nanoUsd: (n % 2) * 400_000,
      firsts: [...Array.from({ length: pseudo(n + 8000) % 12 }, () => 0), calls],
    });
  }
  // One row per key of the table.
  const places = new Set<string>();
  for (const [index, row] of [...used.entries()].reverse()) {
    const place = [row.hour, row.user, row.channel, row.model].join(' ');
    if (places.has(place)) used.splice(index, 1);
    places.add(place);
  }
  await site.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, failed_calls, prompt_tokens,
       cached_tokens, quota, cost_calls, cost_quota, cost_nano_usd, first_token_buckets)
     SELECT hour, "user", "tokenId", channel, model, 'default', calls, failed, prompt, cached, quota, "costCalls",
       "costQuota", "nanoUsd", firsts
     FROM jsonb_to_recordset($1) AS row(hour bigint, "user" integer, "tokenId" integer, channel integer, model text,
       calls bigint, failed bigint, prompt bigint, cached bigint, quota bigint, "costCalls" bigint, "costQuota" bigint,
       "nanoUsd" bigint, firsts bigint[])`,
    [JSON.stringify(used)],
  );
  for (let n = 0; n < 36; n++) {
    for (const channel of [1, 2]) {
      const calls = pseudo(n * 3 + channel) % 7;
      const failed = pseudo(n * 5 + channel) % 4;
      const durations = [...Array.from({ length: pseudo(n + channel) % 20 }, () => 0), calls];
      recent.push({ start: thisFive - n * 300, channel, model: 'm1', calls, failed, durations });
      await site.query(
        `INSERT INTO usage_five_minutes (start, channel_id, model_name, calls, failed_calls, duration_buckets) VALUES ($1, $2, 'm1', $3, $4, $5)`,
        [thisFive - n * 300, channel, calls, failed, durations],
      );
    }
  }
  await site.query(`
    INSERT INTO reservations (request_id, node_id, user_id, token_id, amount, model_name, created_at) VALUES
      ('live-1', (SELECT id FROM nodes LIMIT 1), ${people[0]?.id ?? 0}, 11, 700, 'm1', now() - interval '90 seconds'),
      ('live-2', (SELECT id FROM nodes LIMIT 1), ${people[1]?.id ?? 0}, 0, 300, 'm2', now() - interval '5 seconds');
    UPDATE users SET aff_quota = 250 WHERE id = ${people[2]?.id ?? 0};
    INSERT INTO redemptions (id, user_id, key_hash, key_sealed, name, quota, created_at, status, redeemed_at, used_user_id, is_gift, max_uses, used_count, valid_until) VALUES
      (1, 1, 'a', '', 'spring', 100, to_timestamp(${now - 50 * day}), 'enabled', NULL, NULL, false, NULL, 0, NULL),
      (2, 1, 'b', '', 'spring', 100, to_timestamp(${now - 50 * day}), 'used', to_timestamp(${now - 9 * day}), ${people[0]?.id ?? 0}, false, NULL, 1, NULL),
      (3, 1, 'c', '', 'spring', 100, to_timestamp(${now - 40 * day}), 'disabled', NULL, NULL, false, NULL, 0, NULL),
      (4, 1, 'd', '', 'party', 30, to_timestamp(${now - 10 * day}), 'enabled', NULL, NULL, true, 10, 2, NULL),
      (5, 1, 'e', '', 'old', 77, to_timestamp(${now - 90 * day}), 'enabled', NULL, NULL, false, NULL, 0, to_timestamp(${now - day})),
      (6, 1, 'f', '', 'open', 5, to_timestamp(${now - day}), 'enabled', NULL, NULL, true, NULL, 1, NULL);
    INSERT INTO redemption_uses (redemption_id, user_id, used_at, quota)
      SELECT redemption_id, user_id, to_timestamp(at), quota FROM (VALUES
        (4, ${people[0]?.id ?? 0}, ${now - 2 * day}, 30), (4, ${people[1]?.id ?? 0}, ${now - day}, 30), (6, 1, ${now - 60}, 5)
      ) AS used (redemption_id, user_id, at, quota);
    INSERT INTO logs (created_at, request_id, type, user_id, channel_id, model_name, other) VALUES
      (${now - 60}, 'r1', 2, 1, 2, 'm1', '{"admin_info":{"use_channel":["1","2"]}}'),
      (${now - 50}, 'r2', 2, 1, 2, 'm1', '{"admin_info":{"use_channel":["1","3","2"]}}'),
      (${now - 40}, 'r3', 6, 1, 3, 'm1', '{"admin_info":{"use_channel":["1","3"]}}'),
      (${now - 30}, 'r4', 2, 1, 1, 'm1', '{"admin_info":{"use_channel":["1"]}}'),
      (${now - 60 * day}, 'r5', 2, 1, 2, 'm1', '{"admin_info":{"use_channel":["1","2"]}}')`);
  for (const [index, person] of people.entries()) {
    await site.query('UPDATE users SET created_at = to_timestamp($1) WHERE id = $2', [
      now - (index + 1) * 10 * day,
      person.id,
    ]);
  }
  token = await readingToken(site, root);
});
afterAll(() => site.stop());

const schema = buildSchema(readFileSync(join(import.meta.dirname, '../../schema/schema.graphql'), 'utf8'));
/** The numbers of the questions that were asked so far. */
const asked = new Set<number>();

it.each(queries)('the query of "%s" is valid', (_, query) => {
  expect(validate(schema, parse(query))).toEqual([]);
});

function ask(number: number, variables?: Record<string, unknown>): Promise<Record<string, never>> {
  asked.add(number);
  return askQuestion(site, token, number, variables);
}

const sum = <Row>(rows: readonly Row[], value: (row: Row) => number): number =>
  rows.reduce((all, row) => all + value(row), 0);
const within = (from: number, until: number): Used[] => used.filter((row) => row.hour >= from && row.hour < until);
function groups<Row>(rows: readonly Row[], keyOf: (row: Row) => string | number): Array<[string, Row[]]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) found.set(String(keyOf(row)), [...(found.get(String(keyOf(row))) ?? []), row]);
  return [...found.entries()];
}
const close = (value: number): number => expect.closeTo(value, 6) as number;
const monthStart = (moment: number, back = 0): number => {
  const date = new Date(moment * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1) / 1000;
};
const monday = (moment: number): number => moment - ((moment - 4 * day) % week);

it('1: spend by model and day in Shanghai, last month', async () => {
  const offset = 8 * hour;
  const [from, until] = [monthStart(now + offset, 1) - offset, monthStart(now + offset) - offset];
  const expected = groups(within(from, until), (row) => `${iso(row.hour - ((row.hour + offset) % day))} ${row.model}`)
    .map(([key, rows]) => [key, close(sum(rows, ({ quota }) => quota) / 500_000)])
    .sort(([one], [two]) => (String(one) < String(two) ? -1 : 1));
  const { usage } = (await ask(1)) as unknown as Usage;
  expect(usage.items.map(({ time, key, metrics }) => [`${time} ${key['modelName']}`, metrics.usd])).toEqual(expected);
});

it('2: the ten users whose spend grew most, this week over last', async () => {
  const start = monday(now);
  const ofWeek = (rows: Used[], user: number): number =>
    sum(
      rows.filter((row) => row.user === user),
      ({ quota }) => quota,
    );
  const current = within(start, now + 1);
  const before = within(start - week, thisHour + hour - week);
  const expected = people
    .map(({ id, username }) => ({ username, now: ofWeek(current, id), before: ofWeek(before, id) }))
    .filter((row) => row.now > 0 || row.before > 0)
    .sort((one, two) => two.now - two.before - (one.now - one.before));
  const { usage } = (await ask(2)) as unknown as Usage;
  expect(
    usage.items.map(({ key, metrics, compared }) => ({
      username: key['username'],
      now: metrics.quota,
      before: compared?.quota,
    })),
  ).toEqual(expected);
});

it('3: error rate and 95th percentile by channel in five minutes, for three hours', async () => {
  const { usage } = (await ask(3, { from: iso(now - 3 * hour) })) as unknown as Usage;
  const expected = recent
    .filter(({ start }) => start >= Math.floor((now - 3 * hour) / 300) * 300)
    .map(({ start, channel, calls, failed, durations }) => [
      `${iso(start)} ${channel}`,
      calls + failed === 0 ? null : failed / (calls + failed),
      percentile(durations, 0.95),
    ]);
  const found = usage.items
    .filter(({ key }) => key['isOthers'] === false)
    .map(({ time, key, metrics }) => [`${time} ${key['channelId']}`, metrics.errorRate, metrics.latencyMs] as const);
  expect(new Map(found.map(([key, ...rest]) => [key, rest]))).toEqual(
    new Map(expected.map(([key, ...rest]) => [key, rest])),
  );
  expect(usage.items[0]?.key['channelName']).toMatch(/router|claude/);
});

it('4: cost and margin by channel, with the share of calls that is known', async () => {
  const rows = within(monthStart(now), now + 1);
  const { usage } = (await ask(4)) as unknown as Usage;
  const expected = groups(rows, ({ channel }) => channel).map(([channel, some]) => {
    const [usd, upstreamUsd] = [sum(some, (row) => row.costQuota) / 500_000, sum(some, (row) => row.nanoUsd) / 1e9];
    return {
      channelName: channel === '1' ? 'router' : 'claude',
      usd: close(usd),
      upstreamUsd: close(upstreamUsd),
      marginUsd: close(usd - upstreamUsd),
      coverage: close(sum(some, (row) => row.costCalls) / sum(some, (row) => row.calls)),
    };
  });
  const byName = (one: { channelName: string }, two: { channelName: string }): number =>
    one.channelName < two.channelName ? -1 : 1;
  expect(
    usage.items.map(({ key, metrics }) => ({ channelName: String(key['channelName']), ...metrics.cost })).sort(byName),
  ).toEqual(expected.sort(byName));
});

it('5: share of cached tokens by model, the highest first', async () => {
  const rows = within(Math.floor(now / day) * day - 29 * day, now + 1);
  const expected = groups(rows, ({ model }) => model)
    .map(([modelName, some]) => ({
      modelName,
      cachedShare: sum(some, (row) => row.cached) / sum(some, (row) => row.prompt),
    }))
    .sort((one, two) => two.cachedShare - one.cachedShare);
  const { usage } = (await ask(5)) as unknown as Usage;
  expect(
    usage.items.map(({ key, metrics }) => ({ modelName: key['modelName'], cachedShare: metrics.cachedShare })),
  ).toEqual(expected.map((row) => ({ ...row, cachedShare: close(row.cachedShare) })));
});

it('6: spend of each key of one customer this month', async () => {
  const rows = within(monthStart(now), now + 1).filter(({ user }) => user === people[0]?.id);
  const { usage } = (await ask(6, { customer: people[0]?.username })) as unknown as Usage;
  expect(usage.items.map(({ key, metrics }) => [key['tokenId'], key['tokenName'], metrics.quota])).toEqual(
    rows.length === 0 ? [] : [[11, 'key 0', sum(rows, ({ quota }) => quota)]],
  );
});

it('7: new users by week, and what they spent in their first week', async () => {
  const { userGrowth } = (await ask(7, { from: iso(now - 8 * week) })) as unknown as {
    userGrowth: Array<{ time: string; users: number; firstWeekQuota: number }>;
  };
  const expected = new Map<string, { users: number; firstWeekQuota: number }>();
  // Root signed up just now and spent nothing.
  const signedUp = [...people.map(({ id }, index) => ({ id, at: now - (index + 1) * 10 * day })), { id: 1, at: now }];
  for (const { id, at } of signedUp) {
    const key = iso(monday(at));
    const spent = sum(
      used.filter((row) => row.user === id && row.hour > at - hour && row.hour < at + week),
      ({ quota }) => quota,
    );
    const known = expected.get(key) ?? { users: 0, firstWeekQuota: 0 };
    expected.set(key, { users: known.users + 1, firstWeekQuota: known.firstWeekQuota + spent });
  }
  for (const point of userGrowth) {
    expect(point).toEqual({ time: point.time, ...(expected.get(point.time) ?? { users: 0, firstWeekQuota: 0 }) });
  }
  expect(sum(userGrowth, ({ users }) => users)).toBe(signedUp.length);
  expect(sum(userGrowth, ({ firstWeekQuota }) => firstWeekQuota)).toBeGreaterThan(0);
});

it('8: what the site owes its users', async () => {
  const balances = await site.query<{ quota: number; aff: number }>(
    'SELECT quota::float8 AS quota, aff_quota::float8 AS aff FROM users',
  );
  const { ledgerTotals } = (await ask(8)) as unknown as { ledgerTotals: Record<string, number> };
  const parts = {
    balances: sum(balances, ({ quota }) => quota),
    inviteEarnings: sum(balances, ({ aff }) => aff),
    // The site has one normal code and eight uses of a gift code. Expired and unlimited codes do not count.
    unusedCodes: 100 + 8 * 30,
    reserved: 1000,
  };
  const liability = Object.values(parts).reduce((all, part) => all + part, 0);
  expect(ledgerTotals).toEqual({
    ...parts,
    unlimitedCodes: 1,
    liability,
    liabilityUsd: close(liability / 500_000),
    asOf: expect.any(String) as string,
  });
});

it('9: codes used by batch', async () => {
  const { redemptionBatches } = (await ask(9)) as unknown as {
    redemptionBatches: { totalCount: number; items: unknown[] };
  };
  const batch = (name: string, counts: number[], amounts: number[], first: number, last: number | null) => ({
    name,
    total: counts[0],
    used: counts[1],
    disabled: counts[2],
    quotaUsed: amounts[0],
    quotaOpen: amounts[1],
    firstAt: iso(first),
    lastUsedAt: last === null ? null : iso(last),
  });
  expect(redemptionBatches).toEqual({
    totalCount: 4,
    items: [
      batch('open', [1, 1, 0], [5, 5], now - day, now - 60),
      batch('party', [1, 1, 0], [60, 240], now - 10 * day, now - day),
      batch('spring', [3, 1, 1], [100, 100], now - 50 * day, now - 9 * day),
      batch('old', [1, 0, 0], [0, 0], now - 90 * day, null),
    ],
  });
});

it('9: the number of batches on a page behind the last', async () => {
  const { data } = await site.graphql(root, '{ redemptionBatches(page: 7) { totalCount items { name } } }');
  expect(data).toEqual({ redemptionBatches: { totalCount: 4, items: [] } });
});

it('11: calls in flight: how many, whose, which model, for how long', async () => {
  const { liveCalls } = (await ask(11)) as unknown as {
    liveCalls: { sums: unknown; items: Array<{ seconds: number } & Record<string, unknown>> };
  };
  expect(liveCalls.sums).toEqual({ count: 2, heldQuota: 1000 });
  expect(liveCalls.items.map(({ seconds: _, ...call }) => call)).toMatchObject([
    { requestId: 'live-1', userId: people[0]?.id, tokenId: 11, modelName: 'm1', heldQuota: 700 },
    { requestId: 'live-2', userId: people[1]?.id, tokenId: null, modelName: 'm2', heldQuota: 300 },
  ]);
  expect(liveCalls.items[0]?.seconds).toBeGreaterThanOrEqual(90);
});

it('12: revenue by month, payment method and currency', async () => {
  const [start, before] = [monthStart(now), monthStart(now, 1)];
  const payments = [
    { paid: start + 5, method: 'wxpay', money: 1250, currency: 'CNY', quota: 100 },
    { paid: start + 9, method: 'wxpay', money: 250, currency: 'CNY', quota: 20 },
    { paid: start + 7, method: 'alipay', money: 300, currency: 'CNY', quota: 30 },
    { paid: before + 7, method: 'alipay', money: 70, currency: 'CNY', quota: 7 },
    { paid: 0, method: 'alipay', money: 9900, currency: 'CNY', quota: 990 },
  ];
  for (const [index, { paid, method, money, currency, quota }] of payments.entries()) {
    await site.query(
      `INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, created_at, paid_at, status)
       VALUES ($1, $2, 'epay', '1', $3, $4, $5, $6, to_timestamp($7), to_timestamp(nullif($8, 0)), $9)`,
      [
        ...[people[0]?.id, `revenue ${index}`, method, quota, money, currency, before, paid],
        paid === 0 ? 'pending' : 'success',
      ],
    );
  }
  const { revenue } = (await ask(12, { from: iso(before) })) as unknown as { revenue: unknown[] };
  const point = (time: number, method: string, amount: string, orders: number, quota: number) => ({
    time: iso(time),
    method,
    money: { amount, currency: 'CNY' },
    orders,
    quota,
  });
  expect(revenue).toEqual([
    point(before, 'ALIPAY', '0.70', 1, 7),
    point(start, 'ALIPAY', '3.00', 1, 30),
    point(start, 'WXPAY', '15.00', 2, 120),
  ]);
});

it('13: customers whose balance is below a day of spend', async () => {
  const daily = people.map(({ id }) => {
    const spent = used.filter((row) => row.user === id && row.hour >= now - week);
    return sum(spent, ({ quota }) => quota) / 7;
  });
  const balances = [0.5, 2, 0.9].map((days, index) => Math.floor((daily[index] ?? 0) * days));
  for (const [index, quota] of balances.entries()) {
    await site.query('UPDATE users SET quota = $1 WHERE id = $2', [quota, people[index]?.id]);
  }
  const { users } = (await ask(13)) as unknown as {
    users: { totalCount: number; items: Array<{ username: string; quota: number }> };
  };
  const expected = [0, 2]
    .map((index) => ({ username: people[index]?.username, quota: balances[index] ?? 0 }))
    .sort((one, two) => one.quota - two.quota);
  expect(users.items.map(({ username, quota }) => ({ username, quota }))).toEqual(expected);
  expect([users.totalCount, Math.min(...daily) > 0]).toEqual([2, true]);
});

it('14: channels that were disabled automatically, since when, and why', async () => {
  const { channels } = (await ask(14)) as unknown as { channels: { items: unknown[] } };
  expect(channels.items).toEqual([
    {
      name: 'spare',
      type: { label: 'OpenAI' },
      statusReason: { reason: '401 from the provider', at: iso(now - 5000) },
      keys: [],
    },
  ]);
});

it('15: retries and fall-backs by channel', async () => {
  const { channelRetries } = (await ask(15)) as unknown as { channelRetries: unknown[] };
  expect(channelRetries).toEqual([
    { channelId: 1, channelName: 'router', passedOn: 3, takenOver: 0, failedLast: 0 },
    { channelId: 3, channelName: 'spare', passedOn: 1, takenOver: 0, failedLast: 1 },
    { channelId: 2, channelName: 'claude', passedOn: 0, takenOver: 2, failedLast: 0 },
  ]);
});

it('16: time to the first token by model, median and 95th percentile', async () => {
  const rows = within(Math.floor(now / day) * day - 6 * day, now + 1);
  const expected = groups(rows, ({ model }) => model).map(([modelName, some]) => {
    const firsts = Array.from({ length: 24 }, (_, n) => sum(some, (row) => row.firsts[n] ?? 0));
    return [modelName, { p50: percentile(firsts, 0.5), p95: percentile(firsts, 0.95) }] as const;
  });
  const { usage } = (await ask(16)) as unknown as Usage;
  expect(
    new Map(usage.items.map(({ key, metrics }) => [key['modelName'], { p50: metrics.p50, p95: metrics.p95 }])),
  ).toEqual(new Map(expected));
});

it('18: this month against the whole last one, of one customer', async () => {
  const ofCustomer = (rows: Used[]): Used[] => rows.filter(({ user }) => user === people[1]?.id);
  const [current, previous] = [
    ofCustomer(within(monthStart(now), now + 1)),
    ofCustomer(within(monthStart(now, 1), monthStart(now))),
  ];
  const { usage } = (await ask(18, { customer: people[1]?.username })) as unknown as Usage;
  const totals = (rows: Used[]) => ({
    usd: close(sum(rows, ({ quota }) => quota) / 500_000),
    calls: sum(rows, ({ calls }) => calls),
  });
  expect([usage.total, usage.comparedTotal]).toEqual([totals(current), totals(previous)]);
});

it('20: settings that differ from their defaults, and who changed them', async () => {
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'ModelPrice', value: '{"m1":0.5}' });
  const { options, auditEntries } = (await ask(20)) as unknown as {
    options: { items: Array<{ key: string; changedBy: { username: string } | null }> };
    auditEntries: { items: Array<{ subjectId: string; actorName: string }> };
  };
  expect(options.items.find(({ key }) => key === 'ModelPrice')).toMatchObject({
    json: { m1: 0.5 },
    changedBy: { username: 'root' },
  });
  // Settings that were never saved have their built-in value.
  expect(options.items.some(({ key }) => key === 'Footer')).toBe(false);
  expect(auditEntries.items[0]).toMatchObject({ subjectId: 'ModelPrice', actorName: 'root' });
});

it('has each figure of usage alone as beside all others', async () => {
  const metrics = schema.getType('UsageMetrics');
  if (!isObjectType(metrics)) throw new Error('the schema has no UsageMetrics');
  const figures = Object.values(metrics.getFields()).flatMap(({ name, type }) => {
    if (name === 'cache') return [];
    return name === 'cost'
      ? ['cost { usd upstreamUsd marginUsd coverage knownCalls planUsd }']
      : isLeafType(getNamedType(type))
        ? [name]
        : [];
  });
  const ask = async (selected: string): Promise<Array<Record<string, unknown>>> => {
    const { data, text } = await site.graphql(
      root,
      `{ usage(range: { calendar: LAST_30_DAYS }, groupBy: [MODEL], orderBy: [{ metric: KEY, direction: ASC }]) { items { metrics { ${selected} } } total { ${selected} } } }`,
    );
    if (!data?.['usage']) throw new Error(text);
    const { items, total } = data['usage'] as {
      items: Array<{ metrics: Record<string, unknown> }>;
      total: Record<string, unknown>;
    };
    return [...items.map((item) => item.metrics), total];
  };
  const all = await ask(figures.join(' '));
  expect(all.length).toBeGreaterThan(4);
  expect(all.at(-1)?.['calls']).not.toBe(0);
  for (const figure of figures) {
    const [name = ''] = figure.split(' ');
    expect([name, await ask(figure)]).toEqual([name, all.map((row) => ({ [name]: row[name] }))]);
  }
});

it('costs what the page says, for a panel of Grafana and three viewers', async () => {
  const query = queries.find(([heading]) => heading === 'Charts in Grafana')?.[1] ?? '';
  const answer = await fetch(`${site.server.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      query,
      variables: { from: iso(now - 14 * day), until: iso(now), timeZone: 'Asia/Shanghai' },
    }),
  });
  const { extensions } = (await answer.json()) as { extensions: { cost: { requested: number } } };
  expect(extensions.cost.requested).toBe(Number(/panel above costs\s(\d+)/.exec(page)?.[1]));
  expect(extensions.cost.requested * 20 * 6 * 3).toBeLessThan(100_000);
});

it('has asked every numbered question of the page', () => {
  const numbered = queries.flatMap(([heading]) => /^(\d+)\. /.exec(heading)?.[1] ?? []).map(Number);
  const elsewhere = [...listQuestions, ...dashboardQuestions, ...organisationQuestions];
  expect([...asked, ...elsewhere].sort((one, two) => one - two)).toEqual(numbered);
});

interface Metrics {
  readonly usd: number;
  readonly quota: number;
  readonly calls: number;
  readonly errorRate: number | null;
  readonly latencyMs: number | null;
  readonly cachedShare: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly cost: Record<string, number>;
}
interface Usage {
  readonly usage: {
    readonly items: ReadonlyArray<{
      readonly time: string;
      readonly key: Readonly<Record<string, string | number | boolean | null>>;
      readonly metrics: Metrics;
      readonly compared?: Metrics;
    }>;
    readonly total: Partial<Metrics>;
    readonly comparedTotal: Partial<Metrics>;
  };
}

import { durationBucket } from '../../server/src/billing/ledger/index.js';
import { percentile } from '../../server/src/shared/latency.js';
import { secondWithinHour } from '../support/hours.js';
import { askQuestion, dashboardQuestions, readingToken } from './question-page.js';
import { Site, type Person } from './site.js';

/**
 * The later questions of docs/graphql.md: of usage, of the log, and of the history of balances. The figures are checked
 * against the seeded rows, which this file adds up in plain JavaScript.
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
const today = now - (now % day);
const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

interface Used {
  readonly hour: number;
  readonly user: number;
  readonly channel: number;
  readonly model: string;
  readonly group: string;
  readonly calls: number;
  readonly failed: number;
  readonly prompt: number;
  readonly cached: number;
  readonly quota: number;
}
const used: Used[] = [];

interface Logged {
  readonly at: number;
  readonly type: 2 | 6;
  readonly user: number;
  readonly channel: number;
  readonly model: string;
  readonly quota: number;
  readonly other: {
    readonly request_path: string;
    readonly duration_ms: number;
    readonly error_code?: string;
    readonly model_price?: number;
    readonly model_ratio?: number;
    readonly cache_ratio?: number;
    readonly group_ratio?: number;
    readonly admin_info?: object;
    readonly cache_tokens?: number;
    readonly cache_creation_tokens?: number;
  };
}
const logged: Logged[] = [];

/** Movements of balances besides usage. */
const posted: Array<{ at: number; user: number; kind: string; source: string; amount: number; note: string }> = [];

/** Pseudo-random numbers: reproducible and distinct. */
const pseudo = (seed: number): number => Math.abs(Math.imul(seed * 2_654_435_761 + 12_345, 1_540_483_477) >> 8);
const pick = <Value>(values: readonly Value[], seed: number): Value => values[pseudo(seed) % values.length]!;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  people = [await site.invite(root), await site.invite(root), await site.invite(root)];
  await site.query(`
    INSERT INTO channels (id, type, name, key_sealed, tag, models) VALUES
      (1, 20, 'router', '', 'eu', '{m1}'), (2, 14, 'claude', '', 'eu', '{m2}')`);
  seedUsage();
  seedLog();
  await site.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, failed_calls, prompt_tokens,
       cached_tokens, quota)
     SELECT hour, "user", "user", channel, model, "group", calls, failed, prompt, cached, quota
     FROM jsonb_to_recordset($1) AS row(hour bigint, "user" integer, channel integer, model text, "group" text,
       calls bigint, failed bigint, prompt bigint, cached bigint, quota bigint)`,
    [JSON.stringify(used)],
  );
  for (const [index, { at, type, user, channel, model, quota, other }] of logged.entries()) {
    // Details of failed calls, and of calls with budgets, are in the format of Postgres's jsonb.
    await site.query(
      `INSERT INTO logs (created_at, request_id, type, user_id, username, channel_id, model_name, quota, use_time, other)
       VALUES ($1, $2, $3, $4, 'someone', $5, $6, $7, $8, ${type === 6 || index % 3 === 0 ? '$9::jsonb::text' : '$9::text'})`,
      [
        ...[at, `r${index}`, type, user, channel, model, quota],
        ...[Math.floor(other.duration_ms / 1000), JSON.stringify(other)],
      ],
    );
  }
  token = await readingToken(site, root, 'ACCOUNT_READ');
});
afterAll(() => site.stop());

function seedUsage(): void {
  const places = new Set<string>();
  for (let n = 0; n < 900; n++) {
    const row: Used = {
      hour: thisHour - (pseudo(n + 2000) % 1600) * hour,
      user: people[pseudo(n + 1000) % 3]?.id ?? 0,
      channel: 1 + (pseudo(n + 7000) % 2),
      model: `m${1 + (pseudo(n) % 4)}`,
      group: pick(['default', 'vip'], n + 500),
      // Some have failed calls alone.
      calls: pseudo(n + 3000) % 4,
      failed: 1 + (pseudo(n + 4000) % 3),
      prompt: 10 + (pseudo(n + 5000) % 500),
      cached: pseudo(n + 5500) % 10,
      quota: 1000 + (pseudo(n + 6000) % 90_000),
    };
    const place = [row.hour, row.user, row.channel, row.model, row.group].join(' ');
    // Every second day has fewer active users, at whatever hour this runs.
    const isAway = row.user === people[2]?.id && Math.floor(row.hour / day) % 2 === 0;
    if (!isAway && !places.has(place)) used.push(row);
    places.add(place);
  }
}

function seedLog(): void {
  for (let n = 0; n < 240; n++) {
    const isError = n % 4 === 0;
    const path = pick(['/v1/chat/completions', '/v1/messages', '/v1/embeddings'], n + 300);
    const duration = 100 + (pseudo(n + 900) % 70_000);
    const shared = { request_path: path, duration_ms: duration };
    logged.push({
      at: now - (pseudo(n + 100) % (8 * day)),
      type: isError ? 6 : 2,
      user: people[pseudo(n + 200) % 3]?.id ?? 0,
      channel: 1 + (pseudo(n + 400) % 2),
      model: `m${1 + (pseudo(n + 600) % 3)}`,
      quota: isError ? 0 : 10 + (pseudo(n + 700) % 5000),
      other: isError
        ? { ...shared, error_code: pick(['rate_limited', 'upstream_error'], n + 800) }
        : {
            ...shared,
            model_price: -1,
            model_ratio: 2.5,
            cache_ratio: 0.1,
            group_ratio: 0.5,
            cache_tokens: pseudo(n + 50) % 3000,
            cache_creation_tokens: pseudo(n + 60) % 700,
            admin_info: { use_channel: ['1'], upstream_cost: 0.001 },
          },
    });
  }
}

const asked = new Set<number>();
function ask<Answer>(number: number, variables?: Record<string, unknown>): Promise<Answer> {
  asked.add(number);
  return askQuestion(site, token, number, variables) as unknown as Promise<Answer>;
}

const sum = <Row>(rows: readonly Row[], value: (row: Row) => number): number =>
  rows.reduce((all, row) => all + value(row), 0);
const quotaOf = (rows: readonly Used[]): number => sum(rows, ({ quota }) => quota);
const within = (from: number, until: number): Used[] => used.filter((row) => row.hour >= from && row.hour < until);
const logRows = (from: number, type?: 2 | 6): Logged[] =>
  logged.filter((row) => row.at >= from && (type === undefined || row.type === type));
function groups<Row>(rows: readonly Row[], keyOf: (row: Row) => string | number): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) found.set(String(keyOf(row)), [...(found.get(String(keyOf(row))) ?? []), row]);
  return found;
}
/** One value for each group, as a map that is independent of the order. */
const valuesOf = <Row, Value>(
  rows: readonly Row[],
  keyOf: (row: Row) => string | number,
  value: (rows: Row[]) => Value,
): Map<string, Value> => new Map([...groups(rows, keyOf)].map(([key, some]) => [key, value(some)]));
const monthStart = (moment: number, back = 0): number => {
  const date = new Date(moment * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1) / 1000;
};
const monday = (moment: number): number => moment - ((moment - 4 * day) % week);
const usersOf = (rows: readonly Used[]): number =>
  new Set(rows.filter(({ calls }) => calls > 0).map(({ user }) => user)).size;
const close = (value: number): number => expect.closeTo(value, 6) as number;
const channelName = (channel: number): string => (channel === 1 ? 'router' : 'claude');
const nameOf = (user: number): string => people.find(({ id }) => id === user)?.username ?? '';

interface Row {
  readonly time: string;
  readonly until: string;
  readonly key: Readonly<Record<string, string | number | null>>;
  readonly metrics: Metrics;
  readonly compared: Metrics;
}
interface Metrics {
  readonly quota: number;
  readonly calls: number;
  readonly failedCalls: number;
  readonly activeUsers: number;
  readonly latencyMs: number | null;
  readonly cachedShare: number | null;
  readonly cachedTokens: number;
  readonly errorRate: number | null;
  readonly cache: { readonly writeTokens: number; readonly savedUsd: number };
}
interface Usage {
  readonly usage: {
    readonly items: readonly Row[];
    readonly total: Metrics;
    readonly projectedTotal: Record<'quota' | 'usd' | 'calls' | 'passed', number> & { readonly until: string };
    readonly range: { readonly isApproximate: boolean };
  };
}
const keyed = <Value>(rows: readonly Row[], keys: readonly string[], value: (row: Row) => Value): Map<string, Value> =>
  new Map(
    rows.map((row) => [keys.map((key) => String(key === 'time' ? row.time : row.key[key])).join(' '), value(row)]),
  );

it('21: spend by model and group in Berlin, this month beside the one before', async () => {
  const berlin = (text: string): number => Date.parse(text) / 1000;
  const local = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin', dateStyle: 'short' }).format(now * 1000);
  const [year = 0, month = 0] = local.split('-').map(Number);
  const firstOf = (back: number): number => {
    const date = new Date(Date.UTC(year, month - 1 - back, 1));
    const at = (offset: string) => berlin(`${date.toISOString().slice(0, 10)}T00:00:00${offset}`);
    // Summer time begins and ends on Sundays at the end of a month.
    return [3, 4, 5, 6, 7, 8, 9].includes(date.getUTCMonth()) ? at('+02:00') : at('+01:00');
  };
  const [current, before] = [within(firstOf(0), now + 1), within(firstOf(1), firstOf(0))];
  const { usage } = await ask<Usage>(21);
  const expected = valuesOf(
    [...current, ...before],
    ({ model, group }) => `${model} ${group}`,
    (rows) => [
      quotaOf(rows.filter((row) => current.includes(row))),
      quotaOf(rows.filter((row) => before.includes(row))),
    ],
  );
  expect(
    keyed(usage.items, ['modelName', 'group'], ({ metrics, compared }) => [metrics.quota, compared.quota]),
  ).toEqual(expected);
});

it('22: every hour of every channel for seven days on one page', async () => {
  const { usage } = await ask<Usage>(22);
  const rows = within(today - 6 * day, now + 1);
  expect(keyed(usage.items, ['time', 'channelName'], ({ metrics }) => metrics.calls)).toEqual(
    valuesOf(
      rows,
      (row) => `${iso(row.hour)} ${channelName(row.channel)}`,
      (some) => sum(some, ({ calls }) => calls),
    ),
  );
});

it('23: share of cached tokens by key', async () => {
  const { usage } = await ask<Usage>(23);
  const rows = within(today - 29 * day, now + 1);
  expect(keyed(usage.items, ['tokenId'], ({ metrics }) => metrics.cachedShare)).toEqual(
    valuesOf(
      rows,
      ({ user }) => user,
      (some) => close(sum(some, (row) => row.cached) / sum(some, (row) => row.prompt)),
    ),
  );
});

it('24 and 25: the last minute, and channels whose test failed', async () => {
  await site.query(
    `INSERT INTO logs (created_at, type, user_id, prompt_tokens, completion_tokens) VALUES ($1, 2, 1, 30, 12)`,
    [Math.floor(Date.now() / 1000)],
  );
  const { logs } = await ask<{ logs: { lastMinute: { calls: number; tokens: number } } }>(24);
  const recent = logRows(now - 59, 2).length;
  expect(logs.lastMinute).toEqual({ calls: 1 + recent, tokens: 42 });
  await site.query("DELETE FROM logs WHERE username = ''");
  await site.query(
    `UPDATE channels SET tested_at = to_timestamp(${now - 9}), test_error = 'no such host' WHERE id = 2`,
  );
  const { channels } = await ask<{ channels: { items: unknown } }>(25);
  expect(channels.items).toEqual([{ id: 2, name: 'claude', lastTest: { at: iso(now - 9), error: 'no such host' } }]);
});

it('26: why calls of channels fail', async () => {
  const { usage } = await ask<Usage>(26);
  expect(keyed(usage.items, ['channelName', 'errorCode'], ({ metrics }) => metrics.failedCalls)).toEqual(
    valuesOf(
      logRows(today - 6 * day, 6),
      ({ channel, other }) => `${channelName(channel)} ${other.error_code}`,
      (rows) => rows.length,
    ),
  );
  const order = usage.items.map(({ metrics }) => metrics.failedCalls);
  expect(order).toEqual([...order].sort((one, two) => two - one));
});

it('27: providers, this week over last', async () => {
  const { usage } = await ask<Usage>(27);
  const [current, before] = [within(monday(now), now + 1), within(monday(now) - week, thisHour + hour - week)];
  const label = (channel: number) => (channel === 1 ? 'OpenRouter' : 'Anthropic Claude');
  const expected = valuesOf(
    [...current, ...before],
    ({ channel }) => label(channel),
    (rows) => [
      quotaOf(rows.filter((row) => current.includes(row))),
      quotaOf(rows.filter((row) => before.includes(row))),
    ],
  );
  expect(keyed(usage.items, ['providerName'], ({ metrics, compared }) => [metrics.quota, compared.quota])).toEqual(
    expected,
  );
});

it('28: a row for each hour of the week', async () => {
  const { usage } = await ask<Usage>(28);
  const first = today - 6 * day;
  const hours = Array.from({ length: (thisHour - first) / hour + 1 }, (_, n) => first + n * hour);
  expect(usage.items.map(({ time, metrics }) => [time, metrics.calls])).toEqual(
    hours.map((start) => [iso(start), sum(within(start, start + hour), ({ calls }) => calls)]),
  );
});

it('29 and 38: the dearest and the slowest calls', async () => {
  interface Calls {
    readonly logs: { readonly items: ReadonlyArray<{ readonly requestId: string; readonly durationMs: number }> };
  }
  const ids = (rows: Logged[]): string[] => rows.slice(0, 20).map((row) => `r${logged.indexOf(row)}`);
  const dearest = logRows(today - 29 * day, 2).sort((one, two) => two.quota - one.quota || two.at - one.at);
  expect((await ask<Calls>(29)).logs.items.map(({ requestId }) => requestId)).toEqual(ids(dearest));
  // All calls of one day, so that there are enough of them.
  await site.query('UPDATE logs SET created_at = $1 + id % 60 WHERE created_at < $1', [today - 60]);
  const slowest = logRows(today).filter(({ other }) => other.duration_ms >= 30_000);
  const { logs } = await ask<Calls>(38);
  expect(logs.items.map(({ requestId }) => requestId)).toEqual(
    ids(slowest.sort((one, two) => two.other.duration_ms - one.other.duration_ms)),
  );
  const find = async (filter: string): Promise<number> => {
    const { data, text } = await site.graphql(root, `{ logs(filter: { ${filter} }) { totalCount } }`);
    if (!data?.['logs']) throw new Error(text);
    return (data['logs'] as { totalCount: number }).totalCount;
  };
  const at = `at: { from: "${iso(now - 20 * day)}" }`;
  const durations = logged.filter(({ other }) => other.duration_ms >= 500 && other.duration_ms < 20_250);
  expect(await find(`${at}, durationMs: { atLeast: 500, below: 20250 }`)).toBe(durations.length);
  expect(await find(`${at}, errorCodes: ["rate_limited", "none"]`)).toBe(
    logged.filter(({ other }) => other.error_code === 'rate_limited').length,
  );
  for (const filter of ['durationMs: { atLeast: 5 }', 'errorCodes: ["x"]']) {
    for (const range of ['', `at: { from: "${iso(now - 40 * day)}" }`]) {
      for (const field of ['items { id }', 'sums { quota }', 'totalCount']) {
        const { codes } = await site.graphql(root, `{ logs(filter: { ${filter} ${range} }) { ${field} } }`);
        expect(codes).toEqual(['INVALID_INPUT']);
      }
    }
  }
  for (const [index, { at: moment }] of logged.entries()) {
    await site.query('UPDATE logs SET created_at = $1 WHERE request_id = $2', [moment, `r${index}`]);
  }
});

it('30: customers who left', async () => {
  await site.query(`INSERT INTO users (id, username, created_at) VALUES (900, 'gone', now())`);
  const insert = `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", quota) VALUES ($1, 900, 0, 1, 'm1', 'default', 90000000)`;
  await site.query(insert, [monthStart(now, 1) + day]);
  const { usage } = await ask<Usage>(30);
  expect(usage.items[0]).toEqual({
    key: { username: 'gone' },
    metrics: { quota: 0 },
    compared: { quota: 90_000_000 },
  });
  await site.query('DELETE FROM usage_hourly WHERE user_id = 900; DELETE FROM users WHERE id = 900');
});

describe('31: the users who spend most, with all of their channels', () => {
  const rows = () => within(today - 29 * day, now + 1);
  const ranked = () =>
    [...groups(rows(), ({ user }) => user)]
      .sort(([, one], [, two]) => quotaOf(two) - quotaOf(one))
      .map(([user]) => user);
  const expected = (users: readonly string[]) =>
    users.flatMap((user) =>
      [
        ...groups(
          rows().filter((row) => String(row.user) === user),
          ({ channel }) => channel,
        ),
      ]
        .map(([channel, some]) => [nameOf(Number(user)), channelName(Number(channel)), quotaOf(some)] as const)
        .sort(([, , one], [, , two]) => two - one),
    );
  const shown = ({ usage }: Usage) =>
    usage.items.map(({ key, metrics }) => [key['username'], key['channelName'], metrics.quota]);

  it('in the order of the users', async () => {
    expect(shown(await ask<Usage>(31))).toEqual(expected(ranked()));
  });

  it('and everything else together, users counted once', async () => {
    const query = (args: string) =>
      site.graphql(
        root,
        `{ usage(range: { calendar: LAST_30_DAYS }, groupBy: [USER, CHANNEL], ${args}) {
             items { time key { isOthers username channelName } metrics { quota activeUsers } } others { quota activeUsers } } }`,
      );
    const { data } = await query('top: 2, topBy: [USER], others: true');
    const [one = '', two = '', three = ''] = ranked();
    const { items, others } = data?.['usage'] as {
      items: Array<{ key: { isOthers: boolean; username: string; channelName: string }; metrics: Metrics }>;
      others: Metrics;
    };
    const rest = rows().filter((row) => String(row.user) === three);
    expect(items.map(({ key, metrics }) => [key.username, key.channelName, metrics.quota])).toEqual([
      ...expected([one, two]),
      [null, null, quotaOf(rest)],
    ]);
    expect(others).toEqual({ quota: quotaOf(rest), activeUsers: 1 });
    const byDay = (await query('top: 1, topBy: [CHANNEL], bucket: DAY, pageSize: 2000')).data?.['usage'];
    const { others: left } = byDay as { others: Metrics };
    const [first] = [...groups(rows(), ({ channel }) => channel)].sort(([, a], [, b]) => quotaOf(b) - quotaOf(a));
    const others2 = rows().filter(({ channel }) => String(channel) !== first?.[0]);
    expect(left).toEqual({ quota: quotaOf(others2), activeUsers: usersOf(others2) });
  });

  it.each([
    'topBy: [USER]',
    'top: 2, topBy: [MODEL]',
    'top: 2, topBy: [USER, USER]',
    'top: 2, topBy: [USER], bucket: DAY, fill: true',
  ])('refuses %s', async (args) => {
    const { codes } = await site.graphql(root, `{ usage(groupBy: [USER, CHANNEL], ${args}) { totalCount } }`);
    expect(codes).toEqual(['INVALID_INPUT']);
  });
});

it('32: what this month comes to, and how long balances last', async () => {
  await site.query('UPDATE users SET quota = 700000 * id WHERE id > 1');
  const { usage, users } = await ask<Usage & { users: { items: Array<{ username: string; daysLeft: number }> } }>(32);
  const [start, end] = [monthStart(now), monthStart(now, -1)];
  const { projectedTotal: projected, total } = usage;
  expect(total.quota).toBe(quotaOf(within(start, now + 1)));
  expect(projected.until).toBe(iso(end));
  expect(projected.passed).toBeCloseTo((now - start) / (end - start), 3);
  expect(projected.quota).toBe(Math.round(total.quota / projected.passed));
  const week7 = used.filter((row) => row.hour >= now - week);
  const days = people.map(({ id, username }) => ({
    username,
    daysLeft: (700_000 * id) / (quotaOf(week7.filter(({ user }) => user === id)) / 7),
  }));
  const known = users.items.filter(({ daysLeft }) => daysLeft !== null);
  expect(known.map(({ username, daysLeft }) => ({ username, daysLeft }))).toEqual(
    days.sort((one, two) => one.daysLeft - two.daysLeft).map((row) => ({ ...row, daysLeft: close(row.daysLeft) })),
  );
  const closed = await site.graphql(root, '{ usage(range: { calendar: LAST_MONTH }) { projectedTotal { quota } } }');
  expect(closed.data?.['usage']).toEqual({ projectedTotal: null });
});

it('33: budgets that are nearly used up, the fullest first', async () => {
  const create = async (user: number, amount: number): Promise<number> => {
    const input = `{ level: USER, subjectId: ${user}, kind: MONEY, amount: ${amount}, span: FIXED, startsAt: "${iso(today - day)}", endsAt: "${iso(today + 2 * day)}" }`;
    const { data, text } = await site.graphql(root, `mutation { createBudget(input: ${input}) { budget { id } } }`);
    if (!data?.['createBudget']) throw new Error(text);
    const { id } = (data['createBudget'] as { budget: { id: number } }).budget;
    await site.query('INSERT INTO budget_windows (budget_id, started_at, used, held) VALUES ($1, $2, 700, 100)', [
      id,
      today - day,
    ]);
    return id;
  };
  const [first, second, third] = people;
  await create(first?.id ?? 0, 1000);
  await create(second?.id ?? 0, 900);
  await create(third?.id ?? 0, 1001);
  const { budgets } = await ask<{ budgets: { items: unknown } }>(33);
  const row = (name: string | undefined, amount: number) => ({
    level: 'USER',
    kind: 'MONEY',
    subjectName: name,
    amount,
    state: { used: 700, held: 100, usedShare: 800 / amount, resetsAt: iso(today + 2 * day) },
  });
  expect(budgets.items).toEqual([row(second?.username, 900), row(first?.username, 1000)]);
  const { data } = await site.graphql(
    root,
    `{ all: budgets(sort: { field: USED_SHARE, direction: ASC }, pageSize: 2) { totalCount pageInfo { hasNextPage } items { amount } }
       some: budgets(filter: { usedAtLeast: 0.8 }, sort: { field: AMOUNT }) { totalCount items { amount } } }`,
  );
  expect(data).toEqual({
    all: { totalCount: 3, pageInfo: { hasNextPage: true }, items: [{ amount: 1001 }, { amount: 1000 }] },
    some: { totalCount: 2, items: [{ amount: 1000 }, { amount: 900 }] },
  });
});

it('34: active users by day', async () => {
  const { usage } = await ask<Usage>(34);
  const rows = within(today - 29 * day, now + 1);
  const byDay = valuesOf(rows, (row) => iso(row.hour - (row.hour % day)), usersOf);
  expect(new Map(usage.items.map(({ time, metrics }) => [time, metrics.activeUsers]))).toEqual(byDay);
  expect(new Set(byDay.values()).size).toBeGreaterThan(1);
  expect(usage.total.activeUsers).toBe(3);
});

it('35: retention by sign-up week', async () => {
  const signedUp = people.map(({ id }, index) => [id, now - (index + 1) * 10 * day] as const);
  for (const [id, at] of signedUp)
    await site.query('UPDATE users SET created_at = to_timestamp($1) WHERE id = $2', [at, id]);
  const from = now - 6 * week;
  const { usage } = await ask<Usage>(35, { from: iso(from) });
  const cohort = new Map(signedUp.map(([id, at]) => [id, iso(monday(at))]));
  const rows = within(from - (from % hour), now + 1);
  expect(keyed(usage.items, ['time', 'cohortWeek'], ({ metrics }) => metrics.activeUsers)).toEqual(
    valuesOf(rows, (row) => `${iso(monday(row.hour))} ${cohort.get(row.user)}`, usersOf),
  );
});

describe('the history of balances', () => {
  const entries = [
    ...(['top_up', 'check_in', 'invite', 'transfer', 'admin_grant', 'refund', 'opening'] as const),
    ...(['redemption:1', 'redemption:2'] as const),
  ];
  /** Balances at the start of the history. */
  const begin = 20_000_000;

  beforeAll(async () => {
    await site.query('DELETE FROM ledger_entries');
    await site.query(`INSERT INTO redemptions (id, user_id, key_hash, key_sealed, name, quota, created_at, status, redeemed_at, is_gift, max_uses, used_count, valid_until, deleted_at) VALUES
      (1, 1, 'a', '', 'plain', 100, to_timestamp(${now - 25 * day}), 'used', to_timestamp(${now - 9 * day}), false, NULL, 1, NULL, NULL),
      (2, 1, 'b', '', 'gift', 30, to_timestamp(${now - 20 * day}), 'enabled', NULL, true, 10, 1, NULL, NULL),
      (3, 1, 'c', '', 'over', 5000, to_timestamp(${now - 20 * day}), 'enabled', NULL, false, NULL, 0, to_timestamp(${now - 3 * day}), NULL),
      (4, 1, 'd', '', 'gone', 70000, to_timestamp(${now - 90 * day}), 'enabled', NULL, false, NULL, 0, NULL, to_timestamp(${now - 4 * day})),
      (5, 1, 'e', '', 'endless', 5, to_timestamp(${now - day}), 'enabled', NULL, true, NULL, 1, NULL, NULL)`);
    await site.query(
      'INSERT INTO redemption_uses (redemption_id, user_id, used_at, quota) VALUES (2, $1, to_timestamp($2), 30)',
      [people[0]?.id, now - 8 * day],
    );
    for (let n = 0; n < 120; n++) {
      const kind = pick(entries, n + 4000);
      const user = people[pseudo(n + 4100) % 3]?.id ?? 0;
      const amount = kind === 'admin_grant' && n % 2 === 0 ? -(1 + (pseudo(n) % 90_000)) : 1 + (pseudo(n) % 900_000);
      const at = now - (pseudo(n + 4200) % (80 * day));
      const [name = '', code] = kind.split(':');
      posted.push({
        at,
        user,
        kind: name,
        source: code ? `${kind}:${n}` : `s${n}`,
        amount,
        note: n % 2 ? 'imported' : '',
      });
    }
    await site.query(
      `INSERT INTO ledger_entries (created_at, source, kind, account, user_id, amount, note)
       SELECT to_timestamp(at), source, kind, 'user', "user", amount, note
         FROM jsonb_to_recordset($1) AS row(at bigint, "user" integer, kind text, source text, amount bigint, note text)`,
      [JSON.stringify(posted)],
    );
    await site.query(
      `INSERT INTO ledger_entries (created_at, source, kind, account, user_id, amount) VALUES (to_timestamp($1), 'aff', 'invite', 'affiliate', $2, 2500)`,
      [now - 10 * day, people[0]?.id],
    );
    for (const { id } of people) {
      await site.query('UPDATE users SET quota = $1 WHERE id = $2', [balanceAt(id, now + 1), id]);
    }
    await site.query('UPDATE users SET aff_quota = 2500 WHERE id = $1', [people[0]?.id]);
    await site.query('UPDATE users SET quota = 0 WHERE id = 1');
    await site.query(
      `INSERT INTO reservations (request_id, node_id, user_id, token_id, amount) VALUES ('live', (SELECT id FROM nodes LIMIT 1), $1, 0, 400)`,
      [people[0]?.id],
    );
    await site.query('UPDATE users SET quota = quota - 400 WHERE id = $1', [people[0]?.id]);
  });

  /** The balance of a user before a moment, with what is reserved. */
  const balanceAt = (user: number, moment: number): number =>
    begin +
    sum(
      posted.filter((one) => one.user === user && one.at < moment),
      ({ amount }) => amount,
    ) -
    quotaOf(used.filter((row) => row.user === user && row.hour < moment));

  it('36: quota that entered balances, by source and month', async () => {
    const from = now - 70 * day;
    const { credits } = await ask<{
      credits: Array<{
        time: string;
        source: string;
        credited: number;
        deducted: number;
        entries: number;
        users: number;
      }>;
    }>(36, { from: iso(from) });
    const sourceOf = ({ kind, source, note }: (typeof posted)[number]): string => {
      if (kind === 'opening') return note === 'imported' ? 'IMPORT' : 'NEW_USER';
      if (kind === 'redemption') return source.startsWith('redemption:2') ? 'GIFT_CODE' : 'CODE';
      const names = { top_up: 'PAYMENT', transfer: 'INVITE', admin_grant: 'GRANT' } as Record<string, string>;
      return names[kind] ?? kind.toUpperCase();
    };
    const expected = valuesOf(
      posted.filter(({ at }) => at >= from),
      (row) => `${iso(monthStart(row.at))} ${sourceOf(row)}`,
      (rows) => [
        sum(rows, ({ amount }) => Math.max(0, amount)),
        sum(rows, ({ amount }) => Math.max(0, -amount)),
        rows.length,
        new Set(rows.map(({ user }) => user)).size,
      ],
    );
    const found = credits.map(
      ({ time, source, credited, deducted, entries: count, users }) =>
        [`${time} ${source}`, [credited, deducted, count, users]] as const,
    );
    expect(new Map(found)).toEqual(expected);
    expect(new Set(credits.map(({ source }) => source)).size).toBe(9);
    expect(sum(credits, ({ deducted }) => deducted)).toBeGreaterThan(0);
  });

  it('37: who fell below an amount, and when', async () => {
    const below = 5 * 500_000;
    // The balances are far above; shift them so that each crosses the amount within the week.
    for (const { id } of people) {
      const middle = balanceAt(id, now - 3 * day) - below - 1;
      await site.query('UPDATE users SET quota = quota - $1 WHERE id = $2', [middle, id]);
    }
    const expected = people.flatMap(({ id, username }) => {
      const shift = balanceAt(id, now - 3 * day) - below - 1;
      const left = (moment: number): number => balanceAt(id, moment) - shift;
      const hours = Array.from(
        { length: (thisHour - (today - 6 * day)) / hour + 1 },
        (_, n) => today - 6 * day + n * hour,
      );
      return hours
        .filter((start) => left(start) >= below && left(start + hour) < below)
        .map((start) => ({ at: iso(start), username, quota: left(start + hour) }));
    });
    expect(expected.length).toBeGreaterThan(1);
    const { lowBalances } = await ask<{
      lowBalances: { totalCount: number; items: Array<{ at: string; username: string; quota: number }> };
    }>(37);
    const order = (row: { at: string; username: string }): string => `${row.at} ${row.username}`;
    const sorted = <R extends { at: string; username: string }>(rows: R[]): R[] =>
      [...rows].sort((one, two) => (order(one) < order(two) ? -1 : 1));
    expect(sorted(lowBalances.items.map(({ at, username, quota }) => ({ at, username, quota })))).toEqual(
      sorted(expected),
    );
    expect(lowBalances.totalCount).toBe(expected.length);
    const behind = await site.graphql(
      root,
      `{ lowBalances(below: ${below}, range: { calendar: LAST_7_DAYS }, page: 99) { totalCount items { at } pageInfo { hasNextPage } } }`,
    );
    expect(behind.data?.['lowBalances']).toEqual({
      totalCount: expected.length,
      items: [],
      pageInfo: { hasNextPage: false },
    });
    for (const { id } of people) {
      const middle = balanceAt(id, now - 3 * day) - below - 1;
      await site.query('UPDATE users SET quota = quota + $1 WHERE id = $2', [middle, id]);
    }
    const early = `{ lowBalances(below: 1, range: { from: "${iso(now - 40 * day)}" }) { totalCount } }`;
    expect((await site.graphql(root, early)).codes).toEqual(['INVALID_INPUT']);
  });

  it('41: what the site owed at the end of each day', async () => {
    const { liabilities } = await ask<{
      liabilities: Array<
        Record<'balances' | 'inviteEarnings' | 'unusedCodes' | 'liability', number> & { asOf: string }
      >;
    }>(41);
    const ends = Array.from({ length: 29 }, (_, n) => today - (28 - n) * day);
    const codesAt = (moment: number): number =>
      (now - 25 * day < moment && now - 9 * day >= moment ? 100 : 0) +
      (now - 20 * day < moment ? 300 : 0) -
      (now - 8 * day < moment ? 30 : 0) +
      (now - 20 * day < moment && now - 3 * day >= moment ? 5000 : 0) +
      (now - 4 * day >= moment ? 70_000 : 0);
    const at = (moment: number) => {
      const balances = sum(people, ({ id }) => balanceAt(id, moment));
      const parts = { inviteEarnings: now - 10 * day < moment ? 2500 : 0, unusedCodes: codesAt(moment) };
      return { balances, ...parts, liability: balances + parts.inviteEarnings + parts.unusedCodes };
    };
    const figures = liabilities.map(({ balances, inviteEarnings, unusedCodes, liability }) => ({
      balances,
      inviteEarnings,
      unusedCodes,
      liability,
    }));
    expect(liabilities.slice(0, -1).map(({ asOf }) => asOf)).toEqual(ends.map(iso));
    expect(figures).toEqual([...ends.map(at), at(now + 1)]);
    const { data } = await site.graphql(root, '{ ledgerTotals { liability } }');
    expect((data?.['ledgerTotals'] as { liability: number }).liability).toBe(figures.at(-1)?.liability);
  });
});

it('39: errors by code and model over time', async () => {
  const { usage } = await ask<Usage>(39);
  expect(keyed(usage.items, ['time', 'errorCode', 'modelName'], ({ metrics }) => metrics.failedCalls)).toEqual(
    valuesOf(
      logRows(today - 6 * day, 6),
      (row) => `${iso(row.at - (row.at % day))} ${row.other.error_code} ${row.model}`,
      (rows) => rows.length,
    ),
  );
});

it('40: usage by endpoint', async () => {
  const { usage } = await ask<Usage>(40);
  const answered = (rows: Logged[]) => rows.filter(({ type }) => type === 2);
  const p95 = (rows: Logged[]): number | null => {
    const buckets = Array.from({ length: 24 }, () => 0);
    for (const { other } of answered(rows)) buckets[durationBucket(other.duration_ms)]! += 1;
    return percentile(buckets, 0.95);
  };
  expect(
    keyed(usage.items, ['endpoint'], ({ metrics }) => [
      ...[metrics.calls, metrics.failedCalls, metrics.quota, metrics.latencyMs],
    ]),
  ).toEqual(
    valuesOf(
      logRows(today - 6 * day),
      ({ other }) => other.request_path,
      (rows) => [
        ...[answered(rows).length, rows.length - answered(rows).length, sum(rows, ({ quota }) => quota), p95(rows)],
      ],
    ),
  );
});

it('reads the first endpoints and errors alone, also by user', async () => {
  const first = async (args: string): Promise<unknown[]> => {
    const { data, text } = await site.graphql(
      root,
      `{ usage(range: { calendar: LAST_7_DAYS }, ${args}) { items { key { endpoint errorCode } metrics { calls failedCalls } } } }`,
    );
    if (!data?.['usage']) throw new Error(text);
    return (data['usage'] as Usage['usage']).items.map(({ key, metrics }) => [
      key['endpoint'] ?? key['errorCode'],
      metrics.failedCalls,
    ]);
  };
  const failed = (of: 'request_path' | 'error_code'): unknown[][] => {
    const all = [...groups(logRows(today - 6 * day, 6), ({ other }) => other[of] ?? '')].map(([name, rows]) => [
      name,
      rows.length,
    ]);
    // Several may be first.
    return all.filter(([, rows]) => all.every(([, others]) => Number(others) <= Number(rows)));
  };
  const by = 'orderBy: [{ metric: FAILED_CALLS }], top: 1';
  const [endpoint, error] = [await first(`groupBy: [ENDPOINT], ${by}`), await first(`groupBy: [ERROR], ${by}`)];
  expect([endpoint.length, error.length]).toEqual([1, 1]);
  expect(failed('request_path')).toContainEqual(endpoint[0]);
  expect(failed('error_code')).toContainEqual(error[0]);
  expect((await first('groupBy: [USER, ENDPOINT], pageSize: 5')).length).toBe(5);
});

it.each([
  ['ENDPOINT', undefined],
  ['ERROR', 6],
] as const)('totals of questions by %s are those of its rows, which are in the log', async (dimension, type) => {
  const metrics = '{ calls failedCalls quota }';
  for (const args of ['MODEL]', 'MODEL], top: 1, topBy: [MODEL], others: true', 'MODEL], bucket: DAY']) {
    const { data, text } = await site.graphql(
      root,
      `{ usage(range: { calendar: LAST_7_DAYS }, groupBy: [${dimension}, ${args}, pageSize: 5000) {
           items { key { modelName } metrics ${metrics} } total ${metrics} } }`,
    );
    if (!data?.['usage']) throw new Error(text);
    const { items, total } = data['usage'] as Usage['usage'];
    const rows = logRows(today - 6 * day, type);
    const failed = rows.filter((row) => row.type === 6).length;
    expect(total).toEqual({ calls: rows.length - failed, failedCalls: failed, quota: sum(rows, ({ quota }) => quota) });
    expect(sum(items, (row) => row.metrics.failedCalls)).toBe(failed);
    expect(sum(items, (row) => row.metrics.quota)).toBe(total.quota);
    const [first] = [...groups(rows, ({ model }) => model)].sort(
      ([, one], [, two]) => sum(two, ({ quota }) => quota) - sum(one, ({ quota }) => quota),
    );
    // The first model is that of the rows that are shown. Failed calls have no quota.
    if (args.includes('top') && dimension === 'ENDPOINT') expect(items[0]?.key['modelName']).toBe(first?.[0]);
  }
});

it('42: what prompt caches saved, by model', async () => {
  const { usage } = await ask<Usage>(42);
  const expected = valuesOf(
    logRows(today - 6 * day),
    ({ model }) => model,
    (rows) => {
      const cached = sum(rows, ({ other }) => other.cache_tokens ?? 0);
      const writes = sum(rows, ({ other }) => other.cache_creation_tokens ?? 0);
      return [cached, writes, close((cached * 0.9 * 2.5 * 0.5) / 500_000)];
    },
  );
  expect(
    keyed(usage.items, ['modelName'], ({ metrics }) => [
      ...[metrics.cachedTokens, metrics.cache.writeTokens, metrics.cache.savedUsd],
    ]),
  ).toEqual(expected);
});

it('43: spend by day in Kolkata', async () => {
  const { usage } = await ask<Usage>(43);
  expect(usage.range.isApproximate).toBe(true);
  const local = now + 5.5 * hour;
  const midnight = Math.ceil((local - (local % day) - 5.5 * hour) / hour) * hour;
  const starts = Array.from({ length: 7 }, (_, n) => midnight - (6 - n) * day);
  const days = starts.map((start) => [iso(start), within(start, start + day)] as const);
  expect(usage.items.map(({ time, metrics }) => [time, metrics.quota])).toEqual(
    days.filter(([, rows]) => rows.length > 0).map(([time, rows]) => [time, quotaOf(rows)]),
  );
  const { data } = await site.graphql(
    root,
    '{ usage(range: { calendar: TODAY }, timeZone: "Asia/Kolkata") { projectedTotal { until passed } } }',
  );
  // In the half hour before the moved midnight, nothing of the day is counted yet.
  expect(data?.['usage']).toEqual({
    projectedTotal:
      now > midnight
        ? { until: iso(midnight + day), passed: expect.closeTo((now - midnight) / day, 2) as number }
        : null,
  });
});

it('what is read from the log is bounded, costs more, and is not for users', async () => {
  const costOf = async (query: string): Promise<number> => {
    const response = await fetch(`${site.server.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return ((await response.json()) as { extensions: { cost: { requested: number } } }).extensions.cost.requested;
  };
  const usage = (args: string, fields: string) => `usage(${args}, pageSize: 10) { items { ${fields} } }`;
  const [plain, byEndpoint] = [
    usage('groupBy: [MODEL]', 'metrics { calls }'),
    usage('groupBy: [ENDPOINT]', 'metrics { calls }'),
  ];
  const cached = usage('groupBy: [MODEL]', 'metrics { cache { savedUsd } }');
  const cheap = await costOf(`{ ${plain} }`);
  // A value of a list costs 1, here as there.
  expect(await costOf(`{ ${byEndpoint} }`)).toBe(cheap + 500);
  expect(await costOf(`{ ${cached} }`)).toBe(cheap + 500);
  const fragment = `fragment Saved on UsageMetrics { cache { savedUsd } }`;
  const spread = usage('groupBy: [MODEL]', 'metrics { ...Saved }');
  expect(await costOf(`{ one: ${spread} two: ${spread} } ${fragment}`)).toBe(2 * cheap - 10 + 1000);
  const refuse = async (person: Person, query: string) => (await site.graphql(person, query)).codes;
  const long = `range: { from: "${iso(now - 40 * day)}" }`;
  for (const args of [`groupBy: [ENDPOINT], ${long}`, `groupBy: [ERROR], ${long}`]) {
    expect(await refuse(root, `{ usage(${args}) { totalCount } }`)).toEqual(['INVALID_INPUT']);
  }
  expect(await refuse(root, `{ usage(${long}) { total { cache { savedUsd } } } }`)).toEqual(['INVALID_INPUT']);
  const [user] = people;
  for (const field of ['groupBy: [ENDPOINT]) { totalCount }', 'groupBy: [ERROR]) { totalCount }']) {
    expect(await refuse(user!, `{ myUsage(${field} }`)).toEqual(['INSUFFICIENT_PRIVILEGES']);
  }
  expect(await refuse(user!, '{ myUsage { total { cache { savedUsd } } } }')).toEqual(['INSUFFICIENT_PRIVILEGES']);
});

it('has asked every question that is tested here', () => {
  expect([...asked].sort((one, two) => one - two)).toEqual(dashboardQuestions);
});

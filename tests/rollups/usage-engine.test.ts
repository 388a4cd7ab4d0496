import {
  emptyQuestion,
  type UsageDimension,
  type UsageQuestion,
  type WantedUsage,
} from '../../server/src/console/usage/usage-question.js';
import type { UsageRow } from '../../server/src/console/usage/usage-row.js';
import type { Actor } from '../../server/src/shared/actor.js';
import { percentile } from '../../server/src/shared/latency.js';
import { openUsageSite, root, type UsageSite } from './usage-site.js';

/** The usage engine against the rows of `usage_hourly` and `usage_five_minutes`, added up in plain JavaScript. */
let site: UsageSite;
const hour = 3600;
const day = 24 * hour;
/** A Thursday, in the middle of an hour that is not aggregated. */
const now = Date.UTC(2026, 10, 19, 9, 30, 10) / 1000;
const models = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

interface Used {
  readonly time: number;
  readonly user_id: number;
  readonly channel_id: number;
  readonly model_name: string;
  readonly calls: number;
  readonly failed_calls: number;
  readonly prompt_tokens: number;
  readonly quota: number;
  readonly cost_calls: number;
  readonly cost_quota: number;
  readonly cost_nano_usd: number;
  readonly duration_buckets: number[];
  readonly first_token_buckets: number[];
}
let hourly: Used[];
let recent: Used[];

beforeAll(async () => {
  site = await openUsageSite(now);
  await site.dataSource.query(
    `INSERT INTO users (id, username, created_at) SELECT n, 'user' || n, to_timestamp($1::bigint - n * 86400 * 5) FROM generate_series(1, 12) n`,
    [now],
  );
  await site.dataSource.query(
    `INSERT INTO channels (id, type, name, key_sealed, tag) VALUES
       (1, 1, 'one', '', 'eu'), (2, 14, 'two', '', 'eu'), (3, 1, 'three', '', '')`,
  );
  // Channel 4 was deleted. 70 days, so that last month and the months before have usage.
  const random = `LATERAL (SELECT array_agg(abs(hashint4(n * 100 + i)::bigint)) AS r FROM generate_series(1, 14) i) random`;
  const measures = `1 + r[5] % 4, r[6] % 2, r[7] % 50, r[8] % 900, least(1, r[9] % 3), r[8] % 90, r[10] % 1000000 * 1000,
       array_fill(0::bigint, ARRAY[(r[11] % 22)::integer]) || ARRAY[1 + r[5] % 4],
       array_fill(0::bigint, ARRAY[(r[12] % 9)::integer]) || ARRAY[1::bigint]`;
  const columns = `calls, failed_calls, prompt_tokens, quota, cost_calls, cost_quota, cost_nano_usd, duration_buckets, first_token_buckets`;
  await site.dataSource.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", ${columns})
     SELECT $1::bigint - r[1] % 1700 * 3600, 1 + r[2] % 12, 0, 1 + r[3] % 4, ($2::text[])[1 + r[4] % 7], 'default', ${measures}
       FROM generate_series(1, 6000) n, ${random} ON CONFLICT DO NOTHING`,
    [now - (now % hour), models],
  );
  await site.dataSource.query(
    `INSERT INTO usage_five_minutes (start, channel_id, model_name, ${columns})
     SELECT $1::bigint - r[1] % 570 * 300, 1 + r[3] % 4, ($2::text[])[1 + r[4] % 7], ${measures}
       FROM generate_series(1, 900) n, ${random} ON CONFLICT DO NOTHING`,
    [now - (now % 300), models],
  );
  await site.dataSource.query(
    `CREATE OR REPLACE FUNCTION rollup_clock() RETURNS double precision LANGUAGE sql VOLATILE AS 'SELECT ${now}::float8'`,
  );
  await site.aggregate();
  // Late, and not aggregated again.
  await site.dataSource.query('UPDATE usage_hourly SET quota = quota + 100 WHERE user_id = 7');
  const read = async (table: string, time: string): Promise<Used[]> => {
    const found = await site.dataSource.query<Array<{ row: Used }>>(
      `SELECT to_jsonb(h) || jsonb_build_object('time', ${time}) AS row FROM ${table} h`,
    );
    return found.map(({ row }) => row);
  };
  [hourly, recent] = [await read('usage_hourly', 'hour'), await read('usage_five_minutes', 'start')];
});
afterAll(() => site.close());

const everything: WantedUsage = {
  latency: true,
  firstToken: true,
  cost: true,
  total: true,
  compared: true,
  count: true,
  others: true,
  activeUsers: false,
  cache: false,
  projected: false,
};
const ask = (question: Partial<UsageQuestion>) =>
  site.usage.list(root, { ...emptyQuestion, pageSize: 2000, ...question }, everything);

const sum = (rows: readonly Used[], value: (row: Used) => number): number =>
  rows.reduce((all, row) => all + value(row), 0);
const histogram = (rows: readonly Used[], of: (row: Used) => number[]): number[] =>
  Array.from({ length: 24 }, (_, n) => sum(rows, (row) => of(row)[n] ?? 0));
const metricsOf = (rows: readonly Used[]) => {
  const [calls, failedCalls] = [sum(rows, (row) => row.calls), sum(rows, (row) => row.failed_calls)];
  return {
    calls,
    failedCalls,
    quota: sum(rows, (row) => row.quota),
    promptTokens: sum(rows, (row) => row.prompt_tokens),
    p50: percentile(
      histogram(rows, (row) => row.duration_buckets),
      0.5,
    ),
    p95: percentile(
      histogram(rows, (row) => row.duration_buckets),
      0.95,
    ),
    firstToken: percentile(
      histogram(rows, (row) => row.first_token_buckets),
      0.5,
    ),
    knownCalls: sum(rows, (row) => row.cost_calls),
    upstreamUsd: expect.closeTo(sum(rows, (row) => row.cost_nano_usd) / 1e9, 9) as number,
    marginUsd: expect.closeTo(
      sum(rows, (row) => row.cost_quota) / 500_000 - sum(rows, (row) => row.cost_nano_usd) / 1e9,
      9,
    ) as number,
    coverage: calls === 0 ? 0 : sum(rows, (row) => row.cost_calls) / calls,
  };
};
const shown = (metrics: UsageRow['metrics'] | null) =>
  metrics && {
    calls: metrics.calls,
    failedCalls: metrics.failedCalls,
    quota: metrics.quota,
    promptTokens: metrics.promptTokens,
    p50: metrics.latencyMs(0.5),
    p95: metrics.latencyMs(0.95),
    firstToken: metrics.firstTokenMs(0.5),
    knownCalls: metrics.cost.knownCalls,
    upstreamUsd: metrics.cost.upstreamUsd,
    marginUsd: metrics.cost.marginUsd,
    coverage: metrics.cost.coverage,
  };

const inRange = (rows: readonly Used[], from: number, until: number): Used[] =>
  rows.filter(({ time }) => time >= from && time < until);
const groupsOf = <Key extends string | number | null>(
  rows: readonly Used[],
  keyOf: (row: Used) => Key,
): Map<Key, Used[]> => {
  const groups = new Map<Key, Used[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
};
const at = (...parts: [number, number, number?, number?]): number => Date.UTC(...(parts as [number, number])) / 1000;
/** Local midnight behind which a moment lies, with an offset in hours. */
const localDay = (time: number, offset: number): number => time - ((time + offset * hour) % day);

it('has days of Shanghai, by model, in last month', async () => {
  const [from, until] = [at(2026, 8, 30, 16), at(2026, 9, 31, 16)];
  const page = await ask({
    range: { calendar: 'LAST_MONTH' },
    timeZone: 'Asia/Shanghai',
    bucket: 'DAY',
    groupBy: ['MODEL'],
  });
  const rows = inRange(hourly, from, until);
  const expected = [...groupsOf(rows, (row) => `${localDay(row.time, 8)} ${row.model_name}`).entries()].map(
    ([key, used]) => ({
      key,
      ...metricsOf(used),
    }),
  );
  const found = page.items.map(({ time, key, metrics }) => ({ key: `${time} ${key.modelName}`, ...shown(metrics) }));
  expect(found).toHaveLength(expected.length);
  expect(new Map(found.map((row) => [row.key, row]))).toEqual(new Map(expected.map((row) => [row.key, row])));
  expect(found.map(({ key }) => key)).toEqual(found.map(({ key }) => key).sort());
  expect(page).toMatchObject({
    range: { from, end: until },
    totalCount: expected.length,
    hasNextPage: false,
    asOf: now,
  });
  expect(shown(page.total)).toEqual(metricsOf(rows));
});

it('has weeks and months of New York, whose clocks change', async () => {
  const localMonth = (time: number): number =>
    time < at(2026, 10, 1, 4) ? (time < at(2026, 9, 1, 4) ? at(2026, 8, 1, 4) : at(2026, 9, 1, 4)) : at(2026, 10, 1, 4);
  const range = { from: at(2026, 8, 10, 4), until: at(2026, 10, 19, 5) };
  const months = await ask({ range, timeZone: 'America/New_York', bucket: 'MONTH' });
  const rows = inRange(hourly, range.from, range.until);
  const expected = groupsOf(rows, ({ time }) => localMonth(time));
  expect(months.items.map(({ time, until, metrics }) => [time, until, shown(metrics)])).toEqual([
    [at(2026, 8, 1, 4), at(2026, 9, 1, 4), metricsOf(expected.get(at(2026, 8, 1, 4)) ?? [])],
    [at(2026, 9, 1, 4), at(2026, 10, 1, 4), metricsOf(expected.get(at(2026, 9, 1, 4)) ?? [])],
    [at(2026, 10, 1, 4), at(2026, 11, 1, 5), metricsOf(expected.get(at(2026, 10, 1, 4)) ?? [])],
  ]);
  const weeks = await ask({ range, timeZone: 'America/New_York', bucket: 'WEEK' });
  const monday = at(2026, 9, 26, 4);
  // This week has an hour more.
  const week = weeks.items.find(({ time }) => time === monday);
  expect(week?.until).toBe(monday + 7 * day + hour);
  expect(shown(week?.metrics ?? null)).toEqual(metricsOf(inRange(rows, monday, monday + 7 * day + hour)));
  expect(sum(rows, (row) => row.quota)).toBe(weeks.items.reduce((all, { metrics }) => all + metrics.quota, 0));
});

it('has days of Kolkata, which begin half an hour before they are counted', async () => {
  const range = { from: at(2026, 10, 15, 18) + hour / 2, until: at(2026, 10, 18, 18) + hour / 2 };
  const page = await ask({ range, timeZone: 'Asia/Kolkata', bucket: 'DAY' });
  const starts = [15, 16, 17].map((date) => at(2026, 10, date, 19));
  expect(page.items.map(({ time, until, metrics }) => [time, until, shown(metrics)])).toEqual(
    starts.map((start) => [start, start + day, metricsOf(inRange(hourly, start, start + day))]),
  );
  expect(page.isApproximate).toBe(true);
});

it.each([
  ['PROVIDER', 'providerId', (row: Used) => [1, 14, 1, null][row.channel_id - 1] ?? null],
  ['CHANNEL_TAG', 'channelTag', (row: Used) => ['eu', 'eu', null, null][row.channel_id - 1] ?? null],
  ['CHANNEL', 'channelId', (row: Used) => row.channel_id],
  [
    'USER_COHORT_WEEK',
    'cohortWeek',
    (row: Used) => {
      const signedUp = now - row.user_id * 5 * day + 8 * hour;
      // Monday, 00:00 in Shanghai. The epoch was a Thursday.
      return signedUp - ((signedUp - 4 * day) % (7 * day)) - 8 * hour;
    },
  ],
] as Array<[UsageDimension, 'providerId', (row: Used) => number | string | null]>)(
  'groups by %s',
  async (dimension, field, keyOf) => {
    const page = await ask({ range: { calendar: 'LAST_30_DAYS' }, timeZone: 'Asia/Shanghai', groupBy: [dimension] });
    const rows = inRange(hourly, at(2026, 9, 20, 16), now);
    const expected = [...groupsOf(rows, keyOf).entries()].map(([key, used]) => [key, metricsOf(used)] as const);
    expect(new Map(page.items.map(({ key, metrics }) => [key[field], shown(metrics)]))).toEqual(new Map(expected));
    expect(page.items).toHaveLength(expected.length);
  },
);

it('compares each group with the week before, and orders by the difference and by the ratio', async () => {
  const week = { from: at(2026, 10, 9), until: at(2026, 10, 16) };
  const question = {
    range: { calendar: 'LAST_WEEK' as const },
    groupBy: ['USER' as const],
    compareTo: { period: 'PREVIOUS' as const },
  };
  const [current, previous] = [inRange(hourly, week.from, week.until), inRange(hourly, week.from - 7 * day, week.from)];
  const quotaOf = (rows: Used[], user: number): number =>
    sum(
      rows.filter(({ user_id }) => user_id === user),
      (row) => row.quota,
    );
  const users = [...new Set([...current, ...previous].map(({ user_id }) => user_id))].map((user) => ({
    user,
    now: quotaOf(current, user),
    before: quotaOf(previous, user),
  }));
  const read = async (of: 'DIFFERENCE' | 'RATIO', direction: 'ASC' | 'DESC', top: number | null) =>
    (await ask({ ...question, orderBy: [{ metric: 'QUOTA', of, direction }], top })).items.map(
      ({ key, metrics, compared }) => ({
        user: key.userId,
        now: metrics.quota,
        before: compared?.quota,
      }),
    );
  const byDifference = [...users].sort(
    (one, two) => two.now - two.before - (one.now - one.before) || one.user - two.user,
  );
  expect(await read('DIFFERENCE', 'DESC', null)).toEqual(byDifference);
  expect(await read('DIFFERENCE', 'DESC', 4)).toEqual(byDifference.slice(0, 4));
  const ratio = ({ now: value, before }: (typeof users)[number]): number => (before === 0 ? NaN : value / before);
  const byRatio = [...users].sort((one, two) => ratio(one) - ratio(two) || one.user - two.user);
  expect(await read('RATIO', 'ASC', null)).toEqual(byRatio);
  const totals = await ask(question);
  expect([shown(totals.total), shown(totals.comparedTotal)]).toEqual([metricsOf(current), metricsOf(previous)]);
});

it('puts buckets beside the same days of the week before', async () => {
  const page = await ask({
    range: { calendar: 'THIS_WEEK' },
    bucket: 'DAY',
    fill: true,
    compareTo: { period: 'SAME_LAST_WEEK' },
  });
  const monday = at(2026, 10, 16);
  const until = now - (now % hour) + hour;
  expect(page.items.map(({ time, metrics, compared }) => [time, shown(metrics), shown(compared)])).toEqual(
    [0, 1, 2, 3].map((n) => {
      const [from, end] = [monday + n * day, Math.min(monday + (n + 1) * day, until)];
      return [from, metricsOf(inRange(hourly, from, end)), metricsOf(inRange(hourly, from - 7 * day, end - 7 * day))];
    }),
  );
});

it('compares this month with the whole last one, without days that have none beside them', async () => {
  const page = await ask({
    range: { calendar: 'THIS_MONTH' },
    bucket: 'DAY',
    compareTo: { period: 'PREVIOUS_CALENDAR' },
  });
  expect(page.items).toHaveLength(19);
  expect(shown(page.items[2]?.compared ?? null)).toEqual(metricsOf(inRange(hourly, at(2026, 9, 3), at(2026, 9, 4))));
  expect(shown(page.comparedTotal)).toEqual(metricsOf(inRange(hourly, at(2026, 9, 1), at(2026, 10, 1))));
});

it('chooses the top over the whole range, then has all of its buckets, and the others together', async () => {
  const [from, until] = [at(2026, 10, 12), at(2026, 10, 15)];
  const question = {
    range: { from, until },
    bucket: 'HOUR' as const,
    groupBy: ['MODEL' as const],
    top: 3,
    others: true,
  };
  const rows = inRange(hourly, from, until);
  const ranked = [...groupsOf(rows, (row) => row.model_name).entries()]
    .map(([model, used]) => ({ model, quota: sum(used, (row) => row.quota) }))
    .sort((one, two) => two.quota - one.quota || one.model.localeCompare(two.model))
    .map(({ model }) => model);
  const chosen = ranked.slice(0, 3);
  const page = await ask({ ...question, fill: true });
  const expected = Array.from({ length: 72 }, (_, n) => from + n * hour).flatMap((time) => {
    const here = rows.filter((row) => row.time === time);
    return [
      ...chosen.map((model) => [time, model, false, metricsOf(here.filter((row) => row.model_name === model))]),
      [time, null, true, metricsOf(here.filter((row) => !chosen.includes(row.model_name)))],
    ];
  });
  const found = page.items.map(({ time, key, metrics }) => [time, key.modelName ?? null, key.isOthers, shown(metrics)]);
  expect(found).toEqual(expected);
  expect(shown(page.others)).toEqual(metricsOf(rows.filter((row) => !chosen.includes(row.model_name))));
  // Without fill, hours without usage have no rows.
  const plain = await ask(question);
  expect(
    plain.items.map(({ time, key, metrics }) => [time, key.modelName ?? null, key.isOthers, shown(metrics)]),
  ).toEqual(
    expected.filter(([, , , metrics]) => {
      const { calls } = metrics as { calls: number };
      return calls > 0;
    }),
  );
  const pages = [0, 1, 2].map((number) => ask({ ...question, fill: true, page: number, pageSize: 100 }));
  expect((await Promise.all(pages)).flatMap(({ items }) => items)).toEqual(page.items);
});

it('has five minutes by channel and model, with failures and durations', async () => {
  const range = { from: now - 3 * hour, until: now };
  const [from, until] = [Math.floor(range.from / 300) * 300, Math.ceil(now / 300) * 300];
  const page = await ask({ range, bucket: 'MINUTE_5', groupBy: ['CHANNEL'], timeZone: 'Asia/Kolkata' });
  const rows = inRange(recent, from, until);
  expect(rows.length).toBeGreaterThan(20);
  const expected = [...groupsOf(rows, (row) => `${row.time} ${row.channel_id}`).entries()];
  expect(new Map(page.items.map(({ time, key, metrics }) => [`${time} ${key.channelId}`, shown(metrics)]))).toEqual(
    new Map(expected.map(([key, used]) => [key, metricsOf(used)])),
  );
  expect(page.range).toEqual({ from, end: until });
  const ofTag = await ask({
    range,
    bucket: 'MINUTE_5',
    groupBy: ['MODEL', 'PROVIDER'],
    filter: { channelTags: ['eu'], models: ['a', 'b'] },
  });
  expect(shown(ofTag.total)).toEqual(
    metricsOf(rows.filter((row) => row.channel_id < 3 && ['a', 'b'].includes(row.model_name))),
  );
});

it.each<[string, Partial<UsageQuestion>, string]>([
  ['five minutes further back than 48 hours', { range: { from: now - 49 * hour }, bucket: 'MINUTE_5' }, 'range'],
  [
    'five minutes compared further back',
    { range: { from: now - 30 * hour }, bucket: 'MINUTE_5', compareTo: { period: 'PREVIOUS' } },
    'compareTo',
  ],
  ['five minutes by user', { range: { from: now - hour }, bucket: 'MINUTE_5', groupBy: ['USER'] }, 'bucket'],
  ['five minutes of a token', { range: { from: now - hour }, bucket: 'MINUTE_5', filter: { tokenIds: [1] } }, 'bucket'],
  ['a dimension twice', { groupBy: ['USER', 'USER'] }, 'groupBy'],
  ['others without top', { groupBy: ['USER'], others: true }, 'others'],
  ['top without groups', { top: 3 }, 'top'],
  ['too long a top', { top: 101, groupBy: ['USER'] }, 'top'],
  ['fill without buckets', { fill: true }, 'fill'],
  ['fill of all groups', { fill: true, bucket: 'DAY', groupBy: ['USER'] }, 'fill'],
  ['an order that needs a comparison', { orderBy: [{ metric: 'QUOTA', of: 'RATIO', direction: 'ASC' }] }, 'orderBy'],
  ['too large a page', { pageSize: 5001 }, 'pageSize'],
])('refuses %s', async (_, question, field) => {
  await expect(ask(question)).rejects.toMatchObject({ code: 'INVALID_INPUT', field });
});

it('filters by every field, and by names and tags as they are now', async () => {
  const rows = inRange(hourly, at(2026, 9, 21), now);
  const question = (filter: UsageQuestion['filter']) => ask({ range: { calendar: 'LAST_30_DAYS' }, filter });
  const expectOnly = async (filter: UsageQuestion['filter'], isWanted: (row: Used) => boolean): Promise<void> => {
    expect(shown((await question(filter)).total)).toEqual(metricsOf(rows.filter(isWanted)));
  };
  await expectOnly({ userIds: [2, 3] }, (row) => [2, 3].includes(row.user_id));
  await expectOnly({ usernames: ['user4', 'user12', 'nobody'] }, (row) => [4, 12].includes(row.user_id));
  await expectOnly({ channelTags: ['eu'], models: ['a'] }, (row) => row.channel_id < 3 && row.model_name === 'a');
  await expectOnly({ channelIds: [1], userIds: [5] }, (row) => row.channel_id === 1 && row.user_id === 5);
  await expectOnly({ userIds: [] }, () => false);
  await expectOnly({ tokenIds: [0], groups: ['default'] }, () => true);
  await expectOnly({ groups: ['vip'] }, () => false);
});

it('shows callers their own usage only, and refuses what only the site may see', async () => {
  const caller: Actor = { ...root, id: 5, username: 'user5', role: 'common' };
  const plain = { ...everything, cost: false };
  const own = (question: Partial<UsageQuestion>, wanted = plain) =>
    site.usage.listOwn(caller, { ...emptyQuestion, ...question }, wanted);
  const { total } = await own({ range: { calendar: 'LAST_30_DAYS' }, groupBy: ['MODEL'] });
  expect(total?.quota).toBe(
    sum(
      inRange(hourly, at(2026, 9, 21), now).filter(({ user_id }) => user_id === 5),
      (row) => row.quota,
    ),
  );
  const forbidden = { code: 'INSUFFICIENT_PRIVILEGES' };
  for (const dimension of ['CHANNEL', 'PROVIDER', 'CHANNEL_TAG', 'USER_COHORT_WEEK'] as const) {
    await expect(own({ groupBy: [dimension] })).rejects.toMatchObject(forbidden);
  }
  for (const filter of [{ channelIds: [1] }, { channelTags: ['eu'] }, { userIds: [2] }, { usernames: ['user2'] }]) {
    await expect(own({ filter })).rejects.toMatchObject(forbidden);
  }
  await expect(own({}, everything)).rejects.toMatchObject(forbidden);
  await expect(site.usage.list(caller, emptyQuestion, plain)).rejects.toMatchObject(forbidden);
});

it('adds up each of many users, for relations', async () => {
  const found = await site.usage.sumsOf(
    root,
    'USER',
    [1, 2, 3, 99],
    { range: { calendar: 'TODAY' }, timeZone: 'UTC' },
    everything,
  );
  const rows = inRange(hourly, at(2026, 10, 19), now);
  for (const user of [1, 2, 3]) {
    const used = rows.filter(({ user_id }) => user_id === user);
    if (used.length > 0) expect(shown(found.get(user) ?? null)).toEqual(metricsOf(used));
    else expect(found.has(user)).toBe(false);
  }
  expect(found.has(99)).toBe(false);
});

it('reads the buckets of the top groups in the given direction of time', async () => {
  for (const fill of [false, true]) {
    const question = {
      range: { calendar: 'LAST_7_DAYS' as const },
      groupBy: ['MODEL' as const],
      top: 2,
      bucket: 'DAY' as const,
      fill,
      orderBy: [
        { metric: 'TIME' as const, of: 'CURRENT' as const, direction: 'DESC' as const },
        { metric: 'CALLS' as const, of: 'CURRENT' as const, direction: 'DESC' as const },
      ],
    };
    const { items } = await ask(question);
    const times = items.map(({ time }) => time ?? 0);
    expect(times.length).toBeGreaterThan(7);
    expect(times).toEqual(times.toSorted((one, two) => two - one));
    const ascending = await ask({
      ...question,
      orderBy: [{ ...question.orderBy[0], direction: 'ASC' as const }, question.orderBy[1]] as never,
    });
    const models = (of: typeof items) => of.filter(({ time }) => time === times[0]).map(({ key }) => key.modelName);
    expect(models(items)).toEqual(models(ascending.items));
  }
});

import { wholeHours } from '../../server/src/console/usage/hourly-models.service.js';
import type { UsageMetric } from '../../server/src/console/usage/usage-question.js';
import { percentile } from '../../server/src/shared/latency.js';
import { detail, flat, questionOf, type Grouping } from './usage-question.js';
import { openUsageSite, orderModelsByLanguage, root, type UsageSite } from './usage-site.js';
import { sampled } from '../support/suite.js';

/** Pages of usage in every order: each group once, nulls last both ways, and groups that are alike in the order of their keys. */
let site: UsageSite;
const hour = 3600;
const now = Math.floor(Date.now() / 1000 / hour) * hour + hour / 2;
const range = { from: now - 4 * 24 * hour, to: now };
const pageSize = 9;
/** A locale would have "b" before "B", "É" before "z", and would not look at the signs first. */
const models = ['b', 'B', 'a-2', 'a_1', 'A', 'É', 'z', '日本', '\u{1f600}', '\uff5e'];

interface Used {
  readonly time: number;
  readonly user_id: number;
  readonly token_id: number;
  readonly channel_id: number;
  readonly model_name: string;
  readonly group: string;
  readonly calls: number;
  readonly stream_calls: number;
  readonly failed_calls: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens: number;
  readonly quota: number;
  readonly duration_ms: number;
  readonly duration_buckets: number[];
}
let rows: Used[];

beforeAll(async () => {
  site = await openUsageSite(now);
  await orderModelsByLanguage(site);
  // A third of the users have no calls, and half of these no failures either. Sums are small, so that many are alike.
  await site.dataSource.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, stream_calls, failed_calls,
       prompt_tokens, completion_tokens, cached_tokens, quota, duration_ms, duration_buckets)
     SELECT $1::bigint - r[1] % 80 * 3600, person, 1 + r[2] % 12, 1 + r[3] % 5, ($2::text[])[1 + r[4] % 10],
            (ARRAY['vip', 'Vip', 'default'])[1 + r[5] % 3], calls, r[6] % 3, CASE WHEN person % 6 = 0 THEN 0 ELSE r[7] % 3 END,
            r[8] % 4, r[9] % 3, r[10] % 2, r[11] % 4, calls * (100 + r[12] % 11 * 50),
            CASE WHEN calls > 0 THEN array_fill(0::bigint, ARRAY[(r[13] % 22)::integer]) || ARRAY[calls, r[14] % 3] ELSE '{}' END
       FROM generate_series(1, 400) n,
            LATERAL (SELECT array_agg(abs(hashint4(n * 100 + i)::bigint)) AS r FROM generate_series(1, 14) i) random,
            LATERAL (SELECT 1 + n % 30 AS person) whose,
            LATERAL (SELECT CASE WHEN person % 3 = 0 THEN 0 ELSE 1 + r[6] % 3 END AS calls) made
     ON CONFLICT DO NOTHING`,
    [now - hour / 2, models],
  );
  await site.aggregate();
  // Late, and not aggregated again.
  await site.dataSource.query('UPDATE usage_hourly SET quota = quota + 2 WHERE user_id = 7');
  const found = await site.dataSource.query<Array<{ row: Used }>>(
    `SELECT to_jsonb(h) || jsonb_build_object('time', hour) AS row FROM usage_hourly h`,
  );
  rows = found.map(({ row }) => row);
});
afterAll(() => site.close());

type Cell = number | string | null;
type Direction = 'ASC' | 'DESC';

type Field = keyof ReturnType<typeof flat>;

const dimensions: Readonly<Record<string, readonly [field: Field, cell: (row: Used) => Cell]>> = {
  DAY: ['time', ({ time }) => time - (time % (24 * hour))],
  HOUR: ['time', ({ time }) => time],
  USER: ['userId', (row) => row.user_id],
  TOKEN: ['tokenId', (row) => row.token_id],
  MODEL: ['modelName', (row) => row.model_name],
  CHANNEL: ['channelId', (row) => row.channel_id],
  GROUP: ['group', (row) => row.group],
};

const sum = (used: readonly Used[], value: (row: Used) => number): number =>
  used.reduce((total, row) => total + value(row), 0);
const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

const numbers: Readonly<Record<string, (used: readonly Used[]) => number | null>> = {
  CALLS: (used) => sum(used, (row) => row.calls),
  FAILED_CALLS: (used) => sum(used, (row) => row.failed_calls),
  PROMPT_TOKENS: (used) => sum(used, (row) => row.prompt_tokens),
  COMPLETION_TOKENS: (used) => sum(used, (row) => row.completion_tokens),
  CACHED_TOKENS: (used) => sum(used, (row) => row.cached_tokens),
  QUOTA: (used) => sum(used, (row) => row.quota),
  TOTAL_TOKENS: (used) => sum(used, (row) => row.prompt_tokens + row.completion_tokens),
  AVERAGE_MS: (used) =>
    share(
      sum(used, (row) => row.duration_ms),
      sum(used, (row) => row.calls),
    ),
  CACHED_SHARE: (used) =>
    share(
      sum(used, (row) => row.cached_tokens),
      sum(used, (row) => row.prompt_tokens),
    ),
  ERROR_RATE: (used) =>
    share(
      sum(used, (row) => row.failed_calls),
      sum(used, (row) => row.calls + row.failed_calls),
    ),
};
const p95Of = (used: readonly Used[]): number | null =>
  percentile(
    Array.from({ length: 24 }, (_, bucket) => sum(used, (row) => row.duration_buckets[bucket] ?? 0)),
    0.95,
  );

/** The groups as the rows have them. */
function groupsOf(groupBy: readonly Grouping[]): Array<{ keys: Cell[]; used: Used[] }> {
  const groups = new Map<string, { keys: Cell[]; used: Used[] }>();
  for (const row of rows) {
    const keys = groupBy.map((name) => dimensions[name]?.[1](row) ?? null);
    const group = groups.get(keys.join(' ')) ?? { keys, used: [] };
    group.used.push(row);
    groups.set(keys.join(' '), group);
  }
  return [...groups.values()];
}

function compare(left: Cell, right: Cell, direction: Direction): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  const order =
    typeof left === 'number' && typeof right === 'number'
      ? left - right
      : Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));
  return direction === 'ASC' ? order : -order;
}
const compareKeys = (left: readonly Cell[], right: readonly Cell[]): number =>
  left.map((cell, index) => compare(cell, right[index] ?? null, 'ASC')).find((order) => order !== 0) ?? 0;

/** The keys of all groups, as pages have them. */
async function pagesOf(
  groupBy: readonly Grouping[],
  metric: UsageMetric,
  direction: Direction,
  latency: boolean,
): Promise<Cell[][]> {
  const keys: Cell[][] = [];
  const whole = wholeHours(range.from, range.to);
  for (let page = 0; ; page++) {
    const question = {
      ...questionOf(groupBy),
      range: { from: whole.from, until: whole.end },
      orderBy: [{ metric, of: 'CURRENT' as const, direction }],
      page,
      pageSize,
    };
    const { items } = await site.usage.list(root, question, detail(latency));
    keys.push(...items.map((row) => groupBy.map((name) => flat(row)[dimensions[name]?.[0] ?? 'time'])));
    if (items.length < pageSize) return keys;
  }
}

const groupings: Grouping[][] = [
  ['USER'],
  ['DAY', 'USER'],
  ['MODEL', 'CHANNEL'],
  ['GROUP', 'TOKEN'],
  ['HOUR', 'GROUP'],
];
const bothWays = (metrics: readonly UsageMetric[]): Array<[UsageMetric, Direction]> =>
  metrics.flatMap((metric) => [
    [metric, 'ASC'],
    [metric, 'DESC'],
  ]);
const metrics = Object.keys(numbers) as UsageMetric[];

describe.each(
  sampled(
    groupings.map((groupBy) => [groupBy.join(' and '), groupBy] as const),
    2,
  ),
)('usage by %s', (_, groupBy) => {
  it.each(bothWays(metrics))('is ordered by %s %s', async (field, direction) => {
    const expected = groupsOf(groupBy)
      .map(({ keys, used }) => ({ keys, value: numbers[field]?.(used) ?? null }))
      .sort((left, right) => compare(left.value, right.value, direction) || compareKeys(left.keys, right.keys))
      .map(({ keys }) => keys);
    expect(await pagesOf(groupBy, field, direction, false)).toEqual(expected);
    expect(await pagesOf(groupBy, field, direction, true)).toEqual(expected);
  });

  it.each(['ASC', 'DESC'] as const)('is ordered by key %s', async (direction) => {
    const isTime = (name: Grouping): boolean => name === 'DAY' || name === 'HOUR';
    const keysOf = (keys: Cell[]): Cell[] => keys.filter((_, place) => !isTime(groupBy[place] ?? 'USER'));
    const timeOf = (keys: Cell[]): Cell[] => keys.filter((_, place) => isTime(groupBy[place] ?? 'USER'));
    const expected = groupsOf(groupBy)
      .map(({ keys }) => keys)
      .sort(
        (left, right) =>
          (direction === 'ASC' ? 1 : -1) * compareKeys(keysOf(left), keysOf(right)) ||
          compareKeys(timeOf(left), timeOf(right)),
      );
    expect(await pagesOf(groupBy, 'KEY', direction, false)).toEqual(expected);
  });

  // It is shown rounded, and groups that look alike may differ in fractions.
  it.each(bothWays(['P95_MS']))('is ordered by %s %s', async (field, direction) => {
    const known = new Map(groupsOf(groupBy).map(({ keys, used }) => [keys.join(' '), p95Of(used)]));
    for (const percentiles of [true, false]) {
      const keys = (await pagesOf(groupBy, field, direction, percentiles)).map((key) => key.join(' '));
      expect([...keys].sort()).toEqual([...known.keys()].sort());
      const values = keys.map((key) => known.get(key) ?? null);
      expect(values).toEqual([...values].sort((left, right) => compare(left, right, direction)));
    }
  });
});

it.each([...Object.entries(numbers), ['P95_MS', p95Of] as const])(
  'has pages of groups with the same %s, and of different ones',
  (_, valueOf) => {
    const values = groupsOf(['DAY', 'USER']).map(({ used }) => valueOf(used));
    expect(new Set(values).size).toBeGreaterThan(3);
    expect(new Set(values).size).toBeLessThan(values.length - pageSize);
  },
);

it('is ordered by time only with buckets', async () => {
  await expect(pagesOf(['MODEL'], 'TIME', 'ASC', false)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    field: 'orderBy',
  });
});

import { wholeHours } from '../../server/src/console/usage/hourly-models.service.js';
import type { UsageQuestion } from '../../server/src/console/usage/usage-question.js';
import { percentile } from '../../server/src/shared/latency.js';
import { detail, flat, questionOf, type Grouping } from './usage-question.js';
import { openUsageSite, orderModelsByLanguage, root, type UsageSite } from './usage-site.js';
import { sampled } from '../support/suite.js';

/** Pages and exports of more groups than one statement reads equal the rows of usage. */
let site: UsageSite;
const hour = 3600;
const day = 24 * hour;
/** Half past an hour, so that some of it is not aggregated. */
const now = Math.floor(Date.now() / 1000 / hour) * hour + hour / 2;
const range = { from: now - 3 * day, to: now };
/** A time with more groups than one piece of an export. */
const longAgo = { from: Math.floor(now / day) * day - 20 * day, to: Math.floor(now / day) * day - 18 * day };
const many = 20_600;

interface Used {
  readonly hour: number;
  readonly user_id: number;
  readonly token_id: number;
  readonly model_name: string;
  readonly calls: number;
  readonly quota: number;
  readonly duration_buckets: number[];
}
let rows: Used[];

beforeAll(async () => {
  site = await openUsageSite(now);
  await orderModelsByLanguage(site);
  await site.dataSource.query(`INSERT INTO users (id, username) SELECT n, 'user' || n FROM generate_series(1, 320) n`);
  await site.dataSource.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, quota, logged_calls, logged_quota,
       duration_ms, duration_buckets)
     SELECT $1::bigint - n * 7 % 71 * 3600, 1 + n % 320, 1 + n % 640, 1 + n % 3, 'm' || n % 4, 'default', 1 + n % 5, n * 13 % 101,
            1 + n % 5, n * 13 % 101, 100, ARRAY[n % 3, 0, 1 + n % 4, n % 2]
       FROM generate_series(1, 2500) n`,
    [now - hour / 2],
  );
  await site.dataSource.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, quota)
     SELECT $1::bigint + n % 30 * 3600, 1 + n % 700, n, 0, (ARRAY['m', 'M', '_', 'é', '日'])[1 + n % 5] || n % 1170, 'default', 1, n
       FROM generate_series(1, ${many}) n`,
    [longAgo.from],
  );
  await site.aggregate();
  // Late, and not aggregated again.
  await site.dataSource.query('UPDATE usage_hourly SET quota = quota + 1000 WHERE user_id = 7');
  rows = (
    await site.dataSource.query<Used[]>(
      `SELECT hour::float8, user_id, token_id, model_name, calls::float8, quota::float8,
              array_to_json(duration_buckets) AS duration_buckets FROM usage_hourly`,
    )
  ).filter((row) => row.hour >= Math.floor(range.from / hour) * hour);
});
afterAll(() => site.close());

interface Group {
  readonly time: number | null;
  readonly userId: number | null;
  readonly tokenId: number | null;
  readonly modelName: string | null;
  readonly calls: number;
  readonly quota: number;
  readonly p95Milliseconds: number | null;
}
const shown = (row: Parameters<typeof flat>[0]): Group => {
  const { time, userId, tokenId, modelName, calls, quota, p95Milliseconds } = flat(row);
  return { time, userId, tokenId, modelName, calls, quota, p95Milliseconds };
};
const asked = (groupBy: readonly Grouping[], { from, to }: typeof range, more: Partial<UsageQuestion> = {}) => {
  const whole = wholeHours(from, to);
  return { ...questionOf(groupBy), range: { from: whole.from, until: whole.end }, ...more };
};
const byQuota = (groupBy: readonly Grouping[]): UsageQuestion['orderBy'] => [
  ...(groupBy.some((name) => name === 'DAY' || name === 'HOUR')
    ? [{ metric: 'TIME', of: 'CURRENT', direction: 'ASC' } as const]
    : []),
  { metric: 'QUOTA', of: 'CURRENT', direction: 'DESC' },
];

/** The groups as the rows have them, in the order of lists. */
function expected(groupBy: readonly Grouping[], ofUser?: number): Group[] {
  const groups = new Map<string, Used[]>();
  const keyOf = (row: Used): Omit<Group, 'calls' | 'quota' | 'p95Milliseconds'> => ({
    time: groupBy.includes('HOUR') ? row.hour : groupBy.includes('DAY') ? row.hour - (row.hour % day) : null,
    userId: groupBy.includes('USER') ? row.user_id : null,
    tokenId: groupBy.includes('TOKEN') ? row.token_id : null,
    modelName: groupBy.includes('MODEL') ? row.model_name : null,
  });
  for (const row of rows.filter(({ user_id }) => ofUser === undefined || user_id === ofUser)) {
    const key = JSON.stringify(keyOf(row));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
  return [...groups.values()]
    .map((used) => ({
      ...keyOf(used[0] as Used),
      calls: sum(used.map(({ calls }) => calls)),
      quota: sum(used.map(({ quota }) => quota)),
      p95Milliseconds: percentile(
        [0, 1, 2, 3].map((index) => sum(used.map((row) => row.duration_buckets[index] ?? 0))),
        0.95,
      ),
    }))
    .sort(
      (left, right) =>
        (left.time ?? 0) - (right.time ?? 0) ||
        right.quota - left.quota ||
        (left.userId ?? 0) - (right.userId ?? 0) ||
        (left.tokenId ?? 0) - (right.tokenId ?? 0) ||
        compareText(left.modelName ?? '', right.modelName ?? ''),
    );
}

/** Text by code points. */
const compareText = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));

/** The groups in the order of exports: that of lists would change with every call. */
const expectedInExport = (groupBy: readonly Grouping[]): Group[] =>
  expected(groupBy).sort(
    (left, right) =>
      (left.time ?? 0) - (right.time ?? 0) ||
      (left.userId ?? 0) - (right.userId ?? 0) ||
      compareText(left.modelName ?? '', right.modelName ?? ''),
  );

const groupings: Grouping[][] = [
  ['USER'],
  ['TOKEN'],
  ['DAY', 'USER'],
  ['HOUR', 'TOKEN'],
  ['DAY', 'USER', 'TOKEN'],
  ['USER', 'MODEL'],
  ['DAY', 'MODEL'],
  ['MODEL'],
];

it.each(
  sampled(
    groupings.map((groupBy) => [groupBy.join(' and '), groupBy] as const),
    3,
  ),
)('pages of usage by %s, with and without percentiles', async (_, groupBy) => {
  const all = expected(groupBy);
  for (const page of [0, 2]) {
    for (const percentiles of [true, false]) {
      const orderBy = byQuota(groupBy);
      const found = await site.usage.list(
        root,
        asked(groupBy, range, { page, pageSize: 70, orderBy }),
        detail(percentiles),
      );
      const groups = all.slice(page * 70, page * 70 + 70);
      expect(found.items.map(shown)).toEqual(
        groups.map((group) => (percentiles ? group : { ...group, p95Milliseconds: null })),
      );
      // The total counts all pages, also for a page after the last.
      expect(found.totalCount).toBe(all.length);
    }
  }
});

it('orders by what is asked for, and pages through one user’s groups', async () => {
  const orderBy: UsageQuestion['orderBy'] = [{ metric: 'CALLS', of: 'CURRENT', direction: 'ASC' }];
  const { items } = await site.usage.list(root, asked(['USER'], range, { pageSize: 500, orderBy }), detail(true));
  const calls = items.map(({ metrics }) => metrics.calls);
  expect(calls).toEqual([...calls].sort((left, right) => left - right));
  expect(new Set(items.map(({ key }) => key.userId)).size).toBe(expected(['USER']).length);
  const ofOne = asked(['DAY', 'TOKEN'], range, { filter: { userIds: [7] }, orderBy: byQuota(['DAY']) });
  const own = await site.usage.list(root, ofOne, detail(true));
  expect(own.items.map(shown)).toEqual(expected(['DAY', 'TOKEN'], 7));
});

it.each([['USER'], ['DAY', 'USER', 'TOKEN'], ['MODEL', 'HOUR']] as Grouping[][])(
  'reads usage by %s to its end by cursor, each group once',
  async (...groupBy) => {
    const keys: string[] = [];
    const keyOf = ({ time, userId, tokenId, modelName }: Group): string =>
      JSON.stringify([time, userId, tokenId, modelName]);
    const orderBy = groupBy.some((name) => name === 'DAY' || name === 'HOUR')
      ? []
      : [{ metric: 'KEY', of: 'CURRENT', direction: 'ASC' } as const];
    // Calls turn every order by sums around.
    let turns = 0;
    const turn = (): Promise<unknown> => {
      turns += 1;
      return site.dataSource.query('UPDATE usage_hourly SET quota = 5000 - quota WHERE user_id = 7');
    };
    let after: string | null = null;
    for (let hasNextPage = true; hasNextPage;) {
      const page = await site.usage.list(root, asked(groupBy, range, { after, pageSize: 37, orderBy }), detail(false));
      keys.push(...page.items.map((row) => keyOf(shown(row))));
      ({ hasNextPage, endCursor: after } = page);
      await turn();
    }
    if (turns % 2 === 1) await turn();
    const all = expected(groupBy);
    expect([...keys].sort()).toEqual(all.map(keyOf).sort());
  },
);

it('refuses cursors of other questions and orders', async () => {
  const { endCursor } = await site.usage.list(root, asked(['USER', 'DAY'], range, { pageSize: 3 }), detail(false));
  const refused = (groupBy: Grouping[], more: Partial<UsageQuestion>) =>
    expect(
      site.usage.list(root, asked(groupBy, range, { after: endCursor, ...more }), detail(false)),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      field: 'after',
    });
  await refused(['MODEL', 'DAY'], {});
  await refused(['USER', 'TOKEN', 'DAY'], {});
  await refused(['USER', 'HOUR'], { range: { from: range.from - 3 * day, until: range.from - day } });
  await refused(['USER'], {});
  await refused(['USER', 'DAY'], { orderBy: [{ metric: 'QUOTA', of: 'CURRENT', direction: 'DESC' }] });
  await refused(['USER', 'DAY'], { after: 'nonsense' });
  await refused(['USER', 'DAY'], { page: 1 });
  await refused(['USER', 'DAY'], { top: 3 });
});

it.each([[['USER']], [['USER', 'HOUR']], [['MODEL']]] as Grouping[][][])(
  'exports usage by %s, each group once and in order, however many pieces it takes',
  async (groupBy) => {
    const lines: string[] = [];
    for await (const piece of site.usage.exportAll(root, asked(groupBy, range)))
      lines.push(...piece.split(/\r?\n/).slice(0, -1));
    const [header, ...cells] = lines.map((line) => line.split(','));
    const column = (name: string): number => header?.indexOf(name) ?? -1;
    const names = ['user_id', 'model', 'calls', 'quota', 'p95_ms'].map(column);
    expect(cells.map((line) => names.map((index) => line[index]))).toEqual(
      expectedInExport(groupBy).map(({ userId, modelName, calls, quota, p95Milliseconds }) =>
        [userId, modelName, calls, quota, p95Milliseconds].map((cell) => String(cell ?? '')),
      ),
    );
  },
);

it('an export of nothing is its header', async () => {
  const pieces: string[] = [];
  for await (const piece of site.usage.exportAll(root, asked(['USER'], { from: 1, to: 2 }))) pieces.push(piece);
  expect(pieces).toEqual([expect.stringMatching(/^time,user_id,[^\n]*\n$/)]);
});

/** Cells of the columns that tell the groups of an export apart, and what else is asked for. */
function cellsOf(text: string, names: readonly string[]): string[] {
  const [header = [], ...rows] = text
    .split(/\r?\n/)
    .slice(0, -1)
    .map((line) => line.split(','));
  return rows.map((row) => names.map((name) => row[header.indexOf(name)]).join(' '));
}

it.each([
  [['TOKEN'], many],
  [['MODEL', 'USER'], many],
  [['MODEL', 'DAY', 'TOKEN'], many],
  [['TOKEN', 'HOUR', 'GROUP'], many],
  [['USER'], 700],
] as Array<[Grouping[], number]>)(
  'exports usage by %s with each group once, though calls turn its order around between two pieces',
  async (groupBy, count) => {
    let text = '';
    for await (const piece of site.usage.exportAll(root, asked(groupBy, longAgo))) {
      if (text === '') {
        await site.dataSource.query(`UPDATE usage_hourly SET quota = 100000 - quota WHERE hour <= ${longAgo.to}`);
      }
      text += piece;
    }
    const groups = cellsOf(text, ['time', 'user_id', 'token_id', 'model', 'group']);
    expect(groups).toHaveLength(count);
    expect(new Set(groups).size).toBe(count);
    expect(cellsOf(text, ['calls']).reduce((sum, calls) => sum + Number(calls), 0)).toBe(many);
  },
);

it('exports by time, then by what is asked for as it is asked for, text by code points', async () => {
  let text = '';
  for await (const piece of site.usage.exportAll(root, asked(['MODEL', 'DAY', 'TOKEN'], longAgo))) text += piece;
  const keys = cellsOf(text, ['time', 'model', 'token_id']).map((line) => line.split(' '));
  const inOrder = [...keys].sort(
    ([day = '', model = '', token], [otherDay = '', otherModel = '', otherToken]) =>
      compareText(day, otherDay) || compareText(model, otherModel) || Number(token) - Number(otherToken),
  );
  expect(keys).toEqual(inOrder);
});

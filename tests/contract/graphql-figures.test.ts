import { Site, type Person } from './site.js';

/* Figures that dashboards read: usage of unusual ranges, `channelRetries`, `books`, `userGrowth`, and sums of lists. */

let site: Site;
let root: Person;

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

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

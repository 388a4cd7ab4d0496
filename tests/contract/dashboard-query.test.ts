import { readFile } from 'node:fs/promises';
import { Site, type Person } from './site.js';

/* The query of the dashboard, as the console sends it: its longest range fits the cost limit, and users may send it. */

let site: Site;
let root: Person;
let user: Person;
let query: string;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  user = await site.invite(root);
  const text = await readFile('client/src/screens/dashboard/dashboard.graphql', 'utf8');
  query = text.slice(0, text.indexOf('query AllRates'));
});
afterAll(() => site.stop());

it.each([
  ['hours of a week', 'HOUR', 172],
  ['days of 90 days', 'DAY', 95],
])('shows admins costs and users none, over %s', async (_name, bucket, points) => {
  const variables = (everybody: boolean) => ({
    ...{ everybody, oneUser: false, range: { calendar: 'TODAY' }, timeZone: 'UTC', bucket, filter: null },
    ...{ points, cells: points * 6 },
  });
  const all = await site.graphql(root, query, variables(true));
  expect([all.codes, all.data?.['usage']]).toMatchObject([[], { total: { cost: { knownCalls: 0, marginUsd: 0 } } }]);
  const own = await site.graphql(user, query, variables(false));
  expect([own.codes, JSON.stringify(own.data).includes('cost')]).toEqual([[], false]);
});

import { isFullSuite } from '../support/suite.js';
import { Site, type Person } from './site.js';

/**
 * Limits for dashboards count the cost of queries for each credential. The tests move the clock.
 */
let site: Site;
let root: Person;
let now = Date.UTC(2026, 0, 5, 12);

beforeAll(async () => {
  site = await Site.open({ GLOBAL_API_RATE_LIMIT_ENABLE: 'true', GRAPHQL_COST_PER_MINUTE: '100000' });
  root = await site.setUp();
  jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await site.stop();
});

async function newToken(name: string): Promise<string> {
  const { data, text } = await site.graphql(
    root,
    `mutation { createAccessToken(input: { name: "${name}", scopes: [USAGE_READ, ADMIN_READ] }) { secret } }`,
  );
  if (!data?.['createAccessToken']) throw new Error(text);
  return (data['createAccessToken'] as { secret: string }).secret;
}

/** Sends a query. All callers have one address, as behind one Grafana. */
const ask = (secret: string, query: string) =>
  site.rest(
    null,
    'POST',
    '/graphql',
    { query },
    { authorization: `Bearer ${secret}`, 'x-forwarded-for': '203.0.113.9' },
  );
const statusOf = async (secret: string, query: string): Promise<number> => (await ask(secret, query)).status;

/** Queries of twenty panels: single numbers, tables, and charts with a hundred points. */
const panels = [
  ...Array.from({ length: 8 }, () => '{ users(pageSize: 1) { totalCount } }'),
  ...Array.from({ length: 6 }, () => '{ users(pageSize: 10) { items { id username quota } } }'),
  ...Array.from({ length: 6 }, () => '{ users(pageSize: 100) { items { id quota heldQuota invite { count } } } }'),
];

/**
 * The number of refreshes. They take longer than the window of every limit: three minutes, or ten minutes in the full suite.
 */
const refreshes = isFullSuite ? 60 : 19;

it('twenty panels, refreshed every ten seconds by three viewers behind one address, stay within the limits', async () => {
  const secret = await newToken('Grafana');
  const statuses = new Set<number>();
  let costs = 0;
  for (let refresh = 0; refresh < refreshes; refresh++) {
    for (let viewer = 0; viewer < 3; viewer++) {
      const answers = await Promise.all(panels.map((panel) => ask(secret, panel)));
      for (const { status, body } of answers) {
        statuses.add(status);
        costs += (body as { extensions?: { cost?: { requested: number } } }).extensions?.cost?.requested ?? 0;
      }
    }
    now += 10_000;
  }
  expect([...statuses]).toEqual([200]);
  expect(costs).toBe(3 * refreshes * (8 * 11 + 6 * 21 + 6 * 211));
}, 240_000);

it('one who asks without end is stopped, and goes on with the next minute', async () => {
  const greedy = await newToken('greedy');
  const other = await newToken('other');
  const dear = `{ ${Array.from({ length: 14 }, (_, n) => `a${n}: users(pageSize: 100) { items { id heldQuota } }`).join(' ')} }`;
  let refused;
  for (let n = 0; n < 100 && !refused; n++) {
    const answer = await ask(greedy, dear);
    if (answer.status !== 200) refused = answer;
  }
  expect(refused?.status).toBe(429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused?.body).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
  // The caller is refused before the document is read. Other callers of the address are served.
  expect(await statusOf(greedy, '{ me { id } }')).toBe(429);
  expect(await statusOf(other, '{ me { id } }')).toBe(200);
  now += 60_000;
  expect(await statusOf(greedy, '{ me { id } }')).toBe(200);
});

it('one who tries credentials is stopped by address', async () => {
  const statuses = [];
  for (let n = 0; n < 730; n++) statuses.push(await statusOf(`tga-wrong${n}`, '{ status { version } }'));
  expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
});

it('every response says what it cost and what is left', async () => {
  const secret = await newToken('report');
  const { body } = await ask(secret, '{ users(pageSize: 20) { items { id } } }');
  expect(body).toMatchObject({
    extensions: { cost: { requested: 31, limit: 10_000, remaining: 99_969, resetsInSeconds: expect.any(Number) } },
  });
});

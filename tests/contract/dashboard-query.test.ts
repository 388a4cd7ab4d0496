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
  query = text.slice(0, text.indexOf('query SpendOfModels'));
});
afterAll(() => site.stop());

it.each([
  ['hours of a week', 'HOUR', 172],
  ['days of 90 days', 'DAY', 95],
])('shows admins costs and users none, over %s', async (_name, bucket, points) => {
  const variables = (everybody: boolean) => ({
    everybody,
    oneUser: false,
    range: { calendar: 'TODAY' },
    timeZone: 'UTC',
    bucket,
    filter: null,
    points,
    cells: points * 6,
  });
  const all = await site.graphql(root, query, variables(true));
  expect([all.codes, all.data?.['usage']]).toMatchObject([[], { total: { cost: { knownCalls: 0, marginUsd: 0 } } }]);
  const own = await site.graphql(user, query, variables(false));
  expect([own.codes, JSON.stringify(own.data).includes('cost')]).toEqual([[], false]);
});

it('reads the first steps of a site in one query, the channels that passed their test first', async () => {
  const steps = await readFile('client/src/app/shell/guide/firstSteps.graphql', 'utf8');
  const read = async () => {
    const { data, codes } = await site.graphql(root, steps, {});
    expect(codes).toEqual([]);
    return data;
  };
  const fresh = { channels: { items: [] }, unpricedModels: [], tokens: { items: [] } };
  expect(await read()).toMatchObject({ ...fresh, users: { items: [{ requestCount: 0 }] } });
  await site.query(
    `INSERT INTO channels (type, name, key_sealed, models, response_time, tested_at, test_error)
     VALUES (1, 'new', '', '{own-model}', 0, NULL, ''), (1, 'bad', '', '{own-model}', 1, '2023-11-14T22:28:20Z', 'status code 401'),
            (1, 'good', '', '{own-model}', 700, '2023-11-14T22:13:20Z', '')`,
  );
  await site.query('UPDATE users SET request_count = 4 WHERE id = $1', [user.id]);
  expect(await read()).toMatchObject({
    channels: { items: [{ lastTest: { error: null } }] },
    users: { items: [{ requestCount: 4 }] },
  });
  await site.query("DELETE FROM channels WHERE name = 'good'");
  expect(await read()).toMatchObject({ channels: { items: [{}] } });
  expect(await site.graphql(user, steps, {})).toMatchObject({ codes: expect.arrayContaining([expect.any(String)]) });
});

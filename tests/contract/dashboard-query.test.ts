import { readFile } from 'node:fs/promises';
import { builtInDashboards } from '../../server/src/console/dashboards/built-in.js';
import { Site, type Person } from './site.js';

/* The queries of the first page, as the console sends them: their costs are within the limit, and users may send theirs. */

let site: Site;
let root: Person;
let user: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  user = await site.invite(root);
});
afterAll(() => site.stop());

/** Runs each query of a dashboard once. */
async function runAll(person: Person, key: string): Promise<string> {
  const panels = builtInDashboards.find((one) => one.key === key)?.panels ?? [];
  const given: Readonly<Record<string, unknown>> = { range: { calendar: 'TODAY' }, timeZone: 'UTC', bucket: 'HOUR' };
  const texts: string[] = [];
  for (const query of new Set(panels.map((panel) => panel.query))) {
    const names = Object.keys(given).filter((name) => query.includes(`$${name}:`));
    const { codes, data } = await site.graphql(
      person,
      query,
      Object.fromEntries(names.map((name) => [name, given[name]])),
    );
    expect([query, codes]).toEqual([query, []]);
    texts.push(JSON.stringify(data));
  }
  return texts.join('\n');
}

it('shows admins costs and users none', async () => {
  expect(await runAll(root, 'usage')).toContain('"cost":{"marginUsd":0,"knownUsd":0,"upstreamUsd":0,"knownCalls":0}');
  expect(await runAll(user, 'my-usage')).not.toContain('cost');
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

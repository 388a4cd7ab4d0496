import { foldUpstreamCosts } from '../../server/src/modules/sums/upstream-costs.js';
import { chat, type ReportedUsage } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Person } from './site.js';

/* What channels earned, where their provider says what calls cost. */

let site: Site;
let upstream: Upstream;
let root: Person;
let user: Person;
let key: string;
let ids: Record<'router' | 'silent', number>;

beforeAll(async () => {
  [site, upstream] = await Promise.all([Site.open({ OUTBOUND_ALLOW: '127.0.0.1' }), startUpstream()]);
  root = await site.setUp();
  user = await site.invite(root);
  await site.graphql(root, `mutation { grantQuota(userId: ${user.id}, amount: 50000000) { id } }`);
  const channel = { key: 'sk-upstream', group: 'default', base_url: upstream.url };
  await site.expectSuccess(root, 'POST', '/api/channel/', { ...channel, name: 'router', type: 20, models: 'gpt-4o' });
  await site.expectSuccess(root, 'POST', '/api/channel/', {
    ...channel,
    name: 'silent',
    type: 1,
    models: 'gpt-4o-mini',
  });
  const rows = await site.query<{ id: number; name: 'router' | 'silent' }>('SELECT id, name FROM channels');
  ids = Object.fromEntries(rows.map(({ id, name }) => [name, id])) as typeof ids;
  const made = await site.expectSuccess(user, 'POST', '/api/token/', { name: 'mine', unlimited_quota: true });
  key = (made.body.data as { key: string }).key;
});
afterAll(() => Promise.all([site.stop(), upstream.stop()]));
beforeEach(async () => {
  upstream.reset();
  await site.query('DELETE FROM upstream_costs');
  await site.query('DELETE FROM upstream_costs_new');
});

async function call(model: string, stream: boolean, cost: object): Promise<void> {
  const usage: ReportedUsage = { prompt_tokens: 100_000, completion_tokens: 0, total_tokens: 100_000, ...cost };
  upstream.script({}, chat({ text: 'Hello', usage }));
  const body = {
    model,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    messages: [{ role: 'user', content: 'hi' }],
  };
  const headers = { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${site.server.url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true]);
}

const ask = async (person: Person, filter = ''): Promise<unknown> =>
  (await site.graphql(person, `{ channelMargins${filter} { channelId calls usd upstreamUsd marginUsd } }`)).data?.[
    'channelMargins'
  ];

it('counts the calls whose cost is known, whole and streamed, before and after they are added up', async () => {
  // 100,000 tokens at 2.5 dollars a million: 0.25 dollars.
  await call('gpt-4o', false, { cost: 0.2 });
  await call('gpt-4o', true, { cost: 0.1 });
  await call('gpt-4o', false, {});
  await call('gpt-4o-mini', false, {});
  const expected = [
    {
      channelId: ids.router,
      calls: 2,
      usd: expect.closeTo(0.5, 9) as number,
      upstreamUsd: expect.closeTo(0.3, 9) as number,
      marginUsd: expect.closeTo(0.2, 9) as number,
    },
  ];
  expect(await ask(root)).toEqual(expected);
  await Promise.all([foldUpstreamCosts(site.dataSource), foldUpstreamCosts(site.dataSource)]);
  expect(await site.query('SELECT * FROM upstream_costs_new')).toEqual([]);
  expect(await ask(root)).toEqual(expected);
  await call('gpt-4o', false, { cost: 1 });
  await foldUpstreamCosts(site.dataSource);
  expect(await ask(root)).toMatchObject([{ calls: 3, marginUsd: expect.closeTo(-0.55, 9) as number }]);
});

it('asks for whole hours of a time', async () => {
  const hour = 3600;
  const now = Math.floor(Date.now() / 1000);
  const start = now - (now % hour);
  for (const at of [start, start - 1, start - 2 * hour, start - 31 * 24 * hour]) {
    await site.query('INSERT INTO upstream_costs_new VALUES ($1, $2, 500000, 250000000)', [at, ids.router]);
  }
  const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();
  const questions = async (): Promise<unknown[]> => [
    await ask(root),
    await ask(root, `(filter: { from: "${iso(start - 5)}" })`),
    await ask(root, `(filter: { from: "${iso(start - 2 * hour + 5)}", to: "${iso(start - 5)}" })`),
    await ask(root, `(filter: { from: "${iso(start - hour)}", to: "${iso(start - 2 * hour)}" })`),
  ];
  const expected = [[{ calls: 3, usd: 3, upstreamUsd: 0.75, marginUsd: 2.25 }], [{ calls: 2 }], [{ calls: 2 }], []];
  expect(await questions()).toMatchObject(expected);
  await foldUpstreamCosts(site.dataSource);
  expect(await questions()).toMatchObject(expected);
});

it('tells nobody below an admin what a call cost the site', async () => {
  await call('gpt-4o', false, { cost: 0.2 });
  const own = await site.expectSuccess(user, 'GET', '/api/log/self/?p=0&page_size=1');
  expect(JSON.stringify(own.body)).not.toContain('upstream_cost');
  const all = await site.expectSuccess(root, 'GET', '/api/log/?p=0&page_size=1');
  expect(JSON.stringify(all.body)).toContain('upstream_cost');
  expect((await site.graphql(user, '{ channelMargins { calls } }')).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
});

it.each(['{"note":{"upstream_cost":3}}', '{"admin_info":{"upstream_cost":"x"}}', '{"upstream_cost":3'])(
  'takes %s for no cost, and the row all the same',
  async (other) => {
    await site.query(
      `INSERT INTO logs (created_at, type, user_id, channel_id, quota, other) VALUES ($1, 2, $2, $3, 5, $4)`,
      [Math.floor(Date.now() / 1000), user.id, ids.router, other],
    );
    expect(await ask(root)).toEqual([]);
  },
);

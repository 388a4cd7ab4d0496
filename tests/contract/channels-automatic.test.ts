import { serverError, unauthorized } from '../support/upstream/faults.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Person } from './site.js';

let site: Site;
let upstream: Upstream;
let root: Person;
let authorization: string;

beforeAll(async () => {
  [site, upstream] = await Promise.all([Site.open(), startUpstream()]);
  root = await site.setUp();
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'AutomaticDisableChannelEnabled', value: 'true' });
  const made = await site.expectSuccess(root, 'POST', '/api/token/', { name: 't', unlimited_quota: true });
  authorization = `Bearer sk-${(made.body.data as { key: string }).key}`;
});
afterAll(() => Promise.all([site.stop(), upstream.stop()]));
beforeEach(async () => {
  upstream.reset();
  await site.query('DELETE FROM channels');
  await site.expectSuccess(root, 'POST', '/api/channel/fix');
  await site.query('DELETE FROM logs');
});

interface State {
  readonly status: number;
  readonly other_info: string;
}

async function callThrough(more: Record<string, unknown>): Promise<void> {
  const channel = { name: 'c', key: 'sk-planted-key', models: 'gpt-4o', group: 'default', base_url: upstream.url };
  await site.expectSuccess(root, 'POST', '/api/channel/', { ...channel, ...more });
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
  // A saved channel serves calls immediately.
  await site.rest(null, 'POST', '/v1/chat/completions', body, { authorization, 'content-type': 'application/json' });
  expect(upstream.requests.length).toBeGreaterThan(0);
}

/** Disabling is not awaited by the response: waits for it. */
async function stateOf(status: number): Promise<State | undefined> {
  for (let attempt = 0; ; attempt++) {
    const [row] = await site.query<State>('SELECT status, other_info FROM channels');
    if (row?.status === status || attempt === 1600) return row;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

it('a channel whose key is refused goes out of service, says why, and can be enabled again', async () => {
  upstream.script({}, unauthorized());
  const before = Math.floor(Date.now() / 1000);
  await callThrough({});
  const state = await stateOf(3);
  expect(state?.status).toBe(3);
  const info = JSON.parse(state?.other_info ?? '') as { status_reason: string; status_time: number };
  expect(info.status_reason).not.toBe('');
  expect(info.status_time).toBeGreaterThanOrEqual(before);
  expect((await site.rest(root, 'GET', '/api/channel/models_enabled')).body.data).toEqual([]);
  const rows = await site.query<{ content: string; other: string }>('SELECT content, other FROM logs WHERE type = 4');
  expect(rows.map(({ content }) => content)).toEqual([
    expect.stringMatching(/^Channel \d+ was disabled automatically$/),
  ]);
  expect(JSON.stringify([state, rows])).not.toContain('planted');

  const [row] = await site.query<{ id: number }>('SELECT id FROM channels');
  await site.expectSuccess(root, 'PUT', '/api/channel/', { id: row?.id, status: 1 });
  expect((await site.rest(root, 'GET', '/api/channel/models_enabled')).body.data).toEqual(['gpt-4o']);
});

it.each([
  ['that must not be disabled', { auto_ban: 0 }, unauthorized],
  ['whose provider is only broken', {}, serverError],
])('a channel %s stays', async (_name, more, fault) => {
  upstream.script({}, fault());
  await callThrough(more);
  // Long enough for work that the response does not await.
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(await stateOf(1)).toMatchObject({ status: 1, other_info: '' });
  expect(await site.query('SELECT 1 FROM logs WHERE type = 4')).toEqual([]);
});

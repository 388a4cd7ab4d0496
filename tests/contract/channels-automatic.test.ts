import type { ChannelStatus } from '../../server/src/console/channels/channel.entity.js';
import { rateLimited, serverError, unauthorized } from '../support/upstream/faults.js';
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
  readonly status: ChannelStatus;
  readonly status_reason: string;
  readonly status_changed_at: Date | null;
}

async function callThrough(more: Record<string, unknown>): Promise<void> {
  await create(more);
  // A saved channel serves calls immediately.
  await call();
  expect(upstream.requests.length).toBeGreaterThan(0);
}

/** @returns the id of the channel */
async function create(more: Record<string, unknown> = {}): Promise<number> {
  const channel = { name: 'c', key: 'sk-planted-key', models: 'gpt-4o', group: 'default', base_url: upstream.url };
  await site.expectSuccess(root, 'POST', '/api/channel/', { ...channel, ...more });
  const [row] = await site.query<{ id: number }>('SELECT max(id) AS id FROM channels');
  return row?.id ?? 0;
}

function call(): Promise<{ readonly status: number }> {
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
  const headers = { authorization, 'content-type': 'application/json' };
  return site.rest(null, 'POST', '/v1/chat/completions', body, headers);
}

/** Waits for a status of the channel, because the response does not wait for the channel to be disabled. */
async function stateOf(status: ChannelStatus): Promise<State | undefined> {
  for (let attempt = 0; ; attempt++) {
    const [row] = await site.query<State>('SELECT status, status_reason, status_changed_at FROM channels');
    if (row?.status === status || attempt === 1600) return row;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

it('a channel whose key is refused goes out of service, says why, and can be enabled again', async () => {
  upstream.script({}, unauthorized());
  const before = Math.floor(Date.now() / 1000);
  await callThrough({});
  const state = await stateOf('autoDisabled');
  expect(state?.status).toBe('autoDisabled');
  const { data } = (await site.rest(root, 'GET', '/api/channel/')).body as { data: Array<Record<string, unknown>> };
  const info = JSON.parse(String(data[0]?.['other_info'])) as { status_reason: string; status_time: number };
  expect([data[0]?.['status'], info.status_reason]).toEqual([3, state?.status_reason]);
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
  // The delay is long enough for work that the response does not wait for.
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(await stateOf('enabled')).toEqual({
    status: 'enabled',
    status_reason: '',
    status_changed_at: null,
  });
  expect(await site.query('SELECT 1 FROM logs WHERE type = 4')).toEqual([]);
});

it('a channel that must not be disabled any more serves at once, although this node did not hear of it', async () => {
  const id = await create();
  // The row is changed as by another node.
  await site.query('UPDATE channels SET auto_disable = false WHERE id = $1', [id]);
  upstream.script({}, unauthorized());
  expect((await call()).status).toBeGreaterThanOrEqual(400);
  await new Promise((resolve) => setTimeout(resolve, 150));
  upstream.reset();
  expect((await call()).status).toBe(200);
});

describe('a key that was replaced meanwhile', () => {
  /** Waits long enough for work that the response does not wait for. */
  const pause = () => new Promise((resolve) => setTimeout(resolve, 150));

  it('is refused without consequences for the channel', async () => {
    const id = await create();
    const arrived = new Promise<void>((resolve) => {
      upstream.script({}, async (response, request) => {
        resolve();
        await replaced;
        await unauthorized()(response, request);
      });
    });
    let replace = (): void => undefined;
    const replaced = new Promise<void>((resolve) => (replace = resolve));
    const refused = call();
    await arrived;
    await site.expectSuccess(root, 'PUT', '/api/channel/', { id, key: 'sk-new-key' });
    replace();
    expect((await refused).status).toBeGreaterThanOrEqual(400);
    await pause();
    expect(await site.query('SELECT status, status_reason, status_changed_at FROM channels')).toEqual([
      { status: 'enabled', status_reason: '', status_changed_at: null },
    ]);
    upstream.reset();
    expect((await call()).status).toBe(200);
    expect(upstream.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-new-key');
  });

  it('has no consequences either at a node that did not hear of it', async () => {
    const id = await create();
    expect((await call()).status).toBe(200);
    const other = await create({ key: 'sk-new-key', models: 'another' });
    // The row is changed as by another node. Without Redis this node learns of the change at its next periodic read.
    await site.query('UPDATE channels SET key_sealed = (SELECT key_sealed FROM channels WHERE id = $2) WHERE id = $1', [
      id,
      other,
    ]);
    upstream.script({ key: 'sk-planted-key' }, unauthorized());
    expect((await call()).status).toBeGreaterThanOrEqual(400);
    await pause();
    expect(
      await site.query('SELECT status, status_reason, status_changed_at FROM channels WHERE id = $1', [id]),
    ).toEqual([{ status: 'enabled', status_reason: '', status_changed_at: null }]);
    // The node has read the channel again.
    upstream.reset();
    expect((await call()).status).toBe(200);
    expect(upstream.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-new-key');
  });

  it('does not end what is known of its successor', async () => {
    const id = await create();
    const late = held(serverError());
    await late.arrived;
    await site.expectSuccess(root, 'PUT', '/api/channel/', { id, key: 'sk-new-key' });
    upstream.script({ key: 'sk-new-key' }, rateLimited(300));
    expect((await call()).status).toBe(429);
    late.refuse();
    await late.call;
    // Every edit of any channel compares the node's copies of the keys with the stored keys.
    await site.expectSuccess(root, 'PUT', '/api/channel/', { id, priority: 7 });
    const before = upstream.requests.length;
    expect((await call()).status).toBe(429);
    expect(upstream.requests).toHaveLength(before);
  });

  /** Makes a call that has reached the provider. The provider refuses it when `refuse` is called. */
  function held(refusal = unauthorized()): {
    readonly call: Promise<unknown>;
    readonly arrived: Promise<void>;
    refuse(): void;
  } {
    let refuse = (): void => undefined;
    const refused = new Promise<void>((resolve) => (refuse = resolve));
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    upstream.script({ key: 'sk-planted-key' }, async (response, request) => {
      arrive();
      await refused;
      await refusal(response, request);
    });
    return { call: call(), arrived, refuse };
  }

  it.each([true, false])('is refused at a former address without consequences (known here: %s)', async (isKnown) => {
    const id = await create();
    const late = held();
    await late.arrived;
    const address = `${upstream.url}/new`;
    if (isKnown) await site.expectSuccess(root, 'PUT', '/api/channel/', { id, base_url: address });
    // The row is changed as by another node.
    else await site.query('UPDATE channels SET base_url = $2 WHERE id = $1', [id, address]);
    late.refuse();
    await late.call;
    await pause();
    expect(await site.query('SELECT status, status_reason, status_changed_at FROM channels')).toEqual([
      { status: 'enabled', status_reason: '', status_changed_at: null },
    ]);
    upstream.reset();
    await call();
    expect(upstream.requests.at(-1)?.path).toMatch(/^\/new\//);
  });
});

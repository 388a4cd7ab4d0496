import { connect, type Socket } from 'node:net';
import OpenAI, { AzureOpenAI } from 'openai';
import { OpenAIRealtimeWS as BetaWS } from 'openai/beta/realtime/ws';
import { OpenAIRealtimeWebSocket as BetaWebSocket } from 'openai/beta/realtime/websocket';
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { WebSocket as NativeWebSocket } from 'undici';
import { startConnectProxy, startSocksProxy, type TestProxy } from '../support/proxies.js';
import { RealtimeClients } from '../support/realtime-client.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { startRealtimeUpstream, type RealtimeUpstream } from '../support/upstream/realtime.js';

/** Realtime sessions at every kind of channel, over proxies, and by the official package's clients. */

const model = 'gpt-4o-realtime-preview';
/** 2025-05-10: Azure channels made before name their deployments without dots. */
const dotsSince = 1_746_835_200;

let site: TaskSite;
let upstream: RealtimeUpstream;
let clients: RealtimeClients;
let proxy: TestProxy | null = null;
const channels: number[] = [];

beforeAll(async () => {
  site = await TaskSite.open({ AZURE_DEFAULT_API_VERSION: '2025-01-01-of-the-site' });
  upstream = await startRealtimeUpstream();
  clients = new RealtimeClients(site.server.url, model);
});
afterEach(async () => {
  clients.close();
  upstream.refuseWith = 0;
  await site.setOption('RetryTimes', '0');
  await eventually(
    async () => (await site.rows('SELECT 1 FROM reservations')).length,
    (count) => count === 0,
  );
  for (const id of channels.splice(0)) await site.server.api.data(site.root, 'DELETE', `/api/channel/${id}`);
  await proxy?.stop();
  proxy = null;
  expect(await site.drift()).toEqual([]);
});
afterAll(async () => {
  await upstream.stop();
  await site.close();
});

async function channelWith(more: Record<string, unknown> = {}, baseUrl = upstream.url): Promise<number> {
  const { type = 1, ...rest } = more as { type?: number };
  const id = await site.server.api.createChannel(site.root, {
    type,
    baseUrl,
    key: 'sk-up',
    models: [model],
    more: rest,
  });
  channels.push(id);
  return id;
}

/** One turn from beginning to end. @returns what it cost */
async function oneTurn(query?: string): Promise<number> {
  const before = (await site.balances()).used;
  const client = clients.connect(query, { headers: { authorization: `Bearer ${site.key}` } });
  await client.until('session.created');
  client.send({ type: 'response.create' });
  await client.until('response.done');
  return (await site.balances()).used - before;
}

const askedOf = (): { path: string; headers: Record<string, unknown> } => {
  const { path, headers } = upstream.sessions.at(-1) ?? {};
  return { path: path ?? '', headers: headers ?? {} };
};

const errorOf = (body: string): Record<string, unknown> =>
  (JSON.parse(body) as { error: Record<string, unknown> }).error;
const asUser = (): Record<string, string> => ({ authorization: `Bearer ${site.key}` });

describe('Azure', () => {
  it('is called at its deployment, with its own kind of key and the version of the site', async () => {
    await channelWith({ type: 3 });
    await oneTurn();
    const { path, headers } = askedOf();
    expect(path).toBe(`/openai/realtime?deployment=${model}&api-version=2025-01-01-of-the-site`);
    expect(headers['api-key']).toBe('sk-up');
    expect(headers['authorization']).toBeUndefined();
  });

  it.each([
    ['of the channel', '2024-10-01-preview', '', '2024-10-01-preview'],
    ['of the client before it', '2024-10-01-preview', '&api-version=2099-01-01', '2099-01-01'],
  ])('with the version %s', async (_what, other, asked, version) => {
    await channelWith({ type: 3, other });
    await oneTurn(`model=${model}${asked}`);
    expect(new URL(askedOf().path, upstream.url).searchParams.get('api-version')).toBe(version);
  });

  it.each([
    [dotsSince - 1, 'gpt-41-realtime'],
    [dotsSince, 'gpt-4.1-realtime'],
  ])('a channel made at %i names its deployment %s', async (createdTime, deployment) => {
    const id = await channelWith({ type: 3, model_mapping: JSON.stringify({ [model]: 'gpt-4.1-realtime' }) });
    await site.rows('UPDATE channels SET created_at = to_timestamp($2) WHERE id = $1', [id, createdTime]);
    await site.server.api.data(site.root, 'PUT', '/api/channel/', { id, name: 'made long ago' });
    await eventually(
      () => oneTurn().then(() => askedOf().path),
      (path) => path.includes(`deployment=${deployment}&`),
    );
    expect(askedOf().path).toContain(`deployment=${deployment}&`);
  });

  it('is paid like any other, by the name that was asked for', async () => {
    await channelWith({ type: 3, model_mapping: JSON.stringify({ [model]: 'my-deployment' }) });
    expect(await oneTurn()).toBe(7100);
    clients.close();
    const [row] = await site.rows<{ model_name: string; other: string }>(
      'SELECT model_name, other FROM logs WHERE type = 2 ORDER BY id DESC LIMIT 1',
    );
    expect(row?.model_name).toBe(model);
    expect(JSON.parse(row?.other ?? '')).toMatchObject({ is_model_mapped: true, upstream_model_name: 'my-deployment' });
  });
});

it('a session has the model that it pays for, by the name of the provider', async () => {
  await channelWith({ model_mapping: JSON.stringify({ [model]: 'my-deployment' }) });
  const client = clients.connect(undefined, { headers: { authorization: `Bearer ${site.key}` } });
  await client.until('session.created');
  client.send({ type: 'session.update', session: { model, voice: 'alloy' } });
  client.send({ type: 'session.update', session: { model: 'a-dearer-one', voice: 'verse' } });
  client.send({ type: 'response.create', response: { model: 'a-dearer-one' } });
  client.send({ type: 'response.create' });
  await client.until('response.done');
  expect(upstream.sessions.at(-1)?.events).toEqual([
    {
      type: 'session.update',
      event_id: expect.stringMatching(/^tollgate_update_/) as string,
      session: { model: 'my-deployment', voice: 'alloy' },
    },
    { type: 'response.create', event_id: 'tollgate_response_1' },
  ]);
  expect(client.events.filter(({ type }) => type === 'error')).toMatchObject([
    { error: { code: 'invalid_request', message: expect.stringContaining('session.model is not') as string } },
    { error: { code: 'invalid_request', message: expect.stringContaining('response.model is not') as string } },
  ]);
});

describe('a channel’s proxy', () => {
  const credentials = { username: 'me', password: 'a word' };
  it.each([
    ['http', startConnectProxy, {}],
    ['http', startConnectProxy, { credentials }],
    ['socks5', startSocksProxy, {}],
    ['socks5', startSocksProxy, { credentials }],
  ])('%s is gone through (%#)', async (scheme, start, options) => {
    // Only the proxy can resolve this name, so every request that arrives came through it.
    proxy = await start({ ...options, names: { 'provider.behind.proxy': '127.0.0.1' } });
    const login = 'credentials' in options ? `me:${encodeURIComponent(credentials.password)}@` : '';
    const setting = JSON.stringify({ proxy: `${scheme}://${login}127.0.0.1:${proxy.port}` });
    const { port } = new URL(upstream.url);
    await channelWith({ setting }, `http://provider.behind.proxy:${port}`);
    expect(await oneTurn()).toBe(7100);
    expect(proxy.asked).toEqual([`provider.behind.proxy:${port}`]);
    expect(askedOf().headers['authorization']).toBe('Bearer sk-up');
  });

  it.each(['http', 'socks5'])('that cannot be reached (%s) is passed over for another channel', async (scheme) => {
    const dead = await startConnectProxy();
    await dead.stop();
    await channelWith({ priority: 9, setting: JSON.stringify({ proxy: `${scheme}://127.0.0.1:${dead.port}` }) });
    const { status, body } = await clients.refusal(`model=${model}`, asUser());
    expect([status, errorOf(body)['code']]).toEqual([500, 'do_request_failed']);
    expect(body).not.toContain(String(dead.port));
    const good = await channelWith();
    await site.setOption('RetryTimes', '1');
    expect(await oneTurn()).toBe(7100);
    clients.close();
    const [row] = await site.rows<{ channel_id: number }>(
      'SELECT channel_id FROM logs WHERE type = 2 ORDER BY id DESC LIMIT 1',
    );
    expect(row?.channel_id).toBe(good);
  });
});

describe('a provider that refuses', () => {
  it('with a dead key is switched off, as at any other endpoint, and the failure is logged', async () => {
    const id = await channelWith();
    await site.setOption('AutomaticDisableChannelEnabled', 'true');
    // There is no other channel to try, so this channel's response is final.
    await site.setOption('RetryTimes', '2');
    upstream.refuseWith = 401;
    const { status } = await clients.refusal(`model=${model}`, asUser());
    expect(status).toBe(401);
    const channel = await eventually(
      async () =>
        (await site.rows<{ status: string }>('SELECT status FROM channels WHERE id = $1', [id]))[0]?.status ?? '',
      (now) => now === 'autoDisabled',
    );
    expect(channel).toBe('autoDisabled');
    const found = await eventually(
      () =>
        site.rows<Record<string, unknown>>(
          'SELECT quota::integer, model_name, channel_id FROM logs WHERE type = 6 AND channel_id = $1',
          [id],
        ),
      (rows) => rows.length > 0,
    );
    expect(found).toEqual([{ quota: 0, model_name: model, channel_id: id }]);
    await site.setOption('AutomaticDisableChannelEnabled', 'false');
  });

  it('is shown as the channel and the site say', async () => {
    await channelWith({ status_code_mapping: JSON.stringify({ '403': '418' }) });
    upstream.refuseWith = 403;
    const plain = await clients.refusal(`model=${model}`, asUser());
    expect([plain.status, errorOf(plain.body)['code']]).toEqual([418, 'refused']);
    await site.setOption('global.hide_upstream_error_enabled', 'true');
    const hidden = await clients.refusal(`model=${model}`, asUser());
    expect([hidden.status, errorOf(hidden.body)['code']]).toEqual([418, 'bad_response_status_code']);
    await site.setOption('global.hide_upstream_error_enabled', 'false');
  });

  it('holds and charges nothing', async () => {
    await channelWith();
    upstream.refuseWith = 500;
    const before = await site.balances();
    expect((await clients.refusal(`model=${model}`, asUser())).status).toBe(500);
    expect(await site.balances()).toEqual(before);
  });
});

it('is refused for a channel of a type that has no sessions', async () => {
  await channelWith({ type: 14 });
  const { status, body } = await clients.refusal(`model=${model}`, asUser());
  expect([status, errorOf(body)['code']]).toEqual([400, 'unsupported_by_channel']);
});

/**
 * The clients of sessions in the official package. They support only TLS, which usually ends at a proxy in front of
 * Tollgate; here it is removed below them.
 */
describe('the official package', () => {
  interface Emitter {
    on(event: 'error' | 'response.done' | 'session.created', listener: (event: never) => void): unknown;
    send(event: { type: 'response.create' }): void;
    close(): void;
  }
  const createConnection = (): Socket => connect(Number(new URL(site.server.url).port), '127.0.0.1');
  const openai = (): OpenAI => new OpenAI({ apiKey: site.key, baseURL: `${site.server.url}/v1` });
  const azure = (): AzureOpenAI =>
    new AzureOpenAI({ endpoint: site.server.url, apiKey: site.key, apiVersion: '2025-04-01-preview' });
  const atDeployment = { deploymentName: model, options: { createConnection } };

  beforeAll(() => {
    Object.assign(globalThis, {
      WebSocket: class extends NativeWebSocket {
        constructor(url: string, protocols: string[]) {
          super(url.replace('wss:', 'ws:'), protocols);
        }
      },
    });
  });
  afterAll(() => {
    Reflect.deleteProperty(globalThis, 'WebSocket');
  });

  it.each<[string, () => Emitter | Promise<Emitter>, string | undefined]>([
    ['realtime/ws', () => new OpenAIRealtimeWS({ model, options: { createConnection } }, openai()), undefined],
    ['realtime/websocket', () => new OpenAIRealtimeWebSocket({ model }, openai()), undefined],
    ['beta/realtime/ws', () => new BetaWS({ model, options: { createConnection } }, openai()), 'realtime=v1'],
    ['beta/realtime/websocket', () => new BetaWebSocket({ model }, openai()), 'realtime=v1'],
    ['realtime/ws of Azure', () => OpenAIRealtimeWS.azure(azure(), atDeployment), undefined],
    ['beta/realtime/ws of Azure', () => BetaWS.azure(azure(), atDeployment), 'realtime=v1'],
  ])('%s has its turn', async (_name, make, beta) => {
    await channelWith();
    const before = (await site.balances()).used;
    const realtime = await make();
    await new Promise<void>((resolve, reject) => {
      realtime.on('error', reject);
      realtime.on('response.done', () => resolve());
      realtime.on('session.created', () => realtime.send({ type: 'response.create' }));
    });
    realtime.close();
    expect((await site.balances()).used - before).toBe(7100);
    const { headers } = askedOf();
    expect(headers['openai-beta']).toBe(beta);
    expect(JSON.stringify(headers)).not.toContain(site.key.slice(3));
  });

  it.each<[string, () => Emitter]>([
    ['realtime/ws', () => new OpenAIRealtimeWS({ model: 'nobody', options: { createConnection } }, openai())],
    ['realtime/websocket', () => new OpenAIRealtimeWebSocket({ model: 'nobody' }, openai())],
  ])('%s hears of a refusal', async (_name, make) => {
    const realtime = make();
    const error = await new Promise<Error>((resolve) => realtime.on('error', resolve));
    expect(error).toBeInstanceOf(Error);
  });
});

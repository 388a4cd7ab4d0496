import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { RealtimeClients, type RealtimeClient } from '../support/realtime-client.js';
import { startServer } from '../support/server.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { audio, beta, current, transcribe, transcription, unnamed } from '../support/transcription.js';
import { startRealtimeUpstream, type RealtimeUpstream } from '../support/upstream/realtime.js';

/** Transcription sessions that do not begin: before the upgrade, while the client waits, and after it named a model. */

const model = 'gpt-4o-transcribe';
const intent = 'intent=transcription';

let site: TaskSite;
let upstream: RealtimeUpstream;
let clients: RealtimeClients;

beforeAll(async () => {
  site = await TaskSite.open({ METRICS_TOKEN: 'token of the metrics' });
  upstream = await startRealtimeUpstream();
  upstream.receive = transcribe();
  clients = new RealtimeClients(site.server.url, model);
  const models = [model, 'nobody-priced-this'];
  await site.server.api.createChannel(site.root, { baseUrl: upstream.url, key: 'sk-up', models });
});
beforeEach(() => {
  upstream.sessions.length = 0;
  upstream.refuseWith = 0;
});
afterEach(async () => {
  clients.close();
  await nothingLeft();
  expect(await site.drift()).toEqual([]);
});
afterAll(async () => {
  await upstream.stop();
  await site.close();
});

/** Sessions that the server counts as under way. */
async function underWay(): Promise<number> {
  const response = await fetch(`${site.server.url}/metrics`, {
    headers: { authorization: 'Bearer token of the metrics' },
  });
  const line = (await response.text()).split('\n').find((each) => /active.*\/v1\/realtime/.test(each));
  return Number(line?.split(' ').at(-1) ?? 0);
}

async function nothingLeft(): Promise<void> {
  const held = async (): Promise<number> => (await site.rows('SELECT 1 FROM reservations')).length;
  expect(await eventually(held, (count) => count === 0, 20)).toBe(0);
  expect(await eventually(underWay, (count) => count === 0, 20)).toBe(0);
}

async function refused(client: RealtimeClient): Promise<{ code: unknown; closed: number | null }> {
  const closed = await client.untilClosed();
  const { type, error } = client.events.at(-1) ?? {};
  expect(type).toBe('error');
  return { code: (error as { code: unknown }).code, closed };
}

describe('before the upgrade', () => {
  it.each([
    ['a wrong key', 'sk-wrong', 401, 'invalid_api_key'],
    ['a wrong address', { allow_ips: '198.51.100.7' }, 403, 'ip_not_allowed'],
    [
      'a key without the scope',
      { scopes: 'keys', expired_time: Math.trunc(Date.now() / 1000) + 3600 },
      403,
      'key_scope_missing',
    ],
  ])('%s', async (_what, key, status, code) => {
    const text = typeof key === 'string' ? key : (await site.server.api.createToken(site.user, key)).key;
    const answer = await clients.refusal(intent, { authorization: `Bearer ${text}` });
    expect([answer.status, (JSON.parse(answer.body) as { error: { code: string } }).error.code]).toEqual([
      status,
      code,
    ]);
  });

  it('a client above its calls at once, which one that waits is', async () => {
    await site.setOption('ModelRequestUserInFlightLimit', '1');
    const client = await unnamed(clients, site.key);
    expect(await underWay()).toBe(1);
    const headers = { authorization: `Bearer ${site.key}` };
    expect((await clients.refusal(intent, headers)).status).toBe(429);
    client.socket.terminate();
    const next = await eventually(
      () => unnamed(clients, site.key).catch(() => null),
      (opened) => opened !== null,
    );
    expect(next).not.toBeNull();
    await site.setOption('ModelRequestUserInFlightLimit', '0');
    expect(upstream.sessions).toEqual([]);
  });
});

describe.each([current, beta])('once the model is named in the $name dialect', (dialect) => {
  const naming = async (name: string, key = site.key): Promise<ReturnType<typeof refused>> => {
    const client = await unnamed(clients, key, dialect);
    client.send(dialect.update(name));
    return refused(client);
  };

  it.each([
    ['a model without a channel', 'gpt-none', { code: 'model_not_found', closed: 1011 }],
    ['a model without a price', 'nobody-priced-this', { code: 'model_not_priced', closed: 1008 }],
  ])('%s', async (_what, name, failure) => {
    expect(await naming(name)).toEqual(failure);
    expect(upstream.sessions).toEqual([]);
  });

  it('a model outside of the limits of the key', async () => {
    const { key } = await site.server.api.createToken(site.user, {
      model_limits_enabled: true,
      model_limits: 'gpt-4o-mini-transcribe',
    });
    expect(await naming(model, key)).toEqual({ code: 'model_not_allowed', closed: 1008 });
    expect(upstream.sessions).toEqual([]);
  });

  it('a key without money', async () => {
    const { key, id } = await site.server.api.createToken(site.user, { unlimited_quota: false, remain_quota: 10 });
    expect(await naming(model, key)).toEqual({ code: 'pre_consume_token_quota_failed', closed: 1008 });
    expect((await site.balances(site.user.id, id)).token).toBe(10);
    expect(upstream.sessions).toEqual([]);
  });

  it('a key that was disabled while its client waited', async () => {
    const { key, id } = await site.server.api.createToken(site.user);
    const client = await unnamed(clients, key, dialect);
    await site.server.api.data(site.user, 'PUT', '/api/token/?status_only=true', { id, status: 2 });
    client.send(dialect.update(model));
    expect(await refused(client)).toEqual({ code: 'token_disabled', closed: 1008 });
    expect(upstream.sessions).toEqual([]);
  });

  it('a provider that refuses, with its error, which is logged', async () => {
    upstream.refuseWith = 403;
    await site.setOption('LogErrorEnabled', 'true');
    const before = await site.balances();
    expect(await naming(model)).toEqual({ code: 'refused', closed: 1008 });
    await nothingLeft();
    expect(await site.balances()).toEqual(before);
    const logged = await eventually(
      () => site.rows<{ model_name: string }>('SELECT model_name FROM logs WHERE type = 6 ORDER BY id DESC LIMIT 1'),
      (rows) => rows.length > 0,
    );
    expect(logged).toEqual([{ model_name: model }]);
  });
});

describe('while the model is awaited', () => {
  it('an update for a session that responds', async () => {
    const client = await unnamed(clients, site.key);
    client.send({ type: 'session.update', session: { type: 'realtime', model: 'gpt-realtime' } });
    expect(await refused(client)).toEqual({ code: 'invalid_request', closed: 1008 });
  });

  it.each([
    ['too many events', () => Array.from({ length: 1001 }, () => JSON.stringify({ type: 'input_audio_buffer.clear' }))],
    ['too much audio', () => Array.from({ length: 60 }, () => JSON.stringify(audio))],
    ['an event that is too large', () => [JSON.stringify({ ...current.update(model), pad: 'a'.repeat(300_000) })]],
  ])('%s', async (_what, frames) => {
    const client = await unnamed(clients, site.key);
    for (const frame of frames()) client.socket.send(frame);
    expect(await refused(client)).toEqual({ code: 'invalid_request', closed: 1008 });
    expect(upstream.sessions).toEqual([]);
  });

  it('an event that is nested too deeply', async () => {
    const client = await unnamed(clients, site.key);
    client.socket.send('['.repeat(100_000));
    expect((await refused(client)).closed).toBe(1008);
  });

  it('the client leaves, and nothing of it stays', async () => {
    const rows = await site.rows('SELECT 1 FROM logs WHERE type = 2');
    const client = await unnamed(clients, site.key);
    client.send(audio);
    client.socket.terminate();
    await nothingLeft();
    expect(upstream.sessions).toEqual([]);
    expect(await site.rows('SELECT 1 FROM logs WHERE type = 2')).toHaveLength(rows.length);
  });
});

it('ends the connection to a provider when the client leaves meanwhile', async () => {
  const connections: Socket[] = [];
  const silent = createServer((socket) => connections.push(socket.on('error', () => undefined).resume()));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  await site.server.api.createChannel(site.root, { baseUrl, key: 'sk-silent', models: ['silent-transcriber'] });
  await site.setOption('ModelRatio', JSON.stringify({ 'silent-transcriber': 15 }));
  const client = await unnamed(clients, site.key);
  client.send(current.update('silent-transcriber'));
  await eventually(
    () => Promise.resolve(connections.length),
    (count) => count === 1,
  );
  expect(await site.rows('SELECT 1 FROM reservations')).toHaveLength(1);
  client.socket.terminate();
  // Without that the handshake ends after 15 seconds.
  await once(connections[0] as Socket, 'close', { signal: AbortSignal.timeout(5000) });
  await nothingLeft();
  silent.close();
});

it('ends clients that wait, and sessions, when the server stops', async () => {
  const server = await startServer();
  const own = new RealtimeClients(server.url, model);
  try {
    const root = await server.api.setUp();
    await server.api.createChannel(root, { baseUrl: upstream.url, key: 'sk-up', models: [model] });
    const { key } = await server.api.createToken(root);
    const waits = await unnamed(own, key);
    const runs = await transcription(own, key, model);
    const stopped = server.stop();
    expect(await Promise.all([waits.untilClosed(), runs.untilClosed()])).toEqual([1012, 1012]);
    await stopped;
  } finally {
    own.close();
  }
});

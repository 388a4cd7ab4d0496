import { connect, type Socket } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { Secrets } from '../../server/src/shared/secrets.js';
import { ClientSecrets } from '../../server/src/services/realtime/client-secrets.js';
import { RealtimeClients, type RealtimeClient } from '../support/realtime-client.js';
import { testEncryptionKey } from '../support/server.js';
import { eventually, TaskSite, type Answer } from '../support/task-site.js';
import { commit, completed, audio, transcribe } from '../support/transcription.js';
import {
  send,
  startRealtimeUpstream,
  turn,
  type ReceivedSession,
  type RealtimeEvent,
  type RealtimeUpstream,
} from '../support/upstream/realtime.js';

/** Short-lived keys of our own open sessions in a browser, for the key that made them. */

const model = 'gpt-4o-realtime-preview';
const other = 'gpt-4o-mini-realtime-preview';
const transcriber = 'gpt-4o-transcribe';

let site: TaskSite;
let upstream: RealtimeUpstream;
let clients: RealtimeClients;

beforeAll(async () => {
  site = await TaskSite.open();
  upstream = await startRealtimeUpstream();
  clients = new RealtimeClients(site.server.url, model);
  const models = [model, other, transcriber];
  await site.server.api.createChannel(site.root, { baseUrl: upstream.url, key: 'sk-up', models });
});
beforeEach(() => {
  upstream.receive = strict;
});
afterEach(async () => {
  clients.close();
  for (const { socket } of upstream.sessions) socket.terminate();
  const held = async (): Promise<number> => (await site.rows('SELECT 1 FROM reservations')).length;
  expect(await eventually(held, (count) => count === 0)).toBe(0);
  expect(await site.drift()).toEqual([]);
});
afterAll(async () => {
  await upstream.stop();
  await site.close();
});

/**
 * Refuses what OpenAI refuses in a `session.update`: a model, and fields of the other version of the API
 * (https://platform.openai.com/docs/guides/realtime#beta-to-ga-migration, November 2026).
 */
function strict(received: ReceivedSession, event: RealtimeEvent): void {
  if (event['type'] !== 'session.update') return;
  const session = event['session'] as RealtimeEvent;
  const isBeta = received.headers['openai-beta'] === 'realtime=v1';
  const foreign = isBeta
    ? ['type', 'audio', 'output_modalities', 'max_output_tokens']
    : ['modalities', 'voice', 'input_audio_format', 'turn_detection', 'temperature', 'client_secret'];
  const unknown = [...foreign, 'model', 'expires_after'].find((name) => name in session);
  if (unknown !== undefined || (!isBeta && session['type'] === undefined)) {
    const code = unknown === undefined ? 'missing_required_parameter' : 'unknown_parameter';
    const error = { type: 'invalid_request_error', code, param: `session.${unknown ?? 'type'}`, message: 'refused' };
    return send(received.socket, { type: 'error', error: { ...error, event_id: event['event_id'] } });
  }
  send(received.socket, { type: 'session.updated', session: { ...upstream.session, ...session } });
}

const settings = {
  type: 'realtime',
  instructions: 'Speak like a pirate.',
  max_output_tokens: 500,
  audio: { output: { voice: 'marin' } },
};

const make = (body: unknown, key = site.key, path = '/v1/realtime/client_secrets'): Promise<Answer> =>
  site.call('POST', path, body, { authorization: `Bearer ${key}` });

async function secretFor(session: unknown, key?: string): Promise<string> {
  const { status, body } = await make({ session }, key);
  expect(status).toBe(200);
  return body['value'] as string;
}

const inBrowser = (secret: string, query?: string): RealtimeClient =>
  clients.connect(query, {}, ['realtime', `openai-insecure-api-key.${secret}`]);

const refusal = (secret: string, query = `model=${model}`): ReturnType<RealtimeClients['refusal']> =>
  clients.refusal(query, { authorization: `Bearer ${secret}` });

it('opens a session with its settings, charged to the key that made it', async () => {
  const before = await site.balances();
  const { body } = await make({ session: { ...settings, model } });
  const { value, expires_at: expiresAt, session } = body;
  expect(value).toMatch(/^ek_[\w.-]+$/);
  expect(value).not.toContain(site.key.slice(3));
  expect(Math.abs(Number(expiresAt) - Date.now() / 1000 - 600)).toBeLessThan(5);
  expect(session).toMatchObject({ ...settings, model, object: 'realtime.session' });
  const client = inBrowser(String(value));
  await client.until('session.updated');
  expect(client.socket.protocol).toBe('realtime');
  expect(client.events.map(({ type }) => type)).toEqual(['session.created', 'session.updated']);
  const received = upstream.sessions.at(-1);
  expect(received?.events.map(({ session: sent }) => sent)).toEqual([settings]);
  expect(JSON.stringify(received?.headers)).not.toContain('ek_');
  expect(received?.headers.authorization).toBe('Bearer sk-up');
  client.send({ type: 'response.create' });
  await client.until('response.done');
  expect((await site.balances()).used - before.used).toBe(7100);
  client.socket.close();
  const spent = async (): Promise<number> => before.token - (await site.balances()).token;
  expect(await eventually(spent, (quota) => quota === 7100)).toBe(7100);
});

it('applies the settings before anything that the browser sends', async () => {
  const client = inBrowser(await secretFor({ ...settings, model }));
  client.socket.once('open', () => client.send({ type: 'response.create' }));
  await client.until('response.done');
  expect(upstream.sessions.at(-1)?.events.map(({ type }) => type)).toEqual(['session.update', 'response.create']);
});

it('serves the official client, which makes and uses a secret', async () => {
  const server = new OpenAI({ apiKey: site.key, baseURL: `${site.server.url}/v1` });
  const made = await server.realtime.clientSecrets.create({
    expires_after: { anchor: 'created_at', seconds: 7200 },
    session: { type: 'realtime', model, instructions: 'Be brief.' },
  });
  expect(Math.abs(made.expires_at - Date.now() / 1000 - 7200)).toBeLessThan(5);
  const browser = new OpenAI({ apiKey: made.value, baseURL: `${site.server.url}/v1` });
  const createConnection = (): Socket => connect(Number(new URL(site.server.url).port), '127.0.0.1');
  const realtime = new OpenAIRealtimeWS({ model, options: { createConnection } }, browser);
  clients.keep(realtime.socket);
  await new Promise<void>((resolve, reject) => {
    realtime.on('error', reject);
    realtime.on('session.updated', ({ session }) => {
      expect(session).toMatchObject({ instructions: 'Be brief.' });
      realtime.send({ type: 'response.create' });
    });
    realtime.on('response.done', () => resolve());
  });
  realtime.close();
});

it('opens a session of the older version', async () => {
  const path = '/v1/realtime/sessions';
  const lasts = { client_secret: { expires_after: { seconds: 60 } } };
  const { status, body } = await make({ model, voice: 'alloy', temperature: 0.7, ...lasts }, site.key, path);
  expect(status).toBe(200);
  expect((await make({ model, client_secret: 60 }, site.key, path)).status).toBe(400);
  expect(body).toMatchObject({ object: 'realtime.session', model, voice: 'alloy' });
  const { value, expires_at: expiresAt } = body['client_secret'] as { value: string; expires_at: number };
  expect(Math.abs(expiresAt - Date.now() / 1000 - 60)).toBeLessThan(5);
  const client = inBrowser(value);
  await client.until('session.updated');
  const { headers, events } = upstream.sessions.at(-1) ?? {};
  expect(headers?.['openai-beta']).toBe('realtime=v1');
  expect(events?.map(({ session }) => session)).toEqual([{ voice: 'alloy', temperature: 0.7 }]);
});

it('opens a session that only writes speech down', async () => {
  upstream.receive = transcribe();
  const session = {
    type: 'transcription',
    audio: { input: { transcription: { model: transcriber, language: 'en' } } },
  };
  const client = inBrowser(await secretFor(session), 'intent=transcription');
  await client.until('session.updated');
  expect(upstream.sessions.at(-1)).toMatchObject({
    path: '/v1/realtime?intent=transcription',
    events: [{ type: 'session.update', session }],
  });
  client.send(audio);
  client.send(commit);
  await client.until(completed);
  const changed = { type: 'transcription', audio: { input: { transcription: { model } } } };
  client.send({ type: 'session.update', session: changed });
  await client.until('error');
  expect((await refusal(await secretFor(session))).status).toBe(403);
});

it('is bound to its model, which its address need not name', async () => {
  const secret = await secretFor({ type: 'realtime', model });
  const client = inBrowser(secret, '');
  await client.until('session.created');
  expect(upstream.sessions.at(-1)).toMatchObject({ path: `/v1/realtime?model=${model}`, events: [] });
  const { status, body } = await refusal(secret, `model=${other}`);
  expect([status, body]).toEqual([403, expect.stringContaining('model_not_allowed')]);
  client.send({ type: 'session.update', session: { type: 'realtime', model: other } });
  await client.until('error');
  const free = inBrowser(await secretFor({ type: 'realtime' }), `model=${other}`);
  await free.until('session.created');
});

it('has the limits of its key: models, addresses, budgets', async () => {
  const { key, id } = await site.server.api.createToken(site.user, {
    model_limits_enabled: true,
    model_limits: model,
    allow_ips: '127.0.0.1',
  });
  expect(await make({ session: { type: 'realtime', model: other } }, key)).toMatchObject({
    status: 403,
    body: { error: { code: 'model_not_allowed' } },
  });
  const secret = await secretFor({ type: 'realtime' }, key);
  expect((await refusal(secret, `model=${other}`)).status).toBe(403);
  const budget = { level: 'token', subject_id: id, kind: 'requests', amount: 1, window: 'day' };
  await site.server.api.data(site.user, 'POST', '/api/budget/', budget);
  const client = inBrowser(secret);
  await client.until('session.created');
  client.send({ type: 'response.create' });
  await client.until('response.done');
  client.send({ type: 'response.create' });
  await client.until('error');
  expect(client.events.at(-1)).toMatchObject({ error: { code: 'budget_exceeded' } });
  const row = await site.server.api.data<Record<string, unknown>>(site.user, 'GET', `/api/token/${id}`);
  await site.server.api.data(site.user, 'PUT', '/api/token/', { ...row, allow_ips: '198.51.100.7' });
  const { status, body } = await refusal(secret);
  expect([status, body]).toEqual([403, expect.stringContaining('ip_not_allowed')]);
});

it('dies with its key, in open sessions too', async () => {
  const { key, id } = await site.server.api.createToken(site.user, {});
  const secret = await secretFor({ type: 'realtime', model }, key);
  const client = inBrowser(secret);
  await client.until('session.created');
  await site.server.api.data(site.user, 'DELETE', `/api/token/${id}`);
  client.send({ type: 'response.create' });
  expect(await client.untilClosed()).toBe(1008);
  const { status, body } = await refusal(secret);
  expect([status, body]).toEqual([401, expect.stringContaining('invalid_api_key')]);
});

it('expires, and cannot be changed or replaced by another sealed text', async () => {
  const secrets = new Secrets(testEncryptionKey);
  const clock = { now: () => Date.now() - 601_000 };
  const incoming = { headers: { authorization: `Bearer ${site.key}` }, path: '', query: '' } as never;
  const bound = { settings: {}, model, isTranscription: false, version: 'current', lasts: 600 } as const;
  const old = new ClientSecrets({ secrets, clock }).create(incoming, bound)['value'] as string;
  expect(await refusal(old)).toMatchObject({ status: 401, body: expect.stringContaining('token_expired') as unknown });
  const good = await secretFor({ type: 'realtime', model });
  const changed = good.slice(0, -2) + (good.endsWith('AA') ? 'BB' : 'AA');
  for (const wrong of [changed, 'ek_', 'ek_1234', `ek_${secrets.seal(JSON.stringify({ key: site.key }))}`]) {
    const { status, body } = await refusal(wrong);
    expect([status, body]).toEqual([401, expect.stringContaining('invalid_api_key')]);
  }
});

it('opens nothing but realtime sessions', async () => {
  const secret = await secretFor({ type: 'realtime', model });
  const chat = { model, messages: [{ role: 'user', content: 'hi' }] };
  for (const [method, path, body] of [
    ['POST', '/v1/chat/completions', chat],
    ['POST', '/v1/realtime/client_secrets', {}],
    ['GET', '/v1/models', undefined],
    ['GET', '/v1/videos', undefined],
    ['GET', '/api/usage/token', undefined],
  ] as const) {
    expect((await site.call(method, path, body, { authorization: `Bearer ${secret}` })).status).toBe(401);
  }
});

it.each([
  ['a lifetime of more than two hours', { expires_after: { seconds: 7201 } }],
  ['a lifetime below ten seconds', { expires_after: { seconds: 9 } }],
  ['a lifetime that is no number', { expires_after: { seconds: '600' } }],
  ['a lifetime that is no object', { expires_after: 600 }],
  ['another anchor', { expires_after: { anchor: 'last_use', seconds: 600 } }],
  ['a session that is no object', { session: 'realtime' }],
  ['another type', { session: { type: 'chat' } }],
  ['a model that is no text', { session: { type: 'realtime', model: 5 } }],
  ['a limit that is no number', { session: { type: 'realtime', max_output_tokens: 'many' } }],
  ['a field in another case', { session: { type: 'realtime', Instructions: 'hi' } }],
  ['a model beside that of transcription', { session: { type: 'transcription', model } }],
])('refuses %s', async (_name, body) => {
  expect(await make(body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
});

it('refuses a session that does not fit into a header, and keys that may not', async () => {
  const words = Array.from({ length: 6000 }, (_, index) => (index * 7919).toString(36)).join(' ');
  expect(await make({ session: { type: 'realtime', instructions: words } })).toMatchObject({
    status: 400,
    body: { error: { code: 'session_too_large' } },
  });
  expect((await make({ session: { type: 'realtime', instructions: 'a'.repeat(200_000) } })).status).toBe(413);
  expect((await make({}, 'sk-unknown')).status).toBe(401);
  expect(await make({ session: { type: 'realtime', model: 'no-such-model' } })).toMatchObject({
    status: 503,
    body: { error: { code: 'model_not_found' } },
  });
});

it('carries instructions of many words', async () => {
  const instructions = 'You are the voice agent of a hotel. Ask for the name, then for the dates. '.repeat(500);
  const client = inBrowser(await secretFor({ type: 'realtime', model, instructions }));
  await client.until('session.updated');
  expect(client.events.at(-1)).toMatchObject({ session: { instructions } });
});

it('reports settings that the provider refuses', async () => {
  upstream.answer = turn({ textIn: 120, textOut: 30, audioIn: 50, audioOut: 40 });
  const client = inBrowser(await secretFor({ type: 'realtime', model, temperature: 0.7 }));
  await client.until('error');
  expect(client.events.at(-1)).toMatchObject({ error: { code: 'unknown_parameter' } });
  client.send({ type: 'response.create' });
  await client.until('response.done');
});

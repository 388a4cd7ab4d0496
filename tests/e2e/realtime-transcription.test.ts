import { connect, type Socket } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { unexplained } from '../support/charged-rows.js';
import { RealtimeClients, type RealtimeClient } from '../support/realtime-client.js';
import { eventually, TaskSite } from '../support/task-site.js';
import {
  audio,
  beta,
  commit,
  completed,
  current,
  transcribe,
  transcription,
  unnamed,
  utter,
} from '../support/transcription.js';
import { send, startRealtimeUpstream, type RealtimeUpstream } from '../support/upstream/realtime.js';

/** Sessions that only transcribe speech: their address has no model, and an event names it. */

const model = 'gpt-4o-transcribe';
/** Three seconds at 0.0001 USD. */
const utterance = 150;

let site: TaskSite;
let upstream: RealtimeUpstream;
let clients: RealtimeClients;
let channel: number;

beforeAll(async () => {
  site = await TaskSite.open();
  upstream = await startRealtimeUpstream();
  clients = new RealtimeClients(site.server.url, model);
  const models = [model, 'whisper-1', 'mapped-transcriber', 'by-the-call', 'at-no-price', 'by-ratio'];
  const more = { model_mapping: JSON.stringify({ 'mapped-transcriber': model }) };
  channel = await site.server.api.createChannel(site.root, { baseUrl: upstream.url, key: 'sk-up', models, more });
  await site.setOption('ModelPrice', JSON.stringify({ 'by-the-call': 0.02 }));
  await site.setOption(
    'ModelRatio',
    JSON.stringify({ 'mapped-transcriber': 15, 'by-ratio': 15, 'at-no-price': 0, 'azure-transcriber': 15 }),
  );
});
beforeEach(() => {
  upstream.receive = transcribe();
});
afterEach(async () => {
  clients.close();
  await nothingHeld();
  expect(await site.drift()).toEqual([]);
  expect(await unexplained((sql, values) => site.rows(sql, values))).toEqual([]);
});
afterAll(async () => {
  await upstream.stop();
  await site.close();
});

const nothingHeld = async (): Promise<void> => {
  const held = async (): Promise<number> => (await site.rows('SELECT 1 FROM reservations')).length;
  expect(await eventually(held, (count) => count === 0, 20)).toBe(0);
};
const typesOf = (events: ReadonlyArray<Record<string, unknown>>): unknown[] => events.map(({ type }) => type);

describe.each([current, beta])('in the $name dialect', (dialect) => {
  it('charges each utterance before its transcript is seen, and logs all in one row', async () => {
    const before = await site.balances();
    const client = await transcription(clients, site.key, model, dialect);
    for (const count of [1, 2]) {
      await utter(client, count);
      expect((await site.balances()).used - before.used).toBe(count * utterance);
    }
    client.socket.close();
    await nothingHeld();
    const after = await site.balances();
    expect([before.quota - after.quota, before.token - after.token]).toEqual([2 * utterance, 2 * utterance]);
    const [row] = await site.chargedRows(1);
    expect(row).toMatchObject({
      model,
      quota: 2 * utterance,
      promptTokens: 60,
      completionTokens: 40,
      other: {
        ws: true,
        turns: 2,
        audio_input: 60,
        text_output: 40,
        price_card: model,
        transcribed: [{ model, count: 2, seconds: 6 }],
        admin_info: { use_channel: [String(channel)] },
      },
    });
  });

  it('opens the session of the provider as OpenAI has it, and shows the client one beginning', async () => {
    const client = await transcription(clients, site.key, model, dialect);
    const { path, headers, events } = upstream.sessions.at(-1) ?? {};
    expect(path).toBe('/v1/realtime?intent=transcription');
    expect([headers?.authorization, headers?.['openai-beta']]).toEqual([
      'Bearer sk-up',
      dialect.headers['openai-beta'],
    ]);
    expect(events).toEqual([dialect.update(model)]);
    expect(typesOf(client.events)).toEqual([dialect.created, dialect.updated]);
    expect(client.events[0]).toMatchObject({
      event_id: expect.stringMatching(/^evt_/) as unknown,
      session: { id: expect.stringMatching(/^sess_/) as unknown, object: 'realtime.transcription_session' },
    });
  });

  it('sends the provider’s name of the model, and charges by the one that was asked for', async () => {
    const before = await site.balances();
    const client = await transcription(clients, site.key, 'mapped-transcriber', dialect);
    expect(upstream.sessions.at(-1)?.events).toEqual([dialect.update(model)]);
    client.send(dialect.update('mapped-transcriber'));
    await client.until(dialect.updated, 2);
    expect(upstream.sessions.at(-1)?.events).toEqual([dialect.update(model), dialect.update(model)]);
    await utter(client);
    // 3 s of 1000 tokens a minute at ratio 15
    expect((await site.balances()).used - before.used).toBe(750);
    client.socket.close();
    await nothingHeld();
    const [row] = await site.chargedRows(1);
    expect(row).toMatchObject({
      model: 'mapped-transcriber',
      other: {
        is_model_mapped: true,
        upstream_model_name: model,
        transcribed: [{ model: 'mapped-transcriber' }],
        // The channel costs the list price of the provider's model.
        admin_info: { cost_card: model, cost_lines: expect.arrayContaining([['second', 3, 0.0001]]) as unknown },
      },
    });
  });

  it('keeps its model, whatever a later event names', async () => {
    const client = await transcription(clients, site.key, model, dialect);
    client.send(dialect.update('whisper-1'));
    await client.until('error');
    expect(client.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'invalid_request' } });
    await utter(client);
    expect(typesOf(upstream.sessions.at(-1)?.events ?? [])).toEqual([
      dialect.update(model)['type'],
      audio['type'],
      commit['type'],
    ]);
  });
});

describe('an utterance that breaks off', () => {
  const partial = 'conversation.item.input_audio_transcription.delta';
  /** A second of audio. */
  const speak = (client: RealtimeClient): void => {
    for (let count = 0; count < 10; count++) client.send(audio);
    client.send(commit);
  };
  const spentBy = async (leave: (client: RealtimeClient) => Promise<void>): Promise<number> => {
    const before = await site.balances();
    const client = await transcription(clients, site.key, model);
    await leave(client);
    client.socket.close();
    await nothingHeld();
    return (await site.balances()).used - before.used;
  };
  const confirm = transcribe();

  it('costs the audio that was sent for it, where the client has read a part of its text', async () => {
    upstream.receive = (session, event) => {
      if (event.type === commit['type']) send(session.socket, { type: partial, item_id: 'i', delta: 'Hello, my name' });
      else confirm(session, event);
    };
    const spent = await spentBy(async (client) => {
      speak(client);
      await client.until(partial);
    });
    expect(spent).toBe(utterance / 3);
    const [row] = await site.chargedRows(1);
    expect(row).toMatchObject({
      promptTokens: 10,
      completionTokens: 4,
      other: { transcribed: [{ count: 1, seconds: 1 }] },
    });
  });

  it('costs nothing where the client has read nothing of it, or was told that it failed', async () => {
    upstream.receive = (session, event) => {
      if (event.type !== commit['type']) return confirm(session, event);
      send(session.socket, { type: partial, item_id: 'i', delta: 'Hel' });
      send(session.socket, { type: 'conversation.item.input_audio_transcription.failed', item_id: 'i', error: {} });
      send(session.socket, { type: 'input_audio_buffer.committed', item_id: 'k' });
    };
    const spent = await spentBy(async (client) => {
      speak(client);
      await client.until('input_audio_buffer.committed');
    });
    expect(spent).toBe(0);
  });
});

it('forwards what came before the provider was there, in its order', async () => {
  const client = clients.connect('intent=transcription', { headers: { authorization: `Bearer ${site.key}` } });
  await new Promise((resolve) => client.socket.once('open', resolve));
  const pieces = Array.from({ length: 50 }, (_, at) => ({ ...audio, event_id: `piece ${at}` }));
  for (const piece of pieces.slice(0, 10)) client.send(piece);
  client.send(current.update(model));
  for (const piece of pieces.slice(10)) client.send(piece);
  client.send(commit);
  await client.until(completed);
  expect(upstream.sessions.at(-1)?.events).toEqual([
    ...pieces.slice(0, 10),
    current.update(model),
    ...pieces.slice(10),
    commit,
  ]);
});

it('serves the official client', async () => {
  const before = await site.balances();
  const openai = new OpenAI({ apiKey: site.key, baseURL: `${site.server.url}/v1` });
  // The client supports only TLS, which usually ends at a proxy in front of Tollgate; here it is removed below the
  // client.
  const createConnection = (): Socket => connect(Number(new URL(site.server.url).port), '127.0.0.1');
  const realtime = new OpenAIRealtimeWS({ intent: 'transcription', options: { createConnection } }, openai);
  clients.keep(realtime.socket);
  const transcript = await new Promise<string>((resolve, reject) => {
    realtime.on('error', reject);
    realtime.on('session.created', () => {
      const input = { transcription: { model } };
      realtime.send({ type: 'session.update', session: { type: 'transcription', audio: { input } } });
    });
    realtime.on('session.updated', () => realtime.send({ type: 'input_audio_buffer.commit' }));
    realtime.on(completed, (event) => resolve(event.transcript));
  });
  realtime.close();
  expect(transcript).toBe('Hello.');
  expect((await site.balances()).used - before.used).toBe(utterance);
});

it.each([
  ['by the second, which is all that is reported', 'whisper-1', { type: 'duration', seconds: 2.5 }, [125, 250]],
  ['by ratio', 'by-ratio', { type: 'duration', seconds: 6 }, [1500, 3000]],
  ['by the call, once a session', 'by-the-call', { type: 'duration', seconds: 6 }, [10_000, 10_000]],
  ['at no price', 'at-no-price', undefined, [0, 0]],
  ['by the audio that was sent, where nothing is reported', model, {}, [5, 10]],
])('charges %s', async (_what, asked, usage, charges) => {
  upstream.receive = transcribe(usage);
  const before = await site.balances();
  const client = await transcription(clients, site.key, asked);
  for (const [at, charge] of charges.entries()) {
    await utter(client, at + 1);
    expect((await site.balances()).used - before.used).toBe(charge);
  }
  client.socket.close();
  await nothingHeld();
  expect(await site.chargedRows(1)).toMatchObject([{ model: asked, quota: charges.at(-1) }]);
});

it.each([
  ['the client leaves', () => undefined],
  ['the provider breaks off', () => upstream.sessions.at(-1)?.socket.terminate()],
])('an utterance whose text has begun costs its audio when %s', async (_what, breakOff) => {
  const before = await site.balances();
  const client = await transcription(clients, site.key, model);
  await utter(client);
  upstream.receive = ({ socket }) =>
    send(socket, { type: 'conversation.item.input_audio_transcription.delta', delta: 'Hel' });
  for (let count = 0; count < 20; count++) client.send(audio);
  await client.until('conversation.item.input_audio_transcription.delta', 2);
  breakOff();
  client.socket.terminate();
  await nothingHeld();
  // Two seconds more.
  expect((await site.balances()).used - before.used).toBe(utterance + 100);
});

it('reserves no response where its provider detects turns', async () => {
  const client = await transcription(clients, site.key, model);
  client.send(audio);
  const heard = (): Promise<number> => Promise.resolve(upstream.sessions.at(-1)?.events.length ?? 0);
  // The update that named the model, and the audio.
  expect(await eventually(heard, (count) => count === 2)).toBe(2);
  expect(await site.rows('SELECT 1 FROM reservations')).toHaveLength(1);
});

describe('between two utterances a session ends', () => {
  it('when its key is disabled', async () => {
    const { key, id } = await site.server.api.createToken(site.user, { unlimited_quota: true });
    const client = await transcription(clients, key, model);
    await site.server.api.data(site.user, 'PUT', '/api/token/?status_only=true', { id, status: 2 });
    await utter(client);
    expect(await client.untilClosed()).toBe(1008);
    expect(client.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'token_disabled' } });
  });

  it('when the balance has no more', async () => {
    const { key, id } = await site.server.api.createToken(site.user, { unlimited_quota: false, remain_quota: 3100 });
    const client = await transcription(clients, key, model);
    await utter(client);
    expect(await client.untilClosed()).toBe(1008);
    expect(client.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'pre_consume_token_quota_failed' } });
    expect((await site.balances(site.user.id, id)).token).toBe(3100 - utterance);
  });
});

it('opens a session of Azure without a deployment', async () => {
  const azure = { type: 3, baseUrl: upstream.url, key: 'sk-azure', models: ['azure-transcriber'] };
  const more = { other: '2025-04-01-preview', model_mapping: JSON.stringify({ 'azure-transcriber': 'my-deployment' }) };
  await site.server.api.createChannel(site.root, { ...azure, more });
  await transcription(clients, site.key, 'azure-transcriber', beta);
  const { path, headers, events } = upstream.sessions.at(-1) ?? {};
  expect(path).toBe('/openai/realtime?intent=transcription&api-version=2025-04-01-preview');
  expect([headers?.['api-key'], headers?.authorization]).toEqual(['sk-azure', undefined]);
  expect(events).toEqual([beta.update('my-deployment')]);
});

it('checks the prompt of an update, also of the one that names the model', async () => {
  const fruit = { name: 'fruit', stage: 'input', action: 'block', check: 'words', words: ['pineapple'] };
  await site.setOption('guardrails.rules', JSON.stringify([fruit]));
  const client = await unnamed(clients, site.key, beta);
  const transcriber = { model, prompt: 'a pineapple' };
  client.send({ type: 'transcription_session.update', session: { input_audio_transcription: transcriber } });
  await client.until('error');
  client.send(beta.update(model));
  await client.until(beta.updated);
  await site.setOption('guardrails.rules', '[]');
  expect(upstream.sessions.at(-1)?.events).toEqual([beta.update(model)]);
});

it('a model in the address is the model of the session, as without the intent', async () => {
  const client = clients.connect(`intent=transcription&model=${model}`, {
    headers: { authorization: `Bearer ${site.key}` },
  });
  await client.until('session.created');
  expect(client.events[0]).toMatchObject({ session: { id: 's' } });
  expect(upstream.sessions.at(-1)?.path).toBe(`/v1/realtime?model=${model}`);
});

it('a session that becomes one for transcripts pays for its speech once, with the model in the address too', async () => {
  const before = await site.balances();
  const client = clients.connect('model=by-ratio', { headers: { authorization: `Bearer ${site.key}` } });
  await client.until('session.created');
  client.send(current.update(model));
  await client.until(current.updated);
  await utter(client);
  client.send(audio);
  await client.until(completed);
  client.socket.close();
  await nothingHeld();
  expect((await site.balances()).used - before.used).toBe(utterance);
});

import { RealtimeClients, type RealtimeClient } from '../support/realtime-client.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { completed, transcribe, transcription, utter } from '../support/transcription.js';
import { send, startRealtimeUpstream, type RealtimeUpstream } from '../support/upstream/realtime.js';

/** Each response of a realtime session uses one request of a budget, as does each transcript. */

const model = 'gpt-4o-realtime-preview';
const transcriber = 'gpt-4o-transcribe';
/** A model that is charged by the time of a session. */
const timed = 'grok-voice-latest';
const exceeded = { type: 'error', error: { code: 'budget_exceeded' } };

let site: TaskSite;
let upstream: RealtimeUpstream;
let clients: RealtimeClients;

beforeAll(async () => {
  site = await TaskSite.open();
  upstream = await startRealtimeUpstream();
  upstream.receive = transcribe();
  clients = new RealtimeClients(site.server.url, model);
  const models = [model, transcriber, timed];
  await site.server.api.createChannel(site.root, { baseUrl: upstream.url, key: 'sk-up', models });
});
afterEach(async () => {
  clients.close();
  await nothingHeld();
  expect(await site.drift()).toEqual([]);
});
afterAll(async () => {
  await upstream.stop();
  await site.close();
});

async function nothingHeld(): Promise<void> {
  const held = async (): Promise<number> => (await site.rows('SELECT 1 FROM reservations')).length;
  expect(await eventually(held, (count) => count === 0)).toBe(0);
}

/** Creates a key whose budget allows so many requests a day. */
async function keyWith(requests: number): Promise<{ key: string; used: () => Promise<number> }> {
  const { key, id } = await site.server.api.createToken(site.user, { unlimited_quota: true });
  const budget = { level: 'token', subject_id: id, kind: 'requests', amount: requests, window: 'day' };
  const made = await site.server.api.data<{ id: number }>(site.user, 'POST', '/api/budget/', budget);
  const used = async (): Promise<number> =>
    (await site.server.api.data<{ used: number }>(site.user, 'GET', `/api/budget/${made.id}`)).used;
  return { key, used };
}

async function create(client: RealtimeClient, type: 'response.done' | 'error', count = 1): Promise<void> {
  client.send({ type: 'response.create' });
  await client.until(type, count);
}

it('a budget of two requests serves two responses of one session, and refuses the third', async () => {
  const { key, used } = await keyWith(2);
  const client = await clients.session(key);
  await create(client, 'response.done');
  await create(client, 'response.done', 2);
  await create(client, 'error');
  expect(client.events.at(-1)).toMatchObject(exceeded);
  expect(client.closed).toBeNull();
  client.socket.close();
  await nothingHeld();
  expect(await used()).toBe(2);
});

it('a budget of one request serves the first response of a session', async () => {
  const { key, used } = await keyWith(1);
  await create(await clients.session(key), 'response.done');
  expect(await used()).toBe(1);
});

it.each([model, timed])('a session of %s without a response takes none', async (asked) => {
  const { key, used } = await keyWith(1);
  for (let count = 0; count < 3; count++) {
    const client = await clients.session(key, asked);
    client.socket.close();
    await nothingHeld();
  }
  expect(await used()).toBe(0);
});

it('speech that is written down beside the responses takes none, and the session goes on', async () => {
  const { key, used } = await keyWith(1);
  const client = await clients.session(key);
  await create(client, 'response.done');
  const { socket } = upstream.sessions.at(-1) ?? {};
  if (!socket) throw new Error('the provider has no session');
  send(socket, { type: 'session.updated', session: { id: 's', input_audio_transcription: { model: transcriber } } });
  // A minute costs more than the session has reserved, so the session reserves again.
  const usage = { type: 'tokens', input_tokens: 600, output_tokens: 9, total_tokens: 609 };
  send(socket, { type: completed, item_id: 'i', transcript: 'Hello', usage });
  send(socket, { type: completed, item_id: 'k', transcript: 'Hello', usage });
  await client.until(completed, 2);
  await create(client, 'error');
  expect(client.events.at(-1)).toMatchObject(exceeded);
  expect(client.closed).toBeNull();
  expect(await used()).toBe(1);
});

it('no session opens where the budget has no room for a response', async () => {
  const { key } = await keyWith(1);
  await create(await clients.session(key), 'response.done');
  const { status, body } = await clients.refusal(`model=${model}`, { authorization: `Bearer ${key}` });
  expect([status, JSON.parse(body)]).toEqual([
    429,
    expect.objectContaining({ error: expect.objectContaining(exceeded.error) as object }),
  ]);
});

it('each transcript of a session that only writes speech down is a request', async () => {
  const { key, used } = await keyWith(2);
  const client = await transcription(clients, key, transcriber);
  await utter(client);
  await utter(client, 2);
  expect(await client.untilClosed()).toBe(1008);
  expect(client.events.filter(({ type }) => type === completed)).toHaveLength(2);
  expect(client.events.at(-1)).toMatchObject(exceeded);
  await nothingHeld();
  expect(await used()).toBe(2);
});

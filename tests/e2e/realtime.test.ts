import { connect, type Socket } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { WebSocket } from 'ws';
import { RealtimeClients, type RealtimeClient } from '../support/realtime-client.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { send, startRealtimeUpstream, turn, type RealtimeUpstream } from '../support/upstream/realtime.js';

const model = 'gpt-4o-realtime-preview';

let site: TaskSite;
let upstream: RealtimeUpstream;
let channel: number;
let clients: RealtimeClients;

beforeAll(async () => {
  site = await TaskSite.open();
  upstream = await startRealtimeUpstream();
  channel = await site.server.api.createChannel(site.root, { baseUrl: upstream.url, key: 'sk-up', models: [model] });
  clients = new RealtimeClients(site.server.url, model);
});
afterEach(async () => {
  clients.close();
  // The provider is read on until it ends.
  for (const { socket } of upstream.sessions) socket.terminate();
  upstream.answer = turn({ textIn: 120, textOut: 30, audioIn: 50, audioOut: 40 });
  upstream.refuseWith = 0;
  await eventually(openReservations, (count) => count === 0);
  expect(await site.drift()).toEqual([]);
});
afterAll(async () => {
  await upstream.stop();
  await site.close();
});

const openReservations = async (): Promise<number> =>
  Number((await site.rows<{ count: string }>('SELECT count(*) FROM reservations'))[0]?.count);

const session = (key = site.key): Promise<RealtimeClient> => clients.session(key);
const refusal = (query: string, headers: Record<string, string>): ReturnType<RealtimeClients['refusal']> =>
  clients.refusal(query, headers);

const lastLog = async (): Promise<Record<string, unknown>> => {
  const [row] = await site.rows<Record<string, unknown>>(
    `SELECT quota::integer, prompt_tokens, completion_tokens, model_name, is_stream, content, other FROM logs
     WHERE type = 2 ORDER BY id DESC LIMIT 1`,
  );
  return { ...row, other: JSON.parse((row?.other as string | undefined) ?? '{}') as unknown };
};

it('charges a turn before its end is seen, returns the rest, and logs the sum of all turns (B21, B24)', async () => {
  const before = await site.balances();
  const client = await session();
  client.send({ type: 'response.create' });
  await client.until('response.done');
  expect((await site.balances()).used - before.used).toBe(7100);
  client.send({ type: 'response.create' });
  await client.until('response.done', 2);
  client.socket.close();
  await eventually(openReservations, (count) => count === 0);
  const after = await site.balances();
  expect([before.quota - after.quota, before.token - after.token]).toEqual([14_200, 14_200]);
  expect(await lastLog()).toMatchObject({
    quota: 14_200,
    prompt_tokens: 340,
    completion_tokens: 140,
    model_name: model,
    is_stream: true,
    content:
      'model ratio 2.50, completion ratio 4.00, audio ratio 20.00, audio completion ratio 2.00, group ratio 1.00',
    other: {
      ws: true,
      text_input: 240,
      text_output: 60,
      audio_input: 100,
      audio_output: 80,
      audio_ratio: 20,
      model_price: -1,
      turns: 2,
      admin_info: { use_channel: [String(channel)] },
    },
  });
});

it('sends the channel’s key and nothing of the client’s', async () => {
  await session();
  const { path, headers } = upstream.sessions.at(-1) ?? {};
  expect(path).toBe(`/v1/realtime?model=${model}`);
  expect(headers?.authorization).toBe('Bearer sk-up');
  expect(JSON.stringify(headers)).not.toContain(site.key.slice(3));
  expect(headers?.['openai-beta']).toBeUndefined();
});

it('serves the official client, whose key stands in its headers', async () => {
  const before = await site.balances();
  const client = new OpenAI({ apiKey: site.key, baseURL: `${site.server.url}/v1` });
  // The client supports only TLS, which usually ends at a proxy in front of Tollgate; here it is removed below the
  // client.
  const createConnection = (): Socket => connect(Number(new URL(site.server.url).port), '127.0.0.1');
  const realtime = new OpenAIRealtimeWS({ model, options: { createConnection } }, client);
  clients.keep(realtime.socket);
  const done = new Promise<void>((resolve, reject) => {
    realtime.on('error', reject);
    realtime.on('response.done', () => resolve());
    realtime.on('session.created', () => realtime.send({ type: 'response.create' }));
  });
  await done;
  realtime.close();
  // The next turn may still be in the process of being reserved, and released.
  const spent = async (): Promise<number> => before.quota - (await site.balances()).quota;
  expect(await eventually(spent, (quota) => quota === 7100)).toBe(7100);
  expect(await eventually(openReservations, (count) => count === 0)).toBe(0);
});

it('takes a browser’s key from the protocols', async () => {
  const protocols = ['realtime', `openai-insecure-api-key.${site.key}`, 'openai-beta.realtime-v1'];
  const client = clients.connect(undefined, {}, protocols);
  await client.until('session.created');
  expect(client.socket.protocol).toBe('realtime');
  const { headers } = upstream.sessions.at(-1) ?? {};
  expect([headers?.['sec-websocket-protocol'], headers?.['openai-beta']]).toEqual(['realtime', 'realtime=v1']);
});

it('keeps the kind of a frame', async () => {
  const client = await session();
  const echoed = new Promise<boolean>((resolve) =>
    client.socket.on('message', (_data, isBinary) => isBinary && resolve(true)),
  );
  client.socket.send(Buffer.from([1, 2, 3]));
  expect(await echoed).toBe(true);
});

it('charges by our own count when the provider reports none', async () => {
  upstream.answer = turn(null, 'one two three four five');
  const before = await site.balances();
  const client = await session();
  client.send({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello there' }] },
  });
  // one second of pcm16 at 24 kHz: 27 tokens
  client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(48_000).toString('base64') });
  client.send({ type: 'response.create' });
  await client.until('response.done');
  const used = (await site.balances()).used - before.used;
  // (2 + 5 * 4 + 27 * 20) * 2.5
  expect(used).toBe(1405);
});

it('charges the turn that breaks off, whoever leaves', async () => {
  upstream.answer = ({ socket }) => {
    send(socket, { type: 'response.output_audio_transcript.delta', delta: 'one two three' });
    setTimeout(() => socket.close(1011, 'gone'), 50);
  };
  const before = await site.balances();
  const client = await session();
  client.send({ type: 'response.create' });
  expect(await client.untilClosed()).toBe(1011);
  // three words out: 3 * 4 * 2.5
  const { used } = await eventually(
    () => site.balances(),
    (now) => now.used > before.used,
  );
  expect(used - before.used).toBe(30);

  upstream.answer = ({ socket }) =>
    send(socket, { type: 'response.output_audio_transcript.delta', delta: 'one two three' });
  const leaver = await session();
  leaver.send({ type: 'response.create' });
  await leaver.until('response.output_audio_transcript.delta');
  leaver.socket.terminate();
  // The provider continues, and ends without a report.
  const provider = upstream.sessions.at(-1)?.socket;
  if (provider) send(provider, { type: 'response.done', response: { id: 'r' } });
  expect(
    (
      await eventually(
        () => site.balances(),
        (now) => now.used > used,
      )
    ).used - used,
  ).toBe(30);
  await eventually(
    () => Promise.resolve(upstream.sessions.at(-1)?.socket.readyState),
    (state) => state === WebSocket.CLOSED,
  );
  expect(upstream.sessions.at(-1)?.socket.readyState).toBe(WebSocket.CLOSED);
});

it('charges a session in which nothing happened nothing, and logs it', async () => {
  const before = await site.balances();
  const client = await session();
  client.socket.close();
  await eventually(openReservations, (count) => count === 0);
  expect(await site.balances()).toEqual(before);
  expect(await lastLog()).toMatchObject({ quota: 0, prompt_tokens: 0 });
});

it('refuses a response that the balance does not cover, and the session goes on', async () => {
  const poor = await site.addCustomer('realtime-poor');
  const row = await site.server.api.data<Record<string, unknown>>(site.root, 'GET', `/api/user/${poor.user.id}`);
  await site.server.api.data(site.root, 'PUT', '/api/user/', { ...row, password: '', quota: 2000 });
  const client = await session(poor.key);
  client.send({ type: 'response.create' });
  await client.until('error');
  expect(client.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'insufficient_user_quota' } });
  expect(upstream.sessions.at(-1)?.events).toEqual([]);
  expect(client.socket.readyState).toBe(WebSocket.OPEN);
  client.socket.close();
  await eventually(openReservations, (count) => count === 0);
  expect((await site.balances(poor.user.id, poor.tokenId)).quota).toBe(2000);
});

it('takes a price per call once a session', async () => {
  const prices = await site.server.api.data<Array<{ key: string; value: string }>>(site.root, 'GET', '/api/option/');
  const saved = prices.find(({ key }) => key === 'ModelPrice')?.value ?? '{}';
  await site.setOption('ModelPrice', JSON.stringify({ ...(JSON.parse(saved) as object), [model]: 0.02 }));
  const before = await site.balances();
  const client = await session();
  for (const count of [1, 2]) {
    client.send({ type: 'response.create' });
    await client.until('response.done', count);
  }
  client.socket.close();
  await eventually(openReservations, (count) => count === 0);
  await site.setOption('ModelPrice', saved);
  expect(before.quota - (await site.balances()).quota).toBe(10_000);
});

it.each([
  ['a wrong key', `model=${model}`, { authorization: 'Bearer sk-wrong' }, 401, 'invalid_api_key'],
  ['no model', '', {}, 400, 'invalid_text_request'],
  ['a model nobody serves', 'model=gpt-none', {}, 503, 'model_not_found'],
])('refuses %s with a plain answer', async (_what, query, headers, status, code) => {
  const answer = await refusal(query, { authorization: `Bearer ${site.key}`, ...headers });
  expect([answer.status, (JSON.parse(answer.body) as { error: { code: string } }).error.code]).toEqual([status, code]);
});

it('tells what the provider answered, and holds nothing', async () => {
  upstream.refuseWith = 403;
  const before = await site.balances();
  const { status, body } = await refusal(`model=${model}`, { authorization: `Bearer ${site.key}` });
  expect([status, (JSON.parse(body) as { error: { code: string } }).error.code]).toEqual([403, 'refused']);
  expect(await site.balances()).toEqual(before);
});

it('is nothing for a plain request, and no handshake disturbs other addresses', async () => {
  const plain = await fetch(`${site.server.url}/v1/realtime?model=${model}`);
  expect(plain.status).toBe(426);
  const socket = new WebSocket(`${site.server.url.replace('http', 'ws')}/nowhere`);
  clients.keep(socket);
  const failed = await new Promise<string>((resolve) => socket.on('error', (error) => resolve(error.message)));
  expect(failed).toMatch(/Unexpected server response|socket hang up/);
});

it('serves clients that only offer HTTP/2', async () => {
  const { port } = new URL(site.server.url);
  const socket = connect(Number(port), '127.0.0.1');
  const body = JSON.stringify({ prompt: 'x' });
  socket.write(
    `POST /mj/submit/imagine HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n` +
      `HTTP2-Settings: AA\r\nAuthorization: ${site.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const answer = await new Promise<string>((resolve) =>
    socket.once('data', (data: Buffer) => resolve(data.toString())),
  );
  socket.destroy();
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});

it.each([
  ['deep', '['.repeat(2_000_000)],
  ['wide', `[${'0,'.repeat(2_000_000)}0]`],
])('ends a session whose event is too %s, and hands it to nobody', async (_name, text) => {
  const client = await session();
  const before = upstream.sessions.at(-1)?.events.length;
  client.socket.send(text);
  expect(await client.untilClosed()).toBe(1008);
  expect(client.events.at(-1)).toMatchObject({
    type: 'error',
    error: { message: expect.stringMatching(/nested|values/) },
  });
  expect(upstream.sessions.at(-1)?.events.length).toBe(before);
});

it('does not read the provider faster than the client takes', async () => {
  const client = await session();
  client.socket.pause();
  const { socket } = upstream.sessions.at(-1) ?? {};
  const piece = JSON.stringify({ type: 'response.output_audio.delta', delta: 'A'.repeat(60_000) });
  for (let count = 0; count < 2000; count++) socket?.send(piece);
  // 120 MB were sent. The sockets (72 MB at most, which grow slowly on loaded machines) and this server's small buffer
  // hold a part of it, and the provider keeps the rest.
  for (let before = Infinity; before - (socket?.bufferedAmount ?? 0) > 1024 * 1024;) {
    before = socket?.bufferedAmount ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  expect(socket?.bufferedAmount).toBeGreaterThan(20_000_000);
  client.socket.resume();
  await client.until('response.output_audio.delta', 1000);
});

it('names no prompt of a shared account', async () => {
  const own = (owner: number): Promise<unknown> =>
    site.server.api.data(site.root, 'PUT', '/api/channel/', { id: channel, owner_id: owner });
  const update = { type: 'session.update', session: { prompt: { id: 'pmpt_1' } } };
  const client = await session();
  client.send(update);
  client.send({ type: 'response.create', response: { prompt: { id: 'pmpt_2' } } });
  client.send({ type: 'session.update', session: { prompt: { id: 7 } } });
  await client.until('error', 3);
  const errors = client.events.filter(({ type }) => type === 'error').map(({ error }) => error as { message: string });
  expect(errors).toMatchObject([{ code: 'unknown_id' }, { code: 'unknown_id' }, { code: 'invalid_request' }]);
  expect(errors[0]?.message).toContain("The id 'pmpt_1' in session.prompt.id is not known");
  client.send({ type: 'response.create' });
  await client.until('response.done');
  expect(JSON.stringify(upstream.sessions.at(-1)?.events)).not.toContain('pmpt');
  await own(site.user.id);
  try {
    const owner = await session();
    owner.send(update);
    owner.send({ type: 'response.create' });
    await owner.until('response.done');
    expect(upstream.sessions.at(-1)?.events[0]).toEqual({
      ...update,
      event_id: expect.stringMatching(/^tollgate_update_/) as string,
    });
  } finally {
    await own(0);
  }
});

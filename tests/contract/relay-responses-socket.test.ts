/** Responses over a WebSocket, as coding agents and SDKs use it for many short turns. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { eventually } from '../support/task-site.js';
import { events, json } from '../support/upstream/replies.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

type Json = Record<string, unknown>;

/** A WebSocket client that records every event. */
class Client {
  readonly events: Json[] = [];

  private constructor(readonly socket: WebSocket) {
    socket.on('error', () => undefined);
    socket.on('message', (data) => this.events.push(JSON.parse((data as Buffer).toString()) as Json));
  }

  static async connect(key: string, path = '/v1/responses', headers: Json = {}): Promise<Client> {
    const url = relay.url.replace('http', 'ws') + path;
    const client = new Client(new WebSocket(url, { headers: { authorization: `Bearer ${key}`, ...headers } }));
    open.push(client);
    await once(client.socket, 'open');
    return client;
  }

  send(event: Json): void {
    this.socket.send(JSON.stringify(event));
  }

  /** Sends a call and waits for its last event. */
  async create(body: Json): Promise<Json> {
    const before = this.events.length;
    this.send({ type: 'response.create', model: 'gpt-4o', ...body });
    return this.last(before);
  }

  async last(after = 0): Promise<Json> {
    const found = await eventually(
      () => Promise.resolve(this.events.slice(after).find(({ type }) => ends.has(String(type)))),
      (event) => event !== undefined,
      20,
    );
    return found ?? {};
  }

  get types(): unknown[] {
    return this.events.map(({ type }) => type);
  }
}
const ends = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);
const open: Client[] = [];
afterEach(() => {
  for (const { socket } of open.splice(0)) socket.terminate();
});

const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
/** A stream of chat completions. */
const said = (text: string) =>
  events([
    JSON.stringify({
      ...chunk,
      choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }],
    }),
    JSON.stringify({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    JSON.stringify({ ...chunk, choices: [], usage }),
  ]);
const summary = {
  ...chunk,
  object: 'chat.completion',
  usage,
  choices: [{ index: 0, message: { role: 'assistant', content: 'The user is Ann.' }, finish_reason: 'stop' }],
};
/** @param store the value that the client sent; OpenAI repeats it in the response */
const native = (id: string, text: string, store = true) => {
  const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text }] };
  const thought = { type: 'reasoning', id: 'rs_1', summary: [] };
  const output = [thought, message];
  const response = { id, object: 'response', status: 'completed', model: 'gpt-4o', store, output };
  const spent = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
  return events(
    [
      JSON.stringify({ type: 'response.created', response: { ...response, status: 'in_progress', output: [] } }),
      JSON.stringify({ type: 'response.output_text.delta', delta: text }),
      JSON.stringify({ type: 'response.completed', response: { ...response, usage: spent } }),
    ],
    { done: false },
  );
};
const idOf = (event: Json): string => String((event['response'] as Json)['id']);

it.each([
  ['OpenAI', 1, native('resp_9', 'Hello')],
  ['DeepSeek', 43, said('Hello')],
])('a call at %s (type %i) is answered in events and charged', async (_name, type, reply) => {
  await relay.addChannel({ type });
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, reply);
  const client = await Client.connect(key, '/v1/responses', { 'openai-beta': 'responses_websockets=2026-02-06' });
  const last = await client.create({ input: 'hi', store: false });
  expect(last).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
  expect(client.types[0]).toBe('response.created');
  expect(client.types).toContain('response.output_text.delta');
  expect(relay.upstream.requests[0]?.stream).toBe(true);
  expect(relay.upstream.requests[0]?.body).not.toHaveProperty('type');
  const [row] = await relay.logsOf(userId, 1);
  expect(row).toMatchObject({
    prompt_tokens: 10,
    completion_tokens: 2,
    is_stream: true,
    other: { request_path: '/v1/responses' },
  });
});

it('a conversation that is not stored goes on by its last response on the same connection alone', async () => {
  await relay.addChannel({ type: 1 });
  const { key } = await relay.addToken();
  relay.upstream.script({}, native('resp_1', 'Hello', false), native('resp_2', 'Fine', false));
  const client = await Client.connect(key);
  const first = await client.create({ input: 'hi', store: false });
  const second = { input: [{ role: 'user', content: 'and?' }], store: false, previous_response_id: idOf(first) };
  expect(await client.create(second)).toMatchObject({ type: 'response.completed' });
  const { input, previous_response_id: previous } = relay.upstream.requests[1]?.body ?? {};
  expect(previous).toBeUndefined();
  // A provider that stored nothing does not know a thought without its proof.
  expect(input).toEqual([
    { type: 'message', role: 'user', content: 'hi' },
    { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
    { role: 'user', content: 'and?' },
  ]);
  const other = await Client.connect(key);
  expect(await other.create(second)).toEqual({
    type: 'error',
    status: 400,
    error: expect.objectContaining({ code: 'previous_response_not_found' }) as Json,
  });
  expect(relay.upstream.requests).toHaveLength(2);
});

it.each([
  ['a response', { previous_response_id: 'resp_of_another' }, 400, 'previous_response_not_found'],
  ['a prompt', { prompt: { id: 'pmpt_of_another' } }, 404, 'unknown_id'],
])('%s that was not given to the user is refused, after a warm-up too', async (_name, named, status, code) => {
  await relay.addChannel({ type: 1 });
  const { key } = await relay.addToken();
  const refused = { type: 'error', status, error: expect.objectContaining({ code }) as Json };
  const client = await Client.connect(key);
  expect(await client.create({ input: 'hi', ...named })).toEqual(refused);
  // A warm-up sends nothing to a provider. The next call continues it by its id.
  const warm = await client.create({ input: 'hi', generate: false, ...named });
  const next = { input: 'and?', previous_response_id: idOf(warm) };
  expect(await client.create('prompt' in named ? { ...next, ...named } : next)).toEqual(refused);
  expect(relay.upstream.requests).toEqual([]);
});

it('a stored conversation goes on as over HTTP', async () => {
  await relay.addChannel({ type: 43 });
  const { key } = await relay.addToken();
  relay.upstream.script({}, said('Hello'), said('Fine'));
  const client = await Client.connect(key);
  const first = await client.create({ input: 'hi' });
  const other = await Client.connect(key);
  expect(await other.create({ input: 'and?', previous_response_id: idOf(first) })).toMatchObject({
    type: 'response.completed',
    response: { previous_response_id: idOf(first) },
  });
  expect(relay.upstream.requests[1]?.body?.['messages']).toEqual([
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: 'and?' },
  ]);
});

describe('a conversation that is stored at first, and then is not,', () => {
  const unstored = (input: string, previous: Json): Json => ({
    input,
    store: false,
    previous_response_id: idOf(previous),
  });
  const begun = async (client: Client, isWarm: boolean): Promise<{ first: Json; second: Json }> => {
    const first = await client.create({ input: 'My name is Ann.' });
    const before = isWarm
      ? await client.create({ input: 'Be brief.', previous_response_id: idOf(first), generate: false })
      : first;
    return { first, second: await client.create(unstored('I live in Rome.', before)) };
  };

  it.each([false, true])('goes on with all its turns (after a warm-up: %s)', async (isWarm) => {
    await relay.addChannel({ type: 43 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, said('Hi Ann.'), said('Nice.'), said('Ann.'));
    const client = await Client.connect(key);
    const { first, second } = await begun(client, isWarm);
    // The connection keeps the conversation, even when the client deletes its first response.
    const id = idOf(first);
    await fetch(`${relay.url}/v1/responses/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } });
    expect(await client.create(unstored('What is my name?', second))).toMatchObject({ type: 'response.completed' });
    expect(relay.upstream.requests[2]?.body?.['messages']).toEqual([
      { role: 'user', content: 'My name is Ann.' },
      { role: 'assistant', content: 'Hi Ann.' },
      ...(isWarm ? [{ role: 'user', content: 'Be brief.' }] : []),
      { role: 'user', content: 'I live in Rome.' },
      { role: 'assistant', content: 'Nice.' },
      { role: 'user', content: 'What is my name?' },
    ]);
  });

  it.each([false, true])('goes on after what its provider stores (after a warm-up: %s)', async (isWarm) => {
    for (let index = 0; index < 3; index++) await relay.addChannel({ type: 1, key: `sk-a${index},sk-b${index}` });
    const { key } = await relay.addToken();
    relay.upstream.script(
      {},
      native('resp_0', 'Hi Ann.'),
      native('resp_1', 'Nice.'),
      native('resp_2', 'Ann.'),
      native('resp_3', 'Rome.'),
    );
    const client = await Client.connect(key);
    const { second } = await begun(client, isWarm);
    const third = await client.create(unstored('What is my name?', second));
    await client.create({ input: 'Where do I live?', previous_response_id: idOf(third) });
    const answer = (text: string): Json => ({
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text }],
    });
    const user = (content: string): Json => ({ type: 'message', role: 'user', content });
    const turns = [...(isWarm ? [user('Be brief.')] : []), user('I live in Rome.'), answer('Nice.')];
    const [made, , ...continued] = relay.upstream.requests;
    expect(continued.map(({ body }) => [body?.['previous_response_id'], body?.['input']])).toEqual([
      ['resp_0', [...turns, user('What is my name?')]],
      ['resp_0', [...turns, user('What is my name?'), answer('Ann.'), user('Where do I live?')]],
    ]);
    // Only the account that made it knows the first response.
    expect(continued.map((each) => each.key)).toEqual([made?.key, made?.key]);
  });
});

it('a conversation that is compacted on the connection goes on from its summary', async () => {
  await relay.addChannel({ type: 43 });
  const { key } = await relay.addToken();
  relay.upstream.script({}, said('Hi Ann.'), json(summary), said('Ann.'));
  const client = await Client.connect(key);
  const first = await client.create({ input: 'My name is Ann.', store: false });
  const input = [{ type: 'compaction_trigger' }];
  const compacted = await client.create({ input, store: false, previous_response_id: idOf(first) });
  await client.create({ input: 'Who am I?', store: false, previous_response_id: idOf(compacted) });
  expect(relay.upstream.requests[2]?.body?.['messages']).toEqual([
    { role: 'user', content: expect.stringContaining('The user is Ann.') as string },
    { role: 'user', content: 'Who am I?' },
  ]);
});

it.each([
  ['generate', false],
  ['prompt_cache_options', { prewarm: true }],
])('a warm-up by %s calls no provider, costs nothing and can be continued', async (name, value) => {
  await relay.addChannel({ type: 43 });
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, said('Hello'));
  const client = await Client.connect(key);
  const warm = await client.create({ input: 'hi', store: false, [name]: value });
  expect(warm).toMatchObject({ type: 'response.completed', response: { output: [], usage: { total_tokens: 0 } } });
  expect(relay.upstream.requests).toEqual([]);
  expect(await client.create({ input: 'go', store: false, previous_response_id: idOf(warm) })).toMatchObject({
    type: 'response.completed',
  });
  expect(relay.upstream.requests[0]?.body?.['messages']).toEqual([
    { role: 'user', content: 'hi' },
    { role: 'user', content: 'go' },
  ]);
  expect(await relay.logsOf(userId, 1)).toHaveLength(1);
});

it('lanes run beside each other, and the calls of one lane in turn', async () => {
  await relay.addChannel({ type: 43 });
  const { key } = await relay.addToken();
  relay.upstream.script({}, said('Hello'));
  const client = await Client.connect(key);
  for (const stream_id of ['a', 'b', 'a'])
    client.send({ type: 'response.create', model: 'gpt-4o', input: 'hi', stream_id });
  await eventually(
    () => Promise.resolve(client.types.filter((type) => type === 'response.completed').length),
    (count) => count === 3,
    20,
  );
  const ofA = client.events.filter(({ stream_id }) => stream_id === 'a').map(({ type }) => type);
  expect(ofA.filter((type) => ends.has(String(type)) || type === 'response.created')).toEqual([
    ...['response.created', 'response.completed', 'response.created', 'response.completed'],
  ]);
  expect(client.events.every(({ stream_id }) => stream_id === 'a' || stream_id === 'b')).toBe(true);
});

it('what cannot be served is an event with its status, and the connection stays', async () => {
  await relay.addChannel({ type: 43 });
  const { key } = await relay.addToken();
  const client = await Client.connect(key);
  const errorOf = async (sent: string | Buffer): Promise<unknown[]> => {
    const before = client.events.length;
    client.socket.send(sent);
    const { status, error } = await client.last(before);
    return [status, (error as Json)['code']];
  };
  const create = (body: Json): string => JSON.stringify({ type: 'response.create', model: 'gpt-4o', ...body });
  expect(await errorOf('{')).toEqual([400, 'invalid_request']);
  expect(await errorOf('{"type":"session.update"}')).toEqual([400, expect.anything()]);
  expect(await errorOf(Buffer.from('{}'))).toEqual([400, expect.anything()]);
  expect(await errorOf(create({}))).toEqual([400, 'invalid_responses_request']);
  expect((await errorOf(create({ model: 'unknown', input: 'x' })))[0]).toBe(503);
  relay.upstream.script({}, json({ error: { message: 'slow down', type: 'tokens', code: 'rate' } }, 429));
  expect(await errorOf(create({ input: 'x' }))).toEqual([429, 'rate']);
  relay.endCooldowns();
  relay.upstream.script({}, said('Hello'));
  expect(await client.create({ input: 'hi' })).toMatchObject({ type: 'response.completed' });
});

it('a client that leaves ends its call, which is charged', async () => {
  await relay.addChannel({ type: 43 });
  const { key, userId } = await relay.addToken();
  const endless = Array.from({ length: 2000 }, () =>
    JSON.stringify({ ...chunk, choices: [{ index: 0, delta: { content: 'on and on ' }, finish_reason: null }] }),
  );
  relay.upstream.script({}, events(endless, { gapMilliseconds: 20 }));
  const client = await Client.connect(key);
  client.send({ type: 'response.create', model: 'gpt-4o', input: 'hi' });
  await eventually(
    () => Promise.resolve(client.types.includes('response.output_text.delta')),
    (seen) => seen,
    20,
  );
  client.socket.terminate();
  const [request] = relay.upstream.requests;
  await request?.ended;
  expect(request?.aborted).toBe(true);
  const [row] = await relay.logsOf(userId, 1, 20_000);
  expect(row?.quota).toBeGreaterThan(0);
});

it('the key is checked for the connection and for each call', async () => {
  await relay.addChannel({ type: 43 });
  const refused = new WebSocket(`${relay.url.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: 'Bearer sk-wrong' },
  });
  refused.on('error', () => undefined);
  const [, response] = (await once(refused, 'unexpected-response')) as [unknown, { statusCode: number }];
  expect(response.statusCode).toBe(401);
  refused.terminate();
  const plain = await fetch(`${relay.url}/v1/responses`, { headers: { authorization: 'Bearer sk-wrong' } });
  expect(plain.status).toBe(426);
  const { key, id } = await relay.addToken();
  const client = await Client.connect(key);
  await relay.sql("UPDATE tokens SET status = 'disabled' WHERE id = $1", [id]);
  await relay.changed({ kind: 'token', id });
  expect(await client.create({ input: 'hi' })).toMatchObject({ type: 'error', status: 401 });
  expect(relay.upstream.requests).toEqual([]);
});

it('an account without quota is refused by an event', async () => {
  await relay.addChannel({ type: 43 });
  const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 1 }) });
  const client = await Client.connect(key);
  expect(await client.create({ input: 'hi', max_output_tokens: 1000 })).toMatchObject({ type: 'error', status: 403 });
});

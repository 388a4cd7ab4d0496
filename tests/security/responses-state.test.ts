/**
 * Stored responses and sockets: the objects that a client leaves or refers to must not cost memory that the client never
 * sent.
 */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { Relay } from '../../server/src/gateway/pipeline.js';
import { StoredResponses } from '../../server/src/services/responses/stored-responses.js';
import type { RelayHarness } from '../contract/relay-harness.js';
import { relaySuite } from '../contract/relay-suite.js';
import { until } from '../faults/traffic.js';
import { turnsDuring } from '../support/growth.js';
import { json } from '../support/upstream/replies.js';

const mebibyte = 1024 * 1024;
let relay: RelayHarness;
relaySuite((started) => (relay = started), { settings: { maxBodyBytes: 16 * mebibyte } });

type Json = Record<string, unknown>;
const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const completion = (content: string): Json => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  usage,
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});

const sockets: WebSocket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate();
  jest.restoreAllMocks();
});

async function dial(key: string): Promise<{ socket: WebSocket; events: Json[] }> {
  const socket = new WebSocket(`${relay.url.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer ${key}` },
  });
  sockets.push(socket);
  const events: Json[] = [];
  socket.on('error', () => undefined);
  socket.on('message', (data) => events.push(JSON.parse((data as Buffer).toString()) as Json));
  await once(socket, 'open');
  return { socket, events };
}

const create = (body: Json): string => JSON.stringify({ type: 'response.create', model: 'gpt-4o', ...body });
const nothingHeld = (): Promise<void> => until(() => relay.heldBytes === 0, 30, 'no byte is counted as held');

describe('the budget of bytes comes back', () => {
  let key: string;
  beforeEach(async () => {
    await relay.addChannel({ type: 43 });
    ({ key } = await relay.addToken());
  });

  it('when a client leaves in the middle of a frame', async () => {
    const { socket } = await dial(key);
    socket.send(Buffer.alloc(8 * mebibyte, 0x20), { fin: false });
    await until(() => relay.heldBytes > 4 * mebibyte, 30, 'the frame is counted');
    socket.terminate();
    await nothingHeld();
  });

  it('when a client leaves before a response that is kept for its connection', async () => {
    const { socket } = await dial(key);
    const identify = Relay.prototype.identify;
    let reached = false;
    let letOn = (): void => undefined;
    const closed = new Promise<void>((resolve) => (letOn = resolve));
    jest.spyOn(Relay.prototype, 'identify').mockImplementation(async function (this: Relay, incoming) {
      const found = await identify.call(this, incoming);
      reached = true;
      await closed;
      return found;
    });
    socket.send(create({ input: 'x'.repeat(mebibyte / 2), store: false, generate: false }));
    await until(() => reached, 30, 'the call is looked up');
    socket.terminate();
    // Waits until the server has noticed the end of the connection.
    await turnsDuring(() => new Promise((resolve) => setTimeout(resolve, 200)));
    letOn();
    await nothingHeld();
  });

  it('when a client leaves calls that wait, which are counted while they wait', async () => {
    relay.upstream.script({}, () => new Promise(() => undefined));
    const { socket } = await dial(key);
    for (let index = 0; index < 6; index++) socket.send(create({ input: 'x'.repeat(4 * mebibyte) }));
    await until(() => relay.heldBytes > 22 * mebibyte, 30, 'all frames are counted');
    socket.terminate();
    await nothingHeld();
  });
});

it('a user without balance gets small frames only', async () => {
  await relay.addChannel({ type: 43 });
  const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 0 }) });
  const { socket, events } = await dial(key);
  for (let index = 0; index < 3; index++) socket.send(create({ input: 'x'.repeat(2 * mebibyte) }));
  await until(() => events.length === 3, 30, 'all frames are refused');
  expect(events.map(({ status }) => status)).toEqual([413, 413, 413]);
  await nothingHeld();
});

describe('what a call refers to', () => {
  let key: string;
  beforeEach(async () => {
    await relay.addChannel({ type: 43 });
    ({ key } = await relay.addToken({ userId: await relay.addUser({ quota: 100_000_000 }) }));
  });
  const post = async (body: unknown): Promise<{ status: number; text: string }> => {
    const response = await relay.post('/v1/responses', key, body);
    return { status: response.status, text: await response.text() };
  };
  const reference = (id: string): Json => ({ type: 'item_reference', id });
  /** Makes a response with one item of `length` characters. @returns the item's id */
  async function makeItem(length: number): Promise<string> {
    relay.upstream.script({}, json(completion('x'.repeat(length))));
    const { text } = await post({ model: 'gpt-4o', input: 'hi' });
    const { output } = JSON.parse(text) as { output: Array<{ id: string }> };
    return output[0]?.id ?? '';
  }

  it('counts as often as it is referred to, before it is written', async () => {
    const id = await makeItem(500_000);
    const sent = relay.upstream.requests.length;
    const references = Array.from({ length: 20_000 }, () => reference(id));
    expect((await post({ model: 'gpt-4o', input: references })).status).toBe(413);
    expect(relay.upstream.requests).toHaveLength(sent);
    await nothingHeld();
  });

  it('is looked up once a response, the newest first, and for few responses', async () => {
    const lookups = jest.spyOn(StoredResponses.prototype, 'findByItem');
    const ids: string[] = [];
    for (let turn = 0; turn < 4; turn++) {
      relay.upstream.script({}, json(completion(`turn ${turn}`)));
      const { text } = await post({ model: 'gpt-4o', input: [...ids.map(reference), { role: 'user', content: 'on' }] });
      ids.push((JSON.parse(text) as { output: Array<{ id: string }> }).output[0]?.id ?? '');
    }
    expect(lookups).toHaveBeenCalledTimes(3);
    expect(relay.upstream.requests.at(-1)?.body?.['messages']).toEqual([
      { role: 'assistant', content: 'turn 0turn 1turn 2' },
      { role: 'user', content: 'on' },
    ]);
    lookups.mockClear();
    const unknown = Array.from({ length: 10_000 }, (_none, index) =>
      reference(`msg_${String(index).padStart(23, '1')}ABCDEFGH_0`),
    );
    const refused = await post({ model: 'gpt-4o', input: unknown });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('more than 32 responses')]);
    expect(lookups.mock.calls.length).toBeLessThanOrEqual(32);
  });

  it.each([
    ['nested 100,000 deep', `"input":${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['of half a million values', `"input":[${'0,'.repeat(500_000)}0]`],
    ['with a null among its items', '"input":[null,{"type":"item_reference","id":"x"}]'],
  ])('does not make a body %s pass', async (_name, input) => {
    const body = `{"model":"gpt-4o","previous_response_id":"resp_x",${input}}`;
    expect((await post(body)).status).toBe(400);
  });
});

describe('a response that a provider stores', () => {
  let key: string;
  beforeEach(async () => {
    await relay.addChannel({ type: 1 });
    ({ key } = await relay.addToken());
    relay.upstream.script({}, json({ id: 'resp_9', object: 'response', status: 'completed', output: [], usage }));
    expect((await relay.post('/v1/responses', key, { model: 'gpt-4o', input: 'hi' })).status).toBe(200);
  });
  const read = (path: string): Promise<Response> =>
    fetch(`${relay.url}/v1/responses/${path}`, { headers: { authorization: `Bearer ${key}` } });

  it('is read with the parameters of reading alone', async () => {
    relay.upstream.script({}, json({ object: 'list', data: [] }));
    const query = 'limit=2&include[]=a&include[]=b&api_key=sk-OURKEY&Key=x&stream=true&model=o1-pro';
    expect((await read(`resp_9/input_items?${query}`)).status).toBe(200);
    const sent = new URL(relay.upstream.requests.at(-1)?.path ?? '', 'http://provider');
    expect([...sent.searchParams]).toEqual([
      ['limit', '2'],
      ['include[]', 'a'],
      ['include[]', 'b'],
    ]);
  });

  it('is not read on for a client that has left', async () => {
    relay.setOptions({ ModelRequestUserInFlightLimit: 1 });
    relay.upstream.script({}, () => new Promise(() => undefined));
    const before = relay.upstream.requests.length;
    const leaving = new AbortController();
    const { signal } = leaving;
    const reading = fetch(`${relay.url}/v1/responses/resp_9`, { headers: { authorization: `Bearer ${key}` }, signal });
    await until(() => relay.upstream.requests.length > before, 30, 'the provider is asked');
    leaving.abort();
    await expect(reading).rejects.toThrow();
    await relay.upstream.requests.at(-1)?.ended;
    expect(relay.occupied.slots).toBe(0);
  });

  it('is read by as many at once as a user may have calls', async () => {
    relay.setOptions({ ModelRequestUserInFlightLimit: 2 });
    let answer = (): void => undefined;
    const open = new Promise<void>((resolve) => (answer = resolve));
    relay.upstream.script({}, async (response) => {
      await open;
      response.end('{}');
    });
    const before = relay.upstream.requests.length;
    const running = [read('resp_9'), read('resp_9')];
    await until(() => relay.upstream.requests.length === before + 2, 30, 'two are read');
    expect((await read('resp_9')).status).toBe(429);
    answer();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

/**
 * A client leaves at every asynchronous step of its call, one step after the other. In the iteration of the event loop in
 * which the server notices, the call ends and its slot is free. Later nothing is reserved, the connection to the provider
 * has ended, and the call was charged exactly if the provider got its request.
 */
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import { RelayHarness, userMessage } from '../contract/relay-harness.js';
import { Steps } from '../support/steps.js';
import { isFullSuite } from '../support/suite.js';
import { chatChunks, chatCompletion, events, json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { wav } from '../support/wav.js';

let relay: RelayHarness;
let steps: Steps;
let key: string;
let userId: number;

beforeAll(async () => {
  relay = await RelayHarness.start({ settings: { disconnectedTimeout: 20_000 } });
  steps = new Steps(relay.server);
  // With a limit of one call, an occupied slot refuses the next call.
  relay.setOptions({ ModelRequestUserInFlightLimit: 1 });
  await relay.addChannel({ models: 'gpt-4o,whisper-1' });
  await relay.addChannel({ type: 14, models: 'claude-sonnet-4-5' });
});
beforeEach(async () => {
  userId = await relay.addUser({ quota: 1_000_000_000 });
  const rateLimit = { period: 3600, count: 1_000_000, success: 1_000_000 };
  ({ key } = await relay.addToken({ userId, rateLimit }));
});
afterAll(async () => {
  steps.stop();
  await relay.stop();
});

const boundary = 'every-await';
const form = Buffer.concat([
  Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n--${boundary}\r\n`),
  Buffer.from('Content-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n'),
  wav(2),
  Buffer.from(`\r\n--${boundary}--\r\n`),
]);
const answer = { text: ['Hello', ' from', ' here'], usage: { prompt_tokens: 10, completion_tokens: 3 } };
const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] };
const response = { id: 'resp_9', object: 'response', status: 'completed', model: 'gpt-4o', output: [message] };
const completed = { ...response, usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 } };
const responseEvents = [
  { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
  { type: 'response.output_text.delta', delta: 'Hel' },
  { type: 'response.output_text.delta', delta: 'lo' },
  { type: 'response.completed', response: completed },
].map((event) => JSON.stringify(event));

interface Client {
  /** Resolves with all received data when the connection is closed. */
  readonly closed: Promise<string>;
  leave(): void;
}

/** Sends a request, its body in two pieces, so that the server has to wait for it. */
function request(method: string, path: string, type = 'application/json', body: Buffer = Buffer.alloc(0)): Client {
  const socket = connect(Number(new URL(relay.url).port), '127.0.0.1');
  const head = [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, 'Connection: close'];
  const ofBody = method === 'GET' ? [] : [`Content-Type: ${type}`, `Content-Length: ${body.length}`];
  const half = Math.floor(body.length / 2);
  socket.on('error', () => undefined);
  socket.write([...head, ...ofBody, '', ''].join('\r\n'));
  socket.write(body.subarray(0, half));
  setTimeout(() => socket.write(body.subarray(half)), gapMilliseconds);
  let text = '';
  socket.on('data', (bytes) => (text += bytes.toString()));
  return { closed: new Promise((resolve) => socket.once('close', () => resolve(text))), leave: () => socket.destroy() };
}

const post = (path: string, body: object): Client =>
  request('POST', path, 'application/json', Buffer.from(JSON.stringify({ model: 'gpt-4o', ...body })));

/** Makes one response over a WebSocket, which then closes. */
function overSocket(): Client {
  const socket = new WebSocket(`${relay.url.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer ${key}` },
  });
  socket.on('error', () => undefined);
  socket.on('open', () =>
    socket.send(JSON.stringify({ type: 'response.create', model: 'gpt-4o', input: 'hi', store: false })),
  );
  let text = '';
  socket.on('message', (data) => {
    text += (data as Buffer).toString();
    if (text.includes('response.completed')) socket.terminate();
  });
  return {
    closed: new Promise((resolve) => socket.once('close', () => resolve(text))),
    leave: () => socket.terminate(),
  };
}

const gapMilliseconds = 3;
const inEvents = events(responseEvents, { gapMilliseconds, done: false });
const messages = userMessage('hi');

/** The name, the response of the provider, the call, and whether the call costs quota. */
const kinds: ReadonlyArray<readonly [string, Reply, () => Client, boolean]> = [
  ['JSON', json(chatCompletion(answer, 'gpt-4o')), () => post('/v1/chat/completions', { messages }), true],
  [
    'a stream',
    events(chatChunks(answer, 'gpt-4o', true), { gapMilliseconds }),
    () => post('/v1/chat/completions', { messages, stream: true }),
    true,
  ],
  [
    'a form',
    json({ text: 'Hello' }),
    () => request('POST', '/v1/audio/transcriptions', `multipart/form-data; boundary=${boundary}`, form),
    true,
  ],
  ['Responses', json(completed), () => post('/v1/responses', { input: 'hi' }), true],
  ['Responses, streamed', inEvents, () => post('/v1/responses', { input: 'hi', stream: true }), true],
  ['Responses over a WebSocket', inEvents, overSocket, true],
  [
    'counting tokens',
    json({ input_tokens: 17 }),
    () => post('/v1/messages/count_tokens', { model: 'claude-sonnet-4-5', messages }),
    false,
  ],
  ['reading a stored response', json(completed), () => request('GET', '/v1/responses/resp_9'), false],
];

/** How the server learns that the client has left. */
const ways = ['the connection breaks', 'the client closes it'] as const;

describe.each(kinds)('%s', (kind, reply, start, costs) => {
  beforeEach(async () => {
    relay.upstream.script({}, json(completed));
    const stored = await relay.post('/v1/responses', key, { model: 'gpt-4o', input: 'hi' });
    expect(stored.status).toBe(200);
    await stored.text();
    relay.upstream.script({}, (response, request) => {
      // Every call opens a new connection to the provider, so that connecting and each arriving piece are steps of the call.
      response.shouldKeepAlive = false;
      return reply(response, request);
    });
  });

  /**
   * @returns the data that the client received, and the state of the call; `undefined` state when the call has fewer steps
   */
  async function leaveAt(
    step: number,
    way: (typeof ways)[number],
  ): Promise<{ text?: string; left?: { sent: number } }> {
    relay.upstream.requests.length = 0;
    // The server looks up the key and its user again.
    await relay.changed({ kind: 'token' });
    await relay.changed({ kind: 'user' });
    const before = await relay.logs(userId);
    const at: { client?: Client; seen?: Promise<object>; text?: string } = {};
    const leave = (socket: Socket): void => {
      at.seen = new Promise((resolve) => {
        socket.once('close', () => setImmediate(() => resolve(relay.occupied)));
      });
      if (way === 'the connection breaks') socket.destroy();
      else at.client?.leave();
    };
    await steps.walk(step, leave, async () => {
      at.client = start();
      at.text = await at.client.closed;
      await at.seen;
    });
    await relay.idle();
    const { requests } = relay.upstream;
    await Promise.all(requests.map(({ ended }) => ended));
    const rows = await relay.logs(userId);
    const left = at.seen && {
      ...(await at.seen),
      reserved: await relay.openReservations(),
      heldBytes: relay.heldBytes,
      drift: await relay.drift(),
      sent: requests.length,
      charged: rows.length - before.length,
    };
    return { text: at.text, left };
  }

  it.each(ways)(isFullSuite ? '%s at every step' : '%s at every fifth or fifteenth step', async (way) => {
    const sent = new Set<unknown>();
    // The network reports a close by the client later, so that several steps have the same result.
    const stride = isFullSuite ? 1 : way === 'the connection breaks' ? 5 : 15;
    // Each kind begins at another step, so that together they try many more steps.
    const first = 1 + (kinds.findIndex(([name]) => name === kind) % stride);
    for (let step = first; ; step += stride) {
      const { text, left } = await leaveAt(step, way);
      if (!left) {
        // The call was served completely, with fewer steps.
        expect(text).toMatch(/^HTTP\/1\.1 200|"response\.completed"/);
        break;
      }
      const requests = left.sent;
      sent.add(requests);
      expect({ step, ...left }).toEqual({
        step,
        calls: 0,
        slots: 0,
        reserved: 0,
        heldBytes: 0,
        drift: [],
        sent: requests,
        charged: costs ? requests : 0,
      });
    }
    // Some steps come before the request to the provider, and some after it.
    expect([...sent].sort()).toEqual([0, 1]);
  });
});

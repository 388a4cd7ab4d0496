/** A client that disconnects early gets no discount: it pays the provider's bill as other clients do. */
import { setTimeout as delay } from 'node:timers/promises';
import { RelayHarness, userMessage } from '../contract/relay-harness.js';
import { chatChunks, json, openStream } from '../support/upstream/replies.js';
import { toEvent } from '../support/upstream/recordings.js';
import type { Reply } from '../support/upstream/upstream.js';

let relay: RelayHarness;
/** Output of both costs four times as much. */
const prices = { o3: 1, 'gpt-4o': 1.25 };
beforeAll(async () => {
  relay = await RelayHarness.start({
    settings: { disconnectedTimeout: 20_000, firstByteTimeout: 30_000, idleTimeout: 30_000 },
  });
});
afterAll(() => relay.stop());
beforeEach(async () => {
  relay.upstream.reset();
  relay.setOptions({ ModelRatio: prices });
  await relay.clearChannels();
});
afterEach(async () => {
  await relay.idle();
  expect(await relay.openReservations()).toBe(0);
  expect(await relay.drift()).toEqual([]);
});

const usage = {
  prompt_tokens: 10,
  completion_tokens: 20_000,
  total_tokens: 20_010,
  completion_tokens_details: { reasoning_tokens: 19_990 },
};
/** Sends the text, a pause, and then the usage. */
const reasons =
  (gapMilliseconds: number): Reply =>
  async (response) => {
    openStream(response);
    const chunks = chatChunks({ text: ['The', ' answer', ' is', ' 42'], usage }, 'o3', true);
    for (const chunk of chunks.slice(0, -1)) response.write(toEvent(chunk));
    await delay(gapMilliseconds);
    response.end(toEvent(chunks.at(-1) ?? '') + toEvent('[DONE]'));
  };

/** Reads until the response contains the text, and disconnects. */
async function leaveAfter(text: string, key: string, body: object): Promise<void> {
  const leaving = new AbortController();
  const response = await relay.chat(key, body, { signal: leaving.signal });
  const reader = response.body!.getReader();
  let read = '';
  while (!read.includes(text)) {
    const { value, done } = await reader.read();
    if (done) break;
    read += Buffer.from(value).toString();
  }
  leaving.abort();
}

it.each(['o3', 'gpt-4o'])(
  '%s: a stream that is left after its last word costs what the provider reports',
  async (model) => {
    await relay.addChannel({ models: model });
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 900_000 }) });
    relay.upstream.script({}, reasons(300));
    await leaveAfter(' 42', key, { model, messages: userMessage('hi'), stream: true });
    const [row] = await relay.logsOf(userId, 1);
    // This is more than gpt-4o's published maximum, but less than twice as much, because published figures grow.
    expect(row?.completion_tokens).toBe(20_000);
    expect(row?.other).toMatchObject({ client_gone: true });
  },
);

it('a reasoning call is read on for as long as it thinks', async () => {
  await relay.addChannel({ models: 'o3' });
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 900_000 }) });
  relay.upstream.script({}, reasons(3500));
  await leaveAfter('The', key, { model: 'o3', messages: userMessage('hi'), stream: true });
  const [row] = await relay.logsOf(userId, 1, 15_000);
  expect(row?.completion_tokens).toBe(20_000);
});

describe('a call whose provider runs tools', () => {
  /** Sends the text, a pause that is longer than the wait for the end of a stream, and then the cost of the tools. */
  const searches = (events: ReadonlyArray<{ readonly type: string }>): Reply => {
    const written = events.map((event) => `event: ${event.type}\n${toEvent(JSON.stringify(event))}`);
    return async (response) => {
      openStream(response);
      response.write(written.slice(0, -2).join(''));
      await delay(1500);
      response.end(written.slice(-2).join(''));
    };
  };
  const claude = [
    {
      type: 'message_start',
      message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 9 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'found' } },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 9000, output_tokens: 20, server_tool_use: { web_search_requests: 5 } },
    },
    { type: 'message_stop' },
  ];
  const response = { id: 'r', object: 'response', created_at: 1, model: 'm', output: [] };
  const done = {
    ...response,
    status: 'completed',
    usage: { input_tokens: 9000, output_tokens: 20, total_tokens: 9020 },
    tool_usage: { web_search: { num_requests: 5 } },
  };
  const openAI = [
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    { type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'found' },
    { type: 'response.output_text.done', item_id: 'i', output_index: 0, content_index: 0, text: 'found' },
    { type: 'response.completed', response: done },
  ];

  it.each<[path: string, type: number, model: string, tool: string, events: Array<{ type: string }>, quota: number]>([
    // 9,000 x $3, 20 x $15 a million and five searches at $0.01.
    ['/v1/messages', 14, 'claude-sonnet-4-5', 'web_search_20250305', claude, 38_650],
    // 9,000 x $2, 20 x $8 a million and five searches at $0.025.
    ['/v1/responses', 1, 'gpt-4.1', 'web_search', openAI, 71_580],
  ])('costs what they cost, also when it is left at %s', async (path, type, model, tool, events, quota) => {
    relay.setOptions({ PriceCards: { 'gpt-4.1': 'built-in' } });
    await relay.addChannel({ type, models: model });
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 2_000_000 }) });
    relay.upstream.script({}, searches(events));
    const leaving = new AbortController();
    const body = { model, stream: true, max_tokens: 1000, tools: [{ type: tool, name: 'web_search' }] };
    const asked = path.endsWith('messages') ? { messages: userMessage('hi') } : { input: 'hi' };
    const left = await relay.post(path, key, { ...body, ...asked }, { signal: leaving.signal });
    for await (const part of left.body!) if (Buffer.from(part).includes('found')) break;
    leaving.abort();
    const [row] = await relay.logsOf(userId, 1, 15_000);
    expect(row).toMatchObject({ quota, other: { client_gone: true } });
  });
});

it('a response in one piece is read on, too', async () => {
  await relay.addChannel({ models: 'gpt-4o' });
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, async (response, request) => {
    await delay(2500);
    const message = { role: 'assistant', content: 'Hello' };
    await json({ choices: [{ index: 0, message }], usage: { prompt_tokens: 8, completion_tokens: 700 } })(
      response,
      request,
    );
  });
  const leaving = new AbortController();
  const response = relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') }, { signal: leaving.signal });
  response.catch(() => undefined);
  while (relay.upstream.requests.length === 0) await delay(10);
  leaving.abort();
  expect((await relay.logsOf(userId, 1, 15_000))[0]).toMatchObject({ prompt_tokens: 8, completion_tokens: 700 });
});

it('a provider that goes on without end is read on to a bound, and a reasoning call costs what was reserved', async () => {
  await relay.addChannel({ models: 'o3' });
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 900_000 }) });
  const block = toEvent(JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(16 * 1024) } }] }));
  let written = 0;
  relay.upstream.script({}, async (response) => {
    openStream(response);
    response.write(toEvent(JSON.stringify({ choices: [{ index: 0, delta: { content: 'The' } }] })));
    while (!response.destroyed && written < 200 * 1024 * 1024) {
      written += block.length;
      if (!response.write(block)) await Promise.race([new Promise((go) => response.once('drain', go)), delay(100)]);
      else await delay(0);
    }
  });
  await leaveAfter('The', key, {
    model: 'o3',
    messages: userMessage('hi'),
    max_completion_tokens: 30_000,
    stream: true,
  });
  const [row] = await relay.logsOf(userId, 1, 30_000);
  expect(written).toBeLessThan(100 * 1024 * 1024);
  expect(row?.completion_tokens).toBeGreaterThanOrEqual(30_000);
});

it('frees its slot at once', async () => {
  relay.setOptions({ ModelRatio: prices, ModelRequestUserInFlightLimit: 1 });
  await relay.addChannel({ models: 'o3' });
  const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 2_000_000 }) });
  relay.upstream.script({}, reasons(2500));
  const body = { model: 'o3', messages: userMessage('hi'), max_completion_tokens: 1000, stream: true };
  await leaveAfter('The', key, body);
  let status = 0;
  const leftAt = Date.now();
  while (status !== 200 && Date.now() - leftAt < 1000) {
    const leaving = new AbortController();
    status = (await relay.chat(key, body, { signal: leaving.signal })).status;
    leaving.abort();
  }
  expect(status).toBe(200);
});

it('a stop of the node ends the reading and charges what was reserved', async () => {
  const node = await RelayHarness.start({ beside: relay, settings: { firstByteTimeout: 60_000, idleTimeout: 60_000 } });
  node.setOptions({ ModelRatio: prices });
  const id = await relay.addChannel({ models: 'o3' });
  await node.changed({ kind: 'channel', id });
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 900_000 }) });
  relay.upstream.script({}, () => new Promise(() => undefined));
  const leaving = new AbortController();
  const body = { model: 'o3', messages: userMessage('hi'), max_completion_tokens: 5000, stream: true };
  const response = node.chat(key, body, { signal: leaving.signal });
  response.catch(() => undefined);
  while (relay.upstream.requests.length === 0) await delay(10);
  leaving.abort();
  await delay(200);
  await node.stop();
  expect((await relay.logsOf(userId, 1))[0]).toMatchObject({ completion_tokens: 5000, other: { client_gone: true } });
});

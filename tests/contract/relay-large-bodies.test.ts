/** Bodies of open streams: what is held of them, and what of them is still known (docs/reference/relay/access.md#request-bodies). */
import { chat, events } from '../support/upstream/replies.js';
import { silence, silenceAfter } from '../support/upstream/faults.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

const mebibyte = 1024 * 1024;
let relay: RelayHarness;
// One user may have two bodies of the maximum size.
relaySuite((started) => (relay = started), { settings: { maxBodyBytes: mebibyte, bodiesBytes: 2 * mebibyte } });

const words = 160_000;
const prompt = 'word '.repeat(words);
const body = { model: 'gpt-4o-mini', messages: userMessage(prompt), stream: true };
const bytes = JSON.stringify(body).length;
const role =
  'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}';
const broken = 'data: {"error":{"message":"Provider returned error","code":502}}';

interface Opened {
  readonly status: number;
  leave(): void;
}

/** Calls until the first content arrives. */
async function opened(key: string, path = '/v1/chat/completions', more: object = {}): Promise<Opened> {
  const leaving = new AbortController();
  const { status } = await relay.post(path, key, { ...body, ...more }, { signal: leaving.signal });
  return { status, leave: () => leaving.abort() };
}

describe('a stream whose content has begun', () => {
  it('holds a quarter of what its body took, so that one user can have many', async () => {
    await relay.addChannel();
    relay.upstream.script({}, silenceAfter(3));
    const { key } = await relay.addToken();
    const streams = [await opened(key)];
    const [sent] = relay.upstream.requests;
    // The request for usage is added to the body, so there are two.
    const ofStream = Math.ceil((bytes + JSON.stringify(sent?.body).length) / 4);
    expect(relay.heldBytes).toBe(ofStream);
    for (let count = 1; count < 4; count++) streams.push(await opened(key));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(relay.heldBytes).toBe(4 * ofStream);
    for (const { leave } of streams) leave();
    await relay.idle();
    expect(relay.heldBytes).toBe(0);
  });

  it('holds the client’s body once where the provider gets the same bytes', async () => {
    await relay.addChannel({ type: 14 });
    relay.upstream.script({}, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: content_block_start\ndata: {"type":"content_block_start","index":0}\n\n');
    });
    const { key } = await relay.addToken();
    const { status, leave } = await opened(key, '/v1/messages', { max_tokens: 5 });
    const ofStream = Math.ceil(JSON.stringify({ ...body, max_tokens: 5 }).length / 4);
    expect([status, relay.heldBytes]).toEqual([200, ofStream]);
    leave();
  });
});

it('a stream whose channel changes the price by an override holds its whole body', async () => {
  await relay.addChannel({ override: JSON.stringify({ n: 2 }) });
  relay.upstream.script({}, silenceAfter(3));
  const { key } = await relay.addToken();
  const { status, leave } = await opened(key);
  expect([status, relay.heldBytes]).toEqual([200, bytes]);
  leave();
});

it('a call without content holds its whole body, and a third one of its user is refused', async () => {
  await relay.addChannel();
  relay.upstream.script({}, silence());
  const { key } = await relay.addToken();
  const leaving = new AbortController();
  const waiting = [1, 2].map(() => relay.chat(key, body, { signal: leaving.signal }).catch(() => null));
  while (relay.upstream.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  const refused = await relay.chat(key, body);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(relay.heldBytes).toBe(2 * bytes);
  leaving.abort();
  await Promise.all(waiting);
});

it('a stream that opens and fails is sent to another channel with its whole body', async () => {
  relay.setOptions({ RetryTimes: 1 });
  await relay.addChannel({ baseUrl: `${relay.upstream.url}/first`, priority: 1 });
  await relay.addChannel();
  relay.upstream.script({ path: '/first/v1/chat/completions' }, events([role.slice(6), broken.slice(6)]));
  const { key } = await relay.addToken();
  const response = await relay.chat(key, body);
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('[DONE]')]);
  expect(relay.upstream.requests.map((sent) => sent.body?.['messages'])).toEqual([body.messages, body.messages]);
});

describe('the prompt is known after the content has begun', () => {
  it.each([
    ['counted where the provider reports no usage', {}],
    ['logged where the content is logged', { LogChatContentEnabled: true }],
  ])('and %s', async (_what, values) => {
    relay.setOptions(values);
    await relay.addChannel();
    relay.upstream.script({}, chat({ text: 'Hello there', usage: null }));
    const { key, userId } = await relay.addToken();
    for (const stream of [true, false]) await (await relay.chat(key, { ...body, stream })).text();
    const rows = await relay.logsOf(userId, 2);
    const [streamed, whole] = rows.map((row) => ({ tokens: row.prompt_tokens, content: row.other['input_content'] }));
    expect(streamed).toEqual(whole);
    expect(streamed?.tokens).toBeGreaterThan(words);
    expect(streamed?.content !== undefined).toBe('LogChatContentEnabled' in values);
  });
});

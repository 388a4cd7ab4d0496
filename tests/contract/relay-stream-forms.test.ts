/** Forms of chat streams that providers really send, as clients of chat read them. */
import type { Reply } from '../support/upstream/upstream.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

const head = { id: 'chatcmpl-7', object: 'chat.completion.chunk', created: 1_718_700_000, model: 'gpt-4o-2024' };
const text = JSON.stringify({ ...head, choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }] });
const usage = JSON.stringify({
  ...head,
  choices: [],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});
/** Bytes as the upstream sends them. */
const sentAs =
  (contentType: string, ...pieces: string[]): Reply =>
  (response) => {
    response.writeHead(200, { 'content-type': contentType });
    for (const piece of pieces) response.write(piece);
    response.end();
  };

const sent = (...pieces: string[]): Reply => sentAs('text/event-stream', ...pieces);

const ask = async (key: string, include: boolean): Promise<string[]> => {
  const body = { model: 'gpt-4o', stream: true, messages: userMessage('hi') };
  const options = include ? { stream_options: { include_usage: true } } : {};
  const response = await relay.chat(key, { ...body, ...options });
  expect(response.status).toBe(200);
  const lines = (await response.text()).split(/\r\n|\n|\r/);
  return lines.filter((line) => line.startsWith('data:')).map((line) => line.slice('data:'.length).trim());
};

const endings: ReadonlyArray<[string, string]> = [
  ['alone', `data: ${text}\n\ndata: ${usage}\n\ndata: [DONE]\n\n`],
  ['after a comment', `data: ${text}\n\ndata: ${usage}\n\n: bye\ndata: [DONE]\n\n`],
  ['after an event name', `data: ${text}\n\ndata: ${usage}\n\nevent: done\ndata: [DONE]\n\n`],
  ['after an id', `data: ${text}\n\ndata: ${usage}\n\nid: 9\ndata: [DONE]\n\n`],
  ['after an empty line', `data: ${text}\n\ndata: ${usage}\n\n\ndata: [DONE]\n\n`],
  ['in lines that end in CR LF', `data: ${text}\r\n\r\ndata: ${usage}\r\n\r\n: bye\r\ndata: [DONE]\r\n\r\n`],
  ['without a space', `data:${text}\n\ndata:${usage}\n\ndata:[DONE]\n\n`],
  ['without its empty line', `data: ${text}\n\ndata: ${usage}\n\ndata: [DONE]`],
];

describe.each(endings)('the end mark %s', (_form, stream) => {
  it.each([
    ['OpenAI', 1],
    ['DeepSeek', 43],
  ])('of %s (type %i) is seen: the usage comes once, before it', async (_name, type) => {
    await relay.addChannel({ type });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, sent(stream));
    const asked = await ask(key, true);
    expect(asked).toHaveLength(3);
    expect(JSON.parse(asked[0] ?? '')).toMatchObject({ choices: [{ delta: { content: 'Hello' } }] });
    expect(JSON.parse(asked[1] ?? '')).toMatchObject({ id: head.id, choices: [], usage: { total_tokens: 4 } });
    expect(asked[2]).toBe('[DONE]');
    expect((await relay.logsOf(userId, 1))[0]).toMatchObject({ prompt_tokens: 3, completion_tokens: 1 });
    const unasked = await ask(key, false);
    expect(unasked).toHaveLength(2);
    expect(unasked[1]).toBe('[DONE]');
  });

  it('is seen when it arrives byte by byte', async () => {
    await relay.addChannel({ type: 1 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, sent(...stream));
    expect((await ask(key, true)).map((data) => data === '[DONE]')).toEqual([false, false, true]);
  });
});

it.each([
  ['custom', 8],
  ['FastGPT', 22],
  ['OpenAI', 1],
])('usage that %s (type %i) does not report is shown in a chunk of the same stream', async (_name, type) => {
  await relay.addChannel({ type });
  const { key } = await relay.addToken();
  relay.upstream.script({}, sent(`data: ${text}\n\ndata: [DONE]\n\n`));
  const [, last, done] = await ask(key, true);
  expect(JSON.parse(last ?? '')).toMatchObject({ ...head, choices: [], usage: { completion_tokens: 1 } });
  expect(done).toBe('[DONE]');
});

const plainUsage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
const choice = { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' };
const completion = { ...head, object: 'chat.completion', choices: [choice], usage: plainUsage };
const claude = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'gpt-4o',
  stop_reason: 'end_turn',
  stop_sequence: null,
  content: [{ type: 'text', text: 'Hello' }],
  usage: { input_tokens: 3, output_tokens: 1 },
};
const output = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] };
const made = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-4o',
  output: [output],
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
};
const asChat = { messages: userMessage('hi') };

describe.each<[string, number, Record<string, unknown>, unknown]>([
  ['/v1/chat/completions', 1, asChat, completion],
  ['/v1/chat/completions', 14, asChat, claude],
  ['/v1/messages', 14, { ...asChat, max_tokens: 9 }, claude],
  ['/v1/messages', 1, { ...asChat, max_tokens: 9 }, completion],
  ['/v1/responses', 1, { input: 'hi' }, made],
])('%s at type %i', (path, type, body, whole) => {
  it.each([['application/json'], ['text/plain; charset=utf-8'], ['application/octet-stream'], [undefined]])(
    'a stream that comes as one whole response of %s is sent as a stream, and charged',
    async (contentType) => {
      await relay.addChannel({ type });
      const { key, userId } = await relay.addToken();
      relay.upstream.script({}, (response) => {
        response.writeHead(200, contentType === undefined ? {} : { 'content-type': contentType });
        const written = JSON.stringify(whole, null, 2);
        response.write(`\n${written.slice(0, 40)}`);
        setTimeout(() => response.end(written.slice(40)), 20);
      });
      const response = await relay.post(path, key, { model: 'gpt-4o', stream: true, ...body });
      const shown = await response.text();
      expect(response.headers.get('content-type')).toContain('text/event-stream');
      expect(shown).toContain('Hello');
      expect(shown).not.toContain('"error":{');
      expect(shown.split('\n').filter((line) => !/^(?:data: |event: |$)/.test(line))).toEqual([]);
      expect((await relay.logsOf(userId, 1))[0]).toMatchObject({ prompt_tokens: 3, completion_tokens: 1 });
    },
  );
});

const chunks = [text, usage].map((chunk) => `data: ${chunk}\n\n`).join('') + 'data: [DONE]\n\n';
const named = (events: ReadonlyArray<Record<string, unknown>>): string =>
  events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const claudeEvents = named([
  { type: 'message_start', message: { ...claude, content: [], usage: { input_tokens: 3, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
]);
const responseEvents = named([
  { type: 'response.created', response: { ...made, status: 'in_progress', output: [] } },
  { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'Hello' },
  { type: 'response.completed', response: { ...made, brand_new: 1 } },
]);
const geminiEvents = [{ text: 'Hel' }, { text: 'lo' }]
  .map((part, index) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, ...(index ? { finishReason: 'STOP' } : {}) }],
    ...(index ? { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 } } : {}),
  }))
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .join('');
const generate = '/v1beta/models/gpt-4o:generateContent';

describe.each<[string, number, Record<string, unknown>, string, unknown]>([
  ['/v1/chat/completions', 1, asChat, chunks, { choices: [choice], usage: { total_tokens: 4 } }],
  ['/v1/chat/completions', 43, asChat, chunks, { choices: [choice], usage: { total_tokens: 4 } }],
  ['/v1/messages', 14, { ...asChat, max_tokens: 9 }, claudeEvents, claude],
  ['/v1/responses', 1, { input: 'hi' }, responseEvents, { ...made, brand_new: 1 }],
  [generate, 24, { contents: [{ parts: [{ text: 'hi' }] }] }, geminiEvents, { candidates: [{ finishReason: 'STOP' }] }],
])('%s at type %i that answers a call of one piece with a stream', (path, type, body, stream, whole) => {
  it('gives the client one piece, for what the stream reported', async () => {
    await relay.addChannel({ type });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, sent(stream));
    const response = await relay.post(path, key, { model: 'gpt-4o', ...body });
    expect(response.headers.get('content-type')).toBe('application/json');
    const shown = await response.text();
    expect(JSON.parse(shown)).toMatchObject(whole as object);
    expect(shown).toContain('Hel');
    expect((await relay.logsOf(userId, 1))[0]).toMatchObject({
      prompt_tokens: 3,
      completion_tokens: 1,
      is_stream: false,
    });
  });

  it('is a failed attempt when the stream breaks off, and another channel serves the call', async () => {
    await relay.addChannel({ type, priority: 9 });
    await relay.addChannel({ type });
    const { key, userId } = await relay.addToken();
    relay.setOptions({ RetryTimes: 1 });
    const begun = stream.slice(0, stream.indexOf('\n\n') + 2).replace('"finish_reason":"stop"', '"finish_reason":null');
    relay.upstream.script({}, sent(begun), sent(stream));
    const response = await relay.post(path, key, { model: 'gpt-4o', ...body });
    expect([response.status, JSON.parse(await response.text())]).toMatchObject([200, whole]);
    expect(relay.upstream.requests).toHaveLength(2);
    expect(await relay.logsOf(userId, 1)).toHaveLength(1);
  });
});

it('an error that comes in place of a stream, as plain text, is the error of its channel', async () => {
  await relay.addChannel();
  await relay.addChannel();
  const { key } = await relay.addToken();
  relay.setOptions({ RetryTimes: 1 });
  relay.upstream.script(
    {},
    sentAs('text/plain', '{"error":{"message":"busy","code":500}}'),
    sent(`data: ${text}\n\ndata: [DONE]\n\n`),
  );
  expect(await ask(key, false)).toHaveLength(2);
  expect(relay.upstream.requests).toHaveLength(2);
});

it('a page of another site may send any header and read all of an answer', async () => {
  await relay.addChannel({ type: 1 });
  const { key } = await relay.addToken();
  const preflight = await fetch(`${relay.url}/v1beta/models/gpt-4o:generateContent`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-goog-api-client,x-goog-api-key,x-stainless-retry-count',
    },
  });
  expect(preflight.status).toBe(204);
  const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ');
  expect(allowed).toEqual(['content-type', 'x-goog-api-client', 'x-goog-api-key', 'x-stainless-retry-count']);
  relay.upstream.script({}, sent(`data: ${text}\n\ndata: [DONE]\n\n`));
  const body = { model: 'gpt-4o', stream: true, messages: userMessage('hi') };
  const response = await relay.chat(key, body, { headers: { origin: 'https://app.example' } });
  await response.text();
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  // Without credentials, `*` exposes all headers: request ids, rate limits, and the names of dropped fields.
  expect(response.headers.get('access-control-expose-headers')).toBe('*');
});

// Gateways end every stream as OpenAI does. Google's clients parse each event as JSON.
describe.each([
  ['after the last event', '\n\n'],
  ['with CR LF', '\r\n\r\n'],
])('a stream of Gemini with the end mark of OpenAI, %s', (_name, ending) => {
  const call = { functionCall: { name: 'look' } };
  const event = JSON.stringify({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hello' }, call] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 },
  });
  const stream = `data: ${event}${ending}data: [DONE]${ending}`;
  const tools = [{ type: 'function', function: { name: 'look' } }];

  it.each([
    ['/v1/chat/completions', { ...asChat, tools }, '"arguments":"{}"'],
    [
      '/v1/messages',
      { ...asChat, max_tokens: 9, tools: [{ name: 'look', input_schema: { type: 'object' } }] },
      '"partial_json":"{}"',
    ],
    ['/v1/responses', { input: 'hi', tools: [{ type: 'function', name: 'look' }] }, '"arguments":"{}"'],
  ])('is whole for clients of %s', async (path, body, called) => {
    await relay.addChannel({ type: 24 });
    const { key, userId } = await relay.addToken();
    for (const pieces of [[stream], stream]) {
      relay.upstream.script({}, sent(...pieces));
      const response = await relay.post(path, key, { model: 'gpt-4o', stream: true, ...body });
      const shown = await response.text();
      expect(shown).toContain('Hello');
      expect(shown).toContain(called);
      expect(shown).not.toMatch(/"error":\s*\{|"type":\s*"error"/);
    }
    expect((await relay.logsOf(userId, 1))[0]).toMatchObject({ prompt_tokens: 3, completion_tokens: 1 });
  });

  it.each(['?alt=sse', ''])('is the provider’s without that mark for clients of Gemini (%s)', async (query) => {
    await relay.addChannel({ type: 24 });
    const { key } = await relay.addToken();
    for (const pieces of [[stream], stream]) {
      relay.upstream.script({}, sent(...pieces));
      const path = `/v1beta/models/gpt-4o:streamGenerateContent${query}`;
      const response = await relay.post(path, key, { contents: [{ parts: [{ text: 'hi' }] }] });
      const shown = await response.text();
      expect(shown).toBe(query === '' ? `[${event}]` : `data: ${event}${ending}`);
    }
  });
});

it.each([
  [{ name: 'look', args: '' }, '{}'],
  [{ name: 'look', args: null }, '{}'],
  [{ name: 'look', args: '{"a":1}' }, '{"a":1}'],
  [{ name: 'look', args: { a: 1 } }, '{"a":1}'],
])('the call %j of a stream of Gemini has the arguments %s', async (functionCall, expected) => {
  await relay.addChannel({ type: 24 });
  const { key } = await relay.addToken();
  const parts = [{ functionCall }];
  const event = { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }] };
  relay.upstream.script({}, sent(`data: ${JSON.stringify(event)}\n\n`));
  const body = { model: 'gpt-4o', stream: true, ...asChat, tools: [{ type: 'function', function: { name: 'look' } }] };
  expect(await (await relay.chat(key, body)).text()).toContain(`"arguments":${JSON.stringify(expected)}`);
});

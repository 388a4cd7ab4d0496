/** Forms of chat streams that providers really send, as clients of chat read them. */
import type { Reply } from '../support/upstream/upstream.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

const head = { id: 'chatcmpl-7', object: 'chat.completion.chunk', created: 1_718_700_000, model: 'gpt-4o-2024' };
const text = JSON.stringify({ ...head, choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }] });
const usage = JSON.stringify({
  ...{ ...head, choices: [] },
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});
/** Bytes as the upstream sends them. */
const sent =
  (...pieces: string[]): Reply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) response.write(piece);
    response.end();
  };

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
])('usage that %s (type %i) does not report is told in a chunk of the same stream', async (_name, type) => {
  await relay.addChannel({ type });
  const { key } = await relay.addToken();
  relay.upstream.script({}, sent(`data: ${text}\n\ndata: [DONE]\n\n`));
  const [, last, done] = await ask(key, true);
  expect(JSON.parse(last ?? '')).toMatchObject({ ...head, choices: [], usage: { completion_tokens: 1 } });
  expect(done).toBe('[DONE]');
});

it('a page of another site may send any header and read all of an answer', async () => {
  await relay.addChannel({ type: 1 });
  const { key } = await relay.addToken();
  const preflight = await fetch(`${relay.url}/v1beta/models/gpt-4o:generateContent`, {
    method: 'OPTIONS',
    headers: {
      ...{ origin: 'https://app.example', 'access-control-request-method': 'POST' },
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
  // Without credentials, `*` names all headers: request ids, rate limits, what was dropped.
  expect(response.headers.get('access-control-expose-headers')).toBe('*');
});

import type { ServerResponse } from 'node:http';
import type { OptionValues } from '../../server/src/options/option-registry.js';
import type { Reply } from '../support/upstream/upstream.js';
import { json } from '../support/upstream/replies.js';
import { says } from '../support/upstream/families.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** A provider opens a stream and ends it without content (docs/reference/relay/routing.md#retry-rules). */
let relay: RelayHarness;
relaySuite((started) => (relay = started), { values: { RetryTimes: 1 } });

const head = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [], status: 'in_progress' };
const event = (data: { type: string; [field: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const created = event({ type: 'response.created', response: head });
const inProgress = event({ type: 'response.in_progress', response: head });
const failed = (code: string): string =>
  event({
    type: 'response.failed',
    response: { ...head, status: 'failed', error: { code, message: 'no capacity' }, usage: null },
  });
const messageStart = event({
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'm', usage: { input_tokens: 3 } },
});
const ping = event({ type: 'ping' });
const overloaded = event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
const role =
  'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n';
const chatError = 'data: {"error":{"message":"Provider returned error","code":502}}\n\n';

const stream =
  (...pieces: readonly string[]): Reply =>
  (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) response.write(piece);
    response.end();
  };

const rule: OptionValues['guardrails.rules'][number] = {
  name: 'fruit',
  stage: 'output',
  action: 'block',
  check: 'words',
  words: ['pineapple'],
};

const bodies = {
  '/v1/responses': { model: 'gpt-4o', input: 'hi', stream: true },
  '/v1/messages': { model: 'gpt-4o', max_tokens: 5, messages: userMessage('hi'), stream: true },
  '/v1/chat/completions': { model: 'gpt-4o', messages: userMessage('hi'), stream: true },
} as const;
type Path = keyof typeof bodies;

const starts: Array<[what: string, path: Path, type: number, pieces: string[]]> = [
  ['a response that fails', '/v1/responses', 1, [created, inProgress, failed('server_is_overloaded')]],
  ['a response that fails at once', '/v1/responses', 1, [failed('rate_limit_exceeded')]],
  ['a response that ends', '/v1/responses', 1, [created, inProgress]],
  ['a message that fails', '/v1/messages', 14, [messageStart, ping, overloaded]],
  ['a message that fails, for a chat client', '/v1/chat/completions', 14, [messageStart, ping, overloaded]],
  ['comments before an error', '/v1/chat/completions', 20, [': OPENROUTER PROCESSING\n\n', ': ping\n\n', chatError]],
  ['a comment beside an error', '/v1/chat/completions', 20, [`: ping\n\n${chatError}`]],
  ['the role before an error', '/v1/chat/completions', 1, [role, chatError]],
  ['the role before an error, for a Messages client', '/v1/messages', 43, [role, chatError]],
];

it.each(starts)('%s moves to another channel: %s at type %i', async (_what, path, type, pieces) => {
  await relay.addChannel({ type, baseUrl: `${relay.upstream.url}/first`, priority: 1 });
  await relay.addChannel({ type: path === '/v1/messages' ? 14 : 1 });
  relay.upstream.script({ path: '/first' }, stream(...pieces));
  relay.upstream.script({ path: '/v1' }, says({ text: 'Hello there' }));
  const { key, userId } = await relay.addToken();
  const response = await relay.post(path, key, bodies[path]);
  const text = await response.text();
  expect(response.status).toBe(200);
  expect(text).toContain('Hello');
  expect(text).not.toMatch(/capacity|Overloaded|Provider returned|OPENROUTER/);
  const rows = await relay.logsOf(userId, 1);
  expect(rows.map(({ other }) => (other['admin_info'] as { use_channel: string[] }).use_channel.length)).toEqual([2]);
});

it.each(starts)(
  '%s moves to another channel where a guardrail checks the output: %s at type %i',
  async (_what, path, type, pieces) => {
    relay.setOptions({ RetryTimes: 1, 'guardrails.rules': [rule] });
    await relay.addChannel({ type, baseUrl: `${relay.upstream.url}/first`, priority: 1 });
    await relay.addChannel({ type: path === '/v1/messages' ? 14 : 1 });
    relay.upstream.script({ path: '/first' }, stream(...pieces));
    relay.upstream.script({ path: '/v1' }, says({ text: 'Hello there' }));
    const { key } = await relay.addToken();
    const response = await relay.post(path, key, bodies[path]);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('there')]);
  },
);

it.each(starts)(
  '%s is an error with a status where no other channel is left: %s',
  async (_what, path, type, pieces) => {
    await relay.addChannel({ type });
    relay.upstream.script({}, stream(...pieces));
    const { key, userId } = await relay.addToken();
    const response = await relay.post(path, key, bodies[path]);
    await response.text();
    expect(response.status).toBeGreaterThanOrEqual(429);
    expect(await relay.logs(userId)).toEqual([]);
  },
);

it.each(['server_error', 'invalid_prompt'])(
  'a response that fails (%s) after its first content ends with an error where a guardrail checks the output',
  async (code) => {
    relay.setOptions({ 'guardrails.rules': [rule] });
    await relay.addChannel({ type: 1 });
    const delta = { item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'fine '.repeat(100) };
    const content = event({ type: 'response.output_text.delta', ...delta });
    relay.upstream.script({}, stream(created, inProgress, content, failed(code)));
    const { key } = await relay.addToken();
    const response = await relay.post('/v1/responses', key, bodies['/v1/responses']);
    const text = await response.text();
    expect(text).toContain('fine fine');
    expect(text).toContain('no capacity');
    expect(text).not.toContain('response.completed');
  },
);

it('a response that fails under another name of its model moves, too', async () => {
  relay.setOptions({ RetryTimes: 1, 'global.requested_model_in_answers': true });
  const mapping = '{"gpt-4o":"gpt-4o-2024-11-20"}';
  await relay.addChannel({ type: 1, mapping, baseUrl: `${relay.upstream.url}/first`, priority: 1 });
  await relay.addChannel({ type: 1 });
  relay.upstream.script({ path: '/first' }, stream(created, failed('server_is_overloaded')));
  relay.upstream.script({ path: '/v1' }, says({ text: 'Hello there' }));
  const { key } = await relay.addToken();
  const response = await relay.post('/v1/responses', key, bodies['/v1/responses']);
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('there')]);
});

it('a response that fails for the call itself reaches the client as it is', async () => {
  await relay.addChannel({ type: 1 });
  await relay.addChannel({ type: 1 });
  relay.upstream.script({}, stream(created, inProgress, failed('invalid_prompt')));
  const { key } = await relay.addToken();
  const response = await relay.post('/v1/responses', key, bodies['/v1/responses']);
  expect(await response.text()).toBe(created + inProgress + failed('invalid_prompt'));
  expect(relay.upstream.requests).toHaveLength(1);
});

it('an opening reaches the client although its content takes long, and ends the choice of a channel', async () => {
  await relay.addChannel({ type: 1 });
  await relay.addChannel({ type: 1 });
  let end = (): void => undefined;
  relay.upstream.script({}, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(created);
    end = () => void response.end(failed('server_error'));
  });
  const { key } = await relay.addToken();
  const response = await relay.post('/v1/responses', key, bodies['/v1/responses']);
  const reader = response.body!.getReader();
  const first = await reader.read();
  expect(Buffer.from(first.value!).toString()).toBe(created);
  end();
  let rest = '';
  for (let next = await reader.read(); !next.done; next = await reader.read())
    rest += Buffer.from(next.value).toString();
  expect(rest).toContain('response.failed');
  expect(relay.upstream.requests).toHaveLength(1);
});

it('content that comes with its opening is forwarded as it came', async () => {
  await relay.addChannel({ type: 1 });
  const content = 'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n';
  relay.upstream.script({}, stream(': a comment\n\n', role, role + content, 'data: [DONE]\n\n'));
  const { key } = await relay.addToken();
  const response = await relay.post('/v1/chat/completions', key, bodies['/v1/chat/completions']);
  expect(await response.text()).toBe(`: a comment\n\n${role}${role}${content}data: [DONE]\n\n`);
  relay.upstream.script({}, json({}));
});

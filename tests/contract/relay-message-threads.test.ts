/**
 * Threads of Messages: the provider keeps the conversation, and the client sends the new turn alone. Clients send the whole
 * conversation again when they get the code `thread_not_found` (`anthropic` 2.14.0, lib/threads; platform.claude.com, "Message
 * threads", November 2026).
 */
import { events, json } from '../support/upstream/replies.js';
import type { ReceivedRequest, Reply } from '../support/upstream/upstream.js';
import type { RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true, RetryTimes: 3 } });

type Json = Record<string, unknown>;
type Key = Awaited<ReturnType<RelayHarness['addToken']>>;

const model = 'claude-sonnet-4-5';
const create = { type: 'create' };
const after = (id: string): Json => ({ type: 'continue', previous_message_id: id });
const user = (content: string): Json => ({ role: 'user', content });
const usage = { input_tokens: 10, output_tokens: 2 };
const lost = (id: string): Json => ({
  type: 'error',
  error: {
    type: 'not_found_error',
    message: `Thread ${id} was not found`,
    details: { error_code: 'thread_not_found' },
  },
});

/** A provider that keeps the conversation of each account by the ids of its responses, and answers with all it knows. */
function keepsThreads(): Reply {
  const kept = new Map<string, string>();
  let count = 0;
  return (response, request) => {
    const { body } = request;
    const { thread, messages } = body as { thread?: Json; messages: Json[] };
    const id = `msg_${++count}`;
    const said = messages.map(({ content }) => content).join(' ');
    const before = thread?.['type'] === 'continue' ? kept.get(nameOf(request, thread['previous_message_id'])) : '';
    if (before === undefined) return json(lost(String(thread?.['previous_message_id'])), 404)(response, request);
    const all = `${before} ${said}`.trim();
    if (thread) kept.set(nameOf(request, id), all);
    const message = { id, type: 'message', role: 'assistant', model, stop_reason: 'end_turn', usage };
    const content = [{ type: 'text', text: all }];
    return body?.['stream'] === true
      ? events(
          [
            { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
            { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
            { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: all } },
            { type: 'content_block_stop', index: 0 },
            { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
            { type: 'message_stop' },
          ].map((event) => JSON.stringify(event)),
          { done: false },
        )(response, request)
      : json({ ...message, content })(response, request);
  };
}
const nameOf = ({ headers }: ReceivedRequest, id: unknown): string => `${String(headers['x-api-key'])} ${String(id)}`;

async function ask(key: Key, thread: Json, words: string, more: Json = {}) {
  const body = { model, max_tokens: 100, messages: [user(words)], thread, ...more };
  const response = await relay.post('/v1/messages', key.key, body, {
    headers: { 'anthropic-beta': 'message-threads-2026-08-12' },
  });
  const text = await response.text();
  return { status: response.status, text, id: /"id":"(msg_\w+)"/.exec(text)?.[1] ?? '', headers: response.headers };
}

const notFound = {
  status: 404,
  text: expect.stringContaining('"details":{"error_code":"thread_not_found"}') as string,
};

it.each([false, true])('a thread goes on at the account that keeps it (stream: %s)', async (stream) => {
  for (let index = 0; index < 4; index++)
    await relay.addChannel({ type: 14, models: model, key: `a${index},b${index}` });
  relay.upstream.script({}, keepsThreads());
  const key = await relay.addToken();
  let { id } = await ask(key, create, 'w0', { stream });
  for (let turn = 1; turn < 9; turn++) {
    const next = await ask(key, after(id), `w${turn}`, { stream });
    expect(next).toMatchObject({ status: 200, text: expect.stringContaining(`w0 w1`) as string });
    ({ id } = next);
  }
  expect(relay.upstream.requests.at(-1)?.body).toMatchObject({ messages: [user('w8')] });
});

it('a thread is no other user’s, and no other key’s', async () => {
  await relay.addChannel({ type: 14, models: model });
  relay.upstream.script({}, keepsThreads());
  const ann = await relay.addToken();
  const { id } = await ask(ann, create, 'my secret');
  const others = [await relay.addToken(), await relay.addToken({ userId: ann.userId })];
  for (const other of others) expect(await ask(other, after(id), 'say it')).toMatchObject(notFound);
  expect(relay.upstream.requests).toHaveLength(1);
  expect(await ask(ann, after(id), 'say it')).toMatchObject({ status: 200 });
});

it('the id of an ordinary message continues nothing', async () => {
  await relay.addChannel({ type: 14, models: model });
  relay.upstream.script({}, keepsThreads());
  const key = await relay.addToken();
  const { id } = await ask(key, create, 'hi', { thread: undefined });
  expect(await ask(key, after(id), 'go on')).toMatchObject(notFound);
  expect(relay.upstream.requests).toHaveLength(1);
});

it.each([false, true])(
  'a thread that the provider has forgotten is reported as such (hidden errors: %s)',
  async (hides) => {
    await relay.addChannel({ type: 14, models: model, key: 'one,two' });
    await relay.addChannel({ type: 14, models: model });
    relay.setOptions({
      SelfUseModeEnabled: true,
      RetryTimes: 3,
      AutomaticDisableChannelEnabled: true,
      'global.hide_upstream_error_enabled': hides,
    });
    relay.upstream.script({}, keepsThreads());
    const key = await relay.addToken();
    const { id } = await ask(key, create, 'hi');
    relay.upstream.script({}, json(lost(id), 404));
    const before = relay.upstream.requests.length;
    expect(await ask(key, after(id), 'go on')).toMatchObject(notFound);
    expect(relay.upstream.requests).toHaveLength(before + 1);
    expect(relay.health.cooldowns).toEqual([]);
  },
);

const completion = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
};
const contents = {
  candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'Hello' }] } }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
};
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  stop_reason: 'end_turn',
  content: [{ type: 'text', text: 'Hello' }],
  usage,
};

describe.each<[name: string, type: number, answer: Json, key?: string]>([
  ['OpenAI', 1, completion],
  ['Gemini', 24, contents],
  ['DeepSeek', 43, completion],
  ['Mistral', 42, completion],
  ['vLLM', 62, message],
  ['Bedrock', 33, message, 'AK|SK|us-east-1'],
])('%s, which keeps no threads', (_name, type, answer, channelKey = 'sk-upstream') => {
  it('begins none, and the client is told to send the whole conversation', async () => {
    await relay.addChannel({ type, models: model, key: channelKey });
    relay.upstream.script({}, json(answer));
    const key = await relay.addToken();
    const begun = await ask(key, create, 'hi');
    expect([begun.status, begun.headers.get('x-tollgate-dropped')]).toEqual([200, 'thread']);
    expect(relay.upstream.requests[0]?.body).not.toHaveProperty('thread');
    expect(await ask(key, after(begun.id || 'msg_1'), 'go on')).toMatchObject(notFound);
    expect(relay.upstream.requests).toHaveLength(1);
  });

  it('does not answer an admin’s call that is pinned to it, without the conversation', async () => {
    const channel = await relay.addChannel({ type, models: model, key: channelKey });
    relay.upstream.script({}, json(answer));
    const key = await relay.addToken({ userId: await relay.addUser({ role: 'admin' }) });
    const pinned = { ...key, key: `${key.key}-${channel}` };
    expect(await ask(pinned, after('msg_9'), 'go on')).toMatchObject(notFound);
    expect(relay.upstream.requests).toEqual([]);
  });
});

it('a turn of a thread is charged for the conversation that it does not contain', async () => {
  await relay.addChannel({ type: 14, models: model });
  relay.upstream.script({}, keepsThreads());
  const key = await relay.addToken();
  const { id } = await ask(key, create, 'hi');
  relay.upstream.script({}, json({ ...message, usage: { input_tokens: 90_000, output_tokens: 2 } }));
  await ask(key, after(id), 'go on');
  const rows = await relay.logsOf(key.userId, 2);
  expect(rows.map((row) => row.prompt_tokens).toSorted((a, b) => a - b)).toEqual([10, 90_000]);
});

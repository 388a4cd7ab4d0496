import OpenAI from 'openai';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import * as faults from '../support/upstream/faults.js';
import { chat, recorded } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';

/** The official client, pointed at Tollgate, notices nothing. */
const providerKey = 'sk-planted-provider-secret';

let server: TestServer;
let upstream: Upstream;
let root: Person;
let client: OpenAI;
let channelId: number;

beforeAll(async () => {
  upstream = await startUpstream();
  server = await startServer();
  root = await server.api.setUp();
  const models = ['gpt-4o', 'gpt-4o-mini', 'o3-mini-high'];
  channelId = await server.api.createChannel(root, { baseUrl: upstream.url, models, key: providerKey });
  const { key } = await server.api.createToken(root);
  client = new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0 });
});
afterAll(async () => {
  await server.stop();
  await upstream.stop();
});
beforeEach(async () => {
  upstream.reset();
  // Errors of an earlier test put the only key into cooldown.
  await server.api.data(root, 'DELETE', `/api/channel/${channelId}/cooldowns`);
});

const messages = [{ role: 'user' as const, content: 'Invent a holiday.' }];

interface LogRow {
  readonly quota: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly is_stream: boolean;
  readonly model_name: string;
}

async function newestLog(): Promise<LogRow> {
  const { items } = await page();
  const [row] = items;
  if (!row) throw new Error('the log is empty');
  return row;
}

async function page(): Promise<{ items: LogRow[] }> {
  const data = await server.api.data<LogRow[] | { items: LogRow[] }>(root, 'GET', '/api/log/?p=1&page_size=10&type=2');
  return Array.isArray(data) ? { items: data } : data;
}

it('gets a JSON answer, and its owner pays exactly that', async () => {
  upstream.script({}, recorded('openai/openai-text'));
  const before = await balance();
  const answer = await client.chat.completions.create({ model: 'gpt-4o-mini', messages });
  expect(answer.choices[0]?.message.content).toContain('Galaxy Day');
  expect(answer.usage?.completion_tokens).toBe(363);
  // (16 + 363 * 4) * 0.075 = 110.1
  expect(await newestLog()).toMatchObject({ quota: 110, prompt_tokens: 16, completion_tokens: 363, is_stream: false });
  expect(await balance()).toBe(before - 110);
});

it('gets a streamed answer, and its owner pays exactly that', async () => {
  upstream.script({}, recorded('openai/openai-text'));
  const before = await balance();
  const stream = await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true });
  let text = '';
  let finish: string | null = null;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? '';
    finish = chunk.choices[0]?.finish_reason ?? finish;
  }
  expect(text.length).toBeGreaterThan(1000);
  expect(finish).toBe('stop');
  expect(await newestLog()).toMatchObject({ quota: 1520, prompt_tokens: 16, completion_tokens: 300, is_stream: true });
  expect(await balance()).toBe(before - 1520);
});

it('gets usage at the end of a stream when it asks', async () => {
  upstream.script({}, recorded('openai/openai-text'));
  const stream = client.chat.completions.stream({ model: 'gpt-4o', messages, stream_options: { include_usage: true } });
  const whole = await stream.finalChatCompletion();
  expect(whole.usage).toMatchObject({ prompt_tokens: 16, completion_tokens: 300 });
});

it('calls tools, whole and streamed', async () => {
  const toolCalls = [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } }];
  upstream.script({}, chat({ text: '', toolCalls }));
  const tools = [
    {
      type: 'function' as const,
      function: { name: 'weather', strict: true, parameters: { type: 'object', properties: {} } },
    },
  ];
  const whole = await client.chat.completions.create({ model: 'gpt-4o', messages, tools, parallel_tool_calls: false });
  expect(whole.choices[0]?.message.tool_calls).toEqual(toolCalls);
  expect(upstream.requests[0]?.body).toMatchObject({ tools, parallel_tool_calls: false });
  const streamed = await client.chat.completions.stream({ model: 'gpt-4o', messages, tools }).finalChatCompletion();
  expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject(toolCalls[0] ?? {});
  expect(streamed.choices[0]?.finish_reason).toBe('tool_calls');
});

it('leaves in the middle, and the call to the provider ends', async () => {
  // The response is longer than the test may take.
  upstream.script({}, chat({ text: Array<string>(10_000).fill(' word'), gapMilliseconds: 20 }));
  const stream = await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true });
  let chunks = 0;
  for await (const _chunk of stream) {
    if (++chunks < 10) continue;
    stream.controller.abort();
    break;
  }
  await upstream.requests[0]?.ended;
  expect(upstream.requests[0]?.aborted).toBe(true);
});

it.each([
  [400, OpenAI.BadRequestError],
  [401, OpenAI.AuthenticationError],
  [403, OpenAI.PermissionDeniedError],
  [404, OpenAI.NotFoundError],
  [409, OpenAI.ConflictError],
  [422, OpenAI.UnprocessableEntityError],
  [429, OpenAI.RateLimitError],
  [500, OpenAI.InternalServerError],
  [503, OpenAI.InternalServerError],
])('raises the class of a %i', async (status, type) => {
  upstream.script({}, faults.failure(status, 'the provider says no', 'some_type', 'some_code'));
  const call = client.chat.completions.create({ model: 'gpt-4o', messages });
  await expect(call).rejects.toBeInstanceOf(type);
  await expect(call).rejects.toMatchObject({ status, type: 'some_type', code: 'some_code' });
});

it('raises what the gateway itself refuses', async () => {
  const stranger = new OpenAI({ apiKey: 'sk-unknown', baseURL: `${server.url}/v1`, maxRetries: 0 });
  await expect(stranger.chat.completions.create({ model: 'gpt-4o', messages })).rejects.toMatchObject({
    status: 401,
    code: 'invalid_api_key',
  });
  await expect(client.chat.completions.create({ model: 'nobody', messages })).rejects.toMatchObject({
    status: 503,
    code: 'model_not_found',
  });
});

it('raises an error that comes in the middle of a stream', async () => {
  upstream.script({}, faults.errorEventAfter(5));
  const stream = await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true });
  let text = '';
  const reading = (async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  })();
  await expect(reading).rejects.toThrow(/overloaded/);
  expect(text).not.toBe('');
});

it('lists and shows models', async () => {
  const listed: string[] = [];
  for await (const model of client.models.list()) listed.push(model.id);
  expect(listed).toEqual(['gpt-4o', 'gpt-4o-mini', 'o3-mini-high']);
  expect((await client.models.retrieve('gpt-4o')).id).toBe('gpt-4o');
  await expect(client.models.retrieve('nobody')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
});

it('leaves no key and no message in the log of the server', () => {
  const lines = server.logLines().join('\n');
  const planted = [client.apiKey ?? '', providerKey, 'Invent a holiday', 'Galaxy Day'];
  expect(planted.filter((text) => lines.includes(text.replace(/^sk-/, '')))).toEqual([]);
});

async function balance(): Promise<number> {
  return (await server.api.data<{ quota: number }>(root, 'GET', '/api/user/self')).quota;
}

/** Channels whose `chat_upstream` is `alternative`: chat over the other API of their provider. */
import type { ServerResponse } from 'node:http';
import type { ReceivedRequest, Reply } from '../support/upstream/upstream.js';
import { json } from '../support/upstream/replies.js';
import { payloadsOf, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });
afterEach(async () => expect(await relay.unexplained()).toEqual([]));

type Json = Record<string, unknown>;

interface Alternative {
  readonly type: number;
  readonly other?: string;
  /** The paths of a whole response and of a stream. */
  readonly paths: readonly [string, string];
  /** The names of all fields that the API has in a request; it refuses others. */
  readonly fields: readonly string[];
  readonly sent: Json;
  readonly whole: Json;
  readonly stream: readonly unknown[];
  readonly frames: 'lines' | 'events';
}

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];
const dashScope = (message: Json, reason: string, more: Json = {}): Json => ({
  request_id: 'r',
  output: { choices: [{ message: { role: 'assistant', ...message }, finish_reason: reason }] },
  usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
  ...more,
});
const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'hi' },
];
/** Tokens of these messages as they are counted here: each with 3 tokens, and 3 of the response. */
const countedPrompt = 15;
const run = '/client/v4/accounts/account/ai/run/model-x';

/** Fields by the references of the providers, November 2026. */
const alternatives: Readonly<Record<string, Alternative>> = {
  Ollama: {
    type: 4,
    paths: ['/api/chat', '/api/chat'],
    // docs.ollama.com/api/chat
    fields: ['model', 'messages', 'tools', 'think', 'format', 'options', 'stream', 'keep_alive'],
    sent: { model: 'model-x', messages, options: { num_predict: 9, temperature: 0.5 } },
    whole: {
      model: 'model-x',
      message: { role: 'assistant', content: 'Hello' },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 7,
      eval_count: 3,
    },
    stream: [
      { model: 'model-x', message: { role: 'assistant', content: 'Hel' }, done: false },
      { model: 'model-x', message: { role: 'assistant', content: 'lo' }, done: false },
      {
        model: 'model-x',
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: 'stop',
        prompt_eval_count: 7,
        eval_count: 3,
      },
    ],
    frames: 'lines',
  },
  DashScope: {
    type: 17,
    paths: ['/api/v1/services/aigc/text-generation/generation', '/api/v1/services/aigc/text-generation/generation'],
    // help.aliyun.com/zh/model-studio/qwen-api-via-dashscope
    fields: ['model', 'input', 'parameters'],
    sent: { model: 'model-x', input: { messages }, parameters: { max_tokens: 9, result_format: 'message' } },
    whole: dashScope({ content: 'Hello' }, 'stop'),
    stream: [
      dashScope({ content: 'Hel' }, 'null'),
      dashScope({ content: 'lo' }, 'null'),
      dashScope({ content: '' }, 'stop'),
    ],
    frames: 'events',
  },
  Cohere: {
    type: 34,
    paths: ['/v1/chat', '/v1/chat'],
    // docs.cohere.com/v1/reference/chat
    fields: [
      ...['model', 'message', 'preamble', 'chat_history', 'stream', 'max_tokens', 'temperature', 'p', 'k', 'seed'],
      ...['stop_sequences', 'frequency_penalty', 'presence_penalty'],
    ],
    sent: { model: 'model-x', message: 'hi', preamble: 'Be brief.', max_tokens: 9, temperature: 0.5 },
    whole: {
      response_id: 'r',
      text: 'Hello',
      finish_reason: 'COMPLETE',
      meta: { billed_units: { input_tokens: 7, output_tokens: 3 } },
    },
    stream: [
      { is_finished: false, event_type: 'stream-start' },
      { is_finished: false, event_type: 'text-generation', text: 'Hel' },
      { is_finished: false, event_type: 'text-generation', text: 'lo' },
      {
        is_finished: true,
        event_type: 'stream-end',
        finish_reason: 'COMPLETE',
        response: { meta: { billed_units: { input_tokens: 7, output_tokens: 3 } } },
      },
    ],
    frames: 'lines',
  },
  MiniMax: {
    type: 35,
    paths: ['/v1/chat/completions', '/v1/chat/completions'],
    fields: ['model', 'messages', 'stream', 'stream_options', 'max_tokens', 'temperature', 'tools'],
    sent: { model: 'model-x', messages },
    whole: {
      id: 'r',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    },
    stream: [
      { id: 'r', choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }] },
      { id: 'r', choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } },
      '[DONE]',
    ],
    frames: 'events',
  },
  Cloudflare: {
    type: 39,
    other: 'account',
    paths: [run, run],
    // developers.cloudflare.com/workers-ai/models, schema of text generation; the model is a part of the path.
    fields: ['model', 'messages', 'stream', 'max_tokens', 'temperature', 'top_p', 'top_k', 'seed'],
    sent: { messages, max_tokens: 9, temperature: 0.5 },
    whole: {
      result: { response: 'Hello', usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } },
      success: true,
    },
    stream: [
      { response: 'Hel', p: 'x' },
      { response: 'lo' },
      { response: '', usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } },
      '[DONE]',
    ],
    frames: 'events',
  },
  Gemini: {
    type: 24,
    other: 'v1',
    paths: ['/v1/models/model-x:generateContent', '/v1/models/model-x:streamGenerateContent'],
    // `v1` refuses `systemInstruction` and `tools` (yym68686/uni-api#47, November 2024; fishjar/kiss-translator#256, August 2025).
    fields: ['contents', 'generationConfig', 'safetySettings'],
    sent: {
      contents: [{ role: 'user', parts: [{ text: 'Be brief.' }, { text: 'hi' }] }],
      generationConfig: { maxOutputTokens: 9, temperature: 0.5 },
    },
    whole: {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
    },
    stream: [
      { candidates: [{ content: { role: 'model', parts: [{ text: 'Hel' }] } }] },
      {
        candidates: [{ content: { role: 'model', parts: [{ text: 'lo' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
      },
    ],
    frames: 'events',
  },
};

const isStream = ({ path, headers, body }: ReceivedRequest): boolean =>
  path.includes('stream') || headers['x-dashscope-sse'] === 'enable' || (body as Json)['stream'] === true;

function writeStream(response: ServerResponse, { frames, stream }: Alternative): void {
  response.writeHead(200, { 'content-type': frames === 'lines' ? 'application/x-ndjson' : 'text/event-stream' });
  for (const each of stream) {
    const text = typeof each === 'string' ? each : JSON.stringify(each);
    response.write(frames === 'lines' ? `${text}\n` : `data: ${text}\n\n`);
  }
  response.end();
}

/** A provider that refuses paths and fields that it does not have. */
const strict =
  (api: Alternative): Reply =>
  (response, request) => {
    const path = request.path.split('?', 1)[0];
    if (path !== api.paths[isStream(request) ? 1 : 0]) return json({ error: `no ${path}` }, 404)(response, request);
    const strange = Object.keys(request.body as Json).filter((name) => !api.fields.includes(name));
    if (strange.length > 0) return json({ error: { message: `Unknown name "${strange[0]}"` } }, 400)(response, request);
    return isStream(request) ? writeStream(response, api) : json(api.whole)(response, request);
  };

const setting = '{"chat_upstream":"alternative"}';
const body = (more: Json = {}): Json => ({ model: 'model-x', messages, max_tokens: 9, temperature: 0.5, ...more });

describe.each(Object.entries(alternatives))('%s', (name, api) => {
  const open = async () => {
    await relay.addChannel({
      type: api.type,
      models: 'model-x',
      ...(api.other === undefined ? {} : { other: api.other }),
      ...(name === 'Gemini' ? {} : { setting }),
    });
    relay.upstream.script({}, strict(api));
    return relay.addToken();
  };

  it('serves a whole response at its other path, and charges its usage', async () => {
    const { key, userId } = await open();
    const response = await relay.chat(key, body());
    expect([response.status, ((await response.json()) as { choices: unknown[] }).choices[0]]).toEqual([
      200,
      expect.objectContaining({ message: expect.objectContaining({ content: 'Hello' }), finish_reason: 'stop' }),
    ]);
    expect(relay.upstream.requests[0]?.body).toMatchObject(api.sent);
    const [row] = await relay.logsOf(userId, 1);
    expect([row?.prompt_tokens, row?.completion_tokens]).toEqual([7, 3]);
  });

  it('streams', async () => {
    const { key, userId } = await open();
    const response = await relay.chat(key, body({ stream: true, stream_options: { include_usage: true } }));
    const payloads = payloadsOf(await response.text());
    expect(payloads.at(-1)).toBe('[DONE]');
    const chunks = payloads
      .slice(0, -1)
      .map((each) => JSON.parse(each) as { choices: Array<{ delta: { content?: string }; finish_reason: unknown }> });
    const choices = chunks.flatMap((chunk) => chunk.choices);
    expect(choices.map(({ delta }) => delta.content ?? '').join('')).toBe('Hello');
    expect(choices.filter(({ finish_reason: reason }) => reason).map(({ finish_reason: reason }) => reason)).toEqual([
      'stop',
    ]);
    const [row] = await relay.logsOf(userId, 1);
    expect([row?.prompt_tokens, row?.completion_tokens]).toEqual([7, 3]);
  });

  it.each([false, true])('counts a prompt that is reported as 0 or not at all: stream %s', async (stream) => {
    // github.com/ollama/ollama/issues/2068 and 5370, 2024: a cached prompt is omitted, or 0 in the compatible API.
    const text = JSON.stringify(api)
      .replaceAll('"prompt_eval_count":7,', '')
      .replaceAll(/("(?:input_tokens|prompt_tokens|promptTokenCount)":)7/g, '$10')
      .replaceAll(/("(?:total_tokens|totalTokenCount)":)10/g, '$13');
    const { key, userId } = await open();
    relay.upstream.script({}, strict(JSON.parse(text) as Alternative));
    expect((await (await relay.chat(key, body({ stream }))).text()).length).toBeGreaterThan(0);
    const [row] = await relay.logsOf(userId, 1);
    expect([row?.prompt_tokens, row?.completion_tokens]).toEqual([countedPrompt, 3]);
  });

  it('serves clients of Messages', async () => {
    const { key } = await open();
    const response = await relay.post('/v1/messages', key, {
      model: 'model-x',
      max_tokens: 9,
      system: 'Be brief.',
      messages: userMessage('hi'),
    });
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ content: [{ type: 'text', text: 'Hello' }], stop_reason: 'end_turn' }),
    ]);
  });
});

describe('a call that the other API cannot express', () => {
  it.each([
    ['Cohere', 34, '', '/v2/chat'],
    ['Cloudflare', 39, 'account', '/client/v4/accounts/account/ai/v1/chat/completions'],
    ['Gemini', 24, 'v1', '/v1beta/models/model-x:generateContent'],
  ])('goes to the usual one: tools at %s', async (_name, type, other, path) => {
    await relay.addChannel({ type, models: 'model-x', other, ...(type === 24 ? {} : { setting }) });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json({ error: { message: 'reached' } }, 400));
    await relay.chat(key, body({ tools }));
    expect(relay.upstream.requests.map((request) => request.path)).toEqual([path]);
  });

  it('goes to the usual one: images at DashScope', async () => {
    await relay.addChannel({ type: 17, models: 'model-x', setting });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json({ error: { message: 'reached' } }, 400));
    const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }];
    await relay.chat(key, body({ messages: [{ role: 'user', content }] }));
    expect(relay.upstream.requests.map((request) => request.path)).toEqual(['/compatible-mode/v1/chat/completions']);
  });
});

it('tools are called over the own APIs of DashScope and Ollama', async () => {
  const call = { function: { name: 'look', arguments: { at: 1 } } };
  await relay.addChannel({ type: 4, models: 'model-x', setting });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json({ message: { role: 'assistant', content: '', tool_calls: [call] }, done: true }));
  const ollama = await relay.chat(key, body({ tools }));
  const [choice] = ((await ollama.json()) as { choices: Array<{ message: Json; finish_reason: string }> }).choices;
  expect([choice?.finish_reason, choice?.message['tool_calls']]).toEqual([
    'tool_calls',
    [expect.objectContaining({ type: 'function', function: { name: 'look', arguments: '{"at":1}' } })],
  ]);

  const [{ id } = { id: '' }] = choice?.message['tool_calls'] as Array<{ id: string }>;
  const history = [...messages, choice?.message, { role: 'tool', tool_call_id: id, content: 'seen' }];
  await relay.chat(key, body({ messages: history, tools }));
  const again = relay.upstream.requests.at(-1)?.body as { messages: Json[] };
  expect(again.messages.slice(2)).toEqual([
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', content: 'seen', tool_name: 'look' },
  ]);

  await relay.clearChannels();
  await relay.addChannel({ type: 17, models: 'model-x', setting });
  const called = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };
  relay.upstream.script({}, json(dashScope({ content: '', tool_calls: [called] }, 'tool_calls')));
  const ali = await relay.chat(key, body({ tools }));
  expect(((await ali.json()) as { choices: unknown[] }).choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: { tool_calls: [called] },
  });
  expect((relay.upstream.requests.at(-1)?.body as { parameters: Json }).parameters['tools']).toEqual(tools);
});

it('the cached tokens of Ollama are a part of its prompt', async () => {
  await relay.addChannel({ type: 4, models: 'model-x', setting });
  const { key, userId } = await relay.addToken();
  const message = { role: 'assistant', content: 'Hello' };
  // docs.ollama.com/api/chat, November 2026
  const counts = { prompt_eval_count: 7, prompt_eval_cached_count: 5, eval_count: 3 };
  relay.upstream.script({}, json({ message, done: true, ...counts }));
  await (await relay.chat(key, body())).text();
  const [row] = await relay.logsOf(userId, 1);
  expect([row?.prompt_tokens, row?.other]).toEqual([7, expect.objectContaining({ cache_tokens: 5 })]);
});

it('an error of DashScope keeps its status and message', async () => {
  await relay.addChannel({ type: 17, models: 'model-x', setting });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json({ code: 'InvalidParameter', message: 'bad range', request_id: 'r' }, 400));
  const response = await relay.chat(key, body());
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('bad range')]);
});

import type { ChatRequest } from '../contract.js';
import type { Target } from '../target.js';
import { UpstreamError } from '../errors/upstream-error.js';
import { TextMeter } from '../../gateway/reserve/metering/text-meter.js';
import { zhipuToken } from './zhipu/token.js';
import { adapters, targetFor, targetOfRow } from '../../../../tests/support/relay-dialects.js';

/* Differences of single members of the OpenAI family, beyond the fixtures. */

type Json = Record<string, unknown>;
const hi = [{ role: 'user', content: 'hi' }];

const targetOf = (type: number, more: Partial<Target> = {}): Target =>
  targetFor({
    type,
    createdAt: new Date('2025-06-15T15:06:40Z'),
    upstreamModel: 'm',
    requestedModel: 'm',
    now: 1_718_700_000_000,
    ...more,
  });

function requestOf(body: Json, path = '/v1/chat/completions'): ChatRequest {
  const whole = { model: 'm', messages: hi, ...body };
  return {
    path,
    body: whole,
    rawBody: Buffer.from(JSON.stringify(whole)),
    stream: body['stream'] === true,
    wantsUsage: false,
  };
}

function send(type: number, body: Json = {}, more: Partial<Target> = {}, path?: string) {
  const upstreamModel = typeof body['model'] === 'string' ? body['model'] : 'm';
  const sent = adapters[type]?.chat?.toUpstreamRequest(
    requestOf(body, path),
    targetOf(type, { upstreamModel, ...more }),
  );
  if (!sent) throw new Error('no chat');
  return { ...sent, json: JSON.parse(String(sent.body)) as Json };
}

function read(type: number, answer: Json): Json {
  const read = adapters[type]?.chat?.fromUpstreamResponse(Buffer.from(JSON.stringify(answer)), targetOf(type));
  return JSON.parse(String(read?.body)) as Json;
}

function play(type: number, text: string) {
  const stream = adapters[type]?.chat?.openStream(requestOf({ stream: true }), targetOf(type), new TextMeter('m', 0));
  if (!stream) throw new Error('no stream');
  const out = String(stream.push(Buffer.from(text)) ?? '') + String(stream.end() ?? '');
  return { stream, out };
}

const refusalOf = (act: () => unknown): UpstreamError => {
  try {
    act();
  } catch (error) {
    if (error instanceof UpstreamError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('Azure', () => {
  const base = { baseUrl: 'https://res.openai.azure.com' };

  it.each([
    ['keeps the dots of later channels', {}, 'deployments/gpt-4.1/chat/completions?api-version=2024-12-01-preview'],
    [
      'drops the dots of early ones',
      { createdAt: new Date('2025-05-09T23:59:59Z') },
      'deployments/gpt-41/chat/completions?api-version=2024-12-01-preview',
    ],
    [
      'takes the version of the channel',
      { other: '2025-01-01' },
      'deployments/gpt-4.1/chat/completions?api-version=2025-01-01',
    ],
    ['or of the site', { azureVersion: '2025-06-01' }, 'deployments/gpt-4.1/chat/completions?api-version=2025-06-01'],
    ['knows the newer surface', { other: 'v1' }, 'v1/chat/completions'],
  ])('%s', (_name, more, path) => {
    expect(send(3, { model: 'gpt-4.1' }, { ...base, ...more }).url).toBe(`${base.baseUrl}/openai/${path}`);
  });

  it('lets the client choose the version, and sends nothing else of its query', () => {
    const sent = send(3, { model: 'd' }, { ...base, other: 'v1' }, '/v1/chat/completions?api-version=X&key=sk-client');
    expect(sent.url).toBe(`${base.baseUrl}/openai/deployments/d/chat/completions?api-version=X`);
  });

  it('goes through Cloudflare by its own path', () => {
    const baseUrl = 'https://gateway.ai.cloudflare.com/v1/acct/gw/azure-openai/res';
    expect(send(3, { model: 'd' }, { baseUrl }).url).toBe(
      `${baseUrl}/d/chat/completions?api-version=2024-12-01-preview`,
    );
  });

  it('forwards the filter results that open a stream', () => {
    const prelude = 'data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}\n\n';
    expect(play(3, prelude).out).toBe(prelude);
  });
});

describe('DeepSeek', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const told = `Respond with one JSON object that follows this JSON schema:\n${JSON.stringify(schema)}`;
  const ask = { role: 'user', content: 'hi' };
  const asked = (json_schema: Json, messages: Json[] = [ask]): Json =>
    send(43, { messages, response_format: { type: 'json_schema', json_schema } }).json;

  it('is told a schema that it cannot be held to', () => {
    expect(asked({ name: 'o', schema })).toMatchObject({
      response_format: { type: 'json_object' },
      messages: [{ role: 'system', content: told }, ask],
    });
    const parts = [{ type: 'text', text: 'Be kind' }];
    expect(asked({ name: 'o', schema }, [{ role: 'system', content: parts }, ask])['messages']).toEqual([
      { role: 'system', content: [...parts, { type: 'text', text: told }] },
      ask,
    ]);
    expect(
      asked({ name: 'o', schema, description: 'A letter' }, [{ role: 'system', content: 'Be kind' }, ask])['messages'],
    ).toEqual([{ role: 'system', content: `Be kind\n\nA letter\n\n${told}` }, ask]);
  });

  const tools = [{ type: 'function', function: { name: 'f' } }];
  const named = { type: 'function', function: { name: 'f' } };
  const off = { type: 'disabled' };

  it.each([
    [{ tools, tool_choice: 'required' }, off, undefined, undefined],
    [{ tools, tool_choice: named }, off, undefined, undefined],
    [{ tools, tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required' } } }, off, undefined, undefined],
    [{ tools, tool_choice: named, reasoning_effort: 'high' }, off, undefined, ['reasoning_effort']],
    [{ reasoning_effort: 'none' }, off, undefined, undefined],
    [{ tools, tool_choice: named, thinking: { type: 'enabled' } }, { type: 'enabled' }, undefined, undefined],
    [{ tools, tool_choice: 'auto', reasoning_effort: 'high' }, undefined, 'high', undefined],
    [
      { tools, tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto' } } },
      undefined,
      undefined,
      undefined,
    ],
    [{ tool_choice: 'required' }, undefined, undefined, undefined],
    [{ tools: [], tool_choice: 'required' }, undefined, undefined, undefined],
  ])(
    'does not think where it must call a tool, which it refuses while it thinks: %j',
    (body, thinking, effort, left) => {
      const { json, dropped } = send(43, { messages: [ask], ...body });
      expect([json['thinking'], json['reasoning_effort'], dropped]).toEqual([thinking, effort, left]);
    },
  );

  it.each([{ type: 'json_object' }, { type: 'text' }, { type: 'json_schema' }, null])(
    'gets other formats as they are: %j',
    (response_format) => {
      expect(send(43, { messages: [ask], response_format }).json).toMatchObject({ messages: [ask], response_format });
    },
  );
});

describe('Mistral', () => {
  it('gives long call ids nine letters and digits, the same on both sides, and leaves good ones alone', () => {
    const call = (id: string): Json => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
    const { json } = send(42, {
      messages: [
        { role: 'assistant', content: null, tool_calls: [call('call_0123456789abcdef'), call('abcDEF123')] },
        { role: 'tool', tool_call_id: 'call_0123456789abcdef', content: '1' },
      ],
    });
    const [asked, told] = json['messages'] as [Json, Json];
    const ids = (asked['tool_calls'] as Json[]).map((each) => each['id']);
    expect(ids).toEqual([expect.stringMatching(/^[a-z0-9]{9}$/), 'abcDEF123']);
    expect(told['tool_call_id']).toBe(ids[0]);
    expect(asked).not.toHaveProperty('content');
  });

  it('names seed and limit as it knows them and keeps the rest', () => {
    const { json } = send(42, { seed: 7, max_completion_tokens: 5, n: 2, presence_penalty: 0, brand_new: 1 });
    expect(json).toMatchObject({ random_seed: 7, max_tokens: 5, n: 2, presence_penalty: 0, brand_new: 1 });
    expect(json).not.toHaveProperty('seed');
  });

  it('gets empty parameters of functions without any', () => {
    const parameters = { type: 'object', properties: { a: {} } };
    const tools = [
      { type: 'function', function: { name: 'f' } },
      { type: 'function', function: { name: 'g', parameters } },
      { type: 'web_search' },
    ];
    expect(send(42, { tools }).json).toMatchObject({
      tools: [
        { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
        ...tools.slice(1),
      ],
    });
  });

  it('ends for length when the model is full, and fails on its own form of errors', () => {
    const { out } = play(42, 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"model_length"}]}\n\n');
    expect(out).toContain('"finish_reason":"length"');
    const { stream } = play(42, 'data: {"object":"error","message":"overloaded","type":"busy","code":3505}\n\n');
    expect(stream.failure).toMatchObject({ status: 502, detail: { message: 'overloaded', code: 3505 } });
  });
});

describe('Alibaba', () => {
  it.each([
    [{ top_p: 1 }, { top_p: 0.999 }],
    [{ top_p: 0 }, { top_p: 0.001 }],
    [{ top_p: 0.5 }, { top_p: 0.5 }],
  ])('keeps top_p inside its range: %j', (given, sent) => {
    expect(send(17, given).json).toMatchObject(sent);
    expect(send(17).json).not.toHaveProperty('top_p');
  });

  it('searches for names that end so', () => {
    const sent = send(17, { model: 'qwen-max-internet' });
    expect(sent.json).toMatchObject({ model: 'qwen-max', enable_search: true });
    expect(sent).toMatchObject({ upstreamModel: 'qwen-max' });
  });

  it('says which plugin and that it streams', () => {
    const sent = send(17, { stream: true }, { other: 'search' });
    expect(sent.url).toBe('https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions');
    expect(sent.headers).toMatchObject({ 'x-dashscope-sse': 'enable', 'x-dashscope-plugin': 'search' });
    expect(send(17).headers).not.toHaveProperty('x-dashscope-sse');
  });
});

describe('Zhipu', () => {
  it('F53: signs a token of the key', () => {
    expect(zhipuToken('abc123.secretXYZ', 1_718_700_000_000)).toBe(
      'eyJhbGciOiJIUzI1NiIsInNpZ25fdHlwZSI6IlNJR04ifQ.eyJhcGlfa2V5IjoiYWJjMTIzIiwiZXhwIjoxNzE4Nzg2NDAwMDAwLCJ0aW1lc3RhbXAiOjE3MTg3MDAwMDAwMDB9.VZ6Pdo4STH_fCHtk5DaGSlDM7VidoepN4Jh8zsiJiys',
    );
  });

  it('F55: takes one stop, and images as they are', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
    const sent = send(26, { stop: 'A', top_p: 1, messages: [{ role: 'user', content: [image] }] }, { key: 'a.b' });
    expect(sent.url).toBe('https://open.bigmodel.cn/api/paas/v4/chat/completions');
    expect(sent.json).toMatchObject({ stop: ['A'], top_p: 0.99, messages: [{ content: [image] }] });
    expect(send(26, { stop: ['A'] }, { key: 'a.b' }).json['stop']).toEqual(['A']);
  });

  it('sends a key of one piece as it is, and refuses one of three', () => {
    expect(send(26, {}, { key: 'whole' }).headers['authorization']).toBe('Bearer whole');
    expect(() => send(26, {}, { key: 'a.b.c' })).toThrow('id.secret');
  });
});

describe('xAI', () => {
  it.each([
    ['grok-4.20-0309-reasoning', { reasoning_effort: 'low' }, {}],
    ['grok-3-mini', { stop: ['x'], presence_penalty: 1 }, {}],
    ['grok-3', { stop: ['x'] }, { stop: ['x'] }],
    ['grok-code-fast-1', { stop: ['x'], presence_penalty: 1 }, {}],
    ['grok-4.3', { reasoning_effort: 'low' }, { reasoning_effort: 'low' }],
    ['grok-4.20-multi-agent-0309', { reasoning_effort: 'low' }, { reasoning_effort: 'low' }],
    ['grok-3-mini-fast', { reasoning_effort: 'low' }, { reasoning_effort: 'low' }],
  ])('%s gets what it takes', (model, given, left) => {
    const { json } = send(48, { model, ...given });
    expect(json).toEqual({ model, messages: hi, ...left });
  });

  it.each(['grok-4', 'grok-4-0709', 'grok-4-latest', 'grok-4-1-fast-reasoning', 'grok-code-fast-1', 'grok-3'])(
    '%s refuses an effort, which the client is told',
    (model) => {
      const { json, dropped } = send(48, { model, reasoning_effort: 'low' });
      expect([json, dropped]).toEqual([{ model, messages: hi }, ['reasoning_effort']]);
    },
  );

  it('reads errors that are plain text', () => {
    expect(refusalOf(() => read(48, { code: 'x', error: 'no credits' })).message).toBe('no credits');
  });
});

describe('MiniMax', () => {
  it.each([
    [1002, 429],
    [1004, 401],
    [1008, 402],
    [2013, 400],
    [1013, 502],
  ])('code %i is status %i', (code, status) => {
    const answer = { base_resp: { status_code: code, status_msg: 'no' } };
    expect(refusalOf(() => read(35, answer))).toMatchObject({ status, detail: { message: 'no', code } });
    expect(play(35, `data: ${JSON.stringify(answer)}\n\n`).stream.failure).toMatchObject({ status });
  });

  it('a code of 0 is none', () => {
    expect(read(35, { choices: [], base_resp: { status_code: 0, status_msg: '' } })).toMatchObject({ choices: [] });
  });
});

it('DeepSeek that ran out of resources is an error to try elsewhere', () => {
  const choices = [{ index: 0, delta: {}, finish_reason: 'insufficient_system_resource' }];
  expect(refusalOf(() => read(43, { choices }))).toMatchObject({ status: 503 });
  expect(play(43, `data: ${JSON.stringify({ choices })}\n\n`).stream.failure).toMatchObject({ status: 503 });
});

it('Volcano counts what the models of a bot took', () => {
  const usage = read(45, {
    choices: [],
    bot_usage: {
      model_usage: [
        { prompt_tokens: 3, completion_tokens: 2 },
        { prompt_tokens: 4, completion_tokens: 1 },
      ],
    },
  });
  expect(usage).toMatchObject({ usage: { prompt_tokens: 7, completion_tokens: 3 }, bot_usage: {} });
});

it('Ollama shows its thoughts under the name clients know', () => {
  const { out } = play(4, 'data: {"choices":[{"index":0,"delta":{"reasoning":"hm"}}]}\n\n');
  expect(JSON.parse(out.slice('data: '.length))).toMatchObject({ choices: [{ delta: { reasoning_content: 'hm' } }] });
  expect(read(4, { choices: [{ message: { thinking: 'hm', content: 'a' } }] })).toEqual({
    choices: [{ message: { content: 'a', reasoning_content: 'hm' } }],
  });
});

it.each([4, 47])('type %i without a key sends none', (type) => {
  const baseUrl = 'http://localhost:1';
  expect(send(type, {}, { key: '', baseUrl }).headers).not.toHaveProperty('authorization');
  expect(send(type, {}, { key: 'k', baseUrl }).headers['authorization']).toBe('Bearer k');
});

it('Baidu takes an application beside the key', () => {
  expect(send(46, {}, { key: 'k | app' }).headers).toMatchObject({ authorization: 'Bearer k', appid: 'app' });
});

it('FastGPT passes its own fields on and forwards only what is an answer', () => {
  expect(send(22, { chatId: '7', variables: { a: 1 }, detail: true }).json).toMatchObject({
    chatId: '7',
    detail: true,
  });
  const chunk = '{"choices":[{"index":0,"delta":{"content":"a"}}]}';
  const { out } = play(22, `event: flowNodeStatus\ndata: {"status":"running"}\n\nevent: answer\ndata: ${chunk}\n\n`);
  expect(out).toBe(`data: ${chunk}\n\n`);
});

it('Cloudflare needs to know whose account it is', () => {
  expect(() => send(39)).toThrow('account');
  expect(send(39, {}, { other: 'acct1' }).url).toBe(
    'https://api.cloudflare.com/client/v4/accounts/acct1/ai/v1/chat/completions',
  );
});

it.each([
  [3, 'https://res.openai.azure.com', 'https://res.openai.azure.com/openai/v1/responses'],
  [45, '', 'https://ark.cn-beijing.volces.com/api/v3/responses'],
  [48, '', 'https://api.x.ai/v1/responses'],
])('type %i speaks Responses itself', (type, baseUrl, url) => {
  const body = { model: 'm', input: 'hi', store: false, stream: true };
  const request = {
    ...requestOf({}),
    path: '/v1/responses',
    body,
    rawBody: Buffer.from(JSON.stringify(body)),
    stream: true,
  };
  const sent = adapters[type]?.responses?.toUpstreamRequest(request, targetOf(type, targetOfRow(type, baseUrl)));
  expect(sent?.url).toBe(url);
  expect(JSON.parse(String(sent?.body))).toEqual(body);
});

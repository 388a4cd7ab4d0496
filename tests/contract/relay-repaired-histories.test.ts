/** Histories that clients cannot change any more and that providers refuse. The relay repairs them. */
import { json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

type Json = Record<string, unknown>;
const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

const completion = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
};
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'end_turn',
  content: [{ type: 'text', text: 'Hello' }],
  usage: { input_tokens: 10, output_tokens: 2 },
};
const contents = {
  candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'Hello' }] } }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
};

/** Creates a provider that refuses some bodies, with the error messages of the real provider. */
const strictly =
  (answer: Json, refuse: (body: Json) => string | null): Reply =>
  (response, { body }) => {
    const text = refuse(body ?? {});
    return json(text === null ? answer : { error: { message: text } }, text === null ? 200 : 400)(response, {
      body,
    } as never);
  };

const isObject = (text: unknown): boolean => {
  try {
    return typeof text === 'string' && typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
};

async function served(channel: Parameters<RelayHarness['addChannel']>[0], provider: Reply, path: string, body: Json) {
  await relay.addChannel(channel);
  const { key } = await relay.addToken();
  relay.upstream.script({}, provider);
  const response = await relay.post(path, key, body);
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello')]);
  const sent = relay.upstream.requests.at(-1)?.body ?? {};
  return { sent, dropped: response.headers.get('x-tollgate-dropped') ?? '', asked: relay.upstream.requests.length };
}

describe('a call that the output limit cut off within its arguments', () => {
  const broken = '{"command":"ls';
  const chatTurns = (model: string): Json => ({
    model,
    messages: [
      ...userMessage('hi'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: broken } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'bad arguments' },
    ],
  });
  const responsesTurns = (model: string): Json => ({
    model,
    input: [
      { role: 'user', content: 'hi' },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: broken },
      { type: 'function_call_output', call_id: 'call_1', output: 'bad arguments' },
    ],
  });
  // vLLM, MiniMax-AI/cli#235 and DeepSeek (kimi-cli#1171, oh-my-pi#11104; seen until November 2026).
  const refusesBroken = strictly(completion, ({ messages }) =>
    list(messages)
      .flatMap(({ tool_calls: calls }) => list(calls))
      .every(({ function: called }) => isObject((called as Json)['arguments']))
      ? null
      : 'Expecting property name enclosed in double quotes: invalid function arguments json string',
  );

  it.each([
    ['Anthropic', 14, strictly(message, () => null)],
    ['Gemini', 24, strictly(contents, () => null)],
    ['DeepSeek', 43, refusesBroken],
    ['Mistral', 42, refusesBroken],
    ['vLLM', 62, refusesBroken],
  ])('does not end the session at %s', async (_name, type, provider) => {
    const channel = { type, models: 'm' };
    const { sent, dropped } = await served(channel, provider, '/v1/chat/completions', chatTurns('m'));
    expect(JSON.stringify(sent)).toContain('INVALID_JSON');
    expect(dropped).toContain('arguments');
    if (type === 62) return;
    const again = await served(channel, provider, '/v1/responses', responsesTurns('m'));
    expect(again.dropped).toContain('arguments');
  });

  it('is an incomplete item for a client of Responses, streamed or not', async () => {
    const choice = {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: broken } }],
      },
      finish_reason: 'length',
    };
    await relay.addChannel({ type: 43, models: 'm' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json({ ...completion, choices: [choice] }));
    const ask = (stream: boolean) => relay.post('/v1/responses', key, { model: 'm', input: 'hi', stream });
    const whole = (await (await ask(false)).json()) as Json;
    expect([whole['status'], list(whole['output'])[0]]).toEqual([
      'incomplete',
      expect.objectContaining({ type: 'function_call', arguments: broken, status: 'incomplete' }),
    ]);
    const streamed = await (await ask(true)).text();
    const last = streamed.split('\n').findLast((line) => line.startsWith('data: {')) ?? '';
    const response = (JSON.parse(last.slice(6)) as { response: Json }).response;
    expect(list(response['output'])[0]).toMatchObject({ type: 'function_call', status: 'incomplete' });
  });
});

describe('a blank turn', () => {
  // Anthropic refuses blank texts, which models write before calls of tools (LibreChat-AI/agents#124).
  const isBlank = (block: Json): boolean => block['type'] === 'text' && String(block['text']).trim() === '';
  const refusesBlank = strictly(message, ({ messages, system }) =>
    [...list(system), ...list(messages).flatMap(({ content }) => list(content))].some(isBlank) ||
    list(messages).some(({ content }) => typeof content === 'string' && content.trim() === '')
      ? 'messages: text content blocks must contain non-whitespace text'
      : null,
  );
  it.each([14, 33])('does not end a chat client’s session at Claude, type %i', async (type) => {
    const channel = { type, models: 'claude-sonnet-4-5', ...(type === 33 ? { key: 'AK|SK|us-east-1' } : {}) };
    await served(channel, refusesBlank, '/v1/chat/completions', {
      model: 'claude-sonnet-4-5',
      messages: [
        { role: 'system', content: [{ type: 'text', text: '\n', cache_control: { type: 'ephemeral' } }] },
        ...userMessage('hi'),
        { role: 'assistant', content: '\n\n' },
        ...userMessage('go on'),
      ],
    });
  });

  it('does not end a session of Claude’s own dialect', async () => {
    await served({ type: 14, models: 'claude-sonnet-4-5' }, refusesBlank, '/v1/messages', {
      model: 'claude-sonnet-4-5',
      max_tokens: 10,
      messages: [
        ...userMessage('hi'),
        { role: 'assistant', content: [{ type: 'text', text: '\n\n' }] },
        ...userMessage('go on'),
      ],
    });
  });
});

describe('a user who speaks after the result of a tool', () => {
  // mistral-common#169, zed#37021: code 3230.
  const refusesUser = strictly(completion, ({ messages }) =>
    list(messages).some(({ role }, index, all) => role === 'user' && all[index - 1]?.['role'] === 'tool')
      ? "Unexpected role 'user' after role 'tool'"
      : null,
  );
  const turns = {
    max_tokens: 10,
    messages: [
      ...userMessage('hi'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'seen' },
          { type: 'text', text: '<system-reminder>todo</system-reminder>' },
        ],
      },
    ],
  };
  it.each([
    ['Mistral', 42, 'mistral-large-latest', 1],
    ['a custom address', 8, 'devstral', 2],
    ['OpenRouter', 20, 'mistralai/mistral-large', 2],
  ])('is served at %s', async (_name, type, model, asked) => {
    const baseUrl = type === 8 ? `${relay.upstream.url}/v1/chat/completions` : relay.upstream.url;
    const result = await served({ type, models: model, baseUrl }, refusesUser, '/v1/messages', { ...turns, model });
    expect(result.asked).toBe(asked);
    expect(list(result.sent['messages']).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });
});

describe('instructions in the middle', () => {
  // The chat template of Qwen refuses these messages (ollama#17774, vllm#41114, Qwen3.8#186).
  const refusesLater = (answer: Json) =>
    strictly(answer, ({ messages }) =>
      list(messages).some(({ role }, index) => role === 'system' && index > 0)
        ? 'System message must be at the beginning.'
        : null,
    );
  const turns = {
    messages: [{ role: 'system', content: 'A' }, ...userMessage('hi'), { role: 'system', content: 'agents: B' }],
  };
  it.each([4, 17, 62, 63])('are words of the user at Qwen, type %i', async (type) => {
    const { sent } = await served({ type, models: 'qwen3.5-max' }, refusesLater(completion), '/v1/chat/completions', {
      model: 'qwen3.5-max',
      ...turns,
    });
    expect(list(sent['messages'])).toEqual([
      turns.messages[0],
      expect.objectContaining({ role: 'user' }),
      { role: 'user', content: '<system-reminder>\nagents: B\n</system-reminder>' },
    ]);
  });

  it('are not the question of a knowledge base that takes one', async () => {
    const library = { success: true, answer: 'Hello', documents: [], errCode: 0, message: '' };
    const { sent, dropped } = await served(
      { type: 21, models: 'm', other: '7' },
      strictly(library, () => null),
      '/v1/chat/completions',
      { model: 'm', ...turns },
    );
    expect({ query: sent['query'], dropped }).toEqual({ query: 'hi', dropped: 'messages' });
  });

  it('are words of the user at a host of Messages that refuses the role', async () => {
    const { sent } = await served({ type: 62, models: 'qwen3.5-max' }, refusesLater(message), '/v1/messages', {
      model: 'qwen3.5-max',
      max_tokens: 10,
      system: 'A',
      messages: [...userMessage('hi'), { role: 'system', content: 'agents: B' }],
    });
    expect(list(sent['messages'])[1]).toMatchObject({ role: 'user' });
  });

  it.each([
    [24, contents, 'systemInstruction', { parts: [{ text: 'A' }] }],
    [14, message, 'system', 'A'],
  ])('leave the beginning of the prompt as it was at type %i', async (type, answer, field, first) => {
    const { sent } = await served(
      { type, models: 'm' },
      strictly(answer, () => null),
      '/v1/chat/completions',
      {
        model: 'm',
        ...turns,
      },
    );
    expect(sent[field]).toEqual(first);
    expect(JSON.stringify(sent)).toContain('<system-reminder>');
  });
});

it('a tool’s result with $ref is plain text for Gemini', async () => {
  // Gemini 3 looks up `$ref` among the parts of a structured result (BerriAI/litellm#38223, vercel/ai#14369).
  const provider = strictly(contents, (body) => {
    const results = list(body['contents']).flatMap(({ parts }) => list(parts));
    const structured = results.map(
      ({ functionResponse }) => (functionResponse as Json | undefined)?.['response'] ?? {},
    );
    return structured.some((each) => JSON.stringify(each).includes('"$ref":'))
      ? 'Request contains an invalid argument: no part with the display name #/$defs/a'
      : null;
  });
  const result = '{"schema":{"$ref":"#/$defs/a"},"$defs":{"a":{"type":"string"}}}';
  const { sent } = await served({ type: 24, models: 'gemini-3-pro' }, provider, '/v1/chat/completions', {
    model: 'gemini-3-pro',
    messages: [
      ...userMessage('hi'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: result },
    ],
  });
  expect(list(list(sent['contents']).at(-1)?.['parts'])[0]).toMatchObject({
    functionResponse: { response: { result } },
  });
});

it.each([
  ['gemini-3-pro', 'parametersJsonSchema'],
  ['gemini-2.5-flash', 'parametersJsonSchema'],
  ['gemini-2.0-flash', 'parameters'],
])('a tool that refers to itself is declared to %s', async (model, field) => {
  const filter = { type: 'object', properties: { and: { type: 'array', items: { $ref: '#/$defs/filter' } } } };
  const parameters = { type: 'object', properties: { where: { $ref: '#/$defs/filter' } }, $defs: { filter } };
  const { sent } = await served(
    { type: 24, models: model },
    strictly(contents, () => null),
    '/v1/chat/completions',
    {
      model,
      messages: userMessage('hi'),
      tools: [{ type: 'function', function: { name: 'find', parameters } }],
    },
  );
  const [declared] = list(list(sent['tools'])[0]?.['functionDeclarations']);
  expect(declared?.[field]).toMatchObject({ type: 'object', properties: { where: expect.anything() as unknown } });
  if (field === 'parameters') expect(JSON.stringify(declared)).not.toContain('$ref');
});

describe('a plain turn of DeepSeek V4', () => {
  // kimi-cli#2141, hermes-agent#15478, routatic/proxy#34 (April and May 2026).
  const wantsThoughts = strictly(completion, ({ messages }) =>
    list(messages).every((each) => each['role'] !== 'assistant' || typeof each['reasoning_content'] === 'string')
      ? null
      : 'The `reasoning_content` in the thinking mode must be passed back to the API.',
  );
  it.each([
    [43, 'deepseek-v4-pro', 1],
    [40, 'deepseek-ai/DeepSeek-V4', 1],
    [8, 'my-v4', 2],
  ])('has thoughts at type %i', async (type, model, asked) => {
    const baseUrl = type === 8 ? `${relay.upstream.url}/v1/chat/completions` : relay.upstream.url;
    const channel = { type, models: model, baseUrl };
    const said = { role: 'assistant', content: 'Hello.' };
    const messages = [...userMessage('hi'), said, ...userMessage('go on')];
    const native = await served(channel, wantsThoughts, '/v1/chat/completions', { model, messages });
    expect(native.asked).toBe(asked);
    await served(channel, wantsThoughts, '/v1/messages', { model, max_tokens: 10, messages });
  });
});

it('thoughts of another maker stay away from OpenAI', async () => {
  // CLIProxyAPI#5713, helm-api#885 (September 2026).
  const response = { id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-5', usage: {} };
  const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }];
  const provider = strictly({ ...response, output }, ({ input }) => {
    const thoughts = list(input).filter(({ type }) => type === 'reasoning');
    if (thoughts.some(({ content }) => list(content).length > 0))
      return "Invalid 'input[1].content': array too long. Expected an array with maximum length 0, but got an array with length 1 instead.";
    return thoughts.some(({ encrypted_content: proof }) => !String(proof).startsWith('gAAAA'))
      ? 'The encrypted content d8b7...-0 could not be verified. Reason: Encrypted content could not be decrypted or parsed.'
      : null;
  });
  const own = { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: `gAAAAABpQx0${'x'.repeat(100)}` };
  const thought = [{ type: 'reasoning_text', text: 'hm' }];
  const foreign = { ...own, id: 'rs_1', content: thought, encrypted_content: 'd8b79690-1f2e-4c2a-9a77-2a1b3c4d5e6f-0' };
  const { sent, asked } = await served({ models: 'gpt-5' }, provider, '/v1/responses', {
    model: 'gpt-5',
    store: false,
    input: [{ role: 'user', content: 'hi' }, foreign, { ...own, content: thought }, { role: 'user', content: 'go on' }],
  });
  expect([asked, list(sent['input'])[1]]).toEqual([1, own]);
});

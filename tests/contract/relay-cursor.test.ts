/**
 * Bodies that Cursor sends to chat completions: bodies of Responses in agent mode, and flat tools (helicone#5629,
 * litellm#34029).
 */
import { flatTools, functionsAtResponses } from '../agents/refused-bodies.js';
import {
  headerBetas,
  openAIRules,
  strictChat,
  strictGemini,
  strictMessages,
  strictResponses,
  type Refuse,
} from '../agents/strict.js';
import { chatCall, events, json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { payloadsOf, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

type Json = Record<string, unknown>;

const schema = { type: 'object', properties: { path: { type: 'string' } } };
const readFile = { type: 'function', name: 'read_file', description: 'Reads', parameters: schema };
const patch = '*** Begin Patch\n*** End Patch';
const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: begin_patch' };
const applyPatch = { type: 'custom', name: 'ApplyPatch', description: 'Edits', format: grammar };

/** Returns the second request of a session in agent mode. */
const agentMode = (model: string, more: Json = {}): Json => ({
  model,
  input: [
    { role: 'system', content: 'You edit code.' },
    { role: 'user', content: [{ type: 'input_text', text: 'go' }] },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'I read it.' }] },
    { type: 'function_call', call_id: 'call_0001', name: 'read_file', arguments: '{"path":"a"}' },
    { type: 'function_call_output', call_id: 'call_0001', output: 'text of a' },
  ],
  tools: [readFile, applyPatch],
  tool_choice: 'auto',
  reasoning: { effort: 'high', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  text: { verbosity: 'low' },
  store: false,
  metadata: { session: 's' },
  ...more,
});

const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const responsesUsage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
const called = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'read_file', arguments: '{"path":"b"}' };
const response = (status: string, output: Json[]): Json => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt-5.6',
  status,
  output,
  usage: responsesUsage,
});
const streamed = (items: readonly Json[]): Reply =>
  events(
    items.map((item) => JSON.stringify(item)),
    { done: false },
  );
const responsesStream = streamed([
  { type: 'response.created', response: response('in_progress', []) },
  { type: 'response.output_item.added', output_index: 0, item: { ...called, arguments: '' } },
  { type: 'response.output_item.done', output_index: 0, item: called },
  { type: 'response.completed', response: response('completed', [called]) },
]);
const chunk = (delta: Json, finish: string | null = null): Json => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const chatStream: Reply = events(
  [
    chunk({
      role: 'assistant',
      tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'read_file', arguments: '{"path":"b"}' } }],
    }),
    chunk({}, 'tool_calls'),
    { id: 'c', choices: [], usage },
  ].map((each) => JSON.stringify(each)),
);
const claudeBlock = { type: 'tool_use', id: 'toolu_9', name: 'read_file', input: { path: 'b' } };
const claudeMessage = { id: 'm', type: 'message', role: 'assistant', model: 'c' };
const claudeWhole = {
  ...claudeMessage,
  stop_reason: 'tool_use',
  content: [claudeBlock],
  usage: { input_tokens: 10, output_tokens: 2 },
};
const claudeStream = streamed([
  { type: 'message_start', message: { ...claudeMessage, content: [], usage: { input_tokens: 10, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { ...claudeBlock, input: {} } },
  { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"path":"b"}' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
]);
const geminiWhole = {
  candidates: [
    {
      index: 0,
      finishReason: 'STOP',
      content: { role: 'model', parts: [{ functionCall: { name: 'read_file', args: { path: 'b' } } }] },
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
};

interface Kind {
  readonly type: number;
  readonly model: string;
  readonly refuse: Refuse;
  readonly whole: Reply;
  readonly stream: Reply;
}

const chatKind = (type: number, model: string): Kind => ({
  type,
  model,
  refuse: strictChat({ ...openAIRules, fields: [...openAIRules.fields, 'thinking'], refuses: [flatTools] }),
  whole: json(chatCall('read_file', '{"path":"b"}')),
  stream: chatStream,
});
const refusesChat = strictChat({ ...openAIRules, refuses: [functionsAtResponses] });
const kinds: Readonly<Record<string, Kind>> = {
  OpenAI: {
    type: 1,
    model: 'gpt-5.6',
    refuse: (request) => (request.path.includes('/responses') ? strictResponses(request) : refusesChat(request)),
    whole: json(response('completed', [called])),
    stream: responsesStream,
  },
  DeepSeek: chatKind(43, 'deepseek-chat'),
  Anthropic: {
    type: 14,
    model: 'claude-sonnet-4-5',
    refuse: strictMessages(headerBetas),
    whole: json(claudeWhole),
    stream: claudeStream,
  },
  Gemini: {
    type: 24,
    model: 'gemini-2.5-flash',
    refuse: strictGemini(),
    whole: json(geminiWhole),
    stream: streamed([geminiWhole]),
  },
};

const scripted =
  ({ refuse, whole, stream }: Kind): Reply =>
  (response, request) => {
    const problem = refuse(request);
    if (problem !== null)
      return json({ error: { message: problem, type: 'invalid_request_error' } }, 400)(response, request);
    const streams = request.stream || request.path.includes('streamGenerateContent');
    return (streams ? stream : whole)(response, request);
  };

describe.each(Object.entries(kinds))('at %s', (_name, kind) => {
  const { type, model } = kind;
  let key: string;
  let userId: number;
  beforeEach(async () => {
    await relay.addChannel({ type, models: model });
    ({ key, userId } = await relay.addToken());
    relay.upstream.script({}, scripted(kind));
  });

  const expected = { type: 'function', function: { name: 'read_file', arguments: expect.stringMatching(/"b"/) } };

  it('an input is answered as chat', async () => {
    const answer = await relay.chat(key, agentMode(model));
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      {
        object: 'chat.completion',
        choices: [{ message: { role: 'assistant', tool_calls: [expected] }, finish_reason: 'tool_calls' }],
      },
    ]);
    expect(JSON.stringify(relay.upstream.requests[0]?.body)).toContain('text of a');
    const [row] = await relay.logsOf(userId, 1);
    expect(row).toMatchObject({ prompt_tokens: 10, completion_tokens: 2 });
  });

  it('an input is answered as chunks', async () => {
    const answer = await relay.chat(key, agentMode(model, { stream: true }));
    const payloads = payloadsOf(await answer.text());
    const chunks = payloads.slice(0, -1).map((text) => JSON.parse(text) as Json);
    expect(answer.status).toBe(200);
    expect(payloads.at(-1)).toBe('[DONE]');
    expect([...new Set(chunks.map(({ object }) => object))]).toEqual(['chat.completion.chunk']);
    const choices = chunks.flatMap((each) => each['choices'] as Json[]);
    const calls = choices.flatMap(({ delta }) => ((delta as Json)['tool_calls'] ?? []) as Json[]);
    expect(calls[0]).toMatchObject({ type: 'function', function: { name: 'read_file' } });
    expect(calls.map((call) => (call['function'] as { arguments?: string }).arguments ?? '').join('')).toBe(
      '{"path":"b"}',
    );
    expect(choices.map(({ finish_reason: reason }) => reason).filter(Boolean)).toEqual(['tool_calls']);
  });

  it.each([
    ['functions', readFile, { type: 'function', name: 'read_file' }],
    ['functions as Messages has them', { name: 'read_file', input_schema: schema }, undefined],
  ])('flat tools beside messages are taken: %s', async (_form, tool, choice) => {
    const body = { model, messages: userMessage('hi'), tools: [tool, applyPatch], tool_choice: choice };
    const answer = await relay.chat(key, body);
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { choices: [{ message: { tool_calls: [expected] } }] },
    ]);
    const sent = JSON.stringify(relay.upstream.requests[0]?.body);
    for (const text of ['read_file', 'path', 'ApplyPatch', 'begin_patch']) expect(sent).toContain(text);
  });
});

describe('the grammar of a tool that takes plain text', () => {
  const { type: _type, ...parts } = grammar;
  const { type, ...described } = applyPatch;
  const nested = { type, custom: { ...described, format: { type: 'grammar', grammar: parts } } };
  const refusesOthers = strictChat({ ...openAIRules, takesCustom: true });
  const openAI = (model: string): Kind => ({ ...kinds['OpenAI']!, model });

  it.each([
    ['a flat tool', (model: string) => ({ model, messages: userMessage('hi'), tools: [readFile, applyPatch] })],
    ['an input', (model: string) => agentMode(model)],
  ])('is nested at chat completions: %s', async (_name, body) => {
    await relay.addChannel({ type: 1, models: 'gpt-4o' });
    const { key } = await relay.addToken();
    relay.upstream.script(
      {},
      scripted({ ...openAI('gpt-4o'), refuse: refusesOthers, whole: json(chatCall('read_file', '{"path":"b"}')) }),
    );
    expect((await relay.chat(key, body('gpt-4o'))).status).toBe(200);
    expect(relay.upstream.requests).toHaveLength(1);
    expect(relay.upstream.requests[0]?.body?.['tools']).toContainEqual(nested);
  });

  it('is flat at Responses', async () => {
    await relay.addChannel({ type: 1, models: 'gpt-5.6' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, scripted(openAI('gpt-5.6')));
    const answer = await relay.chat(key, { model: 'gpt-5.6', messages: userMessage('hi'), tools: [nested] });
    expect(answer.status).toBe(200);
    expect(relay.upstream.requests.at(-1)?.path).toContain('/responses');
    expect(relay.upstream.requests.at(-1)?.body?.['tools']).toEqual([applyPatch]);
  });

  it('of a nested tool beside an input', async () => {
    await relay.addChannel({ type: 43, models: 'deepseek-chat' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, scripted(chatKind(43, 'deepseek-chat')));
    expect((await relay.chat(key, agentMode('deepseek-chat', { tools: [nested] }))).status).toBe(200);
    expect(JSON.stringify(relay.upstream.requests[0]?.body)).toContain('begin_patch');
  });

  it('is described where tools take no plain text', async () => {
    await relay.addChannel({ type: 43, models: 'deepseek-chat' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, scripted(chatKind(43, 'deepseek-chat')));
    await relay.chat(key, { model: 'deepseek-chat', messages: userMessage('hi'), tools: [nested] });
    expect(JSON.stringify(relay.upstream.requests[0]?.body)).toContain('follows this lark grammar');
  });
});

describe('a tool whose name only some providers take, beside an input', () => {
  const named = (name: string): Json => ({ ...readFile, name });
  const offered = (body: Json | null | undefined): string => {
    const [tool] = (body?.['tools'] ?? []) as Array<{ name?: string; function?: { name: string } }>;
    return tool?.function?.name ?? tool?.name ?? '';
  };
  const callsOffered: Reply = (response, request) => {
    const name = offered(request.body);
    const block = { ...claudeBlock, name };
    const whole = request.path.includes('/messages') ? { ...claudeWhole, content: [block] } : null;
    return json(whole ?? chatCall(name, '{"path":"b"}'))(response, request);
  };

  it.each([
    [43, 'deepseek-chat', 'fs.read'],
    [43, 'deepseek-chat', `read_${'a'.repeat(80)}`],
    [14, 'claude-sonnet-4-5', 'fs.read'],
    [14, 'claude-sonnet-4-5', `read_${'a'.repeat(140)}`],
  ])('is called by the name of the client: type %i, %s, %s', async (type, model, name) => {
    await relay.addChannel({ type, models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, callsOffered);
    const answer = await relay.chat(key, agentMode(model, { tools: [named(name)] }));
    expect(await answer.json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ type: 'function', function: { name } }] } }],
    });
    // A provider of chat completions takes or refuses the names of clients of chat completions itself.
    const sent = offered(relay.upstream.requests[0]?.body);
    if (type === 43) expect(sent).toBe(name);
    else expect(sent).toMatch(/^[\w-]{1,128}$/);
  });
});

describe('where bodies are passed on unchanged', () => {
  beforeEach(() => relay.setOptions({ SelfUseModeEnabled: true, 'global.pass_through_request_enabled': true }));

  it('flat tools stay flat', async () => {
    await relay.addChannel({ type: 1, models: 'gpt-4o' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(chatCall('read_file', '{}')));
    const body = { model: 'gpt-4o', messages: userMessage('hi'), tools: [readFile, applyPatch] };
    expect((await relay.chat(key, body)).status).toBe(200);
    expect(relay.upstream.requests[0]?.body).toEqual(body);
  });

  it('flat tools are taken by a provider of another dialect', async () => {
    await relay.addChannel({ type: 14, models: 'claude-sonnet-4-5' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(claudeWhole));
    const tool_choice = { type: 'function', name: 'read_file' };
    const body = {
      model: 'claude-sonnet-4-5',
      messages: userMessage('hi'),
      tools: [readFile, applyPatch],
      tool_choice,
    };
    expect((await relay.chat(key, body)).status).toBe(200);
    expect(relay.upstream.requests[0]?.body?.['tool_choice']).toEqual({ type: 'tool', name: 'read_file' });
  });

  it('an input is not translated', async () => {
    await relay.addChannel({ type: 43, models: 'deepseek-chat' });
    const { key } = await relay.addToken();
    const answer = await relay.chat(key, agentMode('deepseek-chat'));
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { message: expect.stringMatching(/messages is required/) } },
    ]);
  });
});

it('refuses entries of tools that are no objects, beside flat tools', async () => {
  await relay.addChannel({ type: 43, models: 'deepseek-chat' });
  const { key } = await relay.addToken();
  const answer = await relay.chat(key, { model: 'deepseek-chat', messages: userMessage('hi'), tools: [readFile, 7] });
  expect([answer.status, relay.upstream.requests]).toEqual([400, []]);
});

it('takes an input at the path of a deployment', async () => {
  await relay.addChannel({ type: 43, models: 'deepseek-chat' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, scripted(chatKind(43, 'deepseek-chat')));
  const path = '/openai/deployments/deepseek-chat/chat/completions?api-version=2024-10-21';
  const { model: _model, ...body } = agentMode('');
  const answer = await relay.post(path, key, body);
  expect([answer.status, await answer.json()]).toMatchObject([200, { object: 'chat.completion' }]);
});

it('calls a tool that takes plain text, in the form of chat completions', async () => {
  await relay.addChannel({ type: 43, models: 'deepseek-chat' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(chatCall('ApplyPatch', JSON.stringify({ input: patch }))));
  const answer = await relay.chat(key, agentMode('deepseek-chat'));
  expect(await answer.json()).toMatchObject({
    choices: [{ message: { tool_calls: [{ type: 'custom', custom: { name: 'ApplyPatch', input: patch } }] } }],
  });
});

it('names the fields that only Responses has', async () => {
  await relay.addChannel({ type: 43, models: 'deepseek-chat' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(chatCall('read_file', '{}')));
  const tools = [readFile, { type: 'web_search' }];
  const answer = await relay.chat(key, agentMode('deepseek-chat', { truncation: 'auto', tools }));
  const dropped = (answer.headers.get('x-tollgate-dropped') ?? '').split(/, ?/);
  expect(dropped).toEqual(expect.arrayContaining(['include', 'truncation', 'tools[1].web_search']));
});

it('takes nested tools beside an input', async () => {
  await relay.addChannel({ type: 43, models: 'deepseek-chat' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, scripted(chatKind(43, 'deepseek-chat')));
  const { type, ...described } = readFile;
  const body = { model: 'deepseek-chat', input: 'hi', tools: [{ type, function: described }] };
  expect((await relay.chat(key, body)).status).toBe(200);
});

it('applies the limits of a key to the model of an input', async () => {
  await relay.addChannel({ type: 43, models: 'deepseek-chat' });
  const { key } = await relay.addToken({ modelLimits: 'gpt-4o' });
  expect((await relay.chat(key, agentMode('deepseek-chat'))).status).toBe(403);
  expect(relay.upstream.requests).toEqual([]);
});

it.each([
  ['neither messages nor an input', {}, /messages is required/],
  ['an input of a wrong kind', { input: 7 }, /input/],
  ['a conversation that the provider stores', { input: 'hi', previous_response_id: 'resp_1' }, /previous_response_id/],
])('refuses %s', async (_name, more, message) => {
  await relay.addChannel({ type: 43, models: 'deepseek-chat' });
  const { key } = await relay.addToken();
  const answer = await relay.chat(key, { model: 'deepseek-chat', ...more });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error: { message: expect.stringMatching(message) } },
  ]);
  expect(relay.upstream.requests).toEqual([]);
});

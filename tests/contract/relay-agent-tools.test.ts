/** Tools and histories of coding agents at providers that speak other dialects. */
import { chatCall, events, json } from '../support/upstream/replies.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

type Json = Record<string, unknown>;

/** User ids of Claude Code are about as long as this one. */
const longUser = `user_${'a'.repeat(145)}`;
const patch = '*** Begin Patch\n"quoted"\n*** End Patch';
const input = JSON.stringify({ input: patch });
const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const claudeCall = (name: string, given: Json) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'c',
  stop_reason: 'tool_use',
  content: [{ type: 'tool_use', id: 'toolu_9', name, input: given }],
  usage: { input_tokens: 10, output_tokens: 2 },
});
const geminiCall = (name: string, args: Json) => ({
  candidates: [
    { index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ functionCall: { name, args } }] } },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
});

/** Tools as Codex CLI declares them. */
const codex = {
  model: 'gpt-4o',
  instructions: 'You are an agent.',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
  tools: [
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Changes files',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: begin_patch' },
    },
    {
      type: 'namespace',
      name: 'multi_agent_v1',
      tools: [{ type: 'function', name: 'spawn', description: 'Starts one', parameters: { type: 'object' } }],
    },
    { type: 'tool_search' },
  ],
  tool_choice: 'auto',
  store: false,
};

interface Kind {
  readonly type: number;
  readonly model: string;
  call(name: string, given: Json): unknown;
  /** Returns the names of the functions in the body that the provider gets. */
  tools(body: Json): unknown;
}

const chatKind = (type: number, model: string): Kind => ({
  type,
  model,
  call: (name, given) => chatCall(name, JSON.stringify(given)),
  tools: (body) =>
    (body['tools'] as Array<{ type: string; function: { name: string } }>).map((each) => each.function.name),
});
const kinds: ReadonlyArray<readonly [string, Kind]> = [
  ['DeepSeek', chatKind(43, 'deepseek-chat')],
  ['OpenRouter', chatKind(20, 'some/model')],
  ['Mistral', chatKind(42, 'mistral-large-latest')],
  [
    'Anthropic',
    {
      type: 14,
      model: 'claude-sonnet-4-5',
      call: claudeCall,
      tools: (body) => (body['tools'] as Array<{ name: string }>).map(({ name }) => name),
    },
  ],
  [
    'Gemini',
    {
      type: 24,
      model: 'gemini-2.5-flash',
      call: geminiCall,
      tools: (body) =>
        (body['tools'] as Array<{ functionDeclarations: Array<{ name: string }> }>)[0]?.functionDeclarations.map(
          ({ name }) => name,
        ),
    },
  ],
];

describe.each(kinds)('tools of Codex CLI at %s', (_name, { type, model, call, tools }) => {
  let key: string;
  beforeEach(async () => {
    await relay.addChannel({ type, models: 'gpt-4o', mapping: JSON.stringify({ 'gpt-4o': model }) });
    ({ key } = await relay.addToken());
  });

  it('that take plain text are functions there, and their calls are custom calls again', async () => {
    relay.upstream.script({}, json(call('apply_patch', { input: patch })));
    const response = await relay.post('/v1/responses', key, codex);
    const { output } = (await response.json()) as { output: Json[] };
    expect(output).toContainEqual(
      expect.objectContaining({ type: 'custom_tool_call', name: 'apply_patch', input: patch }),
    );
    const [received] = relay.upstream.requests;
    expect(tools(received?.body as Json)).toEqual(['apply_patch', 'multi_agent_v1__spawn']);
    expect(JSON.stringify(received?.body)).toContain('start: begin_patch');
    expect(response.headers.get('x-tollgate-dropped')).toContain('tools[2].tool_search');
  });

  it('of a name space have one flat name there, and their calls name both', async () => {
    relay.upstream.script({}, json(call('multi_agent_v1__spawn', { task: 'x' })));
    const response = await relay.post('/v1/responses', key, codex);
    const { output } = (await response.json()) as { output: Json[] };
    expect(output).toContainEqual(
      expect.objectContaining({
        type: 'function_call',
        namespace: 'multi_agent_v1',
        name: 'spawn',
        arguments: '{"task":"x"}',
      }),
    );
  });

  it('that were called stand in the history under the same names', async () => {
    relay.upstream.script({}, json(call('apply_patch', { input: 'y' })));
    const history = [
      ...codex.input,
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: `gAAAAA${'x'.repeat(100)}` },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
      { type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: patch },
      { type: 'custom_tool_call_output', call_id: 'call_1', output: 'Done' },
      { type: 'function_call', call_id: 'call_2', namespace: 'multi_agent_v1', name: 'spawn', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_2', output: 'started' },
    ];
    const response = await relay.post('/v1/responses', key, { ...codex, input: history });
    expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([
      200,
      expect.stringContaining('input.web_search_call'),
    ]);
    const sent = JSON.stringify(relay.upstream.requests[0]?.body);
    expect(sent).toContain('multi_agent_v1__spawn');
    expect(sent).not.toContain('gAAAAA');
    expect(sent).not.toContain('custom_tool_call');
    expect(sent).not.toContain('web_search_call');
  });
});

it('streams a custom call once its input is whole', async () => {
  await relay.addChannel({ type: 43, models: 'gpt-4o' });
  const { key } = await relay.addToken();
  const chunk = (delta: Json, finish: string | null = null): string =>
    JSON.stringify({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  const start = { index: 0, id: 'call_1', type: 'function', function: { name: 'apply_patch', arguments: '' } };
  const pieces = [input.slice(0, 20), input.slice(20)].map((text) =>
    chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] }),
  );
  relay.upstream.script(
    {},
    events([
      chunk({ role: 'assistant', tool_calls: [start] }),
      ...pieces,
      chunk({}, 'tool_calls'),
      JSON.stringify({ id: 'c', choices: [], usage }),
    ]),
  );
  const response = await relay.post('/v1/responses', key, { ...codex, stream: true });
  const told = (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Json);
  expect(told.filter(({ type }) => type === 'response.custom_tool_call_input.delta').map(({ delta }) => delta)).toEqual(
    [patch],
  );
  expect(told.find(({ type }) => type === 'response.output_item.done')).toMatchObject({
    item: { type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: patch },
  });
});

it('serves custom tools of chat clients at providers of chat that have none', async () => {
  await relay.addChannel({ type: 43, models: 'gpt-4o' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(chatCall('apply_patch', input)));
  const response = await relay.chat(key, {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'custom', custom: { name: 'apply_patch' } }],
    tool_choice: { type: 'custom', custom: { name: 'apply_patch' } },
  });
  expect(await response.json()).toMatchObject({
    choices: [{ message: { tool_calls: [{ type: 'custom', custom: { name: 'apply_patch', input: patch } }] } }],
  });
  expect(relay.upstream.requests[0]?.body).toMatchObject({
    tools: [{ type: 'function', function: { name: 'apply_patch' } }],
    tool_choice: { type: 'function', function: { name: 'apply_patch' } },
  });
});

it('leaves custom tools of chat clients to OpenAI as they are', async () => {
  await relay.addChannel({ type: 1 });
  const { key } = await relay.addToken();
  const body = {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'custom', custom: { name: 'apply_patch' } }],
  };
  await relay.chat(key, body);
  expect(relay.upstream.requests[0]?.body).toEqual(body);
});

it('takes tools that an item of the input declares', async () => {
  await relay.addChannel({ type: 14, models: 'gpt-4o', mapping: '{"gpt-4o":"claude-sonnet-4-5"}' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(claudeCall('shell', {})));
  const declared = { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'shell' }] };
  const response = await relay.post('/v1/responses', key, { ...codex, tools: [], input: [declared, ...codex.input] });
  expect(response.status).toBe(200);
  expect(relay.upstream.requests[0]?.body).toMatchObject({ tools: [{ name: 'shell' }] });
});

describe('thoughts in the history', () => {
  const history = {
    model: 'gpt-4o',
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I need the file', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h' },
          { type: 'tool_use', id: 'toolu_1', name: 'Read', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'text' }] },
    ],
    tools: [{ name: 'Read', input_schema: { type: 'object', properties: {} } }],
  };

  it.each([
    ['DeepSeek', 43, 'deepseek-reasoner', 'reasoning_content'],
    ['Moonshot', 25, 'kimi-k2-thinking', 'reasoning_content'],
    ['Zhipu', 26, 'glm-4.7', 'reasoning_content'],
    ['Volcano', 45, 'doubao-seed-1-6', 'reasoning_content'],
    ['MiniMax', 35, 'minimax-m2', 'reasoning_content'],
    ['OpenRouter', 20, 'some/model', 'reasoning'],
  ])('go back to %s, which wants them, without their proof', async (_name, type, model, field) => {
    await relay.addChannel({ type, models: 'gpt-4o', mapping: JSON.stringify({ 'gpt-4o': model }) });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(chatCall('Read', '{}')));
    const response = await relay.post('/v1/messages', key, history);
    expect(response.status).toBe(200);
    const { messages } = relay.upstream.requests[0]?.body as { messages: Json[] };
    expect(messages[1]).toMatchObject({ role: 'assistant', [field]: 'I need the file' });
    expect(JSON.stringify(messages)).not.toContain('EqQBCgIYAhIM');
  });

  it('that the client does not have are a blank beside a call of a tool', async () => {
    await relay.addChannel({ type: 25, models: 'gpt-4o' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(chatCall('Read', '{}')));
    const [first, second, third] = history.messages;
    const call = { ...second, content: (second?.content as Json[]).slice(1) };
    await relay.post('/v1/messages', key, { ...history, messages: [first, call, third] });
    expect(relay.upstream.requests[0]?.body).toMatchObject({ messages: [{}, { reasoning_content: ' ' }, {}] });
  });

  it.each([
    ['OpenAI', 1, 'gpt-4o'],
    ['Mistral', 42, 'mistral-large-latest'],
    ['SiliconFlow with DeepSeek R1', 43, 'deepseek-r1'],
  ])('are left out by name at %s', async (_name, type, model) => {
    await relay.addChannel({ type, models: 'gpt-4o', mapping: JSON.stringify({ 'gpt-4o': model }) });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(chatCall('Read', '{}')));
    const response = await relay.post('/v1/messages', key, history);
    expect(response.headers.get('x-tollgate-dropped')).toContain('messages.thinking');
    expect(JSON.stringify(relay.upstream.requests[0]?.body)).not.toContain('I need the file');
  });
});

it.each(['/v1/messages', '/v1beta/models/gpt-4o:generateContent'])(
  'a wish to think is left out by name for a model that cannot: %s',
  async (path) => {
    await relay.addChannel({ type: 1 });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json(chatCall('Read', '{}')));
    const body = path.includes('messages')
      ? { model: 'gpt-4o', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }], thinking: { type: 'adaptive' } }
      : {
          contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
          generationConfig: { thinkingConfig: { thinkingBudget: 5000 } },
        };
    const response = await relay.post(path, key, body);
    expect(response.status).toBe(200);
    expect(relay.upstream.requests[0]?.body).not.toHaveProperty('reasoning_effort');
    expect(response.headers.get('x-tollgate-dropped')).toMatch(/thinking/);
    const [row] = await relay.logsOf(userId, 1);
    expect(row?.other['dropped_parameters']).toEqual([expect.stringMatching(/thinking/)]);
  },
);

it('ids of calls that are too long for OpenAI are shortened alike in call and result', async () => {
  await relay.addChannel({ type: 1 });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(chatCall('Read', '{}')));
  const name = `mcp__${'tool_'.repeat(10)}x`;
  await relay.post('/v1beta/models/gpt-4o:generateContent', key, {
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ functionCall: { name, args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name, response: { result: 'x' } } }] },
    ],
    tools: [{ functionDeclarations: [{ name }] }],
  });
  const { messages } = relay.upstream.requests[0]?.body as {
    messages: Array<{ tool_calls?: Array<{ id: string }>; tool_call_id?: string }>;
  };
  const id = messages[1]?.tool_calls?.[0]?.id ?? '';
  expect(id.length).toBeLessThanOrEqual(40);
  expect(messages[2]?.tool_call_id).toBe(id);
});

it.each([
  ['Mistral', 42, []],
  ['DeepSeek', 43, ['user']],
  ['OpenRouter', 20, ['store', 'metadata', 'user', 'safety_identifier']],
])('fields of OpenAI’s accounts reach %s only where it knows them', async (_name, type, names) => {
  await relay.addChannel({ type });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(chatCall('Read', '{}')));
  const account = { store: false, metadata: { a: 'b' }, user: 'u', safety_identifier: 's' };
  const response = await relay.post('/v1/responses', key, { model: 'gpt-4o', input: 'hi', ...account });
  expect(response.status).toBe(200);
  const sent = Object.keys(relay.upstream.requests[0]?.body as Json).filter((name) => name in account);
  expect(sent.sort()).toEqual([...names].sort());
  const dropped = response.headers.get('x-tollgate-dropped') ?? '';
  for (const name of Object.keys(account)) expect(dropped.includes(name)).toBe(!sent.includes(name));
});

it.each([
  ['/v1/messages', { max_tokens: 50, messages: [{ role: 'user', content: 'hi' }], metadata: { user_id: longUser } }],
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }], user: longUser }],
  ['/v1/responses', { input: 'hi', user: longUser }],
])('a name of an end user that is too long for providers is a hash, from %s', async (path, body) => {
  await relay.addChannel({ type: 43 });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(chatCall('Read', '{}')));
  expect((await relay.post(path, key, { model: 'gpt-4o', ...body })).status).toBe(200);
  // SHA-256 of the name, computed apart from this code.
  expect(relay.upstream.requests[0]?.body?.['user']).toBe(
    '07fdc773695f2d2797c9e1df63dd1d970fa314999528586293086fa8852e9cdb',
  );
});

describe('a failed tool of Claude Code', () => {
  it.each([
    ['chat completions', 43, 'deepseek-chat'],
    ['OpenAI', 1, 'gpt-5'],
    ['Cohere', 34, 'command-a-03-2025'],
  ])('is a failed one at %s', async (_name, type, model) => {
    await relay.addChannel({ type, models: 'gpt-4o', mapping: JSON.stringify({ 'gpt-4o': model }) });
    const { key } = await relay.addToken();
    const failed = (content: unknown) => ({ type: 'tool_result', tool_use_id: 'toolu_1', content, is_error: true });
    const ask = async (content: unknown): Promise<string> => {
      const messages = [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }] },
        { role: 'user', content: [failed(content)] },
      ];
      const tools = [{ name: 'f', input_schema: { type: 'object' } }];
      await relay.post('/v1/messages', key, { model: 'gpt-4o', max_tokens: 50, messages, tools });
      return JSON.stringify(relay.upstream.requests.at(-1)?.body);
    };
    expect(await ask('5 files')).toContain(JSON.stringify('[Tool error]\n5 files'));
    expect(await ask([])).toContain('[Tool error]');
  });
});

it.each(kinds)('a tool that Claude Code has searched for stands in the history at %s', async (_name, kind) => {
  await relay.addChannel({ type: kind.type, models: 'gpt-4o', mapping: JSON.stringify({ 'gpt-4o': kind.model }) });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(kind.call('Later', {})));
  const input_schema = { type: 'object', properties: {} };
  const found = { type: 'tool_reference', tool_name: 'Later' };
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [found] }] },
  ];
  const tools = [
    { name: 'ToolSearch', input_schema },
    { name: 'Later', input_schema, defer_loading: true },
  ];
  const answer = await relay.post('/v1/messages', key, { model: 'gpt-4o', max_tokens: 50, messages, tools });
  expect([answer.status, await answer.json()]).toMatchObject([200, { content: [{ type: 'tool_use', name: 'Later' }] }]);
  const body = relay.upstream.requests[0]?.body as Json;
  expect(kind.tools(body)).toContain('Later');
  expect(JSON.stringify(body)).toContain(
    kind.type === 14 ? JSON.stringify(found) : 'The tool Later can be called now.',
  );
});

/** Claude Code names a tool of an MCP server like this. */
const longName = `mcp__plugin_of_some_vendor__${'a_tool_with_a_name_'.repeat(3)}x`;
const dotted = 'files.read:all';

describe.each(kinds.filter(([, { type }]) => type !== 14))('long names of tools at %s', (_name, kind) => {
  const { type, model, call, tools: namesOf } = kind;
  const tools = [
    { name: longName, description: 'L', input_schema: { type: 'object' } },
    { name: 'f', input_schema: { type: 'object' } },
  ];
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: longName, input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '5' }] },
  ];

  it('are short there, alike in the history and the choice, and long again for the client', async () => {
    await relay.addChannel({ type, models: 'gpt-4o', mapping: JSON.stringify({ 'gpt-4o': model }) });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(call('f', {})));
    const body = { model: 'gpt-4o', max_tokens: 50, messages, tools, tool_choice: { type: 'tool', name: longName } };
    await relay.post('/v1/messages', key, body);
    const sent = relay.upstream.requests[0]?.body as Json;
    const [short = '', other] = namesOf(sent) as string[];
    expect(short).toMatch(/^[A-Za-z_][\w-]{0,63}$/);
    expect(other).toBe('f');
    expect(JSON.stringify(sent)).not.toContain(longName);
    // The name occurs in the declaration, the call and the choice of the tool, and at Google also in its result.
    expect(JSON.stringify(sent).split(JSON.stringify(short)).length - 1).toBe(type === 24 ? 4 : 3);
    relay.upstream.script({}, json(call(short, { a: 1 })));
    const response = await relay.post('/v1/messages', key, body);
    expect(await response.json()).toMatchObject({ content: [{ type: 'tool_use', name: longName, input: { a: 1 } }] });
  });
});

it('names with characters of Google’s are others elsewhere', async () => {
  await relay.addChannel({ type: 14, models: 'gpt-4o', mapping: '{"gpt-4o":"claude-sonnet-4-5"}' });
  const { key } = await relay.addToken();
  const declared = [{ functionDeclarations: [{ name: dotted }, { name: 'files_read_all' }] }];
  relay.upstream.script({}, json(claudeCall('files_read_all', {})));
  const ask = () =>
    relay.post('/v1beta/models/gpt-4o:generateContent', key, {
      contents: [{ parts: [{ text: 'hi' }] }],
      tools: declared,
    });
  await ask();
  const [first, second] = (relay.upstream.requests[0]?.body?.['tools'] as Array<{ name: string }>).map(
    ({ name }) => name,
  );
  expect(first).toMatch(/^[\w-]{1,64}$/);
  expect([first === second, second]).toEqual([false, 'files_read_all']);
  relay.upstream.script({}, json(claudeCall(first ?? '', {})));
  expect(await (await ask()).json()).toMatchObject({
    candidates: [{ content: { parts: [{ functionCall: { name: dotted } }] } }],
  });
});

it('long names are long again in streams', async () => {
  await relay.addChannel({ type: 43, models: 'gpt-4o', mapping: '{"gpt-4o":"deepseek-chat"}' });
  const { key } = await relay.addToken();
  const tools = [{ name: longName, input_schema: { type: 'object' } }];
  const body = { model: 'gpt-4o', max_tokens: 50, messages: [{ role: 'user', content: 'hi' }], tools, stream: true };
  await (await relay.post('/v1/messages', key, { ...body, stream: false })).text();
  const [short] = kinds[0]?.[1].tools(relay.upstream.requests[0]?.body as Json) as string[];
  const chunk = (delta: Json, finish: string | null = null) =>
    JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] });
  const begun = { index: 0, id: 'call_1', type: 'function', function: { name: short, arguments: '{}' } };
  relay.upstream.script({}, events([chunk({ tool_calls: [begun] }), chunk({}, 'tool_calls')]));
  const text = await (await relay.post('/v1/messages', key, body)).text();
  expect(text).toContain(`"name":"${longName}"`);
});

describe('fields whose names Claude refuses', () => {
  const parameters = { type: 'object', properties: { $top: { type: 'integer' } }, required: ['$top'] };
  const called = { id: 'call_1', type: 'function', function: { name: 'list', arguments: '{"$top":1}' } };
  const body = {
    model: 'gpt-4o',
    tools: [{ type: 'function', function: { name: 'list', parameters } }],
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', tool_calls: [called] },
      { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
    ],
  };
  let key: string;
  beforeEach(async () => {
    await relay.addChannel({ type: 14, models: 'gpt-4o', mapping: '{"gpt-4o":"claude-sonnet-4-5"}' });
    ({ key } = await relay.addToken());
  });

  it('have others there, alike in the history, and the client’s again in calls', async () => {
    relay.upstream.script({}, json(claudeCall('list', { _top: 2 })));
    const response = await relay.post('/v1/chat/completions', key, body);
    expect(relay.upstream.requests[0]?.body).toMatchObject({
      tools: [{ name: 'list', input_schema: { properties: { _top: { type: 'integer' } }, required: ['_top'] } }],
      messages: [{}, { content: [{ type: 'tool_use', input: { _top: 1 } }] }, {}],
    });
    expect(await response.json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { name: 'list', arguments: '{"$top":2}' } }] } }],
    });
  });

  it('have the client’s in streams, once the arguments are whole', async () => {
    const delta = (partial_json: string) =>
      JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } });
    relay.upstream.script(
      {},
      events([
        JSON.stringify({
          type: 'message_start',
          message: { ...claudeCall('list', {}), content: [], stop_reason: null },
        }),
        JSON.stringify({
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'tool_use', id: 'toolu_9', name: 'list', input: {} },
        }),
        delta('{"_to'),
        delta('p": 3}'),
        JSON.stringify({ type: 'content_block_stop', index: 0 }),
        JSON.stringify({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } }),
        JSON.stringify({ type: 'message_stop' }),
      ]),
    );
    const text = await (await relay.post('/v1/chat/completions', key, { ...body, stream: true })).text();
    expect(text).toContain(JSON.stringify({ arguments: '{"$top": 3}' }));
    expect(text).not.toContain('_top');
  });

  it('are left to Anthropic where the client speaks its dialect', async () => {
    const tools = [{ name: 'list', input_schema: parameters }];
    const native = { model: 'gpt-4o', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], tools };
    await (await relay.post('/v1/messages', key, native)).text();
    expect(relay.upstream.requests[0]?.body).toMatchObject({ tools });
  });
});

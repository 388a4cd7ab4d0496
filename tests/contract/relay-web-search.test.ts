/**
 * WebSearch of Claude Code is one call of Messages whose only tool is Anthropic's search (clodex#251, free-claude-code#576,
 * gcli2api#372). Codex declares OpenAI's search with every call.
 */
import { functionsAtResponses } from '../agents/refused-bodies.js';
import {
  headerBetas,
  openAIRules,
  strictChat,
  strictGemini,
  strictMessages,
  strictResponses,
} from '../agents/strict.js';
import { events, json } from '../support/upstream/replies.js';
import type { ReceivedRequest, Reply } from '../support/upstream/upstream.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), {
  values: { SelfUseModeEnabled: true, ToolPrices: { 'some/*': { webSearch: 0.01 } } },
});
afterEach(async () => expect(await relay.unexplained()).toEqual([]));

type Json = Record<string, unknown>;

const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 };
const call = (model: string, more: Json = {}): Json => ({
  model,
  max_tokens: 32_000,
  messages: userMessage('Perform a web search for the query: weather'),
  tools: [search],
  ...more,
});
const forced = { tool_choice: { type: 'tool', name: 'web_search' } };
const page = { url: 'https://example.com/a', title: 'A' };
const text = 'It rains.';

const streamed = (items: readonly Json[]): Reply =>
  events(
    items.map((item) => JSON.stringify(item)),
    { done: false },
  );

const grounding = {
  webSearchQueries: ['weather today'],
  groundingChunks: [{ web: { uri: page.url, title: page.title } }],
  groundingSupports: [{ segment: { startIndex: 0, endIndex: 9 }, groundingChunkIndices: [0] }],
};
const geminiUsage = { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 };
const candidate = (more: Json, said = text): Json => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text: said }] }, ...more }],
  usageMetadata: geminiUsage,
});

const responsesItems = [
  {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: { type: 'search', query: 'weather today' },
  },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [
      {
        type: 'output_text',
        text,
        annotations: [{ type: 'url_citation', start_index: 0, end_index: 9, url: page.url, title: page.title }],
      },
    ],
  },
];
const response = (status: string, output: readonly Json[]): Json => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt-5',
  status,
  output,
  tools: [{ type: 'web_search' }],
  usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 },
});
const [searched, message] = responsesItems;
const responsesStream = streamed([
  { type: 'response.created', response: response('in_progress', []) },
  { type: 'response.output_item.done', output_index: 0, item: searched },
  { type: 'response.output_text.delta', output_index: 1, delta: text },
  {
    type: 'response.output_text.annotation.added',
    output_index: 1,
    annotation: { type: 'url_citation', start_index: 0, end_index: 9, url: page.url, title: page.title },
  },
  { type: 'response.output_item.done', output_index: 1, item: message },
  { type: 'response.completed', response: response('completed', responsesItems) },
]);

const annotations = [{ type: 'url_citation', url_citation: { ...page, start_index: 0, end_index: 9 } }];
const routerUsage = {
  prompt_tokens: 10,
  completion_tokens: 2,
  total_tokens: 12,
  server_tool_use: { web_search_requests: 1 },
};
const routerHead = { id: 'gen-1', created: 1, model: 'some/model' };
const routerWhole = {
  ...routerHead,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: text, annotations }, finish_reason: 'stop' }],
  usage: routerUsage,
};
const routerChunk = (delta: Json, finish: string | null = null): Json => ({
  ...routerHead,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const routerStream = events(
  [
    routerChunk({ role: 'assistant', content: text }),
    routerChunk({ annotations }),
    routerChunk({}, 'stop'),
    { ...routerHead, choices: [], usage: routerUsage },
  ].map((each) => JSON.stringify(each)),
);

const toolTypes = ({ body }: ReceivedRequest): unknown[] =>
  ((body?.['tools'] ?? []) as Json[]).map((tool) => tool['type'] ?? Object.keys(tool)[0]);

interface Kind {
  readonly type: number;
  readonly model: string;
  readonly refuse: (request: ReceivedRequest) => string | null;
  readonly tool: string;
  readonly whole: Json;
  readonly stream: Reply;
  /** The query that the client gets. Empty when the provider reports none. */
  readonly query: string;
}

const refusesChat = strictChat({ ...openAIRules, refuses: [functionsAtResponses] });
const openAI = {
  type: 1,
  refuse: (request: ReceivedRequest) =>
    request.path.includes('/responses') ? strictResponses(request) : refusesChat(request),
  tool: 'web_search',
  whole: response('completed', responsesItems),
  stream: responsesStream,
  query: 'weather today',
};
const gemini = {
  type: 24,
  refuse: strictGemini(),
  tool: 'googleSearch',
  whole: candidate({ finishReason: 'STOP', groundingMetadata: grounding }),
  stream: streamed([
    candidate({}, 'It '),
    candidate({ groundingMetadata: { webSearchQueries: ['weather today'] } }, 'rains.'),
    candidate({ finishReason: 'STOP', groundingMetadata: grounding }, ''),
  ]),
  query: 'weather today',
};
const kinds: ReadonlyArray<readonly [string, Kind]> = [
  ['Gemini 3', { ...gemini, model: 'gemini-3-pro' }],
  ['Gemini 2.5', { ...gemini, model: 'gemini-2.5-flash' }],
  ['OpenAI', { ...openAI, model: 'gpt-5' }],
  ['OpenAI, functions at Responses', { ...openAI, model: 'gpt-5.6' }],
  [
    'OpenRouter',
    {
      type: 20,
      model: 'some/model',
      refuse: ({ body }) => (body?.['tool_choice'] === undefined ? null : 'tool_choice names no function'),
      tool: 'openrouter:web_search',
      whole: routerWhole,
      stream: routerStream,
      query: '',
    },
  ],
];

const provider =
  ({ refuse, whole, stream }: Kind): Reply =>
  (response, request) => {
    const problem = refuse(request);
    if (problem !== null)
      return json({ error: { code: 400, message: problem, status: 'INVALID_ARGUMENT' } }, 400)(response, request);
    const isStream = request.stream || request.path.includes('streamGenerateContent');
    return (isStream ? stream : json(whole))(response, request);
  };

/** Returns the blocks of a message, or of the events of its stream. */
function blocksOf(given: string, isStream: boolean): Json[] {
  if (!isStream) return (JSON.parse(given) as { content: Json[] }).content;
  const blocks: Json[] = [];
  for (const line of given.split('\n').filter((each) => each.startsWith('data: '))) {
    const event = JSON.parse(line.slice('data: '.length)) as Json;
    const index = Number(event['index']);
    if (event['type'] === 'content_block_start') blocks[index] = { ...(event['content_block'] as Json) };
    if (event['type'] !== 'content_block_delta') continue;
    const delta = event['delta'] as Json;
    const block = blocks[index] ?? {};
    if (delta['type'] === 'text_delta') block['text'] = `${String(block['text'])}${String(delta['text'])}`;
    if (delta['type'] === 'input_json_delta') block['input'] = JSON.parse(String(delta['partial_json']));
  }
  return blocks;
}

describe.each(kinds)('at %s', (_name, kind) => {
  const { type, model, tool, query } = kind;
  let key: string;
  let userId: number;
  beforeEach(async () => {
    await relay.addChannel({ type, models: model });
    ({ key, userId } = await relay.addToken());
    relay.upstream.script({}, provider(kind));
  });

  it.each([
    ['whole', false, {}],
    ['whole, forced', false, forced],
    ['streamed', true, {}],
    ['streamed, forced', true, forced],
  ])('a search is run and comes back as Anthropic has it: %s', async (_form, stream, choice) => {
    const answer = await relay.post('/v1/messages', key, call(model, { stream, ...choice }));
    const given = await answer.text();
    expect([answer.status, given]).toEqual([200, expect.anything()]);
    const [received] = relay.upstream.requests;
    expect(toolTypes(received as ReceivedRequest)).toEqual([tool]);
    const blocks = blocksOf(given, stream);
    expect(blocks.find((block) => block['type'] === 'text')).toMatchObject({ text });
    const asked = blocks.find((block) => block['type'] === 'server_tool_use');
    expect(asked).toMatchObject({ id: expect.stringMatching(/^srvtoolu_/), name: 'web_search', input: { query } });
    expect(blocks.find((block) => block['type'] === 'web_search_tool_result')).toMatchObject({
      tool_use_id: asked?.['id'],
      content: [{ type: 'web_search_result', ...page }],
    });
    expect(given).toContain('"web_search_requests":1');
    const [row] = await relay.logsOf(userId, 1);
    const lines = row?.other['components'] as Array<[string, number, number]>;
    expect(lines.filter(([name]) => ['webSearch', 'groundedPrompt'].includes(name)).map(([, count]) => count)).toEqual([
      1,
    ]);
  });
});

const limits = {
  allowed_domains: ['example.com'],
  user_location: { type: 'approximate', country: 'DE' },
  max_uses: 3,
};

it.each<[string, Json, Json, string[]]>([
  [
    'Gemini 3',
    { max_uses: 3, user_location: limits.user_location, allowed_domains: [] },
    { googleSearch: {} },
    ['max_uses', 'user_location'],
  ],
  [
    'OpenAI',
    limits,
    { type: 'web_search', filters: { allowed_domains: ['example.com'] }, user_location: limits.user_location },
    [],
  ],
  [
    'OpenAI',
    { blocked_domains: ['example.com'] },
    { type: 'web_search', filters: { blocked_domains: ['example.com'] } },
    [],
  ],
  [
    'OpenRouter',
    { blocked_domains: ['example.com'], max_uses: 3 },
    { type: 'openrouter:web_search', parameters: { excluded_domains: ['example.com'] } },
    ['max_uses'],
  ],
])('%s gets the limits that it has, and the others are named: %j', async (name, more, expected, dropped) => {
  const kind = kinds.find(([each]) => each === name)?.[1] as Kind;
  await relay.addChannel({ type: kind.type, models: kind.model });
  const { key } = await relay.addToken();
  relay.upstream.script({}, provider(kind));
  const { max_uses: _uses, ...plain } = search;
  const answer = await relay.post('/v1/messages', key, call(kind.model, { tools: [{ ...plain, ...more }] }));
  expect(answer.status).toBe(200);
  const body = relay.upstream.requests[0]?.body;
  expect(body?.['tools']).toEqual([expected]);
  if (name === 'OpenAI' && more['max_uses']) expect(body?.['max_tool_calls']).toBe(more['max_uses']);
  const named = (answer.headers.get('x-tollgate-dropped') ?? '').split(/, ?/);
  expect(named.filter((each) => each.startsWith('tools')).sort()).toEqual(dropped.map((each) => `tools[0].${each}`));
});

describe('rules for output', () => {
  const rule = (action: 'mask' | 'block') =>
    relay.setOptions({
      SelfUseModeEnabled: true,
      ToolPrices: { 'some/*': { webSearch: 0.01 } },
      'guardrails.rules': [{ name: 'no-a', stage: 'output', action, check: 'words', words: ['today', 'Secret'] }],
    });
  const secret = { url: page.url, title: 'Secret page' };
  /** The script with a page whose title no client may get. */
  const named = ({ whole, stream, ...kind }: Kind, items: readonly Json[]): Kind => ({
    ...kind,
    whole: JSON.parse(JSON.stringify(whole).replaceAll('"title":"A"', '"title":"Secret page"')) as Json,
    stream: items.length === 0 ? stream : streamed(items),
  });
  const secretGrounding = { ...grounding, groundingChunks: [{ web: { uri: page.url, title: 'Secret page' } }] };
  const atGemini = named({ ...gemini, model: 'gemini-2.5-flash' }, [
    candidate({}, text),
    candidate({ finishReason: 'STOP', groundingMetadata: secretGrounding }, ''),
  ]);
  const chunks = [
    routerChunk({ role: 'assistant', content: text }),
    routerChunk({ annotations: [{ type: 'url_citation', url_citation: { ...secret, start_index: 0, end_index: 9 } }] }),
    routerChunk({}, 'stop'),
    { ...routerHead, choices: [], usage: routerUsage },
  ];
  const atRouter = named(kinds.find(([name]) => name === 'OpenRouter')?.[1] as Kind, chunks);
  const asked = { messages: userMessage('weather'), max_tokens: 100 };
  const bodies: ReadonlyArray<readonly [string, Json]> = [
    ['/v1/messages', { ...asked, tools: [search] }],
    ['/v1/chat/completions', asked],
    ['/v1/responses', { input: 'weather' }],
  ];
  const cases = [atGemini, atRouter].flatMap((kind) =>
    bodies.flatMap(([path, body]) => [false, true].map((stream) => ({ kind, path, body, stream }))),
  );
  const [left, shown] = [true, false].map((isLeft) =>
    cases.filter(({ path, stream }) => (path === '/v1/messages' && stream) === isLeft),
  ) as [typeof cases, typeof cases];
  const ask = async ({ kind, path, body, stream }: (typeof cases)[number]): Promise<string> => {
    await relay.addChannel({ type: kind.type, models: kind.model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, provider(kind));
    return (await relay.post(path, key, { model: kind.model, ...body, stream })).text();
  };

  it.each(shown)('mask queries and titles: $kind.model, $path, stream $stream', async (each) => {
    rule('mask');
    const given = await ask(each);
    expect(given).toContain(text.slice(0, 2));
    expect(given).toContain('[removed] page');
    expect(given).not.toMatch(/Secret|today/);
  });

  it.each(shown)('block a title: $kind.model, $path, stream $stream', async (each) => {
    rule('block');
    const given = await ask(each);
    expect(given).toContain('blocked by the guardrail no-a');
    expect(given).not.toMatch(/Secret|today/);
  });

  // A checked stream of Messages has no searches.
  it.each(left)('leave a search out: $kind.model, $path, stream $stream', async (each) => {
    rule('mask');
    const given = await ask(each);
    expect(given).toContain(text.slice(0, 2));
    expect(given).not.toMatch(/Secret|today|"type":"server_tool_use"/);
  });

  it('find a word with a source in the middle of it', async () => {
    rule('mask');
    const [first, source, ...rest] = chunks as [Json, Json, Json, Json];
    const split = named(atRouter, [
      first,
      routerChunk({ content: 'Sec' }),
      source,
      routerChunk({ content: 'ret' }),
      ...rest,
    ]);
    const given = await ask({ kind: split, path: '/v1/chat/completions', body: asked, stream: true });
    expect(given).toContain('.[removed]');
  });
});

it('charges a search at the price of the site', async () => {
  relay.setOptions({
    ModelRatio: { 'gpt-5': 1 },
    CompletionRatio: { 'gpt-5': 1 },
    ToolPrices: { 'gpt-5': { webSearch: 0.1 } },
  });
  await relay.addChannel({ models: 'gpt-5' });
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, provider({ ...openAI, model: 'gpt-5' }));
  for (const stream of [false, true]) await (await relay.post('/v1/messages', key, call('gpt-5', { stream }))).text();
  const rows = await relay.logsOf(userId, 2);
  expect(rows.map(({ quota }) => quota)).toEqual([50_012, 50_012]);
});

describe.each(['allowed_domains', 'blocked_domains'])(
  'a search with %s where the provider has no such limit',
  (name) => {
    const tools = [{ ...search, [name]: ['example.com'] }];
    let key: string;
    beforeEach(async () => {
      await relay.addChannel({ type: 24, models: 'gemini-3-pro' });
      ({ key } = await relay.addToken());
      relay.upstream.script({}, provider({ ...gemini, model: 'gemini-3-pro' }));
    });

    it('is left out by name', async () => {
      const answer = await relay.post('/v1/messages', key, call('gemini-3-pro', { tools }));
      expect([answer.status, answer.headers.get('x-tollgate-dropped')]).toEqual([
        200,
        expect.stringContaining('tools[0].web_search'),
      ]);
      expect(relay.upstream.requests[0]?.body?.['tools']).toBeUndefined();
    });

    it('is refused where the call requires it', async () => {
      const refused = await relay.post('/v1/messages', key, call('gemini-3-pro', { tools, ...forced }));
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('web_search')]);
      expect(relay.upstream.requests).toEqual([]);
    });
  },
);

it('leaves the search out by name where the model cannot combine it with the functions of the call', async () => {
  await relay.addChannel({ type: 24, models: 'gemini-2.5-flash' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, provider({ ...gemini, model: 'gemini-2.5-flash' }));
  const tools = [{ name: 'look', input_schema: { type: 'object', properties: { a: { type: 'string' } } } }, search];
  const answer = await relay.post('/v1/messages', key, call('gemini-2.5-flash', { tools }));
  expect([answer.status, answer.headers.get('x-tollgate-dropped')]).toEqual([
    200,
    expect.stringContaining('tools[1].web_search'),
  ]);
});

it('is as before at providers without a search', async () => {
  await relay.addChannel({ type: 43, models: 'deepseek-chat' });
  const { key } = await relay.addToken();
  const refused = await relay.post('/v1/messages', key, call('deepseek-chat', forced));
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('web_search')]);
});

describe("Codex's search at Anthropic", () => {
  const claude = 'claude-sonnet-4-5';
  const blocks = [
    { type: 'text', text: 'I look. ' },
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'weather today' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [{ type: 'web_search_result', ...page, encrypted_content: 'c2VhbGVk', page_age: null }],
    },
    {
      type: 'text',
      text,
      citations: [{ type: 'web_search_result_location', ...page, encrypted_index: 'aQ==', cited_text: 'Rain' }],
    },
  ];
  const usage = { input_tokens: 10, output_tokens: 2, server_tool_use: { web_search_requests: 1 } };
  const answered = { id: 'msg_1', type: 'message', role: 'assistant', model: claude, usage };
  const pieces = ({ input, citations, ...block }: Json, index: number): Json[] => {
    const begun = block['type'] === 'text' ? { ...block, text: '' } : input ? { ...block, input: {} } : block;
    const deltas: Json[] = [
      ...((citations ?? []) as Json[]).map((citation) => ({ type: 'citations_delta', citation })),
      ...(block['type'] === 'text' ? [{ type: 'text_delta', text: block['text'] }] : []),
      ...(input ? ['{"query": "weather', ' today"}'] : []).map((json) => ({
        type: 'input_json_delta',
        partial_json: json,
      })),
    ];
    return [
      { type: 'content_block_start', index, content_block: begun },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ];
  };
  const atClaude = {
    type: 14,
    model: claude,
    refuse: strictMessages(headerBetas),
    tool: 'web_search_20250305',
    whole: { ...answered, content: blocks, stop_reason: 'end_turn' },
    stream: streamed([
      { type: 'message_start', message: { ...answered, content: [], usage: { input_tokens: 10, output_tokens: 0 } } },
      ...blocks.flatMap(pieces),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ]),
    query: 'weather today',
  };
  const codexSearch = { type: 'web_search', external_web_access: true };
  const asked = (more: Json = {}): Json => ({ model: claude, input: 'weather', tools: [codexSearch], ...more });
  /** Returns the response, or that of the last event. */
  const responseOf = (given: string, isStream: boolean): Json & { output: Json[] } => {
    if (!isStream) return JSON.parse(given) as Json & { output: Json[] };
    const last = given.trim().split('\n').at(-1) ?? '';
    return (JSON.parse(last.slice('data: '.length)) as { response: Json & { output: Json[] } }).response;
  };
  const sent = (): Json => relay.upstream.requests.at(-1)?.body ?? {};
  let key: string;
  let userId: number;
  const open = async (kind: Partial<Kind> = {}, more: object = {}): Promise<void> => {
    const at = { ...atClaude, ...kind };
    await relay.addChannel({ type: at.type, models: at.model, ...more });
    // A smaller balance would limit the searches.
    ({ key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 500_000_000 }) }));
    relay.upstream.script({}, provider(at));
  };

  it.each([
    ['whole', false, {}],
    ['whole, forced', false, { tool_choice: { type: 'web_search' } }],
    ['streamed', true, {}],
    ['streamed, forced', true, { tool_choice: { type: 'web_search' } }],
  ])('is run and comes back as OpenAI has it: %s', async (_form, stream, choice) => {
    await open();
    const answer = await relay.post('/v1/responses', key, asked({ stream, ...choice }));
    const given = await answer.text();
    expect([answer.status, given]).toEqual([200, expect.anything()]);
    expect(answer.headers.get('x-tollgate-dropped')).toBeNull();
    expect(sent()['tools']).toEqual([{ type: 'web_search_20250305', name: 'web_search' }]);
    expect(sent()['tool_choice']).toEqual('tool_choice' in choice ? { type: 'tool', name: 'web_search' } : undefined);
    const { output } = responseOf(given, stream);
    expect(output.find(({ type }) => type === 'web_search_call')).toMatchObject({
      id: expect.stringMatching(/^ws_/),
      status: 'completed',
      action: { type: 'search', query: 'weather today' },
    });
    const last = output.at(-1) as { content: Json[] };
    expect(last.content[0]?.['text']).toContain(text);
    expect(last.content[0]?.['annotations']).toEqual([expect.objectContaining({ type: 'url_citation', ...page })]);
    if (stream) expect(output.map(({ type }) => type)).toEqual(['message', 'web_search_call', 'message']);
    const [row] = await relay.logsOf(userId, 1);
    expect(row?.other['components']).toContainEqual(['webSearch', 1, expect.any(Number)]);
  });

  it.each<[string, Json, Json, Json, string[]]>([
    [
      'with its limits',
      { filters: { allowed_domains: ['example.com'] }, user_location: limits.user_location },
      { max_tool_calls: 3 },
      { max_uses: 3, allowed_domains: ['example.com'], user_location: limits.user_location },
      [],
    ],
    [
      'with other limits',
      { filters: { blocked_domains: ['example.com'] }, search_context_size: 'low' },
      {},
      { blocked_domains: ['example.com'] },
      ['tools[0].search_context_size'],
    ],
    ['by its older name', { type: 'web_search_preview' }, {}, {}, []],
    ['for an index of pages', { external_web_access: false }, {}, {}, ['tools[0].external_web_access']],
  ])('is sent %s', async (_how, tool, more, expected, dropped) => {
    await open();
    const answer = await relay.post('/v1/responses', key, asked({ tools: [{ ...codexSearch, ...tool }], ...more }));
    expect(answer.status).toBe(200);
    expect(sent()['tools']).toEqual([{ type: 'web_search_20250305', name: 'web_search', ...expected }]);
    expect(answer.headers.get('x-tollgate-dropped')?.split(/, ?/) ?? []).toEqual(dropped);
  });

  const own = { type: 'function', name: 'web_search', parameters: { type: 'object', properties: {} } };
  const both = { allowed_domains: ['a.example'], blocked_domains: ['b.example'] };
  it.each<[string, Json, Partial<Kind>, object]>([
    ['beside a function of its name', { tools: [codexSearch, own] }, {}, {}],
    ['with domains of both kinds', { tools: [{ ...codexSearch, filters: both }] }, {}, {}],
    ['in a call that may run no tool', { max_tool_calls: 0 }, {}, {}],
    ['at Bedrock, which has none', {}, { type: 33, refuse: () => null }, { key: 'AK|SK|us-east-1' }],
  ])('is left out by name %s', async (_where, more, kind, channel) => {
    await open(kind, channel);
    const answer = await relay.post('/v1/responses', key, asked(more));
    expect([answer.status, answer.headers.get('x-tollgate-dropped')]).toEqual([
      200,
      expect.stringContaining('tools[0].web_search'),
    ]);
    expect(JSON.stringify(sent()['tools'] ?? [])).not.toContain('web_search_20250305');
  });

  it('is limited to what a small balance pays for', async () => {
    await open();
    ({ key } = await relay.addToken({ userId: await relay.addUser({ quota: 22_000 }) }));
    expect((await relay.post('/v1/responses', key, asked({ max_output_tokens: 256 }))).status).toBe(200);
    expect(sent()['tools']).toEqual([expect.objectContaining({ max_uses: 3 })]);
  });

  it.each([false, true])('is masked by rules for output, stream %s', async (stream) => {
    relay.setOptions({
      SelfUseModeEnabled: true,
      'guardrails.rules': [{ name: 'no-a', stage: 'output', action: 'mask', check: 'words', words: ['today'] }],
    });
    await open();
    const given = await (await relay.post('/v1/responses', key, asked({ stream }))).text();
    expect(given).toContain('weather [removed]');
    expect(given).not.toContain('today');
  });

  it('stays out of the history at OpenAI, which did not run it', async () => {
    await open();
    const { output } = responseOf(await (await relay.post('/v1/responses', key, asked())).text(), false);
    await relay.addChannel({ type: 1, models: 'gpt-5' });
    relay.upstream.script({ path: '/v1/responses' }, json(response('completed', responsesItems)));
    const input = [{ role: 'user', content: 'weather' }, ...output, { role: 'user', content: 'And?' }];
    expect((await relay.post('/v1/responses', key, asked({ model: 'gpt-5', input }))).status).toBe(200);
    expect((sent()['input'] as Json[]).map(({ type, role }) => type ?? role)).toEqual(['user', 'message', 'user']);
    const again = await relay.post('/v1/responses', key, asked({ input }));
    expect([again.status, again.headers.get('x-tollgate-dropped')]).toEqual([200, 'input.web_search_call']);
  });
});

it('keeps the blocks of a search elsewhere from Anthropic, which refuses pages without their encrypted content', async () => {
  const at = { ...gemini, model: 'gemini-2.5-flash' };
  await relay.addChannel({ type: 24, models: at.model });
  await relay.addChannel({ type: 14, models: 'claude-sonnet-4-5' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, provider(at));
  const first = (await (await relay.post('/v1/messages', key, call(at.model))).json()) as { content: Json[] };
  expect(first.content.map(({ type }) => type)).toEqual(['server_tool_use', 'web_search_tool_result', 'text']);
  const messages = [...userMessage('search'), { role: 'assistant', content: first.content }, ...userMessage('And?')];
  relay.upstream.script(
    { path: '/v1/messages' },
    json({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text }],
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  );
  expect((await relay.post('/v1/messages', key, call('claude-sonnet-4-5', { messages }))).status).toBe(200);
  const sent = relay.upstream.requests.at(-1)?.body?.['messages'] as Array<{ content: Json[] }>;
  expect(sent[1]?.content).toEqual([expect.objectContaining({ type: 'text', text })]);
});

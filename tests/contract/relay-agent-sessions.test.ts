/**
 * Long sessions of coding agents with the oddities that real ones have, from a client of each dialect at every kind of channel
 * that can chat. The scripted providers refuse what the real providers refuse.
 */
import { kinds, openKind, type OpenedKind, Refusals } from '../agents/kinds.js';
import { isFullSuite } from '../support/suite.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
let opened: OpenedKind | null = null;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

afterEach(async () => {
  await opened?.stop();
  opened = null;
});

type Json = Record<string, unknown>;

/** Faults of a history, each of which costs one refusal of the call. */
const once = [
  /^An assistant message with 'tool_calls' must be followed/,
  /tool call result does not follow tool call/,
  /^No tool output found for/,
  /`tool_use` ids were found without/,
  /^Please ensure that the number of function response parts/,
  /String should match pattern/,
  /text content blocks must contain non-whitespace text/,
  /Invalid `signature` in `thinking` block/,
  /^Corrupted thought signature/,
  /could not be verified/,
  /Unexpected role "system"/,
  /^Unexpected role 'user' after role 'tool'/,
];

/** Hunyuan takes 40 messages (cloud.tencent.com, "ChatCompletions", November 2026). */
const turnsAt = (kind: string): number => (kind === 'Hunyuan' ? 12 : 40);
const range = <Each>(length: number, make: (index: number) => Each): Each[] =>
  Array.from({ length }, (_each, index) => make(index));

/** Schemas as MCP servers have them. */
const schemas: readonly Json[] = [
  { type: 'object', properties: {} },
  { type: 'object' },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { filter: { $ref: '#/$defs/Filter' } },
    $defs: { Filter: { type: 'object', properties: { and: { type: 'array', items: { $ref: '#/$defs/Filter' } } } } },
    additionalProperties: false,
  },
  {
    type: 'object',
    properties: {
      level: { type: 'integer', enum: [1, 2, 3] },
      state: { type: ['string', 'null'], enum: ['open', '', null] },
      when: { type: 'string', format: 'date-time', pattern: '^\\d{4}' },
      fixed: { const: 'v1' },
      bounds: { type: 'number', exclusiveMinimum: 0, default: 1 },
      map: {
        type: 'object',
        additionalProperties: { type: 'string' },
        patternProperties: { '^x-': { type: 'number' } },
      },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      any: {},
      either: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] },
    },
    required: ['level', 'state'],
  },
  { type: 'object', properties: { list: { type: 'array' } }, required: [] },
  {
    anyOf: [
      { type: 'object', properties: { a: { type: 'string' } } },
      { type: 'object', properties: { b: {} } },
    ],
  },
];
const named = (index: number): string =>
  `mcp__server_${index % 7}__${'tool_with_a_long_name_'.repeat(index % 3)}${index}`;
const functions = range(120, (index) => ({
  name: index === 0 ? 'Read' : named(index),
  description: index % 5 === 0 ? '' : `Does ${index}. `.repeat(20),
  schema: schemas[index % schemas.length] ?? {},
}));

/** Events of a turn, beside the usual call and its result. */
const oddities = ['blank', 'cut', 'failed', 'empty', 'parallel', 'interrupted', 'reminder', 'thought'] as const;
const oddityOf = (turn: number): (typeof oddities)[number] => oddities[turn % oddities.length] ?? 'blank';
const said = '<<READ>> Read notes.txt and tell me the word.';
const found = 'The word is SECRET-4f1c9a';

interface Client {
  readonly path: string;
  body(model: string, turns: number): Json;
}

const chatTurn = (turn: number): Json[] => {
  const odd = oddityOf(turn);
  const call = (id: string, text = `{"file_path":"/a/${turn}"}`): Json => ({
    id,
    type: 'function',
    function: { name: 'Read', arguments: text },
  });
  const result = (id: string, content: unknown = `line ${turn}`): Json => ({ role: 'tool', tool_call_id: id, content });
  const [one, two] = [`call_${turn}`, `functions.Read:${turn}`];
  const user = { role: 'user', content: `go on ${turn}` };
  switch (odd) {
    case 'blank':
      return [{ role: 'assistant', content: '\n\n' }, user];
    case 'cut':
      return [
        { role: 'assistant', content: null, tool_calls: [call(one, '{"file_pa')] },
        result(one, 'Invalid arguments'),
      ];
    case 'failed':
      return [{ role: 'assistant', content: ' ', tool_calls: [call(two)] }, result(two, 'Error: {"$ref":"#/x"}'), user];
    case 'empty':
      return [{ role: 'assistant', tool_calls: [call(one, '')] }, result(one, '')];
    case 'parallel':
      return [{ role: 'assistant', content: 'Both.', tool_calls: [call(one), call(two)] }, result(two), result(one)];
    case 'interrupted':
      return [{ role: 'assistant', content: 'Wait', tool_calls: [call(one), call(two)] }, result(one), user];
    case 'reminder':
      return [
        { role: 'assistant', content: [{ type: 'text', text: 'Now.' }], tool_calls: [call(one)] },
        result(one, [{ type: 'text', text: 'part' }]),
        { role: 'system', content: `Skills changed ${turn}` },
      ];
    case 'thought':
      return [{ role: 'assistant', content: 'ok', reasoning_content: 'Hm.' }, user];
  }
};

const messagesTurn = (turn: number): Json[] => {
  const odd = oddityOf(turn);
  const [one, two] = [`toolu_${turn}`, `call.${turn}:x`];
  const use = (id: string, input: Json = { file_path: `/a/${turn}` }): Json => ({
    type: 'tool_use',
    id,
    name: 'Read',
    input,
  });
  const result = (id: string, more: Json = { content: `line ${turn}` }): Json => ({
    type: 'tool_result',
    tool_use_id: id,
    ...more,
  });
  const text = (words: string): Json => ({ type: 'text', text: words });
  const turnOf = (...content: Json[]): Json => ({ role: 'assistant', content });
  const user = (...content: Json[]): Json => ({ role: 'user', content });
  switch (odd) {
    case 'blank':
      return [turnOf(text('\n\n')), user(text('go on'))];
    case 'cut':
      return [
        turnOf(use(one, {})),
        user(
          result(one, { content: 'InputValidationError', is_error: true }),
          text('<system-reminder>todo</system-reminder>'),
        ),
      ];
    case 'failed':
      return [turnOf(text(' '), use(one)), user(result(one, { is_error: true, content: [text('{"$ref":"#/x"}')] }))];
    case 'empty':
      return [turnOf(use(one)), user(result(one, {}))];
    case 'parallel':
      return [turnOf(use(one), use(two)), user(result(two), result(one, { content: [] }))];
    case 'interrupted':
      return [turnOf(text('Wait'), use(one), use(two)), user(result(one), text('[Request interrupted by user]'))];
    case 'reminder':
      return [turnOf(use(one)), user(result(one)), { role: 'system', content: `Skills changed ${turn}` }];
    case 'thought':
      return [
        turnOf(
          { type: 'thinking', thinking: 'Hm.', signature: '' },
          { type: 'server_tool_use', id: `srvtoolu_${turn}`, name: 'web_search', input: { query: 'x' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: `srvtoolu_${turn}`,
            content: [{ type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: '' }],
          },
          text('ok'),
        ),
        user(text('go on')),
      ];
  }
};

const responsesTurn = (turn: number): Json[] => {
  const odd = oddityOf(turn);
  const [one, two] = [`call_${turn}`, `fc-${turn}`];
  const call = (id: string, text = `{"file_path":"/a/${turn}"}`, more: Json = {}): Json => ({
    type: 'function_call',
    name: 'Read',
    call_id: id,
    arguments: text,
    ...more,
  });
  const result = (id: string, output: unknown = `line ${turn}`): Json => ({
    type: 'function_call_output',
    call_id: id,
    output,
  });
  const message = (role: string, text: string): Json => ({
    type: 'message',
    role,
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
  });
  switch (odd) {
    case 'blank':
      return [message('assistant', '\n\n'), message('user', 'go on')];
    case 'cut':
      return [call(one, '{"file_pa', { status: 'incomplete' }), result(one, 'failed to parse function arguments')];
    case 'failed':
      return [call(one), result(one, '{"$ref":"#/x"}'), message('user', 'go on')];
    case 'empty':
      return [call(one, ''), result(one, '')];
    case 'parallel':
      return [call(one), call(two), result(two), result(one, [{ type: 'input_text', text: 'part' }])];
    case 'interrupted':
      return [call(one), call(two), result(one), message('user', '<turn_aborted>')];
    case 'reminder':
      return [call(one), result(one), message('developer', `Sandbox changed ${turn}`)];
    case 'thought':
      return [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'd8b79690-1f2e' },
        { type: 'web_search_call', id: `ws_${turn}`, status: 'completed', action: { type: 'search', query: 'x' } },
        message('assistant', 'ok'),
        message('user', 'go on'),
      ];
  }
};

const geminiTurn = (turn: number): Json[] => {
  const odd = oddityOf(turn);
  const call = (more: Json = {}): Json => ({
    functionCall: { name: 'Read', args: { file_path: `/a/${turn}` }, ...more },
  });
  const result = (response: Json = { output: `line ${turn}` }, more: Json = {}): Json => ({
    functionResponse: { name: 'Read', response, ...more },
  });
  const model = (...parts: Json[]): Json => ({ role: 'model', parts });
  const user = (...parts: Json[]): Json => ({ role: 'user', parts });
  const text = (words: string): Json => ({ text: words });
  switch (odd) {
    case 'blank':
      return [model(text('\n\n')), user(text('go on'))];
    case 'cut':
      return [model({ functionCall: { name: 'Read' } }), user(result({ error: 'no path' }))];
    case 'failed':
      return [model(call({ id: `c${turn}` })), user(result({ error: '{"$ref":"#/x"}' }, { id: `c${turn}` }))];
    case 'empty':
      return [model(call()), user(result({ output: '' }))];
    case 'parallel':
      return [model({ ...call(), thoughtSignature: 'c2ln' }, call()), user(result(), result())];
    case 'interrupted':
      return [model(text('Wait'), call()), user(text('[Request cancelled]'))];
    case 'reminder':
      return [model(call()), user(result(), text('<reminder>'))];
    case 'thought':
      return [model({ text: 'Hm.', thought: true }, text('ok')), user(text('go on'))];
  }
};

const history = (turns: number, turn: (index: number) => Json[]): Json[] => range(turns, turn).flat();

const clients: Readonly<Record<string, Client>> = {
  chat: {
    path: '/v1/chat/completions',
    body: (model, turns) => ({
      model,
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'You are an agent.' },
        { role: 'user', content: said },
        ...history(turns, chatTurn),
        { role: 'user', content: `${said} ${found}` },
      ],
      tools: functions.map(({ schema, ...each }) => ({ type: 'function', function: { ...each, parameters: schema } })),
      tool_choice: 'auto',
      max_tokens: 8000,
    }),
  },
  Messages: {
    path: '/v1/messages',
    body: (model, turns) => ({
      model,
      stream: true,
      max_tokens: 32_000,
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.332.3c1; cch=36ee5;' },
        { type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } },
      ],
      messages: [
        { role: 'user', content: said },
        ...history(turns, messagesTurn),
        { role: 'user', content: `${said} ${found}` },
      ],
      tools: functions
        .filter(({ schema }) => schema['type'] === 'object')
        .map(({ schema, ...each }) => ({ ...each, input_schema: schema })),
      thinking: { type: 'adaptive' },
    }),
  },
  Responses: {
    path: '/v1/responses',
    body: (model, turns) => ({
      model,
      stream: true,
      store: false,
      instructions: 'You are an agent.',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: said }] },
        ...history(turns, responsesTurn),
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: `${said} ${found}` }] },
      ],
      tools: functions.map(({ schema, ...each }) => ({ type: 'function', ...each, parameters: schema, strict: false })),
      reasoning: { effort: 'medium', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      parallel_tool_calls: true,
    }),
  },
  Gemini: {
    path: '/v1beta/models/MODEL:streamGenerateContent?alt=sse',
    body: (_model, turns) => ({
      systemInstruction: { parts: [{ text: 'You are an agent.' }] },
      contents: [
        { role: 'user', parts: [{ text: said }] },
        ...history(turns, geminiTurn),
        { role: 'user', parts: [{ text: `${said} ${found}` }] },
      ],
      tools: [
        {
          functionDeclarations: functions.map(({ schema, ...each }) => ({ ...each, parametersJsonSchema: schema })),
        },
      ],
      generationConfig: { thinkingConfig: { includeThoughts: true }, maxOutputTokens: 8000 },
    }),
  },
};

// `e2e/vertex.test.ts` tests the kinds at Google's hosts.
const here = kinds.filter(({ at }) => at !== 'google');

describe.each(Object.entries(clients))('a session of a %s client', (_name, { path, body }) => {
  const turn = Object.values(clients).findIndex((client) => client.path === path);
  const served = here.filter((_, index) => isFullSuite || index % 2 === turn % 2);
  it.each(served.map((kind) => [kind.name, kind] as const))('goes on at %s', async (_kind, kind) => {
    const refusals = new Refusals(kind.learned, ...once);
    opened = await openKind(kind, relay.upstream, '/project', refusals);
    await relay.addChannel({
      ...opened.channel,
      models: 'some-model',
      mapping: JSON.stringify({ 'some-model': kind.model }),
    });
    const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000_000 }) });
    const response = await relay.post(path.replace('MODEL', 'some-model'), key, body('some-model', turnsAt(kind.name)));
    const text = await response.text();
    expect({ refusals: refusals.unexpected, status: response.status, text: text.slice(0, 2000) }).toEqual({
      refusals: [],
      status: 200,
      text: expect.not.stringMatching(/"type":\s*"error"|"error":\s*\{/) as string,
    });
  });
});

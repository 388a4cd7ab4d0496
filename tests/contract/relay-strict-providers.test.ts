/**
 * Tests each refusal of a real provider that the scripted providers repeat: the provider refuses the body when it is sent
 * directly, and a client whose call would cause it is served through the relay.
 */
import { kinds, openKind, type Kind, type OpenedKind, Refusals } from '../agents/kinds.js';
import { pictureBytes } from '../agents/model.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
let opened: OpenedKind | null = null;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });
afterEach(async () => {
  await opened?.stop();
  opened = null;
});

type Json = Record<string, unknown>;

const kindOf = (name: string): Kind => {
  const found = kinds.find((each) => each.name === name);
  if (!found) throw new Error(`no kind ${name}`);
  return found;
};

const chatPath = '/v1/chat/completions';
const schema = { type: 'object', properties: {} };
const tools = [{ type: 'function', function: { name: 'look', parameters: schema } }];
const hi = { messages: userMessage('hi') };
const turn = (call: Json): Json => ({ role: 'assistant', content: null, tool_calls: [call] });
const call = (text = '{}'): Json => ({
  id: 'call_0001',
  type: 'function',
  function: { name: 'look', arguments: text },
});
const result = { role: 'tool', tool_call_id: 'call_0001', content: 'seen' };
const format = { type: 'json_schema', schema: { ...schema, additionalProperties: false } };
const claude = { model: 'claude-sonnet-4-5', max_tokens: 100 };
const messagesTurns = (...content: unknown[]): Json[] => [
  ...userMessage('hi'),
  { role: 'assistant', content },
  ...userMessage('go on'),
];

const named = (name: string, parameters: Json = schema): Json => ({ type: 'function', function: { name, parameters } });
const choosing = (choices: readonly unknown[]): Json => ({ ...schema, properties: { state: { enum: choices } } });
const messagesClient = (body: Json): NonNullable<Case['client']> => ({
  path: '/v1/messages',
  body: { ...hi, max_tokens: 9, ...body },
});

interface Case {
  readonly kind: string;
  /** The body in the provider's dialect. */
  readonly refused: Json;
  readonly says: RegExp;
  /** The path at the provider. Absent: chat completions. */
  readonly at?: string;
  /** The call of a client. Absent: the refused body itself, sent to the path `at`. */
  readonly client?: { readonly path: string; readonly body: Json };
  readonly headers?: Record<string, string>;
}

const cases: readonly Case[] = [
  { kind: 'OpenAI, functions at Responses', refused: { ...hi, tools }, says: /Function tools with reasoning_effort/ },
  { kind: 'Azure, functions at Responses', refused: { ...hi, tools }, says: /Function tools with reasoning_effort/ },
  { kind: 'OpenAI, Responses alone', refused: hi, says: /only supported in v1\/responses/ },
  { kind: 'OpenAI', refused: { ...hi, stop: ['END'] }, says: /Unsupported parameter: 'stop'/ },
  {
    kind: 'OpenAI',
    refused: { ...hi, stop: ['END'] },
    says: /Unsupported parameter: 'stop'/,
    client: { path: '/v1/messages', body: { ...hi, max_tokens: 9, stop_sequences: ['END'] } },
  },
  { kind: 'OpenAI', refused: { ...hi, max_tokens: 9 }, says: /Unsupported parameter: 'max_tokens'/ },
  { kind: 'OpenAI', refused: { ...hi, usage: { include: true } }, says: /Unrecognized request argument.*usage/ },
  { kind: 'OpenAI', refused: { ...hi, tools: [] }, says: /is too short/ },
  { kind: 'OpenAI without reasoning', refused: { ...hi, max_tokens: 32_000 }, says: /max_tokens is too large/ },
  {
    kind: 'Azure, a deployment of gpt-4o',
    refused: { ...hi, reasoning_effort: 'high' },
    says: /Unrecognized request argument.*reasoning_effort/,
    client: { path: '/v1/messages', body: { ...hi, max_tokens: 9, thinking: { type: 'adaptive' } } },
  },
  {
    kind: 'OpenAI',
    at: '/v1/responses',
    refused: { input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'd8b79690-1f2e' }] },
    says: /could not be verified/,
  },
  {
    kind: 'OpenAI',
    at: '/v1/responses',
    refused: {
      input: [
        {
          type: 'reasoning',
          summary: [],
          content: [{ type: 'reasoning_text', text: 'hm' }],
          encrypted_content: `gAAAAABpQx0${'x'.repeat(100)}`,
        },
      ],
    },
    says: /array too long/,
  },
  ...['Mistral', 'DeepSeek', 'MiniMax', 'vLLM', 'SGLang', 'Ollama', 'Custom'].map((kind) => ({
    kind,
    refused: { messages: [...userMessage('hi'), turn(call('{"command":"ls')), result] },
    says: /invalid function arguments json string/,
  })),
  {
    kind: 'Mistral',
    refused: { messages: [...userMessage('hi'), turn(call()), result, ...userMessage('and?')] },
    says: /Unexpected role 'user' after role 'tool'/,
  },
  ...['DeepSeek V4', 'SiliconFlow, DeepSeek V4'].map((kind) => ({
    kind,
    refused: { messages: [...userMessage('hi'), { role: 'assistant', content: 'Hello' }, ...userMessage('go on')] },
    says: /must be passed back/,
  })),
  {
    kind: 'Moonshot',
    refused: { messages: [...userMessage('hi'), turn(call()), result] },
    says: /reasoning_content is missing/,
  },
  ...['OpenAI', 'Azure', 'DeepSeek', 'DeepSeek V4', 'Moonshot', 'MiniMax'].map((kind) => ({
    kind,
    refused: {
      messages: [...userMessage('hi'), { ...turn(call()), reasoning_content: 'Hm.' }, ...userMessage('go on')],
    },
    says: /must be followed by tool messages|does not follow tool call/,
  })),
  {
    kind: 'Anthropic',
    at: '/v1/messages',
    refused: { ...claude, messages: messagesTurns({ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }) },
    says: /without `tool_result` blocks immediately after: toolu_1/,
  },
  {
    kind: 'Anthropic',
    at: '/v1/messages',
    refused: {
      ...claude,
      messages: [
        ...userMessage('hi'),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'functions.look:0', name: 'look', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions.look:0', content: 'seen' }] },
      ],
    },
    says: /tool_use\.id: String should match pattern/,
  },
  ...(['function_call', 'custom_tool_call'] as const).map((type) => ({
    kind: 'OpenAI',
    at: '/v1/responses',
    refused: {
      input: [{ type, call_id: 'call_1', name: 'look', arguments: '{}', input: '{}' }, ...userMessage('go on')],
    },
    says: /No tool output found for (?:function|custom tool) call call_1/,
  })),
  {
    kind: 'Gemini 3',
    at: '/v1beta/models/gemini-3-pro:generateContent',
    refused: {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: ['a', 'b', 'a'].map((name) => ({ functionCall: { name, args: {} } })) },
        { role: 'user', parts: [{ functionResponse: { name: 'a', response: {} } }] },
      ],
    },
    says: /number of function response parts/,
  },
  { kind: 'DeepSeek', refused: { ...hi, max_tokens: 32_000 }, says: /valid range of max_tokens/ },
  { kind: 'Qwen', refused: { ...hi, max_tokens: 32_000 }, says: /Range of max_tokens/ },
  { kind: 'Custom, Groq', refused: { ...hi, max_tokens: 32_000 }, says: /must be less than or equal/ },
  ...['Qwen 3.5', 'Ollama, Qwen', 'vLLM, Qwen'].map((kind) => ({
    kind,
    refused: { messages: [...userMessage('hi'), { role: 'system', content: 'B' }] },
    says: /must be at the beginning/,
  })),
  {
    kind: 'Anthropic',
    at: '/v1/messages',
    refused: { ...claude, messages: messagesTurns({ type: 'text', text: '\n\n' }) },
    says: /non-whitespace text/,
  },
  {
    kind: 'Anthropic',
    at: '/v1/messages',
    refused: {
      ...claude,
      messages: messagesTurns({ type: 'thinking', thinking: 'x', signature: 'EqQB' }, { type: 'text', text: 'a' }),
    },
    says: /Invalid `signature`/,
  },
  {
    kind: 'Anthropic',
    at: '/v1/messages',
    refused: { ...claude, ...hi, max_tokens: 128_000 },
    says: /maximum allowed/,
  },
  {
    kind: 'Anthropic',
    at: '/v1/messages',
    refused: { ...claude, messages: [...userMessage('hi'), { role: 'system', content: 'B' }] },
    says: /top-level `system` parameter/,
  },
  {
    kind: 'A host of Messages',
    at: '/v1/messages',
    refused: { ...claude, ...hi },
    headers: { 'anthropic-beta': 'claude-code-20250219,advisor-tool-2026-03-01' },
    says: /Unexpected value\(s\) `advisor-tool-2026-03-01`/,
  },
  {
    kind: 'Bedrock',
    at: '/model/claude-sonnet-4-5-20250929/invoke',
    refused: { ...hi, max_tokens: 9, anthropic_version: 'bedrock-2023-05-31', output_format: format },
    says: /output_format: Extra inputs/,
    client: { path: '/v1/messages', body: { ...hi, max_tokens: 9, output_format: format } },
    headers: { 'anthropic-beta': 'structured-outputs-2025-11-13' },
  },
  {
    kind: 'Gemini 3',
    at: '/v1beta/models/gemini-3-pro:generateContent',
    refused: {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'look', response: { $ref: '#/a' } } }] },
      ],
    },
    says: /\$ref/,
    client: {
      path: chatPath,
      body: { messages: [...userMessage('hi'), turn(call()), { ...result, content: '{"$ref":"#/a"}' }] },
    },
  },
  {
    kind: 'Gemini',
    at: '/v1beta/models/gemini-2.5-flash:generateContent',
    refused: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], generationConfig: { maxOutputTokens: 100_000 } },
    says: /maxOutputTokens value/,
    client: { path: '/v1/messages', body: { ...hi, max_tokens: 100_000 } },
  },
  { kind: 'OpenAI', refused: { ...hi, tools, tool_choice: 'validated' }, says: /Invalid value: 'validated'/ },
  {
    kind: 'OpenAI without reasoning',
    refused: { ...hi, tools, tool_choice: 'validated' },
    says: /Invalid value: 'validated'/,
  },
  {
    kind: 'OpenAI',
    refused: { ...hi, tool_choice: 'auto' },
    says: /'tool_choice' is only allowed when 'tools' are specified/,
    client: { path: chatPath, body: { ...hi, tools: [], tool_choice: 'auto', parallel_tool_calls: true } },
  },
  ...['OpenAI', 'DeepSeek', 'Qwen'].map((kind) => ({
    kind,
    refused: { ...hi, tools: [named('a'.repeat(85))] },
    says: /string too long|cannot exceed 64/,
    client: messagesClient({ tools: [{ name: 'a'.repeat(85), input_schema: schema }] }),
  })),
  {
    kind: 'Gemini 3',
    at: '/v1beta/models/gemini-3-pro:generateContent',
    refused: {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      tools: [{ functionDeclarations: [{ name: '7zip' }] }],
    },
    says: /Invalid function name/,
    client: { path: chatPath, body: { ...hi, tools: [named('7zip'), named('a'.repeat(85))] } },
  },
  {
    kind: 'Gemini',
    at: '/v1beta/models/gemini-2.5-flash:generateContent',
    refused: {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      tools: [{ functionDeclarations: [{ name: 'look', parameters: choosing(['a', '']) }] }],
    },
    says: /TYPE_STRING/,
    client: { path: chatPath, body: { ...hi, tools: [named('look', choosing(['a', '', 1]))] } },
  },
  ...[
    {
      refused: { tools: [{ name: 'files.read', input_schema: schema }] },
      says: /custom\.name: String should match pattern/,
      client: { tools: [named('files.read'), named('a'.repeat(140))] },
    },
    {
      refused: { tools: [{ name: 'look', input_schema: { ...schema, anyOf: [{ required: ['a'] }] } }] },
      says: /oneOf, allOf, or anyOf at the top level/,
      client: { tools: [named('look', { anyOf: [{ ...schema, required: ['a'] }, schema] })] },
    },
    {
      refused: { tools: [{ name: 'look', input_schema: {} }] },
      says: /input_schema\.type: Field required/,
      client: { tools: [named('look', {})] },
    },
    {
      refused: { thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 4000, tool_choice: { type: 'any' } },
      says: /Thinking may not be enabled/,
      client: { tools, reasoning_effort: 'high', max_tokens: 8000, tool_choice: 'required' },
    },
    {
      refused: { thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 2000 },
      says: /must be greater than `thinking\.budget_tokens`/,
      client: { reasoning_effort: 'high', max_tokens: 1500 },
    },
    {
      refused: { thinking: { type: 'enabled', budget_tokens: 1000 }, max_tokens: 2000 },
      says: /greater than or equal to 1024/,
      client: { reasoning_effort: 'high', max_tokens: 500 },
    },
    {
      refused: { temperature: 0.5, top_p: 0.5 },
      says: /cannot both be specified/,
      client: { temperature: 0.5, top_p: 0.5 },
    },
    { refused: { temperature: 1.5 }, says: /temperature: range/, client: { temperature: 1.5 } },
    {
      refused: { temperature: 0.5, thinking: { type: 'adaptive' } },
      says: /may only be set to 1/,
      client: { temperature: 0.5, reasoning_effort: 'high', max_tokens: 8000 },
    },
    { refused: { stop_sequences: [' '] }, says: /non-whitespace/, client: { stop: [' ', 'END'] } },
    {
      refused: {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/jpg', data: pictureBytes } }],
          },
        ],
      },
      says: /media_type: Input should be/,
      client: {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: `data:image/jpg;base64,${pictureBytes}` } }],
          },
        ],
      },
    },
  ].map(({ refused, says, client }) => ({
    kind: 'Anthropic',
    at: '/v1/messages',
    refused: { ...claude, ...hi, ...refused },
    says,
    client: { path: chatPath, body: { ...hi, ...client } },
  })),
];

it.each(cases.map((each) => [`${each.kind}: ${each.says.source}`, each] as const))('%s', async (_name, each) => {
  const kind = kindOf(each.kind);
  const { at = chatPath, refused, says, headers = {}, client = { path: at, body: refused } } = each;
  const refusals = new Refusals();
  opened = await openKind(kind, relay.upstream, '/project', refusals);
  const direct = await fetch(relay.upstream.url + at, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    // Bedrock and Google have the model in the path.
    body: JSON.stringify(at.includes(kind.model) ? refused : { model: kind.model, ...refused }),
  });
  expect([direct.ok, await direct.text()]).toEqual([false, expect.stringMatching(says)]);
  const before = refusals.count;
  await relay.addChannel({ ...opened.channel, models: kind.model });
  const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000 }) });
  const body = client.path.startsWith('/v1beta') ? client.body : { ...client.body, model: kind.model };
  for (const _ of [1, 2]) {
    const response = await relay.post(client.path, key, body, { headers });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('ok')]);
  }
  // A refusal that depends on the history may happen once for each call, and any other refusal once for the model.
  expect(refusals.count - before).toBeLessThanOrEqual(2);
  expect(relay.health.cooldowns).toEqual([]);
});

/**
 * A provider refuses an optional part of a call. The relay sends the call once more without that part, and remembers the
 * refusal.
 */
import { json } from '../support/upstream/replies.js';
import type { ReceivedRequest, Reply } from '../support/upstream/upstream.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true, RetryTimes: 3 } });
afterEach(async () => expect(await relay.unexplained()).toEqual([]));

type Json = Record<string, unknown>;

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

const refusalOf = (text: string): Json => ({
  type: 'error',
  error: { message: text, type: 'invalid_request_error', code: null },
});

/** Returns a provider that refuses a request with the message, or the body, that `refuse` returns. */
const refusing =
  (answer: Json, refuse: (request: ReceivedRequest) => string | Json | null, status = 400): Reply =>
  (response, request) => {
    const said = refuse(request);
    const refused = typeof said === 'string' ? refusalOf(said) : said;
    return json(refused ?? answer, refused === null ? 200 : status)(response, request);
  };
const at = (body: Json | null, path: string): unknown =>
  path.split('.').reduce<unknown>((found, name) => (found as Json | undefined)?.[name], body ?? {});
const sent = (index: number): Json => relay.upstream.requests[index]?.body ?? {};

interface Case {
  readonly name: string;
  readonly type: number;
  readonly model: string;
  readonly channelKey?: string;
  readonly path?: string;
  readonly answer?: Json;
  readonly body: Json;
  /** The path of the field in the body that the provider gets. */
  readonly field: string;
  readonly says: string | Json;
  readonly status?: number;
  /** The value of the field in the second request; undefined when the field is left out. */
  readonly then?: unknown;
  readonly dropped: string;
}

const chat = { messages: userMessage('hi') };
const messages = { messages: userMessage('hi'), max_tokens: 32_000 };
const thinks = { ...messages, thinking: { type: 'adaptive' } };
const input = { input: 'hi' };
const response = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-5',
  output: [
    {
      type: 'message',
      id: 'm',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hello' }],
    },
  ],
  usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 },
};
const anthropic = { type: 14, model: 'claude-next', path: '/v1/messages', answer: message };
const gemini = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const withResult = {
  contents: [
    ...gemini.contents,
    { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'f', response: { result: 'x' } } }] },
  ],
};
const parameters = {
  type: 'OBJECT',
  properties: { b: { type: 'STRING' }, a: { anyOf: [{ const: 'x', type: 'STRING' }, { type: 'STRING' }] } },
};

const cases: readonly Case[] = [
  {
    name: 'OpenAI, an effort that Claude Code sends to a deployment (Azure, A4)',
    type: 3,
    model: 'my-deploy',
    path: '/v1/messages',
    body: thinks,
    field: 'reasoning_effort',
    says: 'Unrecognized request argument supplied: reasoning_effort',
    dropped: 'thinking',
  },
  {
    name: 'a custom address, an effort of a chat client',
    type: 8,
    model: 'my-tune',
    body: { ...chat, reasoning_effort: 'low' },
    field: 'reasoning_effort',
    says: "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
    dropped: 'reasoning_effort',
  },
  {
    name: 'OpenAI, stop sequences at a model that reasons (A5)',
    type: 1,
    model: 'gpt-5',
    path: '/v1/messages',
    body: { ...messages, stop_sequences: ['END'] },
    field: 'stop',
    says: "Unsupported parameter: 'stop' is not supported with this model.",
    dropped: 'stop_sequences',
  },
  {
    name: 'OpenAI, usage as OpenRouter’s clients ask for it (A8)',
    type: 1,
    model: 'gpt-4o',
    body: { ...chat, usage: { include: true } },
    field: 'usage',
    says: 'Unrecognized request argument supplied: usage',
    dropped: 'usage',
  },
  {
    name: 'OpenAI, an output limit above that of the model (F8)',
    type: 1,
    model: 'gpt-4o',
    path: '/v1/messages',
    body: messages,
    field: 'max_tokens',
    says: 'max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.',
    then: 16_384,
    dropped: 'max_tokens',
  },
  {
    name: 'Anthropic, an output limit above that of the model',
    type: 14,
    model: 'claude-3-5-haiku-latest',
    path: '/v1/messages',
    answer: message,
    body: messages,
    field: 'max_tokens',
    says: 'max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022',
    then: 8192,
    dropped: 'max_tokens',
  },
  {
    name: 'Bedrock, the same in a signed request',
    type: 33,
    model: 'claude-3-haiku-20240307',
    channelKey: 'AK|SK|us-east-1',
    path: '/v1/messages',
    answer: message,
    body: messages,
    field: 'max_tokens',
    says: 'The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.',
    then: 4096,
    dropped: 'max_tokens',
  },
  {
    name: 'DeepSeek, an output limit above that of the model',
    type: 43,
    model: 'deepseek-chat',
    path: '/v1/messages',
    body: messages,
    field: 'max_tokens',
    says: 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]',
    then: 8192,
    dropped: 'max_tokens',
  },
  {
    name: 'Qwen, an output limit above that of the model',
    type: 17,
    model: 'qwen-max',
    path: '/v1/messages',
    body: messages,
    field: 'max_tokens',
    says: '<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]',
    then: 8192,
    dropped: 'max_tokens',
  },
  {
    name: 'Gemini, an output limit above that of the model',
    type: 24,
    model: 'gemini-2.0-flash',
    answer: contents,
    body: { ...chat, max_tokens: 32_000 },
    field: 'generationConfig.maxOutputTokens',
    says: 'Unable to submit request because it has a maxOutputTokens value of 32000 but the supported range is from 1 (inclusive) to 8193 (exclusive). Update the value and try again.',
    then: 8192,
    dropped: 'max_tokens',
  },
  {
    name: 'Gemini, a field that an older model does not know',
    type: 24,
    model: 'gemini-2.0-flash',
    path: '/v1beta/models/gemini-2.0-flash:generateContent',
    answer: contents,
    body: { ...gemini, generationConfig: { enableEnhancedCivicAnswers: true, temperature: 1 } },
    field: 'generationConfig.enableEnhancedCivicAnswers',
    says: 'Invalid JSON payload received. Unknown name "enable_enhanced_civic_answers" at \'generation_config\': Cannot find field.',
    dropped: 'generationConfig.enableEnhancedCivicAnswers',
  },
  {
    name: 'Anthropic, a field of tools that a host does not know',
    type: 14,
    model: 'claude-sonnet-4-5',
    path: '/v1/messages',
    answer: message,
    body: { ...messages, tools: [{ name: 'f', input_schema: { type: 'object' }, eager_input_streaming: true }] },
    field: 'tools.0.eager_input_streaming',
    says: 'tools.0.custom.eager_input_streaming: Extra inputs are not permitted',
    dropped: 'tools.custom.eager_input_streaming',
  },
  {
    name: 'Mistral, a field with its place apart',
    type: 42,
    model: 'mistral-small-latest',
    body: { ...chat, prompt_mode: 'reasoning' },
    field: 'prompt_mode',
    says: 'prompt_mode: Extra inputs are not permitted',
    status: 422,
    dropped: 'prompt_mode',
  },
  {
    name: 'xAI, a field in its own words',
    type: 48,
    model: 'grok-5',
    body: { ...chat, presence_penalty: 1 },
    field: 'presence_penalty',
    says: 'Model grok-5 does not support parameter presencePenalty.',
    dropped: 'presence_penalty',
  },
  ...[
    { mode: 'validated', program: 'Copilot CLI', then: 'auto' },
    { mode: 'any', program: 'a client of Mistral', then: 'required' },
  ].map(({ mode, program, then }) => ({
    name: `OpenAI, a tool choice of ${program}: the nearest is sent (A2)`,
    type: 1,
    model: 'gpt-4o',
    body: { ...chat, tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: mode },
    field: 'tool_choice',
    says: `Invalid value: '${mode}'. Supported values are: 'none', 'auto', and 'required'.`,
    then,
    dropped: 'tool_choice',
  })),
  {
    name: 'OpenAI, an effort that the model does not have: the nearest is sent',
    type: 1,
    model: 'gpt-9-small',
    body: { ...chat, reasoning_effort: 'xhigh' },
    field: 'reasoning_effort',
    says: "Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model. Supported values are: 'low', 'medium', and 'high'.",
    then: 'high',
    dropped: 'reasoning_effort',
  },
  // windmill#10147 (July 2026), OpenHands/software-agent-sdk#987.
  {
    name: 'OpenAI, summaries of thoughts for an organization that is not verified',
    type: 1,
    model: 'gpt-5',
    path: '/v1/responses',
    answer: response,
    body: { ...input, reasoning: { effort: 'low', summary: 'auto' } },
    field: 'reasoning.summary',
    says: 'Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization.',
    dropped: 'reasoning.summary',
  },
  {
    name: 'OpenAI, an output limit at Responses',
    type: 1,
    model: 'gpt-5',
    path: '/v1/responses',
    answer: response,
    body: { ...input, max_output_tokens: 200_000 },
    field: 'max_output_tokens',
    says: "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 128000, but got 200000 instead.",
    then: 128_000,
    dropped: 'max_output_tokens',
  },
  // Roo-Code#12162 (April 2026), pr-agent#2456 (June 2026).
  {
    name: 'Anthropic, a temperature that a model no longer takes',
    ...anthropic,
    body: { ...messages, temperature: 0.5 },
    field: 'temperature',
    says: '`temperature` is deprecated for this model.',
    dropped: 'temperature',
  },
  // vellum-assistant#37276 (July 2026).
  {
    name: 'Anthropic, adaptive thinking at an older model',
    ...anthropic,
    body: thinks,
    field: 'thinking',
    says: 'adaptive thinking is not supported on this model',
    dropped: 'thinking',
  },
  // bifrost#5934 (August 2026), aelix-ai#258 (September 2026, measured at eight models).
  {
    name: 'Anthropic, a budget at a newer model: its thinking is adaptive',
    ...anthropic,
    body: { ...messages, thinking: { type: 'enabled', budget_tokens: 2000 } },
    field: 'thinking.type',
    says: '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    then: 'adaptive',
    dropped: 'thinking.budget_tokens',
  },
  // platform.claude.com, "Effort": Haiku has none (November 2026).
  {
    name: 'Anthropic, an effort at a model without efforts',
    ...anthropic,
    body: { ...messages, output_config: { effort: 'low' } },
    field: 'output_config.effort',
    says: 'This model does not support the effort parameter.',
    dropped: 'thinking',
  },
  // Roo-Code#10700 (January 2026), vellum-assistant#32687 (May 2026).
  ...[
    'Thinking level is not supported for this model.',
    'Thinking level MINIMAL is not supported for this model.',
    // immersive-translate#2976 (June 2025), lobehub#7985 (May 2025), opencode-gemini-auth#14 (December 2025).
    'thinking_config is not supported.',
    'Thinking is not enabled for models/gemini-2.0-flash-preview-image-generation',
    'Unable to submit request because Thinking_config.include_thoughts is only enabled when thinking is enabled.',
    'Unable to submit request because thinking_level MEDIUM is not supported by this model.',
  ].map((says) => ({
    name: `Gemini, a level of thoughts: ${says}`,
    type: 24,
    model: 'gemini-2.5-flash',
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    answer: contents,
    body: { ...gemini, generationConfig: { thinkingConfig: { thinkingLevel: 'MINIMAL' } } },
    field: 'generationConfig.thinkingConfig',
    says,
    dropped: 'generationConfig.thinkingConfig',
  })),
  // gemini-cli#13972 (November 2025).
  {
    name: 'Gemini, the id of the result of a call',
    type: 24,
    model: 'gemini-2.5-flash',
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    answer: contents,
    body: withResult,
    field: 'contents.2.parts.0.functionResponse.id',
    says: `Invalid JSON payload received. Unknown name "id" at 'contents[2].parts[0].function_response': Cannot find field.`,
    dropped: 'contents.parts.functionResponse.id',
  },
  // zed#44875 (December 2025), LibreChat#11761: entries of a map are counted, and every field has a line of its own.
  {
    name: 'Gemini, unknown words of schemas, one line each',
    type: 24,
    model: 'gemini-2.5-flash',
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    answer: contents,
    body: { ...gemini, labels: { team: 'a' }, tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] },
    field: 'tools.0.functionDeclarations.0.parameters.properties.a.anyOf.0.const',
    says: [
      `Invalid JSON payload received. Unknown name "const" at 'tools[0].function_declarations[0].parameters.properties[1].value.any_of[0]': Cannot find field.`,
      `Invalid JSON payload received. Unknown name "labels": Cannot find field.`,
    ].join('\n'),
    dropped: 'tools.functionDeclarations.parameters.properties.value.anyOf.const',
  },
  // crush#1590 (December 2025), litellm#30835 (June 2026).
  ...[
    (detail: Json[]) => ({ object: 'error', message: { detail }, type: 'invalid_request_error' }),
    (message: Json[]) => ({ object: 'Error', message, type: 'invalid_request_error', code: 3001 }),
  ].map((bodyOf, index) => ({
    name: `Mistral, a field of a message (form ${index + 1})`,
    type: 42,
    model: 'mistral-next',
    body: { messages: [{ role: 'user', content: 'hi', weight: 1 }] },
    field: 'messages.0.weight',
    says: bodyOf([
      {
        type: 'extra_forbidden',
        loc: ['body', 'messages', 0, 'user', 'weight'],
        msg: 'Extra inputs are not permitted',
        input: 1,
      },
    ]),
    status: 422,
    dropped: 'messages.user.weight',
  })),
  // free-claude-code#955 (July 2026), groq-moa#8 (July 2024).
  ...[
    'max_tokens must be less than or equal to 8000, the maximum value for max_tokens is less than the context_window for this model',
    'max_tokens for `llama-3.1-8b-instant` must be less than or equal to 8000',
    // TOKENICODE#3 (March 2026).
    'The parameter max_tokens specified in the request is not valid: integer above maximum value, expected a value <= 8000, but got 32000 instead. Request id: 02177',
    // kilocode#5871 (February 2026).
    'Upstream error from Alibaba: <400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8000]',
  ].map((says) => ({
    name: `an output limit: ${says}`,
    type: 20,
    model: 'm',
    body: { ...chat, max_tokens: 32_000 },
    field: 'max_tokens',
    says,
    then: 8000,
    dropped: 'max_tokens',
  })),
  // MassGen#665 (December 2025).
  {
    name: 'OpenRouter, the refusal of its provider',
    type: 20,
    model: 'm',
    body: { ...chat, presence_penalty: 1 },
    field: 'presence_penalty',
    says: {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: '{"error":"Argument not supported on this model: presencePenalty"}', provider_name: 'xAI' },
      },
    },
    dropped: 'presence_penalty',
  },
  // bedrock-access-gateway#191 (October 2025).
  {
    name: 'Bedrock, in front of whose words it puts its own',
    ...anthropic,
    body: { ...messages, temperature: 0.5, top_k: 3 },
    field: 'top_k',
    says: 'The model returned the following errors: `top_k` is deprecated for this model.',
    dropped: 'top_k',
  },
  {
    name: 'vLLM, a field in the list of Pydantic',
    type: 62,
    model: 'm',
    body: { ...chat, prompt_mode: 'reasoning' },
    field: 'prompt_mode',
    says: "[{'type': 'extra_forbidden', 'loc': ('body', 'prompt_mode'), 'msg': 'Extra inputs are not permitted'}]",
    dropped: 'prompt_mode',
  },
  // n8n#14581 (April 2025), lobehub#8389 (July 2025).
  {
    name: 'xAI, a field of an older model',
    type: 48,
    model: 'grok-next',
    body: { ...chat, presence_penalty: 1 },
    field: 'presence_penalty',
    says: 'Argument not supported on this model: presencePenalty',
    dropped: 'presence_penalty',
  },
  // Kimi-K2#124 (April 2026), shandianshuo-releases#13 (August 2026).
  {
    name: 'Moonshot, a temperature other than its own',
    type: 25,
    model: 'k3-256k',
    body: { ...chat, temperature: 0.1 },
    field: 'temperature',
    says: 'invalid temperature: only 1 is allowed for this model',
    dropped: 'temperature',
  },
  // openclaude#1371 (May 2026), cherry-studio#18744 (August 2026).
  {
    name: 'Ollama, an effort at a model that does not think',
    type: 4,
    model: 'llama3.1:8b',
    body: { ...chat, reasoning_effort: 'low' },
    field: 'reasoning_effort',
    says: '"llama3.1:8b" does not support thinking',
    dropped: 'reasoning_effort',
  },
  // ollama#12561 (October 2025).
  {
    name: 'Ollama, an effort that a model does not have',
    type: 4,
    model: 'qwen3:4b',
    body: { ...chat, reasoning_effort: 'medium' },
    field: 'reasoning_effort',
    says: 'think value "medium" is not supported for this model',
    dropped: 'reasoning_effort',
  },
  {
    name: 'Groq, a field in its own words',
    type: 8,
    model: 'm',
    body: { ...chat, logprobs: true },
    field: 'logprobs',
    says: '`logprobs` is not supported with this model',
    dropped: 'logprobs',
  },
];

it.each(cases)('$name', async (each) => {
  const { type, model, channelKey, path = '/v1/chat/completions', answer = completion, body, field } = each;
  await relay.addChannel({
    type,
    models: model,
    ...(channelKey === undefined ? {} : { key: channelKey }),
    ...(type === 8 ? { baseUrl: `${relay.upstream.url}/v1/chat/completions` } : {}),
  });
  const other = await relay.addChannel({ type, models: model, priority: -1, baseUrl: 'http://127.0.0.1:1' });
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000 }) });
  const first = { ...body, model };
  const refused = at(first, field) ?? undefined;
  relay.upstream.script(
    {},
    refusing(
      answer,
      ({ body: given }) => {
        const found = at(given, field);
        const isRefused = typeof each.then === 'number' ? Number(found) > each.then : found !== each.then;
        return isRefused ? each.says : null;
      },
      each.status,
    ),
  );
  const responses = [await relay.post(path, key, first), await relay.post(path, key, first)];
  expect(await Promise.all(responses.map(async (one) => [one.status, await one.text()]))).toEqual([
    [200, expect.stringContaining('Hello')],
    [200, expect.stringContaining('Hello')],
  ]);
  // The first call is refused once and corrected. The second call is correct at once.
  expect(relay.upstream.requests).toHaveLength(3);
  expect([at(sent(1), field), at(sent(2), field)]).toEqual([each.then, each.then]);
  if (refused !== undefined) expect(at(sent(0), field)).toBeDefined();
  expect(responses.map(({ headers }) => headers.get('x-tollgate-dropped')?.split(', '))).toEqual([
    expect.arrayContaining([each.dropped]),
    expect.arrayContaining([each.dropped]),
  ]);
  const rows = await relay.logsOf(userId, 2);
  expect(rows.map((row) => row.other['dropped_parameters'])).toEqual([
    expect.arrayContaining([each.dropped]),
    expect.arrayContaining([each.dropped]),
  ]);
  expect(rows.every(({ channel_id: id }) => id !== other)).toBe(true);
  expect(relay.health.cooldowns).toEqual([]);
});

it('values of the header anthropic-beta that a host does not know are left out, and only there', async () => {
  const unknown = 'advisor-tool-2026-03-01';
  const betas = `claude-code-20250219,${unknown}`;
  await relay.addChannel({ type: 14, models: 'claude-sonnet-4-5' });
  const { key } = await relay.addToken();
  relay.upstream.script(
    {},
    refusing(message, ({ headers }) =>
      String(headers['anthropic-beta']).includes(unknown)
        ? `Unexpected value(s) \`${unknown}\` for the \`anthropic-beta\` header. Please consult our documentation at docs.anthropic.com or try again without the header.`
        : null,
    ),
  );
  const ask = () =>
    relay.post(
      '/v1/messages',
      key,
      { model: 'claude-sonnet-4-5', ...messages },
      { headers: { 'anthropic-beta': betas } },
    );
  const response = await ask();
  expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([200, `anthropic-beta.${unknown}`]);
  await ask();
  expect(relay.upstream.requests.map(({ headers }) => headers['anthropic-beta'])).toEqual([
    betas,
    'claude-code-20250219',
    'claude-code-20250219',
  ]);
});

describe('a thought that the provider refuses', () => {
  const cut = { type: 'thinking', thinking: 'x', signature: 'EqQBCkYIBRgCKkBabcdefgh' };
  const call = { type: 'tool_use', id: 't1', name: 'f', input: {} };
  const history = {
    model: 'claude-sonnet-4-5',
    max_tokens: 9000,
    thinking: { type: 'enabled', budget_tokens: 4000 },
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [cut, call] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }] },
    ],
  };
  const says = 'messages.1.content.0: Invalid `signature` in `thinking` block';

  it.each([
    says,
    'messages.1.content.0.thinking.signature: Field required',
    // claude-code#63203 (May 2026) and many others.
    'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
  ])('is left out once, and the call goes on without thinking where Claude wants it: %s', async (text) => {
    await relay.addChannel({ type: 14, models: history.model });
    const { key } = await relay.addToken();
    relay.upstream.script(
      {},
      refusing(message, ({ rawBody }) => (rawBody.includes('"thinking"') ? text : null)),
    );
    const response = await relay.post('/v1/messages', key, history);
    expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([200, 'messages.thinking']);
    expect(sent(1)).toEqual({
      model: history.model,
      max_tokens: 9000,
      messages: [history.messages[0], { role: 'assistant', content: [call] }, history.messages[2]],
    });
  });

  it('is the matter of one call: others keep their thoughts', async () => {
    await relay.addChannel({ type: 14, models: history.model });
    const { key } = await relay.addToken();
    relay.upstream.script(
      {},
      refusing(message, () => says),
      json(message),
      json(message),
    );
    await relay.post('/v1/messages', key, history);
    await relay.post('/v1/messages', key, history);
    expect(sent(2)).toEqual(history);
  });

  it('of another organization is left out at Responses', async () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: `gAAAAABpQx0${'x'.repeat(100)}` };
    const input = [{ role: 'user', content: 'hi' }, item, { role: 'user', content: 'go on' }];
    await relay.addChannel({ models: 'gpt-5' });
    const { key } = await relay.addToken();
    const answer = { id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-5', output: [], usage: {} };
    const verify =
      'The encrypted content gAAA... could not be verified. Reason: Encrypted content organization_id did not match the target organization.';
    relay.upstream.script(
      {},
      refusing(answer, () => verify),
      json(answer),
    );
    const response = await relay.post('/v1/responses', key, { model: 'gpt-5', input, store: false });
    expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([200, 'input.reasoning']);
    expect(sent(1)['input']).toEqual([input[0], input[2]]);
  });
});

describe('a request that stays refused', () => {
  it.each([
    ['names what the call cannot do without', 'messages: Extra inputs are not permitted'],
    ['names nothing', 'Something is wrong with this request'],
    [
      'repeats a text of the client',
      'Invalid value: "max_tokens is too large: 9. This model supports at most 1 completion tokens"',
    ],
    ['names a field that was not sent', 'Unrecognized request argument supplied: top_k'],
  ])('because the refusal %s is never sent again to the channel', async (_name, says) => {
    await relay.addChannel({ type: 14, models: 'claude-sonnet-4-5', key: 'one,two' });
    const { key } = await relay.addToken();
    relay.upstream.script(
      {},
      refusing(message, () => says),
    );
    const response = await relay.post('/v1/messages', key, { model: 'claude-sonnet-4-5', ...messages });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(says.slice(0, 12))]);
    expect(relay.upstream.requests).toHaveLength(1);
  });

  it('is still tried at another channel where a 400 may be about the account', async () => {
    await relay.addChannel({ type: 14, models: 'claude-sonnet-4-5', key: 'first' });
    await relay.addChannel({ type: 14, models: 'claude-sonnet-4-5', key: 'second' });
    const { key } = await relay.addToken();
    relay.upstream.script(
      {},
      refusing(message, () => 'Something is wrong'),
    );
    await relay.post('/v1/messages', key, { model: 'claude-sonnet-4-5', ...messages });
    expect(relay.upstream.requests.map(({ headers }) => headers['x-api-key']).toSorted()).toEqual(['first', 'second']);
  });

  it('is not remembered: what did not help is not left out of the next call', async () => {
    await relay.addChannel({ models: 'gpt-4o' });
    const { key } = await relay.addToken();
    const says = 'Unrecognized request argument supplied: seed';
    relay.upstream.script(
      {},
      refusing(completion, () => says),
      refusing(completion, () => says),
      json(completion),
    );
    const ask = () => relay.chat(key, { model: 'gpt-4o', ...chat, seed: 7 });
    expect((await ask()).status).toBe(400);
    expect((await ask()).status).toBe(200);
    expect(relay.upstream.requests.map(({ body }) => body?.['seed'])).toEqual([7, undefined, 7]);
  });
});

it('a channel that passes requests on unchanged is asked once', async () => {
  relay.setOptions({ SelfUseModeEnabled: true, 'global.pass_through_request_enabled': true });
  await relay.addChannel({ models: 'gpt-4o' });
  const { key } = await relay.addToken();
  relay.upstream.script(
    {},
    refusing(completion, () => 'Unrecognized request argument supplied: seed'),
  );
  expect((await relay.chat(key, { model: 'gpt-4o', ...chat, seed: 7 })).status).toBe(400);
  expect(relay.upstream.requests).toHaveLength(1);
});

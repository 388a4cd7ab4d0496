import { isAppError } from '../../shared/errors.js';
import type { Adapter } from '../contract.js';
import type { Target } from '../target.js';
import {
  generateDialect,
  messagesDialect,
  openAIChat,
  responsesDialect,
  type ChatDialect,
} from '../../gateway/deliver/chat-dialects.js';
import { chatCapability } from '../../gateway/send/attempt-chat.js';
import { adapters, targetFor } from '../../../../tests/support/relay-dialects.js';

/*
 * No field is dropped silently: every field of any client dialect is sent to the provider, listed as left out, or
 * refused by name. The test is a table of every pair of dialect and provider, and every field.
 */

type Json = Readonly<Record<string, unknown>>;

interface Client {
  readonly dialect: ChatDialect;
  readonly path: string;
  readonly base: Json;
  /** Fields added to the base request, by a name that a refusal or a note has to contain. */
  readonly fields: Readonly<Record<string, Json>>;
}

const functionTool = {
  type: 'function',
  function: { name: 'f', description: 'd', parameters: { type: 'object', properties: { a: { type: 'string' } } } },
};
const { parameters, ...named } = functionTool.function;
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };
const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const userParts = (...content: object[]): Json => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }, ...content] }],
});

const chat: Client = {
  dialect: openAIChat,
  path: '/v1/chat/completions',
  base: { messages: [{ role: 'user', content: 'hi' }], max_tokens: 3000 },
  fields: {
    temperature: { temperature: 0.3 },
    top_p: { top_p: 0.4 },
    top_k: { top_k: 5 },
    n: { n: 2 },
    stop: { stop: ['x'] },
    'stop.blank': { stop: ['\n'] },
    seed: { seed: 7 },
    frequency_penalty: { frequency_penalty: 0.5 },
    presence_penalty: { presence_penalty: 0.5 },
    logit_bias: { logit_bias: { '1': 2 } },
    logprobs: { logprobs: true },
    top_logprobs: { logprobs: true, top_logprobs: 2 },
    user: { user: 'somebody' },
    max_tokens: { max_tokens: 2999 },
    max_completion_tokens: { max_tokens: undefined, max_completion_tokens: 2998 },
    response_format: { response_format: { type: 'json_object' } },
    'response_format.json_schema': {
      response_format: { type: 'json_schema', json_schema: { name: 's', schema, strict: true } },
    },
    tools: { tools: [functionTool] },
    'tools.function.strict': {
      tools: [{ ...functionTool, function: { ...functionTool.function, parameters: schema, strict: true } }],
    },
    tool_choice: { tools: [functionTool], tool_choice: { type: 'function', function: { name: 'f' } } },
    parallel_tool_calls: { tools: [functionTool], parallel_tool_calls: false },
    functions: { functions: [functionTool.function] },
    reasoning_effort: { reasoning_effort: 'low' },
    service_tier: { service_tier: 'flex' },
    verbosity: { verbosity: 'low' },
    metadata: { metadata: { a: 'b' } },
    store: { store: true },
    prediction: { prediction: { type: 'content', content: 'x' } },
    modalities: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
    web_search_options: { web_search_options: {} },
    prompt_cache_key: { prompt_cache_key: 'k' },
    safety_identifier: { safety_identifier: 's' },
    never_heard_of: { never_heard_of: 1 },
    'messages.name': { messages: [{ role: 'user', name: 'bob', content: 'hi' }] },
    image_url: userParts({ type: 'image_url', image_url: { url: picture } }),
    'image_url.detail': userParts({ type: 'image_url', image_url: { url: picture, detail: 'low' } }),
    input_audio: userParts({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
    file: userParts({ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } }),
    video_url: userParts({ type: 'video_url', video_url: { url: 'https://x.example/a.mp4' } }),
    cache_control: {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] }],
    },
    reasoning_content: {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b', reasoning_content: 'thought' },
        { role: 'user', content: 'hi' },
      ],
    },
  },
};

const messages: Client = {
  dialect: messagesDialect,
  path: '/v1/messages',
  base: { messages: [{ role: 'user', content: 'hi' }], max_tokens: 3000 },
  fields: {
    temperature: { temperature: 0.3 },
    top_p: { top_p: 0.4 },
    top_k: { top_k: 5 },
    max_tokens: { max_tokens: 2999 },
    stop_sequences: { stop_sequences: ['x'] },
    'stop_sequences.blank': { stop_sequences: ['\n'] },
    system: { system: 'be kind' },
    'metadata.user_id': { metadata: { user_id: 'somebody' } },
    service_tier: { service_tier: 'standard_only' },
    thinking: { thinking: { type: 'enabled', budget_tokens: 1500 } },
    tools: { tools: [{ ...named, input_schema: parameters }] },
    tool_choice: { tools: [{ ...named, input_schema: parameters }], tool_choice: { type: 'tool', name: 'f' } },
    disable_parallel_tool_use: {
      tools: [{ ...named, input_schema: parameters }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    },
    'output_config.format': { output_config: { format: { type: 'json_schema', schema } } },
    container: { container: 'c' },
    mcp_servers: { mcp_servers: [{ type: 'url', url: 'https://x.example', name: 'n' }] },
    context_management: { context_management: { edits: [] } },
    never_heard_of: { never_heard_of: 1 },
    image: userParts({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture.slice(22) } }),
    document: userParts({
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
    }),
    cache_control: {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] }],
    },
    web_search: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  },
};

const config = (given: Json): Json => ({ generationConfig: { maxOutputTokens: 3000, ...given } });
const geminiParts = (...parts: object[]): Json => ({ contents: [{ role: 'user', parts: [{ text: 'hi' }, ...parts] }] });
const declaration = { functionDeclarations: [{ ...named, parameters }] };
const gemini: Client = {
  dialect: generateDialect,
  path: '/v1beta/models/m:generateContent',
  base: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], ...config({}) },
  fields: {
    temperature: config({ temperature: 0.3 }),
    topP: config({ topP: 0.4 }),
    topK: config({ topK: 5 }),
    maxOutputTokens: config({ maxOutputTokens: 2999 }),
    candidateCount: config({ candidateCount: 2 }),
    stopSequences: config({ stopSequences: ['x'] }),
    seed: config({ seed: 7 }),
    frequencyPenalty: config({ frequencyPenalty: 0.5 }),
    presencePenalty: config({ presencePenalty: 0.5 }),
    responseLogprobs: config({ responseLogprobs: true }),
    responseMimeType: config({ responseMimeType: 'application/json' }),
    response: config({ responseMimeType: 'application/json', responseSchema: { type: 'OBJECT', properties: {} } }),
    responseModalities: config({ responseModalities: ['TEXT', 'IMAGE'] }),
    thinkingConfig: config({ thinkingConfig: { thinkingBudget: 1500 } }),
    speechConfig: config({ speechConfig: { voiceConfig: {} } }),
    mediaResolution: config({ mediaResolution: 'MEDIA_RESOLUTION_LOW' }),
    'generationConfig.neverHeardOf': config({ neverHeardOf: 1 }),
    systemInstruction: { systemInstruction: { parts: [{ text: 'be kind' }] } },
    'systemInstruction.parts': {
      systemInstruction: { parts: [{ inlineData: { mimeType: 'image/png', data: picture.slice(22) } }] },
    },
    safetySettings: { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_LOW_AND_ABOVE' }] },
    cachedContent: { cachedContent: 'cachedContents/x' },
    labels: { labels: { a: 'b' } },
    neverHeardOf: { neverHeardOf: 1 },
    tools: { tools: [declaration] },
    toolConfig: {
      tools: [declaration],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    },
    googleSearch: { tools: [{ googleSearch: {} }] },
    inlineData: geminiParts({ inlineData: { mimeType: 'image/png', data: picture.slice(22) } }),
    parts: geminiParts({ inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }),
  },
};

const responsesTool = { type: 'function', name: 'f', description: 'd', parameters, strict: false };
const inputParts = (...content: object[]): Json => ({
  input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }, ...content] }],
});
const responses: Client = {
  dialect: responsesDialect,
  path: '/v1/responses',
  base: { input: 'hi', max_output_tokens: 3000 },
  fields: {
    temperature: { temperature: 0.3 },
    top_p: { top_p: 0.4 },
    top_logprobs: { top_logprobs: 2 },
    max_output_tokens: { max_output_tokens: 2999 },
    max_tool_calls: { max_tool_calls: 3 },
    metadata: { metadata: { a: 'b' } },
    instructions: { instructions: 'be kind' },
    parallel_tool_calls: { tools: [responsesTool], parallel_tool_calls: false },
    previous_response_id: { previous_response_id: 'resp_1' },
    prompt: { prompt: { id: 'p' } },
    prompt_cache_key: { prompt_cache_key: 'k' },
    reasoning: { reasoning: { effort: 'low' } },
    safety_identifier: { safety_identifier: 's' },
    service_tier: { service_tier: 'flex' },
    store: { store: true },
    'text.format': { text: { format: { type: 'json_schema', name: 's', schema, strict: true } } },
    'text.verbosity': { text: { verbosity: 'low' } },
    tools: { tools: [responsesTool] },
    tool_choice: { tools: [responsesTool], tool_choice: { type: 'function', name: 'f' } },
    web_search: { tools: [{ type: 'web_search' }] },
    truncation: { truncation: 'auto' },
    user: { user: 'somebody' },
    background: { background: true },
    conversation: { conversation: 'conv_1' },
    include: { include: ['message.output_text.logprobs'] },
    never_heard_of: { never_heard_of: 1 },
    input_image: inputParts({ type: 'input_image', image_url: picture }),
    input_file: inputParts({
      type: 'input_file',
      filename: 'a.pdf',
      file_data: 'data:application/pdf;base64,JVBERi0=',
    }),
  },
};

const clients = { chat, messages, gemini, responses } as const;

/** A model for each provider's own dialect, and a key in the required form. */
const models: Readonly<Record<number, string>> = {
  14: 'claude-sonnet-4-5',
  24: 'gemini-2.5-flash',
  33: 'claude-sonnet-4-20250514',
  41: 'gemini-2.5-flash',
};
const keys: Readonly<Record<number, string>> = {
  16: 'id.secret',
  18: 'app|secret|key',
  23: '1|id|secret',
  26: 'id.secret',
  33: 'AK|SK|us-east-1',
  41: '{"project_id":"p","client_email":"a@b.example","private_key":"x"}',
};

const target = (type: number): Target =>
  targetFor({
    type,
    baseUrl: 'https://provider.example',
    key: keys[type] ?? 'sk-fake',
    other: 'account',
    upstreamModel: models[type] ?? 'some-model',
    requestedModel: models[type] ?? 'some-model',
    credential: 'token',
  });

interface Outcome {
  readonly sent: string;
  readonly dropped: readonly string[];
  readonly refused: string | null;
}

function outcome(adapter: Adapter, type: number, { dialect, path }: Client, body: Json): Outcome {
  const whole = JSON.parse(JSON.stringify({ model: 'm', ...body })) as Json;
  const context = { id: 'i', created: 1, model: 'm', promptTokens: 0, includeUsage: false, body: whole };
  const capability = chatCapability(adapter, dialect, () => context, { body: whole, target: target(type) });
  if (!capability) return { sent: '', dropped: [], refused: 'no chat' };
  try {
    const request = {
      path,
      body: whole,
      rawBody: Buffer.from(JSON.stringify(whole)),
      stream: false,
      wantsUsage: false,
    };
    const { body: sent, url, headers, dropped = [] } = capability.toUpstreamRequest(request, target(type));
    return { sent: `${url} ${JSON.stringify(headers)} ${String(sent)}`, dropped, refused: null };
  } catch (error) {
    if (!isAppError(error) || !['UNSUPPORTED_BY_CHANNEL', 'INVALID_INPUT'].includes(error.code)) throw error;
    return { sent: '', dropped: [], refused: `${error.field ?? ''} ${error.message}` };
  }
}

/** The last word of a path must be mentioned; the whole path may be. */
const says = (text: string, name: string): boolean => {
  const leaf = name.split('.').at(-1) ?? name;
  return text.includes(leaf) || text.includes(name.split('.')[0] ?? name) || text.includes(aliases[name] ?? name);
};

/** A refusal may name the object that contains the field, such as a tool choice without tools. */
const namesGiven = (text: string, given: Json): boolean => Object.keys(given).some((key) => text.includes(key));
/** Older names of the same field. */
const aliases: Readonly<Record<string, string>> = { max_completion_tokens: 'max_tokens', functions: 'tools' };

const chatting = Object.entries(adapters).filter(([, adapter]) => adapter.chat ?? adapter.conversation);

describe.each(Object.entries(clients))('a client of %s', (_client, client) => {
  it.each(chatting.map(([type]) => Number(type)))('loses nothing in silence at type %i', (type) => {
    const adapter = adapters[type];
    if (!adapter) throw new Error('no adapter');
    const plain = outcome(adapter, type, client, client.base);
    expect(plain.refused).toBeNull();
    const silent: string[] = [];
    for (const [name, given] of Object.entries(client.fields)) {
      const { sent, dropped, refused } = outcome(adapter, type, client, { ...client.base, ...given });
      const named = dropped.filter(
        (each) => !plain.dropped.includes(each) || each === aliases[name] || each.endsWith(name),
      );
      const told = refused ?? named.join(' ');
      if (told !== '' && !says(told, name) && !(refused !== null && namesGiven(refused, given))) {
        silent.push(`${name}: said "${told}"`);
      }
      // Signatures contain the time, which is constant here, and the body, so they only change with the body.
      else if (told === '' && sent === plain.sent) silent.push(name);
    }
    expect(silent).toEqual([]);
  });
});

import type { ReceivedRequest } from '../support/upstream/upstream.js';
import { googleSignature } from './dialects.js';
import {
  blankTexts,
  brokenArguments,
  brokenBase64,
  callIds,
  firstOf,
  foreignThoughts,
  instructionsInTurns,
  list,
  missingOutputs,
  missingResponses,
  missingResults,
  missingResultsOfClaude,
  ownSchema,
  referencesInResults,
  signatures,
  textsInEnums,
  thoughtsOfCalls,
  toolChanges,
  unknownBetas,
  userAfterTool,
  type Rule,
} from './refused-bodies.js';
import {
  blankStops,
  forcedThinking,
  imageTypes,
  samplings,
  thinkingBudgets,
  toolNamesOfClaude,
  toolNamesOfGemini,
  unionsAtTop,
} from './refused-tools.js';

/* Requests that real providers refuse, in their own words as far as public threads quote them. Each returns null for a good request. */

type Json = Record<string, unknown>;
export type Refuse = (request: ReceivedRequest) => string | null;

export const unknownField = (body: Json, known: readonly string[]): string | null =>
  Object.keys(body).find((name) => !known.includes(name)) ?? null;
const first = (...found: Array<string | null | false | undefined>): string | null =>
  found.find((each): each is string => typeof each === 'string') ?? null;

const chatFields = [
  ...['model', 'messages', 'tools', 'tool_choice', 'parallel_tool_calls', 'stream', 'stream_options', 'max_tokens'],
  ...['max_completion_tokens', 'temperature', 'top_p', 'stop', 'n', 'response_format', 'reasoning_effort', 'seed'],
];
const accountFields = ['store', 'metadata', 'user', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention'];

interface ChatRules {
  readonly fields: readonly string[];
  readonly developer?: boolean;
  /** Every assistant message that calls tools has to carry its thoughts. */
  readonly wantsThoughts?: boolean;
  readonly refusesThoughts?: boolean;
  readonly sees?: boolean;
  readonly callId?: RegExp;
  readonly thinks?: boolean;
  /** Whether tools may take plain text. */
  readonly takesCustom?: boolean;
  readonly refuses?: readonly Rule[];
}

/** A format of a custom tool is nested at chat completions and flat at Responses, as the types of the `openai` package have it. */
function customFormat(tool: Json, isNested: boolean): string | null {
  const holder = (isNested ? tool['custom'] : tool) as Json | undefined;
  if (!holder) return "Missing required parameter: 'tools[0].custom'.";
  const format = holder['format'] as Json | undefined;
  if (format?.['type'] !== 'grammar') return null;
  const grammar = isNested ? (format['grammar'] as Json | undefined) : format;
  const at = isNested ? 'tools[0].custom.format' : 'tools[0].format';
  if (!grammar) return `Missing required parameter: '${at}.grammar'.`;
  const missing = ['syntax', 'definition'].find((name) => typeof grammar[name] !== 'string');
  if (missing !== undefined) return `Missing required parameter: '${at}.${missing}'.`;
  const known = isNested ? ['type', 'grammar'] : ['type', 'syntax', 'definition'];
  const unknown = unknownField(format, known);
  return unknown === null ? null : `Unknown parameter: '${at}.${unknown}'.`;
}

/** Chat completions as a member of OpenAI's family checks them. */
export const strictChat =
  (rules: ChatRules): Refuse =>
  ({ body }) => {
    if (!body) return 'the body is no JSON object';
    const refusal = firstOf([...(rules.refuses ?? []), ...(rules.wantsThoughts ? [thoughtsOfCalls] : [])], body);
    if (refusal !== null) return refusal;
    const field = unknownField(body, rules.fields);
    if (field !== null) return `${field}: Extra inputs are not permitted`;
    if (rules.thinks === false && body['reasoning_effort'] !== undefined)
      return 'Unrecognized request argument supplied: reasoning_effort';
    if (typeof body['user'] === 'string' && body['user'].length > 64) return "Invalid 'user': string too long";
    const tools = list(body['tools']);
    const types = rules.takesCustom ? ['function', 'custom'] : ['function'];
    const tool = tools.find(({ type }) => !types.includes(String(type)));
    if (tool) return `Invalid value: '${String(tool['type'])}'. Supported values are: '${types.join("' and '")}'`;
    return first(
      ...tools.filter(({ type }) => type === 'custom').map((each) => customFormat(each, true)),
      ...list(body['messages']).map((message, index, all) => chatMessage(message, all.slice(0, index), rules)),
    );
  };

function chatMessage(message: Json, before: readonly Json[], rules: ChatRules): string | null {
  const { role } = message;
  const roles = ['system', 'user', 'assistant', 'tool', ...(rules.developer ? ['developer'] : [])];
  if (!roles.includes(String(role))) return `unknown variant \`${String(role)}\`, expected one of ${roles.join(', ')}`;
  const calls = list(message['tool_calls']);
  const id = rules.callId ?? /^.{1,40}$/;
  if (calls.some((call) => !id.test(String(call['id'])))) return 'Invalid tool call id';
  if (calls.some((call) => call['type'] !== 'function')) return 'Invalid type of a tool call';
  if (rules.refusesThoughts && ('reasoning_content' in message || 'reasoning' in message))
    return 'Extra inputs are not permitted: reasoning_content';
  if (rules.sees === false && JSON.stringify(message['content'] ?? '').includes('"image_url"'))
    return 'unknown variant `image_url`, expected `text`';
  if (role !== 'tool') return null;
  const called = before
    .flatMap((each) => list(each['tool_calls']))
    .some((call) => call['id'] === message['tool_call_id']);
  return called ? null : "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'";
}

export const openAIRules = { fields: [...chatFields, ...accountFields, 'service_tier', 'verbosity'], developer: true };
export const familyRules = { fields: [...chatFields, 'user'] };
export const looseRules = { fields: [...chatFields, ...accountFields, 'top_k', 'verbosity', 'service_tier'] };

const messagesFields = [
  ...['model', 'max_tokens', 'messages', 'system', 'tools', 'tool_choice', 'stream', 'temperature', 'top_p', 'top_k'],
  ...['stop_sequences', 'thinking', 'metadata', 'output_config', 'service_tier'],
];
/** Fields that need a beta. */
const betaFields: Readonly<Record<string, string>> = {
  context_management: 'context-management-2025-06-27',
  // LiteLLM's `anthropic/` at Bedrock (November 2026).
  output_format: 'structured-outputs-2025-11-13',
};

const turnRules = [
  callIds,
  missingResultsOfClaude,
  blankTexts,
  signatures,
  instructionsInTurns,
  toolChanges,
  brokenBase64,
  imageTypes,
  toolNamesOfClaude,
  unionsAtTop,
  forcedThinking,
  thinkingBudgets,
  samplings,
  blankStops,
];

interface MessagesRules {
  /** Betas that the host knows; absent: all. */
  readonly betas?: readonly string[];
  readonly refuses?: readonly Rule[];
}

/** @param betasOf where the host reads betas */
export const strictMessages =
  (
    betasOf: (request: ReceivedRequest) => readonly string[],
    more: readonly string[] = [],
    less: readonly string[] = [],
    rules: MessagesRules = {},
  ): Refuse =>
  (request) => {
    const { body } = request;
    if (!body) return 'the body is no JSON object';
    const unknown = rules.betas ? unknownBetas(betasOf(request), rules.betas) : null;
    if (unknown !== null) return unknown;
    const refusal = firstOf([...(rules.refuses ?? []), ...turnRules], body);
    if (refusal !== null) return refusal;
    const known = [...messagesFields, ...Object.keys(betaFields), ...more].filter((name) => !less.includes(name));
    const field = unknownField(body, known);
    if (field !== null) return `${field}: Extra inputs are not permitted`;
    const betas = betasOf(request);
    for (const [name, beta] of Object.entries(betaFields)) {
      if (body[name] !== undefined && !betas.includes(beta)) return `${name}: Extra inputs are not permitted`;
    }
    if (typeof body['max_tokens'] !== 'number') return 'max_tokens: Field required';
    const system = list(body['system']).find(({ type }) => type !== 'text');
    if (system) return 'system: Input should be text';
    const messages = list(body['messages']);
    if (messages[0]?.['role'] !== 'user') return 'messages: first message must use the "user" role';
    return first(...messages.map((message, index) => messagesTurn(message, messages[index - 1])));
  };

function messagesTurn(message: Json, before: Json | undefined): string | null {
  const calls = list(before?.['content']).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
  for (const block of list(message['content'])) {
    if (block['type'] === 'tool_result' && !calls.includes(block['tool_use_id']))
      return 'unexpected `tool_use_id` found in `tool_result` blocks';
  }
  return null;
}

export const headerBetas = ({ headers }: ReceivedRequest): string[] =>
  String(headers['anthropic-beta'] ?? '').split(',');
export const bodyBetas = ({ body }: ReceivedRequest): string[] =>
  (body?.['anthropic_beta'] as string[] | undefined) ?? [];

const geminiFields = [
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'safetySettings', 'cachedContent'],
  ...['labels', 'model'],
];

const noSignature = 'skip_thought_signature_validator';
/** Google takes both alphabets of base64; its Python SDK sends the other one than it got. */
const bytesOf = (signature: unknown): string => Buffer.from(String(signature), 'base64').toString('hex');

export const strictGemini =
  (refuses: readonly Rule[] = []): Refuse =>
  ({ body }) => {
    if (!body) return 'the body is no JSON object';
    const field = unknownField(body, geminiFields);
    if (field !== null) return `Invalid JSON payload received. Unknown name "${field}": Cannot find field.`;
    const refusal = firstOf(
      [...refuses, missingResponses, toolNamesOfGemini, ownSchema, textsInEnums, referencesInResults],
      body,
    );
    if (refusal !== null) return refusal;
    const contents = list(body['contents']);
    if (contents[0]?.['role'] === 'model') return 'Please ensure that the first content is of role user';
    for (const content of contents) {
      const signatures = list(content['parts']).map(({ thoughtSignature }) => thoughtSignature);
      if (
        signatures.some(
          (each) => each !== undefined && bytesOf(each) !== bytesOf(googleSignature) && each !== noSignature,
        )
      )
        return 'Corrupted thought signature.';
    }
    return null;
  };

const responsesTools = [
  'function',
  'custom',
  'web_search',
  'namespace',
  'tool_search',
  'image_generation',
  'local_shell',
];

/** Fields of chat completions, which Responses refuses by name (OpenAI's migration guide, November 2026). */
const onlyChat = [
  ...['messages', 'max_tokens', 'max_completion_tokens', 'stop', 'n', 'seed', 'response_format', 'reasoning_effort'],
  ...['frequency_penalty', 'presence_penalty', 'logit_bias', 'logprobs', 'functions', 'verbosity', 'thinking'],
];

export const strictResponses: Refuse = ({ body }) => {
  if (!body) return 'the body is no JSON object';
  const field = onlyChat.find((name) => body[name] !== undefined);
  if (field !== undefined) return `Unknown parameter: '${field}'.`;
  const limit = body['max_output_tokens'];
  if (typeof limit === 'number' && limit < 16)
    return `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${limit} instead.`;
  const tool = list(body['tools']).find(({ type }) => !responsesTools.includes(String(type)));
  if (tool) return `Invalid value: '${String(tool['type'])}'`;
  const custom = list(body['tools']).filter(({ type }) => type === 'custom');
  const format = first(...custom.map((each) => customFormat(each, false)));
  if (format !== null) return format;
  const calls = list(body['input']).flatMap((item) =>
    String(item['type']).endsWith('_call') ? [item['call_id']] : [],
  );
  const stray = list(body['input']).find(
    ({ type, call_id: id }) => String(type).endsWith('_call_output') && !calls.includes(id),
  );
  if (stray) return `No tool call found for function call output with call_id ${String(stray['call_id'])}.`;
  return firstOf([missingOutputs, foreignThoughts], body);
};

const cohereFields = [
  ...['model', 'messages', 'tools', 'tool_choice', 'stream', 'max_tokens', 'temperature', 'p', 'k', 'stop_sequences'],
  ...['response_format', 'thinking', 'strict_tools', 'seed', 'frequency_penalty', 'presence_penalty', 'safety_mode'],
];

export const strictCohere: Refuse = ({ body }) => {
  if (!body) return 'the body is no JSON object';
  const field = unknownField(body, cohereFields);
  if (field !== null) return `invalid request: unknown field ${field}`;
  const role = list(body['messages']).find(
    (message) => !['system', 'user', 'assistant', 'tool'].includes(String(message['role'])),
  );
  return role ? 'invalid request: unknown role' : null;
};

export const mistralRules = {
  refuses: [missingResults, userAfterTool, brokenArguments],
  fields: [...chatFields, 'random_seed', 'safe_prompt'],
  refusesThoughts: true,
  callId: /^[a-zA-Z0-9]{9}$/,
};

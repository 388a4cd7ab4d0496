import type { ReceivedRequest } from '../support/upstream/upstream.js';
import { googleSignature } from './dialects.js';

/* Requests that real providers refuse, in their own words as far as public threads quote them. Each returns null for a good request. */

type Json = Record<string, unknown>;
export type Refuse = (request: ReceivedRequest) => string | null;

export const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
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
  readonly wantsThoughts?: string;
  readonly refusesThoughts?: boolean;
  readonly sees?: boolean;
  readonly callId?: RegExp;
  readonly thinks?: boolean;
  /**
   * Functions are refused at chat completions unless the effort is `none`: gpt-5.4 and later, BerriAI/litellm#34569 (July 2026),
   * pipecat#4043, LibreChat#14231.
   */
  readonly functionsNeedResponses?: boolean;
  /** OpenAI's refusal of larger limits, cline#8337, #13229 (August 2026). */
  readonly maxOutput?: number;
  /** Refused with OpenAI's words for a model that does not take them: `stop` at gpt-5, CrewAI (November 2026). */
  readonly unsupported?: readonly string[];
}

/** Chat completions as a member of OpenAI's family checks them. */
export const strictChat =
  (rules: ChatRules): Refuse =>
  ({ body }) => {
    if (!body) return 'the body is no JSON object';
    const field = unknownField(body, rules.fields);
    if (field !== null) return `Extra inputs are not permitted: ${field}`;
    if (rules.thinks === false && body['reasoning_effort'] !== undefined)
      return 'Unrecognized request argument supplied: reasoning_effort';
    const problem = modelProblem(body, rules);
    if (problem !== null) return problem;
    if (typeof body['user'] === 'string' && body['user'].length > 64) return "Invalid 'user': string too long";
    const tool = list(body['tools']).find(({ type }) => type !== 'function');
    if (tool) return `Invalid value: '${String(tool['type'])}'. Supported values are: 'function'`;
    return first(
      ...list(body['messages']).map((message, index, all) => chatMessage(message, all.slice(0, index), rules)),
    );
  };

/** In the words of OpenAI, for one model. */
function modelProblem(body: Json, { functionsNeedResponses, maxOutput, unsupported = [] }: ChatRules): string | null {
  if (functionsNeedResponses && list(body['tools']).length > 0 && body['reasoning_effort'] !== 'none') {
    const model = String(body['model']);
    return `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`;
  }
  const wanted = Number(body['max_tokens'] ?? body['max_completion_tokens'] ?? 0);
  if (maxOutput !== undefined && wanted > maxOutput)
    return `max_tokens is too large: ${wanted}. This model supports at most ${maxOutput} completion tokens, whereas you provided ${wanted}.`;
  const name = unsupported.find((each) => body[each] !== undefined);
  return name === undefined ? null : `Unsupported parameter: '${name}' is not supported with this model.`;
}

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
  if (rules.wantsThoughts && calls.length > 0 && !message[rules.wantsThoughts])
    return 'thinking is enabled but reasoning_content is missing in assistant tool call message';
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
};

/** @param betasOf where the host reads betas */
export const strictMessages =
  (
    betasOf: (request: ReceivedRequest) => readonly string[],
    more: readonly string[] = [],
    less: readonly string[] = [],
  ): Refuse =>
  (request) => {
    const { body } = request;
    if (!body) return 'the body is no JSON object';
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
  if (message['role'] !== 'user' && message['role'] !== 'assistant') return 'messages: Unexpected role';
  const calls = list(before?.['content']).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
  for (const block of list(message['content'])) {
    if (block['type'] === 'thinking' && !/^EvQB/.test(String(block['signature'])))
      return 'Invalid `signature` in `thinking` block';
    if (block['type'] === 'tool_result' && !calls.includes(block['tool_use_id']))
      return 'unexpected `tool_use_id` found in `tool_result` blocks';
    if (block['type'] === 'tool_use' && !/^[a-zA-Z0-9_-]+$/.test(String(block['id'])))
      return "String should match pattern '^[a-zA-Z0-9_-]+$'";
    if (block['type'] === 'text' && block['text'] === '') return 'text content blocks must be non-empty';
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

export const strictGemini: Refuse = ({ body }) => {
  if (!body) return 'the body is no JSON object';
  const field = unknownField(body, geminiFields);
  if (field !== null) return `Invalid JSON payload received. Unknown name "${field}": Cannot find field.`;
  const schema = JSON.stringify(
    list(body['tools']).map(({ functionDeclarations }) =>
      list(functionDeclarations).map(({ parameters }) => parameters),
    ),
  );
  const refused = /"(\$schema|additionalProperties|\$ref|const|exclusiveMinimum)":/.exec(schema)?.[1];
  if (refused) return `Invalid JSON payload received. Unknown name "${refused}" at 'tools'`;
  const contents = list(body['contents']);
  if (contents[0]?.['role'] === 'model') return 'Please ensure that the first content is of role user';
  for (const [index, content] of contents.entries()) {
    const calls = list(contents[index - 1]?.['parts']).filter(({ functionCall }) => functionCall);
    const results = list(content['parts']).filter(({ functionResponse }) => functionResponse);
    // Gemini CLI itself repeats a response when it resumes a session: only a missing one is refused here.
    if (results.length > 0 && results.length < calls.length)
      return 'the number of function response parts is not equal to the number of function call parts';
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
  const calls = list(body['input']).flatMap((item) =>
    String(item['type']).endsWith('_call') ? [item['call_id']] : [],
  );
  const stray = list(body['input']).find(
    ({ type, call_id: id }) => String(type).endsWith('_call_output') && !calls.includes(id),
  );
  return stray ? `No tool call found for function call output with call_id ${String(stray['call_id'])}.` : null;
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
  fields: [...chatFields, 'random_seed', 'safe_prompt'],
  refusesThoughts: true,
  callId: /^[a-zA-Z0-9]{9}$/,
};

import { InvalidInputError } from '../../../shared/errors.js';
import type { ClientCall } from '../../neutral/codec.js';
import { asFields, someText, without, type Fields } from '../../neutral/fields.js';
import {
  needFields,
  needName,
  needOneOf,
  optionalCount,
  optionalFields,
  optionalFlag,
  optionalList,
  optionalNumber,
  optionalText,
  textList,
} from '../../neutral/given.js';
import {
  efforts,
  type NeutralRequest,
  type NeutralTool,
  type Reasoning,
  type ResponseFormat,
  type Sampling,
  type ToolChoice,
} from '../../neutral/request.js';
import { cacheControlOf } from './chat-parse-content.js';
import { parseMessages } from './chat-parse-messages.js';

/** Fields that have a counterpart in the neutral form. */
const known = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'stop',
  'n',
  'user',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
  'reasoning',
  'thinking',
  'modalities',
  'audio',
  'service_tier',
  'verbosity',
]);

/**
 * A chat completions call in the neutral form.
 * @throws AppError INVALID_INPUT naming the field
 */
export function parseChatRequest({ body, model, stream }: ClientCall): NeutralRequest {
  const messages = parseMessages(body['messages']);
  if (messages.length === 0) throw new InvalidInputError('field messages is required', 'messages');
  const maxOutput =
    optionalCount(body['max_completion_tokens'], 'max_completion_tokens') ||
    optionalCount(body['max_tokens'], 'max_tokens');
  const audio = optionalFields(body['audio'], 'audio');
  const extras = without(body, known);
  return {
    dialect: 'openai-chat',
    model: model ?? needName(body['model'], 'model'),
    messages,
    tools: parseTools(body),
    toolChoice: parseToolChoice(body),
    parallelToolCalls: optionalFlag(body['parallel_tool_calls'], 'parallel_tool_calls'),
    responseFormat: parseResponseFormat(body['response_format']),
    sampling: parseSampling(body),
    stop: textList(body['stop'], 'stop'),
    ...(maxOutput ? { maxOutput } : {}),
    reasoning: parseReasoning(body),
    stream: stream ?? optionalFlag(body['stream'], 'stream') ?? false,
    includeUsage: asFields(body['stream_options'])?.['include_usage'] === true,
    count: optionalCount(body['n'], 'n') ?? 1,
    user: optionalText(body['user'], 'user'),
    modalities: textList(body['modalities'], 'modalities'),
    audio,
    serviceTier: optionalText(body['service_tier'], 'service_tier'),
    verbosity: optionalText(body['verbosity'], 'verbosity'),
    extras,
  };
}

function parseSampling(body: Fields): Sampling {
  return {
    temperature: optionalNumber(body['temperature'], 'temperature'),
    topP: optionalNumber(body['top_p'], 'top_p'),
    topK: optionalCount(body['top_k'], 'top_k'),
    seed: optionalNumber(body['seed'], 'seed'),
    frequencyPenalty: optionalNumber(body['frequency_penalty'], 'frequency_penalty'),
    presencePenalty: optionalNumber(body['presence_penalty'], 'presence_penalty'),
    logitBias: optionalFields(body['logit_bias'], 'logit_bias'),
    logprobs: optionalFlag(body['logprobs'], 'logprobs') || undefined,
    topLogprobs: optionalCount(body['top_logprobs'], 'top_logprobs'),
  };
}

function parseTools(body: Fields): NeutralTool[] {
  const tools = optionalList(body['tools'], 'tools').map((entry, index): NeutralTool => {
    const at = `tools[${index}]`;
    const tool = needFields(entry, at);
    if (tool['type'] === 'custom') {
      const custom = needFields(tool['custom'], `${at}.custom`);
      return {
        kind: 'custom',
        name: needName(custom['name'], `${at}.custom.name`),
        description: optionalText(custom['description'], `${at}.custom.description`),
        format: optionalFields(custom['format'], `${at}.custom.format`),
        at,
      };
    }
    if (tool['type'] !== undefined && tool['type'] !== 'function') {
      return { kind: 'builtin', name: needName(tool['type'], `${at}.type`), dialect: 'openai-chat', value: tool, at };
    }
    return {
      ...parseFunction(needFields(tool['function'], `${at}.function`), `${at}.function`),
      ...cacheControlOf(tool),
      at,
    };
  });
  const old = optionalList(body['functions'], 'functions').map((entry, index) =>
    parseFunction(needFields(entry, `functions[${index}]`), `functions[${index}]`),
  );
  return [...tools, ...old];
}

const parseFunction = (described: Fields, at: string): Extract<NeutralTool, { kind: 'function' }> => ({
  kind: 'function',
  name: needName(described['name'], `${at}.name`),
  description: optionalText(described['description'], `${at}.description`),
  parameters: optionalFields(described['parameters'], `${at}.parameters`),
  strict: optionalFlag(described['strict'], `${at}.strict`),
  at,
});

function parseToolChoice(body: Fields): ToolChoice | undefined {
  const choice = body['tool_choice'] ?? body['function_call'];
  const at = body['tool_choice'] === undefined ? 'function_call' : 'tool_choice';
  if (choice === undefined || choice === null) return undefined;
  if (typeof choice === 'string') {
    // Mistral's name for `required`, sent by its own clients.
    return { mode: needOneOf(choice === 'any' ? 'required' : choice, ['auto', 'required', 'none'], at) };
  }
  const given = needFields(choice, at);
  const allowed = asFields(given['allowed_tools']);
  if (given['type'] === 'allowed_tools' && allowed) {
    const names = optionalList(allowed['tools'], `${at}.allowed_tools.tools`).flatMap(
      (tool) => someText(nameIn(asFields(tool))) ?? [],
    );
    return { mode: 'allowed', names, required: allowed['mode'] === 'required' };
  }
  if (given['type'] === 'custom')
    return { mode: 'tool', name: needName(nameIn(given), `${at}.custom.name`), custom: true };
  return { mode: 'tool', name: needName(nameIn(given), `${at}.function.name`) };
}

const nameIn = (holder: Fields | null): unknown =>
  (asFields(holder?.['function']) ?? asFields(holder?.['custom']))?.['name'] ?? holder?.['name'];

function parseResponseFormat(value: unknown): ResponseFormat | undefined {
  const format = optionalFields(value, 'response_format');
  switch (format?.['type']) {
    case undefined:
      return undefined;
    case 'text':
      return { kind: 'text' };
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema': {
      const at = 'response_format.json_schema';
      const given = needFields(format?.['json_schema'], at);
      return {
        kind: 'schema',
        name: optionalText(given['name'], `${at}.name`) ?? 'response',
        schema: optionalFields(given['schema'], `${at}.schema`) ?? { type: 'object' },
        description: optionalText(given['description'], `${at}.description`),
        strict: optionalFlag(given['strict'], `${at}.strict`),
      };
    }
    default:
      throw new InvalidInputError(
        'response_format.type must be one of text, json_object, json_schema',
        'response_format.type',
      );
  }
}

/** `reasoning_effort`, OpenRouter's `reasoning` object and the `thinking` object of clients that talk to Claude. */
function parseReasoning(body: Fields): Reasoning | undefined {
  const object = optionalFields(body['reasoning'], 'reasoning');
  const thinking = optionalFields(body['thinking'], 'thinking');
  const named = body['reasoning_effort'] ?? object?.['effort'];
  if ((named === undefined || named === null) && !object && !thinking) return undefined;
  const effort = named === undefined || named === null ? undefined : needOneOf(named, efforts, 'reasoning_effort');
  const budget =
    optionalCount(thinking?.['budget_tokens'], 'thinking.budget_tokens') ??
    optionalCount(object?.['max_tokens'], 'reasoning.max_tokens');
  const given: Record<string, unknown> = {};
  for (const name of ['reasoning_effort', 'reasoning', 'thinking'])
    if (body[name] !== undefined) given[name] = body[name];
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(budget === undefined ? {} : { budget }),
    ...(thinking?.['type'] === 'adaptive' ? { adaptive: true } : {}),
    ...(thinking?.['type'] === 'disabled' || object?.['enabled'] === false ? { off: true } : {}),
    given,
  };
}

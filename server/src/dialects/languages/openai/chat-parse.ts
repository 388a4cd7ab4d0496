import { InvalidInputError } from '../../../shared/errors.js';
import type { ClientRequest } from '../../neutral/codec.js';
import { FieldReader } from '../../neutral/field-reader.js';
import { asFields, asList, someText, type Fields } from '../../neutral/fields.js';
import {
  needFields,
  needName,
  needOneOf,
  optionalCount,
  optionalFields,
  optionalFlag,
  optionalList,
  optionalText,
} from '../../neutral/given.js';
import {
  choiceModes,
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
import { flatFormat } from './custom-format.js';
import { nameIn, nested } from './tool-shapes.js';

/**
 * A chat completions call in the neutral form.
 * @throws AppError INVALID_INPUT naming the field
 */
export function parseChatRequest({ body, model, stream }: ClientRequest): NeutralRequest {
  const read = new FieldReader(body, '', 'model', 'stream', 'stream_options', 'max_tokens');
  const messages = parseMessages(read.get('messages'));
  if (messages.length === 0) throw new InvalidInputError('field messages is required', 'messages');
  const maxOutput = read.count('max_completion_tokens') || optionalCount(body['max_tokens'], 'max_tokens');
  const audio = read.fields('audio');
  return {
    dialect: 'openai-chat',
    model: model ?? needName(body['model'], 'model'),
    messages,
    tools: withLater(parseTools(read), body['messages']),
    toolChoice: parseToolChoice(read),
    parallelToolCalls: read.flag('parallel_tool_calls'),
    responseFormat: parseResponseFormat(read.fields('response_format')),
    sampling: parseSampling(read),
    stop: read.texts('stop'),
    ...(maxOutput ? { maxOutput } : {}),
    reasoning: parseReasoning(body, read),
    stream: stream ?? optionalFlag(body['stream'], 'stream') ?? false,
    count: read.count('n') ?? 1,
    user: read.text('user'),
    modalities: read.texts('modalities'),
    audio,
    serviceTier: read.text('service_tier'),
    verbosity: read.text('verbosity'),
    extras: read.rest(),
  };
}

function parseSampling(read: FieldReader): Sampling {
  return {
    temperature: read.number('temperature'),
    topP: read.number('top_p'),
    topK: read.count('top_k'),
    seed: read.number('seed'),
    frequencyPenalty: read.number('frequency_penalty'),
    presencePenalty: read.number('presence_penalty'),
    logitBias: read.fields('logit_bias'),
    logprobs: read.flag('logprobs') || undefined,
    topLogprobs: read.count('top_logprobs'),
  };
}

function parseTools(read: FieldReader): NeutralTool[] {
  const tools = read.list('tools').map((entry, index) => parseTool(entry, `tools[${index}]`));
  const old = read
    .list('functions')
    .map((entry, index) => parseFunction(needFields(entry, `functions[${index}]`), `functions[${index}]`));
  return [...tools, ...old];
}

function parseTool(entry: unknown, at: string): NeutralTool {
  const tool = nested(needFields(entry, at));
  if (tool['type'] === 'custom') {
    const custom = needFields(tool['custom'], `${at}.custom`);
    const format = optionalFields(custom['format'], `${at}.custom.format`);
    return {
      kind: 'custom',
      name: needName(custom['name'], `${at}.custom.name`),
      description: optionalText(custom['description'], `${at}.custom.description`),
      format: format && flatFormat(format),
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
}

/** Adds the tools of messages, which replace others of their name: Pi 1.6 adds tools to a conversation with Kimi K3 so (November 2026). */
function withLater(tools: readonly NeutralTool[], messages: unknown): readonly NeutralTool[] {
  const later = asList(messages).flatMap((message, index) => {
    const at = `messages[${index}].tools`;
    return optionalList(asFields(message)?.['tools'], at).map((entry, number) => parseTool(entry, `${at}[${number}]`));
  });
  const latest = new Map<string, NeutralTool>();
  for (const tool of later) {
    // A map keeps the place of a key that is set again.
    latest.delete(tool.name);
    latest.set(tool.name, tool);
  }
  return [...tools.filter(({ name }) => !latest.has(name)), ...latest.values()];
}

const parseFunction = (described: Fields, at: string): Extract<NeutralTool, { kind: 'function' }> => ({
  kind: 'function',
  name: needName(described['name'], `${at}.name`),
  description: optionalText(described['description'], `${at}.description`),
  parameters: optionalFields(described['parameters'], `${at}.parameters`),
  strict: optionalFlag(described['strict'], `${at}.strict`),
  at,
});

function parseToolChoice(read: FieldReader): ToolChoice | undefined {
  const [current, old] = [read.get('tool_choice'), read.get('function_call')];
  const choice = current ?? old;
  const at = current === undefined ? 'function_call' : 'tool_choice';
  if (choice === undefined || choice === null) return undefined;
  if (typeof choice === 'string') return { mode: modeNamed(choice, at) };
  const given = needFields(choice, at);
  // Clients that speak several dialects send the form of Messages, which names the mode as a type.
  const { type } = given;
  if (typeof type === 'string' && modes.some((mode) => mode === type)) return { mode: modeNamed(type, at) };
  const allowed = asFields(given['allowed_tools']);
  if (given['type'] === 'allowed_tools' && allowed) {
    const names = optionalList(allowed['tools'], `${at}.allowed_tools.tools`).flatMap(
      (tool) => someText(nameIn(asFields(tool) ?? {})) ?? [],
    );
    return { mode: 'allowed', names, required: allowed['mode'] === 'required' };
  }
  if (given['type'] === 'custom')
    return { mode: 'tool', name: needName(nameIn(given), `${at}.custom.name`), custom: true };
  return { mode: 'tool', name: needName(nameIn(given), `${at}.function.name`) };
}

const modes: readonly string[] = ['auto', 'required', 'none', ...Object.keys(choiceModes)];

const modeNamed = (name: string, at: string): 'auto' | 'required' | 'none' =>
  needOneOf(Object.hasOwn(choiceModes, name) ? choiceModes[name] : name, ['auto', 'required', 'none'], at);

function parseResponseFormat(format: Fields | undefined): ResponseFormat | undefined {
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

/**
 * Parses `reasoning_effort`, OpenRouter's `reasoning` object, and the `thinking` object of clients that talk to Claude.
 */
function parseReasoning(body: Fields, read: FieldReader): Reasoning | undefined {
  const object = read.fields('reasoning');
  const thinking = read.fields('thinking');
  const named = read.get('reasoning_effort') ?? object?.['effort'];
  if ((named === undefined || named === null) && !object && !thinking) return undefined;
  const effort = named === undefined || named === null ? undefined : needOneOf(named, efforts, 'reasoning_effort');
  const budget =
    optionalCount(thinking?.['budget_tokens'], 'thinking.budget_tokens') ??
    optionalCount(object?.['max_tokens'], 'reasoning.max_tokens');
  // GLM, DeepSeek and OpenRouter accept it without an amount.
  const isOn = thinking?.['type'] === 'enabled' || object?.['enabled'] === true;
  const given: Record<string, unknown> = {};
  for (const name of ['reasoning_effort', 'reasoning', 'thinking'])
    if (body[name] !== undefined) given[name] = body[name];
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(budget === undefined ? {} : { budget }),
    ...(thinking?.['type'] === 'adaptive' || (isOn && effort === undefined && budget === undefined)
      ? { adaptive: true }
      : {}),
    ...(thinking?.['type'] === 'disabled' || object?.['enabled'] === false ? { off: true } : {}),
    given,
  };
}

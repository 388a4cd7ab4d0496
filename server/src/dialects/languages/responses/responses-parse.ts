import { InvalidInputError } from '../../../shared/errors.js';
import { ofEachObject } from '../../../shared/of-each-object.js';
import type { ClientRequest } from '../../neutral/codec.js';
import { declaringItem } from '../../neutral/declared-tools.js';
import { FieldReader } from '../../neutral/field-reader.js';
import { asFields, asFieldsList, asList, someText, type Fields } from '../../neutral/fields.js';
import {
  needFields,
  needName,
  needOneOf,
  optionalFields,
  optionalFlag,
  optionalList,
  optionalText,
} from '../../neutral/given.js';
import type { NeutralMessage } from '../../neutral/message.js';
import {
  efforts,
  type NeutralRequest,
  type NeutralTool,
  type Reasoning,
  type ResponseFormat,
  type ToolChoice,
} from '../../neutral/request.js';
import { configurationUpdate, parseInput } from './responses-parse-input.js';

/**
 * A Responses call in the neutral form.
 * @throws AppError INVALID_INPUT naming the field
 */
export function parseResponsesRequest({ body, model, stream }: ClientRequest): NeutralRequest {
  const read = new FieldReader(body, '', 'model', 'stream', 'stream_options');
  const input = read.get('input');
  if (input === undefined || input === null || input === '') throw new InvalidInputError('input is required', 'input');
  const text = read.fields('text');
  const updates = asFieldsList(input).filter(({ type }) => type === configurationUpdate);
  const format = lastOf(updates, 'text', 'format') ?? text?.['format'];
  const effort = lastOf(updates, 'reasoning', 'effort');
  const instructions = read.text('instructions');
  const maxOutput = read.count('max_output_tokens');
  const topLogprobs = read.count('top_logprobs') || undefined;
  const asksForLogprobs = topLogprobs !== undefined || asList(body['include']).includes(logprobsOfText);
  const declared = parseTools(read.get('tools'), 'tools');
  return {
    dialect: 'openai-responses',
    model: model ?? needName(body['model'], 'model'),
    messages: [...(instructions ? [leading(instructions, asList(input)[0])] : []), ...parseInput(input)],
    tools: [...declared, ...toolsInInput(input, declared)],
    toolChoice: parseToolChoice(read.get('tool_choice')),
    parallelToolCalls: read.flag('parallel_tool_calls'),
    responseFormat: parseFormat(optionalFields(format, 'text.format')),
    sampling: {
      temperature: read.number('temperature'),
      topP: read.number('top_p'),
      // Other dialects need both fields.
      logprobs: asksForLogprobs || undefined,
      topLogprobs,
    },
    stop: [],
    ...(maxOutput ? { maxOutput } : {}),
    reasoning: parseReasoning(read.fields('reasoning'), effort),
    stream: stream ?? optionalFlag(body['stream'], 'stream') ?? false,
    count: 1,
    user: read.text('user'),
    modalities: [],
    serviceTier: read.text('service_tier'),
    verbosity: optionalText(text?.['verbosity'], 'text.verbosity'),
    extras: extrasIn(read.rest()),
  };
}

/** The instructions are a text, so they are remembered with the first item. */
const leading = (text: string, item: unknown): NeutralMessage =>
  typeof item === 'object' && item !== null ? leadingWith(item, text) : leadingMessage(text);

const leadingMessage = (text: string): NeutralMessage => ({
  role: 'system',
  parts: [{ kind: 'text', text, at: 'instructions' }],
});

const leadingWith = ofEachObject((_item: object, text: string) => leadingMessage(text));

/** `include` is not an extra field if it names only log probabilities. */
const extrasIn = ({ include, ...rest }: Fields): Fields =>
  include === undefined || asList(include).join() === logprobsOfText ? rest : { ...rest, include };

/** The only entry of `include` that other dialects support. */
const logprobsOfText = 'message.output_text.logprobs';

const parseTools = (value: unknown, at: string, namespace?: string): NeutralTool[] =>
  optionalList(value, at).flatMap((entry, index) => {
    const place = `${at}[${index}]`;
    return parseTool(needFields(entry, place), place, namespace);
  });

/**
 * Codex may declare its tools in an item of the input, and adds tools from its own tool search, some of them more than
 * once.
 */
function toolsInInput(input: unknown, declared: readonly NeutralTool[]): NeutralTool[] {
  const known = new Set(declared.map(calledName));
  return asList(input).flatMap((item, index) => {
    const declaring = declaringItem(item);
    if (!declaring) return [];
    return parseTools(declaring['tools'], `input[${index}].tools`).filter((tool) => {
      const isNew = !known.has(calledName(tool));
      known.add(calledName(tool));
      return isNew;
    });
  });
}

const calledName = (tool: NeutralTool): string =>
  JSON.stringify([tool.kind === 'builtin' ? null : tool.namespace, tool.name]);

const parseTool = ofEachObject((tool: Fields, at: string, namespace?: string): readonly NeutralTool[] => {
  const type = needName(tool['type'], `${at}.type`);
  if (type === 'namespace') return parseTools(tool['tools'], `${at}.tools`, needName(tool['name'], `${at}.name`));
  const inside = namespace === undefined ? {} : { namespace };
  if (type === 'function') {
    return [
      {
        kind: 'function',
        name: needName(tool['name'], `${at}.name`),
        description: optionalText(tool['description'], `${at}.description`),
        parameters: optionalFields(tool['parameters'], `${at}.parameters`),
        strict: optionalFlag(tool['strict'], `${at}.strict`),
        ...inside,
        at,
      },
    ];
  }
  if (type === 'custom') {
    return [
      {
        kind: 'custom',
        name: needName(tool['name'], `${at}.name`),
        description: optionalText(tool['description'], `${at}.description`),
        format: optionalFields(tool['format'], `${at}.format`),
        ...inside,
        at,
      },
    ];
  }
  return [{ kind: 'builtin', name: type, dialect: 'openai-responses', value: tool, at }];
});

function parseToolChoice(value: unknown): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return { mode: needOneOf(value, ['auto', 'required', 'none'], 'tool_choice') };
  const choice = needFields(value, 'tool_choice');
  switch (choice['type']) {
    case 'function':
      return { mode: 'tool', name: needName(choice['name'], 'tool_choice.name') };
    case 'custom':
      return { mode: 'tool', name: needName(choice['name'], 'tool_choice.name'), custom: true };
    case 'allowed_tools': {
      const names = asFieldsList(choice['tools']).flatMap((tool) => someText(tool['name']) ?? []);
      return { mode: 'allowed', names, required: choice['mode'] === 'required' };
    }
    default:
      return { mode: 'builtin', dialect: 'openai-responses', value: choice };
  }
}

function parseFormat(format: Fields | undefined): ResponseFormat | undefined {
  switch (format?.['type']) {
    case undefined:
      return undefined;
    case 'text':
      return { kind: 'text' };
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema':
      return {
        kind: 'schema',
        name: optionalText(format?.['name'], 'text.format.name') ?? 'response',
        schema: needFields(format?.['schema'], 'text.format.schema'),
        description: optionalText(format?.['description'], 'text.format.description'),
        strict: optionalFlag(format?.['strict'], 'text.format.strict'),
      };
    default:
      throw new InvalidInputError('text.format.type must be one of text, json_object, json_schema', 'text.format.type');
  }
}

/** Returns what the last update of the conversation says of a setting. */
const lastOf = (updates: readonly Fields[], holder: string, name: string): unknown =>
  updates.map((update) => asFields(update[holder])?.[name]).findLast((value) => value !== undefined && value !== null);

/** @param updated the effort that the conversation has changed to, if any */
function parseReasoning(given: Fields | undefined, updated: unknown): Reasoning | undefined {
  const reasoning = updated === undefined ? given : { ...given, effort: updated };
  if (!reasoning) return undefined;
  const { effort, summary } = reasoning;
  return {
    ...(effort === undefined || effort === null ? {} : { effort: needOneOf(effort, efforts, 'reasoning.effort') }),
    ...(typeof summary === 'string' ? { visible: true } : {}),
    given: { reasoning: asFields(reasoning) },
  };
}

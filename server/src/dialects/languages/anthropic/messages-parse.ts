import { InvalidInputError } from '../../../shared/errors.js';
import { ofEachObject } from '../../../shared/of-each-object.js';
import type { ClientRequest } from '../../neutral/codec.js';
import { changesTools } from '../../neutral/declared-tools.js';
import { FieldReader } from '../../neutral/field-reader.js';
import { asFields, asFieldsList, checkEachTurn, ofEachPart, someTurn, type Fields } from '../../neutral/fields.js';
import {
  needFields,
  needList,
  needName,
  needOneOf,
  optionalCount,
  optionalFields,
  optionalFlag,
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
import { cacheControlOf, parseBlocks } from './messages-parse-content.js';
import { offeredTools } from './tool-changes.js';

/**
 * Parses a Messages call into the neutral form.
 * @throws AppError INVALID_INPUT naming the field
 */
export const parseMessagesRequest = (request: ClientRequest): NeutralRequest => parseWith(turnsOf, request);

/**
 * Validates a Messages call. Turns of an earlier body are valid already.
 * @throws AppError INVALID_INPUT naming the field
 */
export function checkMessagesRequest(request: ClientRequest): void {
  parseWith((turns) => {
    checkTurns(turns);
    return [];
  }, request);
}

function parseWith(
  messagesOf: (turns: readonly unknown[]) => readonly NeutralMessage[],
  { body, model, stream }: ClientRequest,
): NeutralRequest {
  const read = new FieldReader(body, '', 'model', 'stream', 'output_format');
  const turns = read.list('messages');
  if (turns.length === 0) throw new InvalidInputError('field messages is required', 'messages');
  const output = new FieldReader(read.fields('output_config') ?? {});
  const maxOutput = read.count('max_tokens');
  const choice = read.fields('tool_choice');
  return {
    dialect: 'anthropic-messages',
    model: model ?? needName(body['model'], 'model'),
    messages: [...parseSystem(read.get('system')), ...messagesOf(turns)],
    tools: offeredTools(read.list('tools'), turns).map(({ tool, at }) => parseTool(needFields(tool, at), at)),
    toolChoice: parseToolChoice(choice),
    parallelToolCalls: choice?.['disable_parallel_tool_use'] === true ? false : undefined,
    responseFormat: parseFormat(output.get('format') ?? body['output_format']),
    sampling: {
      temperature: read.number('temperature'),
      topP: read.number('top_p'),
      topK: read.count('top_k'),
    },
    stop: read.texts('stop_sequences'),
    ...(maxOutput ? { maxOutput } : {}),
    reasoning: parseReasoning(read, effortFor(turns, output.get('effort'))),
    stream: stream ?? optionalFlag(body['stream'], 'stream') ?? false,
    count: 1,
    user: optionalText(read.fields('metadata')?.['user_id'], 'metadata.user_id'),
    modalities: [],
    serviceTier: read.text('service_tier'),
    extras: { ...read.rest(), ...output.restIn('output_config') },
  };
}

function parseSystem(system: unknown): readonly NeutralMessage[] {
  if (system === undefined || system === null || system === '') return [];
  return typeof system === 'string' ? instructions(system) : instructionBlocks(needList(system, 'system'));
}

function instructions(system: unknown): readonly NeutralMessage[] {
  const parts = parseBlocks(system, 'system');
  return parts.length === 0 ? [] : [{ role: 'system', parts }];
}

const instructionBlocks = ofEachObject(instructions);

/** Instructions for one turn alone have ended when a later turn is the user's. */
function turnsOf(turns: readonly unknown[]): NeutralMessage[] {
  const parts = parseTurns(turns);
  if (!parts.some(({ mayEnd }) => mayEnd)) return parts.flatMap(({ messages }) => messages);
  const lastOfUser = turns.findLastIndex((turn) => asFields(turn)?.['role'] === 'user');
  return parts
    .flatMap(({ ofTurns }) => ofTurns)
    .flatMap((messages, index) =>
      index < lastOfUser && messages[0]?.role === 'system' && endsWithUser(turns[index]) ? [] : messages,
    );
}

const endsWithUser = (turn: unknown): boolean => asFields(turn)?.['clear_at'] === 'next_user_message';

const parseTurns = ofEachPart((turns, from) => {
  const ofTurns = turns.map((turn, index) => parseTurn(turn, from + index));
  return { ofTurns, messages: ofTurns.flat(), mayEnd: turns.some(endsWithUser) };
});

const checkTurns = checkEachTurn(parseTurn);

/** Tool results are part of the user's turn; in the neutral form they become a separate turn before it. */
function parseTurn(value: unknown, index: number): NeutralMessage[] {
  const at = `messages[${index}]`;
  const turn = needFields(value, at);
  const role = needOneOf(turn['role'], ['user', 'assistant', 'system'], `${at}.role`);
  const parts = parseBlocks(turn['content'], `${at}.content`);
  if (role === 'system') {
    const said = parts.filter((part) => part.kind !== 'foreign' || !changesTools(part.value));
    return said.length > 0 ? [{ role, parts: said }] : [];
  }
  if (role !== 'user') return [{ role, parts }];
  const results = parts.filter((part) => part.kind === 'toolResult');
  const rest = parts.filter((part) => part.kind !== 'toolResult');
  if (results.length === 0) return [{ role, parts }];
  return [{ role: 'tool', parts: results }, ...(rest.length > 0 ? [{ role, parts: rest } as const] : [])];
}

const parseTool = ofEachObject((tool: Fields, at: string): NeutralTool => {
  const type = optionalText(tool['type'], `${at}.type`);
  if (type !== undefined && type !== 'custom') {
    // Anthropic: "tools.0.bash_20250124.input_schema: Extra inputs are not permitted".
    if (tool['input_schema'] !== undefined)
      throw new InvalidInputError(
        `${at}.input_schema is not permitted in a tool of type ${type}`,
        `${at}.input_schema`,
      );
    return { kind: 'builtin', name: type, dialect: 'anthropic-messages', value: tool, at };
  }
  return {
    kind: 'function',
    name: needName(tool['name'], `${at}.name`),
    description: optionalText(tool['description'], `${at}.description`),
    parameters: optionalFields(tool['input_schema'], `${at}.input_schema`),
    strict: optionalFlag(tool['strict'], `${at}.strict`),
    ...cacheControlOf(tool),
    at,
  };
});

function parseToolChoice(choice: Fields | undefined): ToolChoice | undefined {
  if (!choice) return undefined;
  const type = needOneOf(choice['type'], ['auto', 'any', 'tool', 'none'], 'tool_choice.type');
  if (type === 'tool') return { mode: 'tool', name: needName(choice['name'], 'tool_choice.name') };
  return { mode: type === 'any' ? 'required' : type };
}

function parseFormat(value: unknown): ResponseFormat | undefined {
  const format = optionalFields(value, 'output_config.format');
  if (!format) return undefined;
  needOneOf(format['type'], ['json_schema'], 'output_config.format.type');
  return {
    kind: 'schema',
    name: 'response',
    schema: needFields(format['schema'], 'output_config.format.schema'),
    strict: true,
  };
}

/**
 * Returns the effort of the next response. A system message changes it from the user's turn directly before it, else from
 * the user's next turn (platform.claude.com, "Per-message effort", November 2026).
 */
function effortFor(turns: readonly unknown[], given: unknown): unknown {
  if (!changesEffort(turns)) return given;
  let [effort, next] = [given, given];
  let isAfterUser = false;
  for (const { role, content, output_config: config } of asFieldsList(turns)) {
    if (role === 'system') next = asFields(config)?.['effort'] ?? next;
    else isAfterUser = role === 'user' && !(Array.isArray(content) && asFieldsList(content).every(isResult));
    if (isAfterUser) effort = next;
  }
  return effort;
}

const changesEffort = someTurn((turn) => {
  const { role, output_config: config } = asFields(turn) ?? {};
  return role === 'system' && config !== undefined;
});

const isResult = ({ type }: Fields): boolean => type === 'tool_result';

function parseReasoning(read: FieldReader, effort: unknown): Reasoning | undefined {
  const thinking = read.fields('thinking');
  if (!thinking && (effort === undefined || effort === null)) return undefined;
  const budget = optionalCount(thinking?.['budget_tokens'], 'thinking.budget_tokens');
  const isUnset = budget === undefined && (effort === undefined || effort === null);
  return {
    ...(effort === undefined || effort === null ? {} : { effort: needOneOf(effort, efforts, 'output_config.effort') }),
    ...(thinking?.['type'] === 'enabled' && budget !== undefined ? { budget } : {}),
    // Other hosts of this dialect accept `enabled` without a budget.
    ...(thinking?.['type'] === 'adaptive' || (thinking?.['type'] === 'enabled' && isUnset) ? { adaptive: true } : {}),
    ...(thinking?.['type'] === 'disabled' ? { off: true } : {}),
    given: { ...(thinking ? { thinking } : {}) },
  };
}

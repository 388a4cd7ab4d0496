import { createHash } from 'node:crypto';
import {
  type Accepts,
  acceptsEverything,
  accountFields,
  reasoningHistoryOf,
  wantsEveryThought,
} from '../../accepts.js';
import { type ChatRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import { unsupported } from '../../neutral/field-name.js';
import { asFields, asFieldsList, asText, type Fields } from '../../neutral/fields.js';
import { ofEachObject } from '../../../shared/of-each-object.js';
import { changedList } from '../../wire/pass-through/changed-list.js';
import { addOverride } from '../../overrides/body-override.js';
import { shortUserId } from '../../neutral/user-id.js';
import type { BodyRules, OpenAiVariant } from './variant.js';
import { withWholeCalls } from './whole-calls.js';
import { writeBody } from '../../wire/forms/written-body.js';

/** Reasoning models, which refuse the sampling parameters. */
const family = /^o\d+(?:-|$)|^gpt-(?:[5-9]|\d\d)/;
const chatVariant = /^gpt-5[\d.]*-chat/;
const effortSuffix = /-(minimal|low|medium|high|xhigh|none)$/;
/** From gpt-5.1 on, sampling parameters are accepted if no reasoning is requested. */
const samplesWithoutEffort = /^gpt-(?:5\.[1-9]|[6-9]|\d\d)/;
const withoutSystemRole = /^o1-(?:mini|preview)/;

const sampling = ['temperature', 'top_p', 'logprobs', 'top_logprobs'] as const;
const alwaysRefused = ['presence_penalty', 'frequency_penalty', 'logit_bias'] as const;

type Rules = (body: Fields, model: string, target: Pick<Target, 'models'>) => BodyRules;

/** Changes for OpenAI's reasoning models (docs/reference/providers/openai-family.md#request-changes). */
export const reasoningRules: Rules = (body, model) => changesFor(body, model, effortSuffix.exec(model));

/** Applies the same changes where admins choose the model names: a suffix is kept on a name that the channel lists. */
export const deploymentRules: Rules = (body, model, { models }) =>
  changesFor(body, model, models.includes(model) ? null : effortSuffix.exec(model));

function changesFor(body: Fields, model: string, suffix: RegExpExecArray | null): BodyRules {
  if (!family.test(model) || chatVariant.test(model)) return { model, changes: null };
  const bare = suffix ? model.slice(0, suffix.index) : model;
  const effort = suffix?.[1] ?? (typeof body['reasoning_effort'] === 'string' ? body['reasoning_effort'] : undefined);
  const changes: Record<string, unknown> = {};
  if (suffix) changes['reasoning_effort'] = effort;
  moveOutputLimit(body, changes);
  const samples = effort === 'none' && samplesWithoutEffort.test(bare);
  for (const name of samples ? alwaysRefused : [...sampling, ...alwaysRefused]) {
    if (body[name] !== undefined) changes[name] = undefined;
  }
  const messages = toDeveloperMessages(body['messages'], bare);
  if (messages) changes['messages'] = messages;
  return {
    model: bare,
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
    changes: Object.keys(changes).length > 0 ? changes : null,
  };
}

function moveOutputLimit(body: Fields, changes: Record<string, unknown>): void {
  if (body['max_tokens'] === undefined) return;
  changes['max_tokens'] = undefined;
  if (!body['max_completion_tokens'] && body['max_tokens'] !== null) {
    changes['max_completion_tokens'] = body['max_tokens'];
  }
}

interface Message {
  readonly role?: unknown;
  readonly content?: unknown;
}

/** @returns null when no message has to change */
function toDeveloperMessages(given: unknown, model: string): Message[] | null {
  if (!Array.isArray(given)) return null;
  const messages = given as Message[];
  if (!messages.some((message) => message?.role === 'system')) return null;
  if (withoutSystemRole.test(model)) return foldSystemIntoUser(messages);
  return messages.map((message) => (message?.role === 'system' ? asDeveloper(message) : message));
}

const asDeveloper = ofEachObject((message: Message): Message => ({ ...message, role: 'developer' }));

/** o1-mini and o1-preview accept neither role: the text is prepended to the first user message. */
function foldSystemIntoUser(messages: Message[]): Message[] {
  const instructions = messages
    .filter((message) => message?.role === 'system')
    .map((message) => textOf(message.content));
  const rest = messages.filter((message) => message?.role !== 'system');
  const first = rest.findIndex((message) => message?.role === 'user');
  const prefix = instructions.filter(Boolean).join('\n\n');
  if (first < 0) return [{ role: 'user', content: prefix }, ...rest];
  return rest.map((message, index) =>
    index === first ? { ...message, content: prepend(prefix, message.content) } : message,
  );
}

const prepend = (prefix: string, content: unknown): unknown =>
  Array.isArray(content)
    ? [{ type: 'text', text: prefix }, ...(content as unknown[])]
    : `${prefix}\n\n${typeof content === 'string' ? content : ''}`;

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : '')).join('\n');
}

/** A request body and its differences to the client's. */
export interface UpstreamBody {
  readonly bytes: Buffer | string;
  readonly model: string;
  readonly reasoningEffort?: string;
  /** Fields left out because the provider does not accept them. */
  readonly dropped?: readonly string[];
}

/**
 * The body to send: the client's bytes if nothing changes, the same bytes with appended fields if something is only
 * added, and otherwise the parsed object with minimal changes. Unknown fields are always forwarded.
 */
export function upstreamBody(request: ChatRequest, target: Target, variant: OpenAiVariant): UpstreamBody {
  const rules: BodyRules =
    variant.rules && !target.passThrough
      ? variant.rules(request.body, target.upstreamModel, target)
      : { model: target.upstreamModel, changes: null };
  const changes: Record<string, unknown> = { ...rules.changes };
  if (request.body['model'] !== rules.model) changes['model'] = rules.model;
  let dropped = rules.dropped ?? [];
  if (!target.passThrough) {
    if (isEmptyList(request.body['tools'])) Object.assign(changes, withoutEmptyTools(request.body));
    if (target.accepts !== acceptsEverything || hasLongUserId(request.body)) {
      const accepts = { ...target.accepts, reasoningHistory: reasoningHistoryOf(target) };
      const accepted = acceptedChanges({ ...request.body, ...changes }, accepts);
      Object.assign(changes, accepted.changes);
      dropped = [...dropped, ...accepted.dropped];
    }
    Object.assign(changes, streamChanges(request, target, variant));
    if (target.override) addOverride(request.body, changes, target);
  }
  return {
    bytes: applyChanges(request, changes),
    model: rules.model,
    ...(dropped.length === 0 ? {} : { dropped }),
    ...(rules.reasoningEffort === undefined ? {} : { reasoningEffort: rules.reasoningEffort }),
  };
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/**
 * OpenAI and servers that copy it refuse an empty list of tools, and a tool choice without tools. A choice that
 * requires a call stays, and the provider refuses it.
 */
const withoutEmptyTools = ({ tool_choice: choice }: Fields): Fields => ({
  tools: undefined,
  parallel_tool_calls: undefined,
  ...(choice === 'auto' || choice === 'none' ? { tool_choice: undefined } : {}),
});

function streamChanges(request: ChatRequest, target: Target, variant: OpenAiVariant): Record<string, unknown> {
  const options = request.body['stream_options'];
  if (!request.stream) {
    // The client asked for a stream that this channel cannot provide, or sent options for streams only.
    return {
      ...(request.body['stream'] === true ? { stream: false } : {}),
      ...(options === undefined ? {} : { stream_options: undefined }),
    };
  }
  if (variant.refusesStreamOptions) return options === undefined ? {} : { stream_options: undefined };
  const given = typeof options === 'object' && options !== null ? (options as Record<string, unknown>) : {};
  if (given['include_usage'] === true || !target.forceStreamUsage) return {};
  return { stream_options: { ...given, include_usage: true } };
}

function applyChanges(request: ChatRequest, changes: Record<string, unknown>): Buffer | string {
  const names = Object.keys(changes);
  if (names.length === 0) return request.rawBody;
  const onlyAdds = names.every((name) => changes[name] !== undefined && !(name in request.body));
  if (onlyAdds) return appendFields(request.rawBody, changes);
  // `stringify` omits fields that are undefined.
  return writeBody({ ...request.body, ...changes });
}

const closingBrace = 0x7d;

/** `{"a":1}` + `{"b":2}` becomes `{"a":1,"b":2}` without parsing the first: cheap, and numbers keep their digits. */
function appendFields(rawBody: Buffer, fields: Record<string, unknown>): Buffer {
  const end = rawBody.lastIndexOf(closingBrace);
  // The body has at least the required fields, so a comma is always valid.
  return Buffer.concat([rawBody.subarray(0, end), Buffer.from(`,${JSON.stringify(fields).slice(1)}`)]);
}

interface AcceptedChanges {
  /** Fields to set; undefined removes one. */
  readonly changes: Record<string, unknown>;
  /** Names of removed fields. */
  readonly dropped: readonly string[];
}

const hasLongUserId = ({ user }: Fields): boolean => typeof user === 'string' && shortUserId(user) !== user;

const toolFields = ['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call'] as const;

/**
 * Adapts a chat body to what the provider accepts.
 * @param body already contains the changes of the variant
 * @throws AppError UNSUPPORTED_BY_CHANNEL for tools where the provider has none
 */
export function acceptedChanges(body: Fields, accepts: Accepts): AcceptedChanges {
  const refused = [
    ...accountFields.filter((name) => !accepts.accountFields.includes(name)),
    ...(accepts.reasoningEffort ? [] : ['reasoning_effort']),
    ...(accepts.tools ? [] : toolFields),
  ];
  const { tool_choice: choice } = body;
  if (!accepts.tools && (choice === 'required' || asFields(choice))) throw unsupported('tools', 'it cannot call tools');
  const dropped = refused.filter((name) => body[name] !== undefined);
  const changes: Record<string, unknown> = Object.fromEntries(dropped.map((name) => [name, undefined]));
  const { user } = body;
  if (!dropped.includes('user') && typeof user === 'string' && hasLongUserId(body)) changes['user'] = shortUserId(user);
  const whole = accepts.developerRole ? body['messages'] : withWholeCalls(body['messages']);
  const everyThought = wantsEveryThought(asText(body['model']));
  const messages = acceptedMessages(whole, accepts, everyThought);
  if (messages !== body['messages']) changes['messages'] = messages;
  return { changes, dropped: whole === body['messages'] ? dropped : [...dropped, 'messages.tool_calls.arguments'] };
}

/** @returns the same list when no message has to change */
function acceptedMessages(given: unknown, accepts: Accepts, everyThought: boolean): unknown {
  const keepsAll = accepts.developerRole && accepts.callIds === 'any' && accepts.reasoningHistory === null;
  if (keepsAll) return given;
  const { developerRole, callIds, reasoningHistory } = accepts;
  const idLength = callIds === 'any' ? null : callIds.length;
  return changedList(given, (message) =>
    acceptedMessage(message, developerRole, idLength, reasoningHistory, everyThought),
  );
}

/** @returns the same message when nothing in it has to change */
const acceptedMessage = ofEachObject(
  (
    message: Fields,
    developerRole: boolean,
    idLength: number | null,
    reasoningHistory: Accepts['reasoningHistory'],
    everyThought: boolean,
  ): Fields => {
    const changed: Record<string, unknown> = {};
    if (!developerRole && message['role'] === 'developer') changed['role'] = 'system';
    // A conversation that began at another provider has no thoughts. Without them the provider refuses a tool call.
    const wantsThought = message['tool_calls'] ?? (everyThought && message['role'] === 'assistant');
    if (reasoningHistory === 'reasoning_content' && wantsThought && !message[reasoningHistory])
      changed[reasoningHistory] = ' ';
    if (idLength !== null) {
      if (message['tool_call_id'] !== undefined)
        changed['tool_call_id'] = shortCallId(message['tool_call_id'], idLength);
      if (Array.isArray(message['tool_calls'])) {
        changed['tool_calls'] = asFieldsList(message['tool_calls']).map((call) => ({
          ...call,
          id: shortCallId(call['id'], idLength),
        }));
      }
    }
    return Object.keys(changed).length > 0 ? { ...message, ...changed } : message;
  },
);

const bitsPerCharacter = Math.log2(36);

/** An id of exactly `length` letters and digits. Deterministic, so that a call and its result stay together. */
export function shortCallId(id: unknown, length: number): unknown {
  if (typeof id !== 'string' || id === '' || (id.length === length && /^[A-Za-z0-9]+$/.test(id))) return id;
  const hexDigits = Math.ceil((length * bitsPerCharacter) / 4);
  const hash = createHash('sha256').update(id).digest('hex').slice(0, hexDigits);
  return BigInt(`0x${hash}`).toString(36).padStart(length, '0').slice(-length);
}

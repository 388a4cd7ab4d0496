import { type Target, acceptsEverything, type ChatRequest } from '../../adapter.js';
import { acceptedChanges, hasLongUserId } from './accepted.js';
import type { BodyRules, Dialect } from './dialect.js';
import type { Fields } from '../../neutral/fields.js';

/** Reasoning models, which refuse the sampling parameters. */
const family = /^o\d+(?:-|$)|^gpt-(?:[5-9]|\d\d)/;
const chatVariant = /^gpt-5[\d.]*-chat/;
const effortSuffix = /-(minimal|low|medium|high|xhigh|none)$/;
/** From gpt-5.1 on, sampling parameters are accepted if no reasoning is requested. */
const samplesWithoutEffort = /^gpt-(?:5\.[1-9]|[6-9]|\d\d)/;
const withoutSystemRole = /^o1-(?:mini|preview)/;

const sampling = ['temperature', 'top_p', 'logprobs', 'top_logprobs'] as const;
const alwaysRefused = ['presence_penalty', 'frequency_penalty', 'logit_bias'] as const;

/** Changes for OpenAI's reasoning models (docs/reference/providers/openai-family.md#request-changes). */
export function reasoningRules(body: Fields, model: string, { models }: Pick<Target, 'models'>): BodyRules {
  if (!family.test(model) || chatVariant.test(model)) return { model, changes: null };
  const suffix = models.includes(model) ? null : effortSuffix.exec(model);
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
  return messages.map((message) => (message?.role === 'system' ? { ...message, role: 'developer' } : message));
}

/** o1-mini and o1-preview accept neither role: the text is prepended to the first user message. */
function foldSystemIntoUser(messages: Message[]): Message[] {
  const instructions = messages
    .filter((message) => message?.role === 'system')
    .map((message) => textOf(message.content));
  const rest = messages.filter((message) => message?.role !== 'system');
  const first = rest.findIndex((message) => message?.role === 'user');
  const prefix = instructions.filter(Boolean).join('\n\n');
  if (first === -1) return [{ role: 'user', content: prefix }, ...rest];
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
export function upstreamBody(request: ChatRequest, target: Target, dialect: Dialect): UpstreamBody {
  const rules: BodyRules =
    dialect.rules && !target.passThrough
      ? dialect.rules(request.body, target.upstreamModel, target)
      : { model: target.upstreamModel, changes: null };
  const changes: Record<string, unknown> = { ...rules.changes };
  if (request.body['model'] !== rules.model) changes['model'] = rules.model;
  let dropped: readonly string[] = [];
  if (!target.passThrough) {
    if (target.accepts !== acceptsEverything || hasLongUserId(request.body)) {
      const accepted = acceptedChanges({ ...request.body, ...changes }, target.accepts);
      Object.assign(changes, accepted.changes);
      dropped = accepted.dropped;
    }
    Object.assign(changes, streamChanges(request, target, dialect));
    Object.assign(changes, target.override);
  }
  return {
    bytes: applyChanges(request, changes),
    model: rules.model,
    ...(dropped.length === 0 ? {} : { dropped }),
    ...(rules.reasoningEffort === undefined ? {} : { reasoningEffort: rules.reasoningEffort }),
  };
}

function streamChanges(request: ChatRequest, target: Target, dialect: Dialect): Record<string, unknown> {
  const options = request.body['stream_options'];
  if (!request.stream) {
    // The client asked for a stream that this channel cannot provide, or sent options for streams only.
    return {
      ...(request.body['stream'] === true ? { stream: false } : {}),
      ...(options === undefined ? {} : { stream_options: undefined }),
    };
  }
  if (!dialect.streamUsage) return options === undefined ? {} : { stream_options: undefined };
  if (request.wantsUsage || !target.forceStreamUsage) return {};
  const given = typeof options === 'object' && options !== null ? (options as Record<string, unknown>) : {};
  return { stream_options: { ...given, include_usage: true } };
}

function applyChanges(request: ChatRequest, changes: Record<string, unknown>): Buffer | string {
  const names = Object.keys(changes);
  if (names.length === 0) return request.rawBody;
  const onlyAdds = names.every((name) => changes[name] !== undefined && !(name in request.body));
  if (onlyAdds) return appendFields(request.rawBody, changes);
  // `stringify` omits fields that are undefined.
  return JSON.stringify({ ...request.body, ...changes });
}

const closingBrace = 0x7d;

/** `{"a":1}` + `{"b":2}` becomes `{"a":1,"b":2}` without parsing the first: cheap, and numbers keep their digits. */
function appendFields(rawBody: Buffer, fields: Record<string, unknown>): Buffer {
  const end = rawBody.lastIndexOf(closingBrace);
  // The body has at least the required fields, so a comma is always valid.
  return Buffer.concat([rawBody.subarray(0, end), Buffer.from(`,${JSON.stringify(fields).slice(1)}`)]);
}

import type { Target } from '../../adapter.js';
import type { BodyRules } from './dialect.js';

type Body = Readonly<Record<string, unknown>>;

/** Models that think before they answer and refuse the sampling parameters. */
const family = /^o\d+(?:-|$)|^gpt-(?:[5-9]|\d\d)/;
const chatVariant = /^gpt-5[\d.]*-chat/;
const effortSuffix = /-(minimal|low|medium|high|xhigh|none)$/;
/** From gpt-5.1 on, sampling parameters are accepted when no reasoning is asked for. */
const samplesWithoutEffort = /^gpt-(?:5\.[1-9]|[6-9]|\d\d)/;
const withoutSystemRole = /^o1-(?:mini|preview)/;

const sampling = ['temperature', 'top_p', 'logprobs', 'top_logprobs'] as const;
const alwaysRefused = ['presence_penalty', 'frequency_penalty', 'logit_bias'] as const;

/** Changes for OpenAI's reasoning models (docs/reference/providers/openai-family.md#request-changes). */
export function reasoningRules(body: Body, model: string, { models }: Pick<Target, 'models'>): BodyRules {
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

function moveOutputLimit(body: Body, changes: Record<string, unknown>): void {
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

/** o1-mini and o1-preview know neither role: the first user message carries the text. */
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

import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { withoutAttribution } from '../../../dialects/neutral/attribution.js';
import { asFields, asList, someText, type Fields } from '../../../dialects/neutral/fields.js';

/** Where the identity of a session can be found, in the order of the search. */
export const sessionSources = [
  'header',
  'codex',
  'claude_code',
  'prompt_cache_key',
  'previous_response_id',
  'prompt',
] as const;
export type SessionSource = (typeof sessionSources)[number];

/** The parts of a call that can identify its session. */
export interface SessionTraits {
  readonly userId: number;
  readonly tokenId: number;
  /** The group that routes the call. */
  readonly group: string;
  readonly model: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Fields;
  /** Bytes of the request body. */
  readonly bodyBytes: number;
}

export interface SessionKey {
  /** A digest of the owner, the group, the model and the identity. It contains no text of the client. */
  readonly key: string;
  readonly source: SessionSource;
}

const headersOf: ReadonlyArray<readonly [SessionSource, readonly string[]]> = [
  ['header', ['x-session-affinity']],
  // Codex wrote underscores until 2026, which some proxies drop.
  ['codex', ['session_id', 'session-id', 'conversation_id', 'conversation-id']],
  ['claude_code', ['x-claude-code-session-id']],
];

/**
 * Finds the identity of the session that a call belongs to (docs/reference/relay/routing.md#session-affinity).
 * @param minPromptBytes smaller bodies have an identity only if the client states one
 * @returns null when the call has none
 */
export function sessionKeyOf(call: SessionTraits, minPromptBytes: number): SessionKey | null {
  const stated = statedBy(call);
  if (stated) return { key: digest(call, `${stated.source}\n${stated.id}`), source: stated.source };
  if (call.bodyBytes < minPromptBytes) return null;
  const opening = openingOf(call.body);
  if (opening === '') return null;
  return { key: digest(call, `prompt\n${call.tokenId}\n${opening}`), source: 'prompt' };
}

/** Digests an identity. The owner is part of every digest, so two users never share a session. */
const digest = ({ userId, group, model }: SessionTraits, id: string): string =>
  hash('sha256', `${userId}\n${group}\n${model}\n${id}`, 'base64url');

/** Characters. Longer ids are left out of spans. */
const maxSessionId = 200;

/**
 * Returns the client's own id of the session. Undefined when it states none, or only the response that it continues.
 */
export function statedSession(call: Pick<SessionTraits, 'headers' | 'body'>): string | undefined {
  const stated = statedBy(call);
  return stated === null || stated.source === 'previous_response_id' || stated.id.length > maxSessionId
    ? undefined
    : stated.id;
}

function statedBy({
  headers,
  body,
}: Pick<SessionTraits, 'headers' | 'body'>): { source: SessionSource; id: string } | null {
  for (const [source, names] of headersOf) {
    for (const name of names) {
      const value = headers[name];
      if (typeof value === 'string' && value !== '') return { source, id: value };
    }
  }
  const metadata = body['metadata'];
  // Claude Code sends the session in this field.
  const userId = typeof metadata === 'object' ? someText(asFields(metadata)?.['user_id']) : undefined;
  if (userId !== undefined) return { source: 'claude_code', id: userId };
  const cacheKey = someText(body['prompt_cache_key']);
  if (cacheKey !== undefined) return { source: 'prompt_cache_key', id: cacheKey };
  const previous = someText(body['previous_response_id']);
  return previous === undefined ? null : { source: 'previous_response_id', id: previous };
}

/**
 * Characters that are read at the beginning and at the end of a long text. Hashing a whole system text costs too much.
 */
const headLength = 1500;
const tailLength = 300;

/** Returns the system text and the user's first message, in any dialect; empty when there is neither. */
function openingOf(body: Fields): string {
  const system =
    withoutAttribution(body['system']) ??
    body['instructions'] ??
    body['systemInstruction'] ??
    body['system_instruction'];
  const said = body['messages'] ?? body['contents'] ?? body['input'] ?? body['prompt'];
  if (typeof said === 'string') return excerpt(textOf(system)) + excerpt(said);
  let first = '';
  let instructions = textOf(system);
  for (const given of asList(said)) {
    const message = asFields(given);
    const role = message?.['role'];
    if (role === 'system' || role === 'developer') instructions += textOf(message);
    else if (role === 'user' || role === undefined) {
      first = textOf(message);
      break;
    }
  }
  return first === '' && instructions === '' ? '' : `${excerpt(instructions)}\n${excerpt(first)}`;
}

const excerpt = (text: string): string =>
  text.length <= headLength + tailLength
    ? text
    : `${text.slice(0, headLength)}${text.length}${text.slice(-tailLength)}`;

/** Returns the texts of a content: a text, a list of parts, or an object with one of them. */
function textOf(content: unknown, depth = 0): string {
  if (typeof content === 'string') return content;
  if (depth > 3 || typeof content !== 'object' || content === null) return '';
  if (Array.isArray(content)) {
    let all = '';
    for (const part of content) {
      all += textOf(part, depth + 1);
      // Further text would be cut.
      if (all.length > 4 * headLength) break;
    }
    return all;
  }
  const fields = content as Fields;
  return textOf(fields['text'] ?? fields['content'] ?? fields['parts'], depth + 1);
}

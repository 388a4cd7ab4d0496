import { createHash } from 'node:crypto';
import type { Accepts } from '../../adapter.js';
import { asFields, asFieldsList, type Fields } from '../../neutral/fields.js';
import { shortUserId } from '../../neutral/user-id.js';

/** Fields that refer to the client's account at OpenAI. */
export const accountFields = [
  'store',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
] as const;

export interface AcceptedChanges {
  /** Fields to set; undefined removes one. */
  readonly changes: Record<string, unknown>;
  /** Names of removed fields. */
  readonly dropped: readonly string[];
}

export const hasLongUserId = ({ user }: Fields): boolean => typeof user === 'string' && shortUserId(user) !== user;

/**
 * Adapts a chat body to what the provider accepts.
 * @param body already contains the changes of the dialect
 */
export function acceptedChanges(body: Fields, accepts: Accepts): AcceptedChanges {
  const refused = [
    ...(accepts.accountFields ? [] : accountFields),
    ...(accepts.reasoningEffort ? [] : ['reasoning_effort']),
  ];
  const dropped = refused.filter((name) => body[name] !== undefined);
  const changes: Record<string, unknown> = Object.fromEntries(dropped.map((name) => [name, undefined]));
  const { user } = body;
  if (accepts.accountFields && typeof user === 'string' && hasLongUserId(body)) changes['user'] = shortUserId(user);
  const messages = acceptedMessages(body['messages'], accepts);
  if (messages) changes['messages'] = messages;
  return { changes, dropped };
}

/** @returns null when no message has to change */
function acceptedMessages(given: unknown, accepts: Accepts): unknown[] | null {
  if (!Array.isArray(given) || (accepts.developerRole && accepts.callIds === 'any')) return null;
  const messages = (given as unknown[]).map((message) => acceptedMessage(message, accepts));
  return messages.some((message, index) => message !== given[index]) ? messages : null;
}

/** @returns the same message when nothing in it has to change */
function acceptedMessage(given: unknown, { developerRole, callIds }: Accepts): unknown {
  const message = asFields(given);
  if (!message) return given;
  const changed: Record<string, unknown> = {};
  if (!developerRole && message['role'] === 'developer') changed['role'] = 'system';
  if (callIds !== 'any') {
    if (message['tool_call_id'] !== undefined)
      changed['tool_call_id'] = shortCallId(message['tool_call_id'], callIds.length);
    if (Array.isArray(message['tool_calls'])) {
      changed['tool_calls'] = asFieldsList(message['tool_calls']).map((call) => ({
        ...call,
        id: shortCallId(call['id'], callIds.length),
      }));
    }
  }
  return Object.keys(changed).length > 0 ? { ...message, ...changed } : given;
}

const bitsPerCharacter = Math.log2(36);

/** An id of exactly `length` letters and digits. Deterministic, so that a call and its result stay together. */
export function shortCallId(id: unknown, length: number): unknown {
  if (typeof id !== 'string' || id === '' || (id.length === length && /^[A-Za-z0-9]+$/.test(id))) return id;
  const hexDigits = Math.ceil((length * bitsPerCharacter) / 4);
  const hash = createHash('sha256').update(id).digest('hex').slice(0, hexDigits);
  return BigInt(`0x${hash}`).toString(36).padStart(length, '0').slice(-length);
}

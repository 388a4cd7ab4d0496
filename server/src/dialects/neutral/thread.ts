import { threadNotFound } from '../errors/relay-error.js';
import { asFields, type Fields } from './fields.js';

/**
 * The field by which Anthropic keeps a conversation for a few minutes, so that a client sends only the new turn
 * (platform.claude.com, "Message threads", November 2026).
 */
export const threadName = 'thread';

/** Whether a request begins or continues a thread. */
export const isInThread = (body: Fields): boolean => asFields(body[threadName]) !== null;

/** Whether only Anthropic knows the conversation before the request. */
export const continuesThread = (body: Fields): boolean => asFields(body[threadName])?.['type'] === 'continue';

/**
 * Returns the field, by its name, for a provider that keeps no threads. A thread that begins is an ordinary call there.
 * @throws RelayError thread_not_found when the request continues a thread: clients then send the whole conversation
 */
export function threadLeftOut(body: Fields): readonly string[] {
  if (!continuesThread(body)) return isInThread(body) ? [threadName] : [];
  const id = asFields(body[threadName])?.['previous_message_id'];
  throw threadNotFound(id, 'is of a conversation that the provider of this channel does not keep');
}

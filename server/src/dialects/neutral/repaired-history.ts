import { ofEachObject } from '../../shared/of-each-object.js';
import { wholeArguments } from './arguments.js';
import type { Dialect } from './dialect.js';
import { isInstruction, withParts, type NeutralMessage } from './message.js';

/**
 * Completes tool calls whose arguments the output limit cut off. The client cannot change them, and providers refuse
 * them.
 * @param dropped receives the name of the field whose text is replaced
 */
export function withWholeArguments(message: NeutralMessage, dropped: Set<string>): NeutralMessage {
  if (message.role !== 'assistant') return message;
  return withParts(message, (part) => {
    if (part.kind !== 'toolCall' || part.custom) return part;
    const whole = wholeArguments(part.arguments);
    if (whole === part.arguments) return part;
    dropped.add(`${(part.at ?? 'messages').replace(/\[\d+\]/g, '')}.arguments`);
    return { ...part, arguments: whole };
  });
}

/** Returns an instruction as text of the user, marked as agents mark theirs. */
export const asReminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;

/**
 * Keeps instructions after the beginning at their position. If they moved before the conversation, each new one would
 * change the start of every prompt, which invalidates the cache of a provider. OpenAI's dialects have a role for them.
 */
export function withLaterInstructions(
  messages: readonly NeutralMessage[],
  dialect: Dialect | 'own',
): readonly NeutralMessage[] {
  if (dialect !== 'anthropic-messages' && dialect !== 'gemini-generate') return messages;
  const first = messages.findIndex((message) => !isInstruction(message));
  if (first < 0 || !messages.some((message, index) => index > first && isInstruction(message))) return messages;
  return messages.map((message, index) => (index > first && isInstruction(message) ? reminded(message) : message));
}

const reminded = ofEachObject(({ parts }: NeutralMessage): NeutralMessage => ({
  role: 'user',
  parts: parts.map((part) => (part.kind === 'text' ? { ...part, text: asReminder(part.text) } : part)),
}));

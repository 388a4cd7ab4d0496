import { ofEachObject } from '../../shared/of-each-object.js';
import { asFields, asText } from './fields.js';
import type { NeutralMessage } from './message.js';

/** The name under which the text is reported as left out. */
export const attributionName = 'system.x-anthropic-billing-header';

/**
 * Claude Code begins its instructions with a text for Anthropic's billing, which differs between sessions and, in some
 * versions, between turns. At other providers it is part of the prompt and prevents caching.
 */
export const isAttribution = (text: string): boolean => text.startsWith('x-anthropic-billing-header:');

/**
 * Returns the `system` of a Messages body without that text. Undefined if nothing else is left, and the same value if
 * the text is absent.
 */
export function withoutAttribution(system: unknown): unknown {
  if (typeof system === 'string') return isAttribution(system) ? undefined : system;
  if (!Array.isArray(system)) return system;
  const blocks = system as unknown[];
  const kept = blocks.filter((block) => !isAttribution(asText(asFields(block)?.['text'])));
  if (kept.length === blocks.length) return system;
  return kept.length === 0 ? undefined : kept;
}

/**
 * Removes the attribution in the neutral form.
 * @param dropped gets its name
 */
export function messagesWithoutAttribution(
  messages: readonly NeutralMessage[],
  dropped: Set<string>,
): readonly NeutralMessage[] {
  const [first, ...rest] = messages;
  if (first?.role !== 'system') return messages;
  const kept = keptOf(first);
  if (kept === first) return messages;
  dropped.add(attributionName);
  return kept.parts.length === 0 ? rest : [kept, ...rest];
}

const keptOf = ofEachObject((message: NeutralMessage): NeutralMessage => {
  const parts = message.parts.filter((part) => part.kind !== 'text' || !isAttribution(part.text));
  return parts.length === message.parts.length ? message : { ...message, parts };
});

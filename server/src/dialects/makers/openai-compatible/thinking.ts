import type { ChunkRewrite } from './rebuilt-stream.js';
import { reasoningText } from '../../languages/openai/chat-read.js';
import { asText, type Json } from '../../neutral/fields.js';

const opening = '<think>\n';
const closing = '\n</think>\n';

const withoutReasoning = (content: Json): Json => {
  const { reasoning_content: _content, reasoning: _reasoning, ...rest } = content;
  return rest;
};

interface Choice extends Json {
  readonly index?: number;
  readonly delta?: Json;
}

/**
 * Channel setting `thinking_to_content` (docs/reference/relay/routing.md#per-channel-settings): reasoning becomes
 * content between think tags. Keeps state per choice, so create one per stream.
 */
export function thinkingRewrite(): { rewrite: ChunkRewrite; close: () => Json | null } {
  const thinking = new Set<number>();
  let last: Json = {};

  const rewriteChoice = (choice: Choice): Choice[] => {
    const index = choice.index ?? 0;
    const delta = choice.delta ?? {};
    const reasoning = reasoningText(delta);
    if (reasoning) {
      const text = thinking.has(index) ? reasoning : opening + reasoning;
      thinking.add(index);
      const both = asText(delta['content']);
      if (both) thinking.delete(index);
      return [{ ...choice, delta: { ...withoutReasoning(delta), content: both ? text + closing + both : text } }];
    }
    const plain = { ...choice, delta: withoutReasoning(delta) };
    const ends =
      asText(delta['content']) !== '' || delta['tool_calls'] !== undefined || Boolean(choice['finish_reason']);
    if (!thinking.has(index) || !ends) return [plain];
    thinking.delete(index);
    return [{ index, delta: { content: closing }, finish_reason: null }, plain];
  };

  return {
    rewrite: (chunk) => {
      last = chunk;
      const choices = Array.isArray(chunk['choices']) ? (chunk['choices'] as Choice[]) : [];
      const rewritten = choices.map(rewriteChoice);
      if (rewritten.every((made) => made.length === 1)) return [{ ...chunk, choices: rewritten.flat() }];
      const tags = rewritten.filter((made) => made.length > 1).map((made) => made[0]);
      const { usage: _usage, ...head } = chunk;
      return [
        { ...head, choices: tags },
        { ...chunk, choices: rewritten.map((made) => made.at(-1)) },
      ];
    },
    close: () => {
      if (thinking.size === 0) return null;
      const choices = [...thinking].map((index) => ({ index, delta: { content: closing }, finish_reason: null }));
      thinking.clear();
      const { usage: _usage, ...head } = last;
      return { ...head, choices };
    },
  };
}

/**
 * Moves the reasoning of a complete response into its content.
 * @returns null when no message has reasoning
 */
export function thinkingToContent(answer: Json): Json | null {
  if (!Array.isArray(answer['choices'])) return null;
  let changed = false;
  const choices = (answer['choices'] as Json[]).map((choice) => {
    const message = (choice['message'] ?? {}) as Json;
    const reasoning = reasoningText(message);
    if (!reasoning) return choice;
    changed = true;
    const content = opening + reasoning + closing + asText(message['content']);
    return { ...choice, message: { ...withoutReasoning(message), content } };
  });
  return changed ? { ...answer, choices } : null;
}

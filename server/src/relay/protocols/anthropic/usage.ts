import type { Usage } from '../../usage.js';
import { asFields, asFieldsList, type Fields, type Json } from '../../neutral/fields.js';
import { toCount } from '../openai/usage.js';

const counted = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'] as const;

/**
 * Anthropic counts the prompt without cache reads and writes; inside the gateway it includes them
 * (docs/reference/providers/README.md#usage-normalization). Some calls take several rounds that the totals omit; then
 * the rounds are added up.
 * @returns null when no usage was reported
 */
export function toClaudeUsage(raw: unknown): Usage | null {
  const usage = asFields(raw);
  if (!usage) return null;
  const rounds = asFieldsList(usage['iterations']);
  const [fresh = 0, read = 0, written = 0, output = 0] = counted.map((name) =>
    Math.max(
      toCount(usage[name]),
      rounds.reduce((sum, round) => sum + toCount(round[name]), 0),
    ),
  );
  const prompt = toCount(fresh + read + written);
  if (prompt === 0 && output === 0) return null;
  const thought = toCount(asFields(usage['output_tokens_details'])?.['thinking_tokens']);
  return {
    promptTokens: prompt,
    completionTokens: output,
    cachedTokens: read,
    cacheWriteTokens: written,
    reasoningTokens: Math.min(thought, output),
    audioInputTokens: 0,
    audioOutputTokens: 0,
  };
}

/**
 * Combines the usage of a stream's events. `message_delta` comes last and may correct `message_start`; an input of 0
 * there means that it was not reported.
 */
export class ClaudeUsage {
  private raw: Json = {};

  /** Reads the usage of one event. */
  add(event: Fields): void {
    const usage = asFields(event['usage']) ?? asFields(asFields(event['message'])?.['usage']);
    if (!usage) return;
    for (const [name, value] of Object.entries(usage)) {
      if (value === null || (name === 'input_tokens' && toCount(value) === 0)) continue;
      this.raw[name] = value;
    }
  }

  usage(): Usage | null {
    return toClaudeUsage(this.raw);
  }
}

/** Usage in the shape that clients of the Messages dialect expect. */
export const fromClaudeUsage = (usage: Usage): Json => ({
  input_tokens: usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens,
  cache_creation_input_tokens: usage.cacheWriteTokens,
  cache_read_input_tokens: usage.cachedTokens,
  output_tokens: usage.completionTokens,
});

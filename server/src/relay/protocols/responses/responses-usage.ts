import type { Usage } from '../../usage.js';
import { asFields, type Json } from '../../neutral/fields.js';
import { fromUsage, toUsage } from '../openai/usage.js';

/**
 * Responses uses different names for the counts than chat.
 * @returns null when no usage was reported
 */
export function toResponsesUsage(raw: unknown): Usage | null {
  const usage = asFields(raw);
  if (!usage) return null;
  return toUsage({
    prompt_tokens: usage['input_tokens'],
    completion_tokens: usage['output_tokens'],
    prompt_tokens_details: usage['input_tokens_details'],
    completion_tokens_details: usage['output_tokens_details'],
  });
}

/** Usage in the shape that clients of Responses expect. */
export function fromResponsesUsage(usage: Usage): Json {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = fromUsage(usage);
  const { cached_tokens: cached, cache_write_tokens: written } = asFields(prompt) ?? {};
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: cached, ...(written === undefined ? {} : { cache_write_tokens: written }) },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: asFields(completion)?.['reasoning_tokens'] },
    total_tokens: usage.promptTokens + usage.completionTokens,
  };
}

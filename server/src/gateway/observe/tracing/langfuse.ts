import type { Attributes } from '../../../platform/observability/otlp/span.js';
import type { Usage } from '../../../shared/usage.js';

/**
 * Attributes that Langfuse reads instead of those of the conventions. It adds up all kinds of tokens, of which `gen_ai.usage`
 * includes some in others; it estimates costs that are not stated, by price lists of its own; and it knows no other attribute for
 * the time of the first token.
 * @param usd charged
 * @param firstByteAt of a stream, by `performance.now()`
 */
export function langfuseCall(usage: Usage, usd: number, firstByteAt: number | null): Attributes {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
  const details = {
    input: Math.max(0, promptTokens - cachedTokens - cacheWriteTokens),
    output: Math.max(0, completionTokens - reasoningTokens),
    input_cached_tokens: cachedTokens || undefined,
    input_cache_creation: cacheWriteTokens || undefined,
    output_reasoning_tokens: reasoningTokens || undefined,
  };
  return {
    'langfuse.observation.usage_details': JSON.stringify(details),
    'langfuse.observation.cost_details': JSON.stringify({ total: usd }),
    'langfuse.observation.completion_start_time':
      firstByteAt === null ? undefined : new Date(performance.timeOrigin + firstByteAt).toISOString(),
  };
}

/** An attempt is no generation of its own: the call is. */
export const langfuseAttempt: Attributes = { 'langfuse.observation.type': 'span' };

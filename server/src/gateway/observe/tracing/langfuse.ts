import type { Attributes } from '../../../platform/observability/otlp/span.js';
import type { Usage } from '../../../shared/usage.js';

/**
 * Returns the attributes that Langfuse reads in place of those of the conventions. Langfuse adds up all kinds of
 * tokens, and `gen_ai.usage` includes some kinds in others. It estimates costs that are not stated, by price lists of
 * its own. It reads no other attribute for the time of the first token.
 * @param usd amount charged
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

/** An attempt is a plain span in Langfuse, because only the call is a generation. */
export const langfuseAttempt: Attributes = { 'langfuse.observation.type': 'span' };

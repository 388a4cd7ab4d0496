import type { Usage } from '../../usage.js';

/** No real call has more; keeps every product inside what the books can hold. */
const maxTokens = 1_000_000_000;

/** A count as somebody else reports it: whole, never negative, never absurd. Anything that is no number is 0. */
export function toCount(value: unknown): number {
  if (typeof value !== 'number' || !(value > 0)) return 0;
  return Math.min(Math.trunc(value), maxTokens);
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/**
 * The first alias that carries a count. Providers disagree where cached tokens stand
 * (docs/reference/providers/openai-family.md#responses-to-chat-calls).
 */
const firstCount = (...values: unknown[]): number => {
  for (const value of values) {
    const count = toCount(value);
    if (count > 0) return count;
  }
  return 0;
};

/** No call costs more; what is written down of a cost must add up without end. */
const maxUsd = 1_000_000;
/** xAI counts in these. */
const ticksPerUsd = 1e10;

/**
 * What a provider says that a call cost it, in dollars: OpenRouter in `cost` (with one's own key for the provider behind it that is its fee, and
 * `cost_details` has the rest), Perplexity in `cost.total_cost`, xAI in `cost_in_usd_ticks`.
 */
function chargedUsd(usage: Record<string, unknown>): number | null {
  const { cost, cost_in_usd_ticks: ticks } = usage;
  const said =
    typeof cost === 'number'
      ? cost + (usage['is_byok'] === true ? Number(asRecord(usage['cost_details'])['upstream_inference_cost'] ?? 0) : 0)
      : typeof ticks === 'number'
        ? ticks / ticksPerUsd
        : asRecord(cost)['total_cost'];
  return typeof said === 'number' && said >= 0 && said <= maxUsd ? said : null;
}

/**
 * Reads a `usage` object of the OpenAI family.
 * @returns null when it reports neither prompt nor completion tokens, which counts as not reported at all
 */
export function toUsage(raw: unknown): Usage | null {
  if (typeof raw !== 'object' || raw === null) return null;
  const usage = raw as Record<string, unknown>;
  const prompt = toCount(usage['prompt_tokens']);
  const completion = toCount(usage['completion_tokens']);
  if (prompt === 0 && completion === 0) return null;
  const details = asRecord(usage['prompt_tokens_details'] ?? usage['prompt_token_details']);
  const spent = asRecord(usage['completion_tokens_details']);
  const cached = firstCount(
    details['cached_tokens'],
    usage['prompt_cache_hit_tokens'],
    usage['cached_tokens'],
    usage['num_cached_tokens'],
  );
  const written = firstCount(details['cache_write_tokens'], details['cache_creation_input_tokens']);
  const cachedTokens = Math.min(cached, prompt);
  const charged = chargedUsd(usage);
  return {
    promptTokens: prompt,
    completionTokens: completion,
    cachedTokens,
    cacheWriteTokens: Math.min(written, prompt - cachedTokens),
    reasoningTokens: Math.min(toCount(spent['reasoning_tokens']), completion),
    audioInputTokens: Math.min(toCount(details['audio_tokens']), prompt),
    audioOutputTokens: Math.min(toCount(spent['audio_tokens']), completion),
    ...(charged === null ? {} : { chargedUsd: charged }),
  };
}

/** The shape clients expect, for usage that we counted ourselves. */
export const fromUsage = (usage: Usage): Record<string, unknown> => ({
  prompt_tokens: usage.promptTokens,
  completion_tokens: usage.completionTokens,
  total_tokens: usage.promptTokens + usage.completionTokens,
  prompt_tokens_details: {
    cached_tokens: usage.cachedTokens,
    ...(usage.cacheWriteTokens > 0 ? { cache_write_tokens: usage.cacheWriteTokens } : {}),
    audio_tokens: usage.audioInputTokens,
  },
  completion_tokens_details: { reasoning_tokens: usage.reasoningTokens, audio_tokens: usage.audioOutputTokens },
});

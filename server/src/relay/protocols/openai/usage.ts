import type { Usage } from '../../usage.js';

/** Above any real call; keeps every product within the range of the ledger. */
const maxTokens = 1_000_000_000;

/** A count reported by a provider, as a non-negative bounded integer. Anything but a number is 0. */
export function toCount(value: unknown): number {
  if (typeof value !== 'number' || !(value > 0)) return 0;
  return Math.min(Math.trunc(value), maxTokens);
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/**
 * The first alias that contains a count. Providers report cached tokens in different fields
 * (docs/reference/providers/openai-family.md#responses-to-chat-calls).
 */
const firstCount = (...values: unknown[]): number => {
  for (const value of values) {
    const count = toCount(value);
    if (count > 0) return count;
  }
  return 0;
};

/** Above the cost of any real call, so that sums of logged costs cannot overflow. */
const maxUsd = 1_000_000;
/** The unit of xAI's costs. */
const ticksPerUsd = 1e10;

/**
 * The cost that a provider reports, in USD: OpenRouter in `cost` (with the operator's own provider key that is only its
 * fee, and `cost_details` has the rest), Perplexity in `cost.total_cost`, xAI in `cost_in_usd_ticks`.
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
 * @returns null when it reports neither prompt nor completion tokens, which counts as no report
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

/** Usage that we counted ourselves, in the shape that clients expect. */
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

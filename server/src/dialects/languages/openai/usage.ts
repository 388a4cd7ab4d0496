import { whenSearched, whenTier } from '../../../shared/price-condition.js';
import { usageDetails, type Usage, type UsageDetails } from '../../../shared/usage.js';

/** More tokens than any real call has. The bound keeps every product within the range of the ledger. */
const maxTokens = 1_000_000_000;

/** A count reported by a provider, as a non-negative bounded integer. Anything but a number is 0. */
export function toCount(value: unknown): number {
  if (typeof value !== 'number' || !(value > 0)) return 0;
  return Math.min(Math.trunc(value), maxTokens);
}

const nothing: Record<string, never> = {};

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : nothing;

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

/** More than any real call costs, so that sums of logged costs cannot overflow. */
const maxUsd = 1_000_000;
/** The unit of xAI's costs. */
const ticksPerUsd = 1e10;

/**
 * Reads the cost that a provider reports, in USD: OpenRouter in `cost` (with the operator's own provider key, that is
 * only its fee, and `cost_details` has the rest), Perplexity in `cost.total_cost`, xAI in `cost_in_usd_ticks`.
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

/** The usage of a response or chunk of chat completions. */
export const chatUsage = (said: Readonly<Record<string, unknown>>): Usage | null =>
  said['usage'] ? toUsage(said['usage'], said['service_tier'], said['model']) : null;

/** Models of Google. Its OpenAI-compatible API counts thoughts only in the total. */
const gemini = /(?:^|\/)gemini-/;

/**
 * Reads a `usage` object of the OpenAI family.
 * @param tier `service_tier` of the response, which is beside its usage
 * @param model `model` of the response
 * @returns null when it reports neither prompt nor completion tokens, which counts as no report
 */
export function toUsage(raw: unknown, tier?: unknown, model?: unknown): Usage | null {
  if (typeof raw !== 'object' || raw === null) return null;
  const usage = raw as Record<string, unknown>;
  // Perplexity counts what its research reads and thinks separately from the prompt and the completion, and bills it.
  const researches = typeof usage['citation_tokens'] === 'number';
  const asked = toCount(usage['prompt_tokens']);
  const read = researches ? toCount(asked + toCount(usage['citation_tokens'])) : asked;
  const shown = toCount(usage['completion_tokens']);
  if (read === 0 && shown === 0) return null;
  const details = asRecord(usage['prompt_tokens_details'] ?? usage['prompt_token_details']);
  const spent = asRecord(usage['completion_tokens_details']);
  const beside = toCount(usage['total_tokens']) - asked - shown;
  const reported = toCount(researches ? usage['reasoning_tokens'] : spent['reasoning_tokens']);
  const reasoning = reported === 0 && beside > 0 && gemini.test(String(model)) ? beside : reported;
  // xAI counts reasoning separately from the completion, and bills both.
  const isBeside = reasoning > 0 && (researches || beside === reasoning);
  const completion = isBeside ? shown + reasoning : shown;
  const cached = firstCount(
    details['cached_tokens'],
    usage['prompt_cache_hit_tokens'],
    usage['cached_tokens'],
    usage['num_cached_tokens'],
  );
  const written = firstCount(details['cache_write_tokens'], details['cache_creation_input_tokens']);
  // Relays of Claude report its counts, which exclude each other, under OpenAI's names.
  const isBesidePrompt = cached + written > read;
  const prompt = isBesidePrompt ? toCount(read + cached + written) : read;
  const charged = chargedUsd(usage);
  return {
    promptTokens: prompt,
    completionTokens: completion,
    cachedTokens: Math.min(cached, prompt),
    cacheWriteTokens: Math.min(written, prompt - Math.min(cached, prompt)),
    reasoningTokens: Math.min(reasoning, completion),
    audioInputTokens: Math.min(toCount(details['audio_tokens']), prompt),
    audioOutputTokens: Math.min(toCount(spent['audio_tokens']), completion),
    ...(charged === null ? {} : { chargedUsd: charged }),
    ...detailsOf(usage, { prompt: details, spent, tier, cacheIsBeside: isBesidePrompt }),
  };
}

type Raw = Readonly<Record<string, unknown>>;

/** xAI's Live Search bills each source that it used at 0.025 USD, which is five times the price of a search. */
const searchesOfSource = 5;

/** Searches of Qwen: in chat completions, and in Responses. */
const searchesOf = (usage: Raw): unknown =>
  asRecord(asRecord(usage['plugins'])['search'])['count'] ??
  asRecord(asRecord(usage['x_tools'])['web_search'])['count'];

/** Providers count the calls of their tools under different names: relays of Claude, Perplexity, xAI. */
function detailsOf(
  usage: Raw,
  { prompt, spent, tier, cacheIsBeside }: { prompt: Raw; spent: Raw; tier: unknown; cacheIsBeside: boolean },
): { readonly details?: UsageDetails } {
  const cached = asRecord(prompt['cached_tokens_details']);
  const tools = asRecord(usage['server_side_tool_usage_details']);
  // Tools of xAI use sources as well, and are billed by the call.
  const isByTool = typeof usage['server_side_tool_usage_details'] === 'object';
  // OpenAI keeps a cached prompt for half an hour, or for 12 hours at a higher price.
  const cacheWrite1hTokens = firstCount(
    asRecord(prompt['cache_creation'])['ephemeral_1h_input_tokens'],
    asRecord(prompt['cache_write_tokens_details'])['ttl_12h_tokens'],
  );
  const imageInputTokens = toCount(prompt['image_tokens']);
  const imageOutputTokens = toCount(spent['image_tokens']);
  const cachedAudioTokens = toCount(cached['audio_tokens']);
  const webSearches =
    firstCount(
      asRecord(usage['server_tool_use'])['web_search_requests'],
      usage['num_search_queries'],
      searchesOf(usage),
    ) +
    (isByTool ? 0 : searchesOfSource * toCount(usage['num_sources_used'])) +
    toCount(tools['web_search_calls']) +
    toCount(tools['x_search_calls']);
  const fileSearches = firstCount(tools['file_search_calls'], tools['document_search_calls']);
  const codeExecutions = toCount(tools['code_interpreter_calls']);
  const { search_context_size: searched } = usage;
  const when = tier === undefined && searched === undefined ? undefined : (whenTier(tier) ?? whenSearched(searched));
  const sum = cacheWrite1hTokens + imageInputTokens + imageOutputTokens + cachedAudioTokens;
  if (sum + webSearches + fileSearches + codeExecutions === 0 && !when && !cacheIsBeside) return nothing;
  return usageDetails({
    cacheIsBeside,
    cacheWrite1hTokens,
    cachedAudioTokens,
    imageInputTokens,
    imageOutputTokens,
    cachedImageTokens: toCount(cached['image_tokens']),
    webSearches,
    fileSearches,
    codeExecutions,
    ...(when ? { when } : {}),
  });
}

/** Returns usage that this server counted, in the shape that clients expect. */
export const fromUsage = (usage: Usage): Record<string, unknown> => ({
  prompt_tokens: usage.promptTokens,
  completion_tokens: usage.completionTokens,
  total_tokens: usage.promptTokens + usage.completionTokens,
  prompt_tokens_details: {
    cached_tokens: usage.cachedTokens,
    ...(usage.cacheWriteTokens > 0 ? { cache_write_tokens: usage.cacheWriteTokens } : {}),
    ...(usage.details?.cacheWrite1hTokens
      ? { cache_creation: { ephemeral_1h_input_tokens: usage.details.cacheWrite1hTokens } }
      : {}),
    audio_tokens: usage.audioInputTokens,
    ...(usage.details?.imageInputTokens ? { image_tokens: usage.details.imageInputTokens } : {}),
  },
  completion_tokens_details: {
    reasoning_tokens: usage.reasoningTokens,
    audio_tokens: usage.audioOutputTokens,
    ...(usage.details?.imageOutputTokens ? { image_tokens: usage.details.imageOutputTokens } : {}),
  },
  ...(usage.details?.webSearches ? { server_tool_use: { web_search_requests: usage.details.webSearches } } : {}),
});

/** Returns `service_tier` of a response if the provider reports a tier other than its standard one. */
export function tierOf(usage: Usage | null): { readonly service_tier?: string } {
  const tier = usage?.details?.when?.tier;
  return tier ? { service_tier: tier } : {};
}

import { whenTier, type Condition } from '../../../shared/price-condition.js';
import { usageDetails, type Usage, type UsageDetails } from '../../../shared/usage.js';
import { asFields, asFieldsList, someText, type Fields, type Json } from '../../neutral/fields.js';
import { toCount } from '../openai/usage.js';

/** Tokens of an image for which Google reports no count. */
const tokensPerImage = 258;

/**
 * Reads Google's usage, which counts thoughts separately from the output, and tool results separately from the prompt.
 * Inside the gateway they are included (docs/reference/providers/README.md#usage-normalization and
 * docs/reference/providers/gemini-and-vertex.md#gemini-responses).
 * @param images number of images in the response
 * @param searches searches that the response is based on
 * @returns null if no usage was reported
 */
export function toGeminiUsage(raw: unknown, images = 0, searches = noSearches): Usage | null {
  const usage = asFields(raw);
  if (!usage) return null;
  const read = toCount(toCount(usage['promptTokenCount']) + toCount(usage['toolUsePromptTokenCount']));
  const cached = toCount(usage['cachedContentTokenCount']);
  const prompt = cached > read ? toCount(read + cached) : read;
  const thoughts = toCount(usage['thoughtsTokenCount']);
  const answer = toCount(usage['candidatesTokenCount']) || images * tokensPerImage;
  const completion = toCount(answer + thoughts);
  if (prompt === 0 && completion === 0) return null;
  return {
    promptTokens: prompt,
    completionTokens: completion,
    cachedTokens: cached,
    cacheWriteTokens: 0,
    reasoningTokens: thoughts,
    audioInputTokens: Math.min(modality(usage, 'promptTokensDetails', 'AUDIO'), prompt),
    audioOutputTokens: Math.min(modality(usage, 'candidatesTokensDetails', 'AUDIO'), completion),
    ...detailsOf(usage, images * tokensPerImage, searches, cached > read),
  };
}

/** Searches of Google that a response is based on. */
export interface Searches {
  readonly web: number;
  /** Number of results of Google Maps. */
  readonly maps: number;
}

export const noSearches: Searches = { web: 0, maps: 0 };

/** Adds the searches of two candidates. */
export const sumOfSearches = (one: Searches, other: Searches): Searches => ({
  web: one.web + other.web,
  maps: one.maps + other.maps,
});

/** Combines the searches of two events of a stream, in which later events repeat earlier ones. */
export const moreSearches = (one: Searches, other: Searches): Searches => ({
  web: Math.max(one.web, other.web),
  maps: Math.max(one.maps, other.maps),
});

function detailsOf(
  usage: Fields,
  imageTokens: number,
  searches: Searches,
  cacheIsBeside: boolean,
): { readonly details?: UsageDetails } {
  const when = tierOf(usage);
  const isCounted = usage['candidatesTokensDetails'] !== undefined || toCount(usage['candidatesTokenCount']) > 0;
  return usageDetails({
    cacheIsBeside,
    cachedAudioTokens: modality(usage, 'cacheTokensDetails', 'AUDIO'),
    imageInputTokens: modality(usage, 'promptTokensDetails', 'IMAGE'),
    cachedImageTokens: modality(usage, 'cacheTokensDetails', 'IMAGE'),
    imageOutputTokens: isCounted ? modality(usage, 'candidatesTokensDetails', 'IMAGE') : imageTokens,
    webSearches: searches.web + searches.maps,
    groundedPrompts: searches.web > 0 ? 1 : 0,
    mapsPrompts: searches.maps > 0 ? 1 : 0,
    ...(when ? { when } : {}),
  });
}

/** Reads the tier: `serviceTier` on the Gemini API, and `trafficType`, such as `ON_DEMAND_PRIORITY`, on Vertex AI. */
function tierOf(usage: Fields): Condition | undefined {
  const name = someText(usage['serviceTier']) ?? someText(usage['trafficType'])?.replace(/^ON_DEMAND_/, '');
  return name === undefined ? undefined : whenTier(name.toLowerCase().replace(/^service_tier_/, ''));
}

/** Returns the searches of Google that a candidate is based on. For Maps, Google reports only results, not queries. */
export function searchesOf(candidate: Fields): Searches {
  const grounding = asFields(candidate['groundingMetadata']);
  if (!grounding) return noSearches;
  const queries = grounding['webSearchQueries'];
  const isPlace = asFieldsList(grounding['groundingChunks']).some((chunk) => asFields(chunk['maps']));
  return { web: Array.isArray(queries) ? queries.length : 0, maps: isPlace ? 1 : 0 };
}

const modality = (usage: Fields, details: string, name: string): number =>
  asFieldsList(usage[details])
    .filter((detail) => detail['modality'] === name)
    .reduce((sum, detail) => sum + toCount(detail['tokenCount']), 0);

/** Usage in the shape that clients of the Gemini dialect expect. */
export function fromGeminiUsage(usage: Usage): Json {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens, audioInputTokens, audioOutputTokens } = usage;
  const { imageInputTokens = 0, imageOutputTokens = 0, when } = usage.details ?? {};
  const answered = completionTokens - reasoningTokens;
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: answered,
    totalTokenCount: promptTokens + completionTokens,
    ...(cachedTokens > 0 ? { cachedContentTokenCount: cachedTokens } : {}),
    ...(reasoningTokens > 0 ? { thoughtsTokenCount: reasoningTokens } : {}),
    ...byModality('promptTokensDetails', promptTokens, audioInputTokens, imageInputTokens),
    ...byModality('candidatesTokensDetails', answered, audioOutputTokens, imageOutputTokens),
    ...(when?.tier ? { serviceTier: when.tier } : {}),
  };
}

/** The details are absent if all tokens are text. */
function byModality(name: string, total: number, audio: number, image: number): Json {
  if (audio === 0 && image === 0) return {};
  const counts = [
    ['TEXT', Math.max(0, total - audio - image)],
    ['AUDIO', audio],
    ['IMAGE', image],
  ] as const;
  return {
    [name]: counts.filter(([, count]) => count > 0).map(([modality, tokenCount]) => ({ modality, tokenCount })),
  };
}

import type { Usage } from '../../usage.js';
import { asFields, asFieldsList, type Fields, type Json } from '../../neutral/fields.js';
import { toCount } from '../openai/usage.js';

/** Tokens of an image that Google does not count. */
const tokensPerImage = 258;

/**
 * Google counts thoughts separately from the output, and tool results separately from the prompt; inside the gateway
 * they are included (docs/reference/providers/README.md#usage-normalization and
 * docs/reference/providers/gemini-and-vertex.md#gemini-responses).
 * @param images number of images in the response
 * @returns null when no usage was reported
 */
export function toGeminiUsage(raw: unknown, images = 0): Usage | null {
  const usage = asFields(raw);
  if (!usage) return null;
  const prompt = toCount(toCount(usage['promptTokenCount']) + toCount(usage['toolUsePromptTokenCount']));
  const thoughts = toCount(usage['thoughtsTokenCount']);
  const answer = toCount(usage['candidatesTokenCount']) || images * tokensPerImage;
  const completion = toCount(answer + thoughts);
  if (prompt === 0 && completion === 0) return null;
  return {
    promptTokens: prompt,
    completionTokens: completion,
    cachedTokens: Math.min(toCount(usage['cachedContentTokenCount']), prompt),
    cacheWriteTokens: 0,
    reasoningTokens: thoughts,
    audioInputTokens: Math.min(modality(usage, 'promptTokensDetails', 'AUDIO'), prompt),
    audioOutputTokens: Math.min(modality(usage, 'candidatesTokensDetails', 'AUDIO'), completion),
  };
}

const modality = (usage: Fields, details: string, name: string): number =>
  asFieldsList(usage[details])
    .filter((detail) => detail['modality'] === name)
    .reduce((sum, detail) => sum + toCount(detail['tokenCount']), 0);

/** Usage in the shape that clients of the Gemini dialect expect. */
export function fromGeminiUsage(usage: Usage): Json {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usage;
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: completionTokens - reasoningTokens,
    totalTokenCount: promptTokens + completionTokens,
    ...(cachedTokens > 0 ? { cachedContentTokenCount: cachedTokens } : {}),
    ...(reasoningTokens > 0 ? { thoughtsTokenCount: reasoningTokens } : {}),
  };
}

import { noUsage, type Usage } from '../../shared/usage.js';
import type { LoggedFields } from './logged-fields.js';
import { Exact } from './rounding.js';

/** The fields of an image call that determine its price by the old tables. */
export interface ImageRequest {
  readonly size: string;
  readonly quality: string;
  readonly count: number;
  /** The model that is actually called: quality only matters for dall-e-3. */
  readonly upstreamModel: string;
}

/** Returns how many times the price of one image a call costs by the old tables (docs/reference/relay/billing.md#images). */
export const imageFactor = (image: ImageRequest): number =>
  new Exact(sizeRatio(image.size)).times(qualityRatio(image)).times(image.count).toNumber();

/** A map, because the size is a client's text and may be `__proto__`. */
const sizeRatios = new Map([
  ['256x256', 0.4],
  ['512x512', 0.45],
  ['1024x1792', 2],
  ['1792x1024', 2],
]);

const sizeRatio = (size: string): number => sizeRatios.get(size) ?? 1;

function qualityRatio(image: ImageRequest): number {
  if (image.upstreamModel !== 'dall-e-3' || image.quality !== 'hd') return 1;
  return sizeRatio(image.size) === 2 ? 1.5 : 2;
}

/** Tokens of a transcription, which is priced by its length. */
export const tokensPerMinute = 1000;

/** Returns the tokens of a transcription. Its length is rounded up to seconds (docs/reference/relay/billing.md#usage). */
export const transcriptionTokens = (durationSeconds: number): number =>
  Math.round((Math.ceil(durationSeconds) * tokensPerMinute) / 60);

/** A usage for calls whose price does not depend on their usage. It is not empty, because an empty usage is free. */
export const oneCall: Usage = { ...noUsage, promptTokens: 1 };

/** The columns of a log row from which the old tables compute a charge. */
interface LoggedTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly other: LoggedFields;
}

export const countOf = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);

/** Returns the usage of a log row as the old tables count it. */
export function loggedUsage({ promptTokens, completionTokens, other }: LoggedTokens, formula: string): Usage {
  const audioInputTokens = countOf(other['audio_input']);
  const audioOutputTokens = countOf(other['audio_output']);
  const isAudio = formula === 'audio';
  // The object is one literal without spreads, because a dry run prices a million rows.
  return {
    promptTokens: isAudio ? countOf(other['text_input']) + audioInputTokens : promptTokens,
    completionTokens: isAudio ? countOf(other['text_output']) + audioOutputTokens : completionTokens,
    cachedTokens: isAudio ? 0 : countOf(other['cache_tokens']),
    cacheWriteTokens: isAudio ? 0 : countOf(other['cache_creation_tokens']),
    reasoningTokens: 0,
    audioInputTokens: isAudio ? audioInputTokens : 0,
    audioOutputTokens: isAudio ? audioOutputTokens : 0,
    details: { cacheWrite1hTokens: isAudio ? 0 : countOf(other['cache_creation_1h_tokens']) },
  };
}

import type { Condition } from './price-condition.js';
import type { UnitCount } from './price-quantities.js';

/**
 * Usage of a call in the one internal form (docs/reference/providers/README.md#usage-normalization): prompt includes
 * cache reads and writes, completion includes reasoning. Non-negative integers.
 */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  readonly audioInputTokens: number;
  readonly audioOutputTokens: number;
  /** Amount in USD that the provider reports as charged for the call; absent without a report. */
  readonly chargedUsd?: number;
  /** Further quantities that have a price of their own. Absent when the provider reports none. */
  readonly details?: UsageDetails;
}

/** Counts of work of tools that the provider ran, and of products such as images. */
type UnitCounts = { readonly [Name in UnitCount]?: number };

/** Quantities that few calls have. Tokens are included in the counts of `Usage`. Absent quantities are 0. */
export interface UsageDetails extends UnitCounts {
  /** The part of `cacheWriteTokens` that is kept for an hour by Anthropic, or for 12 hours by OpenAI. */
  readonly cacheWrite1hTokens?: number;
  /**
   * Set when the provider reported cached tokens besides those of the prompt. Here they are a part of `promptTokens`.
   */
  readonly cacheIsBeside?: boolean;
  /** Set when the provider reports only the total of its tokens, which is then in `completionTokens`. */
  readonly isTotal?: boolean;
  /** The part of `cachedTokens` and of `audioInputTokens`. */
  readonly cachedAudioTokens?: number;
  /** The part of `promptTokens` that is images. */
  readonly imageInputTokens?: number;
  /** The part of `cachedTokens` and of `imageInputTokens`. */
  readonly cachedImageTokens?: number;
  /** The part of `completionTokens` that is images. */
  readonly imageOutputTokens?: number;
  /** Number of requests that the provider bills for the call, such as the search units of a rerank. One when absent. */
  readonly requests?: number;
  /** The condition that decides the prices of the call, if it is not the standard condition. */
  readonly when?: Condition;
  /** The part of the call's tokens with which another model drew images. */
  readonly drawn?: DrawnImages;
  /** The part of the call's tokens with which another model gave advice. */
  readonly advised?: AdvisedTokens;
}

/** Tokens of a model that a tool of the provider asked for advice. */
export interface AdvisedTokens extends Pick<
  Usage,
  'promptTokens' | 'completionTokens' | 'cachedTokens' | 'cacheWriteTokens'
> {
  /** The model, if the provider names it. */
  readonly model?: string;
}

/** Images that a tool of the provider drew. */
export interface DrawnImages {
  readonly images: number;
  readonly promptTokens: number;
  /** The part of `promptTokens` that is images. */
  readonly imageInputTokens: number;
  readonly completionTokens: number;
  /** The part of `completionTokens` that is images. */
  readonly imageOutputTokens: number;
}

/** @returns an object with `details`, without values that are 0 or absent; an empty object when nothing is left */
export function usageDetails(found: UsageDetails): { readonly details?: UsageDetails } {
  let some = false;
  const details: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(found) as Array<[string, unknown]>) {
    if (!value) continue;
    details[name] = value;
    some = true;
  }
  return some ? { details } : {};
}

/** Usage of zero tokens. */
export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
};

/**
 * Returns the usage of a stream that reported it twice, each time from its beginning. The later report wins, even if it
 * is less: providers correct themselves. Only a later 0 is ignored, because some providers leave a count out of their
 * last chunk: the earlier count stays, with its parts.
 */
export function laterUsage(before: Usage | null, later: Usage): Usage {
  const prompt = before && later.promptTokens === 0 ? before : later;
  const output = before && later.completionTokens === 0 ? before : later;
  if (!before || (prompt === later && output === later)) return later;
  const usd = later.chargedUsd ?? before.chargedUsd;
  return {
    promptTokens: prompt.promptTokens,
    completionTokens: output.completionTokens,
    cachedTokens: prompt.cachedTokens,
    cacheWriteTokens: prompt.cacheWriteTokens,
    reasoningTokens: output.reasoningTokens,
    audioInputTokens: prompt.audioInputTokens,
    audioOutputTokens: output.audioOutputTokens,
    ...(usd === undefined ? {} : { chargedUsd: usd }),
    ...usageDetails({
      ...before.details,
      ...later.details,
      cacheIsBeside: prompt.details?.cacheIsBeside ?? false,
      cacheWrite1hTokens: prompt.details?.cacheWrite1hTokens ?? 0,
      cachedAudioTokens: prompt.details?.cachedAudioTokens ?? 0,
      imageInputTokens: prompt.details?.imageInputTokens ?? 0,
      cachedImageTokens: prompt.details?.cachedImageTokens ?? 0,
      imageOutputTokens: output.details?.imageOutputTokens ?? 0,
    }),
  };
}

/** Returns the usage of two parts of one call. The service tier is that of the first part that has one. */
export function sumOfUsage(one: Usage, other: Usage): Usage {
  const details: Record<string, unknown> = { ...one.details };
  for (const [name, value] of Object.entries(other.details ?? {}) as Array<[string, unknown]>) {
    details[name] = typeof value === 'number' ? value + Number(details[name] ?? 0) : (details[name] ?? value);
  }
  const usd = one.chargedUsd ?? other.chargedUsd;
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    audioInputTokens: one.audioInputTokens + other.audioInputTokens,
    audioOutputTokens: one.audioOutputTokens + other.audioOutputTokens,
    ...(usd === undefined ? {} : { chargedUsd: (one.chargedUsd ?? 0) + (other.chargedUsd ?? 0) }),
    ...usageDetails(details),
  };
}

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

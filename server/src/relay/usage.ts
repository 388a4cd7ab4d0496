/**
 * What a call cost, in the one inner form (docs/reference/providers/README.md#usage-normalization): prompt is inclusive
 * of cache read and write, completion inclusive of reasoning. All whole numbers, never negative.
 */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  readonly audioInputTokens: number;
  readonly audioOutputTokens: number;
  /** Dollars that the provider says it charged for the call; absent where it does not say. */
  readonly chargedUsd?: number;
}

export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
};

import { builtInCard, makerRules } from './built-in-prices.js';
import { ratiosOfCard } from './card-ratios.js';

/** A completion ratio by rule. `locked` means that the CompletionRatio setting cannot change it. */
export interface RuledRatio {
  readonly ratio: number;
  readonly locked: boolean;
}

/**
 * Returns the completion ratio of a model by the rules of its maker (docs/reference/relay/prices.md#completion-ratio), before
 * the CompletionRatio setting is applied. A rule that is not locked applies only to models without a known list price.
 */
export function ruledCompletionRatio(model: string): RuledRatio {
  const { ratio = 1, locked } = makerRules.completion.find(({ models }) => models.test(model)) ?? {};
  if (locked) return { ratio, locked: true };
  const listed = builtInCard(model);
  return { ratio: (listed && ratiosOfCard(listed.card).completionRatio) || ratio, locked: false };
}

const usualAudioRatio = 20;

/** Ratio of audio input to text input (docs/reference/relay/prices.md#audio-ratios). */
export const audioInputRatio = (model: string): number =>
  makerRules.audio.find(({ models }) => models.test(model))?.ratio ?? usualAudioRatio;

/** Ratio of audio output to audio input. */
export const audioOutputRatio = 2;

/** Ratio of tokens written to a provider's prompt cache, the same for every model. */
export const cacheWriteRatio = 1.25;

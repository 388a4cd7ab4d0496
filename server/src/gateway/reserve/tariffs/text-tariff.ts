import {
  chargeOf,
  chargeOfAudio,
  chargeOfMessages,
  isAudioModel,
  reserveOf,
  type TablePrice,
} from '../../../billing/prices/index.js';
import { tokenQuantities } from '../../../shared/price-card.js';
import type { Usage } from '../../../shared/usage.js';
import type { ChargeInput, Tariff } from '../../endpoint.js';
import { chatPrompt, estimatePrompt } from '../metering/prompt-tokens.js';

const audioUsage = (usage: Usage): Parameters<typeof chargeOfAudio>[1] => ({
  textInputTokens: usage.promptTokens - usage.audioInputTokens,
  textOutputTokens: usage.completionTokens - usage.audioOutputTokens,
  audioInputTokens: usage.audioInputTokens,
  audioOutputTokens: usage.audioOutputTokens,
});

const reserve: Tariff['reserve'] = (price, { maxOutput, body }, rawBody, bareModel, values) =>
  reserveOf(price, {
    promptTokens: maxOutput > 0 && price.kind === 'ratio' ? estimatePrompt(rawBody, body, bareModel) : 0,
    maxOutput,
    preConsumedTokens: values.PreConsumedQuota,
    quotaPerUnit: values.QuotaPerUnit,
  });

const counts: Tariff['counts'] = [...tokenQuantities, 'request'];

/**
 * The text formula, or the audio formula for audio models.
 * @param prompt reads the prompt, if it is not a chat prompt
 */
export const textTariff = (prompt: Tariff['prompt'] = ({ body }, model) => chatPrompt(body, model)): Tariff => ({
  counts,
  reserve,
  prompt,
  charge: ({ price, usage, bareModel }, quotaPerUnit) =>
    isAudioModel(bareModel)
      ? chargeOfAudio(price, audioUsage(usage), quotaPerUnit)
      : chargeOf(price, usage, quotaPerUnit),
  notes: (charged) => (isAudioModel(charged.bareModel) ? audioNotes(charged) : {}),
  line: (charged) => (isAudioModel(charged.bareModel) ? audioLine(charged) : null),
});

function audioNotes({ price, usage }: ChargeInput<TablePrice>): Record<string, unknown> {
  const { textInputTokens, textOutputTokens, audioInputTokens, audioOutputTokens } = audioUsage(usage);
  return {
    audio: true,
    text_input: textInputTokens,
    text_output: textOutputTokens,
    audio_input: audioInputTokens,
    audio_output: audioOutputTokens,
    audio_ratio: price.kind === 'ratio' ? price.audioRatio : 0,
    audio_completion_ratio: price.kind === 'ratio' ? price.audioCompletionRatio : 0,
    // Cached tokens get no discount in this formula.
    cache_tokens: 0,
    cache_ratio: 0,
  };
}

function audioLine({ price }: ChargeInput<TablePrice>): string | null {
  if (price.kind !== 'ratio') return null;
  const { modelRatio, completionRatio, audioRatio, audioCompletionRatio, groupRatio } = price;
  return [
    `model ratio ${modelRatio.toFixed(2)}`,
    `completion ratio ${completionRatio.toFixed(2)}`,
    `audio ratio ${audioRatio.toFixed(2)}`,
    `audio completion ratio ${audioCompletionRatio.toFixed(2)}`,
    `group ratio ${groupRatio.toFixed(2)}`,
  ].join(', ');
}

/** The Messages formula, for every provider that serves Messages. */
export const messagesTariff = (prompt: Tariff['prompt']): Tariff => ({
  counts,
  reserve,
  prompt,
  charge: ({ price, usage }, quotaPerUnit) => chargeOfMessages(price, usage, quotaPerUnit),
  notes: ({ price, usage }) => ({
    claude: true,
    cache_creation_tokens: usage.cacheWriteTokens,
    cache_creation_ratio: price.kind === 'ratio' ? price.cacheWriteRatio : 0,
  }),
});

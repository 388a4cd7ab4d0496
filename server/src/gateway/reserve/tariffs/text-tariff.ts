import { tokenQuantities } from '../../../shared/price-card.js';
import type { ChargeInput, Tariff } from '../../endpoint.js';
import { chatPrompt } from '../metering/prompt-tokens.js';

const counts: Tariff['counts'] = [...tokenQuantities, 'request'];

/**
 * The text formula, or the audio formula for audio models.
 * @param prompt reads the prompt, if it is not a chat prompt
 */
export const textTariff = (prompt: Tariff['prompt'] = ({ body }, model) => chatPrompt(body, model)): Tariff => ({
  counts,
  formula: 'text',
  ofAudio: { formula: 'audio', notes: audioNotes, line: audioLine },
  prompt,
});

function audioNotes({ price, usage }: ChargeInput): Record<string, unknown> {
  const { promptTokens, completionTokens, audioInputTokens, audioOutputTokens } = usage;
  return {
    audio: true,
    text_input: promptTokens - audioInputTokens,
    text_output: completionTokens - audioOutputTokens,
    audio_input: audioInputTokens,
    audio_output: audioOutputTokens,
    audio_ratio: price.shown.audioRatio,
    audio_completion_ratio: price.shown.audioCompletionRatio,
    // Cached tokens get no discount in this formula.
    cache_tokens: 0,
    cache_ratio: 0,
  };
}

function audioLine({ price }: ChargeInput): string {
  return `${price.audioText}, group ratio ${price.groupRatio.toFixed(2)}`;
}

/** The Messages formula, for every provider that serves Messages. */
export const messagesTariff = (prompt: Tariff['prompt']): Tariff => ({
  counts,
  formula: 'messages',
  prompt,
  notes: ({ price, usage }) => ({
    claude: true,
    cache_creation_tokens: usage.cacheWriteTokens,
    cache_creation_ratio: price.shown.cacheWriteRatio,
  }),
});

import type { possibleTokens } from '../../gateway/reserve/possible-usage.js';
import type { Fields } from '../../dialects/neutral/fields.js';
import { inputOf, outputOf, type ChargedAudio } from './session-price.js';

const most = 100_000_000;

/** Returns the usage that a provider reports for a turn, bounded and non-negative; null when it reports none. */
export function reportedUsage(usage: unknown): ChargedAudio | null {
  if (typeof usage !== 'object' || usage === null) return null;
  const report = usage as Fields;
  const input = count(report['input_tokens']);
  const output = count(report['output_tokens']);
  if (input + output === 0 && count(report['total_tokens']) === 0) return null;
  const inputs = (report['input_token_details'] ?? {}) as Fields;
  const outputs = (report['output_token_details'] ?? {}) as Fields;
  const audioInputTokens = Math.min(input, count(inputs['audio_tokens']));
  const audioOutputTokens = Math.min(output, count(outputs['audio_tokens']));
  return {
    // All tokens except audio count as text, including images.
    textInputTokens: input - audioInputTokens,
    textOutputTokens: output - audioOutputTokens,
    audioInputTokens,
    audioOutputTokens,
    ...cachedParts(inputs, input - audioInputTokens, audioInputTokens),
  };
}

/** @returns the same object when nothing in it is larger */
export function withinLimits(usage: ChargedAudio, most: ReturnType<typeof possibleTokens>): ChargedAudio {
  if (inputOf(usage) <= most.prompt && outputOf(usage) <= most.output) return usage;
  const audioInputTokens = Math.min(usage.audioInputTokens, most.prompt);
  const audioOutputTokens = Math.min(usage.audioOutputTokens, most.output);
  const textInputTokens = Math.min(usage.textInputTokens, most.prompt - audioInputTokens);
  const image = Math.min(usage.imageInputTokens ?? 0, textInputTokens);
  return {
    textInputTokens,
    textOutputTokens: Math.min(usage.textOutputTokens, most.output - audioOutputTokens),
    audioInputTokens,
    audioOutputTokens,
    cachedTextTokens: Math.min(usage.cachedTextTokens ?? 0, textInputTokens - image),
    imageInputTokens: image,
    cachedImageTokens: Math.min(usage.cachedImageTokens ?? 0, image),
    cachedAudioTokens: Math.min(usage.cachedAudioTokens ?? 0, audioInputTokens),
  };
}

/** Returns cached tokens by kind, for price cards that price the kinds separately. */
function cachedParts(inputs: Fields, text: number, audio: number): Partial<ChargedAudio> {
  const cached = (inputs['cached_tokens_details'] ?? {}) as Fields;
  const image = Math.min(text, count(inputs['image_tokens']));
  return {
    cachedTextTokens: Math.min(text - image, count(cached['text_tokens'])),
    imageInputTokens: image,
    cachedImageTokens: Math.min(image, count(cached['image_tokens'])),
    cachedAudioTokens: Math.min(audio, count(cached['audio_tokens'])),
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(0, Math.trunc(value)), most) : 0;
}

import { noUsage, usageDetails, type Usage, type UsageDetails } from '../../../shared/usage.js';
import { asFields, type Fields } from '../../neutral/fields.js';
import { toCount, toUsage } from './usage.js';

/**
 * Usage of embeddings, images and transcripts: `prompt_tokens`, `input_tokens`, or a total alone. Seconds are ignored:
 * the relay measures audio itself.
 * @returns null when none was reported
 */
export function toOneShotUsage(usage: Fields): Usage | null {
  const chat = toUsage(usage);
  if (chat) return chat;
  const input = toCount(usage['input_tokens']);
  const output = toCount(usage['output_tokens']);
  if (input === 0 && output === 0) {
    const total = toCount(usage['total_tokens']);
    return total === 0 ? null : { ...noUsage, promptTokens: total };
  }
  const details = asFields(usage['input_tokens_details'] ?? usage['input_token_details']);
  return {
    ...noUsage,
    promptTokens: input,
    completionTokens: output,
    cachedTokens: Math.min(toCount(details?.['cached_tokens']), input),
    audioInputTokens: Math.min(toCount(details?.['audio_tokens']), input),
    ...usageDetails(imageDetails(usage, details, output)),
  };
}

/** Reads the tokens of images, which models count separately from text. */
function imageDetails(usage: Fields, input: Fields | null | undefined, output: number): UsageDetails {
  const spent = asFields(usage['output_tokens_details'] ?? usage['output_token_details']);
  const cached = asFields(input?.['cached_tokens_details']);
  const isImage = input?.['image_tokens'] !== undefined;
  return {
    images: toCount(usage['generated_images']),
    imageInputTokens: toCount(input?.['image_tokens']),
    cachedImageTokens: toCount(cached?.['image_tokens']),
    // Without details, all output of an image call is counted as image tokens.
    imageOutputTokens: spent ? toCount(spent['image_tokens']) : isImage ? output : 0,
  };
}

/** Returns `usage` of a call without output. Absent if the count is 0, so that the relay counts. */
export const usageFields = (prompt: number): { usage?: Record<string, number> } =>
  prompt > 0 ? { usage: { prompt_tokens: prompt, total_tokens: prompt } } : {};

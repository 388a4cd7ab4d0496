import type { ChargedAudio } from './session-price.js';
import type { Fields } from '../neutral/fields.js';

const most = 100_000_000;

/** The usage that a provider reports for a turn, bounded and non-negative; null when it reports none. */
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
    // Everything except audio counts as text, images included.
    textInputTokens: input - audioInputTokens,
    textOutputTokens: output - audioOutputTokens,
    audioInputTokens,
    audioOutputTokens,
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(0, Math.trunc(value)), most) : 0;
}

import type { Adapter } from '../../contract.js';
import { asFields, asFieldsList } from '../../neutral/fields.js';
import { toCount, toUsage } from '../../languages/openai/usage.js';
import { oneImage, oneShot } from '../openai-compatible/one-shot.js';
import { imageRules, openAICompatible } from '../openai-compatible/openai-compatible.js';
import type { OpenAiVariant } from '../openai-compatible/variant.js';

/**
 * Bots report the usage of their models in a separate field (docs/reference/providers/openai-family.md#single-members).
 */
function withBotUsage(answer: Record<string, unknown>): Record<string, unknown> {
  const models = asFieldsList(asFields(answer['bot_usage'])?.['model_usage']);
  if (models.length === 0 || toUsage(answer['usage'])) return answer;
  const sum = (name: string): number => models.reduce((total, model) => total + toCount(model[name]), 0);
  const [prompt, completion] = [sum('prompt_tokens'), sum('completion_tokens')];
  return {
    ...answer,
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}

const variant: OpenAiVariant = {
  chat: (base, _call, { upstreamModel }) =>
    `${base}/api/v3/${upstreamModel.startsWith('bot') ? 'bots/' : ''}chat/completions`,
  capabilities: { embeddings: '/api/v3/embeddings' },
  responses: '/api/v3/responses',
  answer: withBotUsage,
  chunk: withBotUsage,
};

/** Seedream draws several images as a series, not by `n`. */
const images = oneShot(variant, '/api/v3/images/generations', {
  ...imageRules,
  ...oneImage(
    ...['prompt', 'image', 'size', 'seed', 'guidance_scale', 'watermark', 'response_format', 'output_format', 'stream'],
    ...['sequential_image_generation', 'sequential_image_generation_options', 'optimize_prompt_options'],
  ),
});

export const volcengine: Adapter = { ...openAICompatible(variant), images };

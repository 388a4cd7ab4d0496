import type { Adapter } from '../../contract.js';
import type { Fields } from '../../neutral/fields.js';
import { oneImage, oneShot } from '../openai-compatible/one-shot.js';
import type { BodyRules, OpenAiVariant } from '../openai-compatible/variant.js';
import { imageRules, openAICompatible } from '../openai-compatible/openai-compatible.js';
import { zhipuToken } from './token.js';

/** Returns the request changes of type 26 (docs/reference/providers/openai-family.md#request-changes). */
function zhipuRules(body: Fields, model: string): BodyRules {
  const changes: Record<string, unknown> = {};
  const { top_p: topP, stop } = body;
  if (typeof topP === 'number' && topP >= 1) changes['top_p'] = 0.99;
  if (typeof stop === 'string') changes['stop'] = [stop];
  return { model, changes: Object.keys(changes).length > 0 ? changes : null };
}

const variant: OpenAiVariant = {
  chat: '/api/paas/v4/chat/completions',
  capabilities: { embeddings: '/api/paas/v4/embeddings' },
  // A key without a dot is sent unchanged; one with a dot signs a token.
  credentials: ({ key, now }) => ({ authorization: key.includes('.') ? zhipuToken(key, now) : `Bearer ${key}` }),
  rules: zhipuRules,
};

/** Images are always returned as URLs. */
const images = oneShot(variant, '/api/paas/v4/images/generations', {
  ...imageRules,
  ...oneImage('prompt', 'quality', 'size'),
  onlyWhole: true,
});

export const zhipuV4: Adapter = { ...openAICompatible(variant), images };

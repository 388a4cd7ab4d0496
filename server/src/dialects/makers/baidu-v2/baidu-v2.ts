import type { Adapter } from '../../contract.js';
import { oneShot, without } from '../openai-compatible/one-shot.js';
import { imageRules, openAICompatible } from '../openai-compatible/openai-compatible.js';
import { rerankRules } from '../openai-compatible/rerank.js';
import type { OpenAiVariant } from '../openai-compatible/variant.js';

/** `APIKEY` or `APIKEY|APPID` (docs/reference/providers/openai-family.md#single-members). */
const variant: OpenAiVariant = {
  chat: '/v2/chat/completions',
  capabilities: { embeddings: '/v2/embeddings' },
  credentials: ({ key }) => {
    const [apiKey = '', appId = ''] = key.split('|').map((part) => part.trim());
    return { authorization: `Bearer ${apiKey}`, ...(appId ? { appid: appId } : {}) };
  },
};

const images = oneShot(variant, '/v2/images/generations', {
  ...imageRules,
  ...without('stream', 'partial_images'),
  onlyWhole: true,
});

/** Documents are always returned. */
const rerank = oneShot(variant, '/v2/rerank', {
  ...rerankRules,
  body: ({ return_documents: _shown, ...body }) => rerankRules.body(body),
});

export const baiduV2: Adapter = { ...openAICompatible(variant), images, rerank };

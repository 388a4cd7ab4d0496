import type { Adapter } from '../../contract.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';

/** `APIKEY` or `APIKEY|APPID` (docs/reference/providers/openai-family.md#single-members). */
export const baiduV2: Adapter = openAICompatible({
  chat: '/v2/chat/completions',
  capabilities: { embeddings: '/v2/embeddings', images: '/v2/images/generations', rerank: '/v2/rerank' },
  credentials: ({ key }) => {
    const [apiKey = '', appId = ''] = key.split('|').map((part) => part.trim());
    return { authorization: `Bearer ${apiKey}`, ...(appId ? { appid: appId } : {}) };
  },
});

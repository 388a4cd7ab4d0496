import type { Adapter } from '../../adapter.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';

/** `APIKEY` or `APIKEY|APPID` (`relay-providers.md` 5.12). */
export const baiduV2: Adapter = openAICompatible({
  defaultBaseUrl: 'https://qianfan.baidubce.com',
  chatUrl: (base) => `${base}/v2/chat/completions`,
  credentials: ({ key }) => {
    const [apiKey = '', appId = ''] = key.split('|').map((part) => part.trim());
    return { authorization: `Bearer ${apiKey}`, ...(appId ? { appid: appId } : {}) };
  },
  streamUsage: true,
});

import type { Adapter } from '../adapter.js';
import { ali } from './ali/ali.js';
import { azure } from './azure/azure.js';
import { baiduV2 } from './baidu-v2/baidu-v2.js';
import { cloudflare } from './cloudflare/cloudflare.js';
import { deepseek } from './deepseek/deepseek.js';
import { minimax } from './minimax/minimax.js';
import { mistral } from './mistral/mistral.js';
import { ollama } from './ollama/ollama.js';
import { bearerIfGiven } from './openai-compatible/credentials.js';
import { openAICompatible } from './openai-compatible/openai-compatible.js';
import { reasoningRules as rules } from './openai-compatible/reasoning.js';
import { wholeAddress } from './openai-compatible/url.js';
import { volcengine } from './volcengine/volcengine.js';
import { xai } from './xai/xai.js';
import { zhipuV4 } from './zhipu/zhipu-v4.js';

/** Who speaks which dialect, by channel type (`relay-providers.md` 0.1). A provider is one line, or a folder. */
export const adapters: Readonly<Record<number, Adapter>> = {
  // OpenAI
  1: openAICompatible({
    defaultBaseUrl: 'https://api.openai.com',
    streamUsage: true,
    rules,
    headers: ({ organization }): Record<string, string> =>
      organization ? { 'openai-organization': organization } : {},
  }),
  3: azure,
  4: ollama,
  // any address that speaks it
  8: openAICompatible({ chatUrl: wholeAddress, rules }),
  17: ali,
  // 360
  19: openAICompatible({ defaultBaseUrl: 'https://api.360.cn', streamUsage: true, rules }),
  // OpenRouter
  20: openAICompatible({
    defaultBaseUrl: 'https://openrouter.ai/api',
    streamUsage: true,
    rules,
    headers: () => ({ 'http-referer': 'https://github.com/tollgate', 'x-title': 'Tollgate' }),
  }),
  // FastGPT: with `detail` its stream has events that are no chunks
  22: openAICompatible({ defaultBaseUrl: 'https://fastgpt.run/api/openapi', rules, eventTypes: ['answer'] }),
  // Moonshot
  25: openAICompatible({ defaultBaseUrl: 'https://api.moonshot.cn', streamUsage: true, rules }),
  26: zhipuV4,
  // Yi
  31: openAICompatible({ defaultBaseUrl: 'https://api.lingyiwanwu.com', streamUsage: true, rules }),
  35: minimax,
  39: cloudflare,
  // SiliconCloud
  40: openAICompatible({ defaultBaseUrl: 'https://api.siliconflow.cn', streamUsage: true }),
  42: mistral,
  43: deepseek,
  45: volcengine,
  46: baiduV2,
  // Xinference runs without keys
  47: openAICompatible({ credentials: bearerIfGiven, streamUsage: true, rules }),
  48: xai,
};

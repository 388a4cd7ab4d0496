import { byThinking } from '../../accepts.js';
import { baiduV2 } from './baidu-v2.js';
import { acceptsUsual, type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 46,
    name: 'baidu',
    enumName: 'BAIDU_V2',
    label: 'Baidu V2',
    defaultBaseUrl: 'https://qianfan.baidubce.com',
    models: words(`
      ernie-4.0-8k-latest ernie-4.0-8k-preview ernie-4.0-8k ernie-4.0-turbo-8k-latest ernie-4.0-turbo-8k-preview
      ernie-4.0-turbo-8k ernie-4.0-turbo-128k ernie-3.5-8k-preview ernie-3.5-8k ernie-3.5-128k ernie-speed-8k
      ernie-speed-128k ernie-speed-pro-128k ernie-lite-8k ernie-lite-pro-128k ernie-tiny-8k ernie-char-8k
      ernie-char-fiction-8k ernie-novel-8k deepseek-v3 deepseek-r1 deepseek-r1-distill-qwen-32b
      deepseek-r1-distill-qwen-14b`),
    catalogueOwner: 'volcengine',
    accepts: { ...acceptsUsual, thinkingOff: byThinking(/^(?:glm-(?:4\.[5-9]|[5-9])|kimi-k2\.[56])/i) },
    adapter: baiduV2,
  },
];

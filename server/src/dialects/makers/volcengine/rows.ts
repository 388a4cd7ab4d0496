import { byThinking } from '../../accepts.js';
import { codingPlanAdapter } from '../hosted/coding-plans.js';
import { volcengine } from './volcengine.js';
import { acceptsUsual, type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 45,
    name: 'volcengine',
    label: 'Volcano Ark',
    defaultBaseUrl: 'https://ark.cn-beijing.volces.com',
    videos: 'ark',
    models: words(`
      Doubao-pro-128k Doubao-pro-32k Doubao-pro-4k Doubao-lite-128k Doubao-lite-32k Doubao-lite-4k
      Doubao-embedding`),
    accepts: {
      ...acceptsUsual,
      accountFields: [],
      reasoningHistory: 'reasoning_content',
      thinkingOff: byThinking(/^(?:doubao-seed-(?!.*thinking)|deepseek-v(?:3-[12]|4)|glm-(?:4-7|5)|kimi-k2-[56])/i),
    },
    adapter: volcengine,
    adapterFor: ({ baseUrl }) => codingPlanAdapter(baseUrl),
  },
];

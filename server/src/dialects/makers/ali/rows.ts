import { byEnableThinking } from '../../accepts.js';
import { ali, dashScope } from './ali.js';
import { codingPlanAdapter } from '../hosted/coding-plans.js';
import { acceptsUsual, type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 17,
    name: 'ali',
    label: 'Alibaba',
    defaultBaseUrl: 'https://dashscope.aliyuncs.com',
    videos: 'wan',
    models: words('qwen-turbo qwen-plus qwen-max qwen-max-longcontext text-embedding-v1'),
    accepts: { ...acceptsUsual, thinkingOff: byEnableThinking },
    adapter: ali,
    alternative: dashScope,
    adapterFor: ({ baseUrl }) => codingPlanAdapter(baseUrl),
  },
];

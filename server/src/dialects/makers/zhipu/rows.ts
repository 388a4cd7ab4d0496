import { byThinking } from '../../accepts.js';
import { codingPlanAdapter } from '../hosted/coding-plans.js';
import { chatglm } from './chatglm.js';
import { zhipuV4 } from './zhipu-v4.js';
import { acceptsUsual, type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 16,
    name: 'zhipu',
    label: 'Zhipu ChatGLM',
    defaultBaseUrl: 'https://open.bigmodel.cn',
    models: words('chatglm_turbo chatglm_pro chatglm_std chatglm_lite'),
    adapter: chatglm,
  },
  {
    id: 26,
    name: 'zhipu_4v',
    label: 'Zhipu GLM-4V',
    defaultBaseUrl: 'https://open.bigmodel.cn',
    videos: 'cogvideo',
    models: words(`
      glm-4 glm-4v glm-3-turbo glm-4-alltools glm-4-plus glm-4-0520 glm-4-air glm-4-airx glm-4-long glm-4-flash
      glm-4v-plus`),
    accepts: {
      ...acceptsUsual,
      accountFields: [],
      reasoningHistory: 'reasoning_content',
      thinkingOff: byThinking(/^glm-(?:4\.[5-9]|[5-9])/i),
    },
    adapter: zhipuV4,
    adapterFor: ({ baseUrl }) => codingPlanAdapter(baseUrl),
  },
];

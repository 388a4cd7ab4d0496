import { byThinking } from '../../accepts.js';
import { codingPlanAdapter } from '../hosted/coding-plans.js';
import { reasoningRules as rules } from '../openai-compatible/chat-body.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { everything } from '../openai-compatible/variant.js';
import { acceptsUsual, type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 25,
    name: 'moonshot',
    label: 'Moonshot',
    defaultBaseUrl: 'https://api.moonshot.cn',
    models: words('moonshot-v1-8k moonshot-v1-32k moonshot-v1-128k'),
    accepts: {
      ...acceptsUsual,
      accountFields: ['user', 'safety_identifier', 'prompt_cache_key'],
      reasoningHistory: 'reasoning_content',
      thinkingOff: byThinking(/^kimi-k2\.[56]/),
    },
    cacheKey: 'prompt_cache_key',
    adapter: openAICompatible({ capabilities: everything, rules }),
    adapterFor: ({ baseUrl }) => codingPlanAdapter(baseUrl),
  },
];

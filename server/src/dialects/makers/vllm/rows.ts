import { byTemplate } from '../../accepts.js';
import { hosted, openModelEndpoints } from '../hosted/hosted.js';
import { acceptsAccountFields, anthropicHeaders, openAIHeaders, type ProviderRow } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 62,
    name: 'vllm',
    label: 'vLLM',
    defaultBaseUrl: '',
    needsBaseUrl: true,
    accepts: { ...acceptsAccountFields, reasoningHistory: 'reasoning_content', thinkingOff: byTemplate },
    clientHeaders: [...openAIHeaders, ...anthropicHeaders],
    adapter: hosted({ capabilities: openModelEndpoints }),
  },
];

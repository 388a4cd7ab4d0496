import { byTemplate } from '../../accepts.js';
import { hosted, openModelEndpoints } from '../hosted/hosted.js';
import { acceptsAccountFields, anthropicHeaders, openAIHeaders, type ProviderRow } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 63,
    name: 'sglang',
    label: 'SGLang',
    defaultBaseUrl: '',
    needsBaseUrl: true,
    accepts: { ...acceptsAccountFields, reasoningHistory: 'reasoning_content', thinkingOff: byTemplate },
    clientHeaders: [...openAIHeaders, ...anthropicHeaders],
    adapter: hosted({ capabilities: openModelEndpoints }),
  },
];

import { reasoningRules as rules } from '../openai-compatible/chat-body.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { everything } from '../openai-compatible/variant.js';
import { type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 31,
    name: 'lingyiwanwu',
    label: 'Yi (01.AI)',
    defaultBaseUrl: 'https://api.lingyiwanwu.com',
    models: words(`
      yi-large yi-medium yi-vision yi-medium-200k yi-spark yi-large-rag yi-large-turbo yi-large-preview
      yi-large-rag-preview`),
    adapter: openAICompatible({ capabilities: everything, rules }),
  },
];

import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import type { ProviderRow } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 53,
    name: 'submodel',
    label: 'SubModel',
    defaultBaseUrl: 'https://llm.submodel.ai',
    adapter: openAICompatible({ capabilities: { completions: true, embeddings: true } }),
  },
];

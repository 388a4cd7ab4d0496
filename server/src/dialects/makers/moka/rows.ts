import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 44,
    name: 'mokaai',
    label: 'Embedding: MokaAI M3E',
    defaultBaseUrl: 'https://api.moka.ai',
    models: words('m3e-large m3e-base m3e-small'),
    // Only the model family m3e has its own path.
    adapter: openAICompatible({
      chat: false,
      capabilities: {
        embeddings: (base, _call, { upstreamModel: model }) =>
          `${base}/${model.startsWith('m3e') ? 'embeddings' : 'chat/'}`,
      },
    }),
  },
];

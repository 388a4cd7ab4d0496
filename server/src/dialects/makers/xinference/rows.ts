import { bearerIfGiven } from '../openai-compatible/address.js';
import { deploymentRules } from '../openai-compatible/chat-body.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { everything } from '../openai-compatible/variant.js';
import { acceptsAccountFields, type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 47,
    name: 'xinference',
    label: 'Xinference',
    defaultBaseUrl: '',
    models: words('bge-reranker-v2-m3 jina-reranker-v2'),
    catalogueOwner: null,
    accepts: acceptsAccountFields,
    // Xinference can run without keys.
    adapter: openAICompatible({
      capabilities: { ...everything, imageVariations: true },
      credentials: bearerIfGiven,
      rules: deploymentRules,
    }),
  },
];

import { acceptsEverything } from '../../accepts.js';
import { azure } from './azure.js';
import { openAIModels } from '../openai/models.js';
import { openAIHeaders, type ProviderRow } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 3,
    name: 'azure',
    clientHeaders: openAIHeaders,
    accepts: acceptsEverything,
    cacheKey: 'prompt_cache_key',
    label: 'Azure OpenAI',
    defaultBaseUrl: '',
    models: openAIModels,
    catalogueOwner: null,
    needsBaseUrl: true,
    realtime: 'azure',
    adapter: azure,
  },
];

import { acceptsEverything } from '../../accepts.js';
import { organizationHeader } from '../openai-compatible/address.js';
import { reasoningRules as rules } from '../openai-compatible/chat-body.js';
import { needsResponses, openAICompatible } from '../openai-compatible/openai-compatible.js';
import { everything } from '../openai-compatible/variant.js';
import { openAIBalance } from '../../providers/balance.js';
import { openAIModels } from './models.js';
import { openAIHeaders, type ProviderRow } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 1,
    name: 'openai',
    label: 'OpenAI',
    clientHeaders: openAIHeaders,
    accepts: acceptsEverything,
    cacheKey: 'prompt_cache_key',
    defaultBaseUrl: 'https://api.openai.com',
    models: openAIModels,
    balance: openAIBalance,
    realtime: 'openai',
    videos: 'openai',
    adapter: openAICompatible({
      responses: true,
      compaction: true,
      keptObjects: true,
      capabilities: everything,
      rules,
      needsResponses,
      provesThoughts: true,
      headers: organizationHeader,
    }),
  },
];

import { reasoningRules as rules } from '../openai-compatible/chat-body.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { everything } from '../openai-compatible/variant.js';
import { type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 19,
    name: '360',
    enumName: 'AI_360',
    label: '360',
    defaultBaseUrl: 'https://api.360.cn',
    models: words(`
      360gpt-turbo 360gpt-turbo-responsibility-8k 360gpt-pro 360gpt2-pro 360GPT_S2_V9 embedding-bert-512-v1
      embedding_s1_v1 semantic_similarity_s1_v1`),
    catalogueOwner: 'ai360',
    adapter: openAICompatible({ capabilities: everything, rules }),
  },
];

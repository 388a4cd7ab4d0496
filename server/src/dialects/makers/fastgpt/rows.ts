import { reasoningRules as rules } from '../openai-compatible/chat-body.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import type { ProviderRow } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 22,
    name: 'custom',
    enumName: 'FASTGPT',
    label: 'Knowledge base: FastGPT',
    defaultBaseUrl: 'https://fastgpt.run/api/openapi',
    // With `detail` its stream contains events that are not chunks.
    adapter: openAICompatible({ rules, eventTypes: ['answer'] }),
  },
];

import { byTemplate } from '../accepts.js';
import type { Adapter } from '../contract.js';
import { countAt } from '../makers/anthropic/count.js';
import { gemini } from '../makers/gemini/gemini.js';
import { checkChosenEndpoints, chosenEndpoints } from '../makers/hosted/chosen-endpoints.js';
import { hosted } from '../makers/hosted/hosted.js';
import { deploymentRules as rules } from '../makers/openai-compatible/chat-body.js';
import { everything } from '../makers/openai-compatible/variant.js';
import { openAICompatible } from '../makers/openai-compatible/openai-compatible.js';
import { perplexity } from '../makers/perplexity/perplexity.js';
import { openAIBalance } from './balance.js';
import {
  acceptsAccountFields,
  acceptsUsual,
  anthropicHeaders,
  openAIHeaders,
  words,
  type ProviderRow,
} from './provider.js';

/** Headers of coding agents for cache affinity, which gateways forward. */
const sessionHeaders: readonly string[] = [
  ...['session_id', 'session-id', 'conversation_id', 'conversation-id', 'x-session-id'],
  'x-claude-code-session-id',
];
const family = hosted({ capabilities: everything, compaction: true, rules });
/** Another gateway of the one-api family, which serves all dialects. */
const gateway: Adapter = {
  ...family,
  generate: gemini.generate,
  ...(family.messages ? { countMessages: countAt(family.messages) } : {}),
};
const openModels = { completions: true, embeddings: true, rerank: true, transcription: true } as const;

/** Gateways, servers of open models, and addresses whose endpoints an admin chooses: types from newer consoles. */
export const gateways: readonly ProviderRow[] = [
  {
    id: 27,
    name: 'perplexity',
    label: 'Perplexity',
    defaultBaseUrl: 'https://api.perplexity.ai',
    models: words('sonar sonar-pro sonar-reasoning sonar-reasoning-pro sonar-deep-research'),
    accepts: { ...acceptsUsual, accountFields: [], tools: false },
    discovery: null,
    adapter: perplexity,
  },
  {
    id: 53,
    name: 'submodel',
    label: 'SubModel',
    defaultBaseUrl: 'https://llm.submodel.ai',
    adapter: openAICompatible({ capabilities: { completions: true, embeddings: true } }),
  },
  {
    id: 58,
    name: 'custom',
    label: 'Custom (chosen endpoints)',
    enumName: 'CHOSEN_ENDPOINTS',
    defaultBaseUrl: '',
    needsBaseUrl: true,
    accepts: acceptsAccountFields,
    clientHeaders: [...openAIHeaders, ...anthropicHeaders],
    other: { check: checkChosenEndpoints },
    adapter: chosenEndpoints(''),
    adapterFor: ({ other }) => chosenEndpoints(other),
  },
  {
    id: 60,
    name: 'new-api',
    label: 'New API (gateway)',
    defaultBaseUrl: '',
    needsBaseUrl: true,
    accepts: { ...acceptsAccountFields, developerRole: true, customTools: true, reasoningHistory: 'reasoning_content' },
    clientHeaders: [...openAIHeaders, ...anthropicHeaders, ...sessionHeaders],
    balance: openAIBalance,
    realtime: 'openai',
    videos: 'openai',
    adapter: gateway,
  },
  {
    id: 62,
    name: 'vllm',
    label: 'vLLM',
    defaultBaseUrl: '',
    needsBaseUrl: true,
    accepts: { ...acceptsAccountFields, reasoningHistory: 'reasoning_content', thinkingOff: byTemplate },
    clientHeaders: [...openAIHeaders, ...anthropicHeaders],
    adapter: hosted({ capabilities: openModels }),
  },
  {
    id: 63,
    name: 'sglang',
    label: 'SGLang',
    defaultBaseUrl: '',
    needsBaseUrl: true,
    accepts: { ...acceptsAccountFields, reasoningHistory: 'reasoning_content', thinkingOff: byTemplate },
    clientHeaders: [...openAIHeaders, ...anthropicHeaders],
    adapter: hosted({ capabilities: openModels }),
  },
];

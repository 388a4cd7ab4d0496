import { acceptsEverything, byThinking } from '../accepts.js';
import type { Target } from '../target.js';
import { bearerIfGiven, organizationHeader, wholeAddress } from '../makers/openai-compatible/address.js';
import {
  everything,
  everythingAt,
  type OpenAiVariant,
  type EndpointPath,
} from '../makers/openai-compatible/variant.js';
import { codingPlanAdapter } from '../makers/hosted/coding-plans.js';
import { needsResponses, openAICompatible } from '../makers/openai-compatible/openai-compatible.js';
import { deploymentRules, reasoningRules as rules } from '../makers/openai-compatible/chat-body.js';
import { openAIBalance } from './balance.js';
import { openAIModels } from './openai-models.js';
import { acceptsAccountFields, acceptsUsual, openAIHeaders, type ProviderRow, words } from './provider.js';

const customVariant: OpenAiVariant = {
  chat: wholeAddress,
  capabilities: { ...everythingAt(wholeAddress), imageVariations: wholeAddress },
  rules: deploymentRules,
};

/** The complete URL of chat completions, from which the URL of Responses on the same server follows. */
const chatEnd = /\/chat\/completions(?=\/?(?:\?|$))/;
const responsesAddress: EndpointPath = (base, call, target) =>
  wholeAddress(base, call, target).replace(chatEnd, '/responses');

/** Providers that speak OpenAI's dialect: their differences are data (`OpenAiVariant`). */
export const openAIFamily: readonly ProviderRow[] = [
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
  {
    id: 8,
    name: 'custom',
    label: 'Custom (full URL)',
    clientHeaders: openAIHeaders,
    defaultBaseUrl: '',
    needsBaseUrl: true,
    accepts: acceptsAccountFields,
    balance: openAIBalance,
    realtime: 'openai',
    adapter: openAICompatible(customVariant),
    adapterFor: ({ baseUrl }) =>
      chatEnd.test(baseUrl) ? openAICompatible({ ...customVariant, overResponses: responsesAddress }) : null,
  },
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
  {
    id: 20,
    name: 'openrouter',
    label: 'OpenRouter',
    defaultBaseUrl: 'https://openrouter.ai/api',
    accepts: { ...acceptsAccountFields, reasoningHistory: 'reasoning', searchTool: 'openrouter:web_search' },
    adapter: openAICompatible({
      capabilities: everything,
      rules,
      headers: callerHeaders,
      alwaysReportsUsage: true,
    }),
  },
  {
    id: 22,
    name: 'custom',
    enumName: 'FASTGPT',
    label: 'Knowledge base: FastGPT',
    defaultBaseUrl: 'https://fastgpt.run/api/openapi',
    // With `detail` its stream contains events that are not chunks.
    adapter: openAICompatible({ rules, eventTypes: ['answer'] }),
  },
  {
    id: 25,
    name: 'moonshot',
    label: 'Moonshot',
    defaultBaseUrl: 'https://api.moonshot.cn',
    models: words('moonshot-v1-8k moonshot-v1-32k moonshot-v1-128k'),
    accepts: {
      ...acceptsUsual,
      accountFields: ['user', 'safety_identifier', 'prompt_cache_key'],
      reasoningHistory: 'reasoning_content',
      thinkingOff: byThinking(/^kimi-k2\.[56]/),
    },
    cacheKey: 'prompt_cache_key',
    adapter: openAICompatible({ capabilities: everything, rules }),
    adapterFor: ({ baseUrl }) => codingPlanAdapter(baseUrl),
  },
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

/** OpenRouter attributes calls to a site by its URL and name; the name is reduced to characters allowed in headers. */
function callerHeaders({ families: { site } }: Pick<Target, 'families'>): Record<string, string> {
  const name = site.name.replace(/[^\x20-\x7e]/g, '').trim() || 'Tollgate';
  const address = URL.canParse(site.address) ? new URL(site.address).href : null;
  return { ...(address === null ? {} : { 'http-referer': address }), 'x-title': name };
}

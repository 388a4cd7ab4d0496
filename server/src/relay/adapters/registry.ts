import type { Adapter } from '../adapter.js';
import { ali } from './ali/ali.js';
import { anthropic } from './anthropic/anthropic.js';
import { aws } from './aws/aws.js';
import { azure } from './azure/azure.js';
import { baidu } from './baidu/baidu.js';
import { baiduV2 } from './baidu-v2/baidu-v2.js';
import { cloudflare } from './cloudflare/cloudflare.js';
import { cohere } from './cohere/cohere.js';
import { deepseek } from './deepseek/deepseek.js';
import { dify } from './dify/dify.js';
import { gemini } from './gemini/gemini.js';
import { library } from './library/library.js';
import { minimax } from './minimax/minimax.js';
import { mistral } from './mistral/mistral.js';
import { ollama } from './ollama/ollama.js';
import { bearerIfGiven } from './openai-compatible/credentials.js';
import { everything, everythingAt } from './openai-compatible/dialect.js';
import { openAICompatible } from './openai-compatible/openai-compatible.js';
import { reasoningRules as rules } from './openai-compatible/reasoning.js';
import { wholeAddress } from './openai-compatible/url.js';
import { callerHeaders } from './openrouter/headers.js';
import { palm } from './palm/palm.js';
import { spark } from './spark/spark.js';
import { tencent } from './tencent/tencent.js';
import { vertex } from './vertex/vertex.js';
import { volcengine } from './volcengine/volcengine.js';
import { xai } from './xai/xai.js';
import { chatglm } from './zhipu/chatglm.js';
import { zhipuV4 } from './zhipu/zhipu-v4.js';

/**
 * Who speaks which dialect, by channel type (docs/reference/providers/README.md#channel-types). A provider is one line,
 * or a folder.
 */
export const adapters: Readonly<Record<number, Adapter>> = {
  // OpenAI
  1: openAICompatible({
    defaultBaseUrl: 'https://api.openai.com',
    responses: true,
    offers: everything,
    streamUsage: true,
    rules,
    headers: ({ organization }): Record<string, string> =>
      organization ? { 'openai-organization': organization } : {},
  }),
  3: azure,
  4: ollama,
  // any address that speaks it
  8: openAICompatible({ chat: wholeAddress, offers: everythingAt(wholeAddress), rules }),
  11: palm,
  14: anthropic,
  15: baidu,
  16: chatglm,
  17: ali,
  18: spark,
  // 360
  19: openAICompatible({ defaultBaseUrl: 'https://api.360.cn', offers: everything, streamUsage: true, rules }),
  // OpenRouter
  20: openAICompatible({
    defaultBaseUrl: 'https://openrouter.ai/api',
    offers: everything,
    streamUsage: true,
    rules,
    headers: callerHeaders,
  }),
  21: library,
  // FastGPT: with `detail` its stream has events that are no chunks
  22: openAICompatible({ defaultBaseUrl: 'https://fastgpt.run/api/openapi', rules, eventTypes: ['answer'] }),
  23: tencent,
  24: gemini,
  // Moonshot
  25: openAICompatible({ defaultBaseUrl: 'https://api.moonshot.cn', offers: everything, streamUsage: true, rules }),
  26: zhipuV4,
  // Yi
  31: openAICompatible({ defaultBaseUrl: 'https://api.lingyiwanwu.com', offers: everything, streamUsage: true, rules }),
  33: aws,
  34: cohere,
  35: minimax,
  37: dify,
  // Jina
  38: openAICompatible({
    defaultBaseUrl: 'https://api.jina.ai',
    chat: false,
    offers: { embeddings: '/v1/embeddings', rerank: '/v1/rerank' },
  }),
  39: cloudflare,
  // SiliconCloud
  40: openAICompatible({
    defaultBaseUrl: 'https://api.siliconflow.cn',
    streamUsage: true,
    offers: {
      completions: true,
      embeddings: true,
      rerank: true,
      images: '/v1/images/generations',
      speech: true,
      transcription: true,
    },
  }),
  41: vertex,
  42: mistral,
  43: deepseek,
  // Moka: the only model family with a place of its own is m3e
  44: openAICompatible({
    defaultBaseUrl: 'https://api.moka.ai',
    chat: false,
    offers: {
      embeddings: (base, _call, { upstreamModel: model }) =>
        `${base}/${model.startsWith('m3e') ? 'embeddings' : 'chat/'}`,
    },
  }),
  45: volcengine,
  46: baiduV2,
  // Xinference runs without keys
  47: openAICompatible({ offers: everything, credentials: bearerIfGiven, streamUsage: true, rules }),
  48: xai,
};

import { ali, dashScope } from '../makers/ali/ali.js';
import { anthropic } from '../makers/anthropic/anthropic.js';
import { aws } from '../makers/aws/aws.js';
import { azure } from '../makers/azure/azure.js';
import { baidu } from '../makers/baidu/baidu.js';
import { baiduV2 } from '../makers/baidu-v2/baidu-v2.js';
import { cloudflare, cloudflareRun } from '../makers/cloudflare/cloudflare.js';
import { codingPlanAdapter } from '../makers/hosted/coding-plans.js';
import { cohere, cohereOlder } from '../makers/cohere/cohere.js';
import { deepseek } from '../makers/deepseek/deepseek.js';
import { dify } from '../makers/dify/dify.js';
import { gemini } from '../makers/gemini/gemini.js';
import { checkGeminiVersion } from '../makers/gemini/url.js';
import { jina } from '../makers/jina/jina.js';
import { library } from '../makers/library/library.js';
import { minimax, minimaxCompatible } from '../makers/minimax/minimax.js';
import { mistral } from '../makers/mistral/mistral.js';
import { ollama, ollamaNative } from '../makers/ollama/ollama.js';
import { palm } from '../makers/palm/palm.js';
import { siliconFlow } from '../makers/siliconflow/siliconflow.js';
import { spark } from '../makers/spark/spark.js';
import { tencent } from '../makers/tencent/tencent.js';
import { vertex } from '../makers/vertex/vertex.js';
import { volcengine } from '../makers/volcengine/volcengine.js';
import { xai } from '../makers/xai/xai.js';
import { chatglm } from '../makers/zhipu/chatglm.js';
import { zhipuV4 } from '../makers/zhipu/zhipu-v4.js';
import { deepSeekBalance, siliconFlowBalance } from './balance.js';
import { deepSeekHours } from './deepseek-hours.js';
import { anthropicDiscovery, geminiDiscovery, ollamaDiscovery } from './discovery.js';
import { openAIModels } from './openai-models.js';
import { acceptsEverything, byEnableThinking, byThinking } from '../accepts.js';
import {
  acceptsAccountFields,
  acceptsUsual,
  anthropicHeaders,
  googleHeaders,
  openAIHeaders,
  traceHeaders,
  words,
  type ProviderRow,
} from './provider.js';

const codingPlan: ProviderRow['adapterFor'] = ({ baseUrl }) => codingPlanAdapter(baseUrl);

/** Providers with a folder in `makers/`: their own dialect, or differences that need code. */
export const ownDialects: readonly ProviderRow[] = [
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
  {
    id: 4,
    name: 'ollama',
    label: 'Ollama',
    defaultBaseUrl: 'http://localhost:11434',
    models: words('llama3-7b'),
    accepts: {
      ...acceptsAccountFields,
      // The thinking of gpt-oss cannot be turned off.
      thinkingOff: { models: /^(?!.*gpt-oss)/, fields: { reasoning_effort: 'none' } },
    },
    discovery: ollamaDiscovery,
    adapter: ollama,
    alternative: ollamaNative,
  },
  {
    id: 11,
    name: 'google palm',
    label: 'Google PaLM2',
    defaultBaseUrl: '',
    models: words('PaLM-2'),
    adapter: palm,
  },
  {
    id: 14,
    name: 'anthropic',
    label: 'Anthropic Claude',
    clientHeaders: anthropicHeaders,
    defaultBaseUrl: 'https://api.anthropic.com',
    models: words(`
      claude-instant-1.2 claude-2 claude-2.0 claude-2.1 claude-3-sonnet-20240229 claude-3-opus-20240229
      claude-3-haiku-20240307 claude-3-5-haiku-20241022 claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022
      claude-3-7-sonnet-20250219 claude-3-7-sonnet-20250219-thinking claude-sonnet-4-20250514
      claude-sonnet-4-20250514-thinking claude-opus-4-20250514 claude-opus-4-20250514-thinking`),
    catalogueOwner: 'claude',
    discovery: anthropicDiscovery,
    retriesBadRequest: true,
    adapter: anthropic,
  },
  {
    id: 15,
    name: 'baidu',
    label: 'Baidu',
    defaultBaseUrl: 'https://aip.baidubce.com',
    models: words(`
      ERNIE-4.0-8K ERNIE-3.5-8K ERNIE-3.5-8K-0205 ERNIE-3.5-8K-1222 ERNIE-Bot-8K ERNIE-3.5-4K-0205
      ERNIE-Speed-8K ERNIE-Speed-128K ERNIE-Lite-8K-0922 ERNIE-Lite-8K-0308 ERNIE-Tiny-8K BLOOMZ-7B Embedding-V1
      bge-large-zh bge-large-en tao-8k`),
    adapter: baidu,
  },
  {
    id: 16,
    name: 'zhipu',
    label: 'Zhipu ChatGLM',
    defaultBaseUrl: 'https://open.bigmodel.cn',
    models: words('chatglm_turbo chatglm_pro chatglm_std chatglm_lite'),
    adapter: chatglm,
  },
  {
    id: 17,
    name: 'ali',
    label: 'Alibaba',
    defaultBaseUrl: 'https://dashscope.aliyuncs.com',
    videos: 'wan',
    models: words('qwen-turbo qwen-plus qwen-max qwen-max-longcontext text-embedding-v1'),
    accepts: { ...acceptsUsual, thinkingOff: byEnableThinking },
    adapter: ali,
    alternative: dashScope,
    adapterFor: codingPlan,
  },
  {
    id: 18,
    name: 'xunfei',
    label: 'iFlytek Spark',
    defaultBaseUrl: '',
    models: words(`
      SparkDesk SparkDesk-v1.1 SparkDesk-v2.1 SparkDesk-v3.1 SparkDesk-v3.5 SparkDesk-v4.0`),
    discovery: null,
    socketBase: true,
    other: { default: 'v2.1' },
    adapter: spark,
  },
  {
    id: 21,
    name: 'custom',
    enumName: 'AI_PROXY_LIBRARY',
    label: 'Knowledge base: AI Proxy',
    defaultBaseUrl: 'https://api.aiproxy.io',
    adapter: library,
  },
  {
    id: 23,
    name: 'tencent',
    label: 'Tencent Hunyuan',
    defaultBaseUrl: 'https://hunyuan.tencentcloudapi.com',
    models: words('hunyuan-lite hunyuan-standard hunyuan-standard-256K hunyuan-pro'),
    discovery: null,
    adapter: tencent,
  },
  {
    id: 24,
    name: 'google gemini',
    label: 'Google Gemini',
    clientHeaders: googleHeaders,
    defaultBaseUrl: 'https://generativelanguage.googleapis.com',
    videos: 'veo',
    models: words(`
      gemini-1.5-pro gemini-1.5-flash gemini-1.5-flash-8b gemini-2.0-flash gemini-1.5-pro-latest
      gemini-1.5-flash-latest gemini-2.0-flash-lite-preview gemini-exp-1206 gemini-2.0-flash-exp
      gemini-2.0-pro-exp gemini-2.0-flash-thinking-exp gemini-2.5-pro-exp-03-25 gemini-2.5-pro-preview-03-25
      imagen-3.0-generate-002 gemini-embedding-exp-03-07 text-embedding-004 embedding-001`),
    discovery: geminiDiscovery,
    deadKeyStatuses: [401, 403],
    other: { check: checkGeminiVersion },
    adapter: gemini,
  },
  {
    id: 26,
    name: 'zhipu_4v',
    label: 'Zhipu GLM-4V',
    defaultBaseUrl: 'https://open.bigmodel.cn',
    videos: 'cogvideo',
    models: words(`
      glm-4 glm-4v glm-3-turbo glm-4-alltools glm-4-plus glm-4-0520 glm-4-air glm-4-airx glm-4-long glm-4-flash
      glm-4v-plus`),
    accepts: {
      ...acceptsUsual,
      accountFields: [],
      reasoningHistory: 'reasoning_content',
      thinkingOff: byThinking(/^glm-(?:4\.[5-9]|[5-9])/i),
    },
    adapter: zhipuV4,
    adapterFor: codingPlan,
  },
  {
    id: 33,
    name: 'aws',
    label: 'AWS Claude',
    clientHeaders: anthropicHeaders,
    defaultBaseUrl: '',
    models: words(`
      claude-2.0 claude-2.1 claude-3-5-haiku-20241022 claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022
      claude-3-7-sonnet-20250219 claude-3-haiku-20240307 claude-3-opus-20240229 claude-3-sonnet-20240229
      claude-instant-1.2 claude-opus-4-20250514 claude-sonnet-4-20250514`),
    discovery: null,
    adapter: aws,
  },
  {
    id: 34,
    name: 'cohere',
    label: 'Cohere',
    defaultBaseUrl: 'https://api.cohere.ai',
    models: words(`
      command-a-03-2025 command-r command-r-plus command-r-08-2024 command-r-plus-08-2024 c4ai-aya-23-35b
      c4ai-aya-23-8b command-light command-light-nightly command command-nightly rerank-english-v3.0
      rerank-multilingual-v3.0 rerank-english-v2.0 rerank-multilingual-v2.0`),
    adapter: cohere,
    alternative: cohereOlder,
  },
  {
    id: 35,
    name: 'minimax',
    label: 'MiniMax',
    defaultBaseUrl: 'https://api.minimax.chat',
    videos: 'minimax',
    models: words('abab6.5-chat abab6.5s-chat abab6-chat abab5.5-chat abab5.5s-chat'),
    accepts: {
      ...acceptsUsual,
      reasoningHistory: 'reasoning_content',
      thinkingOff: byThinking(/^minimax-m[3-9]/i),
    },
    adapter: minimax,
    alternative: minimaxCompatible,
  },
  {
    id: 37,
    name: 'dify',
    label: 'Dify',
    defaultBaseUrl: 'https://api.dify.ai',
    adapter: dify,
  },
  {
    id: 38,
    name: 'jina',
    label: 'Jina',
    defaultBaseUrl: 'https://api.jina.ai',
    models: words('jina-clip-v1 jina-reranker-v2-base-multilingual'),
    adapter: jina,
  },
  {
    id: 39,
    name: 'cloudflare',
    label: 'Cloudflare',
    defaultBaseUrl: 'https://api.cloudflare.com',
    models: words(`
      @cf/meta/llama-3.1-8b-instruct @cf/meta/llama-2-7b-chat-fp16 @cf/meta/llama-2-7b-chat-int8
      @cf/mistral/mistral-7b-instruct-v0.1 @hf/thebloke/deepseek-coder-6.7b-base-awq
      @hf/thebloke/deepseek-coder-6.7b-instruct-awq @cf/deepseek-ai/deepseek-math-7b-base
      @cf/deepseek-ai/deepseek-math-7b-instruct @cf/thebloke/discolm-german-7b-v1-awq
      @cf/tiiuae/falcon-7b-instruct @cf/google/gemma-2b-it-lora @hf/google/gemma-7b-it
      @cf/google/gemma-7b-it-lora @hf/nousresearch/hermes-2-pro-mistral-7b @hf/thebloke/llama-2-13b-chat-awq
      @cf/meta-llama/llama-2-7b-chat-hf-lora @cf/meta/llama-3-8b-instruct @hf/thebloke/llamaguard-7b-awq
      @hf/thebloke/mistral-7b-instruct-v0.1-awq @hf/mistralai/mistral-7b-instruct-v0.2
      @cf/mistral/mistral-7b-instruct-v0.2-lora @hf/thebloke/neural-chat-7b-v3-1-awq
      @cf/openchat/openchat-3.5-0106 @hf/thebloke/openhermes-2.5-mistral-7b-awq @cf/microsoft/phi-2
      @cf/qwen/qwen1.5-0.5b-chat @cf/qwen/qwen1.5-1.8b-chat @cf/qwen/qwen1.5-14b-chat-awq
      @cf/qwen/qwen1.5-7b-chat-awq @cf/defog/sqlcoder-7b-2 @hf/nexusflow/starling-lm-7b-beta
      @cf/tinyllama/tinyllama-1.1b-chat-v1.0 @hf/thebloke/zephyr-7b-beta-awq`),
    adapter: cloudflare,
    alternative: cloudflareRun,
  },
  {
    id: 40,
    name: 'siliconflow',
    label: 'SiliconCloud',
    defaultBaseUrl: 'https://api.siliconflow.cn',
    models: words(`
      THUDM/glm-4-9b-chat InstantX/InstantID ByteDance/SDXL-Lightning deepseek-ai/deepseek-llm-67b-chat
      Qwen/Qwen1.5-14B-Chat Qwen/Qwen1.5-7B-Chat Qwen/Qwen1.5-110B-Chat Qwen/Qwen1.5-32B-Chat
      01-ai/Yi-1.5-6B-Chat 01-ai/Yi-1.5-9B-Chat-16K 01-ai/Yi-1.5-34B-Chat-16K THUDM/chatglm3-6b
      deepseek-ai/DeepSeek-V2-Chat Qwen/Qwen2-72B-Instruct Qwen/Qwen2-7B-Instruct Qwen/Qwen2-57B-A14B-Instruct
      deepseek-ai/DeepSeek-Coder-V2-Instruct Qwen/Qwen2-1.5B-Instruct internlm/internlm2_5-7b-chat
      BAAI/bge-large-en-v1.5 BAAI/bge-large-zh-v1.5 Pro/Qwen/Qwen2-7B-Instruct Pro/Qwen/Qwen2-1.5B-Instruct
      Pro/Qwen/Qwen1.5-7B-Chat Pro/THUDM/glm-4-9b-chat Pro/THUDM/chatglm3-6b Pro/01-ai/Yi-1.5-9B-Chat-16K
      Pro/01-ai/Yi-1.5-6B-Chat Pro/google/gemma-2-9b-it Pro/internlm/internlm2_5-7b-chat
      Pro/meta-llama/Meta-Llama-3-8B-Instruct Pro/mistralai/Mistral-7B-Instruct-v0.2
      black-forest-labs/FLUX.1-schnell FunAudioLLM/SenseVoiceSmall netease-youdao/bce-embedding-base_v1
      BAAI/bge-m3 internlm/internlm2_5-20b-chat Qwen/Qwen2-Math-72B-Instruct netease-youdao/bce-reranker-base_v1
      BAAI/bge-reranker-v2-m3`),
    balance: siliconFlowBalance,
    balanceUnit: 'CNY',
    accepts: { ...acceptsUsual, thinkingOff: byEnableThinking },
    adapter: siliconFlow,
  },
  {
    id: 41,
    name: 'vertex-ai',
    label: 'Vertex AI',
    clientHeaders: anthropicHeaders,
    defaultBaseUrl: '',
    videos: 'vertex-veo',
    models: words(`
      meta/llama3-405b-instruct-maas claude-instant-1.2 claude-2 claude-2.0 claude-2.1 claude-3-sonnet-20240229
      claude-3-opus-20240229 claude-3-haiku-20240307 claude-3-5-haiku-20241022 claude-3-5-sonnet-20240620
      claude-3-5-sonnet-20241022 claude-3-7-sonnet-20250219 claude-3-7-sonnet-20250219-thinking
      claude-sonnet-4-20250514 claude-sonnet-4-20250514-thinking claude-opus-4-20250514
      claude-opus-4-20250514-thinking gemini-1.5-pro gemini-1.5-flash gemini-1.5-flash-8b gemini-2.0-flash
      gemini-1.5-pro-latest gemini-1.5-flash-latest gemini-2.0-flash-lite-preview gemini-exp-1206
      gemini-2.0-flash-exp gemini-2.0-pro-exp gemini-2.0-flash-thinking-exp gemini-2.5-pro-exp-03-25
      gemini-2.5-pro-preview-03-25 imagen-3.0-generate-002 gemini-embedding-exp-03-07 text-embedding-004
      embedding-001`),
    keyForm: 'document',
    discovery: null,
    other: { form: 'region' },
    adapter: vertex,
  },
  {
    id: 42,
    name: 'mistral',
    label: 'Mistral AI',
    defaultBaseUrl: 'https://api.mistral.ai',
    models: words(`
      open-mistral-7b open-mixtral-8x7b mistral-small-latest mistral-medium-latest mistral-large-latest
      mistral-embed`),
    accepts: { ...acceptsUsual, accountFields: [], callIds: { length: 9 } },
    adapter: mistral,
  },
  {
    id: 43,
    name: 'deepseek',
    label: 'DeepSeek',
    defaultBaseUrl: 'https://api.deepseek.com',
    models: words('deepseek-chat deepseek-reasoner'),
    balance: deepSeekBalance,
    balanceUnit: 'CNY',
    accepts: { ...acceptsUsual, reasoningHistory: 'reasoning_content', thinkingOff: byThinking(/^/) },
    conditionAt: deepSeekHours,
    adapter: deepseek,
    adapterFor: codingPlan,
  },
  {
    id: 45,
    name: 'volcengine',
    label: 'Volcano Ark',
    defaultBaseUrl: 'https://ark.cn-beijing.volces.com',
    videos: 'ark',
    models: words(`
      Doubao-pro-128k Doubao-pro-32k Doubao-pro-4k Doubao-lite-128k Doubao-lite-32k Doubao-lite-4k
      Doubao-embedding`),
    accepts: {
      ...acceptsUsual,
      accountFields: [],
      reasoningHistory: 'reasoning_content',
      thinkingOff: byThinking(/^(?:doubao-seed-(?!.*thinking)|deepseek-v(?:3-[12]|4)|glm-(?:4-7|5)|kimi-k2-[56])/i),
    },
    adapter: volcengine,
    adapterFor: codingPlan,
  },
  {
    id: 46,
    name: 'baidu',
    enumName: 'BAIDU_V2',
    label: 'Baidu V2',
    defaultBaseUrl: 'https://qianfan.baidubce.com',
    models: words(`
      ernie-4.0-8k-latest ernie-4.0-8k-preview ernie-4.0-8k ernie-4.0-turbo-8k-latest ernie-4.0-turbo-8k-preview
      ernie-4.0-turbo-8k ernie-4.0-turbo-128k ernie-3.5-8k-preview ernie-3.5-8k ernie-3.5-128k ernie-speed-8k
      ernie-speed-128k ernie-speed-pro-128k ernie-lite-8k ernie-lite-pro-128k ernie-tiny-8k ernie-char-8k
      ernie-char-fiction-8k ernie-novel-8k deepseek-v3 deepseek-r1 deepseek-r1-distill-qwen-32b
      deepseek-r1-distill-qwen-14b`),
    catalogueOwner: 'volcengine',
    accepts: { ...acceptsUsual, thinkingOff: byThinking(/^(?:glm-(?:4\.[5-9]|[5-9])|kimi-k2\.[56])/i) },
    adapter: baiduV2,
  },
  {
    id: 48,
    name: 'xai',
    label: 'xAI',
    clientHeaders: [...traceHeaders, 'x-grok-conv-id'],
    // docs.x.ai, "Maximizing cache hits" (November 2026).
    cacheKey: 'x-grok-conv-id',
    defaultBaseUrl: 'https://api.x.ai',
    realtime: 'openai',
    videos: 'xai',
    models: words(`
      grok-3-beta grok-3-mini-beta grok-3-fast-beta grok-3-mini-fast-beta grok-3-mini-beta-high
      grok-3-mini-beta-low grok-3-mini-beta-medium grok-3-mini-fast-beta-high grok-3-mini-fast-beta-low
      grok-3-mini-fast-beta-medium grok-2-image grok-2 grok-2-vision grok-beta grok-vision-beta`),
    adapter: xai,
  },
];

/**
 * One kind of provider: what the console offers and how its models are attributed
 * (docs/reference/providers/README.md#channel-types).
 */
export interface Provider {
  readonly id: number;
  readonly label: string;
  /** Empty: the channel must name its own. */
  readonly defaultBaseUrl: string;
  /** Built-in model names, separated by white space. */
  readonly models: string;
}

const openaiModels = `
  gpt-3.5-turbo gpt-3.5-turbo-0613 gpt-3.5-turbo-1106 gpt-3.5-turbo-0125 gpt-3.5-turbo-16k gpt-3.5-turbo-16k-0613
  gpt-3.5-turbo-instruct gpt-4 gpt-4-0613 gpt-4-1106-preview gpt-4-0125-preview gpt-4-32k gpt-4-32k-0613
  gpt-4-turbo-preview gpt-4-turbo gpt-4-turbo-2024-04-09 gpt-4-vision-preview chatgpt-4o-latest gpt-4o
  gpt-4o-2024-05-13 gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-4o-mini gpt-4o-mini-2024-07-18 gpt-4.5-preview
  gpt-4.5-preview-2025-02-27 o1-preview o1-preview-2024-09-12 o1-mini o1-mini-2024-09-12 o3-mini o3-mini-2025-01-31
  o3-mini-high o3-mini-2025-01-31-high o3-mini-low o3-mini-2025-01-31-low o3-mini-medium o3-mini-2025-01-31-medium
  o1 o1-2024-12-17 gpt-4o-audio-preview gpt-4o-audio-preview-2024-10-01 gpt-4o-realtime-preview
  gpt-4o-realtime-preview-2024-10-01 gpt-4o-realtime-preview-2024-12-17 gpt-4o-mini-realtime-preview
  gpt-4o-mini-realtime-preview-2024-12-17 text-embedding-ada-002 text-embedding-3-small text-embedding-3-large
  text-curie-001 text-babbage-001 text-ada-001 text-moderation-latest text-moderation-stable text-davinci-edit-001
  davinci-002 babbage-002 dall-e-3 whisper-1 tts-1 tts-1-1106 tts-1-hd tts-1-hd-1106
`;

/** Every provider a channel can be of, by number. */
export const providers: readonly Provider[] = [
  {
    id: 1,
    label: 'OpenAI',
    defaultBaseUrl: 'https://api.openai.com',
    models: openaiModels,
  },
  {
    id: 2,
    label: 'Midjourney Proxy',
    defaultBaseUrl: 'https://oa.api2d.net',
    models: `
      mj_imagine mj_variation mj_reroll mj_blend mj_upscale mj_describe mj_upload`,
  },
  {
    id: 3,
    label: 'Azure OpenAI',
    defaultBaseUrl: '',
    models: openaiModels,
  },
  {
    id: 4,
    label: 'Ollama',
    defaultBaseUrl: 'http://localhost:11434',
    models: 'llama3-7b',
  },
  {
    id: 5,
    label: 'Midjourney Proxy Plus',
    defaultBaseUrl: 'https://api.openai-sb.com',
    models: `
      swap_face mj_imagine mj_variation mj_reroll mj_blend mj_upscale mj_describe mj_zoom mj_shorten mj_modal
      mj_inpaint mj_custom_zoom mj_high_variation mj_low_variation mj_pan mj_upload`,
  },
  {
    id: 8,
    label: 'Custom (full URL)',
    defaultBaseUrl: '',
    models: '',
  },
  {
    id: 11,
    label: 'Google PaLM2',
    defaultBaseUrl: '',
    models: 'PaLM-2',
  },
  {
    id: 14,
    label: 'Anthropic Claude',
    defaultBaseUrl: 'https://api.anthropic.com',
    models: `
      claude-instant-1.2 claude-2 claude-2.0 claude-2.1 claude-3-sonnet-20240229 claude-3-opus-20240229
      claude-3-haiku-20240307 claude-3-5-haiku-20241022 claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022
      claude-3-7-sonnet-20250219 claude-3-7-sonnet-20250219-thinking claude-sonnet-4-20250514
      claude-sonnet-4-20250514-thinking claude-opus-4-20250514 claude-opus-4-20250514-thinking`,
  },
  {
    id: 15,
    label: 'Baidu',
    defaultBaseUrl: 'https://aip.baidubce.com',
    models: `
      ERNIE-4.0-8K ERNIE-3.5-8K ERNIE-3.5-8K-0205 ERNIE-3.5-8K-1222 ERNIE-Bot-8K ERNIE-3.5-4K-0205
      ERNIE-Speed-8K ERNIE-Speed-128K ERNIE-Lite-8K-0922 ERNIE-Lite-8K-0308 ERNIE-Tiny-8K BLOOMZ-7B Embedding-V1
      bge-large-zh bge-large-en tao-8k`,
  },
  {
    id: 16,
    label: 'Zhipu ChatGLM',
    defaultBaseUrl: 'https://open.bigmodel.cn',
    models: 'chatglm_turbo chatglm_pro chatglm_std chatglm_lite',
  },
  {
    id: 17,
    label: 'Alibaba',
    defaultBaseUrl: 'https://dashscope.aliyuncs.com',
    models: 'qwen-turbo qwen-plus qwen-max qwen-max-longcontext text-embedding-v1',
  },
  {
    id: 18,
    label: 'iFlytek Spark',
    defaultBaseUrl: '',
    models: `
      SparkDesk SparkDesk-v1.1 SparkDesk-v2.1 SparkDesk-v3.1 SparkDesk-v3.5 SparkDesk-v4.0`,
  },
  {
    id: 19,
    label: '360',
    defaultBaseUrl: 'https://api.360.cn',
    models: `
      360gpt-turbo 360gpt-turbo-responsibility-8k 360gpt-pro 360gpt2-pro 360GPT_S2_V9 embedding-bert-512-v1
      embedding_s1_v1 semantic_similarity_s1_v1`,
  },
  {
    id: 20,
    label: 'OpenRouter',
    defaultBaseUrl: 'https://openrouter.ai/api',
    models: '',
  },
  {
    id: 21,
    label: 'Knowledge base: AI Proxy',
    defaultBaseUrl: 'https://api.aiproxy.io',
    models: '',
  },
  {
    id: 22,
    label: 'Knowledge base: FastGPT',
    defaultBaseUrl: 'https://fastgpt.run/api/openapi',
    models: '',
  },
  {
    id: 23,
    label: 'Tencent Hunyuan',
    defaultBaseUrl: 'https://hunyuan.tencentcloudapi.com',
    models: 'hunyuan-lite hunyuan-standard hunyuan-standard-256K hunyuan-pro',
  },
  {
    id: 24,
    label: 'Google Gemini',
    defaultBaseUrl: 'https://generativelanguage.googleapis.com',
    models: `
      gemini-1.5-pro gemini-1.5-flash gemini-1.5-flash-8b gemini-2.0-flash gemini-1.5-pro-latest
      gemini-1.5-flash-latest gemini-2.0-flash-lite-preview gemini-exp-1206 gemini-2.0-flash-exp
      gemini-2.0-pro-exp gemini-2.0-flash-thinking-exp gemini-2.5-pro-exp-03-25 gemini-2.5-pro-preview-03-25
      imagen-3.0-generate-002 gemini-embedding-exp-03-07 text-embedding-004 embedding-001`,
  },
  {
    id: 25,
    label: 'Moonshot',
    defaultBaseUrl: 'https://api.moonshot.cn',
    models: 'moonshot-v1-8k moonshot-v1-32k moonshot-v1-128k',
  },
  {
    id: 26,
    label: 'Zhipu GLM-4V',
    defaultBaseUrl: 'https://open.bigmodel.cn',
    models: `
      glm-4 glm-4v glm-3-turbo glm-4-alltools glm-4-plus glm-4-0520 glm-4-air glm-4-airx glm-4-long glm-4-flash
      glm-4v-plus`,
  },
  {
    id: 31,
    label: 'Yi (01.AI)',
    defaultBaseUrl: 'https://api.lingyiwanwu.com',
    models: `
      yi-large yi-medium yi-vision yi-medium-200k yi-spark yi-large-rag yi-large-turbo yi-large-preview
      yi-large-rag-preview`,
  },
  {
    id: 33,
    label: 'AWS Claude',
    defaultBaseUrl: '',
    models: `
      claude-2.0 claude-2.1 claude-3-5-haiku-20241022 claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022
      claude-3-7-sonnet-20250219 claude-3-haiku-20240307 claude-3-opus-20240229 claude-3-sonnet-20240229
      claude-instant-1.2 claude-opus-4-20250514 claude-sonnet-4-20250514`,
  },
  {
    id: 34,
    label: 'Cohere',
    defaultBaseUrl: 'https://api.cohere.ai',
    models: `
      command-a-03-2025 command-r command-r-plus command-r-08-2024 command-r-plus-08-2024 c4ai-aya-23-35b
      c4ai-aya-23-8b command-light command-light-nightly command command-nightly rerank-english-v3.0
      rerank-multilingual-v3.0 rerank-english-v2.0 rerank-multilingual-v2.0`,
  },
  {
    id: 35,
    label: 'MiniMax',
    defaultBaseUrl: 'https://api.minimax.chat',
    models: 'abab6.5-chat abab6.5s-chat abab6-chat abab5.5-chat abab5.5s-chat',
  },
  {
    id: 36,
    label: 'Suno API',
    defaultBaseUrl: '',
    models: 'suno_music suno_lyrics',
  },
  {
    id: 37,
    label: 'Dify',
    defaultBaseUrl: 'https://api.dify.ai',
    models: '',
  },
  {
    id: 38,
    label: 'Jina',
    defaultBaseUrl: 'https://api.jina.ai',
    models: 'jina-clip-v1 jina-reranker-v2-base-multilingual',
  },
  {
    id: 39,
    label: 'Cloudflare',
    defaultBaseUrl: 'https://api.cloudflare.com',
    models: `
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
      @cf/tinyllama/tinyllama-1.1b-chat-v1.0 @hf/thebloke/zephyr-7b-beta-awq`,
  },
  {
    id: 40,
    label: 'SiliconCloud',
    defaultBaseUrl: 'https://api.siliconflow.cn',
    models: `
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
      BAAI/bge-reranker-v2-m3`,
  },
  {
    id: 41,
    label: 'Vertex AI',
    defaultBaseUrl: '',
    models: `
      meta/llama3-405b-instruct-maas claude-instant-1.2 claude-2 claude-2.0 claude-2.1 claude-3-sonnet-20240229
      claude-3-opus-20240229 claude-3-haiku-20240307 claude-3-5-haiku-20241022 claude-3-5-sonnet-20240620
      claude-3-5-sonnet-20241022 claude-3-7-sonnet-20250219 claude-3-7-sonnet-20250219-thinking
      claude-sonnet-4-20250514 claude-sonnet-4-20250514-thinking claude-opus-4-20250514
      claude-opus-4-20250514-thinking gemini-1.5-pro gemini-1.5-flash gemini-1.5-flash-8b gemini-2.0-flash
      gemini-1.5-pro-latest gemini-1.5-flash-latest gemini-2.0-flash-lite-preview gemini-exp-1206
      gemini-2.0-flash-exp gemini-2.0-pro-exp gemini-2.0-flash-thinking-exp gemini-2.5-pro-exp-03-25
      gemini-2.5-pro-preview-03-25 imagen-3.0-generate-002 gemini-embedding-exp-03-07 text-embedding-004
      embedding-001`,
  },
  {
    id: 42,
    label: 'Mistral AI',
    defaultBaseUrl: 'https://api.mistral.ai',
    models: `
      open-mistral-7b open-mixtral-8x7b mistral-small-latest mistral-medium-latest mistral-large-latest
      mistral-embed`,
  },
  {
    id: 43,
    label: 'DeepSeek',
    defaultBaseUrl: 'https://api.deepseek.com',
    models: 'deepseek-chat deepseek-reasoner',
  },
  {
    id: 44,
    label: 'Embedding: MokaAI M3E',
    defaultBaseUrl: 'https://api.moka.ai',
    models: 'm3e-large m3e-base m3e-small',
  },
  {
    id: 45,
    label: 'Volcano Ark',
    defaultBaseUrl: 'https://ark.cn-beijing.volces.com',
    models: `
      Doubao-pro-128k Doubao-pro-32k Doubao-pro-4k Doubao-lite-128k Doubao-lite-32k Doubao-lite-4k
      Doubao-embedding`,
  },
  {
    id: 46,
    label: 'Baidu V2',
    defaultBaseUrl: 'https://qianfan.baidubce.com',
    models: `
      ernie-4.0-8k-latest ernie-4.0-8k-preview ernie-4.0-8k ernie-4.0-turbo-8k-latest ernie-4.0-turbo-8k-preview
      ernie-4.0-turbo-8k ernie-4.0-turbo-128k ernie-3.5-8k-preview ernie-3.5-8k ernie-3.5-128k ernie-speed-8k
      ernie-speed-128k ernie-speed-pro-128k ernie-lite-8k ernie-lite-pro-128k ernie-tiny-8k ernie-char-8k
      ernie-char-fiction-8k ernie-novel-8k deepseek-v3 deepseek-r1 deepseek-r1-distill-qwen-32b
      deepseek-r1-distill-qwen-14b`,
  },
  {
    id: 47,
    label: 'Xinference',
    defaultBaseUrl: '',
    models: 'bge-reranker-v2-m3 jina-reranker-v2',
  },
  {
    id: 48,
    label: 'xAI',
    defaultBaseUrl: 'https://api.x.ai',
    models: `
      grok-3-beta grok-3-mini-beta grok-3-fast-beta grok-3-mini-fast-beta grok-3-mini-beta-high
      grok-3-mini-beta-low grok-3-mini-beta-medium grok-3-mini-fast-beta-high grok-3-mini-fast-beta-low
      grok-3-mini-fast-beta-medium grok-2-image grok-2 grok-2-vision grok-beta grok-vision-beta`,
  },
];

import { tableOf, type PriceList } from './price-list.js';

/**
 * Model ratios of new-api of 2026-08 that Veloera and new-api's versions of early 2025 lack, or have with another
 * value.
 */
const addedRatios: PriceList = [
  [1, 'gpt-4.1 gpt-4.1-2025-04-14 o3 o3-2025-04-16 o4-mini-deep-research o4-mini-deep-research-2025-06-26'],
  [0.2, 'gpt-4.1-mini gpt-4.1-mini-2025-04-14'],
  [0.05, 'gpt-4.1-nano gpt-4.1-nano-2025-04-14 gemini-2.5-flash-lite-preview-thinking-*'],
  [0.05, 'gemini-2.5-flash-lite-preview-06-17'],
  [2.5, 'gpt-image-1 gpt-5.5 gpt-5.6-sol claude-opus-4-5-20251101 claude-opus-4-6 claude-opus-4-6-max'],
  [2.5, 'claude-opus-4-6-high claude-opus-4-6-medium claude-opus-4-6-low claude-opus-4-7'],
  [2.5, 'claude-opus-4-7-max claude-opus-4-7-xhigh claude-opus-4-7-high claude-opus-4-7-medium'],
  [2.5, 'claude-opus-4-7-low claude-opus-4-8 claude-opus-4-8-max claude-opus-4-8-xhigh'],
  [2.5, 'claude-opus-4-8-high claude-opus-4-8-medium claude-opus-4-8-low claude-opus-5'],
  [75, 'o1-pro o1-pro-2025-03-19'],
  [10, 'o3-pro o3-pro-2025-06-10'],
  [5, 'o3-deep-research o3-deep-research-2025-06-26 claude-fable-5'],
  [0.55, 'o4-mini o4-mini-2025-04-16'],
  [0.625, 'gpt-5 gpt-5-2025-08-07 gpt-5-chat-latest gemini-2.5-pro gemini-2.5-pro-thinking-*'],
  [0.125, 'gpt-5-mini gpt-5-mini-2025-08-07'],
  [0.025, 'gpt-5-nano gpt-5-nano-2025-08-07'],
  [1.25, 'gpt-5.6-terra'],
  [0.5, 'gpt-5.6-luna claude-haiku-4-5-20251001 openai/gpt-oss-120b'],
  [1.5, 'claude-sonnet-4-5-20250929 claude-sonnet-5'],
  [7.5, 'claude-opus-4-1-20250805'],
  [0.075, 'gemini-2.5-flash-preview-05-20 gemini-2.5-flash-preview-05-20-thinking'],
  [0.075, 'gemini-2.5-flash-preview-05-20-nothinking gemini-2.5-flash-thinking-* gemini-embedding-001'],
  [0.15, 'gemini-2.5-flash gemini-robotics-er-1.5-preview'],
  [0, 'llama-3-sonar-large-32k-chat llama-3-sonar-large-32k-online'],
  [0.3, 'Qwen/Qwen3-235B-A22B-Instruct-2507'],
  [0.8, 'NousResearch/Hermes-4-405B-FP8 Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8 zai-org/GLM-4.5-FP8'],
  [0.8, 'deepseek-ai/DeepSeek-R1-0528 deepseek-ai/DeepSeek-R1 deepseek-ai/DeepSeek-V3-0324'],
  [0.8, 'deepseek-ai/DeepSeek-V3.1'],
  [0.6, 'Qwen/Qwen3-235B-A22B-Thinking-2507'],
];

export const newApiAddedRatios = tableOf(addedRatios);

/** Models that new-api has removed from its table. */
export const newApiRemovedModels: ReadonlySet<string> = new Set(
  [
    'babbage-002 davinci-002 ada claude-instant-1 claude-2.0 claude-2.1',
    '360GPT_S2_V9 360gpt-turbo 360gpt-turbo-responsibility-8k 360gpt-pro 360gpt2-pro embedding-bert-512-v1',
    'embedding_s1_v1 semantic_similarity_s1_v1',
  ].flatMap((names) => names.split(' ')),
);

/** Fixed prices in USD per call. */
export const newApiAddedPrices = tableOf([
  [0.04, 'black-forest-labs/flux-1.1-pro'],
  [0.8, 'mj_video'],
  [0.1, 'mj_edits'],
  [0.3, 'sora-2 gpt-4o-mini-tts'],
  [0.5, 'sora-2-pro'],
  [0.4, 'veo-3.0-generate-001 veo-3.1-generate-preview'],
  [0.15, 'veo-3.0-fast-generate-001 veo-3.1-fast-generate-preview'],
]);

const efforts = (model: string, ...names: string[]): string =>
  [model, ...names.map((name) => `${model}-${name}`)].join(' ');
const claude = [
  efforts('claude-opus-4-6', 'thinking', 'max', 'high', 'medium', 'low'),
  efforts('claude-opus-4-7', 'thinking', 'max', 'xhigh', 'high', 'medium', 'low'),
  efforts('claude-opus-4-8', 'thinking', 'max', 'xhigh', 'high', 'medium', 'low'),
  efforts('claude-opus-4-1-20250805', 'thinking'),
  efforts('claude-sonnet-4-5-20250929', 'thinking'),
  efforts('claude-opus-4-5-20251101', 'thinking'),
  'claude-haiku-4-5-20251001',
];

/** Cache ratios that new-api has added. */
export const newApiAddedCacheRatios = tableOf([
  [0.1, 'gemini-3-flash-preview gemini-3-pro-preview gemini-3.1-pro-preview gemini-3.1-flash-lite'],
  [0.1, 'gemini-3.5-flash-lite gemini-3.6 gemini-3.6-flash'],
  [0.25, 'gpt-4.1 gpt-4.1-mini gpt-4.1-nano'],
  [0.1, 'gpt-5 gpt-5-2025-08-07 gpt-5-chat-latest gpt-5-mini gpt-5-mini-2025-08-07 gpt-5-nano gpt-5-nano-2025-08-07'],
  ...claude.map((models) => [0.1, models] as const),
]);

export const newApiAudioRatios = tableOf([
  [16, 'gpt-4o-audio-preview'],
  [66.67, 'gpt-4o-mini-audio-preview'],
  [8, 'gpt-4o-realtime-preview'],
  [16.67, 'gpt-4o-mini-realtime-preview'],
  [25, 'gpt-4o-mini-tts'],
]);

export const newApiAudioOutputRatios = tableOf([
  [2, 'gpt-4o-realtime gpt-4o-mini-realtime'],
  [1, 'gpt-4o-mini-tts'],
  [0, 'tts-1 tts-1-hd tts-1-1106 tts-1-hd-1106'],
]);

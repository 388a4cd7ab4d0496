import { bySecond, type BuiltInCards, type MakerRules } from './built-in-card.js';

export const baiduRules: MakerRules = { completion: [[/^ERNIE-(?:Speed-|Lite-|Character|Functions)/, 2, 'locked']] };

export const qwenCards: BuiltInCards = {
  source: 'https://www.alibabacloud.com/help/en/model-studio/models',
  // https://docs.qwencloud.com/developer-guides/text-generation/web-search
  tools: [[/^(?:qwen|qwq|qvq)/, { webSearch: 0.01 }]],
  cards: [
    { names: 'qwen-audio-3.0-tts-flash', prices: { character: 0.000015 } },
    { names: 'qwen-audio-3.0-tts-plus', prices: { character: 0.00002 } },
    { names: 'qwen-audio-3.1-tts-plus', prices: { character: 0.00003 } },
    { names: 'deepseek-v4-flash-0731', prices: { input: 0.2, cachedInput: 0.04, output: 0.4 } },
    { names: 'qwen-coder', prices: { input: 0.3, output: 1.5 } },
    {
      names: 'qwen-flash qwen-flash-2025-07-28',
      prices: { input: 0.05, output: 0.4 },
      contextTiers: [{ above: 256_000, prices: { input: 0.25, output: 2 } }],
    },
    { names: 'qwen-image-2.0', prices: { image: 0.035 } },
    { names: 'qwen-image-2.0-pro', prices: { image: 0.075 } },
    { names: 'qwen-image-3.0', prices: { image: 0.03 } },
    { names: 'qwen-max', prices: { input: 1.6, output: 6.4 } },
    { names: 'qwen-plus qwen-plus-2025-01-25', prices: { input: 0.4, output: 1.2 } },
    { names: 'qwen-plus-2025-04-28 qwen-plus-2025-07-14', prices: { input: 0.4, output: 1.2, reasoning: 4 } },
    {
      names: 'qwen-plus-2025-07-28 qwen-plus-2025-09-11 qwen-plus-latest',
      prices: { input: 0.4, output: 1.2, reasoning: 4 },
      contextTiers: [{ above: 256_000, prices: { input: 1.2, output: 3.6, reasoning: 12 } }],
    },
    {
      names: 'qwen-turbo qwen-turbo-2025-04-28 qwen-turbo-latest',
      prices: { input: 0.05, output: 0.2, reasoning: 0.5 },
    },
    { names: 'qwen-turbo-2024-11-01', prices: { input: 0.05, output: 0.2 } },
    {
      names: 'qwen3-coder-flash',
      prices: { input: 0.3, cachedInput: 0.08, output: 1.5 },
      contextTiers: [
        { above: 32_000, prices: { input: 0.5, cachedInput: 0.12, output: 2.5 } },
        { above: 128_000, prices: { input: 0.8, cachedInput: 0.2, output: 4 } },
        { above: 256_000, prices: { input: 1.6, cachedInput: 0.4, output: 9.6 } },
      ],
    },
    {
      names: 'qwen3-coder-flash-2025-07-28',
      prices: { input: 0.3, output: 1.5 },
      contextTiers: [
        { above: 32_000, prices: { input: 0.5, output: 2.5 } },
        { above: 128_000, prices: { input: 0.8, output: 4 } },
        { above: 256_000, prices: { input: 1.6, output: 9.6 } },
      ],
    },
    {
      names: 'qwen3-coder-plus',
      prices: { input: 1, cachedInput: 0.1, output: 5 },
      contextTiers: [
        { above: 32_000, prices: { input: 1.8, cachedInput: 0.18, output: 9 } },
        { above: 128_000, prices: { input: 3, cachedInput: 0.3, output: 15 } },
        { above: 256_000, prices: { input: 6, cachedInput: 0.6, output: 60 } },
      ],
    },
    {
      names: 'qwen3-coder-plus-2025-07-22',
      prices: { input: 1, output: 5 },
      contextTiers: [
        { above: 32_000, prices: { input: 1.8, output: 9 } },
        { above: 128_000, prices: { input: 3, output: 15 } },
        { above: 256_000, prices: { input: 6, output: 60 } },
      ],
    },
    {
      names: 'qwen3-max qwen3-max-2026-01-23 qwen3-max-preview',
      prices: { input: 1.2, output: 6 },
      contextTiers: [
        { above: 32_000, prices: { input: 2.4, output: 12 } },
        { above: 128_000, prices: { input: 3, output: 15 } },
      ],
    },
    { names: 'qwen3-next-80b-a3b-instruct qwen3-next-80b-a3b-thinking', prices: { input: 0.15, output: 1.2 } },
    { names: 'qwen3-tts-flash', prices: { character: 0.00001 } },
    { names: 'qwen3-vl-235b-a22b-instruct', prices: { input: 0.4, output: 1.6 } },
    { names: 'qwen3-vl-235b-a22b-thinking', prices: { input: 0.4, output: 4 } },
    { names: 'qwen3-vl-32b-instruct', prices: { input: 0.16, output: 0.64 } },
    { names: 'qwen3-vl-32b-thinking', prices: { input: 0.16, output: 2.87 } },
    {
      names: 'qwen3-vl-plus',
      prices: { input: 0.2, output: 1.6 },
      contextTiers: [
        { above: 32_000, prices: { input: 0.3, output: 2.4 } },
        { above: 128_000, prices: { input: 0.6, output: 4.8 } },
      ],
    },
    {
      names: 'qwen3.5-plus',
      prices: { input: 0.4, output: 2.4 },
      contextTiers: [{ above: 256_000, prices: { input: 0.5, output: 3 } }],
    },
    { names: 'qwen3.7-max', prices: { input: 2.5, cachedInput: 0.5, cacheWrite: 3.125, output: 7.5 } },
    {
      names: 'qwen3.7-plus',
      prices: { input: 0.4, cachedInput: 0.08, output: 1.6 },
      contextTiers: [{ above: 256_000, prices: { input: 1.2, cachedInput: 0.24, output: 4.8 } }],
    },
    { names: 'qwen3.8-flash', prices: { input: 0.15, cachedInput: 0.016, cacheWrite: 0.2, output: 0.47 } },
    { names: 'qwen3.8-max', prices: { input: 2, cachedInput: 0.25, output: 6 } },
    { names: 'qwen3.8-omni-flash', prices: { input: 0.15, cachedInput: 0.016, output: 0.47 } },
    { names: 'qwq-plus', prices: { input: 0.8, output: 2.4 } },
    {
      names: 'wan2.7-t2v wan2.7-i2v wan2.7-r2v',
      prices: { second: 0.143353 },
      variants: bySecond({ '720p': 0.086012 }),
    },
    {
      names: 'wan3.0-video',
      prices: { second: 0.165025 },
      variants: bySecond({ '480p': 0.041256, '720p': 0.082513 }),
    },
    {
      names: 'wan3.0-video-prime',
      prices: { second: 0.254399 },
      variants: bySecond({ '480p': 0.0636, '720p': 0.127199 }),
    },
    {
      names: 'happyhorse-1.0-t2v happyhorse-1.0-i2v happyhorse-1.0-r2v',
      prices: { second: 0.220034 },
      variants: bySecond({ '720p': 0.123769 }),
    },
    {
      names: 'happyhorse-1.1-t2v happyhorse-1.1-i2v happyhorse-1.1-r2v',
      prices: { second: 0.165026 },
      variants: bySecond({ '480p': 0.0618845, '720p': 0.123769 }),
    },
  ],
};

export const moonshotCards: BuiltInCards = {
  source: 'https://platform.moonshot.ai/docs/pricing/chat',
  // https://platform.moonshot.ai/docs/pricing/tools
  tools: [[/^(?:kimi|moonshot)-/, { webSearch: 0.005 }]],
  cards: [
    { names: 'kimi-k2.6', prices: { input: 0.95, cachedInput: 0.16, output: 4 } },
    { names: 'kimi-k2.7-code', prices: { input: 0.95, cachedInput: 0.19, output: 4 } },
    { names: 'kimi-k3', prices: { input: 3, cachedInput: 0.3, cacheWrite1h: 6, output: 15 } },
    { names: 'kimi-k3.1-pro', prices: { input: 2, cachedInput: 0.2, cacheWrite1h: 4, output: 10 } },
  ],
};

export const zhipuCards: BuiltInCards = {
  source: 'https://docs.z.ai/guides/overview/pricing',
  // https://docs.z.ai/guides/overview/pricing#built-in-tools
  tools: [[/^(?:glm|chatglm|charglm|codegeex)-/, { webSearch: 0.01 }]],
  cards: [
    { names: 'glm-4-32b-0414-128k', prices: { input: 0.1, output: 0.1 } },
    { names: 'glm-4.5', prices: { input: 0.6, output: 2.2 } },
    { names: 'glm-4.5-air', prices: { input: 0.2, output: 1.1 } },
    { names: 'glm-4.5-airx', prices: { input: 1.1, output: 4.5 } },
    { names: 'glm-4.5-flash glm-4.7-flash', prices: { input: 0, output: 0 } },
    { names: 'glm-4.5-x', prices: { input: 2.2, output: 8.9 } },
    { names: 'glm-4.5v', prices: { input: 0.6, output: 1.8 } },
    { names: 'glm-4.6 glm-4.7', prices: { input: 0.6, cachedInput: 0.11, output: 2.2 } },
    { names: 'glm-5', prices: { input: 1, cachedInput: 0.2, output: 3.2 } },
    { names: 'glm-5-code', prices: { input: 1.2, cachedInput: 0.3, output: 5 } },
    { names: 'glm-5.1 glm-5.2 glm-5.3', prices: { input: 1.4, cachedInput: 0.26, output: 4.4 } },
    { names: 'glm-5.3-flash', prices: { input: 0.15, cachedInput: 0.03, output: 0.5 } },
    { names: 'glm-5v-turbo', prices: { input: 1.2, cachedInput: 0.24, output: 4 } },
  ],
};

export const minimaxCards: BuiltInCards = {
  source: 'https://platform.minimax.io/docs/guides/pricing',
  cards: [
    {
      names: 'MiniMax-M2 MiniMax-M2.1 MiniMax-M2.5',
      prices: { input: 0.3, cachedInput: 0.03, cacheWrite: 0.375, output: 1.2 },
    },
    {
      names: 'MiniMax-M2.1-lightning MiniMax-M2.5-lightning',
      prices: { input: 0.3, cachedInput: 0.03, cacheWrite: 0.375, output: 2.4 },
    },
    {
      names: 'MiniMax-M3',
      prices: { input: 0.3, cachedInput: 0.06, output: 1.2 },
      contextTiers: [{ above: 512_000, prices: { input: 0.6, cachedInput: 0.12, output: 2.4 } }],
    },
    { names: 'MiniMax-H3', prices: { second: 0.08 }, variants: bySecond({ '2k': 0.13 }) },
    { names: 'speech-02-hd speech-2.6-hd', prices: { character: 0.0001 } },
    { names: 'speech-02-turbo speech-2.6-turbo', prices: { character: 0.00006 } },
  ],
};

export const klingCards: BuiltInCards = {
  source: 'https://kling.ai/dev/pricing',
  cards: [
    { names: 'kling-v2-5-turbo', prices: { second: 0.042 }, variants: bySecond({ '1080p': 0.07 }) },
    {
      names: 'kling-v2-6',
      prices: { second: 0.042 },
      variants: [{ when: { resolution: '1080p' }, prices: { second: 0.07, secondWithAudio: 0.14 } }],
    },
    {
      names: 'kling-v3',
      prices: { second: 0.084, secondWithAudio: 0.126 },
      variants: [
        { when: { resolution: '1080p' }, prices: { second: 0.112, secondWithAudio: 0.168 } },
        { when: { resolution: '4k' }, prices: { second: 0.42, secondWithAudio: 0.42 } },
      ],
    },
  ],
};

export const viduCards: BuiltInCards = {
  // Credits of half a cent. Prices of other models are not linear in the seconds, or not known.
  source: 'https://platform.vidu.com/docs/pricing',
  cards: [{ names: 'viduq3-pro', prices: { second: 0.15 }, variants: bySecond({ '1080p': 0.16 }) }],
};

export const doubaoCards: BuiltInCards = {
  source: 'https://www.volcengine.com/docs/82379/1544106',
  cards: [
    {
      names: 'doubao-seed-2-0-code-preview-260215 doubao-seed-2-0-pro-260215',
      prices: { input: 0.46, output: 2.3 },
      contextTiers: [
        { above: 32_000, prices: { input: 0.7, output: 3.5 } },
        { above: 128_000, prices: { input: 1.4, output: 7 } },
      ],
    },
    {
      names: 'doubao-seed-2-0-lite-260215',
      prices: { input: 0.087, output: 0.52 },
      contextTiers: [
        { above: 32_000, prices: { input: 0.13, output: 0.78 } },
        { above: 128_000, prices: { input: 0.26, output: 1.6 } },
      ],
    },
    {
      names: 'doubao-seed-2-0-mini-260215',
      prices: { input: 0.029, output: 0.29 },
      contextTiers: [
        { above: 32_000, prices: { input: 0.058, output: 0.58 } },
        { above: 128_000, prices: { input: 0.12, output: 1.2 } },
      ],
    },
    {
      names: 'doubao-seed-2-1-lite-260915',
      prices: { input: 0.115, cachedInput: 0.023, output: 0.388126, audioInput: 1.725, cachedAudioInput: 0.345 },
    },
    {
      names: 'doubao-seed-2-1-pro-260628 doubao-seed-2-1-pro-260915',
      prices: { input: 0.8625, cachedInput: 0.1725, output: 4.3125 },
    },
    { names: 'doubao-seed-2-1-turbo-260628', prices: { input: 0.43125, cachedInput: 0.08625, output: 2.15625 } },
    {
      names: 'doubao-seedance-2-0-260128',
      prices: { second: 0.141942857 },
      variants: bySecond({ '480p': 0.066003429, '1080p': 0.354085714, '4k': 0.722057143 }),
    },
    {
      names: 'doubao-seedance-2-0-fast-260128',
      prices: { second: 0.114171429 },
      variants: bySecond({ '480p': 0.053089714 }),
    },
    {
      names: 'doubao-seedance-2-0-mini-260615',
      prices: { second: 0.070971429 },
      variants: bySecond({ '480p': 0.033001714 }),
    },
    {
      names: 'doubao-seedance-2-5-260628',
      prices: { second: 0.216 },
      variants: bySecond({ '480p': 0.096075, '1080p': 0.5346 }),
    },
  ],
};

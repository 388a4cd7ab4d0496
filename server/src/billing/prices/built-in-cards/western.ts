import type { Variant } from '../../../shared/price-card.js';
import { bySecond, type BuiltInCards, type MakerRules } from './built-in-card.js';

/** Prices are those of peak hours; all others cost half. */
const offPeak: readonly Variant[] = [{ when: { hours: 'off_peak' }, factor: 0.5 }];

export const deepseekCards: BuiltInCards = {
  source: 'https://api-docs.deepseek.com/quick_start/pricing',
  completion: [[/^deepseek-(?:chat|reasoner)$/i, 4, 'locked']],
  cards: [
    {
      names: 'deepseek-flash deepseek-v4-flash deepseek-v4-flash-vision-exp',
      prices: { input: 0.3, cachedInput: 0.006, output: 1.2 },
      variants: offPeak,
    },
    { names: 'deepseek-v4-pro', prices: { input: 1.32, cachedInput: 0.044, output: 3.96 }, variants: offPeak },
    { names: 'deepseek-coder', prices: { input: 0.14, cachedInput: 0.014, output: 0.28 } },
    { names: 'deepseek-r1', prices: { input: 0.55, cachedInput: 0.14, output: 2.19 } },
    { names: 'deepseek-v3', prices: { input: 0.27, cachedInput: 0.07, output: 1.1 } },
    { names: 'deepseek-v3.2', prices: { input: 0.28, cachedInput: 0.028, output: 0.4 } },
  ],
};

/** Calls of tools that xAI runs, on the web and on X alike. From https://docs.x.ai/developers/pricing. */
const xaiTools = { webSearch: 0.005, fileSearch: 0.0025, codeExecution: 0.005 } as const;

export const xaiCards: BuiltInCards = {
  source: 'https://docs.x.ai/docs/models',
  // https://docs.x.ai/docs/models#tools-pricing
  tools: [[/^grok-/, { webSearch: 0.005, fileSearch: 0.0025, codeExecution: 0.005 }]],
  cards: [
    {
      names: 'grok-4.20* grok-4.3 grok-4.3-latest',
      prices: { input: 1.25, cachedInput: 0.2, output: 2.5, ...xaiTools },
      contextTiers: [{ above: 200_000, prices: { input: 2.5, cachedInput: 0.4, output: 5 } }],
      variants: [{ when: { tier: 'batch' }, factor: 0.8 }],
    },
    {
      names: 'grok-4.5 grok-4.5-latest grok-build-latest',
      prices: { input: 2, cachedInput: 0.3, output: 6, ...xaiTools },
      contextTiers: [{ above: 200_000, prices: { input: 4, cachedInput: 0.6, output: 12 } }],
    },
    {
      names: 'grok-4.6',
      prices: { input: 2, cachedInput: 0.5, output: 6, ...xaiTools },
      contextTiers: [{ above: 200_000, prices: { input: 4, cachedInput: 1, output: 12 } }],
    },
    {
      names: 'grok-4.7',
      prices: { input: 2, cachedInput: 0.5, output: 6, ...xaiTools },
      contextTiers: [{ above: 200_000, prices: { input: 4, cachedInput: 1, output: 12 } }],
      variants: [{ when: { tier: 'batch' }, factor: 0.8 }],
    },
    {
      names: 'grok-build-0.1 grok-code-fast grok-code-fast-1-0825',
      prices: { input: 1, cachedInput: 0.2, output: 2, ...xaiTools },
      contextTiers: [{ above: 200_000, prices: { input: 2, cachedInput: 0.4, output: 4 } }],
    },
    { names: 'grok-voice-2.0 grok-voice-3.0 grok-voice-latest', prices: { second: 0.001333333333 } },
    { names: 'grok-voice-transcribe-2.0', prices: { second: 0.00002778 } },
    { names: 'grok-imagine-image grok-imagine-image-2026-03-02', prices: { image: 0.02 } },
    { names: 'grok-imagine-image-2.0', prices: { image: 0.06 } },
    { names: 'grok-imagine-video', prices: { second: 0.05 }, variants: bySecond({ '720p': 0.07 }) },
    {
      names: 'grok-imagine-video-1.5 grok-imagine-video-1.5-preview grok-imagine-video-1.5-2026-05-30',
      prices: { second: 0.08 },
      variants: bySecond({ '720p': 0.14, '1080p': 0.25 }),
    },
    {
      names: 'grok-imagine-video-1.5-lite',
      prices: { second: 0.02 },
      variants: bySecond({ '720p': 0.03, '1080p': 0.14 }),
    },
  ],
};

export const mistralCards: BuiltInCards = {
  source: 'https://mistral.ai/pricing',
  completion: [[/^mistral-/, 3, 'locked']],
  cards: [
    {
      names: 'codestral-2508 codestral-latest mistral-code-fim-latest mistral-code-latest',
      prices: { input: 0.3, cachedInput: 0.03, output: 0.9 },
    },
    { names: 'codestral-embed codestral-embed-2505', prices: { input: 0.15, cachedInput: 0.015 } },
    { names: 'codestral-mamba-latest mistral-tiny', prices: { input: 0.25, cachedInput: 0.025, output: 0.25 } },
    {
      names: 'devstral-latest devstral-medium-latest mistral-code-agent-latest',
      prices: { input: 0.4, cachedInput: 0.04, output: 2 },
    },
    { names: 'devstral-small-latest mistral-small', prices: { input: 0.1, cachedInput: 0.01, output: 0.3 } },
    {
      names:
        'magistral-medium-latest mistral-medium mistral-medium-2604 mistral-medium-3 mistral-medium-3-5 mistral-medium-3.5 mistral-medium-latest mistral-vibe-cli-latest mistral-vibe-cli-with-tools',
      prices: { input: 1.5, cachedInput: 0.15, output: 7.5 },
    },
    {
      names: 'magistral-small-latest mistral-small-2603 mistral-small-latest mistral-vibe-cli-fast',
      prices: { input: 0.15, cachedInput: 0.015, output: 0.6 },
    },
    {
      names: 'ministral-14b-2512 ministral-14b-latest ministral-3-14b-2512',
      prices: { input: 0.2, cachedInput: 0.02, output: 0.2 },
    },
    {
      names: 'ministral-3-3b-2512 ministral-3b-2512 ministral-3b-latest',
      prices: { input: 0.1, cachedInput: 0.01, output: 0.1 },
    },
    {
      names: 'ministral-3-8b-2512 ministral-8b-2512 ministral-8b-latest',
      prices: { input: 0.15, cachedInput: 0.015, output: 0.15 },
    },
    { names: 'mistral-embed mistral-embed-2312', prices: { input: 0.1 } },
    {
      names: 'mistral-large-2512 mistral-large-3 mistral-large-latest',
      prices: { input: 0.5, cachedInput: 0.05, output: 1.5 },
    },
    { names: 'mistral-large-4 mistral-large-4-0', prices: { input: 1.36, cachedInput: 0.14, output: 4.18 } },
    { names: 'deepseek-v4-1-flash-1017', prices: { input: 0.3, cachedInput: 0.007, output: 1.2 } },
    {
      names: 'glm-5-2 zai-glm-5 zai-glm-5-3 zai-glm-latest',
      prices: { input: 1.4, cachedInput: 0.14, output: 4.4 },
    },
    { names: 'zai-glm-5-3-flash', prices: { input: 0.15, cachedInput: 0.03, output: 0.5 } },
    { names: 'open-mistral-nemo', prices: { input: 0.3, cachedInput: 0.03, output: 0.3 } },
    { names: 'pixtral-large-latest', prices: { input: 2, cachedInput: 0.2, output: 6 } },
    { names: 'voxtral-mini-2602 voxtral-mini-latest', prices: { second: 0.00005 } },
    {
      names:
        'voxtral-mini-realtime-2602 voxtral-mini-realtime-latest voxtral-mini-transcribe-realtime-2602 voxtral-mini-transcribe-realtime-latest',
      prices: { second: 0.0001 },
    },
    { names: 'voxtral-mini-transcribe-3 voxtral-mini-transcribe-3-0', prices: { second: 0.0000583333 } },
    {
      names: 'voxtral-mini-transcribe-realtime-3 voxtral-mini-transcribe-realtime-3-0',
      prices: { second: 0.000133333 },
    },
    { names: 'voxtral-mini-tts-2603 voxtral-mini-tts-latest', prices: { character: 0.000016 } },
    { names: 'voxtral-mini-tts-3 voxtral-mini-tts-3-0', prices: { character: 0.000013 } },
    { names: 'voxtral-small-2507 voxtral-small-latest', prices: { input: 0.1, cachedInput: 0.01, output: 0.4 } },
    { names: 'voxtral-small-transcribe-3 voxtral-small-transcribe-3-0', prices: { second: 0.0000666667 } },
  ],
};

export const cohereCards: BuiltInCards = {
  source: 'https://cohere.com/pricing',
  completion: [
    [/^command-r$/, 3, 'locked'],
    [/^command-r-plus$/, 5, 'locked'],
    [/^command-r(?:-plus)?-08-2024$/, 4, 'locked'],
    [/^command/, 4],
  ],
  cards: [
    { names: 'c4ai-aya-expanse-32b', prices: { input: 0.5, output: 1.5 } },
    { names: 'embed-v4.0', prices: { input: 0.12, imageInput: 0.47 } },
    { names: 'embed-v5.0-fast', prices: { input: 0.08 } },
    { names: 'embed-v5.0-pro', prices: { input: 0.12 } },
    { names: 'command-a-03-2025 command-r-plus-08-2024', prices: { input: 2.5, output: 10 } },
    { names: 'command-nightly', prices: { input: 1, output: 2 } },
    { names: 'command-r-08-2024', prices: { input: 0.15, output: 0.6 } },
    { names: 'command-r7b-12-2024', prices: { input: 0.0375, output: 0.15 } },
    {
      names: 'embed-english-light-v3.0 embed-english-v3.0 embed-multilingual-v3.0 embed-multilingual-light-v3.0',
      prices: { input: 0.1 },
    },
    { names: 'rerank-english-v3.0 rerank-multilingual-v3.0 rerank-v3.5 rerank-v4.0-fast', prices: { request: 0.002 } },
    { names: 'rerank-v4.0-pro', prices: { request: 0.0025 } },
    { names: 'rerank-v5.0-fast', prices: { input: 0.02 } },
    { names: 'rerank-v5.0-pro', prices: { input: 0.05 } },
  ],
};

/** Prices of a request by the size of the context that is searched for. */
const searched = (medium: number, high: number): Variant[] => [
  { when: { searchSize: 'medium' }, prices: { request: medium } },
  { when: { searchSize: 'high' }, prices: { request: high } },
];

export const metaRules: MakerRules = {
  completion: [
    [/^llama2-70b-4096$/, 1.25, 'locked'],
    [/^llama3-8b-8192$/, 2, 'locked'],
    [/^llama3-70b-8192$/, 79 / 59, 'locked'],
  ],
};

export const perplexityCards: BuiltInCards = {
  source: 'https://docs.perplexity.ai/getting-started/pricing',
  tools: [
    [/^sonar-deep-research/, { webSearch: 0.005 }],
    [/^sonar-(?:pro|reasoning-pro)/, { request: 0.006 }],
    [/^sonar/, { request: 0.005 }],
  ],
  cards: [
    { names: 'pplx-embed-context-v1-0.6b', prices: { input: 0.008 } },
    { names: 'pplx-embed-context-v1-4b', prices: { input: 0.05 } },
    { names: 'pplx-embed-v1-0.6b', prices: { input: 0.004 } },
    { names: 'pplx-embed-v1-4b', prices: { input: 0.03 } },
    {
      names: 'sonar',
      prices: { input: 1, output: 1, request: 0.005 },
      variants: searched(0.008, 0.012),
    },
    { names: 'sonar-deep-research', prices: { input: 2, output: 8, reasoning: 3, webSearch: 0.005 } },
    {
      names: 'sonar-pro',
      prices: { input: 3, output: 15, request: 0.006 },
      variants: searched(0.01, 0.014),
    },
    {
      names: 'sonar-reasoning',
      prices: { input: 1, output: 5, request: 0.005 },
      variants: searched(0.008, 0.014),
    },
    {
      names: 'sonar-reasoning-pro',
      prices: { input: 2, output: 8, request: 0.006 },
      variants: searched(0.01, 0.014),
    },
  ],
};

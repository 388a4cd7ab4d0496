import type { PriceCard, Prices, Variant } from '../../../shared/price-card.js';
import {
  bySecond,
  discounts,
  googleTiers,
  halfBatch,
  oldTools,
  threeTiers,
  tools,
  type BuiltInCards,
} from './built-in-card.js';

/** Prices of requests with more than 272,000 input tokens. */
const long = (prices: Prices): PriceCard['contextTiers'] => [{ above: 272_000, prices }];

const priorityAndBatch = (priority: number): readonly Variant[] => [
  { when: { tier: 'priority' }, factor: priority },
  ...halfBatch,
];
const withUltrafast: readonly Variant[] = [
  { when: { tier: 'flex' }, factor: 0.5 },
  { when: { tier: 'priority' }, factor: 2 },
  ...halfBatch,
  { when: { tier: 'ultrafast' }, factor: 6 },
];

export const openaiCards: BuiltInCards = {
  source: 'https://developers.openai.com/api/docs/pricing',
  // Only the setting prices reverse-engineered `-all` models and gizmo entries, so the patterns exclude them.
  completion: [
    [/^gpt-4o-2024-05-13$/, 3, 'locked'],
    [/^gpt-4o(?!.*(?:-all|-gizmo-\*)$)/, 4, 'locked'],
    [/^gpt-4\.5-preview(?!.*(?:-all|-gizmo-\*)$)/, 2, 'locked'],
    [/^gpt-4-turbo(?!.*(?:-all|-gizmo-\*)$)/, 3, 'locked'],
    [/^(?=gpt-4).*gpt-4-110[56]$/, 3, 'locked'],
    [/^gpt-4(?!.*(?:-all|-gizmo-\*)$)/, 2],
    [/^gpt-5\./, 6],
    [/^gpt-5/, 8],
    [/^o[13]/, 4, 'locked'],
    [/^chatgpt-4o-latest$/, 3, 'locked'],
    [/^gpt-3\.5-turbo$|^gpt-3\.5.*0125$/, 3, 'locked'],
    [/^gpt-3\.5.*1106$/, 2, 'locked'],
    [/^gpt-3\.5/, 4 / 3, 'locked'],
  ],
  audio: [
    [/gpt-4o-realtime-preview-2024-12-17$/, 8],
    [/^(?=.*-realtime).*mini/, 50 / 3],
    [/-realtime/, 20],
    [/^(?=.*-audio).*mini/, 200 / 3],
    // OpenAI sells audio for 40 USD since the snapshot of December 2024, which the name without a date refers to.
    [/gpt-4o-audio-preview(?!.*-2024-10-01$)/, 16],
    [/-audio/, 40],
  ],
  // https://platform.openai.com/docs/pricing#built-in-tools
  tools: [[/^(?:ft:)?(?:gpt-(?!oss)|chatgpt-|codex-|computer-use-|o\d)/, tools]],
  cards: [
    { names: 'chat-latest gpt-chat-latest', prices: { input: 5, cachedInput: 0.5, output: 30, ...tools } },
    {
      names: 'chatgpt-image-latest gpt-image-1.5 gpt-image-1.5-2025-12-16',
      prices: { input: 5, cachedInput: 1.25, output: 10, imageInput: 8, cachedImageInput: 2, imageOutput: 32 },
      variants: halfBatch,
    },
    {
      names: 'daybreak-blue-latest gpt-daybreak-blue-latest',
      prices: { input: 4, cachedInput: 0.4, cacheWrite: 5, cacheWrite1h: 10, output: 20, ...tools },
      contextTiers: long({ input: 8, cachedInput: 0.8, cacheWrite: 10, cacheWrite1h: 20, output: 30 }),
    },
    {
      names: 'daybreak-red-latest gpt-5.6-cyber gpt-daybreak-red-latest',
      prices: { input: 12.5, cachedInput: 1.25, cacheWrite: 15.625, cacheWrite1h: 31.25, output: 75, ...tools },
      contextTiers: long({ input: 25, cachedInput: 2.5, cacheWrite: 31.25, cacheWrite1h: 62.5, output: 112.5 }),
    },
    {
      names: 'ft:gpt-4.1-2025-04-14*',
      prices: { input: 3, cachedInput: 0.75, output: 12 },
      variants: [{ when: { tier: 'batch' }, factor: 0.5, prices: { cachedInput: 0.5 } }],
    },
    {
      names: 'ft:gpt-4.1-mini-2025-04-14*',
      prices: { input: 0.8, cachedInput: 0.2, output: 3.2 },
      variants: halfBatch,
    },
    { names: 'ft:gpt-4o-2024-08-06* ft:gpt-4o-2024-11-20*', prices: { input: 3.75, cachedInput: 1.875, output: 15 } },
    {
      names: 'ft:gpt-4o-mini-2024-07-18*',
      prices: { input: 0.3, cachedInput: 0.15, output: 1.2 },
      variants: halfBatch,
    },
    {
      names: 'gpt-4.1 gpt-4.1-2025-04-14',
      prices: { input: 2, cachedInput: 0.5, output: 8, ...oldTools },
      variants: priorityAndBatch(1.75),
    },
    {
      names: 'gpt-4.1-mini gpt-4.1-mini-2025-04-14',
      prices: { input: 0.4, cachedInput: 0.1, output: 1.6, ...oldTools },
      variants: priorityAndBatch(1.75),
    },
    {
      names: 'gpt-4.1-nano gpt-4.1-nano-2025-04-14',
      prices: { input: 0.1, cachedInput: 0.025, output: 0.4, ...oldTools },
      variants: priorityAndBatch(2),
    },
    {
      names: 'gpt-4o-audio-preview-2024-12-17 gpt-4o-audio-preview-2025-06-03',
      prices: { input: 2.5, output: 10, audioInput: 40, audioOutput: 80 },
    },
    {
      names: 'gpt-4o-mini-audio-preview gpt-4o-mini-audio-preview-2024-12-17',
      prices: { input: 0.15, output: 0.6, audioInput: 10, audioOutput: 20 },
    },
    {
      names: 'gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20',
      prices: { input: 2.5, cachedInput: 1.25, output: 10, ...oldTools },
      variants: priorityAndBatch(1.7),
    },
    {
      names: 'gpt-4o-mini gpt-4o-mini-2024-07-18',
      prices: { input: 0.15, cachedInput: 0.075, output: 0.6, ...oldTools },
      variants: [
        { when: { tier: 'priority' }, prices: { input: 0.25, cachedInput: 0.125, output: 1 } },
        { when: { tier: 'batch' }, factor: 0.5 },
      ],
    },
    {
      names: 'gpt-4o-mini-search-preview',
      prices: { input: 0.15, cachedInput: 0.075, output: 0.6, request: 0.025 },
      variants: halfBatch,
    },
    {
      names: 'gpt-4o-mini-transcribe gpt-4o-mini-transcribe-2025-03-20 gpt-4o-mini-transcribe-2025-12-15',
      prices: { second: 0.00005 },
    },
    {
      names: 'gpt-4o-mini-tts gpt-4o-mini-tts-2025-03-20 gpt-4o-mini-tts-2025-12-15',
      prices: { input: 0.6, output: 10, audioOutput: 12 },
    },
    {
      names: 'gpt-4o-search-preview',
      prices: { input: 2.5, cachedInput: 1.25, output: 10, request: 0.025 },
      variants: halfBatch,
    },
    { names: 'gpt-3.5-turbo-instruct-0914', prices: { input: 1.5, output: 2 } },
    { names: 'gpt-4o-transcribe gpt-4o-transcribe-diarize whisper-1', prices: { second: 0.0001 } },
    {
      names: 'gpt-5 gpt-5-2025-08-07 gpt-5.1 gpt-5.1-2025-11-13',
      prices: { input: 1.25, cachedInput: 0.125, output: 10, ...tools },
      variants: threeTiers,
    },
    {
      names: 'gpt-5-codex gpt-5.1-codex gpt-5.1-codex-2025-11-13 gpt-5.1-codex-max',
      prices: { input: 1.25, cachedInput: 0.125, output: 10, ...tools },
      variants: [{ when: { tier: 'priority' }, factor: 2 }],
    },
    {
      names: 'gpt-5.1-codex-mini gpt-5.1-codex-mini-2025-11-13',
      prices: { input: 0.25, cachedInput: 0.025, output: 2, ...tools },
      variants: [{ when: { tier: 'priority' }, factor: 1.8 }],
    },
    {
      names: 'gpt-5-mini gpt-5-mini-2025-08-07',
      prices: { input: 0.25, cachedInput: 0.025, output: 2, ...tools },
      variants: googleTiers,
    },
    {
      names: 'gpt-5-nano gpt-5-nano-2025-08-07',
      prices: { input: 0.05, cachedInput: 0.005, output: 0.4, ...tools },
      variants: discounts,
    },
    { names: 'gpt-5-pro gpt-5-pro-2025-10-06', prices: { input: 15, output: 120, ...tools }, variants: halfBatch },
    {
      names: 'gpt-5-search-api gpt-5-search-api-2025-10-14',
      prices: { input: 1.25, cachedInput: 0.125, output: 10, request: 0.01 },
    },
    {
      names: 'gpt-5.2 gpt-5.2-2025-12-11',
      prices: { input: 1.75, cachedInput: 0.175, output: 14, ...tools },
      variants: threeTiers,
    },
    { names: 'gpt-5.2-pro gpt-5.2-pro-2025-12-11', prices: { input: 21, output: 168, ...tools }, variants: halfBatch },
    {
      names: 'gpt-5.2-codex gpt-5.3-codex',
      prices: { input: 1.75, cachedInput: 0.175, output: 14, ...tools },
      variants: [{ when: { tier: 'priority' }, factor: 2 }],
    },
    {
      names: 'gpt-5.4 gpt-5.4-2026-03-05',
      prices: { input: 2.5, cachedInput: 0.25, output: 15, ...tools },
      contextTiers: long({ input: 5, cachedInput: 0.5, output: 22.5 }),
      variants: [
        { when: { tier: 'flex' }, factor: 0.5, prices: { cachedInput: 0.13 } },
        { when: { tier: 'priority' }, prices: { input: 5, cachedInput: 0.5, output: 30 } },
        { when: { tier: 'batch' }, factor: 0.5, prices: { cachedInput: 0.13 } },
      ],
    },
    {
      names: 'gpt-5.4-mini gpt-5.4-mini-2026-03-17',
      prices: { input: 0.75, cachedInput: 0.075, output: 4.5, ...tools },
      variants: threeTiers,
    },
    {
      names: 'gpt-5.4-nano gpt-5.4-nano-2026-03-17',
      prices: { input: 0.2, cachedInput: 0.02, output: 1.25, ...tools },
      variants: discounts,
    },
    {
      names: 'gpt-5.4-pro gpt-5.4-pro-2026-03-05',
      prices: { input: 30, output: 180, ...tools },
      contextTiers: long({ input: 60, output: 270 }),
      variants: discounts,
    },
    {
      names: 'gpt-5.5 gpt-5.5-2026-04-23 gpt-5.5-2026-04-24',
      prices: { input: 5, cachedInput: 0.5, output: 30, ...tools },
      contextTiers: long({ input: 10, cachedInput: 1, output: 45 }),
      variants: [
        { when: { tier: 'flex' }, factor: 0.5 },
        { when: { tier: 'priority' }, prices: { input: 12.5, cachedInput: 1.25, output: 75 } },
        { when: { tier: 'batch' }, factor: 0.5 },
      ],
    },
    { names: 'gpt-5.5-cyber gpt-5.5-cyber-preview', prices: { input: 12.5, cachedInput: 1.25, output: 75, ...tools } },
    {
      names: 'gpt-5.5-pro gpt-5.5-pro-2026-04-23',
      prices: { input: 30, output: 180, ...tools },
      contextTiers: long({ input: 60, output: 270 }),
      variants: [
        { when: { tier: 'flex' }, prices: { input: 15, output: 90 } },
        { when: { tier: 'batch' }, factor: 0.5 },
      ],
    },
    {
      names: 'gpt-5.6 gpt-5.6-sol gpt-5.6-sol-2026-07-09',
      prices: { input: 4, cachedInput: 0.4, cacheWrite: 5, cacheWrite1h: 10, output: 20, ...tools },
      contextTiers: long({ input: 8, cachedInput: 0.8, cacheWrite: 10, cacheWrite1h: 20, output: 30 }),
      variants: threeTiers,
    },
    {
      names: 'gpt-5.6-luna gpt-5.6-luna-2026-07-09',
      prices: { input: 0.2, cachedInput: 0.02, cacheWrite: 0.25, cacheWrite1h: 0.5, output: 1.2, ...tools },
      contextTiers: long({ input: 0.4, cachedInput: 0.04, cacheWrite: 0.5, cacheWrite1h: 1, output: 1.8 }),
      variants: threeTiers,
    },
    {
      names: 'gpt-5.6-terra gpt-5.6-terra-2026-07-09',
      prices: { input: 2, cachedInput: 0.2, cacheWrite: 2.5, cacheWrite1h: 5, output: 12, ...tools },
      contextTiers: long({ input: 4, cachedInput: 0.4, cacheWrite: 5, cacheWrite1h: 10, output: 18 }),
      variants: threeTiers,
    },
    {
      names: 'gpt-6-astra gpt-6-astra-2026-09-03',
      prices: { input: 10, cachedInput: 1, cacheWrite: 12.5, cacheWrite1h: 25, output: 50, ...tools },
      contextTiers: long({ input: 20, cachedInput: 2, cacheWrite: 25, cacheWrite1h: 50, output: 75 }),
      variants: withUltrafast,
    },
    { names: 'gpt-6-astra-law', prices: { input: 10, cachedInput: 1, output: 50, ...tools } },
    {
      names: 'gpt-6-luna gpt-6-luna-2026-09-22',
      prices: { input: 0.1, cachedInput: 0.01, cacheWrite: 0.125, cacheWrite1h: 0.25, output: 0.5, ...tools },
      contextTiers: long({ input: 0.2, cachedInput: 0.02, cacheWrite: 0.25, cacheWrite1h: 0.5, output: 0.75 }),
      variants: threeTiers,
    },
    {
      names: 'gpt-6-rosalind',
      prices: { input: 15, cachedInput: 1.5, cacheWrite: 18.75, cacheWrite1h: 37.5, output: 75, ...tools },
      contextTiers: long({ input: 30, cachedInput: 3, cacheWrite: 37.5, cacheWrite1h: 75, output: 112.5 }),
    },
    {
      names: 'gpt-6-sol gpt-6-sol-2026-09-22',
      prices: { input: 2, cachedInput: 0.2, cacheWrite: 2.5, cacheWrite1h: 5, output: 10, ...tools },
      contextTiers: long({ input: 4, cachedInput: 0.4, cacheWrite: 5, cacheWrite1h: 10, output: 15 }),
      variants: threeTiers,
    },
    {
      names: 'gpt-6.1-sol gpt-6.1-sol-2026-09-29',
      prices: { input: 2, cachedInput: 0.1, cacheWrite: 2.5, cacheWrite1h: 5, output: 10, ...tools },
      contextTiers: long({ input: 4, cachedInput: 0.2, cacheWrite: 5, cacheWrite1h: 10, output: 15 }),
      variants: withUltrafast,
    },
    {
      names: 'gpt-6.1-terra',
      prices: { input: 1, cachedInput: 0.05, cacheWrite: 1.25, cacheWrite1h: 2.5, output: 5, ...tools },
      contextTiers: long({ input: 2, cachedInput: 0.1, cacheWrite: 2.5, cacheWrite1h: 5, output: 7.5 }),
      variants: threeTiers,
    },
    {
      names: 'gpt-audio gpt-audio-1.5 gpt-audio-1.5-2026-02-23 gpt-audio-2025-08-28',
      prices: { input: 2.5, output: 10, audioInput: 32, audioOutput: 64 },
    },
    {
      names: 'gpt-audio-mini gpt-audio-mini-2025-10-06 gpt-audio-mini-2025-12-15',
      prices: { input: 0.6, output: 2.4, audioInput: 10, audioOutput: 20 },
    },
    {
      names: 'gpt-image-1-mini',
      prices: { input: 2, cachedInput: 0.2, imageInput: 2.5, cachedImageInput: 0.25, imageOutput: 8 },
      variants: halfBatch,
    },
    {
      names: 'gpt-image-2 gpt-image-2.5-flare gpt-image-2.5-sunburst',
      prices: { input: 5, cachedInput: 1.25, imageInput: 8, cachedImageInput: 2, imageOutput: 30 },
      variants: halfBatch,
    },
    {
      names: 'gpt-image-2-2026-04-21 gpt-image-2.5-flare-2026-09-08 gpt-image-2.5-sunburst-2026-09-08',
      prices: { input: 5, cachedInput: 1.25, imageInput: 8, cachedImageInput: 2, imageOutput: 30 },
    },
    {
      names: 'gpt-realtime gpt-realtime-1.5 gpt-realtime-1.5-2026-02-23 gpt-realtime-2025-08-28',
      prices: {
        input: 4,
        cachedInput: 0.4,
        output: 16,
        audioInput: 32,
        cachedAudioInput: 0.4,
        audioOutput: 64,
        imageInput: 5,
        cachedImageInput: 0.5,
      },
    },
    {
      names: 'gpt-realtime-2 gpt-realtime-2.1',
      prices: {
        input: 4,
        cachedInput: 0.4,
        output: 24,
        audioInput: 32,
        cachedAudioInput: 0.4,
        audioOutput: 64,
        imageInput: 5,
        cachedImageInput: 0.5,
      },
    },
    {
      names: 'gpt-realtime-2.1-mini gpt-realtime-mini gpt-realtime-mini-2025-10-06 gpt-realtime-mini-2025-12-15',
      prices: {
        input: 0.6,
        cachedInput: 0.06,
        output: 2.4,
        audioInput: 10,
        cachedAudioInput: 0.3,
        audioOutput: 20,
        imageInput: 0.8,
        cachedImageInput: 0.08,
      },
    },
    {
      names: 'gpt-rosalind-discovery gpt-rosalind-research',
      prices: { input: 5, cachedInput: 0.5, output: 25, ...tools },
    },
    { names: 'gpt-live-transcribe gpt-realtime-whisper', prices: { second: 0.000283333333333 } },
    { names: 'gpt-transcribe', prices: { second: 0.000075 } },
    {
      names: 'o3 o3-2025-04-16',
      prices: { input: 2, cachedInput: 0.5, output: 8, ...tools },
      variants: [
        { when: { tier: 'flex' }, factor: 0.5 },
        { when: { tier: 'priority' }, factor: 1.75 },
        { when: { tier: 'batch' }, factor: 0.5 },
      ],
    },
    { names: 'o3-pro o3-pro-2025-06-10', prices: { input: 20, output: 80, ...tools }, variants: halfBatch },
    { names: 'omni-moderation-2024-09-26 omni-moderation-latest', prices: { input: 0, output: 0 } },
    { names: 'sora-2', prices: { second: 0.1 } },
    // 1024x1792 and 1792x1024.
    { names: 'sora-2-pro', prices: { second: 0.3 }, variants: bySecond({ '1080p': 0.5 }) },
    { names: 'text-embedding-3-large', prices: { input: 0.13 }, variants: halfBatch },
    { names: 'text-embedding-3-small', prices: { input: 0.02 }, variants: halfBatch },
    { names: 'text-embedding-ada-002', prices: { input: 0.1 } },
    { names: 'text-embedding-ada-002-v2', prices: { input: 0.1 }, variants: halfBatch },
    { names: 'tts-1 tts-1-1106', prices: { character: 0.000015 } },
    { names: 'tts-1-hd tts-1-hd-1106', prices: { character: 0.00003 } },
  ],
};

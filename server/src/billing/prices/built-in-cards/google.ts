import { bySecond, googleTiers, halfBatch, type BuiltInCards } from './built-in-card.js';

export const googleCards: BuiltInCards = {
  source: 'https://ai.google.dev/gemini-api/docs/pricing',
  completion: [
    [/^gemini-1\.[05]-pro/, 4, 'locked'],
    [/^gemini-2\.5-pro-preview/, 8, 'locked'],
    [/^gemini-2\.5-flash-preview.*-nothinking$/, 4],
    [/^gemini-2\.5-flash-preview/, 35 / 6],
    [/^gemini-2\.5-flash-lite/, 4],
    [/^gemini-2\.5-flash/, 25 / 3],
    [/^gemini-2\.5-pro/, 8],
    [/^gemini/, 4],
  ],
  tools: [
    [/^gemini-[12]/, { groundedPrompt: 0.035, mapsPrompt: 0.025 }],
    [/^gemini-/, { webSearch: 0.014 }],
  ],
  cards: [
    {
      names:
        'gemini-2.5-flash-native-audio-latest gemini-2.5-flash-native-audio-preview-09-2025 gemini-2.5-flash-native-audio-preview-12-2025',
      prices: { input: 0.5, output: 2, audioInput: 3, audioOutput: 12 },
    },
    {
      names: 'gemini-2.5-flash-preview-tts gemini-2.5-flash-tts',
      prices: { input: 0.5, output: 10 },
      variants: halfBatch,
    },
    {
      names: 'gemini-3.1-flash-live-preview gemini-3.8-live gemini-3.8-live-extended-thinking',
      prices: { input: 0.75, output: 4.5, audioInput: 3, audioOutput: 12, imageInput: 1 },
    },
    {
      names: 'gemini-flash-latest gemini-3.6-flash gemini-3.7-flash gemini-3.8-flash',
      prices: { input: 0.75, cachedInput: 0.075, output: 3.75, webSearch: 0.014 },
      variants: googleTiers,
    },
    {
      names: 'gemini-flash-lite-latest',
      prices: { input: 0.3, cachedInput: 0.03, output: 2.5, webSearch: 0.014 },
      variants: [
        { when: { tier: 'flex' }, factor: 0.5, prices: { cachedInput: 0.02 } },
        { when: { tier: 'priority' }, factor: 1.8, prices: { cachedInput: 0.05 } },
        { when: { tier: 'batch' }, factor: 0.5 },
      ],
    },
    {
      names: 'gemini-pro-latest',
      prices: { input: 2, cachedInput: 0.2, output: 12, webSearch: 0.014 },
      contextTiers: [{ above: 200_000, prices: { input: 4, cachedInput: 0.4, output: 18 } }],
      variants: [
        { when: { tier: 'flex' }, prices: { input: 1, cachedInput: 0.2, output: 6 } },
        { when: { tier: 'priority' }, factor: 1.8 },
        { when: { tier: 'batch' }, prices: { input: 1, cachedInput: 0.2, output: 6 } },
      ],
    },
    {
      names: 'deep-research-max-preview-04-2026 deep-research-preview-04-2026',
      prices: { input: 2, output: 12, groundedPrompt: 0.035 },
      variants: halfBatch,
    },
    {
      names: 'gemini-2.5-flash',
      prices: {
        input: 0.3,
        cachedInput: 0.03,
        output: 2.5,
        audioInput: 1,
        cachedAudioInput: 0.1,
        groundedPrompt: 0.035,
        mapsPrompt: 0.025,
      },
      variants: [
        { when: { tier: 'flex' }, factor: 0.5, prices: { cachedInput: 0.03, cachedAudioInput: 0.1 } },
        { when: { tier: 'priority' }, factor: 1.8 },
        { when: { tier: 'batch' }, factor: 0.5, prices: { cachedInput: 0.03, cachedAudioInput: 0.1 } },
      ],
    },
    {
      names: 'gemini-2.5-flash-image',
      prices: { input: 0.3, cachedInput: 0.03, output: 2.5, audioInput: 1, imageOutput: 30, groundedPrompt: 0.035 },
      variants: googleTiers,
    },
    {
      names: 'gemini-2.5-flash-lite',
      prices: {
        input: 0.1,
        cachedInput: 0.01,
        output: 0.4,
        audioInput: 0.3,
        cachedAudioInput: 0.03,
        groundedPrompt: 0.035,
        mapsPrompt: 0.025,
      },
      variants: [
        { when: { tier: 'flex' }, factor: 0.5, prices: { cachedInput: 0.01, cachedAudioInput: 0.03 } },
        { when: { tier: 'priority' }, factor: 1.8 },
        { when: { tier: 'batch' }, factor: 0.5, prices: { cachedInput: 0.01, cachedAudioInput: 0.03 } },
      ],
    },
    {
      names: 'gemini-2.5-pro',
      prices: { input: 1.25, cachedInput: 0.125, output: 10, groundedPrompt: 0.035, mapsPrompt: 0.025 },
      contextTiers: [
        {
          above: 200_000,
          prices: { input: 2.5, cachedInput: 0.25, output: 15 },
          variants: [{ when: { tier: 'batch' }, factor: 0.5, prices: { cachedInput: 0.25 } }],
        },
      ],
      variants: [
        { when: { tier: 'flex' }, prices: { input: 0.625, cachedInput: 0.125, output: 5 } },
        { when: { tier: 'priority' }, factor: 1.8 },
        { when: { tier: 'batch' }, factor: 0.5, prices: { cachedInput: 0.125 } },
      ],
    },
    {
      names: 'gemini-2.5-pro-preview-tts gemini-2.5-pro-tts',
      prices: { input: 1, cachedInput: 0.125, output: 20, audioInput: 0.7, groundedPrompt: 0.035 },
      variants: halfBatch,
    },
    {
      names: 'gemini-3-flash-preview',
      prices: { input: 0.5, cachedInput: 0.05, output: 3, audioInput: 1, cachedAudioInput: 0.1, webSearch: 0.014 },
      variants: [
        { when: { tier: 'flex' }, factor: 0.5, prices: { cachedInput: 0.05, cachedAudioInput: 0.1 } },
        { when: { tier: 'priority' }, factor: 1.8 },
        { when: { tier: 'batch' }, factor: 0.5, prices: { cachedInput: 0.05, cachedAudioInput: 0.1 } },
      ],
    },
    {
      names: 'gemini-3-pro-image nano-banana-pro-preview',
      prices: { input: 2, output: 12, imageOutput: 120, webSearch: 0.014 },
      variants: googleTiers,
    },
    {
      names: 'gemini-3.1-flash-image',
      prices: { input: 0.5, output: 3, imageOutput: 60, webSearch: 0.014 },
      variants: halfBatch,
    },
    {
      names: 'gemini-3.1-flash-lite',
      prices: {
        input: 0.25,
        cachedInput: 0.025,
        output: 1.5,
        audioInput: 0.5,
        cachedAudioInput: 0.05,
        webSearch: 0.014,
      },
      variants: googleTiers,
    },
    {
      names: 'gemini-3.1-flash-lite-image',
      prices: { input: 0.25, output: 1.5, imageOutput: 30 },
      variants: halfBatch,
    },
    { names: 'gemini-3.1-flash-tts-preview', prices: { input: 1, output: 20 }, variants: halfBatch },
    {
      names: 'gemini-3.1-pro-preview gemini-3.1-pro-preview-customtools',
      prices: { input: 2, cachedInput: 0.2, output: 12, webSearch: 0.014 },
      contextTiers: [
        {
          above: 200_000,
          prices: { input: 4, cachedInput: 0.4, output: 18 },
          variants: [{ when: { tier: 'batch' }, factor: 0.5, prices: { cachedInput: 0.4 } }],
        },
      ],
      variants: [
        { when: { tier: 'flex' }, prices: { input: 1, cachedInput: 0.2, output: 6 } },
        { when: { tier: 'priority' }, factor: 1.8 },
        { when: { tier: 'batch' }, factor: 0.5, prices: { cachedInput: 0.2 } },
      ],
    },
    {
      names: 'gemini-3.5-flash',
      prices: { input: 1.5, cachedInput: 0.15, output: 9, webSearch: 0.014 },
      variants: [
        { when: { tier: 'flex' }, factor: 0.5, prices: { cachedInput: 0.08 } },
        { when: { tier: 'priority' }, factor: 1.8 },
        { when: { tier: 'batch' }, factor: 0.5 },
      ],
    },
    {
      names: 'gemini-3.5-flash-lite',
      prices: { input: 0.3, cachedInput: 0.03, output: 2.5, webSearch: 0.014 },
      variants: [
        { when: { tier: 'flex' }, factor: 0.5, prices: { cachedInput: 0.02 } },
        { when: { tier: 'priority' }, factor: 1.8, prices: { cachedInput: 0.05 } },
        { when: { tier: 'batch' }, factor: 0.5, prices: { cachedInput: 0.02 } },
      ],
    },
    { names: 'gemini-3.5-live-translate-preview gemini-3.5-transcribe-live', prices: { input: 3.5, output: 21 } },
    { names: 'gemini-3.5-transcribe', prices: { input: 2, output: 12 } },
    {
      names: 'gemini-3.8-flash-lite-tts',
      prices: { input: 0.5, cachedInput: 0.125, output: 6 },
      variants: [
        { when: { tier: 'flex' }, factor: 0.5, prices: { cachedInput: 0.025 } },
        { when: { tier: 'priority' }, factor: 1.8 },
        { when: { tier: 'batch' }, factor: 0.5 },
      ],
    },
    {
      names: 'gemini-3.8-flash-tts',
      prices: { input: 0.5, cachedInput: 0.125, output: 9 },
      variants: [
        { when: { tier: 'flex' }, factor: 0.5, prices: { cachedInput: 0.025 } },
        { when: { tier: 'priority' }, factor: 1.8 },
        { when: { tier: 'batch' }, factor: 0.5 },
      ],
    },
    {
      names: 'gemini-3.8-flash-cyber',
      prices: { input: 1.5, cachedInput: 0.15, output: 7.5 },
      variants: googleTiers,
    },
    {
      names: 'gemini-4-argon-cyber-permissive',
      prices: { input: 4, cachedInput: 0.2, output: 20, webSearch: 0.014 },
      variants: googleTiers,
    },
    { names: 'text-embedding-005 text-multilingual-embedding-002', prices: { input: 0.1 } },
    {
      names: 'gemini-4-argon',
      prices: { input: 2, cachedInput: 0.1, output: 10, webSearch: 0.014 },
      variants: googleTiers,
    },
    { names: 'gemini-embedding-001', prices: { input: 0.15 }, variants: halfBatch },
    {
      names: 'gemini-embedding-2 gemini-embedding-2-preview',
      prices: { input: 0.2, audioInput: 6.5, imageInput: 0.45 },
      variants: halfBatch,
    },
    {
      names: 'gemini-live-2.5-flash-preview-native-audio-09-2025',
      prices: { input: 0.5, output: 2, audioInput: 3, audioOutput: 12, groundedPrompt: 0.035 },
    },
    {
      names: 'gemini-nano-banana-2.1',
      prices: { input: 1.5, output: 7.5, imageOutput: 30, webSearch: 0.014 },
      variants: halfBatch,
    },
    { names: 'gemini-omni-1.1-flash', prices: { input: 1.5, output: 9 } },
    {
      names: 'gemini-robotics-er-2-preview',
      prices: { input: 1, cachedInput: 0.1, output: 5, webSearch: 0.014 },
      variants: halfBatch,
    },
    { names: 'gemini-robotics-er-2-streaming-preview', prices: { input: 1, output: 5, webSearch: 0.014 } },
    {
      names: 'veo-3.1-generate-001 veo-3.1-generate-preview',
      prices: { second: 0.4 },
      variants: bySecond({ '4k': 0.6 }),
    },
    {
      names: 'veo-3.1-fast-generate-001 veo-3.1-fast-generate-preview',
      prices: { second: 0.1 },
      variants: bySecond({ '1080p': 0.12, '4k': 0.3 }),
    },
    {
      names: 'veo-3.1-lite-generate-001 veo-3.1-lite-generate-preview',
      prices: { second: 0.05 },
      variants: bySecond({ '1080p': 0.08 }),
    },
    { names: 'gemma-4-26b-a4b-it gemma-4-31b-it', prices: { input: 0, output: 0 } },
  ],
};

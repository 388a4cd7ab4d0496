import type { Family } from '../support/import/schemas.js';

export interface HubPrice {
  readonly type?: 'times';
  readonly input: number;
  readonly output: number;
  readonly extra?: Readonly<Record<string, number>>;
  readonly long?: { readonly threshold: number; readonly input_ratio: number; readonly output_ratio: number };
}

/**
 * A model of a site, and the quota that its program charges for 1000 prompt tokens, 400 of them cached, and 500 completion
 * tokens.
 */
type Sample = readonly [model: string, quota: number];

/** A call of the log with tokens of other kinds, in the details that the program logs for them. */
export interface SpecialCall {
  readonly model: string;
  readonly quota: number;
  readonly details: Readonly<Record<string, unknown>>;
  /** Default: those of a sample. */
  readonly prompt?: number;
  readonly completion?: number;
}

export interface PricedSite {
  readonly name: string;
  readonly family: Family;
  /** Whether channels have the column that new-api has since the middle of 2025. */
  readonly isCurrent: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  readonly mapping: Readonly<Record<string, string>>;
  readonly samples: readonly Sample[];
  readonly special?: readonly SpecialCall[];
  /** Models that only a channel of the type 14, Anthropic, serves. */
  readonly claude?: readonly string[];
  /** The table of prices of one-hub. */
  readonly prices?: Readonly<Record<string, HubPrice>>;
}

export const usage = { prompt: 1000, cached: 400, completion: 500 };

/** Returns the metadata of one-hub for tokens of some kinds: their number, and the factor of their price. */
const ofKinds = (kinds: Readonly<Record<string, readonly [count: number, factor: number]>>) =>
  Object.fromEntries(
    Object.entries(kinds).flatMap(([kind, [count, ratio]]) => [
      [kind, count],
      [`${kind}_ratio`, ratio],
    ]),
  );

/** Sites with the charges of their programs, computed by hand from the programs' sources. */
export const pricedSites: readonly PricedSite[] = [
  {
    name: 'new-api of 2026',
    family: 'new-api',
    isCurrent: true,
    options: {
      ModelRatio: {
        'gpt-5': 0.625,
        'gpt-4o': 1.25,
        'deepseek-chat': 0.14,
        'claude-haiku-4-5-20251001': 0.5,
        'gemini-2.5-flash': 0.15,
        'gpt-3.5-turbo': 0.25,
        alias: 2,
        'gpt-4o-gizmo-*': 2.5,
        'gemini-2.5-flash-thinking-*': 0.15,
        'gpt-4o-audio-preview': 1.25,
      },
      CompletionRatio: { 'gpt-4o': 3.5, 'deepseek-chat': 1.9, 'gpt-5': 3 },
      CacheRatio: { 'gpt-4o': 0.3 },
      CreateCacheRatio: { 'claude-haiku-4-5-20251001': 1.5 },
      AudioRatio: { 'gpt-4o-audio-preview': 20 },
      AudioCompletionRatio: { 'gpt-4o-audio-preview': 3 },
      ModelPrice: { 'per-call': 0.01 },
      SelfUseModeEnabled: 'true',
    },
    mapping: { alias: 'gpt-4o' },
    samples: [
      ['gpt-5', 3125],
      ['gpt-4o', 3088],
      ['deepseek-chat', 273],
      ['claude-haiku-4-5-20251001', 1750],
      ['gemini-2.5-flash', 775],
      ['gpt-3.5-turbo', 500],
      ['alias', 3000],
      ['per-call', 5000],
      ['without-a-price', 1500 * 37.5],
      ['gpt-4o-gizmo-of-mine', (1000 + 1000) * 2.5],
      ['gemini-2.5-flash-thinking-128', 775],
    ],
    special: [
      {
        model: 'claude-haiku-4-5-20251001',
        quota: (100 + 200 * 1.5 + 50 * 5) * 0.5,
        prompt: 100,
        completion: 50,
        details: { claude: true, cache_tokens: 0, cache_creation_tokens: 200 },
      },
      {
        model: 'gpt-4o-audio-preview',
        quota: (900 + 450 * 4 + 100 * 20 + 50 * 20 * 3) * 1.25,
        details: { audio: true, audio_input: 100, audio_output: 50, text_input: 900, text_output: 450 },
      },
    ],
  },
  {
    name: 'new-api of 2026 that saved nothing',
    family: 'new-api',
    isCurrent: true,
    options: {},
    mapping: {},
    samples: [
      ['gpt-5', (600 + 40 + 4000) * 0.625],
      ['gpt-4.1', 600 + 100 + 1000],
      ['claude-opus-4-6', (600 + 40 + 2500) * 2.5],
      ['gemini-2.5-pro', (1000 + 4000) * 0.625],
      ['llama-3-sonar-large-32k-chat', 0],
    ],
  },
  {
    name: 'new-api of 2025',
    family: 'new-api',
    isCurrent: false,
    options: { ModelRatio: { 'gpt-4.1': 1, 'gpt-4o': 1.25, 'gpt-5': 0.625 }, CompletionRatio: { 'gpt-4o': 3 } },
    mapping: {},
    samples: [
      ['gpt-4.1', 2000],
      ['gpt-4o', (600 + 200 + 2000) * 1.25],
      ['gpt-5', 1500 * 0.625 + 0.5],
    ],
  },
  {
    name: 'Veloera',
    family: 'veloera',
    isCurrent: false,
    options: {
      ModelRatio: { 'gpt-4.1': 1, 'gpt-4o': 1.25, 'deepseek-chat': 0.135, 'maker/gpt-4o': 1 },
      CompletionRatio: { 'gpt-4o': 3, 'maker/gpt-4o': 3 },
    },
    mapping: { alias: 'step', step: 'gpt-4o' },
    samples: [
      ['gpt-4.1', 2000],
      ['gpt-4o', 3500],
      ['alias', 1875],
      ['deepseek-chat', Math.round((600 + 100 + 2000) * 0.135)],
      ['maker/gpt-4o', 1000 + 1500],
    ],
  },
  {
    name: 'one-api',
    family: 'one-api',
    isCurrent: false,
    options: {
      ModelRatio: {
        'my-model': 3,
        中文模型: 0.5,
        'gpt-4o': 1.25,
        'by-type(1)': 4,
        'by-type': 1,
        'gpt-4o-audio-preview': 1.25,
      },
      CompletionRatio: { 'gpt-4o': 3.5 },
      GroupRatio: { default: 1, vip: 0.5 },
    },
    mapping: { alias: 'my-model' },
    samples: [
      ['my-model', 4500],
      ['alias', 4500],
      ['中文模型', 750],
      ['unknown-model', 45_000],
      ['gpt-4o', 3438],
      ['claude-3-5-sonnet-20241022', 5250],
      ['gpt-3.5-turbo', 625],
      ['o1-mini', 4500],
      ['ERNIE-4.0-8K', 12_780],
      ['by-type', 6000],
      ['qwen-max-internet', 1500 * 0.0024 * 71],
      ['gpt-4o-audio-preview', (1000 + 2000) * 1.25],
    ],
  },
  {
    name: 'one-hub',
    family: 'one-hub',
    isCurrent: true,
    options: {},
    mapping: { alias: 'gpt-4o', 'gpt-4o-mini': '+gpt-4o' },
    prices: {
      'gpt-4o': { input: 1.25, output: 5, extra: { cached_tokens: 0.5 } },
      'gpt-4o-mini': { input: 0.075, output: 0.3 },
      'gpt-5*': { input: 0.625, output: 5 },
      'gpt-5-nano*': { input: 0.025, output: 0.2, extra: { cached_tokens: 0.1 } },
      'per-call': { type: 'times', input: 5, output: 5 },
      'thinks-dearly': { input: 0.15, output: 0.6, extra: { reasoning_tokens: 5.833, cached_tokens: 0.25 } },
      'long-context': { input: 1, output: 4, long: { threshold: 900, input_ratio: 2, output_ratio: 1.5 } },
      'free-input': { input: 0, output: 2 },
      hears: { input: 1, output: 2, extra: { input_audio_tokens: 10, output_audio_tokens: 5 } },
      sees: { input: 1, output: 2, extra: { input_image_tokens: 3, output_image_tokens: 4 } },
      'claude-x': {
        input: 1,
        output: 2,
        extra: { cached_read_tokens: 0.2, cached_write_tokens: 1.5, cached_write_1h_tokens: 3 },
      },
      'claude-y': { input: 1, output: 2 },
    },
    samples: [
      ['gpt-4o', (600 + 200) * 1.25 + 2500],
      ['alias', (600 + 200) * 1.25 + 2500],
      ['gpt-4o-mini', 75 + 150],
      ['gpt-5-mini', 625 + 2500],
      ['gpt-5-nano-2025', Math.ceil((600 + 40) * 0.025 + 100)],
      ['per-call', 5000],
      ['thinks-dearly', Math.ceil((600 + 100) * 0.15 + 300)],
      ['long-context', 2000 + 3000],
      ['free-input', 1000],
      ['without-a-price', 45_000],
    ],
    special: [
      {
        model: 'thinks-dearly',
        quota: 1000 * 0.15 + 300 * 0.6 + 200 * 0.6 * 5.833,
        details: ofKinds({ reasoning_tokens: [200, 5.833] }),
      },
      {
        model: 'hears',
        quota: 800 + 200 * 10 + 400 * 2 + 100 * 2 * 5,
        details: ofKinds({ input_audio_tokens: [200, 10], output_audio_tokens: [100, 5] }),
      },
      {
        model: 'sees',
        quota: 500 + 500 * 3 + 300 * 2 + 200 * 2 * 4,
        details: ofKinds({ input_image_tokens: [500, 3], output_image_tokens: [200, 4] }),
      },
      {
        model: 'claude-x',
        quota: 400 + 300 * 0.2 + 200 * 1.5 + 100 * 3 + 500 * 2,
        details: ofKinds({
          cached_read_tokens: [300, 0.2],
          cached_write_tokens: [200, 1.5],
          cached_write_1h_tokens: [100, 3],
        }),
      },
      {
        model: 'claude-y',
        quota: 400 + 300 * 0.1 + 200 * 1.25 + 100 * 2 + 500 * 2,
        details: ofKinds({
          cached_read_tokens: [300, 0.1],
          cached_write_tokens: [200, 1.25],
          cached_write_1h_tokens: [100, 2],
        }),
      },
    ],
    claude: ['claude-x', 'claude-y'],
  },
];

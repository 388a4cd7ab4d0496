import type { RatioGeneration } from './generation.js';
import { SourcePrices } from './source-price.js';

interface Site {
  readonly options?: Readonly<Record<string, unknown>>;
  /** The name after the mapping; default: the requested one. */
  readonly upstream?: string;
  readonly type?: number;
}

function priceOf(generation: RatioGeneration, requested: string, { options = {}, upstream, type = 1 }: Site = {}) {
  const texts = Object.entries(options).map(([key, value]): [string, string] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new SourcePrices(generation, new Map(texts)).of({ requested, upstream: upstream ?? requested, type });
}

it.each<[RatioGeneration, string, number, number, number]>([
  ['one-api', 'gpt-4o', 2.5, 4, 1],
  ['one-api', 'gpt-4o-2024-05-13', 2.5, 3, 1],
  ['one-api', 'gpt-4-0125-preview', 5, 3, 1],
  ['one-api', 'o3-mini', 1.5, 1, 1],
  ['one-api', 'gemini-1.5-pro', 0.625, 3, 1],
  ['one-api', 'qwen-max-internet', 0.0024 * 71, 1, 1],
  ['one-api', 'llama3-70b-8192', 0.000295, 79 / 59, 1],
  ['one-api', 'meta/llama-2-70b-chat', 325, 275 / 65, 1],
  ['one-api', 'never-heard-of', 30, 1, 1],
  ['veloera', 'gpt-4o', 1.25, 4, 0.5],
  ['veloera', 'gpt-3.5-turbo-16k', 1.5, 4 / 3, 1],
  ['veloera', 'gemini-2.5-flash-preview-04-17', 0.075, 35 / 6, 1],
  ['veloera', 'llama-3-sonar-large-32k-chat', 0, 1, 1],
  ['new-api 2025', 'deepseek-chat', 0.135, 4, 0.25],
  ['new-api 2026', 'deepseek-chat', 0.135, 1, 0.25],
  ['new-api 2026', 'gpt-3.5-turbo', 0.25, 2, 1],
  ['new-api 2026', 'gpt-5-mini', 0.125, 8, 0.1],
  ['new-api 2026', 'gpt-5.5', 2.5, 6, 1],
  ['new-api 2026', 'claude-haiku-4-5-20251001', 0.5, 5, 0.1],
  ['new-api 2026', 'gemini-2.5-flash', 0.15, 25 / 3, 1],
  ['new-api 2026', 'gemini-2.5-flash-preview-05-20', 0.075, 70 / 3, 1],
  ['new-api 2026', 'gemini-2.5-pro-thinking-8192', 0.625, 8, 1],
])(
  '%s, which has saved nothing, charges %s by the ratios %d, %d and %d',
  (generation, name, model, completion, cache) => {
    const price = priceOf(generation, name);
    if (price?.kind !== 'ratio') throw new Error('expected a price by ratio');
    expect(price.model).toBeCloseTo(model, 12);
    expect(price.completion).toBeCloseTo(completion, 12);
    expect(price.cache).toBe(cache);
  },
);

it('refuses what the old program refuses', () => {
  expect(priceOf('veloera', 'never-heard-of')).toBeNull();
  expect(priceOf('new-api 2026', 'claude-2.1')).toBeNull();
  expect(priceOf('new-api 2026', 'gpt-4o', { options: { ModelRatio: { other: 1 } } })).toBeNull();
  expect(priceOf('one-api', 'openrouter/auto')).toBeNull();
});

it('takes a ratio of self-use mode for a model without a price', () => {
  expect(priceOf('new-api 2026', 'never-heard-of', { options: { SelfUseModeEnabled: 'true' } })).toMatchObject({
    model: 37.5,
  });
});

it('follows the mapping where the old program does', () => {
  const options = { ModelRatio: { alias: 2, 'gpt-4o': 1.25 } };
  const mapped = { options, upstream: 'gpt-4o' };
  expect(priceOf('one-api', 'alias', mapped)).toMatchObject({ model: 1.25, completion: 4 });
  expect(priceOf('veloera', 'alias', mapped)).toMatchObject({ model: 1.25, completion: 1, cache: 1 });
  expect(priceOf('new-api 2026', 'alias', mapped)).toMatchObject({ model: 2, completion: 1 });
});

it('takes the ratio that one-api has for a channel type first', () => {
  expect(priceOf('one-api', 'llama3-8b-8192', { type: 33 })).toMatchObject({ model: 0.15, completion: 2 });
  const options = { ModelRatio: { 'gpt-4o(3)': 7, 'gpt-4o': 1 } };
  expect(priceOf('one-api', 'gpt-4o', { type: 3, options })).toMatchObject({ model: 7 });
  expect(priceOf('one-api', 'gpt-4o', { options })).toMatchObject({ model: 1 });
});

it('lets a locked rule come before the saved ratio, except for names with a slash', () => {
  const options = { ModelRatio: { 'gpt-4o': 1, 'a/gpt-4o': 1 }, CompletionRatio: { 'gpt-4o': 9, 'a/gpt-4o': 9 } };
  expect(priceOf('veloera', 'gpt-4o', { options })).toMatchObject({ completion: 4 });
  expect(priceOf('veloera', 'a/gpt-4o', { options })).toMatchObject({ completion: 9 });
  expect(priceOf('new-api 2026', 'gpt-4o', { options })).toMatchObject({ completion: 9 });
  expect(priceOf('one-api', 'gpt-4o', { options })).toMatchObject({ completion: 9 });
});

it('prices images of one-api by the piece', () => {
  expect(priceOf('one-api', 'dall-e-3')).toEqual({ kind: 'call', usd: 0.04 });
  expect(priceOf('one-api', 'black-forest-labs/flux-schnell')).toEqual({ kind: 'call', usd: 0.003 });
});

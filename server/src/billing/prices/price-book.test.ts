import { defaultOptionValues, type OptionValues } from '../../options/option-registry.js';
import type { Ratios } from './compiled-price.js';
import { PriceBook } from './price-book.js';

const book = (over: Partial<OptionValues> = {}): PriceBook =>
  new PriceBook({ values: { ...defaultOptionValues(), ...over } });
const terms = { group: 'default', acceptsUnpriced: false };

describe('completion ratio', () => {
  it.each([
    ['gpt-4o-2024-05-13', 3, true],
    ['gpt-4o', 4, true],
    ['gpt-4o-mini-2024-07-18', 4, true],
    ['gpt-4.5-preview-2025-02-27', 2, true],
    ['gpt-4-turbo-2024-04-09', 3, true],
    ['gpt-4-1106', 3, true],
    ['gpt-4-1106-preview', 2, false],
    ['gpt-4', 2, false],
    ['gpt-4.1', 4, false],
    ['gpt-4-all', 2, false],
    ['gpt-4o-all', 1, false],
    ['gpt-4-gizmo-*', 2, false],
    ['gpt-4-gizmo-g-abc', 2, false],
    ['gpt-4o-gizmo-g-abc', 3, false],
    ['o1-mini', 4, true],
    ['o3-mini-high', 4, true],
    ['chatgpt-4o-latest', 3, true],
    ['claude-3-haiku-20240307', 5, true],
    ['anthropic.claude-sonnet-4-v1', 5, true],
    ['claude-opus-4-20250514', 5, true],
    ['claude-instant-1.2', 3, true],
    ['claude-2.1', 3, true],
    ['gpt-3.5-turbo', 3, true],
    ['gpt-3.5-turbo-0125', 3, true],
    ['gpt-3.5-turbo-1106', 2, true],
    ['gpt-3.5-turbo-16k', 4 / 3, true],
    ['mistral-large-latest', 3, true],
    ['gemini-1.5-pro-latest', 4, true],
    ['gemini-2.5-pro-preview-06-05', 8, true],
    ['gemini-2.5-flash-preview-04-17-nothinking', 4, false],
    ['gemini-2.5-flash-preview-04-17', 35 / 6, false],
    ['gemini-2.0-flash', 4, false],
    ['command-r', 3, true],
    ['command-r-plus', 5, true],
    ['command-r-plus-08-2024', 4, true],
    ['command-light', 4, false],
    ['DeepSeek-Chat', 4, true],
    ['deepseek-coder', 2, false],
    ['ERNIE-Speed-8K', 2, true],
    ['ERNIE-Character-8K', 2, true],
    ['ernie-speed-8k', 1, false],
    ['llama2-70b-4096', 1.25, true],
    ['llama3-70b-8192', 79 / 59, true],
    ['some-new-model', 1, false],
  ])('of %s is %d', (model, ratio, locked) => {
    expect(book().completionRatio(model)).toMatchObject({ ratio, locked });
  });

  it('can be set where it is not locked, and for every name with a slash', () => {
    const CompletionRatio = { 'gpt-4': 9, 'gpt-4o': 9, 'openai/gpt-4o': 9, 'some-new-model': 9, 'gpt-4-gizmo-*': 9 };
    const set = book({ CompletionRatio });
    expect(set.completionRatio('gpt-4').ratio).toBe(9);
    expect(set.completionRatio('gpt-4o')).toMatchObject({ ratio: 4, locked: true });
    expect(set.completionRatio('openai/gpt-4o')).toEqual({ ratio: 9, locked: false });
    expect(set.completionRatio('some-new-model').ratio).toBe(9);
    expect(set.completionRatio('gpt-4-gizmo-g-1').ratio).toBe(9);
  });
});

describe('a site that saves only a model ratio', () => {
  it.each([
    ['gpt-5', 0.625, 10, 0.125],
    ['gpt-5-2025-08-07', 0.625, 10, 0.125],
    ['gpt-5-chat-latest', 0.625, 10, 0.125],
    ['gpt-5-mini', 0.125, 2, 0.025],
    ['gpt-5.4', 1.25, 15, 0.25],
    ['gpt-5.5', 2.5, 30, 0.5],
    ['claude-haiku-4-5', 0.5, 5, 0.1],
    ['claude-haiku-4-5-20251001', 0.5, 5, 0.1],
    ['claude-sonnet-4-5-20250929', 1.5, 15, 0.3],
    ['claude-opus-4-5', 2.5, 25, 0.5],
    ['gemini-2.5-pro', 0.625, 10, 0.125],
    ['gemini-2.5-flash', 0.15, 2.5, 0.03],
    ['gemini-2.5-flash-lite', 0.05, 0.4, 0.01],
  ])('charges %s as its provider does', (model, modelRatio, output, cached) => {
    const { source, shown } = book({ ModelRatio: { [model]: modelRatio } }).price(model, terms);
    expect(source).toBe('table');
    expect(shown.modelRatio * shown.completionRatio * 2).toBeCloseTo(output, 9);
    expect(shown.modelRatio * shown.cacheRatio * 2).toBeCloseTo(cached, 9);
  });

  it.each([
    ['gpt-5-of-tomorrow', 8],
    ['gpt-5.9', 6],
    ['claude-haiku-9', 5],
    ['gemini-2.5-pro-exp-03-25', 8],
    ['gemini-2.5-flash-preview-09-2025-nothinking', 4],
    ['gemini-2.5-flash-other', 25 / 3],
  ])('has the relation of the family for %s, which has no list price', (model, ratio) => {
    expect(book().completionRatio(model)).toMatchObject({ ratio, locked: false });
  });
});

describe('price', () => {
  const version = expect.stringMatching(/^[0-9a-f]{12}$/) as string;
  const perCall = (usd: number) => ({
    source: 'table',
    card: { prices: { request: usd }, perCall: 1 },
    shown: { modelPrice: usd },
    groupRatio: 1,
    version,
  });
  const perToken = (ratios: Partial<Ratios>) => ({ source: 'table', shown: { modelPrice: -1, ...ratios } });
  const unpriced = perToken({ modelRatio: 37.5 });

  it('of a ratio model carries every factor', () => {
    const price = book({ GroupRatio: { default: 0.8 } }).price('gpt-4o', terms);
    expect(price).toMatchObject({ source: 'table', groupRatio: 0.8, version });
    expect(price.shown).toEqual({
      modelPrice: -1,
      modelRatio: 1.25,
      completionRatio: 4,
      cacheRatio: 0.5,
      cacheWriteRatio: 1.25,
      audioRatio: 20,
      audioCompletionRatio: 2,
    });
    expect(price.cards.text).toEqual({
      prices: { input: 1, cachedInput: 0.5, cacheWrite: 1.25, cacheWrite1h: 2, output: 4 },
      ratio: 1.25,
    });
    const tools = { webSearch: 0.025, fileSearch: 0.0025, codeExecution: 0.03 };
    const tokens = { input: 2.5, cachedInput: 1.25, cacheWrite: 3.125, cacheWrite1h: 5, output: 10 };
    expect(price.card.prices).toEqual({ ...tokens, ...tools });
  });

  it('set per call wins over the ratio', () => {
    const both = book({ ModelPrice: { 'gpt-4o': 0.25 } });
    expect(both.price('gpt-4o', terms)).toMatchObject(perCall(0.25));
  });

  it('of custom GPTs is that of their family', () => {
    expect(book().price('gpt-4-gizmo-g-abc', terms)).toMatchObject(perCall(0.1));
    expect(book().price('gpt-4o-gizmo-g-abc', terms)).toMatchObject(perToken({ modelRatio: 2.5 }));
  });

  it('may be free', () => {
    expect(book().price('glm-4-flash', terms)).toMatchObject(perToken({ modelRatio: 0 }));
    expect(book().isPriced('glm-4-flash')).toBe(true);
  });

  it('that nobody set is refused, or dear where that is allowed', () => {
    expect(() => book().price('nobody-priced-me', terms)).toThrow(/^Model nobody-priced-me ratio or price not set/);
    expect(book().price('nobody-priced-me', { ...terms, acceptsUnpriced: true })).toMatchObject(unpriced);
    expect(book({ SelfUseModeEnabled: true }).price('nobody-priced-me', terms)).toMatchObject(unpriced);
    expect(book().isPriced('nobody-priced-me')).toBe(false);
  });

  it.each(['gpt-4o', 'nobody-priced-me'])('of %s is compiled once for each group while the settings stay', (model) => {
    const settings = { values: { ...defaultOptionValues(), SelfUseModeEnabled: true } };
    const prices = new PriceBook(settings);
    const first = prices.price(model, terms);
    expect(prices.price(model, terms)).toBe(first);
    settings.values = { ...settings.values, GroupRatio: { default: 2 } };
    expect(first.groupRatio).toBe(1);
    expect(prices.price(model, terms).groupRatio).toBe(2);
    expect(prices.price(model, { ...terms, group: 'other' }).groupRatio).toBe(1);
  });

  it('is that of a model without a price, where its card prices nothing of the call', () => {
    const PriceCards = { own: { prices: { image: 0.04 } } };
    const price = (over: Partial<OptionValues>) => book({ PriceCards, ...over }).price('own', terms, ['input']);
    expect(() => price({})).toThrow('no price for calls of this kind');
    expect(price({ SelfUseModeEnabled: true })).toMatchObject(unpriced);
    expect(book({ PriceCards }).price('own', terms, ['input', 'image'])).toMatchObject({ source: 'card' });
    expect(book({ PriceCards }).price('own', terms)).toMatchObject({ source: 'card' });
  });

  it('never comes from the prototype of a table', () => {
    for (const name of ['constructor', 'toString', '__proto__']) expect(book().isPriced(name)).toBe(false);
  });

  it('counts an unknown group as 1', () => {
    expect(book({ GroupRatio: {} }).price('gpt-4o', { ...terms, group: 'gone' }).groupRatio).toBe(1);
  });

  it.each([
    ['gpt-4o-realtime-preview', 20],
    ['gpt-4o-realtime-preview-2024-12-17', 8],
    ['gpt-4o-mini-realtime-preview', 50 / 3],
    ['gpt-4o-audio-preview', 16],
    ['gpt-4o-audio-preview-2024-10-01', 40],
    ['gpt-4o-audio-preview-2024-12-17', 16],
    ['gpt-4o-mini-audio-preview', 200 / 3],
    ['gpt-4o', 20],
  ])('has the audio factor of %s', (model, audioRatio) => {
    const accepted = book({ ModelRatio: { [model]: 1 } }).price(model, terms);
    expect(accepted).toMatchObject(perToken({ audioRatio, audioCompletionRatio: 2 }));
  });

  it.each([
    ['o1-mini', 0.5],
    ['deepseek-chat', 0.25],
    ['claude-opus-4-20250514', 0.1],
    ['gpt-3.5-turbo', 1],
  ])('has the cache factor of %s', (model, cacheRatio) => {
    expect(book().price(model, terms)).toMatchObject(perToken({ cacheRatio }));
  });
});

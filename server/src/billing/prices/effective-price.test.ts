import { defaultOptionValues, type OptionValues } from '../../options/option-registry.js';
import { effectivePrice } from './effective-price.js';
import { PriceBook } from './price-book.js';

const day = 86_400_000;
const read = Date.parse('2026-11');

function effective(model: string, over: Partial<OptionValues> = {}, now = read) {
  const price = new PriceBook({ values: { ...defaultOptionValues(), ...over } }).find(model, '');
  return price && effectivePrice(price, now);
}
const figures = (model: string, over: Partial<OptionValues> = {}) =>
  effective(model, over)?.lines.map(({ quantity, price }) => [quantity, price]);

/** OpenAI's fees, which no ratio and no card of the site states. */
const tools = [
  ['webSearch', 0.025],
  ['fileSearch', 0.0025],
  ['codeExecution', 0.03],
];

describe('the effective price', () => {
  it('of ratios is what they come to in USD, with the locked completion ratio', () => {
    expect(effective('gpt-4o-mini', { CompletionRatio: { 'gpt-4o-mini': 2 } })).toMatchObject({
      source: 'table',
      asOf: null,
      isOld: false,
      card: null,
    });
    expect(figures('gpt-4o-mini', { CompletionRatio: { 'gpt-4o-mini': 2 } })).toEqual([
      ['input', 0.15],
      ['cachedInput', 0.075],
      ['cacheWrite', 0.1875],
      ['cacheWrite1h', 0.3],
      ['output', 0.6],
      ...tools,
    ]);
    expect(figures('draw', { ModelPrice: { draw: 0.04 } })).toEqual([['request', 0.04]]);
  });

  it('of a card is what was typed, with the fees of tools', () => {
    const over = { PriceCards: { 'gpt-4o-mini': { prices: { input: 0.3, output: 0.6 } } } };
    expect(effective('gpt-4o-mini', over)).toMatchObject({ source: 'card', asOf: null, isOld: false });
    expect(figures('gpt-4o-mini', over)).toEqual([['input', 0.3], ['output', 0.6], ...tools]);
  });

  it('of a list price has its date, and is old after 90 days', () => {
    expect(effective('claude-sonnet-4-5')).toMatchObject({ source: 'list', asOf: '2026-11', isOld: false });
    expect(effective('claude-sonnet-4-5', {}, read + 90 * day)?.isOld).toBe(false);
    expect(effective('claude-sonnet-4-5', {}, read + 90 * day + 1)?.isOld).toBe(true);
    expect(effective('nobody-sells-this')).toBeNull();
  });
});

describe('the price version', () => {
  const version = (over: Partial<OptionValues>): string =>
    new PriceBook({ values: { ...defaultOptionValues(), ...over } }).version;
  const card = { prices: { input: 1, output: 2 } };

  it('has the name of the old tables without cards, and one of its own for each set of cards', () => {
    expect(version({ PriceCards: {} })).toBe(version({}));
    expect(version({ PriceCards: { a: card } })).not.toBe(version({}));
    expect(version({ PriceCards: { a: card } })).not.toBe(version({ PriceCards: { a: 'built-in' } }));
    expect(version({ PriceCards: { a: card, b: card } })).toBe(
      version({ PriceCards: { b: { prices: { output: 2, input: 1 } }, a: card } }),
    );
  });
});

it('looks a price up once for each model and group, until the settings change', () => {
  const settings = { values: defaultOptionValues() };
  const book = new PriceBook(settings);
  const first = book.find('gpt-5', 'default');
  expect(book.find('gpt-5', 'default')).toBe(first);
  expect(book.find('gpt-5', 'vip')).not.toBe(first);
  settings.values = { ...settings.values, GroupRatio: { default: 2 } };
  expect(book.find('gpt-5', 'default')).toMatchObject({ groupRatio: 2 });
});

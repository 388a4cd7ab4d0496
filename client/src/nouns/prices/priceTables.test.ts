import { ratio } from '../../lib/format.js';
import {
  completionOfPrices,
  inputPrice,
  parseAmount,
  parseTables,
  priceRows,
  ratioOfPrice,
  withCardPrices,
  withFixedPrice,
  withoutModel,
  withRatios,
  type ListPrice,
  type PriceTables,
} from './priceTables.js';

const tables: PriceTables = { price: { mj_imagine: 0.1 }, ratio: { 'gpt-4o': 1.25 }, completion: { 'gpt-4o': 4 } };

it('lists every priced model by name and marks what changed', () => {
  const rows = priceRows(withRatios(tables, 'gpt-4o', 1.25, 5), tables);
  expect(rows).toEqual([
    { model: 'gpt-4o', price: null, ratio: 1.25, completion: 5, changed: true },
    { model: 'mj_imagine', price: 0.1, ratio: null, completion: null, changed: false },
  ]);
});

it('lets a fixed price clear the ratios, and ratios a fixed price', () => {
  expect(withFixedPrice(tables, 'gpt-4o', 0.2)).toEqual({
    price: { mj_imagine: 0.1, 'gpt-4o': 0.2 },
    ratio: {},
    completion: {},
  });
  expect(withRatios(tables, 'mj_imagine', 2, null).price).toEqual({});
  expect(withoutModel(tables, 'gpt-4o')).toEqual({ price: { mj_imagine: 0.1 }, ratio: {}, completion: {} });
});

it('derives ratios from prices exactly', () => {
  expect(ratioOfPrice(0.15)).toBe(0.075);
  expect(completionOfPrices(0.3, 0.6)).toBe(2);
  expect(completionOfPrices(1.25, 10)).toBe(8);
});

it('takes plain amounts only', () => {
  expect(['0', '1.25', '-1', '1e3', 'abc', ''].map(parseAmount)).toEqual([0, 1.25, null, null, null, null]);
});

it.each([0.0684931506849315, 0.001 / 7, 1 / 3, 120 / 73, 0.0000005])(
  'takes the ratio %d, and its price, as the editor shows them',
  (stored) => {
    expect(parseAmount(ratio(stored))).toBe(Number(stored.toPrecision(12)));
    expect(parseAmount(ratio(inputPrice(stored)))).toBe(inputPrice(stored));
  },
);

it('reads nothing from a broken table', () => {
  expect(parseTables((key) => (key === 'ModelRatio' ? '{ "a": 1' : '{}'))).toBeNull();
  expect(parseTables((key) => (key === 'ModelRatio' ? '{ "a": "1" }' : '{}'))).toBeNull();
  expect(parseTables(() => '')).toEqual({ price: {}, ratio: {}, completion: {} });
});

describe('price cards', () => {
  const long = { above: 200_000, prices: { input: 6, output: 22.5 } };
  const list: ListPrice = {
    model: 'claude',
    figures: { input: 3, cachedInput: 0.3, output: 15, isList: true, asOf: '2026-11', isOld: false },
    card: { prices: { input: 3, cachedInput: 0.3, output: 15 }, contextTiers: [long], source: 's', asOf: '2026-11' },
  };

  it('are what typed prices become, and keep other prices and tiers that are not lower', () => {
    expect(withCardPrices(tables, 'claude', { input: 8, output: 20 }, list.card)).toEqual({
      ...tables,
      cards: {
        claude: {
          prices: { input: 8, cachedInput: 0.3, output: 20 },
          contextTiers: [{ above: 200_000, prices: { input: 8, output: 22.5 } }],
        },
      },
    });
    const own = { ...tables, cards: { claude: { prices: { input: 1, webSearch: 0.01 } } } };
    expect(withCardPrices(own, 'claude', { input: 2, output: 3 }, list.card).cards).toEqual({
      claude: { prices: { input: 2, output: 3, webSearch: 0.01 } },
    });
  });

  it('charge cached input as typed, or as input where it is emptied', () => {
    const prices = { input: 8, output: 20 };
    const long = { above: 200_000, prices: { input: 9, cachedInput: 0.6, output: 22.5 } };
    const card = { ...list.card, contextTiers: [long] };
    const set = (cachedInput?: number | null) =>
      withCardPrices(tables, 'claude', cachedInput === undefined ? prices : { ...prices, cachedInput }, card).cards;
    const tier = (cachedInput: number) => [{ above: 200_000, prices: { input: 9, cachedInput, output: 22.5 } }];
    expect(set()).toEqual({ claude: { prices: { ...prices, cachedInput: 0.3 }, contextTiers: tier(0.6) } });
    expect(set(1)).toEqual({ claude: { prices: { ...prices, cachedInput: 1 }, contextTiers: tier(1) } });
    expect(set(null)).toEqual({ claude: { prices, contextTiers: tier(8) } });
  });

  it('come before the other tables, and ratios remove them', () => {
    const set = withCardPrices(tables, 'gpt-4o', { input: 0.3, output: 0.6 }, undefined);
    const row = priceRows(set, tables).find(({ model }) => model === 'gpt-4o');
    expect(row).toMatchObject({ changed: true, card: { input: 0.3, output: 0.6, isList: false } });
    expect(withRatios(set, 'gpt-4o', 1, null).cards).toEqual({});
    expect(withFixedPrice(set, 'gpt-4o', 1).cards).toEqual({});
    expect(withoutModel(set, 'gpt-4o').cards).toEqual({});
  });

  it('are listed with their date where the model is sold at list price', () => {
    const rows = priceRows(tables, tables, new Map([['claude', list]]));
    expect(rows[0]).toEqual({
      model: 'claude',
      price: null,
      ratio: null,
      completion: null,
      changed: false,
      card: list.figures,
    });
  });

  it('are read from the settings', () => {
    const read = (text: string) => parseTables((key) => (key === 'PriceCards' ? text : '{}'));
    expect(read('{"a":{"prices":{"input":1}},"b":"built-in"}')?.cards).toEqual({
      a: { prices: { input: 1 } },
      b: 'built-in',
    });
    expect(read('{"a":1}')).toBeNull();
    expect(read('[')).toBeNull();
  });
});

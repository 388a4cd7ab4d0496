import {
  completionOfPrices,
  parseAmount,
  parseTables,
  priceRows,
  ratioOfPrice,
  withFixedPrice,
  withoutModel,
  withRatios,
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

it('reads nothing from a broken table', () => {
  expect(parseTables((key) => (key === 'ModelRatio' ? '{ "a": 1' : '{}'))).toBeNull();
  expect(parseTables((key) => (key === 'ModelRatio' ? '{ "a": "1" }' : '{}'))).toBeNull();
  expect(parseTables(() => '')).toEqual({ price: {}, ratio: {}, completion: {} });
});

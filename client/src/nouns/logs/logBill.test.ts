import { billOf } from './logBill.js';
import type { LogRow } from './logRow.js';

type Price = NonNullable<LogRow['price']>;

/** Priced by tokens unless the fields say otherwise. */
const price = (fields: Partial<Price>): Price => ({
  modelPrice: null,
  modelRatio: 0,
  completionRatio: 0,
  cacheRatio: 1,
  cacheWriteRatio: 1.25,
  audioRatio: null,
  audioCompletionRatio: null,
  groupRatio: 1,
  card: null,
  cardAsOf: null,
  carriedBefore: null,
  carriedAfter: null,
  lines: null,
  ...fields,
});
const plain = { cachedTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0, audio: null };
const unit = 500_000;

it('shows one line for each kind of tokens, and the sum with real numbers', () => {
  const bill = billOf(
    {
      ...plain,
      promptTokens: 18_204,
      completionTokens: 1186,
      cachedTokens: 12_742,
      quota: 15_200,
      price: price({ modelRatio: 1.5, completionRatio: 5, cacheRatio: 0.1, groupRatio: 0.8 }),
    },
    unit,
  );
  expect(bill?.lines).toEqual([
    { kind: 'input', tokens: 5462, price: 3, amount: expect.closeTo(0.016386, 9) as number },
    {
      kind: 'cacheRead',
      tokens: 12_742,
      price: expect.closeTo(0.3, 9) as number,
      amount: expect.closeTo(0.0038226, 9) as number,
    },
    { kind: 'output', tokens: 1186, price: 15, amount: expect.closeTo(0.01779, 9) as number },
  ]);
  expect(bill?.subtotal).toBeCloseTo(0.0379986, 9);
  expect(bill?.explains).toBe(true);
  expect(bill?.formula).toBe('(5,462 + 12,742 × 0.1 + 1,186 × 5) × 1.5 × 0.8 ≈ 15,200\n15,200 ÷ 500,000 = $0.030400');
});

it('says equals where nothing was rounded', () => {
  const bill = billOf(
    {
      ...plain,
      promptTokens: 1000,
      completionTokens: 0,
      quota: 1250,
      price: price({ modelRatio: 1.25, completionRatio: 4 }),
    },
    unit,
  );
  expect(bill?.formula).toBe('1,000 × 1.25 × 1 = 1,250\n1,250 ÷ 500,000 = $0.002500');
});

it.each([
  [0, 0.4, 0, '− 0.4', '40 × 0.01 × 1 − 0.4 = 0'],
  [0.8, 0.2, 1, '+ 0.8 − 0.2', '40 × 0.01 × 1 + 0.8 − 0.2 = 1'],
  [-0.6, -0.2, 0, '− 0.6 + 0.2', '40 × 0.01 × 1 − 0.6 + 0.2 = 0'],
])('adds what was carried from %d to %d', (carriedBefore, carriedAfter, quota, carried, formula) => {
  const bill = billOf(
    {
      ...plain,
      promptTokens: 40,
      completionTokens: 0,
      quota,
      price: price({ modelRatio: 0.01, carriedBefore, carriedAfter }),
    },
    unit,
  );
  expect(bill).toMatchObject({ explains: true, carried });
  expect(bill?.formula.split('\n')[0]).toBe(formula);
});

it('counts cache writes apart, and never less than nothing as input', () => {
  const bill = billOf(
    {
      ...plain,
      promptTokens: 100,
      completionTokens: 0,
      cachedTokens: 80,
      cacheWriteTokens: 90,
      quota: 73,
      price: price({ modelRatio: 1, completionRatio: 1, cacheRatio: 0.6, cacheWriteRatio: 1.25 }),
    },
    unit,
  );
  expect(bill?.lines.map(({ kind, tokens }) => [kind, tokens])).toEqual([
    ['cacheRead', 80],
    ['cacheWrite', 20],
  ]);
  expect(bill?.explains).toBe(true);
});

it('shows one line for a price per call', () => {
  const bill = billOf(
    {
      ...plain,
      promptTokens: 9,
      completionTokens: 9,
      quota: 40_000,
      price: price({ modelPrice: 0.1, groupRatio: 0.8 }),
    },
    unit,
  );
  expect(bill?.lines).toEqual([{ kind: 'call', tokens: 1, price: 0.1, amount: 0.1 }]);
  expect(bill?.formula).toBe('$0.1 × 500,000 × 0.8 = 40,000\n40,000 ÷ 500,000 = $0.080000');
});

it('takes the four kinds of an audio call', () => {
  const bill = billOf(
    {
      ...plain,
      promptTokens: 110,
      completionTokens: 60,
      quota: 1_225,
      price: price({ modelRatio: 1.25, completionRatio: 4, audioRatio: 16, audioCompletionRatio: 2 }),
      audio: { textInputTokens: 100, audioInputTokens: 10, textOutputTokens: 40, audioOutputTokens: 20 },
    },
    unit,
  );
  // 100 + 10 × 16 + 40 × 4 + 20 × 16 × 2 = 1060; × 1.25 = 1325
  expect(bill?.formula.split(' = ')[0]).toBe('(100 + 10 × 16 + 40 × 4 + 20 × 16 × 2) × 1.25 × 1');
  expect(bill?.explains).toBe(false);
});

it('admits when the sum is not what was charged', () => {
  const bill = billOf(
    {
      ...plain,
      promptTokens: 1000,
      completionTokens: 0,
      quota: 0,
      price: price({ modelRatio: 1, completionRatio: 1 }),
    },
    unit,
  );
  expect(bill).toMatchObject({ charged: 0, explains: false });
  expect(bill?.formula).toBe('1,000 × 1 × 1 = 1,000.00');
});

it('shows the lines of a price card', () => {
  const lines = [
    { quantity: 'input', count: 1000, price: 3, isPerMillion: true, usd: 0.003 },
    { quantity: 'webSearch', count: 3, price: 0.01, isPerMillion: false, usd: 0.03 },
  ];
  const row = { ...plain, promptTokens: 1000, completionTokens: 0, quota: 13_200 };
  const bill = billOf({ ...row, price: price({ groupRatio: 0.8, card: 'claude-*', lines }) }, unit);
  expect(bill?.lines.map(({ kind, tokens, amount, isPerUnit }) => [kind, tokens, amount, isPerUnit])).toEqual([
    ['input', 1000, 0.003, false],
    ['webSearch', 3, 0.03, true],
  ]);
  expect(bill?.explains).toBe(true);
  expect(bill?.formula).toBe(
    '(1,000 × $3 ÷ 1,000,000 + 3 × $0.01) × 500,000 × 0.8 = 13,200\n13,200 ÷ 500,000 = $0.026400',
  );
});

it('shows what was written to the cache for an hour', () => {
  const row = { ...plain, promptTokens: 100, completionTokens: 0, cacheWriteTokens: 90, cacheWrite1hTokens: 50 };
  const bill = billOf({ ...row, quota: 160, price: price({ modelRatio: 1 }) }, unit);
  expect(bill?.lines.map(({ kind, tokens }) => [kind, tokens])).toEqual([
    ['input', 10],
    ['cacheWrite', 40],
    ['cacheWrite1h', 50],
  ]);
  expect(bill?.explains).toBe(true);
});

it('has no bill for a row without a price', () => {
  expect(billOf({ ...plain, promptTokens: 1, completionTokens: 1, quota: 1, price: null }, unit)).toBeNull();
});

import { axisWidth, largestOf, largestSum, markDigits, marksUpTo } from './axis.js';

it('stacks columns, and lays lines over each other', () => {
  const series = [{ values: [1, 5] }, { values: [2, 0] }];
  expect([largestSum(series), largestOf(series, 'columns'), largestOf(series, 'line')]).toEqual([5, 5, 5]);
  expect([largestSum([]), largestOf([{ values: [3, 1] }, { values: [3, 4] }], 'columns')]).toEqual([0, 6]);
});

it.each([
  [0, [0]],
  [4, [0, 1, 2, 3, 4]],
  [4.2, [0, 1, 2, 3, 4, 5]],
  [7, [0, 2, 4, 6, 8]],
  [20_000, [0, 5000, 10_000, 15_000, 20_000]],
])('marks an axis up to %d at round distances', (largest, expected) => {
  expect(marksUpTo(largest)).toEqual(expected);
});

it('has no marks closer than the smallest distance', () => {
  expect(marksUpTo(2, 1)).toEqual([0, 1, 2]);
  expect(marksUpTo(0.000_002, 0.000_001)).toEqual([0, 0.000_001, 0.000_002]);
});

it.each([
  [0.000_002, 6],
  [0.000_1, 5],
  [0.000_34, 5],
  [0.002, 4],
  [0.004, 3],
  [0.09, 2],
  [0.34, 2],
  [2, 2],
  [999, 2],
  [20_000, 0],
  [0, 2],
])('writes the marks up to %d with %d decimals', (largest, digits) => {
  expect(markDigits(largest)).toBe(digits);
});

it('has different marks at every size', () => {
  for (let largest = 0.000_001; largest < 1e9; largest *= 1.7) {
    const texts = marksUpTo(largest, 0.000_001).map((mark) => mark.toFixed(markDigits(largest)));
    expect([largest, new Set(texts).size]).toEqual([largest, texts.length]);
  }
});

it('has room for the longest mark', () => {
  expect(axisWidth(['0', '1'])).toBe(44);
  expect(axisWidth(['$0.000001'])).toBeGreaterThan(axisWidth(['$0.0001']));
  expect(axisWidth(['$100,000', '$0'])).toBe(axisWidth(['$100,000']));
});

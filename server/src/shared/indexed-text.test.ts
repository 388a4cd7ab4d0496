import { cutToBytes } from './indexed-text.js';

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['额度', 6, '额度'],
  ['额度', 5, '额'],
  ['a😀b', 4, 'a'],
  ['a😀b', 5, 'a😀'],
  ['', 0, ''],
])('%s in %d bytes is %s', (text, bytes, expected) => {
  expect(cutToBytes(text, bytes)).toBe(expected);
});

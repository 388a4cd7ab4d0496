import { bodyBudgetFor } from './body-budget.js';

const mebibyte = 1024 * 1024;

it.each([
  ['a quarter of a small heap', 512, 128],
  ['192 MiB of most heaps', 4144, 192],
  ['a 32nd of a large heap', 8192, 256],
  ['room for one form of the maximum size at least', 128, 102.4],
])('bodies may have %s', (_what, heap, node) => {
  const budget = bodyBudgetFor(64 * mebibyte, heap * mebibyte);
  expect([budget.node / mebibyte, budget.user / mebibyte]).toEqual([node, Math.max(node / 2, 102.4)]);
});

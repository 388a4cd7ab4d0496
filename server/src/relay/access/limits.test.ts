import { bodyBudgetFor } from './limits.js';

const mebibyte = 1024 * 1024;

it.each([
  ['a quarter of a small heap', 768, 192],
  ['256 MiB of most heaps', 2048, 256],
  ['a sixteenth of a large heap', 8192, 512],
  ['room for one body of the maximum size at least', 128, 80],
])('bodies may have %s', (_what, heap, node) => {
  const budget = bodyBudgetFor(64 * mebibyte, heap * mebibyte);
  expect([budget.node / mebibyte, budget.user / mebibyte]).toEqual([node, Math.max(node / 2, 80)]);
});

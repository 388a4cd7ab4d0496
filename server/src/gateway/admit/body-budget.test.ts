import { BodyBudget, bodyBudgetFor } from './body-budget.js';

const mebibyte = 1024 * 1024;

it.each([
  ['what is configured', 192, 4144, 192],
  ['a quarter of a small heap', 192, 640, 160],
  ['a quarter of the heap where more is configured', 4096, 4144, 1036],
  ['room for one body of the maximum size at least', 16, 128, 128],
])('bodies may have %s', (_what, configured, heap, node) => {
  const budget = bodyBudgetFor(configured * mebibyte, 64 * mebibyte, heap * mebibyte);
  expect([budget.node / mebibyte, budget.user / mebibyte]).toEqual([node, Math.max(node / 2, 128)]);
});

it.each([
  ['ASCII', 'a'.repeat(mebibyte), 1],
  ['with one other character', `${'a'.repeat(mebibyte - 2)}é`, 2],
  ['small and not ASCII', 'é', 0],
])('a body that is %s counts as so many', (_what, text, counted) => {
  const budget = new BodyBudget(bodyBudgetFor(192 * mebibyte, 64 * mebibyte));
  const grant = budget.open(1);
  const body = Buffer.from(text);
  grant.grow(body.length);
  grant.growByText(body);
  expect(budget.bytes / mebibyte).toBe(counted);
  grant.release();
  expect(budget.bytes).toBe(0);
});

it('the garbage of large bodies is collected after each 64 MB of them, and that of small ones never', () => {
  let collections = 0;
  const budget = new BodyBudget(bodyBudgetFor(192 * mebibyte, 64 * mebibyte), () => collections++);
  const call = (mebibytes: number): void => {
    const grant = budget.open(1);
    grant.grow(mebibytes * mebibyte);
    grant.release();
  };
  for (let count = 0; count < 100; count++) call(4);
  expect(collections).toBe(0);
  for (let count = 0; count < 20; count++) call(16);
  expect(collections).toBe(5);
});

it('a body that is sent counts less, and never more than before', () => {
  const budget = new BodyBudget(bodyBudgetFor(192 * mebibyte, 64 * mebibyte));
  const grant = budget.open(1);
  grant.grow(4 * mebibyte);
  grant.sent(4 * mebibyte);
  expect(budget.bytes).toBe(mebibyte);
  grant.sent(400 * mebibyte);
  expect(budget.bytes).toBe(mebibyte);
  grant.release();
  expect(budget.bytes).toBe(0);
});

it('the memory of a body is free when its call has ended, and not before something else has read it', () => {
  const canFree = 'transfer' in ArrayBuffer.prototype;
  const length = 64 * 1024;
  const budget = new BodyBudget(bodyBudgetFor(192 * mebibyte, 64 * mebibyte));
  const [alone, kept] = [Buffer.allocUnsafeSlow(length), Buffer.allocUnsafeSlow(length)];
  const [grant, other] = [budget.open(1), budget.open(1)];
  grant.holdBody(alone);
  other.holdBody(kept);
  const letGo = other.keepBody();
  for (const each of [grant, grant, other, other]) each.release();
  expect([alone.length, kept.length]).toEqual([canFree ? 0 : length, length]);
  letGo();
  expect(kept).toHaveLength(canFree ? 0 : length);
  expect(budget.open(1).keepBody()()).toBeUndefined();
});

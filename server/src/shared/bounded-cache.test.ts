import { setTimeout as delay } from 'node:timers/promises';
import { boundedCache } from './bounded-cache.js';

it('keeps as many values as allowed, and those that were used last', () => {
  const cache = boundedCache<number, { readonly of: number }>({ max: 3 });
  for (const key of [1, 2, 3]) cache.set(key, { of: key });
  cache.get(1);
  cache.set(4, { of: 4 });
  expect([...cache.keys()].sort()).toEqual([1, 3, 4]);
  for (let key = 5; key < 1000; key++) cache.set(key, { of: key });
  expect([...cache.keys()].sort()).toEqual([997, 998, 999]);
});

it('forgets values after their lifetime', async () => {
  const cache = boundedCache<string, true>({ max: 10, ttl: 20 });
  cache.set('default', true);
  cache.set('own', true, { ttl: 60_000 });
  await delay(40);
  expect([cache.get('default'), cache.get('own')]).toEqual([undefined, true]);
});

it('takes no memory for values that it does not have', () => {
  const used = (): number => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  const caches = Array.from({ length: 100 }, () => boundedCache<string, true>({ max: 100_000, ttl: 1000 }));
  expect(caches).toHaveLength(100);
  // lru-cache's own `max` takes 300 MB for these values.
  expect(used() - before).toBeLessThan(30_000_000);
});

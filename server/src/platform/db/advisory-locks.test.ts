import { advisoryLocks } from './advisory-locks.js';

it('no two purposes share a lock', () => {
  const ids = Object.values(advisoryLocks);
  expect(new Set(ids).size).toBe(ids.length);
});

import { ByteRate } from './byte-rate.js';

it('makes a user wait for the bytes beyond a burst, and nobody else', () => {
  const rate = new ByteRate({ burst: 1000, perSecond: 1 });
  expect(rate.delay(1, 1000)).toBe(0);
  expect(rate.delay(1, 10)).toBeGreaterThan(9000);
  expect(rate.delay(2, 1000)).toBe(0);
});

it('forgets users who may send a whole burst again', () => {
  const rate = new ByteRate({ burst: 1000, perSecond: 1e9 });
  for (let user = 0; user < 3000; user++) expect(rate.delay(user, 1)).toBe(0);
  expect((rate as unknown as { users: Map<number, unknown> }).users.size).toBeLessThanOrEqual(1000);
});

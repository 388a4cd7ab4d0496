import { badValues, badValuesFor, leaks } from './bad-values.js';

const tried = (count: number, fitting = badValues): Set<unknown> =>
  new Set(Array.from({ length: count }, (_, ordinal) => badValuesFor(ordinal, fitting)).flat());

it('ten fields try every value, whatever the suite', () => {
  expect(tried(10)).toEqual(new Set(badValues));
});

it('a field that may have few values tries them all', () => {
  const few = badValues.slice(0, 2);
  expect(tried(1, few)).toEqual(new Set(few));
});

it('reads no word into a random secret', () => {
  const secret = 'tga-9hXk2Lw0Qv7pG_3nTzB6yRc1JmE8uFdS5aKoVxNiPq4';
  expect(leaks(JSON.stringify({ data: { createAccessToken: { secret } } }))).toBe(false);
  expect(leaks(JSON.stringify({ errors: [{ message: `no function pg_sleep for ${secret}` }] }))).toBe(true);
});

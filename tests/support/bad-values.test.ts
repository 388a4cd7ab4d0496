import { badValues, badValuesFor } from './bad-values.js';

const tried = (count: number, fitting = badValues): Set<unknown> =>
  new Set(Array.from({ length: count }, (_, ordinal) => badValuesFor(ordinal, fitting)).flat());

it('ten fields try every value, whatever the suite', () => {
  expect(tried(10)).toEqual(new Set(badValues));
});

it('a field that may have few values tries them all', () => {
  const few = badValues.slice(0, 2);
  expect(tried(1, few)).toEqual(new Set(few));
});

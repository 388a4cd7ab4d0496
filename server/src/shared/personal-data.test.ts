import { maskParts } from './personal-data.js';

it('masks all of parts that overlap, once', () => {
  const parts = [
    { what: 'one', start: 2, end: 4 },
    { what: 'two', start: 3, end: 6 },
    { what: 'three', start: 4, end: 5 },
    { what: 'four', start: 6, end: 7 },
  ];
  expect(maskParts('01234567', parts)).toBe('01[one][four]7');
});

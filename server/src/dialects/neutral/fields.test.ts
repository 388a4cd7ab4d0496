import { only, without, type Fields } from './fields.js';

const given = JSON.parse('{"a":1,"b":2,"__proto__":{"c":3}}') as Fields;

it('a prototype stays a field of a selection', () => {
  expect(JSON.stringify(without(given, new Set(['a'])))).toBe('{"b":2,"__proto__":{"c":3}}');
  expect(without(given, new Set(['a']))['c']).toBeUndefined();
  expect(JSON.stringify(only(given, new Set(['a', '__proto__'])))).toBe('{"a":1,"__proto__":{"c":3}}');
  expect(only(given, new Set(['a', '__proto__']))['c']).toBeUndefined();
});

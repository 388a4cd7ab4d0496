import { findJsonProblem, formatJson } from './jsonText.js';

it('accepts JSON and emptiness', () => {
  expect(findJsonProblem('{"a": [1, 2]}')).toBeNull();
  expect(findJsonProblem('  \n')).toBeNull();
});

it.each([
  ['{\n  "a": 1,\n  "b" 2\n}', 3],
  ['nonsense', 1],
  ['{\n  "a": 1', 2],
  ['{\n  "a": us\n}', 2],
  ['{\n  "a": tru\n}\n', 2],
  ['{\n  "a": {"b": []},\n  "c": [1,\n]\n}', 4],
  ['[\n1, 2, 03\n]', 2],
  ['{\n  "a":\n}', 3],
  ["{\n  'a': 1\n}", 2],
  ['{"a": "\\q",\n "b": 1}', 1],
  ['{"a": 1}\n}', 2],
])('says in which line %j breaks', (text, line) => {
  expect(findJsonProblem(text)).toEqual({ line });
});

it('indents what can be read and leaves the rest', () => {
  expect(formatJson('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(formatJson('{a:1}')).toBe('{a:1}');
});

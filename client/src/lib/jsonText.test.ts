import fc from 'fast-check';
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

it('agrees with the engine on which texts are JSON', () => {
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const fragment = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '1',
    '-0.5e3',
    '01',
    'true',
    'nul',
    '//',
    ' ',
    '\t',
  );
  const texts = fc.oneof(
    fc.json(),
    fc.array(fragment, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      fc.pre(text.trim() !== '');
      expect(findJsonProblem(text) === null).toBe(isJson(text));
    }),
    { numRuns: 500 },
  );
});

it('indents what can be read and leaves the rest', () => {
  expect(formatJson('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(formatJson('{a:1}')).toBe('{a:1}');
});

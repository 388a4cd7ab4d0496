import { isFuzzyMatch } from './fuzzy.js';

it.each([
  ['gpt-4o-mini', 'g4m', true],
  ['gpt-4o-mini', 'GPT mini', true],
  ['gpt-4o-mini', 'mg', false],
  ['gpt-4o-mini', '', true],
])('%s by %s: %s', (text, query, expected) => {
  expect(isFuzzyMatch(text, query)).toBe(expected);
});

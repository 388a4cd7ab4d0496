import { byName } from './nameMatch.js';

const names = ['chatgpt-4o-latest', 'gpt-4', 'gpt-4o-mini', 'GPT-4o', 'o1'];
const found = (query: string): string[] => byName(names, (name) => name, query);

it('puts the name itself first, then names that begin with the query', () => {
  expect(found('gpt-4o')).toEqual(['GPT-4o', 'gpt-4o-mini', 'chatgpt-4o-latest']);
  expect(found(' GPT-4O ')).toEqual(['GPT-4o', 'gpt-4o-mini', 'chatgpt-4o-latest']);
  expect(found('claude')).toEqual([]);
});

it('keeps the order without a query', () => {
  expect(found('')).toEqual(names);
});

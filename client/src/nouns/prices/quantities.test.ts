import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { conditions, tokenQuantities, unitQuantities } from './quantities.js';

/** The lists of the server, which the console cannot import. */
const sourceOf = (file: string): string =>
  readFileSync(join(import.meta.dirname, '../../../../server/src/shared', file), 'utf8');
const source = sourceOf('price-card.ts');
const listOf = (name: string): string[] => {
  const [, list = ''] = new RegExp(`export const ${name} = \\[([^\\]]*)\\]`).exec(source) ?? [];
  return [...list.matchAll(/'(\w+)'|\.\.\.(\w+)/g)].flatMap(([, word, other]) => word ?? listOf(other ?? ''));
};

it.each([
  ['tokenQuantities', tokenQuantities],
  ['unitQuantities', unitQuantities],
] as const)('%s are those that the server prices', (name, own) => {
  expect(own.length).toBeGreaterThan(0);
  expect(own).toEqual(listOf(name));
});

it('conditions are those that the server prices', () => {
  const text = sourceOf('price-condition.ts');
  const [, values = ''] = /const conditionValues = \{([^}]*)\}/.exec(text) ?? [];
  const wordsIn = (list: string): string[] => [...list.matchAll(/'(\w+)'/g)].map(([, word = '']) => word);
  const [, resolutions = ''] = /const resolutions = \[([^\]]*)\]/.exec(text) ?? [];
  const expected = [...values.matchAll(/(\w+): (?:\[([^\]]*)\]|resolutions),/g)].flatMap(
    ([, name = '', list = resolutions]) => wordsIn(list).map((value) => ({ [name]: value })),
  );
  expect(expected.length).toBeGreaterThan(10);
  expect(conditions).toEqual([...expected, { tier: 'fast', region: 'us' }]);
});

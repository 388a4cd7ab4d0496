import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceTiers, tokenQuantities, unitQuantities } from './quantities.js';

/** The lists of the server, which the console cannot import. */
const source = readFileSync(join(import.meta.dirname, '../../../../server/src/shared/price-card.ts'), 'utf8');
const listOf = (name: string): string[] => {
  const [, list = ''] = new RegExp(`export const ${name} = \\[([^\\]]*)\\]`).exec(source) ?? [];
  return [...list.matchAll(/'(\w+)'|\.\.\.(\w+)/g)].flatMap(([, word, other]) => word ?? listOf(other ?? ''));
};

it.each([
  ['tokenQuantities', tokenQuantities],
  ['unitQuantities', unitQuantities],
  ['serviceTiers', serviceTiers],
] as const)('%s are those that the server prices', (name, own) => {
  expect(own.length).toBeGreaterThan(0);
  expect(own).toEqual(listOf(name));
});

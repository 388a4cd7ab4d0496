import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { conditions, productQuantities, tokenQuantities, unitQuantities, videoQuantities } from './quantities.js';

/** The lists of the server, which the console cannot import. */
const sourceOf = (file: string): string =>
  readFileSync(join(import.meta.dirname, '../../../../server/src/shared', file), 'utf8');
/** The rows of the server's table of quantities, by their kind. */
const rows = [...sourceOf('price-quantities.ts').matchAll(/^ {2}(\w+): \{ kind: '(\w+)'/gm)];
const ofKinds = (...kinds: string[]): string[] =>
  rows.flatMap(([, name = '', kind = '']) => (kinds.includes(kind) ? [name] : []));

it.each([
  ['tokenQuantities', tokenQuantities, ofKinds('text', 'media')],
  ['unitQuantities', unitQuantities, ofKinds('tool', 'product', 'video')],
  ['productQuantities', productQuantities, ofKinds('product', 'video')],
  ['videoQuantities', videoQuantities, ofKinds('video')],
] as const)('%s are those that the server prices', (_name, own, priced) => {
  expect(own.length).toBeGreaterThan(0);
  expect(own).toEqual(priced);
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

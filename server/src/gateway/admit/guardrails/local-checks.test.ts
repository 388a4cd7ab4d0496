import { personalDataCheck, wordsCheck } from './local-checks.js';

const options = { userId: 1, isFirstEnough: false };

it('takes a pattern for found that computes for too long', async () => {
  const text = `${'a'.repeat(40)}!`;
  expect(await wordsCheck(['regex:(a+)+$'])([text], options)).toEqual([
    [{ what: 'regex:(a+)+$', start: 0, end: text.length }],
  ]);
});

it('takes all texts for found that follow the one whose search took too long', async () => {
  const texts = ['a heron', `heron ${'a'.repeat(40)}!`, 'nothing'];
  const found = await wordsCheck(['regex:heron', 'regex:(a+)+$'])(texts, options);
  expect(found[0]).toEqual([{ what: 'regex:heron', start: 2, end: 7 }]);
  expect(found.slice(1)).toEqual(texts.slice(1).map(({ length: end }) => [{ what: 'regex:(a+)+$', start: 0, end }]));
});

it('takes a text for found as a whole that has more matches than are listed', async () => {
  const text = 'a@b.example '.repeat(10_001);
  expect(await personalDataCheck(['email'])([text], options)).toEqual([
    [{ what: 'unchecked', start: 0, end: text.length }],
  ]);
  expect(await wordsCheck(['b'])([text], options)).toEqual([[{ what: 'unchecked', start: 0, end: text.length }]]);
});

it('ends at the first match where one is enough', async () => {
  const found = await wordsCheck(['heron', 'regex:(a+)+$'])(['a heron', `${'a'.repeat(40)}!`], {
    userId: 1,
    isFirstEnough: true,
  });
  expect(found).toEqual([[{ what: 'heron', start: 2, end: 7 }], []]);
});

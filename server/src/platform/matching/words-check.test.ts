import { masked, namesIn } from './found.js';
import { SearchTime } from './search-time.js';
import { wordsCheck } from './words-check.js';

const find = (entries: string[], texts: string[], isFirstEnough = false) =>
  wordsCheck(entries)({ texts, userId: 1, isFirstEnough, time: new SearchTime() });
const slow = `${'a'.repeat(40)}!`;

it('finds words and patterns in the order of each text', async () => {
  const found = await find(['Heron', 'regex:du+rian'], ['duurian, heron', '', 'A HERON']);
  expect([...found.parts]).toEqual([
    [
      0,
      [
        { what: 'regex:du+rian', start: 0, end: 7 },
        { what: 'heron', start: 9, end: 14 },
      ],
    ],
    [2, [{ what: 'heron', start: 2, end: 7 }]],
  ]);
  expect(found.rest).toBeNull();
});

it('takes a text for found whose search takes too long, and all that follow', async () => {
  const texts = ['a heron', `heron ${slow}`, 'nothing'];
  const found = await find(['regex:heron', 'regex:(a+)+$'], texts);
  expect([...found.parts]).toEqual([[0, [{ what: 'regex:heron', start: 2, end: 7 }]]]);
  expect(found.rest).toEqual({ from: 1, what: 'regex:(a+)+$' });
  expect(namesIn(found)).toEqual(['regex:heron', 'regex:(a+)+$']);
  expect(masked(texts, found, 'removed')).toEqual(['a [removed]', '[removed]', '[removed]']);
});

it('takes a text for found with more matches than are listed', async () => {
  const texts = ['a', 'b '.repeat(10_001)];
  expect(await find(['b'], texts)).toEqual({ parts: new Map(), rest: { from: 1, what: 'unchecked' } });
  expect(await find(['regex:b'], texts)).toEqual({ parts: new Map(), rest: { from: 1, what: 'regex:b' } });
});

it.each([
  ['a word before a pattern', ['heron', 'regex:(a+)+$'], [slow, 'a heron'], 'heron'],
  ['a pattern before another', ['regex:heron', 'regex:(a+)+$'], [`heron ${slow}`], 'regex:heron'],
  ['an early text before a later one', ['regex:(a+)+$', 'regex:heron'], ['a heron', slow], 'regex:heron'],
])('ends at the first match where one is enough: %s', async (_, entries, texts, what) => {
  expect(namesIn(await find(entries, texts, true))).toEqual([what]);
});

it('masks all of two matches that overlap', async () => {
  const texts = ['abcdef'];
  expect(masked(texts, await find(['abc', 'bcd'], texts), 'removed')).toEqual(['[removed]ef']);
  expect(masked(texts, await find(['regex:abc', 'regex:bcd'], texts), 'removed')).toEqual(['[removed]ef']);
});

it('searches many short texts for many patterns within the time of a call', async () => {
  const entries = Array.from({ length: 50 }, (_, index) => `regex:\\bheron${index}\\b`);
  const texts = Array.from({ length: 3000 }, (_, index) => `This is message ${index} about birds.`);
  expect((await find(entries, texts)).rest).toBeNull();
});

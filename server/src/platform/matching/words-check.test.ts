import fc from 'fast-check';
import { growth, turnsDuring } from '../../../../tests/support/growth.js';
import { masked, maxMatches, namesIn, SearchTime } from './search.js';
import { findWords, hintOf, inSmallLetters, searchedAtOnce, WordSearch, wordsCheck } from './words-check.js';

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

const search = (isFirstEnough = false) => ({ isFirstEnough });
const isIn = (words: WordSearch, text: string): boolean => {
  let isFound = false;
  words.run(text, 0, true, () => {
    isFound = true;
    return false;
  });
  return isFound;
};

/** The characters that belong to any occurrence of any word. */
function covered(words: readonly string[], text: string): boolean[] {
  const marks = Array.from({ length: text.length }, () => false);
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) marks.fill(true, at, at + word.length);
  }
  return marks;
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 });

it('finds exactly what looking for each word would', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(letters, { minLength: 1, maxLength: 60 }),
      fc.string({ unit: 'grapheme' }),
      fc.array(letters, { maxLength: 20 }),
      async (words, noise, middle) => {
        const text = noise + middle.join('') + noise;
        const prepared = await WordSearch.of(words);
        const { matches } = await findWords(prepared, { ...search(), texts: ['', text] });
        const marks = Array.from({ length: text.length }, () => false);
        for (const { start, end } of matches) marks.fill(true, start, end);
        expect(marks).toEqual(covered(words, inSmallLetters(text)));
        expect(isIn(prepared, inSmallLetters(text))).toBe(matches.length > 0);
      },
    ),
  );
});

describe('the hint', () => {
  it('matches each letter in the other case', () => {
    const missed: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const letter = String.fromCodePoint(code);
      const small = inSmallLetters(letter);
      if (small === letter || !letter.isWellFormed()) continue;
      if (!hintOf([small])?.test(letter) || !hintOf([letter])?.test(small)) missed.push(letter);
    }
    expect(missed).toEqual([]);
  });

  it('matches every text with one of the words', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'B', 'i', 'İ', 'ı', 'σ', 'Σ', 'ς', 'ß', 'ẞ', 'K', '.', '😀', '\ud83d'),
    });
    let found = 0;
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), text, (words, prompt) => {
        const hasWord = words.some((word) => word !== '' && inSmallLetters(prompt).includes(inSmallLetters(word)));
        if (!hasWord) return true;
        found++;
        return hintOf(words)?.test(prompt) ?? true;
      }),
      { numRuns: 3000 },
    );
    expect(found).toBeGreaterThan(100);
  });
});

it('takes the longest of words at one place', async () => {
  const words = await WordSearch.of(['pine', 'Pineapple', 'apple']);
  const { matches } = await findWords(words, { ...search(), texts: ['a PINEAPPLE, a pine'] });
  expect(matches.map(({ pattern, start, end }) => [words.words[pattern], start, end])).toEqual([
    ['pineapple', 2, 11],
    ['pine', 15, 19],
  ]);
});

it.each([
  ['İstanbul', 'istanbul'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['Straße', 'straße'],
])('keeps the places of letters in %s', (text, small) => expect(inSmallLetters(text)).toBe(small));

it('takes no more time for many words than for a few', async () => {
  const listOf = (words: number): string[] => Array.from({ length: words }, (_, index) => `${'a'.repeat(50)}${index}`);
  const searches = { 50: await WordSearch.of(listOf(50)), 5000: await WordSearch.of(listOf(5000)) };
  const text = 'a'.repeat(1_000_000);
  const find = (words: number): void => expect(isIn(searches[words as 50 | 5000], text)).toBe(false);
  // A hundred times as many words: a separate search per word would take a hundred times as long.
  expect(await growth(find, 50, 5000)).toBeLessThan(10);
});

it('takes time in proportion to the text', async () => {
  const words = await WordSearch.of(Array.from({ length: 2000 }, (_, index) => `${'ab'.repeat(20)}${index}`));
  const find = (pairs: number): void => expect(isIn(words, 'ab'.repeat(pairs))).toBe(false);
  // Eight times the text: restarting at every character would take sixty-four times as long.
  expect(await growth(find, 100_000, 800_000)).toBeLessThan(24);
});

it('lets other calls go on while a long list is prepared, in proportion to its letters', async () => {
  const listOf = (words: number): string[] => Array.from({ length: words }, (_, index) => `${index}-word-of-the-list`);
  expect(await turnsDuring(() => WordSearch.of(listOf(10_000)))).toBeGreaterThan(20);
  expect(await growth((words) => WordSearch.of(listOf(words)), 1000, 8000)).toBeLessThan(24);
});

it('finds a word at every place of a long text', async () => {
  const piece = searchedAtOnce;
  const words = await WordSearch.of(['needle']);
  for (let place = piece - 8; place <= piece + 2; place++) {
    const text = 'x'.repeat(place);
    const texts = [`${text}NEEDLE${text}`, `${text}NEEDL_E`, `${text}NEEDLE`];
    const at = (index: number) => ({ pattern: 0, text: index, start: place, end: place + 6 });
    expect(await findWords(words, { ...search(), texts })).toEqual({ matches: [at(0), at(2)], stopped: null });
  }
});

it('searches the new turns of an agent at once, and longer texts in pieces', async () => {
  const words = await WordSearch.of(['needle']);
  const turns = Array.from({ length: 75 }, () => 'x'.repeat(330));
  expect(findWords(words, { ...search(), texts: turns })).toEqual({ matches: [], stopped: null });
  expect(findWords(words, { ...search(), texts: ['x'.repeat(2 * searchedAtOnce)] })).toBeInstanceOf(Promise);
});

it('stops after too many matches, and not for the length of a text', async () => {
  const heronSearch = await WordSearch.of(['heron']);
  const heron = { pattern: 0, text: 0, start: 2, end: 7 };
  const long = { ...search(), texts: ['a heron', 'x'.repeat(20_000_000)] };
  expect(await findWords(heronSearch, long)).toEqual({ matches: [heron], stopped: null });
  const many = { ...search(), texts: ['a heron', 'heron '.repeat(maxMatches), 'a heron'] };
  expect(await findWords(heronSearch, many)).toEqual({
    matches: [heron],
    stopped: { text: 1, pattern: -1 },
  });
});

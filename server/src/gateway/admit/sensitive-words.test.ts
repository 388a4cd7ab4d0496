import fc from 'fast-check';
import { growth } from '../../../../tests/support/growth.js';
import { createLogger } from '../../platform/observability/logger.js';
import { SensitiveWords, WordSearch } from './sensitive-words.js';

const checker = (words: string[]): SensitiveWords =>
  new SensitiveWords(
    { values: { CheckSensitiveEnabled: true, CheckSensitiveOnPromptEnabled: true, SensitiveWords: words } },
    createLogger('silent'),
  );
const finds = async (words: string[], text: string): Promise<boolean> => {
  try {
    await checker(words).check([text], 1, 'request');
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'SENSITIVE_WORDS', message: 'sensitive words detected' });
    return true;
  }
};

it('finds words and patterns anywhere, whatever their case', async () => {
  expect(await finds(['Bad'], 'so bAD it is')).toBe(true);
  expect(await finds(['bad'], 'so good it is')).toBe(false);
  expect(await finds(['regex:^B+$'], 'bbb')).toBe(true);
  expect(await finds(['regex:^b+$'], 'bbba')).toBe(false);
  expect(await finds(['regex:('], '(')).toBe(false);
});

it('finds one of many in a single pass exactly as looking for each would', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(letters, { minLength: 17, maxLength: 60 }),
      fc.string({ unit: 'grapheme' }),
      letters,
      (words, noise, text) => {
        const whole = noise + text + noise;
        expect(new WordSearch(words).find(whole) !== null).toBe(words.some((word) => whole.includes(word)));
      },
    ),
  );
});

it('takes no more time for many words than for a few', async () => {
  const search = (words: number): WordSearch =>
    new WordSearch(Array.from({ length: words }, (_, index) => `${'a'.repeat(50)}${index}`));
  const searches = new Map([50, 5000].map((words) => [words, search(words)]));
  const text = 'a'.repeat(1_000_000);
  // A hundred times as many words: a separate search per word would take a hundred times as long.
  expect(await growth((words) => expect(searches.get(words)?.find(text)).toBeNull(), 50, 5000)).toBeLessThan(10);
});

it('takes time in proportion to the text', async () => {
  const words = Array.from({ length: 2000 }, (_, index) => `${'ab'.repeat(20)}${index}`);
  const search = new WordSearch(words);
  const find = (pairs: number): void => expect(search.find('ab'.repeat(pairs))).toBeNull();
  // Eight times the text: restarting at every character would take sixty-four times as long.
  expect(await growth(find, 100_000, 800_000)).toBeLessThan(24);
});

it('finds a word at every place of a long text', async () => {
  const text = 'x'.repeat(64 * 1024 - 3);
  expect(await finds(['needle'], `${text}NEEDLE${text}`)).toBe(true);
  expect(await finds(['needle'], `${text}NEEDL_E${text}`)).toBe(false);
});

it('stops a pattern that would never end, and takes it as found', async () => {
  expect(await finds(['regex:^(a+)+$'], `${'a'.repeat(40)}b`)).toBe(true);
});

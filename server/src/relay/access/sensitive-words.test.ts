import fc from 'fast-check';
import { createLogger } from '../../observability/logger.js';
import { SensitiveWords } from './sensitive-words.js';
import { WordSearch } from './word-search.js';

const checker = (words: string[]): SensitiveWords =>
  new SensitiveWords(
    { values: { CheckSensitiveEnabled: true, CheckSensitiveOnPromptEnabled: true, SensitiveWords: words } },
    createLogger('silent'),
  );
const finds = (words: string[], text: string): boolean => {
  try {
    checker(words).check([text], 'request');
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'SENSITIVE_WORDS', message: 'sensitive words detected' });
    return true;
  }
};

it('finds words and patterns anywhere, whatever their case', () => {
  expect(finds(['Bad'], 'so bAD it is')).toBe(true);
  expect(finds(['bad'], 'so good it is')).toBe(false);
  expect(finds(['regex:^B+$'], 'bbb')).toBe(true);
  expect(finds(['regex:^b+$'], 'bbba')).toBe(false);
  expect(finds(['regex:('], '(')).toBe(false);
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

it('needs time in proportion to the text, however many words there are', () => {
  const words = Array.from({ length: 5000 }, (_, index) => `${'a'.repeat(50)}${index}`);
  const search = new WordSearch(words);
  const startedAt = performance.now();
  expect(search.find('a'.repeat(1_000_000))).toBeNull();
  expect(performance.now() - startedAt).toBeLessThan(1500);
});

it('needs twice the time for twice the text, and not four times', () => {
  const words = Array.from({ length: 2000 }, (_, index) => `${'ab'.repeat(20)}${index}`);
  const search = new WordSearch(words);
  /** The least of several runs: others may use the machine meanwhile. */
  const timeOf = (text: string): number => {
    let least = Infinity;
    for (let run = 0; run < 7; run++) {
      const startedAt = performance.now();
      expect(search.find(text)).toBeNull();
      least = Math.min(least, performance.now() - startedAt);
    }
    return least;
  };
  const times = [1, 2, 4, 8].map((factor) => timeOf('ab'.repeat(100_000 * factor)));
  const [first = 0, , , last = 0] = times;
  // Eight times the text: a search that goes over it again for every place would need sixty-four times as long.
  expect(last / first).toBeLessThan(24);
});

it('stops a pattern that would never end, and takes it as found', () => {
  const startedAt = performance.now();
  expect(finds(['regex:^(a+)+$'], `${'a'.repeat(40)}b`)).toBe(true);
  expect(performance.now() - startedAt).toBeLessThan(1000);
});

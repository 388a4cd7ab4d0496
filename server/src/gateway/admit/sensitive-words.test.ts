import { createLogger } from '../../platform/observability/logger.js';
import { SearchTime } from '../../platform/matching/search.js';
import { SensitiveWords } from './sensitive-words.js';

const checker = (words: string[]): SensitiveWords =>
  new SensitiveWords(
    {
      values: {
        CheckSensitiveEnabled: true,
        CheckSensitiveOnPromptEnabled: true,
        StopOnSensitiveEnabled: true,
        SensitiveWords: words,
      },
    },
    createLogger('silent'),
  );
const finds = async (words: string[], text: string): Promise<boolean> => {
  try {
    await checker(words).check([text], { userId: 1, requestId: 'request', time: new SearchTime() });
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

it('stops a pattern that would never end, and takes it as found', async () => {
  expect(await finds(['regex:^(a+)+$'], `${'a'.repeat(40)}b`)).toBe(true);
});

it('takes its time from that of the call', async () => {
  const time = new SearchTime();
  const text = 'x'.repeat(100_000);
  await checker(['regex:heron\\d', 'heron']).check([text], { userId: 1, requestId: 'request', time });
  expect(time.left).toBeLessThan(1000);
});

import { types } from 'node:util';
import { parseJsonBody, rememberTurns } from '../../dialects/wire/forms/json-body.js';
import { createLogger } from '../../platform/observability/logger.js';
import { shareTurns } from '../../shared/turns.js';
import { SearchTime } from '../../platform/matching/search.js';
import { Conversations } from './conversations.js';
import { SensitiveWords, type CheckedPart } from './sensitive-words.js';

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

describe('turns of a conversation', () => {
  const listed = (): unknown[] => {
    const turns = [{ text: 'good' }, 'text', { text: 'bad' }];
    shareTurns(turns);
    return turns;
  };
  const check = (words: SensitiveWords, parts: readonly CheckedPart[], text: string): Promise<void> =>
    words.check([text], { userId: 1, requestId: 'request', time: new SearchTime(), parts });
  const unchecked = (words: SensitiveWords, turns: readonly unknown[]): unknown[] =>
    words.unchecked(turns).flatMap(({ from, until }) => turns.slice(from, until));
  const changeable = (): { words: SensitiveWords; save: (entries: string[]) => void } => {
    const values = {
      CheckSensitiveEnabled: true,
      CheckSensitiveOnPromptEnabled: true,
      StopOnSensitiveEnabled: true,
      SensitiveWords: ['bad'],
    };
    const words = new SensitiveWords({ values }, createLogger('silent'));
    return { words, save: (entries) => (values.SensitiveWords = entries) };
  };

  it('are checked once when they have no blocked word', async () => {
    const words = checker(['bad']);
    const turns = listed();
    const parts = words.unchecked(turns);
    expect(unchecked(words, turns)).toEqual(turns);
    await check(words, parts.slice(0, 2), 'good');
    expect(unchecked(words, turns)).toEqual(turns.slice(2));
    await expect(check(words, parts.slice(2), 'bad')).rejects.toMatchObject({ code: 'SENSITIVE_WORDS' });
    expect(unchecked(words, turns)).toEqual(turns.slice(2));
  });

  it('are checked once when the hint shows that they have none', () => {
    const words = checker(['bad']);
    const turns = listed();
    const parts = words.unchecked(turns);
    expect(words.mayBlock(['good'], parts.slice(0, 1))).toBe(false);
    expect(words.mayBlock(['bad'], parts.slice(2))).toBe(true);
    expect(unchecked(words, turns)).toEqual(turns.slice(1));
  });

  it('are searched for new words when there is only a digest of them', () => {
    const conversations = new Conversations(500_000);
    const read = (key: number, count: number): readonly unknown[] => {
      const messages = Array.from({ length: count }, (_, index) => ({
        role: 'user',
        content: `${index}`.repeat(2000),
      }));
      const bytes = Buffer.from(JSON.stringify({ messages }));
      rememberTurns(bytes, conversations.of(key));
      return parseJsonBody(bytes)['messages'] as unknown[];
    };
    const { words, save } = changeable();
    expect(words.mayBlock([], words.unchecked(read(1, 36)))).toBe(false);
    read(2, 40);
    const turns = read(1, 38);
    expect(types.isProxy(turns)).toBe(true);
    expect(unchecked(words, turns)).toEqual(turns.slice(32));
    save(['other']);
    expect(unchecked(words, turns)).toEqual(turns);
    expect(unchecked(words, turns)[17]).toMatchObject({ content: '17'.repeat(2000) });
  });

  it('are checked again for another list of words', async () => {
    const { words, save } = changeable();
    const turns = listed();
    await check(words, words.unchecked(turns), 'good');
    expect(unchecked(words, turns)).toEqual([]);
    save(['good']);
    expect(unchecked(words, turns)).toEqual(turns);
  });

  it('are checked again for words that were saved while they were searched', async () => {
    const { words, save } = changeable();
    const turns = listed();
    const search = check(words, words.unchecked(turns), 'good');
    save(['good']);
    await search;
    expect(unchecked(words, turns)).toEqual(turns);
  });

  it('are checked each time when no body shares them', async () => {
    const words = checker(['bad']);
    const turns = [{ text: 'good' }];
    await check(words, words.unchecked(turns), 'good');
    expect(unchecked(words, turns)).toEqual(turns);
  });
});

it('passes ordinary texts at once only while the list is short and has no patterns', () => {
  expect(checker(['bad']).mayBlock(['so good it is'], [])).toBe(false);
  expect(checker(['b.d']).mayBlock(['so bad it is'], [])).toBe(false);
  expect(checker(['bad']).mayBlock(['so good', 'it is BAD'], [])).toBe(true);
  expect(checker(['regex:bad']).mayBlock(['so good it is'], [])).toBe(true);
  expect(checker(Array.from({ length: 17 }, (_, at) => `bad${at}`)).mayBlock(['so good it is'], [])).toBe(true);
  expect(checker(['bad']).mayBlock(['x'.repeat(30_000), 'x'.repeat(30_000)], [])).toBe(false);
  expect(checker(['bad']).mayBlock(['x'.repeat(70_000)], [])).toBe(true);
});

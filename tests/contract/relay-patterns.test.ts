/**
 * Limits of the time that patterns and words of admins may take from their own call and from other calls
 * (docs/reference/relay/guardrails.md#time-for-patterns).
 */
import type { OptionValues } from '../../server/src/options/option-registry.js';
import { matcher } from '../../server/src/platform/matching/matcher.js';
import { SearchTime } from '../../server/src/platform/matching/search.js';
import { until } from '../faults/traffic.js';
import { chat } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

type Rule = OptionValues['guardrails.rules'][number];

let relay: RelayHarness;
const values = {
  ModelPrice: { 'gpt-4o': 0.0001 },
  SensitiveWords: [],
  UserUsableGroups: { default: '', slow: '' },
  GroupRatio: { default: 1, slow: 1 },
};
relaySuite((started) => (relay = started), { values });
beforeEach(() => relay.addChannel());

const words = (name: string, action: 'block' | 'mask' | 'log', ...entries: string[]): Rule => ({
  name,
  stage: 'both',
  action,
  check: 'words',
  words: entries,
});
const rules = (...list: Rule[]): void => relay.setOptions({ ...values, 'guardrails.rules': list });
const messagesOf = (...texts: string[]) => texts.map((content) => ({ role: 'user', content }));

/** A pattern that needs exponential time for its text. */
const endless = 'regex:(a+)+$';
const endlessText = `${'a'.repeat(40)}!`;

interface Asked {
  readonly status: number;
  readonly text: string;
  readonly userId: number;
}

async function ask(messages: unknown, more: object = {}): Promise<Asked> {
  const { key, userId } = await relay.addToken();
  const response = await relay.chat(key, { model: 'gpt-4o', messages, ...more });
  return { status: response.status, text: await response.text(), userId };
}

async function notesOf({ userId }: Asked): Promise<Array<{ rule: string; stage: string; matched: string[] }>> {
  let rows: Array<{ other: string }> = [];
  await until(
    async () => (rows = await relay.sql('SELECT other FROM logs WHERE user_id = $1', [userId])).length > 0,
    10,
    'a row is written',
  );
  const other = JSON.parse(rows[0]?.other ?? '{}') as { admin_info?: { guardrails?: [] } };
  return other.admin_info?.guardrails ?? [];
}

/** Returns a list of so many words, up to the longest list that one rule may have. */
const manyWords = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}-word-of-the-list`);
const megabyte = 'a'.repeat(1_000_000);

it.each<[string, string, string[]]>([
  ['an exponential pattern', endless, [endlessText]],
  ['a pattern of many stars', 'regex:(.*a){20}', [megabyte]],
  ['a quadratic pattern', 'regex:\\w+@evil\\.example', [megabyte]],
  ['many alternatives', `regex:(?:${manyWords(20).join('|')}|(?:a|aa|aaa)+)$`, [`${megabyte}!`]],
])('lets a call of another user pass while %s is searched for', async (_, pattern, texts) => {
  rules(
    ...Array.from({ length: 50 }, (_each, index) => ({ ...words(`slow ${index}`, 'log', pattern), groups: ['slow'] })),
  );
  const { key } = await relay.addToken({ group: 'slow' });
  await relay.addChannel({ group: 'slow' });
  const other = await relay.addToken();
  let isDone = false;
  const slow = relay.chat(key, { model: 'gpt-4o', messages: messagesOf(...texts) }).finally(() => (isDone = true));
  let others = 0;
  while (!isDone) {
    const response = await relay.chat(other.key, { model: 'gpt-4o', messages: userMessage('hi') });
    expect(response.status).toBe(200);
    others++;
  }
  expect((await slow).status).toBe(200);
  expect(others).toBeGreaterThan(3);
});

it('has one time for all rules and texts of a call', async () => {
  const onInput = (rule: Rule): Rule => ({ ...rule, stage: 'input' });
  rules(onInput(words('slow', 'log', endless)), onInput(words('harmless', 'log', 'regex:heron')));
  const asked = await ask(messagesOf(endlessText));
  expect(asked.status).toBe(200);
  expect((await notesOf(asked)).map(({ rule }) => rule)).toEqual(['slow', 'harmless']);
});

it('ends with the first block, across texts and rules', async () => {
  rules(words('first', 'block', 'regex:heron', endless), words('second', 'log', endless));
  const asked = await ask(messagesOf('a heron', endlessText));
  expect(asked.status).toBe(400);
  expect(await notesOf(asked)).toEqual([{ rule: 'first', stage: 'input', action: 'block', matched: ['regex:heron'] }]);
});

it('searches a long conversation for many patterns', async () => {
  const patterns = Array.from({ length: 50 }, (_, index) => `regex:\\bheron${index}\\b`);
  rules(words('many', 'block', ...patterns));
  const messages = messagesOf(...Array.from({ length: 1000 }, (_, index) => `Message ${index} is about birds.`));
  expect((await ask(messages)).status).toBe(200);
});

describe('of a stream', () => {
  it('is given back by its text: a long one is not cut', async () => {
    rules(words('mask', 'mask', 'regex:heron\\d'));
    relay.upstream.script(
      {},
      chat({ text: [...Array.from({ length: 2000 }, () => 'It is a plain text. '), 'heron7.'] }),
    );
    const asked = await ask(userMessage('hi'), { stream: true });
    expect(asked.text).toContain('[removed]');
    expect(asked.text.match(/\[removed\]/g)).toHaveLength(1);
    expect(await notesOf(asked)).toMatchObject([{ matched: ['regex:heron\\d'] }]);
  });

  it('ends where each window is slow: each has a second no more', async () => {
    rules(words('slow', 'log', endless));
    relay.upstream.script({}, chat({ text: Array.from({ length: 60 }, () => `${'a'.repeat(63)}!`) }));
    expect((await ask(userMessage('hi'), { stream: true })).status).toBe(200);
  });
});

it('is refused with 503 while too many searches of the user wait', async () => {
  rules(words('all', 'block', 'regex:heron'));
  const { key, userId } = await relay.addToken();
  const other = await relay.addToken();
  const search = (text: string) => ({ userId, texts: [text], isFirstEnough: true, time: new SearchTime() });
  const waiting = [matcher.search(search(endlessText), [/(a+)+$/g])];
  for (let at = 0; at < 200; at++) waiting.push(matcher.search(search('a'), [/b/g]));
  const body = { model: 'gpt-4o', messages: userMessage('hi') };
  const refused = await relay.chat(key, body);
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: 'service_unavailable' } }]);
  expect(refused.headers.get('retry-after')).not.toBeNull();
  expect((await relay.chat(other.key, body)).status).toBe(200);
  await Promise.all(waiting);
  expect((await relay.chat(key, body)).status).toBe(200);
});

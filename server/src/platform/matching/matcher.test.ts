import { setImmediate } from 'node:timers/promises';
import { FairQueue } from './fair-queue.js';
import { Matcher } from './matcher.js';
import { SearchTime } from './search.js';

const search = (userId: number, ...texts: string[]) => ({ userId, texts, isFirstEnough: true, time: new SearchTime() });
const slow = [/(a+)+$/g];
const slowText = `${'a'.repeat(40)}!`;
const quick = [/heron/g];
const heron = { matches: [{ pattern: 0, text: 0, start: 2, end: 7 }], stopped: null };

it('lets the event loop run while a pattern computes, and takes its time from the call', async () => {
  let isDone = false;
  const asked = search(1, slowText);
  const found = new Matcher().search(asked, slow).finally(() => (isDone = true));
  let turns = 0;
  for (; !isDone; turns++) await setImmediate();
  expect(await found).toEqual({ matches: [], stopped: { text: 0, pattern: 0 } });
  expect(turns).toBeGreaterThan(100);
  expect(asked.time.isOver).toBe(true);
});

it('searches nothing for a call without time, and waits for no other', async () => {
  const matcher = new Matcher();
  const before = matcher.search(search(1, slowText), slow);
  const asked = search(2, 'a heron');
  asked.time.spend(1000);
  const first = await Promise.race([before, matcher.search(asked, quick).then(() => 'at once')]);
  expect(first).toBe('at once');
  await before;
});

it('serves another user after at most two searches of one who sends many', async () => {
  const matcher = new Matcher();
  const done: string[] = [];
  const all = [1, 2, 3].map((at) => matcher.search(search(1, slowText), slow).then(() => done.push(`slow ${at}`)));
  expect(await matcher.search(search(2, 'a heron'), quick)).toEqual(heron);
  expect(done).toEqual(['slow 1', 'slow 2']);
  await Promise.all(all);
});

it('puts a text together whose pieces were sent one by one', async () => {
  const start = 256 * 1024 - 2;
  const text = `${'x'.repeat(start)}heron${'x'.repeat(600_000)}`;
  const asked = { ...search(1, '', text, 'heron', ''), isFirstEnough: false };
  expect(await new Matcher().search(asked, quick)).toEqual({
    matches: [
      { pattern: 0, text: 1, start, end: start + 5 },
      { pattern: 0, text: 2, start: 0, end: 5 },
    ],
    stopped: null,
  });
});

it('does not wait for a pattern whose compilation nothing can stop', async () => {
  const matcher = new Matcher();
  const large = new RegExp('\\p{L}\\p{Lu}\\P{Ll}'.repeat(5000), 'giu');
  const found = matcher.search(search(1, 'nothing'), [large]);
  expect(await found).toEqual({ matches: [], stopped: { text: 0, pattern: 0 } });
  expect(await matcher.search(search(1, 'a heron'), quick)).toEqual(heron);
});

it('refuses what waits beyond the limit of a user, and still takes that of others', async () => {
  const matcher = new Matcher();
  const waiting = Array.from({ length: 201 }, () => matcher.search(search(1, 'a heron'), quick));
  await expect(matcher.search(search(1, 'a heron'), quick)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await matcher.search(search(2, 'a heron'), quick)).toEqual(heron);
  await Promise.all(waiting);
});

it('gives each user a turn', () => {
  const queue = new FairQueue<string>();
  for (const [user, entry] of [
    [1, 'a'],
    [1, 'b'],
    [1, 'c'],
    [2, 'd'],
    [3, 'e'],
    [2, 'f'],
  ] as const) {
    queue.push(user, entry);
  }
  expect(Array.from({ length: 7 }, () => queue.shift())).toEqual(['a', 'd', 'e', 'b', 'f', 'c', undefined]);
});

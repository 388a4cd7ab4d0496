import { setImmediate } from 'node:timers/promises';
import { FairQueue } from './fair-queue.js';
import { Matcher } from './matcher.js';

const slow = { texts: [`${'a'.repeat(40)}!`], patterns: [/(a+)+$/g], isFirstEnough: true };
const quick = { texts: ['a heron'], patterns: [/heron/g], isFirstEnough: true };
const heron = [{ pattern: 0, text: 0, start: 2, end: 7, isUnsearched: false }];

it('lets the event loop run while a pattern computes', async () => {
  let isDone = false;
  const found = new Matcher().search({ ...slow, userId: 1 }).finally(() => (isDone = true));
  let turns = 0;
  for (; !isDone; turns++) await setImmediate();
  expect(await found).toMatchObject([{ isUnsearched: true }]);
  expect(turns).toBeGreaterThan(100);
});

it('serves another user after at most two searches of one who sends many', async () => {
  const matcher = new Matcher();
  const done: string[] = [];
  const all = [1, 2, 3].map((at) => matcher.search({ ...slow, userId: 1 }).then(() => done.push(`slow ${at}`)));
  const found = await matcher.search({ ...quick, userId: 2 });
  expect(found).toEqual(heron);
  expect(done).toEqual(['slow 1', 'slow 2']);
  await Promise.all(all);
});

it('puts a text together whose pieces were sent one by one', async () => {
  const text = `${'x'.repeat(512 * 1024 - 2)}heron${'x'.repeat(600_000)}`;
  const start = 512 * 1024 - 2;
  expect(await new Matcher().search({ ...quick, texts: ['', text, 'heron'], isFirstEnough: false, userId: 1 })).toEqual(
    [
      { pattern: 0, text: 1, start, end: start + 5, isUnsearched: false },
      { pattern: 0, text: 2, start: 0, end: 5, isUnsearched: false },
    ],
  );
});

it('refuses what waits beyond the limit of a user, and still takes that of others', async () => {
  const matcher = new Matcher();
  const waiting = Array.from({ length: 201 }, () => matcher.search({ ...quick, userId: 1 }));
  await expect(matcher.search({ ...quick, userId: 1 })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await matcher.search({ ...quick, userId: 2 })).toEqual(heron);
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

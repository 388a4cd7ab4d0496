import { MemoryState } from '../cache/memory-state.js';
import { Signals } from './signals.js';

const clock = { now: () => Date.now() };
const tick = (milliseconds: number): Promise<unknown> => jest.advanceTimersByTimeAsync(milliseconds);
let state: MemoryState;
let one: Signals;
let two: Signals;
let published: jest.SpyInstance;
const ends: Array<() => Promise<void>> = [];

beforeEach(async () => {
  jest.useFakeTimers();
  state = new MemoryState(() => undefined);
  [one, two] = [new Signals(state, clock), new Signals(state, clock)];
  ends.push(await one.listen(), await two.listen());
  published = jest.spyOn(state, 'publish');
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await state.close();
  jest.useRealTimers();
});

it('sends nothing, gathers nothing and sets no timer while nobody watches on any node', async () => {
  const timers = jest.getTimerCount();
  for (let n = 0; n < 1000; n++) one.send('balance', [n]);
  one.send('log');
  expect(jest.getTimerCount()).toBe(timers);
  await tick(60_000);
  expect(published).not.toHaveBeenCalled();
});

it('sends what happened in a moment as one message, to every node', async () => {
  const heard: unknown[] = [];
  one.on('balance', (ids) => heard.push(['one', ids]));
  two.on('balance', (ids) => heard.push(['two', ids]));
  two.on('log', (ids) => heard.push(['two', 'log', ids]));
  await two.watch();
  published.mockClear();
  one.send('balance', [1, 2]);
  one.send('balance', [2, 3]);
  one.send('log');
  expect(published).not.toHaveBeenCalled();
  await tick(100);
  expect(published).toHaveBeenCalledTimes(1);
  expect(heard).toEqual(
    expect.arrayContaining([
      ['one', [1, 2, 3]],
      ['two', [1, 2, 3]],
      ['two', 'log', []],
    ]),
  );
});

it('names no more than a thousand, then says that there were many', async () => {
  const heard: unknown[] = [];
  two.on('balance', (ids) => heard.push(ids));
  await two.watch();
  one.send(
    'balance',
    Array.from({ length: 1001 }, (_, n) => n),
  );
  one.send('balance', [5000]);
  await tick(100);
  expect(heard).toEqual([null]);
});

it('goes on while somebody watches, and is silent soon after the last one left', async () => {
  const end = await two.watch();
  const endOther = await two.watch();
  await tick(60_000);
  expect(one.wanted).toBe(true);
  end();
  end();
  await tick(60_000);
  expect(one.wanted).toBe(true);
  endOther();
  await tick(16_000);
  expect([one.wanted, two.wanted]).toEqual([false, false]);
});

it('fails nobody when the store is away', async () => {
  published.mockRejectedValue(new Error('away'));
  await one.watch();
  one.send('log');
  await tick(200);
  expect(one.wanted).toBe(true);
});

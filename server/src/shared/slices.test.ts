import { setImmediate as turn } from 'node:timers/promises';
import { nextSlice, pause } from './slices.js';

it('one call has a slice in each turn of the event loop, in the order in which they wait', async () => {
  const slices: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let slice = 1; slice <= 3; slice++) {
      await nextSlice();
      slices.push(`${name}${slice}`);
    }
  };
  const all = Promise.all([work('a'), work('b')]);
  for (let turns = 1; turns <= 6; turns++) {
    await turn();
    expect(slices.length).toBeLessThanOrEqual(turns);
  }
  await all;
  expect(slices).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
});

it('a slice goes on until its time is over', async () => {
  await nextSlice();
  expect(pause()).toBeUndefined();
  const begin = performance.now();
  while (performance.now() - begin < 10);
  const waiting = pause();
  expect(waiting).toBeInstanceOf(Promise);
  await waiting;
});

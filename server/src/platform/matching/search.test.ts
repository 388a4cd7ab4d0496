import { SearchTime } from './search.js';

it('is one second for all that a call checks', () => {
  const time = new SearchTime();
  time.spend(600);
  time.spend(399.5);
  expect(time.isOver).toBe(true);
});

it('is given back by the text of a long stream, up to a second', () => {
  const time = new SearchTime();
  time.earn(['x'.repeat(100_000)]);
  expect(time.left).toBe(1000);
  for (let window = 0; window < 10_000; window++) {
    time.earn(['x'.repeat(64)]);
    time.spend(6);
  }
  expect(time.isOver).toBe(false);
});

it('ends for slow searches, and begins again with little', () => {
  const time = new SearchTime();
  time.spend(5000);
  expect(time.isOver).toBe(true);
  time.earn(['x'.repeat(32), 'x'.repeat(32)]);
  expect(time.left).toBeCloseTo(6.4);
});

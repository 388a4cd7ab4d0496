import { PollingFailures } from './polling-failures.js';

it('makes a task wait twice as long after every failure, at most ten minutes, until it succeeds', () => {
  let now = 0;
  const failures = new PollingFailures({ now: () => now });
  const waits = (): number => {
    const from = now;
    failures.note(1);
    while (failures.isWaiting(1)) now += 1000;
    return now - from;
  };
  expect(failures.isWaiting(1)).toBe(false);
  expect([waits(), waits(), waits()]).toEqual([5_000, 10_000, 20_000]);
  for (let more = 0; more < 20; more++) waits();
  expect(waits()).toBe(600_000);
  expect(failures.isWaiting(2)).toBe(false);
  failures.forget(1);
  expect(waits()).toBe(5_000);
});

import { later, preloadInTurn } from './later.js';

/** Runs what waits for the page to rest, and lets what it began come to its end. */
const rest = async (): Promise<void> => {
  await jest.advanceTimersByTimeAsync(500);
};

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const part = (load: () => Promise<unknown>) =>
  later(async () => {
    await load();
    return () => null;
  });

it('fetches parts one after the other, each when the page rests, also after one that cannot be had', async () => {
  const loads = [jest.fn(() => Promise.reject(new Error('away'))), jest.fn(() => Promise.resolve())];
  preloadInTurn(loads.map(part));
  expect(loads[0]).not.toHaveBeenCalled();
  await rest();
  expect(loads.map((load) => load.mock.calls.length)).toEqual([1, 0]);
  await rest();
  expect(loads.map((load) => load.mock.calls.length)).toEqual([1, 1]);
});

it('stops between two parts, and before the first', async () => {
  const loads = [jest.fn(() => Promise.resolve()), jest.fn(() => Promise.resolve())];
  const stop = preloadInTurn(loads.map(part));
  await rest();
  stop();
  await rest();
  expect(loads.map((load) => load.mock.calls.length)).toEqual([1, 0]);
  const never = jest.fn(() => Promise.resolve());
  preloadInTurn([part(never)])();
  await rest();
  expect(never).not.toHaveBeenCalled();
});

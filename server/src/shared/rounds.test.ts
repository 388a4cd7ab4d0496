import { ScheduledRuns } from './rounds.js';

/** Rounds that end when they are let go. */
function held() {
  const begun: Array<(error?: Error) => void> = [];
  const errors: unknown[] = [];
  const rounds = new ScheduledRuns(
    () =>
      new Promise<void>((resolve, reject) => {
        begun.push((error) => (error ? reject(error) : resolve()));
      }),
    (error) => errors.push(error),
  );
  return { rounds, begun, errors };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('runs one round at a time, and one more however often it was asked for meanwhile', async () => {
  const { rounds, begun } = held();
  const first = rounds.run();
  await turn();
  const later = [rounds.run(), rounds.run(), rounds.run()];
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]?.();
  await first;
  await turn();
  expect(begun).toHaveLength(2);
  begun[1]?.();
  await Promise.all(later);
  await turn();
  expect(begun).toHaveLength(2);
});

it('reports a failed round and goes on', async () => {
  const { rounds, begun, errors } = held();
  const first = rounds.run();
  await turn();
  begun[0]?.(new Error('no database'));
  await first;
  expect(errors).toEqual([new Error('no database')]);
  void rounds.run();
  await turn();
  expect(begun).toHaveLength(2);
});

it('waits for the running round when it stops, and begins none that was asked for', async () => {
  const { rounds, begun } = held();
  void rounds.run();
  await turn();
  void rounds.run();
  let isStopped = false;
  const stopped = rounds.stop().then(() => (isStopped = true));
  await turn();
  expect(isStopped).toBe(false);
  begun[0]?.();
  await stopped;
  await rounds.run();
  expect(begun).toHaveLength(1);
});

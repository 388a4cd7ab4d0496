import { ScheduledRuns } from './scheduled-runs.js';

/** Returns runs that end when the test lets them. */
function held() {
  const begun: Array<(error?: Error) => void> = [];
  const errors: unknown[] = [];
  const runs = new ScheduledRuns(
    () =>
      new Promise<void>((resolve, reject) => {
        begun.push((error) => (error ? reject(error) : resolve()));
      }),
    (error) => errors.push(error),
  );
  return { runs, begun, errors };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('runs one run at a time, and one more however often it was asked for meanwhile', async () => {
  const { runs, begun } = held();
  const first = runs.run();
  await turn();
  const later = [runs.run(), runs.run(), runs.run()];
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

it('reports a failed run and goes on', async () => {
  const { runs, begun, errors } = held();
  const first = runs.run();
  await turn();
  begun[0]?.(new Error('no database'));
  await first;
  expect(errors).toEqual([new Error('no database')]);
  void runs.run();
  await turn();
  expect(begun).toHaveLength(2);
});

it('waits for the running run when it stops, and begins none that was asked for', async () => {
  const { runs, begun } = held();
  void runs.run();
  await turn();
  void runs.run();
  let isStopped = false;
  const stopped = runs.stop().then(() => (isStopped = true));
  await turn();
  expect(isStopped).toBe(false);
  begun[0]?.();
  await stopped;
  await runs.run();
  expect(begun).toHaveLength(1);
});

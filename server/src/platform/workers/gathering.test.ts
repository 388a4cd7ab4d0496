import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Gathering } from './gathering.js';
import type { WorkerMetrics } from './messages.js';

const calls = 'tollgate_calls_total';

/** Returns the metrics of a worker that finished this many calls of a second each and has one in progress. */
async function measured(finished: number): Promise<WorkerMetrics> {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: calls, help: 'calls', labelNames: ['model'], registers }).inc({ model: 'm' }, finished);
  new Gauge({ name: 'active', help: 'active', registers }).set(1);
  const seconds = new Histogram({ name: 'seconds', help: 'seconds', buckets: [0.5, 2], registers });
  for (let call = 0; call < finished; call++) seconds.observe(1);
  return registry.getMetricsAsJSON();
}

/** Returns the sum of one series over all gathered metrics. */
function total(found: readonly WorkerMetrics[], series: string): number {
  const values = found.flat().flatMap(({ name, values }) => values.map((value) => ({ metricName: name, ...value })));
  return values.filter(({ metricName }) => metricName === series).reduce((sum, { value }) => sum + value, 0);
}

const [first, second] = [{ worker: 1 }, { worker: 2 }];
/** Asks these workers, which respond at once. */
async function ask(gathering: Gathering, responses: ReadonlyMap<object, WorkerMetrics>, silent: object[] = []) {
  return gathering.from([...responses.keys(), ...silent], (worker, id) => {
    const metrics = responses.get(worker);
    if (metrics) gathering.receive(worker, id, metrics);
  });
}

it('keeps the counts of workers that ended, and not their gauges', async () => {
  const gathering = new Gathering();
  const both = new Map([
    [first, await measured(5)],
    [second, await measured(7)],
  ]);
  expect(total(await ask(gathering, both), calls)).toBe(12);
  // A worker that stops by itself sends its last counts without a request.
  gathering.receive(first, null, await measured(6));
  gathering.end(first);
  const third = {};
  const found = await ask(
    gathering,
    new Map([
      [second, await measured(7)],
      [third, await measured(1)],
    ]),
  );
  expect(total(found, calls)).toBe(14);
  expect(total(found, 'seconds_count')).toBe(14);
  expect(total(found, 'active')).toBe(2);
  gathering.end(second);
  gathering.end(third);
  expect(total(await ask(gathering, new Map([[{}, await measured(0)]])), calls)).toBe(14);
});

it('waits for no worker that ends, and takes the last counts of one that does not respond', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  try {
    const gathering = new Gathering();
    const responses = new Map([[first, await measured(5)]]);
    await ask(gathering, new Map([...responses, [second, await measured(7)]]));
    const asked = ask(gathering, responses, [second]);
    await jest.advanceTimersByTimeAsync(2000);
    expect(total(await asked, calls)).toBe(12);
    const again = ask(gathering, responses, [second]);
    gathering.end(second);
    expect(total(await again, calls)).toBe(12);
  } finally {
    jest.useRealTimers();
  }
});

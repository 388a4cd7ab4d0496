import { createLogger } from './logger.js';
import { Metrics } from './metrics.js';
import { Overload, type OverloadMarks } from './overload.js';

const marks: OverloadMarks = { heapPercent: 90, loopDelay: 1000, databaseWait: 5000 };

function overload(changed: Partial<OverloadMarks> = {}) {
  const readings = { heap: 10, database: 0 };
  const metrics = new Metrics(false);
  const node = new Overload(
    { ...marks, ...changed },
    { heapPercent: () => readings.heap, databaseWait: () => readings.database },
    metrics,
    createLogger('silent'),
  );
  return { node, readings, metrics };
}

it('takes calls at rest', () => {
  const { node } = overload();
  node.tick(3);
  expect(() => node.admit()).not.toThrow();
  expect(node.reason).toBeNull();
});

it.each(['heap', 'database'] as const)('refuses above the mark of %s, and takes calls again below it', (reason) => {
  const { node, readings } = overload();
  readings[reason] = reason === 'heap' ? 91 : 5001;
  node.tick(0);
  expect(node.reason).toBe(reason);
  expect(() => node.admit()).toThrow(expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2 }));
  readings[reason] = 0;
  node.tick(0);
  expect(() => node.admit()).not.toThrow();
});

it('a single pause is no load, a row of them is', () => {
  const { node } = overload();
  node.tick(3000);
  expect(node.reason).toBeNull();
  node.tick(3000);
  node.tick(3000);
  expect(node.reason).toBe('event_loop');
  for (let tick = 0; tick < 5; tick++) node.tick(0);
  expect(node.reason).toBeNull();
});

it('a mark of 0 is off', () => {
  const { node, readings } = overload({ heapPercent: 0, loopDelay: 0, databaseWait: 0 });
  Object.assign(readings, { heap: 100, database: 1e9 });
  for (let tick = 0; tick < 9; tick++) node.tick(1e6);
  expect(node.reason).toBeNull();
});

it('shows the reason and counts what was refused', async () => {
  const { node, readings, metrics } = overload();
  readings.heap = 99;
  node.tick(0);
  for (let call = 0; call < 3; call++) expect(() => node.admit()).toThrow();
  const text = await metrics.scrape();
  expect(text).toContain('tollgate_overload{reason="heap"} 1');
  expect(text).toContain('tollgate_shed_calls_total{reason="heap"} 3');
});

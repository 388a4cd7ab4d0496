import { TaskPolling } from './task.jobs.js';

/** One lease that uses the clock of the test. */
class Leases {
  private holder: { readonly owner: string; readonly until: number } | null = null;

  lease(_name: string, owner: string, ttlSeconds: number): Promise<boolean> {
    const isFree = this.holder === null || this.holder.owner === owner || this.holder.until <= Date.now();
    if (isFree) this.holder = { owner, until: Date.now() + ttlSeconds * 1000 };
    return Promise.resolve(isFree);
  }

  release(_name: string, owner: string): Promise<void> {
    if (this.holder?.owner === owner) this.holder = null;
    return Promise.resolve();
  }
}

const logger = { warn: jest.fn() };
const running: TaskPolling[] = [];

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
});
afterEach(async () => {
  for (const polling of running.splice(0)) await polling.stop();
  jest.useRealTimers();
  logger.warn.mockClear();
});

/** A node that counts its scheduled runs. */
function node(state: Leases, nodeId: string, run: () => Promise<void> = () => Promise.resolve()) {
  let runs = 0;
  const poller = {
    run: () => {
      runs++;
      return run();
    },
  };
  const polling = new TaskPolling({ name: 'polling', pollers: [poller], state, nodeId, seconds: 15, logger });
  polling.start();
  running.push(polling);
  return {
    polling,
    get runs() {
      return runs;
    },
    /** The node dies without releasing its lease. */
    die: () => {
      running.splice(running.indexOf(polling), 1);
      // The node's clock stops with it.
      clearInterval((polling as unknown as { timer: NodeJS.Timeout }).timer);
    },
  };
}

async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    jest.advanceTimersByTime(1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('one node polls, however many there are', async () => {
  const state = new Leases();
  const nodes = [node(state, 'a'), node(state, 'b'), node(state, 'c')];
  await pass(150);
  expect(nodes.map(({ runs }) => runs).sort()).toEqual([0, 0, 10]);
});

it('another goes on at once when the first one stops', async () => {
  const state = new Leases();
  const [first, second] = [node(state, 'a'), node(state, 'b')];
  await pass(30);
  await first.polling.stop();
  await pass(15);
  expect([first.runs, second.runs]).toEqual([2, 1]);
});

it('another goes on within four runs when the first one dies', async () => {
  const state = new Leases();
  const [first, second] = [node(state, 'a'), node(state, 'b')];
  await pass(16);
  first.die();
  await pass(75);
  expect(first.runs).toBe(1);
  expect(second.runs).toBeGreaterThanOrEqual(1);
});

it('a run that takes long is not followed by others, and nobody else begins one', async () => {
  const state = new Leases();
  let finish: () => void = () => undefined;
  const first = node(state, 'a', () => new Promise<void>((resolve) => (finish = resolve)));
  const second = node(state, 'b');
  await pass(300);
  expect([first.runs, second.runs]).toEqual([1, 0]);
  finish();
  await pass(15);
  expect(first.runs).toBe(2);
  finish();
});

it('a platform that cannot be polled does not keep the others from it', async () => {
  const other = { run: jest.fn(() => Promise.resolve()) };
  const broken = { run: () => Promise.reject(new Error('the database is unavailable')) };
  const polling = new TaskPolling({
    name: 'polling',
    pollers: [broken, other],
    state: new Leases(),
    nodeId: 'a',
    seconds: 15,
    logger,
  });
  polling.start();
  running.push(polling);
  await pass(30);
  expect(other.run).toHaveBeenCalledTimes(2);
  expect(logger.warn).toHaveBeenCalled();
});

it('nothing is polled while the shared state does not answer, and it goes on when it does', async () => {
  const state = new Leases();
  let isUnavailable = true;
  const lease = state.lease.bind(state);
  state.lease = (...parts) => (isUnavailable ? Promise.reject(new Error('unavailable')) : lease(...parts));
  const first = node(state, 'a');
  await pass(30);
  expect(first.runs).toBe(0);
  isUnavailable = false;
  await pass(15);
  expect(first.runs).toBe(1);
});

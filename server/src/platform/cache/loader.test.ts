import { setTimeout as delay } from 'node:timers/promises';
import { Loader } from './loader.js';

interface Row {
  readonly id: number;
  readonly name: string;
}

/** A loader whose loads end when the test resolves them. */
function controlled() {
  const readings: Array<{ key: number; answer(row: Row | null): void; fail(error: Error): void }> = [];
  const load = (key: number): Promise<Row | null> =>
    new Promise((resolve, reject) => readings.push({ key, answer: resolve, fail: reject }));
  return { readings, load };
}

describe('a loader', () => {
  it('reads a key once for all who ask at once, and keeps what it read', async () => {
    const { readings, load } = controlled();
    const loader = new Loader({ max: 10, lifetimeSeconds: 60, load });
    const asked = [loader.get(1), loader.get(1), loader.get(1)];
    expect(readings).toHaveLength(1);
    readings[0]?.answer({ id: 1, name: 'a' });
    expect(await Promise.all(asked)).toEqual(Array(3).fill({ id: 1, name: 'a' }));
    expect(loader.peek(1)).toEqual({ id: 1, name: 'a' });
    await loader.get(1);
    expect(readings).toHaveLength(1);
  });

  it('reads again after the lifetime', async () => {
    let count = 0;
    const loader = new Loader({ max: 10, lifetimeSeconds: 0.05, load: async (id: number) => ({ id, count: ++count }) });
    await loader.get(1);
    await delay(80);
    expect(await loader.get(1)).toEqual({ id: 1, count: 2 });
  });

  it('tells every waiter of a failure and remembers none', async () => {
    const { readings, load } = controlled();
    const loader = new Loader({ max: 10, lifetimeSeconds: 60, load });
    const asked = [loader.get(1), loader.get(1)];
    readings[0]?.fail(new Error('database away'));
    for (const answer of asked) await expect(answer).rejects.toThrow('database away');
    const again = loader.get(1);
    readings[1]?.answer({ id: 1, name: 'a' });
    expect(await again).toEqual({ id: 1, name: 'a' });
  });

  it('does not keep what was being read when the key was dropped', async () => {
    const { readings, load } = controlled();
    const loader = new Loader({ max: 10, lifetimeSeconds: 60, load });
    const early = loader.get(1);
    loader.drop(1);
    const late = loader.get(1);
    readings[1]?.answer({ id: 1, name: 'new' });
    expect(await late).toEqual({ id: 1, name: 'new' });
    readings[0]?.answer({ id: 1, name: 'old' });
    expect(await early).toEqual({ id: 1, name: 'old' });
    expect(loader.peek(1)).toEqual({ id: 1, name: 'new' });
  });

  it('remembers that there is nothing only when told to', async () => {
    const forgetful = controlled();
    const asking = new Loader({ max: 10, lifetimeSeconds: 60, load: forgetful.load });
    const nothing = asking.get(1);
    forgetful.readings[0]?.answer(null);
    expect(await nothing).toBeNull();
    expect(asking.peek(1)).toBeUndefined();

    let reads = 0;
    const load = async (): Promise<Row | null> => (reads++, null);
    const remembering = new Loader<number, Row>({ max: 10, lifetimeSeconds: 60, missLifetimeSeconds: 1, load });
    await remembering.get(1);
    expect(remembering.peek(1)).toBeNull();
    await remembering.get(1);
    expect(reads).toBe(1);
    await delay(1050);
    await remembering.get(1);
    expect(reads).toBe(2);
  });

  it('drops by what the value says, and misses with it', async () => {
    const load = async (id: number): Promise<Row | null> => (id === 3 ? null : { id, name: id === 1 ? 'a' : 'b' });
    const loader = new Loader({ max: 10, lifetimeSeconds: 60, missLifetimeSeconds: 60, load });
    await Promise.all([loader.get(1), loader.get(2), loader.get(3)]);
    loader.dropWhere(({ name }) => name === 'a');
    expect([loader.peek(1), loader.peek(2), loader.peek(3)]).toEqual([undefined, { id: 2, name: 'b' }, undefined]);
  });

  it('holds no more than its bound', async () => {
    const loader = new Loader({ max: 3, lifetimeSeconds: 60, load: async (id: number) => ({ id }) });
    for (let id = 0; id < 10; id++) await loader.get(id);
    expect([0, 7, 8, 9].map((id) => loader.peek(id))).toEqual([undefined, { id: 7 }, { id: 8 }, { id: 9 }]);
  });
});

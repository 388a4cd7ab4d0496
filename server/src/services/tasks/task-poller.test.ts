import type { CreativeTask } from '../../console/tasks/creative-task.entity.js';
import { creativeKind, type TaskLedger } from '../../console/tasks/task-ledger.js';
import { createLogger } from '../../platform/observability/logger.js';
import { Secrets } from '../../shared/secrets.js';
import type { RoutingDirectory } from '../../gateway/route/routing-directory.js';
import type { TaskTarget } from './task-target.js';
import { TaskPoller, type PolledPlatform } from './task-poller.js';

type Row = CreativeTask;
type Item = Readonly<Record<string, unknown>>;

const hour = 3_600_000;
const secrets = new Secrets('an encryption key of a test');

/** A site whose tasks, channels and providers the test controls. */
class World {
  now = 1_000_000_000_000;
  /** Milliseconds by which the clock of the database is behind the clock of the node. */
  behind = 0;
  readonly rows = new Map<number, Row>();
  readonly channels = new Map<number, { id: number; keys: string[] }>();
  /** Channels that only the database knows. */
  readonly unread = new Set<number>();
  readonly asked: Array<{ channelId: number; names: readonly string[] }> = [];
  /** Returns the response of a channel's provider. */
  answer: (target: TaskTarget, names: readonly string[]) => Promise<ReadonlyMap<string, Item>> = () =>
    Promise.resolve(new Map());
  /** Rows whose updates the database refuses. */
  readonly stuck = new Set<number>();
  readonly moves: Array<{ id: number; step: Partial<Row> }> = [];
  pages = 0;

  add(id: number, channelId: number, more: Partial<Row> = {}): Row {
    const row = {
      id,
      channelId,
      taskId: `t${id}`,
      keyPrint: '',
      submitTime: new Date(this.now),
      progress: 0,
      ...more,
    } as Row;
    this.rows.set(id, row);
    this.channels.set(channelId, this.channels.get(channelId) ?? { id: channelId, keys: [`key ${channelId}`] });
    return row;
  }

  poller(): TaskPoller<Row> {
    const platform: PolledPlatform<Row> = {
      kind: creativeKind,
      lifetime: hour,
      unfinished: (after, limit) => {
        this.pages++;
        const open = [...this.rows.values()].filter(({ id, progress }) => progress !== 100 && id > after);
        return Promise.resolve(open.sort((one, other) => one.id - other.id).slice(0, limit));
      },
      nameOf: ({ taskId }) => taskId,
      ask: (target, names) => {
        this.asked.push({ channelId: target.channelId, names });
        return this.answer(target, names);
      },
      step: (item) => {
        if (item['status'] === 'nonsense') throw new Error('cannot be read');
        return item;
      },
      failed: (failReason) => ({ status: 'FAILURE', progress: 100, failReason }),
    };
    const taskLedger = {
      move: (_kind: unknown, id: number, step: Partial<Row>) => {
        if (this.stuck.has(id)) return Promise.reject(new Error('the row is locked'));
        this.moves.push({ id, step });
        Object.assign(this.rows.get(id) ?? {}, step);
        return Promise.resolve(true);
      },
    } as unknown as TaskLedger;
    const table = {
      channel: (id: number) => {
        const channel = this.channels.get(id);
        return channel && { ...channel, baseUrl: `https://channel${id}.example`, setting: {} };
      },
    };
    return new TaskPoller(platform, {
      taskLedger,
      channels: {
        table,
        removed: (ids: readonly number[]) => Promise.resolve(new Set(ids.filter((id) => !this.unread.has(id)))),
      } as unknown as RoutingDirectory,
      secrets,
      clock: { now: () => this.now },
      database: { query: async () => [{ at: String(Math.floor((this.now - this.behind) / 1000)) }] as never },
      logger: createLogger('silent'),
    });
  }
}

const done = { status: 'SUCCESS', progress: 100 };
const everything = (_target: TaskTarget, names: readonly string[]): Promise<ReadonlyMap<string, Item>> =>
  Promise.resolve(new Map(names.map((name) => [name, done])));

let world: World;
beforeEach(() => (world = new World()));
const open = (): number[] => [...world.rows.values()].filter(({ progress }) => progress !== 100).map(({ id }) => id);

it('asks each channel once about all of its tasks, whatever their number', async () => {
  for (let id = 1; id <= 1234; id++) world.add(id, (id % 3) + 1);
  world.answer = everything;
  await world.poller().run();
  expect(open()).toEqual([]);
  // A page has five hundred tasks.
  expect(world.pages).toBe(3);
  expect(world.asked).toHaveLength(9);
  expect(world.asked.flatMap(({ names }) => names)).toHaveLength(1234);
});

describe('goes on beside', () => {
  it('a provider that does not answer', async () => {
    world.add(1, 1);
    world.add(2, 2);
    world.answer = (target, names) =>
      target.channelId === 1 ? Promise.reject(new Error('no answer')) : everything(target, names);
    await world.poller().run();
    expect(open()).toEqual([1]);
  });

  it('providers that take very long: each has a place of its own', async () => {
    for (let id = 1; id <= 20; id++) world.add(id, id);
    let waiting = 0;
    let finish: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (finish = resolve));
    world.answer = async (target, names) => {
      if (target.channelId <= 7) {
        waiting++;
        await answered;
      }
      return everything(target, names);
    };
    const run = world.poller().run();
    while (open().length > 7) await new Promise((resolve) => setImmediate(resolve));
    expect(waiting).toBe(7);
    finish();
    await run;
    expect(open()).toEqual([]);
  });

  it('a task about which nonsense is told, one that is told of twice, and one that is nobody’s', async () => {
    for (const id of [1, 2, 3]) world.add(id, 1);
    world.answer = () =>
      Promise.resolve(
        new Map<string, Item>([
          ['t1', { status: 'nonsense' }],
          ['t2', done],
          ['another', done],
        ]),
      );
    await world.poller().run();
    expect(open()).toEqual([1, 3]);
    expect(world.moves).toEqual([{ id: 2, step: done }]);
  });

  it('a row that cannot be written', async () => {
    for (const id of [1, 2, 3]) world.add(id, 1);
    world.stuck.add(2);
    world.answer = everything;
    await world.poller().run();
    expect(open()).toEqual([2]);
    world.stuck.clear();
    await world.poller().run();
    expect(open()).toEqual([]);
  });
});

describe('gives up', () => {
  it('what the provider does not end in its time, whether or not it lists it', async () => {
    world.add(1, 1);
    world.add(2, 1);
    world.add(3, 1, { submitTime: new Date(world.now + hour) });
    world.answer = () => Promise.resolve(new Map([['t2', { status: 'IN_PROGRESS', progress: 50 }]]));
    world.now += hour + 1;
    await world.poller().run();
    expect(open()).toEqual([3]);
    expect(world.rows.get(1)).toMatchObject({
      status: 'FAILURE',
      failReason: 'the task did not end within 60 minutes',
    });
  });

  it('but not what ends in the last moment', async () => {
    world.add(1, 1);
    world.answer = everything;
    world.now += hour + 1;
    await world.poller().run();
    expect(world.rows.get(1)).toMatchObject(done);
  });

  it('but nothing because the clock of this node runs ahead', async () => {
    world.add(1, 1);
    world.add(2, 1, { taskId: '' });
    world.add(3, 2);
    world.channels.delete(2);
    world.unread.add(2);
    world.now += 24 * hour;
    world.behind = 24 * hour;
    await world.poller().run();
    expect(open()).toEqual([1, 2, 3]);
    world.behind = 0;
    await world.poller().run();
    expect(open()).toEqual([]);
  });

  it('what lies at a channel that is gone', async () => {
    world.add(1, 1);
    world.channels.clear();
    await world.poller().run();
    expect(world.rows.get(1)).toMatchObject({ status: 'FAILURE', failReason: 'channel 1 no longer exists' });
    expect(world.asked).toEqual([]);
  });

  it('what lies at a channel that this node has not read, in its time and not before', async () => {
    world.add(1, 1);
    world.channels.clear();
    world.unread.add(1);
    const poller = world.poller();
    await poller.run();
    expect(open()).toEqual([1]);
    world.now += hour + 1;
    await poller.run();
    expect(world.rows.get(1)).toMatchObject({ failReason: 'the task did not end within 60 minutes' });
  });

  it('submissions that were never confirmed, after ten minutes and not before', async () => {
    world.add(1, 1, { taskId: '' });
    const poller = world.poller();
    world.now += 9 * 60_000;
    await poller.run();
    expect(open()).toEqual([1]);
    world.now += 2 * 60_000;
    await poller.run();
    expect(open()).toEqual([]);
    expect(world.asked).toEqual([]);
  });
});

it('leaves a channel that does not answer alone, longer each time, and comes back at once when it does', async () => {
  world.add(1, 1);
  let isUnavailable = true;
  world.answer = (target, names) =>
    isUnavailable ? Promise.reject(new Error('unavailable')) : everything(target, names);
  const poller = world.poller();
  const askedAt: number[] = [];
  const began = world.now;
  for (let seconds = 0; seconds <= 600; seconds += 15) {
    world.now = began + seconds * 1000;
    const before = world.asked.length;
    await poller.run();
    if (world.asked.length > before) askedAt.push(seconds);
  }
  // The pauses between attempts are 15, 30, 60, 120 and 240 s.
  expect(askedAt).toEqual([0, 15, 45, 105, 225, 465]);
  isUnavailable = false;
  world.now += hour;
  world.rows.get(1)!.submitTime = new Date(world.now);
  await poller.run();
  expect(open()).toEqual([]);
});

it('leaves alone an account that is refused, and no other of its channel', async () => {
  const target = (await import('./task-target.js')).targetOf;
  const channel = { id: 1, baseUrl: '', setting: {} } as never;
  world.channels.set(1, { id: 1, keys: ['revoked', 'good'] });
  const printOf = (key: string): string => target(channel, key, secrets).keyPrint;
  world.add(1, 1, { keyPrint: printOf('revoked') });
  world.add(2, 1, { keyPrint: printOf('good') });
  let isDone = false;
  world.answer = async ({ key }, names) => {
    if (key === 'good') return isDone ? everything({} as TaskTarget, names) : new Map();
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error('401');
  };
  const poller = world.poller();
  for (let run = 0; run < 8; run++) {
    await poller.run();
    world.now += 15_000;
  }
  // The first account is asked in each run, the other with growing pauses.
  expect(world.asked.filter(({ names }) => names[0] === 't2')).toHaveLength(8);
  expect(world.asked.filter(({ names }) => names[0] === 't1')).toHaveLength(4);
  isDone = true;
  await poller.run();
  expect(open()).toEqual([1]);
});

it('asks with the account that took the submission, while the channel has its key', async () => {
  const target = (await import('./task-target.js')).targetOf;
  const channel = { id: 1, baseUrl: '', setting: {} } as never;
  world.channels.set(1, { id: 1, keys: ['first', 'second'] });
  world.add(1, 1, { keyPrint: target(channel, 'first', secrets).keyPrint });
  world.add(2, 1, { keyPrint: target(channel, 'second', secrets).keyPrint });
  const keys = new Map<string, string>();
  world.answer = ({ key }, names) => {
    for (const name of names) keys.set(name, key);
    return everything({} as TaskTarget, names);
  };
  await world.poller().run();
  expect(Object.fromEntries(keys)).toEqual({ t1: 'first', t2: 'second' });
});

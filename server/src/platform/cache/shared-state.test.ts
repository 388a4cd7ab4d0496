import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startRedisCluster } from '../../../../tests/support/services/redis-cluster.js';
import { startRedisSentinel } from '../../../../tests/support/services/redis-sentinel.js';
import { findRedis, findRedisServer } from '../../../../tests/support/services/redis.js';
import { MemoryState } from './memory-state.js';
import { PrimaryState } from './primary-state.js';
import type { RedisConfig } from './redis-client.js';
import { RedisState } from './redis-state.js';
import type { SharedState } from './shared-state.js';
import { StateHost } from './state-host.js';
import type { StateRequest, StateResponse } from './state-messages.js';
import { sampled } from '../../../../tests/support/suite.js';

/** Two nodes on one store (in memory: one node, since nothing else can be shared), and their cleanup. */
interface Fixture {
  readonly one: SharedState;
  readonly other: SharedState;
  stop(): Promise<void>;
}

const fail = (error: unknown): never => {
  throw error;
};

async function onRedis(config: RedisConfig, stopServer: () => Promise<void>): Promise<Fixture> {
  const nodes = [new RedisState(config, fail), new RedisState(config, fail)] as const;
  for (const node of nodes) expect(await node.connect()).toBe(true);
  return {
    one: nodes[0],
    other: nodes[1],
    stop: async () => {
      await Promise.all(nodes.map((node) => node.close()));
      await stopServer();
    },
  };
}

const inMemory = async (): Promise<Fixture> => {
  const state = new MemoryState(fail);
  return { one: state, other: state, stop: () => state.close() };
};

/** Delays messages like those between processes: every message is text and arrives later. */
const later = <Message>(receive: (message: Message) => void) => {
  return (message: Message): void => {
    const text = JSON.stringify(message);
    setImmediate(() => receive(JSON.parse(text) as Message));
  };
};

const inPrimary = async (): Promise<Fixture> => {
  const host = new StateHost(fail);
  const workers = [0, 1].map((): PrimaryState => {
    const guest = host.connect(later<StateResponse>((response) => worker.receive(response)));
    const worker = new PrimaryState(
      later<StateRequest>((request) => guest.receive(request)),
      fail,
    );
    return worker;
  });
  const [one, other] = workers as [PrimaryState, PrimaryState];
  return { one, other, stop: () => Promise.all(workers.map((worker) => worker.close())).then(() => undefined) };
};

const onOneServer = async (): Promise<Fixture> => {
  const server = await findRedis();
  if (!server) throw new Error('no Redis');
  return onRedis({ kind: 'single', url: server.url }, () => server.stop());
};

const onSentinel = async (): Promise<Fixture> => {
  const sentinel = await startRedisSentinel();
  return onRedis({ kind: 'sentinel', sentinels: sentinel.sentinels, name: sentinel.name }, () => sentinel.stop());
};

const onCluster = async (): Promise<Fixture> => {
  const cluster = await startRedisCluster();
  return onRedis({ kind: 'cluster', nodes: cluster.nodes }, () => cluster.stop());
};

// In CI a missing Redis is a failure; elsewhere only the in-process store is tested.
const redisStores =
  findRedisServer() || process.env.CI
    ? ([
        ['Redis', onOneServer],
        ['Redis behind Sentinel', onSentinel],
        ['a Redis Cluster of three nodes', onCluster],
      ] as const)
    : [];

describe.each(
  sampled(
    [['this process', inMemory] as const, ['the primary process of two workers', inPrimary] as const, ...redisStores],
    3,
  ),
)('shared state in %s', (_, start) => {
  let fixture: Fixture;
  let one: SharedState;
  let other: SharedState;
  let key: string;

  beforeAll(async () => {
    fixture = await start();
    ({ one, other } = fixture);
  });
  beforeEach(() => {
    key = `test:${randomUUID()}`;
  });
  afterAll(() => fixture.stop());

  it('keeps a text for its lifetime, for every node', async () => {
    expect(await one.get(key)).toBeNull();
    await one.set(key, 'größe', 1);
    expect(await other.get(key)).toBe('größe');
    await delay(1100);
    expect(await other.get(key)).toBeNull();
  });

  it('replaces a text and starts its lifetime again', async () => {
    await one.set(key, 'first', 0.1);
    await other.set(key, 'second', 60);
    await delay(150);
    expect(await one.get(key)).toBe('second');
    await one.delete(key);
    expect(await other.get(key)).toBeNull();
  });

  it('gives a text to take to exactly one of many', async () => {
    await one.set(key, 'state', 60);
    const taken = await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 ? one : other).take(key)));
    expect(taken.filter((text) => text === 'state')).toHaveLength(1);
    expect(taken.filter((text) => text === null)).toHaveLength(19);
  });

  it('lets exactly one of many be first, until the lifetime ends', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 ? one : other).once(key, 1)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    await delay(1100);
    expect(await one.once(key, 60)).toBe(true);
  });

  it('adds without losing any, in a lifetime that starts with the first addition', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, at) => (at % 2 ? one : other).incrementBy(key, 2, 1)));
    expect(await one.incrementBy(key, -1, 60)).toBe(99);
    await delay(1100);
    expect(await one.incrementBy(key, 5, 60)).toBe(5);
  });

  it('allows a number of hits in any window, no more however many come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 ? one : other).hit(key, 5, 2)));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(5);
    for (const { allowed, retryAfterSeconds } of answers) {
      expect(retryAfterSeconds).toBeGreaterThanOrEqual(allowed ? 0 : 1);
      expect(retryAfterSeconds).toBeLessThanOrEqual(allowed ? 0 : 2);
    }
  });

  it('slides: a hit is forgotten one window after it came, and a refused one never counted', async () => {
    await one.hit(key, 2, 1.6);
    await delay(1000);
    await one.hit(key, 2, 1.6);
    // A recorded hit would allow nothing 800 ms later.
    expect((await one.hit(key, 2, 1.6)).allowed).toBe(false);
    await delay(800);
    expect((await one.hit(key, 2, 1.6)).allowed).toBe(true);
    expect((await one.hit(key, 2, 1.6)).allowed).toBe(false);
  });

  it('tells whether there is room without taking it', async () => {
    for (let at = 0; at < 3; at++) expect((await one.peek(key, 1, 60)).allowed).toBe(true);
    await one.hit(key, 1, 60);
    expect(await other.peek(key, 1, 60)).toEqual({ allowed: false, retryAfterSeconds: 60 });
  });

  it('follows a limit that changes', async () => {
    for (let at = 0; at < 4; at++) await one.hit(key, 4, 60);
    expect((await one.hit(key, 2, 60)).allowed).toBe(false);
    expect((await one.hit(key, 6, 60)).allowed).toBe(true);
    expect((await one.hit(key, 0, 60)).allowed).toBe(true);
  });

  describe('a count of the last minute', () => {
    /** Unix second. The store is given the time, so that no test waits. */
    const start = 1_774_695_600;
    const claim = (second: number, amount: number, limit: number, alone = false) =>
      ((second + amount) % 2 === 0 ? one : other).count(key, { second, window: 60, amount, limit, alone });

    it('never has more than the limit, however many come at once', async () => {
      const counts = await Promise.all(Array.from({ length: 20 }, () => claim(start, 1, 5)));
      expect(counts.filter(({ admitted }) => admitted)).toHaveLength(5);
      for (const { admitted, sum, freeAt } of counts.filter((count) => !count.admitted)) {
        // Everything was added in one second, which has left the window at start + 1.
        expect({ admitted, sum, freeAt }).toEqual({ admitted: false, sum: 5, freeAt: start + 61 });
      }
      expect((await claim(start + 60, 1, 5)).admitted).toBe(false);
      expect(await claim(start + 61, 1, 5)).toEqual({ admitted: true, sum: 1, second: start + 61, freeAt: 0 });
    });

    it('names the second from which an amount fits, and reads with 0', async () => {
      await claim(start, 40, 100);
      await claim(start + 10, 40, 100);
      expect(await claim(start + 20, 30, 100)).toEqual({
        admitted: false,
        sum: 80,
        second: start + 10,
        freeAt: start + 61,
      });
      expect((await claim(start + 20, 70, 100)).freeAt).toBe(start + 71);
      // An amount above the limit never fits.
      expect((await claim(start + 20, 101, 100)).freeAt).toBe(start + 81);
      expect((await claim(start + 20, 0, 0)).sum).toBe(80);
      expect((await claim(start + 61, 0, 0)).sum).toBe(40);
      expect((await claim(start + 200, 0, 0)).sum).toBe(0);
    });

    it('an amount above the limit may be alone, unless nothing is allowed', async () => {
      expect((await claim(start, 101, 100, true)).admitted).toBe(true);
      expect(await claim(start + 2, 1, 100, true)).toMatchObject({ admitted: false, freeAt: start + 61 });
      expect((await claim(start + 61, 1, 0, true)).admitted).toBe(false);
      expect((await claim(start + 61, 101, 100, true)).admitted).toBe(true);
    });

    it('is corrected where the use was counted, and not after that', async () => {
      const { second } = await claim(start, 90, 100);
      await claim(start + 5, 10, 100);
      await other.recount(key, second, -50);
      expect(await claim(start + 6, 60, 100)).toMatchObject({ admitted: false, sum: 50, freeAt: start + 61 });
      expect((await claim(start + 61, 0, 0)).sum).toBe(10);
      await one.recount(key, second, 1000);
      expect((await claim(start + 61, 0, 0)).sum).toBe(10);
      await one.recount(`${key}:unknown`, start, 1000);
      expect(await claim(start + 61, 0, 0)).toMatchObject({ sum: 10 });
    });

    it('survives nodes whose clocks differ, and one that was far ahead', async () => {
      await claim(start + 3, 1, 2);
      // The amount counts in the latest known second.
      expect(await claim(start, 1, 2)).toEqual({ admitted: true, sum: 2, second: start + 3, freeAt: 0 });
      expect((await claim(start + 1, 1, 2)).admitted).toBe(false);
      await claim(start + 86_400, 1, 2);
      expect(await claim(start + 5, 1, 2)).toEqual({ admitted: true, sum: 1, second: start + 5, freeAt: 0 });
    });

    it('agrees with a list of all that was added', async () => {
      const added: Array<{ second: number; amount: number }> = [];
      let seed = 7;
      const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
      let second = start;
      for (let step = 0; step < 250; step++) {
        second += [0, 0, 1, 7, 25][random(5)] ?? 0;
        const amount = 1 + random(40);
        const counting = added.filter((one) => one.second >= second - 60);
        const sum = counting.reduce((all, one) => all + one.amount, 0);
        const { admitted, sum: counted, second: at } = await claim(second, amount, 100);
        expect([admitted, counted]).toEqual(sum + amount <= 100 ? [true, sum + amount] : [false, sum]);
        if (admitted) added.push({ second: at, amount });
        if (admitted && random(3) === 0) {
          await one.recount(key, at, -1);
          added.push({ second: at, amount: -1 });
        }
      }
    });
  });

  it('gives a lease to one owner, who may extend and release it', async () => {
    expect(await one.lease(key, 'a', 60)).toBe(true);
    expect(await other.lease(key, 'b', 60)).toBe(false);
    expect(await other.lease(key, 'a', 60)).toBe(true);
    await other.release(key, 'b');
    expect(await other.lease(key, 'b', 60)).toBe(false);
    await one.release(key, 'a');
    expect(await other.lease(key, 'b', 0.1)).toBe(true);
    await delay(150);
    expect(await one.lease(key, 'a', 60)).toBe(true);
  });

  it('leases the slots of a limit to nodes, never more together than the limit', async () => {
    const claim = (owner: string, used: number, wanted: number, ttlSeconds = 60, limit = 10) =>
      (owner === 'a' ? one : other).leaseSlots(key, { owner, used, wanted, limit, ttlSeconds });
    expect(await claim('a', 0, 6)).toBe(6);
    expect(await claim('b', 1, 6)).toBe(4);
    // A declaration replaces the previous one.
    expect(await claim('a', 2, 3)).toBe(3);
    expect(await claim('b', 4, 6)).toBe(6);
    // Running calls keep their slots although the limit was lowered.
    expect(await claim('b', 6, 6, 60, 4)).toBe(6);
    expect(await claim('a', 0, 2, 60, 4)).toBe(0);
    expect(await claim('b', 0, 0)).toBe(0);
    expect(await claim('a', 0, 20)).toBe(10);
  });

  it('frees the slots of a node that does not renew its lease', async () => {
    const claim = { used: 8, wanted: 8, limit: 10 };
    expect(await one.leaseSlots(key, { ...claim, owner: 'dead', ttlSeconds: 0.3 })).toBe(8);
    expect(await other.leaseSlots(key, { owner: 'b', used: 0, wanted: 5, limit: 10, ttlSeconds: 60 })).toBe(2);
    await delay(400);
    expect(await other.leaseSlots(key, { owner: 'b', used: 2, wanted: 5, limit: 10, ttlSeconds: 60 })).toBe(5);
  });

  it('gives every slot once to many claims', async () => {
    const granted = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        (at % 2 ? one : other).leaseSlots(key, { owner: `n${at}`, used: 0, wanted: 3, limit: 10, ttlSeconds: 60 }),
      ),
    );
    expect(granted.reduce((sum, slots) => sum + slots, 0)).toBe(10);
  });

  it('tells every node what is published, until the subscription ends', async () => {
    const heard: string[] = [];
    const ends = await Promise.all([
      one.subscribe(key, (message) => heard.push(`one ${message}`)),
      other.subscribe(key, (message) => heard.push(`other ${message}`)),
    ]);
    await other.subscribe(`${key}:else`, (message) => heard.push(`else ${message}`));
    await one.publish(key, 'changed');
    for (let tries = 0; tries < 200 && heard.length < 2; tries++) await delay(20);
    expect(heard.sort()).toEqual(['one changed', 'other changed']);

    await Promise.all(ends.map((end) => end()));
    await one.publish(key, 'again');
    await delay(50);
    expect(heard).toHaveLength(2);
  });

  it('answers a ping', async () => {
    expect(await one.ping()).toBe(true);
  });
});

describe('shared state in this process', () => {
  it('stays bounded', async () => {
    const state = new MemoryState();
    const large = 'x'.repeat(1024 * 1024);
    for (let at = 0; at < 80; at++) await state.set(`large ${at}`, large, 60);
    expect(await state.get('large 0')).toBeNull();
    expect(await state.get('large 79')).toBe(large);
  });

  it('stays bounded in keys', async () => {
    const state = new MemoryState();
    for (let at = 0; at <= 100_000; at++) await state.set(`small ${at}`, '', 60);
    expect(await state.get('small 0')).toBeNull();
    expect([await state.get('small 1000'), await state.get('small 100000')]).toEqual(['', '']);
  });

  it('does not let one subscriber keep the message from another', async () => {
    const errors: unknown[] = [];
    const state = new MemoryState((error) => errors.push(error));
    const heard: string[] = [];
    await state.subscribe('news', () => fail(new Error('broken')));
    await state.subscribe('news', (message) => heard.push(message));
    await state.publish('news', 'hello');
    expect(heard).toEqual(['hello']);
    expect(errors).toEqual([new Error('broken')]);
  });
});

(findRedisServer() || process.env.CI ? it : it.skip)(
  'two sites share a Redis without hearing or seeing each other',
  async () => {
    const server = await findRedis();
    if (!server) throw new Error('no Redis');
    const open = (prefix: string) => new RedisState({ kind: 'single', url: server.url, prefix }, fail);
    const unique = randomUUID();
    const [one, twin, other] = [open(`${unique}-a:`), open(`${unique}-a:`), open(`${unique}-b:`)];
    for (const state of [one, twin, other]) expect(await state.connect()).toBe(true);
    const heard: string[] = [];
    await twin.subscribe('news', (message) => void heard.push(`twin ${message}`));
    await other.subscribe('news', (message) => void heard.push(`other ${message}`));
    await one.set('key', 'value', 10);
    await one.publish('news', 'hello');
    expect([await twin.get('key'), await other.get('key')]).toEqual(['value', null]);
    expect([await one.lease('work', 'me', 10), await other.lease('work', 'you', 10)]).toEqual([true, true]);
    expect((await one.hit('limit', 1, 10)).allowed && (await other.hit('limit', 1, 10)).allowed).toBe(true);
    await delay(200);
    expect(heard).toEqual(['twin hello']);
    await Promise.all([one, twin, other].map((state) => state.close()));
    await server.stop();
  },
);

import { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, type Service } from '../../../../tests/support/services/processes.js';
import { turnsDuring } from '../../../../tests/support/growth.js';
import { findRedisServer, startRedis } from '../../../../tests/support/services/redis.js';
import { ConfigError } from '../config.js';
import { Changes } from './changes.js';
import { createSharedState } from './create-shared-state.js';
import { MemoryState } from './memory-state.js';
import type { RedisConfig } from './redis-client.js';
import { ResilientState } from './resilient-state.js';
import type { Change, SharedState } from './shared-state.js';

const observed = () => {
  const lines: string[] = [];
  const failures: string[] = [];
  const degraded: number[] = [];
  const note = (fields: object, message: string): void => {
    lines.push(message);
    if (message === 'shared state connection') failures.push(String((fields as { err: unknown }).err));
  };
  return {
    lines,
    failures,
    degraded,
    observer: { logger: { info: note, warn: note }, degraded: { set: (to: number) => degraded.push(to) } },
  };
};

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('it did not happen within 10 s');
    await delay(25);
  }
}

const withRedis = findRedisServer() || process.env.CI ? describe : describe.skip;

withRedis('shared state whose Redis goes away', () => {
  let port: number;
  let redis: Service;
  let state: SharedState;
  let seen: ReturnType<typeof observed>;

  beforeEach(async () => {
    port = await freePort();
    redis = await startRedis({ port });
    seen = observed();
    state = await createSharedState({ kind: 'single', url: redis.url }, seen.observer);
  });
  afterEach(async () => {
    await state.close();
    await redis.stop();
  });

  it('logs a connection that cannot be made once, however often it is tried', async () => {
    await redis.stop();
    await until(() => seen.failures.some((failure) => failure.includes('ECONNREFUSED')));
    // The two connections are retried every 50 ms at first.
    await delay(1000);
    expect(seen.failures).toEqual([...new Set(seen.failures)]);
  });

  it('goes on in memory without waiting, says so once, and goes back', async () => {
    await state.set('greeting', 'hello', 60);
    await redis.stop();
    await until(async () => !(await state.ping()));

    const turns = await turnsDuring(async () => {
      for (let at = 0; at < 3; at++) expect((await state.hit('calls', 2, 60)).allowed).toBe(at < 2);
      await state.set('greeting', 'alone', 60);
      expect(await state.get('greeting')).toBe('alone');
      expect(await state.lease('sweeper', 'me', 60)).toBe(true);
    });
    expect(turns).toBeLessThan(10);
    expect(seen.lines.filter((line) => line.startsWith('Redis is unavailable'))).toHaveLength(1);
    expect(seen.degraded.at(-1)).toBe(1);

    redis = await startRedis({ port });
    await until(() => state.ping());
    await state.set('greeting', 'together', 60);
    expect(seen.lines).toContain('Redis is available again');
    expect(seen.degraded.at(-1)).toBe(0);
  });

  it('waits once, and not long, for a Redis that hangs', async () => {
    const admin = new Redis(redis.url);
    await admin.call('CLIENT', 'PAUSE', '5000', 'ALL');
    admin.disconnect();

    expect(await state.incrementBy('count', 1, 60)).toBe(1);
    // The call did not wait for Redis, which would have counted it.
    expect(seen.degraded.at(-1)).toBe(1);
    const turns = await turnsDuring(async () => {
      for (let at = 0; at < 10; at++) await state.incrementBy('count', 1, 60);
    });
    expect(turns).toBeLessThan(10);
  });

  it('still tells its own subscribers while away, and tells them of the gap when back', async () => {
    const changes = new Changes(state);
    const heard: Change[] = [];
    changes.on('user', (change) => heard.push(change));
    changes.on('channel', (change) => heard.push(change));
    await changes.listen();

    await redis.stop();
    await until(async () => !(await state.ping()));
    await changes.announce({ kind: 'user', id: 7 });
    expect(heard).toContainEqual({ kind: 'user', id: 7 });

    heard.length = 0;
    redis = await startRedis({ port });
    await until(() => heard.length >= 2);
    expect(heard).toEqual(expect.arrayContaining([{ kind: 'user' }, { kind: 'channel' }]));
    // The subscription itself is renewed, too.
    await until(() => state.ping());
    const other = await createSharedState({ kind: 'single', url: redis.url }, observed().observer);
    await until(async () => {
      await new Changes(other).announce({ kind: 'user', id: 8 });
      return heard.some(({ id }) => id === 8);
    });
    await other.close();
  });
});

withRedis('shared state whose Redis lacks the database of its address', () => {
  it('refuses to start, instead of going on in database 0', async () => {
    const redis = await startRedis();
    const seen = observed();
    await expect(createSharedState({ kind: 'single', url: `${redis.url}/99` }, seen.observer)).rejects.toThrow(
      /^REDIS_URL: Redis refuses database 99 \(ERR .+\)$/,
    );
    const state = await createSharedState({ kind: 'single', url: `${redis.url}/2` }, seen.observer);
    await state.set('key', 'value', 60);
    const plain = new Redis(`${redis.url}/2`);
    expect(await plain.keys('*')).toEqual(['tollgate:key']);
    await plain.quit();
    await state.close();
    await redis.stop();
  });
});

withRedis('shared state whose Redis has a password', () => {
  let redis: Service;
  let admin: Redis;
  const withPassword = (password: string): string => redis.url.replace('//', `//:${password}@`);
  const setPassword = (password: string): Promise<unknown> => admin.config('SET', 'requirepass', password);
  beforeEach(async () => {
    redis = await startRedis();
    admin = new Redis(redis.url);
    await setPassword('right');
  });
  afterEach(async () => {
    admin.disconnect();
    await redis.stop();
  });

  const single = (address: () => string) => (): RedisConfig => ({ kind: 'single', url: address() });
  it.each([
    ['a wrong password', single(() => withPassword('wrong')), 'refuses the user name or the password (WRONGPASS)'],
    ['no password', single(() => redis.url), 'needs a password (NOAUTH)'],
    [
      'a wrong password of a Cluster',
      (): RedisConfig => ({ kind: 'cluster', url: withPassword('wrong'), nodes: [new URL(redis.url).host] }),
      'refuses the user name or the password (WRONGPASS)',
    ],
  ])('refuses to start with %s, and says so once', async (_name, config, reason) => {
    const seen = observed();
    const start = createSharedState(config(), seen.observer);
    await expect(start).rejects.toThrow(new ConfigError([`REDIS_URL: Redis ${reason}`]));
    expect(seen.lines).toEqual([]);
  });

  it('runs on when the password is changed later, and uses Redis again when it is changed back', async () => {
    const seen = observed();
    const state = await createSharedState({ kind: 'single', url: withPassword('right') }, seen.observer);
    await setPassword('another');
    const end = async (type: 'NORMAL' | 'PUBSUB') => admin.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
    await Promise.all([end('NORMAL'), end('PUBSUB')]);
    await until(async () => (await state.incrementBy('count', 1, 60)) > 0 && seen.degraded.at(-1) === 1);
    await until(() => seen.failures.some((failure) => failure.includes('WRONGPASS')));
    await setPassword('right');
    await until(() => state.ping());
    expect(seen.degraded.at(-1)).toBe(0);
    await state.close();
  });
});

describe('a clock that is set back by an hour', () => {
  afterEach(() => jest.restoreAllMocks());
  const setBack = (): void => {
    const now = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
  };

  it('does not keep the store from being tried again', async () => {
    const store = new MemoryState();
    const read = jest.spyOn(store, 'get').mockRejectedValueOnce(new Error('gone'));
    const back = jest.fn();
    const state = new ResilientState(store, new MemoryState(), { onUnavailable: () => undefined, onBack: back });
    await state.get('key');
    setBack();
    await until(async () => {
      await state.get('key');
      return back.mock.calls.length === 1;
    });
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('does not lengthen a limit', async () => {
    const state = new MemoryState();
    await state.hit('key', 1, 60);
    setBack();
    const { allowed, retryAfterSeconds } = await state.hit('key', 1, 60);
    expect(allowed).toBe(false);
    expect(retryAfterSeconds).toBeLessThanOrEqual(60);
  });
});

describe('shared state whose Redis is not there', () => {
  it('starts anyway', async () => {
    const seen = observed();
    const state = await createSharedState(
      { kind: 'single', url: `redis://127.0.0.1:${await freePort()}` },
      seen.observer,
    );
    const end = await state.subscribe('news', () => undefined);
    expect(await state.incrementBy('count', 3, 60)).toBe(3);
    expect(seen.lines.filter((line) => line.startsWith('Redis is unavailable'))).toHaveLength(1);
    expect(await state.ping()).toBe(false);
    await end();
    await state.close();
  });
});

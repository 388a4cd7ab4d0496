import { Redis } from 'ioredis';
import type { Person } from '../support/api.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { freePort } from '../support/services/processes.js';
import { findRedisServer, startRedis } from '../support/services/redis.js';
import { startRedisCluster } from '../support/services/redis-cluster.js';
import { chat } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Auditor, callOnce, channelReaches, openSite, optionsReach, quickDeath, Traffic, until } from './traffic.js';
import { isFullSuite, sampled } from '../support/suite.js';

interface Store {
  /** Environment variables with which the servers reach it. */
  readonly environment: Record<string, string>;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

async function singleRedis(): Promise<Store> {
  const service = await startRedis();
  return {
    environment: { REDIS_URL: service.url },
    flush: () => flushAll([service.url]),
    stop: () => service.stop(),
  };
}

async function clusteredRedis(): Promise<Store> {
  const cluster = await startRedisCluster();
  return {
    environment: { REDIS_CLUSTER_NODES: cluster.nodes.join(',') },
    flush: () => flushAll(cluster.nodes.map((node) => `redis://${node}`)),
    stop: () => cluster.stop(),
  };
}

async function flushAll(urls: string[]): Promise<void> {
  for (const url of urls) {
    const client = new Redis(url);
    await client.flushall();
    client.disconnect();
  }
}

if (!findRedisServer()) {
  // Outside CI a machine may have no Redis, which `npm test` reports in its first lines; in CI that is a failure.
  if (process.env.CI) throw new Error('redis-server is needed in CI');
  it.skip('two nodes need redis-server', () => undefined);
} else {
  describe.each(
    sampled(
      [
        ['one Redis', singleRedis],
        ['a Redis Cluster of three nodes', clusteredRedis],
      ],
      1,
    ),
  )('two nodes on one Postgres and %s', (_name, startStore) => {
    let store: Store;
    let upstream: Upstream;
    let database: TestDatabase;
    let one: SpawnedServer;
    let two: SpawnedServer;
    let auditor: Auditor;
    let site: Awaited<ReturnType<typeof openSite>>;
    const start = (): Promise<SpawnedServer> =>
      spawnServer({ database, environment: { ...store.environment, ...quickDeath } });

    beforeAll(async () => {
      store = await startStore();
      upstream = await startUpstream();
      database = await createTestDatabase();
      [one, two] = await Promise.all([start(), start()]);
      auditor = new Auditor(database);
      site = await openSite(one.api, upstream.url, [
        { username: 'rich', quota: 50_000_000 },
        { username: 'ten', quota: 6251 },
        { username: 'limited', quota: 50_000_000 },
        { username: 'changing', quota: 50_000_000 },
      ]);
      await channelReaches([one, two], site.keys[0]!);
    });
    afterAll(async () => {
      await auditor.close();
      await Promise.all([one.stop(), two.stop()]);
      await store.stop();
      await upstream.stop();
      await database.drop();
    });
    beforeEach(() => {
      upstream.reset();
      upstream.script(
        { model: 'gpt-4o' },
        chat({ text: 'hello', usage: { prompt_tokens: 100, completion_tokens: 100 } }),
      );
    });

    it('never spend a balance twice', async () => {
      // With the estimate alone every call reserves what it will cost; tests/security/overdraft.test.ts has the other mode.
      await one.api.data(site.root, 'PUT', '/api/option/', { key: 'StrictReserve', value: 'false' });
      await optionsReach([one, two], site.root, { StrictReserve: 'false' });
      const [, key] = site.keys;
      const results = await Promise.all(
        Array.from({ length: 200 }, (_, index) => callOnce((index % 2 === 0 ? one : two).url, key!, index % 3 === 0)),
      );
      expect(results.filter((seen) => seen.whole)).toHaveLength(10);
      expect(new Set(results.filter((seen) => !seen.whole).map((seen) => `${seen.status} ${seen.code}`))).toEqual(
        new Set(['403 insufficient_user_quota']),
      );
      expect(await auditor.quotaOf('ten')).toEqual({ quota: 1, used: 6250 });
      expect(await auditor.drifts()).toEqual([]);
    });

    it('hold a rate limit together', async () => {
      await one.api.data(site.root, 'PUT', '/api/option/', { key: 'ModelRequestRateLimitCount', value: '10' });
      await one.api.data(site.root, 'PUT', '/api/option/', { key: 'ModelRequestRateLimitEnabled', value: 'true' });
      await optionsReach([one, two], site.root, {
        ModelRequestRateLimitCount: '10',
        ModelRequestRateLimitEnabled: 'true',
      });
      const [, , key] = site.keys;
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, index) => callOnce((index % 2 === 0 ? one : two).url, key!, false)),
      );
      expect(results.filter((seen) => seen.status === 200)).toHaveLength(10);
      const refused = results.filter((seen) => seen.status === 429);
      expect(refused).toHaveLength(30);
      expect(refused.every((seen) => Number(seen.retryAfter) > 0)).toBe(true);
      await one.api.data(site.root, 'PUT', '/api/option/', { key: 'ModelRequestRateLimitEnabled', value: 'false' });
      await optionsReach([one, two], site.root, { ModelRequestRateLimitEnabled: 'false' });
    });

    /**
     * Seconds. Far less than the minute after which a node reloads everything, so only an announcement arrives within
     * it.
     */
    const announcedSeconds = 40;

    describe('a change on one takes effect on the other', () => {
      const status = async (key: string): Promise<string> => {
        const seen = await callOnce(two.url, key, false);
        return seen.status === 200 ? '200' : `${seen.status} ${seen.code}`;
      };
      /** Checks a change at the second node, which has cached the previous state and has to drop it. */
      async function changes(
        key: string,
        before: string,
        change: () => Promise<unknown>,
        after: string,
      ): Promise<void> {
        expect(await status(key)).toBe(before);
        await change();
        await until(async () => (await status(key)) === after, announcedSeconds, `the other node answers ${after}`);
      }
      const rest = (person: Person, method: string, path: string, body?: unknown) =>
        one.api.data(person, method, path, body);

      it('of a channel', async () => {
        const [key] = site.keys;
        await changes(
          key!,
          '200',
          () => rest(site.root, 'PUT', '/api/channel/', { id: site.channelId, status: 2 }),
          '503 model_not_found',
        );
        await changes(
          key!,
          '503 model_not_found',
          () => rest(site.root, 'PUT', '/api/channel/', { id: site.channelId, status: 1 }),
          '200',
        );
      });

      it('of an option', async () => {
        const [key] = site.keys;
        await rest(site.root, 'PUT', '/api/channel/', { id: site.channelId, models: 'gpt-4o,house-model' });
        const unpriced = async (): Promise<number> =>
          (
            await one.api.relay(key!, '/v1/chat/completions', {
              model: 'house-model',
              messages: [{ role: 'user', content: 'hi' }],
            })
          ).status;
        const elsewhere = async (): Promise<number> =>
          (
            await two.api.relay(key!, '/v1/chat/completions', {
              model: 'house-model',
              messages: [{ role: 'user', content: 'hi' }],
            })
          ).status;
        await until(async () => (await elsewhere()) === 400, announcedSeconds, 'the model is known and has no price');
        const selfUse = (value: string) => rest(site.root, 'PUT', '/api/option/', { key: 'SelfUseModeEnabled', value });
        await selfUse('true');
        expect(await unpriced()).toBe(200);
        await until(
          async () => (await elsewhere()) === 200,
          announcedSeconds,
          'the other node lets unpriced models through',
        );
        await selfUse('false');
        await until(async () => (await elsewhere()) === 400, announcedSeconds, 'the other node refuses them again');
      });

      it('of a price', async () => {
        const [key] = site.keys;
        const cost = async (): Promise<number> => {
          const before = (await auditor.quotaOf('rich')).used;
          await callOnce(two.url, key!, false);
          return (await auditor.quotaOf('rich')).used - before;
        };
        expect(await cost()).toBe(625);
        await rest(site.root, 'PUT', '/api/option/', { key: 'ModelRatio', value: '{"gpt-4o": 2.5}' });
        await until(async () => (await cost()) === 1250, announcedSeconds, 'the other node charges the new price');
        await rest(site.root, 'PUT', '/api/option/', { key: 'ModelRatio', value: '{"gpt-4o": 1.25}' });
        await until(async () => (await cost()) === 625, announcedSeconds, 'the other node charges the old price again');
      });

      it('of a user', async () => {
        const key = site.keys[3]!;
        const person = site.people[3]!;
        const manage = (action: string) => rest(site.root, 'POST', '/api/user/manage', { id: person.id, action });
        await changes(key, '200', () => manage('disable'), '403 user_banned');
        await changes(key, '403 user_banned', () => manage('enable'), '200');
      });

      it('of a token', async () => {
        // The ban ended the session.
        const person = await one.api.signIn(site.people[3]!.username, site.people[3]!.password);
        const token = await one.api.createToken(person, { name: 'second' });
        await changes(
          token.key,
          '200',
          () => rest(person, 'PUT', '/api/token/?status_only=true', { id: token.id, status: 2 }),
          '401 token_disabled',
        );
        await changes(
          token.key,
          '401 token_disabled',
          () => rest(person, 'DELETE', `/api/token/${token.id}`),
          '401 invalid_api_key',
        );
      });
    });

    it('one killed under load loses nothing: the other gives back what it held', async () => {
      const traffic = new Traffic(16, (caller) => ({ url: (caller % 2 === 0 ? one : two).url, key: site.keys[0]! }));
      for (let kill = 0; kill < (isFullSuite ? 5 : 2); kill++) {
        await new Promise((resolve) => setTimeout(resolve, 300 + kill * 70));
        await two.kill('SIGKILL');
        expect(await auditor.drifts()).toEqual([]);
        two = await start();
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
      await two.kill('SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, 500));
      await traffic.stop();
      // Only the first node is running.
      await until(async () => (await auditor.openReservations()) === 0, 40, 'what the dead node held is given back');
      expect(await auditor.notLoggedOnce(traffic.answered)).toEqual([]);
      expect(await auditor.drifts()).toEqual([]);
      const { quota, used } = await auditor.quotaOf('rich');
      expect(quota + used).toBe(50_000_000);
      two = await start();
    }, 300_000);

    it('Redis flushed and stopped under load costs no money and never a 401', async () => {
      const traffic = new Traffic(8, (caller) => ({
        url: (caller % 2 === 0 ? one : two).url,
        key: site.keys[caller % 3 === 0 ? 0 : 3]!,
      }));
      await new Promise((resolve) => setTimeout(resolve, 500));
      await store.flush();
      await new Promise((resolve) => setTimeout(resolve, 500));
      await store.stop();
      const atStop = traffic.answered.length;
      await new Promise((resolve) => setTimeout(resolve, 3000));
      await until(() => traffic.answered.length > atStop, 60, 'calls are answered without Redis');
      const seen = await traffic.stop();
      expect(seen.filter((call) => call.status !== 200)).toEqual([]);
      expect(await auditor.notLoggedOnce(traffic.answered)).toEqual([]);
      await until(async () => (await auditor.openReservations()) === 0, 30, 'nothing is held');
      expect(await auditor.drifts()).toEqual([]);
    });
  });

  it('Redis stopped and started again under load: announcements and limits work again', async () => {
    const port = await freePort();
    let redis = await startRedis({ port });
    const upstream = await startUpstream();
    const database = await createTestDatabase();
    const environment = { REDIS_URL: redis.url };
    const [one, two] = await Promise.all([
      spawnServer({ database, environment }),
      spawnServer({ database, environment }),
    ]);
    const auditor = new Auditor(database);
    try {
      const site = await openSite(one.api, upstream.url, [{ username: 'caller', quota: 50_000_000 }]);
      await channelReaches([one, two], site.keys[0]!);
      const traffic = new Traffic(8, (caller) => ({ url: (caller % 2 === 0 ? one : two).url, key: site.keys[0]! }));
      await new Promise((resolve) => setTimeout(resolve, 300));
      await redis.stop();
      await new Promise((resolve) => setTimeout(resolve, 2000));
      redis = await startRedis({ port });
      await new Promise((resolve) => setTimeout(resolve, 3000));
      const seen = await traffic.stop();
      expect(seen.filter((call) => call.status !== 200)).toEqual([]);
      await one.api.data(site.root, 'PUT', '/api/channel/', { id: site.channelId, status: 2 });
      await until(
        async () => (await callOnce(two.url, site.keys[0]!, false)).status === 503,
        20,
        'announcements reach the other node again',
      );
      expect(await auditor.notLoggedOnce(traffic.answered)).toEqual([]);
      expect(await auditor.drifts()).toEqual([]);
    } finally {
      await auditor.close();
      await Promise.all([one.stop(), two.stop()]);
      await redis.stop();
      await upstream.stop();
      await database.drop();
    }
  });
}

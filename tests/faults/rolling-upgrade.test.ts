import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startBalancer, type Balancer } from '../support/balancer.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { findRedisServer, startRedis } from '../support/services/redis.js';
import { chat } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Auditor, callOnce, channelReaches, openSite, Traffic, until } from './traffic.js';

const nextSchema = pathToFileURL(join(import.meta.dirname, '../fixtures/next-schema.mjs')).href;
/** 100 prompt tokens and 100 completion tokens of gpt-4o: (100 + 100 × 4) × 1.25. */
const price = 625;
const balance = 500_000_000;

if (!findRedisServer()) {
  if (process.env.CI) throw new Error('redis-server is needed in CI');
  it.skip('two nodes need redis-server', () => undefined);
} else {
  describe('two nodes behind a load balancer, upgraded one after the other under load', () => {
    let redis: Awaited<ReturnType<typeof startRedis>>;
    let upstream: Upstream;
    let database: TestDatabase;
    let balancer: Balancer;
    let auditor: Auditor;
    const nodes: SpawnedServer[] = [];
    const environment = (): Record<string, string> => ({
      REDIS_URL: redis.url,
      SHUTDOWN_DELAY: '2',
      SHUTDOWN_TIMEOUT: '30',
    });
    const startOld = (): Promise<SpawnedServer> => spawnServer({ database, environment: environment() });
    /** The same build with one migration more. */
    const startNew = (): Promise<SpawnedServer> =>
      spawnServer({ database, environment: { ...environment(), NODE_OPTIONS: `--import ${nextSchema}` } });
    const hasNextSchema = async (): Promise<boolean> =>
      (await auditor.pool.query(`SELECT 1 FROM migrations WHERE name = 'Next9999999999999'`)).rows.length === 1;

    beforeAll(async () => {
      redis = await startRedis();
      upstream = await startUpstream();
      database = await createTestDatabase();
      balancer = await startBalancer();
      auditor = new Auditor(database);
      nodes.push(...(await Promise.all([startOld(), startOld()])));
    });
    afterAll(async () => {
      await auditor.close();
      await balancer.stop();
      await Promise.all(nodes.map((node) => node.stop()));
      await redis.stop();
      await upstream.stop();
      await database.drop();
    });

    it('no call fails, none is lost or charged twice, and the old node works on the new schema', async () => {
      const usage = { prompt_tokens: 100, completion_tokens: 100 };
      // A stream lasts about a second, so that many streams are running at each stop.
      upstream.script({ model: 'gpt-4o' }, chat({ text: ['a', 'b', 'c', 'd', 'e'], gapMilliseconds: 200, usage }));
      const site = await openSite(nodes[0]!.api, upstream.url, [{ username: 'caller', quota: balance }]);
      const [key] = site.keys as [string];
      await channelReaches(nodes, key);
      const balanced = (): void => balancer.use(nodes.map(({ url }) => url));
      balanced();
      await until(async () => (await callOnce(balancer.url, key, false)).status === 200, 20, 'a node is ready');

      const direct: Awaited<ReturnType<typeof callOnce>>[] = [];
      const traffic = new Traffic(12, () => ({ url: balancer.url, key }));
      const failures = () => traffic.seen.filter((seen) => seen.status !== 200 || !seen.whole);
      const before = nodes.map(({ url }) => url);
      await until(() => before.every((url) => balancer.sentTo(url) > 30), 60, 'both old nodes have served calls');
      expect(await hasNextSchema()).toBe(false);

      // The first node is stopped, upgraded and started.
      await nodes[0]!.kill('SIGTERM');
      expect(nodes[0]!.process.exitCode).toBe(0);
      expect(failures()).toEqual([]);
      nodes[0] = await startNew();
      balanced();
      expect(await hasNextSchema()).toBe(true);

      // The second node still runs the previous version on the new schema: calls, the console, and reconciliation.
      const old = nodes[1]!;
      expect(old.process.exitCode).toBeNull();
      for (let call = 0; call < 10; call++) direct.push(await callOnce(old.url, key, call % 2 === 0));
      expect(direct.map(({ status, whole }) => [status, whole])).toEqual(direct.map(() => [200, true]));
      const person = await old.api.signIn(site.people[0]!.username, site.people[0]!.password);
      const made = await old.api.createToken(person, { name: 'made by the old node' });
      direct.push(await callOnce(old.url, made.key, false), await callOnce(nodes[0].url, made.key, true));
      expect(direct.at(-1)).toMatchObject({ status: 200, whole: true });
      const sentBefore = [old.url, nodes[0].url].map((url) => balancer.sentTo(url));
      await until(
        () => [old.url, nodes[0]!.url].every((url, at) => balancer.sentTo(url) > sentBefore[at]! + 30),
        60,
        'both versions serve calls side by side',
      );

      // The second node is upgraded.
      await old.kill('SIGTERM');
      expect(old.process.exitCode).toBe(0);
      nodes[1] = await startNew();
      balanced();
      const upgraded = nodes.map(({ url }) => url);
      const sent = upgraded.map((url) => balancer.sentTo(url));
      await until(() => upgraded.every((url, at) => balancer.sentTo(url) > sent[at]! + 30), 60, 'both new nodes serve');

      const seen = await traffic.stop();
      expect(failures()).toEqual([]);
      const all = [...seen, ...direct];
      expect(all.length).toBeGreaterThan(150);
      expect(await auditor.notLoggedOnce(all)).toEqual([]);
      await until(async () => (await auditor.openReservations()) === 0, 30, 'nothing is reserved any more');
      // One call waited until the first node was ready; the calls before it were refused.
      const charged = (all.length + 1) * price;
      expect(await auditor.quotaOf('caller')).toEqual({ quota: balance - charged, used: charged });
      expect(await auditor.drifts()).toEqual([]);
    }, 300_000);
  });
}

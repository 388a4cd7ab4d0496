import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { findRedisServer, startRedis } from '../support/services/redis.js';
import type { Service } from '../support/services/processes.js';
import { json } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Auditor, callOnce, openSite, quickDeath, until } from './traffic.js';

if (!findRedisServer() && process.env.CI) throw new Error('redis-server is needed in CI');

(findRedisServer() ? describe : describe.skip)('a limit of concurrent calls over two nodes', () => {
  let redis: Service;
  let upstream: Upstream;
  let database: TestDatabase;
  let one: SpawnedServer;
  let two: SpawnedServer;
  let auditor: Auditor;
  let site: Awaited<ReturnType<typeof openSite>>;
  let held: Array<() => void> = [];
  const start = (): Promise<SpawnedServer> =>
    spawnServer({ database, environment: { REDIS_URL: redis.url, ...quickDeath } });

  beforeAll(async () => {
    redis = await startRedis();
    upstream = await startUpstream();
    database = await createTestDatabase();
    one = await start();
    auditor = new Auditor(database);
    site = await openSite(one.api, upstream.url, [{ username: 'rich', quota: 50_000_000 }]);
    upstream.script({ model: 'gpt-4o' }, async (response, request) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await json({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })(response, request);
    });
    await one.api.data(site.root, 'PUT', '/api/option/', { key: 'ModelRequestUserInFlightLimit', value: '4' });
    // The second server starts after the limit was set, so it knows the limit.
    two = await start();
  });
  afterAll(async () => {
    await auditor.close();
    await Promise.all([one.stop(), two.stop()]);
    await redis.stop();
    await upstream.stop();
    await database.drop();
  });

  const call = (node: SpawnedServer) => callOnce(node.url, site.keys[0] ?? '', false);

  it('is free again after a node was killed, when its lease is over', async () => {
    const onTwo = [call(two), call(two), call(two), call(two)];
    await until(() => held.length === 4, 20, 'four calls are in progress');
    for (const node of [one, two]) expect((await call(node)).status).toBe(429);
    await two.kill('SIGKILL');
    await Promise.all(onTwo);
    // The dead node's calls count until its lease has expired.
    expect((await call(one)).status).toBe(429);
    held = [];
    const again: Array<ReturnType<typeof call>> = [];
    await until(
      async () => {
        const running = call(one);
        const refused = running.then(({ status }) => status === 429);
        const served = until(() => held.length > 0, 20, 'the call is refused or served').then(() => false);
        if (await Promise.race([refused, served])) return false;
        again.push(running);
        return true;
      },
      30,
      'the slots of the dead node are free',
    );
    again.push(call(one), call(one), call(one));
    await until(() => held.length === 4, 20, 'four calls are in progress on the other node');
    expect((await call(one)).status).toBe(429);
    held.forEach((go) => go());
    expect((await Promise.all(again)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    two = await start();
    expect(await auditor.drifts()).toEqual([]);
  });
});

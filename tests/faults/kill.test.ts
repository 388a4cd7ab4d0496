import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Auditor, grantPlan, openSite, quickDeath, Traffic, until } from './traffic.js';

/** How often the server is killed at a random moment. `npm test -- --full` sets 50. */
const kills = Number(process.env['KILLS'] ?? 6);

let upstream: Upstream;
let database: TestDatabase;
let dataDir: string;
let server: SpawnedServer;
let auditor: Auditor;
const start = (): Promise<SpawnedServer> =>
  spawnServer({ database, environment: { DATA_DIR: dataDir, ...quickDeath } });

beforeAll(async () => {
  upstream = await startUpstream();
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-kill-'));
  server = await start();
  auditor = new Auditor(database);
});
afterAll(async () => {
  await auditor.close();
  await server.stop();
  await upstream.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

it(
  `${kills} times killed under load: every answered call is charged once, the ledger is exact`,
  async () => {
    const initial = 50_000_000;
    const { keys, root } = await openSite(server.api, upstream.url, [
      { username: 'one', quota: initial },
      { username: 'two', quota: initial },
      { username: 'three', quota: initial },
    ]);
    // A plan pays for all calls of the third user.
    const planned = await auditor.idOf('three');
    await grantPlan(server.api, root, planned, initial);
    // The charges have fractions, which are carried across every restart.
    await server.api.data(root, 'PUT', '/api/option/', { key: 'GroupRatio', value: '{"default":0.37}' });
    // Each restart uses another port: calls to the old one would only slow down the start.
    let alive = true;
    const traffic = new Traffic(12, (caller) => (alive ? { url: server.url, key: keys[caller % keys.length]! } : null));

    for (let kill = 0; kill < kills; kill++) {
      // Every other process is killed during calls, the rest at any moment, often before the first response.
      const before = traffic.answered.length;
      if (kill % 2 === 1) await until(() => traffic.answered.length >= before + 3, 60, 'calls are answered');
      await new Promise((resolve) => setTimeout(resolve, randomInt(20, 400)));
      alive = false;
      await server.kill('SIGKILL');
      // Between two runs, every charge is in the database or the spool.
      expect(await auditor.drifts()).toEqual([]);
      server = await start();
      alive = true;
    }
    const seen = await traffic.stop();

    expect(traffic.answered.length).toBeGreaterThan(kills);
    expect(seen.filter((one) => one.status !== 0 && one.status !== 200)).toEqual([]);
    expect(await auditor.notLoggedOnce(traffic.answered)).toEqual([]);
    await until(async () => (await auditor.openReservations()) === 0, 40, 'what the dead held is given back');
    expect(await auditor.drifts()).toEqual([]);
    expect(await auditor.carriers()).toBe(3);
    for (const name of ['one', 'two']) {
      const { quota, used } = await auditor.quotaOf(name);
      expect(quota + used).toBe(initial);
    }
    const { quota, used } = await auditor.quotaOf('three');
    expect(quota).toBe(initial);
    expect(await auditor.paidByPlans(planned)).toBe(used);
    expect(used).toBeGreaterThan(0);
  },
  60_000 + kills * 15_000,
);

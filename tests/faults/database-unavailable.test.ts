import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { privatePostgres, type PrivatePostgres } from '../support/services/postgres.js';
import { chat } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Auditor, callOnce, openSite, Traffic, until } from './traffic.js';

/** `npm test -- --full` asks for 20. */
const awaySeconds = Number(process.env['OUTAGE_SECONDS'] ?? 6);

let postgres: PrivatePostgres;
let upstream: Upstream;
let dataDir: string;
let server: SpawnedServer;
let auditor: Auditor;
beforeAll(async () => {
  postgres = await privatePostgres();
  await postgres.start();
  upstream = await startUpstream();
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-away-'));
  server = await spawnServer({
    database: { url: postgres.url, drop: () => Promise.resolve() },
    environment: { DATA_DIR: dataDir },
  });
  auditor = new Auditor({ url: postgres.url });
});
afterAll(async () => {
  await auditor.close();
  await server.stop();
  await upstream.stop();
  await postgres.remove();
  await rm(dataDir, { recursive: true, force: true });
});

it(`Postgres away for ${awaySeconds} s under load: 503 with Retry-After, nothing lost, the spool replayed`, async () => {
  // Streams of two seconds, so that calls are in flight when the database becomes unavailable.
  upstream.script({ model: 'gpt-4o' }, chat({ text: Array.from({ length: 20 }, () => 'word '), gapMilliseconds: 100 }));
  const initial = 50_000_000;
  const { keys } = await openSite(server.api, upstream.url, [{ username: 'caller', quota: initial }]);
  const key = keys[0]!;
  const traffic = new Traffic(20, () => ({ url: server.url, key }));
  await until(() => traffic.answered.length >= 20, 30, 'calls are answered');

  await postgres.stop();
  const before = traffic.seen.length;
  await new Promise((resolve) => setTimeout(resolve, awaySeconds * 1000));
  const meanwhile = traffic.seen.slice(before);
  const spooled = (await readdir(join(dataDir, 'spool'))).length;
  await postgres.start();
  await until(async () => (await callOnce(server.url, key, false)).whole, 30, 'calls are answered again');
  await traffic.stop();

  // Calls in flight were served completely. Later calls got a Retry-After.
  expect(meanwhile.filter((seen) => seen.whole).length).toBeGreaterThan(0);
  expect(spooled).toBeGreaterThan(0);
  const refused = meanwhile.filter((seen) => !seen.whole);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.filter((seen) => seen.status !== 503 || !Number(seen.retryAfter))).toEqual([]);

  await until(async () => (await readdir(join(dataDir, 'spool'))).length === 0, 30, 'the spool is replayed');
  await until(async () => (await auditor.openReservations()) === 0, 30, 'nothing is held');
  expect(await auditor.notLoggedOnce(traffic.answered)).toEqual([]);
  expect(await auditor.drifts()).toEqual([]);
  const { quota, used } = await auditor.quotaOf('caller');
  expect(quota + used).toBe(initial);
});

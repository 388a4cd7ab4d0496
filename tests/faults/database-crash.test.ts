import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { privatePostgres, type PrivatePostgres } from '../support/services/postgres.js';
import { chat } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Auditor, callOnce, openSite, Traffic, until } from './traffic.js';

let postgres: PrivatePostgres;
let upstream: Upstream;
let dataDir: string;
let server: SpawnedServer;
let auditor: Auditor;
let key: string;
const initial = 50_000_000;
beforeAll(async () => {
  postgres = await privatePostgres({ forgetful: true });
  await postgres.start();
  upstream = await startUpstream();
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-crash-'));
  server = await spawnServer({
    database: { url: postgres.url, drop: () => Promise.resolve() },
    environment: { DATA_DIR: dataDir },
  });
  auditor = new Auditor({ url: postgres.url });
  const { keys } = await openSite(server.api, upstream.url, [{ username: 'caller', quota: initial }]);
  key = keys[0]!;
});
afterAll(async () => {
  await auditor.close();
  await server.stop();
  await upstream.stop();
  await postgres.remove();
  await rm(dataDir, { recursive: true, force: true });
});

async function booksAreRight(): Promise<void> {
  await until(async () => (await callOnce(server.url, key, false)).whole, 30, 'calls are answered again');
  await until(
    async () => (await readdir(join(dataDir, 'spool')).catch(() => [])).length === 0,
    30,
    'nothing is spooled',
  );
  await until(async () => (await auditor.openReservations()) === 0, 30, 'nothing is held');
  expect(await auditor.drifts()).toEqual([]);
  const { quota, used } = await auditor.quotaOf('caller');
  expect(quota + used).toBe(initial);
}

it('a crash that takes the reservations of calls in flight: each is answered and charged once', async () => {
  const words = Array.from({ length: 10 }, () => 'word ');
  const reply = chat({ text: words, gapMilliseconds: 150 });
  let open = Promise.resolve();
  upstream.script({ model: 'gpt-4o' }, async (...given) => {
    await open;
    return reply(...given);
  });
  let taken = 0;
  for (let round = 0; round < 4; round++) {
    let begin = (): void => undefined;
    open = new Promise<void>((resolve) => (begin = resolve));
    const calls = Array.from({ length: 10 }, () => callOnce(server.url, key, true));
    await until(async () => (await auditor.openReservations()) === calls.length, 60, 'all calls are held');
    begin();
    await postgres.crash();
    await postgres.start();
    taken += calls.length - (await auditor.openReservations());
    const seen = await Promise.all(calls);
    expect(seen.filter((one) => !one.whole)).toEqual([]);
    await booksAreRight();
    expect(await auditor.notLoggedOnce(seen)).toEqual([]);
  }
  // Without such calls the test would prove nothing: their reservations were not on disk.
  expect(taken).toBeGreaterThan(0);
});

it('crashes at any moment under load: every answered call has one log row, the ledger is exact', async () => {
  upstream.script({ model: 'gpt-4o' }, chat({ text: ['a', 'b', 'c'], gapMilliseconds: 30 }));
  const traffic = new Traffic(20, () => ({ url: server.url, key }));
  for (let round = 0; round < 6; round++) {
    const before = traffic.answered.length;
    await until(() => traffic.answered.length > before + 20, 60, 'calls are answered').catch((error: unknown) => {
      throw new Error(`the server said last:\n${server.logLines().slice(-5).join('\n')}`, { cause: error });
    });
    await sleep(Math.random() * 100);
    await postgres.crash();
    await sleep(Math.random() * 500);
    await postgres.start();
  }
  await traffic.stop();
  await booksAreRight();
  expect(await auditor.notLoggedOnce(traffic.answered)).toEqual([]);
});

/**
 * A server that stops for a while, as a suspended machine does, and continues after another server considered it dead.
 */
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { chat } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Auditor, callOnce, openSite, quickDeath, until } from './traffic.js';

const initial = 50_000_000;
let upstream: Upstream;
let database: TestDatabase;
let suspended: SpawnedServer;
let other: SpawnedServer;
let auditor: Auditor;
beforeAll(async () => {
  upstream = await startUpstream();
  database = await createTestDatabase();
  const start = (): Promise<SpawnedServer> =>
    spawnServer({ database, environment: { ...quickDeath, SYNC_FREQUENCY: '1' } });
  [suspended, other] = await Promise.all([start(), start()]);
  auditor = new Auditor(database);
}, 240_000);
afterAll(async () => {
  suspended.process.kill('SIGCONT');
  await auditor.close();
  await Promise.all([suspended.stop(), other.stop()]);
  await upstream.stop();
  await database.drop();
});

it('is charged once for each call that was in flight, and given its reservations back once', async () => {
  const reply = chat({ text: 'hello', usage: { prompt_tokens: 100, completion_tokens: 100 } });
  let letOn = (): void => undefined;
  let open = Promise.resolve();
  upstream.script({ model: 'gpt-4o' }, async (...given) => {
    await open;
    return reply(...given);
  });
  const { keys } = await openSite(other.api, upstream.url, [{ username: 'caller', quota: initial }]);
  const key = keys[0]!;
  // Without Redis, each server learns the channel when it starts.
  for (const { url } of [suspended, other]) {
    await until(async () => (await callOnce(url, key, false)).whole, 30, 'the server knows the channel');
  }
  await until(async () => (await auditor.openReservations()) === 0, 30, 'both calls are settled');
  const before = await auditor.quotaOf('caller');
  expect(before).toEqual({ quota: initial - 2 * 625, used: 2 * 625 });
  open = new Promise<void>((resolve) => (letOn = resolve));
  const running = [false, true, false, true].map((stream) => callOnce(suspended.url, key, stream));
  await until(async () => (await auditor.openReservations()) === 4, 90, 'four calls are in flight');

  suspended.process.kill('SIGSTOP');
  await until(async () => (await auditor.openReservations()) === 0, 120, 'its reservations are given back');
  expect(await auditor.quotaOf('caller')).toEqual(before);
  letOn();
  expect((await callOnce(other.url, key, false)).whole).toBe(true);
  suspended.process.kill('SIGCONT');

  const seen = await Promise.all(running);
  expect(seen.map(({ status, whole }) => [status, whole])).toEqual(Array.from({ length: 4 }, () => [200, true]));
  expect(await auditor.notLoggedOnce(seen)).toEqual([]);
  // The server continues, and none of its reservations is released a second time. It refuses calls for a moment,
  // because its event loop was late.
  await until(async () => (await callOnce(suspended.url, key, true)).whole, 30, 'the suspended server serves again');
  expect(await auditor.drifts()).toEqual([]);
  const { quota, used } = await auditor.quotaOf('caller');
  // Eight calls of 100 + 4 x 100 tokens at 1.25.
  expect({ quota, used }).toEqual({ quota: initial - 8 * 625, used: 8 * 625 });
}, 400_000);

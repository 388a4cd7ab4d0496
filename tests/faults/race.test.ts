import { spawnServer, type SpawnedServer } from '../support/server.js';
import { chat } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Auditor, callOnce, openSite } from './traffic.js';

let upstream: Upstream;
let server: SpawnedServer;
let auditor: Auditor;
beforeAll(async () => {
  upstream = await startUpstream();
  server = await spawnServer();
  auditor = new Auditor(server.database);
});
afterAll(async () => {
  await auditor.close();
  await server.stop();
  await upstream.stop();
});

it('200 parallel calls on a balance that covers 10: exactly those succeed, the rest get 403', async () => {
  // gpt-4o: ratio 1.25, completion 4. Each call reserves 500 * 1.25 = 625 and costs exactly as much.
  upstream.script({ model: 'gpt-4o' }, chat({ text: 'hello', usage: { prompt_tokens: 100, completion_tokens: 100 } }));
  const { root, keys } = await openSite(server.api, upstream.url, [{ username: 'ten', quota: 6251 }]);
  // tests/security/overdraft.test.ts tests the other mode of reservation.
  await server.api.data(root, 'PUT', '/api/option/', { key: 'StrictReserve', value: 'false' });
  // The keys are read from the database first, so that all calls compete at the ledger.
  const results = await Promise.all(
    Array.from({ length: 200 }, (_, index) => callOnce(server.url, keys[0]!, index % 2 === 0)),
  );

  expect(results.filter((seen) => seen.whole)).toHaveLength(10);
  const refused = results.filter((seen) => !seen.whole);
  expect(new Set(refused.map((seen) => `${seen.status} ${seen.code}`))).toEqual(
    new Set(['403 insufficient_user_quota']),
  );
  expect(upstream.requests).toHaveLength(10);
  expect(await auditor.quotaOf('ten')).toEqual({ quota: 1, used: 6250 });
  expect(await auditor.notLoggedOnce(results.filter((seen) => seen.whole))).toEqual([]);
  expect(await auditor.drifts()).toEqual([]);
});

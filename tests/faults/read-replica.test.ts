import pg from 'pg';
import type { Person } from '../support/api.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { privatePostgres, type PrivatePostgres } from '../support/services/postgres.js';
import { chat } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Auditor, callOnce, openSite, until } from './traffic.js';

/** Seconds. A busy machine must not cause such a lag, and a test waits for it. */
const maxLag = 20;

let postgres: PrivatePostgres;
let standby: Awaited<ReturnType<PrivatePostgres['standby']>>;
let upstream: Upstream;
let server: SpawnedServer;
let auditor: Auditor;
let replica: pg.Pool;
let site: { root: Person; keys: string[]; people: Person[] };

beforeAll(async () => {
  postgres = await privatePostgres();
  await postgres.start();
  standby = await postgres.standby();
  await standby.start();
  upstream = await startUpstream();
  upstream.script({ model: 'gpt-4o' }, chat({ text: 'hello', usage: { prompt_tokens: 100, completion_tokens: 100 } }));
  server = await spawnServer({
    // The primary is migrated while the replica follows it.
    database: { url: postgres.url, drop: () => Promise.resolve() },
    environment: {
      DATABASE_READ_URL: standby.url,
      DATABASE_READ_MAX_LAG: String(maxLag),
      NODE_HEARTBEAT_INTERVAL: '1',
    },
  });
  auditor = new Auditor({ url: postgres.url });
  replica = new pg.Pool({ connectionString: standby.url, max: 1 });
  replica.on('error', () => undefined);
  site = await openSite(server.api, upstream.url, [
    { username: 'rich', quota: 50_000_000 },
    { username: 'ten', quota: 6251 },
  ]);
});
afterAll(async () => {
  await replica.end();
  await auditor.close();
  await server.stop();
  await upstream.stop();
  await standby.remove();
  await postgres.remove();
});

const said = (text: string): number => server.logLines().filter((line) => line.includes(text)).length;
const usesReplica = (times: number): Promise<void> =>
  until(() => said('reports are read from the replica') >= times, 60, 'the replica is used');
const usesPrimary = (times: number): Promise<void> =>
  until(() => said('the replica cannot be used') >= times, 60, 'the primary is used');
/** Rows of calls in the list of the log. */
const listed = async (name: string): Promise<number> =>
  (await server.api.data<{ total: number }>(site.root, 'GET', `/api/log/?type=2&username=${name}`)).total;
const summed = async (name: string): Promise<number> =>
  (await server.api.data<{ quota: number }>(site.root, 'GET', `/api/log/stat?type=2&username=${name}`)).quota;
const exported = async (name: string): Promise<number> => {
  const { body } = await server.api.rest(site.root, 'GET', `/api/log/export?type=2&username=${name}`);
  return String(body).trimEnd().split('\n').length - 1;
};
const usage = async (): Promise<number> => {
  const { data, errors } = await server.api.graphql(site.root, '{ usage { total { calls } } }');
  expect(errors).toEqual([]);
  return (data!['usage'] as { total: { calls: number } }).total.calls;
};
const call = async (key: number): Promise<boolean> => (await callOnce(server.url, site.keys[key]!, false)).whole;

it('answers reports from the replica, and spends money by the primary', async () => {
  await usesReplica(1);
  for (let count = 0; count < 3; count++) expect(await call(0)).toBe(true);
  await until(async () => (await listed('rich')) === 3, 30, 'the replica has the calls');
  expect(await summed('rich')).toBe(3 * 625);

  await replica.query('SELECT pg_wal_replay_pause()');
  expect(await call(0)).toBe(true);
  // Ten calls are charged, whatever state the replica shows.
  await server.api.data(site.root, 'PUT', '/api/option/', { key: 'StrictReserve', value: 'false' });
  const paid = [];
  for (let count = 0; count < 12; count++) paid.push(await call(1));
  expect(paid.filter(Boolean)).toHaveLength(10);
  expect(await auditor.quotaOf('ten')).toEqual({ quota: 1, used: 6250 });
  // Balances are read from the primary, and reports from the replica in its old state.
  const self = await server.api.data<{ quota: number }>(site.people[1]!, 'GET', '/api/user/self');
  expect(self.quota).toBe(1);
  expect(said('the replica cannot be used')).toBe(0);
  expect([await listed('rich'), await listed('ten'), await exported('rich'), await exported('ten')]).toEqual([
    3, 0, 3, 0,
  ]);
  expect([await summed('rich'), await summed('ten')]).toEqual([3 * 625, 0]);
  expect(await usage()).toBe(3);
});

it('reads from the primary when the replica is too far behind, and from the replica when it has caught up', async () => {
  await usesPrimary(1);
  expect([await listed('rich'), await listed('ten'), await exported('rich'), await exported('ten')]).toEqual([
    4, 10, 4, 10,
  ]);
  expect([await summed('rich'), await summed('ten')]).toEqual([4 * 625, 6250]);
  expect(await usage()).toBe(14);
  await replica.query('SELECT pg_wal_replay_resume()');
  await usesReplica(2);
  expect(await listed('ten')).toBe(10);
});

it('answers every report while the replica is stopped and started again', async () => {
  await standby.stop();
  for (let count = 0; count < 5; count++) {
    expect([await listed('rich'), await summed('rich'), await exported('rich'), await usage()]).toEqual([
      4,
      4 * 625,
      4,
      14,
    ]);
  }
  expect(await call(0)).toBe(true);
  expect(await listed('rich')).toBe(5);
  expect(said('the replica cannot be used')).toBe(2);
  await standby.start();
  await usesReplica(3);
  await until(async () => (await listed('rich')) === 5, 30, 'the replica has the call');
  expect(await auditor.drifts()).toEqual([]);
});

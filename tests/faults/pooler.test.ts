/** A site behind PgBouncer in transaction mode. `jest.config.mjs` leaves it out where PgBouncer is not installed. */
import pg from 'pg';
import type { Person } from '../support/api.js';
import { checkDatabase } from '../../server/src/billing/ledger/database-check.js';
import { createLogger } from '../../server/src/platform/observability/logger.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { findPgBouncer, keepsPreparedStatements, pgBouncer, type PgBouncer } from '../support/services/pgbouncer.js';
import { startRedis } from '../support/services/redis.js';
import type { Service } from '../support/services/processes.js';
import { chat } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Auditor, callOnce, channelReaches, openSite, optionsReach, Traffic, until } from './traffic.js';

/** Versions before 1.21 cannot forward prepared statements. */
const modes = [false, ...(keepsPreparedStatements(findPgBouncer()!) ? [true] : [])];

describe.each(modes)('two nodes behind PgBouncer, DATABASE_PREPARED_STATEMENTS=%s', (isPrepared) => {
  let redis: Service;
  let upstream: Upstream;
  let database: TestDatabase;
  let pooler: PgBouncer;
  let one: SpawnedServer;
  let two: SpawnedServer;
  let auditor: Auditor;
  let site: { root: Person; keys: string[]; people: Person[] };

  beforeAll(async () => {
    redis = await startRedis();
    upstream = await startUpstream();
    upstream.script(
      { model: 'gpt-4o' },
      chat({ text: 'hello', usage: { prompt_tokens: 100, completion_tokens: 100 } }),
    );
    database = await createEmptyDatabase();
    pooler = await pgBouncer(database.url);
    await pooler.start();
    const start = (): Promise<SpawnedServer> =>
      spawnServer({
        database: { ...database, url: pooler.url },
        environment: {
          REDIS_URL: redis.url,
          DATABASE_DIRECT_URL: database.url,
          DATABASE_PREPARED_STATEMENTS: String(isPrepared),
        },
      });
    // Both servers find an empty database, and one migrates it.
    [one, two] = await Promise.all([start(), start()]);
    auditor = new Auditor(database);
    site = await openSite(one.api, upstream.url, [
      { username: 'rich', quota: 50_000_000 },
      { username: 'ten', quota: 6251 },
    ]);
    await channelReaches([one, two], site.keys[0]!);
  });
  afterAll(async () => {
    await auditor.close();
    await Promise.all([one.stop(), two.stop()]);
    await pooler.remove();
    await redis.stop();
    await upstream.stop();
    await database.drop();
  });

  const nodeOf = (index: number): SpawnedServer => (index % 2 === 0 ? one : two);

  it('bill every call once', async () => {
    const [key] = site.keys;
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) => callOnce(nodeOf(index).url, key!, index % 3 === 0)),
    );
    expect(results.filter((seen) => !seen.whole)).toEqual([]);
    expect(await auditor.notLoggedOnce(results)).toEqual([]);
    expect(await auditor.quotaOf('rich')).toEqual({ quota: 50_000_000 - 200 * 625, used: 200 * 625 });
    expect(await auditor.drifts()).toEqual([]);
  });

  it('never spend a balance twice', async () => {
    await one.api.data(site.root, 'PUT', '/api/option/', { key: 'StrictReserve', value: 'false' });
    await optionsReach([one, two], site.root, { StrictReserve: 'false' });
    const [, key] = site.keys;
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) => callOnce(nodeOf(index).url, key!, index % 3 === 0)),
    );
    expect(results.filter((seen) => seen.whole)).toHaveLength(10);
    expect(await auditor.quotaOf('ten')).toEqual({ quota: 1, used: 6250 });
    expect(await auditor.drifts()).toEqual([]);
  });

  it('serve lists, sums and exports of the log', async () => {
    const list = await two.api.data<{ total: number }>(site.root, 'GET', '/api/log/?type=2&username=rich');
    expect(list.total).toBe(200);
    const stat = await two.api.data<{ quota: number }>(site.root, 'GET', '/api/log/stat?type=2&username=rich');
    expect(stat.quota).toBe(200 * 625);
    const csv = await two.api.rest(site.root, 'GET', '/api/log/export?type=2&username=rich');
    expect(String(csv.body).trimEnd().split('\n')).toHaveLength(201);
  });

  it('leave nothing behind on the connections that they share', async () => {
    // There are more clients than connections, so that every connection is checked.
    const pool = new pg.Pool({ connectionString: pooler.url, max: 20 });
    try {
      const states = await Promise.all(
        Array.from({ length: 20 }, () =>
          pool.query<Record<string, unknown>>(
            `SELECT current_setting('synchronous_commit') AS flush, current_setting('jit') AS jit,
                    (SELECT reset_val FROM pg_settings WHERE name = 'jit') AS jit_default,
                    current_setting('work_mem') AS memory, current_setting('lock_timeout') AS lock,
                    (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks
               FROM pg_sleep(0.05)`,
          ),
        ),
      );
      const defaults = (
        await auditor.pool.query<{ flush: string }>(`SELECT current_setting('synchronous_commit') AS flush`)
      ).rows[0];
      const seen = states.map(({ rows }) => rows[0]!);
      expect(new Set(seen.map(({ flush }) => flush))).toEqual(new Set([defaults?.flush]));
      expect(seen.filter(({ jit, jit_default }) => jit !== jit_default)).toEqual([]);
      expect(
        new Set(seen.map(({ memory, lock, locks }) => `${String(memory)} ${String(lock)} ${String(locks)}`)),
      ).toEqual(new Set(['4MB 0 0']));
    } finally {
      await pool.end();
    }
  });

  it('lose nothing when the pooler is restarted under load', async () => {
    const key = site.keys[0]!;
    const traffic = new Traffic(8, (caller) => ({ url: nodeOf(caller).url, key }));
    await until(() => traffic.answered.length >= 30, 30, 'calls are answered');
    await pooler.stop();
    const before = traffic.seen.length;
    await until(() => traffic.seen.slice(before).some(({ status }) => status === 503), 30, 'calls are refused');
    await pooler.start();
    await until(async () => (await callOnce(one.url, key, false)).whole, 30, 'calls are answered again');
    await until(async () => (await callOnce(two.url, key, false)).whole, 30, 'calls are answered again by the other');
    const seen = await traffic.stop();
    expect(new Set(seen.filter(({ whole }) => !whole).map(({ status }) => status))).toEqual(new Set([503]));
    await until(
      async () =>
        (await auditor.notLoggedOnce(traffic.answered)).length === 0 && (await auditor.openReservations()) === 0,
      30,
      'each answered call is charged once and nothing is reserved',
    );
    expect(await auditor.drifts()).toEqual([]);
  });
});

describe('the check of the database', () => {
  let database: TestDatabase;
  let pooler: PgBouncer | undefined;
  beforeEach(async () => (database = await createEmptyDatabase()));
  afterEach(async () => {
    await pooler?.remove();
    await database.drop();
  });
  const check = async (directUrl: string, url: string) => {
    await pooler?.start();
    const results = await checkDatabase({ directUrl, url, preparedStatements: false, logger: createLogger('silent') });
    return results.filter(({ status }) => status !== 'ok');
  };
  const leftOver = async (): Promise<unknown[]> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      "SELECT table_schema || '.' || table_name AS name FROM information_schema.tables WHERE table_schema !~ '^(pg_|information)'",
    );
    await client.end();
    return rows;
  };

  it('finds everything with both addresses', async () => {
    pooler = await pgBouncer(database.url);
    expect(await check(database.url, pooler.url)).toEqual([]);
    expect(await leftOver()).toEqual([]);
  });

  it.each([
    [
      'refuses',
      ['statement_timeout'],
      /unsupported startup parameter.*: the check needs the database itself, in DATABASE_DIRECT_URL/,
    ],
    ['drops', ['statement_timeout', 'options'], /does not keep its search_path: the check needs the database itself/],
  ])('writes nothing where a pooler %s the schema of its connections', async (_manner, ignored, reason) => {
    pooler = await pgBouncer(database.url, ignored);
    await expect(check(pooler.url, pooler.url)).rejects.toThrow(reason);
    expect(await leftOver()).toEqual([]);
  });
});

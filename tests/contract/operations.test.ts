/** A running server shows its operator when a service that it needs fails. */
import { findRedisServer, startRedis } from '../support/services/redis.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startServer } from '../support/server.js';
import { chat } from '../support/upstream/replies.js';
import { startUpstream } from '../support/upstream/upstream.js';
import { callOnce, openSite, until } from '../faults/traffic.js';

(findRedisServer() ? it : it.skip)('a node stays ready and serves calls while Redis is unavailable', async () => {
  const redis = await startRedis();
  const upstream = await startUpstream();
  upstream.script({}, chat({ text: 'hello' }));
  const server = await startServer({ environment: { REDIS_URL: redis.url } });
  try {
    const { keys } = await openSite(server.api, upstream.url, [{ username: 'caller', quota: 5_000_000 }]);
    const readiness = async (): Promise<object> => {
      const response = await fetch(`${server.url}/readyz`);
      return { status: response.status, body: (await response.json()) as unknown };
    };
    const ready = { status: 'ready', checks: { database: true, sharedState: true } };
    expect(await readiness()).toMatchObject({ status: 200, body: ready });
    await redis.stop();
    await until(
      async () => JSON.stringify(await readiness()).includes('"sharedState":false'),
      30,
      'the check of Redis fails',
    );
    const alone = { status: 'ready', checks: { database: true, sharedState: false } };
    expect(await readiness()).toMatchObject({ status: 200, body: alone });
    expect(await callOnce(server.url, keys[0]!, true)).toMatchObject({ status: 200, whole: true });
  } finally {
    await server.stop();
    await upstream.stop();
  }
});

it('a node whose database can be read and not written is not ready, until it can be written', async () => {
  const upstream = await startUpstream();
  upstream.script({}, chat({ text: 'hello' }));
  const server = await startServer();
  const client = new pg.Client({ connectionString: server.database.url });
  await client.connect();
  const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
    const name = new URL(server.database.url).pathname.slice(1);
    await client.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = ${value}`);
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
  };
  const readiness = async (): Promise<number> => (await fetch(`${server.url}/readyz`)).status;
  try {
    const { keys } = await openSite(server.api, upstream.url, [{ username: 'caller', quota: 5_000_000 }]);
    await setReadOnly('on');
    // The first call may fail when it reads its key, on a connection that was closed. The ledger notices the failure at a
    // reservation.
    await until(
      async () => (await callOnce(server.url, keys[0]!, false)).status === 503 && (await readiness()) === 503,
      30,
      'calls are refused and the node is not ready',
    );
    for (let look = 0; look < 10; look++) {
      expect(await readiness()).toBe(503);
      expect(await callOnce(server.url, keys[0]!, false)).toMatchObject({ status: 503, code: 'service_unavailable' });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await setReadOnly('off');
    await until(async () => (await readiness()) === 200, 30, 'it is ready again');
    expect(await callOnce(server.url, keys[0]!, false)).toMatchObject({ status: 200, whole: true });
  } finally {
    await client.end();
    await server.stop();
    await upstream.stop();
  }
});

it('a start says when its DATA_DIR may not outlive the node, and its metrics count what lies there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'data-dir-'));
  const server = await startServer({ environment: { DATA_DIR: folder } });
  try {
    const notices = server.logLines().filter((line) => line.includes('DATA_DIR may not survive a restart'));
    expect(notices).toHaveLength(1);
    expect(JSON.parse(notices[0]!)).toMatchObject({
      level: 'warn',
      dataDir: folder,
      reason: 'it lies in the folder for temporary files',
    });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    for (const name of ['spooled', 'spool_oldest_seconds', 'rejected'])
      expect(metrics).toMatch(new RegExp(`^tollgate_ledger_${name} 0$`, 'm'));
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
});

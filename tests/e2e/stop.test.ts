import pg from 'pg';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { silenceAfter, slowDrip } from '../support/upstream/faults.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { buildServer, sleep, statusOf } from './boot-support.js';

/** A server stops while it streams: the client's stream, and the ledger. */

jest.setTimeout(90_000);

let upstream: Upstream;
let database: TestDatabase;
let server: SpawnedServer;

beforeAll(async () => {
  buildServer();
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await server.stop();
  await database.drop();
});

/** @returns the response of a stream that has begun */
async function beginStream(timeout: string): Promise<Response> {
  server = await spawnServer({ database, environment: { SHUTDOWN_TIMEOUT: timeout } });
  const root = await server.api.setUp({ selfUse: true });
  await server.api.createChannel(root, { baseUrl: upstream.url, models: ['gpt-4o'] });
  const token = await server.api.createToken(root);
  return server.api.relay(token.key, '/v1/chat/completions', {
    model: 'gpt-4o',
    stream: true,
    messages: [{ role: 'user', content: 'hello' }],
  });
}

async function readLedger() {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  try {
    const [open, charged, nodes] = await Promise.all([
      pool.query('SELECT 1 FROM reservations'),
      pool.query<{ quota: string }>('SELECT quota::text FROM logs WHERE type = 2'),
      pool.query('SELECT 1 FROM nodes'),
    ]);
    return {
      reservations: open.rowCount,
      charges: charged.rows.map(({ quota }) => Number(quota)),
      nodes: nodes.rowCount,
      drifts: await reconcile(pool),
    };
  } finally {
    await pool.end();
  }
}

it('finishes the stream, charges it, takes no new call and exits 0', async () => {
  upstream.script({ model: 'gpt-4o' }, slowDrip(1000, 40));
  // The timeout is longer than the test may take: the server ends because nothing is in flight any more.
  const answer = await beginStream('600');
  const reader = answer.body?.getReader();
  await reader?.read();
  server.process.kill('SIGTERM');
  while ((await statusOf(`${server.url}/healthz`)) !== 0) await sleep(20);
  expect(server.process.exitCode).toBeNull();
  let text = '';
  for (;;) {
    const read = await reader?.read();
    if (!read || read.done) break;
    text += Buffer.from(read.value).toString();
  }
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  while (server.process.exitCode === null) await sleep(20);
  expect(server.process.exitCode).toBe(0);
  const { charges, ...rest } = await readLedger();
  expect(rest).toEqual({ reservations: 0, nodes: 0, drifts: [] });
  expect(charges).toHaveLength(1);
  expect(charges[0]).toBeGreaterThan(0);
});

it('cuts a stream that outlasts the time given, charges what was delivered, holds nothing back and exits 0', async () => {
  upstream.script({ model: 'gpt-4o' }, silenceAfter(5));
  const answer = await beginStream('1');
  const reader = answer.body?.getReader();
  await reader?.read();
  server.process.kill('SIGTERM');
  await expect(
    (async () => {
      while (!(await reader?.read())?.done);
    })(),
  ).rejects.toThrow();
  // Only the first signal counts.
  while (server.process.exitCode === null) await sleep(20);
  expect(server.process.exitCode).toBe(0);
  const { charges, ...rest } = await readLedger();
  expect(rest).toEqual({ reservations: 0, nodes: 0, drifts: [] });
  expect(charges).toHaveLength(1);
});

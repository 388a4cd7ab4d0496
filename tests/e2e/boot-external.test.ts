import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { boot, buildServer, cleanUp, isRunning, postmasterPid, sleep, statusOf, type Booted } from './boot-support.js';
import { freePort } from '../support/services/processes.js';

/** Production mode: an external database, with restarts of nodes and of the database. */

jest.setTimeout(240_000);

/** An empty database. */
let database: TestDatabase;
let nodes: Booted[];

beforeAll(async () => {
  buildServer();
  database = await createEmptyDatabase();
  nodes = await Promise.all([boot(external()), boot(external()), boot(external())]);
  await Promise.all(nodes.map((node) => node.ready()));
});
afterEach(cleanUp);
afterAll(async () => {
  await cleanUp();
  await database.drop();
});

const external = (change: Record<string, string> = {}) => ({
  environment: {
    DATABASE_URL: database.url,
    SESSION_SECRET: 'a-session-secret-for-tests',
    ENCRYPTION_KEY: 'an-encryption-key-for-tests',
    ...change,
  },
});

async function onDatabase<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

it('brings several nodes up that start at once on an empty database, without secrets of their own', async () => {
  for (const node of nodes) {
    expect(await node.end()).toBe(0);
    expect(existsSync(join(node.dataDir, 'secrets.json'))).toBe(false);
  }
  const { rows } = await onDatabase((client) =>
    client.query<{ twice: number }>('SELECT count(*) - count(DISTINCT name) AS twice FROM migrations'),
  );
  expect(Number(rows[0]?.twice)).toBe(0);
});

it('refuses an ENCRYPTION_KEY that is not the one of the database, in one line', async () => {
  const other = await boot(external({ ENCRYPTION_KEY: 'an-encryption-key-of-another-site' }));
  expect(await other.ended()).toBe(1);
  expect(other.errors()).toMatch(
    /^tollgate: ENCRYPTION_KEY does not fit this database: .+ \(ENCRYPTION_KEY_MISMATCH\)\n$/,
  );
});

it.each(['DATABASE_URL', 'DATABASE_DIRECT_URL'])(
  'names %s in one line when its database does not exist',
  async (name) => {
    const url = new URL(database.url);
    url.pathname = '/no-such-database';
    const server = await boot(external({ [name]: url.href }));
    expect(await server.ended()).toBe(1);
    expect(server.errors()).toBe(`tollgate: ${name}: database "no-such-database" does not exist\n`);
    expect(server.output()).not.toContain('"level":"fatal"');
  },
);

it('outlives connections being cut again and again, and is healthy but not ready while the database is away', async () => {
  const wire = await openWire(database.url);
  // The server starts with the key of the database, although a start with another key was refused.
  const server = await boot(external({ DATABASE_URL: wire.url }));
  await server.ready();
  for (let round = 0; round < 5; round++) {
    await onDatabase((client) =>
      client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      ),
    );
    await Promise.all([1, 2, 3, 4].map(() => statusOf(`${server.url}/readyz`)));
  }
  await server.ready();
  for (let round = 0; round < 2; round++) {
    await wire.cut();
    expect(await statusOf(`${server.url}/readyz`)).toBe(503);
    expect(await statusOf(`${server.url}/healthz`)).toBe(200);
    await wire.mend();
    await server.ready();
  }
  expect(server.output()).not.toContain('"level":"fatal"');
  expect(await server.end()).toBe(0);
  await wire.cut();
});

it('refuses a schema that is newer, and one that is half-migrated, in one line', async () => {
  const refusal = async (sql: string): Promise<string> => {
    await onDatabase((client) => client.query(sql));
    const server = await boot(external());
    expect(await server.ended()).toBe(1);
    return server.errors();
  };
  expect(await refusal(`INSERT INTO migrations ("timestamp", name) VALUES (9e12, 'Later9000000000000')`)).toMatch(
    /^tollgate: the database schema is newer than this server \(it has Later9000000000000\): .+\n$/,
  );
  expect(await refusal(`DELETE FROM migrations WHERE name LIKE 'Later%'; DROP TABLE sessions CASCADE`)).toMatch(
    /^tollgate: the database schema is half-migrated: table "sessions" is missing .+\n$/,
  );
});

it('waits for a database that is not up yet, and gives up waiting when told to stop', async () => {
  const server = await boot(external({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }));
  while (!server.output().includes('does not respond yet')) await sleep(20);
  expect(await server.end()).toBe(0);
  expect(server.output()).not.toContain('"level":"fatal"');
});

it('a second signal, or calls that take too long, do not keep it', async () => {
  const server = await boot();
  await server.ready();
  const postmaster = postmasterPid(server.dataDir);
  const hanging = await beginCall(server.url);
  server.process.kill('SIGTERM');
  while ((await statusOf(`${server.url}/healthz`)) !== 0) await sleep(20);
  // The wait is longer than the time in which a second signal counts as an echo of the first.
  await sleep(1500);
  expect(isRunning(server.process.pid ?? 0)).toBe(true);
  server.process.kill('SIGTERM');
  expect(await server.ended()).toBe(1);
  await hanging.closed;
  while (isRunning(postmaster)) await sleep(20);

  const patient = await boot({ dataDir: server.dataDir, environment: { SHUTDOWN_TIMEOUT: '1' } });
  await patient.ready();
  const second = await beginCall(patient.url);
  const begun = Date.now();
  expect(await patient.end()).toBe(0);
  expect(Date.now() - begun).toBeGreaterThan(900);
  await second.closed;
});

/** A call whose body never ends, once the server has its headers. `closed` resolves when its connection is cut. */
async function beginCall(url: string): Promise<{ readonly closed: Promise<unknown> }> {
  const call = request(`${url}/api/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': 100, expect: '100-continue' },
  });
  call.on('error', () => undefined);
  const closed = new Promise((resolve) => call.once('close', resolve));
  const continued = once(call, 'continue');
  call.flushHeaders();
  await continued;
  call.write('{');
  return { closed };
}

/** A connection to the database that can be cut and restored. */
async function openWire(databaseUrl: string) {
  const { hostname, port: databasePort } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(databasePort || 5432), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  const port = await freePort();
  const mend = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  await mend();
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  return { url: url.href, mend, cut };
}

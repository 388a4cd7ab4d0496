import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  asRoot,
  boot,
  buildServer,
  cleanUp,
  connectToEmbedded,
  copyOfProject,
  descendants,
  gone,
  isRunning,
  madeData,
  nobody,
  postmasterPid,
  removeMadeData,
  sleep,
  statusOf,
  temporaryFolder,
  tryKill,
  uidOf,
} from './boot-support.js';
import { sampled } from '../support/suite.js';

/** The embedded database with real processes. Each known failure of embedded databases has a test. */

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const whenRoot = asRoot ? it : it.skip;

/** @returns the output of a start that is refused */
async function refused(options: Parameters<typeof boot>[0]): Promise<string> {
  const server = await boot(options);
  expect(await server.ended()).toBe(1);
  return server.errors();
}

beforeAll(buildServer);
afterEach(cleanUp);
afterAll(removeMadeData);

jest.setTimeout(240_000);

describe('who starts it and where', () => {
  whenRoot('starts as root in a project and a DATA_DIR that no other user can enter', async () => {
    const project = copyOfProject(0o700);
    const server = await boot({ project, cwd: project });
    await server.ready();
    expect(uidOf(postmasterPid(server.dataDir))).not.toBe(0);
    expect(server.dataDir.startsWith(project)).toBe(true);
    expect(modeOf(server.dataDir)).toBe('700');
    expect(modeOf(join(server.dataDir, 'secrets.json'))).toBe('600');
    // The programs were copied to a folder from which that user can run them, readable and not writable for others.
    const copy = readdirSync('/var/cache/tollgate')[0] ?? '';
    expect(modeOf(join('/var/cache/tollgate', copy, 'native/bin/postgres'))).toBe('755');
    expect(await server.end()).toBe(0);
  });

  whenRoot('starts as a plain user from any folder, and keeps the account its database was made under', async () => {
    const cwd = temporaryFolder(nobody);
    const plain = await boot({ cwd, account: nobody });
    await plain.ready();
    expect(uidOf(plain.process.pid ?? 0)).toBe(nobody.uid);
    expect(uidOf(postmasterPid(plain.dataDir))).toBe(nobody.uid);
    expect(modeOf(plain.dataDir)).toBe('700');
    expect(await plain.end()).toBe(0);
    const root = await boot({ cwd });
    await root.ready();
    expect(uidOf(postmasterPid(root.dataDir))).toBe(nobody.uid);
    expect(await root.end()).toBe(0);
  });

  whenRoot('starts on a copy of its DATA_DIR that root made without owners and modes', async () => {
    const made = await madeData();
    const dataDir = join(dirname(made), 'copy');
    // An archive that keeps neither owner nor mode has the same effect.
    execFileSync('cp', ['-r', made, dataDir]);
    chmodSync(join(dataDir, 'postgres/cluster'), 0o755);
    const server = await boot({ dataDir });
    await server.ready();
    expect(uidOf(postmasterPid(dataDir))).not.toBe(0);
    expect(modeOf(join(dataDir, 'postgres/cluster'))).toBe('700');
    expect(await server.end()).toBe(0);
  });

  whenRoot('starts as a plain user who may not complete the package that npm left without links', async () => {
    const project = copyOfProject(0o755);
    const server = await boot({ account: nobody, project });
    await server.ready();
    expect(readdirSync(join(server.dataDir, 'programs'))).toHaveLength(1);
    expect(await server.end()).toBe(0);
  });

  whenRoot('says in one line that a DATA_DIR is not its own', async () => {
    const server = await boot({ account: nobody, dataDir: join(temporaryFolder(), 'data') });
    expect(await server.ended()).toBe(1);
    expect(server.errors()).toMatch(/^tollgate: DATA_DIR \S+ cannot be used by this user \(EACCES\): .+\n$/);
  });

  whenRoot('says in one line that a database belongs to another user', async () => {
    const dataDir = await madeData();
    chownSync(dirname(dataDir), nobody.uid, nobody.gid);
    const server = await boot({ dataDir, account: nobody });
    expect(await server.ended()).toBe(1);
    expect(server.errors()).toMatch(/^tollgate: [^\n]+\n$/);
  });
});

describe('kill -9', () => {
  it('of the server, of the database and of both: keeps every acknowledged row and leaves one database running', async () => {
    const first = await boot({ dataDir: await madeData() });
    await first.ready();
    const client = await connectToEmbedded(first.dataDir);
    await client.query('CREATE TABLE witness (id integer PRIMARY KEY)');
    const orphan = postmasterPid(first.dataDir);
    let acknowledged = 0;
    const writing = (async () => {
      for (;;) {
        await client.query('INSERT INTO witness VALUES ($1)', [acknowledged + 1]);
        acknowledged += 1;
      }
    })().catch(() => undefined);
    while (acknowledged <= 50) await sleep(5);
    expect(await first.end('SIGKILL')).toBe('SIGKILL');
    expect(isRunning(orphan)).toBe(true);

    // A client still writes to the database of the dead server when the next server starts.
    const second = await boot({ dataDir: first.dataDir });
    await second.ready();
    await writing;
    expect(await gone(orphan)).toBe(true);
    const check = await connectToEmbedded(first.dataDir);
    const { rows } = await check.query<{ count: string }>('SELECT count(*) FROM witness');
    await check.end();
    expect(Number(rows[0]?.count)).toBeGreaterThanOrEqual(acknowledged);

    // The server survives the end of its database and restarts it.
    const before = postmasterPid(first.dataDir);
    tryKill(before, 'SIGKILL');
    await gone(before);
    await second.ready();
    const after = postmasterPid(first.dataDir);
    expect(after).not.toBe(before);

    await second.end('SIGKILL');
    tryKill(after, 'SIGKILL');
    const third = await boot({ dataDir: first.dataDir });
    await third.ready();
    expect(await third.end()).toBe(0);
  });

  it('while the database is being made: the next start makes it', async () => {
    const first = await boot();
    const home = join(first.dataDir, 'postgres');
    while (!existsSync(home) || !readdirSync(home).some((name) => name.startsWith('cluster.new.'))) await sleep(5);
    await first.end('SIGKILL');
    expect(existsSync(join(home, 'cluster'))).toBe(false);
    const second = await boot({ dataDir: first.dataDir });
    await second.ready();
    expect(await second.end()).toBe(0);
  });
});

describe('one server for each DATA_DIR', () => {
  it('refuses a second on it or on the same port in one line, and takes the two SIGINT of one Ctrl-C for one', async () => {
    const first = await boot({ dataDir: await madeData() });
    await first.ready();
    expect(await refused({ dataDir: first.dataDir })).toMatch(
      new RegExp(`^tollgate: another server \\(process ${first.process.pid}\\) is running on this DATA_DIR: .+\n$`),
    );
    const port = new URL(first.url).port;
    // `faults/workers.test.ts` tests a server of workers on an external database.
    for (const WORKERS of sampled(['1', '2'], 1)) {
      expect(await refused({ dataDir: await madeData(), environment: { PORT: port, WORKERS } })).toBe(
        `tollgate: port ${port} is in use: set PORT to another one\n`,
      );
    }
    expect(await statusOf(`${first.url}/readyz`)).toBe(200);
    // The terminal sends one signal, and npm forwards the other.
    first.process.kill('SIGINT');
    await sleep(20);
    first.process.kill('SIGINT');
    expect(await first.ended()).toBe(0);
  });

  it('lets exactly one of several that start at once through', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const servers = await Promise.all([1, 2, 3].map(() => boot({ dataDir })));
    const results = await Promise.allSettled(servers.map((server) => server.ready()));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const server of servers) server.process.kill('SIGTERM');
    expect((await Promise.all(servers.map((server) => server.ended()))).sort()).toEqual([0, 1, 1]);
  });
});

describe('stopping', () => {
  const signals = sampled(['SIGTERM', 'SIGINT', 'SIGHUP'], 1);
  it.each(signals)(
    'a database that ignores the case of letters in searches: %s exits 0, leaves no child',
    async (signal) => {
      const server = await boot({ dataDir: await madeData() });
      await server.ready();
      expect(await statusOf(`${server.url}/healthz`)).toBe(200);
      const client = await connectToEmbedded(server.dataDir);
      const { rows } = await client.query(`SELECT 'Łódź' ILIKE '%łÓDŹ%' AS found, 'Z' < 'a' AND 'z' < 'é' AS sorted`);
      await client.end();
      expect(rows).toEqual([{ found: true, sorted: true }]);
      const processes = descendants(server.process.pid ?? 0);
      expect(processes.length).toBeGreaterThan(3);
      expect(await server.end(signal)).toBe(0);
      expect(processes.filter(isRunning)).toEqual([]);
      expect(existsSync(join(server.dataDir, 'server.lock'))).toBe(false);
      expect(server.errors()).toBe('');
    },
  );

  it('while starting leaves no child either', async () => {
    const server = await boot();
    while (!existsSync(join(server.dataDir, 'postgres/cluster'))) await sleep(5);
    const processes = descendants(server.process.pid ?? 0);
    expect(await server.end()).toBe(0);
    expect(processes.filter(isRunning)).toEqual([]);
    expect(existsSync(join(server.dataDir, 'postgres/cluster/postmaster.pid'))).toBe(false);
  });
});

describe('what cannot work is said in one line', () => {
  it('wrong settings, one line each', async () => {
    const errors = await refused({ environment: { PORT: 'http', LOG_LEVEL: 'loud' } });
    expect(errors.trim().split('\n').sort()).toEqual([
      expect.stringMatching(/^tollgate: LOG_LEVEL: /),
      expect.stringMatching(/^tollgate: PORT: must be a whole number/),
    ]);
  });

  it('an address that no machine has', async () => {
    const server = await boot({ dataDir: await madeData(), environment: { HOST: '203.0.113.7' } });
    expect(await server.ended()).toBe(1);
    expect(server.errors()).toMatch(/^tollgate: the server cannot listen on 203\.0\.113\.7 \(\w+\): set HOST to .+\n$/);
    expect(server.output()).not.toContain('"level":"fatal"');
  });

  it('a database of another major version, and one without its secrets', async () => {
    const dataDir = await madeData();
    const version = join(dataDir, 'postgres/cluster/PG_VERSION');
    writeFileSync(version, '14\n');
    expect(await refused({ dataDir })).toMatch(
      /^tollgate: the database in \S+ was created by Postgres 14 and this server includes Postgres \d+: .+\n$/,
    );
    rmSync(join(dataDir, 'secrets.json'));
    expect(await refused({ dataDir })).toMatch(/^tollgate: \S+secrets\.json is missing, .+\n$/);
  });

  it('a database elsewhere without the secrets that nodes share', async () => {
    const errors = await refused({ environment: { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' } });
    expect(errors).toMatch(
      /^tollgate: SESSION_SECRET: required when DATABASE_URL is set\ntollgate: ENCRYPTION_KEY: .+\n$/,
    );
  });
});

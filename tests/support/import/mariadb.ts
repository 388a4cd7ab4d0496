import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { findProgram, freePort, runProgram, startProgram } from '../services/processes.js';

/** A certificate that no authority has signed. */
const tls = join(import.meta.dirname, '..', 'tls');

export interface MariaDb {
  readonly socket: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** The programs of a MariaDB or MySQL server; null when one of them is missing. */
export function findMariaDb(): { readonly server: string; readonly install: string } | null {
  const server = findProgram(['mariadbd', 'mysqld'], ['/usr/sbin', '/usr/local/sbin']);
  const install = findProgram(['mariadb-install-db', 'mysql_install_db']);
  return server && install ? { server, install } : null;
}

/** A MariaDB server of its own on this machine. @throws Error when none is installed */
export async function startMariaDb(): Promise<MariaDb> {
  const programs = findMariaDb();
  if (!programs) throw new Error('no MariaDB found');
  const { server, install } = programs;
  // Socket paths are short, so the folder is not the usual one of temporary files.
  const folder = await mkdtemp('/tmp/tollgate-mariadb-');
  const data = join(folder, 'data');
  const socket = join(folder, 'socket');
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  await runProgram(install, [
    '--no-defaults',
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    ...user,
  ]);
  const port = await freePort();
  const parameters = [
    '--no-defaults',
    `--datadir=${data}`,
    `--socket=${socket}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--innodb-flush-log-at-trx-commit=0',
    '--skip-log-bin',
    `--ssl-cert=${join(tls, 'certificate.pem')}`,
    `--ssl-key=${join(tls, 'key.pem')}`,
    ...user,
  ];
  const stop = await startProgram(server, parameters, {
    ready: () =>
      mysql.createConnection({ socketPath: socket, user: 'root' }).then(
        async (connection) => {
          await connection.query(`CREATE USER IF NOT EXISTS 'mover'@'%' IDENTIFIED BY 'p@ss/w:rd'`);
          // An import only needs to read.
          await connection.query(`GRANT SELECT ON *.* TO 'mover'@'%'`);
          await connection.end();
          return true;
        },
        () => false,
      ),
  });
  return {
    socket,
    port,
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

import type { OutboundGuard } from '../../platform/outbound/outbound-guard.js';
import { GuardedSocket } from './guarded-socket.js';
import { optionalPackage } from './optional-package.js';
import { readerOf, type SourceDatabase, type SourceRow } from './source.js';

export interface MysqlAddress {
  readonly host: string;
  readonly port: number;
  /** A Unix socket, in place of host and port. */
  readonly socketPath: string | null;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** `unverified`: encrypted, whatever certificate the server has. */
  readonly tls: boolean | 'unverified';
}

/**
 * Opens a MySQL or MariaDB database in one read-only transaction: every read sees the same moment.
 * @throws SourceError
 */
export async function openMysql(address: MysqlAddress, guard: OutboundGuard | null): Promise<SourceDatabase> {
  const { host, port, socketPath, user, password, database, tls } = address;
  const { createConnection } = await optionalPackage('mysql2', () => import('mysql2/promise'));
  const connection = await createConnection({
    ...(socketPath === null ? { host, port } : { socketPath }),
    ...(guard ? { stream: () => new GuardedSocket(guard).connect(port, host) } : {}),
    ...(tls === false ? {} : { ssl: { rejectUnauthorized: tls !== 'unverified' } }),
    user,
    password,
    database,
    charset: 'utf8mb4',
    // Exact integers, times without a guessed zone, JSON as it is stored.
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    jsonStrings: true,
  });
  try {
    await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await connection.query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    return await readerOf({
      engine: 'mysql',
      plainHost: tls === false && socketPath === null ? host : null,
      quote: '`',
      columnsStatement: `SELECT table_name AS table_name, column_name AS column_name FROM information_schema.columns
                          WHERE table_schema = DATABASE()`,
      async query(text) {
        const [rows] = await connection.query(text);
        return rows as SourceRow[];
      },
      close: () => connection.end(),
    });
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

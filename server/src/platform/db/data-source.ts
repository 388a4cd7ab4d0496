import pg from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from './migrations/all.js';

/** Called when an idle connection breaks. The pool replaces the connection, so the only action is to log it. */
type OnBroken = (error: Error) => void;

/** An entity class of TypeORM. */
export type EntityClass = new () => object;

/**
 * Creates the data source of management queries, which use TypeORM; `synchronize` is never on.
 * @param entities the classes whose repositories are used; `migrate` also checks that their tables exist
 * @param changed driver settings that differ from the default
 */
export function createDataSource(
  url: string,
  poolSize: number,
  entities: readonly EntityClass[],
  onBroken: OnBroken = () => undefined,
  changed: pg.PoolConfig = {},
): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    entities: [...entities],
    migrations,
    migrationsTableName: 'migrations',
    synchronize: false,
    installExtensions: false,
    poolSize,
    poolErrorHandler: onBroken,
    applicationName: 'tollgate',
    extra: {
      statement_timeout: 30_000,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      ...changed,
    },
  });
}

/** Returns the pg pool of a connected data source. */
export function poolOf(dataSource: DataSource): pg.Pool {
  return (dataSource.driver as unknown as { readonly master: pg.Pool }).master;
}

/** Creates the ledger's own connection pool, so that no console query can delay a call. */
export function createLedgerPool(
  url: string,
  onBroken: OnBroken = () => undefined,
  changed: pg.PoolConfig = {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    application_name: 'tollgate-ledger',
    statement_timeout: 15_000,
    // The timeout is for networks that drop packets silently: Postgres then cannot report that it cancelled the
    // statement, and nothing else would end it.
    query_timeout: 20_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    ...changed,
  });
  pool.on('error', onBroken);
  // A connection that breaks while checked out has no other error listener, and an unhandled error would end the
  // process.
  pool.on('connect', (client) => client.on('error', onBroken));
  return pool;
}

import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { ConfigError, type Config } from '../config.js';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import { watchPool } from '../observability/watch-pool.js';
import { isDatabaseUnavailable } from '../../shared/postgres-error.js';
import { createDataSource, createLedgerPool, poolOf, type EntityClass } from './data-source.js';
import { warnOfDataFolder } from './data-dir-check.js';
import { checkEncryptionKey } from './encryption-key.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { migrate } from './migrate.js';
import { ReadDatabase } from './read-database.js';

/** The migrated database of this server, and the secrets that belong to it. */
export interface Database {
  /**
   * The URL for connections whose session outlives a transaction. If the operator gave a direct URL besides a pooler's,
   * it is the direct one.
   */
  readonly directUrl: string;
  readonly url: string;
  readonly dataSource: DataSource;
  /** The database for reports, which may lag. It equals `dataSource` until it is started with a replica. */
  readonly reads: ReadDatabase;
  /** The ledger's own connection pool. */
  readonly ledgerPool: pg.Pool;
  readonly sessionSecret: string;
  readonly encryptionKey: string;
  /** @throws when the database does not respond */
  ping(): Promise<void>;
  /** Closes every connection, and stops the embedded server. */
  close(): Promise<void>;
}

/** Milliseconds to wait for a configured database that does not respond yet. */
const patienceMilliseconds = 30_000;

/**
 * Starts the embedded Postgres if `DATABASE_URL` is not set, connects, and migrates.
 * @param options.cancelled ends all waits: for a database that does not respond yet, for another node that migrates,
 * and for locks
 * @param options.embedded the embedded Postgres, if its start has already begun
 * @throws EmbeddedError, ConfigError, SchemaError, EncryptionKeyError: one clear line each
 */
export async function openDatabase(
  config: Config,
  entities: readonly EntityClass[],
  logger: Logger,
  metrics: Metrics,
  options: { readonly cancelled?: AbortSignal; readonly embedded?: Promise<EmbeddedPostgres> | undefined } = {},
): Promise<Database> {
  await warnOfDataFolder(config.dataDir, logger);
  const embedded = config.databaseUrl ? undefined : await (options.embedded ?? startEmbeddedPostgres(config, logger));
  try {
    return await connect(config, entities, logger, metrics, embedded, options.cancelled);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

async function connect(
  config: Config,
  entities: readonly EntityClass[],
  logger: Logger,
  metrics: Metrics,
  embedded: EmbeddedPostgres | undefined,
  cancelled: AbortSignal | undefined,
): Promise<Database> {
  const url = config.databaseUrl ?? embedded?.url ?? '';
  const directUrl = config.databaseDirectUrl ?? url;
  let closing = false;
  const onBroken = (error: Error): void => {
    // Connections that are closing may still report that the database stops.
    if (!closing) logger.warn({ err: error }, 'database connection failed');
  };
  const create = (): DataSource => createDataSource(url, config.databasePoolSize, entities, onBroken);
  const dataSource = await connectPatiently(create, logger, cancelled).catch((error: unknown) => {
    throw config.databaseUrl ? refused('DATABASE_URL', error) : error;
  });
  const ledgerPool = createLedgerPool(url, onBroken);
  const reads = new ReadDatabase({
    primary: dataSource,
    replica: config.databaseReplica,
    poolSize: config.databasePoolSize,
    logger,
    metrics,
    onBroken,
  });
  watchPool(poolOf(dataSource), 'management', metrics);
  watchPool(ledgerPool, 'ledger', metrics);
  const disconnect = async (): Promise<void> => {
    closing = true;
    await reads.stop();
    await ledgerPool.end();
    await dataSource.destroy();
  };
  const encryptionKey = config.encryptionKey ?? embedded?.secrets.encryptionKey ?? '';
  try {
    await migrateDirectly(dataSource, url, directUrl, logger, cancelled);
    await checkEncryptionKey(dataSource, encryptionKey);
  } catch (error) {
    await disconnect();
    throw error;
  }
  return {
    url,
    directUrl,
    reads,
    dataSource,
    ledgerPool,
    sessionSecret: config.sessionSecret ?? embedded?.secrets.sessionSecret ?? '',
    encryptionKey,
    ping: async () => {
      await dataSource.query('SELECT 1');
    },
    close: async () => {
      await disconnect();
      await embedded?.stop();
    },
  };
}

/** Returns the reason without a stack trace, because the operator has to correct the address. */
function refused(variable: string, error: unknown): ConfigError {
  const { message, code } = error as NodeJS.ErrnoException;
  // If a name has several addresses, the error that combines theirs has no message.
  return new ConfigError([`${variable}: ${message || code}`]);
}

/**
 * Migrates over connections of its own if the server's connections are pooled, because a migration may change its
 * session.
 */
async function migrateDirectly(
  dataSource: DataSource,
  url: string,
  directUrl: string,
  logger: Logger,
  cancelled: AbortSignal | undefined,
): Promise<void> {
  if (directUrl === url) return migrate(dataSource, url, logger, cancelled);
  const { entities } = dataSource.options;
  const direct = await createDataSource(directUrl, 2, entities as EntityClass[])
    .initialize()
    .catch((error: unknown) => {
      throw refused('DATABASE_DIRECT_URL', error);
    });
  try {
    await migrate(direct, directUrl, logger, cancelled);
  } finally {
    await direct.destroy();
  }
}

/** Containers start in any order, so a database that does not respond yet is retried. A wrong password is not. */
async function connectPatiently(
  create: () => DataSource,
  logger: Logger,
  cancelled: AbortSignal | undefined,
): Promise<DataSource> {
  const deadline = Date.now() + patienceMilliseconds;
  for (;;) {
    try {
      return await create().initialize();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || Date.now() > deadline || cancelled?.aborted) throw error;
      logger.warn({ err: error }, 'database does not respond yet, retrying');
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

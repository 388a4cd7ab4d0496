import cluster from 'node:cluster';
import { databaseConnections, type Config } from '../config.js';
import { openDatabase, type Database } from '../db/database.js';
import type { EmbeddedPostgres } from '../db/embedded/embedded-postgres.js';
import type { Logger } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import { Primary, type Ready } from './primary.js';

/** A server of several processes, from the view of its primary process. */
export interface PrimaryServer {
  /** Opens and migrates the database, then starts the workers. */
  start(): Promise<Ready>;
  stop(): Promise<void>;
  /** Replaces one worker after the other, without a refused connection. */
  restart(): void;
}

/**
 * @param program path of the program that each worker runs
 * @param embedded the embedded Postgres, when its start has begun already
 */
export function createPrimary(
  config: Config,
  logger: Logger,
  program: string,
  embedded?: Promise<EmbeddedPostgres>,
): PrimaryServer {
  const cancelled = new AbortController();
  let database: Database | undefined;
  let primary: Primary | undefined;
  let starting: Promise<Ready> | undefined;

  async function start(): Promise<Ready> {
    const { workers } = config;
    // A pool opens connections when they are needed, and the primary needs one. The embedded server is sized for the
    // pools of all workers.
    const sized = { ...config, databasePoolSize: databaseConnections(config), databaseReplica: undefined };
    const opened = await openDatabase(sized, [], logger, new Metrics(false), { cancelled: cancelled.signal, embedded });
    database = opened;
    // No other process serves an embedded database, so reservations of earlier processes are returned immediately.
    if (!config.databaseUrl) await opened.ledgerPool.query('DELETE FROM nodes');
    cluster.setupPrimary({ exec: program, execArgv: nodeParameters(), serialization: 'advanced' });
    primary = new Primary({
      count: workers,
      environment: environmentOf(config, opened),
      forget: async (nodeId) => {
        await opened.ledgerPool.query('DELETE FROM nodes WHERE id = $1', [nodeId]);
      },
      logger,
    });
    return primary.start();
  }

  const close = async (): Promise<void> => {
    await primary?.stop();
    await database?.close();
  };
  return {
    start() {
      starting = start().catch(async (error: unknown) => {
        await close();
        throw error;
      });
      return starting;
    },
    async stop() {
      cancelled.abort();
      await primary?.stop();
      // A start in progress has to end before it can be closed.
      await starting?.catch(() => undefined);
      await close();
    },
    restart: () => void primary?.restart(),
  };
}

/** `npm start` passes a parameter for errors that name source files. Workers do not inherit it automatically. */
const nodeParameters = (): string[] =>
  process.sourceMapsEnabled ? [...process.execArgv, '--enable-source-maps'] : process.execArgv;

/** Returns the environment variables of a worker. Limits of the whole site are divided by the number of workers. */
function environmentOf(config: Config, database: Database): Record<string, string> {
  const share = (total: number, least: number): string => String(Math.max(least, Math.ceil(total / config.workers)));
  const { total, perAddress } = config.connections;
  return {
    DATABASE_URL: database.url,
    SESSION_SECRET: database.sessionSecret,
    ENCRYPTION_KEY: database.encryptionKey,
    DATABASE_POOL_SIZE: share(config.databasePoolSize, 4),
    ...(total > 0 ? { MAX_CONNECTIONS: share(total, 1) } : {}),
    ...(perAddress > 0 ? { MAX_CONNECTIONS_PER_ADDRESS: share(perAddress, 1) } : {}),
  };
}

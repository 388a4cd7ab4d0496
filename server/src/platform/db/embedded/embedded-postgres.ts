import { join } from 'node:path';
import type { Logger } from '../../observability/logger.js';
import { chooseAccount } from './account.js';
import { Cluster, databaseName } from './cluster.js';
import {
  dataFolder,
  loadOrCreateSecrets,
  prepareDataFolder,
  readSecrets,
  type DataFolder,
  type StoredSecrets,
} from './data-folder.js';
import { isInstanceLocked, takeInstanceLock } from './instance-lock.js';
import { readPostmaster } from './leftover.js';
import { locatePostgres } from './native-package.js';
import { PostgresProcess } from './postgres-process.js';

/** A running embedded Postgres. */
export interface EmbeddedPostgres {
  readonly url: string;
  readonly secrets: StoredSecrets;
  /** Stops Postgres and releases the data folder. */
  stop(): Promise<void>;
}

export interface EmbeddedSettings {
  readonly dataDir: string;
  readonly databasePoolSize: number;
}

/** Connections for the ledger's pool, the migration lock and tools, with some reserve. */
const connectionsBesidePool = 30;

/**
 * Starts Postgres under `dataDir` if `DATABASE_URL` is not set. Works as root and as a normal user, wherever the
 * project is installed, and continues with the data of a server that was killed.
 * @param onWaiting called while a program of Postgres works and this process is idle
 * @throws EmbeddedError: one clear line
 */
export async function startEmbeddedPostgres(
  settings: EmbeddedSettings,
  logger: Logger,
  onWaiting: () => void = () => undefined,
): Promise<EmbeddedPostgres> {
  const folder = dataFolder(settings.dataDir);
  await prepareDataFolder(folder);
  const lock = await takeInstanceLock(folder.lock);
  try {
    const account = await chooseAccount(folder.cluster);
    const secrets = await loadOrCreateSecrets(folder);
    const postgres = await locatePostgres(account, join(folder.path, 'programs'));
    const cluster = await Cluster.open(folder, account);
    try {
      await cluster.prepare(postgres, secrets.databasePassword, onWaiting);
      const running = await PostgresProcess.start(
        cluster,
        postgres,
        settings.databasePoolSize + connectionsBesidePool,
        logger,
        onWaiting,
      );
      return {
        url: urlOf(secrets, running.port),
        secrets,
        async stop() {
          await running.stop();
          cluster.close();
          await lock.release();
        },
      };
    } catch (error) {
      cluster.close();
      throw error;
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Opens the embedded database for a tool that runs next to the server: the running server's own, or one that is started
 * for the tool. `stop` does not stop a running server's database.
 */
export async function joinEmbeddedPostgres(settings: EmbeddedSettings, logger: Logger): Promise<EmbeddedPostgres> {
  const folder = dataFolder(settings.dataDir);
  return (await runningServer(folder)) ?? startEmbeddedPostgres(settings, logger);
}

async function runningServer(folder: DataFolder): Promise<EmbeddedPostgres | null> {
  if (!(await isInstanceLocked(folder.lock))) return null;
  const [secrets, postmaster] = [await readSecrets(folder), await readPostmaster(folder.cluster)];
  if (!secrets || !postmaster?.ready) return null;
  return { url: urlOf(secrets, postmaster.port), secrets, stop: async () => undefined };
}

const urlOf = (secrets: StoredSecrets, port: number): string =>
  `postgres://${databaseName}:${secrets.databasePassword}@127.0.0.1:${port}/${databaseName}`;

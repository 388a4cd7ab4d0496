import { once } from 'node:events';
import type { DataSource } from 'typeorm';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import { watchPool } from '../observability/watch-pool.js';
import { isDatabaseUnavailable, isReplicaConflict } from '../../shared/postgres-error.js';
import { ScheduledRuns } from '../../shared/scheduled-runs.js';
import { createDataSource, poolOf } from './data-source.js';
import { migrations } from './migrations/all.js';

export interface ReadDatabaseDeps {
  readonly primary: DataSource;
  /** The replica, with `maxLag` in seconds. Undefined when everything is read from the primary. */
  readonly replica: { readonly url: string; readonly maxLag: number } | undefined;
  readonly poolSize: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called when a connection to the replica breaks. */
  readonly onBroken: (error: Error) => void;
}

const probeTimeout = 5_000;

/**
 * Reads that may lag: lists of the log, usage and exports. They go to the replica while it responds, has this version's
 * schema and is at most `maxLag` behind, otherwise to the primary. A read that the replica cannot finish is repeated on
 * the primary, so it must not write and must not have effects.
 *
 * The lag is the age of the newest heartbeat on the replica, by the clock of the primary. It therefore works with every
 * kind of replication, and is exact to one heartbeat.
 */
export class ReadDatabase {
  private readonly replica: DataSource | null;
  private isUsed = false;
  private readonly runs = new ScheduledRuns(
    () => this.probe(),
    (error) => this.leave({ err: error }),
  );

  constructor(private readonly deps: ReadDatabaseDeps) {
    const { replica, poolSize, onBroken } = deps;
    // An unreachable replica causes failures a little after the maximum time of a statement.
    const changed = { query_timeout: 35_000 };
    this.replica = replica ? createDataSource(replica.url, poolSize, [], onBroken, changed) : null;
  }

  readonly query: DataSource['query'] = (sql, parameters) => this.read((database) => database.query(sql, parameters));

  readonly transaction: DataSource['transaction'] = (...work: unknown[]) =>
    this.read((database) => (database.transaction as (...all: unknown[]) => Promise<never>)(...work));

  /**
   * Starts the checks.
   * @returns a promise that resolves after the first check of the replica, which may be unavailable
   */
  async start(milliseconds: number): Promise<void> {
    if (!this.replica) return;
    await this.runs.run();
    if (!this.isUsed) this.deps.logger.info('reports are read from the primary until the replica is ready');
    this.runs.every(milliseconds);
  }

  async stop(): Promise<void> {
    this.isUsed = false;
    await this.runs.stop();
    if (this.replica?.isInitialized) await this.replica.destroy();
  }

  private async read<T>(run: (database: DataSource) => Promise<T>): Promise<T> {
    const { primary } = this.deps;
    if (!this.replica || !this.isUsed) return run(primary);
    try {
      return await run(this.replica);
    } catch (error) {
      // The replica cancels reads that keep it from following the primary.
      if (isReplicaConflict(error)) return run(primary);
      if (!isDatabaseUnavailable(error)) throw error;
      this.leave({ err: error });
      return run(primary);
    }
  }

  private async probe(): Promise<void> {
    const { primary, logger, replica: settings } = this.deps;
    const { replica } = this;
    if (!replica || !settings) return;
    const now = await timeOf(primary);
    // If the primary does not respond, nothing is newer than the replica.
    if (now === null) return;
    if (!replica.isInitialized) {
      await replica.initialize();
      watchPool(poolOf(replica), 'replica', this.deps.metrics);
    }
    const { heartbeat, migrated } = await within(probeTimeout, stateOf(replica));
    const lag = heartbeat === null ? null : now - heartbeat;
    if (!migrated || lag === null || lag > settings.maxLag) return this.leave({ lag, migrated });
    if (!this.isUsed) logger.info({ lag }, 'reports are read from the replica');
    this.isUsed = true;
  }

  private leave(details: object): void {
    if (this.isUsed) this.deps.logger.warn(details, 'the replica cannot be used, reports are read from the primary');
    this.isUsed = false;
  }
}

/** Returns Unix seconds by the clock of a database; null when it does not respond. */
async function timeOf(database: DataSource): Promise<number | null> {
  try {
    const [row] = await database.query<Array<{ now: number }>>('SELECT extract(epoch FROM now())::float8 AS now');
    return row?.now ?? null;
  } catch (error) {
    if (isDatabaseUnavailable(error)) return null;
    throw error;
  }
}

async function stateOf(replica: DataSource): Promise<{ heartbeat: number | null; migrated: boolean }> {
  const newest = migrations.at(-1)?.name;
  const [row] = await replica.query<Array<{ heartbeat: number | null; migrated: boolean }>>(
    `SELECT (SELECT extract(epoch FROM max(heartbeat_at))::float8 FROM nodes) AS heartbeat,
            EXISTS (SELECT FROM migrations WHERE name = $1) AS migrated`,
    [newest],
  );
  return row ?? { heartbeat: null, migrated: false };
}

/** @throws when it takes longer */
function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const late = once(AbortSignal.timeout(milliseconds), 'abort').then(() => {
    throw new Error(`no response within ${milliseconds} ms`);
  });
  return Promise.race([work, late]);
}

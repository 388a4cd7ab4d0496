import pg from 'pg';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { advisoryLocks } from './advisory-locks.js';
import type { Logger } from '../observability/logger.js';
import { assertComplete, pendingMigrations, type SchemaState } from './schema-state.js';

/**
 * Milliseconds for which one statement of a migration waits for a lock. Later queries wait in the same queue, also
 * those of servers of the previous version, so a migration gives up soon and is retried.
 */
const lockMilliseconds = 500;
const pauseMilliseconds = 500;
/** Number of attempts after which the start fails: a transaction that is open for so long does not end soon. */
const maxLockTries = 600;

/**
 * Migrates the schema to this code's version. One node at a time: the others wait for the lock and then find nothing to do.
 *
 * A migration and its record are one transaction, so a killed server leaves nothing half done. A migration that must run
 * outside a transaction (`transaction = false`) is listed in `migrations_begun` while it runs; a row found there at start
 * is refused.
 * @param url the same database; the lock has its own connection, which also works behind transaction poolers
 * @param cancelled ends waiting, for another node or for a lock, and begins no further migration
 * @throws SchemaError when the schema is newer than this code, of an unreleased build, or incomplete
 */
export async function migrate(
  dataSource: DataSource,
  url: string,
  logger: Logger,
  cancelled?: AbortSignal,
): Promise<void> {
  const lock = new pg.Client({ connectionString: url, application_name: 'tollgate-migrate' });
  // A lost lock connection surfaces as a failure of the statements below.
  lock.on('error', (error) => logger.warn({ err: error }, 'migration lock connection failed'));
  await lock.connect();
  try {
    await takeLock(lock, logger, cancelled);
    const runner = dataSource.createQueryRunner();
    try {
      await runPending(runner, dataSource.migrations, logger, cancelled);
      assertComplete(expectedTables(dataSource), await readColumns(runner));
    } finally {
      await runner.release();
    }
  } finally {
    await lock.end();
  }
}

async function takeLock(lock: pg.Client, logger: Logger, cancelled?: AbortSignal): Promise<void> {
  await lock.query('BEGIN');
  await lock.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  await lock.query('SET LOCAL statement_timeout = 0');
  const { rows } = await lock.query<{ taken: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS taken', [
    advisoryLocks.migrations,
  ]);
  if (rows[0]?.taken) return;
  logger.info('another node is migrating the database, waiting for it');
  // Ending the connection also ends the statement that waits.
  const leave = (): void => void lock.end();
  cancelled?.addEventListener('abort', leave);
  try {
    refuseCancelled(cancelled);
    await lock.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.migrations]);
  } catch (error) {
    refuseCancelled(cancelled);
    throw error;
  } finally {
    cancelled?.removeEventListener('abort', leave);
  }
}

function refuseCancelled(cancelled: AbortSignal | undefined): void {
  if (cancelled?.aborted) throw new Error('the migration of the database was cancelled');
}

async function runPending(
  runner: QueryRunner,
  migrations: MigrationInterface[],
  logger: Logger,
  cancelled?: AbortSignal,
): Promise<void> {
  await runner.query(`
    CREATE TABLE IF NOT EXISTS migrations (id serial PRIMARY KEY, "timestamp" bigint NOT NULL, name varchar NOT NULL);
    CREATE TABLE IF NOT EXISTS migrations_begun (name text PRIMARY KEY, begun_at timestamptz NOT NULL DEFAULT now());
  `);
  const pending = pendingMigrations(await readState(runner, migrations.map(nameOf)));
  for (const migration of migrations.filter((one) => pending.includes(nameOf(one)))) {
    refuseCancelled(cancelled);
    const begun = Date.now();
    if (migration.transaction === false) await runMarked(runner, migration);
    else await runPatiently(runner, migration, logger, cancelled);
    logger.info({ migration: nameOf(migration), milliseconds: Date.now() - begun }, 'database migrated');
  }
}

/** Retries a migration while other transactions hold the rows or tables that it must lock. */
async function runPatiently(
  runner: QueryRunner,
  migration: MigrationInterface,
  logger: Logger,
  cancelled?: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await runWhole(runner, migration);
    } catch (error) {
      if (!isLocked(error) || tries === maxLockTries) throw error;
      refuseCancelled(cancelled);
      if (tries === 1) logger.info({ migration: nameOf(migration) }, 'a migration waits for a lock, trying again');
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
  }
}

/** Whether a lock is not available, or the transaction was the victim of a deadlock. */
const isLocked = (error: unknown): boolean => ['55P03', '40P01'].includes((error as { code?: string }).code ?? '');

async function runWhole(runner: QueryRunner, migration: MigrationInterface): Promise<void> {
  await runner.startTransaction();
  try {
    // Migrating a large table may take longer than the limit for queries.
    await runner.query(`SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${lockMilliseconds}`);
    await migration.up(runner);
    await record(runner, migration);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}

async function runMarked(runner: QueryRunner, migration: MigrationInterface): Promise<void> {
  await runner.query('INSERT INTO migrations_begun (name) VALUES ($1)', [nameOf(migration)]);
  await runner.query('SET statement_timeout = 0');
  try {
    await migration.up(runner);
  } finally {
    await runner.query('RESET statement_timeout');
  }
  await runner.startTransaction();
  await record(runner, migration);
  await runner.query('DELETE FROM migrations_begun WHERE name = $1', [nameOf(migration)]);
  await runner.commitTransaction();
}

async function record(runner: QueryRunner, migration: MigrationInterface): Promise<void> {
  const name = nameOf(migration);
  await runner.query('INSERT INTO migrations ("timestamp", name) VALUES ($1, $2)', [Number(name.slice(-13)), name]);
}

const nameOf = (migration: MigrationInterface): string => migration.name ?? migration.constructor.name;

async function readState(runner: QueryRunner, known: string[]): Promise<SchemaState> {
  const unfinished = (await runner.query('SELECT name FROM migrations_begun ORDER BY begun_at')) as { name: string }[];
  const recorded = (await runner.query('SELECT name FROM migrations ORDER BY id')) as { name: string }[];
  return {
    known,
    recorded: recorded.map(({ name }) => name),
    unfinished: unfinished.map(({ name }) => name),
    tables: new Set((await readColumns(runner)).keys()),
    firstTable: 'users',
  };
}

/** Reads column names by table, of the schema that unqualified names resolve to. */
async function readColumns(runner: QueryRunner): Promise<Map<string, Set<string>>> {
  const rows = (await runner.query(
    'SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()',
  )) as { table_name: string; column_name: string }[];
  const columns = new Map<string, Set<string>>();
  for (const row of rows) columns.set(row.table_name, (columns.get(row.table_name) ?? new Set()).add(row.column_name));
  return columns;
}

/** Returns every entity's table, and the tables of the ledger without an entity. */
function expectedTables(dataSource: DataSource): Array<{ table: string; columns: string[] }> {
  const ofEntities = dataSource.entityMetadatas.map((entity) => ({
    table: entity.tableName,
    columns: entity.columns.map((column) => column.databaseName),
  }));
  const ofLedger = ['reservations', 'settled_unlogged', 'ledger_entries', 'usage_hourly', 'nodes'];
  return [...ofEntities, ...ofLedger.map((table) => ({ table, columns: [] }))];
}

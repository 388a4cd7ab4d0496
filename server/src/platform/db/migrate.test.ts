import pg from 'pg';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { createEmptyDatabase, type TestDatabase } from '../../../../tests/support/database.js';
import { createLogger } from '../observability/logger.js';
import { entities } from '../../compose/entities.js';
import { createDataSource } from './data-source.js';
import { migrate } from './migrate.js';
import { migrations } from './migrations/all.js';
import { SchemaError } from './schema-state.js';

const logger = createLogger('silent');
let database: TestDatabase;
let open: DataSource[];

beforeEach(async () => {
  database = await createEmptyDatabase();
  open = [];
});
afterEach(async () => {
  for (const dataSource of open) await dataSource.destroy();
  await database.drop();
});

async function connect(): Promise<DataSource> {
  const dataSource = await createDataSource(database.url, 2, entities).initialize();
  open.push(dataSource);
  return dataSource;
}

async function run(...extra: MigrationInterface[]): Promise<DataSource> {
  const dataSource = await connect();
  dataSource.migrations.push(...extra);
  await migrate(dataSource, database.url, logger);
  return dataSource;
}

async function sql<T extends pg.QueryResultRow>(text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Creates a table and fails afterwards, inside or outside a transaction. */
class Failing9999999999999 implements MigrationInterface {
  readonly name = 'Failing9999999999999';
  failing = true;
  constructor(readonly transaction?: boolean) {}
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE half (id integer)');
    if (this.failing) throw new Error('the power went');
    await runner.query('ALTER TABLE half ADD whole integer');
  }
  async down(): Promise<void> {}
}

it('brings an empty database up and records each migration; the second time changes nothing', async () => {
  await run();
  const recorded = await sql('SELECT name, "timestamp"::text FROM migrations ORDER BY id');
  expect(recorded).toHaveLength(migrations.length);
  expect(recorded[0]).toEqual({ name: 'Foundation1764100000000', timestamp: '1764100000000' });
  await run();
  expect(await sql('SELECT name, "timestamp"::text FROM migrations ORDER BY id')).toEqual(recorded);
});

it('agrees with the records of the migration tool of the ORM', async () => {
  const dataSource = await connect();
  await dataSource.runMigrations();
  await migrate(dataSource, database.url, logger);
  expect(await sql('SELECT name FROM migrations')).toHaveLength(migrations.length);
  await run();
  expect(await dataSource.showMigrations()).toBe(false);
});

it('goes back to an empty database', async () => {
  const dataSource = await run();
  for (const _ of migrations) await dataSource.undoLastMigration();
  const left = await sql(`
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind <> 'i'
    UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`);
  expect(left).toEqual([{ name: 'migrations' }, { name: 'migrations_begun' }, { name: 'migrations_id_seq' }]);
});

it('lets several nodes start on one empty database at once', async () => {
  const nodes = await Promise.all([connect(), connect(), connect(), connect()]);
  await Promise.all(nodes.map((node) => migrate(node, database.url, logger)));
  expect(await sql('SELECT name FROM migrations')).toHaveLength(migrations.length);
});

it('waits for the node that migrates', async () => {
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  await other.query('BEGIN');
  await other.query('SELECT pg_advisory_xact_lock($1)', [0x746f6c6c]);
  let done = false;
  const waiting = run().then(() => (done = true));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(done).toBe(false);
  expect(await sql("SELECT 1 FROM pg_tables WHERE tablename = 'users'")).toEqual([]);
  await other.query('COMMIT');
  await other.end();
  await waiting;
  expect(done).toBe(true);
});

it('stops waiting for the node that migrates when it is told to', async () => {
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  try {
    await other.query('BEGIN');
    await other.query('SELECT pg_advisory_xact_lock($1)', [0x746f6c6c]);
    const stop = new AbortController();
    const waiting = migrate(await connect(), database.url, logger, stop.signal);
    const ended = expect(waiting).rejects.toThrow('cancelled');
    await waits(`locktype = 'advisory'`);
    stop.abort();
    await ended;
  } finally {
    await other.end();
  }
});

it('stops waiting for a lock when it is told to, and leaves nothing of its migration', async () => {
  await run();
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  try {
    await holder.query('BEGIN; SELECT 1 FROM users');
    const widening: MigrationInterface = {
      name: 'Widening9999999999998',
      up: (runner) => runner.query('ALTER TABLE users ADD COLUMN wide integer') as Promise<void>,
      down: () => Promise.resolve(),
    };
    const dataSource = await connect();
    dataSource.migrations.push(widening);
    const stop = new AbortController();
    const ended = expect(migrate(dataSource, database.url, logger, stop.signal)).rejects.toThrow('cancelled');
    await waits(`relation = 'users'::regclass`);
    stop.abort();
    await ended;
    expect(await sql(`SELECT 1 FROM migrations WHERE name = 'Widening9999999999998'`)).toEqual([]);
  } finally {
    await holder.end();
  }
});

async function waits(lock: string): Promise<void> {
  while ((await sql(`SELECT 1 FROM pg_locks WHERE NOT granted AND ${lock}`)).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

it('does not block the calls of other servers while it waits for a lock, and ends when the lock is free', async () => {
  await run();
  const [holder, caller] = [
    new pg.Client({ connectionString: database.url }),
    new pg.Client({ connectionString: database.url }),
  ];
  await Promise.all([holder.connect(), caller.connect()]);
  try {
    // This transaction represents an export that reads for a long time.
    await holder.query('BEGIN; SELECT 1 FROM users');
    let done = false;
    const widening: MigrationInterface = {
      name: 'Widening9999999999998',
      up: (runner) => runner.query('ALTER TABLE users ADD COLUMN wide integer') as Promise<void>,
      down: () => Promise.resolve(),
    };
    const waiting = run(widening).then(() => (done = true));
    const waits = async (): Promise<boolean> =>
      (await sql(`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'users'::regclass`)).length > 0;
    while (!(await waits())) await new Promise((resolve) => setTimeout(resolve, 10));
    // The statement is queued behind the migration. Without the migration's limit it would wait for the export.
    await caller.query(`SET statement_timeout = '20s'`);
    await caller.query('SELECT id FROM users');
    expect(done).toBe(false);
    await holder.query('COMMIT');
    await waiting;
    expect(await sql(`SELECT 1 AS one FROM migrations WHERE name = 'Widening9999999999998'`)).toEqual([{ one: 1 }]);
  } finally {
    await Promise.all([holder.end(), caller.end()]);
  }
});

it('leaves nothing of a migration that failed inside its transaction, so the next start may try again', async () => {
  const migration = new Failing9999999999999();
  await expect(run(migration)).rejects.toThrow('the power went');
  expect(await sql("SELECT 1 FROM pg_tables WHERE tablename = 'half'")).toEqual([]);
  migration.failing = false;
  await run(migration);
  expect(await sql('SELECT whole FROM half')).toEqual([]);
});

describe('refuses', () => {
  it('a schema newer than the code', async () => {
    await run();
    await sql(`INSERT INTO migrations ("timestamp", name) VALUES (9999999999999, 'Future9999999999999')`);
    await expect(run()).rejects.toThrow(SchemaError);
    await expect(run()).rejects.toThrow(/newer than this server \(it has Future9999999999999\)/);
  });

  it('the database of an unreleased build', async () => {
    await run();
    await sql(`INSERT INTO migrations ("timestamp", name) VALUES (1764000000000, 'Foundation1764000000000')`);
    await expect(run()).rejects.toMatchObject({ code: 'SCHEMA_TOO_OLD' });
  });

  it('a migration that began outside a transaction and did not finish', async () => {
    await expect(run(new Failing9999999999999(false))).rejects.toThrow('the power went');
    await expect(run(new Failing9999999999999(false))).rejects.toThrow(SchemaError);
    await expect(run()).rejects.toThrow(/half-migrated: Failing9999999999999 started and did not finish/);
  });

  it.each([
    ['a recorded table is missing', 'DROP TABLE sessions', /table "sessions" is missing/],
    ['a ledger table is missing', 'DROP TABLE reservations', /table "reservations" is missing/],
    [
      'a recorded column is missing',
      'ALTER TABLE tokens DROP COLUMN allow_ips CASCADE',
      /column "allow_ips" of table "tokens"/,
    ],
    ['tables are there and no record', 'DELETE FROM migrations', /table "users" exists but no migration is recorded/],
    [
      'a record in the middle is missing',
      `DELETE FROM migrations WHERE name LIKE 'Foundation%'`,
      /half-migrated: Found/,
    ],
  ])('when %s', async (_name, damage, message) => {
    await run();
    await sql(damage);
    await expect(run()).rejects.toThrow(SchemaError);
    await expect(run()).rejects.toThrow(message);
  });
});

it('runs one outside a transaction to its end and takes its mark away', async () => {
  const migration = new Failing9999999999999(false);
  migration.failing = false;
  await run(migration);
  expect(await sql('SELECT * FROM migrations_begun')).toEqual([]);
  expect(await sql(`SELECT 1 AS one FROM migrations WHERE name = 'Failing9999999999999'`)).toEqual([{ one: 1 }]);
});

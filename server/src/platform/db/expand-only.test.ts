import pg from 'pg';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { createEmptyDatabase, type TestDatabase } from '../../../../tests/support/database.js';
import { breakingChanges, readSchema } from '../../../../tests/support/schema-changes.js';
import { createDataSource } from './data-source.js';
import { migrations } from './migrations/all.js';

/**
 * Removals that are allowed, each with its reason. A migration may only remove what no supported version uses any more:
 * the previous version must already work without it (docs/adr/0106-migrations-expand-before-they-contract.md).
 */
const allowed: Readonly<Record<string, readonly string[]>> = {};

let database: TestDatabase;
let dataSource: DataSource;
let client: pg.Client;

beforeEach(async () => {
  database = await createEmptyDatabase();
  dataSource = await createDataSource(database.url, 1, []).initialize();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await dataSource.destroy();
  await database.drop();
});

/** @returns the breaking changes of each migration, by its name */
async function breakingChangesOf(list: readonly MigrationInterface[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  const runner: QueryRunner = dataSource.createQueryRunner();
  let before = await readSchema(client);
  for (const migration of list) {
    await migration.up(runner);
    const after = await readSchema(client);
    const changes = breakingChanges(before, after);
    if (changes.length > 0) found[migration.name ?? ''] = changes;
    before = after;
  }
  await runner.release();
  return found;
}

it('no migration breaks the servers of the version before', async () => {
  expect(await breakingChangesOf(migrations.map((Migration) => new Migration()))).toEqual(allowed);
});

describe('finds', () => {
  const start = `
    CREATE TABLE things (id integer PRIMARY KEY, name text, size integer NOT NULL DEFAULT 0);
    CREATE FUNCTION thing_of(integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';`;
  const one = (name: string, text: string): MigrationInterface => ({
    name,
    up: (runner) => runner.query(text) as Promise<void>,
    down: () => Promise.resolve(),
  });

  it.each([
    [
      'a dropped table',
      'DROP TABLE things',
      ['column things.id is gone', 'column things.name is gone', 'column things.size is gone'],
    ],
    ['a dropped column', 'ALTER TABLE things DROP COLUMN name', ['column things.name is gone']],
    ['a renamed column', 'ALTER TABLE things RENAME name TO title', ['column things.name is gone']],
    ['another type', 'ALTER TABLE things ALTER size TYPE bigint', ['column things.size has another type']],
    [
      'a column that became required',
      'ALTER TABLE things ALTER name SET NOT NULL',
      ['column things.name may no longer be null'],
    ],
    ['a lost default', 'ALTER TABLE things ALTER size DROP DEFAULT', ['column things.size has lost its default']],
    [
      'a new required column',
      'ALTER TABLE things ADD kind text NOT NULL',
      ['column things.kind is new and required, without a default'],
    ],
    ['a dropped function', 'DROP FUNCTION thing_of(integer)', ['function thing_of(integer) is gone']],
    [
      'a function with another result',
      `DROP FUNCTION thing_of(integer); CREATE FUNCTION thing_of(integer) RETURNS text LANGUAGE sql AS 'SELECT ''1'''`,
      ['function thing_of(integer) returns another type'],
    ],
    ['a new unique index', 'CREATE UNIQUE INDEX things_name ON things (name)', ['rule things things_name is new']],
    [
      'a unique index of an expression',
      'CREATE UNIQUE INDEX things_name ON things (lower(name))',
      ['rule things things_name is new'],
    ],
    ['a new check', 'ALTER TABLE things ADD CONSTRAINT small CHECK (size < 9)', ['rule things small is new']],
  ])('%s', async (_name, text, expected) => {
    expect(await breakingChangesOf([one('Start', start), one('Next', text)])).toEqual({ Next: expected });
  });

  it('nothing in what only expands', async () => {
    const text = `
      ALTER TABLE things ADD kind text, ADD place text NOT NULL DEFAULT '' CHECK (place <> 'none');
      CREATE INDEX things_kind ON things (kind);
      CREATE OR REPLACE FUNCTION thing_of(integer) RETURNS integer LANGUAGE sql AS 'SELECT 2';
      CREATE FUNCTION thing_of(integer, text) RETURNS integer LANGUAGE sql AS 'SELECT 3';
      CREATE TABLE others (id integer PRIMARY KEY, thing integer NOT NULL REFERENCES things (id));`;
    expect(await breakingChangesOf([one('Start', start), one('Next', text)])).toEqual({});
  });
});

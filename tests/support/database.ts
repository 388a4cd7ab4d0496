import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

export interface TestDatabase {
  readonly url: string;
  /** Ends the connections of the database and deletes it. */
  drop(): Promise<void>;
}

const databaseFolder = join(import.meta.dirname, '../../server/src/platform/db');
/** An advisory lock id, the same in every worker: one worker creates the template, the other workers wait. */
const templateLock = 7_305_113;
/** The lock id for databases with content, which are created from that template. */
const preparedLock = 7_305_114;

/**
 * A fresh database with every migration applied, for one test or one file. Copied in milliseconds from a template that
 * the first caller creates.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = serverUrl();
  return withClient(server, async (client) => {
    const template = await ensureTemplate(client, server);
    return createDatabase(client, server, `TEMPLATE "${template}"`);
  });
}

/**
 * A copy of a database with content, which the first caller of a run makes and every other file of the run copies.
 * @param name of the content, in lower case
 * @param prepare fills a migrated database. It must leave no connection open
 */
export async function createPreparedDatabase(
  name: string,
  prepare: (database: TestDatabase) => Promise<void>,
): Promise<TestDatabase> {
  const server = serverUrl();
  // The content depends on the time it was made and on the sources, so it is kept for one run only
  // (`global-teardown.mjs`).
  const template = `tollgate_${name}_${process.env.TEST_RUN ?? randomUUID().slice(0, 8)}`;
  return withClient(server, async (client) => {
    await makeOnce(client, template, preparedLock, async () => {
      const draft = await createTestDatabase();
      await prepare(draft);
      await client.query(`ALTER DATABASE "${new URL(draft.url).pathname.slice(1)}" RENAME TO "${template}"`);
    });
    return createDatabase(client, server, `TEMPLATE "${template}"`);
  });
}

/** An empty database: for tests of the migrations themselves. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const server = serverUrl();
  return withClient(server, (client) => createDatabase(client, server, ''));
}

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('TEST_DATABASE_URL is not set: start tests with "npm test" or "npx jest"');
  return url;
}

async function createDatabase(client: pg.Client, server: string, from: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await client.query(`CREATE DATABASE "${name}" ${from}`);
  return {
    url: databaseUrl(server, name),
    drop: () =>
      withClient(server, async (other) => {
        await other.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
      }),
  };
}

/** @returns the name of a template database with the current schema and no connections */
async function ensureTemplate(client: pg.Client, server: string): Promise<string> {
  const name = `tollgate_template_${schemaFingerprint()}`;
  await makeOnce(client, name, templateLock, async () => {
    // Created under another name first, so that an interrupted run leaves no incomplete template.
    const draft = `${name}_draft`;
    await client.query(`DROP DATABASE IF EXISTS "${draft}" WITH (FORCE)`);
    await client.query(`CREATE DATABASE "${draft}"`);
    await migrateDatabase(databaseUrl(server, draft));
    await client.query(`ALTER DATABASE "${draft}" RENAME TO "${name}"`);
  });
  return name;
}

/** Creates a database unless it exists. One of several workers creates it, and the other workers wait. */
async function makeOnce(client: pg.Client, name: string, lock: number, make: () => Promise<void>): Promise<void> {
  if (await exists(client, name)) return;
  await client.query('SELECT pg_advisory_lock($1)', [lock]);
  try {
    if (!(await exists(client, name))) await make();
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [lock]);
  }
}

/** Migrates as a server does at start. */
async function migrateDatabase(url: string): Promise<void> {
  const { entities } = await import('../../server/src/compose/entities.js');
  const { createDataSource } = await import('../../server/src/platform/db/data-source.js');
  const { migrate } = await import('../../server/src/platform/db/migrate.js');
  const { createLogger } = await import('../../server/src/platform/observability/logger.js');
  const dataSource = await createDataSource(url, 2, entities).initialize();
  try {
    await migrate(dataSource, url, createLogger('silent'));
  } finally {
    await dataSource.destroy();
  }
}

async function exists(client: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  return rowCount === 1;
}

/** Returns a text that changes with any file that determines the schema. */
function schemaFingerprint(): string {
  const hash = createHash('sha256');
  const files = readdirSync(databaseFolder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /(migrat|schema).*\.ts$/.test(name) && !name.endsWith('.test.ts')).sort()) {
    hash.update(file).update(readFileSync(join(databaseFolder, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  // A connection that the server ends fails the running query, not the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

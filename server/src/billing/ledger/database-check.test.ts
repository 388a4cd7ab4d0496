import pg from 'pg';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../../tests/support/database.js';
import { features } from '../../platform/db/features/features.js';
import type { FeatureResult } from '../../platform/db/features/feature.js';
import { createLogger } from '../../platform/observability/logger.js';
import { checkDatabase } from './database-check.js';

const logger = createLogger('silent');
const codes = [...features.map(({ code }) => code), 'ADDRESSES', 'MIGRATIONS', 'LEDGER'];
let database: TestDatabase;
let roles: string[];

beforeEach(async () => {
  database = await createEmptyDatabase();
  roles = [];
});
afterEach(async () => {
  const { pathname } = new URL(database.url);
  for (const role of roles) await sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  expect(pathname).toMatch(/^\/test_/);
  await database.drop();
});

async function sql<T extends pg.QueryResultRow>(text: string, url = database.url): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Adds a role.
 * @param rights of the role in the database
 * @returns the URL of the database for this role
 */
async function addRole(rights: string): Promise<string> {
  const url = new URL(database.url);
  const role = `role_${url.pathname.slice(-12)}`;
  roles.push(role);
  await sql(
    `CREATE ROLE ${role} LOGIN PASSWORD 'check'; GRANT ${rights} ON DATABASE "${url.pathname.slice(1)}" TO ${role}`,
  );
  url.username = role;
  url.password = 'check';
  return url.href;
}

const check = (directUrl: string, url = directUrl): Promise<FeatureResult[]> =>
  checkDatabase({ directUrl, url, preparedStatements: true, logger });
const statuses = (results: readonly FeatureResult[]): string[] =>
  results.map(({ code, status }) => `${code} ${status}`);
const textOf = (results: readonly FeatureResult[], code: string): string | undefined =>
  results.find((result) => result.code === code)?.text;
const schemas = async (): Promise<string[]> =>
  (await sql<{ name: string }>("SELECT nspname AS name FROM pg_namespace WHERE nspname !~ '^pg_toast'")).map(
    ({ name }) => name,
  );

it('Postgres has everything, for a role that may only create schemas', async () => {
  const before = await schemas();
  expect(statuses(await check(await addRole('CREATE')))).toEqual(codes.map((code) => `${code} ok`));
  expect(await schemas()).toEqual(before);
});

it('reads and changes nothing of a site in the same database', async () => {
  const site = await createTestDatabase();
  try {
    await sql("INSERT INTO users (id, username, quota) VALUES (1, 'check', 7)", site.url);
    const counts = `SELECT (SELECT string_agg(username || quota, ',') FROM users) AS users,
      (SELECT count(*)::int FROM migrations) AS migrations, (SELECT count(*)::int FROM pg_class) AS objects`;
    const before = await sql(counts, site.url);
    expect(before).toMatchObject([{ users: 'check7' }]);
    expect(statuses(await check(site.url))).toEqual(codes.map((code) => `${code} ok`));
    expect(await sql(counts, site.url)).toEqual(before);
  } finally {
    await site.drop();
  }
});

it('without PL/pgSQL names it and what needs it, and does not try to migrate', async () => {
  await sql('DROP EXTENSION plpgsql');
  const results = await check(database.url);
  const missing = results.filter(({ status }) => status === 'missing').map(({ code }) => code);
  expect(missing).toEqual(['PLPGSQL', 'PARTITIONS', 'TRIGGERS']);
  expect(textOf(results, 'PLPGSQL')).toBe(
    'the database has no functions in PL/pgSQL with settings of their own (language "plpgsql" does not exist). ' +
      'The functions of the ledger, which are the only writers of balances, cannot be created.',
  );
  expect(statuses(results).slice(-2)).toEqual(['MIGRATIONS skipped', 'LEDGER skipped']);
  expect((await schemas()).filter((name) => name.startsWith('tollgate_'))).toEqual([]);
});

it('without advisory locks names the migrations of servers that start together', async () => {
  await sql('REVOKE EXECUTE ON FUNCTION pg_advisory_xact_lock(bigint), pg_try_advisory_xact_lock(bigint) FROM PUBLIC');
  const results = await check(await addRole('CREATE'));
  expect(results.filter(({ status }) => status === 'missing').map(({ code }) => code)).toEqual(['ADVISORY_LOCKS']);
  expect(textOf(results, 'ADVISORY_LOCKS')).toContain('Servers that start together would migrate at the same time');
});

it('names what an engine lacks that is serializable always', async () => {
  const role = await addRole('CREATE');
  await sql(`ALTER ROLE ${roles[0]} SET default_transaction_isolation = 'serializable'`);
  const results = await check(role);
  expect(results.filter(({ status }) => status === 'missing').map(({ code }) => code)).toEqual(['READ_COMMITTED']);
  expect(textOf(results, 'READ_COMMITTED')).toContain('would work with old balances');
});

it('says which right is missing to a role that may not create a schema', async () => {
  const results = await check(await addRole('CONNECT'));
  expect(statuses(results)).toEqual(['SCHEMA_RIGHTS missing']);
  expect(results[0]?.text).toContain('grant CREATE on the database');
});

it('names two addresses that lead to different databases, and one that does not respond', async () => {
  const other = await createEmptyDatabase();
  try {
    expect(textOf(await check(database.url, other.url), 'ADDRESSES')).toBe(
      'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases',
    );
  } finally {
    await other.drop();
  }
  expect(textOf(await check(database.url, other.url), 'ADDRESSES')).toMatch(
    /^the database does not respond at DATABASE_URL/,
  );
});

it.each(features.map((feature) => [feature.code, feature] as const))(
  '%s: an engine that answers otherwise is found out',
  async (_code, feature) => {
    // These sessions execute nothing and return the opposite of every expected value.
    const deaf = { query: () => Promise.resolve({ rows: [['another value']] }) } as unknown as pg.Client;
    expect(await feature.probe(deaf, deaf)).toBe(false);
  },
);

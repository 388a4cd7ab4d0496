import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { createEmptyDatabase } from '../support/database.js';
import { boot, buildServer, cleanUp, projectRoot } from './boot-support.js';

/** `npm run database-check` as an operator runs it. */

jest.setTimeout(90_000);
beforeAll(buildServer);
afterEach(cleanUp);

function check(
  environment: Record<string, string>,
  ...parameters: string[]
): { code: number | null; lines: string[]; errors: string } {
  const script = join(projectRoot, 'dist/server/billing/ledger/database-check.main.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...parameters], {
    env: { PATH: process.env.PATH, ...environment },
    encoding: 'utf8',
  });
  return { code: status, lines: stdout.trimEnd().split('\n'), errors: stderr };
}

const external = (url: string): Record<string, string> => ({
  DATABASE_URL: url,
  SESSION_SECRET: 'a-session-secret-for-tests',
  ENCRYPTION_KEY: 'an-encryption-key-for-tests',
});

it('finds everything in the embedded database beside its running server', async () => {
  const server = await boot();
  await server.ready();
  const { code, lines, errors } = check({ DATA_DIR: server.dataDir });
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(lines.at(-1)).toBe('The database has everything.');
  expect(lines.slice(0, -1).map((line) => line.split(/ +/)[0])).toEqual(
    Array.from({ length: lines.length - 1 }, () => 'ok'),
  );
  expect(lines.join('\n')).toMatch(/^ok {7}LEDGER {13}the ledger: reservations/m);
  expect(await server.end()).toBe(0);
});

it('exits with 3 and a plain sentence where something is missing', async () => {
  const database = await createEmptyDatabase();
  const url = new URL(database.url);
  const role = `role_${url.pathname.slice(-12)}`;
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'check'`);
    url.username = role;
    url.password = 'check';
    const { code, lines } = check(external(url.href));
    expect(code).toBe(3);
    expect(lines).toEqual([
      expect.stringMatching(/^missing {2}SCHEMA_RIGHTS {6}this role may not create a schema \(permission denied/),
      'The database lacks 1 of 1.',
    ]);
  } finally {
    await client.query(`DROP ROLE ${role}`);
    await client.end();
    await database.drop();
  }
});

it('tells wrong parameters from a database that does not respond', () => {
  expect(check({}, '--fix')).toMatchObject({ code: 2, errors: expect.stringMatching(/^usage: /) as string });
  expect(check(external('postgres://x@127.0.0.1:1/x'))).toMatchObject({
    code: 1,
    lines: [''],
    errors: expect.stringMatching(/^tollgate: .*ECONNREFUSED.*\n$/) as string,
  });
});

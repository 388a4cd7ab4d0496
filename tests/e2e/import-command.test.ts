import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pricedSites } from '../import/priced-sites.js';
import { createPricedSite, type PricedSource } from '../import/priced-source.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { buildServer, projectRoot } from './boot-support.js';

/** `npm run import` as an operator runs it: the codes with which it ends, and its report. */

jest.setTimeout(120_000);
let folder: string;
let source: PricedSource;
let database: TestDatabase;
const site = pricedSites[0];
beforeAll(async () => {
  if (!site) throw new Error('no site');
  buildServer();
  folder = mkdtempSync(join(tmpdir(), 'tollgate-import-'));
  [source, database] = await Promise.all([createPricedSite(site, 'http://127.0.0.1:9'), createTestDatabase()]);
});
afterAll(async () => {
  await database.drop();
  await source.drop();
  rmSync(folder, { recursive: true });
});

function run(...parameters: string[]): { code: number | null; output: string; errors: string } {
  const script = join(projectRoot, 'dist/server/compose/import.main.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...parameters], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      DATA_DIR: folder,
      SESSION_SECRET: 'secret-of-sessions',
      ENCRYPTION_KEY: 'key-of-this-site-1',
    },
    encoding: 'utf8',
  });
  return { code: status, output: stdout, errors: stderr };
}

it('ends with 2 for wrong parameters and with 1 for a source that cannot be read, and says why', () => {
  const errors = expect.stringMatching(/^tollgate: Unknown option '--all'\nusage: npm run import/);
  expect(run('--all')).toMatchObject({ code: 2, errors });
  const missing = join(folder, 'missing.db');
  expect(run(missing)).toMatchObject({ code: 1, errors: expect.stringContaining(missing) });
});

it('ends with 4 while a decision is due, and names what to accept', async () => {
  const price = `INSERT INTO options ("key", value) VALUES ('Price', 'much')`;
  await source.execute(price);
  const blocked = run(source.address, '--plans', 'drop');
  expect(blocked).toMatchObject({ code: 4, output: expect.stringContaining('Price') });
  expect(run(source.address, '--plans', 'drop', '--dry-run', '--accept', 'Price').code).toBe(0);
  await source.execute(`DELETE FROM options WHERE "key" = 'Price'`);
});

it('ends with 0 when it is proven, and with 3 when charges here are others', async () => {
  const path = join(folder, 'report.json');
  expect(run(source.address, '--plans', 'drop', '--report', path)).toMatchObject({
    code: 0,
    output: expect.stringContaining('Balances and counters are equal to the unit.'),
  });
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
    isDryRun: false,
    proof: { replay: { different: [] } },
  });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `UPDATE options SET value = jsonb_set(value::jsonb, '{vip}', '0.6')::text WHERE key = 'GroupRatio'`,
  );
  await client.end();
  expect(run(source.address, '--plans', 'drop').code).toBe(3);
});

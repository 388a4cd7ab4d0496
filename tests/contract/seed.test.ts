import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { reconcile } from '../../server/src/modules/quota/reconcile.service.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
beforeAll(async () => void (database = await createTestDatabase()));
afterAll(() => database.drop());

const seed = (...parameters: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, '../../scripts/seed.mjs'), ...parameters], {
    env: { PATH: process.env.PATH, DATABASE_URL: database.url },
    encoding: 'utf8',
  });

it('fills the log with calls whose books add up, and again beside them', async () => {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  for (const expected of [1500, 2000]) {
    expect(seed('--logs', expected === 1500 ? '1500' : '500').status).toBe(0);
    const { rows } = await pool.query<{ logs: number; calls: number; stray: number }>(
      `SELECT (SELECT count(*)::int FROM logs) AS logs, (SELECT sum(calls + failed_calls)::int FROM usage_hourly) AS calls,
              (SELECT count(*)::int FROM logs_default) AS stray`,
    );
    expect(rows).toEqual([{ logs: expected, calls: expected, stray: 0 }]);
    expect(await reconcile(pool)).toEqual([]);
  }
  await pool.end();
});

it.each(['0', '-5', 'many', '1.5'])('refuses --logs=%s', (count) => {
  const { status, stderr } = seed(`--logs=${count}`);
  expect([status, stderr]).toEqual([2, 'seed: --logs must be a whole number above 0\n']);
});

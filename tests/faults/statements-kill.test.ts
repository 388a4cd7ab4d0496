import pg from 'pg';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freeze, untilAlone } from '../support/freeze.js';
import { spawnServer } from '../support/server.js';
import { beginLastMonth } from '../support/statement-month.js';
import { until } from './traffic.js';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  await pool.query(
    `INSERT INTO users (username, created_at) SELECT 'user' || n, now() - interval '70 days' FROM generate_series(1, 130) n`,
  );
  await pool.query(
    `SELECT ledger_post('grant:' || id, 'admin_grant', 'user', id, 0, 100 + id, 0, '', NULL) FROM users ORDER BY id`,
  );
  await pool.query(`UPDATE ledger_entries SET created_at = now() - interval '60 days'`);
  await beginLastMonth((text) => pool.query(text));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const numbers = async (): Promise<number[]> =>
  (await pool.query<{ number: number }>('SELECT number FROM statements ORDER BY id')).rows.map(({ number }) => number);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

it('a kill in the middle of a batch leaves whole batches, and two nodes close the rest once', async () => {
  const [blocked] = (await pool.query<{ id: number }>(`SELECT id FROM users WHERE username = 'user70'`)).rows;
  const frozen = await freeze(database.url, 'SELECT 1 FROM ledger_entries WHERE user_id = $1 FOR UPDATE', [
    blocked?.id ?? 0,
  ]);
  // The server goes on to close last month when it starts.
  const first = await spawnServer({ database });
  await frozen.reached();
  await first.kill();
  await frozen.release();
  await untilAlone(pool);
  expect(await numbers()).toEqual(upTo(50));
  expect(await reconcile(pool)).toEqual([]);

  const nodes = await Promise.all([spawnServer({ database }), spawnServer({ database })]);
  const isClosed = async () =>
    (await pool.query('SELECT 1 FROM statement_months WHERE closed_at IS NOT NULL')).rowCount === 1;
  await until(isClosed, 60, 'the month is closed');
  expect(await numbers()).toEqual(upTo(130));
  const { rows } = await pool.query(
    'SELECT count(DISTINCT account_id)::integer AS accounts, sum(closing)::integer AS closing FROM statements',
  );
  const [held] = (await pool.query<{ quota: number }>('SELECT sum(quota)::integer AS quota FROM users')).rows;
  expect(rows).toEqual([{ accounts: 130, closing: held?.quota }]);
  expect(await reconcile(pool)).toEqual([]);
  await Promise.all(nodes.map((node) => node.kill()));
}, 240_000);

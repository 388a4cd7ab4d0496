import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { builtInCard } from '../../server/src/billing/prices/built-in-prices.js';
import { explainCharge, explainCost } from '../../server/src/billing/prices/explain-charge.js';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import { checkEncryptionKey } from '../../server/src/platform/db/encryption-key.js';
import { LogService } from '../../server/src/console/logs/log.service.js';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import { Aggregator } from '../../server/src/billing/rollups/aggregator.js';
import type { Actor } from '../../server/src/shared/actor.js';
import { systemClock } from '../../server/src/shared/clock.js';
import { Secrets } from '../../server/src/shared/secrets.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const root: Actor = { id: 1, username: 'root', role: 'root', status: 'enabled', group: 'default' };
let database: TestDatabase;
beforeAll(async () => void (database = await createTestDatabase()));
afterAll(() => database.drop());

const ownKey = 'the-encryption-key-of-a-site';
const seedInto = ({ url, encryptionKey = ownKey }: { url: string; encryptionKey?: string }, ...parameters: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, '../../scripts/seed.mjs'), ...parameters], {
    env: { PATH: process.env.PATH, DATABASE_URL: url, ENCRYPTION_KEY: encryptionKey },
    encoding: 'utf8',
  });
const seed = (...parameters: string[]) => seedInto(database, ...parameters);

it('fills the log with calls that reconcile, and again with further ones', async () => {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  for (const expected of [1500, 2000]) {
    expect(seed('--logs', expected === 1500 ? '1500' : '500')).toMatchObject({ status: 0, stderr: '' });
    const { rows } = await pool.query<{ logs: number; calls: number; stray: number }>(
      `SELECT (SELECT count(*)::int FROM logs) AS logs, (SELECT sum(calls + failed_calls)::int FROM usage_hourly) AS calls,
              (SELECT count(*)::int FROM logs_default) AS stray`,
    );
    expect(rows).toEqual([{ logs: expected, calls: expected, stray: 0 }]);
    expect(await reconcile(pool)).toEqual([]);
  }
  await pool.end();
});

it('seals invented keys as the server does, so that it can read them', async () => {
  const encryptionKey = 'an-encryption-key-for-tests';
  const filled = await createTestDatabase();
  expect(seedInto({ ...filled, encryptionKey }, '--logs', '10').status).toBe(0);
  const client = new pg.Client({ connectionString: filled.url });
  await client.connect();
  const { rows } = await client.query<{ sealed: string }>(
    'SELECT key_sealed AS sealed FROM channels UNION ALL SELECT key_sealed FROM tokens',
  );
  await client.end();
  expect(rows.length).toBeGreaterThan(20);
  const secrets = new Secrets(encryptionKey);
  expect(new Set(rows.map(({ sealed }) => secrets.open(sealed)))).toEqual(
    new Set(['invented', 'invented-upstream-a7f3']),
  );
  await filled.drop();
});

it('says in one line that an external database needs the key of its server, and writes nothing', async () => {
  const bare = await createTestDatabase();
  const client = new pg.Client({ connectionString: bare.url });
  await client.connect();
  const missing = seedInto({ ...bare, encryptionKey: '' }, '--logs', '10');
  expect([missing.status, missing.stderr]).toEqual([
    2,
    expect.stringMatching(/^seed: ENCRYPTION_KEY: required [^\n]+\n$/),
  ]);
  await checkEncryptionKey({ query: async (text, values) => (await client.query(text, values)).rows }, ownKey);
  const other = seedInto({ ...bare, encryptionKey: 'the-key-of-another-site' }, '--logs', '10');
  expect([other.status, other.stderr]).toEqual([
    2,
    'seed: ENCRYPTION_KEY does not fit this database: set the key of its server\n',
  ]);
  expect((await client.query('SELECT 1 FROM channels')).rowCount).toBe(0);
  expect(seedInto(bare, '--logs', '10').status).toBe(0);
  await client.end();
  await bare.drop();
});

it('leaves a database alone that has users of its own, or no tables', async () => {
  const used = await createTestDatabase();
  // A single client is disconnected when `end` resolves, unlike a pool, so dropping the database interrupts no connection.
  const client = new pg.Client({ connectionString: used.url });
  await client.connect();
  await client.query("INSERT INTO users (username, role) VALUES ('root', 'root')");
  expect(seedInto(used, '--logs', '10').status).toBe(0);
  await client.query("INSERT INTO users (username) VALUES ('a customer')");
  const refused = seedInto(used, '--logs', '10');
  expect([refused.status, refused.stderr]).toEqual([
    2,
    'seed: the database has users of its own (1): use another one\n',
  ]);
  expect((await client.query('SELECT 1 FROM logs')).rowCount).toBe(10);
  await client.query('CREATE SCHEMA bare');
  const bare = seedInto({ ...used, url: `${used.url}?options=-csearch_path%3Dbare` }, '--logs', '10');
  expect([bare.status, bare.stderr]).toEqual([
    2,
    expect.stringMatching(/^seed: the database is empty: start [^\n]+\n$/),
  ]);
  await client.end();
  await used.drop();
});

it('finds the embedded database of a server by its DATA_DIR, and says when none runs', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, '../../scripts/seed.mjs')], {
    env: { PATH: process.env.PATH, DATA_DIR: '/nonexistent' },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([2, expect.stringMatching(/^seed: no server runs on \/nonexistent: [^\n]+\n$/)]);
});

it('has as many users, keys, models and channels as it is told', async () => {
  const small = await createTestDatabase();
  expect(seedInto(small, '--logs', '3000', '--users', '12', '--models', '3').status).toBe(0);
  const pool = new pg.Pool({ connectionString: small.url, max: 1 });
  const { rows } = await pool.query(
    `SELECT (SELECT count(*)::int FROM users WHERE username LIKE 'seed-%') AS users, (SELECT count(*)::int FROM tokens) AS keys,
            (SELECT count(*)::int FROM channels) AS channels, (SELECT count(DISTINCT user_id)::int FROM logs) AS callers,
            (SELECT array_agg(DISTINCT model_name ORDER BY model_name) FROM logs) AS models`,
  );
  expect(rows).toEqual([
    { users: 12, keys: 24, channels: 3, callers: 12, models: ['claude-sonnet-5-5', 'gemini-3.5-flash', 'gpt-5.4'] },
  ]);
  expect(await reconcile(pool)).toEqual([]);
  // Users sign up before their first call, with the balance that pays for it, and a key was last used at its last call.
  const { rows: wrong } = await pool.query(
    `SELECT t.id FROM tokens t JOIN users u ON u.id = t.user_id
       JOIN (SELECT token_id, min(created_at) AS first, max(created_at) FILTER (WHERE type = 2) AS last FROM logs GROUP BY 1) l ON l.token_id = t.id
      WHERE extract(epoch FROM u.created_at) > l.first OR extract(epoch FROM t.created_at) > l.first OR extract(epoch FROM t.created_at) = 0
         OR t.last_used_at IS DISTINCT FROM to_timestamp(l.last)
     UNION ALL SELECT u.id FROM users u JOIN ledger_entries e ON e.user_id = u.id
      WHERE e.kind = 'opening' AND e.created_at <> u.created_at
     UNION ALL SELECT id FROM channels
      WHERE created_at IS NULL OR extract(epoch FROM created_at) > (SELECT min(created_at) FROM logs)`,
  );
  expect(wrong).toEqual([]);
  await pool.end();
  await small.drop();
});

it('is sold at the list prices of the server', () => {
  const script = pathToFileURL(join(import.meta.dirname, '../../scripts/seed-models.mjs')).href;
  const code = `console.log(JSON.stringify((await import('${script}')).seededModels(24)));`;
  const models = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' }),
  ) as Array<{ name: string; input: number; cachedInput: number; output: number }>;
  expect(models).toHaveLength(24);
  for (const { name, input, cachedInput, output } of models) {
    expect([name, builtInCard(name)?.card.prices]).toEqual([
      name,
      expect.objectContaining({ input, cachedInput, output }),
    ]);
  }
});

it('looks like a site in use: every receipt and cost recomputes, and the counters are those of the log', async () => {
  const filled = await createTestDatabase();
  expect(seedInto(filled, '--logs', '3000', '--days', '3').status).toBe(0);
  const client = new pg.Client({ connectionString: filled.url });
  await client.connect();
  const { rows } = await client.query<{
    quota: string;
    prompt_tokens: number;
    completion_tokens: number;
    other: string;
    use_time: number;
  }>('SELECT quota, prompt_tokens, completion_tokens, use_time, other FROM logs WHERE type = 2 ORDER BY id');
  let nanoUsd = 0;
  let charged = 0;
  for (const row of rows) {
    const other = JSON.parse(row.other) as Record<string, number> & { admin_info: { upstream_cost: number } };
    const explained = {
      quota: Number(row.quota),
      promptTokens: row.prompt_tokens,
      completionTokens: row.completion_tokens,
      other,
    };
    expect({ other, quota: explainCharge(explained).quota }).toEqual({ other, quota: explained.quota });
    expect(explainCost(explained)).toMatch(/^Cost by list price (?!.*differs)/s);
    expect(other['frt']).toBeLessThan(other['duration_ms'] ?? 0);
    expect(row.use_time).toBe(Math.round((other['duration_ms'] ?? 0) / 1000));
    nanoUsd += Math.round(other.admin_info.upstream_cost * 1e9);
    charged += explained.quota;
  }
  const { rows: counted } = await client.query(
    `SELECT sum(quota)::int AS quota, sum(cost_calls)::int AS calls, sum(cost_quota)::int AS sold, sum(cost_nano_usd)::float8 AS cost,
            sum((SELECT sum(number) FROM unnest(duration_buckets) number))::int AS durations FROM usage_hourly`,
  );
  expect(counted).toEqual([
    { quota: charged, calls: rows.length, sold: charged, cost: nanoUsd, durations: rows.length },
  ]);
  // One channel sells below cost, one fails often, and customers have paid.
  const { rows: channels } = await client.query<{ margin: number; failures: number; tag: string; models: number }>(
    `SELECT (sum(u.cost_quota) / 500000.0 - sum(u.cost_nano_usd) / 1e9)::float8 AS margin, (sum(u.failed_calls) / sum(u.calls + u.failed_calls))::float8 AS failures,
            c.tag, cardinality(c.models) AS models FROM channels c JOIN usage_hourly u ON u.channel_id = c.id GROUP BY c.id ORDER BY 1`,
  );
  expect(channels.filter(({ margin }) => margin < 0)).toHaveLength(1);
  expect(channels.filter(({ failures }) => failures > 0.08)).toHaveLength(1);
  expect(channels.filter(({ tag, models }) => tag === '' || models < 2)).toEqual([]);
  const { rows: money } = await client.query(
    `SELECT (SELECT count(*) > 0 FROM top_up_orders WHERE status = 'success') AS paid, (SELECT count(*) > 0 FROM top_up_orders WHERE status = 'pending') AS pending,
            (SELECT bool_and(quota >= 0) FROM users) AS solvent, (SELECT count(*)::int FROM alerts WHERE ended_at > opened_at) AS alerts,
            (SELECT count(*) > 0 FROM channel_failures) AS failures`,
  );
  expect(money).toEqual([{ paid: true, pending: true, solvent: true, alerts: 3, failures: true }]);
  await client.end();
  await filled.drop();
});

it('lets users and models take turns, so that few calls have all of them in every whole hour', async () => {
  const even = await createTestDatabase();
  const options = ['--logs', '1000', '--days', '3', '--users', '2', '--models', '3'];
  expect(seedInto(even, ...options, '--even').status).toBe(0);
  const pool = new pg.Pool({ connectionString: even.url, max: 1 });
  const { rows } = await pool.query<{ callers: number; hours: number }>(
    `SELECT callers, count(*)::int AS hours FROM (
       SELECT hour, count(DISTINCT (user_id, model_name))::int AS callers FROM usage_hourly
        WHERE hour > (SELECT min(hour) FROM usage_hourly) AND hour < (SELECT max(hour) FROM usage_hourly) GROUP BY 1) counted
      GROUP BY 1`,
  );
  expect(rows.map(({ callers }) => callers)).toEqual([6]);
  // The log has 71 hours, unless the first or the last hour lasts only minutes and has no call.
  expect(rows[0]?.hours).toBeGreaterThanOrEqual(70);
  expect(await reconcile(pool)).toEqual([]);
  await pool.end();
  await even.drop();
});

it('is counted by a server whose sums were there before', async () => {
  const running = await createTestDatabase();
  const dataSource = await createDataSource(running.url, 2, entities).initialize();
  await new Aggregator(dataSource, 60_000).run();
  expect(seedInto(running, '--logs', '4000', '--days', '1').status).toBe(0);
  const logs = new LogService(dataSource, new Secrets('a secret of a test'), systemClock);
  const counted = await dataSource.query<Array<{ modelName: string; rows: number }>>(
    'SELECT model_name AS "modelName", count(*)::int AS rows FROM logs GROUP BY 1 ORDER BY 1',
  );
  const shown = await Promise.all(
    counted.map(async ({ modelName }) => {
      const query = { page: 0, pageSize: 1, after: null, sort: [] };
      const page = await logs.list(root, { models: [modelName], from: 0 }, query);
      return { modelName, rows: (await page.total()).count };
    }),
  );
  expect(shown).toEqual(counted);
  await dataSource.destroy();
  await running.drop();
});

it.each(['logs=0', 'logs=-5', 'logs=many', 'logs=1.5', 'users=0', 'models=none'])('refuses --%s', (option) => {
  const { status, stderr } = seed(`--${option}`);
  expect([status, stderr]).toEqual([2, `seed: --${option.split('=')[0]} must be a whole number above 0\n`]);
});

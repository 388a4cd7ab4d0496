/**
 * `npm run bench -- import [<log rows>]`: the time in which `npm run import` moves a site of new-api with a million log rows
 * from an SQLite file into a Postgres of its own that commits to disk. Build the server first.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { makeContent } from '../support/import/content.js';
import { createSource } from '../support/import/source.js';
import { findPostgres } from '../support/services/postgres.js';

const rows = Number(process.argv[2] ?? 1_000_000);
if (!Number.isSafeInteger(rows) || rows < 1) {
  console.error('usage: npm run bench -- import [<log rows>]');
  process.exit(2);
}
const command = join(import.meta.dirname, '../../dist/server/compose/import.main.js');
const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-move-'));
const postgres = await findPostgres({ durable: true });
const now = Math.floor(Date.now() / 1000);
const source = await createSource(
  'new-api',
  'sqlite',
  makeContent({ family: 'new-api', upstream: 'http://127.0.0.1:9', now, logs: 1 }),
);
try {
  // The log has forty days, 30 users and two models.
  await source.execute(
    `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
     INSERT INTO logs (id, user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens,
                       completion_tokens, channel_id, is_stream, use_time, token_id, "group", ip, other, request_id)
     SELECT i, 1 + i % 30, ${now} - (${rows} - i) * 3456000 / ${rows}, 2, 'ratios', 'user' || (1 + i % 30), 'key', 
            CASE i % 2 WHEN 0 THEN 'gpt-4o' ELSE 'gpt-4o-mini' END, 100 + i % 900, 80, 40, 1, i % 2, 3, 1 + i % 30, 'default', '',
            '{"model_ratio":1.25,"completion_ratio":4,"group_ratio":1,"model_price":-1,"frt":420,"admin_info":{"use_channel":["1"]}}', ''
       FROM n`,
  );
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  const name = `bench_move_${now}`;
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  const began = performance.now();
  const child = spawn(process.execPath, [command, source.address, '--plans', 'drop'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: url.href,
      DATA_DIR: folder,
      ENCRYPTION_KEY: 'encryption key of a benchmark',
      SESSION_SECRET: 'session secret of a benchmark',
    },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number];
  const seconds = (performance.now() - began) / 1000;
  // The charges of this log are invented, so only the ledger is compared.
  const isConsistent = output.includes('The ledger is consistent.') && output.includes('equal to the unit');
  console.log(`${rows} log rows in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows/s; exit code ${code}`);
  if (!isConsistent) process.exitCode = 3;
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
} finally {
  await source.drop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

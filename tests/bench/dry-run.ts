/**
 * `npm run bench -- dry-run [<log rows>]`: measures the time in which proposed prices are replayed over a million logged
 * calls, and checks that the totals are the sums of all rows. Prints seconds, and the longest pause of the event loop in
 * milliseconds.
 */
import 'reflect-metadata';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import pg from 'pg';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import { migrate } from '../../server/src/platform/db/migrate.js';
import { DryRunService } from '../../server/src/billing/prices/dry-run/dry-run.service.js';
import { defaultOptionValues } from '../../server/src/options/option-registry.js';
import { createLogger } from '../../server/src/platform/observability/logger.js';
import { findPostgres } from '../support/services/postgres.js';

const rows = Number(process.argv[2] ?? 1_000_000);
if (!Number.isSafeInteger(rows) || rows < 1) {
  console.error('usage: npm run bench -- dry-run [<log rows>]');
  process.exit(2);
}
const runs = 3;
const root = { id: 1, username: 'root', role: 'root', status: 'enabled', group: 'default' } as const;
const postgres = await findPostgres();
const admin = new pg.Client({ connectionString: postgres.url });
await admin.connect();
const name = `bench_dry_run_${process.pid}`;
try {
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  const database = createDataSource(url.href, 4, entities);
  await database.initialize();
  await migrate(database, url.href, createLogger('silent'));
  await fill(url.href);
  const service = new DryRunService({ database, options: { values: defaultOptionValues() } });
  // A new card prices half of the calls. The old tables with another ratio price the others. All calls are in a group with a
  // higher ratio.
  const settings = [
    { key: 'PriceCards', value: '{"gpt-5.5":{"prices":{"input":6,"cachedInput":0.6,"output":36,"webSearch":0.02}}}' },
    { key: 'GroupRatio', value: '{"default":1.1}' },
  ];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  for (let run = 0; run < runs; run++) {
    delay.reset();
    delay.enable();
    const began = performance.now();
    const cpu = process.cpuUsage();
    const found = await service.run(root, settings, 7);
    const seconds = (performance.now() - began) / 1000;
    delay.disable();
    const { user, system } = process.cpuUsage(cpu);
    console.log(
      `${found.total.calls} calls of ${rows} in ${seconds.toFixed(2)} s, ${((user + system) / 1e6).toFixed(2)} s of CPU, longest pause ${(delay.max / 1e6).toFixed(0)} ms`,
    );
    const expected = await byHand(database);
    const same = expected.calls === found.total.calls && expected.quota === found.total.quotaAfter;
    console.log(`quota ${found.total.quotaBefore} -> ${found.total.quotaAfter}; row by row: ${expected.quota}`);
    if (!same) process.exitCode = 3;
  }
  await database.destroy();

  async function fill(address: string): Promise<void> {
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    await client.query(`SELECT logs_ensure_partitions(now() - interval '8 days', 2)`);
    // The rows have the form in which the relay writes them: with the lines of a price card, or with the old tables and the
    // lines of the cost.
    const times = `extract(epoch FROM now())::bigint - 600000 + i::bigint * 590000 / ${rows}`;
    await client.query('SET synchronous_commit = off');
    await client.query(
      `INSERT INTO logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id, model_name, "group",
                         quota, prompt_tokens, completion_tokens, use_time, is_stream, content, other)
       SELECT ${times}, 'bench-' || i, 2, 1 + i % 2000, 'user' || (1 + i % 2000), 1, 'key', 1 + i % 20,
              CASE i % 2 WHEN 0 THEN 'gpt-5.5' ELSE 'gpt-4o' END, 'default', 100 + i % 900, 1000 + i % 7000, 10 + i % 800, 3, true,
              'price card gpt-5.5, group ratio 1.00',
              CASE i % 2 WHEN 0 THEN
                '{"model_ratio":2.5,"completion_ratio":6,"model_price":-1,"cache_ratio":0.1,"group_ratio":1,"price_version":"0123456789ab","cache_tokens":' || (i % 500) ||
                ',"quota_per_unit":500000,"frt":412.33,"group":"default","request_path":"/v1/chat/completions","admin_info":{"use_channel":["1"],"upstream_cost":0.00' || (1000 + i % 8999) ||
                ',"cost_basis":"list","cost_card":"gpt-5.5","cost_factor":0.8},"price_card":"gpt-5.5","price_as_of":"2026-11","components":[["input",' || (1000 + i % 7000 - i % 500) ||
                ',5],["cachedInput",' || (i % 500) || ',0.5],["output",' || (10 + i % 800) || ',30]]}'
              ELSE
                '{"model_ratio":1.25,"completion_ratio":4,"model_price":-1,"cache_ratio":0.5,"group_ratio":1,"price_version":"0123456789ab","cache_tokens":' || (i % 500) ||
                ',"frt":412.33,"group":"default","request_path":"/v1/chat/completions","admin_info":{"use_channel":["1"],"upstream_cost":0.00' || (1000 + i % 8999) ||
                ',"cost_basis":"list","cost_card":"gpt-4o","cost_lines":[["input",' || (1000 + i % 7000 - i % 500) || ',2.5],["cachedInput",' || (i % 500) || ',1.25],["output",' || (10 + i % 800) || ',10]]}}'
              END
         FROM generate_series(1, ${rows}) i`,
    );
    await client.query('VACUUM ANALYZE logs');
    await client.end();
  }
} finally {
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.end();
  await postgres.stop();
}

/** Computes the same charges with the exact arithmetic of the database. Each row is rounded. */
async function byHand(database: ReturnType<typeof createDataSource>): Promise<{ calls: number; quota: number }> {
  const [sums] = await database.query<Array<{ calls: string; quota: string }>>(
    `SELECT count(*) AS calls, sum(CASE model_name
       WHEN 'gpt-5.5' THEN round(((prompt_tokens - cached) * 6 + cached * 0.6 + completion_tokens * 36) / 1000000.0 * 500000 * 1.1)
       ELSE round((prompt_tokens - cached + cached * 0.5 + completion_tokens * 4) * 1.25 * 1.1) END) AS quota
       FROM (SELECT model_name, prompt_tokens, completion_tokens, ((created_at * 0) + (substring(other from '"cache_tokens":(\\d+)')::int)) AS cached FROM logs) row`,
  );
  return { calls: Number(sums?.calls), quota: Number(sums?.quota) };
}

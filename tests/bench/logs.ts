import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { createDataSource } from '../../server/src/db/data-source.js';
import { migrate } from '../../server/src/db/migrate.js';
import { LogService, type LogFilter } from '../../server/src/modules/logs/log.service.js';
import { SumFolding } from '../../server/src/modules/sums/sums.service.js';
import { UsageService, type UsageDimension, type UsageFilter } from '../../server/src/modules/usage/usage.service.js';
import { createLogger } from '../../server/src/observability/logger.js';
import type { Actor } from '../../server/src/shared/actor.js';
import { systemClock } from '../../server/src/shared/clock.js';
import { Secrets } from '../../server/src/shared/secrets.js';

/**
 * `DATABASE_URL=… npm run bench:logs -- 10000 1000000`: the log page, its badges and the dashboards over tables of these
 * sizes, as the services ask for them. Prints a table of 95th percentiles in milliseconds, and the plan of the slowest.
 * `BENCH_KEEP=1` leaves the databases (`bench_logs_<rows>`) for the next run, which then seeds nothing.
 */
const sizes = process.argv.slice(2).map(Number);
const server = process.env.DATABASE_URL;
if (!server || sizes.length === 0 || sizes.some((size) => !(size > 0))) {
  console.error('usage: DATABASE_URL=postgres://… npm run bench:logs -- <rows> [<rows> …]');
  process.exit(2);
}
const [warmUps, runs] = [3, 40];
const root: Actor = { id: 1, username: 'root', role: 100, status: 1, group: 'default' };

type Question = readonly [name: string, ask: () => Promise<unknown>];
const found = new Map<string, number[]>();

for (const size of sizes) await measure(server, size);
console.log(`\n| | ${sizes.join(' | ')} |\n|---|${sizes.map(() => '---|').join('')}`);
for (const [name, times] of found) console.log(`| ${name} | ${times.map((time) => time.toFixed(1)).join(' | ')} |`);

async function measure(serverUrl: string, size: number): Promise<void> {
  const name = `bench_logs_${size}`;
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (rowCount === 0) await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const database = createDataSource(url.href, 4);
  try {
    await database.initialize();
    await migrate(database, url.href, createLogger('silent'));
    if (rowCount === 0) await fill(database, url.href, size);
    const statements: Array<{ sql: string; values: unknown[] }> = [];
    let slowest = { name: '', time: 0, statements };
    for (const [question, ask] of await questions(database)) {
      const time = await percentile95(ask);
      found.set(question, [...(found.get(question) ?? []), time]);
      if (time > slowest.time) slowest = { name: question, time, statements: await record(database, ask) };
    }
    console.log(`\nslowest of ${size} rows: ${slowest.name}, ${slowest.time.toFixed(1)} ms`);
    for (const { sql, values } of slowest.statements) {
      const plan = await database.query<Array<Record<string, string>>>(`EXPLAIN (ANALYZE, BUFFERS) ${sql}`, values);
      console.log(plan.map((row) => row['QUERY PLAN']).join('\n'));
    }
  } finally {
    await database.destroy();
    if (!process.env.BENCH_KEEP) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  }
}

async function fill(database: ReturnType<typeof createDataSource>, url: string, size: number): Promise<void> {
  const seed = join(import.meta.dirname, '../../scripts/seed.mjs');
  const environment = { ...process.env, DATABASE_URL: url };
  const seeded = spawnSync(process.execPath, [seed, '--logs', String(size)], { env: environment, stdio: 'inherit' });
  if (seeded.status !== 0) throw new Error('seeding failed');
  const began = performance.now();
  const hours = await new SumFolding(database).run();
  console.log(`${hours} hours folded in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await database.query('VACUUM ANALYZE');
}

async function questions(database: ReturnType<typeof createDataSource>): Promise<Question[]> {
  const logs = new LogService(database, new Secrets('benchmark'), systemClock);
  const options = { values: { QuotaPerUnit: 500_000, DataExportEnabled: true } };
  const usage = new UsageService({ database, options, clock: systemClock });
  const now = Math.floor(Date.now() / 1000);
  const day = { from: now - 86_400, to: now };
  const month = { from: now - 30 * 86_400, to: now };
  const [row] = await database.query<
    Array<{ user_id: number; username: string; token_name: string; channel_id: number }>
  >('SELECT user_id, username, token_name, channel_id FROM logs ORDER BY created_at DESC LIMIT 1');
  if (!row) throw new Error('the log is empty');
  const own: Actor = { ...root, id: row.user_id, username: row.username, role: 1 };
  const filters: Array<[string, LogFilter]> = [
    ['no filter', {}],
    ['day', day],
    ['type consume', { type: 2 }],
    ['type manage', { type: 3 }],
    ['user', { username: row.username }],
    ['token', { tokenName: row.token_name }],
    ['model', { modelName: 'model-3' }],
    ['model pattern', { modelName: 'model-1*' }],
    ['group', { group: 'svip' }],
    ['channel', { channelId: row.channel_id }],
    ['channel, day', { channelId: row.channel_id, ...day }],
    ['nothing found', { username: 'nobody' }],
  ];
  const list = (actor: Actor, filter: LogFilter, page: number) => () =>
    actor === root
      ? logs.list(root, filter, { page, pageSize: 10 })
      : logs.listOwn(actor, filter, { page, pageSize: 10 });
  const by = (groupBy: UsageDimension[], filter: UsageFilter) => () =>
    usage.list(root, groupBy, filter, { page: 0, pageSize: 100 });
  return [
    ...filters.flatMap(([name, filter]): Question[] => [
      [`page 1, ${name}`, list(root, filter, 0)],
      [`page 100, ${name}`, list(root, filter, 99)],
    ]),
    ['own page 1', list(own, {}, 0)],
    ['own page 100', list(own, {}, 99)],
    ['search', () => logs.search(root, 'Created channel')],
    ['stat, day', () => logs.stat(root, day)],
    ['stat, month', () => logs.stat(root, month)],
    ['own stat, month', () => logs.statOwn(own, month)],
    ['usage by day, month', by(['DAY'], month)],
    ['usage by model, month', by(['MODEL'], month)],
    ['usage by user, month', by(['USER'], month)],
    ['usage by hour, day', by(['HOUR'], day)],
    ['own usage by day, month', () => usage.listOwn(own, ['DAY'], month, { page: 0, pageSize: 100 })],
    ['summary, month', () => usage.summary(root, month)],
    ['own summary, month', () => usage.summaryOwn(own, month)],
    ['/api/data/self, month', () => usage.hourlyModelsOwn(own, month)],
  ];
}

async function percentile95(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = -warmUps; run < runs; run++) {
    const began = performance.now();
    await ask();
    if (run >= 0) times.push(performance.now() - began);
    // A question that takes seconds is known well enough after a few.
    if (times.reduce((sum, time) => sum + time, 0) > 5000 && times.length >= 5) break;
  }
  times.sort((left, right) => left - right);
  return times[Math.min(times.length - 1, Math.floor(times.length * 0.95))] ?? 0;
}

/** The statements that one question asks. */
async function record(
  database: ReturnType<typeof createDataSource>,
  ask: () => Promise<unknown>,
): Promise<Array<{ sql: string; values: unknown[] }>> {
  const statements: Array<{ sql: string; values: unknown[] }> = [];
  const query = database.query.bind(database);
  database.query = ((sql: string, values: unknown[] = []) => {
    statements.push({ sql, values });
    return query(sql, values);
  }) as typeof database.query;
  await ask();
  database.query = query;
  return statements;
}

import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { EntityManager } from 'typeorm';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/db/data-source.js';
import { migrate } from '../../server/src/db/migrate.js';
import { LogExport } from '../../server/src/modules/logs/log-export.service.js';
import { LogService, type LogFilter } from '../../server/src/modules/logs/log.service.js';
import { minuteSpan, slotSpan } from '../../server/src/modules/sums/sum-blocks.js';
import { foldShort } from '../../server/src/modules/sums/sum-fold.js';
import { SumFolding } from '../../server/src/modules/sums/sum-folding.service.js';
import { UsageService, type UsageDimension, type UsageFilter } from '../../server/src/modules/usage/usage.service.js';
import { createLogger } from '../../server/src/observability/logger.js';
import type { Actor } from '../../server/src/shared/actor.js';
import { Secrets } from '../../server/src/shared/secrets.js';
import { askOverHttp, benchSecret, type Asked, type HttpAsked } from './logs-http.js';
import { rowsOf, summaryOf, tableOf, timesOf, type Batch, type Result } from './logs-report.js';

/**
 * `DATABASE_URL=… npm run bench:logs -- 10000 1000000`: the log page, its badges and the dashboards over tables of these
 * sizes, as the services ask for them, each question of every size in turn. Prints CPU, best, median and 95th percentile in
 * milliseconds, the plans of the slowest, and which questions miss the goals. With `BENCH_HTTP=1` it asks servers for them, as
 * console and old clients do, and does not tell CPU. `BENCH_SHAPE=filled` has few users and models. `BENCH_ONLY=badge` asks
 * only what has it in its name (a regular expression). `BENCH_KEEP=1` leaves the databases (`bench_logs_<rows>`) for the next
 * run, which then seeds nothing.
 */
const sizes = process.argv.slice(2).map(Number);
const server = process.env.DATABASE_URL;
if (!server || sizes.length === 0 || sizes.some((size) => !(size > 0))) {
  console.error('usage: DATABASE_URL=postgres://… npm run bench:logs -- <rows> [<rows> …]');
  process.exit(2);
}
const overHttp = process.env.BENCH_HTTP === '1';
/** Sizes take short turns, so that whatever else the machine does meets all of them: 200 runs, over HTTP 100. */
const rounds = overHttp ? 20 : 40;
const [runsPerRound, warmUps] = [5, 5];
const explained = 3;
const only = new RegExp(process.env.BENCH_ONLY ?? '');
/**
 * Who calls. `wide`: what a large gateway has, of which ten thousand rows show a part. `filled`: few enough users (with two keys
 * each) and models that ten thousand rows have all of them every hour, so that an answer has as many rows at every size.
 */
const shapes: Readonly<Record<string, readonly string[]>> = {
  wide: [],
  filled: ['--users', '2', '--models', '3', '--even'],
};
const shape = process.env.BENCH_SHAPE ?? 'wide';
const seedOptions = shapes[shape];
if (!seedOptions) throw new Error(`BENCH_SHAPE is one of ${Object.keys(shapes).join(', ')}`);
const root: Actor = { id: 1, username: 'root', role: 100, status: 1, group: 'default' };

type Question = readonly [name: string, ask: () => Promise<unknown>];
/** A database of one size, and what is asked of it. */
interface Gateway {
  readonly size: number;
  readonly database: ReturnType<typeof createDataSource>;
  /** As they are measured, and of the services, in the same order. */
  readonly asked: readonly Question[];
  readonly direct: readonly Question[];
  close(): Promise<void>;
}

const gateways: Gateway[] = [];
try {
  for (const size of sizes) gateways.push(await open(server, size));
  await warmUp();
  const results: Result[] = [];
  for (const [index, [name]] of (gateways[0]?.asked ?? []).entries()) {
    if (only.test(name)) results.push({ name, ...(await measure(index)) });
  }
  if (!overHttp) for (const gateway of gateways) await explainSlowest(gateway, results);
  for (const line of tableOf(sizes, results)) console.log(line);
  for (const line of summaryOf(sizes, results)) console.log(line);
} finally {
  for (const gateway of gateways) await gateway.close();
}

async function open(serverUrl: string, size: number): Promise<Gateway> {
  const name = shape === 'wide' ? `bench_logs_${size}` : `bench_logs_${shape}_${size}`;
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (rowCount === 0) await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const database = createDataSource(url.href, 4, entities);
  await database.initialize();
  await migrate(database, url.href, createLogger('silent'));
  if (rowCount === 0) await fill(database, url.href, size);
  await unfoldTheLast(database);
  const busiest = await busiestOf(database);
  const services = servicesOn(database, busiest);
  const { stop, ...asked } = overHttp ? await askOverHttp(url.href, busiest.user_id) : services;
  return {
    ...{ size, database, asked: questions(asked, busiest), direct: questions(services, busiest) },
    close: async () => {
      await stop();
      await database.destroy();
      if (!process.env.BENCH_KEEP) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

/** So that the first questions do not pay for what is compiled and connected once. */
async function warmUp(): Promise<void> {
  for (let run = 0; run < warmUps; run++) {
    for (const { asked } of gateways) {
      for (const [name, ask] of asked) if (only.test(name)) await ask();
    }
  }
}

async function measure(index: number): Promise<Omit<Result, 'name'>> {
  const batches: Batch[][] = gateways.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [place, { database, asked }] of gateways.entries()) {
      const batch = await batchOf(database, asked[index]?.[1] ?? nothing);
      batches[place]?.push(batch);
    }
  }
  const rows: Array<number | null> = [];
  for (const { direct } of gateways) rows.push(rowsOf(await direct[index]?.[1]()));
  return { times: batches.map((all) => timesOf(all)), rows };
}

async function nothing(): Promise<void> {}

async function explainSlowest({ size, database, direct }: Gateway, results: readonly Result[]): Promise<void> {
  const place = sizes.indexOf(size);
  const p95 = (name: string): number => results.find((result) => result.name === name)?.times[place]?.p95 ?? 0;
  const slowest = [...direct].sort(([left], [right]) => p95(right) - p95(left)).slice(0, explained);
  for (const [name, ask] of slowest.filter(([asked]) => only.test(asked))) {
    console.log(`\n${size} rows: ${name}, ${p95(name).toFixed(1)} ms`);
    for (const line of await explain(database, await record(database, ask))) console.log(line);
  }
}

async function fill(database: Gateway['database'], url: string, size: number): Promise<void> {
  const seed = join(import.meta.dirname, '../../scripts/seed.mjs');
  const environment = { ...process.env, DATABASE_URL: url };
  const seeded = spawnSync(process.execPath, [seed, '--logs', String(size), ...(seedOptions ?? [])], {
    env: environment,
    stdio: 'inherit',
  });
  if (seeded.status !== 0) throw new Error('seeding failed');
  const began = performance.now();
  // Patient: whoever writes to another database of this server is waited for, too.
  const hours = await new SumFolding(database, 60_000).run();
  console.log(`${hours} hours folded in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await database.query('VACUUM ANALYZE');
}

/**
 * As if the last call had just been made: the last half an hour to one and a half are not folded by the hour, which is more
 * than on a running server, the last two to seven minutes not by slots, and the last twenty to eighty seconds not at all, which is
 * what it leaves.
 */
async function unfoldTheLast(database: Gateway['database']): Promise<void> {
  const [last] = await database.query<Array<{ at: string }>>('SELECT max(created_at) AS at FROM logs');
  const before = (seconds: number, length: number): number => {
    const moment = Number(last?.at ?? 0) - seconds;
    return moment - (moment % length);
  };
  const slots = { from: before(1800, 3600), end: before(130, 300) };
  const minutes = { from: slots.end, end: before(20, 60) };
  await database.transaction(async (transaction) => {
    await transaction.query('UPDATE sums_state SET folded_until = $1, slots_until = $2, minutes_until = $3', [
      ...[slots.from, slots.end, minutes.end],
    ]);
    await foldShort(transaction, slotSpan, [slots]);
    await foldShort(transaction, minuteSpan, [minutes]);
  });
  await database.query('VACUUM ANALYZE log_by_all, log_by_route');
}

/** The dearest key of the one who calls most, and what he calls: nobody has more to look through. */
interface Busiest {
  readonly now: number;
  readonly user_id: number;
  readonly username: string;
  readonly token_id: number;
  readonly token_name: string;
  readonly channel_id: number;
  readonly model: string;
}

function keyOf({ token_id: id }: Busiest): string {
  return `bench-${id}`;
}

async function busiestOf(database: Gateway['database']): Promise<Busiest> {
  const [row] = await database.query<Busiest[]>(
    `SELECT top.*, t.name AS token_name, u.username, (SELECT max(created_at) FROM logs)::float8 AS now
       FROM (SELECT user_id, token_id, channel_id, model_name AS model
               FROM usage_by_all GROUP BY 1, 2, 3, 4 ORDER BY sum(calls) DESC LIMIT 1) top
       JOIN tokens t ON t.id = top.token_id JOIN users u ON u.id = top.user_id`,
  );
  if (!row) throw new Error('nothing was folded');
  await database.query('UPDATE tokens SET key_hash = $1 WHERE id = $2', [
    new Secrets(benchSecret).hash(keyOf(row)),
    row.token_id,
  ]);
  return row;
}

function servicesOn(database: Gateway['database'], { now }: Busiest): HttpAsked {
  const clock = { now: () => now * 1000 };
  const options = { values: { QuotaPerUnit: 500_000, DataExportEnabled: true } };
  return {
    logs: new LogService(database, new Secrets(benchSecret), clock),
    usage: new UsageService({ database, options, clock }),
    exported: new LogExport(database),
    stop: async () => undefined,
  };
}

function questions({ logs, usage, exported }: Asked, row: Busiest): Question[] {
  const { now } = row;
  const key = keyOf(row);
  const today = { from: now - (now % 86_400), to: now + 3600 };
  // As the console asks: whole days, with an open end.
  const month = { from: today.from - 29 * 86_400, to: today.to };
  const toTheSecond = { from: now - 29 * 86_400, to: now };
  const own: Actor = { ...root, id: row.user_id, username: row.username, role: 1 };
  const filters: Array<[string, LogFilter]> = [
    ['no filter', {}],
    ['type consume', { type: 2 }],
    ['type error', { type: 6 }],
    ['type top-up', { type: 1 }],
    ['user', { username: row.username }],
    ['key', { tokenName: row.token_name }],
    ['model', { modelName: row.model }],
    ['model pattern', { modelName: 'model-1*' }],
    ['model pattern, none', { modelName: 'no-such*' }],
    ['group', { group: 'svip' }],
    ['channel', { channelId: row.channel_id }],
    ['user gone', { username: 'nobody' }],
    ['user, top-up', { username: row.username, type: 1 }],
    [
      'user, model, channel, group',
      { username: row.username, modelName: row.model, channelId: row.channel_id, group: 'default' },
    ],
    ['model never on channel', { modelName: 'model-3', channelId: row.channel_id }],
  ];
  const list =
    (actor: Actor, filter: LogFilter, page: number, pageSize = 10) =>
    () =>
      actor === root ? logs.list(root, filter, { page, pageSize }) : logs.listOwn(actor, filter, { page, pageSize });
  const consoles = { percentiles: false };
  const by =
    (groupBy: UsageDimension[], filter: UsageFilter, page = 0) =>
    () =>
      usage.list(root, groupBy, filter, { page, pageSize: 100 }, consoles);
  const ownBy =
    (groupBy: UsageDimension[], filter: UsageFilter, page = 0) =>
    () =>
      usage.listOwn(own, groupBy, filter, { page, pageSize: 100 }, consoles);
  const full = (groupBy: UsageDimension[]) => () => usage.list(root, groupBy, month, { page: 0, pageSize: 100 });
  return [
    ...filters.flatMap(([name, filter]): Question[] => [
      [`page 1: ${name}`, list(root, filter, 0)],
      [`page 100: ${name}`, list(root, filter, 99)],
      [`page 1, today: ${name}`, list(root, { ...filter, ...today }, 0)],
      [`badge, today: ${name}`, () => logs.stat(root, { ...filter, ...today })],
      [`badge, month: ${name}`, () => logs.stat(root, { ...filter, ...month })],
    ]),
    ['badge, month to the second: no filter', () => logs.stat(root, toTheSecond)],
    ['badge, month to the second: model pattern', () => logs.stat(root, { modelName: 'model-1*', ...toTheSecond })],
    ['page 1000: no filter', list(root, {}, 999)],
    ['page 100 of 100: no filter', list(root, {}, 99, 100)],
    [
      'page 1, oldest first',
      () => logs.list(root, {}, { page: 0, pageSize: 10, sort: { field: 'createdAt', direction: 'ASC' } }),
    ],
    ['own page 1', list(own, {}, 0)],
    ['own page 100', list(own, {}, 99)],
    ['own page 50 of 100, consume, month', list(own, { type: 2, ...month }, 49, 100)],
    ['own badge, today', () => logs.statOwn(own, today)],
    ['own badge, month', () => logs.statOwn(own, month)],
    ['own badge, month, key', () => logs.statOwn(own, { ...month, tokenName: row.token_name })],
    ['own rows of a key', () => logs.listOfKey(own, key, { page: 0, pageSize: 100 })],
    ['search', () => logs.search(root, 'Created channel')],
    ['search, what all say', () => logs.search(root, 'model ratio')],
    ['own search', () => logs.searchOwn(own, '1')],
    ['export, first piece', async () => first(await exported.all(root, month))],
    ['usage by day and model, month', by(['DAY', 'MODEL'], month)],
    ['the same, page 6', by(['DAY', 'MODEL'], month, 5)],
    ['usage by hour and model, week', by(['HOUR', 'MODEL'], { from: now - 7 * 86_400, to: now })],
    ['usage by hour and model, day', by(['HOUR', 'MODEL'], { from: now - 86_400, to: now })],
    ['usage by day, month', by(['DAY'], month)],
    ['usage by model, month', by(['MODEL'], month)],
    ['usage by user, month', by(['USER'], month)],
    ['usage by channel, month', by(['CHANNEL'], month)],
    ['usage by group, month', by(['GROUP'], month)],
    ['usage by key, month', by(['TOKEN'], month)],
    ['usage by day and user, month', by(['DAY', 'USER'], month)],
    ['usage by model of a user, month', by(['MODEL'], { ...month, userId: own.id })],
    ['usage by user of a channel, month', by(['USER'], { ...month, channelId: row.channel_id })],
    ['usage by user with p95, month', full(['USER'])],
    ['usage by model with p95, month', full(['MODEL'])],
    ['summary, month', () => usage.summary(root, month, consoles)],
    ['summary with p95, month', () => usage.summary(root, month)],
    ['own usage by day and model, month', ownBy(['DAY', 'MODEL'], month)],
    ['own usage by hour and model, day', ownBy(['HOUR', 'MODEL'], { from: now - 86_400, to: now })],
    ['own usage by model, month', ownBy(['MODEL'], month)],
    ['own usage by key, month', ownBy(['TOKEN'], month)],
    ['own summary, month', () => usage.summaryOwn(own, month, consoles)],
    ['/api/data, month', () => usage.hourlyModels(root, month)],
    ['/api/data of a user, month', () => usage.hourlyModels(root, month, own.username)],
    ['/api/data/self, month', () => usage.hourlyModelsOwn(own, month)],
    ['usage export by user, first piece', () => first(usage.exportAll(root, ['USER'], month))],
  ];
}

async function first(pieces: AsyncIterable<string>): Promise<string> {
  for await (const piece of pieces) return piece;
  return '';
}

/** Some runs one after the other, and one before them that does not count. What was left to collect is collected first. */
async function batchOf(database: Gateway['database'], ask: () => Promise<unknown>): Promise<Batch> {
  await ask();
  globalThis.gc?.({ type: 'minor' });
  const backends = await database.query<Array<{ pid: number }>>(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database()',
  );
  const cpu = (): number => {
    const { user, system } = process.cpuUsage();
    return cpuOfBackends(backends) + (user + system) / 1000;
  };
  const before = cpu();
  const times: number[] = [];
  for (let run = 0; run < runsPerRound; run++) {
    const began = performance.now();
    await ask();
    times.push(performance.now() - began);
    // A question that takes seconds is known well enough after a few.
    if (times.reduce((sum, time) => sum + time, 0) > 5000) break;
  }
  return { times, cpu: overHttp ? NaN : cpu() - before };
}

/** NaN when they run on another machine. */
function cpuOfBackends(backends: ReadonlyArray<{ pid: number }>): number {
  try {
    return backends.reduce((sum, { pid }) => {
      const [nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
      return sum + Number(nanoseconds) / 1_000_000;
    }, 0);
  } catch {
    return NaN;
  }
}

/** Plans, with the settings that the first statements of a snapshot make. */
function explain(
  database: Gateway['database'],
  statements: ReadonlyArray<{ sql: string; values: unknown[] }>,
): Promise<string[]> {
  return database.transaction(async (transaction) => {
    const lines: string[] = [];
    for (const { sql, values } of statements) {
      const statement = `EXPLAIN (ANALYZE, BUFFERS) ${sql}`;
      const plan = await transaction.query<Array<Record<'QUERY PLAN', string>>>(statement, values);
      lines.push(...plan.map((row) => row['QUERY PLAN']));
    }
    return lines;
  });
}

/** The statements that one question asks, in its snapshot and outside of it. */
async function record(
  database: Gateway['database'],
  ask: () => Promise<unknown>,
): Promise<Array<{ sql: string; values: unknown[] }>> {
  const statements: Array<{ sql: string; values: unknown[] }> = [];
  const noted = (queries: { query: EntityManager['query'] }) =>
    ((sql: string, values: unknown[] = []) => {
      statements.push({ sql, values });
      return queries.query(sql, values);
    }) as EntityManager['query'];
  const { query, transaction } = database;
  database.query = noted({ query: query.bind(database) });
  database.transaction = ((isolation: 'REPEATABLE READ', run: (manager: unknown) => Promise<unknown>) =>
    transaction.call(database, isolation, (manager: EntityManager) =>
      run({ query: noted(manager) }),
    )) as typeof transaction;
  try {
    await ask();
  } finally {
    Object.assign(database, { query, transaction });
  }
  return statements;
}

import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { EntityManager } from 'typeorm';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import { migrate } from '../../server/src/platform/db/migrate.js';
import { LogExport } from '../../server/src/console/logs/log-export.js';
import { LogService, type LogListQuery } from '../../server/src/console/logs/log.service.js';
import { type LogFilter } from '../../server/src/console/logs/log-conditions.js';
import { trimLogs } from '../../server/src/console/logs/log-trim.js';
import { aggregateWithinHour } from '../../server/src/billing/rollups/aggregate.js';
import { Aggregator, busyRows } from '../../server/src/billing/rollups/aggregator.js';
import { HourlyModelsService } from '../../server/src/console/usage/hourly-models.service.js';
import { emptyQuestion, type UsageQuestion } from '../../server/src/console/usage/usage-question.js';
import { UsageService } from '../../server/src/console/usage/usage.service.js';
import { createLogger } from '../../server/src/platform/observability/logger.js';
import type { Actor } from '../../server/src/shared/actor.js';
import { Secrets } from '../../server/src/shared/secrets.js';
import { askOverHttp, benchSecret, type Asked, type HttpAsked } from './logs-http.js';
import { rowsOf, summaryOf, tableOf, timesOf, type Batch, type Result } from './logs-report.js';

/**
 * `DATABASE_URL=… npm run bench -- logs 10000 1000000`: the log page, its totals and the dashboards over tables of
 * these sizes, as the services query them, alternating the sizes per query. Prints CPU, best, median and 95th
 * percentile in milliseconds, the plans of the slowest, and which queries miss the goals. `BENCH_HTTP=1` sends the
 * queries to servers over HTTP, as console and old clients do, without CPU figures. `BENCH_SHAPE=filled` has few users
 * and models. `BENCH_ONLY=badge` runs only queries whose name matches (a regular expression). `BENCH_KEEP=1` keeps the
 * databases (`bench_logs_<rows>`) for the next run, which then needs no seeding; without it the oldest month is dropped at the end,
 * timed.
 */
const sizes = process.argv.slice(2).map(Number);
const server = process.env.DATABASE_URL;
if (!server || sizes.length === 0 || sizes.some((size) => !(size > 0))) {
  console.error('usage: DATABASE_URL=postgres://… npm run bench -- logs <rows> [<rows> …]');
  process.exit(2);
}
const overHttp = process.env.BENCH_HTTP === '1';
/**
 * Runs alternate between the sizes in short batches, so that other load on the machine affects all sizes alike: 200 runs,
 * over HTTP 100.
 */
const rounds = overHttp ? 20 : 40;
const [runsPerRound, warmUps] = [5, 5];
const explained = 3;
const only = new RegExp(process.env.BENCH_ONLY ?? '');
/**
 * The callers. `wide`: the callers of a large gateway, of which ten thousand rows contain only a part. `filled`: so few
 * users (with two keys each) and models that ten thousand rows contain all of them every hour, so that a result has the same
 * number of rows at every size.
 */
const shapes: Readonly<Record<string, readonly string[]>> = {
  wide: [],
  filled: ['--users', '2', '--models', '3', '--even'],
};
const shape = process.env.BENCH_SHAPE ?? 'wide';
const seedOptions = shapes[shape];
if (!seedOptions) throw new Error(`BENCH_SHAPE is one of ${Object.keys(shapes).join(', ')}`);
const root: Actor = { id: 1, username: 'root', role: 'root', status: 'enabled', group: 'default' };

type Question = readonly [name: string, ask: () => Promise<unknown>];
/** A database of one size, and its queries. */
interface Gateway {
  readonly size: number;
  readonly database: ReturnType<typeof createDataSource>;
  /** The measured queries. `direct` has the same queries for the services, in the same order. */
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
  if (!process.env.BENCH_KEEP) for (const gateway of gateways) console.log(await dropOldestMonth(gateway));
} finally {
  for (const gateway of gateways) await gateway.close();
}

/** Drops the oldest month, as an admin or the retention period does. The databases are dropped afterwards. */
async function dropOldestMonth({ size, database }: Gateway): Promise<string> {
  const [oldest] = await database.query<Array<{ end: string }>>(
    `SELECT extract(epoch FROM date_trunc('month', to_timestamp(min(created_at)) AT TIME ZONE 'UTC') + interval '1 month')::text AS end FROM logs`,
  );
  const begun = performance.now();
  const rows = await trimLogs(database, Number(oldest?.end));
  return `${size} rows: dropping the oldest month, ${rows} rows, took ${(performance.now() - begun).toFixed(0)} ms`;
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
  await leaveTheLast(database);
  const busiest = await busiestOf(database);
  const services = servicesOn(database, busiest);
  const { stop, ...asked } = overHttp ? await askOverHttp(url.href, busiest.user_id) : services;
  return {
    size,
    database,
    asked: questions(asked, busiest),
    direct: questions(services, busiest),
    close: async () => {
      await stop();
      await database.destroy();
      if (!process.env.BENCH_KEEP) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

/** Runs every query once, so that the first measurement excludes compilation and connecting. */
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
  const environment = { ...process.env, DATABASE_URL: url, ENCRYPTION_KEY: benchSecret };
  const seeded = spawnSync(process.execPath, [seed, '--logs', String(size), ...(seedOptions ?? [])], {
    env: environment,
    stdio: 'inherit',
  });
  if (seeded.status !== 0) throw new Error('seeding failed');
  const began = performance.now();
  // The timeout is long, because the aggregation also waits for transactions in other databases of this server.
  const buckets = await new Aggregator(database, 60_000).run();
  console.log(`${buckets} buckets aggregated in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await database.query('VACUUM ANALYZE');
}

/**
 * Prepares the state shortly after the last call. The last 30 to 90 minutes are not aggregated by hour, which is more than
 * on a running server. The last 20 to 320 seconds are not aggregated by five minutes, as on a running server. A busy site
 * has the minutes, and the rows of the last 20 to 80 seconds.
 */
async function leaveTheLast(database: Gateway['database']): Promise<void> {
  const [last] = await database.query<Array<{ at: string }>>('SELECT max(created_at) AS at FROM logs');
  const before = (seconds: number, length: number): number => {
    const moment = Number(last?.at ?? 0) - seconds;
    return moment - (moment % length);
  };
  const range = { from: before(1800, 3600), end: before(20, 300) };
  const minutes = { from: range.end, end: before(20, 60) };
  await database.transaction(async (transaction) => {
    const [waiting] = await transaction.query<Array<{ rows: number }>>(
      'SELECT count(*)::int AS rows FROM logs WHERE created_at >= $1 AND created_at < $2',
      [minutes.from, minutes.end],
    );
    const isBusy = (waiting?.rows ?? 0) >= busyRows;
    await transaction.query('UPDATE rollup_state SET hours_until = $1, five_minutes_until = $2, minutes_until = $3', [
      ...[range.from, range.end, isBusy ? minutes.end : 0],
    ]);
    await aggregateWithinHour(transaction, 'FIVE_MINUTES', [range]);
    if (isBusy) await aggregateWithinHour(transaction, 'MINUTE', [minutes]);
  });
  await database.query('VACUUM ANALYZE log_by_all, log_by_route');
}

/** The busiest key of the busiest user, and its model: no other user has more rows. */
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
  if (!row) throw new Error('nothing was aggregated');
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
    logs: withBadges(new LogService(database, new Secrets(benchSecret), clock)),
    usage: new UsageService({ database, options, clock }),
    hourlyModels: new HourlyModelsService({ database, options, clock }),
    exported: new LogExport(database),
    stop: async () => undefined,
  };
}

/** The log page shows totals and the rate of the last minute. */
function withBadges(logs: LogService): Asked['logs'] {
  return {
    list: (actor, filter, page) => logs.list(actor, filter, page),
    listOwn: (actor, filter, page) => logs.listOwn(actor, filter, page),
    listOfKey: (actor, key, page) => logs.listOfKey(actor, key, page),
    badge: (actor, filter) => Promise.all([logs.sums(actor, filter), logs.rate(actor, filter)]),
    badgeOwn: (actor, filter) => Promise.all([logs.sumsOwn(actor, filter), logs.rateOwn(actor, filter)]),
    search: (actor, keyword) => logs.search(actor, keyword),
    searchOwn: (actor, keyword) => logs.searchOwn(actor, keyword),
  };
}

/** Returns the query of a page as the console reads it, with its total. */
function pageOf(page: number, pageSize: number, direction?: 'ASC'): LogListQuery {
  return {
    page,
    pageSize,
    after: null,
    counted: true,
    sort: direction ? [{ field: 'createdAt', direction }] : [],
  };
}

/** Returns a range of the log, which ends before `until`. Ranges of usage include the hour of `to`. */
function ofLogs({ from, to }: { from: number; to: number }) {
  return { from, until: to };
}

function questions({ logs, usage, hourlyModels, exported }: Asked, row: Busiest): Question[] {
  const { now } = row;
  const key = keyOf(row);
  const midnight = now - (now % 86_400);
  // The old paths ask for thirty days at most.
  const today = { from: midnight, to: Math.min(now + 3600, midnight + 86_400) };
  // The console asks for complete days, with an open end.
  const month = { from: today.from - 29 * 86_400, to: today.to };
  const toTheSecond = { from: now - 29 * 86_400, to: now };
  const own: Actor = { ...root, id: row.user_id, username: row.username, role: 'common' };
  const filters: Array<[string, LogFilter]> = [
    ['no filter', {}],
    ['type consume', { types: [2] }],
    ['type error', { types: [6] }],
    ['type top-up', { types: [1] }],
    ['user', { username: row.username }],
    ['key', { tokenName: row.token_name }],
    ['model', { models: [row.model] }],
    ['model pattern', { models: ['gpt-5*'] }],
    ['model pattern, none', { models: ['no-such*'] }],
    ['group', { groups: ['svip'] }],
    ['channel', { channelIds: [row.channel_id] }],
    ['user gone', { username: 'nobody' }],
    ['user, top-up', { username: row.username, types: [1] }],
    [
      'user, model, channel, group',
      { username: row.username, models: [row.model], channelIds: [row.channel_id], groups: ['default'] },
    ],
    ['model never on channel', { models: ['gpt-6-luna'], channelIds: [row.channel_id] }],
  ];
  const list =
    (actor: Actor, filter: LogFilter, page: number, pageSize = 10) =>
    () =>
      actor === root
        ? logs.list(root, filter, pageOf(page, pageSize))
        : logs.listOwn(actor, filter, pageOf(page, pageSize));
  /** The console asks with the number of rows. */
  const plain = {
    latency: false,
    firstToken: false,
    cost: false,
    total: false,
    compared: false,
    count: true,
    others: false,
    activeUsers: false,
    cache: false,
    projected: false,
  };
  type Groups = Partial<UsageQuestion>;
  const by =
    (groups: Groups, range: typeof month, wanted = plain) =>
    () =>
      usage.list(root, { ...emptyQuestion, ...groups, range: { from: range.from, until: range.to } }, wanted);
  const ownBy = (groups: Groups, range: typeof month) => () =>
    usage.listOwn(own, { ...emptyQuestion, ...groups, range: { from: range.from, until: range.to } }, plain);
  const week = { from: now - 7 * 86_400, to: now };
  const day = { from: now - 86_400, to: now };
  const hours = { from: now - 3 * 3600, to: now };
  const chart = { top: 5, others: true, fill: true, pageSize: 2000 };
  const shanghai = { timeZone: 'Asia/Shanghai' };
  const latency = { ...plain, latency: true };
  return [
    ...filters.flatMap(([name, filter]): Question[] => [
      [`page 1: ${name}`, list(root, filter, 0)],
      [`page 100: ${name}`, list(root, filter, 99)],
      [`page 1, today: ${name}`, list(root, { ...filter, ...ofLogs(today) }, 0)],
      [`badge, today: ${name}`, () => logs.badge(root, { ...filter, ...ofLogs(today) })],
      [`badge, month: ${name}`, () => logs.badge(root, { ...filter, ...ofLogs(month) })],
    ]),
    ['badge, month to the second: no filter', () => logs.badge(root, ofLogs(toTheSecond))],
    [
      'badge, month to the second: model pattern',
      () => logs.badge(root, { models: ['gpt-5*'], ...ofLogs(toTheSecond) }),
    ],
    ['page 1000: no filter', list(root, {}, 999)],
    ['page 100 of 100: no filter', list(root, {}, 99, 100)],
    ['page 1, oldest first', () => logs.list(root, {}, pageOf(0, 10, 'ASC'))],
    ['own page 1', list(own, {}, 0)],
    ['own page 100', list(own, {}, 99)],
    ['own page 50 of 100, consume, month', list(own, { types: [2], ...ofLogs(month) }, 49, 100)],
    ['own badge, today', () => logs.badgeOwn(own, ofLogs(today))],
    ['own badge, month', () => logs.badgeOwn(own, ofLogs(month))],
    ['own badge, month, key', () => logs.badgeOwn(own, { ...ofLogs(month), tokenName: row.token_name })],
    ['own rows of a key', () => logs.listOfKey(own, key, pageOf(0, 100))],
    ['search', () => logs.search(root, 'Created channel')],
    ['search, what all say', () => logs.search(root, 'model ratio')],
    ['own search', () => logs.searchOwn(own, '1')],
    ['export, first piece', async () => first(await exported.all(root, ofLogs(month)))],
    ['usage by day and model, month', by({ bucket: 'DAY', groupBy: ['MODEL'] }, month)],
    ['the same, page 6', by({ bucket: 'DAY', groupBy: ['MODEL'], page: 5 }, month)],
    ['usage by hour and model, week', by({ bucket: 'HOUR', groupBy: ['MODEL'], pageSize: 2000 }, week)],
    ['usage by hour and model, day', by({ bucket: 'HOUR', groupBy: ['MODEL'] }, day)],
    ['usage by day, month', by({ bucket: 'DAY' }, month)],
    ['usage by model, month', by({ groupBy: ['MODEL'] }, month)],
    ['usage by user, month', by({ groupBy: ['USER'] }, month)],
    ['usage by channel, month', by({ groupBy: ['CHANNEL'] }, month)],
    ['usage by group, month', by({ groupBy: ['GROUP'] }, month)],
    ['usage by key, month', by({ groupBy: ['TOKEN'] }, month)],
    ['usage by day and user, month', by({ bucket: 'DAY', groupBy: ['USER'] }, month)],
    ['usage by model of a user, month', by({ groupBy: ['MODEL'], filter: { userIds: [own.id] } }, month)],
    ['usage by user of a channel, month', by({ groupBy: ['USER'], filter: { channelIds: [row.channel_id] } }, month)],
    ['usage by user with p95, month', by({ groupBy: ['USER'] }, month, latency)],
    ['usage by model with p95, month', by({ groupBy: ['MODEL'] }, month, latency)],
    [
      'usage by day and model in Shanghai, month',
      by({ bucket: 'DAY', groupBy: ['MODEL'], pageSize: 1000, ...shanghai }, month),
    ],
    ['usage by week in Shanghai, month', by({ bucket: 'WEEK', groupBy: ['MODEL'], ...shanghai }, month)],
    ['usage by provider and tag, month', by({ groupBy: ['PROVIDER', 'CHANNEL_TAG'] }, month)],
    ['usage by cohort and week, month', by({ bucket: 'WEEK', groupBy: ['USER_COHORT_WEEK'] }, month)],
    ['chart: top 5 and others by day, month', by({ ...chart, bucket: 'DAY', groupBy: ['MODEL'] }, month)],
    ['chart: top 5 and others by hour, week', by({ ...chart, bucket: 'HOUR', groupBy: ['MODEL'] }, week)],
    ['top 10 users by growth, week', by({ groupBy: ['USER'], top: 10, compareTo: { period: 'PREVIOUS' } }, week)],
    [
      'five minutes by channel with p95, 3 hours',
      by({ bucket: 'MINUTE_5', groupBy: ['CHANNEL'], pageSize: 1000 }, hours, latency),
    ],
    ['five minutes by model, day', by({ ...chart, bucket: 'MINUTE_5', groupBy: ['MODEL'] }, day)],
    [
      'totals with the month before',
      by({ compareTo: { period: 'PREVIOUS' } }, month, { ...plain, total: true, compared: true }),
    ],
    ['totals with p95, month', by({}, month, { ...latency, total: true })],
    ['own usage by day and model, month', ownBy({ bucket: 'DAY', groupBy: ['MODEL'] }, month)],
    ['own usage by hour and model, day', ownBy({ bucket: 'HOUR', groupBy: ['MODEL'] }, day)],
    ['own usage by model, month', ownBy({ groupBy: ['MODEL'] }, month)],
    ['own usage by key, month', ownBy({ groupBy: ['TOKEN'] }, month)],
    ['own totals, month', ownBy({ compareTo: { period: 'PREVIOUS' } }, month)],
    ['/api/data, month', () => hourlyModels.list(root, month)],
    ['/api/data of a user, month', () => hourlyModels.list(root, month, own.username)],
    ['/api/data/self, month', () => hourlyModels.listOwn(own, month)],
    [
      'usage export by user, first piece',
      () =>
        first(
          usage.exportAll(root, { ...emptyQuestion, groupBy: ['USER'], range: { from: month.from, until: month.to } }),
        ),
    ],
  ];
}

async function first(pieces: AsyncIterable<string>): Promise<string> {
  for await (const piece of pieces) return piece;
  return '';
}

/** Runs a query several times, after one run that is not counted. Garbage is collected first. */
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
    // A few runs suffice for a query that takes seconds.
    if (times.reduce((sum, time) => sum + time, 0) > 5000) break;
  }
  return { times, cpu: overHttp ? NaN : cpu() - before };
}

/** Returns the CPU time of the backends; NaN when they run on another machine. */
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

/** Returns the plans of statements, with the settings that a snapshot's first statements make. */
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

/** Records the statements of one query, inside and outside of its snapshot. */
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

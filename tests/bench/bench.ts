import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findProgram } from '../support/services/processes.js';
import { findPostgres } from '../support/services/postgres.js';
import { findRedis } from '../support/services/redis.js';
import { startFastUpstream } from '../support/upstream/fast.js';
import { loadCore, setUp, startFloor, startGateway, type Running } from './gateway.js';
import { Load, median, quantile, type Kind, type Target } from './load.js';
import { cpuOf, cpuOfTree, findPostmaster, memoryOf } from './process-usage.js';

/**
 * `npm run bench -- [json] [stream] [latency] [memory] [--rounds 3] [--calls 12000] [--profile]`: Tollgate with everything
 * on beside the floor, alternated in one run. Read the ratios: machines differ and are noisy.
 */
const words = process.argv.slice(2);
const flag = (name: string, fallback: number): number => {
  const at = words.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(words[at + 1]);
};
const parts = ['json', 'stream', 'latency', 'memory'].filter((part) => words.includes(part));
const wanted = (part: string): boolean => parts.length === 0 || parts.includes(part);
const rounds = flag('rounds', 3);
const calls = flag('calls', 12_000);
const width = 64;
const streamEvents = 53;
const profileFolder = words.includes('--profile') ? join(import.meta.dirname, '../.output/profile') : undefined;

interface Contender extends Target {
  readonly pid: number;
}

interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu: number;
  readonly postgres: number;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function oneRound(contender: Contender, kind: Kind, postmaster: number | null): Promise<Round> {
  const load = new Load(contender, width);
  await load.full(kind, width, Math.ceil(calls / 10));
  const cpuBefore = cpuOf(contender.pid);
  const postgresBefore = postmaster ? cpuOfTree(postmaster) : 0;
  const timings = await load.full(kind, width, calls);
  // What a call leaves behind (log writing, garbage) is its cost too.
  await pause(300);
  const cpu = (cpuOf(contender.pid) - cpuBefore) / calls;
  const postgres = postmaster ? (cpuOfTree(postmaster) - postgresBefore) / calls : 0;
  await load.close();
  if (timings.failures > 0) throw new Error(`${contender.name}: ${timings.failures} of ${calls} calls failed`);
  return {
    perSecond: timings.calls / timings.seconds,
    p50: quantile(timings.latencies, 0.5),
    p99: quantile(timings.latencies, 0.99),
    cpu,
    postgres,
  };
}

async function compare(kind: Kind, floor: Contender, gateway: Contender, postmaster: number | null): Promise<void> {
  const results: Record<'floor' | 'gateway', Round[]> = { floor: [], gateway: [] };
  for (let round = 0; round < rounds; round++) {
    results.floor.push(await oneRound(floor, kind, null));
    results.gateway.push(await oneRound(gateway, kind, postmaster));
  }
  say(
    `\n${kind === 'json' ? 'JSON calls' : `Streams of ${streamEvents} events`}, ${width} clients, median of ${rounds} rounds of ${calls}`,
  );
  say('              calls/s    p50 ms    p99 ms   CPU ms/call   Postgres CPU ms/call');
  const middle = (rows: Round[], key: keyof Round): number => median(rows.map((row) => row[key]));
  for (const name of ['floor', 'gateway'] as const) {
    const rows = results[name];
    const cells = [
      middle(rows, 'perSecond').toFixed(0).padStart(8),
      middle(rows, 'p50').toFixed(2).padStart(9),
      middle(rows, 'p99').toFixed(2).padStart(9),
      middle(rows, 'cpu').toFixed(4).padStart(13),
      (name === 'gateway' ? middle(rows, 'postgres').toFixed(4) : '-').padStart(20),
    ];
    say(`${name.padEnd(12)}${cells.join(' ')}`);
  }
  const ratios = results.gateway.map((row, index) => row.cpu / (results.floor[index]?.cpu ?? Number.NaN));
  say(
    `gateway CPU to floor: ${median(ratios).toFixed(2)}   (rounds: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')})`,
  );
}

/** As on a server that has run for a while: old write-ahead files are there to be used again, none has to be made. */
async function settleDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CHECKPOINT');
  await client.end();
  await pause(1000);
}

async function addedLatency(floor: Contender, gateway: Contender, databaseUrl: string): Promise<void> {
  const perSecond = 500;
  const seconds = 10;
  const added: Array<{ p50: number; p99: number }> = [];
  for (let round = 0; round < rounds; round++) {
    const timings = [];
    for (const contender of [floor, gateway]) {
      const load = new Load(contender, 256);
      await load.steady('json', perSecond, 2);
      await settleDatabase(databaseUrl);
      timings.push(await load.steady('json', perSecond, seconds));
      await load.close();
    }
    const [base, ours] = timings;
    if (!base || !ours || ours.failures > 0) throw new Error('calls failed');
    added.push({
      p50: quantile(ours.latencies, 0.5) - quantile(base.latencies, 0.5),
      p99: quantile(ours.latencies, 0.99) - quantile(base.latencies, 0.99),
    });
  }
  say(`\nAdded latency at ${perSecond} JSON calls a second, median of ${rounds} rounds of ${seconds} s`);
  say(
    `p50 +${median(added.map((row) => row.p50)).toFixed(2)} ms   p99 +${median(added.map((row) => row.p99)).toFixed(2)} ms`,
  );
}

async function memoryOfStreams(contender: Contender): Promise<number> {
  const streams = 1000;
  const load = new Load(contender, streams);
  await load.full('stream', 50, 50);
  await pause(2000);
  const before = memoryOf(contender.pid);
  const running = load.full('stream', streams, streams);
  await pause(12_000);
  const during = memoryOf(contender.pid);
  const timings = await running;
  await load.close();
  if (timings.failures > 0) throw new Error(`${contender.name}: ${timings.failures} slow streams failed`);
  const [from, to] = [before, during].map((bytes) => (bytes / 2 ** 20).toFixed(0));
  const each = (during - before) / 1024 / streams;
  say(`${contender.name.padEnd(12)}${from} MiB, with ${streams} streams ${to} MiB: ${each.toFixed(1)} KiB a stream`);
  return each;
}

async function openStreams(floor: Contender, gateway: Contender): Promise<void> {
  say('\nMemory with 1000 streams open (resident, sockets and their buffers included)');
  await memoryOfStreams(floor);
  await memoryOfStreams(gateway);
}

async function main(): Promise<void> {
  const taskset = findProgram(['taskset']);
  if (taskset && cpus().length > 1)
    execFileSync(taskset, ['-a', '-cp', String(loadCore), String(process.pid)], { stdio: 'ignore' });
  const postgres = await findPostgres({ durable: true });
  const redis = await findRedis();
  const upstream = await startFastUpstream({ eventCount: streamEvents });
  // 53 events, 400 ms apart: a stream of 21 s.
  const slowUpstream = await startFastUpstream({ eventCount: streamEvents, gapMilliseconds: 400 });
  say(
    `machine: ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`,
  );
  say(`database: ${postgres.description}; Redis: ${redis?.description ?? 'none, in process'}`);
  const running: Running[] = [];
  try {
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    const name = `bench_${Date.now()}`;
    await admin.query(`CREATE DATABASE ${name}`);
    await admin.end();
    const databaseUrl = new URL(postgres.url);
    databaseUrl.pathname = `/${name}`;
    const postmaster = await findPostmaster(databaseUrl.toString());

    const floorProcess = await startFloor(upstream.url);
    running.push(floorProcess);
    if (profileFolder) mkdirSync(profileFolder, { recursive: true });
    const gatewayProcess = await startGateway({
      databaseUrl: databaseUrl.toString(),
      redisUrl: redis?.url ?? null,
      ...(profileFolder ? { profileFolder } : {}),
    });
    running.push(gatewayProcess);
    const key = await setUp(gatewayProcess.url, upstream.url, slowUpstream.url);
    const floor: Contender = { name: 'floor', key: 'none', ...floorProcess };
    const gateway: Contender = { name: 'gateway', key: key.fast, ...gatewayProcess };

    if (wanted('json')) await compare('json', floor, gateway, postmaster);
    if (wanted('stream')) await compare('stream', floor, gateway, postmaster);
    if (wanted('latency')) await addedLatency(floor, gateway, databaseUrl.toString());
    if (wanted('memory')) {
      const slowFloor = await startFloor(slowUpstream.url);
      running.push(slowFloor);
      await openStreams({ name: 'floor', key: 'none', ...slowFloor }, { ...gateway, key: key.slow });
    }
  } finally {
    for (const child of running.reverse()) await child.stop();
    await upstream.stop();
    await slowUpstream.stop();
    await redis?.stop();
    await postgres.stop();
  }
  if (profileFolder) say(`CPU profile of the gateway: ${profileFolder}`);
}

await main();

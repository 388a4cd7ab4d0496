/**
 * `npm run bench:nodes [-- cpu|export] [--calls 6000] [--seconds 8]`:
 * 1. CPU per JSON call of 1, 2 and 4 nodes on one Postgres and one Redis, of the nodes and of Postgres, and the calls a
 *    second that one core of each carries by it. All nodes share the first core, so throughput itself says nothing.
 * 2. Latency at a fixed rate with the export of spans off, and on with a collector that is unavailable.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import pg from 'pg';
import { findPostgres } from '../support/services/postgres.js';
import { findProgram } from '../support/services/processes.js';
import { findRedis } from '../support/services/redis.js';
import { startFastUpstream } from '../support/upstream/fast.js';
import { loadCore, setUp, startGateway, type Running } from './gateway.js';
import { Load, median, quantile } from './load.js';
import { cpuOf, cpuOfTree, findPostmaster } from './process-usage.js';
import { pause, say } from './rounds.js';

const words = process.argv.slice(2);
const flag = (name: string, fallback: number): number => {
  const at = words.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(words[at + 1]);
};
const calls = flag('calls', 6000);
const seconds = flag('seconds', 8);
const width = 64;
const perSecond = 300;
/** A port on which nothing listens. */
const unavailable = 'http://127.0.0.1:9';

interface Store {
  readonly databaseUrl: string;
  readonly redisUrl: string | null;
}

async function freshDatabase(url: string): Promise<string> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const name = `bench_${Date.now()}`;
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.toString();
}

/** One round over all nodes at once. @returns milliseconds of CPU per call */
async function round(nodes: readonly Running[], key: string, postmaster: number | null) {
  const loads = nodes.map(({ url }) => new Load({ name: 'node', url, key }, width));
  const nodeCpu = (): number => nodes.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
  const databaseCpu = (): number => (postmaster === null ? Number.NaN : cpuOfTree(postmaster));
  const [nodesBefore, databaseBefore] = [nodeCpu(), databaseCpu()];
  const each = Math.ceil(calls / nodes.length);
  const timings = await Promise.all(loads.map((load) => load.full('json', Math.ceil(width / nodes.length), each)));
  // Batches and rollups that are still under way belong to these calls.
  await pause(1500);
  const count = timings.reduce((sum, timing) => sum + timing.calls, 0);
  const failures = timings.reduce((sum, timing) => sum + timing.failures, 0);
  await Promise.all(loads.map((load) => load.close()));
  if (failures > 0) throw new Error(`${failures} calls failed`);
  return { node: (nodeCpu() - nodesBefore) / count, database: (databaseCpu() - databaseBefore) / count };
}

async function ofNodes(count: number, store: Store, key: string, postmaster: number | null): Promise<void> {
  const nodes: Running[] = [];
  try {
    for (let index = 0; index < count; index++) nodes.push(await startGateway(store));
    await round(nodes, key, postmaster);
    const idleBefore = nodes.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
    await pause(3000);
    const idle = (nodes.reduce((sum, { pid }) => sum + cpuOf(pid), 0) - idleBefore) / 3 / count;
    const rounds = [await round(nodes, key, postmaster), await round(nodes, key, postmaster)];
    rounds.push(await round(nodes, key, postmaster));
    const node = median(rounds.map((each) => each.node));
    const database = median(rounds.map((each) => each.database));
    const carried = (milliseconds: number): string => (1000 / milliseconds).toFixed(0);
    say(
      `${count} node${count === 1 ? '' : 's'}: ${node.toFixed(3)} ms CPU of the nodes per call, ` +
        `${database.toFixed(3)} ms of Postgres; a core of a node carries ${carried(node)} calls/s, ` +
        `a core of Postgres ${carried(database)}; idle, a node takes ${idle.toFixed(0)} ms of CPU a second`,
    );
  } finally {
    for (const each of nodes) await each.stop();
  }
}

async function ofExport(store: Store, key: string): Promise<void> {
  const cases = { off: {}, 'on, collector unavailable': { OTEL_EXPORTER_OTLP_ENDPOINT: unavailable } };
  const measured = new Map<string, { p50: number; p99: number }[]>();
  // In turns, because other work on the machine comes and goes.
  for (let turn = 0; turn < 3; turn++) {
    for (const [name, environment] of Object.entries(cases)) {
      const node = await startGateway({ ...store, environment });
      try {
        const load = new Load({ name, url: node.url, key }, 256);
        await load.steady('json', perSecond, 2);
        const { latencies, failures } = await load.steady('json', perSecond, seconds);
        await load.close();
        if (failures > 0) throw new Error(`${failures} calls failed`);
        const found = measured.get(name) ?? [];
        measured.set(name, [...found, { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) }]);
      } finally {
        await node.stop();
      }
    }
  }
  for (const [name, turns] of measured) {
    const list = (of: 'p50' | 'p99'): string => turns.map((each) => each[of].toFixed(2)).join(', ');
    say(`export ${name}, ${perSecond} calls/s: p50 ${list('p50')} ms, p99 ${list('p99')} ms`);
  }
}

async function main(): Promise<void> {
  const taskset = findProgram(['taskset']);
  if (taskset && cpus().length > 1)
    execFileSync(taskset, ['-a', '-cp', String(loadCore), String(process.pid)], { stdio: 'ignore' });
  const postgres = await findPostgres({ durable: true });
  const redis = await findRedis();
  const upstream = await startFastUpstream({ eventCount: 1, slow: { eventCount: 1, gapMilliseconds: 1000 } });
  try {
    const databaseUrl = await freshDatabase(postgres.url);
    const store = { databaseUrl, redisUrl: redis?.url ?? null };
    const postmaster = await findPostmaster(databaseUrl);
    const first = await startGateway(store);
    const key = await setUp(first.url, upstream.url);
    await first.stop();
    say(`${calls} JSON calls a round, median of 3, Node ${process.version}, ${postgres.description}`);
    if (!words.includes('export')) for (const count of [1, 2, 4]) await ofNodes(count, store, key, postmaster);
    if (!words.includes('cpu')) await ofExport(store, key);
  } finally {
    await upstream.stop();
    await redis?.stop();
    await postgres.stop();
  }
}

await main();

/**
 * `npm run bench -- nodes [cpu workers export] [--calls 6000] [--missing 600] [--turn 30] [--between 30] [--rate 300]`;
 * all three parts without a word:
 * 1. CPU per JSON call of 1, 2 and 4 nodes on one Postgres and one Redis, of the nodes and of Postgres, and from that how many
 *    calls a second one core of each could serve. All nodes share the first core, so throughput itself says nothing.
 * 2. The same for one server of 1, 2 and 4 workers, which use every core, and the calls a second that they reach beside
 *    Postgres, the load and the upstream on this machine.
 * 3. Latency at a fixed rate while spans are exported to a scripted collector, and while that is unavailable for `--turn`
 *    seconds at a time with `--between` seconds between, until it was unavailable for `--missing` seconds.
 */
import { cpus } from 'node:os';
import pg from 'pg';
import { ScriptedCollector, type CollectorMode } from './collector.js';
import { setUp, startGateway, type Running } from './gateway.js';
import { Load, median, quantile } from './load.js';
import { cpuOf, cpuOfTree, findPostmaster, memoryOf } from './process-usage.js';
import { pause, say } from './rounds.js';
import { withServices } from './services.js';

const words = process.argv.slice(2);
const flag = (name: string, fallback: number): number => {
  const at = words.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(words[at + 1]);
};
const parts = ['cpu', 'workers', 'export'];
const wanted = (part: string): boolean => words.includes(part) || !parts.some((each) => words.includes(each));
const calls = flag('calls', 6000);
const unavailableSeconds = flag('missing', 600);
const turnSeconds = flag('turn', 30);
const betweenSeconds = flag('between', turnSeconds);
const width = 64;
const perSecond = flag('rate', 300);

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

interface Round {
  /** Milliseconds of CPU per call, of the servers and of Postgres. */
  readonly node: number;
  readonly database: number;
  readonly perSecond: number;
}

/** Runs one round over all nodes at once. */
async function round(nodes: readonly Running[], key: string, postmaster: number | null): Promise<Round> {
  const loads = nodes.map(({ url }) => new Load({ name: 'node', url, key }, width));
  // A server of several workers has them as children.
  const nodeCpu = (): number => nodes.reduce((sum, { pid }) => sum + cpuOfTree(pid), 0);
  const databaseCpu = (): number => (postmaster === null ? Number.NaN : cpuOfTree(postmaster));
  const [nodesBefore, databaseBefore] = [nodeCpu(), databaseCpu()];
  const each = Math.ceil(calls / nodes.length);
  const began = performance.now();
  const timings = await Promise.all(loads.map((load) => load.full('json', Math.ceil(width / nodes.length), each)));
  const seconds = (performance.now() - began) / 1000;
  // Running batches and rollups belong to these calls.
  await pause(1500);
  const count = timings.reduce((sum, timing) => sum + timing.calls, 0);
  const failures = timings.reduce((sum, timing) => sum + timing.failures, 0);
  await Promise.all(loads.map((load) => load.close()));
  if (failures > 0) throw new Error(`${failures} calls failed`);
  return {
    node: (nodeCpu() - nodesBefore) / count,
    database: (databaseCpu() - databaseBefore) / count,
    perSecond: count / seconds,
  };
}

/** Returns the medians of three rounds. The round before them warms the nodes up. */
async function medians(nodes: readonly Running[], key: string, postmaster: number | null): Promise<Round> {
  const rounds: Round[] = [];
  for (let index = 0; index < 3; index++) rounds.push(await round(nodes, key, postmaster));
  const of = (name: keyof Round): number => median(rounds.map((each) => each[name]));
  return { node: of('node'), database: of('database'), perSecond: of('perSecond') };
}

async function ofWorkers(count: number, store: Store, key: string, postmaster: number | null): Promise<void> {
  const server = await startGateway({ ...store, everyCore: true, environment: { WORKERS: String(count) } });
  try {
    await round([server], key, postmaster);
    const { node, database, perSecond: reached } = await medians([server], key, postmaster);
    say(
      `${count} worker${count === 1 ? '' : 's'}: ${node.toFixed(3)} ms CPU of the server per call, ` +
        `${database.toFixed(3)} ms of Postgres; ${reached.toFixed(0)} calls/s on ${cpus().length} cores with everything else`,
    );
  } finally {
    await server.stop();
  }
}

async function ofNodes(count: number, store: Store, key: string, postmaster: number | null): Promise<void> {
  const nodes: Running[] = [];
  try {
    for (let index = 0; index < count; index++) nodes.push(await startGateway(store));
    await round(nodes, key, postmaster);
    const idleBefore = nodes.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
    await pause(3000);
    const idle = (nodes.reduce((sum, { pid }) => sum + cpuOf(pid), 0) - idleBefore) / 3 / count;
    const { node, database } = await medians(nodes, key, postmaster);
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

/** Counters of a node by the label `result`. */
async function spanCounts(url: string): Promise<string> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = [...text.matchAll(/^tollgate_otlp_spans_total\{result="(\w+)"[^}]*\} (\d+)/gm)];
  return found.map(([, result, count]) => `${result} ${count}`).join(', ');
}

/**
 * Measures latency at a fixed rate, alternating between an available and an unavailable collector, until the collector was
 * unavailable for long enough.
 */
async function ofExport(store: Store, key: string): Promise<void> {
  const collector = await ScriptedCollector.start();
  const node = await startGateway({ ...store, environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  const measured = { available: [] as number[], unavailable: [] as number[] };
  const turns: string[] = [];
  const load = new Load({ name: 'export', url: node.url, key }, 256);
  const measure = async (mode: CollectorMode, seconds: number): Promise<void> => {
    await collector.become(mode);
    const { latencies, failures } = await load.steady('json', perSecond, seconds);
    if (failures > 0) throw new Error(`${failures} calls failed`);
    measured[mode === 'answers' ? 'available' : 'unavailable'].push(...latencies);
    turns.push(`${mode} ${quantile(latencies, 0.5).toFixed(2)}/${quantile(latencies, 0.99).toFixed(2)}`);
  };
  try {
    await collector.become('answers');
    await load.steady('json', perSecond, 5);
    const memoryBefore = memoryOf(node.pid);
    for (let gone = 0; gone < unavailableSeconds; gone += turnSeconds) {
      await measure('answers', betweenSeconds);
      // The collector alternates between a closed port and an open port without responses.
      await measure((gone / turnSeconds) % 2 === 0 ? 'refuses' : 'hangs', turnSeconds);
    }
    const counts = await spanCounts(node.url);
    const memory = (memoryOf(node.pid) - memoryBefore) / 1024 / 1024;
    for (const [name, latencies] of Object.entries(measured)) {
      latencies.sort((one, other) => one - other);
      say(
        `collector ${name}, ${perSecond} calls/s for ${(latencies.length / perSecond).toFixed(0)} s: ` +
          `p50 ${quantile(latencies, 0.5).toFixed(2)} ms, p99 ${quantile(latencies, 0.99).toFixed(2)} ms`,
      );
    }
    say(`turns of ${betweenSeconds} and ${turnSeconds} s, p50/p99 in ms: ${turns.join('; ')}`);
    say(`spans: ${counts}; received ${collector.spans}; memory of the node ${memory.toFixed(0)} MB more`);
  } finally {
    await load.close();
    await node.stop();
    await collector.close();
  }
}

async function main(): Promise<void> {
  await withServices(1, async ({ postgres, redis, upstream }) => {
    const databaseUrl = await freshDatabase(postgres.url);
    const store = { databaseUrl, redisUrl: redis?.url ?? null };
    const postmaster = await findPostmaster(databaseUrl);
    const first = await startGateway(store);
    const key = await setUp(first.url, upstream.url);
    await first.stop();
    say(`${calls} JSON calls a round, median of 3, Node ${process.version}, ${postgres.description}`);
    if (wanted('cpu')) for (const count of [1, 2, 4]) await ofNodes(count, store, key, postmaster);
    if (wanted('workers')) for (const count of [1, 2, 4]) await ofWorkers(count, store, key, postmaster);
    if (wanted('export')) await ofExport(store, key);
  });
}

await main();

import { CpuShare } from './cpu-share.js';
import { freshDatabase } from './fresh-database.js';
import { setUp, startGateway, type Running } from './gateway.js';
import { Load, median, quantile } from './load.js';
import { cpuOf, cpuOfTree, findPostmaster } from './process-usage.js';
import { pause, say } from './rounds.js';
import { withServices } from './services.js';

/**
 * `npm run bench -- shares [--node 0.2] [--database 0.5] [--clients 32] [--calls 2000] [--rounds 3]`: calls a second of one, two and
 * three nodes on one Postgres and one Redis, where the kernel gives each node, and Postgres, a fixed share of a core.
 * So the nodes do not take from each other on a small machine. Each node has as many clients. Needs the right to make
 * control groups.
 */
const words = process.argv.slice(2);
const flag = (name: string, fallback: number): number => {
  const at = words.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(words[at + 1]);
};
const size = { clients: flag('clients', 32), calls: flag('calls', 2000), rounds: flag('rounds', 3) };
const shares = { node: flag('node', 0.2), database: flag('database', 0.5) };

interface Round {
  readonly perSecond: number;
  /** Milliseconds, as for the following. */
  readonly p50: number;
  readonly p99: number;
  /** CPU per call. */
  readonly node: number;
  readonly database: number;
  /** Shares of the time that the limit permits. */
  readonly nodeBusy: number;
  readonly databaseBusy: number;
}

async function oneRound(nodes: readonly Running[], key: string, postmaster: number): Promise<Round> {
  const loads = nodes.map(({ url }) => new Load({ name: 'node', url, key }, size.clients));
  const nodeCpu = (): number => nodes.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
  const [nodesBefore, databaseBefore] = [nodeCpu(), cpuOfTree(postmaster)];
  const began = performance.now();
  const timings = await Promise.all(loads.map((load) => load.full('json', size.clients, size.calls)));
  const milliseconds = performance.now() - began;
  const [node, database] = [nodeCpu() - nodesBefore, cpuOfTree(postmaster) - databaseBefore];
  await Promise.all(loads.map((load) => load.close()));
  const failures = timings.reduce((sum, timing) => sum + timing.failures, 0);
  if (failures > 0) throw new Error(`${failures} calls failed`);
  const latencies = timings.flatMap((timing) => timing.latencies).sort((one, other) => one - other);
  return {
    perSecond: (latencies.length * 1000) / milliseconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    node: node / latencies.length,
    database: database / latencies.length,
    nodeBusy: node / (milliseconds * shares.node * nodes.length),
    databaseBusy: database / (milliseconds * shares.database),
  };
}

async function ofNodes(
  count: number,
  store: Parameters<typeof startGateway>[0],
  key: string,
  postmaster: number,
): Promise<void> {
  const nodes: Running[] = [];
  const limits: CpuShare[] = [];
  try {
    for (let index = 0; index < count; index++) nodes.push(await startGateway({ ...store, everyCore: true }));
    // Warm, and without the limits of the measurement.
    await oneRound(nodes, key, postmaster);
    for (const [index, { pid }] of nodes.entries()) {
      const limit = CpuShare.make(`node-${index}`, shares.node);
      limits.push(limit);
      limit.add(pid);
    }
    const database = CpuShare.make('database', shares.database);
    limits.push(database);
    database.add(postmaster);
    const rounds: Round[] = [];
    for (let index = 0; index < size.rounds; index++) {
      await pause(500);
      rounds.push(await oneRound(nodes, key, postmaster));
    }
    const middle = (name: keyof Round): number => median(rounds.map((round) => round[name]));
    const percent = (name: keyof Round): string => `${(100 * middle(name)).toFixed(0)} %`;
    say(
      `${count} node${count === 1 ? ' ' : 's'}: ${middle('perSecond').toFixed(0)} calls/s, p50 ${middle('p50').toFixed(0)} ms, ` +
        `p99 ${middle('p99').toFixed(0)} ms; CPU per call: ${middle('node').toFixed(3)} ms of the nodes, ` +
        `${middle('database').toFixed(3)} of Postgres; busy: nodes ${percent('nodeBusy')}, Postgres ${percent('databaseBusy')}`,
    );
  } finally {
    for (const limit of limits) limit.remove();
    for (const each of nodes) await each.stop();
  }
}

async function main(): Promise<void> {
  await withServices(1, async ({ postgres, redis, upstream }) => {
    const databaseUrl = await freshDatabase(postgres.url);
    const postmaster = await findPostmaster(databaseUrl);
    if (postmaster === null) throw new Error('Postgres must run on this machine, so that its share can be limited');
    const store = { databaseUrl, redisUrl: redis?.url ?? null };
    const first = await startGateway(store);
    const key = await setUp(first.url, upstream.url);
    await first.stop();
    say(
      `JSON calls, median of ${size.rounds} rounds, ${size.clients} clients and ${size.calls} calls for each node; ` +
        `${shares.node} cores for a node, ${shares.database} for Postgres; Node ${process.version}, ${postgres.description}`,
    );
    for (const count of [1, 2, 3]) await ofNodes(count, store, key, postmaster);
  });
}

await main();

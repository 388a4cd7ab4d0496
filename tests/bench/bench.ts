import { mkdirSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { flushTimes } from './disk.js';
import { freshDatabase } from './fresh-database.js';
import { best, missed, sayVerdict, type Figures } from './goals.js';
import { setUp, startFloor, startGateway } from './gateway.js';
import { Load, median, quantile, type Kind } from './load.js';
import { openStreams, slowStreams } from './memory.js';
import { findPostmaster } from './process-usage.js';
import { oneRound, pause, say, sayHead, sayRatios, sayRounds, type Contender, type Round } from './rounds.js';
import { withServices } from './services.js';
import { startSeconds } from './start.js';
import { compareTranslated } from './translated.js';

/**
 * `npm run bench -- [json] [stream] [translated] [latency] [memory] [start] [--rounds 3] [--calls 12000] [--seconds 10]
 * [--minutes 0] [--streams 1000] [--profile] [--snapshot] [--limits]`: compares Tollgate with all features enabled and a minimal proxy,
 * alternating in one run. Read the ratios, since machines differ and are noisy. `--limits` fails when a ratio or a size is
 * above 1.5 times its goal five times in a row; times depend on the machine and are printed only. `npm run bench:smoke` is a short run with it.
 */
const words = process.argv.slice(2);
const flag = (name: string, fallback: number): number => {
  const at = words.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(words[at + 1]);
};
const parts = ['json', 'stream', 'translated', 'latency', 'memory', 'start'].filter((part) => words.includes(part));
const wanted = (part: string): boolean => parts.length === 0 || parts.includes(part);
const rounds = flag('rounds', 3);
const size = { width: 64, calls: flag('calls', 12_000), rounds };
const steadySeconds = flag('seconds', 10);
const minutes = flag('minutes', 0);
const streams = flag('streams', 1000);
const streamEvents = 53;
const output = join(import.meta.dirname, '../.output/profile');
const withLimits = words.includes('--limits');
const profileFolder = words.includes('--profile') ? output : undefined;
const snapshotFolder = words.includes('--snapshot') ? output : undefined;

async function compare(kind: Kind, floor: Contender, gateway: Contender, postmaster: number | null): Promise<number> {
  const results: Record<'floor' | 'gateway', Round[]> = { floor: [], gateway: [] };
  for (let round = 0; round < rounds; round++) {
    results.floor.push(await oneRound(floor, kind, size, null));
    results.gateway.push(await oneRound(gateway, kind, size, postmaster));
  }
  sayHead(kind === 'json' ? 'JSON calls' : `Streams of ${streamEvents} events`, size);
  sayRounds('floor', results.floor);
  sayRounds('gateway', results.gateway);
  return sayRatios('gateway CPU to floor', results.gateway, results.floor);
}

/**
 * Brings the database into the state of a server that has run for a while: write-ahead files are reused instead of
 * created.
 */
async function settleDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CHECKPOINT');
  await client.end();
  await pause(1000);
}

async function addedLatency(
  floor: Contender,
  gateway: Contender,
  databaseUrl: string,
): Promise<{ p50: number; p99: number }> {
  const perSecond = 500;
  const disk = await flushTimes();
  const added: Array<{ p50: number; p99: number }> = [];
  for (let round = 0; round < rounds; round++) {
    const timings = [];
    for (const contender of [floor, gateway]) {
      const load = new Load(contender, 256);
      await load.steady('json', perSecond, 2);
      await settleDatabase(databaseUrl);
      timings.push(await load.steady('json', perSecond, steadySeconds));
      await load.close();
    }
    const [base, ours] = timings;
    if (!base || !ours || ours.failures > 0) throw new Error('calls failed');
    added.push({
      p50: quantile(ours.latencies, 0.5) - quantile(base.latencies, 0.5),
      p99: quantile(ours.latencies, 0.99) - quantile(base.latencies, 0.99),
    });
  }
  say(`\nA flush of the disk, on its own: p50 ${disk.p50.toFixed(2)} ms   p99 ${disk.p99.toFixed(2)} ms`);
  say(`Added latency at ${perSecond} JSON calls a second, median of ${rounds} rounds of ${steadySeconds} s`);
  const p50 = median(added.map((row) => row.p50));
  const p99 = median(added.map((row) => row.p99));
  say(`p50 +${p50.toFixed(2)} ms   p99 +${p99.toFixed(2)} ms`);
  return { p50, p99 };
}

async function main(): Promise<void> {
  await withServices(
    streamEvents,
    async ({ postgres, redis, upstream, stops }) => {
      say(
        `machine: ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`,
      );
      say(`database: ${postgres.description}; Redis: ${redis?.description ?? 'none, in process'}`);
      const databaseUrl = await freshDatabase(postgres.url);
      const postmaster = await findPostmaster(databaseUrl);

      const floorProcess = await startFloor(upstream.url);
      stops.push(() => floorProcess.stop());
      mkdirSync(output, { recursive: true });
      const gatewayProcess = await startGateway({
        databaseUrl,
        redisUrl: redis?.url ?? null,
        ...(profileFolder ? { profileFolder } : {}),
      });
      stops.push(() => gatewayProcess.stop());
      const key = await setUp(gatewayProcess.url, upstream.url, streams);
      const floor = { name: 'floor', key: 'none', ...floorProcess };
      const gateway = { name: 'gateway', key, ...gatewayProcess };

      /** Each part by name, in the order of execution. */
      const measure: Readonly<Record<string, () => Promise<Figures>>> = {
        json: async () => ({ 'CPU of a JSON call to the floor': await compare('json', floor, gateway, postmaster) }),
        stream: async () => ({ 'CPU of a stream to the floor': await compare('stream', floor, gateway, postmaster) }),
        translated: async () => {
          await compareTranslated(gateway, size, streamEvents, postmaster);
          return {};
        },
        latency: async () => {
          const { p50, p99 } = await addedLatency(floor, gateway, databaseUrl);
          return { 'added latency, p50': p50, 'added latency, p99': p99 };
        },
        memory: async () => {
          const bytes = await openStreams([floor, gateway], { streams, minutes, snapshotFolder });
          return { 'memory of an open stream': (bytes['gateway'] ?? Number.NaN) / 1000 };
        },
        start: async () => {
          const { first, again } = await startSeconds();
          return { 'first start of the built server': first, 'further starts of the built server': again };
        },
      };
      const figures: Figures = {};
      for (const [part, take] of Object.entries(measure).filter(([part]) => wanted(part))) {
        let taken = await take();
        // Other load on the machine can only make a measurement worse, so the best of five counts.
        for (let again = 0; withLimits && again < 4 && missed(taken).length > 0; again++) {
          say(`\n${part}: above its limit, measured again`);
          taken = best(taken, await take());
        }
        Object.assign(figures, taken);
      }
      if (withLimits) {
        sayVerdict(figures);
        if (missed(figures).length > 0) process.exitCode = 1;
      }
    },
    slowStreams(minutes),
  );
  if (profileFolder) say(`CPU profile of the gateway: ${profileFolder}`);
  if (snapshotFolder) say(`heap snapshots: ${snapshotFolder}`);
}

await main();

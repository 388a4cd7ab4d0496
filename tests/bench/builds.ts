import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { built } from './built.js';
import { freshDatabase } from './fresh-database.js';
import { setUp, startFloor, startGateway } from './gateway.js';
import type { Kind } from './load.js';
import { findPostmaster } from './process-usage.js';
import { oneRound, say, sayHead, sayRatios, sayRounds, type Contender, type Round } from './rounds.js';
import { withServices } from './services.js';

/**
 * `npm run bench -- builds <commit> <commit> … [--rounds 5] [--warm 2] [--calls 4000] [--nodes program,…] [--profile]`: installs and builds each
 * commit in a temporary folder, which later runs reuse, and sends the same calls to the bare proxy and to each build, alternately.
 * The first `warm` rounds do not count: V8 compiles the code of a call in the background during the first 20,000 calls.
 * Compare builds with each other in one run: ratios to the proxy differ between machines. `--nodes` starts all of them by further
 * versions of Node, too. `--profile` writes a CPU profile of each build.
 */
const words = process.argv.slice(2);
const flag = (name: string, fallback: number): number => {
  const at = words.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(words[at + 1]);
};
const firstFlag = words.findIndex((word) => word.startsWith('--'));
const commits = firstFlag === -1 ? words : words.slice(0, firstFlag);
const profileFolder = words.includes('--profile') ? join(import.meta.dirname, '../.output/profile') : undefined;
const furtherNodes = words.includes('--nodes') ? String(words[words.indexOf('--nodes') + 1]).split(',') : [];
const warmUps = flag('warm', 2);
const size = { width: 64, calls: flag('calls', 4000), rounds: flag('rounds', 5) };

type Shape = Kind & ('json' | 'stream');

interface Row {
  readonly contender: Contender;
  readonly postmaster: number | null;
  readonly rounds: Record<Shape, Round[]>;
}

/** The rows of one version of Node: the bare proxy, and the builds. */
interface Rows {
  readonly floor: Row;
  readonly builds: readonly Row[];
}

const newRow = (contender: Contender, postmaster: number | null = null): Row => ({
  contender,
  postmaster,
  rounds: { json: [], stream: [] },
});

async function main(): Promise<void> {
  if (commits.length === 0) throw new Error('Name the commits: npm run bench -- builds <commit> <commit>');
  const folders: Array<readonly [string, string]> = [];
  for (const commit of commits) folders.push([commit, await built(commit)]);
  await withServices(53, async ({ postgres, redis, upstream, stops }) => {
    say(
      `machine: ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`,
    );
    let databases = 0;
    const startAll = async (node: string): Promise<Rows> => {
      const suffix =
        furtherNodes.length === 0 ? '' : `, ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`;
      const floor = await startFloor(upstream.url, node);
      stops.push(() => floor.stop());
      const builds: Row[] = [];
      for (const [commit, folder] of folders) {
        const name = `${commit}${suffix}`;
        const databaseUrl = await freshDatabase(postgres.url);
        // Builds share neither the database nor the keys in Redis.
        const gateway = await startGateway({
          node,
          databaseUrl,
          redisUrl: redis ? `${redis.url}/${++databases}` : null,
          folder,
          ...(profileFolder ? { profileFolder: join(profileFolder, name) } : {}),
        });
        stops.push(() => gateway.stop());
        const key = await setUp(gateway.url, upstream.url);
        builds.push(newRow({ ...gateway, name, key }, await findPostmaster(databaseUrl)));
      }
      return { floor: newRow({ ...floor, name: `floor${suffix}`, key: 'none' }), builds };
    };
    const all: Rows[] = [];
    for (const node of [process.execPath, ...furtherNodes]) all.push(await startAll(node));
    for (const shape of ['json', 'stream'] as const) {
      await measure(
        shape,
        all.flatMap(({ floor, builds }) => [floor, ...builds]),
      );
      show(shape, all);
    }
  });
}

async function measure(shape: Shape, rows: readonly Row[]): Promise<void> {
  for (let round = -warmUps; round < size.rounds; round++) {
    // Every second round is reversed: what one build leaves for the database to do must not always cost the next one.
    for (const { contender, postmaster, rounds } of round % 2 === 0 ? rows : rows.toReversed()) {
      const measured = await oneRound(contender, shape, size, postmaster);
      if (round >= 0) rounds[shape].push(measured);
    }
  }
}

function show(shape: Shape, all: readonly Rows[]): void {
  sayHead(shape === 'json' ? 'JSON calls' : 'Streams of 53 events', size);
  for (const { floor, builds } of all)
    for (const { contender, rounds } of [floor, ...builds]) sayRounds(contender.name, rounds[shape]);
  for (const { floor, builds } of all)
    for (const { contender, rounds } of builds)
      sayRatios(`CPU of ${contender.name} to the floor`, rounds[shape], floor.rounds[shape]);
  const [first, ...others] = all.flatMap(({ builds }) => builds);
  for (const { contender, rounds } of others)
    sayRatios(`CPU of ${contender.name} to ${first?.contender.name}`, rounds[shape], first?.rounds[shape] ?? []);
}

await main();

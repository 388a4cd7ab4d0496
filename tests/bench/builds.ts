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
 * `npm run bench -- builds <commit> <commit> … [--rounds 5] [--calls 4000] [--profile]`: installs and builds each commit in a temporary
 * folder, which later runs reuse, and sends the same calls to the bare proxy and to each build, alternately. Compare builds
 * with each other in one run: ratios to the proxy differ between machines. `--profile` writes a CPU profile of each build.
 */
const words = process.argv.slice(2);
const flag = (name: string, fallback: number): number => {
  const at = words.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(words[at + 1]);
};
const firstFlag = words.findIndex((word) => word.startsWith('--'));
const commits = firstFlag === -1 ? words : words.slice(0, firstFlag);
const profileFolder = words.includes('--profile') ? join(import.meta.dirname, '../.output/profile') : undefined;
const size = { width: 64, calls: flag('calls', 4000), rounds: flag('rounds', 5) };

interface Row {
  readonly contender: Contender;
  readonly postmaster: number | null;
  readonly rounds: Record<'json' | 'stream', Round[]>;
}

async function main(): Promise<void> {
  if (commits.length === 0) throw new Error('Name the commits: npm run bench -- builds <commit> <commit>');
  const folders: Array<readonly [string, string]> = [];
  for (const commit of commits) folders.push([commit, await built(commit)]);
  await withServices(53, async ({ postgres, redis, upstream, stops }) => {
    say(
      `machine: ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`,
    );
    const floor = await startFloor(upstream.url);
    stops.push(() => floor.stop());
    const rows: Row[] = [
      { contender: { ...floor, name: 'floor', key: 'none' }, postmaster: null, rounds: { json: [], stream: [] } },
    ];
    for (const [name, folder] of folders) {
      const databaseUrl = await freshDatabase(postgres.url);
      // Builds share neither the database nor the keys in Redis.
      const gateway = await startGateway({
        databaseUrl,
        redisUrl: redis ? `${redis.url}/${rows.length}` : null,
        folder,
        ...(profileFolder ? { profileFolder: join(profileFolder, name) } : {}),
      });
      stops.push(() => gateway.stop());
      const key = await setUp(gateway.url, upstream.url);
      const postmaster = await findPostmaster(databaseUrl);
      rows.push({ contender: { ...gateway, name, key }, postmaster, rounds: { json: [], stream: [] } });
    }
    for (const kind of ['json', 'stream'] as const) {
      await measure(kind, rows);
      show(kind, rows);
    }
  });
}

async function measure(kind: Kind & keyof Row['rounds'], rows: readonly Row[]): Promise<void> {
  for (let round = 0; round < size.rounds; round++) {
    // Every second round is reversed: what one build leaves for the database to do must not always cost the next one.
    for (const { contender, postmaster, rounds } of round % 2 === 0 ? rows : rows.toReversed())
      rounds[kind].push(await oneRound(contender, kind, size, postmaster));
  }
}

function show(kind: keyof Row['rounds'], [floor, first, ...others]: readonly Row[]): void {
  if (!floor || !first) return;
  sayHead(kind === 'json' ? 'JSON calls' : 'Streams of 53 events', size);
  for (const { contender, rounds } of [floor, first, ...others]) sayRounds(contender.name, rounds[kind]);
  for (const { contender, rounds } of [first, ...others])
    sayRatios(`CPU of ${contender.name} to the floor`, rounds[kind], floor.rounds[kind]);
  for (const { contender, rounds } of others)
    sayRatios(`CPU of ${contender.name} to ${first.contender.name}`, rounds[kind], first.rounds[kind]);
}

await main();

import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { freshDatabase } from './fresh-database.js';
import { setUp, startFloor, startGateway } from './gateway.js';
import { median } from './load.js';
import { folderIn, peersOf, type RunningPeer } from './peer-programs.js';
import { oneRound, say, type Contender, type Round } from './rounds.js';
import { withServices } from './services.js';

/**
 * `npm run bench -- peers [--rounds 3] [--calls 3000] [--new-api PROGRAM] [--bifrost PROGRAM]`: installs Portkey (npm) and
 * LiteLLM (PyPI) in a temporary folder and sends the same JSON calls to each of them, to the bare proxy and to Tollgate in
 * turn, one server at a time on one core. A program whose path is given takes part too.
 */
const words = process.argv.slice(2);
const after = (name: string): string | undefined => {
  const at = words.indexOf(`--${name}`);
  return at === -1 ? undefined : words[at + 1];
};
const rounds = Number(after('rounds') ?? 3);
const calls = Number(after('calls') ?? 3000);
const width = 64;

interface Row {
  readonly contender: Contender;
  readonly note: string;
  readonly rounds: Round[];
}

async function measure(rows: readonly Row[]): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const row of rows) row.rounds.push(await oneRound(row.contender, 'json', { width, calls, rounds }, null));
  }
}

/** A table in Markdown. */
function show(rows: readonly Row[]): void {
  const [floor] = rows;
  say('');
  say('| Gateway | Calls/s | p50 | p99 | CPU per call | Relative to the proxy | Leaves out |');
  say('| --- | ---: | ---: | ---: | ---: | ---: | --- |');
  for (const { contender, note, rounds: all } of rows) {
    const middle = (key: keyof Round): number => median(all.map((round) => round[key]));
    const ratio = median(all.map(({ cpu }, index) => cpu / (floor?.rounds[index]?.cpu ?? Number.NaN)));
    const cells = [
      contender.name,
      middle('perSecond').toFixed(0),
      `${middle('p50').toFixed(1)} ms`,
      `${middle('p99').toFixed(1)} ms`,
      `${middle('cpu').toFixed(3)} ms`,
      ratio.toFixed(1),
      note,
    ];
    say(`| ${cells.join(' | ')} |`);
  }
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-peers-'));
  await withServices(1, async ({ postgres, redis, upstream, stops }) => {
    stops.push(() => rm(folder, { recursive: true, force: true }));
    say(`machine: ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB`);
    say(`${width} clients, median of ${rounds} rounds of ${calls} JSON calls, Node ${process.version}`);

    const floor = await startFloor(upstream.url);
    stops.push(() => floor.stop());
    const gateway = await startGateway({
      databaseUrl: await freshDatabase(postgres.url),
      redisUrl: redis?.url ?? null,
    });
    stops.push(() => gateway.stop());
    const key = await setUp(gateway.url, upstream.url);
    const rows: Row[] = [
      { contender: { name: 'Bare proxy', key: 'none', ...floor }, note: 'everything: it only forwards', rounds: [] },
      {
        contender: { name: 'Tollgate', key, ...gateway },
        note: 'nothing: keys, limits, prices, reservation, charge and log of every call in Postgres',
        rounds: [],
      },
    ];
    const programs = Object.fromEntries(
      ['new-api', 'bifrost'].flatMap((name) => {
        const program = after(name);
        return program === undefined ? [] : [[name, program] as const];
      }),
    );
    for (const peer of peersOf(programs)) {
      say(`installing and starting ${peer.name}`);
      const running: RunningPeer = await peer.start(await folderIn(folder, peer.name), upstream.url);
      stops.push(() => running.stop());
      rows.push({ contender: { ...running, name: peer.name }, note: peer.leavesOut, rounds: [] });
    }
    await measure(rows);
    show(rows);
  });
}

await main();

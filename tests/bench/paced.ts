import { Pool } from 'undici';
import { bodies, claudeCode, claudeTurn, grown } from './agent-bodies.js';
import { freshDatabase } from './fresh-database.js';
import { restOf, type Running, setUp, startFloor, startGateway } from './gateway.js';
import { models, quantile } from './load.js';
import { cpuOf, memoryOf } from './process-usage.js';
import { pause, say } from './rounds.js';
import { withServices } from './services.js';

/**
 * `npm run bench -- paced [--streams 1000] [--kilobytes 800] [--events 60] [--gap 500] [--warm 10] [--seconds 60] [--bodies 512]`:
 * streams of coding agents that are open at once, each with a body of its own conversation and an event every `gap` milliseconds,
 * beside the bare proxy. They begin evenly spread, and each is followed by the next one of its conversation. The first ones do not count,
 * nor those of the `warm` seconds after them. They belong to two users, because one user may have half of the bodies. Prints the
 * time to the first byte, the longest turn of the event loop and the memory. `bodies` is `REQUEST_BODIES_MB`.
 */
const words = process.argv.slice(2);
const flag = (name: string, fallback: number): number => {
  const at = words.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(words[at + 1]);
};
const streams = flag('streams', 1000);
const kilobytes = flag('kilobytes', 800);
const slow = { eventCount: flag('events', 60), gapMilliseconds: flag('gap', 500) };
const warm = flag('warm', 10);
const seconds = flag('seconds', 60);

const path = '/v1/messages?beta=true';
const { bodyOf } = bodies(
  {
    ...grown(claudeCode, 'messages', kilobytes * 1000, claudeTurn),
    model: models.anthropic,
    stream: true,
    // The scripted provider sends slowly then.
    metadata: { user: 'slow' },
  },
  streams,
);

interface Server extends Running {
  readonly name: string;
  /** The keys of the users, in turn. */
  readonly keys: readonly string[];
}

/** Makes another user with a key. */
async function keyOfAnotherUser(url: string): Promise<string> {
  const credentials = { username: 'other', password: 'benchmark-password' };
  const admin = restOf(url);
  await admin.signIn({ username: 'root', password: credentials.password });
  await admin.rest('POST', '/api/user/', { ...credentials, display_name: 'Other' });
  const { rest, signIn } = restOf(url);
  const id = await signIn(credentials);
  const self = (await rest('GET', '/api/user/self')) as object;
  await admin.rest('PUT', '/api/user/', { ...self, id, password: '', quota: 8_000_000_000_000 });
  const token = { name: 'bench', unlimited_quota: true, expired_time: -1, group: 'default' };
  const { key } = (await rest('POST', '/api/token/', token)) as { key: string };
  return `sk-${key.replace(/^sk-/, '')}`;
}

async function measure(server: Server): Promise<void> {
  const pool = new Pool(server.url, {
    connections: streams,
    pipelining: 1,
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
  });
  const duration = slow.eventCount * slow.gapMilliseconds;
  const begin = performance.now();
  // All streams are open by then, and all conversations are known.
  const from = begin + duration + warm * 1000;
  const end = from + seconds * 1000;
  const firstBytes: number[] = [];
  let failures = 0;
  let calls = 0;
  const call = async (index: number): Promise<void> => {
    const body = bodyOf(calls++, index);
    const authorization = `Bearer ${server.keys[index % server.keys.length]}`;
    const headers = { 'content-type': 'application/json', authorization };
    const started = performance.now();
    const answer = await pool.request({ method: 'POST', path, headers, body });
    let last: Buffer | undefined;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      if (!last && started > from) firstBytes.push(performance.now() - started);
      last = chunk;
    }
    if (answer.statusCode === 200 && last?.includes('message_stop')) return;
    if (failures++ === 0) say(`${answer.statusCode}: ${last?.toString()}`);
  };
  const client = async (index: number): Promise<void> => {
    await pause((index * duration) / streams);
    while (performance.now() < end) await call(index).catch(() => failures++);
  };
  const clients = Array.from({ length: streams }, (_, index) => client(index));
  await pause(duration + warm * 1000);
  await server.longestTurn();
  const [cpuBefore, callsBefore] = [cpuOf(server.pid), calls];
  let memory = 0;
  const turns: number[] = [];
  while (performance.now() < end) {
    await pause(1000);
    memory = Math.max(memory, memoryOf(server.pid));
    turns.push(await server.longestTurn());
  }
  const cpu = (cpuOf(server.pid) - cpuBefore) / (calls - callsBefore);
  await Promise.all(clients);
  await pool.destroy();
  for (const list of [firstBytes, turns]) list.sort((one, other) => one - other);
  const at = (list: readonly number[], share: number): string => quantile(list, share).toFixed(0);
  say(
    `${server.name.padEnd(9)} first byte p50 ${at(firstBytes, 0.5)} ms, p99 ${at(firstBytes, 0.99)} ms of ${firstBytes.length} streams; ` +
      `${failures} failed; CPU per stream ${cpu.toFixed(2)} ms; ` +
      `longest turn of a second: median ${at(turns, 0.5)} ms, most ${at(turns, 1)} ms; memory ${(memory / 2 ** 20).toFixed(0)} MiB`,
  );
}

await withServices(
  53,
  async ({ postgres, redis, upstream, stops }) => {
    say(
      `${streams} open streams of ${slow.eventCount} events, one in ${slow.gapMilliseconds} ms, bodies of ${kilobytes} KB, ` +
        `${seconds} s; Node ${process.version}`,
    );
    const floor = await startFloor(upstream.url);
    stops.push(() => floor.stop());
    await measure({ ...floor, name: 'floor', keys: ['none'] });
    const gateway = await startGateway({
      databaseUrl: await freshDatabase(postgres.url),
      redisUrl: redis?.url ?? null,
      // The heap that Node would take in a container of 2 GiB.
      environment: { REQUEST_BODIES_MB: String(flag('bodies', 512)), NODE_OPTIONS: '--max-old-space-size=1024' },
    });
    stops.push(() => gateway.stop());
    const keys = [await setUp(gateway.url, upstream.url, 2 * streams), await keyOfAnotherUser(gateway.url)];
    await measure({ ...gateway, name: 'tollgate', keys });
  },
  slow,
);

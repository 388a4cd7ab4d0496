import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { getIntrospectionQuery } from 'graphql';
import { Aggregator } from '../../server/src/billing/rollups/aggregator.js';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import { migrate } from '../../server/src/platform/db/migrate.js';
import { createLogger } from '../../server/src/platform/observability/logger.js';
import { freshDatabase } from './fresh-database.js';
import { setUp, startGateway } from './gateway.js';
import { Load, median, quantile } from './load.js';
import { pause, say } from './rounds.js';
import { withServices } from './services.js';

/**
 * `npm run bench -- graphql [--rounds 5] [--seconds 10] [--only NAME]`: measures how much one common user slows the calls of others. The
 * user sends one of the worst documents that the limits permit, again and again over four connections. The server has its
 * usual limits and 250,000 logged calls. Quiet and busy times alternate. Fails when a document makes the p50 of a relay call
 * a third longer.
 */
const words = process.argv.slice(2);
const flag = (name: string, fallback: number): number => {
  const at = words.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(words[at + 1]);
};
const rounds = flag('rounds', 5);
const seconds = flag('seconds', 10);
const connections = 4;
const callsPerSecond = 100;
const goal = 4 / 3;
/** Only documents with this in their name are sent. */
const only = words.includes('--only') ? String(words[words.indexOf('--only') + 1]) : '';
const encryptionKey = 'benchmark-encryption-key';
const password = 'benchmark-password';

const patterns = Array.from({ length: 20 }, (_, index) => `*${index}*a*e*o*`);
const names = Array.from({ length: 180 }, (_, index) => `model-${index}`);
const byHour = (index: number): string =>
  `u${index}: myUsage(bucket: HOUR, groupBy: [MODEL]) { items { metrics { calls } } }`;
const byDuration = (index: number): string =>
  `d${index}: myLogs(filter: { at: $at, durationMs: { atLeast: ${2_000_000_000 + index} } }, pageSize: 1) { totalCount }`;
const byQuota = (index: number): string =>
  `q${index}: myLogs(filter: { quota: { atLeast: ${9_000_000_000 + index} } }, pageSize: 1) { items { id } totalCount }`;
/** Bodies of requests. */
const documents: Readonly<Record<string, object>> = {
  introspection: { query: getIntrospectionQuery() },
  'patterns over all logs': {
    query: 'query ($models: [String!]) { myLogs(filter: { models: $models }) { totalCount } }',
    variables: { models: [...patterns, ...names] },
  },
  '15 charts by hour': { query: `{ ${Array.from({ length: 15 }, (_, index) => byHour(index)).join(' ')} }` },
  'own calls by duration': {
    query: `query ($at: TimeRange!) { ${Array.from({ length: 15 }, (_, index) => byDuration(index)).join(' ')} }`,
    variables: { at: { from: new Date(Date.now() - 30 * 86_400_000), until: new Date() } },
  },
  'own calls by quota': { query: `{ ${Array.from({ length: 15 }, (_, index) => byQuota(index)).join(' ')} }` },
  'a megabyte that is refused': { query: `{ ${'a '.repeat(500_000)}}` },
};

/**
 * Sends the body on each connection until it is stopped. Starting the thread takes time of the load, so it is ready before.
 * @returns a function that stops it, and returns the responses by status
 */
async function attack(url: string, token: string, body: string): Promise<() => Promise<ReadonlyMap<string, number>>> {
  const workerData = { url, token, body, connections };
  const worker = new Worker(join(import.meta.dirname, 'graphql-attacker.mjs'), { workerData });
  await once(worker, 'message');
  worker.postMessage('start');
  return async () => {
    worker.postMessage('stop');
    const [counts] = (await once(worker, 'message')) as [ReadonlyMap<string, number>];
    return counts;
  };
}

/** Signs in as the user with the most calls, who gets root's password for this. @returns an access token of the user */
async function tokenOfBusiest(url: string, database: ReturnType<typeof createDataSource>): Promise<string> {
  const [[user]] = await database.query<[Array<{ username: string }>, number]>(
    `UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE username = 'root')
      WHERE id = (SELECT user_id FROM logs GROUP BY user_id ORDER BY count(*) DESC LIMIT 1) RETURNING username`,
  );
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ username: user?.username, password });
  const signedIn = await fetch(`${url}/api/user/login`, { method: 'POST', headers, body });
  const { data } = (await signedIn.json()) as { data: { id: number } };
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const given = await fetch(`${url}/api/user/token`, { headers: { cookie, 'new-api-user': String(data.id) } });
  return ((await given.json()) as { data: string }).data;
}

async function main(): Promise<void> {
  await withServices(1, async ({ postgres, redis, upstream, stops }) => {
    const databaseUrl = await freshDatabase(postgres.url);
    const database = createDataSource(databaseUrl, 2, entities);
    await database.initialize();
    stops.push(() => database.destroy());
    await migrate(database, databaseUrl, createLogger('silent'));
    const seeded = spawnSync(
      process.execPath,
      [join(import.meta.dirname, '../../scripts/seed.mjs'), '--logs', '250000', '--days', '90', '--users', '50'],
      { env: { ...process.env, DATABASE_URL: databaseUrl, ENCRYPTION_KEY: encryptionKey }, stdio: 'ignore' },
    );
    if (seeded.status !== 0) throw new Error('seeding failed');
    // The server would aggregate the rows meanwhile.
    await new Aggregator(database, 60_000).run();
    await database.query('VACUUM ANALYZE');
    const gateway = await startGateway({
      databaseUrl,
      redisUrl: redis?.url ?? null,
      environment: { GLOBAL_API_RATE_LIMIT_ENABLE: 'true', GRAPHQL_COST_PER_MINUTE: '100000' },
    });
    stops.push(() => gateway.stop());
    const key = await setUp(gateway.url, upstream.url);
    const token = await tokenOfBusiest(gateway.url, database);
    const load = new Load({ name: 'relay', url: gateway.url, key }, 64);
    stops.push(() => load.close());
    await load.full('json', 16, 2000);
    const p50 = async (): Promise<number> =>
      quantile((await load.steady('json', callsPerSecond, seconds)).latencies, 0.5);
    say(`p50 of ${callsPerSecond} JSON calls a second, median of ${rounds} times of ${seconds} s`);
    say('document                        quiet      busy       ratio   answers to the attacker');
    for (const [name, document] of Object.entries(documents)) {
      if (!name.includes(only)) continue;
      const body = JSON.stringify(document);
      const quiet: number[] = [];
      const busy: number[] = [];
      const answers = new Map<string, number>();
      // Each document has the whole budget of a minute.
      await pause(60_000 - (Date.now() % 60_000));
      for (let round = 0; round < rounds; round++) {
        quiet.push(await p50());
        const stop = await attack(gateway.url, token, body);
        busy.push(await p50());
        for (const [answer, count] of await stop()) answers.set(answer, (answers.get(answer) ?? 0) + count);
        await pause(1000);
      }
      const ratio = median(busy) / median(quiet);
      if (!(ratio < goal)) process.exitCode = 1;
      const cells = [
        name.padEnd(32),
        `${median(quiet).toFixed(2)} ms`.padEnd(11),
        `${median(busy).toFixed(2)} ms`.padEnd(11),
      ];
      say(
        `${cells.join('')}${ratio.toFixed(2).padEnd(8)}${[...answers].map(([answer, count]) => `${answer}: ${count}`).join(', ')}`,
      );
    }
  });
}

await main();

import pg from 'pg';
import { Auditor, openSite } from '../faults/traffic.js';
import { hostileHead, hostileShapes } from '../support/hostile-bodies.js';
import { findPostgres } from '../support/services/postgres.js';
import { spawnServer } from '../support/server.js';
import { startFastUpstream } from '../support/upstream/fast.js';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { parseAhead } from '../../server/src/dialects/wire/forms/json-body.js';
import { median, quantile } from './load.js';
import { slowStreams } from './memory.js';
import { memoryOf } from './process-usage.js';
import { say } from './rounds.js';

/**
 * `npm run bench -- hostile [--mb 63]`: sends 20 hostile bodies in parallel to a server with a heap of 512 MB. The bodies
 * have every shape, plain and gzip, and come from a user without balance and from one with a balance. Meanwhile another user
 * makes ordinary calls. Prints the times of these calls, and how late timers of the server fired.
 * `tests/security/large-bodies.test.ts` tests what does not depend on the machine.
 */
const at = process.argv.indexOf('--mb');
const bytes = (at === -1 ? 63 : Number(process.argv[at + 1])) * 1024 * 1024;
const parallel = 20;

/** Statuses of the hostile calls. */
function attack(key: string, body: Buffer, packing: string): Promise<number[]> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(packing === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
  };
  const shared = new Uint8Array(new SharedArrayBuffer(body.length));
  shared.set(body);
  const workerData = { url: `${server.url}/v1/chat/completions`, headers, body: shared, parallel };
  const worker = new Worker(join(import.meta.dirname, 'hostile-client.mjs'), { workerData });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** One ordinary call. @returns its status */
async function callOnce(key: string): Promise<number> {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: `${hostileHead}}`,
  });
  await response.arrayBuffer();
  return response.status;
}

/**
 * Returns the CPU milliseconds of the longest iteration of the event loop while a body is parsed. Other load does not count.
 */
async function longestTurn(body: Buffer): Promise<number> {
  let longest = 0;
  let done = false;
  let since = process.cpuUsage();
  const turn = (): void => {
    const { user, system } = process.cpuUsage(since);
    longest = Math.max(longest, (user + system) / 1000);
    since = process.cpuUsage();
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  await parseAhead(body).catch(() => undefined);
  done = true;
  await delay(10);
  return longest;
}

/** Returns the seconds by which the latest timer of the server was late since the previous call of this function. */
async function longestPause(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]);
}

const postgres = await findPostgres({ durable: false });
const admin = new pg.Client({ connectionString: postgres.url });
await admin.connect();
const name = `hostile_${Date.now()}`;
await admin.query(`CREATE DATABASE ${name}`);
const address = new URL(postgres.url);
address.pathname = `/${name}`;
const database = { url: address.toString(), drop: () => Promise.resolve() };
const upstream = await startFastUpstream({ eventCount: 3, slow: slowStreams(0) });
const server = await spawnServer({ database, environment: { NODE_OPTIONS: '--max-old-space-size=512' } });
const auditor = new Auditor(database);
try {
  const { keys } = await openSite(server.api, upstream.url, [
    { username: 'broke', quota: 0 },
    { username: 'payer', quota: 500_000_000 },
    { username: 'bystander', quota: 500_000_000 },
  ]);
  say(`Longest turn of the event loop while a body of ${bytes / 2 ** 20} MB is parsed, CPU time`);
  for (const [shape, make] of Object.entries(hostileShapes)) {
    const body = Buffer.from(make(bytes));
    const turns = [await longestTurn(Buffer.from(body)), await longestTurn(Buffer.from(body)), await longestTurn(body)];
    say(`${shape.padEnd(17)}${median(turns).toFixed(0)} ms`);
  }
  say(`\n${parallel} bodies of ${bytes / 2 ** 20} MB at once, and another user's calls meanwhile`);
  const all: number[] = [];
  say('shape            packing  caller   calls  p50     p99     max     longest pause  memory   answered with');
  for (const [shape, make] of Object.entries(hostileShapes)) {
    const text = Buffer.from(make(bytes));
    for (const packing of ['plain', 'gzip']) {
      const body = packing === 'gzip' ? gzipSync(text, { level: 1 }) : text;
      for (const [index, who] of ['broke', 'payer'].entries()) {
        const times: number[] = [];
        const failures: number[] = [];
        let running = true;
        const others = (async () => {
          while (running) {
            const begun = performance.now();
            const status = await callOnce(keys[2] ?? '');
            if (status !== 200) failures.push(status);
            times.push(performance.now() - begun);
            await delay(10);
          }
        })();
        await longestPause(server.url);
        const statuses = await attack(keys[index] ?? '', body, packing);
        running = false;
        await others;
        if (server.process.exitCode !== null) throw new Error('the server has ended');
        if (failures.length > 0) say(`the other user got ${failures.join(', ')}`);
        all.push(...times);
        times.sort((one, other) => one - other);
        const pause = (await longestPause(server.url)) * 1000;
        const memory = memoryOf(server.process.pid ?? 0) / 2 ** 20;
        const milliseconds = [0.5, 0.99, 1].map((share) => `${quantile(times, share).toFixed(0)} ms`.padEnd(8));
        say(
          `${shape.padEnd(17)}${packing.padEnd(9)}${who.padEnd(9)}${String(times.length).padEnd(7)}${milliseconds.join('')}` +
            `${`${pause.toFixed(0)} ms`.padEnd(15)}${`${memory.toFixed(0)} MB`.padEnd(9)}${[...new Set(statuses)].sort().join(' ')}`,
        );
      }
    }
  }
  all.sort((one, other) => one - other);
  say(
    `\nThe other user: ${all.length} calls, p50 ${quantile(all, 0.5).toFixed(0)} ms, p99 ${quantile(all, 0.99).toFixed(0)} ms`,
  );
  const drifts = await auditor.drifts();
  say(drifts.length === 0 ? 'The ledger is consistent.' : `The ledger is not consistent: ${JSON.stringify(drifts)}`);
  if (drifts.length > 0) process.exitCode = 1;
} finally {
  await auditor.close();
  await server.stop();
  await upstream.stop();
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
  await postgres.stop();
}

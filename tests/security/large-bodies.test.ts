/** Users send bodies that are small on the wire and huge in memory. The server has a heap of 512 MB. */
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Auditor, openSite } from '../faults/traffic.js';
import { hostileHead, hostileShapes } from '../support/hostile-bodies.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { chat } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { sampled } from '../support/suite.js';

const megabyte = 1024 * 1024;
const full = 63 * megabyte;
let upstream: Upstream;
let server: SpawnedServer;
let auditor: Auditor;
let keys: string[];
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.script({ model: 'gpt-4o' }, chat({ text: 'hello', usage: { prompt_tokens: 10, completion_tokens: 10 } }));
  server = await spawnServer({ environment: { NODE_OPTIONS: '--max-old-space-size=512' } });
  auditor = new Auditor(server.database);
  const users = [
    { username: 'broke', quota: 0 },
    { username: 'payer', quota: 5_000_000 },
    { username: 'bystander', quota: 5_000_000 },
  ];
  ({ keys } = await openSite(server.api, upstream.url, users));
});
afterAll(async () => {
  await auditor.close();
  await server.stop();
  await upstream.stop();
});

function post(key: string, body: Buffer, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const call = request(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    });
    // A refused upload may end with a reset before its response was read.
    call.on('error', () => resolve(0));
    call.on('response', (response) => {
      response.resume();
      response.on('close', () => resolve(response.statusCode ?? 0));
    });
    call.end(body);
  });
}

const small = Buffer.from(`${hostileHead}}`);
/** Ordinary calls of another user until stopped. `npm run bench -- hostile` measures them. */
function bystander(): { stop(): Promise<Set<number>> } {
  let running = true;
  const statuses = new Set<number>();
  const loop = (async () => {
    while (running) {
      statuses.add(await post(keys[2] ?? '', small, {}));
      await delay(20);
    }
  })();
  return {
    stop: async () => {
      running = false;
      await loop;
      return statuses;
    },
  };
}

const attacks = Object.keys(hostileShapes).flatMap((shape) =>
  (['gzip', 'plain'] as const).flatMap((packing) =>
    (['broke', 'payer'] as const).map((who) => [shape, packing, who] as const),
  ),
);

it.each(sampled(attacks, 12))(
  '20 bodies at once, %s, %s, from a user who is a %s: the server lives, others are served, nothing is lost',
  async (shape, packing, who) => {
    const text = Buffer.from(hostileShapes[shape]!(packing === 'gzip' ? full : 8 * megabyte));
    const body = packing === 'gzip' ? gzipSync(text, { level: 1 }) : text;
    const headers = { ...(packing === 'gzip' ? { 'content-encoding': 'gzip' } : { 'transfer-encoding': 'chunked' }) };
    const others = bystander();
    const key = keys[who === 'broke' ? 0 : 1] ?? '';
    const results = await Promise.all(Array.from({ length: 20 }, () => post(key, body, headers)));
    const statuses = await others.stop();
    expect(server.process.exitCode).toBeNull();
    expect([...statuses]).toEqual([200]);
    if (who === 'broke') expect(results).not.toContain(200);
    // Each call is refused with an ordinary error, or is served and charged.
    expect(results.filter((status) => ![0, 200, 400, 403, 413, 429, 503].includes(status))).toEqual([]);
  },
);

it('the ledger reconciles after all of it', async () => {
  expect(await auditor.drifts()).toEqual([]);
});

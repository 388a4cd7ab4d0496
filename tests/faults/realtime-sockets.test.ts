import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { startRealtimeUpstream, type RealtimeUpstream } from '../support/upstream/realtime.js';
import { Auditor, openSite, until } from './traffic.js';

const sockets = 500;
const waves = 8;
const turnQuota = 7100;
const initial = 1_000_000_000;
const model = 'gpt-4o-realtime-preview';

let upstream: RealtimeUpstream;
let database: TestDatabase;
let server: SpawnedServer;
let auditor: Auditor;
const clients: WebSocket[] = [];

beforeAll(async () => {
  upstream = await startRealtimeUpstream();
  database = await createTestDatabase();
  // A small heap is collected often, so that its size is close to the live memory.
  server = await spawnServer({ database, environment: { NODE_OPTIONS: '--max-old-space-size=192' } });
  auditor = new Auditor(database);
});
afterAll(async () => {
  for (const client of clients) client.terminate();
  await auditor.close();
  await server.stop();
  await upstream.stop();
  await database.drop();
});

const residentMegabytes = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1]) / 1024;

async function openClient(key: string, done: () => void): Promise<WebSocket> {
  const client = new WebSocket(`${server.url.replace('http', 'ws')}/v1/realtime?model=${model}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  clients.push(client);
  client.on('message', (data) => {
    if ((data as Buffer).includes('"response.done"')) done();
  });
  await new Promise<void>((resolve, reject) => client.once('open', resolve).once('error', reject));
  return client;
}

it(`${sockets} open sessions speak, memory stays flat, every turn is charged once`, async () => {
  const { root, keys } = await openSite(server.api, upstream.url, [{ username: 'speaker', quota: initial }]);
  await server.api.createChannel(root, { baseUrl: upstream.url, key: 'sk-up', models: [model] });
  let turns = 0;
  for (let batch = 0; batch < sockets / 50; batch++) {
    await Promise.all(Array.from({ length: 50 }, () => openClient(keys[0] ?? '', () => turns++)));
  }
  const sound = JSON.stringify({ type: 'input_audio_buffer.append', audio: 'A'.repeat(8_000) });
  const memory: number[] = [];
  for (let wave = 1; wave <= waves; wave++) {
    for (const client of clients) {
      client.send(sound);
      client.send('{"type":"response.create"}');
    }
    await until(() => turns === wave * sockets, 60, `wave ${wave} is answered`);
    memory.push(residentMegabytes());
  }
  // The first rounds warm up; afterwards a turn leaves no memory behind.
  expect((memory.at(-1) ?? 0) - (memory[2] ?? 0)).toBeLessThan(60);
  for (const client of clients) client.close();
  await until(async () => (await auditor.openReservations()) === 0, 40, 'what was held is given back');
  expect(await auditor.drifts()).toEqual([]);
  const { quota, used } = await auditor.quotaOf('speaker');
  expect([used, quota]).toEqual([turns * turnQuota, initial - turns * turnQuota]);
}, 240_000);

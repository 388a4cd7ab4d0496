import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { RealtimeClients } from '../support/realtime-client.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { startRealtimeUpstream, type RealtimeUpstream } from '../support/upstream/realtime.js';
import { quotaOf, SpeakingModel } from '../support/upstream/speaking-model.js';
import { Auditor, openSite, quickDeath, until } from './traffic.js';

/** Responses that are requested at two nodes at once, one of which is killed in the middle. */

const model = 'gpt-4o-realtime-preview';
/** The balance pays for five whole responses of 4,096 tokens, and a part of one. */
const balance = 2_300_000;
const create = { type: 'response.create', response: { conversation: 'none' } };

let upstream: RealtimeUpstream;
let database: TestDatabase;
let servers: SpawnedServer[];
let auditor: Auditor;
let key: string;
let clients: RealtimeClients[];
let speaker: SpeakingModel;

beforeEach(async () => {
  upstream = await startRealtimeUpstream();
  speaker = new SpeakingModel(upstream);
  database = await createTestDatabase();
  const first = await spawnServer({ database, environment: quickDeath });
  servers = [first];
  auditor = new Auditor(database);
  const { root, keys } = await openSite(first.api, upstream.url, [{ username: 'speaker', quota: balance }]);
  key = keys[0] ?? '';
  await first.api.createChannel(root, { baseUrl: upstream.url, key: 'sk-up', models: [model] });
  // Without Redis, a node learns the key and the channel when it starts.
  servers.push(await spawnServer({ database, environment: quickDeath }));
  clients = servers.map(({ url }) => new RealtimeClients(url, model));
});
afterEach(async () => {
  for (const each of clients) each.close();
  await auditor.close();
  for (const server of servers) await server.stop();
  await upstream.stop();
  await database.drop();
});

const openAtBoth = () => Promise.all(clients.flatMap((each) => [each.session(key), each.session(key)]));

it('two nodes never have more made than the balance pays for, and charge all of it', async () => {
  const all = await openAtBoth();
  for (const client of all) for (let count = 0; count < 5; count++) client.send(create);
  const ended = (): number =>
    all.reduce(
      (sum, { events }) => sum + events.filter(({ type }) => type === 'response.done' || type === 'error').length,
      0,
    );
  await until(() => Promise.resolve(ended() >= 20), 60, 'every response has ended');
  for (const client of all) client.socket.close();
  await until(async () => (await auditor.openReservations()) === 0, 60, 'nothing is held');
  const { quota, used } = await auditor.quotaOf('speaker');
  expect(quota).toBeGreaterThanOrEqual(0);
  expect(used).toBe(speaker.worth);
  expect(speaker.made.length).toBeGreaterThanOrEqual(5);
  expect(await auditor.drifts()).toEqual([]);
}, 240_000);

it('killed in the middle: what had ended is charged, the rest comes back, and nothing is below zero', async () => {
  speaker.speech = { tokens: 400, milliseconds: 100, bytes: 8 };
  const all = await openAtBoth();
  // Whole responses come first, followed by one that is cut.
  for (let count = 1; count <= 5; count++) {
    for (const client of all) {
      client.send({ type: 'response.create', response: { conversation: 'none', max_output_tokens: 400 } });
      await client.until('response.done', count);
    }
  }
  const whole = speaker.made.map(quotaOf).reduce((sum, each) => sum + each, 0);
  speaker.speech = { tokens: 400, milliseconds: 20_000, bytes: 8 };
  const [, , third] = all;
  third?.send({ type: 'response.create', response: { conversation: 'none', max_output_tokens: 400 } });
  await third?.until('response.created', 6);
  const { rows } = await auditor.pool.query<{ sum: string }>('SELECT sum(amount) FROM reservations');
  await servers[1]?.kill('SIGKILL');
  for (const client of all) client.socket.terminate();
  await until(async () => (await auditor.openReservations()) === 0, 120, 'what the dead held is given back');
  expect(await auditor.drifts()).toEqual([]);
  const { quota, used } = await auditor.quotaOf('speaker');
  expect(quota).toBeGreaterThanOrEqual(0);
  expect(used).toBe(whole);
  // The response that was cut is not charged: a loss of at most what was reserved.
  expect(speaker.worth - used).toBeLessThanOrEqual(Number(rows[0]?.sum));
  expect(used).toBeGreaterThanOrEqual(0.95 * speaker.worth);
}, 240_000);

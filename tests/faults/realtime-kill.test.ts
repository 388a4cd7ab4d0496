import { WebSocket } from 'ws';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freeze, untilAlone } from '../support/freeze.js';
import { RealtimeClients } from '../support/realtime-client.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { send, startRealtimeUpstream, turn, type RealtimeUpstream } from '../support/upstream/realtime.js';
import { Auditor, openSite, quickDeath, until } from './traffic.js';

/** Servers that end while sessions are open: by a signal they can handle, and by one they cannot. */

const initial = 1_000_000_000;
const model = 'gpt-4o-realtime-preview';
const whole = turn({ textIn: 120, textOut: 30, audioIn: 50, audioOut: 40 });
const wholeQuota = 7100;
/** Three words after a turn whose audio is read again: (150 + 90 * 20 + 3 * 4) * 2.5. */
const half: RealtimeUpstream['answer'] = ({ socket }) =>
  send(socket, { type: 'response.output_audio_transcript.delta', delta: 'one two three' });
const halfQuota = 4905;

let upstream: RealtimeUpstream;
let database: TestDatabase;
let server: SpawnedServer;
let auditor: Auditor;
let clients: RealtimeClients;
let key: string;

beforeEach(async () => {
  upstream = await startRealtimeUpstream();
  database = await createTestDatabase();
  server = await spawnServer({ database, environment: quickDeath });
  auditor = new Auditor(database);
  const { root, keys } = await openSite(server.api, upstream.url, [{ username: 'speaker', quota: initial }]);
  key = keys[0] ?? '';
  await server.api.createChannel(root, { baseUrl: upstream.url, key: 'sk-up', models: [model] });
  clients = new RealtimeClients(server.url, model);
});
afterEach(async () => {
  clients.close();
  await auditor.close();
  await server.stop();
  await upstream.stop();
  await database.drop();
});

/** Sessions that each completed one turn and are in the middle of another. */
async function openSessions(count: number) {
  const opened = await Promise.all(Array.from({ length: count }, () => clients.session(key)));
  upstream.answer = whole;
  for (const client of opened) client.send({ type: 'response.create' });
  for (const client of opened) await client.until('response.done');
  upstream.answer = half;
  for (const client of opened) client.send({ type: 'response.create' });
  for (const client of opened) await client.until('response.output_audio_transcript.delta', 2);
  return opened;
}

async function expectCharged(quota: number): Promise<void> {
  expect(await auditor.drifts()).toEqual([]);
  expect(await auditor.quotaOf('speaker')).toEqual({ quota: initial - quota, used: quota });
  const { rows } = await auditor.pool.query<{ sum: string }>('SELECT sum(quota) FROM logs WHERE type = 2');
  expect(Number(rows[0]?.sum)).toBe(quota);
}

/** Waits until every running response of the provider is written down. */
const untilWritten = (count: number): Promise<void> =>
  until(
    async () => {
      const { rows } = await auditor.pool.query('SELECT 1 FROM reservations WHERE due IS NOT NULL');
      return rows.length === count;
    },
    30,
    'what each turn has made is written',
  );

/** Kills the server, and waits until another one has settled what it held. */
async function kill(other: () => Promise<SpawnedServer>): Promise<void> {
  await server.kill('SIGKILL');
  await untilAlone(auditor.pool);
  expect(await auditor.drifts()).toEqual([]);
  server = await other();
  await until(async () => (await auditor.openReservations()) === 0, 120, 'what the dead held is settled');
}
const restart = (): Promise<SpawnedServer> => spawnServer({ database, environment: quickDeath });

it('killed in the middle of turns: what was made is paid, the rest comes back, every account agrees', async () => {
  await openSessions(10);
  // Only the reservations of ten sessions and their turns explain the difference between ledger and balance.
  await until(async () => (await auditor.openReservations()) === 20, 30, 'every session and its turn is reserved');
  await untilWritten(10);
  await kill(restart);
  await until(
    () => upstream.sessions.every(({ socket }) => socket.readyState === WebSocket.CLOSED),
    30,
    'providers hear',
  );
  await expectCharged(10 * (wholeQuota + halfQuota));
  // Both turns of a session have one row, with the totals of both.
  const { rows } = await auditor.pool.query<{ other: string }>('SELECT other FROM logs WHERE type = 2');
  expect(rows).toHaveLength(10);
  for (const { other } of rows) {
    expect(JSON.parse(other)).toMatchObject({
      turns: 2,
      text_input: 270,
      text_output: 33,
      audio_input: 140,
      audio_output: 40,
    });
  }
}, 240_000);

it('killed while ten responses arrive: another node charges at least 95 % of what the provider made', async () => {
  const other = await spawnServer({ database, environment: quickDeath });
  const opened = await Promise.all(Array.from({ length: 10 }, () => clients.session(key)));
  upstream.answer = ({ socket }) => {
    send(socket, { type: 'response.created', response: { id: 'r' } });
    const speaking = setInterval(() => {
      send(socket, { type: 'response.output_audio_transcript.delta', response_id: 'r', delta: ' one two three' });
    }, 50);
    socket.once('close', () => clearInterval(speaking));
  };
  const said = 'word '.repeat(1000);
  for (const client of opened) {
    client.send({ type: 'response.create', response: { instructions: said } });
  }
  for (const client of opened) await client.until('response.output_audio_transcript.delta', 60);
  const { rows } = await auditor.pool.query<{ made: string }>(
    `SELECT sum((due -> 'turn' ->> 'charge')::bigint) AS made FROM reservations`,
  );
  await kill(() => Promise.resolve(other));
  // A delta has three tokens of text at 4 * 2.5 quota each, and the client saw all that the server had counted.
  const heard = opened.map(({ events }) =>
    events.filter(({ type }) => type === 'response.output_audio_transcript.delta'),
  );
  const made = heard.reduce((sum, { length }) => sum + length * 30, 0);
  const { used } = await auditor.quotaOf('speaker');
  const read = 10 * 1000 * 2.5;
  expect(Number(rows[0]?.made)).toBeGreaterThan(read);
  expect(used).toBeGreaterThanOrEqual(0.95 * (read + made));
  expect(used).toBeLessThanOrEqual(1.05 * (read + made));
  await expectCharged(used);
}, 240_000);

it('killed while turns are being charged: each is charged once, as reported or as counted', async () => {
  const opened = await openSessions(3);
  await until(async () => (await auditor.openReservations()) === 6, 30, 'every session and its turn is reserved');
  await untilWritten(3);
  const held = await freeze(database.url, `SELECT 1 FROM users WHERE username = 'speaker' FOR UPDATE`);
  // The turns end, and their charges wait for the database.
  for (const { socket } of upstream.sessions) {
    send(socket, {
      type: 'response.done',
      response: { usage: { total_tokens: 10, input_tokens: 0, output_tokens: 10 } },
    });
  }
  await held.reached();
  // The client never receives the end of a turn before it is charged.
  for (const client of opened) {
    expect(client.events.filter(({ type }) => type === 'response.done')).toHaveLength(1);
  }
  await server.kill('SIGKILL');
  await held.release();
  await untilAlone(auditor.pool);
  expect(await auditor.drifts()).toEqual([]);
  server = await restart();
  await until(async () => (await auditor.openReservations()) === 0, 120, 'what the dead held is settled');
  const { used } = await auditor.quotaOf('speaker');
  // As the provider reported it, 10 * 4 * 2.5 each, or as it was counted before.
  const possible = [0, 1, 2, 3].map((counted) => (3 - counted) * 100 + counted * halfQuota);
  expect(possible).toContain(used - 3 * wholeQuota);
  await expectCharged(used);
}, 240_000);

it('stopped: every session is told, and what it had so far is paid', async () => {
  const opened = await openSessions(5);
  await server.kill('SIGTERM');
  for (const client of opened) expect(await client.untilClosed()).toBe(1012);
  expect(await auditor.openReservations()).toBe(0);
  await expectCharged(5 * (wholeQuota + halfQuota));
}, 240_000);

/** A client that leaves a realtime session after every number of event loop turns: its slot is free for the next one at once. */
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { WebSocket } from 'ws';
import { reconcile } from '../../server/src/modules/quota/reconcile.service.js';
import { until } from '../faults/traffic.js';
import { startServer, type LocalServer } from '../support/server.js';
import { send, startRealtimeUpstream, turn, type RealtimeUpstream } from '../support/upstream/realtime.js';

const model = 'gpt-4o-realtime-preview';
let server: LocalServer;
let upstream: RealtimeUpstream;
let pool: pg.Pool;
let key: string;

beforeAll(async () => {
  upstream = await startRealtimeUpstream();
  upstream.answer = turn({ textIn: 10, textOut: 20, audioIn: 0, audioOut: 0 });
  server = await startServer();
  pool = new pg.Pool({ connectionString: server.database.url, max: 1 });
  const { api } = server;
  const root = await api.setUp();
  await api.createChannel(root, { baseUrl: upstream.url, key: 'sk-up', models: [model] });
  ({ key } = await api.createToken(root, { name: 'leaver' }));
  await api.data(root, 'PUT', '/api/option/', { key: 'ModelRequestUserInFlightLimit', value: '1' });
}, 60_000);
afterAll(async () => {
  await pool.end();
  await server.stop();
  await upstream.stop();
});

/** One session of one turn, which the client leaves so many turns of the event loop after its handshake has come. */
async function leaveAfter(turns: number): Promise<{ left: boolean; seen: string[]; refused: number }> {
  const seen: string[] = [];
  const at: { left?: Promise<void> } = {};
  let refused = 0;
  const count = (socket: Duplex, more: number): void => {
    if (socket.destroyed) return;
    if (more > 0) return void setImmediate(() => count(socket, more - 1));
    at.left = new Promise((resolve) => socket.once('close', () => setImmediate(resolve)));
    socket.destroy();
  };
  server.app.server.prependOnceListener('upgrade', (_request, socket) => count(socket, turns));
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/realtime?model=${model}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  socket.on('error', () => undefined);
  socket.on('unexpected-response', (_request, response) => {
    refused = response.statusCode ?? 0;
    socket.terminate();
  });
  socket.on('message', (data) => {
    const { type } = JSON.parse((data as Buffer).toString()) as { type: string };
    seen.push(type);
    if (type === 'session.created') send(socket, { type: 'response.create' });
    if (type === 'response.done') socket.terminate();
  });
  await new Promise((resolve) => socket.once('close', resolve));
  await at.left;
  return { left: at.left !== undefined, seen, refused };
}

it('at every moment', async () => {
  let turns = 0;
  const phases = new Set<string | undefined>();
  for (; ; turns++) {
    const { left, seen, refused } = await leaveAfter(turns);
    // 429: the session before still had its slot.
    expect({ turns, refused }).toEqual({ turns, refused: 0 });
    phases.add(seen.at(-1));
    if (!left) break;
  }
  // Some left before the session was open, and one took its whole turn.
  expect([...phases]).toEqual(expect.arrayContaining([undefined, 'response.done']));
  const count = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM reservations');
    return Number(rows[0]?.count);
  };
  await until(async () => (await count()) === 0, 30, 'nothing is reserved');
  await until(
    () => upstream.sessions.every(({ socket }) => socket.readyState === WebSocket.CLOSED),
    30,
    'the provider has no session',
  );
  expect(await reconcile(pool)).toEqual([]);
  const { rows } = await pool.query<{ rows: string; requests: string }>(
    'SELECT count(*) AS rows, count(DISTINCT request_id) AS requests FROM logs WHERE type = 2',
  );
  expect(Number(rows[0]?.requests)).toBeGreaterThan(0);
  expect(rows[0]?.rows).toBe(rows[0]?.requests);
}, 300_000);

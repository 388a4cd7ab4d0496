/** A client that leaves a session for transcripts after every number of event loop turns: its place is free for the next one. */
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { WebSocket } from 'ws';
import { reconcile } from '../../server/src/modules/quota/reconcile.service.js';
import { until } from '../faults/traffic.js';
import { startServer, type LocalServer } from '../support/server.js';
import { commit, completed, current, transcribe } from '../support/transcription.js';
import { send, startRealtimeUpstream, type RealtimeUpstream } from '../support/upstream/realtime.js';

const model = 'gpt-4o-transcribe';
let server: LocalServer;
let upstream: RealtimeUpstream;
let pool: pg.Pool;
let key: string;

beforeAll(async () => {
  upstream = await startRealtimeUpstream();
  upstream.receive = transcribe();
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

/**
 * One session of one utterance, whose connection breaks off at the server so many turns of the event loop after its
 * handshake has come.
 */
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
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/realtime?intent=transcription`, {
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
    if (type === current.created) send(socket, current.update(model));
    if (type === current.updated) send(socket, commit);
    if (type === completed) socket.terminate();
  });
  await new Promise((resolve) => socket.once('close', resolve));
  await at.left;
  return { left: at.left !== undefined, seen, refused };
}

it('at every moment', async () => {
  const phases = new Set<string | undefined>();
  for (let turns = 0; ; turns++) {
    const { left, seen, refused } = await leaveAfter(turns);
    // 429: the session before still had its place.
    expect({ turns, refused }).toEqual({ turns, refused: 0 });
    phases.add(seen.at(-1));
    if (!left) break;
  }
  // Some left before the upgrade, some while the model was awaited or the provider connected, and one had its transcript.
  expect([...phases]).toEqual(expect.arrayContaining([undefined, current.created, completed]));
  const held = async (): Promise<boolean> => (await pool.query('SELECT 1 FROM reservations')).rowCount === 0;
  await until(held, 30, 'nothing is reserved');
  await until(
    () => upstream.sessions.every(({ socket }) => socket.readyState === WebSocket.CLOSED),
    30,
    'the provider has no session',
  );
  expect(await reconcile(pool)).toEqual([]);
}, 300_000);

import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { RealtimeClients, type RealtimeClient } from '../support/realtime-client.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { startRealtimeUpstream, type RealtimeUpstream } from '../support/upstream/realtime.js';

/** A customer sends frames that never end, over many sockets. The budget of bodies is a quarter of the heap. */

const model = 'gpt-4o-realtime-preview';
const megabyte = 1024 * 1024;

let upstream: RealtimeUpstream;
let server: SpawnedServer;
let clients: RealtimeClients;
let key: string;

beforeAll(async () => {
  upstream = await startRealtimeUpstream();
  server = await spawnServer({
    environment: { NODE_OPTIONS: '--max-old-space-size=256', MAX_REQUEST_BODY_MB: '4', REQUEST_BODIES_MB: '64' },
  });
  const root = await server.api.setUp();
  await server.api.createChannel(root, { baseUrl: upstream.url, key: 'sk-up', models: [model] });
  ({ key } = await server.api.createToken(root, { name: 'frames' }));
  clients = new RealtimeClients(server.url, model);
});
afterAll(async () => {
  clients.close();
  await server.stop();
  await upstream.stop();
});

it('a user whose unfinished frames hold more than the budget loses sockets, and the budget comes back', async () => {
  const sockets = await Promise.all(Array.from({ length: 8 }, () => clients.session(key)));
  const part = Buffer.alloc(megabyte, 0x20);
  // Each socket sends 12 MB of a frame that may have 16 MB. Together these are 96 MB, and a user may have 32 MB.
  for (let round = 0; round < 12; round++) {
    for (const { socket } of sockets) if (socket.readyState === WebSocket.OPEN) socket.send(part, { fin: false });
  }
  const closed = (): RealtimeClient[] => sockets.filter((client) => client.closed !== null);
  while (closed().length < 5) await delay(50);
  expect(sockets.length - closed().length).toBeGreaterThan(0);

  for (const { socket } of sockets) socket.terminate();
  // A socket that is read later, because its user sent too fast, is known to be closed when it is read again.
  while (!(await isEchoed())) await delay(500);
});

/** Whether a large frame comes back unchanged: then the memory of the other frames is no longer counted. */
async function isEchoed(): Promise<boolean> {
  const { socket } = await clients.session(key);
  socket.send(Buffer.alloc(12 * megabyte, 0x20), { binary: true });
  return new Promise((resolve) => {
    socket.once('message', () => resolve(true));
    socket.once('close', () => resolve(false));
  });
}

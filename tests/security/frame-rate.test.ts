import { WebSocket } from 'ws';
import { RealtimeClients } from '../support/realtime-client.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { startRealtimeUpstream, type RealtimeUpstream } from '../support/upstream/realtime.js';

/** Users send frames faster than they may. The server reads their connections later, and refuses or loses nothing. */

const model = 'gpt-4o-realtime-preview';
/** Number of frames. It is less than the number that may wait on one connection, however slow the server is. */
const frames = 28;
const padding = 'a'.repeat(1_430_000);
/** 40 MB take at least 2.7 seconds: 16 MiB may come at once, and 8 MiB in each second. */
const leastMilliseconds = 2500;

let site: TaskSite;
let upstream: RealtimeUpstream;
let clients: RealtimeClients;

beforeAll(async () => {
  site = await TaskSite.open();
  upstream = await startRealtimeUpstream();
  clients = new RealtimeClients(site.server.url, model);
  await site.server.api.createChannel(site.root, { baseUrl: upstream.url, key: 'sk-up', models: [model] });
});
afterAll(async () => {
  clients.close();
  await upstream.stop();
  await site.close();
});

it('two realtime sessions of one user are read at the rate of one', async () => {
  const { key } = await site.addCustomer('talker');
  const both = [await clients.session(key), await clients.session(key)];
  const begun = performance.now();
  for (let at = 0; at < frames; at++) both[at % 2]?.send({ type: 'of.tomorrow', at, padding });
  const arrived = (): Promise<number[]> =>
    Promise.resolve(upstream.sessions.flatMap(({ events }) => events.map(({ at }) => at as number)));
  const all = await eventually(arrived, (found) => found.length === frames, 40);
  expect(performance.now() - begun).toBeGreaterThan(leastMilliseconds);
  const even = (at: number): boolean => at % 2 === 0;
  expect(all.filter(even)).toEqual(Array.from({ length: frames / 2 }, (_, at) => at * 2));
  expect(both.map(({ closed }) => closed)).toEqual([null, null]);
});

it('so is a connection for responses', async () => {
  const { key } = await site.addCustomer('writer');
  const address = `${site.server.url.replace('http', 'ws')}/v1/responses`;
  const socket = clients.keep(new WebSocket(address, { headers: { authorization: `Bearer ${key}` } }));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const begun = performance.now();
  for (let at = 0; at < frames; at++) socket.send(JSON.stringify({ type: 'response.processed', padding }));
  socket.send('{"type":"of.tomorrow"}');
  const answer = await new Promise<string>((resolve) =>
    socket.once('message', (data) => resolve((data as Buffer).toString())),
  );
  expect(performance.now() - begun).toBeGreaterThan(leastMilliseconds);
  expect(answer).toContain('type must be response.create');
  expect(socket.readyState).toBe(WebSocket.OPEN);
});

import { Overload } from '../../server/src/platform/observability/overload.js';
import { KeyDirectory } from '../../server/src/gateway/admit/key-directory.js';
import { UnavailableError } from '../../server/src/shared/errors.js';
import { RealtimeClients } from '../support/realtime-client.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { transcribe, transcription, utter } from '../support/transcription.js';
import { startRealtimeUpstream, type RealtimeUpstream } from '../support/upstream/realtime.js';

/** Sessions stay open while the server is overloaded, or cannot read its database for a moment. */

const model = 'gpt-4o-realtime-preview';
const transcriber = 'gpt-4o-transcribe';

let site: TaskSite;
let upstream: RealtimeUpstream;
let clients: RealtimeClients;
let overload: Overload;

beforeAll(async () => {
  const start = jest.spyOn(Overload.prototype, 'start');
  site = await TaskSite.open();
  overload = start.mock.contexts[0] as Overload;
  start.mockRestore();
  upstream = await startRealtimeUpstream();
  upstream.receive = transcribe();
  clients = new RealtimeClients(site.server.url, model);
  const models = [model, transcriber];
  await site.server.api.createChannel(site.root, { baseUrl: upstream.url, key: 'sk-up', models });
});
afterEach(async () => {
  overload.stop();
  overload.reason = null;
  overload.start();
  clients.close();
  await eventually(
    async () => (await site.rows('SELECT 1 FROM reservations')).length,
    (count) => count === 0,
  );
  expect(await site.drift()).toEqual([]);
});
afterAll(async () => {
  await upstream.stop();
  await site.close();
});

/** Makes the server report an overload from now on. */
function overloaded(): void {
  overload.stop();
  overload.reason = 'event_loop';
}

it('an overloaded server opens no session, and serves the responses of one that is open', async () => {
  const client = await clients.session(site.key);
  overloaded();
  const { status } = await clients.refusal(`model=${model}`, { authorization: `Bearer ${site.key}` });
  expect(status).toBe(503);
  client.send({ type: 'response.create' });
  await client.until('response.done');
  client.send({ type: 'response.create' });
  await client.until('response.done', 2);
  expect(client.closed).toBeNull();
});

it('an overloaded server writes down the utterances of a session that is open', async () => {
  const client = await transcription(clients, site.key, transcriber);
  overloaded();
  await utter(client);
  await utter(client, 2);
  expect(client.closed).toBeNull();
});

it('a response whose key cannot be checked now is refused, and the session goes on', async () => {
  const client = await clients.session(site.key);
  const token = jest.spyOn(KeyDirectory.prototype, 'token');
  token.mockImplementationOnce(() => Promise.reject(new UnavailableError('The database is unavailable')));
  client.send({ type: 'response.create' });
  await client.until('error');
  expect(client.events.at(-1)).toMatchObject({ error: { code: 'service_unavailable' } });
  token.mockRestore();
  client.send({ type: 'response.create' });
  await client.until('response.done');
  expect(client.closed).toBeNull();
});

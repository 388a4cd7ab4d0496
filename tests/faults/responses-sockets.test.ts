import { once } from 'node:events';
import { WebSocket } from 'ws';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { says } from '../support/upstream/families.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Auditor, openSite, quickDeath, until } from './traffic.js';

/** A customer with 0.05 USD sends calls over sockets of Responses at two nodes, one of which is killed. */

const balance = 25_000;
/** Quota of an output token of gpt-4o. */
const perToken = 5;
const rooms = 8;

let upstream: Upstream;
let database: TestDatabase;
let servers: SpawnedServer[];
let auditor: Auditor;
let key: string;
/** Output tokens that the provider made for complete responses, and for all. */
let whole = 0;
let made = 0;

beforeEach(async () => {
  [whole, made] = [0, 0];
  upstream = await startUpstream();
  // As long as the request allows, after half a second.
  upstream.script({}, async (response, request) => {
    const limit = Number(request.body?.['max_output_tokens'] ?? 4096);
    made += limit;
    await new Promise((resolve) => setTimeout(resolve, 500));
    if (response.destroyed) return;
    whole += limit;
    await says({ text: 'hi', promptTokens: 10, completionTokens: limit })(response, request);
  });
  database = await createTestDatabase();
  const first = await spawnServer({ database, environment: quickDeath });
  servers = [first];
  auditor = new Auditor(database);
  const { keys } = await openSite(first.api, upstream.url, [{ username: 'writer', quota: balance }]);
  key = keys[0] ?? '';
  // Without Redis, a node learns the key and the channel when it starts.
  servers.push(await spawnServer({ database, environment: quickDeath }));
});
afterEach(async () => {
  await auditor.close();
  for (const server of servers) await server.stop();
  await upstream.stop();
  await database.drop();
});

interface Client {
  readonly socket: WebSocket;
  ended: number;
}

/** Opens two sockets at each node, and sends calls that run beside each other on each. */
async function storm(fields: object): Promise<Client[]> {
  const clients = await Promise.all(
    [...servers, ...servers].map(async ({ url }): Promise<Client> => {
      const headers = { authorization: `Bearer ${key}` };
      const client: Client = {
        socket: new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, { headers }),
        ended: 0,
      };
      client.socket.on('error', () => undefined);
      client.socket.on('message', (data: Buffer) => {
        if (/"type":"(?:response\.(?:completed|incomplete|failed)|error)"/.test(data.toString())) client.ended++;
      });
      await once(client.socket, 'open');
      return client;
    }),
  );
  for (const { socket } of clients) {
    for (let room = 0; room < rooms; room++) {
      const call = { type: 'response.create', stream_id: `${room}`, model: 'gpt-4o', input: 'hi', ...fields };
      socket.send(JSON.stringify(call));
    }
  }
  return clients;
}

const settled = (): Promise<void> =>
  until(async () => (await auditor.openReservations()) === 0, 120, 'nothing is held');

it.each([{}, { max_output_tokens: 500 }, { store: false, max_output_tokens: 2000 }])(
  'two nodes never have more made than the balance pays for, and charge all of it: %j',
  async (fields) => {
    const clients = await storm(fields);
    await until(() => Promise.resolve(clients.every(({ ended }) => ended >= rooms)), 60, 'every call has ended');
    for (const { socket } of clients) socket.terminate();
    await settled();
    const { quota, used } = await auditor.quotaOf('writer');
    expect(quota).toBeGreaterThanOrEqual(0);
    expect(made).toBe(whole);
    expect(made).toBeGreaterThan(0);
    expect(used).toBeGreaterThanOrEqual(made * perToken);
    expect(await auditor.drifts()).toEqual([]);
  },
  240_000,
);

it('killed in the middle: what it held comes back once, and no balance is below zero', async () => {
  await storm({ max_output_tokens: 500 });
  await until(() => Promise.resolve(made > 0), 30, 'a call is running');
  await servers[1]?.kill('SIGKILL');
  await settled();
  const { quota, used } = await auditor.quotaOf('writer');
  expect(quota).toBeGreaterThanOrEqual(0);
  expect(quota + used).toBe(balance);
  expect(await auditor.drifts()).toEqual([]);
}, 240_000);

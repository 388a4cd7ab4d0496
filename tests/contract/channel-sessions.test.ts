/** Sessions of a channel in GraphQL (docs/reference/relay/routing.md#session-affinity). */
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';

let server: TestServer;
let upstream: Upstream;
let root: Person;
let key: string;

beforeAll(async () => {
  upstream = await startUpstream();
  server = await startServer();
  root = await server.api.setUp();
  for (const name of ['a', 'b']) {
    await server.api.createChannel(root, {
      baseUrl: upstream.url,
      models: ['gpt-4o'],
      key: `sk-1${name}\nsk-2${name}`,
    });
  }
  ({ key } = await server.api.createToken(root));
});
afterAll(async () => {
  await server.stop();
  await upstream.stop();
});

const ask = async (): Promise<void> => {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      'x-session-affinity': 'a secret of the client',
    },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
  });
  expect(response.status).toBe(200);
  await response.text();
};

interface Sessions {
  readonly totalCount: number;
  readonly items: ReadonlyArray<{ readonly keyPosition: number }>;
}

const sessionsOf = async (id: number): Promise<Sessions> => {
  const document = `query($id: Int!) { channelSessions(id: $id) {
    totalCount items { userId model source keyPosition calls since lastUsedAt secondsLeft }
  } }`;
  const { data } = await server.api.graphql(root, document, { id });
  return data?.['channelSessions'] as Sessions;
};

it('shows an admin the sessions of a channel, and clears them', async () => {
  await ask();
  await ask();
  const [first, second] = [await sessionsOf(1), await sessionsOf(2)];
  const [id, found] = first.totalCount === 1 ? [1, first] : [2, second];
  expect(first.totalCount + second.totalCount).toBe(1);
  const sent = upstream.requests.at(-1)?.key ?? '';
  expect(found.items).toMatchObject([
    { userId: root.id, model: 'gpt-4o', source: 'HEADER', calls: 2, keyPosition: Number(sent.charAt(3)) },
  ]);
  expect(JSON.stringify(found)).not.toContain('secret');
  const { data } = await server.api.graphql(root, 'mutation($id: Int!) { clearChannelSessions(id: $id) { count } }', {
    id,
  });
  expect(data).toEqual({ clearChannelSessions: { count: 1 } });
  expect((await sessionsOf(id)).totalCount).toBe(0);
});

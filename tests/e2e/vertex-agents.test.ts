import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds, openKind, type Kind, type OpenedKind, Refusals } from '../agents/kinds.js';
import { clients, openRefusing } from '../agents/unchanged-requests.js';
import { googleCertificate } from '../agents/vertex.js';
import type { Person } from '../support/api.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { buildServer } from './boot-support.js';

/**
 * Requests that coding agents really sent, at Vertex, and requests that are refused there. `contract/relay-recorded-agents` and
 * `contract/relay-unchanged-requests` send them to all other kinds.
 */

jest.setTimeout(120_000);

interface Recorded {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
}

const folder = join(import.meta.dirname, '../recorded/agents');
const recordings = readdirSync(folder).map((file) => ({
  agent: file.replace('.json', ''),
  requests: JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recorded[],
}));
const modelOf = ({ path, body }: Recorded): string =>
  typeof body['model'] === 'string' ? body['model'] : decodeURIComponent(/models\/([^:]+):/.exec(path)?.[1] ?? '');
const models = [...new Set(recordings.flatMap(({ requests }) => requests.map(modelOf)))];

const refusals = new Refusals();
let upstream: Upstream;
let server: SpawnedServer;
let root: Person;
let key: string;
let opened: OpenedKind | null = null;

beforeAll(async () => {
  buildServer();
  upstream = await startUpstream();
  server = await spawnServer({ environment: { NODE_EXTRA_CA_CERTS: googleCertificate } });
  root = await server.api.setUp();
  await server.api.data(root, 'PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
  await server.api.data(root, 'PUT', '/api/option/', { key: 'RetryTimes', value: '5' });
  const token = { name: 't', unlimited_quota: true, remain_quota: 0, expired_time: -1 };
  key = (await server.api.data<{ key: string }>(root, 'POST', '/api/token/', token)).key.replace(/^sk-/, '');
});
afterAll(async () => {
  await server.stop();
  await upstream.stop();
});

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Adds a channel that serves the agents' models with the one of the kind, and returns its id. */
async function addChannel(kind: Kind, { channel: { baseUrl: _none, ...fields } }: OpenedKind): Promise<number> {
  const mapping = Object.fromEntries(models.map((model) => [model, kind.model]));
  await server.api.data(root, 'POST', '/api/channel/', {
    name: kind.name,
    group: 'default',
    models: [...new Set([...models, kind.model])].join(),
    model_mapping: JSON.stringify(mapping),
    ...fields,
  });
  const list = await server.api.data<Array<{ id: number }>>(root, 'GET', '/api/channel/?p=0');
  return Math.max(...list.map(({ id }) => id));
}

const removeChannel = (channel: number): Promise<unknown> => server.api.data(root, 'DELETE', `/api/channel/${channel}`);

const google = kinds.filter(({ at }) => at === 'google');

describe.each(google.map((kind) => [kind.name, kind] as const))('%s', (_name, kind) => {
  let channel: number;

  beforeAll(async () => {
    opened = await openKind(kind, upstream, '/project', refusals);
    channel = await addChannel(kind, opened);
  });
  afterAll(async () => {
    await removeChannel(channel);
    await opened?.stop();
  });

  it.each(recordings)('serves $agent', async ({ requests }) => {
    refusals.unexpected = [];
    for (const { path, headers, body } of requests) {
      const response = await post(path, body, headers);
      const text = await response.text();
      expect({ refusals: refusals.unexpected, status: response.status, text }).toEqual({
        refusals: [],
        status: 200,
        text: expect.not.stringMatching(/"type":\s*"error"/) as string,
      });
    }
  });
});

it.each(google.flatMap((kind) => clients.map((client) => [client[0], kind.name, client, kind] as const)))(
  'sends no refused request of a %s client again to %s',
  async (_client, _name, [, path, body], kind) => {
    const refusing = await openRefusing(kind, upstream);
    const channel = await addChannel(kind, refusing);
    try {
      expect(await refusing.repeated(path, body, post)).toEqual([]);
    } finally {
      await removeChannel(channel);
      await refusing.stop();
    }
  },
);

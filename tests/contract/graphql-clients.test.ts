import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { cacheExchange, createClient, fetchExchange } from '@urql/core';
import { GraphQLClient } from 'graphql-request';
import { createClient as createSseClient } from 'graphql-sse';
import { Network, type GraphQLResponse, type RequestParameters } from 'relay-runtime';
import { Site, type Person } from './site.js';

/** Clients of GraphQL with their defaults, the address and an access token. */

let site: Site;
let root: Person;
let url: string;
let headers: { authorization: string };

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  url = `${site.server.url}/graphql`;
  const create =
    'mutation { createAccessToken(input: { name: "board", scopes: [USAGE_READ, ADMIN_READ, ACCOUNT_READ] }) { secret } }';
  const { data } = await site.graphql(root, create);
  headers = { authorization: `Bearer ${(data?.['createAccessToken'] as { secret: string }).secret}` };
});
afterAll(() => site.stop());

const question = 'query ($size: Int) { users(pageSize: $size) { totalCount items { username } } }';
const answer = { users: { totalCount: 1, items: [{ username: 'root' }] } };

it('urql asks with GET', async () => {
  const client = createClient({ url, exchanges: [cacheExchange, fetchExchange], fetchOptions: { headers } });
  const { data, error } = await client.query<unknown>(question, { size: 5 }).toPromise();
  expect([data, error]).toMatchObject([answer, undefined]);
});

it('Apollo Client', async () => {
  const client = new ApolloClient({ link: new HttpLink({ uri: url, headers }), cache: new InMemoryCache() });
  const { data } = await client.query({ query: gql(question), variables: { size: 5 } });
  expect(data).toMatchObject(answer);
});

it('graphql-request, and what it says of a refusal', async () => {
  const client = new GraphQLClient(url, { headers });
  expect(await client.request(question, { size: 5 })).toEqual(answer);
  await expect(client.request('{ options { items { key } } nothing }')).rejects.toMatchObject({
    response: { status: 400, errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
  });
});

it('Relay, with the network layer of its guide', async () => {
  // https://relay.dev/docs/guides/network-layer, 2026-11: the text of the compiled query and its variables by POST.
  const network = Network.create(async ({ text: query }, variables) => {
    const body = JSON.stringify({ query, variables });
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    return (await response.json()) as GraphQLResponse;
  });
  const params = { id: null, cacheID: 'users', name: 'Users', operationKind: 'query', metadata: {} } as const;
  const ask = (text: string): RequestParameters => ({ ...params, text });
  const named = question.replace('query', 'query Users');
  expect(await network.execute(ask(named), { size: 5 }, { force: true }).toPromise()).toMatchObject({ data: answer });
  const refused = await network.execute(ask('query Users { nothing }'), {}, { force: true }).toPromise();
  expect(refused).toMatchObject({ errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] });
});

it('graphql-sse reads a subscription', async () => {
  const client = createSseClient({ url: `${url}/stream`, headers, retryAttempts: 0 });
  const results = client.iterate({ query: 'subscription { balanceChanged { quota } }' });
  expect((await results.next()).value).toMatchObject({
    data: { balanceChanged: { quota: expect.any(Number) as number } },
  });
  await results.return?.();
});

it.each([
  [
    'gql 4.4.0 for Python, recorded on 2026-11-27',
    { 'user-agent': 'python-requests/2.34.2', accept: '*/*', 'accept-encoding': 'gzip, deflate' },
    '{"query": "query ($size: Int) {\\n  users(pageSize: $size) {\\n    totalCount\\n    items {\\n      username\\n    }\\n  }\\n}", "variables": {"size": 5}}',
  ],
  [
    // pkg/infinity of grafana-infinity-datasource 3: a body of type GraphQL, with variables.
    'the Infinity data source of Grafana',
    { 'user-agent': 'Go-http-client/1.1', accept: 'application/json;q=0.9,text/plain', 'accept-encoding': 'gzip' },
    JSON.stringify({ query: question, variables: { size: 5 } }),
  ],
])('takes the request of %s', async (_, sent, body) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, ...sent, 'content-type': 'application/json' },
    body,
  });
  expect([response.status, await response.json()]).toMatchObject([200, { data: answer }]);
  expect(response.headers.get('content-type')).toContain('application/json');
});

describe('GET', () => {
  const get = (query: string, more: Record<string, string> = headers, variables = '{}'): Promise<Response> =>
    fetch(`${url}?query=${encodeURIComponent(query)}&variables=${encodeURIComponent(variables)}`, { headers: more });

  it('takes no mutation', async () => {
    const response = await get('mutation { deleteAlerts: __typename }');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await response.json()).toMatchObject({ errors: [{ message: expect.stringContaining('GET') as string }] });
  });

  it('is refused with a session alone, which a link on another site could use', async () => {
    const session = { cookie: root.cookie, 'veloera-user': String(root.id) };
    expect((await get(question, session)).status).toBe(400);
    const marked = await get(question, { ...session, 'apollo-require-preflight': 'yes' });
    expect([marked.status, await marked.json()]).toMatchObject([200, { data: answer }]);
  });

  it('is held to the limits of a body', async () => {
    const deep = await get(question, headers, `{"size":${'['.repeat(500)}${']'.repeat(500)}}`);
    expect([deep.status, await deep.json()]).toMatchObject([
      400,
      { errors: [{ extensions: { code: 'INVALID_INPUT' } }] },
    ]);
    const often = await get(`{ ${'groups '.repeat(101)} }`);
    expect([often.status, await often.json()]).toMatchObject([
      400,
      { errors: [{ extensions: { code: 'INVALID_INPUT' } }] },
    ]);
  });

  it('does not free the body of a POST from its limits', async () => {
    const body = JSON.stringify({ query: `{ ${'groups '.repeat(101)} }` });
    const json = { ...headers, 'content-type': 'application/json' };
    const response = await fetch(`${url}?query=%7Bgroups%7D`, { method: 'POST', headers: json, body });
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'INVALID_INPUT' } }] });
  });
});

it.each(['PUT', 'PATCH', 'DELETE'])('%s is no method of GraphQL', async (method) => {
  const response = await fetch(url, { method, headers });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST']);
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
});

it('pages of other origins may ask with a token, and never with a cookie', async () => {
  for (const path of ['/graphql', '/graphql/stream']) {
    const preflight = await fetch(`${site.server.url}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://board.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, content-type',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization, content-type');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, origin: 'https://board.example', 'content-type': 'application/json' },
    body: JSON.stringify({ query: question }),
  });
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(await response.json()).toMatchObject({ data: answer });
});

it('graphql-codegen with the documented lines gives types that sum and slice', async () => {
  const repository = join(import.meta.dirname, '../..');
  const guide = await readFile(join(repository, 'docs/graphql.md'), 'utf8');
  const config = /```yaml\n(schema: [^`]*)```/.exec(guide)?.[1] ?? '';
  await mkdir(join(repository, 'tests/.output'), { recursive: true });
  const folder = await mkdtemp(join(repository, 'tests/.output/codegen-'));
  try {
    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'codegen.yml'), config.replace('https://gateway.example.com/graphql', url));
    await writeFile(
      join(folder, 'src/spend.graphql'),
      'query Spend { usage(bucket: DAY) { items { time metrics { usd quota calls totalTokens } } } }',
    );
    await writeFile(
      join(folder, 'src/board.ts'),
      `import type { SpendQuery } from './queries.js';
       export const days = ({ usage }: SpendQuery): string[] => (usage?.items ?? []).map(({ time }) => (time ?? '').slice(0, 10));
       export const sum = ({ usage }: SpendQuery): number =>
         (usage?.items ?? []).reduce((all, { metrics }) => all + metrics.usd + metrics.quota + metrics.totalTokens, 0);`,
    );
    const run = promisify(execFile);
    await run(process.execPath, [join(repository, 'node_modules/@graphql-codegen/cli/esm/bin.js')], { cwd: folder });
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      'src/board.ts',
    ];
    const { stdout } = await run(process.execPath, [join(repository, 'node_modules/ts7/bin/tsc'), ...options], {
      cwd: folder,
    }).catch((error: unknown) => error as { stdout: string });
    expect(stdout).toBe('');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Person } from '../support/api.js';
import { startConnectProxy, type TestProxy } from '../support/proxies.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { buildServer } from './boot-support.js';

/** Claude at Vertex from the client's socket to Google's hosts, whose names a proxy leads to this machine. */

jest.setTimeout(90_000);

interface Received {
  readonly host: string | undefined;
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const tls = join(import.meta.dirname, '../support/tls/google');
const model = 'claude-sonnet-4-20250514';
const usage = { input_tokens: 3, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
const answer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage,
  content: [{ type: 'text', text: 'Hello' }],
};
const received: Received[] = [];
let google: Server;
let proxy: TestProxy;
let server: SpawnedServer;
let root: Person;
let key: string;

beforeAll(async () => {
  buildServer();
  google = createServer({ cert: readFileSync(join(tls, 'certificate.pem')), key: readFileSync(join(tls, 'key.pem')) });
  google.on('request', (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { host, authorization, ...headers } = request.headers;
      const text = Buffer.concat(pieces).toString();
      received.push({ host, path: request.url, authorization, headers, text });
      const body = request.url?.includes('/token')
        ? { access_token: 'ya29.fake', expires_in: 3600, token_type: 'Bearer' }
        : request.url?.includes('count-tokens')
          ? { input_tokens: 17 }
          : request.url?.includes('countTokens')
            ? { totalTokens: 18 }
            : answer;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => google.listen(0, '127.0.0.1', resolve));
  const here = `127.0.0.1:${(google.address() as AddressInfo).port}`;
  const names = ['oauth2.googleapis.com', 'us-east5-aiplatform.googleapis.com'];
  proxy = await startConnectProxy({ names: Object.fromEntries(names.map((name) => [name, here])) });
  server = await spawnServer({ environment: { NODE_EXTRA_CA_CERTS: join(tls, 'certificate.pem') } });
  root = await server.api.setUp();
  await server.api.data(root, 'PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const account = {
    type: 'service_account',
    project_id: 'proj-fake',
    private_key_id: 'kid-fake',
    client_email: 'svc@proj-fake.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  await server.api.data(root, 'POST', '/api/channel/', {
    name: 'vertex',
    type: 41,
    other: 'us-east5',
    models: `${model},gemini-2.5-flash`,
    group: 'default',
    key: JSON.stringify(account),
    setting: JSON.stringify({ proxy: `http://127.0.0.1:${proxy.port}` }),
  });
  const token = { name: 't', unlimited_quota: true, remain_quota: 0, expired_time: -1 };
  key = (await server.api.data<{ key: string }>(root, 'POST', '/api/token/', token)).key;
});
afterAll(async () => {
  await server.stop();
  await proxy.stop();
  google.closeAllConnections();
  google.close();
});
beforeEach(() => {
  received.length = 0;
});

const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<unknown> => {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key.replace(/^sk-/, '')}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answered = (await response.json()) as unknown;
  expect({ status: response.status, answered }).toEqual({ status: 200, answered });
  return answered;
};
const project = '/v1/projects/proj-fake/locations/us-east5/publishers';

it('gets betas in the body and the header, and only those that it takes', async () => {
  const betas = [
    ...['claude-code-20250219', 'context-management-2025-06-27', 'interleaved-thinking-2025-05-14'],
    ...['fine-grained-tool-streaming-2025-05-14', 'advanced-tool-use-2025-11-20', 'invented-2099-01-01'],
  ];
  const messages = [{ role: 'user', content: 'hi' }];
  const headers = { 'anthropic-beta': betas.join(','), 'anthropic-version': '2023-06-01', 'x-app': 'cli' };
  const context = { context_management: { edits: [] } };
  expect(await post('/v1/messages', { model, max_tokens: 5, messages, ...context }, headers)).toEqual(answer);
  const [exchange, call] = received;
  expect(exchange).toMatchObject({ host: 'oauth2.googleapis.com', path: '/token' });
  expect(call).toMatchObject({
    host: 'us-east5-aiplatform.googleapis.com',
    authorization: 'Bearer ya29.fake',
    path: `${project}/anthropic/models/claude-sonnet-4@20250514:rawPredict`,
  });
  const { anthropic_beta: sent, ...body } = JSON.parse(call?.text ?? '') as { anthropic_beta: string[] };
  expect(sent.toSorted()).toEqual([
    ...['context-management-2025-06-27', 'interleaved-thinking-2025-05-14', 'tool-search-tool-2025-10-19'],
  ]);
  expect(body).toEqual({ anthropic_version: 'vertex-2023-10-16', max_tokens: 5, messages, ...context });
  const own = Object.entries(call?.headers ?? {}).filter(([name]) => /^anthropic|^x-app/.test(name));
  expect(own).toEqual([['anthropic-beta', expect.any(String)]]);
  expect(String(own[0]?.[1]).split(',').toSorted()).toEqual(sent.toSorted());
});

it('counts tokens at its own addresses, for Claude and for Gemini', async () => {
  const messages = [{ role: 'user', content: 'hi' }];
  expect(await post('/v1/messages/count_tokens', { model, messages })).toEqual({ input_tokens: 17 });
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  expect(await post('/v1beta/models/gemini-2.5-flash:countTokens', { contents })).toEqual({ totalTokens: 18 });
  expect(received.map(({ path, text }) => [path, JSON.parse(text) as unknown])).toEqual([
    [`${project}/anthropic/models/count-tokens:rawPredict`, { model: 'claude-sonnet-4@20250514', messages }],
    [`${project}/google/models/gemini-2.5-flash:countTokens`, { contents }],
  ]);
});

it('does not ask Google to count for Claude, nor Anthropic for Gemini', async () => {
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const messages = [{ role: 'user', content: 'hi' }];
  expect(await post(`/v1beta/models/${model}:countTokens`, { contents })).toEqual({
    totalTokens: expect.any(Number) as number,
  });
  const counted = await post('/v1/messages/count_tokens', { model: 'gemini-2.5-flash', messages });
  expect(counted).toEqual({ input_tokens: expect.any(Number) as number });
  expect(received).toEqual([]);
});

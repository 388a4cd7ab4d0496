import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { chat, json } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';

let server: TestServer;
let upstream: Upstream;
let root: Person;

beforeAll(async () => {
  upstream = await startUpstream();
  server = await startServer();
  root = await server.api.setUp();
  await server.api.createChannel(root, { baseUrl: upstream.url, models: ['gpt-4o'], group: 'default,vip' });
});
afterAll(async () => {
  await server.stop();
  await upstream.stop();
});
beforeEach(() => upstream.reset());

const ask = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}/pg/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const asRoot = (): Record<string, string> => ({ cookie: root.cookie, 'veloera-user': String(root.id) });
const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
const codeOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { error: { code: unknown } }).error.code;

it('chats as whoever is signed in, and only he pays', async () => {
  upstream.script({}, chat({ text: 'Hello', usage: { prompt_tokens: 1000, completion_tokens: 500 } }));
  const before = await balance();
  const response = await ask({ ...body, group: 'vip' }, asRoot());
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
  expect(upstream.requests[0]?.path).toBe('/v1/chat/completions');
  expect(upstream.requests[0]?.body).toEqual(body);
  expect(JSON.stringify(upstream.requests[0]?.headers)).not.toContain(root.cookie);
  expect(await balance()).toBe(before - 3750);
  const data = await server.api.data<unknown>(root, 'GET', '/api/log/?p=1&page_size=10&type=2');
  const rows = (Array.isArray(data) ? data : (data as { items: unknown[] }).items) as object[];
  expect(rows[0]).toMatchObject({ token_name: 'playground-vip', token_id: 0, group: 'vip', quota: 3750 });
});

it('streams', async () => {
  const text = await (await ask({ ...body, stream: true }, asRoot())).text();
  expect(text).toContain('data: [DONE]');
});

it('refuses a file of the account, which was not given to its user', async () => {
  const content = [{ type: 'file', file: { file_id: 'file-of-another' } }];
  const refused = await ask({ ...body, messages: [{ role: 'user', content }] }, asRoot());
  expect([refused.status, await codeOf(refused)]).toEqual([404, 'unknown_id']);
  expect(upstream.requests).toEqual([]);
});

it('is for a session and nobody else', async () => {
  // These codes tell the console that its own session was refused.
  for (const [headers, code] of [
    [{}, 'not_signed_in'],
    [{ ...asRoot(), cookie: 'session=ended' }, 'not_signed_in'],
    [{ cookie: root.cookie }, 'user_id_mismatch'],
  ] as const) {
    const refused = await ask(body, headers);
    expect([refused.status, await codeOf(refused)]).toEqual([401, code]);
  }
  const byToken = await ask(body, { ...asRoot(), authorization: 'Bearer something' });
  expect([byToken.status, await codeOf(byToken)]).toEqual([400, 'access_token_not_supported']);
  expect((await ask(body, { ...asRoot(), 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect(upstream.requests).toHaveLength(0);
});

it('has another code for a key that the provider refuses', async () => {
  const error = { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' };
  upstream.script({}, json({ error }, 401));
  const refused = await ask(body, asRoot());
  expect([refused.status, await codeOf(refused)]).toEqual([401, 'invalid_api_key']);
});

it('wants a model, and a group its user may use', async () => {
  const noModel = await ask({ messages: body.messages }, asRoot());
  expect([noModel.status, await codeOf(noModel)]).toEqual([400, 'model_required']);
  const noGroup = await ask({ ...body, group: 'nobody' }, asRoot());
  expect([noGroup.status, await codeOf(noGroup)]).toEqual([403, 'group_not_allowed']);
  expect(upstream.requests).toHaveLength(0);
});

it('refuses with the codes of /v1/chat/completions (docs/reference/rest/third-party-clients.md)', async () => {
  const noChannel = await ask({ ...body, model: 'nobody-serves-this' }, asRoot());
  expect([noChannel.status, await codeOf(noChannel)]).toEqual([503, 'model_not_found']);
  const text = { method: 'POST', headers: { 'content-type': 'application/json', ...asRoot() }, body: '{' };
  const noJson = await fetch(`${server.url}/pg/chat/completions`, text);
  expect([noJson.status, await codeOf(noJson)]).toEqual([400, 'invalid_request']);
  expect(upstream.requests).toHaveLength(0);
});

async function balance(): Promise<number> {
  return (await server.api.data<{ quota: number }>(root, 'GET', '/api/user/self')).quota;
}

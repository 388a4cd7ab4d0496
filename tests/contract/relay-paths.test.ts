/** Paths of the relay, and the errors for paths that do not exist. */
import { chat, json } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

const call = { model: 'gpt-4o', messages: userMessage('hi') };

it('serves OpenAI’s routes under Google’s name for them', async () => {
  await relay.addChannel();
  const { key } = await relay.addToken();
  relay.upstream.script({}, chat({ text: 'Hello' }));
  const response = await relay.post('/v1beta/openai/chat/completions', key, call);
  expect(response.status).toBe(200);
  expect(relay.upstream.requests[0]?.path).toBe('/v1/chat/completions');
  const models = await fetch(`${relay.url}/v1beta/openai/models`, { headers: { authorization: `Bearer ${key}` } });
  expect(await models.json()).toMatchObject({ object: 'list' });
});

it.each([
  ['POST', '/chat/completions', JSON.stringify(call)],
  ['POST', '/messages', '{broken'],
  ['POST', '/responses', ''],
  ['POST', '/embeddings', 'x'],
])('names the path with its version: %s %s', async (method, path, body) => {
  const { key } = await relay.addToken();
  const response = await relay.post(path, key, body, { method });
  expect([response.status, response.headers.get('content-type')]).toEqual([404, expect.stringContaining('json')]);
  expect(((await response.json()) as { error: { message: string } }).error.message).toContain(`/v1${path}`);
});

it.each([
  ['POST', '/v1/nonsense', '{broken'],
  ['POST', '/v1/nonsense', ''],
  ['DELETE', '/v1/nonsense/x', ''],
  ['PUT', '/nonsense', 'x'],
])('%s %s with the body %j is unknown', async (method, path, body) => {
  const { key } = await relay.addToken();
  const response = await relay.post(path, key, body, { method });
  expect([response.status, await response.json()]).toEqual([
    404,
    { error: { message: `Invalid URL (${method} ${path})`, type: 'invalid_request_error', param: '', code: '' } },
  ]);
});

it.each([
  ['/v1/skills', 404],
  ['/v1/messages/batches', 404],
])('%s is refused in the form of Messages for a client that sends x-api-key alone', async (path, status) => {
  const { key } = await relay.addToken();
  const response = await fetch(relay.url + path, { headers: { 'x-api-key': key } });
  expect([response.status, await response.json()]).toMatchObject([status, { type: 'error', error: {} }]);
});

it.each(['x-api-key', 'x-goog-api-key', 'authorization'])(
  'refuses a wrong key in %s where nothing is served yet',
  async (name) => {
    const response = await fetch(`${relay.url}/v1/files`, { headers: { [name]: 'sk-wrong' } });
    expect(response.status).toBe(401);
  },
);

it('answers the probe of Claude Code, which asks whether there is a server', async () => {
  const response = await fetch(`${relay.url}/api/hello`, { method: 'HEAD' });
  expect([response.status, await response.text()]).toEqual([200, '']);
});

it('lists models in Anthropic’s form for its SDKs, which send a bearer token', async () => {
  await relay.addChannel();
  const { key } = await relay.addToken();
  const headers = { authorization: `Bearer ${key}`, 'anthropic-version': '2023-06-01' };
  const response = await fetch(`${relay.url}/v1/models`, { headers });
  expect(await response.json()).toMatchObject({ data: [{ type: 'model', display_name: 'gpt-4o' }, {}] });
});

it.each([
  ['/v1/chat/completions', { messages: userMessage('hi') }],
  ['/v1/responses', { input: 'hi' }],
  ['/v1/messages', { max_tokens: 9, messages: userMessage('hi') }],
  ['/v1beta/models/gpt-4o:generateContent', { contents: [{ parts: [{ text: 'hi' }] }] }],
])('reads JSON under a content type that is none, at %s', async (path, body) => {
  await relay.addChannel();
  const { key } = await relay.addToken();
  relay.upstream.script({}, chat({ text: 'Hello' }));
  for (const type of ['json', 'application/json, application/json', '/']) {
    const response = await relay.post(path, key, { model: 'gpt-4o', ...body }, { headers: { 'content-type': type } });
    expect([type, response.status]).toEqual([type, 200]);
    await response.text();
  }
});

const contents = {
  candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'Hello' }] } }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
};
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'end_turn',
  content: [{ type: 'text', text: 'Hello' }],
  usage: { input_tokens: 10, output_tokens: 2 },
};
const generate = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const vertex = '/v1/projects/p/locations/us-east5/publishers';

describe('clients that are fixed to a host', () => {
  it.each([
    ['Foundry', 14, '/anthropic/v1/messages', { model: 'm', max_tokens: 9, messages: userMessage('hi') }, message],
    ['Vertex for Gemini', 24, `${vertex}/google/models/m:generateContent`, generate, contents],
    ['Vertex’s beta', 24, `${vertex.replace('v1', 'v1beta1')}/google/models/m:generateContent`, generate, contents],
    [
      'Vertex for Claude',
      14,
      `${vertex}/anthropic/models/m:rawPredict`,
      { anthropic_version: 'vertex-2023-10-16', max_tokens: 9, messages: userMessage('hi') },
      message,
    ],
    ['LangChain', 24, '/v1beta/vendor/m:generateContent', generate, contents],
  ])('are served: %s', async (name, type, path, body, answer) => {
    await relay.addChannel({ type, models: name === 'LangChain' ? 'vendor/m' : 'm' });
    relay.setOptions({ SelfUseModeEnabled: true });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(answer));
    const response = await relay.post(path, key, body);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello')]);
    expect(relay.upstream.requests[0]?.body).not.toHaveProperty('anthropic_version');
  });

  it('read an unknown method of Vertex in their own form', async () => {
    const { key } = await relay.addToken();
    const path = `${vertex}/anthropic/models/m:predict`;
    for (const [sent, status] of [
      [key, 404],
      ['sk-unknown', 401],
    ] as const) {
      const response = await relay.post(path, sent, {});
      expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({ type: 'error' })]);
    }
  });
});

describe('Codex', () => {
  const list = (path: string, key: string) =>
    fetch(relay.url + path, { headers: { authorization: `Bearer ${key}` } }).then((response) => response.json());

  it('reads the list of models, with and without the version in its base URL', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    for (const path of ['/v1/models', '/models']) {
      expect(await list(`${path}?client_version=0.169.0`, key)).toMatchObject({ object: 'list', models: [] });
      expect(await list(path, key)).not.toHaveProperty('models');
    }
  });
});

describe('a path that is not served', () => {
  const headersOf = (key: string) =>
    [
      ['openai', { authorization: `Bearer ${key}` }, { error: { code: 'api_not_implemented' } }],
      ['anthropic', { 'x-api-key': key, 'anthropic-version': '2023-06-01' }, { type: 'error', error: {} }],
      ['gemini', { 'x-goog-api-key': key }, { error: { code: 501 } }],
    ] as const;

  it('answers in the client’s dialect, wherever its key stands', async () => {
    const { key } = await relay.addToken();
    for (const [, headers, body] of headersOf(key)) {
      const response = await fetch(`${relay.url}/v1/files`, { headers });
      expect([response.status, await response.json()]).toEqual([
        501,
        expect.objectContaining({ error: expect.anything() as unknown }),
      ]);
      const unknown = await fetch(`${relay.url}/v1/nonsense`, { method: 'POST', headers, body: '{}' });
      expect(unknown.status).toBe(404);
      expect(Object.keys((await unknown.json()) as object).toSorted()).toEqual(Object.keys(body).toSorted());
    }
  });
});

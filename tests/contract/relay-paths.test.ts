/** Paths of the relay, and the errors for paths that do not exist. */
import { chat, json } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

const anyText = expect.any(String) as string;
const bearerWithVersion = (key: string) => ({ authorization: `Bearer ${key}`, 'anthropic-version': '2023-06-01' });
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
  ['OpenAI', '', {}],
  ['Anthropic', '', { 'anthropic-version': '2023-06-01' }],
  ['Google', '', { 'x-goog-api-key': 'sk-unused' }],
  ['Google with the key in the query', '?key=sk-unused', {}],
])('words an unknown path of %s in the same way below the API and beside it', async (name, query, headers) => {
  const { key } = await relay.addToken();
  const textAt = async (path: string) => {
    const response = await relay.post(
      path + query,
      key,
      {},
      { headers: { authorization: `Bearer ${key}`, ...headers } },
    );
    const id = response.headers.get('x-oneapi-request-id') ?? '';
    return [response.status, (await response.text()).replace(path, '<path>').replace(id, '<id>')] as const;
  };
  const text = await textAt('/nonsense');
  expect(text).toEqual(await textAt('/v1/nonsense'));
  expect(text[1].includes('"status":"NOT_FOUND"')).toBe(name.startsWith('Google'));
});

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
  const openai = { error: expect.objectContaining({ message: anyText, type: anyText, code: anyText }) as unknown };
  const anthropic = { type: 'error', error: { type: anyText, message: anyText } };
  const gemini = { error: { code: expect.any(Number) as number, message: anyText, status: anyText } };
  const bedrock = { message: anyText };
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const ofAnthropic = (key: string) => ({ 'x-api-key': key });
  const ofGoogle = (key: string) => ({ 'x-goog-api-key': key });

  it('is the page of a model for a browser, where the API of Bedrock has no GET', async () => {
    const ask = (method: string, accept: string) =>
      fetch(`${relay.url}/model/org%2Fgpt-4o/errors`, { method, headers: { accept } });
    // Without a console in this test, nothing is found. The API would ask for a key.
    expect((await ask('GET', 'text/html,application/xhtml+xml,*/*;q=0.8')).status).not.toBe(401);
    expect((await ask('GET', 'application/json')).status).toBe(401);
    expect((await ask('POST', 'text/html')).status).toBe(401);
  });

  it.each([
    ['GET', '/v1/files/f', bearer, 404, openai],
    ['GET', '/v1/files/f', ofAnthropic, 404, anthropic],
    ['GET', '/v1/files/f', ofGoogle, 404, gemini],
    ['GET', '/anthropic/v1/files/f', bearer, 404, anthropic],
    ['GET', '/v1/uploads', bearer, 404, openai],
    ['POST', '/v1/uploads', ofAnthropic, 404, anthropic],
    ['POST', '/v1/edits', bearer, 501, openai],
    ['POST', '/v1/nonsense', bearer, 404, openai],
    ['GET', '/v1/conversations/c', bearer, 404, openai],
    ['POST', '/v1/models', bearer, 404, openai],
    ['PATCH', '/openai/nonsense', bearer, 404, openai],
    ['GET', '/v1beta/openai/nonsense', bearer, 404, openai],
    ['GET', '/hf/v1/nonsense', bearer, 404, openai],
    ['GET', '/v1/messages/batches', ofAnthropic, 404, anthropic],
    ['POST', '/v1/messages/batches', bearerWithVersion, 404, anthropic],
    ['DELETE', '/anthropic/v1/skills/s', bearer, 404, anthropic],
    ['GET', '/anthropic/nonsense', bearer, 404, anthropic],
    ['GET', '/v1beta/cachedContents/c', ofGoogle, 404, gemini],
    ['POST', '/v1beta/interactions', bearer, 400, gemini],
    ['POST', '/v1/interactions', ofAnthropic, 400, gemini],
    ['POST', '/v1beta/models/m', bearer, 404, gemini],
    ['POST', '/v1beta/models/m:predict', ofGoogle, 404, gemini],
    ['POST', '/v1beta/fileSearchStores/s', bearer, 404, gemini],
    ['POST', '/v1/models/m', bearer, 404, openai],
    ['POST', '/v1alpha/auth_tokens', ofGoogle, 404, gemini],
    ['POST', '/upload/v1beta/files', ofGoogle, 400, gemini],
    ['POST', '/upload/v1beta/nonsense', ofGoogle, 404, gemini],
    ['GET', '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent', ofGoogle, 404, gemini],
    ['POST', `${vertex}/mistralai/models/m:rawPredict`, bearer, 404, gemini],
    ['GET', `${vertex}/anthropic/models/m`, bearer, 404, anthropic],
    ['POST', '/model/m/invoke-model', bearer, 404, bedrock],
    ['GET', '/model/m/invoke', bearer, 404, bedrock],
  ])('%s %s answers in the dialect of its client, once the key was checked', async (...row) => {
    const [method, path, present, status, form] = row;
    const { key } = await relay.addToken();
    const ask = (headers: Record<string, string>) =>
      fetch(relay.url + path, { method, headers, ...(method === 'GET' ? {} : { body: '{}' }) });
    for (const [headers, expected] of [
      [present(key), status],
      [present('sk-wrong'), 401],
      [present(''), 401],
    ] as const) {
      const response = await ask(headers);
      expect([response.status, await response.json()]).toEqual([expected, form]);
      // AWS's SDKs know an error by this header.
      expect(response.headers.has('x-amzn-errortype')).toBe(form === bedrock);
    }
  });

  it.each(['/v1beta/cachedContents/c', '/v1alpha/auth_tokens', '/upload/v1beta/files', '/ws/google.ai.x'])(
    '%s finds the key in the query, as Google’s clients send it',
    async (path) => {
      const { key } = await relay.addToken();
      for (const [sent, status] of [
        [key, 404],
        ['sk-wrong', 401],
      ] as const) {
        const response = await fetch(`${relay.url}${path}?key=${sent}`);
        expect([response.status, await response.json()]).toEqual([status, gemini]);
      }
    },
  );
});

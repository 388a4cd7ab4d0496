/** Paths by which clients reach the relay, and what they read where they miss it. */
import { chat } from '../support/upstream/replies.js';
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

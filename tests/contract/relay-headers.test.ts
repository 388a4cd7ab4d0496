/** Headers of clients and of providers that the relay forwards or removes. */
import { chatCall, json } from '../support/upstream/replies.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

describe('headers', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const given = { traceparent, 'openai-beta': 'x=v1', 'x-app': 'cli', 'openai-organization': 'org-1', cookie: 'a=b' };

  it.each([
    ['OpenAI', 1, '/v1/chat/completions', { traceparent, 'openai-beta': 'x=v1' }],
    ['OpenAI', 1, '/v1/embeddings', { traceparent, 'openai-beta': 'x=v1' }],
    ['DeepSeek', 43, '/v1/chat/completions', { traceparent }],
    ['DeepSeek', 43, '/v1/messages', {}],
  ])('of features and traces reach %s (type %i) at %s', async (_name, type, path, expected) => {
    await relay.addChannel({ type });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(path.includes('embeddings') ? { data: [] } : chatCall('Read', '{}')));
    const body = { model: 'gpt-4o', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }], input: 'x' };
    await relay.post(path, key, body, { headers: given });
    const { headers = {} } = relay.upstream.requests[0] ?? {};
    expect(
      Object.fromEntries(Object.keys(given).flatMap((name) => (headers[name] ? [[name, headers[name]]] : []))),
    ).toEqual(expected);
  });

  it('of the upstream’s limits reach the client with a refusal too, beside this server’s request id', async () => {
    await relay.addChannel({ type: 1 });
    const { key } = await relay.addToken();
    const limits = { 'x-ratelimit-remaining-requests': '0', 'set-cookie': 'a=b', 'retry-after': '3' };
    relay.upstream.script({}, json({ error: { message: 'slow down', type: 'tokens' } }, 429, limits));
    const { status, headers } = await relay.chat(key, { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });
    expect([status, headers.get('x-ratelimit-remaining-requests'), headers.get('retry-after')]).toEqual([
      429,
      '0',
      '3',
    ]);
    expect(headers.get('x-upstream-request-id')).toBe('upstream-request');
    expect(headers.get('x-request-id')).toBe(headers.get('x-oneapi-request-id'));
    expect(headers.get('request-id')).toBe(headers.get('x-oneapi-request-id'));
    expect(headers.get('set-cookie')).toBeNull();
  });
});

describe('x-should-retry, which SDKs obey before anything else', () => {
  const calls = [
    ['/v1/chat/completions', 1, { messages: [{ role: 'user', content: 'hi' }] }],
    ['/v1/responses', 1, { input: 'hi' }],
    ['/v1/messages', 14, { max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }],
    ['/v1/messages', 1, { max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }],
  ] as const;
  const refused = (status: number, retry: string) =>
    json({ error: { message: 'no', type: 'overloaded_error' } }, status, { 'x-should-retry': retry });

  it.each(calls)('reaches the client with a refusal of %s (type %i)', async (path, type, body) => {
    await relay.addChannel({ type });
    const { key } = await relay.addToken();
    for (const [status, retry] of [
      [529, 'true'],
      [500, 'false'],
      [409, 'false'],
    ] as const) {
      relay.endCooldowns();
      relay.upstream.script({}, refused(status, retry));
      const response = await relay.post(path, key, { model: 'gpt-4o', ...body });
      expect([response.status, response.headers.get('x-should-retry')]).toEqual([status, retry]);
    }
  });

  it('of one account at its limit does not: others may serve the next call', async () => {
    await relay.addChannel({ type: 1 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, refused(429, 'false'));
    const { status, headers } = await relay.chat(key, { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });
    expect([status, headers.get('x-should-retry')]).toEqual([429, null]);
  });

  it.each([
    ['60', null],
    ['61', 'false'],
    ['7200', 'false'],
  ])('is false where a provider says to wait for %s seconds: %s', async (after, retry) => {
    await relay.addChannel({ type: 1 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json({ error: { message: 'no' } }, 429, { 'retry-after': after }));
    const { headers } = await relay.chat(key, { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });
    expect([headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([after, retry]);
  });
});

it.each([
  ['o3-mini-high', '/v1/chat/completions', { model: 'o3-mini', reasoning_effort: 'high' }],
  ['o3-mini-low', '/v1/responses', { model: 'o3-mini', reasoning: { effort: 'low' } }],
])('the effort in the name %s reaches OpenAI as a field', async (model, path, expected) => {
  await relay.addChannel({ type: 1, models: model });
  const { key, userId } = await relay.addToken();
  const response = { id: 'resp_1', object: 'response', status: 'completed', output: [] };
  relay.upstream.script({}, json(path.includes('chat') ? chatCall('f', '{}') : response));
  await relay.post(path, key, { model, messages: [{ role: 'user', content: 'hi' }], input: 'hi' });
  expect(relay.upstream.requests[0]?.body).toMatchObject(expected);
  const [row] = await relay.logsOf(userId, 1);
  expect(row?.other['reasoning_effort']).toBe(model.split('-').at(-1));
});

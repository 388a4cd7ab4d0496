/** A conversation is longer than the model's context: each client gets the error in the wording that its agents react to. */
import { events, json } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), {
  values: { SelfUseModeEnabled: true, AutomaticDisableChannelEnabled: true, RetryTimes: 3 },
});

type Json = Record<string, unknown>;

/**
 * The refusals as public threads quote them (claude-code-router#1799, cc-haha#1162, mulder#192; September 2026; OpenRouter: refly#1177,
 * July 2025; llama.cpp#19774, February 2026).
 */
const refusals = {
  OpenAI: [400, 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
  vLLM: [
    400,
    "This model's maximum context length is 102400 tokens. However, you requested 107837 tokens (99645 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
  ],
  Anthropic: [400, 'prompt is too long: 210000 tokens > 200000 maximum'],
  Gemini: [400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
  Kimi: [401, 'k3-256k supports only 256K context.'],
  OpenRouter: [
    400,
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 42832 tokens (42832 of text input). Please reduce the length of either one.",
  ],
  'llama.cpp': [400, 'request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it'],
} as const;
type Provider = keyof typeof refusals;
const types: Readonly<Record<Provider, number>> = {
  OpenAI: 1,
  vLLM: 62,
  Anthropic: 14,
  Gemini: 24,
  Kimi: 25,
  OpenRouter: 20,
  'llama.cpp': 4,
};

const clients = {
  chat: ['/v1/chat/completions', { model: 'm', messages: userMessage('hi') }],
  Messages: ['/v1/messages', { model: 'm', max_tokens: 10, messages: userMessage('hi') }],
  Gemini: ['/v1beta/models/m:generateContent', { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
  Responses: ['/v1/responses', { model: 'm', input: 'hi' }],
} as const;
type Client = keyof typeof clients;

const messagesWords: Readonly<Record<Provider, string>> = {
  OpenAI: 'prompt is too long: ',
  vLLM: 'input length and `max_tokens` exceed context limit: 99645 + 8192 > 102400',
  Anthropic: 'prompt is too long: 210000 tokens > 200000 maximum',
  Gemini: 'prompt is too long: 1200000 tokens > 1048576 maximum',
  Kimi: 'prompt is too long: ',
  OpenRouter: 'prompt is too long: 42832 tokens > 32768 maximum',
  'llama.cpp': 'prompt is too long: 4390 tokens > 4096 maximum',
};

const errorIn = (client: Client, provider: Provider): object => {
  if (client === 'Messages')
    return { type: 'invalid_request_error', message: expect.stringContaining(messagesWords[provider]) as string };
  if (client === 'Gemini') return { code: 400, status: 'INVALID_ARGUMENT' };
  return { code: 'context_length_exceeded', type: 'invalid_request_error' };
};

const pairs = (Object.keys(refusals) as Provider[]).flatMap((provider) =>
  (Object.keys(clients) as Client[]).map((client) => [provider, client] as const),
);

it.each(pairs)('%s to a %s client, at one channel, and no key suffers', async (provider, client) => {
  const [status, message] = refusals[provider];
  await relay.addChannel({ type: types[provider], models: 'm', key: 'one,two' });
  await relay.addChannel({ type: types[provider], models: 'm' });
  const { key } = await relay.addToken();
  relay.upstream.script(
    {},
    json(
      { error: { message, type: status === 401 ? 'authentication_error' : 'invalid_request_error', code: null } },
      status,
    ),
  );
  const [path, body] = clients[client];
  const response = await relay.post(path, key, body);
  const { error } = (await response.json()) as { error: Json };
  expect([response.status, error]).toEqual([400, expect.objectContaining(errorIn(client, provider))]);
  expect(relay.upstream.requests).toHaveLength(1);
  expect([relay.health.cooldowns, relay.disabled]).toEqual([[], []]);
});

it.each(['OpenAI', 'vLLM', 'Anthropic'] as const)('%s to a stream of Responses: response.failed', async (provider) => {
  const [status, message] = refusals[provider];
  await relay.addChannel({ type: types[provider], models: 'm' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json({ error: { message, type: 'invalid_request_error', code: null } }, status));
  const response = await relay.post('/v1/responses', key, { ...clients.Responses[1], stream: true });
  const text = await response.text();
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('event-stream'),
  ]);
  const [event, data = ''] = text.split('\n');
  expect(event).toBe('event: response.failed');
  expect(JSON.parse(data.slice(6))).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'context_length_exceeded' } },
  });
});

it('is read from an event of a provider that has begun its stream', async () => {
  await relay.addChannel({ type: 62, models: 'm' });
  const { key } = await relay.addToken();
  const [, message] = refusals.vLLM;
  relay.upstream.script(
    { path: '/v1/chat' },
    events([JSON.stringify({ error: { message, type: 'BadRequestError', code: 400 } })]),
  );
  const response = await relay.post('/v1beta/models/m:streamGenerateContent?alt=sse', key, clients.Gemini[1]);
  expect(await response.text()).toContain(
    'The input token count (99645) exceeds the maximum number of tokens allowed (102400)',
  );
  expect(relay.health.cooldowns).toEqual([]);
});

it('is no wider than its beginning: words of a client are no overflow', async () => {
  await relay.addChannel({ models: 'm' });
  const { key } = await relay.addToken();
  const message = 'Invalid value: "prompt is too long: 1 tokens > 0 maximum"';
  relay.upstream.script({}, json({ error: { message, type: 'invalid_request_error', code: 'invalid_value' } }, 400));
  const response = await relay.chat(key, clients.chat[1]);
  expect(((await response.json()) as { error: Json }).error).toMatchObject({ code: 'invalid_value' });
});

/** The relay asks providers that count tokens in the client's dialect, and counts itself for all others. */
import { json } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

const model = 'claude-sonnet-4-20250514';
const body = { model, messages: userMessage('Hello, Claude'), system: 'You are terse.' };
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const geminiPath = '/v1beta/models/gemini-2.5-flash:countTokens';

const countOf = async (key: string, path: string, given: object, headers: Record<string, string> = {}) => {
  const response = await relay.post(path, key, given, { headers });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
};

it('Anthropic counts for its own clients, and nothing is charged', async () => {
  await relay.addChannel({ models: 'alias', type: 14, mapping: `{"alias":"${model}"}` });
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, json({ input_tokens: 321, context_management: { original_input_tokens: 400 } }));
  const path = '/v1/messages/count_tokens?beta=true';
  const counted = await countOf(key, path, { ...body, model: 'alias' }, { 'anthropic-beta': 'context-1m-2025-08-07' });
  expect(counted).toEqual({ input_tokens: 321, context_management: { original_input_tokens: 400 } });
  const [request] = relay.upstream.requests;
  expect(request).toMatchObject({ path: '/v1/messages/count_tokens', body });
  expect(request?.headers['anthropic-beta']).toBe('context-1m-2025-08-07');
  expect(await relay.logs(userId)).toEqual([]);
});

it('Anthropic counts for clients that are fixed to Vertex AI', async () => {
  await relay.addChannel({ models: model, type: 14 });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json({ input_tokens: 9 }));
  const path = '/v1/projects/p/locations/us-east5/publishers/anthropic/models/count-tokens:rawPredict';
  expect(await countOf(key, path, { ...body, anthropic_version: 'vertex-2023-10-16' })).toEqual({ input_tokens: 9 });
  const [request] = relay.upstream.requests;
  expect([request?.path, request?.body]).toEqual(['/v1/messages/count_tokens', body]);
});

it('Bedrock counts for the model, in its own form', async () => {
  await relay.addChannel({ models: model, type: 33, key: 'AKIAFAKE|secret-fake|us-east-1' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json({ inputTokens: 17 }));
  expect(await countOf(key, '/v1/messages/count_tokens', body)).toEqual({ input_tokens: 17 });
  const [request] = relay.upstream.requests;
  expect(request?.path).toBe('/model/anthropic.claude-sonnet-4-20250514-v1%3A0/count-tokens');
  expect(request?.headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIAFAKE/);
  const { input } = request?.body as { input: { invokeModel: { body: string } } };
  expect(JSON.parse(Buffer.from(input.invokeModel.body, 'base64').toString())).toEqual({
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 1,
    messages: body.messages,
    system: body.system,
  });
});

it('Gemini counts for its own clients', async () => {
  await relay.addChannel({ models: 'gemini-2.5-flash', type: 24 });
  const { key } = await relay.addToken();
  const native = { totalTokens: 321, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 321 }] };
  relay.upstream.script({}, json(native));
  expect(await countOf(key, geminiPath, { contents })).toEqual(native);
  expect(relay.upstream.requests[0]).toMatchObject({ path: geminiPath, body: { contents } });
});

describe('a whole request of a Gemini client', () => {
  const systemInstruction = { parts: [{ text: 'You are terse.' }] };
  const tools = [{ functionDeclarations: [{ name: 'f' }] }];
  const whole = { contents, systemInstruction, tools };

  it.each([
    ['in its own field', { generateContentRequest: { model: 'models/gemini-2.5-flash', ...whole } }],
    ['in its own field, as protobuf names it', { generate_content_request: whole }],
    ['as Vertex takes it', whole],
  ])('%s is counted by the Gemini API with everything in it', async (_what, given) => {
    await relay.addChannel({ models: 'gemini-2.5-flash', type: 24, mapping: '{"gemini-2.5-flash":"gemini-2.5-pro"}' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json({ totalTokens: 77 }));
    expect(await countOf(key, geminiPath, given)).toEqual({ totalTokens: 77 });
    expect(relay.upstream.requests.map(({ path, body: sent }) => [path, sent])).toEqual([
      [
        '/v1beta/models/gemini-2.5-pro:countTokens',
        { generateContentRequest: { ...whole, model: 'models/gemini-2.5-pro' } },
      ],
    ]);
  });

  it('is counted here where no channel counts', async () => {
    await relay.addChannel({ models: 'gemini-2.5-flash', type: 1 });
    const { key } = await relay.addToken();
    const count = async (given: object) => (await countOf(key, geminiPath, given))['totalTokens'] as number;
    const counted = await count({ generateContentRequest: whole });
    expect(counted).toBe(await count(whole));
    expect(counted).toBeGreaterThan(await count({ contents }));
  });
});

it.each([
  ['refuses', json({ error: { message: 'overloaded' } }, 529)],
  ['responds with something else', json({ ok: true })],
  ['responds with no JSON', json(Buffer.from('<html>'))],
])('the count is estimated here when the provider %s', async (_what, reply) => {
  relay.setOptions({ RetryTimes: 0 });
  await relay.addChannel({ models: model, type: 14 });
  const { key } = await relay.addToken();
  relay.upstream.script({}, reply);
  expect(await countOf(key, '/v1/messages/count_tokens', body)).toEqual({ input_tokens: 10 });
});

it('a channel that counts is asked, whichever would serve the call', async () => {
  await relay.addChannel({ models: model, type: 1, priority: 9 });
  await relay.addChannel({ models: model, type: 14, priority: 1 });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json({ input_tokens: 5 }));
  expect(await countOf(key, '/v1/messages/count_tokens', body)).toEqual({ input_tokens: 5 });
  expect(relay.upstream.requests.map(({ path }) => path)).toEqual(['/v1/messages/count_tokens']);
});

it('a count gives its place at a channel back', async () => {
  await relay.addChannel({ models: model, type: 14, limits: { channel: { concurrent_calls: 1 } } });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json({ input_tokens: 321 }));
  for (let count = 0; count < 3; count++) {
    expect(await countOf(key, '/v1/messages/count_tokens', body)).toEqual({ input_tokens: 321 });
  }
});

describe('a provider limits counts apart from calls, so a count', () => {
  const countPath = '/v1/messages/count_tokens';
  const cooldownReasons = () => relay.health.cooldowns.map(({ reason }) => reason);
  const said = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [{ type: 'text', text: 'ok' }] };
  const served = json({ ...said, stop_reason: 'end_turn', usage: { input_tokens: 3, output_tokens: 1 } });
  const refused = (status: number, type: string) =>
    json({ type: 'error', error: { type, message: 'no' } }, status, { 'retry-after': '60' });
  const isCount = ({ path }: { path: string }): boolean => path.startsWith(countPath);
  beforeEach(() => relay.endCooldowns());

  it.each([
    [429, 'rate_limit_error'],
    [529, 'overloaded_error'],
  ])('that is answered %i begins no cooldown', async (status, type) => {
    relay.setOptions({ RetryTimes: 0 });
    await relay.addChannel({ models: model, type: 14 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, refused(status, type));
    for (let count = 0; count < 4; count++) expect(await countOf(key, countPath, body)).toEqual({ input_tokens: 10 });
    expect(cooldownReasons()).toEqual([]);
    relay.upstream.script({}, served);
    expect((await relay.post('/v1/messages', key, { ...body, max_tokens: 5 })).status).toBe(200);
  });

  it('that succeeds between failing calls says nothing about them', async () => {
    relay.setOptions({ RetryTimes: 0 });
    await relay.addChannel({ models: model, type: 14 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, (response, request) =>
      (isCount(request) ? json({ input_tokens: 5 }) : refused(500, 'api_error'))(response, request),
    );
    for (let turn = 0; turn < 3; turn++) {
      expect(await countOf(key, countPath, body)).toEqual({ input_tokens: 5 });
      expect((await relay.post('/v1/messages', key, { ...body, max_tokens: 5 })).status).toBe(500);
    }
    expect(cooldownReasons()).toEqual(['FAILING']);
  });
});

it('a client of another dialect is counted for here', async () => {
  await relay.addChannel({ models: 'gemini-2.5-flash', type: 24 });
  const { key } = await relay.addToken();
  const given = { ...body, model: 'gemini-2.5-flash' };
  expect(await countOf(key, '/v1/messages/count_tokens', given)).toEqual({ input_tokens: 10 });
  expect(relay.upstream.requests).toEqual([]);
});

/** Clients that are fixed to Claude at Bedrock or Vertex AI, with the requests of their SDKs, at every kind of channel. */
import { frameCodec } from '../../server/src/dialects/wire/aws-frames.js';
import { type Frame, framesOf } from '../support/aws-frames.js';
import { says } from '../support/upstream/families.js';
import { chat, json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

const model = 'claude-sonnet-4-5-20250929';
const bedrockId = `us.anthropic.${model}-v1:0`;
const path = (method: string, id = bedrockId): string => `/model/${encodeURIComponent(id)}/${method}`;
/** As @anthropic-ai/bedrock-sdk sends it: betas and version are in the body, model and stream in the path. */
const body = {
  anthropic_version: 'bedrock-2023-05-31',
  anthropic_beta: ['context-1m-2025-08-07'],
  max_tokens: 50,
  messages: userMessage('hi'),
};
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  stop_reason: 'end_turn',
  stop_sequence: null,
  content: [{ type: 'text', text: 'Hello' }],
  usage: { input_tokens: 10, output_tokens: 2 },
};

const streamed = async (key: string, given: object = body, id = bedrockId) => {
  const response = await relay.post(path('invoke-with-response-stream', id), key, given);
  return { response, frames: framesOf(Buffer.from(await response.arrayBuffer())) };
};
const said = (frames: readonly Frame[]): string =>
  frames.map(({ data }) => (data['delta'] as { text?: string } | undefined)?.text ?? '').join('');

const frame = (event: object): Uint8Array =>
  frameCodec.encode({
    headers: { ':message-type': { type: 'string', value: 'event' } },
    body: Buffer.from(JSON.stringify({ bytes: Buffer.from(JSON.stringify(event)).toString('base64') })),
  });
/** The answer of any provider, Bedrock too. */
const hello: Reply = (response, request) => {
  if (!request.path.startsWith('/model/')) return says({ text: 'Hello' })(response, request);
  if (request.path.endsWith('/invoke')) return json(message)(response, request);
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
  for (const event of helloEvents) response.write(frame(event));
  response.end();
};
const helloEvents = [
  { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];

const channels = [
  ['Anthropic', { type: 14 }],
  ['Bedrock', { type: 33, key: 'AK|SK|us-east-1' }],
  ['OpenAI', { type: 1 }],
  ['Gemini', { type: 24 }],
  ['DeepSeek', { type: 43 }],
  ['Mistral', { type: 42 }],
] as const;

describe('clients of Bedrock', () => {
  it.each(channels)('are streamed to in AWS’s frames: %s', async (_name, channel) => {
    await relay.addChannel({ ...channel, models: model });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, hello);
    const { response, frames } = await streamed(key);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/vnd.amazon.eventstream',
    ]);
    expect(frames.map(({ headers }) => headers)).toEqual(
      frames.map(() => ({ ':message-type': 'event', ':event-type': 'chunk', ':content-type': 'application/json' })),
    );
    expect(frames.map(({ data }) => data['type'])).toEqual(
      expect.arrayContaining(['message_start', 'content_block_start', 'content_block_stop', 'message_delta']),
    );
    expect(frames.at(-1)?.data['type']).toBe('message_stop');
    expect(said(frames)).toBe('Hello');
    await relay.idle();
    expect(await relay.logs(userId)).toMatchObject([{ model_name: model, is_stream: true }]);
  });

  it.each(channels)('get a whole message: %s', async (_name, channel) => {
    await relay.addChannel({ ...channel, models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, hello);
    const response = await relay.post(path('invoke'), key, body);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ type: 'message', content: [{ type: 'text', text: 'Hello' }] });
  });

  it('send betas and the version in the body, which Anthropic wants in headers', async () => {
    await relay.addChannel({ type: 14, models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(message));
    const headers = { 'anthropic-beta': 'claude-code-20250219,context-1m-2025-08-07' };
    const response = await relay.post(path('invoke'), key, body, { headers });
    expect(await response.json()).toEqual(message);
    const [request] = relay.upstream.requests;
    expect(request?.body).toEqual({ model, stream: false, max_tokens: 50, messages: body.messages });
    expect(request?.headers).toMatchObject({
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'claude-code-20250219,context-1m-2025-08-07',
    });
  });

  it('name betas at Anthropic’s own path, where text that is no name is left out', async () => {
    await relay.addChannel({ type: 14, models: 'claude-sonnet-4-5' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(message));
    const given = { ...body, model: 'claude-sonnet-4-5', anthropic_beta: ['a\nb', '中', 'context-1m-2025-08-07'] };
    expect((await relay.post('/v1/messages', key, given)).status).toBe(200);
    expect(relay.upstream.requests[0]?.headers['anthropic-beta']).toBe('context-1m-2025-08-07');
  });

  it('name betas to Bedrock that are not known here', async () => {
    await relay.addChannel({ type: 33, key: 'AK|SK|us-east-1', models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(message));
    await relay.post(path('invoke'), key, { ...body, anthropic_beta: ['invented-2099-01-01'] });
    expect(relay.upstream.requests[0]?.body).toMatchObject({ anthropic_beta: ['invented-2099-01-01'] });
  });

  it.each([
    [bedrockId, model],
    [`anthropic.${model}-v1:0`, model],
    ['global.anthropic.claude-opus-4-6-v1', 'claude-opus-4-6'],
    ['eu.anthropic.claude-opus-4-7', 'claude-opus-4-7'],
    [`arn:aws:bedrock:us-east-1:123456789012:inference-profile/${bedrockId}`, model],
    ['gpt-4o', 'gpt-4o'],
    ['vendor/model', 'vendor/model'],
  ])('find %s under the name that is offered', async (id, offered) => {
    await relay.addChannel({ type: 14, models: offered });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(message));
    expect((await relay.post(path('invoke', id), key, body)).status).toBe(200);
    expect(relay.upstream.requests[0]?.body?.model).toBe(offered);
  });

  it('get the model under Bedrock’s name where a channel offers that', async () => {
    await relay.addChannel({ type: 14, models: `${model},${bedrockId}` });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(message));
    await relay.post(path('invoke'), key, body);
    expect(relay.upstream.requests[0]?.body?.model).toBe(bedrockId);
  });

  it('count tokens in their own form', async () => {
    await relay.addChannel({ type: 1, models: model });
    const { key } = await relay.addToken();
    const encoded = Buffer.from(JSON.stringify(body)).toString('base64');
    const count = (input: object) => relay.post(path('count-tokens'), key, { input });
    const response = await count({ invokeModel: { body: encoded } });
    expect([response.status, await response.json()]).toEqual([200, { inputTokens: expect.any(Number) as number }]);
    const converse = await count({ converse: { messages: [{ role: 'user', content: [{ text: 'hi' }] }] } });
    expect([converse.status, await converse.json()]).toEqual([200, { inputTokens: expect.any(Number) as number }]);
    const refused = await count({});
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { message: expect.stringContaining('input.invokeModel.body') as string },
    ]);
  });
});

describe('errors of clients of Bedrock', () => {
  const refusal = (text: string) => ({ message: expect.stringContaining(text) as string });

  it.each([
    ['a model that nobody offers', {}, 'amazon.titan', 503, 'ServiceUnavailableException', 'amazon.titan'],
    ['no messages', { messages: [] }, bedrockId, 400, 'ValidationException', 'messages'],
    ['betas as text', { anthropic_beta: 'x' }, bedrockId, 400, 'ValidationException', 'anthropic_beta'],
    ['betas that are no names', { anthropic_beta: ['a\nb'] }, bedrockId, 400, 'ValidationException', 'anthropic_beta'],
  ])('have Bedrock’s form: %s', async (_what, change, id, status, type, text) => {
    await relay.addChannel({ type: 14, models: model });
    const { key } = await relay.addToken();
    for (const method of ['invoke', 'invoke-with-response-stream']) {
      const response = await relay.post(path(method, id), key, { ...body, ...change });
      expect([response.status, response.headers.get('x-amzn-errortype')]).toEqual([status, type]);
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(await response.json()).toEqual(refusal(text));
    }
    expect(relay.upstream.requests).toEqual([]);
  });

  it('are those of the key', async () => {
    for (const authorization of ['Bearer sk-wrong', 'AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/bedrock']) {
      const response = await fetch(relay.url + path('invoke'), { method: 'POST', headers: { authorization } });
      expect([response.status, response.headers.get('x-amzn-errortype')]).toEqual([401, 'UnrecognizedClientException']);
      expect(await response.json()).toEqual(refusal('Invalid token'));
    }
  });

  it.each([
    ['bad JSON', 'POST', path('invoke'), '{', 400, 'ValidationException'],
    ['a body that is too large', 'POST', path('converse'), 'x'.repeat(2_000_000), 413, 'ValidationException'],
    ['a method that is not served', 'POST', path('invoke-with-tools'), '{}', 404, 'ResourceNotFoundException'],
    ['a path that is no text', 'POST', '/model/%E0%A4%A/invoke', '{}', 404, 'ResourceNotFoundException'],
    ['U+0000 in the path', 'POST', '/model/a%00/converse', '{}', 404, 'ResourceNotFoundException'],
    ['an HTTP method that no route has', 'OPTIONS', path('invoke'), null, 404, 'ResourceNotFoundException'],
  ])('have their type in the header: %s', async (_what, method, at, sent, status, type) => {
    const { key } = await relay.addToken();
    const response = await fetch(relay.url + at, { method, headers: { authorization: `Bearer ${key}` }, body: sent });
    expect([response.status, response.headers.get('x-amzn-errortype')]).toEqual([status, type]);
    expect(await response.json()).toEqual({ message: expect.any(String) as string });
  });

  it.each([
    [429, 'rate_limit_error', 'ThrottlingException', 'saturated'],
    [529, 'overloaded_error', 'ServiceUnavailableException', 'not now'],
    [400, 'invalid_request_error', 'ValidationException', 'not now'],
  ])('are those of the provider: %i', async (status, type, expected, text) => {
    await relay.addChannel({ type: 14, models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json({ type: 'error', error: { type, message: 'not now' } }, status));
    const response = await relay.post(path('invoke'), key, body);
    expect(response.headers.get('x-amzn-errortype')).toBe(expected);
    expect(await response.json()).toEqual(refusal(text));
  });

  it('say that the prompt is too long in the words that Claude Code acts on', async () => {
    await relay.addChannel({ type: 1, models: model });
    const { key } = await relay.addToken();
    const says =
      "This model's maximum context length is 102400 tokens. However, you requested 207837 tokens (199645 in the messages, 8192 in the completion)";
    relay.upstream.script({}, json({ error: { message: says, type: 'invalid_request_error' } }, 400));
    const response = await relay.post(path('invoke-with-response-stream'), key, body);
    expect([response.status, await response.json()]).toEqual([400, refusal('prompt is too long')]);
  });

  it.each([
    ['overloaded_error', 'serviceUnavailableException'],
    ['invalid_request_error', 'validationException'],
    ['api_error', 'internalServerException'],
  ])('end a stream as an exception: %s', async (type, exception) => {
    await relay.addChannel({ type: 14, models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, broken(type));
    const { response, frames } = await streamed(key);
    expect(response.status).toBe(200);
    expect(said(frames)).toBe('Hel "error" lo');
    expect(frames.at(-1)).toEqual({
      headers: { ':message-type': 'exception', ':exception-type': exception, ':content-type': 'application/json' },
      data: { message: expect.stringContaining('cut off') as string },
    });
  });
});

/** A stream that fails after its first words, which contain a quoted word like that of an error. */
const broken =
  (type: string): Reply =>
  (response) => {
    const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel "error" lo' } };
    const start = { ...message, content: [], stop_reason: null };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of [
      { type: 'message_start', message: start },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      delta,
      { type: 'error', error: { type, message: 'cut off' } },
    ])
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  };

describe('a silent provider', () => {
  it('does not silence the stream of a client of Bedrock', async () => {
    relay.setOptions({ SelfUseModeEnabled: true, 'general_setting.ping_interval_seconds': 1 });
    await relay.addChannel({ type: 1, models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, (response, request) => {
      setTimeout(() => void chat({ text: 'Hello' })(response, request), 2500);
    });
    const { frames } = await streamed(key);
    expect(frames[0]?.data).toEqual({ type: 'ping' });
    expect([said(frames), frames.at(-1)?.data['type']]).toEqual(['Hello', 'message_stop']);
  });

  it('does not silence a stream of Converse: AWS’s SDKs leave out the frames that they do not know', async () => {
    relay.setOptions({ SelfUseModeEnabled: true, 'general_setting.ping_interval_seconds': 1 });
    await relay.addChannel({ type: 1, models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, (response, request) => {
      setTimeout(() => void chat({ text: 'Hello' })(response, request), 2500);
    });
    const asking = { messages: [{ role: 'user', content: [{ text: 'hi' }] }] };
    const response = await relay.post(path('converse-stream'), key, asking);
    const types = framesOf(Buffer.from(await response.arrayBuffer())).map(({ headers }) => headers[':event-type']);
    expect(types.slice(0, 3)).toEqual(['ping', 'ping', 'messageStart']);
    expect(types.at(-1)).toBe('metadata');
  });
});

describe('clients of Vertex AI', () => {
  const project = '/v1/projects/p/locations/us-east5/publishers/anthropic/models';
  const given = { ...body, anthropic_version: 'vertex-2023-10-16' };

  it.each([
    ['claude-sonnet-4-5@20250929', model],
    ['claude-3-5-sonnet-v2@20241022', 'claude-3-5-sonnet-20241022'],
    ['claude-opus-4-6@default', 'claude-opus-4-6'],
    ['claude-opus-4-6', 'claude-opus-4-6'],
  ])('find %s under the name that is offered, with their betas', async (named, offered) => {
    await relay.addChannel({ type: 14, models: offered });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(message));
    const response = await relay.post(`${project}/${named}:rawPredict`, key, given);
    expect(await response.json()).toEqual(message);
    const [request] = relay.upstream.requests;
    expect(request?.body).toEqual({ model: offered, max_tokens: 50, messages: body.messages });
    expect(request?.headers['anthropic-beta']).toBe('context-1m-2025-08-07');
  });

  it('count under that name too', async () => {
    await relay.addChannel({ type: 14, models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json({ input_tokens: 9 }));
    const counted = { messages: body.messages, model: 'claude-sonnet-4-5@20250929' };
    const response = await relay.post(`${project}/count-tokens:rawPredict`, key, counted);
    expect(await response.json()).toEqual({ input_tokens: 9 });
    expect(relay.upstream.requests[0]).toMatchObject({ path: '/v1/messages/count_tokens', body: { model } });
  });

  it('are streamed to', async () => {
    await relay.addChannel({ type: 1, models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, chat({ text: 'Hello' }));
    const response = await relay.post(`${project}/claude-sonnet-4-5@20250929:streamRawPredict`, key, {
      ...given,
      stream: true,
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(await response.text()).toContain('"text":"Hello"');
  });
});

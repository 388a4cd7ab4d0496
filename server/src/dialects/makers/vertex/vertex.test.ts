import { createVerify, generateKeyPairSync } from 'node:crypto';
import { defaultOptionValues } from '../../../options/option-registry.js';
import type { ChatRequest, UpstreamRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import { noUsage } from '../../../shared/usage.js';
import { TextMeter } from '../../../gateway/reserve/metering/text-meter.js';
import { familySettings } from '../../../gateway/send/attempt-exchange.js';
import { chatClient } from '../../languages/openai/chat-client.js';
import { vertex, vertexCredential } from './vertex.js';
import { targetFor } from '../../../../../tests/support/relay-dialects.js';

type Json = Record<string, unknown>;

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const account = {
  type: 'service_account',
  project_id: 'proj-fake',
  private_key_id: 'kid-fake',
  // Some consoles export it with line breaks escaped twice.
  private_key: privateKey.replaceAll('\n', '\\n'),
  client_email: 'svc@proj-fake.iam.gserviceaccount.com',
};

const targetOf = (model: string, more: Partial<Target> = {}): Target =>
  targetFor({
    type: 41,
    baseUrl: 'https://ignored.example',
    key: JSON.stringify(account),
    other: 'us-central1',
    upstreamModel: model,
    requestedModel: model,
    credential: 'ya29.fake',
    now: 1_718_700_000_000,
    ...more,
  });

function send(model: string, body: Json = {}, more: Partial<Target> = {}) {
  const target = targetOf(model, more);
  const request = chatClient.parse({ body: { model, messages: [{ role: 'user', content: 'hi' }], ...body }, model });
  const written = vertex.conversation?.codec(target).write(request);
  const call = { stream: request.stream, model: written?.model ?? model };
  const sent = vertex.conversation?.toUpstreamRequest(written?.body ?? {}, call, target);
  if (!sent) throw new Error('nothing to send');
  return { ...sent, json: JSON.parse(String(sent.body)) as Json };
}

const claims = (part: string | undefined): Json => JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Json;

it('gets the betas that an admin set for a Claude model', () => {
  const model = 'claude-sonnet-4-5';
  const values = defaultOptionValues();
  const families = familySettings({
    ...values,
    'claude.model_headers_settings': {
      [model]: { 'anthropic-beta': ['web-search-2025-03-05', 'invented-2099-01-01'] },
    },
  });
  const { json, headers } = send(model, {}, { families });
  expect(json['anthropic_beta']).toEqual(['web-search-2025-03-05']);
  expect(headers['anthropic-beta']).toBe('web-search-2025-03-05');
});

describe('the token', () => {
  it('F36: is asked for by a signed assertion', () => {
    const asked = vertexCredential.toRequest(targetOf('gemini-2.0-flash'));
    expect(asked).toMatchObject({
      method: 'POST',
      url: 'https://oauth2.googleapis.com/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const form = new URLSearchParams(String(asked.body));
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [head, payload, signature] = (form.get('assertion') ?? '').split('.');
    expect(claims(head)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'kid-fake' });
    expect(claims(payload)).toEqual({
      iss: 'svc@proj-fake.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: 'https://oauth2.googleapis.com/token',
      iat: 1_718_700_000,
      exp: 1_718_703_600,
    });
    const verify = createVerify('RSA-SHA256').update(`${head}.${payload}`);
    expect(verify.verify(publicKey, signature ?? '', 'base64url')).toBe(true);
  });

  it('is read with the time it lives', () => {
    const body = Buffer.from('{"access_token":"ya29.fake","expires_in":3599,"token_type":"Bearer"}');
    const kept = vertexCredential.fromAnswer({ contentType: 'application/json', body });
    // The relay subtracts another minute, which makes five.
    expect(kept).toEqual({ credential: 'ya29.fake', secondsToLive: 3359 });
    expect(() => vertexCredential.fromAnswer({ contentType: '', body: Buffer.from('{}') })).toThrow('no access token');
  });

  it('is not needed for an API key, which is sent as it is', () => {
    const target = { key: 'AIza-fake', credential: '' };
    expect(vertexCredential.needed?.(targetOf('gemini-2.0-flash', target))).toBe(false);
    expect(vertexCredential.needed?.(targetOf('gemini-2.0-flash'))).toBe(true);
    const sent = send('gemini-2.0-flash', {}, target);
    expect(sent.url).toBe(
      'https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-2.0-flash:generateContent',
    );
    expect(sent.headers).toMatchObject({ 'x-goog-api-key': 'AIza-fake' });
    expect(sent.headers).not.toHaveProperty('authorization');
  });

  it('wants a usable key, and never shows it', () => {
    const broken = JSON.stringify({ ...account, private_key: 'not a key' });
    expect(() => vertexCredential.toRequest(targetOf('m', { key: broken }))).toThrow('no usable private key');
    expect(() => send('gemini-2.0-flash', {}, { key: '{}' })).toThrow('contains no project');
  });
});

it.each([
  [
    'claude-3-5-sonnet-20241022',
    'us-east5',
    'us-east5-aiplatform.googleapis.com/v1/projects/proj-fake/locations/us-east5/publishers/anthropic/models/claude-3-5-sonnet-v2@20241022:rawPredict',
  ],
  [
    'claude-sonnet-4-5-20250929',
    'global',
    'aiplatform.googleapis.com/v1/projects/proj-fake/locations/global/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict',
  ],
  [
    'claude-opus-4-1',
    'eu',
    'aiplatform.eu.rep.googleapis.com/v1/projects/proj-fake/locations/eu/publishers/anthropic/models/claude-opus-4-1:rawPredict',
  ],
  [
    'gemini-2.5-pro',
    '{"default":"us-west1"}',
    'us-west1-aiplatform.googleapis.com/v1/projects/proj-fake/locations/us-west1/publishers/google/models/gemini-2.5-pro:generateContent',
  ],
])('%s in %s', (model, other, url) => {
  expect(send(model, {}, { other }).url).toBe(`https://${url}`);
});

it('needs a region that is one, and a model that somebody made', () => {
  expect(() => send('gemini-2.0-flash', {}, { other: '' })).toThrow('no region');
  expect(() => send('gemini-2.0-flash', {}, { other: '{"claude-x":"us-east5"}' })).toThrow('no region');
  expect(() => send('gemini-2.0-flash', {}, { other: 'evil.example/' })).toThrow('no region');
  expect(() => send('gpt-4o')).toThrow('has no such model');
});

it('speaks each maker’s dialect', () => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];
  const history = [
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: '1' },
  ];
  const gemini = send('gemini-2.5-flash', { tools, messages: history });
  expect(JSON.stringify(gemini.json['contents'])).not.toContain('"c1"');
  const claude = send('claude-sonnet-4-20250514', { stream: true, max_tokens: 9 });
  expect(claude.json).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true, max_tokens: 9 });
  expect(claude.json).not.toHaveProperty('model');
  const llama = send('meta/llama3-405b-instruct-maas', { seed: 1 });
  expect(llama.json).toMatchObject({ model: 'meta/llama3-405b-instruct-maas', seed: 1 });
});

describe('a client of the maker’s dialect', () => {
  const { messages, generate, countMessages, countContents } = vertex;
  const claude = targetOf('claude-sonnet-4-5-20250929');
  const gemini = targetOf('gemini-2.5-flash');
  const requestOf = (body: Json, more: Partial<ChatRequest> = {}): ChatRequest => ({
    path: '/v1/messages',
    body,
    rawBody: Buffer.from(JSON.stringify(body)),
    stream: false,
    wantsUsage: true,
    ...more,
  });
  const bodyOf = (sent: UpstreamRequest | undefined): Json => JSON.parse(String(sent?.body)) as Json;
  const hi = [{ role: 'user', content: 'hi' }];
  const withBlock = (block: Json) => ({ messages: [{ role: 'user', content: [block] }] });
  const image = { type: 'image', source: { type: 'url', url: 'https://a.example/a.png' } };
  const file = (fileUri: string) => ({ contents: [{ parts: [{ text: 'see' }, { fileData: { fileUri } }] }] });

  it('is served in it at models of that maker, unless media would have to be fetched', () => {
    expect(messages?.serves?.({ messages: hi }, claude)).toBe(true);
    expect(messages?.serves?.({ messages: hi }, gemini)).toBe(false);
    expect(messages?.serves?.(withBlock(image), claude)).toBe(false);
    expect(messages?.serves?.(withBlock({ type: 'tool_result', content: [image] }), claude)).toBe(false);
    const inline = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } };
    expect(messages?.serves?.(withBlock(inline), claude)).toBe(true);
    expect(generate?.serves?.({ contents: [] }, gemini)).toBe(true);
    expect(generate?.serves?.({ contents: [] }, claude)).toBe(false);
    expect(generate?.serves?.(file('gs://bucket/a.png'), gemini)).toBe(true);
    expect(generate?.serves?.(file('https://a.example/a.png'), gemini)).toBe(false);
    expect(messages?.serves?.({ messages: hi }, targetOf('gpt-4o'))).toBe(false);
  });

  it('caches the whole prompt by its last block that can be cached', () => {
    const mark = { type: 'ephemeral', ttl: '1h' };
    const turn = (content: unknown) => [...hi, { role: 'assistant', content }];
    const sent = (messagesGiven: unknown[]) =>
      bodyOf(
        messages?.toUpstreamRequest(requestOf({ max_tokens: 5, messages: messagesGiven, cache_control: mark }), claude),
      );
    expect(sent(hi)).toEqual({
      anthropic_version: 'vertex-2023-10-16',
      max_tokens: 5,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: mark }] }],
    });
    const thinking = { type: 'thinking', thinking: 't', signature: 'claude#x' };
    const text = { type: 'text', text: 'a' };
    expect(sent(turn([text, thinking]))['messages']).toEqual(turn([{ cache_control: mark, ...text }, thinking]));
  });

  it('is not served where Vertex lacks what it asks for', () => {
    const call = (more: Json) => () =>
      messages?.toUpstreamRequest(requestOf({ max_tokens: 5, messages: hi, ...more }), claude);
    expect(call({ mcp_servers: [{ name: 'm' }] })).toThrow(/mcp_servers is not supported/);
    expect(call({ inference_geo: 'us' })).toThrow(/inference_geo is not supported/);
    expect(call({ mcp_servers: [], container: null })).not.toThrow();
    const search = requestOf({ contents: [], tools: [{ fileSearch: {} }] });
    expect(() => generate?.toUpstreamRequest(search, gemini)).toThrow(/tools\[0\].fileSearch is not supported/);
  });

  it('sends no id of a part, in either spelling', () => {
    const parts = [
      { function_call: { id: '1', name: 'f' } },
      { executableCode: { id: '2', code: 'c' }, partMetadata: { a: 1 } },
      { codeExecutionResult: { id: '3', outcome: 'OUTCOME_OK' } },
      { text: 'id' },
    ];
    const request = requestOf({ contents: [{ role: 'model', parts }], model: 'models/x' });
    expect(bodyOf(generate?.toUpstreamRequest(request, gemini))).toEqual({
      contents: [
        {
          role: 'model',
          parts: [
            { function_call: { name: 'f' } },
            { executableCode: { code: 'c' } },
            { codeExecutionResult: { outcome: 'OUTCOME_OK' } },
            { text: 'id' },
          ],
        },
      ],
    });
  });

  it('counts what would be sent', () => {
    const cached = { type: 'ephemeral', scope: 'global' };
    const system = [{ type: 'text', text: 'S', cache_control: cached }];
    const foreign = { role: 'assistant', content: [{ type: 'thinking', thinking: 't', signature: '' }] };
    const count = requestOf({ model: 'x', system, messages: [...hi, foreign] });
    expect(bodyOf(countMessages?.toUpstreamRequest(count, claude))).toEqual({
      model: 'claude-sonnet-4-5@20250929',
      messages: hi,
      system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }],
    });
    const contents = [{ parts: [{ functionCall: { id: '1', name: 'f' } }] }];
    const whole = requestOf({ model: 'models/x', contents, systemInstruction: { parts: [] } });
    expect(bodyOf(countContents?.toUpstreamRequest(whole, gemini))).toEqual({
      contents: [{ role: 'user', parts: [{ functionCall: { name: 'f' } }] }],
      systemInstruction: { parts: [] },
    });
  });

  it('gets none of Vertex’s own events, wherever the network cuts the bytes', () => {
    const event = (given: Json): string => `event: ${String(given['type'])}\ndata: ${JSON.stringify(given)}\n\n`;
    const start = event({ type: 'message_start', message: { usage: { input_tokens: 9, output_tokens: 1 } } });
    const said = event({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: '{"type":"vertex_event"}' },
    });
    const own = event({ type: 'vertex_event', usage: { input_tokens: 50, output_tokens: 50 } });
    const end = event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } });
    const stop = event({ type: 'message_stop' });
    const bytes = Buffer.from([own, start, own, said, own, end, stop, own].join(''));
    for (let at = 0; at <= bytes.length; at++) {
      const stream = messages?.openStream(requestOf({}), claude, new TextMeter('m', 0));
      if (!stream) throw new Error('no stream');
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)].map((piece) => String(stream.push(piece) ?? ''));
      const text = pieces.join('') + String(stream.end() ?? '') + String(stream.closing(noUsage));
      if (text !== [start, said, end, stop].join('')) throw new Error(`differs when cut at ${at}: ${text}`);
      expect(stream.usage()).toMatchObject({ promptTokens: 9, completionTokens: 4 });
    }
  });
});

describe('embeddings', () => {
  const ask = (model: string, input: unknown) => {
    const body = { model, input, dimensions: 8 };
    const request = { path: '/v1/embeddings', body, rawBody: Buffer.from(JSON.stringify(body)), form: null };
    return { request, sent: vertex.embeddings?.toUpstreamRequest(request, targetOf(model)) };
  };

  it('are predictions', () => {
    const { request, sent } = ask('text-embedding-005', ['a', 'b']);
    expect(sent?.url).toMatch(/publishers\/google\/models\/text-embedding-005:predict$/);
    expect(JSON.parse(String(sent?.body))).toEqual({
      instances: [{ content: 'a' }, { content: 'b' }],
      parameters: { outputDimensionality: 8 },
    });
    const predictions = [1, 2].map((value) => ({ embeddings: { values: [value], statistics: { token_count: 3 } } }));
    const answer = { contentType: 'application/json', body: Buffer.from(JSON.stringify({ predictions })) };
    const told = vertex.embeddings?.fromUpstreamResponse(answer, request, targetOf('text-embedding-005'));
    expect(JSON.parse(String(told?.body))).toMatchObject({
      data: [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [2] },
      ],
    });
    expect(told?.usage).toMatchObject({ promptTokens: 6 });
  });

  it('of Gemini are one text a call', () => {
    const { request, sent } = ask('gemini-embedding-001', 'a');
    expect(sent?.url).toMatch(/gemini-embedding-001:embedContent$/);
    const answer = { contentType: 'application/json', body: Buffer.from('{"embedding":{"values":[1]}}') };
    const told = vertex.embeddings?.fromUpstreamResponse(answer, request, targetOf('gemini-embedding-001'));
    expect(JSON.parse(String(told?.body))).toMatchObject({ data: [{ index: 0, embedding: [1] }] });
    expect(told?.usage).toBeNull();
    expect(() => ask('gemini-embedding-001', ['a', 'b'])).toThrow('one text per call');
  });
});

it('pictures are Imagen’s', () => {
  const body = { prompt: 'cat', n: 2, size: '1792x1024', quality: 'hd' };
  const request = { path: '/v1/images/generations', body, rawBody: Buffer.from('{}'), form: null };
  const target = targetOf('imagen-4.0-generate-001');
  const sent = vertex.images?.toUpstreamRequest(request, target);
  expect(sent?.dropped).toEqual(['quality']);
  expect(JSON.parse(String(sent?.body))).toMatchObject({
    instances: [{ prompt: 'cat' }],
    parameters: { sampleCount: 2, aspectRatio: '16:9' },
  });
  const read = (predictions: unknown) =>
    vertex.images?.fromUpstreamResponse(
      { contentType: 'application/json', body: Buffer.from(JSON.stringify({ predictions })) },
      request,
      target,
    );
  const told = read([{ raiFilteredReason: 'no' }, { bytesBase64Encoded: 'AA' }]);
  expect(JSON.parse(String(told?.body))).toEqual({ created: 1_718_700_000, data: [{ b64_json: 'AA' }] });
  expect(() => read([{ raiFilteredReason: 'no' }])).toThrow('No image was generated');
});

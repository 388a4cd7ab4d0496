import { createVerify, generateKeyPairSync } from 'node:crypto';
import { defaultOptionValues } from '../../../modules/options/option-registry.js';
import type { Target } from '../../adapter.js';
import { familySettings } from '../../attempt/attempt.js';
import { chatClient } from '../../protocols/openai/chat-client.js';
import { vertex, vertexCredential } from './vertex.js';
import { targetOfRow } from '../../../../../tests/support/relay-dialects.js';

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

const targetOf = (model: string, more: Partial<Target> = {}): Target => ({
  channelId: 1,
  ...targetOfRow(41),
  baseUrl: 'https://ignored.example',
  key: JSON.stringify(account),
  organization: '',
  other: 'us-central1',
  createdTime: 1,
  setting: {},
  upstreamModel: model,
  requestedModel: model,
  models: [],
  forceStreamUsage: true,
  override: null,
  passThrough: false,
  families: familySettings(defaultOptionValues()),
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

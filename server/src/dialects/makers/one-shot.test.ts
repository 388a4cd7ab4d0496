import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Adapter, FormPart, OneShotCapability, OneShotRequest, UpstreamAnswer } from '../contract.js';
import type { Target } from '../target.js';
import { adapters, targetFor } from '../../../../tests/support/relay-dialects.js';

/* Embeddings, images, audio and reranking, beyond the fixtures. */

type Json = Record<string, unknown>;
type Kind = Exclude<
  keyof Adapter,
  | 'chat'
  | 'messages'
  | 'generate'
  | 'interactions'
  | 'responses'
  | 'compaction'
  | 'countMessages'
  | 'countContents'
  | 'storedResponse'
  | 'keptObjects'
  | 'conversation'
  | 'overResponses'
  | 'completions'
  | 'fim'
  | 'credential'
>;

const folder = join(import.meta.dirname, '../../../../tests/recorded');
const recorded = (name: string): Buffer => readFileSync(join(folder, name));

const targetOf = (type: number, more: Partial<Target> = {}): Target =>
  targetFor({
    type,
    baseUrl: 'https://provider.example',
    other: 'acct1',
    createdAt: new Date('2025-06-15T15:06:40Z'),
    upstreamModel: 'm',
    requestedModel: 'asked',
    now: 1_718_700_000_000,
    ...more,
  });

function capabilityOf(type: number, kind: Kind): OneShotCapability {
  const capability = adapters[type]?.[kind];
  if (!capability) throw new Error(`type ${type} does not offer ${kind}`);
  return capability;
}

function requestOf(body: Json, form: readonly FormPart[] | null = null, path = '/v1/x'): OneShotRequest {
  const whole = { model: 'asked', ...body };
  return { path, body: whole, rawBody: Buffer.from(JSON.stringify(whole)), form };
}

function send(type: number, kind: Kind, request: OneShotRequest, more: Partial<Target> = {}) {
  const sent = capabilityOf(type, kind).toUpstreamRequest(request, targetOf(type, more));
  return { ...sent, text: String(sent.body) };
}

const json = (value: unknown): UpstreamAnswer => ({
  contentType: 'application/json',
  body: Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value)),
});

function read(type: number, kind: Kind, answer: UpstreamAnswer, body: Json = {}) {
  const told = capabilityOf(type, kind).fromUpstreamResponse(answer, requestOf(body), targetOf(type));
  return { ...told, json: () => JSON.parse(String(told.body)) as Json };
}

describe('bodies', () => {
  it('go up as they came but for the model, and keep unknown fields', () => {
    const same = requestOf({ input: 'x', brand_new: 1 });
    expect(send(1, 'embeddings', same, { upstreamModel: 'asked' }).body).toBe(same.rawBody);
    expect(JSON.parse(send(1, 'embeddings', same).text)).toEqual({ model: 'm', input: 'x', brand_new: 1 });
    const overridden = send(1, 'embeddings', same, { override: { fields: { dimensions: 8 }, operations: [] } });
    expect(JSON.parse(overridden.text)).toMatchObject({ dimensions: 8, brand_new: 1 });
  });

  it('of forms are written again with the model the provider knows, files untouched', () => {
    const bytes = Buffer.from([0, 13, 10, 255, 45, 45]);
    const form: FormPart[] = [
      { name: 'model', value: 'asked' },
      { name: 'language', value: 'dé' },
      { name: 'file', value: { filename: 'a"b.wav', contentType: 'audio/wav', bytes } },
    ];
    const sent = send(1, 'transcription', requestOf({}, form, '/v1/audio/transcriptions'));
    expect(sent.url).toBe('https://provider.example/v1/audio/transcriptions');
    const [, boundary = ''] = /boundary=(.*)$/.exec(sent.headers['content-type'] ?? '') ?? [];
    const raw = (sent.body as Buffer).toString('latin1');
    const [before, ...parts] = raw.split(`--${boundary}`);
    expect([before, parts.at(-1)]).toEqual(['', '--\r\n']);
    expect(parts.slice(0, -1)).toEqual([
      '\r\ncontent-disposition: form-data; name="model"\r\n\r\nm\r\n',
      `\r\ncontent-disposition: form-data; name="language"\r\n\r\n${Buffer.from('dé').toString('latin1')}\r\n`,
      `\r\ncontent-disposition: form-data; name="file"; filename="a%22b.wav"\r\ncontent-type: audio/wav\r\n\r\n${bytes.toString('latin1')}\r\n`,
    ]);
  });

  it('name the model where the form did not', () => {
    expect(send(1, 'imageEdits', requestOf({}, [{ name: 'prompt', value: 'cat' }])).text).toContain(
      'name="model"\r\n\r\nm\r\n',
    );
  });
});

describe('answers of the family', () => {
  it('embeddings, as recorded, tell what was read', () => {
    const bytes = recorded('openai/openai-embedding.json');
    const told = read(1, 'embeddings', json(bytes));
    expect(told.body).toBe(bytes);
    expect(told.usage).toMatchObject({ promptTokens: 12, completionTokens: 0 });
  });

  it('pictures, as recorded, tell tokens where the model counts them', () => {
    expect(read(1, 'images', json(recorded('openai/openai-image.json'))).usage).toBeNull();
    const usage = {
      input_tokens: 12,
      output_tokens: 900,
      total_tokens: 912,
      input_tokens_details: { cached_tokens: 4 },
    };
    expect(read(1, 'images', json({ data: [], usage })).usage).toMatchObject({
      promptTokens: 12,
      completionTokens: 900,
      cachedTokens: 4,
    });
  });

  it('transcripts, as recorded, tell tokens and never seconds', () => {
    expect(read(1, 'transcription', json(recorded('openai/openai-transcription.json'))).usage).toBeNull();
    expect(read(1, 'transcription', json({ text: 'a', usage: { type: 'duration', seconds: 3 } })).usage).toBeNull();
    const usage = { type: 'tokens', input_tokens: 14, output_tokens: 3, input_token_details: { audio_tokens: 14 } };
    expect(read(1, 'transcription', json({ text: 'a', usage })).usage).toMatchObject({
      promptTokens: 14,
      completionTokens: 3,
      audioInputTokens: 14,
    });
  });

  it('sound and subtitles are passed on whole', () => {
    const sound = { contentType: 'audio/mpeg', body: Buffer.from([1, 2, 3]) };
    expect(read(1, 'speech', sound)).toMatchObject({ ...sound, usage: null });
    const subtitles = { contentType: 'text/vtt', body: Buffer.from('WEBVTT') };
    expect(read(1, 'translation', subtitles)).toMatchObject(subtitles);
  });

  it('errors with status 200 are errors, and what is no JSON is refused', () => {
    expect(() => read(1, 'embeddings', json({ error: { message: 'no such model' } }))).toThrow('no such model');
    expect(() => read(1, 'embeddings', json(Buffer.from('<html>')))).toThrow('not a JSON object');
  });
});

it.each([
  [3, 'embeddings', 'https://provider.example/openai/deployments/m/embeddings?api-version=acct1'],
  [17, 'rerank', 'https://provider.example/api/v1/services/rerank/text-rerank/text-rerank'],
  [26, 'images', 'https://provider.example/api/paas/v4/images/generations'],
  [40, 'images', 'https://provider.example/v1/images/generations'],
  [42, 'embeddings', 'https://provider.example/v1/embeddings'],
  [45, 'embeddings', 'https://provider.example/api/v3/embeddings'],
  [46, 'rerank', 'https://provider.example/v2/rerank'],
  [48, 'imageEdits', 'https://provider.example/v1/images/edits'],
  [39, 'images', 'https://provider.example/client/v4/accounts/acct1/ai/run/m'],
] as const)('type %i: %s go to their place', (type, kind, url) => {
  expect(send(type, kind, requestOf({ input: 'x', documents: ['a'] }, null, '/v1/embeddings')).url).toBe(url);
});

it.each([
  [38, 'chat'],
  [44, 'chat'],
  [43, 'embeddings'],
  [22, 'images'],
] as const)('type %i has no %s', (type, kind) => {
  expect(adapters[type]).toBeDefined();
  expect(adapters[type]).not.toHaveProperty(kind);
});

describe('ranking', () => {
  it('sends no empty limit and shows documents that were asked for', () => {
    const body = { query: 'q', documents: ['a', 'b'], top_n: 0, return_documents: true };
    expect(JSON.parse(send(38, 'rerank', requestOf(body)).text)).not.toHaveProperty('top_n');
    const told = read(47, 'rerank', json({ results: [{ index: 1, relevance_score: 0.5 }] }), body);
    expect(told.json()).toEqual({
      model: 'asked',
      results: [{ index: 1, relevance_score: 0.5, document: { text: 'b' } }],
    });
    expect(told.usage).toBeNull();
  });

  it('reads usage wherever it stands', () => {
    const results = [{ index: 0, relevance_score: 1 }];
    expect(read(40, 'rerank', json({ results, meta: { billed_units: { input_tokens: 4 } } })).usage).toMatchObject({
      promptTokens: 4,
    });
    expect(read(38, 'rerank', json({ results, usage: { total_tokens: 9 } })).usage).toMatchObject({ promptTokens: 9 });
    expect(read(40, 'rerank', json({ results, meta: { billed_units: { search_units: 1 } } })).usage).toBeNull();
  });

  it('at Alibaba is a form of its own', () => {
    const sent = JSON.parse(send(17, 'rerank', requestOf({ query: 'q', documents: ['a'], top_n: 2 })).text) as Json;
    expect(sent).toEqual({ model: 'm', input: { query: 'q', documents: ['a'] }, parameters: { top_n: 2 } });
    const output = { results: [{ index: 0, relevance_score: 0.9 }] };
    const told = read(17, 'rerank', json({ output, usage: { total_tokens: 5 }, request_id: 'r' }));
    expect(told.json()).toMatchObject({ id: 'r', results: output.results });
    expect(told.usage).toMatchObject({ promptTokens: 5 });
  });
});

describe('Alibaba pictures', () => {
  const next = (output: Json) => capabilityOf(17, 'images').next?.(json({ output }), targetOf(17));

  it('are asked for until they are drawn', () => {
    expect(next({ task_id: 't/1', task_status: 'PENDING' })).toMatchObject({
      request: { method: 'GET', url: 'https://provider.example/api/v1/tasks/t%2F1' },
      afterMilliseconds: 3000,
    });
    expect(next({ task_id: 't', task_status: 'SUCCEEDED' })).toBeNull();
  });

  it.each(['FAILED', 'CANCELED', 'UNKNOWN'])('%s is an error that tells why', (status) => {
    const task = { task_id: 't', task_status: status, code: 'DataInspectionFailed', message: 'not allowed' };
    expect(() => next(task)).toThrow('not allowed');
  });

  it('tell of an error in place of a task', () => {
    const answer = json({ code: 'InvalidApiKey', message: 'no key', request_id: 'r' });
    expect(() => capabilityOf(17, 'images').next?.(answer, targetOf(17))).toThrow('no key');
  });

  it('leave out those that failed, and are an error when none is left', () => {
    const failed = { code: 'InternalError', message: 'broke' };
    const told = read(17, 'images', json({ output: { results: [failed, { b64_image: 'AA' }] } }));
    expect(told.json()).toMatchObject({ data: [{ b64_json: 'AA' }] });
    expect(() => read(17, 'images', json({ output: { results: [failed] } }))).toThrow('broke');
  });
});

describe('Cloudflare', () => {
  const form: FormPart[] = [
    { name: 'file', value: { filename: 'a.wav', contentType: 'audio/wav', bytes: Buffer.from([7, 8]) } },
  ];

  it('draws one picture of a size, as bytes or inside JSON', () => {
    const sent = send(39, 'images', requestOf({ prompt: 'cat', size: '512x256', n: 1 }));
    expect(JSON.parse(sent.text)).toEqual({ prompt: 'cat', width: 512, height: 256 });
    expect(() => send(39, 'images', requestOf({ prompt: 'cat', n: 2 }))).toThrow('n must be 1');
    const png = read(39, 'images', { contentType: 'image/png', body: Buffer.from('png') });
    expect(png.json()).toEqual({ created: 1_718_700_000, data: [{ b64_json: Buffer.from('png').toString('base64') }] });
    expect(read(39, 'images', json({ result: { image: 'AA' } })).json()).toMatchObject({ data: [{ b64_json: 'AA' }] });
  });

  it('hears bytes, or base64 where the model wants it', () => {
    expect(send(39, 'transcription', requestOf({}, form)).body).toEqual(Buffer.from([7, 8]));
    const turbo = send(39, 'transcription', requestOf({ language: 'de' }, form), {
      upstreamModel: '@cf/openai/whisper-large-v3-turbo',
    });
    expect(JSON.parse(turbo.text)).toEqual({ audio: 'Bwg=', language: 'de' });
    expect(turbo.url).toMatch(/\/ai\/run\/@cf\/openai\/whisper-large-v3-turbo$/);
    expect(() => send(39, 'transcription', requestOf({}, []))).toThrow('file is required');
    expect(read(39, 'transcription', json({ result: { text: 'hi' }, success: true })).json()).toEqual({ text: 'hi' });
    expect(String(read(39, 'transcription', json({ result: { text: 'hi' } }), { response_format: 'text' }).body)).toBe(
      'hi',
    );
  });
});

describe('a transcript of Cloudflare', () => {
  const vtt = 'WEBVTT\n\n00:00.000 --> 00:01.500\nHello\n\n1:00:02.000 --> 1:00:03.250\nthere\nyou\n';
  const words = [{ word: 'Hello', start: 0, end: 1.5 }];
  const result = {
    text: 'Hello there you',
    word_count: 3,
    vtt,
    transcription_info: { language: 'en', duration: 3603.25 },
    segments: [{ start: 0, end: 1.5, text: 'Hello', temperature: 0, words }],
  };
  const shown = (format: string): { contentType: string; body: Buffer } =>
    read(39, 'transcription', json({ result, success: true }), { response_format: format });

  it('is subtitles where the client asked for them', () => {
    expect(shown('vtt')).toMatchObject({ contentType: 'text/vtt; charset=utf-8', body: Buffer.from(vtt) });
    expect([shown('srt').contentType, String(shown('srt').body)]).toEqual([
      'text/plain; charset=utf-8',
      '1\n00:00:00,000 --> 00:00:01,500\nHello\n\n2\n01:00:02,000 --> 01:00:03,250\nthere\nyou\n\n',
    ]);
    const bare = json({ result: { text: 'hi' }, success: true });
    expect(() => read(39, 'transcription', bare, { response_format: 'srt' })).toThrow('has no times');
  });

  it('has language, length, segments and words where the client asked for them', () => {
    expect(JSON.parse(String(shown('verbose_json').body))).toEqual({
      task: 'transcribe',
      language: 'en',
      duration: 3603.25,
      text: 'Hello there you',
      words,
      segments: [{ id: 0, start: 0, end: 1.5, text: 'Hello', temperature: 0 }],
    });
  });

  it('leaves out nothing in silence', () => {
    const form: FormPart[] = [
      { name: 'file', value: { filename: 'a.wav', contentType: 'audio/wav', bytes: Buffer.from([7]) } },
    ];
    const asked = { response_format: 'srt', language: 'de', temperature: '0.2' };
    expect(send(39, 'transcription', requestOf(asked, form)).dropped).toEqual(['language', 'temperature']);
    expect(() => send(39, 'transcription', requestOf({ response_format: 'diarized_json' }, form))).toThrow(
      'response_format is not supported',
    );
  });
});

describe('MiniMax', () => {
  it('speaks in hexadecimal', () => {
    const sent = send(35, 'speech', requestOf({ input: 'hi', voice: 'v', response_format: 'wav' }));
    expect(sent.url).toBe('https://provider.example/v1/t2a_v2');
    expect(JSON.parse(sent.text)).toMatchObject({ model: 'm', text: 'hi', voice_setting: { voice_id: 'v' } });
    const told = read(35, 'speech', json({ data: { audio: '010203' } }), { response_format: 'wav' });
    expect(told).toMatchObject({ contentType: 'audio/wav', body: Buffer.from([1, 2, 3]) });
    expect(() => read(35, 'speech', json({ base_resp: { status_code: 1004, status_msg: 'login' } }))).toThrow('login');
    expect(() => read(35, 'speech', json({ data: {} }))).toThrow('contains no audio');
  });

  it('embeds by its own form', () => {
    expect(JSON.parse(send(35, 'embeddings', requestOf({ input: 'a' })).text)).toEqual({
      model: 'm',
      texts: ['a'],
      type: 'db',
    });
    const told = read(35, 'embeddings', json({ vectors: [[1], [2]], total_tokens: 3 }));
    expect(told.json()).toMatchObject({
      data: [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [2] },
      ],
    });
    expect(told.usage).toMatchObject({ promptTokens: 3 });
  });
});

it('xAI pictures have a shape and no size', () => {
  const sent = send(48, 'images', requestOf({ prompt: 'cat', size: '1024x1792', n: 2 }));
  expect(sent.url).toBe('https://provider.example/v1/images/generations');
  expect(JSON.parse(sent.text)).toEqual({ model: 'm', prompt: 'cat', n: 2, aspect_ratio: '9:16' });
});

it('Ollama embeds each text, with what it was asked to', () => {
  const sent = send(4, 'embeddings', requestOf({ input: 'a', dimensions: 4, seed: 1 }));
  expect(JSON.parse(sent.text)).toEqual({ model: 'm', input: ['a'], dimensions: 4, options: { seed: 1 } });
  expect(read(4, 'embeddings', json({ embeddings: [[1]] })).usage).toBeNull();
  expect(() => read(4, 'embeddings', json({ error: 'model not found' }))).toThrow('model not found');
});

it.each([
  [17, 'embeddings', { input: 'a', dimensions: 2, user: 'u', encoding_format: 'float' }, ['user']],
  [17, 'images', { prompt: 'a', quality: 'hd', response_format: 'b64_json' }, ['quality', 'response_format']],
  [4, 'embeddings', { input: 'a', seed: 1, user: 'u' }, ['user']],
  [34, 'embeddings', { input: 'a', user: 'u', input_type: 'search_query' }, ['user']],
  [35, 'speech', { input: 'a', voice: 'v', instructions: 'slowly' }, ['instructions']],
  [48, 'images', { prompt: 'a', quality: 'hd', size: '512x512' }, ['quality', 'size']],
  [1, 'embeddings', { input: 'a', brand_new: 1 }, undefined],
  [26, 'images', { prompt: 'a', n: 1, response_format: 'b64_json' }, ['response_format']],
  [38, 'embeddings', { input: 'a', user: 'u', encoding_format: 'base64', task: 'text-matching' }, ['user']],
  [40, 'images', { prompt: 'a', n: 2, size: '512x512', quality: 'hd' }, ['quality']],
  [40, 'speech', { input: 'a', voice: 'v', instructions: 'slowly' }, ['instructions']],
  [42, 'embeddings', { input: 'a', user: 'u', dimensions: 2 }, ['user']],
  [45, 'images', { prompt: 'a', n: 1, quality: 'hd' }, ['quality']],
  [46, 'images', { prompt: 'a', partial_images: 1 }, ['partial_images']],
] as const)('type %i: %s leave nothing out in silence', (type, kind, body, dropped) => {
  expect(send(type, kind, requestOf(body)).dropped).toEqual(dropped);
});

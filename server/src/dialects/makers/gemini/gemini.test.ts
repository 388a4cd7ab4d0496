import { bodyOf, Heard, play, sse, targetFor, type Json } from '../../../../../tests/support/relay-dialects.js';
import type { ChatRequest, OneShotRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { asJsonList } from '../../languages/gemini/json-list.js';
import { gemini } from './gemini.js';

const model = 'gemini-2.5-flash';
const target = (more: Partial<Target> = {}): Target =>
  targetFor({ type: 24, key: 'g-fake', upstreamModel: model, requestedModel: model, ...more });
const { generate, images, embeddings } = gemini;
if (!generate || !images || !embeddings) throw new Error('Gemini offers them');

function request(method: string, body: Json = { contents: [{ parts: [{ text: 'hi' }] }] }): ChatRequest {
  return {
    path: `/v1beta/models/alias:${method}`,
    body,
    rawBody: Buffer.from(JSON.stringify(body)),
    stream: method.startsWith('stream'),
    wantsUsage: false,
  };
}

const once = (body: Json): OneShotRequest => ({
  path: '/v1/x',
  body,
  rawBody: Buffer.from(JSON.stringify(body)),
  form: null,
});

describe('a Gemini call on its way to Google', () => {
  it.each([
    ['generateContent', ':generateContent'],
    ['streamGenerateContent?alt=sse', ':streamGenerateContent?alt=sse'],
    ['streamGenerateContent?key=sk-client', ':streamGenerateContent?alt=sse'],
    ['countTokens', ':countTokens'],
  ])('%s keeps its body, and only the model is another', (method, path) => {
    const asked = request(method);
    const upstream = generate.toUpstreamRequest(asked, target());
    expect(upstream).toMatchObject({
      url: `https://generativelanguage.googleapis.com/v1beta/models/${model}${path}`,
      upstreamModel: model,
    });
    expect(upstream.headers['x-goog-api-key']).toBe('g-fake');
    expect(upstream.body).toBe(asked.rawBody);
  });

  it('names the mapped model wherever the body repeats it', () => {
    const batch = { requests: [{ model: 'models/alias', content: { parts: [{ text: 'a' }] } }] };
    expect(bodyOf(generate.toUpstreamRequest(request('batchEmbedContents', batch), target()))).toEqual({
      requests: [{ model: `models/${model}`, content: { parts: [{ text: 'a' }] } }],
    });
    expect(
      bodyOf(generate.toUpstreamRequest(request('embedContent', { model: 'models/alias', content: {} }), target())),
    ).toMatchObject({ model: `models/${model}` });
  });

  it('goes to the version the admin set, tuned models to their own folder', () => {
    const families = { ...target().families, geminiVersions: { default: 'v1', [model]: 'v1alpha' } };
    const url = (more: Partial<Target>): string =>
      generate.toUpstreamRequest(request('generateContent'), target({ families, ...more })).url;
    expect(url({ baseUrl: 'https://g.example/v1beta/' })).toBe(
      `https://g.example/v1alpha/models/${model}:generateContent`,
    );
    expect(url({ upstreamModel: 'tunedModels/mine' })).toBe(
      'https://generativelanguage.googleapis.com/v1/tunedModels/mine:generateContent',
    );
  });

  it('thinks by its name where the admin wants that', () => {
    const families = { ...target().families, gemini: { ...target().families.gemini, thinkingSuffix: true } };
    const upstream = generate.toUpstreamRequest(
      request('generateContent'),
      target({ families, upstreamModel: `${model}-nothinking` }),
    );
    expect(upstream.url).toContain(`models/${model}:`);
    expect(bodyOf(upstream)).toMatchObject({ generationConfig: { thinkingConfig: { thinkingBudget: 0 } } });
  });
});

describe('an answer of Google to a client of Gemini', () => {
  it('keeps its bytes, a blocked prompt too', () => {
    const body = Buffer.from('{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":3}}');
    expect(generate.fromUpstreamResponse(body, target())).toMatchObject({
      body,
      usage: { promptTokens: 3, completionTokens: 0 },
    });
  });

  it('that is an error is one', () => {
    const body = Buffer.from('{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}');
    expect(() => generate.fromUpstreamResponse(body, target())).toThrow(expect.objectContaining({ status: 429 }));
  });

  it('is a list that is whole where the client asked for no events', () => {
    const events = [
      { candidates: [{ content: { parts: [{ text: 'a' }] } }] },
      {
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, thoughtsTokenCount: 3 },
      },
    ];
    const transform = asJsonList(generate.openStream(request('streamGenerateContent'), target(), new Heard()));
    expect(JSON.parse(play(transform, sse(events)))).toEqual(events);
    expect(transform.usage()).toMatchObject({ promptTokens: 1, completionTokens: 5, reasoningTokens: 3 });
  });
});

describe('embeddings', () => {
  it('are of text, named hints are left out', () => {
    expect(embeddings.toUpstreamRequest(once({ model, input: 'a', user: 'u' }), target())).toMatchObject({
      dropped: ['user'],
    });
    expect(() => embeddings.toUpstreamRequest(once({ model, input: [[1, 2]] }), target())).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_BY_CHANNEL', field: 'input' }),
    );
    expect(() => embeddings.toUpstreamRequest(once({ model, input: [] }), target())).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });
});

describe('pictures', () => {
  const draws = target({ upstreamModel: 'gemini-2.5-flash-image' });

  it('are drawn by chat models that draw', () => {
    const upstream = images.toUpstreamRequest(once({ model: 'x', prompt: 'cat', size: '1792x1024' }), draws);
    expect(upstream.url).toContain(':generateContent');
    expect(bodyOf(upstream)).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'cat' }] }],
      generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '16:9' } },
    });
    const answer = {
      candidates: [{ content: { parts: [{ text: 'here' }, { inlineData: { mimeType: 'image/png', data: 'AA==' } }] } }],
      usageMetadata: { promptTokenCount: 5 },
    };
    const given = images.fromUpstreamResponse(
      { contentType: 'application/json', body: Buffer.from(JSON.stringify(answer)) },
      once({}),
      draws,
    );
    expect(JSON.parse(given.body.toString())).toEqual({ created: 1_763_600_000, data: [{ b64_json: 'AA==' }] });
    expect(given.usage).toMatchObject({ promptTokens: 5, completionTokens: 258 });
  });

  it('are one at a time there, and none at all is an error', () => {
    expect(() => images.toUpstreamRequest(once({ prompt: 'cat', n: 2 }), draws)).toThrow(
      expect.objectContaining({ field: 'n' }),
    );
    const filtered = Buffer.from('{"predictions":[{"raiFilteredReason":"blocked"}]}');
    const read = (): unknown =>
      images.fromUpstreamResponse(
        { contentType: 'application/json', body: filtered },
        once({}),
        target({ upstreamModel: 'imagen-4' }),
      );
    expect(read).toThrow(UpstreamError);
    expect(read).toThrow(
      expect.objectContaining({ status: 400, detail: expect.objectContaining({ code: 'no_images' }) }),
    );
  });
});

import type { Reply } from '../support/upstream/upstream.js';
import { events, json } from '../support/upstream/replies.js';
import { recordedAnswer, recordedEvents } from '../support/upstream/recordings.js';
import { flac, mp3, mp3FrameSamples, mp3Rate, oggOpus, oggVorbis } from '../support/silence.js';
import { sampled } from '../support/suite.js';
import { wav } from '../support/wav.js';
import { payloadsOf, type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));
afterEach(async () => {
  expect(await relay.unexplained()).toEqual([]);
  expect(await relay.replayedDifferently()).toEqual([]);
});

const refusalOf = async (response: Response): Promise<unknown> => {
  const { error } = (await response.json()) as { error: { code: unknown; message: string } };
  return { status: response.status, code: error.code, message: error.message.replace(/ \(request id: .*/, '') };
};

describe('embeddings', () => {
  const model = 'text-embedding-3-small';
  const answer = (tokens: number): Reply =>
    json({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, -0.25, 1] }],
      model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    });

  const vectors = (values: unknown) => ({
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: values }],
  });

  it.each<[name: string, type: number, reply: object, encoding: string]>([
    ['Gemini', 24, { embeddings: [{ values: [0.5] }] }, 'float'],
    ['Gemini', 24, { embeddings: [{ values: [0.5] }] }, 'base64'],
    ['another', 1, { ...vectors([0.5]), model }, 'float'],
    ['another', 1, { ...vectors([0.5]), usage: { prompt_tokens: 0, total_tokens: 0 } }, 'float'],
  ])(
    'without usage of the provider tell the tokens that are charged: %s (type %i)',
    async (_name, type, reply, encoding) => {
      await relay.addChannel({ type, models: model });
      const { key, userId } = await relay.addToken();
      relay.upstream.script({}, json(reply));
      const body = { model, input: 'a text of some words', encoding_format: encoding };
      const response = await relay.post('/v1/embeddings', key, body);
      expect(await response.json()).toMatchObject({
        ...vectors(encoding === 'base64' ? 'AAAAPw==' : [0.5]),
        usage: { prompt_tokens: 5, total_tokens: 5 },
      });
      expect(await relay.logsOf(userId, 1)).toMatchObject([{ prompt_tokens: 5 }]);
    },
  );

  it.each([
    [1000, 10],
    [50, 1],
    [40, 0],
  ])('of %i tokens cost %i', async (tokens, quota) => {
    // Example B11 of docs/reference/relay/billing.md#worked-examples
    await relay.addChannel({ models: model });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, answer(tokens));
    const response = await relay.post('/v1/embeddings', key, { model, input: 'hi' });
    expect(response.status).toBe(200);
    expect(await relay.logs(userId)).toMatchObject([{ quota, prompt_tokens: tokens, completion_tokens: 0 }]);
  });

  it.each([
    ['Ollama', 4],
    ['Alibaba', 17],
    ['Cohere', 34],
    ['MiniMax', 35],
  ])('of tokens are not sent to %s, which takes text', async (_name, type) => {
    relay.setOptions({ RetryTimes: 1 });
    const first = await relay.addChannel({ type, models: model, priority: 5 });
    await relay.addChannel({ models: model });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, answer(3));
    for (const input of [
      [1, 2, 3],
      [[1, 2], [3]],
    ]) {
      const response = await relay.post('/v1/embeddings', key, { model, input });
      expect(response.status).toBe(200);
      expect(relay.upstream.requests.at(-1)?.body).toEqual({ model, input });
    }
    expect(relay.upstream.requests).toHaveLength(2);
    const rows = await relay.logs(userId);
    expect(rows.map(({ channel_id: id }) => id === first)).toEqual([false, false]);
  });

  it('come in the form the client asked for, whatever the provider can say', async () => {
    await relay.addChannel({ models: model });
    const { key } = await relay.addToken();
    const vectorOf = async (body: object): Promise<unknown> => {
      const response = await relay.post('/v1/embeddings', key, { model, input: 'hi', ...body });
      return ((await response.json()) as { data: Array<{ embedding: unknown }> }).data[0]?.embedding;
    };
    const base64 = Buffer.from(new Float32Array([0.5, -0.25, 1]).buffer).toString('base64');
    relay.upstream.script({}, answer(1));
    expect(await vectorOf({ encoding_format: 'base64' })).toBe(base64);
    expect(await vectorOf({})).toEqual([0.5, -0.25, 1]);
    relay.upstream.script({}, json({ data: [{ embedding: base64 }], usage: { prompt_tokens: 1 } }));
    expect(await vectorOf({ encoding_format: 'float' })).toEqual([0.5, -0.25, 1]);
    expect(await vectorOf({ encoding_format: 'base64' })).toBe(base64);
  });

  it('may be asked of an engine, and by the alias', async () => {
    await relay.addChannel({ models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, answer(1));
    expect((await relay.post(`/v1/engines/${model}/embeddings`, key, { input: 'hi' })).status).toBe(200);
    expect((await relay.post('/hf/v1/embeddings', key, { model, input: 'hi' })).status).toBe(200);
    expect(relay.upstream.requests).toMatchObject([
      { path: '/v1/embeddings', body: { model, input: 'hi' } },
      { path: '/v1/embeddings', body: { model, input: 'hi' } },
    ]);
  });

  it('need an input, and are counted here where the provider does not', async () => {
    await relay.addChannel({ models: model });
    const { key, userId } = await relay.addToken();
    expect(await refusalOf(await relay.post('/v1/embeddings', key, { model, input: [] }))).toEqual({
      status: 400,
      code: 'invalid_embedding_request',
      message: 'input is empty',
    });
    relay.upstream.script({}, json({ data: [{ embedding: [1] }] }));
    await (await relay.post('/v1/embeddings', key, { model, input: ['hello world', 'hello world'] })).json();
    expect(await relay.logs(userId)).toMatchObject([{ prompt_tokens: 4, other: { counted_locally: true } }]);
  });

  it("are served in Google's words too", async () => {
    await relay.addChannel({ models: model });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json(recordedAnswer('openai/openai-embedding')));
    const content = { parts: [{ text: 'hi' }] };
    const one = await relay.post(`/v1beta/models/${model}:embedContent`, key, {
      content,
      outputDimensionality: 5,
      taskType: 'RETRIEVAL_QUERY',
    });
    const { embedding } = (await one.json()) as { embedding: { values: number[] } };
    expect(embedding.values).toHaveLength(5);
    expect(one.headers.get('x-tollgate-dropped')).toBe('taskType');
    const all = await relay.post(`/v1beta/models/${model}:batchEmbedContents`, key, {
      requests: [{ content }, { content: { parts: [{ text: 'ho' }] } }],
    });
    const { embeddings } = (await all.json()) as { embeddings: Array<{ values: number[] }> };
    expect(embeddings.map(({ values }) => values.length)).toEqual([5, 5]);
    expect(relay.upstream.requests.map(({ body }) => body)).toEqual([
      { model, input: ['hi'], dimensions: 5, encoding_format: 'float' },
      { model, input: ['hi', 'ho'], encoding_format: 'float' },
    ]);
    expect(await relay.logs(userId)).toMatchObject([{ prompt_tokens: 12 }, { prompt_tokens: 12 }]);
  });
});

describe('completions', () => {
  const model = 'gpt-3.5-turbo-instruct';

  it('answer whole and streamed, and cost what they report', async () => {
    await relay.addChannel({ models: model });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, (response, request) =>
      (request.stream
        ? events(recordedEvents('openai/openai-completion-text'))
        : json(recordedAnswer('openai/openai-completion-text')))(response, request),
    );
    const whole = await relay.post('/v1/completions', key, { model, prompt: 'hi' });
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(recordedAnswer('openai/openai-completion-text'));
    const streamed = await relay.post('/v1/completions', key, { model, prompt: 'hi', stream: true });
    expect(payloadsOf(await streamed.text()).at(-1)).toBe('[DONE]');
    const logs = await relay.logsOf(userId, 2);
    expect(logs).toHaveLength(2);
    for (const log of logs) {
      expect(log.prompt_tokens).toBeGreaterThan(0);
      expect(log.completion_tokens).toBeGreaterThan(0);
      expect(log.quota).toBeGreaterThan(0);
    }
    expect(await refusalOf(await relay.post('/v1/completions', key, { model }))).toMatchObject({
      status: 400,
      code: 'invalid_text_request',
      message: 'field prompt is required',
    });
  });
});

describe('moderations and rerank', () => {
  it('moderate with the usual model where none is named, and pay for the input', async () => {
    await relay.addChannel({ models: 'text-moderation-stable' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json({ id: 'modr-1', model: 'text-moderation-007', results: [{ flagged: false }] }));
    const response = await relay.post('/v1/moderations', key, { input: 'hello world' });
    expect(await response.json()).toMatchObject({ results: [{ flagged: false }] });
    expect(relay.upstream.requests[0]).toMatchObject({ path: '/v1/moderations' });
    expect(await relay.logs(userId)).toMatchObject([{ prompt_tokens: 2, completion_tokens: 0, quota: 0 }]);
  });

  it('ranks documents, and pays what was read', async () => {
    await relay.addChannel({ type: 38, models: 'jina-reranker-v2' });
    relay.setOptions({ ModelRatio: { 'jina-reranker-v2': 1 } });
    const { key, userId } = await relay.addToken();
    const results = [{ index: 1, relevance_score: 0.9 }];
    relay.upstream.script({}, json({ results, usage: { total_tokens: 100 } }));
    const body = { model: 'jina-reranker-v2', query: 'q', documents: ['a', 'b'], top_n: 1 };
    expect(await (await relay.post('/v1/rerank', key, body)).json()).toMatchObject({ results });
    expect(await relay.logs(userId)).toMatchObject([{ prompt_tokens: 100, quota: 100 }]);
    expect(await refusalOf(await relay.post('/v1/rerank', key, { ...body, query: '' }))).toMatchObject({
      code: 'invalid_query',
      message: 'query is empty',
    });
    expect(await refusalOf(await relay.post('/v1/rerank', key, { ...body, documents: [] }))).toMatchObject({
      code: 'invalid_documents',
      message: 'documents is empty',
    });
  });

  it('counts what objects hold where the provider reports no tokens', async () => {
    await relay.addChannel({ type: 38, models: 'jina-reranker-v2' });
    relay.setOptions({ ModelRatio: { 'jina-reranker-v2': 1 } });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json({ results: [{ index: 0, relevance_score: 0.9 }] }));
    const body = {
      model: 'jina-reranker-v2',
      query: 'q',
      documents: [{ title: 'word '.repeat(100), body: ['word '.repeat(100)] }],
    };
    await (await relay.post('/v1/rerank', key, body)).text();
    await (await relay.post('/v1/rerank', key, { ...body, documents: [{ text: 'word '.repeat(200) }] })).text();
    const counts = (await relay.logs(userId)).map((row) => row.prompt_tokens);
    for (const count of counts) expect([count > 200, count < 250]).toEqual([true, true]);
    expect(counts).toHaveLength(2);
  });

  it.each([[[{ content: [{ type: 'text', text: 'word '.repeat(200) }] }]], [{ title: 'word '.repeat(200) }]])(
    'count an input of objects where the provider reports no tokens',
    async (input) => {
      const model = 'text-embedding-3-small';
      await relay.addChannel({ models: model });
      const { key, userId } = await relay.addToken();
      relay.upstream.script({}, json({ data: [{ embedding: [1] }] }));
      await (await relay.post('/v1/embeddings', key, { model, input })).text();
      const [row] = await relay.logs(userId);
      expect(Number(row?.['prompt_tokens'])).toBeGreaterThan(200);
    },
  );

  /** A picture of 1024 x 1024 in base64, of 300 KB. */
  const picture = (() => {
    const bytes = Buffer.alloc(225_000, 'a picture');
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes);
    bytes.writeUInt32BE(1024, 16);
    bytes.writeUInt32BE(1024, 20);
    return bytes.toString('base64');
  })();
  const address = `data:image/png;base64,${picture}`;
  const holding: ReadonlyArray<readonly [name: string, tokens: number, held: object]> = [
    ['an image in base64', 765, { image: picture }],
    ['an image in a data URL', 765, { image: address }],
    ['image_base64', 765, { type: 'image_base64', image_base64: address }],
    ['image_url', 765, { type: 'image_url', image_url: address }],
    ['image_url with url', 765, { type: 'image_url', image_url: { url: address } }],
    ['image_url of low detail', 85, { image_url: { url: address, detail: 'low' } }],
    ['inline_data', 765, { inline_data: { mime_type: 'image/png', data: picture } }],
    ['bytes', 765, { bytes: picture }],
    ['the address of an image', 255, { image: 'https://example.com/a.png' }],
    ['audio', 100, { audio: picture }],
    ['input_audio', 100, { input_audio: { data: picture, format: 'wav' } }],
    ['video_base64', 5000, { video_base64: `data:video/mp4;base64,${picture}` }],
    ['pdf', 5000, { pdf: picture }],
  ];
  const places: ReadonlyArray<readonly [where: string, path: string, body: (held: unknown) => object]> = [
    ['an entry of an input', 'embeddings', (held) => ({ input: [held] })],
    ['the content of an entry', 'embeddings', (held) => ({ input: [{ content: [held] }] })],
    ['an input', 'embeddings', (held) => ({ input: held })],
    ['a document', 'rerank', (held) => ({ query: 'q', documents: [held] })],
    ['a query', 'rerank', (held) => ({ query: held, documents: ['q'] })],
  ];
  describe.each(sampled(places, 3))('media in %s of %s', (_where, path, body) => {
    const model = 'jina-m0';

    beforeEach(async () => {
      relay.setOptions({ ModelRatio: { [model]: 1 }, StrictReserve: true });
      await relay.addChannel({ type: 38, models: model });
      relay.upstream.script({}, json({ data: [{ embedding: [1] }], results: [{ index: 0, relevance_score: 0.9 }] }));
    });

    it.each(holding)('count as what they are, and reserve no more: %s, %i tokens', async (_name, tokens, held) => {
      // Far less than the text of the base64 would be, and more than the media of an unknown size may be.
      const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 12_000 }) });
      const response = await relay.post(`/v1/${path}`, key, { model, ...body(held) });
      expect(response.status).toBe(200);
      const [row] = await relay.logs(userId);
      const others = Number(row?.['prompt_tokens']) - tokens;
      expect([others >= 0, others < 50]).toEqual([true, true]);
    });

    it('are text when they are not encoded', async () => {
      const { key, userId } = await relay.addToken();
      for (const name of ['image', 'image_base64', 'audio', 'video', 'pdf', 'bytes']) {
        await (await relay.post(`/v1/${path}`, key, { model, ...body({ [name]: 'word '.repeat(200) }) })).text();
      }
      const counts = (await relay.logs(userId)).map((row) => row.prompt_tokens);
      expect([counts.length, counts.filter((count) => count < 200)]).toEqual([6, []]);
    });
  });

  it.each<[what: string, documents: unknown[], status: number]>([
    ['a short text', ['word'], 200],
    ['a long text', ['word '.repeat(60_000)], 403],
    ['a long object', [{ title: 'word '.repeat(60_000) }], 403],
    ['many texts', Array<string>(50).fill('word '.repeat(2000)), 403],
  ])('reserves as many units as the provider may bill for %s', async (_what, documents, status) => {
    // $0.002 for 100 pieces of 500 tokens: the balance pays for one unit.
    relay.setOptions({ StrictReserve: true });
    await relay.addChannel({ type: 34, models: 'rerank-v3.5' });
    const meta = { billed_units: { search_units: 1 } };
    relay.upstream.script({}, json({ id: 'r', results: [{ index: 0, relevance_score: 1 }], meta }));
    const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 1000 }) });
    const body = { model: 'rerank-v3.5', query: 'q', documents };
    expect((await relay.post('/v1/rerank', key, body)).status).toBe(status);
  });

  it.each([
    { query: 'a pineapple' },
    { query: { url: 'a pineapple' } },
    { documents: ['a', 'a pineapple'] },
    ...['text', 'url', 'data', 'id', 'name'].map((name) => ({ documents: [{ [name]: 'a pineapple' }] })),
    { documents: [{ data: { url: ['a pineapple'] } }] },
  ])('are refused for a blocked word in %j', async (said) => {
    await relay.addChannel({ type: 38, models: 'jina-reranker-v2' });
    relay.setOptions({ ModelRatio: { 'jina-reranker-v2': 1 }, SensitiveWords: ['pineapple'] });
    const { key } = await relay.addToken();
    const body = { model: 'jina-reranker-v2', query: 'q', documents: ['a', 'b'], ...said };
    expect(await refusalOf(await relay.post('/v1/rerank', key, body))).toMatchObject({
      code: 'sensitive_words_detected',
    });
    expect(relay.upstream.requests).toEqual([]);
  });
});

describe('images', () => {
  const order = { model: 'dall-e-3', prompt: 'a house' };

  it.each([
    ['standard 1024x1024', order, {}, 20_000],
    ['hd 1024x1024', { ...order, quality: 'hd', size: '1024x1024' }, {}, 40_000],
    ['two hd 1024x1792', { ...order, quality: 'hd', size: '1024x1792', n: 2 }, {}, 120_000],
    ['standard 1792x1024 for a group', { ...order, size: '1792x1024' }, { GroupRatio: { default: 0.9 } }, 36_000],
    [
      'three of a model with a ratio',
      { model: 'painter', prompt: 'p', size: '512x512', n: 3 },
      { ModelRatio: { painter: 16 } },
      27_000,
    ],
  ])('%s', async (_name, body, options, quota) => {
    // Examples B15 and B16 of docs/reference/relay/billing.md#worked-examples
    relay.setOptions(options);
    await relay.addChannel({ models: 'dall-e-3,painter' });
    const { key, userId } = await relay.addToken({ quota: 500_000 });
    const images = Array.from({ length: 'n' in body ? body.n : 1 }, () => ({ b64_json: 'aGk=' }));
    relay.upstream.script({}, json({ created: 1, data: images }));
    const response = await relay.post('/v1/images/generations', key, body);
    expect(response.status).toBe(200);
    const [log] = await relay.logs(userId);
    expect(log).toMatchObject({
      quota,
      prompt_tokens: 'n' in body ? body.n : 1,
      content: expect.stringMatching(/, size \d+x\d+, quality (?:standard|hd)$/) as unknown,
    });
    const groupRatio = log?.other['group_ratio'] as number;
    // The log alone suffices to recompute the charge.
    expect(Math.round((log?.other['model_price'] as number) * 500_000 * groupRatio)).toBe(quota);
  });

  const one = [{ bytesBase64Encoded: 'aGk=', mimeType: 'image/png' }, { raiFilteredReason: 'filtered' }];
  const done = {
    task_id: 't',
    task_status: 'SUCCEEDED',
    results: [{ url: 'https://x.example' }, { code: 'InternalError' }],
  };
  it.each([
    ['Imagen', 24, 'imagen-4.0-generate-001', { predictions: one }],
    ['Alibaba', 17, 'wanx-v1', { output: done, usage: { image_count: 1 } }],
    ['OpenAI', 1, 'gpt-image-1', { data: [{ b64_json: 'aGk=' }], usage: { input_tokens: 5, output_tokens: 9 } }],
    ['xAI', 48, 'grok-2-image', { data: [{ b64_json: 'aGk=' }] }],
  ])('that %s (type %i) filters or fails to make are not charged', async (_name, type, model, reply) => {
    relay.setOptions({ ModelPrice: { [model]: 0.04 } });
    await relay.addChannel({ type, models: model });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json(reply));
    const response = await relay.post('/v1/images/generations', key, { model, prompt: 'p', n: 2 });
    expect(((await response.json()) as { data: unknown[] }).data).toHaveLength(1);
    expect(await relay.logs(userId)).toMatchObject([{ quota: 20_000, prompt_tokens: 1, other: { image_count: 1 } }]);
  });

  it('that report an error instead of an image are not charged, and unreadable numbers are charged as ordered', async () => {
    relay.setOptions({ ModelPrice: { drawer: 0.04 } });
    await relay.addChannel({ type: 45, models: 'drawer' });
    const { key, userId } = await relay.addToken();
    const series = { sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: 2 } };
    const order = { model: 'drawer', prompt: 'p', ...series };
    for (const data of [[{ url: 'https://x.example' }, { error: { code: 'filtered' } }], 'https://x.example']) {
      relay.upstream.script({}, json({ data }));
      expect((await relay.post('/v1/images/generations', key, order)).status).toBe(200);
    }
    expect((await relay.logsOf(userId, 2)).map(({ quota }) => quota).sort()).toEqual([20_000, 40_000]);
  });

  it('hold their whole price, of the user and of the token', async () => {
    await relay.addChannel({ models: 'dall-e-3' });
    const poor = await relay.addToken({ userId: await relay.addUser({ quota: 19_999 }) });
    expect(await refusalOf(await relay.post('/v1/images/generations', poor.key, order))).toMatchObject({
      status: 403,
      code: 'insufficient_user_quota',
    });
    const thin = await relay.addToken({ quota: 19_999 });
    expect(await refusalOf(await relay.post('/v1/images/generations', thin.key, order))).toMatchObject({
      status: 403,
      code: 'pre_consume_token_quota_failed',
    });
    expect(relay.upstream.requests).toHaveLength(0);
  });

  it('are refused by what the oldest models cannot draw', async () => {
    await relay.addChannel({ models: 'dall-e-3,dall-e' });
    relay.setOptions({ ModelPrice: { 'dall-e-3': 0.04, 'dall-e': 0.02 } });
    const { key } = await relay.addToken();
    const message = async (body: object): Promise<unknown> =>
      refusalOf(await relay.post('/v1/images/generations', key, body));
    expect(await message({ model: 'dall-e-3' })).toEqual({
      status: 400,
      code: 'invalid_image_request',
      message: 'prompt is required',
    });
    expect(await message({ ...order, size: '512x512' })).toMatchObject({ status: 400, code: 'invalid_image_request' });
    expect(await message({ ...order, size: '1024\u00d71024' })).toMatchObject({ status: 400 });
    expect(await message({ ...order, n: 1_000_000 })).toMatchObject({ status: 400 });
    expect(await message({ ...order, n: -1 })).toMatchObject({ status: 400 });
    expect(await message({ prompt: 'p', size: '1792x1024' })).toMatchObject({ status: 400 });
  });

  it('are edited from a form that travels as it came', async () => {
    await relay.addChannel({ models: 'dall-e-3', mapping: '{"dall-e-3":"painter"}' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json(recordedAnswer('openai/openai-image')));
    const form = new FormData();
    form.set('model', 'dall-e-3');
    form.set('prompt', 'a "red" door');
    form.set('image', new File([Buffer.from([0, 13, 10, 45, 45, 255])], 'house.png', { type: 'image/png' }));
    const response = await relay.postForm('/v1/images/edits', key, form);
    expect(response.status).toBe(200);
    const [sent] = relay.upstream.requests;
    expect(sent?.path).toBe('/v1/images/edits');
    const received = await new Response(new Uint8Array(sent?.rawBody ?? []), {
      headers: { 'content-type': sent?.headers['content-type'] ?? '' },
    }).formData();
    expect(received.get('model')).toBe('painter');
    expect(received.get('prompt')).toBe('a "red" door');
    const image = received.get('image') as File;
    expect([image.name, image.type, [...new Uint8Array(await image.arrayBuffer())]]).toEqual([
      'house.png',
      'image/png',
      [0, 13, 10, 45, 45, 255],
    ]);
    expect(await relay.logs(userId)).toMatchObject([{ quota: 20_000, model_name: 'dall-e-3' }]);
  });
});

describe('edits of images in JSON', () => {
  const image = 'data:image/png;base64,aGk=';
  const edit = { model: 'gpt-image-1', prompt: 'a red door', images: [{ image_url: image }], n: 2 };
  const drawn = json({ created: 1, data: [{ b64_json: 'aGk=' }, { b64_json: 'aGk=' }] });
  const post = async (body: unknown, key: string): Promise<Response> => relay.post('/v1/images/edits', key, body);

  beforeEach(() => {
    relay.setOptions({ ModelPrice: { 'gpt-image-1': 0.04, 'grok-imagine-image': 0.02 } });
  });

  it('are passed on as they came, and are charged as those of a form', async () => {
    const { key, userId } = await relay.addToken();
    // Files belong to an account of the provider, and this channel's account is the user's own.
    await relay.addChannel({ models: 'gpt-image-1', mapping: '{"gpt-image-1":"painter"}', ownerId: userId });
    relay.upstream.script({}, drawn);
    const body = { ...edit, mask: { file_id: 'file-1' }, images: [{ image_url: image }, { file_id: 'file-2' }] };
    expect((await post(body, key)).status).toBe(200);
    expect(relay.upstream.requests).toMatchObject([
      {
        path: '/v1/images/edits',
        headers: { 'content-type': 'application/json' },
        body: { ...body, model: 'painter' },
      },
    ]);
    expect(await relay.logs(userId)).toMatchObject([
      { quota: 40_000, model_name: 'gpt-image-1', other: { image_count: 2 } },
    ]);
  });

  it('may be streams', async () => {
    await relay.addChannel({ models: 'gpt-image-1' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, events(['{"type":"image_edit.completed","b64_json":"aGk="}'], { done: false }));
    const response = await post({ ...edit, stream: true }, key);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(await response.text()).toContain('image_edit.completed');
    expect(await relay.logs(userId)).toMatchObject([{ quota: 20_000, is_stream: true }]);
  });

  it('are held to the models of the key', async () => {
    await relay.addChannel({ models: 'gpt-image-1' });
    const { key } = await relay.addToken({ modelLimits: 'gpt-4o' });
    expect(await refusalOf(await post(edit, key))).toMatchObject({ status: 403, code: 'model_not_allowed' });
    expect(relay.upstream.requests).toHaveLength(0);
  });

  it.each<[name: string, change: object]>([
    ['images is required', { images: undefined }],
    ['images is required', { images: [] }],
    ['images must be a list', { images: image }],
    ['images[0] must be an object', { images: [image] }],
    ['images[1] must have either image_url or file_id', { images: [{ image_url: image }, {}] }],
    ['mask must have either image_url or file_id', { mask: { image_url: image, file_id: 'file-1' } }],
    ['images[0].image_url must be text that is not empty', { images: [{ image_url: { url: image } }] }],
    ['prompt is required', { prompt: undefined }],
    ['n must be between 1 and 128', { n: 129 }],
  ])('are refused by name: %s', async (message, change) => {
    await relay.addChannel({ models: 'gpt-image-1' });
    const { key } = await relay.addToken();
    expect(await refusalOf(await post({ ...edit, ...change }, key))).toEqual({
      status: 400,
      code: 'invalid_image_request',
      message,
    });
    expect(relay.upstream.requests).toHaveLength(0);
  });

  it('reach xAI in its form, as those of forms do', async () => {
    await relay.addChannel({ type: 48, models: 'grok-imagine-image' });
    const { key, userId } = await relay.addToken();
    const model = 'grok-imagine-image';
    relay.upstream.script({}, drawn, drawn);
    expect((await post({ ...edit, model, size: '1024x1024' }, key)).status).toBe(200);
    const form = new FormData();
    form.set('model', model);
    form.set('prompt', 'both');
    form.set('n', '2');
    for (const name of ['a.png', 'b.png']) form.append('image[]', new File(['hi'], name, { type: 'image/png' }));
    expect((await relay.postForm('/v1/images/edits', key, form)).status).toBe(200);
    const sent = { type: 'image_url', url: image };
    expect(relay.upstream.requests.map(({ path, body }) => ({ path, body }))).toEqual([
      { path: '/v1/images/edits', body: { model, prompt: 'a red door', n: 2, image: sent, aspect_ratio: '1:1' } },
      { path: '/v1/images/edits', body: { model, prompt: 'both', n: 2, images: [sent, sent] } },
    ]);
    expect((await relay.logsOf(userId, 2)).map(({ quota }) => quota)).toEqual([20_000, 20_000]);
  });

  it.each([
    ['images[0].file_id', { images: [{ file_id: 'file-1' }] }],
    ['mask', { mask: { image_url: image } }],
  ])('are refused by xAI with %s', async (field, change) => {
    const { key, userId } = await relay.addToken();
    await relay.addChannel({ type: 48, models: 'grok-imagine-image', ownerId: userId });
    const response = await post({ ...edit, model: 'grok-imagine-image', ...change }, key);
    expect(await refusalOf(response)).toMatchObject({
      status: 400,
      code: 'unsupported_by_channel',
      message: expect.stringMatching(new RegExp(`^${field.replace(/[[\].]/g, '\\$&')} is not supported`)) as unknown,
    });
    expect(relay.upstream.requests).toHaveLength(0);
  });
});

describe('speech', () => {
  it('is paid by the letter and comes as the bytes it is', async () => {
    await relay.addChannel({ models: 'tts-1' });
    const { key, userId } = await relay.addToken();
    const sound = Buffer.from([255, 251, 144, 0, 1, 2, 3]);
    relay.upstream.script({}, (response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(sound);
    });
    const response = await relay.post('/v1/audio/speech', key, { model: 'tts-1', input: 'Hello', voice: 'alloy' });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(sound);
    // Example B13 of docs/reference/relay/billing.md#worked-examples; a character is a code point.
    await (await relay.post('/v1/audio/speech', key, { model: 'tts-1', input: '👋👋', voice: 'alloy' })).arrayBuffer();
    expect(await relay.logs(userId)).toMatchObject([
      { quota: 38, prompt_tokens: 5 },
      { quota: 15, prompt_tokens: 2 },
    ]);
  });
});

describe('transcription', () => {
  const recording = (bytes: Buffer, name = 'talk.wav', type = 'audio/wav'): FormData => {
    const form = new FormData();
    form.set('file', new File([new Uint8Array(bytes)], name, { type }));
    form.set('model', 'whisper-1');
    form.set('language', 'en');
    return form;
  };

  it.each([
    [61.2, 1033, 15_495],
    [60, 1000, 15_000],
    [1, 17, 255],
  ])('of %d seconds costs %i tokens', async (seconds, tokens, quota) => {
    // Examples B14 and T11 of docs/reference/relay/billing.md#worked-examples
    await relay.addChannel({ models: 'whisper-1' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json(recordedAnswer('openai/openai-transcription')));
    const response = await relay.postForm('/v1/audio/transcriptions', key, recording(wav(seconds)));
    expect(Buffer.from(await response.arrayBuffer())).toEqual(recordedAnswer('openai/openai-transcription'));
    expect(relay.upstream.requests[0]?.path).toBe('/v1/audio/transcriptions');
    expect(await relay.logs(userId)).toMatchObject([{ quota, prompt_tokens: tokens }]);
  });

  /** Returns the length of all frames of a recording, rounded up to whole seconds. */
  const framed = (seconds: number): number =>
    Math.ceil((Math.ceil((seconds * mp3Rate) / mp3FrameSamples) * mp3FrameSamples) / mp3Rate);

  it.each([
    ['mp3', mp3(61.2), 'talk.mp3', 'audio/mpeg', Math.round((framed(61.2) / 60) * 1000)],
    ['Ogg with Vorbis', oggVorbis(61.2), 'talk.ogg', 'audio/ogg', 1033],
    ['Ogg with Opus', oggOpus(60), 'voice.oga', 'audio/ogg', 1000],
    ['FLAC', flac(1), 'talk.flac', 'audio/flac', 17],
    ['mp3 under a wrong name', mp3(0.9), 'talk.wav', 'audio/wav', 17],
    ['Ogg under no name', oggVorbis(60), 'blob', 'application/octet-stream', 1000],
  ])('measures %s', async (_name, bytes, name, type, tokens) => {
    await relay.addChannel({ models: 'whisper-1' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json({ text: 'hello' }));
    const response = await relay.postForm('/v1/audio/transcriptions', key, recording(bytes, name, type));
    expect(response.status).toBe(200);
    expect(await relay.logs(userId)).toMatchObject([{ quota: tokens * 15, prompt_tokens: tokens }]);
  });

  it('translates, and answers plain text as it came', async () => {
    await relay.addChannel({ models: 'whisper-1' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, (response) => {
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('hello');
    });
    const form = recording(wav(60));
    form.set('response_format', 'text');
    const response = await relay.postForm('/v1/audio/translations', key, form);
    expect([response.headers.get('content-type'), await response.text()]).toEqual([
      'text/plain; charset=utf-8',
      'hello',
    ]);
    expect(relay.upstream.requests[0]?.path).toBe('/v1/audio/translations');
    expect(await relay.logs(userId)).toMatchObject([{ quota: 15_000 }]);
  });

  it('of silence is empty text, which is an answer', async () => {
    await relay.addChannel({ models: 'whisper-1' });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, (response) => {
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end();
    });
    const form = recording(wav(60));
    form.set('response_format', 'text');
    const response = await relay.postForm('/v1/audio/transcriptions', key, form);
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(await relay.logs(userId)).toMatchObject([{ quota: 15_000 }]);
  });

  it('refuses what is no recording before anybody is asked or paid', async () => {
    await relay.addChannel({ models: 'whisper-1' });
    const { key, userId } = await relay.addToken();
    const send = async (form: FormData): Promise<unknown> =>
      refusalOf(await relay.postForm('/v1/audio/transcriptions', key, form));
    const unreadable = { status: 400, code: 'invalid_audio_request' };
    expect(await send(recording(Buffer.from('no sound at all')))).toMatchObject(unreadable);
    expect(await send(recording(wav(1).subarray(0, 20)))).toMatchObject(unreadable);
    const empty = new FormData();
    empty.set('model', 'whisper-1');
    expect(await send(empty)).toEqual({ ...unreadable, message: 'file is required' });
    const noForm = await relay.post('/v1/audio/transcriptions', key, { model: 'whisper-1' });
    expect(await refusalOf(noForm)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(relay.upstream.requests).toHaveLength(0);
    expect((await relay.balance(userId)).used).toBe(0);
  });
});

describe('variations of an image', () => {
  const model = 'sd-turbo';
  const post = async (type: number, images = 1, more: Record<string, string> = {}): Promise<Response> => {
    const { url } = relay.upstream;
    await relay.addChannel({ type, models: model, ...(type === 8 ? { baseUrl: `${url}/v1/images/variations` } : {}) });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json({ created: 1, data: [{ b64_json: 'aGk=' }, { b64_json: 'aGk=' }] }));
    const form = new FormData();
    for (const [name, value] of Object.entries({ model, n: '2', size: '1024x1024', ...more })) form.set(name, value);
    for (let at = 0; at < images; at++) form.append('image', new File(['x'], 'a.png', { type: 'image/png' }));
    return relay.postForm('/v1/images/variations', key, form);
  };
  beforeEach(() => relay.setOptions({ ModelPrice: { [model]: 0.02 } }));

  it.each([8, 47])('are drawn at channels of type %i, and cost what images cost', async (type) => {
    const response = await post(type);
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ created: 1 })]);
    const [sent] = relay.upstream.requests;
    expect([sent?.path, sent?.rawBody.toString()]).toEqual([
      '/v1/images/variations',
      expect.stringContaining('name="n"\r\n\r\n2\r\n'),
    ]);
    expect(await relay.sql('SELECT quota FROM logs WHERE type = 2 ORDER BY id DESC LIMIT 1')).toEqual([
      { quota: '20000' },
    ]);
  });

  it.each(['n', 'num_images', 'size', 'quality', 'stream'])(
    'refuse a %s that providers may read otherwise',
    async (name) => {
      expect(await refusalOf(await post(47, 1, { [name]: '1.5 X' }))).toMatchObject({
        status: 400,
        message: expect.stringContaining(name) as string,
      });
      expect(relay.upstream.requests).toHaveLength(0);
    },
  );

  it('are refused by name at others, and without one image', async () => {
    expect(await refusalOf(await post(1))).toMatchObject({
      status: 400,
      message: 'Channel type 1 does not offer image variations',
    });
    for (const images of [0, 2]) {
      expect(await refusalOf(await post(47, images))).toMatchObject({ status: 400, code: 'invalid_image_request' });
    }
    expect(relay.upstream.requests).toHaveLength(0);
  });
});

describe('a success without what was asked for', () => {
  const draw = { model: 'dall-e-3', prompt: 'p' };
  const embed = { model: 'text-embedding-3-small', input: 'hi' };
  const speak = { model: 'tts-1', input: 'hi', voice: 'alloy' };
  const order = { model: 'jina-reranker-v2', query: 'q', documents: ['a'] };
  it.each<
    [path: string, body: { readonly model: string; readonly [field: string]: unknown }, reply: object, message: string]
  >([
    ['images/generations', draw, { code: 500, msg: 'no worker', data: null }, 'no worker'],
    ['images/generations', draw, { success: false, message: 'no worker' }, 'no worker'],
    ['images/generations', draw, { created: 1, data: [] }, 'The upstream response has no content'],
    ['embeddings', embed, { code: 1, message: 'no worker', data: [] }, 'no worker'],
    ['embeddings', embed, { data: [] }, 'The upstream response has no content'],
    ['audio/speech', speak, { code: 1, msg: 'no worker' }, 'no worker'],
    ['moderations', { model: 'text-moderation-stable', input: 'hi' }, { message: 'no worker' }, 'no worker'],
    ['rerank', order, { detail: 'no worker' }, 'no worker'],
  ])('of %s is a failure, which another channel mends and which costs nothing', async (path, body, reply, message) => {
    relay.setOptions({ RetryTimes: 1, SelfUseModeEnabled: true });
    await relay.addChannel({ models: body.model });
    await relay.addChannel({ models: body.model });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json(reply));
    expect(await refusalOf(await relay.post(`/v1/${path}`, key, body))).toMatchObject({ status: 502, message });
    expect(relay.upstream.requests).toHaveLength(2);
    expect(await relay.logs(userId)).toEqual([]);
  });

  it('is passed on where it has another shape, or reports what it used', async () => {
    await relay.addChannel({ models: 'dall-e-3' });
    const { key, userId } = await relay.addToken();
    const replies = [
      { images: [{ url: 'https://x.example' }] },
      { data: [], usage: { input_tokens: 5, output_tokens: 1 } },
    ];
    for (const reply of replies) {
      relay.upstream.script({}, json(reply));
      expect(await (await relay.post('/v1/images/generations', key, draw)).json()).toEqual(reply);
    }
    expect(await relay.logs(userId)).toHaveLength(2);
  });
});

it('says which channel types do not offer what was asked', async () => {
  await relay.addChannel({ type: 38, models: 'gpt-4o,tts-1' });
  const { key } = await relay.addToken();
  const speech = await relay.post('/v1/audio/speech', key, { model: 'tts-1', input: 'hi', voice: 'alloy' });
  expect(await refusalOf(speech)).toEqual({
    status: 400,
    code: 'unsupported_by_channel',
    message: 'Channel type 38 does not offer speech',
  });
  const messages = await relay.post('/v1/completions', key, { model: 'gpt-4o', prompt: 'hi' });
  expect(await refusalOf(messages)).toMatchObject({ status: 400, code: 'unsupported_by_channel' });
});

/**
 * Sends hostile forms of each field that multiplies or selects a price, or could do so at a gateway, to every priced route
 * except texts and images. The relay refuses the call by the name of the field, or charges what the provider makes of the
 * request that it gets.
 */
import { readForm, textFields } from '../../server/src/dialects/wire/forms/multipart.js';
import { apiSections } from '../../server/src/compose/api-sections.js';
import { tokensOfImage } from '../../server/src/dialects/neutral/made-image.js';
import { type RelayHarness, userMessage } from '../contract/relay-harness.js';
import { relaySuite } from '../contract/relay-suite.js';
import { TaskSite } from '../support/task-site.js';
import { askOverSocket } from '../support/responses-socket.js';
import { says } from '../support/upstream/families.js';
import { events, json } from '../support/upstream/replies.js';
import type { ReceivedRequest, Reply } from '../support/upstream/upstream.js';
import { scriptVideos, videoProviders } from '../support/upstream/videos.js';
import { wav } from '../support/wav.js';
import { pricedPaths, socketPath, withoutRow } from './priced-table.js';

type Fields = Record<string, unknown>;

const quotaPerDollar = 500_000;
/** JSON values that some providers convert to a number. */
const hostile = ['"128"', '1.5', '1e2', '-1', 'null', '[2]', '"2 "', 'true', '1e400', '100000000000000000000', '3'];
const hostileWords = ['"HD"', '"low "', '["low"]', '"4K"', '" 1536x1024"', '["1536x1024"]', '"1024X1536"', '7', 'null'];
const memories = ['"4g"', '"16g"', '"64g"', '"64G"', '" 64g"', '"64"', '64', '["64g"]', 'null', '"256g"', '"1g"'];
/** Names that providers or gateways use for the number of results. */
const counts = [
  'n',
  'num_images',
  'batch_size',
  'count',
  'num_outputs',
  'number_of_videos',
  'best_of',
  'candidateCount',
];

/** Reads a number as the most lenient provider does. */
function lenient(value: unknown, otherwise: number): number {
  const number = Number(Array.isArray(value) ? value[0] : value);
  return Number.isFinite(number) && number > 0 ? Math.max(1, Math.floor(number)) : otherwise;
}
const times = (fields: Fields): number => Math.max(1, ...counts.map((name) => lenient(fields[name], 1)));
const word = (value: unknown): string =>
  String(Array.isArray(value) ? value[0] : (value ?? ''))
    .trim()
    .toLowerCase();
const fieldsOf = (request: ReceivedRequest): Fields =>
  request.body ?? textFields(readForm(request.rawBody, String(request.headers['content-type'])));

/** Returns the body as text with one more field at the end of the object at `path`. */
function withField(body: Fields, path: readonly string[], name: string, value: string): string {
  const mark = '"\\u0000"';
  const put = (at: unknown, [step, ...rest]: readonly string[]): unknown => {
    if (step === undefined) return { ...(at as Fields), [name]: '\u0000' };
    if (Array.isArray(at))
      return at.map((each, index) => (String(index) === step ? put(each, rest) : (each as unknown)));
    return { ...(at as Fields), [step]: put((at as Fields)[step] ?? {}, rest) };
  };
  return JSON.stringify(put(body, path)).replace(mark, () => value);
}

describe('a call of the relay', () => {
  let relay: RelayHarness;
  relaySuite((started) => (relay = started), {
    values: {
      SelfUseModeEnabled: true,
      ModelRatio: {
        'gpt-4o': 1,
        'claude-3-7-sonnet-20250219': 1.5,
        embedder: 1,
        painter: 1,
        'qwen-plus': 1,
        'tts-1': 7.5,
        speaker: 1,
        'whisper-1': 15,
      },
      CompletionRatio: { 'gpt-4o': 1, painter: 1, 'qwen-plus': 1 },
      PriceCards: { ranker: { prices: { request: 0.002 } } },
    },
  });
  beforeEach(async () => {
    await relay.addChannel({ models: 'gpt-4o,embedder,tts-1,whisper-1' });
    await relay.addChannel({ type: 14, models: 'claude-3-7-sonnet-20250219' });
    await relay.addChannel({ type: 34, models: 'ranker' });
    await relay.addChannel({ type: 24, models: 'painter' });
    await relay.addChannel({ type: 17, models: 'qwen-plus' });
  });

  /** Quota. The price of the result that the provider made of the last request. */
  let worth = 0;
  const tokens = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] };

  /** Returns a response of Responses, in events where the request asks for a stream. */
  const responds = (answer: Fields): Reply => {
    const last = JSON.stringify({ type: 'response.completed', response: answer });
    return (response, request) => (request.stream ? events([last], { done: false }) : json(answer))(response, request);
  };
  const drawsByTool: Reply = (response, request) => {
    const tool = ((request.body?.['tools'] ?? []) as Fields[])[0] ?? {};
    const [size, quality] = [word(tool['size']), word(tool['quality'])];
    const made = { size: /^\d+x\d+$/.test(size) ? size : '1024x1536', quality: quality || 'high' };
    const item = { type: 'image_generation_call', status: 'completed', ...made };
    const output = Array<object>(Math.min(20, times(tool))).fill(item);
    // Partial images are part of a stream alone. OpenAI sends up to 3 of 100 tokens each.
    const partial = request.stream ? Math.min(10, lenient(tool['partial_images'], 0)) * 100 : 0;
    worth = 100 + 10 * 4 + output.length * (tokensOfImage(made) + partial) * 15;
    const answer = { id: 'r', status: 'completed', model: 'gpt-4o', tools: [tool], output: [...output, said] };
    return responds({ ...answer, usage: tokens })(response, request);
  };
  const ranks: Reply = (response, request) => {
    const { documents } = fieldsOf(request);
    const number = typeof documents === 'object' && documents ? Object.keys(documents).length : 1;
    const units = Math.ceil(number / 100);
    worth = units * 0.002 * quotaPerDollar;
    return json({ results: [{ index: 0, relevance_score: 1 }], meta: { billed_units: { search_units: units } } })(
      ...([response, request] as const),
    );
  };
  const embeds: Reply = (response, request) => {
    worth = 10 * times(fieldsOf(request));
    const usage = { prompt_tokens: worth, total_tokens: worth };
    return json({ object: 'list', data: [{ embedding: [1] }], usage })(response, request);
  };
  const speaks: Reply = (response, request) => {
    const fields = fieldsOf(request);
    worth = Math.round(String(fields['input']).length * 7.5 * times(fields));
    response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('mp3');
  };
  const listens: Reply = (response, request) => {
    worth = 50 * 15 * times(fieldsOf(request));
    return json({ text: 'hello' })(response, request);
  };
  const paints: Reply = (response, request) => {
    const config = (request.body?.['generationConfig'] ?? {}) as Fields;
    const isLarge = word((config['imageConfig'] as Fields | undefined)?.['imageSize']) === '4k';
    const drawn = (isLarge ? 2000 : 1290) * Math.min(20, times({ ...request.body, ...config }));
    worth = 10 + drawn;
    const part = { inlineData: { mimeType: 'image/png', data: 'aGk=' } };
    const candidates = [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [part] } }];
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: drawn, totalTokenCount: 10 + drawn };
    return json({ candidates, usageMetadata })(response, request);
  };
  const moderates: Reply = (response, request) => {
    worth = times(fieldsOf(request));
    return json({ id: 'modr', model: 'embedder', results: [{ flagged: false }] })(response, request);
  };
  const serves: Reply = (response, request) => {
    const { service_tier: tier, serviceTier: other } = fieldsOf(request);
    const named = word(tier ?? other);
    // The factors of the list prices of gpt-4o (https://platform.openai.com/docs/pricing, November 2026).
    worth = 140 * (named === 'priority' ? 1.7 : named === 'batch' ? 0.5 : 1);
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hi' } }];
    return json({ id: 'c', object: 'chat.completion', service_tier: named, choices, usage })(response, request);
  };
  /** Searches as often as the request allows. */
  const searchesAsAllowed: Reply = (response, request) => {
    const { body } = request;
    const tool = ((body?.['tools'] ?? []) as Fields[])[0] ?? {};
    if (request.path.startsWith('/v1/messages')) {
      const made = Math.min(10, lenient(tool['max_uses'], 10));
      worth = (100 + 10 * 5) * 1.5 + made * 0.01 * quotaPerDollar;
      const usage = { input_tokens: 100, output_tokens: 10, server_tool_use: { web_search_requests: made } };
      const content = [{ type: 'text', text: 'hi' }];
      return json({ id: 'm', type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage })(
        ...([response, request] as const),
      );
    }
    const made = Math.min(10, lenient(body?.['max_tool_calls'], 10));
    worth = 140 + made * 0.025 * quotaPerDollar;
    const call = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } };
    const output = [...Array<object>(made).fill(call), said];
    return responds({ id: 'r', status: 'completed', model: 'gpt-4o', output, usage: tokens })(response, request);
  };
  const runsCode: Reply = (response, request) => {
    const tool = ((request.body?.['tools'] ?? []) as Fields[])[0] ?? {};
    const place = (tool['container'] ?? tool['environment'] ?? {}) as Fields;
    const gigabytes = Number(/\d+/.exec(word(place['memory_limit']))?.[0] ?? 1);
    worth = 140 + gigabytes * 0.03 * quotaPerDollar;
    const container_id = 'cntr_1';
    const call =
      tool['type'] === 'shell'
        ? { type: 'shell_call', status: 'completed', environment: { type: 'container_reference', container_id } }
        : { type: 'code_interpreter_call', status: 'completed', container_id };
    const tools = [{ ...tool, ...(tool['container'] ? { container: place } : { environment: place }) }];
    const answer = { id: 'r', status: 'completed', model: 'gpt-4o', output: [call, said], tools, usage: tokens };
    return responds(answer)(response, request);
  };
  const searches: Reply = (response, request) => {
    const isOn = ['true', '1', 'on', 'yes'].includes(word(request.body?.['enable_search']));
    worth = 110 + (isOn ? 0.01 * quotaPerDollar : 0);
    return says({ text: 'hi', promptTokens: 100, completionTokens: 10 })(response, request);
  };

  interface Route {
    readonly path: (typeof pricedPaths.others)[number];
    readonly body: Fields;
    readonly reply: Reply;
    /** The path to the object that has the fields. */
    readonly at?: readonly string[];
    /** Values of the words, if not those of images. */
    readonly values?: readonly string[];
    readonly numbers?: readonly string[];
    readonly words?: readonly string[];
    readonly quota: number;
  }
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const response = { model: 'gpt-4o', input: 'hi', max_output_tokens: 256 };
  const drawingTool = {
    reply: drawsByTool,
    at: ['tools', '0'],
    quota: 145_000,
    body: { ...response, tools: [{ type: 'image_generation' }] },
    numbers: [...counts, 'partial_images'],
    words: ['size', 'quality'],
  };
  const ranking = {
    reply: ranks,
    quota: 4000,
    body: { model: 'ranker', query: 'q', documents: Array.from({ length: 250 }, (_, index) => `d${index}`) },
    numbers: ['top_n', 'query', 'documents', ...counts],
  };
  const speech = {
    reply: speaks,
    quota: 20_000,
    body: { model: 'tts-1', input: 'hello', voice: 'alloy' },
    numbers: ['input', 'speed', ...counts],
  };
  const searching = {
    reply: searchesAsAllowed,
    quota: 200_000,
    body: { ...response, tools: [{ type: 'web_search' }] },
    numbers: ['max_tool_calls'],
  };
  const running = {
    reply: runsCode,
    at: ['tools', '0', 'container'],
    quota: 2_000_000,
    body: { ...response, tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
    words: ['memory_limit'],
    values: memories,
  };
  const routes: Readonly<Record<string, Route>> = {
    'the tool that draws': { ...drawingTool, path: '/v1/responses' },
    'the tool that draws, in a stream': {
      ...drawingTool,
      path: '/v1/responses',
      body: { ...drawingTool.body, stream: true },
    },
    'the tool that draws, over a socket': { ...drawingTool, path: socketPath },
    'the searches of Responses over a socket': { ...searching, path: socketPath },
    'the memory of a container over a socket': { ...running, path: socketPath },
    rerank: { ...ranking, path: '/v1/rerank' },
    'rerank at the path of Cohere': { ...ranking, path: '/v2/rerank' },
    embeddings: {
      path: '/v1/embeddings',
      reply: embeds,
      quota: 20_000,
      body: { model: 'embedder', input: 'hi' },
      numbers: ['dimensions', 'encoding_format'],
    },
    speech: { ...speech, path: '/v1/audio/speech' },
    'speech at the path of a deployment': { ...speech, path: '/openai/deployments/tts-1/audio/speech' },
    'an image model of Gemini': {
      path: '/v1beta/models/painter:generateContent',
      reply: paints,
      at: ['generationConfig'],
      quota: 20_000,
      body: { contents, generationConfig: { maxOutputTokens: 2048, responseModalities: ['IMAGE'] } },
      numbers: ['candidateCount', 'candidate_count', 'maxOutputTokens', 'max_output_tokens'],
    },
    'the size of an image of Gemini': {
      path: '/v1beta/models/painter:generateContent',
      reply: paints,
      quota: 20_000,
      at: ['generationConfig', 'imageConfig'],
      body: { contents, generationConfig: { maxOutputTokens: 2048, imageConfig: { aspectRatio: '1:1' } } },
      words: ['imageSize'],
    },
    'embeddings at the path of an engine': {
      path: '/v1/engines/embedder/embeddings',
      reply: embeds,
      quota: 20_000,
      body: { input: 'hi' },
      numbers: ['dimensions', 'encoding_format'],
    },
    'embeddings at the path of a deployment': {
      path: '/openai/deployments/embedder/embeddings',
      reply: embeds,
      quota: 20_000,
      body: { input: 'hi' },
      numbers: ['dimensions', 'encoding_format'],
    },
    'embeddings of a client of Google': {
      path: '/v1beta/models/embedder:embedContent',
      reply: embeds,
      quota: 20_000,
      body: { content: { parts: [{ text: 'hi' }] } },
      numbers: ['outputDimensionality', ...counts],
    },
    'several embeddings of a client of Google': {
      path: '/v1beta/models/embedder:batchEmbedContents',
      reply: embeds,
      quota: 20_000,
      body: { requests: [{ model: 'models/embedder', content: { parts: [{ text: 'hi' }] } }] },
      numbers: ['outputDimensionality', ...counts],
    },
    moderations: {
      path: '/v1/moderations',
      reply: moderates,
      quota: 20_000,
      body: { model: 'embedder', input: 'hi' },
      numbers: ['dimensions', 'encoding_format'],
    },
    'a service tier': {
      path: '/v1/chat/completions',
      reply: serves,
      quota: 20_000,
      body: { model: 'gpt-4o', messages: userMessage('hi'), max_tokens: 256 },
      words: ['service_tier', 'serviceTier'],
      values: [
        ...['"priority"', '"flex"', '"batch"', '"auto"', '"default"', '"scale"', '"turbo"', '["priority"]'],
        ...['"Priority"', '" priority"', '7', 'null', '{"tier":"priority"}'],
      ],
    },
    'the searches of Messages': {
      path: '/v1/messages',
      reply: searchesAsAllowed,
      at: ['tools', '0'],
      quota: 100_000,
      body: {
        model: 'claude-3-7-sonnet-20250219',
        messages: userMessage('hi'),
        max_tokens: 256,
        tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      },
      numbers: ['max_uses'],
    },
    'the searches of Responses': { ...searching, path: '/v1/responses' },
    'the memory of a container': { ...running, path: '/v1/responses' },
    'the memory of a hosted shell': {
      path: '/v1/responses',
      reply: runsCode,
      at: ['tools', '0', 'environment'],
      quota: 2_000_000,
      body: {
        model: 'gpt-4o',
        input: 'hi',
        max_output_tokens: 256,
        tools: [{ type: 'shell', environment: { type: 'container_auto' } }],
      },
      words: ['memory_limit'],
      values: memories,
    },
    'a search of Qwen': {
      path: '/v1/chat/completions',
      reply: searches,
      quota: 100_000,
      body: { model: 'qwen-plus', messages: userMessage('hi'), max_tokens: 256 },
      numbers: ['enable_search'],
      words: ['enable_search'],
    },
  };

  /** Sends a call and expects that it is refused, or charged by its result. @returns whether it was served */
  async function expectCharged(
    post: (key: string) => Promise<Response>,
    shown: string,
    quota: number,
  ): Promise<boolean> {
    relay.upstream.requests.length = 0;
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota }) });
    const response = await post(key);
    const text = await response.text();
    if (response.status !== 200) {
      const isClear = response.status === 400 || (response.status === 403 && /not enough/.test(text));
      expect([shown, text, isClear, relay.upstream.requests.length]).toEqual([shown, text, true, 0]);
      return false;
    }
    const [row] = await relay.logsOf(userId, 1);
    expect([shown, row?.quota, row?.other['uncharged_quota']]).toEqual([shown, Math.round(worth), undefined]);
    return true;
  }

  it('has a row at every other route', () => {
    expect(new Set(Object.values(routes).map(({ path }) => path))).toEqual(new Set(pricedPaths.others));
  });

  it.each(Object.entries(routes))('is charged as it is sent: %s', async (_name, route) => {
    const { path, body, reply, at = [], numbers = [], words = [], quota, values: given = hostileWords } = route;
    relay.upstream.script({}, reply);
    let served = 0;
    const values = [
      ...numbers.flatMap((name) => [...hostile, '{"0":"a"}'].map((value) => [name, value] as const)),
      ...words.flatMap((name) => given.map((value) => [name, value] as const)),
    ];
    for (const [name, value] of values) {
      const text = withField(body, at, name, value);
      const post = (key: string): Promise<Response> =>
        path === socketPath ? askOverSocket(relay.url, key, text) : relay.post(path, key, text);
      if (await expectCharged(post, `${name}: ${value}`, quota)) served++;
    }
    expect(served).toBeGreaterThan(0);
  });

  // gpt-4o-mini-tts bills the tokens of both texts; tts-1 reads no instructions
  // (https://platform.openai.com/docs/api-reference/audio/createSpeech, November 2026).
  it.each([
    ['speaker', 2 + 500],
    ['tts-1', Math.round('hello'.length * 7.5)],
  ])('is charged with the instructions that %s reads', async (model, quota) => {
    await relay.addChannel({ models: 'speaker' });
    relay.upstream.script({}, speaks);
    const { key, userId } = await relay.addToken();
    const body = { model, input: 'hello', voice: 'alloy', instructions: ' hello'.repeat(500) };
    expect((await relay.post('/v1/audio/speech', key, body)).status).toBe(200);
    const [row] = await relay.logsOf(userId, 1);
    expect(Math.abs((row?.quota ?? 0) - quota)).toBeLessThan(3);
    const refused = await relay.post('/v1/audio/speech', key, { ...body, instructions: [body.instructions] });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('instructions')]);
  });

  it.each(pricedPaths.recordings)('is charged as it is sent: %s', async (path) => {
    relay.upstream.script({}, listens);
    for (const [field, value] of [...counts, 'seconds', 'duration'].flatMap((each) =>
      hostile.map((v) => [each, v] as const),
    )) {
      const form = new FormData();
      form.set('model', 'whisper-1');
      form.set('file', new File([new Uint8Array(wav(3))], 'a.wav', { type: 'audio/wav' }));
      form.set(field, JSON.parse(value.replace('1e400', '"1e400"')) as string);
      const post = (key: string): Promise<Response> => relay.postForm(path, key, form);
      expect(await expectCharged(post, `${field}: ${value}`, 20_000)).toBe(true);
    }
  });
});

describe('a task, and the playground', () => {
  let site: TaskSite;
  const { model } = videoProviders.openai;

  beforeAll(async () => {
    site = await TaskSite.open({}, 500_000_000);
    const more = { baseUrl: site.upstream.url, key: 'sk-more' };
    await site.server.api.createChannel(site.root, { ...more, type: 60, models: [model] });
    await site.server.api.createChannel(site.root, { ...more, type: 1, models: ['gpt-4o'] });
    await site.server.api.createChannel(site.root, { ...more, type: 2, models: ['mj_blend', 'mj_shorten'] });
    await site.setOption('PriceCards', JSON.stringify({ [model]: { prices: { second: 0.1 } } }));
  });
  afterAll(async () => {
    expect(await site.drift()).toEqual([]);
    await site.close();
  });
  beforeEach(() => {
    site.script();
    scriptVideos(site.upstream, videoProviders.openai, new Map());
  });

  it('every route that costs something has a row', () => {
    const mounted = site.server.app.routes
      .filter(({ method, url }) => method === 'POST' && !/^\/(?:api|graphql)(?:\/|$)/.test(url))
      .map(({ url }) => url);
    const upgrades = apiSections
      .flatMap(({ operations }) => Object.entries(operations))
      .flatMap(([route, { upgrades: isSocket }]) => (isSocket ? [route] : []));
    expect(mounted).toContain('/v1/chat/completions');
    expect(upgrades).toContain(socketPath);
    expect(withoutRow([...new Set([...mounted, ...upgrades])])).toEqual([]);
    expect(withoutRow(['/v1/audio/songs', '/:mode/mj/submit/video', 'GET /v1/live'])).toHaveLength(3);
  });

  const perOrder = 50_000;
  const perLyrics = 5000;
  const lengths = ['seconds', 'duration', 'video_length', 'length', 'n_seconds'];
  const seconds = (fields: Fields): number => Math.max(...lengths.map((name) => lenient(fields[name], 0))) || 4;
  const worthOf = {
    '/suno/submit/music': (fields: Fields) => perOrder * times(fields),
    '/suno/submit/lyrics': (fields: Fields) => perLyrics * times(fields),
    '/mj/submit/imagine': (fields: Fields) => perOrder * times(fields),
    '/mj/submit/blend': (fields: Fields) => perOrder * times(fields),
    '/mj/submit/shorten': (fields: Fields) => perOrder * times(fields),
    '/v1/videos': (fields: Fields) => Math.round(seconds(fields) * 0.1 * quotaPerDollar * times(fields)),
  };
  const bodies: Record<keyof typeof worthOf, Fields> = {
    '/suno/submit/music': { prompt: 'la' },
    '/suno/submit/lyrics': { prompt: 'la' },
    '/mj/submit/imagine': { prompt: 'a lighthouse' },
    '/mj/submit/blend': { base64Array: ['data:image/png;base64,aGk=', 'data:image/png;base64,aGk='] },
    '/mj/submit/shorten': { prompt: 'a lighthouse' },
    '/v1/videos': { model, prompt: 'a lighthouse' },
  };

  it.each(Object.keys(worthOf) as Array<keyof typeof worthOf>)('is charged as it is sent: %s', async (path) => {
    const names = [...counts, ...(path === '/v1/videos' ? lengths : ['mv', 'repeat', 'speed'])];
    let served = 0;
    for (const [name, value] of names.flatMap((each) => hostile.map((form) => [each, form] as const))) {
      site.upstream.requests.length = 0;
      const before = await site.balances();
      const response = await fetch(site.server.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${site.key}`, 'content-type': 'application/json' },
        body: withField(bodies[path], [], name, value),
      });
      await response.text();
      // Polls for earlier tasks are POST requests too. Suno's paths contain the action in capitals.
      const sent = site.upstream.requests.find(
        ({ method, path: at }) => method === 'POST' && at.toLowerCase() === path,
      );
      const charged = before.quota - (await site.balances()).quota;
      const worth = response.status === 200 && sent ? worthOf[path](fieldsOf(sent)) : 0;
      expect([name, value, response.status, charged]).toEqual([name, value, worth > 0 ? 200 : 400, worth]);
      if (worth > 0) served++;
    }
    expect(served).toBeGreaterThan(10);
  });

  it('is charged as it is sent: the playground', async () => {
    let written = 0;
    const limits = ['max_tokens', 'max_completion_tokens', 'max_new_tokens', 'num_predict'];
    const usual = 50;
    site.upstream.script({ path: '/v1/chat/completions' }, (response, request) => {
      const fields = fieldsOf(request);
      written = Math.min(10_000, Math.max(...limits.map((name) => lenient(fields[name], 0))) * times(fields) || usual);
      return says({ text: 'hi', promptTokens: 100, completionTokens: written })(response, request);
    });
    const body = { model: 'gpt-4o', messages: userMessage('hi'), max_tokens: 50 };
    let served = 0;
    for (const [name, value] of [...counts, ...limits].flatMap((each) =>
      hostile.map((form) => [each, form] as const),
    )) {
      const { quota } = await site.balances();
      const response = await fetch(`${site.server.url}/pg/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          cookie: site.user.cookie,
          'veloera-user': String(site.user.id),
        },
        body: withField(body, [], name, value),
      });
      await response.text();
      const charged = quota - (await site.balances()).quota;
      if (response.status === 200) served++;
      const worth = response.status === 200 ? Math.round((100 + written * 4) * 1.25) : 0;
      expect([name, value, response.status, charged]).toEqual([
        name,
        value,
        response.status === 200 ? 200 : 400,
        worth,
      ]);
    }
    expect(served).toBeGreaterThan(5);
  });
});

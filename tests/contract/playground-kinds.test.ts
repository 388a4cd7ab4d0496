import { readForm } from '../../server/src/dialects/wire/forms/multipart.js';
import type { Person } from '../support/api.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { json } from '../support/upstream/replies.js';
import { draws, embeds, hears, speaks } from '../support/upstream/one-shots.js';
import { movie, scriptVideos, videoProviders } from '../support/upstream/videos.js';
import { wav } from '../support/wav.js';

/** The playground calls every kind of model with a session. */
let site: TaskSite;
const states = new Map<string, object>();
const provider = videoProviders.openai;

beforeAll(async () => {
  site = await TaskSite.open({}, 100_000_000);
  const at = { baseUrl: site.upstream.url, group: 'default,vip' };
  const models = ['gpt-3.5-turbo-instruct', 'text-embedding-3-small', 'omni-moderation-latest', 'dall-e-3', 'tts-1'];
  await site.server.api.createChannel(site.root, { ...at, models: [...models, 'whisper-1'] });
  await site.server.api.createChannel(site.root, { ...at, type: 60, models: [provider.model] });
  await site.server.api.createChannel(site.root, { ...at, type: 38, models: ['jina-reranker-v2-base-multilingual'] });
  await site.setOption('ModelPrice', JSON.stringify({ 'jina-reranker-v2-base-multilingual': 0.01, 'dall-e-3': 0.04 }));
});
afterAll(async () => {
  expect(await site.drift()).toEqual([]);
  await site.close();
});
beforeEach(() => {
  site.script();
  states.clear();
});

const headersOf = (person: Person): Record<string, string> => ({
  cookie: person.cookie,
  'veloera-user': String(person.id),
});
const ask = (method: string, path: string, body?: object | FormData, headers = headersOf(site.user)) =>
  fetch(site.server.url + path, {
    method,
    headers: { ...headers, ...(body && !(body instanceof FormData) && { 'content-type': 'application/json' }) },
    ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
const call = (path: string, body: object | FormData): Promise<Response> => ask('POST', path, body);
const codeOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { error: { code: unknown } }).error.code;
const recording = (): FormData => {
  const form = new FormData();
  form.append('model', 'whisper-1');
  form.append('file', new Blob([new Uint8Array(wav(2))]), 'speech.wav');
  return form;
};

const kinds = {
  '/completions': { model: 'gpt-3.5-turbo-instruct', prompt: 'Say hello', max_tokens: 20 },
  '/embeddings': { model: 'text-embedding-3-small', input: 'hello' },
  '/moderations': { model: 'omni-moderation-latest', input: 'hello' },
  '/rerank': { model: 'jina-reranker-v2-base-multilingual', query: 'tea', documents: ['coffee', 'tea'] },
  '/images/generations': { model: 'dall-e-3', prompt: 'a lighthouse', size: '1024x1024', n: 1 },
  '/audio/speech': { model: 'tts-1', input: 'hello', voice: 'alloy' },
};
const replies = {
  '/completions': json({
    choices: [{ text: 'Hello', index: 0, finish_reason: 'stop' }],
    usage: { prompt_tokens: 4, completion_tokens: 1, total_tokens: 5 },
  }),
  '/embeddings': embeds([[0.5, 0.25]]),
  '/moderations': json({ id: 'm', model: 'm', results: [{ flagged: false, categories: {}, category_scores: {} }] }),
  '/rerank': json({ results: [{ index: 1, relevance_score: 0.9 }], usage: { total_tokens: 4 } }),
  '/images/generations': draws('iVBORw0KGgo='),
  '/audio/speech': speaks(Buffer.from('ID3 sound')),
};
const paths = Object.keys(kinds) as Array<keyof typeof kinds>;

it.each(paths)('answers and charges as /v1%s does, without a key', async (path) => {
  site.upstream.script({}, replies[path], replies[path]);
  const start = await site.balances();
  const byKey = await fetch(`${site.server.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${site.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(kinds[path]),
  });
  const expected = await byKey.text();
  const between = await site.balances();
  const bySession = await call(`/pg${path}?group=default`, kinds[path]);
  expect([bySession.status, await bySession.text()]).toEqual([200, expected]);
  const end = await site.balances();
  expect(between.quota - end.quota).toBe(start.quota - between.quota);
  expect(end.token).toBe(between.token);
  const [first, second] = site.upstream.requests;
  expect([second?.path, second?.body]).toEqual([first?.path, first?.body]);
  expect(JSON.stringify(second?.headers)).not.toContain(site.user.cookie);
});

it('transcribes a recording, which is sent in a form', async () => {
  site.upstream.script({}, hears('Good day'));
  const before = await site.balances();
  const response = await call('/pg/audio/transcriptions', recording());
  expect([response.status, await response.json()]).toEqual([200, { text: 'Good day' }]);
  expect((await site.balances()).quota).toBeLessThan(before.quota);
  const [sent] = site.upstream.requests;
  const form = readForm(sent?.rawBody ?? Buffer.alloc(0), sent?.headers['content-type'] ?? '');
  expect(form.map(({ name }) => name).sort()).toEqual(['file', 'model']);
});

it('submits a video, follows it and shows its bytes to its user alone', async () => {
  scriptVideos(site.upstream, provider, states);
  const before = await site.balances();
  const submitted = await call('/pg/videos', { model: provider.model, prompt: 'a lighthouse', seconds: '4' });
  const { id } = (await submitted.json()) as { id: string };
  expect(submitted.status).toBe(200);
  const requestId = submitted.headers.get('x-oneapi-request-id');
  const { rows } = await site.pool.query('SELECT quota FROM logs WHERE request_id = $1', [requestId]);
  expect(rows).toEqual([{ quota: String(before.quota - (await site.balances()).quota) }]);
  const early = await ask('GET', `/pg/videos/${id}/content`);
  expect([early.status, await codeOf(early)]).toEqual([400, 'video_not_ready']);
  states.set('job-1', provider.done('job-1'));
  const look = async () => (await (await ask('GET', `/pg/videos/${id}`)).json()) as { status: string };
  await eventually(look, ({ status }) => status === 'completed');
  site.upstream.script({ path: '/v1/videos/job-1/content' }, (response) => {
    response.writeHead(200, { 'content-type': 'video/mp4' }).end(movie);
  });
  const content = await ask('GET', `/pg/videos/${id}/content`);
  expect(Buffer.from(await content.arrayBuffer()).equals(movie)).toBe(true);
  const foreign = await ask('GET', `/pg/videos/${id}`, undefined, headersOf(site.root));
  expect([foreign.status, await codeOf(foreign)]).toEqual([404, 'video_not_found']);
});

it('is for a session, pages of this site, and groups of the user', async () => {
  for (const path of [...paths, '/audio/transcriptions', '/videos'].map((one) => `/pg${one}`)) {
    const none = await ask('POST', path, {}, {});
    const byToken = await ask('POST', path, {}, { ...headersOf(site.user), authorization: `Bearer ${site.key}` });
    const elsewhere = await ask('POST', path, {}, { ...headersOf(site.user), 'sec-fetch-site': 'cross-site' });
    expect([path, none.status, byToken.status, elsewhere.status]).toEqual([path, 401, 400, 403]);
  }
  const foreign = await call('/pg/embeddings?group=no-such-group', kinds['/embeddings']);
  expect([foreign.status, await codeOf(foreign)]).toEqual([403, 'group_not_allowed']);
  expect(site.upstream.requests).toEqual([]);
});

it('knows the kind of each model', async () => {
  const query = '{ pricing { models { modelName kind } } }';
  const response = await ask('POST', '/graphql', { query });
  const { data } = (await response.json()) as { data: { pricing: { models: { modelName: string; kind: string }[] } } };
  const known = new Map(data.pricing.models.map(({ modelName, kind }) => [modelName, kind]));
  expect(['dall-e-3', 'tts-1', 'whisper-1', provider.model].map((model) => known.get(model))).toEqual([
    'IMAGE',
    'SPEECH',
    'TRANSCRIPTION',
    'VIDEO',
  ]);
});

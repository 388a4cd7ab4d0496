/**
 * Images, speech, recordings, drawings, music and videos: the blocked words and the guardrails read every text that the
 * provider gets, in whatever field it is.
 */
import { imageFields, speechFields, transcriptionFields } from '../../server/src/services/known-fields.js';
import { TaskSite } from '../support/task-site.js';
import { json } from '../support/upstream/replies.js';
import { wav } from '../support/wav.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { videoKey } from '../support/upstream/video-refusals.js';
import { scriptVideos, videoProviders } from '../support/upstream/videos.js';

type Fields = Record<string, unknown>;
type VideoName = keyof typeof videoProviders;

let site: TaskSite;
let media: Upstream;
const videos = new Map<VideoName, Upstream>();
const videoNames: VideoName[] = ['openai', 'veo', 'kling', 'minimax'];

/** Fields whose values are checked, or which change the form of the request. */
const decisive = new Set([
  ...['model', 'n', 'num_images', 'batch_size', 'size', 'image_size', 'aspect_ratio', 'quality', 'stream', 'file'],
  ...['partial_images', 'image', 'images', 'mask', 'input', 'prompt', 'resolution', 'seconds', 'duration', 'mode'],
  ...['sequential_image_generation', 'sequential_image_generation_options', 'generate_audio', 'sound', 'speed'],
  ...['task_id', 'continue_clip_id', 'taskId', 'customId', 'action', 'content', 'index', 'response_format'],
]);
/** Ids, addresses and media: guardrails do not search them. */
const unsearched = new Set([
  ...['user', 'safety_identifier', 'input_reference', 'image_tail', 'image2', 'image3', 'image_url', 'mask_url'],
  ...['known_speaker_references', 'notify_hook', 'cover_clip_id', 'persona_id', 'artist_clip_id', 'base64'],
  ...['base64Array', 'maskBase64', 'sourceBase64', 'targetBase64', 'link', 'notifyHook'],
]);
const names = [
  ...new Set([
    ...[...imageFields, ...speechFields, ...transcriptionFields],
    // Videos.
    ...['style', 'negative_prompt', 'cfg_scale', 'camera_control', 'prompt_optimizer', 'prompt_extend', 'watermark'],
    ...['guidance_scale', 'seed', 'lyrics', 'title', 'tags', 'gpt_description_prompt', 'negative_tags', 'mv'],
    ...['make_instrumental', 'generation_type', 'vocal_gender', 'style_weight', 'infill_start_s', 'continue_at'],
    // Drawings.
    ...['state', 'botType', 'dimensions', 'filter', 'language', 'accountFilter', 'chooseSameChannel', 'enableRemix'],
  ]),
].filter((name) => !decisive.has(name) && !unsearched.has(name));

beforeAll(async () => {
  site = await TaskSite.open({}, 2_000_000_000);
  media = await startUpstream();
  const { api } = site.server;
  const models = ['gpt-image-1', 'tts-1', 'whisper-1'];
  const cards = Object.fromEntries(
    videoNames.map((name) => [videoProviders[name].model, { prices: { second: 0.01 } }]),
  );
  await site.setOption('ModelPrice', JSON.stringify(Object.fromEntries(models.map((model) => [model, 0.01]))));
  await site.setOption('PriceCards', JSON.stringify(cards));
  await site.setOption('MjNotifyEnabled', 'true');
  await site.setOption('MjAccountFilterEnabled', 'true');
  await api.createChannel(site.root, { type: 1, baseUrl: media.url, key: 'sk-media', models });
  for (const name of videoNames) {
    const upstream = await startUpstream();
    videos.set(name, upstream);
    const { type, model } = videoProviders[name];
    await api.createChannel(site.root, { type, baseUrl: upstream.url, key: videoKey(name), models: [model] });
  }
});
afterAll(async () => {
  expect(await site.drift()).toEqual([]);
  await site.close();
  for (const upstream of [media, ...videos.values()]) await upstream.stop();
});

const audio = { choices: [], text: 'heard', created: 1, data: [{ b64_json: 'aGk=' }] };

interface Route {
  readonly path: string;
  /** Fields without which the route refuses the request. */
  readonly base: Fields;
  readonly upstream: () => Upstream;
  /** Text fields that reach the provider, at least. */
  readonly reaching: readonly string[];
  readonly form?: 'image' | 'file';
}

const drawing = { upstream: () => site.upstream, reaching: ['state'] };
const video = (name: VideoName) => ({
  base: { model: videoProviders[name].model, prompt: 'a harbour' },
  upstream: () => videos.get(name) ?? media,
});
const toMedia = { upstream: () => media };
const picture = { ...toMedia, base: { model: 'gpt-image-1', prompt: 'a harbour' } };
const png = 'data:image/png;base64,iVBORw0KGgo=';

const routes: readonly Route[] = [
  { ...picture, path: '/v1/images/generations', reaching: ['style', 'negative_prompt'] },
  {
    ...picture,
    path: '/v1/images/edits',
    base: { ...picture.base, images: [{ image_url: png }] },
    reaching: ['style', 'negative_prompt'],
  },
  { ...picture, path: '/v1/images/edits', form: 'image', reaching: ['style', 'negative_prompt'] },
  {
    ...toMedia,
    path: '/v1/audio/speech',
    base: { model: 'tts-1', input: 'hello' },
    reaching: ['instructions', 'voice'],
  },
  {
    ...toMedia,
    path: '/v1/audio/transcriptions',
    base: { model: 'whisper-1', prompt: 'names' },
    form: 'file',
    reaching: ['hotwords'],
  },
  {
    ...toMedia,
    path: '/v1/audio/translations',
    base: { model: 'whisper-1', prompt: 'names' },
    form: 'file',
    reaching: ['hotwords'],
  },
  { ...video('openai'), path: '/v1/videos', reaching: ['style', 'negative_prompt'] },
  { ...video('openai'), path: '/v1/videos', form: 'file', reaching: ['style', 'negative_prompt'] },
  { ...video('openai'), path: '/v1/video/generations', reaching: ['style', 'negative_prompt'] },
  { ...video('openai'), path: '/kling/v1/videos/text2video', reaching: ['style', 'negative_prompt'] },
  { ...video('kling'), path: '/v1/videos', reaching: ['negative_prompt', 'camera_control'] },
  { ...video('kling'), path: '/kling/v1/videos/text2video', reaching: ['negative_prompt', 'camera_control'] },
  { ...video('veo'), path: '/v1/videos', reaching: ['negative_prompt'] },
  {
    path: '/suno/submit/music',
    base: { prompt: 'a song' },
    upstream: () => site.upstream,
    reaching: ['title', 'tags', 'negative_tags', 'gpt_description_prompt'],
  },
  { path: '/suno/submit/lyrics', base: { prompt: 'a song' }, upstream: () => site.upstream, reaching: ['title'] },
  { ...drawing, path: '/mj/submit/imagine', base: { prompt: 'a harbour' } },
  { ...drawing, path: '/mj/submit/upload-discord-images', base: { base64Array: [png] } },
  { ...drawing, path: '/mj/insight-face/swap', base: { sourceBase64: png, targetBase64: png } },
];

const word = 'pineapple';
const marked = (name: string): string => `${word} in ${name}.`;

type Parts = ReadonlyArray<[name: string, value: string]>;

function formOf({ form }: Route, fields: Fields, more: Parts): FormData {
  const data = new FormData();
  for (const [name, value] of more) data.append(name, value);
  for (const [name, value] of Object.entries(fields)) data.append(name, String(value));
  const type = form === 'image' ? 'image/png' : 'audio/wav';
  if (form) data.append(form, new Blob([new Uint8Array(wav(1))], { type }), 'a');
  return data;
}

async function send(route: Route, fields: Fields, more: Parts = []) {
  const upstream = route.upstream();
  upstream.requests.length = 0;
  const response = await fetch(site.server.url + route.path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${site.key}`,
      ...(route.form ? {} : { 'content-type': 'application/json' }),
    },
    body: route.form ? formOf(route, { ...route.base, ...fields }, more) : JSON.stringify({ ...route.base, ...fields }),
  });
  const text = await response.text();
  // Tasks that are open are asked for once a second.
  const submitted = upstream.requests.filter(
    ({ method, path }) => method === 'POST' && !/\/(fetch|list-by-condition)/.test(path),
  );
  const sent = submitted.map(({ rawBody }) => rawBody.toString());
  return { status: response.status, text, sent: sent.join('\n') };
}

const set = async (values: Partial<Record<'guardrails.rules' | 'SensitiveWords', string>>): Promise<void> => {
  await site.setOption('guardrails.rules', values['guardrails.rules'] ?? '[]');
  await site.setOption('SensitiveWords', values.SensitiveWords ?? '');
};
const rule = (action: string): string =>
  JSON.stringify([{ name: 'fruit', stage: 'input', action, check: 'words', words: [word] }]);

beforeEach(() => {
  site.script();
  media.reset();
  media.script({}, json(audio));
  for (const name of videoNames) {
    const upstream = videos.get(name);
    upstream?.reset();
    if (upstream) scriptVideos(upstream, videoProviders[name], new Map());
  }
});

describe.each(routes)('$path ($form)', (route) => {
  const prompts = ['prompt', 'input'].filter((name) => name in route.base);
  const all = Object.fromEntries([...names, ...prompts].map((name) => [name, marked(name)]));
  const nested = Object.fromEntries(names.map((name) => [name, { note: marked(name) }]));
  let arriving: string[] = [];

  it('sends texts in these fields to the provider', async () => {
    await set({});
    const { status, text, sent } = await send(route, all);
    expect(status === 200 ? '' : text).toBe('');
    arriving = [...names, ...prompts].filter((name) => sent.includes(marked(name)));
    expect(arriving).toEqual(expect.arrayContaining([...route.reaching, ...prompts]));
  });

  it('masks each of them', async () => {
    await set({ 'guardrails.rules': rule('mask') });
    const whole = await send(route, all);
    expect(whole.status === 200 ? '' : whole.text).toBe('');
    expect(whole.sent).not.toContain(word);
    if (!route.form) expect((await send(route, nested)).sent).not.toContain(word);
  });

  if (route.form) {
    it.each(['negative_prompt[]', 'hotwords[]'])('reads every part of the list %s', async (name) => {
      const parts: Parts = [
        [name, 'an apple'],
        [name, marked(name)],
      ];
      await set({ 'guardrails.rules': rule('mask') });
      expect((await send(route, {}, parts)).sent).not.toContain(word);
      await set({ SensitiveWords: word });
      expect((await send(route, {}, parts)).sent).not.toContain(word);
    });
  }

  it.each(['a guardrail', 'the blocked words'])('is refused for each of them by %s', async (by) => {
    await set(by === 'a guardrail' ? { 'guardrails.rules': rule('block') } : { SensitiveWords: word });
    expect(arriving).not.toEqual([]);
    for (const name of arriving) {
      const { status, sent } = await send(route, { [name]: marked(name) });
      expect([name, status, sent]).toEqual([name, 400, '']);
    }
  });
});

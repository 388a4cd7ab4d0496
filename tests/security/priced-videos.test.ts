/**
 * Videos, at every provider: whatever length and resolution a client asks for, by whatever field, the charge is that of the
 * video that the provider makes of the request that it gets.
 */
import { readForm } from '../../server/src/dialects/wire/forms/multipart.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { json } from '../support/upstream/replies.js';
import { startUpstream, type ReceivedRequest, type Upstream } from '../support/upstream/upstream.js';
import { videoKey } from '../support/upstream/video-refusals.js';
import { isSubmission, scriptVideos, videoProviders } from '../support/upstream/videos.js';
import { pricedPaths } from './priced-table.js';

type Name = keyof typeof videoProviders;
type Fields = Record<string, unknown>;
const names = Object.keys(videoProviders) as Name[];

let site: TaskSite;
const upstreams = new Map<Name, Upstream>();
const upstreamOf = (name: Name): Upstream => {
  const upstream = upstreams.get(name);
  if (!upstream) throw new Error(name);
  return upstream;
};

/** USD a second, by the lines of a picture. */
const rates = { '480p': 0.05, '720p': 0.1, '1080p': 0.2, '2k': 0.4, '4k': 0.8 } as const;
type Resolution = keyof typeof rates;

beforeAll(async () => {
  site = await TaskSite.open({}, 2_000_000_000);
  const models = names.flatMap((name) => [videoProviders[name].model, ...(name === 'wan' ? ['wan2.6-t2v'] : [])]);
  const variants = Object.entries(rates).map(([resolution, second]) => ({ when: { resolution }, prices: { second } }));
  const card = { prices: { second: rates['720p'] }, variants };
  await site.setOption('PriceCards', JSON.stringify(Object.fromEntries(models.map((model) => [model, card]))));
  for (const name of names) {
    const upstream = await startUpstream();
    upstreams.set(name, upstream);
    const { type, model } = videoProviders[name];
    const own = name === 'wan' ? [model, 'wan2.6-t2v'] : [model];
    await site.server.api.createChannel(site.root, { type, baseUrl: upstream.url, key: videoKey(name), models: own });
  }
});
afterAll(async () => {
  expect(await site.drift()).toEqual([]);
  await site.close();
  for (const upstream of upstreams.values()) await upstream.stop();
});
beforeEach(() => {
  for (const name of names) {
    upstreamOf(name).reset();
    scriptVideos(upstreamOf(name), videoProviders[name], new Map());
  }
});

/** Reads the first number of a value, as lenient providers do. */
const numberIn = (value: unknown): number =>
  Number(/[\d.]+(?:e\d+)?/.exec(String(Array.isArray(value) ? value[0] : value))?.[0] ?? 0);

/** Every field of a request and of the objects inside of it, and every part of a form, a file too. */
function fieldsOf({ body, rawBody, headers }: ReceivedRequest): Array<[name: string, value: unknown]> {
  const type = headers['content-type'] ?? '';
  if (type.startsWith('multipart/')) {
    return readForm(rawBody, type).map(({ name, value }) => [
      name,
      typeof value === 'string' ? value : value.bytes.toString(),
    ]);
  }
  const within = (fields: Fields): Array<[string, unknown]> =>
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? [[name, value] as [string, unknown], ...within(value as Fields)]
        : [[name, value] as [string, unknown]],
    );
  return within(body ?? {});
}

const lengths = /^(?:seconds|duration|durationseconds|duration_seconds|length|video_length|n_seconds)(?:\[.*)?$/i;
const resolutions = /^(?:size|resolution|quality|image_size|mode)(?:\[.*)?$/i;
const counts = /^(?:n|count|samplecount|batch_size|number_of_videos|num_outputs)(?:\[.*)?$/i;

/** The resolution that a text names; of a size the one of its shorter side, or of its pixels if that is larger. */
function resolutionOf(value: unknown): Resolution {
  const text = String(Array.isArray(value) ? value[0] : value).toLowerCase();
  // Kling’s names of two resolutions.
  if (text === 'std') return '720p';
  if (text === 'pro') return '1080p';
  if (/4k|2160/.test(text)) return '4k';
  if (/2k|1440p/.test(text)) return '2k';
  const sides = /(\d+)[x*](\d+)/.exec(text);
  const [width, height] = [Number(sides?.[1]), Number(sides?.[2])];
  // No resolution has more pixels in any shape (docs/reference/relay/prices.md#videos).
  if (sides && width * height > 5_500_000) return '4k';
  const lines = sides ? Math.min(width, height) : numberIn(text);
  // A size between two resolutions is the larger one.
  return lines > 1440 ? '4k' : lines > 1080 ? '2k' : lines > 768 ? '1080p' : lines > 480 ? '720p' : '480p';
}

/** The price of the video that the most generous provider makes of a request: the longest, largest and most that it names. */
function worthOf(request: ReceivedRequest, usual: number): number {
  const found = fieldsOf(request);
  const of = (pattern: RegExp): unknown[] => found.filter(([name]) => pattern.test(name)).map(([, value]) => value);
  const frames = of(/^frames$/).map((value) => (numberIn(value) - 1) / 24);
  const seconds = Math.max(0, ...of(lengths).map(numberIn), ...frames) || usual;
  // Jimeng has a name of its own for each resolution of a model.
  const ofModel = of(/^req_key$/).map((name) => (/1080|pro/.test(String(name)) ? '1080p' : '720p'));
  const named = [...of(resolutions).map(resolutionOf), ...ofModel].map((resolution) => rates[resolution]);
  const times = Math.max(1, ...of(counts).map(numberIn));
  return Math.round(seconds * Math.max(...named, 0.05) * times * 500_000);
}

const json4 = [
  '"4"',
  '4',
  '"8"',
  '8',
  '"08"',
  '8.0',
  '8.5',
  '"8s"',
  '[8]',
  '60',
  '"60"',
  '1e1',
  '"1e1"',
  '-8',
  'null',
  '" 8"',
];
const jsonSizes = [
  ...[
    '"1280x720"',
    '"720x1280"',
    '"1920x1080"',
    '"1792x1024"',
    '"3840x2160"',
    '"1280X720"',
    '"1920*1080"',
    '"9999x9999"',
  ],
  ...[
    '["3840x2160"]',
    '" 3840x2160"',
    '"4k"',
    '"1080P"',
    '"720p"',
    '"2160p"',
    '"768P"',
    '"480p"',
    '"HD"',
    '1080',
    'null',
  ],
  ...['"640x480"', '"16x9999"'],
];
const ratios = ['"16:9"', '"9:16"', '"1:1"', '"21:9"', '"99:1"', '"1:99"', '"4:3"'];
const values: ReadonlyArray<readonly [name: string, values: readonly string[]]> = [
  ['seconds', json4],
  ['duration', json4],
  ['size', jsonSizes],
  ['resolution', jsonSizes],
  ['aspect_ratio', ratios],
  ['mode', ['"pro"', '"4k"', '"std"', '"PRO"', '["4k"]', '1']],
  ['Seconds', ['60']],
  ['Duration', ['60']],
  ['Resolution', ['"4k"']],
  ['duration_seconds', ['60']],
  ['n', ['4', '"4"']],
  ['number_of_videos', ['4']],
  ['quality', ['"4k"', '"high"']],
  ['image_size', ['"3840x2160"']],
  ['extra_body', ['{"duration":60,"resolution":"4k"}', '{"parameters":{"n":4}}']],
  ['parameters', ['{"duration":60,"sampleCount":4}']],
  ['metadata', ['{"duration":60,"resolution":"4k"}']],
];

async function post(path: string, body: string | FormData): Promise<{ status: number; text: string; quota: number }> {
  const { quota: before } = await site.balances();
  const response = await fetch(site.server.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${site.key}`,
      ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
    },
    body,
  });
  const text = await response.text();
  return { status: response.status, text, quota: before - (await site.balances()).quota };
}

/** Expects that a call is refused without any effect, or charged by the request that its provider got. */
async function expectCharged(name: Name, path: string, body: string | FormData, shown: string): Promise<boolean> {
  const { requests } = upstreamOf(name);
  requests.length = 0;
  const { status, text, quota } = await post(path, body);
  const sent = requests.find((request) => isSubmission(videoProviders[name], request));
  if (status !== 200) {
    expect([shown, status, text, sent?.path, quota]).toEqual([shown, 400, text, undefined, 0]);
    return false;
  }
  expect([shown, quota, sent !== undefined]).toEqual([shown, sent ? worthOf(sent, 0) : 0, true]);
  return true;
}

const modelsOf = (name: Name): string[] => [videoProviders[name].model, ...(name === 'wan' ? ['wan2.6-t2v'] : [])];

it('has a row at each of its routes', () => {
  expect(pricedPaths.videos).toEqual([
    ...['/v1/videos', '/v1/videos/video_1/remix', '/v1/video/generations'],
    ...['/kling/v1/videos/text2video', '/kling/v1/videos/image2video'],
  ]);
});

it.each([
  ...names.flatMap((name) => [[name, '/v1/videos'] as const, [name, '/v1/video/generations'] as const]),
  ['openai', '/kling/v1/videos/text2video'] as const,
  ['kling', '/kling/v1/videos/text2video'] as const,
  ['kling', '/kling/v1/videos/image2video'] as const,
])('is charged as it is sent to %s at %s', async (name, path) => {
  let served = 0;
  for (const model of modelsOf(name)) {
    const given = values.flatMap(([field, all]) => all.map((value) => `"${field}":${value}`));
    const pairs = [
      ['"seconds":4', '"duration":12'],
      ['"duration":4', '"seconds":"12"'],
      ['"size":"1280x720"', '"resolution":"1080p"'],
      ['"size":"1920x1080"', '"resolution":"720p"'],
      ['"resolution":"1080p"', '"aspect_ratio":"21:9"'],
      ['"size":"1920x1080"', '"aspect_ratio":"9:16"'],
      ['"resolution":"720p"', '"Resolution":"4k"'],
      ['"seconds":4', '"seconds":12'],
      ['"width":1920', '"height":1080'],
      ['"width":1280,"height":720', '"metadata":{"Resolution":"4k"}'],
      ['"width":1280,"height":720', '"resolution":"4k"'],
    ].map((pair) => pair.join(','));
    for (const more of [...given, ...pairs]) {
      const image = path.endsWith('image2video') ? '"image":"https://x.example/a.png",' : '';
      const body = `{"model":"${model}","prompt":"a lighthouse",${image}${more}}`;
      if (await expectCharged(name, path, body, `${model} ${more}`)) served++;
    }
  }
  expect(served).toBeGreaterThan(15);
});

it.each(names)('is charged as it is sent to %s, in a form', async (name) => {
  let served = 0;
  const { model } = videoProviders[name];
  const plain = values.flatMap(([field, all]) =>
    all.filter((value) => !/^[[{]|^null/.test(value)).map((value) => [field, value.replaceAll('"', '')] as const),
  );
  const spelled = ['seconds', 'duration', 'size', 'resolution'].flatMap((field) =>
    [`${field}[]`, `${field}[0]`, `${field} `].map(
      (each) => [each, /^s?[ed]/.test(field) ? '60' : '3840x2160'] as const,
    ),
  );
  for (const [field, value] of [...plain, ...spelled]) {
    const form = new FormData();
    form.set('model', model);
    form.set('prompt', 'a lighthouse');
    form.set(field, value);
    if (await expectCharged(name, '/v1/videos', form, `${field}: ${value}`)) served++;
    const file = new FormData();
    file.set('model', model);
    file.set('prompt', 'a lighthouse');
    file.set(field, new File([value], 'a.txt', { type: 'text/plain' }));
    await expectCharged(name, '/v1/videos', file, `${field} as a file: ${value}`);
  }
  expect(served).toBeGreaterThan(10);
});

it('is charged as the video that it continues: a remix', async () => {
  const upstream = upstreamOf('openai');
  const { openai } = videoProviders;
  const states = new Map<string, object>([['job-1', openai.done('job-1')]]);
  upstream.reset();
  scriptVideos(upstream, openai, states);
  const { text } = await post(
    '/v1/videos',
    JSON.stringify({ model: openai.model, prompt: 'a', seconds: 12, size: '1920x1080' }),
  );
  const { id } = JSON.parse(text) as { id: string };
  await eventually(
    () => site.call('GET', `/v1/videos/${id}`),
    ({ body }) => body['status'] === 'completed',
  );
  upstream.script({ path: '/v1/videos/job-1/remix' }, json(openai.taken('job-2')));
  let served = 0;
  for (const [field, all] of values) {
    for (const value of all) {
      upstream.requests.length = 0;
      const body = `{"prompt":"at night","${field}":${value}}`;
      const { status, text: answer, quota } = await post(`/v1/videos/${id}/remix`, body);
      const sent = upstream.requests.find(({ method }) => method === 'POST');
      if (status === 200) {
        served++;
        expect([body, sent?.body, quota]).toEqual([
          body,
          { prompt: 'at night' },
          Math.round(12 * rates['1080p'] * 500_000),
        ]);
      } else expect([body, status, answer, sent, quota]).toEqual([body, 400, answer, undefined, 0]);
    }
  }
  expect(served).toBeGreaterThan(30);
});

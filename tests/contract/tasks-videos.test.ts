/* eslint-disable @typescript-eslint/no-deprecated -- OpenAI ended its own models behind these calls; here others serve them. */
import OpenAI, { toFile } from 'openai';
import { readForm, textFields } from '../../server/src/dialects/wire/forms/multipart.js';
import { eventually, TaskSite, type Answer } from '../support/task-site.js';
import { picture } from '../e2e/clients/sdk-client.js';
import { json } from '../support/upstream/replies.js';
import { startUpstream, type ReceivedRequest, type Reply, type Upstream } from '../support/upstream/upstream.js';
import { hailuoRefusal, videoKey as secret } from '../support/upstream/video-refusals.js';
import { isSubmission, movie, scriptVideos, videoProviders, type VideoProvider } from '../support/upstream/videos.js';

type Name = keyof typeof videoProviders;

let site: TaskSite;
let files: Upstream;
/** The upstream of each dialect, and the states that it reports. */
const providers = new Map<Name, { upstream: Upstream; states: Map<string, object>; channel: number }>();
const names = Object.keys(videoProviders) as Name[];

const furtherModels: Partial<Readonly<Record<Name, readonly string[]>>> = {
  wan: ['wan2.6-i2v'],
  kling: ['kling-v2-6', 'kling-v2-5-turbo'],
  jimeng: ['jimeng_v30_pro', 'jimeng_v30_1080p'],
  vidu: ['viduq2', 'viduq2-pro', 'viduq1'],
  minimax: ['MiniMax-Hailuo-2.3', 'MiniMax-Hailuo-2.3-Fast', 'T2V-01'],
};

beforeAll(async () => {
  site = await TaskSite.open({}, 100_000_000);
  files = await startUpstream();
  for (const name of names) {
    const upstream = await startUpstream();
    const { type, model } = videoProviders[name];
    const channel = await site.server.api.createChannel(site.root, {
      type,
      baseUrl: upstream.url,
      key: secret(name),
      models: [model, `chat-only-${name}`, ...(furtherModels[name] ?? [])],
    });
    providers.set(name, { upstream, states: new Map(), channel });
  }
  await site.setOption(
    'ModelPrice',
    JSON.stringify({
      'cogvideox-3': 0.2,
      'wan2.6-i2v': 0.5,
      'MiniMax-Hailuo-2.3': 0.3,
      'MiniMax-Hailuo-2.3-Fast': 0.3,
      'T2V-01': 0.3,
      viduq2: 0.3,
      jimeng_v30: 0.4,
      jimeng_v30_pro: 0.9,
      jimeng_v30_1080p: 0.6,
      'viduq2-pro': 0.3,
      viduq1: 0.4,
    }),
  );
});
afterAll(async () => {
  expect(await site.drift()).toEqual([]);
  await site.close();
  for (const { upstream } of providers.values()) await upstream.stop();
  await files.stop();
});
beforeEach(() => {
  files.reset();
  files.script({ path: '/' }, sends(movie));
  for (const [name, { upstream, states }] of providers) {
    upstream.reset();
    states.clear();
    scriptVideos(upstream, videoProviders[name], states);
  }
});

const sends =
  (bytes: Buffer, type = 'video/mp4'): Reply =>
  (response) => {
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length });
    response.end(bytes);
  };
const at = (name: Name) => {
  const provider = providers.get(name);
  if (!provider) throw new Error(name);
  return { ...provider, ...(videoProviders[name] as VideoProvider) };
};
const client = (key = site.key): OpenAI => new OpenAI({ apiKey: key, baseURL: `${site.server.url}/v1`, maxRetries: 0 });
const secondsOf = (name: Name): string => String(at(name).seconds ?? 8);
const create = (name: Name, more: object = {}): Promise<OpenAI.Video> =>
  client().videos.create({
    model: at(name).model,
    prompt: 'a lighthouse',
    seconds: secondsOf(name) as '8',
    size: '1280x720',
    ...more,
  });
const ended = (id: string): Promise<OpenAI.Video> =>
  eventually(
    () => client().videos.retrieve(id),
    ({ status }) => status === 'completed' || status === 'failed',
  );
const submissionsOf = (name: Name): ReceivedRequest[] =>
  at(name).upstream.requests.filter((request) => isSubmission(at(name), request));
const submissionOf = (name: Name): ReceivedRequest | undefined => submissionsOf(name).at(-1);
/** OpenAI's SDK submits a form. */
function bodyOf(submission: ReceivedRequest | undefined): Record<string, unknown> | null {
  const type = submission?.headers['content-type'] ?? '';
  return submission && type.startsWith('multipart/')
    ? textFields(readForm(submission.rawBody, type))
    : (submission?.body ?? null);
}
const submissions = (): number => names.reduce((sum, name) => sum + submissionsOf(name).length, 0);
/** The name that the provider gave the newest video. */
const lastName = (name: Name): string =>
  `job-${submissionsOf(name).filter(({ path }) => !path.includes('remix')).length}`;
async function finish(name: Name, id: string): Promise<OpenAI.Video> {
  at(name).states.set(lastName(name), at(name).done(lastName(name), `${files.url}/made.mp4?signature=x`));
  return ended(id);
}
const send = async (method: string, path: string, body?: unknown, key = site.key): Promise<Answer> => {
  const response = await fetch(site.server.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
};
const codeOf = ({ status, body }: Answer): unknown[] => [status, (body['error'] as { code: unknown }).code];

/** Quota for 8 seconds at 720p, at 500,000 quota a dollar. */
const charges: Readonly<Record<Name, number>> = {
  openai: 8 * 0.1 * 500_000,
  veo: 8 * 0.4 * 500_000,
  xai: 8 * 0.07 * 500_000,
  ark: Math.round(8 * 0.141942857 * 500_000),
  wan: 8 * 0.086012 * 500_000,
  kling: 8 * 0.084 * 500_000,
  minimax: 8 * 0.08 * 500_000,
  vidu: 8 * 0.15 * 500_000,
  // These prices are per call.
  jimeng: 0.4 * 500_000,
  cogvideo: 0.2 * 500_000,
};

const sent: Readonly<Record<Name, object>> = {
  openai: { model: 'sora-2', prompt: 'a lighthouse', seconds: '8', size: '1280x720' },
  veo: {
    instances: [{ prompt: 'a lighthouse' }],
    parameters: { durationSeconds: 8, resolution: '720p', sampleCount: 1, aspectRatio: '16:9' },
  },
  xai: {
    model: 'grok-imagine-video',
    prompt: 'a lighthouse',
    duration: 8,
    resolution: '720p',
    aspect_ratio: '16:9',
  },
  ark: {
    model: 'doubao-seedance-2-0-260128',
    resolution: '720p',
    duration: 8,
    ratio: '16:9',
    content: [{ type: 'text', text: 'a lighthouse' }],
  },
  wan: {
    model: 'wan2.7-t2v',
    input: { prompt: 'a lighthouse' },
    parameters: { duration: 8, resolution: '720P', ratio: '16:9' },
  },
  kling: {
    model_name: 'kling-v3',
    prompt: 'a lighthouse',
    duration: '8',
    mode: 'std',
    sound: 'off',
    aspect_ratio: '16:9',
  },
  minimax: {
    model: 'MiniMax-H3',
    content: [{ type: 'text', text: 'a lighthouse' }],
    resolution: '768P',
    duration: 8,
    ratio: '16:9',
  },
  jimeng: { req_key: 'jimeng_t2v_v30', prompt: 'a lighthouse', frames: 241, aspect_ratio: '16:9' },
  vidu: {
    model: 'viduq3-pro',
    prompt: 'a lighthouse',
    duration: 8,
    resolution: '720p',
    audio: true,
    aspect_ratio: '16:9',
  },
  cogvideo: { model: 'cogvideox-3', prompt: 'a lighthouse', duration: 8, size: '1280x720' },
};

describe.each(names)('OpenAI’s SDK makes a video by %s', (name) => {
  it('which is charged by the second, followed, and read', async () => {
    const before = await site.balances();
    const made = await create(name);
    expect(made).toMatchObject({
      object: 'video',
      status: 'queued',
      progress: 0,
      model: at(name).model,
      prompt: 'a lighthouse',
      seconds: secondsOf(name),
      size: '1280x720',
      error: null,
      completed_at: null,
      remixed_from_video_id: null,
    });
    expect(made.id).toMatch(/^video_\w{20,}$/);
    const submission = submissionOf(name);
    expect([submission && at(name).keyOf(submission), submission && bodyOf(submission)]).toEqual([
      secret(name),
      sent[name],
    ]);
    const after = await site.balances();
    expect([before.quota - after.quota, before.token - after.token, after.used - before.used]).toEqual(
      Array(3).fill(charges[name]),
    );
    const [row] = await site.chargedRows(1);
    expect(row).toMatchObject({
      quota: charges[name],
      other: { task: true, video_seconds: Number(secondsOf(name)), price_when: { resolution: '720p' } },
    });
    await eventually(
      () => client().videos.retrieve(made.id),
      ({ status }) => status === 'in_progress',
    );
    const refused = await client()
      .videos.downloadContent(made.id)
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 400, code: 'video_not_ready' });
    if (name === 'openai') at(name).upstream.script({ path: `/v1/videos/${lastName(name)}/content` }, sends(movie));
    if (name === 'veo') at(name).upstream.script({ path: '/v1beta/files/f1:download' }, sends(movie));
    const done = await finish(name, made.id);
    expect(done).toMatchObject({ status: 'completed', progress: 100, error: null, completed_at: expect.any(Number) });
    const content = await client().videos.downloadContent(made.id);
    expect(content.headers.get('content-type')).toBe('video/mp4');
    expect(Buffer.from(await content.arrayBuffer()).equals(movie)).toBe(true);
    expect((await site.balances()).quota).toBe(after.quota);
  });

  it('that fails, and gives back what it cost, once', async () => {
    const before = await site.balances();
    const { id } = await create(name);
    at(name).states.set(lastName(name), at(name).failed(lastName(name), 'the prompt shows a person'));
    const failed = await ended(id);
    expect(failed).toMatchObject({ status: 'failed', completed_at: null });
    expect(failed.error).toEqual({ code: 'video_generation_failed', message: 'the prompt shows a person' });
    const { quota, token } = await site.balances();
    expect([quota, token]).toEqual([before.quota, before.token]);
  });

  it('from a picture', async () => {
    const bytes = Buffer.from(picture.split(',').at(-1) ?? '', 'base64');
    await create(name, { input_reference: await toFile(bytes, 'first.png', { type: 'image/png' }) });
    const submission = submissionOf(name);
    if (name === 'openai') {
      expect(submission?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
      expect(submission?.rawBody.includes(bytes)).toBe(true);
      const fields = ['model', 'prompt', 'seconds', 'size'].map((field) => `name="${field}"\r\n`);
      for (const field of fields) expect(submission?.rawBody.toString('latin1').split(field)).toHaveLength(2);
    } else {
      expect(JSON.stringify(submission?.body)).toContain(bytes.toString('base64'));
      // These two take the base64 alone.
      if (name !== 'kling' && name !== 'jimeng') expect(JSON.stringify(submission?.body)).toContain('image/png');
    }
  });
});

it('sends the id of a file to an account of the user alone', async () => {
  const { model, channel } = at('openai');
  const body = { model, prompt: 'x', input_reference: { file_id: 'file-1' } };
  const before = [submissions(), (await site.balances()).quota];
  expect(codeOf(await send('POST', '/v1/videos', body))).toEqual([404, 'unknown_id']);
  expect([submissions(), (await site.balances()).quota]).toEqual(before);
  const own = (owner: number): Promise<unknown> =>
    site.server.api.data(site.root, 'PUT', '/api/channel/', { id: channel, owner_id: owner });
  await own(site.user.id);
  try {
    await create('openai', { input_reference: { file_id: 'file-1' } });
    expect(bodyOf(submissionOf('openai'))).toMatchObject({ 'input_reference[file_id]': 'file-1' });
  } finally {
    await own(0);
  }
});

it.each<[what: string, parts: ReadonlyArray<readonly [name: string, value: string | Blob]>]>([
  [
    'beside a file',
    [
      ['input_reference', new Blob(['x'], { type: 'image/png' })],
      ['input_reference[file_id]', 'file-1'],
    ],
  ],
  [
    'beside a URL',
    [
      ['input_reference', 'https://pictures.example/1.png'],
      ['input_reference[file_id]', 'file-1'],
    ],
  ],
  [
    'beside a URL of its own name',
    [
      ['input_reference[image_url]', 'https://pictures.example/1.png'],
      ['input_reference[file_id]', 'file-1'],
    ],
  ],
  ['as a file', [['input_reference[file_id]', new Blob(['file-1'], { type: 'text/plain' })]]],
])('refuses the id of a file %s', async (_what, parts) => {
  const form = new FormData();
  for (const [name, value] of [['model', at('openai').model], ['prompt', 'x'], ...parts] as const)
    form.append(name, value);
  const before = [submissions(), (await site.balances()).quota];
  const headers = { authorization: `Bearer ${site.key}` };
  const response = await fetch(`${site.server.url}/v1/videos`, { method: 'POST', headers, body: form });
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('input_reference') as string]);
  expect([submissions(), (await site.balances()).quota]).toEqual(before);
});

it('sends the image of a JSON submission as its provider takes it, and says where it cannot', async () => {
  const url = 'https://pictures.example/first.png';
  for (const name of ['xai', 'ark', 'wan', 'cogvideo', 'kling', 'minimax', 'vidu', 'jimeng'] as const) {
    await create(name, { input_reference: { image_url: url } });
    expect(JSON.stringify(submissionOf(name)?.body)).toContain(url);
  }
  const before = [submissions(), (await site.balances()).quota];
  for (const name of ['veo', 'xai', 'ark'] as const) {
    const reference = name === 'veo' ? { image_url: url } : { file_id: 'file-1' };
    const body = { model: at(name).model, prompt: 'x', input_reference: reference };
    expect(codeOf(await send('POST', '/v1/videos', body))).toEqual([400, 'invalid_video_request']);
  }
  expect([submissions(), (await site.balances()).quota]).toEqual(before);
});

it('charges a video with audio and one without at their own prices', async () => {
  const { model } = at('ark');
  const card = {
    prices: { second: 0.1, secondWithAudio: 0.2 },
    variants: [{ when: { resolution: '1080p' }, prices: { second: 0.15, secondWithAudio: 0.35 } }],
  };
  await site.setOption('PriceCards', JSON.stringify({ [model]: card }));
  try {
    for (const [more, perSecond, audio] of [
      [{ generate_audio: false }, 0.1, false],
      [{ generate_audio: true }, 0.2, true],
      [{ generate_audio: 'True' }, 0.2, true],
      // Ark generates audio unless the request says otherwise.
      [{}, 0.2, undefined],
      [{ generate_audio: false, size: '1920x1080' }, 0.15, false],
      [{ generate_audio: true, size: '1920x1080' }, 0.35, true],
    ] as const) {
      const before = await site.balances();
      await create('ark', more);
      expect(bodyOf(submissionOf('ark'))?.['generate_audio']).toBe(audio);
      const quota = perSecond * 8 * 500_000;
      expect(before.quota - (await site.balances()).quota).toBe(quota);
      const [row] = await site.chargedRows(1);
      const quantity = audio === false ? 'second' : 'secondWithAudio';
      expect(row).toMatchObject({ quota, other: { components: [[quantity, 8, perSecond]] } });
      expect(row?.other['video_audio']).toBe(audio === false ? undefined : true);
    }
    const before = submissions();
    const refused = await send('POST', '/v1/videos', { model, prompt: 'x', generate_audio: 'loud' });
    expect(codeOf(refused)).toEqual([400, 'invalid_video_request']);
    expect(submissions()).toBe(before);
  } finally {
    await site.setOption('PriceCards', '{}');
  }
});

it('asks older models of Alibaba in their own form', async () => {
  const submit = async (more: object) => {
    await create('wan', { model: 'wan2.6-i2v', ...more });
    return bodyOf(submissionOf('wan'));
  };
  expect(await submit({ negative_prompt: 'blur' })).toEqual({
    model: 'wan2.6-i2v',
    input: { prompt: 'a lighthouse', negative_prompt: 'blur' },
    parameters: { duration: 8, size: '1280*720' },
  });
  expect(await submit({ input_reference: { image_url: 'https://pictures.example/first.png' } })).toEqual({
    model: 'wan2.6-i2v',
    input: { prompt: 'a lighthouse', img_url: 'https://pictures.example/first.png' },
    parameters: { duration: 8, resolution: '720P' },
  });
});

it.each([
  ['veo', { resolution: '4k' }, 8 * 0.6, '3840x2160'],
  ['veo', { size: '1080x1920', seconds: '4' }, 4 * 0.4, '1080x1920'],
  ['xai', { size: '480x480', seconds: '3' }, 3 * 0.05, '480x480'],
  ['openai', { size: undefined, seconds: undefined }, 4 * 0.1, '720x1280'],
  ['xai', { size: undefined, seconds: undefined }, 6 * 0.05, '854x480'],
  ['ark', { size: undefined, seconds: 5, resolution: '1080p', aspect_ratio: '9:16' }, 5 * 0.354085714, '1080x1920'],
  ['wan', { size: '1440x1440', seconds: '15' }, 15 * 0.143353, '1080x1080'],
  ['cogvideo', { resolution: '4k', seconds: '10' }, 0.2, '3840x2160'],
  ['minimax', { size: undefined, resolution: '2k', seconds: '4', aspect_ratio: '9:16' }, 4 * 0.13, '1440x2560'],
  ['kling', { size: undefined, resolution: '1080p', seconds: '3', aspect_ratio: '1:1' }, 3 * 0.112, '1080x1080'],
  ['vidu', { size: undefined, resolution: '1080p', seconds: '16', aspect_ratio: '3:4' }, 16 * 0.16, '1080x1440'],
  ['vidu', { size: undefined, resolution: '480p', seconds: undefined }, 5 * 0.15, '1280x720'],
  ['kling', { size: undefined, resolution: '4k', generate_audio: true }, 8 * 0.42, '3840x2160'],
  ['kling', { size: undefined, mode: 'pro', sound: 'on', seconds: undefined }, 5 * 0.168, '1920x1080'],
] as const)('charges %s for %j', async (name, more, dollars, size) => {
  const before = await site.balances();
  const made = await create(name, more);
  expect(made.size).toBe(size);
  expect(before.quota - (await site.balances()).quota).toBe(Math.round(dollars * 500_000));
});

it('lets no field of the client change what is made without its price', async () => {
  const submission = { model: 'sora-2', prompt: 'a lighthouse', seconds: '4', size: '1280x720', style: 'kept' };
  await create('openai', { seconds: '4', duration: 60, n: 10, style: 'kept' });
  expect(bodyOf(submissionOf('openai'))).toEqual(submission);
  await send('POST', '/v1/videos', { ...submission, duration: 60, n: 10 });
  expect(bodyOf(submissionOf('openai'))).toEqual(submission);
});

it('names the fields that its provider does not get', async () => {
  const submit = (name: Name): Promise<Response> =>
    fetch(`${site.server.url}/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: at(name).model, prompt: 'x', negative_prompt: 'blur', seed: 7, n: 2, style: null }),
    });
  const dropped: Readonly<Record<Name, string | null>> = {
    openai: 'n',
    veo: 'seed, n',
    wan: 'seed, n',
    xai: 'negative_prompt, seed, n',
    ark: 'negative_prompt, seed, n',
    cogvideo: 'negative_prompt, seed, n',
    kling: 'seed, n',
    minimax: 'negative_prompt, seed, n',
    vidu: 'negative_prompt, seed, n',
    jimeng: 'negative_prompt, seed, n',
  };
  for (const name of names) {
    const response = await submit(name);
    expect([name, response.status, response.headers.get('x-tollgate-dropped')]).toEqual([name, 200, dropped[name]]);
    const [row] = await site.chargedRows(1);
    expect(row?.other).toMatchObject({ dropped_parameters: dropped[name]?.split(', ') });
  }
  expect((await submit('veo')).ok && submissionOf('veo')?.body).toMatchObject({
    parameters: { negativePrompt: 'blur' },
  });
});

describe('a submission that cannot be taken', () => {
  it.each([
    ['no prompt', { prompt: '' }],
    ['a prompt that is no text', { prompt: ['x'] }],
    ['half a second', { seconds: 0.5 }],
    ['an hour', { seconds: 3600 }],
    ['seconds in words', { seconds: 'eight' }],
    ['a size in words', { size: 'large' }],
    ['an unknown resolution', { resolution: 'huge' }],
    ['a ratio in words', { aspect_ratio: 'wide' }],
    ['a reference without a source', { input_reference: {} }],
    ['a reference with two', { input_reference: { image_url: 'https://x.example/1.png', file_id: 'f' } }],
    ['more seconds than the model makes', { model: 'veo-3.1-generate-001', seconds: '12' }],
  ])('%s: is refused before anything is reserved', async (_what, more) => {
    const before = [submissions(), (await site.balances()).quota];
    const refused = await send('POST', '/v1/videos', { model: 'sora-2', prompt: 'x', ...more });
    expect(codeOf(refused)).toEqual([400, 'invalid_video_request']);
    expect([submissions(), (await site.balances()).quota]).toEqual(before);
  });

  it('of a model without a price, or whose channels make no videos', async () => {
    const submit = (model: string) => send('POST', '/v1/videos', { model, prompt: 'x' });
    expect(codeOf(await submit('chat-only-openai'))).toEqual([400, 'model_not_priced']);
    expect(codeOf(await submit('suno_music'))).toEqual([400, 'unsupported_by_channel']);
    expect(codeOf(await submit('no-such-model'))).toEqual([503, 'model_not_found']);
    expect(submissions()).toBe(0);
  });

  it('of a caller who cannot pay', async () => {
    const poor = await site.addCustomer('poor-director');
    await site.rows('UPDATE users SET quota = 1000 WHERE id = $1', [poor.user.id]);
    await site.rows(
      `INSERT INTO ledger_entries (source, kind, account, user_id, amount) VALUES ('test:poor', 'adjustment', 'user', $1, $2)`,
      [poor.user.id, 1000 - 5_000_000],
    );
    const refused = await send('POST', '/v1/videos', { model: 'sora-2', prompt: 'x' }, poor.key);
    expect(codeOf(refused)).toEqual([403, 'insufficient_user_quota']);
    expect(submissions()).toBe(0);
  });

  it.each([
    ['a refusal', json({ error: { message: `bad ${secret('openai')}`, code: 'billing_hard_limit' } }, 400), 400],
    ['an outage', json({ error: { message: 'overloaded' } }, 503), 503],
    ['no id', json({ object: 'video' }), 502],
    ['no JSON', json(Buffer.from('<html>'), 200), 502],
  ])('by its provider, with %s: costs nothing, and shows no key', async (_what, reply, status) => {
    at('openai').upstream.script({ path: '/v1/videos' }, reply);
    const before = await site.balances();
    const refused = await send('POST', '/v1/videos', { model: 'sora-2', prompt: 'x' });
    expect(refused.status).toBe(status);
    expect(JSON.stringify(refused.body)).not.toContain(secret('openai'));
    expect(await site.balances()).toEqual(before);
    const [row] = await site.rows<{ status: string; fail_reason: string }>(
      'SELECT * FROM tasks ORDER BY id DESC LIMIT 1',
    );
    expect([row?.status, row?.fail_reason.includes(secret('openai'))]).toEqual(['FAILURE', false]);
  });

  it('by its provider, whose words the site keeps from its users', async () => {
    at('openai').upstream.script(
      { path: '/v1/videos' },
      json({ error: { message: 'organisation acme is over its limit' } }, 400),
    );
    await site.setOption('global.hide_upstream_error_enabled', 'true');
    const refused = await send('POST', '/v1/videos', { model: 'sora-2', prompt: 'x' });
    await site.setOption('global.hide_upstream_error_enabled', 'false');
    const [row] = await site.rows<object>('SELECT * FROM tasks ORDER BY id DESC LIMIT 1');
    expect([refused.status, JSON.stringify([refused.body, row]).includes('acme')]).toEqual([400, false]);
  });

  it('because of a blocked word', async () => {
    await site.setOption('CheckSensitiveEnabled', 'true');
    await site.setOption('CheckSensitiveOnPromptEnabled', 'true');
    await site.setOption('SensitiveWords', 'forbidden');
    const refused = await send('POST', '/v1/videos', { model: 'sora-2', prompt: 'a forbidden thing' });
    await site.setOption('CheckSensitiveEnabled', 'false');
    expect(codeOf(refused)).toEqual([400, 'sensitive_words_detected']);
    expect(submissions()).toBe(0);
  });
});

it('belongs to its user alone', async () => {
  const { id } = await create('openai');
  const stranger = await site.addCustomer('stranger-to-videos');
  const calls: Array<[string, string, unknown?]> = [
    ['GET', `/v1/videos/${id}`],
    ['GET', `/v1/videos/${id}/content`],
    ['DELETE', `/v1/videos/${id}`],
    ['POST', `/v1/videos/${id}/remix`, { prompt: 'x' }],
    ['GET', `/v1/videos?after=${id}`],
  ];
  for (const [method, path, body] of calls) {
    expect([method, path, ...codeOf(await send(method, path, body, stranger.key))]).toEqual([
      ...[method, path, 404, 'video_not_found'],
    ]);
  }
  expect((await send('GET', '/v1/videos', undefined, stranger.key)).body).toMatchObject({ data: [], has_more: false });
  expect((await send('GET', `/v1/videos/${id}`, undefined, 'sk-unknown')).status).toBe(401);
});

it('is listed in pages, newest first, until it is deleted', async () => {
  const customer = await site.addCustomer('collector');
  const { videos } = client(customer.key);
  const made: string[] = [];
  for (let count = 0; count < 5; count++) {
    made.unshift((await videos.create({ model: 'grok-imagine-video', prompt: 'x', seconds: '1' as never })).id);
  }
  const listed: string[] = [];
  for await (const video of videos.list({ limit: 2 })) listed.push(video.id);
  expect(listed).toEqual(made);
  const oldest = await videos.list({ limit: 2, order: 'asc' });
  expect(oldest.data.map(({ id }) => id)).toEqual(made.slice(-2).reverse());
  expect(codeOf(await send('GET', '/v1/videos?limit=1000', undefined, customer.key))[0]).toBe(400);
  const [first = ''] = made;
  expect(codeOf(await send('DELETE', `/v1/videos/${first}`, undefined, customer.key))).toEqual([
    400,
    'video_not_ready',
  ]);
  at('xai').states.set('job-5', at('xai').done('job-5', `${files.url}/x.mp4`));
  await eventually(
    () => videos.retrieve(first),
    ({ status }) => status === 'completed',
  );
  expect(await videos.delete(first)).toEqual({ id: first, object: 'video.deleted', deleted: true });
  expect(codeOf(await send('GET', `/v1/videos/${first}`, undefined, customer.key))[0]).toBe(404);
  expect((await videos.list()).data.map(({ id }) => id)).toEqual(made.slice(1));
});

it('is deleted at its provider too, where that is possible', async () => {
  const { id } = await create('openai');
  const name = lastName('openai');
  await finish('openai', id);
  const { upstream } = at('openai');
  upstream.script({ path: `/v1/videos/${name}` }, json({ error: { message: 'busy' } }, 500));
  expect((await send('DELETE', `/v1/videos/${id}`)).status).toBe(500);
  expect((await client().videos.retrieve(id)).status).toBe('completed');
  upstream.script({ path: `/v1/videos/${name}` }, json({ id: name, deleted: true }));
  await client().videos.delete(id);
  // Videos of other tests may still be polled.
  expect(upstream.requests.findLast(({ method }) => method === 'DELETE')).toMatchObject({
    path: `/v1/videos/${name}`,
    key: secret('openai'),
  });
});

it('is made from another one by the channel that made that, for the same price', async () => {
  const { id } = await create('openai');
  expect(codeOf(await send('POST', `/v1/videos/${id}/remix`, { prompt: 'at night' }))).toEqual([
    400,
    'video_not_ready',
  ]);
  const source = lastName('openai');
  await finish('openai', id);
  const before = await site.balances();
  const remixed = await client().videos.remix(id, { prompt: 'at night' });
  expect(remixed).toMatchObject({ status: 'queued', remixed_from_video_id: id, prompt: 'at night', seconds: '8' });
  expect(submissionOf('openai')).toMatchObject({
    path: `/v1/videos/${source}/remix`,
    key: secret('openai'),
    body: { prompt: 'at night' },
  });
  expect(before.quota - (await site.balances()).quota).toBe(charges.openai);
  const other = await create('xai');
  await finish('xai', other.id);
  const refused = await send('POST', `/v1/videos/${other.id}/remix`, { prompt: 'x' });
  expect(codeOf(refused)).toEqual([400, 'unsupported_by_channel']);
});

describe('the bytes of a video', () => {
  const content = (id: string): Promise<Response> =>
    fetch(`${site.server.url}/v1/videos/${id}/content`, { headers: { authorization: `Bearer ${site.key}` } });

  it('are read without the channel’s key where the provider redirects', async () => {
    const { id } = await create('veo');
    await finish('veo', id);
    const away: Reply = (response) => {
      response.writeHead(302, { location: `${files.url}/elsewhere.mp4` }).end();
    };
    at('veo').upstream.script({ path: '/v1beta/files/f1:download' }, away);
    expect((await content(id)).status).toBe(200);
    expect(at('veo').upstream.requests.at(-1)?.headers['x-goog-api-key']).toBe(secret('veo'));
    expect(files.requests.at(-1)?.path).toBe('/elsewhere.mp4');
    expect(JSON.stringify(files.requests.at(-1)?.headers)).not.toContain(secret('veo'));
  });

  it('are read in parts, which Safari needs', async () => {
    files.script({ path: '/' }, (response, { headers }) => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
      const part = movie.subarray(Number(first), Number(last) + 1);
      response.writeHead(206, {
        'content-type': 'video/mp4',
        'content-length': part.length,
        'accept-ranges': 'bytes',
        'content-range': `bytes ${first}-${last}/${movie.length}`,
      });
      response.end(part);
    });
    const { id } = await create('xai');
    await finish('xai', id);
    const response = await fetch(`${site.server.url}/v1/videos/${id}/content`, {
      headers: { authorization: `Bearer ${site.key}`, range: 'bytes=10-29' },
    });
    const seen = ['content-length', 'content-range', 'accept-ranges'].map((name) => response.headers.get(name));
    expect([response.status, ...seen]).toEqual([206, '20', `bytes 10-29/${movie.length}`, 'bytes']);
    expect(Buffer.from(await response.arrayBuffer()).equals(movie.subarray(10, 30))).toBe(true);
  });

  it('come from public addresses only, and are a video', async () => {
    const { id } = await create('xai');
    const name = lastName('xai');
    at('xai').states.set(name, at('xai').done(name, 'http://10.1.2.3/metadata'));
    await ended(id);
    const before = files.requests.length;
    expect((await content(id)).status).toBe(400);
    expect(files.requests).toHaveLength(before);
    const other = await create('ark');
    await finish('ark', other.id);
    files.script({ path: '/' }, sends(Buffer.from('<script>'), 'text/html'));
    expect((await content(other.id)).status).toBe(502);
    files.script({ path: '/' }, json({ error: { message: 'the link has expired' } }, 403));
    expect((await content(other.id)).status).toBe(403);
    const thumbnail = await send('GET', `/v1/videos/${other.id}/content?variant=thumbnail`);
    expect(codeOf(thumbnail)).toEqual([400, 'invalid_video_request']);
  });

  it('are read by a link of the console for an hour, without a key', async () => {
    const query = (id: string): string =>
      `{ myCreativeTasks(filter: { taskIds: ["${id}"] }) { items { contentUrl } } }`;
    const urlOf = async (id: string): Promise<string | null> => {
      const { data } = await site.server.api.graphql(site.user, query(id));
      const page = data?.myCreativeTasks as { items: Array<{ contentUrl: string | null }> };
      return page.items[0]?.contentUrl ?? null;
    };
    const { id } = await create('xai');
    expect(await urlOf(id)).toBeNull();
    await finish('xai', id);
    const path = (await urlOf(id)) ?? '';
    const linked = await fetch(site.server.url + path);
    expect([linked.status, Buffer.from(await linked.arrayBuffer()).equals(movie)]).toEqual([200, true]);
    const url = new URL(path, site.server.url);
    const expires = Number(url.searchParams.get('expires'));
    expect(expires - Date.now() / 1000).toBeGreaterThan(3500);
    const other = await create('xai');
    await finish('xai', other.id);
    const changed = [
      path.replace(`expires=${expires}`, `expires=${expires + 1}`),
      path.replace(`expires=${expires}`, 'expires=1'),
      path.replace(/signature=..../, 'signature=AAAA'),
      path.replace(id, other.id),
    ];
    for (const wrong of changed) expect((await fetch(site.server.url + wrong)).status).toBe(401);
  });

  it('are not read further for a client that has disconnected', async () => {
    const { id } = await create('xai');
    await finish('xai', id);
    let left: (() => void) | null = null;
    const closed = new Promise<void>((resolve) => (left = resolve));
    files.script({ path: '/' }, (response) => {
      response.on('close', () => left?.());
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 1_000_000_000 });
      response.write(movie);
    });
    const stop = new AbortController();
    const response = await fetch(`${site.server.url}/v1/videos/${id}/content`, {
      headers: { authorization: `Bearer ${site.key}` },
      signal: stop.signal,
    });
    await response.body?.getReader().read();
    stop.abort();
    await closed;
  });
});

const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64');

describe('the older path', () => {
  const path = '/v1/video/generations';

  it('submits the same video at the same charge, and shows where it is', async () => {
    const before = await site.balances();
    const { model } = at('wan');
    const body = { model, prompt: 'a lighthouse', duration: 8, width: 1280, height: 720, n: 1 };
    const made = await send('POST', path, { ...body, metadata: { negative_prompt: 'rain' } });
    expect(made).toMatchObject({ status: 200, body: { status: 'queued', task_id: expect.stringMatching(/^video_/) } });
    expect(JSON.stringify(bodyOf(submissionOf('wan')))).toContain('rain');
    expect(before.quota - (await site.balances()).quota).toBe(charges.wan);
    const id = (made.body as { task_id: string }).task_id;
    await finish('wan', id);
    const done = await send('GET', `${path}/${id}`);
    expect(done.body).toMatchObject({
      task_id: id,
      status: 'completed',
      format: 'mp4',
      metadata: { duration: 8, width: 1280, height: 720 },
    });
    const { url } = done.body as { url: string };
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(movie)).toBe(true);
    const other = await site.addCustomer('older-stranger');
    expect((await send('GET', `${path}/${id}`, undefined, other.key)).status).toBe(404);
  });

  it('takes an image by its address or as base64', async () => {
    for (const [image, sentAs] of [
      ['https://x.example/a.png', 'https://x.example/a.png'],
      [png, `data:image/png;base64,${png}`],
    ] as const) {
      const { model } = at('xai');
      expect((await send('POST', path, { model, prompt: 'a lighthouse', image })).status).toBe(200);
      expect(JSON.stringify(bodyOf(submissionOf('xai')))).toContain(sentAs);
    }
  });

  it.each([
    ['n must be 1', { n: 2 }],
    ['size must be like', { width: 1280 }],
    ['width and height', { width: 1280, height: 720, size: '1920x1080' }],
    ['duration must be a field of the request itself', { metadata: { duration: 60 } }],
    ['resolution must be a field of the request itself', { metadata: { resolution: '4k' } }],
    ['seconds must be', { duration: 3.5 }],
    ['image must be text', { image: 7 }],
  ])('refuses: %s', async (message, more) => {
    const before = submissions();
    const answer = await send('POST', path, { model: at('wan').model, prompt: 'a lighthouse', ...more });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining(message)]);
    expect(submissions()).toBe(before);
  });
});

describe('MiniMax’s older models', () => {
  const hailuo: VideoProvider = {
    ...videoProviders.minimax,
    submissions: '/v1/video_generation',
    lookups: '/v1/query/video_generation?task_id=',
    refuses: hailuoRefusal,
    taken: (id) => ({ task_id: id, base_resp: { status_code: 0, status_msg: 'success' } }),
    running: (id) => ({ task_id: id, status: 'Processing', base_resp: { status_code: 0, status_msg: 'success' } }),
    done: (id) => ({ task_id: id, status: 'Success', file_id: 'f1', video_width: 1366, base_resp: { status_code: 0 } }),
    failed: (id) => ({ task_id: id, status: 'Fail', base_resp: { status_code: 0 } }),
  };
  const submit = (more: object): Promise<Answer> =>
    send('POST', '/v1/videos', { model: 'MiniMax-Hailuo-2.3', prompt: 'a lighthouse', ...more });
  beforeEach(() => {
    const { upstream, states } = at('minimax');
    upstream.reset();
    scriptVideos(upstream, hailuo, states);
  });

  it('name a file, whose address is asked each time that the video is read', async () => {
    const made = await submit({ seconds: '10', input_reference: { image_url: 'https://x.example/a.png' } });
    expect(bodyOf(submissionOf('minimax'))).toEqual({
      model: 'MiniMax-Hailuo-2.3',
      prompt: 'a lighthouse',
      duration: 10,
      resolution: '768P',
      first_frame_image: 'https://x.example/a.png',
    });
    const id = String(made.body['id']);
    const { upstream, states } = at('minimax');
    states.set('job-1', hailuo.done('job-1', ''));
    expect((await ended(id)).status).toBe('completed');
    const file = (address: string): Reply => json({ file: { file_id: 'f1', download_url: address }, base_resp: {} });
    for (const name of ['one.mp4', 'two.mp4']) {
      upstream.script({ path: '/v1/files/retrieve?file_id=f1' }, file(`${files.url}/${name}`));
      const content = await client().videos.downloadContent(id);
      expect(Buffer.from(await content.arrayBuffer()).equals(movie)).toBe(true);
      expect(files.requests.at(-1)?.path).toBe(`/${name}`);
    }
    upstream.script({ path: '/v1/files/retrieve' }, json({ base_resp: { status_code: 1004, status_msg: 'no key' } }));
    expect((await send('GET', `/v1/videos/${id}/content`)).status).toBe(401);
  });

  it('make what they offer', async () => {
    for (const [more, sentAs] of [
      [{ resolution: '1080p' }, { duration: 6, resolution: '1080P' }],
      [
        { size: '1280x720', seconds: 10 },
        { duration: 10, resolution: '768P' },
      ],
    ] as const) {
      expect((await submit(more)).status).toBe(200);
      expect(bodyOf(submissionOf('minimax'))).toMatchObject(sentAs);
    }
    const before = submissions();
    for (const more of [
      { resolution: '1080p', seconds: 10 },
      { seconds: 8 },
      { resolution: '2k' },
      { aspect_ratio: '9:16' },
      { model: 'MiniMax-Hailuo-2.3-Fast' },
      { model: 'T2V-01', seconds: 10 },
    ])
      expect([more, ...codeOf(await submit(more))]).toEqual([more, 400, 'invalid_video_request']);
    expect(submissions()).toBe(before);
  });

  it('refuse with status 200, and cost nothing then', async () => {
    const before = await site.balances();
    const { upstream } = at('minimax');
    for (const [code, status] of [
      [1026, 400],
      [1002, 429],
      [1008, 402],
    ] as const) {
      const said = { base_resp: { status_code: code, status_msg: `no, ${secret('minimax')}` } };
      upstream.script({ path: '/v1/video_generation' }, json(said));
      const refused = await submit({});
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([status, expect.not.stringContaining('key-of')]);
    }
    expect(await site.balances()).toEqual(before);
  });
});

describe('Vidu’s models', () => {
  const picture = { input_reference: { image_url: 'https://pictures.example/first.png' } };
  const submit = (more: object): Promise<Answer> =>
    send('POST', '/v1/videos', { model: 'viduq3-pro', prompt: 'a lighthouse', ...more });

  it.each([
    [{ generate_audio: false }, '/ent/v2/text2video', { duration: 5, audio: false }],
    [{ model: 'viduq2' }, '/ent/v2/text2video', { duration: 5, resolution: '720p' }],
    [{ model: 'viduq1' }, '/ent/v2/text2video', { duration: 5, resolution: '1080p' }],
    [
      { model: 'viduq2-pro', seconds: 10, ...picture },
      '/ent/v2/img2video',
      { duration: 10, images: ['https://pictures.example/first.png'] },
    ],
  ])('make %j', async (more, path, body) => {
    expect((await submit(more)).status).toBe(200);
    expect(submissionOf('vidu')).toMatchObject({ path, body });
    expect('audio' in (submissionOf('vidu')?.body ?? {})).toBe('audio' in body);
  });

  it.each([
    { seconds: 17 },
    { aspect_ratio: '21:9' },
    { resolution: '4k' },
    { model: 'viduq2', generate_audio: true },
    { model: 'viduq2-pro' },
    { model: 'viduq1', seconds: 8 },
    { model: 'viduq1', resolution: '720p' },
  ])('refuse %j before anything is reserved', async (more) => {
    const before = [submissions(), (await site.balances()).quota];
    expect(codeOf(await submit(more))).toEqual([400, 'invalid_video_request']);
    expect([submissions(), (await site.balances()).quota]).toEqual(before);
  });
});

describe('Jimeng’s models', () => {
  const picture = { input_reference: { image_url: 'https://pictures.example/first.png' } };
  const submit = (more: object): Promise<Answer> =>
    send('POST', '/v1/videos', { model: 'jimeng_v30', prompt: 'a lighthouse', ...more });

  it.each([
    [{}, { req_key: 'jimeng_t2v_v30', frames: 121, aspect_ratio: '16:9' }],
    [picture, { req_key: 'jimeng_i2v_first_v30', image_urls: ['https://pictures.example/first.png'] }],
    [
      { model: 'jimeng_v30_1080p', size: '1080x1920' },
      { req_key: 'jimeng_t2v_v30_1080p', aspect_ratio: '9:16' },
    ],
    [{ model: 'jimeng_v30_1080p', ...picture }, { req_key: 'jimeng_i2v_first_v30_1080' }],
    [
      { model: 'jimeng_v30_pro', seconds: 10, ...picture },
      { req_key: 'jimeng_ti2v_v30_pro', frames: 241 },
    ],
  ])('make %j', async (more, body) => {
    expect((await submit(more)).status).toBe(200);
    expect(submissionOf('jimeng')?.body).toMatchObject(body);
  });

  it.each([
    { seconds: 8 },
    { resolution: '1080p' },
    { aspect_ratio: '3:2' },
    { model: 'jimeng_v30_pro', size: '1280x720' },
  ])('refuse %j before anything is reserved', async (more) => {
    const before = [submissions(), (await site.balances()).quota];
    expect(codeOf(await submit(more))).toEqual([400, 'invalid_video_request']);
    expect([submissions(), (await site.balances()).quota]).toEqual(before);
  });
});

describe('the paths of Kling', () => {
  const path = '/kling/v1/videos';
  const text = { model_name: 'kling-v3', prompt: 'a lighthouse', duration: '8', mode: 'pro', sound: 'on' };

  it('submit a video in its form at its charge, and show where it is', async () => {
    const before = await site.balances();
    const made = await send('POST', `${path}/text2video`, { ...text, negative_prompt: 'rain', cfg_scale: 0.5 });
    const data = { task_id: expect.stringMatching(/^video_/), task_status: 'submitted' };
    expect(made).toMatchObject({ status: 200, body: { code: 0, message: 'SUCCEED', status: 'queued', data } });
    expect(bodyOf(submissionOf('kling'))).toEqual({
      ...text,
      aspect_ratio: '16:9',
      negative_prompt: 'rain',
      cfg_scale: 0.5,
    });
    expect(before.quota - (await site.balances()).quota).toBe(8 * 0.168 * 500_000);
    const id = (made.body as { task_id: string }).task_id;
    const name = `text2video/${lastName('kling')}`;
    const [row] = await site.rows('SELECT properties FROM tasks WHERE task_id = $1', [id]);
    expect(row).toMatchObject({ properties: { upstream: name } });
    await finish('kling', id);
    const done = await send('GET', `${path}/text2video/${id}`);
    expect(done.body).toMatchObject({ code: 0, data: { task_id: id, task_status: 'succeed', task_status_msg: '' } });
    const { data: shown } = done.body as {
      data: { task_result: { videos: Array<{ url: string; duration: string }> } };
    };
    const [video] = shown.task_result.videos;
    expect(video?.duration).toBe('8');
    expect(Buffer.from(await (await fetch(video?.url ?? '')).arrayBuffer()).equals(movie)).toBe(true);
    const other = await site.addCustomer('stranger-at-kling');
    expect((await send('GET', `${path}/text2video/${id}`, undefined, other.key)).status).toBe(404);
  });

  it('submit a video that begins with an image, which is followed at its own path', async () => {
    const made = await send('POST', `${path}/image2video`, {
      ...text,
      image: png,
      image_tail: 'https://x.example/b.png',
    });
    const id = (made.body as { task_id: string }).task_id;
    expect(bodyOf(submissionOf('kling'))).toEqual({ ...text, image: png, image_tail: 'https://x.example/b.png' });
    const { upstream } = at('kling');
    await eventually(
      () => Promise.resolve(upstream.requests),
      (asked) =>
        asked.some(({ method, path: one }) => method === 'GET' && one.startsWith('/v1/videos/image2video/job-')),
    );
    upstream.script({ path: '/v1/videos/image2video/' }, json(at('kling').failed('', 'the image shows a person')));
    expect((await ended(id)).error?.message).toBe('the image shows a person');
    const failed = await send('GET', `${path}/image2video/${id}`);
    expect(failed.body).toMatchObject({ data: { task_status: 'failed', task_status_msg: 'the image shows a person' } });
  });

  it('submit to any provider of videos', async () => {
    const body = { model_name: at('ark').model, prompt: 'a lighthouse', duration: '5', mode: 'pro', sound: 'off' };
    expect((await send('POST', `${path}/text2video`, body)).status).toBe(200);
    expect(bodyOf(submissionOf('ark'))).toMatchObject({ duration: 5, resolution: '1080p', generate_audio: false });
  });

  it.each([
    ['no price for a mode', { mode: 'ultra' }, 'mode must be std, pro or 4k'],
    ['a sound in words', { sound: 'loud' }, 'sound must be on or off'],
    ['a resolution', { resolution: '4k' }, 'resolution is no field of Kling'],
    ['a length that the model does not make', { model_name: 'kling-v2-6', duration: '8' }, 'seconds must be 5 or 10'],
    ['a sound that the mode does not make', { model_name: 'kling-v2-6', duration: '5', mode: 'std' }, 'makes no audio'],
    ['a mode that the model does not make', { model_name: 'kling-v2-6', duration: '5', mode: '4k' }, 'resolution must'],
    ['an image', { image: png }, 'image is for /image2video'],
  ])('refuse: %s', async (_what, more, message) => {
    const before = submissions();
    const answer = await send('POST', `${path}/text2video`, { ...text, ...more });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining(message)]);
    expect(codeOf(await send('POST', `${path}/image2video`, text))).toEqual([400, 'invalid_video_request']);
    expect(submissions()).toBe(before);
  });

  it('send each model what its provider takes', async () => {
    for (const [model, sentAs] of [
      ['kling-v2-6', { mode: 'std', sound: 'off' }],
      ['kling-v2-5-turbo', { mode: 'std' }],
    ] as const) {
      expect((await send('POST', `${path}/text2video`, { model_name: model, prompt: 'x' })).status).toBe(200);
      expect(bodyOf(submissionOf('kling'))).toEqual({
        model_name: model,
        prompt: 'x',
        duration: '5',
        aspect_ratio: '16:9',
        ...sentAs,
      });
    }
  });
});

it('is in the lists of tasks', async () => {
  const { id } = await create('openai');
  const [row] = await site.server.api.data<object[]>(site.user, 'GET', `/api/task/self?task_id=${id}`);
  expect(row).toMatchObject({ task_id: id, platform: 'video', action: 'VIDEO', quota: charges.openai, channel_id: 0 });
  // Users do not see which provider made the video.
  expect(row).toMatchObject({ data: null, properties: { input: 'a lighthouse', model: 'sora-2', seconds: 8 } });
  expect(JSON.stringify(row)).not.toContain(lastName('openai'));
  const [all] = await site.server.api.data<object[]>(site.root, 'GET', `/api/task/?task_id=${id}`);
  // The provider may have been asked again since.
  const status = expect.stringMatching(/^(queued|in_progress)$/) as string;
  expect(all).toMatchObject({ data: { status }, properties: { upstream: lastName('openai') } });
  const found = await site.server.api.graphql(
    site.user,
    `{ myCreativeTasks(filter: { actions: [VIDEO], taskIds: ["${id}"] }) { items { taskId action platform input } } }`,
  );
  expect(found.data?.myCreativeTasks).toEqual({
    items: [{ taskId: id, action: 'VIDEO', platform: 'video', input: 'a lighthouse' }],
  });
});

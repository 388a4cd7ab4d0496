/** Videos that the caller cannot pay for, invalid responses of providers, and slow providers while other users wait. */
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, TaskSite, type Answer } from '../support/task-site.js';
import { json } from '../support/upstream/replies.js';
import { startUpstream, type Reply, type Upstream } from '../support/upstream/upstream.js';
import { movie, scriptVideos, videoProviders } from '../support/upstream/videos.js';

let site: TaskSite;
let openai: Upstream;
let veo: Upstream;
let xai: Upstream;
let files: Upstream;
/** The jobs that each scripted provider reports. Unknown jobs are running. */
const states = { openai: new Map<string, object>(), veo: new Map<string, object>(), xai: new Map<string, object>() };
beforeAll(async () => {
  site = await TaskSite.open({}, 100_000_000);
  [openai, veo, xai, files] = await Promise.all([startUpstream(), startUpstream(), startUpstream(), startUpstream()]);
  const { api } = site.server;
  await api.createChannel(site.root, {
    type: 60,
    baseUrl: openai.url,
    models: ['sora-2'],
  });
  await api.createChannel(site.root, { type: 24, baseUrl: `${veo.url}/v1beta`, models: ['veo-3.1-generate-001'] });
  await api.createChannel(site.root, { type: 48, baseUrl: xai.url, models: ['grok-imagine-video'] });
});
afterAll(async () => {
  expect(await site.drift()).toEqual([]);
  await site.close();
  for (const upstream of [openai, veo, xai, files]) await upstream.stop();
});
beforeEach(() => {
  for (const known of Object.values(states)) known.clear();
  for (const upstream of [openai, veo, xai, files]) upstream.reset();
  files.script({ path: '/' }, sends());
  scriptVideos(openai, videoProviders.openai, states.openai);
  scriptVideos(veo, videoProviders.veo, states.veo);
  scriptVideos(xai, videoProviders.xai, states.xai);
});

const sends =
  (headers: Record<string, string | number> = { 'content-type': 'video/mp4' }): Reply =>
  (response) =>
    void response.writeHead(200, headers).end(movie);
const call = async (method: string, path: string, body?: unknown, key = site.key): Promise<Answer> => {
  const response = await fetch(site.server.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
};
const submit = (more: object = {}, key = site.key): Promise<Answer> =>
  call('POST', '/v1/videos', { model: 'sora-2', prompt: 'a lighthouse', seconds: '4', size: '1280x720', ...more }, key);
const idOf = async (answer: Promise<Answer>): Promise<string> => String((await answer).body['id']);
const codeOf = ({ status, body }: Answer): unknown[] => [
  status,
  (body['error'] as { code?: unknown } | undefined)?.code,
];
const submissions = (upstream: Upstream): number => upstream.requests.filter(({ method }) => method === 'POST').length;
const ended = (id: string): Promise<Answer> =>
  eventually(
    () => call('GET', `/v1/videos/${id}`),
    ({ body }) => body['status'] === 'completed' || body['status'] === 'failed',
  );
/** A finished video of xAI. */
async function made(url = `${files.url}/made.mp4`): Promise<string> {
  const id = await idOf(submit({ model: 'grok-imagine-video' }));
  states.xai.set(`job-${submissions(xai)}`, videoProviders.xai.done('', url));
  await ended(id);
  return id;
}
const content = (id: string, method = 'GET', query = ''): Promise<Response> =>
  fetch(`${site.server.url}/v1/videos/${id}/content${query}`, {
    method,
    headers: { authorization: `Bearer ${site.key}` },
  });
const linkOf = async (id: string): Promise<string | null> => {
  const query = `{ myCreativeTasks(filter: { taskIds: ["${id}"] }) { items { contentUrl } } }`;
  const { data } = await site.server.api.graphql(site.user, query);
  return (data?.myCreativeTasks as { items: Array<{ contentUrl: string | null }> }).items[0]?.contentUrl ?? null;
};

describe('a submission', () => {
  it.each([
    ['/v1/videos', { model: 'sora-2', prompt: 'x' }],
    ['/suno/submit/music', { prompt: 'x' }],
    ['/mj/submit/imagine', { prompt: 'x' }],
  ])('at %s is small for a caller without balance', async (path, body) => {
    const poor = await site.addCustomer(`poor-${path.split('/')[1]}`);
    await site.rows('UPDATE users SET quota = 0 WHERE id = $1', [poor.user.id]);
    await site.rows(
      `INSERT INTO ledger_entries (source, kind, account, user_id, amount) VALUES ($2, 'adjustment', 'user', $1, -5000000)`,
      [poor.user.id, `test:${path}`],
    );
    const { status } = await call('POST', path, { ...body, more: 'x'.repeat(1_500_000) }, poor.key);
    expect(status).toBe(413);
  });

  it.each([
    ['/v1/videos', { model: 'sora-2', prompt: 'x' }, () => openai],
    ['/suno/submit/music', { prompt: 'x' }, () => site.upstream],
    ['/mj/submit/imagine', { prompt: 'x' }, () => site.upstream],
  ])('at %s is a call in flight of its key', async (path, body, upstreamOf) => {
    const upstream = upstreamOf();
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    upstream.script({ path: path.slice(0, 5) }, async (response, request) => {
      await held;
      await json({ id: 'held', code: path.startsWith('/mj') ? 1 : 'success', data: 'held', result: 'held' })(
        response,
        request,
      );
    });
    await site.setOption('ModelRequestTokenInFlightLimit', '1');
    try {
      const before = submissions(upstream);
      const first = call('POST', path, body);
      await eventually(
        () => Promise.resolve(submissions(upstream)),
        (count) => count > before,
      );
      expect((await call('POST', path, body)).status).toBe(429);
      go();
      expect((await first).status).toBe(200);
      expect((await call('POST', path, body)).status).toBe(200);
    } finally {
      go();
      await site.setOption('ModelRequestTokenInFlightLimit', '0');
      site.script();
    }
  });

  it('cannot hide a longer, larger or better video in a field that a gateway reads first', async () => {
    const more = {
      metadata: { durationSeconds: 60, resolution: '4k' },
      Metadata: { duration: 60 },
      extra_body: { seconds: 60 },
      Duration: 60,
      Resolution: '4k',
      style: 'kept',
      num_images: 4,
      num_videos: 4,
      video_length: 60,
      length: '60',
      frames: 1440,
      fps: 60,
      quality: 'HD',
      mode: 'pro',
      parameters: { duration: 60 },
      input: { duration: 60 },
      batch_size: 4,
      n: '4',
      seconds_per_clip: 60,
    };
    expect((await submit(more)).status).toBe(200);
    expect(openai.requests.find(({ method }) => method === 'POST')?.body).toEqual({
      model: 'sora-2',
      prompt: 'a lighthouse',
      seconds: '4',
      size: '1280x720',
      style: 'kept',
    });
  });

  it('may have fields with any name: few of those that are left out are named', async () => {
    const odd = { '\0': 1, '\ud800': 1, __proto__x: 1 };
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`field-${at}-${'x'.repeat(200)}`, at]));
    for (const fields of [odd, many]) {
      const response = await site.server.api.relay(site.key, '/v1/videos', {
        model: 'grok-imagine-video',
        prompt: 'x',
        ...fields,
      });
      expect(response.status).toBe(200);
      expect((response.headers.get('x-tollgate-dropped') ?? '').length).toBeLessThan(2500);
    }
    const [row] = await site.chargedRows(1);
    expect(JSON.stringify(row?.other).length).toBeLessThan(4000);
  });

  it('is captured without its picture, by whichever name that came', async () => {
    await site.setOption('content_capture.rules', JSON.stringify([{ tokens: [site.tokenId] }]));
    const image = `data:image/png;base64,${'A'.repeat(400)}`;
    // Kling has a last image, too.
    expect((await submit({ 'input_reference[image_url]': image, image_tail: image })).status).toBe(200);
    await site.setOption('content_capture.rules', '[]');
    const [row] = await eventually(
      () => site.rows<{ request: string }>('SELECT request FROM captured_contents'),
      (found) => found.length > 0,
    );
    expect(JSON.parse(row?.request ?? '')).toMatchObject({
      'input_reference[image_url]': '[media]',
      image_tail: '[media]',
    });
  });

  it('is checked in each text that its provider gets', async () => {
    const rule = { name: 'fruit', stage: 'input', action: 'mask', check: 'words', words: ['pineapple'] };
    await site.setOption('guardrails.rules', JSON.stringify([rule]));
    const avoided = { model: 'veo-3.1-generate-001', negative_prompt: 'a pineapple' };
    expect((await submit(avoided)).status).toBe(200);
    const sent = veo.requests.findLast(({ method }) => method === 'POST');
    expect(JSON.stringify(sent?.body)).toContain('a [removed]');
    await site.setOption('guardrails.rules', '[]');
    await site.setOption('SensitiveWords', 'pineapple');
    expect((await submit(avoided)).status).toBe(400);
    await site.setOption('SensitiveWords', '');
  });

  it('is taken as often as the balance pays for, however many come at once', async () => {
    const poor = await site.addCustomer('poor-in-parallel');
    await site.rows('UPDATE users SET quota = 450000 WHERE id = $1', [poor.user.id]);
    await site.rows(
      `INSERT INTO ledger_entries (source, kind, account, user_id, amount) VALUES ('test:parallel', 'adjustment', 'user', $1, -4550000)`,
      [poor.user.id],
    );
    const answers = await Promise.all(Array.from({ length: 8 }, () => submit({}, poor.key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, ...Array<number>(6).fill(403)]);
    expect([submissions(openai), (await site.balances(poor.user.id, poor.tokenId)).quota]).toEqual([2, 50_000]);
  });

  it('is charged for the pixels that its ratio asks for', async () => {
    const before = await site.balances();
    const { body } = await submit({ size: undefined, resolution: '480p', aspect_ratio: '99:1' });
    expect(body['size']).toBe('47520x480');
    const [row] = await site.chargedRows(1);
    expect([row?.other, before.quota - (await site.balances()).quota]).toEqual([
      expect.objectContaining({ price_when: { resolution: '4k' } }),
      row?.quota,
    ]);
  });
});

describe('a remix', () => {
  it('is refused to a key of a group that its channel is not in, whatever that group costs', async () => {
    const id = await idOf(submit());
    states.openai.set('job-1', videoProviders.openai.done('job-1'));
    await ended(id);
    await site.setOption('GroupRatio', '{"default":1,"gratis":0}');
    await site.setOption('UserUsableGroups', '{"default":"usual","gratis":"free"}');
    const gratis = await site.server.api.createToken(site.user, { group: 'gratis' });
    const before = [submissions(openai), (await site.balances()).quota];
    const refused = await call('POST', `/v1/videos/${id}/remix`, { prompt: 'at night' }, gratis.key);
    expect(codeOf(refused)).toEqual([503, 'model_not_found']);
    expect([submissions(openai), (await site.balances()).quota]).toEqual(before);
  });

  it('costs the same by a fallback group, and of a model with a routing prefix', async () => {
    await site.setOption('GroupRatio', '{"default":1,"first":0.1,"second":3}');
    await site.setOption('UserUsableGroups', '{"default":"usual","first":"1","second":"2"}');
    const { api } = site.server;
    await api.createChannel(site.root, {
      type: 60,
      baseUrl: openai.url,
      models: ['sora-2'],
      group: 'second',
      more: { model_prefix: 'lab/' },
    });
    const { key } = await api.createToken(site.user, { group: 'first', fallback_groups: 'second' });

    const id = await idOf(submit({ model: 'lab/sora-2' }, key));
    states.openai.set('job-1', videoProviders.openai.done('job-1'));
    await ended(id);
    const remixed = await call('POST', `/v1/videos/${id}/remix`, { prompt: 'at night' }, key);
    expect([remixed.status, remixed.body['model']]).toEqual([200, 'lab/sora-2']);
    const [second, first] = await site.chargedRows(2);
    expect(first?.quota).toBe(600_000);
    expect([second?.quota, second?.other]).toEqual([first?.quota, expect.objectContaining({ group_ratio: 3 })]);
  });
});

describe('a deleted video', () => {
  it('is the beginning of a page all the same: clients delete while they list', async () => {
    const ids = [await made(), await made(), await made()].reverse();
    expect((await call('DELETE', `/v1/videos/${ids[0]}`)).status).toBe(200);
    const { body } = await call('GET', `/v1/videos?after=${ids[0]}&limit=2`);
    expect((body['data'] as Array<{ id: string }>).map(({ id }) => id)).toEqual(ids.slice(1));
  });

  it('is not read by an earlier link, and has no new one', async () => {
    const id = await made();
    const link = (await linkOf(id)) ?? '';
    expect((await fetch(site.server.url + link)).status).toBe(200);
    await call('DELETE', `/v1/videos/${id}`);
    expect((await fetch(site.server.url + link)).status).toBe(401);
    expect(await linkOf(id)).toBeNull();
  });
});

describe('the bytes of a video', () => {
  it('are not read from the provider for HEAD, which has none', async () => {
    const id = await made();
    const before = files.requests.length;
    expect((await content(id, 'HEAD')).status).toBe(404);
    expect(files.requests).toHaveLength(before);
  });

  it('run no script on this site, whatever they are', async () => {
    const id = await made();
    files.script({ path: '/' }, sends({ 'content-type': 'image/svg+xml' }));
    const { headers } = await content(id);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('come by a base URL of Veo that ends with the version', async () => {
    const id = await idOf(submit({ model: 'veo-3.1-generate-001' }));
    states.veo.set('job-1', videoProviders.veo.done('job-1'));
    await ended(id);
    veo.script({ path: '/v1beta/files/f1:download' }, sends());
    expect((await content(id)).status).toBe(200);
    expect(veo.requests.at(-1)?.path).toBe('/v1beta/files/f1:download?alt=media');
  });
});

describe('a provider', () => {
  it('may give a video a long name, which is not cut', async () => {
    const name = `video_${'bGl0ZWxsbTpjdXN0b20'.repeat(20)}`;
    openai.script({ path: '/v1/videos' }, (response, request) =>
      request.method === 'POST'
        ? json({ id: name })(response, request)
        : json(request.path === `/v1/videos/${name}` ? videoProviders.openai.done(name) : {}, 200)(response, request),
    );
    const id = await idOf(submit());
    expect((await ended(id)).body['status']).toBe('completed');
  });

  it.each([
    ['a name without end', 'x'.repeat(10_000)],
    ['a name that leaves its folder', '..'],
  ])('with %s has taken no submission', async (_what, name) => {
    openai.script({ path: '/v1/videos' }, json({ id: name }));
    const before = await site.balances();
    expect((await submit()).status).toBe(502);
    expect(await site.balances()).toEqual(before);
  });

  it('that reports a state of no meaning has a video that waits', async () => {
    const id = await idOf(submit());
    states.openai.set('job-1', { status: 'constructor', progress: '45%' });
    await eventually(
      () => site.rows<{ status: string }>('SELECT status FROM tasks WHERE task_id = $1', [id]),
      ([row]) => row?.status === 'QUEUED',
      10,
    );
    expect((await call('GET', `/v1/videos/${id}`)).body).toMatchObject({ status: 'queued', progress: 0 });
    states.openai.set('job-1', videoProviders.openai.done('job-1'));
    await ended(id);
  });

  it('that is slow keeps no video of another waiting', async () => {
    for (let count = 0; count < 24; count++) await submit();
    let asked = 0;
    openai.script({ path: '/v1/videos/' }, async (response, request) => {
      asked++;
      await delay(2000);
      await json(videoProviders.openai.done('x'))(response, request);
    });
    await eventually(
      () => Promise.resolve(asked),
      (count) => count > 0,
    );
    const started = Date.now();
    await made();
    expect(Date.now() - started).toBeLessThan(15_000);
  });
});

it('videos of an organisation are open to the member whose key made them, and those of shared keys to all members', async () => {
  const { api } = site.server;
  const addKey = async (memberId: number): Promise<string> => {
    const { id, key } = await api.createToken(site.user, { unlimited_quota: true });
    await site.rows('UPDATE tokens SET member_id = $2 WHERE id = $1', [id, memberId]);
    return key;
  };
  const addMember = async (name: string): Promise<number> => {
    const { user } = await site.addCustomer(name);
    const [row] = await site.rows<{ id: number }>(
      "INSERT INTO memberships (organisation_id, user_id, role) VALUES ($1, $2, 'member') RETURNING id",
      [site.user.id, user.id],
    );
    return row!.id;
  };
  const ann = await addMember('ann-of-videos');
  const [first, second, bob] = [await addKey(ann), await addKey(ann), await addKey(await addMember('bob-of-videos'))];
  const [own, common] = [await idOf(submit({}, first)), await idOf(submit())];
  const listed = async (key: string): Promise<unknown[]> =>
    ((await call('GET', '/v1/videos?limit=100', undefined, key)).body['data'] as Array<{ id: string }>).map(
      ({ id }) => id,
    );
  expect((await call('GET', `/v1/videos/${own}`, undefined, second)).status).toBe(200);
  expect((await call('GET', `/v1/videos/${common}`, undefined, bob)).status).toBe(200);
  for (const method of ['GET', 'DELETE']) {
    for (const key of [bob, site.key]) {
      expect(codeOf(await call(method, `/v1/videos/${own}`, undefined, key))).toEqual([404, 'video_not_found']);
    }
  }
  expect(await listed(second)).toEqual(expect.arrayContaining([own, common]));
  expect(await listed(bob)).toContain(common);
  expect(await listed(bob)).not.toContain(own);
  expect(await listed(site.key)).not.toContain(own);
});

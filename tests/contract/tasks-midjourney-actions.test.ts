import { eventually, TaskSite } from '../support/task-site.js';
import { json } from '../support/upstream/replies.js';

/** Every action of Midjourney proxies over every route: the request to the provider and the charge. */

/** USD per call, as in docs/reference/relay/prices.md. */
const prices: Readonly<Record<string, number>> = {
  mj_imagine: 0.1,
  mj_variation: 0.1,
  mj_reroll: 0.1,
  mj_blend: 0.1,
  mj_modal: 0.1,
  mj_zoom: 0.1,
  mj_shorten: 0.1,
  mj_high_variation: 0.1,
  mj_low_variation: 0.1,
  mj_pan: 0.1,
  mj_inpaint: 0,
  mj_custom_zoom: 0,
  mj_describe: 0.05,
  mj_upscale: 0.05,
  swap_face: 0.05,
  mj_upload: 0.05,
};

let site: TaskSite;
let channel: number;
/** A finished drawing of the user. */
let done: string;

beforeAll(async () => {
  site = await TaskSite.open();
  channel = await site.server.api.createChannel(site.root, {
    type: 5,
    baseUrl: site.upstream.url,
    key: 'plus-secret',
    models: Object.keys(prices),
    more: { priority: 9 },
  });
  const { body } = await site.call('POST', '/mj/submit/imagine', { prompt: 'the first' });
  done = body.result as string;
  site.tasks.reported.set(done, { status: 'SUCCESS', progress: '100%', imageUrl: 'https://images.example/1.png' });
  await eventually(
    () => site.call('GET', `/mj/task/${done}/fetch`),
    (answer) => answer.body.progress === '100%',
  );
});
afterAll(async () => {
  expect(await site.drift()).toEqual([]);
  await site.close();
});
beforeEach(() => site.script());

/** Returns the last submission that the provider received, without polls. */
const lastSubmission = () => site.upstream.requests.findLast(({ path }) => /submit|insight-face/.test(path));
const button = (name: string): string => `MJ::JOB::${name}::1::uuid`;

/** The path, the body, the resulting action, and the model whose price applies. */
const submissions: Array<[path: string, body: Record<string, unknown>, action: string, model: string]> = [
  ['submit/imagine', { prompt: 'a cat' }, 'IMAGINE', 'mj_imagine'],
  ['submit/describe', { base64: 'data:image/png;base64,AA==' }, 'DESCRIBE', 'mj_describe'],
  ['submit/blend', { base64Array: ['a', 'b'] }, 'BLEND', 'mj_blend'],
  ['submit/shorten', { prompt: 'a long text' }, 'SHORTEN', 'mj_shorten'],
  ['submit/modal', { taskId: '*', prompt: 'in the window' }, 'MODAL', 'mj_modal'],
  ['submit/upload-discord-images', { base64Array: ['a'] }, 'UPLOAD', 'mj_upload'],
  ['insight-face/swap', { sourceBase64: 'a', targetBase64: 'b' }, 'SWAP_FACE', 'swap_face'],
  ...(['UPSCALE', 'VARIATION'] as const).flatMap((action): typeof submissions =>
    [1, 4].map((index) => ['submit/change', { taskId: '*', action, index }, action, `mj_${action.toLowerCase()}`]),
  ),
  ['submit/change', { taskId: '*', action: 'REROLL' }, 'REROLL', 'mj_reroll'],
  ['submit/simple-change', { content: '* U2' }, 'UPSCALE', 'mj_upscale'],
  ['submit/simple-change', { content: '* v3' }, 'VARIATION', 'mj_variation'],
  ['submit/simple-change', { content: '*  r' }, 'REROLL', 'mj_reroll'],
  ['submit/action', { taskId: '*', customId: button('upsample') }, 'UPSCALE', 'mj_upscale'],
  ['submit/action', { taskId: '*', customId: button('upsample_v6_2x_subtle') }, 'UPSCALE', 'mj_upscale'],
  ['submit/action', { taskId: '*', customId: button('variation') }, 'VARIATION', 'mj_variation'],
  ['submit/action', { taskId: '*', customId: button('low_variation') }, 'LOW_VARIATION', 'mj_low_variation'],
  ['submit/action', { taskId: '*', customId: button('high_variation') }, 'HIGH_VARIATION', 'mj_high_variation'],
  ['submit/action', { taskId: '*', customId: button('pan_left') }, 'PAN', 'mj_pan'],
  ['submit/action', { taskId: '*', customId: button('reroll') }, 'REROLL', 'mj_reroll'],
  ['submit/action', { taskId: '*', customId: 'MJ::Outpaint::50::1::uuid::SOLO' }, 'ZOOM', 'mj_zoom'],
  ['submit/action', { taskId: '*', customId: 'MJ::CustomZoom::uuid' }, 'CUSTOM_ZOOM', 'mj_custom_zoom'],
  ['submit/action', { taskId: '*', customId: 'MJ::Inpaint::1::uuid::SOLO' }, 'INPAINT', 'mj_inpaint'],
];

/** Replaces every star in the body by the id of the finished drawing. */
const named = (body: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(body).replaceAll('*', done)) as Record<string, unknown>;

it('leaves no action out', () => {
  const asked = new Set(submissions.map(([, , , model]) => model));
  expect([...asked].sort()).toEqual(Object.keys(prices).sort());
});

describe.each([
  ['', ''],
  ['/mj-fast', ''],
  ['/mj-relax', ''],
  ['/mj-turbo', ''],
  ['/fast', '/fast'],
])('under %s/mj', (prefix, sentPrefix) => {
  it.each(submissions)('%s %j is %s and costs what %s costs', async (path, body, action, model) => {
    const before = await site.balances();
    const sent = named(body);
    // This provider accepts the prefix in its path.
    if (sentPrefix !== '')
      site.upstream.script({ path: sentPrefix }, (response, request) =>
        json({ code: 1, description: '', result: site.tasks.nextName('prefixed') })(response, request),
      );
    const answer = await site.call('POST', `${prefix}/mj/${path}?a=1`, sent);
    expect([answer.status, answer.body.code]).toEqual([200, 1]);
    expect(lastSubmission()).toMatchObject({
      method: 'POST',
      path: `${sentPrefix}/mj/${path}`,
      body: sent,
      headers: { 'mj-api-secret': 'plus-secret', 'content-type': 'application/json' },
    });
    expect(lastSubmission()?.headers.authorization).toBeUndefined();
    const quota = (prices[model] ?? NaN) * 500_000;
    const after = await site.balances();
    expect([before.quota - after.quota, before.token - after.token, after.used - before.used]).toEqual(
      Array(3).fill(quota),
    );
    const [row] = await site.rows<Record<string, unknown>>(
      `SELECT action, quota::integer, channel_id, code FROM midjourneys ORDER BY id DESC LIMIT 1`,
    );
    expect(row).toEqual({ action, quota, channel_id: channel, code: 1 });
    const [log] = await site.rows<Record<string, unknown>>(
      `SELECT model_name, quota::integer FROM logs WHERE type = 2 ORDER BY id DESC LIMIT 1`,
    );
    if (quota > 0) expect(log).toEqual({ model_name: model, quota });
  });
});

it.each(['INPAINT', 'CUSTOM_ZOOM', 'SWAP_FACE', 'UPLOAD', 'MODAL'])(
  'an action with a price of its own does not pass as a change: %s',
  async (action) => {
    const submissionCount = (): number => site.upstream.requests.filter(({ path }) => path.includes('submit')).length;
    const before = submissionCount();
    const answer = await site.call('POST', '/mj/submit/change', { taskId: done, action, index: 1 });
    expect([answer.status, answer.body.description]).toEqual([400, `unknown_action:${action}`]);
    expect(submissionCount()).toBe(before);
  },
);

it('a site’s own price, and a group’s ratio, are what counts', async () => {
  const options = await site.server.api.data<Array<{ key: string; value: string }>>(site.root, 'GET', '/api/option/');
  const value = (key: string): string => options.find((option) => option.key === key)?.value ?? '{}';
  const own = { ...(JSON.parse(value('ModelPrice')) as object), mj_imagine: 0.04 };
  await site.setOption('ModelPrice', JSON.stringify(own));
  await site.setOption('GroupRatio', JSON.stringify({ ...(JSON.parse(value('GroupRatio')) as object), default: 0.7 }));
  const before = await site.balances();
  await site.call('POST', '/mj/submit/imagine', { prompt: 'x' });
  // B22: exactly 14000, where floating-point arithmetic would lose one.
  expect(before.quota - (await site.balances()).quota).toBe(14_000);
  await site.setOption('ModelPrice', value('ModelPrice'));
  await site.setOption('GroupRatio', value('GroupRatio'));
});

describe('codes', () => {
  it('3 has no account: the channel goes off as a dead one does, and nothing is charged', async () => {
    const alone = await site.server.api.createChannel(site.root, {
      type: 2,
      baseUrl: site.upstream.url,
      key: 'no-account',
      models: ['mj_imagine'],
      more: { priority: 99 },
    });
    site.upstream.script({ path: '/mj/submit' }, json({ code: 3, description: 'no available account' }));
    const before = await site.balances();
    await site.setOption('AutomaticDisableChannelEnabled', 'false');
    await site.call('POST', '/mj/submit/imagine', { prompt: 'x' });
    const statusOf = async (): Promise<string | undefined> =>
      (await site.rows<{ status: string }>('SELECT status FROM channels WHERE id = $1', [alone]))[0]?.status;
    expect(await statusOf()).toBe('enabled');
    await site.setOption('AutomaticDisableChannelEnabled', 'true');
    const { status, body } = await site.call('POST', '/mj/submit/imagine', { prompt: 'x' });
    expect([status, body]).toEqual([200, { code: 3, description: 'no available account' }]);
    expect(await eventually(statusOf, (now) => now === 'autoDisabled')).toBe('autoDisabled');
    await site.setOption('AutomaticDisableChannelEnabled', 'false');
    expect(await site.balances()).toEqual(before);
    // A failed drawing is not polled again.
    site.script();
    await site.call('POST', '/mj/submit/imagine', { prompt: 'x' });
    expect(lastSubmission()?.headers['mj-api-secret']).toBe('plus-secret');
    await site.server.api.data(site.root, 'DELETE', `/api/channel/${alone}`);
  });

  it.each([
    ['key', { key: 'another' }],
    ['address', { base_url: 'http://127.0.0.1:9' }],
  ])('3 is no reason once the channel has another %s', async (_what, edit) => {
    const alone = await site.server.api.createChannel(site.root, {
      type: 2,
      baseUrl: site.upstream.url,
      key: 'no-account',
      models: ['mj_imagine'],
      more: { priority: 99 },
    });
    await site.setOption('AutomaticDisableChannelEnabled', 'true');
    site.upstream.script({ path: '/mj/submit' }, async (response, request) => {
      await site.server.api.data(site.root, 'PUT', '/api/channel/', { id: alone, ...edit });
      await json({ code: 3, description: 'no available account' })(response, request);
    });
    const { body } = await site.call('POST', '/mj/submit/imagine', { prompt: 'x' });
    expect(body.code).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await site.rows('SELECT status FROM channels WHERE id = $1', [alone])).toEqual([{ status: 'enabled' }]);
    await site.setOption('AutomaticDisableChannelEnabled', 'false');
    await site.server.api.data(site.root, 'DELETE', `/api/channel/${alone}`);
  });

  it('30 means too many requests', async () => {
    site.upstream.script({ path: '/mj/submit' }, json({ code: 30, description: 'too many' }));
    const before = await site.balances();
    expect((await site.call('POST', '/mj/submit/imagine', { prompt: 'x' })).status).toBe(429);
    expect(await site.balances()).toEqual(before);
  });

  it.each([1, 21, 22, 23, 24, 3, 4, 5])('a face is paid for with code 1 alone (%i)', async (code) => {
    const result = site.tasks.nextName('face');
    site.upstream.script({ path: '/mj/insight-face' }, json({ code, description: 'd', result }));
    const before = await site.balances();
    await site.call('POST', '/mj/insight-face/swap', { sourceBase64: 'a', targetBase64: 'b' });
    expect(before.quota - (await site.balances()).quota).toBe(code === 1 ? 25_000 : 0);
  });

  it('an upload answers addresses, and is done', async () => {
    site.upstream.script(
      { path: '/mj/submit/upload-discord-images' },
      json({ code: 1, description: '', result: ['https://images.example/a.png'] }),
    );
    const { body } = await site.call('POST', '/mj/submit/upload-discord-images', { base64Array: ['a'] });
    expect(body.result).toEqual(['https://images.example/a.png']);
    const [row] = await site.rows(`SELECT status, progress, image_url FROM midjourneys ORDER BY id DESC LIMIT 1`);
    expect(row).toEqual({ status: 'SUCCESS', progress: 100, image_url: 'https://images.example/a.png' });
  });
});

it('submissions count for the rate limit of models, look-ups do not', async () => {
  const busy = await site.addCustomer('busy');
  const as = { authorization: `Bearer ${busy.key}` };
  await site.setOption('ModelRequestRateLimitEnabled', 'true');
  await site.setOption('ModelRequestRateLimitCount', '2');
  const statuses: number[] = [];
  for (const path of ['/mj/submit/imagine', '/suno/submit/music', '/mj/submit/imagine'])
    statuses.push((await site.call('POST', path, { prompt: 'x' }, as)).status);
  expect(statuses).toEqual([200, 200, 429]);
  expect((await site.call('POST', '/mj/task/list-by-condition', { ids: ['x'] }, as)).status).toBe(200);
  expect((await site.call('POST', '/suno/fetch', { ids: ['x'] }, as)).status).toBe(200);
  await site.setOption('ModelRequestRateLimitEnabled', 'false');
});

it('a key may only draw what it may, and look up whatever is its owner’s', async () => {
  const { key } = await site.server.api.createToken(site.user, {
    model_limits_enabled: true,
    model_limits: 'mj_blend',
  });
  const as = { authorization: `Bearer ${key}` };
  const refused = await site.call('POST', '/mj/submit/imagine', { prompt: 'x' }, as);
  expect([refused.status, (refused.body.error as { code: string }).code]).toEqual([403, 'model_not_allowed']);
  const follow = await site.call('POST', '/mj/submit/simple-change', { content: `${done} u1` }, as);
  expect((follow.body.error as { code: string }).code).toBe('model_not_allowed');
  expect((await site.call('POST', '/mj/submit/blend', { base64Array: ['a'] }, as)).body.code).toBe(1);
  expect((await site.call('GET', `/mj/task/${done}/fetch`, undefined, as)).body.id).toBe(done);
});

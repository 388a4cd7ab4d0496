import { eventually, TaskSite, type Answer } from '../support/task-site.js';
import { json } from '../support/upstream/replies.js';

let site: TaskSite;

beforeAll(async () => {
  site = await TaskSite.open();
});
afterAll(async () => {
  expect(await site.drift()).toEqual([]);
  await site.close();
});
beforeEach(() => site.script());

const imagine = (prompt = 'a cat'): Promise<Answer> => site.call('POST', '/mj/submit/imagine', { prompt });
const fetchTask = (id: string): Promise<Answer> => site.call('GET', `/mj/task/${id}/fetch`);
const lastSubmitted = () => site.upstream.requests.findLast(({ path }) => path.includes('/submit/'));
const lastOf = (path: string) => site.upstream.requests.findLast((request) => request.path.startsWith(path));

async function submitted(prompt?: string): Promise<string> {
  const { status, body } = await imagine(prompt);
  expect([status, body.code]).toEqual([200, 1]);
  return body.result as string;
}

/** Waits for the poller. */
async function ended(id: string): Promise<Record<string, unknown>> {
  return (
    await eventually(
      () => fetchTask(id),
      ({ body }) => body.progress === '100%',
    )
  ).body;
}

describe('a submission', () => {
  it('is charged when it was taken, logged, and sent with the channel’s secret', async () => {
    const before = await site.balances();
    const id = await submitted('a lighthouse');
    const after = await site.balances();
    expect(after).toEqual({ quota: before.quota - 50_000, used: before.used + 50_000, token: before.token - 50_000 });
    expect(lastOf('/mj/submit/imagine')).toMatchObject({ headers: { 'mj-api-secret': 'mj-secret' } });
    const logs = await site.rows<Record<string, unknown>>(
      `SELECT model_name, quota::integer, content, channel_id, use_time, other FROM logs WHERE type = 2 ORDER BY id DESC LIMIT 1`,
    );
    expect(logs).toEqual([
      {
        model_name: 'mj_imagine',
        quota: 50_000,
        content: `fixed price 0.10, group ratio 1.00, action IMAGINE, ID ${id}`,
        channel_id: site.drawingChannel,
        use_time: 0,
        other: expect.stringMatching(
          /^\{"task":true,"model_price":0\.1,"group_ratio":1,"quota_per_unit":500000,"price_version":"[0-9a-f]{12}"\}$/,
        ) as string,
      },
    ]);
  });

  it.each([
    ['23, the queue is full', { code: 23, description: 'queue is full' }],
    ['24, a banned word', { code: 24, description: 'banned prompt', properties: { bannedWord: 'x' } }],
    ['4, refused', { code: 4, description: 'bad' }],
    ['that no column holds', { code: 20_261_123_090_000, description: 'bad' }],
  ])('is not charged for code %s', async (_what, answer) => {
    const before = await site.balances();
    site.upstream.script({ path: '/mj/submit' }, json(answer));
    const { status, body } = await imagine();
    expect([status, body]).toEqual([200, answer]);
    expect(await site.balances()).toEqual(before);
    const [row] = await site.rows(
      `SELECT code, status, fail_reason, quota::integer FROM midjourneys ORDER BY id DESC LIMIT 1`,
    );
    expect(row).toEqual({
      code: Math.min(answer.code, 2 ** 31 - 1),
      status: 'FAILURE',
      fail_reason: answer.description,
      quota: 0,
    });
  });

  it('is not charged when the provider answers an error status, and the answer is passed on', async () => {
    const before = await site.balances();
    site.upstream.script({ path: '/mj/submit' }, json({ code: 1, result: 'x' }, 500));
    expect((await imagine()).status).toBe(500);
    expect(await site.balances()).toEqual(before);
  });

  it.each([
    ['in a refusal', { code: 4, description: 'no account has the secret mj-secret' }, 200],
    ['with an error status', { error: { message: 'invalid key mj-secret' } }, 401],
  ])('does not show the channel’s key that the provider repeats %s', async (_what, answer, status) => {
    site.upstream.script({ path: '/mj/submit' }, json(answer, status));
    const shown = await imagine();
    expect(shown.status).toBe(status);
    expect(JSON.stringify(shown.body)).toContain('[key]');
    const [row] = await site.rows<object>('SELECT * FROM midjourneys ORDER BY id DESC LIMIT 1');
    for (const seen of [shown.body, row]) expect(JSON.stringify(seen)).not.toContain('mj-secret');
  });

  it('is not charged when the provider breaks off', async () => {
    const before = await site.balances();
    site.upstream.script({ path: '/mj/submit' }, (response) => void response.destroy());
    const { status, body } = await imagine();
    expect([status, body]).toEqual([400, { description: 'do_request_failed', type: 'upstream_error', code: 5 }]);
    expect(await site.balances()).toEqual(before);
  });

  it('shows codes 21 and 22 as 1, and charges a known task once', async () => {
    site.upstream.script({ path: '/mj/submit' }, json({ code: 22, description: 'in queue', result: 'queued-1' }));
    const before = await site.balances();
    expect((await imagine()).body).toMatchObject({ code: 1, result: 'queued-1' });
    site.upstream.script({ path: '/mj/submit' }, json({ code: 21, description: 'exists', result: 'queued-1' }));
    expect((await imagine()).body).toMatchObject({ code: 1, result: 'queued-1' });
    expect((await site.balances()).quota).toBe(before.quota - 50_000);
    expect(await site.rows(`SELECT 1 FROM midjourneys WHERE mj_id = 'queued-1'`)).toHaveLength(1);
  });

  it('that exists already with its picture is done at once', async () => {
    const properties = { status: 'SUCCESS', imageUrl: 'https://images.example/1.png' };
    site.upstream.script(
      { path: '/mj/submit' },
      json({ code: 21, description: 'exists', result: 'done-1', properties }),
    );
    await imagine();
    const { body } = await fetchTask('done-1');
    expect(body).toMatchObject({ status: 'SUCCESS', progress: '100%' });
  });

  it('is read as JSON under a content type that is none', async () => {
    const headers = { authorization: `Bearer ${site.key}`, 'content-type': 'json' };
    const { status, body } = await site.call('POST', '/mj/submit/imagine', { prompt: 'a lighthouse' }, headers);
    expect([status, body.code]).toEqual([200, 1]);
  });

  it('leaves out what the site does not allow, and keeps what it does', async () => {
    const given = {
      prompt: 'a cat --fast --ar 1:1',
      accountFilter: { modes: ['FAST'] },
      notifyHook: 'http://x',
      state: 's',
    };
    await site.call('POST', '/mj/submit/imagine', given);
    expect(lastOf('/mj/submit')?.body).toEqual({ prompt: 'a cat --fast --ar 1:1', state: 's' });
    await site.setOption('MjModeClearEnabled', 'true');
    await site.setOption('MjAccountFilterEnabled', 'true');
    await site.setOption('MjNotifyEnabled', 'true');
    await site.call('POST', '/mj/submit/imagine', given);
    expect(lastOf('/mj/submit')?.body).toEqual({ ...given, prompt: 'a cat  --ar 1:1' });
    for (const key of ['MjModeClearEnabled', 'MjAccountFilterEnabled', 'MjNotifyEnabled'])
      await site.setOption(key, 'false');
  });

  it.each([
    'a {red} cat, {a set} --raw --relax --no r --style raw',
    'a {red {dark} one} cat, a dog',
    'a cat :{ sad, alone',
    'a robot \u2014 r2d2, of tin',
  ])('may have braces and switches that draw once: %s', async (prompt) => {
    expect((await site.call('POST', '/mj/submit/imagine', { prompt })).body.code).toBe(1);
    expect(lastOf('/mj/submit')?.body).toEqual({ prompt });
  });

  it('reaches the provider without the speed prefix of ours, and with any other', async () => {
    await site.call('POST', '/mj-fast/mj/submit/imagine', { prompt: 'x' });
    expect(lastSubmitted()?.path).toBe('/mj/submit/imagine');
    site.upstream.script({ path: '/fast/mj/submit' }, json({ code: 1, description: '', result: 'fast-1' }));
    await site.call('POST', '/fast/mj/submit/imagine?a=1', { prompt: 'x' });
    expect(lastSubmitted()?.path).toBe('/fast/mj/submit/imagine');
  });

  it('takes the key from mj-api-secret', async () => {
    const { body } = await site.call('POST', '/mj/submit/imagine', { prompt: 'x' }, { 'mj-api-secret': site.key });
    expect(body.code).toBe(1);
  });

  it.each([
    ['submit/imagine', {}, 'prompt_is_required'],
    ['submit/imagine', { prompt: 'a cat --repeat 10' }, 'repeat_is_not_supported'],
    ['submit/imagine', { prompt: 'a cat --ar 1:1 --R 40' }, 'repeat_is_not_supported'],
    ['submit/imagine', { prompt: 'a cat \u2014repeat 10' }, 'repeat_is_not_supported'],
    ['submit/modal', { taskId: 'x', prompt: 'a cat --r4' }, 'repeat_is_not_supported'],
    ['submit/imagine', { prompt: 'a {red, green {dark, light} blue} cat' }, 'permutations_are_not_supported'],
    ['submit/imagine', { prompt: '{red{},green{},blue{}} bird' }, 'permutations_are_not_supported'],
    ['submit/imagine', { prompt: 'a {b} {c {d} e, f} g' }, 'permutations_are_not_supported'],
    ['submit/imagine', { prompt: 'a {b, {c} d' }, 'permutations_are_not_supported'],
    ['submit/imagine', { prompt: 'a {b\\} c, d}' }, 'permutations_are_not_supported'],
    ['submit/imagine', { prompt: 'a cat --r {2, 3}' }, 'repeat_is_not_supported'],
    ['submit/imagine', { prompt: 'a cat \u2014 repeat 10' }, 'repeat_is_not_supported'],
    ['submit/change', { action: 'UPSCALE', index: 1 }, 'task_id_is_required'],
    ['submit/change', { taskId: 'x', index: 1 }, 'action_is_required'],
    ['submit/change', { taskId: 'x', action: 'UPSCALE' }, 'index_is_required'],
    ['submit/change', { taskId: 'nobodys', action: 'UPSCALE', index: 1 }, 'task_not_found'],
    ['submit/simple-change', { content: 'x' }, 'content_parse_failed'],
    ['submit/action', { taskId: 'x' }, 'custom_id_is_required'],
    ['submit/action', { taskId: 'x', customId: 'MJ' }, 'unknown_action:MJ'],
    ['submit/modal', {}, 'task_id_is_required'],
    ['insight-face/swap', { sourceBase64: 'a' }, 'target_base64_is_required'],
  ])('%s %j is refused: %s', async (path, given, description) => {
    const { status, body } = await site.call('POST', `/mj/${path}`, given);
    expect([status, body]).toEqual([400, { description, type: 'upstream_error', code: 4 }]);
  });

  it('with a word nobody may send is refused before anybody is asked', async () => {
    const { status, body } = await imagine('a TEST_sensitive cat');
    expect([status, (body.error as { code: string }).code]).toEqual([400, 'sensitive_words_detected']);
    // Polls of earlier drawings do not count, because the poller may send them at any time.
    const polls = '/mj/task/list-by-condition';
    expect(site.upstream.requests.filter(({ path }) => path !== polls)).toEqual([]);
  });

  it('that nobody can pay is refused, and nothing is held', async () => {
    const poor = await site.addCustomer('poor');
    await site.server.api.data(site.root, 'PUT', '/api/user/', {
      ...(await site.server.api.data<Record<string, unknown>>(site.root, 'GET', `/api/user/${poor.user.id}`)),
      password: '',
      quota: 49_999,
    });
    const { status, body } = await site.call(
      'POST',
      '/mj/submit/imagine',
      { prompt: 'x' },
      { authorization: poor.key },
    );
    expect([status, body]).toEqual([400, { description: 'quota_not_enough', type: 'upstream_error', code: 4 }]);
    expect((await site.balances(poor.user.id, poor.tokenId)).quota).toBe(49_999);
  });
});

describe('what goes on from a drawing', () => {
  it('wants it to be done, goes to its channel and account, and keeps its prompt', async () => {
    const id = await submitted('an old mill');
    const early = await site.call('POST', '/mj/submit/simple-change', { content: `${id} u2` });
    expect(early.body.description).toBe('task_status_not_success');
    site.tasks.reported.set(id, { status: 'SUCCESS', progress: '100%', imageUrl: 'https://images.example/1.png' });
    await ended(id);
    const { body } = await site.call('POST', '/mj/submit/simple-change', { content: `${id} u2` });
    expect(body.code).toBe(1);
    expect((await fetchTask(body.result as string)).body).toMatchObject({ action: 'UPSCALE', prompt: 'an old mill' });
    expect((await site.balances()).used % 50_000).toBe(25_000);
  });

  it('does not follow a channel that is off', async () => {
    const id = await submitted();
    site.tasks.reported.set(id, { status: 'SUCCESS', progress: '100%' });
    await ended(id);
    const channel = { id: site.drawingChannel };
    await site.server.api.data(site.root, 'PUT', '/api/channel/', { ...channel, status: 2 });
    const { body } = await site.call('POST', '/mj/submit/change', { taskId: id, action: 'UPSCALE', index: 1 });
    await site.server.api.data(site.root, 'PUT', '/api/channel/', { ...channel, status: 1 });
    expect(body.description).toBe('channel of this task is disabled');
  });

  it('opens windows free of charge, and shows code 21 of them as it is', async () => {
    const id = await submitted();
    site.tasks.reported.set(id, { status: 'SUCCESS', progress: '100%' });
    await ended(id);
    const before = await site.balances();
    site.upstream.script({ path: '/mj/submit/action' }, json({ code: 21, description: 'waiting', result: 'window-1' }));
    const { body } = await site.call('POST', '/mj/submit/action', { taskId: id, customId: 'MJ::Inpaint::1::u::SOLO' });
    expect(body).toMatchObject({ code: 21, result: 'window-1' });
    expect(await site.balances()).toEqual(before);
  });

  it.each(['Inpaint::1', 'CustomZoom'])(
    'pays for a drawing that a window of %s submits under its own id',
    async (button) => {
      const id = await submitted();
      site.tasks.reported.set(id, { status: 'SUCCESS', progress: '100%' });
      await ended(id);
      const before = await site.balances();
      const window = site.tasks.nextName('window');
      site.upstream.script({ path: '/mj/submit/action' }, json({ code: 21, description: 'waiting', result: window }));
      await site.call('POST', '/mj/submit/action', { taskId: id, customId: `MJ::${button}::u` });
      site.upstream.script({ path: '/mj/submit/modal' }, json({ code: 1, description: '', result: window }));
      const submit = () => site.call('POST', '/mj/submit/modal', { taskId: window, prompt: 'a hat' });
      expect((await submit()).body).toMatchObject({ code: 1, result: window });
      const charged = { quota: before.quota - 50_000, used: before.used + 50_000, token: before.token - 50_000 };
      expect(await site.balances()).toEqual(charged);
      const rows = () => site.rows('SELECT action, prompt, quota FROM midjourneys WHERE mj_id = $1', [window]);
      expect(await rows()).toEqual([{ action: 'MODAL', prompt: 'a hat', quota: '50000' }]);
      // All submissions of one window are charged once.
      await submit();
      expect(await site.balances()).toEqual(charged);
      expect(await rows()).toHaveLength(1);
      site.tasks.reported.set(window, { status: 'FAILURE', progress: '100%', failReason: 'no' });
      expect(await ended(window)).toMatchObject({ action: 'MODAL', status: 'FAILURE' });
      expect((await site.balances()).quota).toBe(before.quota);
    },
  );
});

describe('a drawing’s life', () => {
  it('is followed to its end, and shown through a link of ours', async () => {
    await site.setOption('ServerAddress', site.server.url);
    const id = await submitted();
    const picture = Buffer.from('a picture');
    site.upstream.script({ path: '/picture.png' }, (response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
    });
    site.tasks.reported.set(id, {
      status: 'IN_PROGRESS',
      progress: '40%',
      imageUrl: `${site.upstream.url}/picture.png`,
    });
    const half = await eventually(
      () => fetchTask(id),
      ({ body }) => body.progress === '40%',
    );
    expect(half.body.imageUrl).toMatch(/&rand=\d+$/);
    const buttons = [{ customId: 'MJ::JOB::upsample::1::u', label: 'U1' }];
    site.tasks.reported.set(id, {
      status: 'SUCCESS',
      progress: '100%',
      imageUrl: `${site.upstream.url}/picture.png`,
      buttons,
      properties: { finalPrompt: 'a cat' },
    });
    const done = await ended(id);
    expect(done).toMatchObject({
      id,
      status: 'SUCCESS',
      action: 'IMAGINE',
      buttons,
      properties: { finalPrompt: 'a cat' },
    });
    const link = done.imageUrl as string;
    expect(link).toMatch(new RegExp(`^${site.server.url}/mj/image/${id}\\?key=`));
    const shown = await fetch(link);
    expect([shown.status, shown.headers.get('content-type'), shown.headers.get('x-content-type-options')]).toEqual([
      ...[200, 'image/png', 'nosniff'],
    ]);
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(picture);
  });

  it.each([
    ['SUCCESS', 0],
    ['FAILURE', 50_000],
  ])('is not over at 100%% while the provider still draws: %s follows', async (status, returned) => {
    const id = await submitted();
    const { quota } = await site.balances();
    site.tasks.reported.set(id, { status: 'IN_PROGRESS', progress: '100%' });
    const drawn = await eventually(
      () => fetchTask(id),
      ({ body }) => body.status === 'IN_PROGRESS',
    );
    expect(drawn.body.progress).toBe('99%');
    site.tasks.reported.set(id, { status, progress: '100%', imageUrl: 'https://images.example/1.png' });
    expect(await ended(id)).toMatchObject({ status });
    expect((await site.balances()).quota).toBe(quota + returned);
  });

  it.each([
    ['of a status that it does not have', { status: 'CANCEL', progress: '100%' }],
    ['without a status', { progress: '100%' }],
  ])('is not over with a report %s', async (_what, report) => {
    const id = await submitted();
    const { quota } = await site.balances();
    site.tasks.reported.set(id, report);
    const drawn = await eventually(
      () => fetchTask(id),
      ({ body }) => body.progress !== '0%',
    );
    expect(drawn.body).toMatchObject({ status: 'SUBMITTED', progress: '99%' });
    await site.rows(
      `UPDATE midjourneys SET submit_time = submit_time - interval '3600001 milliseconds' WHERE mj_id = $1`,
      [id],
    );
    expect(await ended(id)).toMatchObject({ status: 'FAILURE' });
    expect((await site.balances()).quota).toBe(quota + 50_000);
  });

  it('is followed with an id that the provider reports as a number', async () => {
    site.upstream.script({ path: '/mj/submit' }, json({ code: 1, description: '', result: 1_748_339_029 }));
    const id = await submitted();
    site.upstream.script(
      { path: '/mj/task/list-by-condition' },
      json([{ id: 1_748_339_029, status: 'SUCCESS', progress: '100%' }]),
    );
    expect(await ended(id)).toMatchObject({ id: '1748339029', status: 'SUCCESS' });
  });

  it('that fails gives back what it cost, to user and token, once', async () => {
    const before = await site.balances();
    const id = await submitted();
    site.tasks.reported.set(id, { status: 'FAILURE', progress: '100%', failReason: 'content policy' });
    expect(await ended(id)).toMatchObject({ status: 'FAILURE', failReason: 'content policy' });
    const after = await site.balances();
    expect([after.quota, after.token]).toEqual([before.quota, before.token]);
    const told = await site.rows(`SELECT type, content, quota FROM logs WHERE type = 4 AND content LIKE $1`, [
      `%${id}%`,
    ]);
    const content = `image task ${id} failed, compensated $0.100000 quota`;
    expect(told).toEqual([{ type: 4, content, quota: '50000' }]);
  });

  it('is shown without the channel’s key, which the provider repeats', async () => {
    const id = await submitted();
    site.tasks.reported.set(id, { status: 'FAILURE', progress: '100%', failReason: 'mj-secret has no account' });
    expect(await ended(id)).toMatchObject({ failReason: '[key] has no account' });
  });

  it('ends after an hour, whether or not the provider still knows it', async () => {
    const before = await site.balances();
    const [forgotten, slow] = [await submitted(), await submitted()];
    site.tasks.reported.set(slow, { status: 'IN_PROGRESS', progress: '50%' });
    await site.rows(
      `UPDATE midjourneys SET submit_time = submit_time - interval '3600001 milliseconds' WHERE mj_id = ANY ($1)`,
      [[forgotten, slow]],
    );
    for (const id of [forgotten, slow]) expect(await ended(id)).toMatchObject({ status: 'FAILURE' });
    expect((await site.balances()).quota).toBe(before.quota);
  });

  it('goes on beside one the provider says nonsense about, and beside one that is gone', async () => {
    const ids = [await submitted(), await submitted(), await submitted()] as const;
    site.tasks.reported.set(ids[0], {
      status: 7,
      progress: { a: 1 },
      buttons: 'x\u0000y',
      startTime: -5,
      failReason: 5n.toString(),
    });
    site.tasks.reported.set(ids[2], { status: 'SUCCESS', progress: '100%' });
    expect(await ended(ids[2])).toMatchObject({ status: 'SUCCESS' });
    expect((await fetchTask(ids[1])).body.progress).toBe('0%');
  });

  it('is refunded when its channel is removed', async () => {
    const channel = await site.server.api.createChannel(site.root, {
      type: 5,
      baseUrl: site.upstream.url,
      key: 'other',
      models: ['mj_blend'],
    });
    const before = await site.balances();
    const { body } = await site.call('POST', '/mj/submit/blend', { base64Array: ['a', 'b'] });
    expect(body.code).toBe(1);
    await site.server.api.data(site.root, 'DELETE', `/api/channel/${channel}`);
    expect(await ended(body.result as string)).toMatchObject({ status: 'FAILURE' });
    expect((await site.balances()).quota).toBe(before.quota);
  });
});

describe('who sees what', () => {
  it('shows nobody the drawings of others', async () => {
    const id = await submitted();
    const other = await site.addCustomer('other');
    const asOther = { authorization: `Bearer ${other.key}` };
    const one = await site.call('GET', `/mj/task/${id}/fetch`, undefined, asOther);
    expect([one.status, one.body]).toEqual([400, { description: 'task_no_found', type: 'upstream_error', code: 4 }]);
    expect((await site.call('POST', '/mj/task/list-by-condition', { ids: [id] }, asOther)).body).toEqual([]);
    expect((await site.call('POST', '/mj/task/list-by-condition', { ids: [id] })).body).toMatchObject([{ id }]);
    expect((await site.call('GET', `/mj/task/${id}/image-seed`, undefined, asOther)).status).toBe(400);
    const change = { taskId: id, action: 'REROLL' };
    expect((await site.call('POST', '/mj/submit/change', change, asOther)).body.description).toBe('task_not_found');
  });

  it('wants a good key, in the relay’s words', async () => {
    const { status, body } = await site.call('POST', '/mj/submit/imagine', { prompt: 'x' }, { authorization: 'sk-no' });
    expect([status, (body.error as { code: string }).code]).toEqual([401, 'invalid_api_key']);
  });

  it('relays the seed', async () => {
    const id = await submitted();
    site.upstream.script({ path: `/mj/task/${id}/image-seed` }, json({ code: 1, result: '123' }));
    expect((await site.call('GET', `/mj/task/${id}/image-seed`)).body).toEqual({ code: 1, result: '123' });
    site.upstream.script({ path: `/mj/task/${id}/image-seed` }, json({ code: 4, description: 'not mj-secret' }));
    expect((await site.call('GET', `/mj/task/${id}/image-seed`)).body.description).toBe('not [key]');
  });

  it.each(['', '?key=1-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '?key=x', "?key=1'--"])(
    'shows no picture without a link of ours (%s)',
    async (query) => {
      const id = await submitted();
      const answer = await site.call('GET', `/mj/image/${id}${query}`, undefined, {});
      expect([answer.status, answer.body]).toEqual([400, { error: 'midjourney_task_not_found' }]);
    },
  );
});

describe('callbacks', () => {
  const tell = (path: string, body: unknown): Promise<Answer> => site.call('POST', path, body, {});
  const address = async (channel: number): Promise<string> => {
    const { data } = await site.server.api.graphql(site.root, `{ drawingNotifyUrl(channelId: ${channel}) }`);
    return new URL(data?.drawingNotifyUrl as string).pathname;
  };
  afterAll(() => site.setOption('MjNotifyEnabled', 'false'));

  it('move a drawing of the channel whose secret they bear, refund once, and no other', async () => {
    await site.setOption('MjNotifyEnabled', 'true');
    const before = await site.balances();
    const id = await submitted();
    const failure = { id, status: 'FAILURE', progress: '100%', failReason: 'no' };
    expect((await tell(`/mj/notify/${site.drawingChannel}/${'a'.repeat(32)}`, failure)).status).toBe(400);
    const foreign = await address(site.musicChannel);
    expect((await tell(foreign, failure)).status).toBe(400);
    const own = await address(site.drawingChannel);
    site.tasks.reported.set(id, failure);
    const answers = await Promise.all(Array.from({ length: 8 }, () => tell(own, failure)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await ended(id)).toMatchObject({ status: 'FAILURE' });
    expect((await site.balances()).quota).toBe(before.quota);
    // A task does not leave its final state.
    await tell(own, { id, status: 'SUCCESS', progress: '100%' });
    expect((await fetchTask(id)).body).toMatchObject({ status: 'FAILURE' });
  });

  it('are refused while the site takes none', async () => {
    await site.setOption('MjNotifyEnabled', 'false');
    expect((await tell(await address(site.drawingChannel), { id: 'x' })).status).toBe(400);
  });
});

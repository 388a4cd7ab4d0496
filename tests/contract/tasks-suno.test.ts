import { ModelRateLimit } from '../../server/src/gateway/admit/rate-limit.js';
import { UnavailableError } from '../../server/src/shared/errors.js';
import { eventually, TaskSite, type Answer } from '../support/task-site.js';
import { json } from '../support/upstream/replies.js';
import { startUpstream } from '../support/upstream/upstream.js';

let site: TaskSite;

beforeAll(async () => {
  site = await TaskSite.open();
});
afterAll(async () => {
  expect(await site.drift()).toEqual([]);
  await site.close();
});
beforeEach(() => site.script());

const music = (body: unknown = { prompt: 'la la', title: 'T', tags: 'pop' }): Promise<Answer> =>
  site.call('POST', '/suno/submit/music', body);
const fetchTask = async (id: string): Promise<Record<string, unknown>> =>
  (await site.call('GET', `/suno/fetch/${id}`)).body.data as Record<string, unknown>;
const ended = (id: string): Promise<Record<string, unknown>> =>
  eventually(
    () => fetchTask(id),
    ({ progress }) => progress === '100%',
  );

const lastSubmitted = () => site.upstream.requests.findLast(({ path }) => path.includes('/submit/'));

async function submitted(): Promise<string> {
  const { status, body } = await music();
  expect([status, body.code]).toEqual([200, 'success']);
  return body.data as string;
}

describe('a submission', () => {
  it('reaches the provider as documented, and is charged when it was accepted', async () => {
    const before = await site.balances();
    const id = await submitted();
    expect(lastSubmitted()).toMatchObject({
      method: 'POST',
      path: '/suno/submit/MUSIC',
      key: 'suno-secret',
      body: { prompt: 'la la', title: 'T', tags: 'pop', mv: 'chirp-v3-0', make_instrumental: false },
    });
    const after = await site.balances();
    expect([before.quota - after.quota, before.token - after.token, after.used - before.used]).toEqual(
      Array(3).fill(50_000),
    );
    expect(await fetchTask(id)).toMatchObject({ task_id: id, action: 'MUSIC', status: 'SUBMITTED', progress: '0%' });
    const [version] = await site.rows('SELECT version AS price_version FROM price_versions');
    const [row] = await site.chargedRows(1);
    expect(row).toMatchObject({ quota: 50_000, other: { task: true, model_price: 0.1, ...version } });
  });

  it.each(['/suno/submit/music', '/mj/submit/imagine'])(
    'that was accepted at %s stays accepted and paid when its limit cannot be counted',
    async (path) => {
      await site.setOption('ModelRequestRateLimitEnabled', 'true');
      const counted = jest
        .spyOn(ModelRateLimit.prototype, 'succeeded')
        .mockRejectedValue(new UnavailableError('the shared state is unavailable'));
      const before = await site.balances();
      try {
        const { status } = await site.call('POST', path, { prompt: 'la la' });
        expect([status, counted.mock.calls.length]).toEqual([200, 1]);
      } finally {
        counted.mockRestore();
        await site.setOption('ModelRequestRateLimitEnabled', 'false');
      }
      expect(before.quota - (await site.balances()).quota).toBe(50_000);
    },
  );

  it('is sent without fields that could request more than is charged', async () => {
    await music({ prompt: 'x', mv: 'chirp-v9', persona_id: 'p', count: 4, persona: { n: 4 } });
    expect(lastSubmitted()?.body).toEqual({ prompt: 'x', mv: 'chirp-v9', persona_id: 'p', make_instrumental: false });
  });

  it.each([
    ['an error status', json({ detail: 'bad key suno-secret' }, 401)],
    ['an error in a good answer', json({ code: 'bad_key', message: 'suno-secret is unknown' })],
  ])('does not show the channel’s key that the provider repeats with %s', async (_what, answer) => {
    site.upstream.script({ path: '/suno/submit' }, answer);
    const { body } = await music();
    expect(body.message).toContain('[key]');
    const [row] = await site.rows<object>('SELECT * FROM tasks ORDER BY id DESC LIMIT 1');
    for (const seen of [body, row]) expect(JSON.stringify(seen)).not.toContain('suno-secret');
  });

  it('for lyrics costs what lyrics cost', async () => {
    const before = await site.balances();
    await site.call('POST', '/suno/submit/LYRICS', { prompt: 'a song' });
    expect(before.quota - (await site.balances()).quota).toBe(5_000);
  });

  it.each([
    ['dance', { prompt: 'x' }, 'invalid_action'],
    ['lyrics', {}, 'prompt_empty'],
    ['music', { continue_clip_id: 'c' }, 'task id is empty'],
  ])('%s %j is refused: %s', async (action, body, message) => {
    const answer = await site.call('POST', `/suno/submit/${action}`, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid_request', data: null });
    expect(answer.body.message).toContain(`${message} (request id: `);
  });

  it.each([
    ['an error in a good answer', json({ code: 'no_credit', message: 'empty' }), 500, 'no_credit'],
    ['an error status', json({ detail: 'x' }, 402), 402, 'fail_to_fetch_task'],
    ['no JSON', json(Buffer.from('<html>')), 500, 'unmarshal_response_body_failed'],
    ['no task', json({ code: 'success', data: null }), 500, 'invalid_response'],
  ])('is not charged for %s', async (_what, reply, status, code) => {
    const before = await site.balances();
    site.upstream.script({ path: '/suno/submit' }, reply);
    const answer = await music();
    expect([answer.status, answer.body.code, answer.body.data]).toEqual([status, code, null]);
    expect(await site.balances()).toEqual(before);
  });

  it('counts as a request of limits per minute', async () => {
    const customer = await site.addCustomer('limited');
    await site.server.api.data(site.root, 'POST', '/api/budget/', {
      level: 'token',
      subject_id: customer.tokenId,
      kind: 'requests',
      amount: 0,
      window: 'minute',
    });
    const refused = await site.call(
      'POST',
      '/suno/submit/music',
      { prompt: 'x' },
      {
        authorization: `Bearer ${customer.key}`,
      },
    );
    expect(refused.status).toBe(429);
    expect(JSON.stringify(refused.body)).toContain('at most 0 requests per minute of this key');
  });

  it('that goes on from a clip goes to the channel that made it, with that channel’s key', async () => {
    const id = await submitted();
    const elsewhere = await startUpstream();
    const channel = await site.server.api.createChannel(site.root, {
      type: 36,
      baseUrl: elsewhere.url,
      key: 'other-secret',
      models: ['suno_music'],
      more: { priority: 9 },
    });
    const { body } = await music({ prompt: 'more', task_id: id, continue_clip_id: 'clip' });
    expect(body.code).toBe('success');
    expect(lastSubmitted()?.key).toBe('suno-secret');
    expect(elsewhere.requests).toEqual([]);
    await site.server.api.data(site.root, 'DELETE', `/api/channel/${channel}`);
    await elsewhere.stop();
    const foreign = await site.addCustomer('stranger');
    const asStranger = { authorization: `Bearer ${foreign.key}` };
    const more = { prompt: 'more', task_id: id, continue_clip_id: 'clip' };
    const refused = await site.call('POST', '/suno/submit/music', more, asStranger);
    expect([refused.status, refused.body.code]).toEqual([400, 'task_not_exist']);
    expect((await site.call('GET', `/suno/fetch/${id}`, undefined, asStranger)).status).toBe(400);
    expect((await site.call('POST', '/suno/fetch', { ids: [id] }, asStranger)).body.data).toEqual([]);
  });
});

describe('a task’s life', () => {
  it('is followed to its end', async () => {
    const id = await submitted();
    site.tasks.reported.set(id, { status: 'IN_PROGRESS', start_time: 5 });
    await eventually(
      () => fetchTask(id),
      ({ status }) => status === 'IN_PROGRESS',
    );
    const data = [{ id: 'clip', audio_url: 'https://songs.example/1.mp3' }];
    site.tasks.reported.set(id, { status: 'SUCCESS', finish_time: 9, data });
    expect(await ended(id)).toMatchObject({ status: 'SUCCESS', start_time: 5, finish_time: 9, data });
    const many = await site.call('POST', '/suno/fetch', { ids: [id, 'none'] });
    expect(many.body).toMatchObject({ code: 'success', data: [{ task_id: id }] });
  });

  it('that fails gives back what it cost, once', async () => {
    const before = await site.balances();
    const id = await submitted();
    site.tasks.reported.set(id, { status: 'FAILURE', fail_reason: 'no' });
    expect(await ended(id)).toMatchObject({ status: 'FAILURE', fail_reason: 'no' });
    const { quota, token } = await site.balances();
    expect([quota, token]).toEqual([before.quota, before.token]);
  });

  it('ends after a day', async () => {
    const id = await submitted();
    await site.rows(`UPDATE tasks SET submit_time = submit_time - interval '86401 seconds' WHERE task_id = $1`, [id]);
    expect(await ended(id)).toMatchObject({ status: 'FAILURE' });
  });

  it('goes on although another provider does not answer', async () => {
    const id = await submitted();
    const dead = await startUpstream();
    const channel = await site.server.api.createChannel(site.root, {
      type: 36,
      baseUrl: dead.url,
      key: 'dead',
      models: ['suno_lyrics'],
      more: { priority: 9 },
    });
    dead.script({ path: '/suno/submit' }, json({ code: 'success', data: 'lost' }));
    expect((await site.call('POST', '/suno/submit/lyrics', { prompt: 'x' })).body.data).toBe('lost');
    await dead.stop();
    site.tasks.reported.set(id, { status: 'SUCCESS' });
    expect(await ended(id)).toMatchObject({ status: 'SUCCESS' });
    expect(await fetchTask('lost')).toMatchObject({ progress: '0%' });
    await site.server.api.data(site.root, 'DELETE', `/api/channel/${channel}`);
    expect(await ended('lost')).toMatchObject({ status: 'FAILURE' });
  });
});

it.each([
  ['song', '/suno/submit/music'],
  ['drawing', '/mj/submit/imagine'],
])('whoever runs dry by a %s is told', async (what, path) => {
  const customer = await site.addCustomer(`dry-by-${what}`);
  await site.warnAt(customer.user, 5_000_000 - 1);
  await site.call('POST', path, { prompt: 'x' }, { authorization: `Bearer ${customer.key}` });
  expect(await site.noticesOf(customer.user)).toBe(1);
});

describe('the lists', () => {
  it('show admins everything, with filters, and users their own', async () => {
    const { api } = site.server;
    const id = await submitted();
    const drawing = (await site.call('POST', '/mj/submit/imagine', { prompt: 'seen' })).body.result as string;
    const list = <T = Array<Record<string, unknown>>>(who: typeof site.user, path: string): Promise<T> =>
      api.data<T>(who, 'GET', path);
    const [all] = await list(site.root, `/api/task/?p=0&task_id=${id}&platform=suno&channel_id=${site.musicChannel}`);
    expect(all).toMatchObject({
      task_id: id,
      platform: 'suno',
      action: 'MUSIC',
      user_id: site.user.id,
      channel_id: site.musicChannel,
      quota: 50_000,
      properties: { input: 'la la' },
      data: null,
    });
    expect(await list(site.root, `/api/task/?channel_id=999`)).toEqual([]);
    expect(await list(site.root, `/api/task/?task_id=${id}&start_timestamp=9999999999`)).toEqual([]);
    expect((await list(site.user, `/api/task/self?task_id=${id}`))[0]).toMatchObject({ task_id: id, channel_id: 0 });
    expect(await list(site.root, `/api/task/self?task_id=${id}`)).toEqual([]);
    expect((await list(site.user, `/api/mj/self?mj_id=${drawing}`))[0]).toMatchObject({
      mj_id: drawing,
      prompt: 'seen',
    });
    expect((await list(site.root, `/api/mj/?mj_id=${drawing}`))[0]).toMatchObject({
      user_id: site.user.id,
      quota: 50_000,
    });
    const now = Date.now();
    expect(await list(site.root, `/api/mj/?mj_id=${drawing}&start_timestamp=${now + 60_000}`)).toEqual([]);
    expect(await list(site.root, `/api/mj/?p=x&channel_id=garbage'--&mj_id=%00`)).toEqual([]);
  });

  it('have twins in GraphQL', async () => {
    const { api } = site.server;
    const id = await submitted();
    const fields = 'totalCount items { taskId quota input submittedAt }';
    const mine = await api.graphql(site.user, `{ myCreativeTasks(filter: { taskIds: ["${id}"] }) { ${fields} } }`);
    expect(mine.data?.myCreativeTasks).toMatchObject({
      totalCount: 1,
      items: [{ taskId: id, quota: 50_000, input: 'la la' }],
    });
    const all = await api.graphql(
      site.root,
      `{ creativeTasks(sort: [{ field: QUOTA, direction: ASC }]) { ${fields} } }`,
    );
    expect(all.errors).toEqual([]);
    const drawings = await api.graphql(
      site.user,
      '{ myDrawings(pageSize: 1) { totalCount items { taskId imageUrl progress } } }',
    );
    expect(drawings.data?.myDrawings).toMatchObject({ items: [{ imageUrl: null, progress: 0 }] });
  });
});

it.each(['/suno/fetch', '/mj/task/list-by-condition'])(
  '%s reads no large body, which needs no balance',
  async (path) => {
    const ids = ['a'.repeat(300_000)];
    expect((await site.call('POST', path, { ids }, { authorization: `Bearer ${site.key}` })).status).toBe(413);
  },
);

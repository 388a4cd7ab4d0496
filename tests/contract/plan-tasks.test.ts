import { BatchSite, line, priceOfLine } from '../support/batch-site.js';
import { eventually } from '../support/task-site.js';
import { scriptVideos, videoProviders } from '../support/upstream/videos.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';

/** Tasks and batches that a plan pays for, and whose failure returns the charge to it (docs/reference/relay/plans.md). */
let batches: BatchSite;
let site: BatchSite['site'];
let videos: Upstream;
const states = new Map<string, object>();

/** Quota of a piece of music, of a drawing, and of 8 seconds of video. */
const [song, drawing, video] = [50_000, 50_000, 400_000];
const balance = 1_000_000;

beforeAll(async () => {
  batches = await BatchSite.open();
  ({ site } = batches);
  videos = await startUpstream();
  const { type, model } = videoProviders.openai;
  await site.server.api.createChannel(site.root, { type, baseUrl: videos.url, key: 'sk-video', models: [model] });
});
beforeEach(() => {
  site.script();
  videos.reset();
  states.clear();
  scriptVideos(videos, videoProviders.openai, states);
});
afterEach(async () => {
  expect(await site.drift()).toEqual([]);
});
afterAll(async () => {
  await batches.close();
  await videos.stop();
});

interface Buyer {
  readonly id: number;
  readonly key: string;
  readonly tokenId: number;
  readonly subscription: number;
}
let count = 0;
/** Adds a customer with a plan of one window of money. */
async function buyer(amount: number, plan: object = {}): Promise<Buyer> {
  const { user, key, tokenId } = await site.addCustomer(`buyer-${++count}`);
  await site.server.api.data(site.root, 'PUT', '/api/user/', { id: user.id, quota: balance });
  const windows = [{ window: 'fixed', kind: 'money', amount }];
  const shape = { name: 'Maker', price: 1, period_unit: 'day', period_count: 30, windows, ...plan };
  const { id: plan_id } = await post('/api/plan/', shape);
  const { id } = await post('/api/plan/grant', { user_id: user.id, plan_id, note: 'for a test' });
  return { id: user.id, key, tokenId, subscription: id };
}
const post = (path: string, body: object): Promise<{ id: number }> =>
  site.server.api.data<{ id: number }>(site.root, 'POST', path, body);

/** Quota that a plan has paid and holds, that its window counts, and that the balance of its buyer has lost. */
async function paid({ id, tokenId, subscription }: Buyer): Promise<object> {
  const [row] = await site.rows<Record<string, string>>(
    `SELECT u.used, u.held, coalesce(w.used, 0) AS window_used, coalesce(w.held, 0) AS window_held
       FROM subscription_use u JOIN budgets b ON b.level = 'plan' AND b.subject_id = u.subscription_id
       LEFT JOIN budget_windows w ON w.budget_id = b.id WHERE u.subscription_id = $1`,
    [subscription],
  );
  const { quota } = await site.balances(id, tokenId);
  return {
    plan: Number(row?.['used']),
    held: Number(row?.['held']),
    window: Number(row?.['window_used']) + Number(row?.['window_held']),
    wallet: balance - quota,
  };
}
const sing = ({ key }: Buyer) =>
  site.call('POST', '/suno/submit/music', { prompt: 'la' }, { authorization: `Bearer ${key}` });
const film = async ({ key }: Buyer): Promise<string> => {
  const body = { model: 'sora-2', prompt: 'a lighthouse', seconds: '8', size: '1280x720' };
  const answer = await site.call('POST', '/v1/videos', body, { authorization: `Bearer ${key}` });
  expect(answer.status).toBe(200);
  return answer.body['id'] as string;
};
const logOf = async ({ id }: Buyer): Promise<Array<{ quota: number; other: Record<string, unknown> }>> => {
  const rows = await site.rows<{ quota: string; other: string }>(
    'SELECT quota, other FROM logs WHERE user_id = $1 AND type = 2 ORDER BY id',
    [id],
  );
  return rows.map(({ quota, other }) => ({
    quota: Number(quota),
    other: JSON.parse(other) as Record<string, unknown>,
  }));
};
/** Waits for the end of the only task of a buyer. */
const ended = ({ id }: Buyer): Promise<Array<{ status: string }>> =>
  eventually(
    () =>
      site.rows<{ status: string }>(
        `SELECT status FROM tasks WHERE user_id = $1 AND progress = 100
         UNION ALL SELECT status FROM midjourneys WHERE user_id = $1 AND progress = 100`,
        [id],
      ),
    (rows) => rows.length === 1,
  );

it('pays for music, drawings and videos; the log has the full price and the plan', async () => {
  const one = await buyer(song + drawing + video);
  expect((await sing(one)).status).toBe(200);
  const headers = { authorization: `Bearer ${one.key}` };
  expect((await site.call('POST', '/mj/submit/imagine', { prompt: 'a cat' }, headers)).body['code']).toBe(1);
  await film(one);
  const all = song + drawing + video;
  expect(await paid(one)).toEqual({ plan: all, held: 0, window: all, wallet: 0 });
  const rows = await logOf(one);
  expect(rows.map(({ quota }) => quota)).toEqual([song, drawing, video]);
  for (const { other } of rows) expect(other['plan']).toEqual({ id: one.subscription, name: 'Maker' });
});

it.each(['stop', 'wallet'])('20 parallel submissions pass no window: %s', async (overflow) => {
  const one = await buyer(7 * song + 1, { overflow });
  const answers = await Promise.all(Array.from({ length: 20 }, () => sing(one)));
  const isPaid = answers.filter(({ status }) => status === 200).length;
  const ofWallet = overflow === 'wallet' ? 13 : 0;
  expect(isPaid).toBe(7 + ofWallet);
  expect(await paid(one)).toEqual({ plan: 7 * song, held: 0, window: 7 * song, wallet: ofWallet * song });
  const refused = answers.filter(({ status }) => status !== 200);
  for (const { status } of refused) expect(status).toBe(429);
});

it('takes a part of the price from the balance when the plan has no room', async () => {
  const one = await buyer(song, { overflow: 'wallet', overflow_ratio: 0.7 });
  await sing(one);
  await sing(one);
  await film(one);
  expect(await paid(one)).toEqual({ plan: song, held: 0, window: song, wallet: 0.7 * (song + video) });
  const note = { id: one.subscription, name: 'Maker', ratio: 0.7 };
  const rows = await logOf(one);
  expect(rows.map(({ quota, other }) => [quota, other['group_ratio'], other['plan_overflow']])).toEqual([
    [song, 1, undefined],
    [0.7 * song, 0.7, note],
    [0.7 * video, 0.7, note],
  ]);
});

it('returns a failed video to the window of the plan, and not to the balance', async () => {
  const one = await buyer(video);
  await film(one);
  expect((await sing(one)).status).toBe(429);
  const name = `job-1`;
  states.set(name, videoProviders.openai.failed(name, 'moderated'));
  expect(await ended(one)).toEqual([{ status: 'FAILURE' }]);
  expect(await paid(one)).toEqual({ plan: 0, held: 0, window: 0, wallet: 0 });
  const statement = await site.rows<{ amount: string }>(
    `SELECT sum(quota) AS amount FROM plan_usage_hourly WHERE account_id = $1`,
    [one.id],
  );
  expect(statement).toEqual([{ amount: '0' }]);
  // The key had paid, too.
  expect(await site.balances(one.id, one.tokenId)).toMatchObject({ quota: balance, token: 5_000_000 });
  expect((await sing(one)).status).toBe(200);
});

it('returns a failed task of a plan that was refunded meanwhile to that plan', async () => {
  const one = await buyer(song);
  const { body } = await sing(one);
  await post('/api/plan/refund', { id: one.subscription, note: 'a mistake' });
  site.tasks.reported.set(body['data'] as string, { status: 'FAILURE', progress: '100%', fail_reason: 'no' });
  expect(await ended(one)).toEqual([{ status: 'FAILURE' }]);
  expect(await paid(one)).toEqual({ plan: 0, held: 0, window: 0, wallet: 0 });
});

it('counts a request of a failed task no more', async () => {
  const one = await buyer(1, { windows: [{ window: 'fixed', kind: 'requests', amount: 1 }] });
  const { body } = await sing(one);
  expect((await sing(one)).status).toBe(429);
  site.tasks.reported.set(body['data'] as string, { status: 'FAILURE', progress: '100%', fail_reason: 'no' });
  await ended(one);
  expect((await sing(one)).status).toBe(200);
});

describe('a batch', () => {
  const create = async ({ key }: Buyer, lines = 2) => {
    const input_file_id = await batches.upload(
      Array.from({ length: lines }, (_, at) => line(`line-${at}`)),
      key,
    );
    const order = { input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
    return batches.client(key).batches.create(order);
  };

  it('is reserved in the plan, and charged to it by its results', async () => {
    const one = await buyer(20_000);
    const made = await create(one);
    const held = await batches.reserved();
    expect(held).toBeGreaterThan(2 * priceOfLine);
    expect(await paid(one)).toEqual({ plan: 0, held, window: held, wallet: 0 });
    await expect(create(one, 8)).rejects.toMatchObject({ status: 429, code: 'budget_exceeded' });
    batches.provider.batches.end(made.id);
    await batches.ended(made.id);
    const charge = 2 * priceOfLine;
    expect(await paid(one)).toEqual({ plan: charge, held: 0, window: charge, wallet: 0 });
    expect(await logOf(one)).toMatchObject([{ quota: charge, other: { plan: { id: one.subscription } } }]);
  });

  it('without a result returns all of it', async () => {
    const one = await buyer(20_000);
    const made = await create(one);
    await batches.client(one.key).batches.cancel(made.id);
    batches.provider.batches.end(made.id, () => null, 'cancelled');
    await batches.ended(made.id);
    expect(await paid(one)).toEqual({ plan: 0, held: 0, window: 0, wallet: 0 });
  });

  it('is as many requests as it has lines', async () => {
    const one = await buyer(1, { windows: [{ window: 'fixed', kind: 'requests', amount: 5 }] });
    await expect(create(one, 6)).rejects.toMatchObject({ status: 429, code: 'budget_exceeded' });
    const made = await create(one, 3);
    expect(await paid(one)).toMatchObject({ window: 3, wallet: 0 });
    await expect(create(one, 3)).rejects.toMatchObject({ status: 429, code: 'budget_exceeded' });
    batches.provider.batches.end(made.id);
    await batches.ended(made.id);
    expect(await paid(one)).toEqual({ plan: 3 * priceOfLine, held: 0, window: 3, wallet: 0 });
    const empty = await create(one);
    batches.provider.batches.end(empty.id, () => null, 'expired');
    await batches.ended(empty.id);
    expect(await paid(one)).toMatchObject({ window: 3 });
  });

  it('is charged at a part of the price when the plan has no room', async () => {
    const one = await buyer(1, { overflow: 'wallet', overflow_ratio: 0.5 });
    const made = await create(one);
    batches.provider.batches.end(made.id);
    await batches.ended(made.id);
    expect(await paid(one)).toEqual({ plan: 0, held: 0, window: 0, wallet: priceOfLine });
    const note = { id: one.subscription, name: 'Maker', ratio: 0.5 };
    expect(await logOf(one)).toMatchObject([{ quota: priceOfLine, other: { group_ratio: 0.5, plan_overflow: note } }]);
  });
});

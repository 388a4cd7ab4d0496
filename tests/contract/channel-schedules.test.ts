import 'reflect-metadata';
import type { ChannelStatus } from '../../server/src/console/channels/channel.entity.js';
import { ChannelSchedules, type ChannelSchedulesDeps } from '../../server/src/console/channels/channel-schedules.js';
import { providerOf } from '../../server/src/dialects/makers/providers.js';
import { unauthorized } from '../support/upstream/faults.js';
import { json } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Answer, type Person } from './site.js';

let site: Site;
let upstream: Upstream;
let root: Person;

const passes = json({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } });

beforeAll(async () => {
  [site, upstream] = await Promise.all([Site.open(), startUpstream()]);
  root = await site.setUp();
});
afterAll(() => Promise.all([site.stop(), upstream.stop()]));
beforeEach(async () => {
  upstream.reset();
  await site.query('DELETE FROM channels');
  await set({
    AutomaticDisableChannelEnabled: 'true',
    AutomaticEnableChannelEnabled: 'true',
    ChannelDisableThreshold: '5',
  });
});

const set = (options: Record<string, string>): Promise<unknown> =>
  Promise.all(
    Object.entries(options).map(([key, value]) => site.expectSuccess(root, 'PUT', '/api/option/', { key, value })),
  );
const call = (path: string): Promise<Answer> => site.rest(root, 'GET', path);

async function create(more: Record<string, unknown> = {}): Promise<number> {
  const body = { name: 'c', type: 1, key: 'sk-one,sk-two', models: 'gpt-4o', group: 'default', base_url: upstream.url };
  await site.expectSuccess(root, 'POST', '/api/channel/', { ...body, ...more });
  const [row] = await site.query<{ id: number }>('SELECT max(id) AS id FROM channels');
  return row?.id ?? 0;
}

interface State {
  readonly id: number;
  readonly status: ChannelStatus;
  readonly status_reason: string;
  readonly status_changed_at: Date | null;
  readonly tested_at: Date | null;
  readonly balance: number;
  readonly balance_at: Date | null;
}

/** Waits for a state, since scheduled runs work in the background. */
async function until(holds: (rows: State[]) => boolean): Promise<State[]> {
  for (let attempt = 0; ; attempt++) {
    const rows = await site.query<State>('SELECT * FROM channels ORDER BY id');
    if (holds(rows) || attempt === 1600) return rows;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
const tested = (rows: State[]): boolean => rows.every((row) => row.tested_at !== null);

describe('testing all channels', () => {
  it('answers at once, tests every channel whatever its state, and switches by what it sees', async () => {
    upstream.script({ key: 'sk-good' }, passes);
    upstream.script({ key: 'sk-bad' }, unauthorized());
    const [good, bad, back, kept] = [
      await create({ key: 'sk-good' }),
      await create({ key: 'sk-bad' }),
      await create({ key: 'sk-good' }),
      await create({ key: 'sk-bad', auto_ban: 0 }),
    ];
    await create({ type: 2, models: 'mj_imagine' });
    await site.query("UPDATE channels SET status = 'autoDisabled' WHERE id = $1", [back]);
    await site.query('UPDATE channels SET tested_at = now() WHERE type = 2');
    expect((await call('/api/channel/test')).body).toEqual({ success: true, message: '' });
    const rows = await until((all) => tested(all) && all.find(({ id }) => id === bad)?.status === 'autoDisabled');
    const status = (id: number): ChannelStatus | undefined => rows.find((row) => row.id === id)?.status;
    expect([good, bad, back, kept].map(status)).toEqual(['enabled', 'autoDisabled', 'enabled', 'enabled']);
    expect(rows.find(({ id }) => id === bad)).toMatchObject({
      status_reason: expect.stringMatching(/^status code 401: /) as string,
      status_changed_at: expect.any(Date) as Date,
    });
    expect(rows.find(({ id }) => id === back)?.status_reason).toContain('passed the test');
    expect(JSON.stringify(rows)).not.toContain('sk-bad');
  });

  it('leaves a channel as it is that only a call with a price would test', async () => {
    upstream.script({}, unauthorized());
    const first = await create({ models: 'dall-e-3', test_model: 'dall-e-3' });
    await create({ models: 'whisper-1' });
    const last = await create({ key: 'sk-bad', models: 'whisper-1,gpt-4o' });
    await call('/api/channel/test');
    const rows = await until((all) => all.find(({ id }) => id === last)?.status === 'autoDisabled');
    expect(rows.map(({ status }) => status)).toEqual(['enabled', 'enabled', 'autoDisabled']);
    expect(rows.find(({ id }) => id === first)?.tested_at).toBeNull();
    expect(new Set(upstream.requests.map(({ path }) => path))).toEqual(new Set(['/v1/chat/completions']));
  });

  it('counts what passed, failed and was skipped, from the start on, until long after the end', async () => {
    const read = async () => {
      const { data } = await site.graphql(root, '{ channelTestRun { startedAt endedAt total passed failed skipped } }');
      return data?.['channelTestRun'] as Record<string, unknown> | null;
    };
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    upstream.script({ key: 'sk-good' }, passes);
    upstream.script({ key: 'sk-bad' }, async (response, request) => {
      await held;
      await unauthorized()(response, request);
    });
    await create({ type: 2, models: 'mj_imagine' });
    await create({ models: 'whisper-1' });
    await create({ key: 'sk-good' });
    await create({ key: 'sk-bad' });
    await startRun('/api/channel/test');
    const startedAt = expect.stringMatching(/^20.*Z$/) as string;
    expect(await read()).toMatchObject({ startedAt, endedAt: null, total: 4, failed: 0 });
    const wait = async (holds: (run: Record<string, unknown> | null) => boolean) => {
      let run = await read();
      for (let tries = 0; !holds(run) && tries < 400; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 25));
        run = await read();
      }
      return run;
    };
    const halfway = await wait((run) => run?.['passed'] === 1);
    expect(halfway).toEqual({ startedAt, endedAt: null, total: 4, passed: 1, failed: 0, skipped: 2 });
    release();
    const ended = await wait((run) => run?.['endedAt'] !== null);
    expect(ended).toEqual({ startedAt, endedAt: startedAt, total: 4, passed: 1, failed: 1, skipped: 2 });
  });

  it('runs once at a time', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    upstream.script({}, async (response) => {
      await held;
      response.writeHead(500).end();
    });
    await create();
    const answers = await Promise.all([1, 2, 3].map(() => call('/api/channel/test')));
    const messages = answers.map(({ body }) => body['message']).sort();
    expect(messages).toEqual(['', 'A test is already running', 'A test is already running']);
    release();
    await until(tested);
    // The next run can begin when this one has ended.
    let next = await call('/api/channel/test');
    for (let tries = 0; next.body['success'] !== true && tries < 1600; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      next = await call('/api/channel/test');
    }
    expect(next.body).toEqual({ success: true, message: '' });
  });

  it('leaves channels alone that cannot be reached, and all of them when the site says so', async () => {
    const unreachable = await create({ base_url: 'http://127.0.0.1:9' });
    await startRun('/api/channel/test');
    expect((await until(tested)).find(({ id }) => id === unreachable)?.status).toBe('enabled');
    await set({ AutomaticDisableChannelEnabled: 'false' });
    upstream.script({}, unauthorized());
    await create();
    await startRun('/api/channel/test');
    expect((await until(tested)).map(({ status }) => status)).toEqual(['enabled', 'enabled']);
  });

  it('takes out a key that is refused, and the channel with its last one', async () => {
    upstream.script({ key: 'sk-good' }, passes);
    upstream.script({ key: 'sk-bad' }, unauthorized());
    upstream.script({ key: 'sk-worse' }, unauthorized());
    const [mixed, bad] = [await create({ key: 'sk-bad,sk-good' }), await create({ key: 'sk-bad,sk-worse' })];
    for (let run = 0; run < 4; run++) {
      await site.query('UPDATE channels SET tested_at = NULL');
      await startRun('/api/channel/test');
      await until(tested);
    }
    const rows = await until((all) => all.find(({ id }) => id === bad)?.status === 'autoDisabled');
    expect(rows.map(({ id, status }) => [id, status])).toEqual([
      [mixed, 'enabled'],
      [bad, 'autoDisabled'],
    ]);
    const keys = upstream.requests.map(({ headers }) => headers['authorization']);
    expect(keys.filter((key) => key === 'Bearer sk-good').length).toBeGreaterThan(2);
  });

  it('tests the key that the channel has, although this node did not hear that it was replaced', async () => {
    upstream.script({ key: 'sk-good' }, passes);
    upstream.script({ key: 'sk-bad' }, unauthorized());
    const [id, other] = [await create({ key: 'sk-bad' }), await create({ key: 'sk-good' })];
    // The row is changed as by another node. Without Redis this node learns of the change at its next periodic read.
    await site.query('UPDATE channels SET key_sealed = (SELECT key_sealed FROM channels WHERE id = $2) WHERE id = $1', [
      id,
      other,
    ]);
    await startRun('/api/channel/test');
    expect((await until(tested)).map(({ status }) => status)).toEqual(['enabled', 'enabled']);
    expect(upstream.requests.map(({ key }) => key)).toEqual(['sk-good', 'sk-good']);
  });

  it('leaves alone what the network failed for, however long that took', async () => {
    await set({ ChannelDisableThreshold: '0.05' });
    upstream.script({}, (response) => void setTimeout(() => response.destroy(), 120));
    const broken = await create();
    upstream.script({ key: 'sk-bad' }, unauthorized());
    const refused = await create({ key: 'sk-bad' });
    await startRun('/api/channel/test');
    const rows = await until((all) => all.find(({ id }) => id === refused)?.status === 'autoDisabled');
    expect(rows.find(({ id }) => id === broken)?.status).toBe('enabled');
  });

  it('switches nothing that somebody switched off by hand, and nothing on unless the site says so', async () => {
    await set({ AutomaticEnableChannelEnabled: 'false' });
    upstream.script({ key: 'sk-good' }, passes);
    upstream.script({ key: 'sk-bad' }, unauthorized());
    const [off, refused, waiting] = [
      await create({ key: 'sk-good' }),
      await create({ key: 'sk-bad' }),
      await create({ key: 'sk-good' }),
    ];
    await site.query("UPDATE channels SET status = CASE id WHEN $1 THEN 'autoDisabled' ELSE 'disabled' END", [waiting]);
    const states = async (): Promise<Array<ChannelStatus | undefined>> => {
      await site.query('UPDATE channels SET tested_at = NULL');
      await startRun('/api/channel/test');
      const rows = await until(tested);
      await startRun('/api/channel/test');
      return [off, refused, waiting].map((id) => rows.find((row) => row.id === id)?.status);
    };
    expect(await states()).toEqual(['disabled', 'disabled', 'autoDisabled']);
    await set({ AutomaticEnableChannelEnabled: 'true' });
    await states();
    const rows = await until((all) => all.find(({ id }) => id === waiting)?.status === 'enabled');
    expect([off, refused, waiting].map((id) => rows.find((row) => row.id === id)?.status)).toEqual([
      'disabled',
      'disabled',
      'enabled',
    ]);
  });

  it('takes no channel for too slow when the site sets no limit', async () => {
    await set({ ChannelDisableThreshold: '0' });
    upstream.script({}, (response) => {
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}');
      }, 120);
    });
    const slow = await create();
    upstream.script({ key: 'sk-bad' }, unauthorized());
    const refused = await create({ key: 'sk-bad' });
    await startRun('/api/channel/test');
    const rows = await until((all) => all.find(({ id }) => id === refused)?.status === 'autoDisabled');
    expect(rows.find(({ id }) => id === slow)?.status).toBe('enabled');
  });

  it('takes out a channel that answers too slowly', async () => {
    await set({ ChannelDisableThreshold: '0.05' });
    upstream.script({}, (response) => {
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}');
      }, 120);
    });
    await create();
    await startRun('/api/channel/test');
    const [row] = await until((rows) => rows[0]?.status === 'autoDisabled');
    expect(row?.status).toBe('autoDisabled');
    expect(row?.status_reason).toMatch(/response time \d+\.\d\ds exceeds 0\.05s/);
  });
});

/** Starts a run as soon as the previous one has ended. */
async function startRun(path: string): Promise<void> {
  for (let tries = 0; tries < 1600; tries++) {
    if ((await call(path)).body['success'] === true) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the previous run did not end');
}

describe('balances', () => {
  const billing = { hard_limit_usd: 20, has_payment_method: true };

  it('asks an OpenAI channel with its first key, for this month, and keeps the answer', async () => {
    upstream.script({ path: '/v1/dashboard/billing/subscription' }, json(billing));
    upstream.script({ path: '/v1/dashboard/billing/usage' }, json({ total_usage: 766 }));
    const id = await create();
    expect((await call(`/api/channel/update_balance/${id}/`)).body).toEqual({
      success: true,
      message: '',
      balance: 12.34,
    });
    const [row] = await site.query<State>('SELECT * FROM channels');
    expect([row?.balance, row?.balance_at != null]).toEqual([12.34, true]);
    const month = new Date().toISOString().slice(0, 7);
    expect(upstream.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer sk-one',
      'Bearer sk-one',
    ]);
    expect(upstream.requests[1]?.path).toContain(`start_date=${month}-01&end_date=${month}`);
  });

  it.each([
    [40, '/v1/user/info', { code: 20_000, data: { totalBalance: '7.5' } }],
    [
      43,
      '/user/balance',
      {
        balance_infos: [
          { currency: 'USD', total_balance: '1' },
          { currency: 'CNY', total_balance: '7.5' },
        ],
      },
    ],
  ])('type %d at %s', async (type, path, body) => {
    upstream.script({ path }, json(body));
    const id = await create({ type });
    const answer = await site.graphql(
      root,
      `mutation { updateChannelBalance(id: ${id}) { channel { balance { amount unit at } } } }`,
    );
    const at = expect.stringMatching(/^20.*Z$/) as string;
    const unit = [40, 43].includes(type) ? 'CNY' : 'USD';
    expect(answer.data).toEqual({ updateChannelBalance: { channel: { balance: { amount: 7.5, unit, at } } } });
  });

  /** The URLs of these providers are fixed, so tests cannot redirect them. */
  it.each<[number, string, Record<string, string>, unknown]>([
    [
      10,
      'https://aiproxy.io/api/report/getUserOverview',
      { 'api-key': 'k' },
      { success: true, data: { totalPoints: 3 } },
    ],
    [
      12,
      'https://api.api2gpt.com/dashboard/billing/credit_grants',
      { authorization: 'Bearer k' },
      { total_remaining: 3 },
    ],
    [
      13,
      'https://api.aigc2d.com/dashboard/billing/credit_grants',
      { authorization: 'Bearer k' },
      { total_available: 3 },
    ],
  ])('type %d asks %s', async (type, url, headers, body) => {
    const asked: unknown[] = [];
    const get = (...request: unknown[]): Promise<unknown> => {
      asked.push(request);
      return Promise.resolve(body);
    };
    expect(await providerOf(type).balance?.({ base: 'https://elsewhere.example', key: 'k', now: 0, get })).toBe(3);
    expect(asked).toEqual([[url, headers]]);
  });

  it('looks back a hundred days on an account without a payment method', async () => {
    const urls: string[] = [];
    const get = (url: string): Promise<unknown> => {
      urls.push(url);
      const isUsage = url.includes('/usage');
      return Promise.resolve(isUsage ? { total_usage: 100 } : { hard_limit_usd: 5, has_payment_method: false });
    };
    const now = Date.UTC(2026, 3, 20);
    expect(await providerOf(8).balance?.({ base: 'https://own.example/v1', key: 'k', now, get })).toBe(4);
    expect(urls[1]).toBe('https://own.example/v1/dashboard/billing/usage?start_date=2026-01-10&end_date=2026-04-20');
  });

  it.each<[string, Parameters<Upstream['script']>[1] | null, Record<string, unknown>, string]>([
    ['a type without one', null, { type: 14 }, 'Not implemented'],
    ['a refused key', json({ error: { message: 'sk-one is wrong' } }, 401), {}, 'status code: 401'],
    ['an answer that tells none', json({ hard_limit_usd: 'lots' }), {}, 'The response contains no balance'],
    ['no JSON', (response) => void response.writeHead(200).end('<html>'), {}, 'The response is not JSON'],
    ['a foreign code', json({ code: 50_000, data: {} }), { type: 40 }, 'The response contains no balance'],
    ['no such currency', json({ balance_infos: [] }), { type: 43 }, 'The response contains no balance'],
  ])('says why there is none: %s', async (_name, reply, more, message) => {
    if (reply) upstream.script({}, reply);
    const id = await create(more);
    expect((await call(`/api/channel/update_balance/${id}`)).body).toMatchObject({ success: false, message });
  });

  it('that was read with a key that is replaced meanwhile is not the channel’s', async () => {
    const id = await create({ type: 43, key: 'sk-empty' });
    upstream.script({ key: 'sk-empty', path: '/user/balance' }, async (response, request) => {
      await site.expectSuccess(root, 'PUT', '/api/channel/', { id, key: 'sk-full' });
      upstream.script({ path: '/user/balance' }, json({}));
      await json({ balance_infos: [{ currency: 'CNY', total_balance: '0' }] })(response, request);
    });
    await startRun('/api/channel/update_balance');
    // The next run begins when this one has ended.
    await startRun('/api/channel/update_balance');
    const [row] = await site.query<State>('SELECT * FROM channels');
    expect([row?.status, row?.balance_at]).toEqual(['enabled', null]);
  });

  it('tells an unknown channel', async () => {
    expect((await call('/api/channel/update_balance/999999')).body).toMatchObject({
      success: false,
      code: 'NOT_FOUND',
    });
  });

  it('of all enabled channels: whatever is empty goes off, whatever fails stays as it was', async () => {
    upstream.script(
      { key: 'sk-empty', path: '/user/balance' },
      json({ balance_infos: [{ currency: 'CNY', total_balance: '0' }] }),
    );
    upstream.script(
      { key: 'sk-rich', path: '/user/balance' },
      json({ balance_infos: [{ currency: 'CNY', total_balance: '9' }] }),
    );
    upstream.script({ key: 'sk-broken' }, json({}, 500));
    const [broken, off, empty, kept, rich] = [
      await create({ type: 43, key: 'sk-broken' }),
      await create({ type: 43, key: 'sk-rich' }),
      await create({ type: 43, key: 'sk-empty' }),
      await create({ type: 43, key: 'sk-empty', auto_ban: 0 }),
      await create({ type: 43, key: 'sk-rich' }),
    ];
    await site.expectSuccess(root, 'PUT', '/api/channel/', { id: off, status: 2 });
    expect((await call('/api/channel/update_balance')).body).toEqual({ success: true, message: '' });
    const rows = await until((all) => all.at(-1)?.balance === 9);
    const state = (id: number) => rows.find((row) => row.id === id);
    expect([broken, off, empty, kept, rich].map((id) => [state(id)?.status, state(id)?.balance])).toEqual([
      ...[
        ['enabled', 0],
        ['disabled', 0],
        ['autoDisabled', 0],
        ['enabled', 0],
        ['enabled', 9],
      ],
    ]);
    expect(state(empty)?.status_reason).toContain('insufficient balance');
  });

  it('leaves a channel on while one of its keys has a balance', async () => {
    const [empty, rich] = ['0', '9'].map((total) =>
      json({ balance_infos: [{ currency: 'CNY', total_balance: total }] }),
    );
    for (const key of ['sk-empty', 'sk-spent']) upstream.script({ key, path: '/user/balance' }, empty ?? json({}));
    upstream.script({ key: 'sk-rich', path: '/user/balance' }, rich ?? json({}));
    const [mixed, bare] = [
      await create({ type: 43, key: 'sk-empty,sk-rich' }),
      await create({ type: 43, key: 'sk-empty,sk-spent' }),
    ];
    await startRun('/api/channel/update_balance');
    const rows = await until((all) => all.find(({ id }) => id === bare)?.status === 'autoDisabled');
    expect(rows.map(({ id, status, balance }) => [id, status, balance])).toEqual([
      [mixed, 'enabled', 0],
      [bare, 'autoDisabled', 0],
    ]);
  });

  it('leaves empty channels on while the site does not want them off', async () => {
    await set({ AutomaticDisableChannelEnabled: 'false' });
    upstream.script({}, json({ balance_infos: [{ currency: 'CNY', total_balance: '0' }] }));
    const id = await create({ type: 43 });
    await startRun('/api/channel/update_balance');
    const [row] = await until((rows) => rows[0]?.balance_at != null);
    await startRun('/api/channel/update_balance');
    expect([row?.id, row?.balance]).toEqual([id, 0]);
    expect((await site.query<State>('SELECT * FROM channels')).map(({ status }) => status)).toEqual(['enabled']);
  });
});

it('the super admin is notified of the end of a test that a user started, and of no other run', async () => {
  const told: unknown[] = [];
  const kept: unknown[] = [];
  const schedules = new ChannelSchedules({
    channels: { find: () => Promise.resolve([]) },
    state: { lease: () => Promise.resolve(true), release: () => Promise.resolve() },
    runs: { keep: (run: unknown) => Promise.resolve(void kept.push(run)) },
    notices: { notifyRoot: (notice: unknown) => void told.push(notice) },
    nodeId: 'n',
    pause: 0,
    logger: { info: () => undefined, warn: () => undefined },
  } as unknown as ChannelSchedulesDeps);
  const admin = { id: 1, username: 'root', role: 'root', status: 'enabled', group: 'default' } as const;
  await schedules.startTests(admin, false);
  await schedules.startBalances(admin);
  await schedules.idle();
  expect([told, kept]).toEqual([[], []]);
  await schedules.startTests(admin);
  await schedules.idle();
  expect(told).toEqual([
    {
      type: 'channel_test',
      title: 'The channel test is complete',
      content: 'All channels were tested: {{value}}, failed: {{value}}',
      values: ['0', '0'],
    },
  ]);
  expect(kept.at(-1)).toMatchObject({ endedAt: expect.any(Date) as Date, total: 0, failed: 0 });
});

it('a run pauses between two channels for as long as the site says, and a stopping server waits for no pause', async () => {
  const admin = { id: 1, username: 'root', role: 'root', status: 'enabled', group: 'default' } as const;
  const begin = async (pause: number) => {
    const visits: number[] = [];
    const schedules = new ChannelSchedules({
      channels: {
        find: () => Promise.resolve([1, 2, 3].map((id) => ({ id, type: 1, status: 'enabled', autoDisable: true }))),
      },
      tests: { test: () => Promise.resolve(visits.push(performance.now())).then(() => ({ success: false })) },
      options: { values: { ChannelDisableThreshold: 0 } },
      state: { lease: () => Promise.resolve(true), release: () => Promise.resolve() },
      runs: { keep: () => Promise.resolve() },
      notices: { notifyRoot: () => undefined },
      nodeId: 'n',
      pause,
      logger: { info: () => undefined, warn: () => undefined },
    } as unknown as ChannelSchedulesDeps);
    await schedules.startTests(admin);
    return { schedules, visits };
  };
  const short = await begin(40);
  await short.schedules.idle();
  const [first = 0, second = 0, third = 0] = short.visits;
  expect(second - first).toBeGreaterThan(35);
  expect(third - second).toBeGreaterThan(35);

  const long = await begin(3_600_000);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await long.schedules.stop();
  expect(long.visits).toHaveLength(1);
});

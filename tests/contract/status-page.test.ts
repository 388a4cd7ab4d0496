import { secondWithinHour } from '../support/hours.js';
import { chat } from '../support/upstream/replies.js';
import { failure, serverError } from '../support/upstream/faults.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Person } from './site.js';

/** The status page for customers (docs/reference/rest/public.md#status-page). */
let site: Site;
let upstream: Upstream;
let root: Person;
let alice: Person;
let vip: Person;
/** The hour in which the figures were made. */
let thisHour: number;

const hour = 3600;
const day = 24 * hour;
const secrets = [
  'Very secret reseller account',
  'spare account',
  'sk-upstream-secret',
  'secret-tag',
  '127.0.0.1',
  'openai',
  'channel',
];

interface Wire {
  readonly from: number;
  readonly until: number;
  readonly bucket_seconds: number;
  readonly state: string;
  readonly models: ReadonlyArray<Record<string, unknown>>;
  readonly incidents: ReadonlyArray<Record<string, unknown>>;
}

const turn = (on: boolean) =>
  site.expectSuccess(root, 'PUT', '/api/option/', { key: 'status_page.enabled', value: String(on) });

async function page(person: Person | null, window: string): Promise<Wire> {
  const { body } = await site.rest(person, 'GET', `/api/status_page?window=${window}`);
  expect(body).toMatchObject({ success: true });
  return body.data as Wire;
}

const served = (at: number, model: string, group: string, calls: number): Promise<unknown> =>
  site.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls) VALUES ($1, 1, 1, 1, $2, $3, $4)`,
    [at, model, group, calls],
  );
const failed = (at: number, model: string, group: string, calls: number, kind = 'SERVER_ERROR'): Promise<unknown> =>
  site.query(`INSERT INTO model_failures VALUES ($1, $2, $3, $4, $5, $1)`, [at, model, group, kind, calls]);

beforeAll(async () => {
  site = await Site.open();
  upstream = await startUpstream();
  root = await site.setUp();
  alice = await site.invite(root);
  vip = await site.invite(root);
  await site.expectSuccess(root, 'PUT', '/api/user/', { id: vip.id, username: vip.username, group: 'hidden' });
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'GroupRatio', value: '{"default":1,"hidden":1}' });
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'UserUsableGroups', value: '{"default":"All"}' });
  const account = { type: 1, key: 'sk-upstream-secret', base_url: upstream.url, tag: 'secret-tag' };
  await site.expectSuccess(root, 'POST', '/api/channel/', {
    ...account,
    name: secrets[0],
    models: 'gpt-4o,o1,never-priced',
    group: 'default,hidden',
    priority: 5,
  });
  await site.expectSuccess(root, 'POST', '/api/channel/', {
    ...account,
    name: secrets[1],
    models: 'gpt-4o',
    group: 'default',
    priority: 1,
  });
  await site.expectSuccess(root, 'POST', '/api/channel/', {
    ...account,
    name: 'gone',
    models: 'gpt-4.1,gpt-4o',
    group: 'default',
  });
  await site.expectSuccess(root, 'POST', '/api/channel/', {
    ...account,
    name: 'off',
    models: 'gpt-4',
    group: 'default',
  });
  // The server disabled one channel, and the operator disabled the other.
  await site.query(`UPDATE channels SET status = 'autoDisabled' WHERE name = 'gone'`);
  await site.query(`UPDATE channels SET status = 'disabled' WHERE name = 'off'`);
  await site.server.app.ready();
  thisHour = Math.floor(secondWithinHour() / hour) * hour;
});
afterAll(async () => {
  await site.stop();
  await upstream.stop();
});

const query = `query ($period: StatusPeriod!) { statusPage(period: $period) {
  from until bucketSeconds state services { modelName group state uptime problems { bucket state } }
  incidents { modelName groups state from until } } }`;

it('is off at first, for everyone', async () => {
  for (const person of [null, alice, root]) {
    const { body } = await site.rest(person, 'GET', '/api/status_page');
    expect(body).toEqual({ success: false, code: 'NOT_FOUND', message: 'This site has no status page' });
    const { data, codes } = await site.graphql(person, `{ statusPage { state } status { enableStatusPage } }`);
    expect([data, codes]).toEqual([{ statusPage: null, status: { enableStatusPage: false } }, []]);
  }
  expect((await site.rest(null, 'GET', '/api/status')).body.data).toMatchObject({ enable_status_page: false });
});

describe('the figures', () => {
  beforeAll(async () => {
    await turn(true);
    // The incident lasts three hours: three of ten calls fail in the first two, and all calls in the last one. A day before,
    // 5 and 4 of 100 calls failed.
    for (const [ago, bad, good] of [
      [6, 3, 7],
      [5, 3, 7],
      [4, 10, 0],
      [30, 5, 95],
      [40, 4, 96],
    ] as const) {
      await failed(thisHour - ago * hour, 'o1', 'default', bad);
      if (good > 0) await served(thisHour - ago * hour, 'o1', 'default', good);
    }
    // The same hours fail in a group that visitors cannot use, and o1 fails in a shorter period of that group.
    await failed(thisHour - 4 * hour, 'o1', 'hidden', 10);
    // One good hour between bad hours belongs to the incident. Two good hours end it.
    for (const ago of [10, 12, 15]) await failed(thisHour - ago * hour, 'gpt-4o', 'default', 5, 'TIMEOUT');
    // These failures are no incident: two calls of one user, and requests that the provider refused.
    await failed(thisHour - 20 * hour, 'gpt-4o', 'default', 2);
    await failed(thisHour - 21 * hour, 'gpt-4o', 'default', 50, 'REQUEST');
    // These failures happened 50 and 89 days ago, and before the 90 days.
    await failed(thisHour - 50 * day, 'o1', 'default', 9);
    await failed(thisHour - 89 * day, 'o1', 'default', 9);
    await failed(thisHour - 90 * day, 'o1', 'default', 9);
    // No channel offers this model any more.
    await failed(thisHour - 2 * hour, 'no-longer-offered', 'default', 9);
  });

  it('of 24 hours, for strangers', async () => {
    const of = (ago: number): number => thisHour - ago * hour;
    expect(await page(null, '24h')).toEqual({
      from: of(23),
      until: of(-1),
      bucket_seconds: hour,
      // The only channel of gpt-4.1 was disabled by the server.
      state: 'OUTAGE',
      models: [
        {
          model_name: 'gpt-4.1',
          group: 'default',
          state: 'OUTAGE',
          uptime: 1,
          problems: [{ bucket: 23, state: 'OUTAGE' }],
        },
        {
          model_name: 'gpt-4o',
          group: 'default',
          state: 'OPERATIONAL',
          // 21 of 24 hours.
          uptime: 0.875,
          problems: [
            { bucket: 8, state: 'OUTAGE' },
            { bucket: 11, state: 'OUTAGE' },
            { bucket: 13, state: 'OUTAGE' },
          ],
        },
        {
          model_name: 'o1',
          group: 'default',
          state: 'OPERATIONAL',
          // 23 of 24 hours: 0.9583.
          uptime: 0.958,
          problems: [
            { bucket: 17, state: 'DEGRADED' },
            { bucket: 18, state: 'DEGRADED' },
            { bucket: 19, state: 'OUTAGE' },
          ],
        },
      ],
      incidents: [
        { model_name: 'o1', groups: ['default'], state: 'OUTAGE', from: of(6), until: of(3) },
        { model_name: 'gpt-4o', groups: ['default'], state: 'OUTAGE', from: of(12), until: of(9) },
        { model_name: 'gpt-4o', groups: ['default'], state: 'OUTAGE', from: of(15), until: of(14) },
      ],
    });
  });

  it('of 7, 30 and 90 days', async () => {
    const o1 = async (window: string): Promise<Record<string, unknown> | undefined> =>
      (await page(null, window)).models.find((row) => row['model_name'] === 'o1');
    // Each bucket has 6 hours, and the last one ends with the running hour. The failure 30 hours ago is in hour 137 of 168,
    // which is bucket 22.
    expect(await o1('7d')).toMatchObject({
      uptime: 0.994,
      problems: [
        { bucket: 22, state: 'DEGRADED' },
        { bucket: 26, state: 'DEGRADED' },
        { bucket: 27, state: 'OUTAGE' },
      ],
    });
    // 719 of 720 hours.
    expect(await o1('30d')).toMatchObject({
      uptime: 0.998,
      problems: [
        { bucket: 28, state: 'DEGRADED' },
        { bucket: 29, state: 'OUTAGE' },
      ],
    });
    // 2,157 of 2,160 hours.
    expect(await o1('90d')).toMatchObject({
      uptime: 0.998,
      problems: [
        { bucket: 0, state: 'OUTAGE' },
        { bucket: 39, state: 'OUTAGE' },
        { bucket: 88, state: 'DEGRADED' },
        { bucket: 89, state: 'OUTAGE' },
      ],
    });
    expect((await site.rest(null, 'GET', '/api/status_page?window=2h')).body['code']).toBe('INVALID_INPUT');
  });

  it('of own groups for users, and of all for admins', async () => {
    const groups = async (person: Person | null): Promise<unknown[]> =>
      (await page(person, '24h')).models.map((row) => [row['model_name'], row['group']]);
    const open = [
      ['gpt-4.1', 'default'],
      ['gpt-4o', 'default'],
      ['o1', 'default'],
    ];
    expect(await groups(null)).toEqual(open);
    expect(await groups(alice)).toEqual(open);
    const hidden = [open[0], open[1], ['gpt-4o', 'hidden'], open[2], ['o1', 'hidden']];
    expect(await groups(vip)).toEqual(hidden);
    expect(await groups(root)).toEqual(hidden);
    const { incidents } = await page(vip, '24h');
    expect(incidents.filter((one) => one['model_name'] === 'o1').map((one) => one['groups'])).toEqual([
      ['hidden'],
      ['default'],
    ]);
  });

  it('over GraphQL', async () => {
    const { data } = await site.graphql(null, query, { period: 'QUARTER' });
    const found = data?.['statusPage'] as Record<string, unknown>;
    expect(found).toMatchObject({
      bucketSeconds: day,
      state: 'OUTAGE',
      from: new Date((thisHour + hour - 90 * day) * 1000).toISOString(),
      until: new Date((thisHour + hour) * 1000).toISOString(),
    });
    expect((found['incidents'] as unknown[]).at(-1)).toEqual({
      modelName: 'o1',
      groups: ['default'],
      state: 'OUTAGE',
      from: new Date((thisHour - 89 * day) * 1000).toISOString(),
      until: new Date((thisHour - 89 * day + hour) * 1000).toISOString(),
    });
  });

  it('show strangers no provider, channel, address, key, message, and no number of calls', async () => {
    const { data } = await site.graphql(null, query, { period: 'WEEK' });
    const rest = await page(null, '7d');
    const text = JSON.stringify([data, rest]).toLowerCase();
    for (const secret of [...secrets, 'hidden', 'gone', 'spare', 'timeout', 'never-priced', 'no-longer-offered']) {
      expect([secret, text.includes(secret.toLowerCase())]).toEqual([secret, false]);
    }
    const names = new Set(rest.models.flatMap((row) => Object.keys(row)));
    expect([...names].sort()).toEqual(['group', 'model_name', 'problems', 'state', 'uptime']);
    expect(Object.keys(rest.incidents[0] ?? {}).sort()).toEqual(['from', 'groups', 'model_name', 'state', 'until']);
  });

  it('are read once a minute, however many strangers ask', async () => {
    const before = await page(null, '30d');
    await failed(thisHour - 3 * hour, 'gpt-4o', 'default', 500);
    const answers = await Promise.all(Array.from({ length: 30 }, () => page(null, '30d')));
    for (const answer of answers) expect(answer).toEqual(before);
    const { headers } = await site.rest(null, 'GET', '/api/status_page');
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual([
      'public, max-age=60',
      'Cookie, Authorization',
    ]);
    expect((await site.rest(alice, 'GET', '/api/status_page')).headers.get('cache-control')).toBe('private, no-store');
  });

  it('are gone as soon as it is off again', async () => {
    await turn(false);
    expect((await site.rest(null, 'GET', '/api/status_page')).body['code']).toBe('NOT_FOUND');
    expect((await site.graphql(null, query, { period: 'DAY' })).data).toEqual({ statusPage: null });
    await turn(true);
  });
});

it('counts a call that another channel rescued as served', async () => {
  const other = await Site.open();
  const owner = await other.setUp();
  await other.expectSuccess(owner, 'PUT', '/api/option/', { key: 'status_page.enabled', value: 'true' });
  await other.expectSuccess(owner, 'PUT', '/api/option/', { key: 'RetryTimes', value: '2' });
  await other.expectSuccess(owner, 'PUT', '/api/option/', { key: 'AutomaticDisableChannelEnabled', value: 'false' });
  for (const [name, priority] of [
    ['first', 5],
    ['second', 1],
  ] as const) {
    await other.expectSuccess(owner, 'POST', '/api/channel/', {
      name,
      priority,
      type: 1,
      key: 'sk-x',
      base_url: upstream.url,
      models: 'gpt-4o',
      group: 'default',
    });
  }
  const token = { name: 'dev', expired_time: -1, remain_quota: 400_000, unlimited_quota: true };
  const own = ((await other.expectSuccess(owner, 'POST', '/api/token/', token)).body.data as { key: string }).key;
  const call = async (): Promise<number> =>
    (
      await other.server.api.relay(own, '/v1/chat/completions', {
        model: 'gpt-4o',
        messages: [{ role: 'user', content: 'hi' }],
      })
    ).status;
  // Two calls fail at the first channel and are served by the second.
  upstream.script({}, serverError(500), chat({ text: 'a' }), serverError(500), chat({ text: 'b' }));
  expect([await call(), await call()]).toEqual([200, 200]);
  const { body } = await other.rest(null, 'GET', '/api/status_page');
  expect(body.data).toMatchObject({
    state: 'OPERATIONAL',
    models: [{ state: 'OPERATIONAL', uptime: 1, problems: [] }],
  });
  await other.stop();
});

it('shows the owner of an access token what it shows them in a session, and lets no proxy keep it', async () => {
  await turn(true);
  const token = (await site.expectSuccess(vip, 'GET', '/api/user/token')).body.data as string;
  const read = async (authorization: string) => {
    const answer = await site.rest(null, 'GET', '/api/status_page', undefined, { authorization });
    const { models } = answer.body.data as Wire;
    return { groups: new Set(models.map(({ group }) => group)), cache: answer.headers.get('cache-control') };
  };
  const cache = 'private, no-store';
  expect(await read(`Bearer ${token}`)).toEqual({ groups: new Set(['default', 'hidden']), cache });
  expect(await read('Bearer no-token')).toEqual({ groups: new Set(['default']), cache });
  const visitor = await site.rest(null, 'GET', '/api/status_page');
  expect(visitor.headers.get('cache-control')).toContain('public');
  expect(visitor.headers.get('vary')).toContain('Authorization');
});

it('shows an outage of the running hour as one that lasts', async () => {
  const other = await Site.open();
  const owner = await other.setUp();
  await other.expectSuccess(owner, 'PUT', '/api/option/', { key: 'status_page.enabled', value: 'true' });
  await other.expectSuccess(owner, 'POST', '/api/channel/', {
    name: 'one',
    type: 1,
    key: 'sk-x',
    base_url: upstream.url,
    models: 'gpt-4o',
    group: 'default',
  });
  const token = { name: 'dev', expired_time: -1, remain_quota: 400_000, unlimited_quota: true };
  const own = ((await other.expectSuccess(owner, 'POST', '/api/token/', token)).body.data as { key: string }).key;
  const broken = failure(500, 'api.openai.com failed', 'server_error');
  upstream.script({}, broken, broken, broken);
  for (let calls = 0; calls < 3; calls += 1) {
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
    expect((await other.server.api.relay(own, '/v1/chat/completions', body)).status).toBe(500);
  }
  // Failures are counted in the background, after the response.
  for (;;) {
    const [row] = await other.query<{ calls: string }>('SELECT coalesce(sum(calls), 0) AS calls FROM model_failures');
    if (Number(row?.calls) === 3) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { body } = await other.rest(null, 'GET', '/api/status_page');
  expect(body.data).toMatchObject({
    state: 'OUTAGE',
    models: [{ state: 'OUTAGE', uptime: 0.958, problems: [{ bucket: 23, state: 'OUTAGE' }] }],
    incidents: [{ model_name: 'gpt-4o', groups: ['default'], state: 'OUTAGE', until: null }],
  });
  // The next hour has begun and has no call yet.
  await other.query('UPDATE model_failures SET hour = hour - 3600');
  const later = await other.rest(null, 'GET', '/api/status_page?window=7d');
  expect(later.body.data).toMatchObject({ state: 'OUTAGE', incidents: [{ state: 'OUTAGE', until: null }] });
  await other.stop();
});

it('has the rate limits of other public pages', async () => {
  const other = await Site.open({ GLOBAL_API_RATE_LIMIT_ENABLE: 'true', GLOBAL_API_RATE_LIMIT: '40' });
  const owner = await other.setUp();
  await other.expectSuccess(owner, 'PUT', '/api/option/', { key: 'status_page.enabled', value: 'true' });
  const from = { 'x-forwarded-for': '203.0.113.77' };
  const ask = async (): Promise<number> =>
    (await fetch(`${other.server.url}/api/status_page?window=90d`, { headers: from })).status;
  const statuses = [];
  for (let asked = 0; asked < 41; asked += 1) statuses.push(await ask());
  expect(statuses).toEqual([...Array.from({ length: 40 }, () => 200), 429]);
  await other.stop();
});

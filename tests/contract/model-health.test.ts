import { secondWithinHour } from '../support/hours.js';
import { chat } from '../support/upstream/replies.js';
import { failure, serverError } from '../support/upstream/faults.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Person } from './site.js';

/** The health of models (docs/reference/rest/public.md#model-health). */
let site: Site;
let upstream: Upstream;
let root: Person;
let alice: Person;
let vip: Person;
let key: string;

const hour = 3600;
const thisHour = Math.floor(secondWithinHour() / hour) * hour;
const name = 'Very secret reseller account';

interface Wire {
  readonly model_name: string;
  readonly group: string;
  readonly [figure: string]: unknown;
}

beforeAll(async () => {
  site = await Site.open();
  upstream = await startUpstream();
  root = await site.setUp();
  alice = await site.invite(root);
  vip = await site.invite(root);
  await site.expectSuccess(root, 'PUT', '/api/user/', { id: vip.id, username: vip.username, group: 'hidden' });
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'GroupRatio', value: '{"default":1,"hidden":1}' });
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'UserUsableGroups', value: '{"default":"All"}' });
  await site.expectSuccess(root, 'POST', '/api/channel/', {
    name,
    type: 1,
    key: 'sk-upstream-secret',
    models: 'gpt-4o,o1,org/model',
    group: 'default,hidden',
    base_url: upstream.url,
    tag: 'secret-tag',
  });
  const token = { name: 'dev', expired_time: -1, remain_quota: 400_000, unlimited_quota: true };
  key = ((await site.expectSuccess(root, 'POST', '/api/token/', token)).body.data as { key: string }).key;
});
afterAll(async () => {
  await site.stop();
  await upstream.stop();
});

const access = (value: 'public' | 'user' | 'off') =>
  site.expectSuccess(root, 'PUT', '/api/option/', { key: 'model_health.access', value });

/**
 * Returns the rows of REST. The figures of a window are cached for 30 s, so each test reads a window that no other test
 * reads.
 */
async function models(person: Person | null, window: string): Promise<readonly Wire[]> {
  const { body } = await site.rest(person, 'GET', `/api/model_health?window=${window}`);
  expect(body['success']).toBe(true);
  return (body.data as { models: Wire[] }).models;
}

async function call(given: object): Promise<number> {
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], ...given };
  const response = await site.server.api.relay(key, '/v1/chat/completions', body);
  return response.status;
}

/** Counted after the response, in the background. */
async function failures(count: number): Promise<void> {
  for (;;) {
    const [row] = await site.query<{ calls: string }>('SELECT coalesce(sum(calls), 0) AS calls FROM model_failures');
    if (Number(row?.calls) === count) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const use = (at: number, model: string, group: string, figures: Record<string, unknown>): Promise<unknown> =>
  site.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, completion_tokens, duration_ms,
       first_token_buckets) VALUES ($1, 1, 1, 1, $2, $3, $4, $5, $6, $7)`,
    [at, model, group, figures['calls'], figures['tokens'] ?? 0, figures['ms'] ?? 0, figures['buckets'] ?? []],
  );

it('has the figures of calls that were made: requests that the provider refused do not count', async () => {
  await access('public');
  const used = { prompt_tokens: 10, completion_tokens: 50 };
  upstream.script(
    {},
    chat({ text: 'one', usage: used }),
    chat({ text: 'two', usage: used }),
    chat({ text: 'three', usage: used }),
    failure(400, 'no such parameter', 'invalid_request_error'),
    serverError(503),
  );
  const statuses = [await call({}), await call({}), await call({ stream: true }), await call({}), await call({})];
  expect(statuses).toEqual([200, 200, 200, 400, 503]);
  await failures(2);
  const [row, ...others] = await models(null, '1h');
  expect(others).toEqual([]);
  // Three of four calls succeeded. The refused request is not a failure of the model.
  expect(row).toEqual({
    model_name: 'gpt-4o',
    group: 'default',
    success_rate: 0.75,
    // One response was streamed.
    first_token_p50_ms: expect.any(Number) as unknown,
    first_token_p95_ms: expect.any(Number) as unknown,
    tokens_per_second: expect.any(Number) as unknown,
    last_failure: { kind: 'SERVER_ERROR', at: expect.any(Number) as unknown },
  });
  const [sums] = await site.query<{ tokens: string; ms: string }>(
    'SELECT sum(completion_tokens) AS tokens, sum(duration_ms) AS ms FROM usage_hourly',
  );
  expect(Number(sums?.tokens)).toBe(150);
  expect(row?.['tokens_per_second']).toBeCloseTo(150_000 / Number(sums?.ms), 6);
});

describe('sums of earlier hours', () => {
  const day = 24 * hour;

  beforeAll(async () => {
    await site.query('DELETE FROM usage_hourly');
    await site.query('DELETE FROM model_failures');
    await access('public');
    // Ten streams within 100 to 200 ms, ten within 200 to 300 ms; 4,000 tokens in 20 s.
    await use(thisHour - 2 * hour, 'o1', 'default', { calls: 15, tokens: 3000, ms: 12_000, buckets: [0, 0, 10] });
    await use(thisHour - 23 * hour, 'o1', 'default', { calls: 15, tokens: 1000, ms: 8000, buckets: [0, 0, 0, 10] });
    // These calls are older than 24 hours, and older than 7 days.
    await use(thisHour - 26 * hour, 'o1', 'default', { calls: 60 });
    await use(thisHour - 8 * day, 'o1', 'default', { calls: 999 });
    await use(thisHour - hour, 'o1', 'hidden', { calls: 1 });
    await use(thisHour - hour, 'no-longer-offered', 'default', { calls: 1 });
    const failed = (at: number, kind: string, calls: number) =>
      site.query(`INSERT INTO model_failures VALUES ($1, 'o1', 'default', $2, $3, $4)`, [at, kind, calls, at + 60]);
    await failed(thisHour - 3 * hour, 'TIMEOUT', 3);
    await failed(thisHour - 4 * hour, 'RATE_LIMITED', 7);
    await failed(thisHour - 2 * hour, 'REQUEST', 50);
    await failed(thisHour - 30 * hour, 'OTHER', 10);
  });

  it('of 24 hours', async () => {
    expect(await models(null, '24h')).toEqual([
      {
        model_name: 'o1',
        group: 'default',
        // 30 of 40 calls succeeded.
        success_rate: 0.75,
        // Half of 20 streams end with the last of the ten within 200 ms. The 19th stream is nine tenths of the distance from
        // 200 to 300 ms.
        first_token_p50_ms: 200,
        first_token_p95_ms: 290,
        tokens_per_second: 200,
        last_failure: { kind: 'TIMEOUT', at: thisHour - 3 * hour + 60 },
      },
    ]);
  });

  it('of seven days, as users of another group and admins see them', async () => {
    // 90 of 110 calls succeeded.
    expect((await models(null, '7d')).map((row) => [row.group, row['success_rate']])).toEqual([['default', 90 / 110]]);
    expect((await models(vip, '7d')).map(({ group }) => group)).toEqual(['default', 'hidden']);
    expect((await models(root, '7d')).map((row) => [row.group, row['calls']])).toEqual([
      ['default', 110],
      ['hidden', 1],
    ]);
  });

  it('over GraphQL', async () => {
    const query = `{ modelHealth(window: WEEK) { from rows { modelName group successRate firstTokenP50Ms firstTokenP95Ms
      tokensPerSecond calls lastFailure { kind at } } } }`;
    const { data } = await site.graphql(alice, query);
    expect(data?.['modelHealth']).toEqual({
      from: new Date((thisHour - 7 * day) * 1000).toISOString(),
      rows: [
        {
          modelName: 'o1',
          group: 'default',
          successRate: 90 / 110,
          firstTokenP50Ms: 200,
          firstTokenP95Ms: 290,
          tokensPerSecond: 200,
          calls: null,
          lastFailure: { kind: 'TIMEOUT', at: new Date((thisHour - 3 * hour + 60) * 1000).toISOString() },
        },
      ],
    });
  });

  it('as badges in the format of shields.io, which proxies may keep', async () => {
    const badge = async (model: string, query = ''): Promise<unknown> =>
      (await site.rest(null, 'GET', `/api/model_health/badge/${model}${query}`)).body;
    const known = { schemaVersion: 1, cacheSeconds: 300 };
    expect(await badge('o1')).toEqual({ ...known, label: 'o1', message: '75 %', color: 'red' });
    expect(await badge('o1', '?window=7d')).toEqual({ ...known, label: 'o1', message: '81.81 %', color: 'orange' });
    expect(await badge('o1', '?group=hidden')).toMatchObject({ message: 'no data', color: 'lightgrey' });
    expect(await badge('org%2Fmodel')).toMatchObject({ label: 'org/model', message: 'no data' });
    expect(await badge('no-longer-offered')).toMatchObject({ message: 'no data' });
    const { headers } = await site.rest(null, 'GET', '/api/model_health/badge/o1');
    expect(headers.get('cache-control')).toBe('public, max-age=30');
    expect((await site.rest(alice, 'GET', '/api/model_health')).headers.get('cache-control')).toBe('private, no-store');
    expect((await site.rest(null, 'GET', '/api/model_health?window=2h')).body['code']).toBe('INVALID_INPUT');
  });

  it('name no channel, address, key, tag or provider', async () => {
    upstream.script({ model: 'o1' }, failure(500, `${name} at api.openai.com failed`, 'server_error'));
    await call({ model: 'o1' });
    const query = '{ modelHealth(window: HOUR) { rows { modelName group lastFailure { kind } } } }';
    for (const person of [null, alice]) {
      const answers = [
        await site.rest(person, 'GET', '/api/model_health?window=24h'),
        await site.rest(person, 'GET', '/api/model_health?window=7d'),
        await site.rest(person, 'GET', '/api/model_health/badge/o1'),
        await site.graphql(person, query),
      ];
      const text = JSON.stringify(answers.map((answer) => ('body' in answer ? answer.body : answer.data)));
      for (const secret of [name, upstream.url, '127.0.0.1', 'sk-upstream', 'secret-tag', 'openai', 'channel']) {
        expect([secret, text.toLowerCase().includes(secret.toLowerCase())]).toEqual([secret, false]);
      }
    }
  });
});

describe('access', () => {
  const query = '{ modelHealth { from } status { enableModelHealth publicModelHealth } }';
  const of = async (person: Person | null): Promise<unknown[]> => {
    const { data } = await site.graphql(person, query);
    const rest = await site.rest(person, 'GET', '/api/model_health');
    const badge = await site.rest(person, 'GET', '/api/model_health/badge/o1');
    return [data?.['modelHealth'] !== null, rest.body['code'] ?? 'shown', badge.body['code'] ?? 'shown'];
  };

  it.each([
    ['public', [true, 'shown', 'shown'], [true, 'shown', 'shown'], true, true],
    ['user', [false, 'NOT_SIGNED_IN', 'NOT_SIGNED_IN'], [true, 'shown', 'shown'], true, false],
    [
      'off',
      [false, 'INSUFFICIENT_PRIVILEGES', 'INSUFFICIENT_PRIVILEGES'],
      [false, 'INSUFFICIENT_PRIVILEGES', 'INSUFFICIENT_PRIVILEGES'],
      false,
      false,
    ],
  ] as const)('%s', async (setting, visitor, user, enabled, isPublic) => {
    await access(setting);
    expect(await of(null)).toEqual(visitor);
    expect(await of(alice)).toEqual(user);
    const { data } = await site.graphql(null, query);
    expect(data?.['status']).toEqual({ enableModelHealth: enabled, publicModelHealth: isPublic });
  });
});

it('reads the sums once for many visitors', async () => {
  await access('public');
  const before = await models(null, '24h');
  await use(thisHour - hour, 'gpt-4o', 'default', { calls: 5 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => models(null, '24h')));
  for (const answer of answers) expect(answer).toEqual(before);
});

it('answers a program that signs in with an access token, as it does a session', async () => {
  await access('user');
  const token = (await site.expectSuccess(root, 'GET', '/api/user/token')).body.data as string;
  const read = (authorization: string) =>
    site.rest(null, 'GET', '/api/model_health?window=7d', undefined, { authorization });
  const { body } = await read(`Bearer ${token}`);
  expect(body).toMatchObject({ success: true, data: { models: expect.any(Array) } });
  expect((await read(token)).headers.get('cache-control')).toBe('private, no-store');
  expect((await read('Bearer no-token')).body['code']).toBe('INVALID_ACCESS_TOKEN');
  expect((await site.rest(null, 'GET', '/api/model_health')).body['code']).toBe('NOT_SIGNED_IN');
  await access('public');
  const proxied = await read(`Basic ${Buffer.from('user:password').toString('base64')}`);
  expect(proxied.body['success']).toBe(true);
});

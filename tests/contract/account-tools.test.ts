/**
 * Programs that look after accounts at many sites of this family, by their own requests: headers, bodies, and the fields of responses
 * that they read. From their sources, read in November 2026: metapi (cita-777/metapi 038c181a, isning/metapi 93e11829),
 * newapi-ai-check-in (MisonL f85d26c8 and 1ea2105b, chiocai 136eb5bc), neko-api-key-tool (Calcium-Ion ae22e7d5), all-api-hub
 * (qixing-jk 287a4111 to 3608f108). docs/reference/rest/third-party-clients.md has the list of requests.
 */
import { Secret, TOTP } from 'otpauth';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { anywhere, Site, type Answer, type Person } from './site.js';

let site: Site;
let root: Person;
let user: Person;
let token: string;
let upstream: Upstream;
beforeAll(async () => {
  [site, upstream] = await Promise.all([Site.open(), startUpstream()]);
  root = await site.setUp();
  user = await site.invite(root);
  token = await site.accessToken(user);
  const channel = { name: 'calls', type: 1, key: 'sk', base_url: upstream.url, models: 'gpt-4o', group: 'default' };
  await site.expectSuccess(root, 'POST', '/api/channel/', channel);
  for (const [key, value] of [
    ['CheckInEnabled', 'true'],
    ['CheckInQuota', '1000'],
  ]) {
    await site.expectSuccess(root, 'PUT', '/api/option/', { key, value });
  }
  await site.expectSuccess(root, 'POST', '/api/topup', { user_id: user.id, quota: 5_000_000 });
});
afterAll(() => Promise.all([site.stop(), upstream.stop()]));

type Headers = Record<string, string>;
const json = { 'content-type': 'application/json' };
const send = (method: string, path: string, headers: Headers, body?: unknown): Promise<Answer> =>
  site.rest(null, method, path, body, headers);
const cookiesOf = ({ headers }: Answer): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

/** Headers in which these programs send the id of a user to every site. */
const common = ['New-API-User', 'Veloera-User', 'voapi-user', 'User-id', 'Rix-Api-User', 'neo-api-user'];
const named = (id: number, headers: readonly string[]): Headers =>
  Object.fromEntries(headers.map((name) => [name, String(id)]));

describe('metapi', () => {
  const ids = (id: number): Headers => named(id, ['X-User-Id', ...common]);
  const withToken = (method: string, path: string, body?: unknown): Promise<Answer> =>
    send(method, path, { ...json, authorization: `Bearer ${token}`, ...ids(user.id) }, body);

  it('knows the site by its status, and reads the notice', async () => {
    const { body } = await send('GET', '/api/status', json);
    expect(body).toMatchObject({ success: true, data: { system_name: expect.any(String) } });
    expect((await send('GET', '/api/notice', json)).body).toMatchObject({ success: true, data: expect.any(String) });
  });

  it('finds out its own id with the token alone', async () => {
    const self = await send('GET', '/api/user/self', { ...json, authorization: `Bearer ${token}` });
    expect(self.body).toMatchObject({ success: true, data: { id: user.id, username: user.username } });
  });

  it('signs in, keeps the cookies of the response, and goes on with them and the id', async () => {
    const { username, password } = user;
    const headers = { ...json, 'X-Requested-With': 'XMLHttpRequest', ...anywhere() };
    const signIn = await send('POST', '/api/user/login', headers, { username, password });
    expect(signIn.body).toMatchObject({ success: true, data: { id: user.id } });
    const cookie = cookiesOf(signIn);
    expect(cookie).toMatch(/(^|; )session=[^;]+/);
    const self = await send('GET', '/api/user/self', { ...json, cookie, ...ids(user.id) });
    expect(self.body).toMatchObject({
      success: true,
      data: { username, role: 1, quota: expect.any(Number), used_quota: expect.any(Number) },
    });
    // Without the id it gets a text that names the header, and tries ids.
    const without = await send('GET', '/api/user/self', { ...json, cookie });
    expect([without.status, without.body['success']]).toEqual([401, false]);
    const models = await send('GET', '/api/user/models', { ...json, cookie, ...ids(user.id) });
    expect(models.body.data).toEqual(['gpt-4o']);
  });

  it('makes, lists and deletes keys, and reads models with one', async () => {
    const fields = {
      name: 'metapi',
      unlimited_quota: true,
      expired_time: -1,
      remain_quota: 0,
      allow_ips: '',
      model_limits_enabled: false,
      model_limits: '',
      group: '',
    };
    expect((await withToken('POST', '/api/token/', fields)).body['success']).toBe(true);
    const [key] = (await withToken('GET', '/api/token/?p=0&size=100')).body.data as Array<Record<string, unknown>>;
    expect(key).toMatchObject({
      id: expect.any(Number),
      name: 'metapi',
      status: 1,
      key: expect.stringMatching(/^\w{48}$/),
    });
    const models = await send('GET', '/v1/models', { ...json, authorization: `Bearer ${String(key?.['key'])}` });
    expect((models.body.data as Array<{ id: string }>).map(({ id }) => id)).toEqual(['gpt-4o']);
    expect((await withToken('DELETE', `/api/token/${String(key?.['id'])}`)).body['success']).toBe(true);
    expect((await withToken('GET', '/api/token/?p=0&size=100')).body.data).toEqual([]);
  });

  it('reads groups by name, and prices', async () => {
    expect(Object.keys((await withToken('GET', '/api/user/self/groups')).body.data as object)).toContain('default');
    expect((await withToken('GET', '/api/pricing')).body.data).toMatchObject([{ model_name: 'gpt-4o' }]);
  });

  it('checks in without a body, with a content type of JSON, and shows why it could not', async () => {
    expect((await withToken('POST', '/api/user/checkin')).body).toMatchObject({ success: true });
    expect((await withToken('POST', '/api/user/checkin')).body).toMatchObject({
      success: false,
      message: expect.stringMatching(/already/),
    });
  });

  it('reads models, prices and groups of a site that was one-hub', async () => {
    const headers = { ...json, authorization: `Bearer ${token}` };
    expect((await send('GET', '/api/available_model', headers)).body.data).toEqual({
      'gpt-4o': {
        groups: ['default'],
        owned_by: '',
        price: { model: 'gpt-4o', type: 'tokens', input: 1.25, output: 5 },
      },
    });
    expect((await send('GET', '/api/user_group_map', headers)).body.data).toMatchObject({
      default: { symbol: 'default', name: expect.any(String), ratio: 1 },
    });
  });
});

describe('newapi-ai-check-in', () => {
  const signIn = async ({ username, password }: Person): Promise<Answer> =>
    send('POST', '/api/user/login', { ...json, ...anywhere() }, { username, password });

  it('signs in, reads the month, checks in once, and tells "already" and "turned off" apart', async () => {
    const person = await site.invite(root);
    const first = await signIn(person);
    expect(first.body).toMatchObject({ success: true, data: { id: person.id, username: person.username } });
    const headers = { cookie: cookiesOf(first), 'New-Api-User': String(person.id) };
    expect((await send('GET', '/api/user/checkin', headers)).body).toMatchObject({
      success: true,
      data: {
        enabled: true,
        min_quota: 1000,
        max_quota: 1000,
        stats: { checked_in_today: false, total_checkins: 0, total_quota: 0 },
      },
    });
    const done = await send('POST', '/api/user/checkin', headers);
    expect([done.status, done.body.data]).toEqual([
      200,
      { quota_awarded: 1000, checkin_date: new Date().toISOString().slice(0, 10) },
    ]);
    const again = await send('POST', '/api/user/checkin', {
      ...headers,
      ...json,
      'X-Requested-With': 'XMLHttpRequest',
    });
    expect([again.status, again.body['success'], again.body['code']]).toEqual([200, false, 'CONFLICT']);
    expect(again.body['message']).toMatch(/今日已签到.*already/);
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'CheckInEnabled', value: 'false' });
    const off = await send('POST', '/api/user/checkin', headers);
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'CheckInEnabled', value: 'true' });
    expect(off.body).toMatchObject({ success: false, message: expect.stringContaining('签到功能未启用') });
  });

  it('reads the public status and a state for other providers with the id -1', async () => {
    const headers = { 'new-api-user': '-1', referer: `${site.server.url}/login`, origin: site.server.url };
    const { body } = await send('GET', '/api/status', headers);
    expect(body.data).toMatchObject({ github_oauth: false, linuxdo_oauth: false, linuxdo_client_id: '' });
    const state = await send('GET', '/api/oauth/state', headers);
    expect(state.body).toMatchObject({ success: true, data: expect.stringMatching(/./) });
  });

  it('redeems codes, and takes "already" for a code that was used', async () => {
    const codes = (await site.expectSuccess(root, 'POST', '/api/redemption/', { name: 'c', quota: 5, count: 1 })).body;
    const [key] = codes.data as string[];
    const headers = { ...json, cookie: user.cookie, 'new-api-user': String(user.id), 'Cache-Control': 'no-store' };
    expect((await send('POST', '/api/user/topup', headers, { key })).body['success']).toBe(true);
    const again = await send('POST', '/api/user/topup', headers, { key });
    expect([again.status, String(again.body['message']).toLowerCase()]).toEqual([
      200,
      expect.stringContaining('already'),
    ]);
  });
});

it('neko-api-key-tool: balance, usage of a hundred days and log of a key', async () => {
  const made = await site.expectSuccess(user, 'POST', '/api/token/', {
    name: 'neko',
    unlimited_quota: false,
    remain_quota: 1_000_000,
    expired_time: -1,
  });
  const { key } = made.body.data as { key: string };
  const headers = { authorization: `Bearer sk-${key}` };
  const call = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
  expect((await send('POST', '/v1/chat/completions', headers, call)).status).toBe(200);
  const subscription = (await send('GET', '/v1/dashboard/billing/subscription', headers)).body;
  expect(subscription['hard_limit_usd']).toBe(2);
  // The program writes days and months without a leading zero.
  const day = (at: Date): string => `${at.getFullYear()}-${at.getMonth() + 1}-${at.getDate()}`;
  const [start, end] = [new Date(Date.now() - 100 * 86_400_000), new Date()];
  const path = `/v1/dashboard/billing/usage?start_date=${day(start)}&end_date=${day(end)}`;
  const cents = (await send('GET', path, headers)).body['total_usage'];
  const log = (await send('GET', `/api/log/token?key=sk-${key}`, {})).body;
  expect(log).toMatchObject({ success: true, data: [{ type: 2, model_name: 'gpt-4o', token_name: 'neko' }] });
  const [row] = log.data as Array<Record<string, unknown>>;
  expect(row).toMatchObject({
    created_at: expect.any(Number),
    use_time: expect.any(Number),
    is_stream: false,
    prompt_tokens: expect.any(Number),
    completion_tokens: expect.any(Number),
    content: expect.any(String),
  });
  expect(Number(cents) / 100).toBeCloseTo(Number(row?.['quota']) / 500_000, 12);
  expect(JSON.parse(String(row?.['other']))).toMatchObject({ model_ratio: 1.25, completion_ratio: 4, group_ratio: 1 });
  await site.expectSuccess(user, 'DELETE', `/api/token/${(made.body.data as { id: number }).id}`);
});

describe('all-api-hub', () => {
  const ids = (id: number): Headers => named(id, ['X-Api-User', ...common]);
  const extension = { origin: 'chrome-extension://abc', 'sec-fetch-site': 'cross-site', Pragma: 'no-cache' };

  it('asks whether access tokens have scopes: 404 means the older contract', async () => {
    const headers = { ...json, ...ids(user.id), ...extension, cookie: user.cookie };
    expect((await send('GET', '/api/user/access_tokens', headers)).status).toBe(404);
    expect((await send('POST', '/api/user/auth/refresh', headers)).status).toBe(404);
  });

  it('reads every key of an account of one-hub by `page`, from 1, until a page is empty', async () => {
    const person = await site.invite(root);
    for (const name of ['one', 'two', 'three']) {
      await site.expectSuccess(person, 'POST', '/api/token/', { name, unlimited_quota: true, expired_time: -1 });
    }
    const names: string[] = [];
    const headers = { ...json, ...ids(person.id), cookie: person.cookie };
    for (let page = 1; page < 10; page++) {
      const rows = (await send('GET', `/api/token/?page=${page}&size=2`, headers)).body.data as Array<{ name: string }>;
      if (rows.length === 0) break;
      names.push(...rows.map(({ name }) => name));
    }
    expect(names).toEqual(['three', 'two', 'one']);
  });

  it('reads channels as a site of Veloera from page 0, and as one of new-api from page 1', async () => {
    const rootToken = await site.accessToken(root);
    const headers = { ...json, ...ids(root.id), ...extension, authorization: `Bearer ${rootToken}` };
    for (const name of ['second', 'third']) {
      const channel = { name, type: 1, key: 'sk', models: 'gpt-4o', group: 'default' };
      expect((await send('POST', '/api/channel/', headers, { mode: 'single', channel })).body['success']).toBe(true);
    }
    const read = async (page: number, size: number) =>
      (await send('GET', `/api/channel/?p=${page}&page_size=${size}`, headers)).body.data;

    const asVeloera = async (size: number): Promise<string[]> => {
      const names: string[] = [];
      for (let page = 0; page < 10; page++) {
        const rows = (await read(page, size)) as Array<{ name: string }>;
        names.push(...rows.map(({ name }) => name));
        if (rows.length < size) break;
      }
      return names;
    };
    const all = ['calls', 'second', 'third'];
    for (const size of [1, 2, 3, 100]) expect((await asVeloera(size)).sort()).toEqual(all);

    const asNewApi = (await read(1, 100)) as { items: Array<{ name: string }>; total: number };
    expect([asNewApi.items.map(({ name }) => name).sort(), asNewApi.total]).toEqual([all, 3]);
    const found = (await send('GET', '/api/channel/search?keyword=second', headers)).body.data;
    expect(found).toMatchObject({ items: [{ name: 'second' }], total: 1 });
    for (const name of ['second', 'third']) {
      const [row] = await site.query<{ id: number }>('SELECT id FROM channels WHERE name = $1', [name]);
      expect((await send('DELETE', `/api/channel/${row?.id}`, headers)).body['success']).toBe(true);
    }
  });

  it('reads the key of a channel after a sign-in with a second factor', async () => {
    const admin = await site.invite(root, 'admin');
    const ask = async (query: string, variables = {}) =>
      (await site.graphql(admin, query, variables, { origin: site.server.url })).data;
    const begun = (await ask('mutation { beginAuthenticatorApp { secret } }'))?.['beginAuthenticatorApp'];
    const { secret } = begun as { secret: string };
    const code = (steps: number): string =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
    await ask('mutation ($code: String!) { confirmAuthenticatorApp(code: $code) { recoveryCodes } }', {
      code: code(-1),
    });
    const { username, password } = admin;
    const from = { ...json, ...ids(admin.id), ...extension, ...anywhere() };
    const first = await send('POST', '/api/user/login', from, { username, password });
    expect(first.body).toMatchObject({ success: true, data: { require_2fa: true } });
    const waiting = { ...from, cookie: cookiesOf(first) };
    expect((await send('GET', '/api/user/2fa/status', waiting)).status).toBe(401);
    const second = await send('POST', '/api/user/login/2fa', waiting, { code: code(0) });
    expect(second.body).toMatchObject({ success: true, data: { id: admin.id } });
    const signedIn = { ...from, cookie: cookiesOf(second) };
    expect((await send('GET', '/api/user/2fa/status', signedIn)).body.data).toMatchObject({ enabled: true });
    expect((await send('GET', '/api/user/passkey', signedIn)).body.data).toEqual({ enabled: false });
    // It shows a code again, although the one of this half minute is used. The confirmation lasts no longer for that.
    await site.query(`UPDATE sessions SET confirmed_at = now() - interval '4 minutes' WHERE user_id = $1`, [admin.id]);
    const begin = Math.floor(Date.now() / 1000);
    const verified = await send('POST', '/api/verify', signedIn, { method: '2fa', code: code(0) });
    expect(verified.body).toMatchObject({ success: true, data: { verified: true, expires_at: expect.any(Number) } });
    expect(Math.abs((verified.body.data as { expires_at: number }).expires_at - begin - 60)).toBeLessThanOrEqual(5);
    const [{ id }] = (await site.query<{ id: number }>(`SELECT id FROM channels WHERE name = 'calls'`)) as [
      { id: number },
    ];
    expect((await send('POST', `/api/channel/${id}/key`, signedIn, {})).body.data).toEqual({ key: 'sk' });
    // Five minutes later it needs a code that counts. Ending sessions drops the cached caller.
    await site.query(`UPDATE sessions SET confirmed_at = now() - interval '6 minutes' WHERE user_id = $1`, [admin.id]);
    await site.graphql({ ...admin, cookie: cookiesOf(second) }, 'mutation { revokeOtherSessions { count } }');
    const late = await send('POST', '/api/verify', signedIn, { method: '2fa', code: '000000' });
    expect(late.body).toMatchObject({ success: false });
  });

  it('is told that there is nothing to verify without a second factor', async () => {
    const headers = { ...json, ...ids(user.id), cookie: user.cookie };
    expect((await send('POST', '/api/verify', headers, { method: '2fa', code: '123456' })).body).toMatchObject({
      success: false,
      code: 'INVALID_INPUT',
    });
  });
});

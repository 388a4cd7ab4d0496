import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConsolePage } from '../../server/src/platform/http/console-page.js';
import { countStatements } from '../support/statements.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Answer, type Person } from './site.js';

/** Calls of a common browser extension for sites of this family (docs/reference/rest/third-party-clients.md). */
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
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'CheckInEnabled', value: 'true' });
});
afterAll(() => Promise.all([site.stop(), upstream.stop()]));

/**
 * Sends a request with the extension's headers: the user id under every header name of the family, an access token, and no
 * cookie.
 */
function hub(method: string, path: string, body?: unknown, access = { id: user.id, token }): Promise<Answer> {
  const id = String(access.id);
  const aliases = [
    'New-API-User',
    'X-ModelFlare-User',
    'X-Api-User',
    'voapi-user',
    'User-id',
    'Rix-Api-User',
    'neo-api-user',
  ];
  return site.rest(null, method, path, body, {
    ...Object.fromEntries(aliases.map((name) => [name, id])),
    'Veloera-User': id,
    Authorization: `Bearer ${access.token}`,
    Pragma: 'no-cache',
    'Content-Type': 'application/json',
  });
}

describe('1, 2: headers and envelope', () => {
  it('every call may carry every header; what succeeds has data, what fails a message', async () => {
    const answer = await hub('GET', '/api/user/self');
    expect(answer.body).toMatchObject({ success: true, message: '', data: { id: user.id } });
    const failure = await hub('GET', '/api/token/999999');
    expect(failure.body).toMatchObject({ success: false, message: expect.stringMatching(/./) });
    expect(failure.body).not.toHaveProperty('data');
  });

  it('a foreign id under another name never overrides Veloera-User', async () => {
    const headers = { authorization: token, 'veloera-user': String(user.id), 'new-api-user': String(root.id) };
    const answer = await site.rest(null, 'GET', '/api/user/self', undefined, headers);
    expect(answer.body.data).toMatchObject({ id: user.id });
    const only = { authorization: token, 'new-api-user': String(root.id) };
    expect((await site.rest(null, 'GET', '/api/user/self', undefined, only)).status).toBe(401);
  });
});

describe('3: how it tells which kind of site this is', () => {
  it('is not mistaken for another kind', async () => {
    const info = (await site.rest(null, 'GET', '/api/user/info')).body;
    expect(typeof info['code'] === 'number' && info.data === null).toBe(false);
    const me = (await site.rest(null, 'GET', '/api/v1/auth/me')).body;
    expect(typeof me['code']).not.toBe('string');
  });

  it('is known by the 401 of a stranger, which names the header', async () => {
    const answer = await site.rest(null, 'GET', '/api/user/self');
    expect([answer.status, answer.body['message']]).toEqual([401, expect.stringContaining('Veloera-User')]);
    expect(String(answer.body['message'])).not.toMatch(/New-Api-User|Rix-Api|voapi/i);
  });

  it('has the site’s name as its title', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-title-'));
    await writeFile(join(folder, 'index.html'), '<html><head><title>x</title></head></html>');
    let body = '';
    const reply = {
      status: () => reply,
      headers: () => reply,
      header: () => reply,
      type: () => reply,
      send: (text: string) => (body = text),
    };
    const page = {
      systemName: 'Veloera',
      turnstile: false,
      telegram: false,
      chatLinks: [],
      checkoutAddresses: [],
      status: async () => ({}),
    };
    await new ConsolePage(folder, () => page).send({ url: '/', headers: {} } as never, reply as never);
    await rm(folder, { recursive: true });
    expect(body).toContain('<title>Veloera</title>');
  });
});

it('5: the status has a price to convert by and a name', async () => {
  const { data } = (await site.rest(null, 'GET', '/api/status')).body as { data: Record<string, unknown> };
  expect(data['price']).toBeGreaterThan(0);
  expect(data['system_name']).toBe('Tollgate');
});

it('2: wherever it asks and succeeds there is data', async () => {
  const paths = [
    ...['/api/status', '/api/notice', '/api/pricing', '/api/user/self', '/api/user/models', '/api/user/self/groups'],
    ...['/api/user/aff', '/api/user/check_in_status', '/api/token/?p=0&size=100', '/api/log/self?p=1&page_size=100'],
    '/api/log/self/stat',
  ];
  for (const path of paths) {
    const { body } = await hub('GET', path);
    expect([path, body['success'], body.data === undefined || body.data === null]).toEqual([path, true, false]);
  }
});

it('6: who has no access token is told so, and gets one by asking', async () => {
  const other = await site.invite(root);
  const self = (await site.rest(other, 'GET', '/api/user/self')).body.data as { access_token: unknown };
  expect(self.access_token || '').toBe('');
  const made = await site.accessToken(other);
  expect((await hub('GET', '/api/user/self', undefined, { id: other.id, token: made })).body.data).toMatchObject({
    id: other.id,
    access_token: made,
  });
});

it('6: oneself has id, name, access token, quota and a group', async () => {
  expect((await hub('GET', '/api/user/self')).body.data).toMatchObject({
    id: user.id,
    username: user.username,
    access_token: token,
    quota: expect.any(Number),
    group: 'default',
  });
});

describe('7: tokens', () => {
  it('are created flat, listed as a bare array with whole keys, and end with a short page', async () => {
    const fields = {
      name: 'hub',
      remain_quota: 500_000,
      expired_time: -1,
      unlimited_quota: false,
      model_limits_enabled: false,
      model_limits: '',
      allow_ips: '',
      group: '',
    };
    expect((await hub('POST', '/api/token/', fields)).body['success']).toBe(true);
    const list = (await hub('GET', '/api/token/?p=0&size=100')).body.data as Array<Record<string, unknown>>;
    expect(list).toMatchObject([{ ...fields, key: expect.stringMatching(/^[0-9a-zA-Z]{48}$/) }]);
    expect((await hub('GET', '/api/token/?p=1&size=100')).body.data).toEqual([]);
  });
});

describe('7, 8, 11: with money and calls', () => {
  const plan = { name: 'hub', quota: 250_000, count: 1 };

  it('7: more keys than a page are walked to a short page', async () => {
    for (let index = 0; index < 100; index++) {
      const fields = { name: `key ${index}`, unlimited_quota: true, expired_time: -1 };
      expect((await hub('POST', '/api/token/', fields)).body['success']).toBe(true);
    }
    const sizes: number[] = [];
    const ids = new Set<number>();
    for (let page = 0, size = 100; size === 100; page++) {
      const rows = (await hub('GET', `/api/token/?p=${page}&size=100`)).body.data as Array<{ id: number }>;
      for (const { id } of rows) ids.add(id);
      sizes.push((size = rows.length));
    }
    expect([sizes, ids.size]).toEqual([[100, 1], 101]);
  });

  it('11: a code is sent as `{key}`; the answer is the object form', async () => {
    const [code] = (await site.expectSuccess(root, 'POST', '/api/redemption/', plan)).body.data as string[];
    expect((await hub('POST', '/api/user/topup', { key: code })).body).toEqual({
      success: true,
      message: '',
      data: { quota: 250_000, is_gift: false },
    });
    expect((await hub('GET', '/api/user/self')).body.data).toMatchObject({ quota: expect.any(Number) });
    const again = await hub('POST', '/api/user/topup', { key: code });
    expect(again.body).toMatchObject({ success: false, message: expect.stringMatching(/./) });
    expect(again.body).not.toHaveProperty('data');
  });

  it('8: pages of a hundred from 1, of the types 1, 2 and 4, with what it sums and shows', async () => {
    const channel = { name: 'calls', type: 1, key: 'sk', base_url: upstream.url, models: 'gpt-4o', group: 'default' };
    await site.expectSuccess(root, 'POST', '/api/channel/', channel);
    const keys = (await hub('GET', '/api/token/?p=0&size=100')).body.data as Array<{ key: string; name: string }>;
    const { key = '', name = '' } = keys[0] ?? {};
    const call = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
    const answer = await site.rest(null, 'POST', '/v1/chat/completions', call, { authorization: `Bearer sk-${key}` });
    expect(answer.status).toBe(200);
    const page = async (type: number) =>
      (await hub('GET', `/api/log/self?p=1&page_size=100&type=${type}`)).body.data as {
        items: Array<Record<string, unknown>>;
        total: number;
      };
    const numbers = { created_at: expect.any(Number), use_time: expect.any(Number), quota: expect.any(Number) };
    const consumed = await page(2);
    expect(consumed).toMatchObject({
      total: 1,
      items: [{ ...numbers, type: 2, model_name: 'gpt-4o', token_name: name }],
    });
    expect(consumed.items[0]?.['prompt_tokens']).toBeGreaterThan(0);
    expect(consumed.items[0]?.['completion_tokens']).toBeGreaterThan(0);
    const income = await page(1);
    expect(income).toMatchObject({ total: 1, items: [{ ...numbers, type: 1, quota: 250_000 }] });
    const system = await page(4);
    expect([Array.isArray(system.items), Number.isFinite(system.total)]).toEqual([true, true]);
    const stat = (await hub('GET', '/api/log/self/stat?type=2')).body.data as { quota: number };
    expect(stat.quota).toBe(consumed.items[0]?.['quota']);
  });
});

it('9: prices are an array beside two tables', async () => {
  const { body } = await hub('GET', '/api/pricing');
  expect(body).toMatchObject({ success: true, group_ratio: expect.any(Object), usable_group: expect.any(Object) });
  expect(body.data).toMatchObject([{ model_name: 'gpt-4o', quota_type: 0, enable_groups: ['default'] }]);
});

it('10: check-in tells whether it can be, and "already" when it was', async () => {
  expect((await hub('GET', '/api/user/check_in_status')).body.data).toEqual({ can_check_in: true });
  expect((await hub('POST', '/api/user/check_in', {})).body['success']).toBe(true);
  expect((await hub('POST', '/api/user/check_in', {})).body).toMatchObject({
    success: false,
    message: expect.stringContaining('already'),
  });
});

describe('12: what admins do', () => {
  it('channels without a slash, flat bodies, partial edits, whole details', async () => {
    const access = { id: root.id, token: await site.accessToken(root) };
    const ask = (method: string, path: string, body?: unknown) => hub(method, path, body, access);
    const channel = {
      name: 'hub',
      type: 1,
      key: 'sk-hub',
      base_url: upstream.url,
      models: 'a,b',
      group: 'default,vip',
    };
    expect((await ask('POST', '/api/channel', channel)).body['success']).toBe(true);
    const list = (await ask('GET', '/api/channel/?p=0&page_size=100')).body.data as Array<{ id: number; name: string }>;
    const made = list.find(({ name }) => name === 'hub');
    expect(made).toMatchObject({ group: 'default,vip', key: '' });
    const id = made?.id ?? 0;
    // Its reader of Veloera takes an array, or `items`; that of new-api takes `items`.
    expect((await ask('GET', '/api/channel/search?keyword=hub')).body.data).toMatchObject({
      items: [{ id, name: 'hub' }],
      total: 1,
    });
    expect((await ask('PUT', '/api/channel', { id, models: 'c' })).body['success']).toBe(true);
    const edit = { id, models: 'c,d', model_mapping: '{"c":"d"}' };
    expect((await ask('PUT', '/api/channel', edit)).body['success']).toBe(true);
    expect((await ask('GET', `/api/channel/${id}`)).body.data).toMatchObject({
      name: 'hub',
      key: 'sk-hub',
      models: 'c,d',
      model_mapping: '{"c":"d"}',
      group: 'default,vip',
    });
    expect(Array.isArray((await ask('GET', `/api/channel/fetch_models/${id}`)).body.data)).toBe(true);
    expect((await ask('GET', '/api/group')).body.data).toEqual(expect.arrayContaining(['default', 'vip']));
  });
});

it('13: an invite code is short text that a link can carry', async () => {
  const code = (await hub('GET', '/api/user/aff')).body.data as string;
  expect(new URL(`https://x.yz/register?aff=${code}`).searchParams.get('aff')).toBe(code);
});

describe('what newer clients of new-api ask for', () => {
  it('checks in by their path, and reports the month', async () => {
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'CheckInQuota', value: '1000' });
    const other = await site.invite(root);
    const access = { id: other.id, token: await site.accessToken(other) };
    const ask = (method: string, path: string): Promise<Answer> => hub(method, path, {}, access);
    const today = new Date().toISOString().slice(0, 10);
    const stats = async (query = ''): Promise<unknown> =>
      (await hub('GET', `/api/user/checkin${query}`, undefined, access)).body.data;

    expect(await stats()).toMatchObject({
      enabled: true,
      min_quota: 1000,
      stats: { checked_in_today: false, records: [] },
    });
    const day = { checkin_date: today, quota_awarded: 1000 };
    expect((await ask('POST', '/api/user/checkin')).body).toMatchObject({ success: true, data: day });
    expect((await ask('POST', '/api/user/checkin')).body).toMatchObject({
      success: false,
      message: expect.stringContaining('already'),
    });
    expect(await stats(`?month=${today.slice(0, 7)}`)).toEqual({
      enabled: true,
      min_quota: 1000,
      max_quota: 1000,
      stats: { checked_in_today: true, total_checkins: 1, total_quota: 1000, checkin_count: 1, records: [day] },
    });
    expect(await stats('?month=2020-01')).toMatchObject({
      stats: { total_checkins: 1, checkin_count: 0, records: [] },
    });
  });

  it('reveals keys one by one and together, and deletes several', async () => {
    const make = async (): Promise<{ id: number; key: string }> => {
      const { body } = await hub('POST', '/api/token/', { name: 'newer', unlimited_quota: true, expired_time: -1 });
      return body.data as { id: number; key: string };
    };
    const [first, second] = [await make(), await make()];
    const foreign = await site.expectSuccess(root, 'POST', '/api/token/', { name: 'root', unlimited_quota: true });
    const { id: foreignId } = foreign.body.data as { id: number };
    expect((await hub('POST', `/api/token/${first.id}/key`)).body.data).toEqual({ key: first.key });
    expect((await hub('POST', `/api/token/${foreignId}/key`)).body).toMatchObject({
      success: false,
      code: 'NOT_FOUND',
    });
    const ids = [first.id, second.id];
    expect((await hub('POST', '/api/token/batch/keys', { ids })).body.data).toEqual({
      keys: { [first.id]: first.key, [second.id]: second.key },
    });
    expect((await hub('POST', '/api/token/batch/keys', { ids: [...ids, foreignId] })).body).toMatchObject({
      success: false,
      code: 'NOT_FOUND',
    });
    const statementsFor = async (some: number[]): Promise<number> =>
      (await countStatements(site, () => site.rest(user, 'POST', '/api/token/batch/keys', { ids: some }))).length;
    expect(await statementsFor(ids)).toBe(await statementsFor([first.id]));
    for (const none of [{}, { ids: [] }, { ids: ['1'] }]) {
      expect((await hub('POST', '/api/token/batch', none)).body).toMatchObject({
        success: false,
        code: 'INVALID_INPUT',
      });
    }
    expect((await hub('POST', '/api/token/batch', { ids: [...ids, foreignId] })).body.data).toBe(2);
    expect((await hub('GET', `/api/token/${first.id}`)).body).toMatchObject({ code: 'NOT_FOUND' });
    expect((await site.rest(root, 'GET', `/api/token/${foreignId}`)).body['success']).toBe(true);
  });

  it('reports second factors', async () => {
    expect((await hub('GET', '/api/user/2fa/status')).body.data).toEqual({
      enabled: false,
      locked: false,
      backup_codes_remaining: 0,
    });
    expect((await hub('GET', '/api/user/passkey')).body.data).toEqual({ enabled: false });
  });

  it('has no user or key by the name of a path that does not exist', async () => {
    for (const path of ['/api/user/subscription', '/api/token/status', '/api/channel/ollama']) {
      expect((await hub('GET', path)).status).toBe(404);
    }
  });

  it('copies a channel with its keys', async () => {
    const channel = { name: 'copied', type: 1, key: 'sk-copied', models: 'gpt-4o', group: 'default' };
    await site.expectSuccess(root, 'POST', '/api/channel/', channel);
    const [{ id }] = (await site.query<{ id: number }>(`SELECT id FROM channels WHERE name = 'copied'`)) as [
      { id: number },
    ];
    const { data } = (await site.rest(root, 'POST', `/api/channel/copy/${id}?suffix=_2`)).body;
    const copy = (data as { id: number }).id;
    expect((await site.rest(root, 'POST', `/api/channel/${copy}/key`)).body.data).toEqual({ key: 'sk-copied' });
    expect(await site.query('SELECT name FROM channels WHERE id = $1', [copy])).toEqual([{ name: 'copied_2' }]);
  });

  it('lists the ways to pay, and the models of a tag', async () => {
    const info = {
      enable_online_topup: false,
      enable_stripe_topup: false,
      pay_methods: [],
      amount_options: [],
      discount: {},
    };
    expect((await site.expectSuccess(user, 'GET', '/api/user/topup/info')).body.data).toMatchObject(info);
    for (const [key, value] of [
      ['PayAddress', 'https://pay.example'],
      ['EpayId', '1'],
      ['EpayKey', 'secret'],
      ['MinTopUp', '3'],
    ]) {
      await site.expectSuccess(root, 'PUT', '/api/option/', { key, value });
    }
    expect((await site.expectSuccess(user, 'GET', '/api/user/topup/info')).body.data).toMatchObject({
      ...info,
      enable_online_topup: true,
      min_topup: 3,
      pay_methods: [
        { name: '支付宝', type: 'alipay' },
        { name: '微信支付', type: 'wxpay' },
      ],
    });
    for (const [name, models] of [
      ['tagged 1', 'a'],
      ['tagged 2', 'a,b,c'],
      ['tagged 3', 'd,e'],
    ]) {
      const channel = { name, type: 1, key: 'sk', models, group: 'default', tag: 'eu' };
      await site.expectSuccess(root, 'POST', '/api/channel/', channel);
    }
    const models = (query: string, person = root) => site.rest(person, 'GET', `/api/channel/tag/models${query}`);
    expect((await models('?tag=eu')).body).toMatchObject({ success: true, data: 'a,b,c' });
    expect((await models('?tag=us')).body).toMatchObject({ success: true, data: '' });
    expect((await models('')).body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
    expect((await models('?tag=eu', user)).body).toMatchObject({ success: false });
  });

  it('lists ratios, and in which dialects a model can be called', async () => {
    const channel = { name: 'priced', type: 1, key: 'sk-x', models: 'gpt-4o,text-embedding-3-small', group: 'default' };
    await site.expectSuccess(root, 'POST', '/api/channel/', channel);
    const { data } = (await hub('GET', '/api/ratio_config')).body;
    expect(data).toMatchObject({
      model_ratio: { 'gpt-4o': 1.25 },
      completion_ratio: { 'gpt-4o': 4 },
      cache_ratio: { 'gpt-4o': 0.5 },
      model_price: {},
    });
    const models = (await hub('GET', '/api/pricing')).body.data as Array<Record<string, unknown>>;
    const types = (name: string): unknown =>
      models.find((model) => model['model_name'] === name)?.['supported_endpoint_types'];
    expect(types('gpt-4o')).toEqual(['openai', 'anthropic', 'gemini', 'openai-response']);
    expect(types('text-embedding-3-small')).toEqual(['embeddings']);
  });
});

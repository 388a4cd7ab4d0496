/** Clients of one-api and new-api, by their own headers and bodies (docs/reference/rest/third-party-clients.md). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Site, type Answer, type Person } from './site.js';

let site: Site;
let root: Person;
let user: Person;
let rootToken: string;
let userToken: string;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  user = await site.invite(root);
  rootToken = await site.accessToken(root);
  userToken = await site.accessToken(user);
});
afterAll(() => site.stop());

type Headers = Record<string, string>;
const call = (headers: Headers, method: string, path: string, body?: unknown): Promise<Answer> =>
  site.rest(null, method, path, body, headers);

describe('an access token without a user-id header, as clients of one-api send it', () => {
  const oneApi = (token: string) => (method: string, path: string, body?: unknown) =>
    call({ authorization: token, 'content-type': 'application/json' }, method, path, body);

  it('acts as its owner, with the rights of the owner', async () => {
    const ask = oneApi(userToken);
    expect((await ask('GET', '/api/user/self')).body).toMatchObject({ success: true, data: { id: user.id } });
    expect((await ask('POST', '/api/token/', { name: 'cli', unlimited_quota: true })).body).toMatchObject({
      success: true,
      data: { name: 'cli', user_id: user.id },
    });
    expect((await ask('GET', '/api/token/?p=0')).body.data).toMatchObject([{ name: 'cli' }]);
    expect((await ask('GET', '/api/user/')).body).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
    const admin = oneApi(`Bearer ${rootToken}`);
    expect((await admin('GET', '/api/user/1')).body).toMatchObject({ success: true, data: { username: 'root' } });
    expect((await admin('PUT', '/api/option/', { key: 'RetryTimes', value: '2' })).body).toMatchObject({
      success: true,
    });
  });

  it('must agree with a header that is sent', async () => {
    const ask = (headers: Headers) => call({ authorization: userToken, ...headers }, 'GET', '/api/user/self');
    const other = String(root.id);
    const refused: Headers[] = [{ 'veloera-user': other }, { 'new-api-user': other }, { 'veloera-user': 'x' }];
    for (const headers of refused) {
      const { status, body } = await ask(headers);
      expect([headers, status, body['code']]).toEqual([headers, 401, 'USER_ID_MISMATCH']);
    }
    const ignored: Headers[] = [{ 'veloera-user': '' }, { 'one-api-user': other }];
    for (const headers of ignored) {
      expect((await ask(headers)).body).toMatchObject({ success: true, data: { id: user.id } });
    }
  });

  it('is no way around the header for a session', async () => {
    for (const path of ['/api/user/self', '/api/token/']) {
      expect((await call({ cookie: user.cookie }, 'GET', path)).status).toBe(401);
      // A session takes precedence, so an invented token does not make the header unnecessary.
      expect((await call({ cookie: user.cookie, authorization: userToken }, 'GET', path)).status).toBe(401);
    }
  });

  it('is refused when it is a named token: its scopes are those of GraphQL', async () => {
    const text = 'mutation { createAccessToken(input: { name: "ci", scopes: [WRITE] }) { secret } }';
    const { data, text: all } = await site.graphql(user, text);
    const secret = (data?.['createAccessToken'] as { secret?: string } | undefined)?.secret;
    expect([all, typeof secret]).toEqual([all, 'string']);
    expect((await oneApi(secret ?? '')('GET', '/api/user/self')).body).toMatchObject({
      success: false,
      code: 'INVALID_ACCESS_TOKEN',
    });
  });

  it('reads every list as an array from page 0', async () => {
    const ask = oneApi(rootToken);
    const users = (await ask('GET', '/api/user')).body.data as Array<{ id: number }>;
    expect(users.map(({ id }) => id)).toEqual([user.id, root.id]);
    expect((await ask('GET', '/api/user/?p=1')).body.data).toEqual([]);
    expect((await ask('GET', '/api/user/search?keyword=root')).body.data).toMatchObject([{ username: 'root' }]);
    expect((await ask('GET', '/api/redemption/?p=0')).body.data).toEqual([]);
    const rows = (await ask('GET', '/api/log/?p=0')).body.data as Array<{ id: number }>;
    expect(rows.length).toBeGreaterThan(0);
    expect((await ask('GET', '/api/log/?p=1&type=3')).body.data).toEqual([]);
    const own = (await ask('GET', '/api/log/self?p=0')).body.data as Array<{ id: number }>;
    // A user's own rows have their own numbers, which begin with the oldest row.
    expect(own.at(-1)?.id).toBe(1);
  });

  it('manages users by their names', async () => {
    const target = await site.invite(root);
    const ask = oneApi(rootToken);
    const manage = async (username: string, action: string) =>
      (await ask('POST', '/api/user/manage', { username, action })).body;
    expect(await manage(target.username, 'disable')).toMatchObject({ success: true, data: { status: 2 } });
    expect(await manage(target.username, 'enable')).toMatchObject({ success: true, data: { status: 1 } });
    expect(await manage('nobody-here', 'disable')).toMatchObject({ success: false, code: 'NOT_FOUND' });
    expect((await ask('POST', '/api/user/manage', { action: 'disable' })).body).toMatchObject({
      success: false,
      code: 'INVALID_INPUT',
    });
    const own = await oneApi(userToken)('POST', '/api/user/manage', { username: 'root', action: 'disable' });
    expect(own.body).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
  });

  it('credits a user, as billing programs do, once for each order', async () => {
    const target = await site.invite(root);
    const balance = async () => {
      const { body } = await oneApi(rootToken)('GET', `/api/user/${target.id}`);
      return (body.data as { quota: number }).quota;
    };
    const before = await balance();
    const order = { user_id: target.id, quota: 1000, remark: 'Order 1042' };
    expect((await oneApi(rootToken)('POST', '/api/topup', order)).body).toMatchObject({ success: true, message: '' });
    expect(await balance()).toBe(before + 1000);
    const retried = { authorization: rootToken, 'idempotency-key': 'order 1043' };
    for (const time of ['first', 'again']) {
      const { body } = await call(retried, 'POST', '/api/topup', order);
      expect([time, body.success]).toEqual([time, true]);
    }
    expect(await balance()).toBe(before + 2000);
    const rows = await site.query<{ content: string }>(
      'SELECT content FROM logs WHERE user_id = $1 AND quota = 1000 ORDER BY id',
      [target.id],
    );
    expect(rows.map(({ content }) => content)).toEqual(Array(2).fill(expect.stringMatching(/: Order 1042$/)));

    for (const wrong of [{ quota: 0 }, { quota: -1000 }, { quota: 1.5 }, { quota: '1000' }, { user_id: 0 }]) {
      const { body } = await oneApi(rootToken)('POST', '/api/topup', { ...order, ...wrong });
      expect([wrong, body.success, body['code']]).toEqual([wrong, false, 'INVALID_INPUT']);
    }
    const missing = await oneApi(rootToken)('POST', '/api/topup', { ...order, user_id: 1_000_000 });
    expect(missing.body).toMatchObject({ success: false, code: 'NOT_FOUND' });
    const own = await oneApi(userToken)('POST', '/api/topup', { ...order, user_id: user.id });
    expect(own.body).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
    expect(await balance()).toBe(before + 2000);
  });
});

describe('pages as clients of new-api read them', () => {
  const newApi = (method: string, path: string, body?: unknown) =>
    call({ authorization: `Bearer ${rootToken}`, 'new-api-user': String(root.id) }, method, path, body);
  const page = async (path: string) => (await newApi('GET', path)).body.data as { items: Array<{ name: string }> };
  const names = async (path: string) => (await page(path)).items.map(({ name }) => name);

  beforeAll(async () => {
    for (let index = 1; index <= 12; index++) {
      const token = { name: `key ${index}`, unlimited_quota: true, expired_time: -1 };
      await site.expectSuccess(root, 'POST', '/api/token/', token);
    }
  });

  it('have their items and total, from page 1', async () => {
    expect(await page('/api/token/?p=1&size=5')).toMatchObject({ total: 12, page: 1, page_size: 5 });
    expect(await names('/api/token/?p=1&size=5')).toEqual(['key 12', 'key 11', 'key 10', 'key 9', 'key 8']);
    expect(await names('/api/token/?p=3&size=5')).toEqual(['key 2', 'key 1']);
    expect(await names('/api/token/?p=4&size=5')).toEqual([]);
    // Page 0 and a missing page mean the first page, and several names of the parameters are accepted.
    expect(await names('/api/token/?p=0&page_size=100')).toHaveLength(12);
    expect(await names('/api/token/')).toHaveLength(10);
    expect(await names('/api/token/?page=2&page_size=10')).toEqual(['key 2', 'key 1']);
    expect(await page('/api/token/?p=1&page_size=1000')).toMatchObject({ page_size: 100 });
    expect(await page('/api/token/search?keyword=key%201')).toMatchObject({ total: 4, page: 1 });
    expect(await names('/api/token/search?keyword=key%201&p=2&page_size=3')).toEqual(['key 1']);
  });

  it('stay arrays from page 0 for all other clients', async () => {
    const others: Headers[] = [
      { 'veloera-user': String(root.id) },
      { 'veloera-user': String(root.id), 'new-api-user': String(root.id) },
      // one-api
      {},
    ];
    for (const headers of others) {
      const read = (path: string) => call({ authorization: rootToken, ...headers }, 'GET', path);
      expect((await read('/api/token/?p=1&size=10')).body.data).toHaveLength(2);
      expect((await read('/api/token/?p=0&page_size=100')).body.data).toHaveLength(12);
      expect((await read('/api/token/search?keyword=key%201')).body.data).toHaveLength(4);
      for (const path of ['/api/channel/', '/api/mj/', '/api/task/self']) {
        expect([path, (await read(path)).body.data]).toEqual([path, []]);
      }
      // The only program that sends both headers reads pages here for either console: all-api-hub.
      const found = (await read('/api/channel/search')).body.data;
      expect(found).toEqual('new-api-user' in headers ? { items: [], total: 0, page: 1, page_size: 10 } : []);
    }
  });

  it('of users, codes and logs take the same parameters', async () => {
    for (const path of ['/api/user/', '/api/redemption/', '/api/log/', '/api/log/self']) {
      expect([path, await page(`${path}?page=2&size=7`)]).toMatchObject([path, { page: 2, page_size: 7 }]);
    }
    for (const path of ['/api/mj/', '/api/mj/self', '/api/task/', '/api/task/self']) {
      expect([path, await page(`${path}?p=1&page_size=20`)]).toEqual([
        path,
        { items: [], total: 0, page: 1, page_size: 20 },
      ]);
    }
  });

  /** The keys of a channel with two keys, as the console of new-api manages them. */
  async function manageKeys(id: number): Promise<void> {
    const manage = async (action: string, fields: object = {}) =>
      (await newApi('POST', '/api/channel/multi_key/manage', { channel_id: id, action, ...fields })).body;
    expect((await manage('get_key_status', { page: 1, page_size: 1 })).data).toEqual({
      keys: [{ index: 0, status: 1, key_preview: '…' }],
      total: 2,
      page: 1,
      page_size: 1,
      total_pages: 2,
      enabled_count: 2,
      manual_disabled_count: 0,
      auto_disabled_count: 0,
    });
    expect((await manage('get_key_status', { status: 3 })).data).toMatchObject({
      keys: [],
      total: 0,
      enabled_count: 2,
    });
    expect(await manage('enable_key', { key_index: 1 })).toMatchObject({ success: true, data: 0 });
    expect(await manage('enable_all_keys')).toMatchObject({ success: true, data: 0 });
    expect(await manage('delete_disabled_keys')).toMatchObject({ success: true, data: 0 });
    for (const [action, fields] of [
      ['disable_key', { key_index: 0 }],
      ['disable_all_keys', {}],
      ['enable_key', { key_index: 2 }],
      ['delete_key', {}],
      ['unknown', {}],
    ] as const) {
      expect([action, await manage(action, fields)]).toMatchObject([action, { success: false, code: 'INVALID_INPUT' }]);
    }
    expect(await manage('get_key_status', { channel_id: 999_999 })).toMatchObject({ code: 'NOT_FOUND' });
  }

  it('show channels that were created as new-api wraps them', async () => {
    const channel = { type: 1, key: 'sk-1\nsk-2', base_url: 'https://a.example', models: 'gpt-4o', group: 'default' };
    for (const [mode, name] of [
      ['single', 'one'],
      ['batch', 'two'],
      ['multi_to_single', 'three'],
    ]) {
      const body = { mode, multi_key_mode: 'random', channel: { ...channel, name, tag: 'new' } };
      expect((await newApi('POST', '/api/channel/', body)).body).toMatchObject({ success: true });
    }
    // A batch creates a channel for each key.
    expect(await page('/api/channel/?p=1&page_size=2')).toMatchObject({ total: 4, page: 1, page_size: 2 });
    expect(await names('/api/channel/search?keyword=two&id_sort=true')).toEqual(['two', 'two']);
    const [, doubled] = (await page('/api/channel/search?keyword=two&id_sort=true')).items as unknown as {
      id: number;
    }[];
    expect((await newApi('GET', `/api/channel/${doubled?.id}`)).body.data).toMatchObject({ key: 'sk-1', tag: 'new' });
    await newApi('DELETE', `/api/channel/${doubled?.id}`);
    expect(await names('/api/channel/?p=1&page_size=2&id_sort=true')).toEqual(['three', 'two']);
    expect(await names('/api/channel/?p=2&page_size=2&id_sort=true')).toEqual(['one']);
    expect(await page('/api/channel/?tag_mode=true')).toMatchObject({ total: 1 });
    expect(await page('/api/channel/search?keyword=two')).toMatchObject({ total: 1, items: [{ name: 'two' }] });
    const list = (await page('/api/channel/?p=1')).items as unknown as Array<{ id: number; name: string }>;
    const id = list.find(({ name }) => name === 'one')?.id;
    await newApi('PUT', '/api/channel/', { id, priority: 5 });
    expect(await names('/api/channel/?p=1')).toEqual(['one', 'three', 'two']);
    // Clients of one-api expect the newest channel at the beginning of the list.
    const oldest = await call({ authorization: rootToken }, 'GET', '/api/channel/?p=0');
    expect((oldest.body.data as Array<{ name: string }>).map(({ name }) => name)).toEqual(['three', 'two', 'one']);
    await manageKeys(id ?? 0);
    // In the other modes all keys of a body belong to one channel.
    expect((await newApi('GET', `/api/channel/${id}`)).body.data).toMatchObject({ key: 'sk-1,sk-2', group: 'default' });
    const removal = { channel_id: id, action: 'delete_key', key_index: 0 };
    expect((await newApi('POST', '/api/channel/multi_key/manage', removal)).body).toMatchObject({
      success: true,
      data: 1,
    });
    expect((await newApi('GET', `/api/channel/${id}`)).body.data).toMatchObject({ key: 'sk-2' });
    expect((await newApi('POST', '/api/channel/', { mode: 'single', channel: {} })).body).toMatchObject({
      success: false,
      code: 'INVALID_INPUT',
    });
  });
});

describe('channels that are created in the mode batch', () => {
  const post = async (body: unknown) =>
    (await call({ authorization: rootToken, 'new-api-user': String(root.id) }, 'POST', '/api/channel/', body)).body;
  const made = async (tag: string) =>
    Promise.all(
      (
        await site.query<{ id: number; name: string }>('SELECT id, name FROM channels WHERE tag = $1 ORDER BY id', [
          tag,
        ])
      ).map(async ({ id, name }) => {
        const { key } = (await site.rest(root, 'GET', `/api/channel/${id}`)).body.data as { key: string };
        return [name, key];
      }),
    );
  const channel = { type: 1, name: 'many', base_url: 'https://a.example', models: 'gpt-4o', group: 'default' };

  it('are one for each line, with the begin of the key in their names where wanted', async () => {
    const key = ' sk-first-1 \n\nsk-second-2\r\nsk-3,sk-4\n';
    expect(await post({ mode: 'batch', channel: { ...channel, key, tag: 'plain' } })).toMatchObject({ success: true });
    expect(await made('plain')).toEqual([
      ['many', 'sk-first-1'],
      ['many', 'sk-second-2'],
      ['many', 'sk-3,sk-4'],
    ]);
    const named = { mode: 'batch', batch_add_set_key_prefix_2_name: true };
    await post({ ...named, channel: { ...channel, key, tag: 'named' } });
    expect((await made('named')).map(([name]) => name)).toEqual(['many sk-first', 'many sk-secon', 'many sk-3,sk-']);
    await post({ ...named, channel: { ...channel, key: 'sk-alone', tag: 'alone' } });
    expect(await made('alone')).toEqual([['many', 'sk-alone']]);
  });

  it('are one for each document of Vertex', async () => {
    const accounts = [{ project_id: 'a' }, { project_id: 'b' }];
    const vertex = { ...channel, type: 41, other: 'us-east5', tag: 'vertex', key: JSON.stringify(accounts, null, 1) };
    expect(await post({ mode: 'batch', channel: vertex })).toMatchObject({ success: true });
    expect((await made('vertex')).map(([, key]) => key)).toEqual(['{"project_id":"a"}', '{"project_id":"b"}']);
  });

  it('are all made or none', async () => {
    const refused = { success: false, code: 'INVALID_INPUT' };
    const foreign = {
      ...channel,
      key: 'sk-one-of-two\nsk-two-of-two',
      tag: 'none',
      header_override: '{"x":"sk-two-of-two"}',
    };
    expect(await post({ mode: 'batch', channel: foreign })).toMatchObject(refused);
    const many = { ...channel, tag: 'none', key: Array.from({ length: 1001 }, (_, n) => `sk-${n}`).join('\n') };
    expect(await post({ mode: 'batch', channel: many })).toMatchObject(refused);
    expect(await post({ mode: 'batch', channel: { ...channel, tag: 'none', key: '' } })).toMatchObject(refused);
    expect(await post({ mode: 'batch', channel: { ...channel, tag: 'none', key: 'a\nb', name: '' } })).toMatchObject(
      refused,
    );
    expect(await post({ mode: 'other', channel: { ...channel, tag: 'none', key: 'a\nb' } })).toMatchObject(refused);
    expect(await made('none')).toEqual([]);
  });
});

describe('unknown paths and methods are 404, whatever the body, for clients that probe', () => {
  const cases = [
    ['POST', '/api/user/sign_in'],
    ['DELETE', '/api/user/stripe'],
    ['POST', '/api/token/one/key'],
    ['PUT', '/api/channel/1'],
    ['PATCH', '/api/token/'],
    ['DELETE', '/api/nope'],
    ['POST', '/api/status'],
  ] as const;

  it('as the document lists them, and the others that it lists are served', async () => {
    const document = await readFile(
      join(import.meta.dirname, '../../docs/reference/rest/third-party-clients.md'),
      'utf8',
    );
    const rows = [...document.matchAll(/^\| `([A-Z]+) (\/\S+)` +\| (.+?) +\|/gm)];
    const missing = rows.filter(([, , , here]) => here === '404');
    expect([rows.length > 60, missing.length > 10]).toEqual([true, true]);
    for (const [, method = '', path = '', here] of rows) {
      const { status } = await site.rest(null, method, path.replace('{id}', '1'));
      expect([method, path, status === 404]).toEqual([method, path, here === '404']);
    }
  });

  it.each(cases)('%s %s', async (method, path) => {
    for (const body of ['', '{x', '{}', '[]', 'a=b']) {
      for (const type of ['application/json', 'text/plain', 'nonsense']) {
        const init = { method, body, headers: { 'content-type': type } };
        const response = await fetch(site.server.url + path, init);
        expect([body, type, response.status, await response.json()]).toEqual([
          ...[body, type, 404],
          {
            error: {
              message: `Invalid URL (${method} ${path})`,
              type: 'invalid_request_error',
              param: '',
              code: '',
            },
          },
        ]);
      }
    }
  });
});

import { randomUUID } from 'node:crypto';
import { Site, type Person } from './site.js';

let site: Site;
let root: Person;
let user: Person;
beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
});
beforeEach(async () => (user = await site.invite(root)));
afterAll(() => site.stop());

const self = async (person: Person) => (await site.rest(person, 'GET', '/api/user/self')).body.data;
const put = (person: Person, body: unknown) => site.rest(person, 'PUT', '/api/user/self', body);

describe('GET /api/user/self', () => {
  it('is the whole user, with every key', async () => {
    const setting = { notify_type: 'webhook', webhook_url: 'https://hooks.example.com/a', webhook_secret: 'mine' };
    await site.expectSuccess(user, 'PUT', '/api/user/setting', { ...setting, quota_warning_threshold: 5 });
    expect(await self(user)).toEqual({
      id: user.id,
      username: user.username,
      password: '',
      display_name: user.username,
      role: 1,
      status: 1,
      email: '',
      github_id: '',
      oidc_id: '',
      wechat_id: '',
      telegram_id: '',
      linux_do_id: '',
      verification_code: '',
      access_token: null,
      quota: 0,
      used_quota: 0,
      request_count: 0,
      group: 'default',
      aff_code: expect.stringMatching(/^\w{6}$/),
      aff_count: 0,
      aff_quota: 0,
      aff_history_quota: 0,
      inviter_id: 0,
      DeletedAt: null,
      setting:
        '{"notify_type":"webhook","quota_warning_threshold":5,"webhook_url":"https://hooks.example.com/a",' +
        '"accept_unset_model_ratio_model":false,"webhook_secret":"mine"}',
      last_check_in_time: null,
    });
  });
});

describe('PUT /api/user/self', () => {
  it('changes the names and nothing else', async () => {
    const body = {
      username: 'älice',
      display_name: 'Älice',
      quota: 5e9,
      role: 100,
      group: 'vip',
      email: 'a@b.cd',
      status: 2,
    };
    expect((await put(user, body)).body).toEqual({ success: true, message: '' });
    expect(await self(user)).toMatchObject({
      username: 'älice',
      display_name: 'Älice',
      quota: 0,
      role: 1,
      group: 'default',
      email: '',
      status: 1,
    });
  });

  it('leaves what is empty, absent or null as it is', async () => {
    for (const body of [{}, { username: '', display_name: '', password: '' }, { username: null, display_name: null }]) {
      expect((await put(user, body)).body).toEqual({ success: true, message: '' });
    }
    expect(await self(user)).toMatchObject({ username: user.username, display_name: user.username });
    await site.signIn(user.username, user.password);
  });

  it('a new password ends all other sessions', async () => {
    const other = await site.signIn(user.username, user.password);
    expect((await put(user, { password: 'a new password', original_password: user.password })).body['success']).toBe(
      true,
    );
    expect(await self(user)).toMatchObject({ id: user.id });
    expect((await site.rest(other, 'GET', '/api/user/self')).status).toBe(401);
    await site.signIn(user.username, 'a new password');
  });

  it.each([
    ['Invalid parameter', '{"username":'],
    ['Invalid parameter', { username: 5 }],
    ['Invalid input', { username: 'x'.repeat(65) }],
    ['Invalid input', { username: 'a@b' }],
    ['Invalid input', { username: 'a\u0000b' }],
    ['Invalid input', { display_name: 'x'.repeat(21) }],
    ['Invalid input', { password: '7 chars' }],
    ['Invalid input', { password: 'é'.repeat(40) }],
    ['The old password is wrong', { password: 'a new password', original_password: 'wrong' }],
    ['Username exists or has been deactivated', { username: 'root' }],
  ])('refuses: %s', async (message, body) => {
    const answer = await put(user, body);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ success: false, message: expect.stringContaining(message) });
    await site.signIn(user.username, user.password);
  });

  it('never writes a balance while it is being spent', async () => {
    await site.graphql(
      root,
      `mutation { grantQuota(input: { userId: ${user.id}, amount: 1000, idempotencyKey: "${randomUUID()}" }) { user { id } } }`,
    );
    const post = `SELECT ledger_post($1, 'admin_grant', 'user', $2, 0, -10, 0, '', NULL)`;
    await Promise.all(
      Array.from({ length: 20 }, async (_, turn) => {
        await site.query(post, [`spend:${turn}`, user.id]);
        await put(user, { display_name: `turn ${turn}`, quota: 1000 });
      }),
    );
    expect(await self(user)).toMatchObject({ quota: 800 });
  });
});

describe('DELETE /api/user/self', () => {
  it('closes the account, its sessions and its keys, and keeps the name taken', async () => {
    await site.query(`INSERT INTO tokens (user_id, key_hash, key_prefix, key_sealed) VALUES ($1, 'x', '', '')`, [
      user.id,
    ]);
    expect((await site.rest(user, 'DELETE', '/api/user/self')).body).toEqual({ success: true, message: '' });
    expect((await site.rest(user, 'GET', '/api/user/self')).status).toBe(401);
    expect(await site.query('SELECT status FROM tokens WHERE user_id = $1', [user.id])).toEqual([
      { status: 'disabled' },
    ]);
    const again = await site.rest(root, 'POST', '/api/user/', { username: user.username, password: user.password });
    expect(again.body).toMatchObject({ success: false, message: 'Username exists or has been deactivated' });
  });

  it('is not for the super admin', async () => {
    expect((await site.rest(root, 'DELETE', '/api/user/self')).body).toMatchObject({
      success: false,
      message: 'The super admin account cannot be deleted',
    });
  });
});

it('HEAD changes nothing: where GET changes state it is no method', async () => {
  const changing = [
    ...['/api/user/token', '/api/user/logout', '/api/user/epay/notify', '/api/verification', '/api/reset_password'],
    ...['state', 'github', 'oidc', 'linuxdo', 'wechat', 'wechat/bind'].map((path) => `/api/oauth/${path}`),
    ...['email/bind', 'telegram/login', 'telegram/bind'].map((path) => `/api/oauth/${path}`),
    ...['test', 'test/:id', 'update_balance', 'update_balance/:id', 'fetch_models/:id'].map(
      (path) => `/api/channel/${path}`,
    ),
  ];
  const { app } = site.server;
  expect(changing.filter((url) => !app.hasRoute({ method: 'GET', url }))).toEqual([]);
  expect(changing.filter((url) => app.hasRoute({ method: 'HEAD', url }))).toEqual([]);
  expect((await site.rest(null, 'HEAD', '/api/verification?email=a@example.com')).status).toBe(404);

  const authorization = (await site.rest(user, 'GET', '/api/user/token')).body.data as string;
  await site.rest(null, 'HEAD', '/api/user/token', undefined, { authorization });
  const { body } = await site.rest(null, 'GET', '/api/user/self', undefined, { authorization });
  expect(body).toMatchObject({ success: true });
  // Monitors send HEAD requests.
  expect((await site.rest(null, 'HEAD', '/api/status')).status).toBe(200);
});

describe('GET /api/user/token', () => {
  const useToken = (token: string) =>
    site.rest(null, 'GET', '/api/user/self', undefined, { authorization: token, 'veloera-user': String(user.id) });

  it('makes a new token each time, and the old one stops', async () => {
    const first = (await site.rest(user, 'GET', '/api/user/token')).body.data as string;
    const second = (await site.rest(user, 'POST', '/api/user/token')).body.data as string;
    expect(first).toMatch(/^[A-Za-z0-9+/=]{28,32}$/);
    expect((await useToken(first)).body).toMatchObject({ code: 'INVALID_ACCESS_TOKEN' });
    expect((await useToken(second)).body.data).toMatchObject({ access_token: second });
  });

  it('keeps no token in clear', async () => {
    const token = (await site.rest(user, 'GET', '/api/user/token')).body.data as string;
    expect(JSON.stringify(await site.query('SELECT u::text FROM users u'))).not.toContain(token);
  });

  it('shows nobody else the token, not even root', async () => {
    const token = (await site.rest(user, 'GET', '/api/user/token')).body.data as string;
    for (const path of ['/api/user/', `/api/user/${user.id}`, `/api/user/search?keyword=${user.username}`]) {
      const text = JSON.stringify((await site.rest(root, 'GET', path)).body);
      expect(text).toContain(user.username);
      expect(text).not.toContain(token);
    }
  });
});

describe('through GraphQL', () => {
  it('reads and changes the caller’s own account', async () => {
    const update =
      'mutation($input: UpdateMeInput!) { updateMe(input: $input) { user { username displayName quota } } }';
    const input = { username: 'alice' };
    expect((await site.graphql(user, update, { input })).data).toEqual({
      updateMe: { user: { username: 'alice', displayName: user.username, quota: 0 } },
    });
    expect((await site.graphql(user, update, { input: { displayName: null } })).codes).toEqual(['INVALID_INPUT']);
    expect((await site.graphql(user, update, { input: { username: 'root' } })).codes).toEqual(['CONFLICT']);
    const renewed = await site.graphql(user, 'mutation { renewAccessToken { accessToken } }');
    expect(renewed.data?.['renewAccessToken']).toEqual({ accessToken: expect.stringMatching(/^[\w+/=]{28,32}$/) });
    expect((await site.graphql(user, '{ accessToken }')).data).toEqual(renewed.data?.['renewAccessToken']);
    expect((await site.graphql(root, '{ accessToken }')).data).toEqual({ accessToken: null });
    expect((await site.graphql(user, 'mutation { deleteMe { id } }')).data).toEqual({ deleteMe: { id: user.id } });
    expect((await site.graphql(root, 'mutation { deleteMe { id } }')).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  });

  it('answers null to a stranger who asks who he is', async () => {
    expect(await site.graphql(null, '{ me { id } }')).toMatchObject({ data: { me: null }, codes: [] });
  });
});

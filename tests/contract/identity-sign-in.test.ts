import bcrypt from 'bcrypt';
import { anywhere, rootPassword, Site, type Person } from './site.js';

let site: Site;
let root: Person;
beforeAll(async () => {
  site = await Site.open();
  await site.setUp();
});
afterAll(() => site.stop());
// Several tests end root's sessions, so every test signs root in again.
beforeEach(async () => {
  root = await site.signIn('root', rootPassword);
});

/** Every request has a different address, so that the limit by address does not apply. */
const post = (body: unknown, headers = anywhere()) => site.rest(null, 'POST', '/api/user/login', body, headers);
const login = (username: string, password: string) => post({ username, password });
const self = (person: Person) => site.rest(person, 'GET', '/api/user/self');

describe('POST /api/user/login', () => {
  it('fills six fields and sets the cookie', async () => {
    const answer = await login(' root ', rootPassword);
    expect(answer.body).toEqual({
      success: true,
      message: '',
      data: {
        id: 1,
        username: 'root',
        password: '',
        display_name: 'Root User',
        role: 100,
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
        aff_code: '',
        aff_count: 0,
        aff_quota: 0,
        aff_history_quota: 0,
        inviter_id: 0,
        DeletedAt: null,
        setting: '',
        last_check_in_time: null,
      },
    });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/),
      expect.stringMatching(/^known-browser=[\w.-]{60,}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
  });

  it('marks the cookie Secure behind a proxy that speaks https', async () => {
    const body = { username: 'root', password: rootPassword };
    const answer = await post(body, { ...anywhere(), 'x-forwarded-proto': 'https' });
    expect(answer.headers.getSetCookie()[0]).toContain('Secure');
  });

  it.each(['https,http', 'https, http', 'HTTPS,http'])('marks it Secure behind two proxies (%s)', async (protocols) => {
    const body = { username: 'root', password: rootPassword };
    const answer = await post(body, { ...anywhere(), 'x-forwarded-proto': protocols });
    expect(answer.headers.getSetCookie()[0]).toContain('Secure');
  });

  it('reads the scheme of the hop that names the client', async () => {
    const body = { username: 'root', password: rootPassword };
    // The client itself sent the first address and scheme. The only trusted proxy added the last ones.
    const forged = { 'x-forwarded-for': '203.0.113.9, 198.51.100.20', 'x-forwarded-proto': 'https,http' };
    for (const headers of [forged, { ...anywhere(), 'x-forwarded-proto': 'http,https' }]) {
      expect((await post(body, headers)).headers.getSetCookie()[0]).not.toContain('Secure');
    }
  });

  it('gives every sign-in a session of its own and stores no secret', async () => {
    const [one, two] = [await site.signIn('root', rootPassword), await site.signIn('root', rootPassword)];
    expect(one.cookie).not.toBe(two.cookie);
    const rows = await site.query<{ id_hash: Buffer }>('SELECT id_hash FROM sessions');
    for (const { id_hash } of rows) expect(id_hash).toHaveLength(32);
    const dump = JSON.stringify(await site.query('SELECT s::text FROM sessions s'));
    expect(dump).not.toContain(one.cookie.split('=')[1]);
  });

  it('takes an address for a name, but a name first', async () => {
    const [victim, thief] = [await site.invite(root), await site.invite(root)];
    await site.query(`UPDATE users SET email = 'Victim@example.com' WHERE id = $1`, [victim.id]);
    expect((await login('victim@EXAMPLE.com', victim.password)).body.data).toMatchObject({ id: victim.id });
    await site.query(`UPDATE users SET username = 'victim@example.com' WHERE id = $1`, [thief.id]);
    expect((await login('victim@example.com', thief.password)).body.data).toMatchObject({ id: thief.id });
  });

  it('says the same of every reason', async () => {
    const banned = await site.invite(root);
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: banned.id, action: 'disable' });
    const deleted = await site.invite(root);
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: deleted.id, action: 'delete' });
    const bodies = [
      await login('root', 'wrong password'),
      await login('nobody', 'wrong password'),
      await login(banned.username, banned.password),
      await login(deleted.username, deleted.password),
    ].map(({ status, body }) => ({ status, body }));
    for (const one of bodies) {
      expect(one).toEqual({
        status: 200,
        body: { success: false, message: 'Username or password wrong, or user banned', code: 'INVALID_CREDENTIALS' },
      });
    }
  });

  it.each([
    ['{"username":"root"'],
    [{}],
    [{ username: 'root' }],
    [{ username: ' ', password: 'x' }],
    [{ username: 'root', password: '' }],
    [{ username: 1, password: 'x' }],
    ['null'],
  ])('refuses %j as an invalid parameter', async (body) => {
    const answer = await post(body);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ success: false, message: expect.stringMatching(/^Invalid parameter/) });
  });

  it('reads no more than a sign-in needs', async () => {
    const answer = await login('root', 'x'.repeat(20_000));
    expect(answer.status).toBe(413);
  });

  it('can be switched off', async () => {
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'PasswordLoginEnabled', value: 'false' });
    expect((await login('root', rootPassword)).body).toMatchObject({
      success: false,
      message: 'Password login is disabled by the administrator',
    });
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'PasswordLoginEnabled', value: 'true' });
  });

  it('takes a bcrypt password of the older consoles once, and keeps it as argon2id', async () => {
    const user = await site.invite(root);
    await site.query('UPDATE users SET password_hash = $1 WHERE id = $2', [
      await bcrypt.hash('old secret', 4),
      user.id,
    ]);
    expect((await login(user.username, 'wrong')).body).toMatchObject({ success: false });
    expect((await login(user.username, 'old secret')).body).toMatchObject({ success: true });
    const [row] = await site.query<{ password_hash: string }>('SELECT password_hash FROM users WHERE id = $1', [
      user.id,
    ]);
    expect(row?.password_hash).toMatch(/^\$argon2id\$/);
    expect((await login(user.username, 'old secret')).body).toMatchObject({ success: true });
  });

  it('slows guesses down by address, and at one account sooner', async () => {
    const body = { username: 'somebody', password: 'a guess' };
    const guess = (address: string) => post(body, { 'x-forwarded-for': address });
    const other = (address: string, turn: number) =>
      post({ ...body, username: `user${turn}` }, { 'x-forwarded-for': address });

    for (let turn = 0; turn < 20; turn++) expect((await other('203.0.113.1', turn)).status).toBe(200);
    const refused = await other('203.0.113.1', 20);
    expect([refused.status, refused.body]).toMatchObject([429, { success: false, code: 'RATE_LIMITED' }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // The next address of the same IPv6 network counts as the same client.
    for (let turn = 0; turn < 20; turn++) await other(`2001:db8:1:2::${turn}`, turn);
    expect((await other('2001:db8:1:2:ffff::1', 1)).status).toBe(429);

    for (let turn = 0; turn < 10; turn++) expect((await guess('198.51.100.1')).status).toBe(200);
    expect((await guess('198.51.100.1')).status).toBe(429);
    expect((await other('198.51.100.1', 1)).status).toBe(200);
    // Guesses from elsewhere do not lock the account's owner out.
    expect((await guess('198.51.100.99')).status).toBe(200);
  });
});

describe('GET /api/user/logout', () => {
  it('ends this session and no other, and minds nobody who has none', async () => {
    const other = await site.signIn('root', rootPassword);
    const answer = await site.rest(root, 'GET', '/api/user/logout');
    expect(answer.body).toEqual({ success: true, message: '' });
    expect(answer.headers.getSetCookie()[0]).toMatch(/^session=;/);
    expect((await self(root)).status).toBe(401);
    expect((await self(other)).status).toBe(200);
    expect((await site.rest(null, 'GET', '/api/user/logout')).body).toEqual({ success: true, message: '' });
  });
});

describe('who is asking (decision order of 1.3)', () => {
  const ask = (headers: Record<string, string>) => site.rest(null, 'GET', '/api/user/self', undefined, headers);

  it('needs a session or an access token', async () => {
    const answer = await ask({ 'veloera-user': '1' });
    expect(answer.status).toBe(401);
    // Third parties recognise this family of sites by the header's name in this text.
    expect(answer.body).toMatchObject({ success: false, message: expect.stringContaining('Veloera-User') });
    // An access token does not need the header.
    expect(answer.body['message']).toMatch(
      /^No permission: not logged in and no access token provided \(a session also /,
    );
  });

  it('answers a wrong access token with 200', async () => {
    const answer = await ask({ authorization: 'Bearer wrong', 'veloera-user': '1' });
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { success: false, message: 'No permission: invalid access token' },
    ]);
  });

  it.each([
    ['No permission: Veloera-User not provided', {}],
    ['No permission: Veloera-User not provided', { 'veloera-user': '' }],
    ['No permission: malformed Veloera-User', { 'veloera-user': 'one' }],
    ['No permission: Veloera-User does not match the logged-in user', { 'veloera-user': '2' }],
    ['No permission: Veloera-User does not match the logged-in user', { 'veloera-user': '2', 'new-api-user': '1' }],
  ])('answers 401: %s', async (message, headers) => {
    const answer = await ask({ cookie: root.cookie, ...(headers as Record<string, string>) });
    expect([answer.status, answer.body]).toMatchObject([401, { success: false, message }]);
  });

  it('takes the older name of the header too', async () => {
    expect((await ask({ cookie: root.cookie, 'new-api-user': '1' })).body).toMatchObject({ success: true });
  });

  it('takes an access token with and without its scheme', async () => {
    const token = (await site.rest(root, 'GET', '/api/user/token')).body.data as string;
    for (const authorization of [token, `Bearer ${token}`]) {
      expect((await ask({ authorization, 'veloera-user': '1' })).body).toMatchObject({ success: true });
    }
    // A session takes precedence over a token.
    const user = await site.invite(root);
    const both = { cookie: user.cookie, authorization: token, 'veloera-user': String(user.id) };
    expect((await ask(both)).body.data).toMatchObject({ id: user.id });
  });

  it('tells a banned user so with 200', async () => {
    const user = await site.invite(root);
    const token = (await site.rest(user, 'GET', '/api/user/token')).body.data as string;
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: user.id, action: 'disable' });
    const answer = await ask({ authorization: token, 'veloera-user': String(user.id) });
    expect([answer.status, answer.body]).toMatchObject([200, { success: false, message: 'User is banned' }]);
  });

  it('refuses a user whose row makes no sense, with 200', async () => {
    const user = await site.invite(root);
    await site.query(`UPDATE users SET username = ' ' WHERE id = $1`, [user.id]);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const answer = await self(user);
    expect([answer.status, answer.body]).toMatchObject([200, { message: 'No permission: invalid user info' }]);
  });

  it('forgets expired sessions', async () => {
    await site.query(`UPDATE sessions SET expires_at = now() - interval '1 second'`);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect((await self(root)).status).toBe(401);
  });
});

describe('rights follow the row, not the cookie', () => {
  it.each(['disable', 'delete', 'demote'])('%s ends the sessions at once', async (action) => {
    const admin = await site.invite(root, 'admin');
    expect((await site.rest(admin, 'GET', '/api/user/')).body).toMatchObject({ success: true });
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: admin.id, action });
    expect((await self(admin)).status).toBe(401);
  });

  it('a regroup counts on the next request of the session there is', async () => {
    const user = await site.invite(root);
    const groups = async () => (await site.rest(user, 'GET', '/api/user/self/groups')).body.data;
    expect(await groups()).not.toHaveProperty('svip');
    await site.expectSuccess(root, 'PUT', '/api/user/', { id: user.id, group: 'svip' });
    expect(await groups()).toHaveProperty('svip');
    expect((await self(user)).body.data).toMatchObject({ group: 'svip' });
  });

  it('a role that changed elsewhere counts within a second', async () => {
    const admin = await site.invite(root, 'admin');
    expect((await site.rest(admin, 'GET', '/api/user/')).body).toMatchObject({ success: true });
    await site.query("UPDATE users SET role = 'common' WHERE id = $1", [admin.id]);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect((await site.rest(admin, 'GET', '/api/user/')).body).toMatchObject({ code: 'INSUFFICIENT_PRIVILEGES' });
  });
});

describe('through GraphQL', () => {
  const login = 'mutation($input: LoginInput!) { login(input: $input) { user { id username role } } }';

  it('signs in and out with the same cookie', async () => {
    const input = { username: 'root', password: rootPassword };
    const answer = await site.rest(
      null,
      'POST',
      '/graphql',
      { query: login, variables: { input } },
      { 'content-type': 'application/json', ...anywhere() },
    );
    expect(answer.body.data).toEqual({ login: { user: { id: 1, username: 'root', role: 'ROOT' } } });
    const person = { ...root, cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
    expect((await site.graphql(person, '{ me { id } }')).data).toEqual({ me: { id: 1 } });
    const logout = 'mutation { logout { wasSignedIn } }';
    expect((await site.graphql(person, logout)).data).toEqual({ logout: { wasSignedIn: true } });
    expect((await site.graphql(null, logout)).data).toEqual({ logout: { wasSignedIn: false } });
    expect((await site.graphql(person, '{ me { id } }')).data).toEqual({ me: null });
  });

  it('refuses wrong credentials without repeating them', async () => {
    const answer = await site.graphql(
      null,
      login,
      { input: { username: 'root', password: 'hunter2hunter2' } },
      anywhere(),
    );
    expect(answer.codes).toEqual(['INVALID_CREDENTIALS']);
    expect(answer.text).not.toContain('hunter2');
  });

  it('wants the second wall for what asks who is calling, and only for that', async () => {
    const headers = { cookie: root.cookie, 'veloera-user': '-1' };
    expect((await site.graphql(null, '{ status { isSetUp } }', {}, headers)).data).toEqual({
      status: { isSetUp: true },
    });
    expect((await site.graphql(null, '{ me { id } }', {}, headers)).codes).toEqual(['USER_ID_MISMATCH']);
    expect((await site.graphql(null, '{ users { totalCount } }', {}, { cookie: root.cookie })).codes).toEqual([
      'USER_ID_MISMATCH',
    ]);
  });
});

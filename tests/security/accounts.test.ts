import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { poolOf } from '../../server/src/platform/db/data-source.js';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import { anywhere, rootPassword, Site, type Person } from '../contract/site.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';

let site: Site;
let world: ScriptedServer;
let root: Person;
let user: Person;
beforeAll(async () => {
  world = await startScriptedServer(() => ({ body: { success: true, data: 'wx-attacker' } }));
  site = await Site.open({ OUTBOUND_ALLOW: '127.0.0.1' });
  root = await site.setUp();
  for (const [key, value] of Object.entries({
    WeChatServerAddress: world.url,
    WeChatServerToken: 'planted-option-secret',
    WeChatAuthEnabled: 'true',
    TelegramBotToken: 'planted-option-secret',
    TelegramOAuthEnabled: 'true',
    CheckInEnabled: 'true',
    GitHubClientId: 'id',
    GitHubClientSecret: 'planted-option-secret',
    GitHubOAuthEnabled: 'true',
  })) {
    await site.expectSuccess(root, 'PUT', '/api/option/', { key, value });
  }
});
beforeEach(async () => (user = await site.invite(root)));
afterAll(() => Promise.all([site.stop(), world.stop()]));

describe('secret fields in lists (CVE-2026-64859)', () => {
  it('nobody reads the access token, password or webhook secret of somebody else, on either presentation', async () => {
    const token = (await site.rest(user, 'GET', '/api/user/token')).body.data as string;
    await site.expectSuccess(user, 'PUT', '/api/user/setting', {
      notify_type: 'webhook',
      quota_warning_threshold: 1,
      webhook_url: 'https://x.example.com',
      webhook_secret: 'planted-webhook-secret',
    });
    const admin = await site.invite(root, 'admin');
    for (const reader of [admin, root]) {
      const answers = [
        await site.rest(reader, 'GET', '/api/user/?p=1&page_size=100'),
        await site.rest(reader, 'GET', `/api/user/search?keyword=${user.username}`),
        await site.rest(reader, 'GET', `/api/user/${user.id}`),
      ].map(({ body }) => JSON.stringify(body));
      answers.push(
        (
          await site.graphql(
            reader,
            `{ user(id: ${user.id}) { username setting { ...all } } } fragment all on UserSetting { notificationEmail webhookUrl hasWebhookSecret }`,
          )
        ).text,
      );
      for (const text of answers) {
        expect(text).toContain(user.username);
        expect(text).not.toContain(token);
        expect(text).not.toContain('planted-webhook-secret');
        expect(text).not.toMatch(/argon2|password_hash|accessTokenHash/);
        expect(text).not.toMatch(/"access_token":"/);
      }
    }
  });

  it('option secrets are in no answer, in no log row and not in the database', async () => {
    const answers = [
      JSON.stringify((await site.rest(root, 'GET', '/api/option/')).body),
      (await site.graphql(root, '{ options { items { key value isSet } } }')).text,
      (await site.graphql(root, '{ auditEntries(pageSize: 100) { items { changes { before after } } } }')).text,
      JSON.stringify(await site.query('SELECT o::text FROM options o')),
      JSON.stringify(await site.query('SELECT l::text FROM logs l')),
    ];
    for (const text of answers) expect(text).not.toContain('planted-option-secret');
  });
});

describe('CSRF by GET (CVE-2026-44342): a foreign page has the cookie, but neither header nor state', () => {
  const foreign = (path: string, person: Person | null) =>
    site.rest(null, 'GET', path, undefined, {
      ...anywhere(),
      ...(person ? { cookie: person.cookie } : {}),
      'sec-fetch-site': 'cross-site',
    });

  it.each([
    '/api/user/token',
    '/api/user/logout',
    '/api/oauth/email/bind?email=attacker@example.com&code=abcdef',
    '/api/oauth/wechat/bind?code=attacker',
    '/api/oauth/telegram/bind?id=1&auth_date=1&hash=x',
  ])('%s', async (path) => {
    const before = await site.query('SELECT * FROM users WHERE id = $1', [user.id]);
    expect((await foreign(path, user)).status).toBe(401);
    expect(await site.query('SELECT * FROM users WHERE id = $1', [user.id])).toEqual(before);
    expect((await site.rest(user, 'GET', '/api/user/self')).status).toBe(200);
  });

  it.each(['/api/oauth/github?code=x&state=0123456789012345678901', '/api/oauth/oidc?code=x'])('%s', async (path) => {
    expect((await foreign(path, user)).status).toBe(403);
  });

  it.each(['/api/oauth/wechat?code=attacker', '/api/oauth/telegram/login?id=1&auth_date=1&hash=x'])(
    '%s signs nobody in as the attacker',
    async (path) => {
      const answer = await foreign(path, null);
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
    },
  );

  it.each([
    ['https://evil.example', 'cross-site'],
    ['null', 'cross-site'],
    ['http://127.0.0.1:1', 'same-site'],
  ])('a form of %s signs nobody in as the attacker, and registers nobody', async (origin, site_) => {
    const send = async (path: string, body: object): Promise<Response> =>
      fetch(`${site.server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', origin, 'sec-fetch-site': site_, ...anywhere() },
        body: JSON.stringify({ ...body, password: user.password, '': '=' }),
      });
    const signedIn = await send('/api/user/login', { username: user.username });
    expect([await signedIn.json(), signedIn.headers.getSetCookie()]).toMatchObject([{ success: false }, []]);
    expect(await (await send('/api/user/register', { username: 'somebody' })).json()).toMatchObject({ success: false });
    expect(await site.query(`SELECT FROM users WHERE username = 'somebody'`)).toEqual([]);
    const login = `mutation { login(input: { username: "${user.username}", password: "${user.password}" }) { user { id } } }`;
    const overGraphQL = await send('/graphql', { query: login });
    expect([overGraphQL.ok, overGraphQL.headers.getSetCookie()]).toEqual([false, []]);
  });

  it('our own page, a program and a browser extension sign in', async () => {
    const callers: Array<Record<string, string>> = [
      { 'sec-fetch-site': 'same-origin', origin: site.server.url },
      {},
      { 'sec-fetch-site': 'cross-site', origin: 'moz-extension://0d1f' },
    ];
    for (const headers of callers) {
      const body = { username: user.username, password: user.password };
      const answer = await site.rest(null, 'POST', '/api/user/login', body, { ...anywhere(), ...headers });
      expect(answer.body).toMatchObject({ success: true });
    }
  });

  it('the cookie goes along with requests of our own pages alone', async () => {
    const body = { username: user.username, password: user.password };
    const answer = await site.rest(null, 'POST', '/api/user/login', body, anywhere());
    expect(answer.headers.getSetCookie()[0]).toMatch(/HttpOnly; SameSite=Strict/);
    const state = await site.rest(null, 'GET', '/api/oauth/state', undefined, anywhere());
    expect(state.headers.getSetCookie()[0]).toMatch(/^visitor=.*HttpOnly; SameSite=Strict/);
  });

  it('answers of the console carry no CORS headers', async () => {
    const answer = await site.rest(user, 'GET', '/api/user/self', undefined, { origin: 'https://evil.example' });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('sessions', () => {
  const alive = async (person: Person) => (await site.rest(person, 'GET', '/api/user/self')).status === 200;
  const change = (body: object) => site.expectSuccess(root, 'POST', '/api/user/manage', { id: user.id, ...body });

  it.each(['disable', 'delete'])('end with %s, on the next request', async (action) => {
    const other = await site.signIn(user.username, user.password);
    expect(await alive(other)).toBe(true);
    await change({ action });
    expect([await alive(user), await alive(other)]).toEqual([false, false]);
    expect(await site.query('SELECT 1 FROM sessions WHERE user_id = $1', [user.id])).toEqual([]);
  });

  it('end when an admin sets a password, and when the owner deletes himself', async () => {
    await site.expectSuccess(root, 'PUT', '/api/user/', { id: user.id, password: 'another password' });
    expect(await alive(user)).toBe(false);
    const again = await site.signIn(user.username, 'another password');
    await site.expectSuccess(again, 'DELETE', '/api/user/self');
    expect(await alive(again)).toBe(false);
  });

  it.each([
    ['the owner', () => site.rest(user, 'PUT', '/api/user/self', { password: 'another password' })],
    ['an admin', () => site.rest(root, 'PUT', '/api/user/', { id: user.id, password: 'another password' })],
  ])('and access tokens end when %s sets a password', async (_who, setPassword) => {
    const system = (await site.rest(user, 'GET', '/api/user/token')).body.data as string;
    const created = await site.graphql(
      user,
      'mutation { createAccessToken(input: { name: "board", scopes: [USAGE_READ] }) { secret } }',
    );
    const named = /tga-[\w-]+/.exec(created.text)?.[0] ?? '';
    const opens = async (token: string) =>
      (await site.graphql(null, '{ myUsage { totalCount } }', {}, { authorization: `Bearer ${token}` })).data?.[
        'myUsage'
      ] != null;
    expect([await opens(system), await opens(named)]).toEqual([true, true]);
    expect((await setPassword()).body['success']).toBe(true);
    expect([await opens(system), await opens(named)]).toEqual([false, false]);
    expect(await site.query('SELECT 1 FROM access_tokens WHERE user_id = $1', [user.id])).toEqual([]);
  });

  it('who comes with an access token changes the password only with the old one', async () => {
    const token = (await site.rest(user, 'GET', '/api/user/token')).body.data as string;
    const put = (body: object) =>
      site.rest(null, 'PUT', '/api/user/self', body, { authorization: token, 'veloera-user': String(user.id) });
    expect((await put({ password: 'another password' })).body).toMatchObject({
      success: false,
      message: 'The old password is needed to change the password with an access token',
    });
    expect((await put({ password: 'another password', original_password: 'wrong' })).body['success']).toBe(false);
    expect((await put({ password: 'another password', original_password: user.password })).body['success']).toBe(true);
  });

  it('an access token of root, which edits itself as it edits users, changes neither its password nor its address', async () => {
    const named = async () => {
      const text = 'mutation { createAccessToken(input: { name: "ci", scopes: [WRITE, ADMIN_READ] }) { secret } }';
      const { data } = await site.graphql(root, text);
      return (data?.['createAccessToken'] as { secret: string }).secret;
    };
    const system = (await site.rest(root, 'GET', '/api/user/token')).body.data as string;
    const { body } = await site.rest(
      ...([null, 'PUT', '/api/user/', { id: root.id, password: 'password of a thief' }] as const),
      { authorization: system },
    );
    expect(body).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
    const bearer = { authorization: `Bearer ${await named()}` };
    for (const field of ['password: "password of a thief"', 'email: "thief@example.com"']) {
      const text = `mutation { updateUser(input: { id: ${root.id}, ${field} }) { user { id } } }`;
      expect((await site.graphql(null, text, {}, bearer)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
    }
    await site.signIn('root', rootPassword);
  });

  it('an access token guesses the old password ten times in a quarter of an hour, and locks no session out', async () => {
    const token = (await site.rest(user, 'GET', '/api/user/token')).body.data as string;
    const put = (original_password: string) =>
      site.rest(
        null,
        'PUT',
        '/api/user/self',
        { password: 'another password', original_password },
        { authorization: token },
      );
    for (let guess = 0; guess < 10; guess++)
      expect((await put(`guess ${guess}`)).body['message']).toBe('The old password is wrong');
    const late = await put(user.password);
    expect([late.status, late.body['code']]).toEqual([429, 'RATE_LIMITED']);
    const own = { password: 'another password', original_password: user.password };
    await site.expectSuccess(user, 'PUT', '/api/user/self', own);
  });

  it('of a demoted admin lose their rights at once', async () => {
    const admin = await site.invite(root, 'admin');
    expect((await site.rest(admin, 'GET', '/api/user/?p=1')).body['success']).toBe(true);
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: admin.id, action: 'demote' });
    expect((await site.rest(admin, 'GET', '/api/user/?p=1')).body['success']).toBe(false);
  });

  it('an access token of a banned user opens nothing', async () => {
    const token = (await site.rest(user, 'GET', '/api/user/token')).body.data as string;
    const ask = () =>
      site.rest(null, 'GET', '/api/user/self', undefined, { authorization: token, 'veloera-user': String(user.id) });
    expect((await ask()).body['success']).toBe(true);
    await change({ action: 'disable' });
    expect((await ask()).body).toMatchObject({ success: false, message: 'User is banned' });
  });

  it('a cookie that somebody planted is not taken over at sign-in', async () => {
    const planted = 'session=0123456789012345678901234567890123456789012';
    const body = { username: user.username, password: user.password };
    const answer = await site.rest(null, 'POST', '/api/user/login', body, { ...anywhere(), cookie: planted });
    expect(answer.headers.getSetCookie()[0]).not.toContain(planted);
    expect((await site.rest({ ...user, cookie: planted }, 'GET', '/api/user/self')).status).toBe(401);
  });
});

describe('guessing', () => {
  const login = (password: string, headers: Record<string, string>) =>
    site.rest(null, 'POST', '/api/user/login', { username: user.username, password }, headers);

  it('locks the account for that address, for the owner nowhere else', async () => {
    const attacker = anywhere();
    for (let i = 0; i < 10; i++) expect((await login('a wrong password', attacker)).status).toBe(200);
    const locked = await login(user.password, attacker);
    expect([locked.status, locked.body['code']]).toEqual([429, 'RATE_LIMITED']);
    expect((await login(user.password, anywhere())).body['success']).toBe(true);
  });

  it('never locks a browser in which the owner has signed in before', async () => {
    const shared = anywhere();
    const first = await login(user.password, shared);
    const known = first.headers.getSetCookie().find((cookie) => cookie.startsWith('known-browser='));
    expect(known).toMatch(/HttpOnly.*SameSite=Strict/i);
    const cookie = known?.split(';')[0] ?? '';
    // The limit of the whole address is used up, as by an attacker in the same network.
    for (let i = 0; i < 25; i++) await login('a wrong password', shared);
    expect((await login(user.password, shared)).status).toBe(429);
    expect((await login(user.password, { ...shared, cookie })).body['success']).toBe(true);
    // The browser's mark is not valid for another account, and does not allow additional guesses.
    const other = await site.invite(root);
    const elsewhere = { username: other.username, password: other.password };
    expect((await site.rest(null, 'POST', '/api/user/login', elsewhere, { ...shared, cookie })).status).toBe(429);
    for (let i = 0; i < 10; i++) await login('a wrong password', { ...shared, cookie });
    expect((await login(user.password, { ...shared, cookie })).status).toBe(429);
  });

  it.each([
    ['nothing', ''],
    ['a forged mark', 'known-browser=1.99999999999.AAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['a broken mark', 'known-browser=%E0%A4%A'],
  ])('takes %s for no known browser', async (_name, cookie) => {
    const shared = anywhere();
    for (let i = 0; i < 20; i++) await login('a wrong password', { ...shared, cookie });
    expect((await login(user.password, { ...shared, cookie })).status).toBe(429);
  });

  it('from one address is slowed over all of sign-in, and the caller cannot choose his address', async () => {
    const here = anywhere();
    for (let i = 0; i < 20; i++) await site.rest(null, 'GET', '/api/oauth/state', undefined, here);
    const body = { username: 'nobody', password: 'a wrong password' };
    const answer = await site.rest(null, 'POST', '/api/user/login', body, here);
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true]);
    const forged = { 'x-forwarded-for': `1.2.3.4, ${here['x-forwarded-for'] ?? ''}` };
    expect((await site.rest(null, 'POST', '/api/user/login', body, forged)).status).toBe(429);
  });
});

describe('addresses of users', () => {
  it('are told only to a caller who asks for a code, at most 20 times in 20 minutes', async () => {
    const visitor = anywhere();
    await site.query(`UPDATE users SET email = 'known@example.com' WHERE id = $1`, [user.id]);
    const ask = (path: string, email: string) =>
      site.rest(null, 'GET', `${path}?email=${email}`, undefined, visitor).then(({ status, body }) => [status, body]);
    // The older consoles report this too. The response to a request for a new password is the same for every address.
    expect(await ask('/api/verification', 'known@example.com')).toMatchObject([200, { code: 'CONFLICT' }]);
    const known = await ask('/api/reset_password', 'known@example.com');
    expect(await ask('/api/reset_password', 'unknown@example.com')).toEqual(known);
    for (let call = 3; call < 20; call++) await ask('/api/verification', `guess${call}@example.com`);
    expect(await ask('/api/verification', 'known@example.com')).toMatchObject([429, { code: 'RATE_LIMITED' }]);
  });
});

describe('a profile that is saved beside spending (CVE-2026-64865)', () => {
  it('never writes a balance back', async () => {
    await site.expectSuccess(root, 'PUT', '/api/user/', { id: user.id, quota_delta: 1_000_000 });
    const grants = Array.from({ length: 25 }, () =>
      site.rest(root, 'PUT', '/api/user/', { id: user.id, quota_delta: -1000 }),
    );
    const saves = Array.from({ length: 25 }, (_, index) =>
      site.rest(user, 'PUT', '/api/user/self', { display_name: `name ${index}`, quota: 9e9, aff_quota: 9e9 }),
    );
    const more = [
      site.rest(user, 'PUT', '/api/user/setting', { notify_type: 'email', quota_warning_threshold: 1 }),
      site.rest(user, 'GET', '/api/user/token'),
      site.rest(user, 'POST', '/api/user/check_in'),
    ];
    await Promise.all([...grants, ...saves, ...more]);
    const [row] = await site.query<{ quota: string }>('SELECT quota FROM users WHERE id = $1', [user.id]);
    expect(row?.quota).toBe(String(1_000_000 - 25_000 + 1000));
    expect(await reconcile(poolOf(site.dataSource))).toEqual([]);
  });
});

describe('rank (CVE-2026-64866, CVE-2026-47102)', () => {
  it('nobody raises himself, and an admin writes no setting that would make him root', async () => {
    await site.rest(user, 'PUT', '/api/user/self', { role: 100, status: 1, group: 'svip' });
    const [row] = await site.query('SELECT role, "group" FROM users WHERE id = $1', [user.id]);
    expect(row).toEqual({ role: 'common', group: 'default' });
    const admin = await site.invite(root, 'admin');
    for (const key of ['ServerAddress', 'SMTPServer', 'oidc.well_known', 'RegisterEnabled', 'TurnstileSecretKey']) {
      const { body } = await site.rest(admin, 'PUT', '/api/option/', { key, value: 'https://evil.example' });
      expect(body).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
    }
  });
});

describe('SSRF by what users and admins type', () => {
  it.each([
    ...['https://127.0.0.2/x', 'https://10.0.0.1/x', 'https://[::1]/x', 'https://169.254.169.254/latest/meta-data'],
    ...['https://0.0.0.0/x', 'https://2130706434/x', 'https://[::ffff:10.0.0.1]/x', 'https://user:word@example.com/x'],
    ...['https://example.com:6379/x', 'gopher://example.com/x', 'https://100.64.0.1/x', 'https://[fec0::1]/x'],
  ])('a webhook to %s is refused when it is saved', async (webhook_url) => {
    const body = { notify_type: 'webhook', quota_warning_threshold: 1, webhook_url };
    const answer = await site.rest(user, 'PUT', '/api/user/setting', body);
    expect(answer.body).toMatchObject({ success: false, message: expect.stringContaining('Invalid webhook URL') });
  });

  it('discovery follows nobody into the network', async () => {
    world.answer = ({ url }) => ({ status: 302, headers: { location: `http://169.254.169.254${url.pathname}` } });
    const query = 'mutation ($url: String!) { discoverOidc(wellKnown: $url) { endpoints { tokenEndpoint } } }';
    for (const url of [`${world.url}/.well-known/openid-configuration`, 'http://10.0.0.1/.well-known/x']) {
      expect((await site.graphql(root, query, { url })).codes).toEqual(['UPSTREAM_UNREACHABLE']);
    }
    world.answer = () => ({ body: { success: true, data: 'wx' } });
  });
});

describe('wildcard search (CVE-2026-25591)', () => {
  it('takes signs for what they are, and not long texts', async () => {
    for (const keyword of ['%', '_', '%%%%%%%%%%%%%%%%%%%%', '\\']) {
      const answer = await site.rest(root, 'GET', `/api/user/search?keyword=${encodeURIComponent(keyword)}`);
      expect(answer.body.data).toMatchObject({ items: [], total: 0 });
    }
    const long = await site.rest(root, 'GET', `/api/user/search?keyword=${'%25_'.repeat(500)}`);
    expect(long.body.data ?? { items: [], total: 0 }).toMatchObject({ items: [], total: 0 });
  });
});

describe('bodies of strangers (CVE-2026-64868)', () => {
  it.each(['/api/user/login', '/api/user/register', '/api/user/reset', '/api/setup'])('%s has a cap', async (path) => {
    const answer = await site.rest(null, 'POST', path, { username: 'x'.repeat(20_000) }, anywhere());
    expect(answer.status).toBe(413);
  });

  it('a callback about a drawing has one, and is not read at all before its secret was', async () => {
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'MjNotifyEnabled', value: 'true' });
    const { data } = await site.graphql(root, '{ drawingNotifyUrl(channelId: 1) }');
    const path = new URL(data?.['drawingNotifyUrl'] as string, site.server.url).pathname;
    expect((await site.rest(null, 'POST', path, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413);
    const endless = httpRequest(`${site.server.url}/mj/notify/1/${'a'.repeat(32)}`, { method: 'POST' });
    endless.on('error', () => undefined).flushHeaders();
    const [answer] = (await once(endless, 'response')) as [IncomingMessage];
    expect([answer.statusCode, await text(answer)]).toEqual([400, expect.stringContaining('notify_not_allowed')]);
    endless.destroy();
  });
});

it('no default account exists, and the wizard opens once', async () => {
  const body = { username: 'root', password: '123456' };
  expect((await site.rest(null, 'POST', '/api/user/login', body, anywhere())).body['success']).toBe(false);
  const again = { username: 'evil', password: 'password 1', confirmPassword: 'password 1' };
  expect((await site.rest(null, 'POST', '/api/setup', again, anywhere())).status).toBe(400);
  expect(await site.query("SELECT 1 FROM users WHERE role = 'root'")).toHaveLength(1);
});

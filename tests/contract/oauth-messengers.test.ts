import { createHash, createHmac } from 'node:crypto';
import { EmailCodeService } from '../../server/src/console/registration/email-code.service.js';
import { idIn, OAuthSite, type Browser } from './oauth-site.js';
import { anywhere } from './site.js';

let oauth: OAuthSite;
beforeAll(async () => (oauth = await OAuthSite.open()));
beforeEach(() => oauth.reset());
afterAll(() => oauth.stop());

describe('WeChat', () => {
  it('registers, signs in and binds by a code', async () => {
    const answer = await oauth.browser().get('/api/oauth/wechat?code=a%26b');
    expect(await oauth.rowOf(idIn(answer))).toMatchObject({ wechat_id: 'wx-a&b', display_name: 'WeChat User' });
    expect(oauth.world.calls[0]?.headers.authorization).toBe('we-token');
    expect(idIn(await oauth.browser().get('/api/oauth/wechat?code=a%26b'))).toBe(idIn(answer));
    const user = await oauth.invite();
    const browser = oauth.browser(user);
    expect((await browser.get('/api/oauth/wechat/bind?code=a%26b')).body['message']).toContain('already bound');
    expect((await browser.get('/api/oauth/wechat/bind?code=new')).body).toEqual({ success: true, message: '' });
    expect(await oauth.rowOf(user.id)).toMatchObject({ wechat_id: 'wx-new' });
    expect(await browser.graphql('mutation { bindWechat(code: "newer") { user { identities { subject } } } }')).toEqual(
      {
        bindWechat: { user: { identities: [{ subject: 'wx-newer' }] } },
      },
    );
  });

  it('says what is wrong', async () => {
    const message = async (path: string) => (await oauth.browser().get(path)).body['message'];
    expect(await message('/api/oauth/wechat?code=')).toBe('Invalid parameter');
    oauth.world.answer = () => ({ body: { success: false, message: 'unknown code' } });
    expect(await message('/api/oauth/wechat?code=x')).toBe('unknown code');
    oauth.world.answer = () => ({ body: { success: true, data: '' } });
    expect(await message('/api/oauth/wechat?code=x')).toBe('Verification code wrong or expired');
  });
});

describe('Telegram', () => {
  const now = (): number => Math.floor(Date.now() / 1000);
  const signed = (fields: Record<string, string>): URLSearchParams => {
    const text = Object.entries(fields)
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join('\n');
    const key = createHash('sha256').update('123:bot').digest();
    return new URLSearchParams({ ...fields, hash: createHmac('sha256', key).update(text).digest('hex') });
  };
  const answer = (fields: Record<string, string> = {}) =>
    signed({ id: '777', first_name: 'Té', auth_date: String(now()), ...fields }).toString();

  it('binds, then signs in; nobody registers', async () => {
    const user = await oauth.invite();
    const login = () => oauth.browser().get(`/api/oauth/telegram/login?${answer()}`);
    expect((await login()).body).toMatchObject({ success: false, message: 'This Telegram account is not bound' });
    const bound = await oauth.browser(user).get(`/api/oauth/telegram/bind?${answer()}`);
    expect([bound.status, bound.headers.get('location')]).toEqual([302, '/setting']);
    expect((await login()).body).toMatchObject({ success: true, data: { id: user.id } });
    const other = oauth.browser(await oauth.invite());
    expect((await other.get(`/api/oauth/telegram/bind?${answer()}`)).body['message']).toContain('already bound');
  });

  it.each([
    ['another hash', () => answer().replace(/hash=\w{4}/, 'hash=0000')],
    ['another field', () => `${answer()}&first_name=Eve`.replace('id=777', 'id=778')],
    ['no hash', () => 'id=777'],
    ['an old answer', () => answer({ auth_date: String(now() - 301) })],
    ['an answer of tomorrow', () => answer({ auth_date: String(now() + 86_400) })],
    ['no id', () => signed({ auth_date: String(now()) }).toString()],
  ])('refuses %s', async (_what, query) => {
    const user = await oauth.invite();
    await oauth.site.query(`UPDATE users SET telegram_id = '777' WHERE id = $1`, [user.id]);
    const { body } = await oauth.browser().get(`/api/oauth/telegram/login?${query()}`);
    expect(body).toMatchObject({ success: false, message: 'Invalid request' });
  });

  it('lets the banned out', async () => {
    const user = await oauth.invite();
    await oauth.site.query(`UPDATE users SET telegram_id = '777', status = 'banned' WHERE id = $1`, [user.id]);
    const { body, headers } = await oauth.browser().get(`/api/oauth/telegram/login?${answer()}`);
    expect([body['message'], headers.getSetCookie()]).toEqual(['User is banned', []]);
  });

  it('binds without the header only with a state that is used once', async () => {
    const user = await oauth.invite();
    const browser = oauth.browser(user);
    const state = await browser.state();
    const bare = (query: string) => browser.get(`/api/oauth/telegram/bind?${query}`, {});
    expect((await bare(answer())).status).toBe(401);
    expect((await bare(`${answer()}&state=${state}`)).status).toBe(302);
    expect((await bare(`${answer()}&state=${state}`)).status).toBe(403);
  });
});

describe('GET /api/oauth/email/bind', () => {
  const codeFor = async (email: string): Promise<string> => {
    await oauth.site.rest(null, 'GET', `/api/verification?email=${email}`, undefined, anywhere());
    return /<strong>(\w+)</.exec((await oauth.mail.mailTo(email)).html)?.[1] ?? '';
  };

  it('stores a proven address, once', async () => {
    const user = await oauth.invite();
    const browser = oauth.browser(user);
    const code = await codeFor('bind@example.com');
    const path = `/api/oauth/email/bind?email=bind@example.com&code=${code}`;
    expect((await browser.get(path)).body).toEqual({ success: true, message: '' });
    expect(await oauth.rowOf(user.id)).toMatchObject({ email: 'bind@example.com' });
    expect((await browser.get(path)).body['message']).toBe('Verification code wrong or expired');
  });

  it('asks again whether the address is free', async () => {
    const [user, other] = [await oauth.invite(), await oauth.invite()];
    const code = await codeFor('race@example.com');
    await oauth.site.query(`UPDATE users SET email = 'Race@example.com' WHERE id = $1`, [other.id]);
    const { body } = await oauth.browser(user).get(`/api/oauth/email/bind?email=race@example.com&code=${code}`);
    expect(body).toMatchObject({ success: false, message: 'E-mail address already in use' });
  });

  it('GraphQL does the same', async () => {
    const user = await oauth.invite();
    const code = await codeFor('graph@example.com');
    const query = `mutation ($code: String!) {
      bindEmail(input: { email: "graph@example.com", code: $code }) { user { id email } }
    }`;
    expect((await oauth.site.graphql(user, query, { code: 'wrong' }, anywhere())).codes).toEqual(['INVALID_INPUT']);
    expect((await oauth.site.graphql(user, query, { code }, anywhere())).data).toEqual({
      bindEmail: { user: { id: user.id, email: 'graph@example.com' } },
    });
  });
});

it('a session that a new password ended meanwhile binds nothing', async () => {
  const user = await oauth.invite();
  const thief = await oauth.site.signIn(user.username, user.password);
  const setPassword = () => oauth.site.expectSuccess(user, 'PUT', '/api/user/self', { password: user.password });
  oauth.world.answer = async () => {
    await setPassword();
    return { body: { success: true, message: '', data: 'wx-thief' } };
  };
  const wechat = await oauth.browser(thief).get('/api/oauth/wechat/bind?code=thief');
  expect(wechat.body).toMatchObject({ success: false, code: 'NOT_SIGNED_IN' });

  const again = await oauth.site.signIn(user.username, user.password);
  jest.spyOn(EmailCodeService.prototype, 'verify').mockImplementationOnce(async (email) => {
    await setPassword();
    return email;
  });
  jest.spyOn(EmailCodeService.prototype, 'consume').mockResolvedValueOnce();
  const email = await oauth.browser(again).get('/api/oauth/email/bind?email=thief@example.com&code=abcdef');
  expect(email.body).toMatchObject({ success: false, code: 'NOT_SIGNED_IN' });
  expect(await oauth.rowOf(user.id)).toMatchObject({ wechat_id: '', email: '' });
});

describe('letting an identity go', () => {
  const unbind = (browser: Browser, provider: string) =>
    browser.graphql(`mutation { unbindIdentity(provider: ${provider}) { user { identities { provider } } } }`);

  it('takes it from its owner, and frees it for others', async () => {
    const [user, other] = [await oauth.invite(), await oauth.invite()];
    await oauth.browser(user).get('/api/oauth/wechat/bind?code=free');
    expect(await unbind(oauth.browser(user), 'WECHAT')).toEqual({ unbindIdentity: { user: { identities: [] } } });
    expect(await oauth.rowOf(user.id)).toMatchObject({ wechat_id: '' });
    expect((await oauth.browser(other).get('/api/oauth/wechat/bind?code=free')).body['success']).toBe(true);
  });

  it('never locks anybody out: without a password one identity stays', async () => {
    const browser = oauth.browser();
    browser.userId = idIn(await browser.get('/api/oauth/wechat?code=alone'));
    expect(await unbind(browser, 'WECHAT')).toEqual({ unbindIdentity: null });
    expect(await oauth.rowOf(browser.userId)).toMatchObject({ wechat_id: 'wx-alone' });
    await browser.get(`/api/oauth/github?code=c&state=${await browser.state()}`);
    const both = await Promise.all([unbind(browser, 'WECHAT'), unbind(browser, 'GITHUB')]);
    expect(both).toContainEqual({ unbindIdentity: { user: { identities: [expect.anything()] } } });
    expect(both).toContainEqual({ unbindIdentity: null });
  });
});

it('the audit log has what admins bind and release, and not what users do', async () => {
  const [admin, user] = [await oauth.site.invite(oauth.root, 'admin'), await oauth.invite()];
  for (const person of [admin, user]) {
    const email = `audited${person.id}@example.com`;
    await oauth.site.rest(null, 'GET', `/api/verification?email=${email}`, undefined, anywhere());
    const code = /<strong>(\w+)</.exec((await oauth.mail.mailTo(email)).html)?.[1] ?? '';
    const browser = oauth.browser(person);
    const bound = await browser.get(`/api/oauth/email/bind?email=${email}&code=${code}`);
    expect(bound.body).toMatchObject({ success: true });
    await browser.get(`/api/oauth/wechat/bind?code=of-${person.id}`);
    expect(await browser.graphql('mutation { unbindIdentity(provider: WECHAT) { user { id } } }')).toMatchObject({
      unbindIdentity: { user: { id: person.id } },
    });
  }
  const entries = await oauth.site.query<Record<string, unknown>>(
    `SELECT actor_id AS actor, ip <> '' AS "hasAddress", action, subject, subject_id AS id, changes FROM audit_entries
      WHERE actor_id = ANY($1) ORDER BY audit_entries.id`,
    [[admin.id, user.id]],
  );
  const common = { actor: admin.id, hasAddress: true, action: 'update', subject: 'user', id: String(admin.id) };
  const subject = `wx-of-${admin.id}`;
  expect(entries).toEqual([
    { ...common, changes: [{ field: 'email', before: '', after: `audited${admin.id}@example.com` }] },
    { ...common, changes: [{ field: 'wechatId', before: '', after: subject }] },
    { ...common, changes: [{ field: 'wechatId', before: subject, after: '' }] },
  ]);
});

it('bindings want somebody signed in: 401, never 500', async () => {
  for (const path of ['wechat/bind?code=x', 'email/bind?email=a@b.cd&code=x', 'telegram/bind?id=1']) {
    const { status, body } = await oauth.browser().get(`/api/oauth/${path}`);
    expect([path, status, body['code']]).toEqual([path, 401, 'NOT_SIGNED_IN']);
  }
});

import { createHash, createHmac } from 'node:crypto';
import { poolOf } from '../../server/src/db/data-source.js';
import { reconcile } from '../../server/src/modules/quota/reconcile.service.js';
import { mailAccount, startMailServer, type MailServer } from '../support/mail-server.js';
import { startOidcIssuer, type OidcIssuer } from '../support/oidc.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { anywhere, Site, type Answer, type Person } from './site.js';

const oidcSecret = 'planted oidc secret';
let world: ScriptedServer;
let issuer: OidcIssuer;
let mail: MailServer;
let site: Site;
let root: Person;

/** What the other sites say about whoever comes with a code. */
const github = { id: 4711, login: 'octocat', name: 'Octo Cat', email: 'octo@example.com' };
const linuxDo = { id: 99, username: 'lin', name: 'Lin', active: true, trust_level: 2, silenced: false };
let people: { github: unknown; linuxdo: unknown };

beforeAll(async () => {
  world = await startScriptedServer(() => ({ status: 404 }));
  [issuer, mail, site] = await Promise.all([
    startOidcIssuer(oidcSecret, 'https://gate.example/oauth/oidc'),
    startMailServer(),
    Site.open({
      ...{ GITHUB_URL: `${world.url}/github`, GITHUB_API_URL: `${world.url}/github-api` },
      ...{ LINUXDO_URL: `${world.url}/linuxdo`, OUTBOUND_ALLOW: '127.0.0.1' },
    }),
  ]);
  root = await site.setUp();
  for (const [key, value] of Object.entries({
    ...{ ServerAddress: 'https://gate.example', QuotaForNewUser: '100', QuotaForInvitee: '20', QuotaForInviter: '7' },
    ...{ GitHubClientId: 'gh-id', GitHubClientSecret: 'gh-secret', GitHubOAuthEnabled: 'true' },
    ...{ LinuxDOClientId: 'ld-id', LinuxDOClientSecret: 'ld-secret', LinuxDOOAuthEnabled: 'true' },
    ...{ 'oidc.client_id': 'gate', 'oidc.client_secret': oidcSecret, 'oidc.enabled': 'true' },
    'oidc.well_known': `${issuer.issuer}/.well-known/openid-configuration`,
    ...{ WeChatServerAddress: `${world.url}/wechat`, WeChatServerToken: 'we-token', WeChatAuthEnabled: 'true' },
    ...{ TelegramBotToken: '123:bot', TelegramBotName: 'bot', TelegramOAuthEnabled: 'true' },
    ...{ SMTPServer: '127.0.0.1', SMTPPort: String(mail.port), SMTPAccount: mailAccount.user },
    SMTPToken: mailAccount.password,
  })) {
    await option(key, value);
  }
});
beforeEach(async () => {
  people = { github, linuxdo: linuxDo };
  world.calls.length = 0;
  world.answer = ({ url, headers }) => {
    switch (url.pathname) {
      case '/github/login/oauth/access_token':
      case '/linuxdo/oauth2/token':
        return { body: { access_token: 'token of a test' } };
      case '/github-api/user':
        return { status: headers.authorization === 'Bearer token of a test' ? 200 : 401, body: people.github };
      case '/linuxdo/api/user':
        return { body: people.linuxdo };
      case '/wechat/api/wechat/user':
        return { body: { success: true, message: '', data: `wx-${url.searchParams.get('code') ?? ''}` } };
      default:
        return { status: 404 };
    }
  };
  await site.query(`UPDATE users SET github_id = '', oidc_id = '', wechat_id = '', telegram_id = '', linux_do_id = '',
    email = ''`);
});
afterAll(async () => {
  expect(await reconcile(poolOf(site.dataSource))).toEqual([]);
  await Promise.all([site.stop(), world.stop(), issuer.stop(), mail.stop()]);
});

const option = (key: string, value: string) => site.expectSuccess(root, 'PUT', '/api/option/', { key, value });
/** Somebody's browser: keeps its cookies, sends the header that our own pages send. */
class Browser {
  private readonly cookies = new Map<string, string>();
  userId = -1;

  constructor(person?: Person) {
    if (!person) return;
    this.cookies.set('session', person.cookie.slice('session='.length));
    this.userId = person.id;
  }

  async get(path: string, headers: Record<string, string> = { 'veloera-user': String(this.userId) }): Promise<Answer> {
    return this.send('GET', path, undefined, headers);
  }

  async graphql(query: string): Promise<Record<string, unknown>> {
    const headers: Record<string, string> = this.userId > 0 ? { 'veloera-user': String(this.userId) } : {};
    const answer = await this.send('POST', '/graphql', { query }, { 'content-type': 'application/json', ...headers });
    return answer.body.data as Record<string, unknown>;
  }

  async state(query = ''): Promise<string> {
    return (await this.get(`/api/oauth/state${query}`)).body.data as string;
  }

  private async send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await site.rest(null, method, path, body, { ...anywhere(), cookie, ...headers });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      this.cookies.set(name, value);
    }
    return answer;
  }
}

const rowOf = async (id: number): Promise<Record<string, unknown>> =>
  (await site.query<Record<string, unknown>>('SELECT * FROM users WHERE id = $1', [id]))[0] ?? {};
const idIn = (answer: Answer): number => (answer.body.data as { id: number }).id;

describe('the state', () => {
  it('is 128 random bits, works once, and only in the browser it was made in', async () => {
    const browser = new Browser();
    const state = await browser.state();
    expect(state).toMatch(/^[\w-]{22}$/);
    const refused = { success: false, message: 'state is empty or not same' };
    const other = await new Browser().get(`/api/oauth/github?code=c&state=${state}`);
    expect([other.status, other.body]).toMatchObject([403, refused]);
    const mine = await browser.state();
    expect((await browser.get(`/api/oauth/github?code=c&state=${mine}`)).body['success']).toBe(true);
    const again = await new Browser().get(`/api/oauth/github?code=c&state=${mine}`);
    expect([again.status, again.body]).toMatchObject([403, refused]);
    for (const wrong of ['', 'x', 'x'.repeat(22)]) {
      expect((await new Browser().get(`/api/oauth/github?code=c&state=${wrong}`)).status).toBe(403);
    }
  });

  it('made for one provider is refused for another', async () => {
    const browser = new Browser();
    const state = await browser.state('?provider=linuxdo');
    expect((await browser.get(`/api/oauth/github?code=c&state=${state}`)).status).toBe(403);
  });

  it('made for a stranger binds nobody, and the other way round', async () => {
    const browser = new Browser();
    const state = await browser.state();
    const user = await site.invite(root);
    const signedIn = new Browser(user);
    const own = await signedIn.state();
    expect((await signedIn.get(`/api/oauth/github?code=c&state=${state}`)).status).toBe(403);
    expect((await browser.get(`/api/oauth/github?code=c&state=${own}`)).status).toBe(403);
    expect(await rowOf(user.id)).toMatchObject({ github_id: '' });
  });

  it('fifty uses at once: one sign-in', async () => {
    const browser = new Browser();
    const state = await browser.state();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => browser.get(`/api/oauth/github?code=c&state=${state}`)),
    );
    expect(answers.filter(({ body }) => body['success'] === true)).toHaveLength(1);
  });
});

describe.each([
  ['github', 'github_id', '4711', 'github_', 'Octo Cat', 'GitHub'],
  ['linuxdo', 'linux_do_id', '99', 'linuxdo_', 'Lin', 'Linux DO'],
] as const)('GET /api/oauth/%s', (provider, column, identity, prefix, displayName, label) => {
  const come = async (browser: Browser, query = '') => {
    const state = await browser.state(query);
    return browser.get(`/api/oauth/${provider}?code=the%20code&state=${state}`);
  };

  it('registers whoever is new, then signs him in', async () => {
    const browser = new Browser();
    const answer = await come(browser);
    expect(answer.body).toMatchObject({
      success: true,
      message: '',
      data: { role: 1, status: 1, quota: 0, email: '' },
    });
    const id = idIn(answer);
    expect(await rowOf(id)).toMatchObject({
      ...{ [column]: identity, username: `${prefix}${id}`, display_name: displayName, quota: '100', email: '' },
      password_hash: null,
    });
    browser.userId = id;
    expect((await browser.get('/api/user/self')).body.data).toMatchObject({ id });
    expect(idIn(await come(new Browser()))).toBe(id);
  });

  it('rewards the inviter', async () => {
    const inviter = await site.invite(root);
    const code = (await site.rest(inviter, 'GET', '/api/user/aff')).body.data as string;
    const id = idIn(await come(new Browser(), `?aff=${code}`));
    expect(await rowOf(id)).toMatchObject({ inviter_id: inviter.id, quota: '120' });
    expect(await rowOf(inviter.id)).toMatchObject({ aff_count: 1, aff_quota: '7' });
  });

  it('of fifty first sign-ins at once all are the same person', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => come(new Browser())));
    expect(new Set(answers.map(idIn)).size).toBe(1);
    expect(await site.query(`SELECT 1 FROM users WHERE ${column} = $1`, [identity])).toHaveLength(1);
  });

  it('binds for whoever is signed in, once', async () => {
    const [user, other] = [await site.invite(root), await site.invite(root)];
    expect((await come(new Browser(user))).body).toEqual({ success: true, message: 'bind' });
    expect(await rowOf(user.id)).toMatchObject({ [column]: identity });
    expect((await come(new Browser(other))).body).toMatchObject({
      ...{ success: false, message: `This ${label} account is already bound` },
    });
    expect(idIn(await come(new Browser()))).toBe(user.id);
  });

  it('refuses the banned, the deleted, and newcomers when registration is closed', async () => {
    const user = await site.invite(root);
    await come(new Browser(user));
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: user.id, action: 'disable' });
    expect((await come(new Browser())).body).toMatchObject({ success: false, message: 'User is banned' });
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: user.id, action: 'delete' });
    expect((await come(new Browser())).body).toMatchObject({ success: false, message: 'User has been deactivated' });
    await site.query(`UPDATE users SET ${column} = '' WHERE id = $1`, [user.id]);
    await option('RegisterEnabled', 'false');
    const closed = await come(new Browser());
    await option('RegisterEnabled', 'true');
    expect(closed.body).toMatchObject({ success: false, message: 'New user registration is closed' });
    expect(closed.headers.getSetCookie().join()).not.toContain('session=');
  });

  it('says what is wrong without the provider’s words', async () => {
    const browser = new Browser();
    const noCode = await browser.get(`/api/oauth/${provider}?code=&state=${await browser.state()}`);
    expect(noCode.body['message']).toBe('Invalid parameter');
    world.answer = () => ({ body: { error: 'bad_verification_code', message: 'planted words' } });
    expect((await come(browser)).body['message']).toBe(`${label} did not accept the code, sign in again`);
    world.answer = () => ({ status: 502, body: 'planted words' });
    expect((await come(browser)).body['message']).toBe(`Cannot reach the ${label} server, try later`);
    people = { github: { id: '4711', login: 'x' }, linuxdo: { id: -1 } };
  });
});

describe('GitHub', () => {
  const come = async (browser: Browser) => browser.get(`/api/oauth/github?code=c&state=${await browser.state()}`);

  it('is asked as the contract says', async () => {
    await come(new Browser());
    const [token, profile] = world.calls;
    expect([token?.method, token?.headers.accept]).toEqual(['POST', 'application/json']);
    expect(JSON.parse(token?.body ?? '')).toEqual({ client_id: 'gh-id', client_secret: 'gh-secret', code: 'c' });
    expect(profile?.headers.authorization).toBe('Bearer token of a test');
  });

  it('knows people by number: a login that was taken over opens nothing', async () => {
    const id = idIn(await come(new Browser()));
    people.github = { ...github, id: 666 };
    expect(idIn(await come(new Browser()))).not.toBe(id);
  });

  it('moves a row of an older console from login to number once', async () => {
    const user = await site.invite(root);
    await site.query(`UPDATE users SET github_id = 'octocat' WHERE id = $1`, [user.id]);
    expect(idIn(await come(new Browser()))).toBe(user.id);
    expect(await rowOf(user.id)).toMatchObject({ github_id: '4711' });
    people.github = { ...github, id: 5, login: '4711' };
    expect(idIn(await come(new Browser()))).not.toBe(user.id);
  });

  it('is off until it is on, for binding too', async () => {
    const user = await site.invite(root);
    const [browser, bound] = [new Browser(), new Browser(user)];
    const states = [await browser.state(), await bound.state()];
    await option('GitHubOAuthEnabled', 'false');
    const answers = [
      await browser.get(`/api/oauth/github?code=c&state=${states[0]}`),
      await bound.get(`/api/oauth/github?code=c&state=${states[1]}`),
    ];
    await option('GitHubOAuthEnabled', 'true');
    for (const { body } of answers) expect(body['message']).toBe('Sign-in through GitHub is not enabled');
  });

  it('GraphQL begins with the whole address', async () => {
    const browser = new Browser();
    const data = await browser.graphql('mutation { beginSignIn(provider: GITHUB) { state url } }');
    const { state, url } = data['beginSignIn'] as { state: string; url: string };
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      ...{ client_id: 'gh-id', redirect_uri: 'https://gate.example/oauth/github', scope: 'user:email', state },
    });
    expect((await browser.get(`/api/oauth/github?code=c&state=${state}`)).body['success']).toBe(true);
  });
});

describe('Linux DO', () => {
  it('is asked as the contract says, with our own page as the way back', async () => {
    const browser = new Browser();
    await browser.get(`/api/oauth/linuxdo?code=c&state=${await browser.state()}`);
    const [token] = world.calls;
    expect(token?.headers.authorization).toBe(`Basic ${Buffer.from('ld-id:ld-secret').toString('base64')}`);
    expect(Object.fromEntries(new URLSearchParams(token?.body))).toEqual({
      ...{ grant_type: 'authorization_code', code: 'c', redirect_uri: 'https://gate.example/oauth/linuxdo' },
    });
  });

  it('hands its refusal on', async () => {
    const { body } = await new Browser().get('/api/oauth/linuxdo?error=access_denied&error_description=No%20thanks');
    expect(body).toMatchObject({ success: false, message: 'No thanks' });
  });
});

describe('OIDC, with a real provider', () => {
  const begin = async (browser: Browser): Promise<{ state: string; url: string }> =>
    (await browser.graphql('mutation { beginSignIn(provider: OIDC) { state url } }'))['beginSignIn'] as {
      state: string;
      url: string;
    };
  const comeBack = (browser: Browser, url: URL) => browser.get(`/api/oauth/oidc${url.search}`);
  const come = async (browser: Browser, person: string) =>
    comeBack(browser, await issuer.visit((await begin(browser)).url, person));

  it('registers and signs in by a verified id token, with nonce and PKCE', async () => {
    const browser = new Browser();
    const { url } = await begin(browser);
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      ...{ code_challenge_method: 'S256', nonce: expect.any(String), redirect_uri: 'https://gate.example/oauth/oidc' },
    });
    const answer = await comeBack(browser, await issuer.visit(url, 'mallory'));
    expect(await rowOf(idIn(answer))).toMatchObject({
      ...{ oidc_id: 'mallory', username: 'mallory', display_name: 'Name of mallory', email: 'mallory@example.com' },
    });
    expect(idIn(await come(new Browser(), 'mallory'))).toBe(idIn(answer));
  });

  it('works for older clients, which build the address themselves and hand on code and state alone', async () => {
    const browser = new Browser();
    const state = await browser.state();
    const url = new URL(`${issuer.issuer}/auth`);
    url.search = new URLSearchParams({
      ...{ client_id: 'gate', redirect_uri: 'https://gate.example/oauth/oidc', response_type: 'code', state },
      scope: 'openid profile email',
    }).toString();
    const back = await issuer.visit(url.href, 'older');
    const answer = await browser.get(`/api/oauth/oidc?code=${back.searchParams.get('code') ?? ''}&state=${state}`);
    expect(answer.body).toMatchObject({ success: true, data: { username: 'older' } });
  });

  it('keeps no unproven and no taken address, and gives a free name', async () => {
    const owner = await site.invite(root);
    await site.query(`UPDATE users SET email = 'TAKEN-one@example.com' WHERE id = $1`, [owner.id]);
    const unproven = await rowOf(idIn(await come(new Browser(), 'unproven-one')));
    expect(unproven).toMatchObject({ oidc_id: 'unproven-one', email: '' });
    const taken = await rowOf(idIn(await come(new Browser(), 'taken-one')));
    expect(taken).toMatchObject({ email: '' });
    const second = await rowOf(idIn(await come(new Browser(), 'taken-two')));
    expect(second['username']).toMatch(/^oidc_\d+$/);
  });

  it('refuses a code of somebody else’s sign-in, and one that was used', async () => {
    const [mine, theirs] = [new Browser(), new Browser()];
    const stolen = await issuer.visit((await begin(theirs)).url, 'victim');
    const { state } = await begin(mine);
    const code = stolen.searchParams.get('code') ?? '';
    const refused = await mine.get(`/api/oauth/oidc?code=${code}&state=${state}`);
    expect(refused.body).toMatchObject({ success: false, message: 'OIDC did not accept the code, sign in again' });
    expect(JSON.stringify(refused.body)).not.toMatch(/invalid_grant|nonce|pkce/i);
  });

  it('binds', async () => {
    const user = await site.invite(root);
    expect((await come(new Browser(user), 'bound')).body).toEqual({ success: true, message: 'bind' });
    expect(await rowOf(user.id)).toMatchObject({ oidc_id: 'bound' });
  });

  it('root reads the endpoints for the settings; nobody else does', async () => {
    const query = 'mutation ($url: String!) { discoverOidc(wellKnown: $url) { authorizationEndpoint tokenEndpoint } }';
    const url = `${issuer.issuer}/.well-known/openid-configuration`;
    expect((await site.graphql(root, query, { url })).data).toEqual({
      discoverOidc: { authorizationEndpoint: `${issuer.issuer}/auth`, tokenEndpoint: `${issuer.issuer}/token` },
    });
    const metadata = 'http://169.254.169.254/.well-known/openid-configuration';
    expect((await site.graphql(root, query, { url: metadata })).codes).toEqual(['UPSTREAM_UNREACHABLE']);
    expect((await site.graphql(root, query, { url: 'file:///etc/passwd' })).codes).toEqual(['INVALID_INPUT']);
  });
});

describe('WeChat', () => {
  it('registers, signs in and binds by a code', async () => {
    const answer = await new Browser().get('/api/oauth/wechat?code=a%26b');
    expect(await rowOf(idIn(answer))).toMatchObject({ wechat_id: 'wx-a&b', display_name: 'WeChat User' });
    expect(world.calls[0]?.headers.authorization).toBe('we-token');
    expect(idIn(await new Browser().get('/api/oauth/wechat?code=a%26b'))).toBe(idIn(answer));
    const user = await site.invite(root);
    const browser = new Browser(user);
    expect((await browser.get('/api/oauth/wechat/bind?code=a%26b')).body['message']).toContain('already bound');
    expect((await browser.get('/api/oauth/wechat/bind?code=new')).body).toEqual({ success: true, message: '' });
    expect(await rowOf(user.id)).toMatchObject({ wechat_id: 'wx-new' });
    expect(await browser.graphql('mutation { bindWechat(code: "newer") }')).toEqual({ bindWechat: true });
  });

  it('says what is wrong', async () => {
    const message = async (path: string) => (await new Browser().get(path)).body['message'];
    expect(await message('/api/oauth/wechat?code=')).toBe('Invalid parameter');
    world.answer = () => ({ body: { success: false, message: 'unknown code' } });
    expect(await message('/api/oauth/wechat?code=x')).toBe('unknown code');
    world.answer = () => ({ body: { success: true, data: '' } });
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
    const user = await site.invite(root);
    const login = () => new Browser().get(`/api/oauth/telegram/login?${answer()}`);
    expect((await login()).body).toMatchObject({ success: false, message: 'This Telegram account is not bound' });
    const bound = await new Browser(user).get(`/api/oauth/telegram/bind?${answer()}`);
    expect([bound.status, bound.headers.get('location')]).toEqual([302, '/setting']);
    expect((await login()).body).toMatchObject({ success: true, data: { id: user.id } });
    const other = new Browser(await site.invite(root));
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
    const user = await site.invite(root);
    await site.query(`UPDATE users SET telegram_id = '777' WHERE id = $1`, [user.id]);
    const { body } = await new Browser().get(`/api/oauth/telegram/login?${query()}`);
    expect(body).toMatchObject({ success: false, message: 'Invalid request' });
  });

  it('lets the banned out', async () => {
    const user = await site.invite(root);
    await site.query(`UPDATE users SET telegram_id = '777', status = 2 WHERE id = $1`, [user.id]);
    const { body, headers } = await new Browser().get(`/api/oauth/telegram/login?${answer()}`);
    expect([body['message'], headers.getSetCookie()]).toEqual(['User is banned', []]);
  });

  it('binds without the header only with a state that is used once', async () => {
    const user = await site.invite(root);
    const browser = new Browser(user);
    const state = await browser.state();
    const bare = (query: string) => browser.get(`/api/oauth/telegram/bind?${query}`, {});
    expect((await bare(answer())).status).toBe(401);
    expect((await bare(`${answer()}&state=${state}`)).status).toBe(302);
    expect((await bare(`${answer()}&state=${state}`)).status).toBe(403);
  });
});

describe('GET /api/oauth/email/bind', () => {
  const codeFor = async (email: string): Promise<string> => {
    await site.rest(null, 'GET', `/api/verification?email=${email}`, undefined, anywhere());
    return /<strong>(\w+)</.exec((await mail.mailTo(email)).html)?.[1] ?? '';
  };

  it('stores a proven address, once', async () => {
    const user = await site.invite(root);
    const browser = new Browser(user);
    const code = await codeFor('bind@example.com');
    const path = `/api/oauth/email/bind?email=bind@example.com&code=${code}`;
    expect((await browser.get(path)).body).toEqual({ success: true, message: '' });
    expect(await rowOf(user.id)).toMatchObject({ email: 'bind@example.com' });
    expect((await browser.get(path)).body['message']).toBe('Verification code wrong or expired');
  });

  it('asks again whether the address is free', async () => {
    const [user, other] = [await site.invite(root), await site.invite(root)];
    const code = await codeFor('race@example.com');
    await site.query(`UPDATE users SET email = 'Race@example.com' WHERE id = $1`, [other.id]);
    const { body } = await new Browser(user).get(`/api/oauth/email/bind?email=race@example.com&code=${code}`);
    expect(body).toMatchObject({ success: false, message: 'E-mail address already in use' });
  });

  it('GraphQL does the same', async () => {
    const user = await site.invite(root);
    const code = await codeFor('graph@example.com');
    const query = 'mutation ($code: String!) { bindEmail(email: "graph@example.com", code: $code) }';
    expect((await site.graphql(user, query, { code: 'wrong' }, anywhere())).codes).toEqual(['INVALID_INPUT']);
    expect((await site.graphql(user, query, { code }, anywhere())).data).toEqual({ bindEmail: true });
  });
});

it('bindings want somebody signed in: 401, never 500', async () => {
  for (const path of ['wechat/bind?code=x', 'email/bind?email=a@b.cd&code=x', 'telegram/bind?id=1']) {
    const { status, body } = await new Browser().get(`/api/oauth/${path}`);
    expect([path, status, body['code']]).toEqual([path, 401, 'NOT_SIGNED_IN']);
  }
});

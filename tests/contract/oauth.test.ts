import { github, idIn, OAuthSite, type Browser } from './oauth-site.js';

let oauth: OAuthSite;
beforeAll(async () => (oauth = await OAuthSite.open()));
beforeEach(() => oauth.reset());
afterAll(() => oauth.stop());

describe('the state', () => {
  it('is 128 random bits, works once, and only in the browser it was made in', async () => {
    const browser = oauth.browser();
    const state = await browser.state();
    expect(state).toMatch(/^[\w-]{22}$/);
    const refused = { success: false, message: 'state is empty or not same' };
    const other = await oauth.browser().get(`/api/oauth/github?code=c&state=${state}`);
    expect([other.status, other.body]).toMatchObject([403, refused]);
    const mine = await browser.state();
    expect((await browser.get(`/api/oauth/github?code=c&state=${mine}`)).body['success']).toBe(true);
    const again = await oauth.browser().get(`/api/oauth/github?code=c&state=${mine}`);
    expect([again.status, again.body]).toMatchObject([403, refused]);
    for (const wrong of ['', 'x', 'x'.repeat(22)]) {
      expect((await oauth.browser().get(`/api/oauth/github?code=c&state=${wrong}`)).status).toBe(403);
    }
  });

  it('made for one provider is refused for another', async () => {
    const browser = oauth.browser();
    const state = await browser.state('?provider=linuxdo');
    expect((await browser.get(`/api/oauth/github?code=c&state=${state}`)).status).toBe(403);
  });

  it('made for a stranger binds nobody, and the other way round', async () => {
    const browser = oauth.browser();
    const state = await browser.state();
    const user = await oauth.invite();
    const signedIn = oauth.browser(user);
    const own = await signedIn.state();
    expect((await signedIn.get(`/api/oauth/github?code=c&state=${state}`)).status).toBe(403);
    expect((await browser.get(`/api/oauth/github?code=c&state=${own}`)).status).toBe(403);
    expect(await oauth.rowOf(user.id)).toMatchObject({ github_id: '' });
  });

  it('fifty uses at once: one sign-in', async () => {
    const browser = oauth.browser();
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
    const browser = oauth.browser();
    const answer = await come(browser);
    expect(answer.body).toMatchObject({
      success: true,
      message: '',
      data: { role: 1, status: 1, quota: 0, email: '' },
    });
    const id = idIn(answer);
    expect(await oauth.rowOf(id)).toMatchObject({
      [column]: identity,
      username: `${prefix}${id}`,
      display_name: displayName,
      quota: '100',
      email: '',
      password_hash: null,
    });
    browser.userId = id;
    expect((await browser.get('/api/user/self')).body.data).toMatchObject({ id });
    expect(idIn(await come(oauth.browser()))).toBe(id);
  });

  it('gives the next free number when the name of the first is taken', async () => {
    const [row] = await oauth.site.query<{ next: number }>('SELECT max(id) + 1 AS next FROM users');
    const next = row?.next ?? 0;
    const names = [0, 1, 2, 3].map((more) => `${prefix}${next + more}`);
    // Other users have the first two of the next names.
    await oauth.site.query(
      `INSERT INTO users (id, username) OVERRIDING SYSTEM VALUE
       SELECT -100000 - row_number() OVER () - (random() * 90000)::int, name FROM unnest($1::text[]) AS name`,
      [names.slice(0, 2)],
    );
    const answer = await come(oauth.browser());
    expect(answer.body['success']).toBe(true);
    const { username } = await oauth.rowOf(idIn(answer));
    expect(username).toMatch(new RegExp(`^${prefix}\\d+$`));
    expect(names.slice(0, 2)).not.toContain(username);
  });

  it('rewards the inviter', async () => {
    const inviter = await oauth.invite();
    const code = (await oauth.site.rest(inviter, 'GET', '/api/user/aff')).body.data as string;
    const id = idIn(await come(oauth.browser(), `?aff=${code}`));
    expect(await oauth.rowOf(id)).toMatchObject({ inviter_id: inviter.id, quota: '120' });
    expect(await oauth.rowOf(inviter.id)).toMatchObject({ aff_count: 1, aff_quota: '7' });
  });

  it('of fifty first sign-ins at once all are the same person', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => come(oauth.browser())));
    expect(new Set(answers.map(idIn)).size).toBe(1);
    expect(await oauth.site.query(`SELECT 1 FROM users WHERE ${column} = $1`, [identity])).toHaveLength(1);
  });

  it('binds for whoever is signed in, once', async () => {
    const [user, other] = [await oauth.invite(), await oauth.invite()];
    expect((await come(oauth.browser(user))).body).toEqual({ success: true, message: 'bind' });
    expect(await oauth.rowOf(user.id)).toMatchObject({ [column]: identity });
    expect((await come(oauth.browser(other))).body).toMatchObject({
      success: false,
      message: `This ${label} account is already bound`,
    });
    expect(idIn(await come(oauth.browser()))).toBe(user.id);
  });

  it('refuses the banned, the deleted, and newcomers when registration is closed', async () => {
    const user = await oauth.invite();
    await come(oauth.browser(user));
    await oauth.site.expectSuccess(oauth.root, 'POST', '/api/user/manage', { id: user.id, action: 'disable' });
    expect((await come(oauth.browser())).body).toMatchObject({ success: false, message: 'User is banned' });
    await oauth.site.expectSuccess(oauth.root, 'POST', '/api/user/manage', { id: user.id, action: 'delete' });
    expect((await come(oauth.browser())).body).toMatchObject({ success: false, message: 'User has been deactivated' });
    await oauth.site.query(`UPDATE users SET ${column} = '' WHERE id = $1`, [user.id]);
    await oauth.options({ RegisterEnabled: 'false' });
    const closed = await come(oauth.browser());
    await oauth.options({ RegisterEnabled: 'true' });
    expect(closed.body).toMatchObject({ success: false, message: 'New user registration is closed' });
    expect(closed.headers.getSetCookie().join()).not.toContain('session=');
  });

  it('says what is wrong without the provider’s words', async () => {
    const browser = oauth.browser();
    const noCode = await browser.get(`/api/oauth/${provider}?code=&state=${await browser.state()}`);
    expect(noCode.body['message']).toBe('Invalid parameter');
    oauth.world.answer = () => ({ body: { error: 'bad_verification_code', message: 'planted words' } });
    expect((await come(browser)).body['message']).toBe(`${label} did not accept the code. Sign in again.`);
    oauth.world.answer = () => ({ status: 502, body: 'planted words' });
    expect((await come(browser)).body['message']).toBe(`Cannot reach the ${label} server, try later`);
    oauth.people = { github: { id: '4711', login: 'x' }, linuxdo: { id: -1 } };
  });
});

describe('GitHub', () => {
  const come = async (browser: Browser) => browser.get(`/api/oauth/github?code=c&state=${await browser.state()}`);

  it('sends the documented requests', async () => {
    await come(oauth.browser());
    const [token, profile] = oauth.world.calls;
    expect([token?.method, token?.headers.accept]).toEqual(['POST', 'application/json']);
    expect(JSON.parse(token?.body ?? '')).toEqual({ client_id: 'gh-id', client_secret: 'gh-secret', code: 'c' });
    expect(profile?.headers.authorization).toBe('Bearer token of a test');
  });

  it('knows people by number: a login that was taken over opens nothing', async () => {
    const id = idIn(await come(oauth.browser()));
    oauth.people.github = { ...github, id: 666 };
    expect(idIn(await come(oauth.browser()))).not.toBe(id);
  });

  it('moves a row of an older console from login to number once', async () => {
    const user = await oauth.invite();
    await oauth.site.query(`UPDATE users SET github_id = 'octocat' WHERE id = $1`, [user.id]);
    expect(idIn(await come(oauth.browser()))).toBe(user.id);
    expect(await oauth.rowOf(user.id)).toMatchObject({ github_id: '4711' });
    oauth.people.github = { ...github, id: 5, login: '4711' };
    expect(idIn(await come(oauth.browser()))).not.toBe(user.id);
  });

  it('is off until it is on, for binding too', async () => {
    const user = await oauth.invite();
    const [browser, bound] = [oauth.browser(), oauth.browser(user)];
    const states = [await browser.state(), await bound.state()];
    await oauth.options({ GitHubOAuthEnabled: 'false' });
    const answers = [
      await browser.get(`/api/oauth/github?code=c&state=${states[0]}`),
      await bound.get(`/api/oauth/github?code=c&state=${states[1]}`),
    ];
    await oauth.options({ GitHubOAuthEnabled: 'true' });
    for (const { body } of answers) expect(body['message']).toBe('Sign-in through GitHub is not enabled');
  });

  it('GraphQL begins with the whole address', async () => {
    const browser = oauth.browser();
    const data = await browser.graphql('mutation { beginSignIn(input: { provider: GITHUB }) { state url } }');
    const { state, url } = data['beginSignIn'] as { state: string; url: string };
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: 'gh-id',
      redirect_uri: 'https://gate.example/oauth/github',
      scope: 'user:email',
      state,
    });
    expect((await browser.get(`/api/oauth/github?code=c&state=${state}`)).body['success']).toBe(true);
  });
});

describe('Linux DO', () => {
  it('sends the documented requests, with our own page as redirect address', async () => {
    const browser = oauth.browser();
    await browser.get(`/api/oauth/linuxdo?code=c&state=${await browser.state()}`);
    const [token] = oauth.world.calls;
    expect(token?.headers.authorization).toBe(`Basic ${Buffer.from('ld-id:ld-secret').toString('base64')}`);
    expect(Object.fromEntries(new URLSearchParams(token?.body))).toEqual({
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: 'https://gate.example/oauth/linuxdo',
    });
  });

  it('hands its refusal on', async () => {
    const { body } = await oauth.browser().get('/api/oauth/linuxdo?error=access_denied&error_description=No%20thanks');
    expect(body).toMatchObject({ success: false, message: 'No thanks' });
  });
});

import { startOidcIssuer, type OidcIssuer } from '../support/oidc.js';
import { idIn, OAuthSite, type Browser } from './oauth-site.js';

const secret = 'planted oidc secret';
let oauth: OAuthSite;
let issuer: OidcIssuer;
beforeAll(async () => {
  [oauth, issuer] = await Promise.all([OAuthSite.open(), startOidcIssuer(secret, 'https://gate.example/oauth/oidc')]);
  await oauth.options({
    'oidc.client_id': 'gate',
    'oidc.client_secret': secret,
    'oidc.enabled': 'true',
    'oidc.well_known': `${issuer.issuer}/.well-known/openid-configuration`,
  });
});
beforeEach(() => oauth.reset());
afterAll(() => Promise.all([oauth.stop(), issuer.stop()]));

describe('OIDC, with a real provider', () => {
  const begin = async (browser: Browser): Promise<{ state: string; url: string }> =>
    (await browser.graphql('mutation { beginSignIn(input: { provider: OIDC }) { state url } }'))['beginSignIn'] as {
      state: string;
      url: string;
    };
  const comeBack = (browser: Browser, url: URL) => browser.get(`/api/oauth/oidc${url.search}`);
  const come = async (browser: Browser, person: string) =>
    comeBack(browser, await issuer.visit((await begin(browser)).url, person));

  it('registers and signs in by a verified id token, with nonce and PKCE', async () => {
    const browser = oauth.browser();
    const { url } = await begin(browser);
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      code_challenge_method: 'S256',
      nonce: expect.any(String),
      redirect_uri: 'https://gate.example/oauth/oidc',
    });
    const answer = await comeBack(browser, await issuer.visit(url, 'mallory'));
    expect(await oauth.rowOf(idIn(answer))).toMatchObject({
      oidc_id: 'mallory',
      username: 'mallory',
      display_name: 'Name of mallory',
      email: 'mallory@example.com',
    });
    expect(idIn(await come(oauth.browser(), 'mallory'))).toBe(idIn(answer));
  });

  it('works for older clients, which build the address themselves and hand on code and state alone', async () => {
    const browser = oauth.browser();
    const state = await browser.state();
    const url = new URL(`${issuer.issuer}/auth`);
    url.search = new URLSearchParams({
      client_id: 'gate',
      redirect_uri: 'https://gate.example/oauth/oidc',
      response_type: 'code',
      state,
      scope: 'openid profile email',
    }).toString();
    const back = await issuer.visit(url.href, 'older');
    const answer = await browser.get(`/api/oauth/oidc?code=${back.searchParams.get('code') ?? ''}&state=${state}`);
    expect(answer.body).toMatchObject({ success: true, data: { username: 'older' } });
  });

  it('keeps no unproven and no taken address, and gives a free name', async () => {
    const owner = await oauth.invite();
    await oauth.site.query(`UPDATE users SET email = 'TAKEN-one@example.com' WHERE id = $1`, [owner.id]);
    const unproven = await oauth.rowOf(idIn(await come(oauth.browser(), 'unproven-one')));
    expect(unproven).toMatchObject({ oidc_id: 'unproven-one', email: '' });
    const taken = await oauth.rowOf(idIn(await come(oauth.browser(), 'taken-one')));
    expect(taken).toMatchObject({ email: '' });
    const second = await oauth.rowOf(idIn(await come(oauth.browser(), 'taken-two')));
    expect(second['username']).toMatch(/^oidc_\d+$/);
  });

  it('gives nobody a name that another user has in another case', async () => {
    const owner = await oauth.invite();
    await oauth.site.query(`UPDATE users SET username = 'Mallory' WHERE id = $1`, [owner.id]);
    const newcomer = await oauth.rowOf(idIn(await come(oauth.browser(), 'mallory')));
    expect(newcomer['username']).toMatch(/^oidc_\d+$/);
  });

  it.each([
    ['proven-as-text', 'proven-as-text@example.com'],
    ['unproven-as-text', ''],
  ])('signs in %s, whose provider writes as text whether the address is proven', async (person, email) => {
    const row = await oauth.rowOf(idIn(await come(oauth.browser(), person)));
    expect(row).toMatchObject({ oidc_id: person, email });
  });

  it('registers two people who come with one address at once, one of them without it', async () => {
    await oauth.site.query(`CREATE FUNCTION wait_for_others() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END $$`);
    await oauth.site.query(`CREATE TRIGGER wait_for_others BEFORE INSERT ON users
      FOR EACH ROW EXECUTE FUNCTION wait_for_others()`);
    try {
      const answers = await Promise.all(['twin-one', 'TWIN-one'].map((person) => come(oauth.browser(), person)));
      const rows = await Promise.all(answers.map((answer) => oauth.rowOf(idIn(answer))));
      expect(rows.map(({ email }) => (email as string).toLowerCase()).sort()).toEqual(['', 'twin-one@example.com']);
    } finally {
      await oauth.site.query('DROP FUNCTION wait_for_others CASCADE');
    }
  });

  it('refuses a code of somebody else’s sign-in, and one that was used', async () => {
    const [mine, theirs] = [oauth.browser(), oauth.browser()];
    const stolen = await issuer.visit((await begin(theirs)).url, 'victim');
    const { state } = await begin(mine);
    const code = stolen.searchParams.get('code') ?? '';
    const refused = await mine.get(`/api/oauth/oidc?code=${code}&state=${state}`);
    expect(refused.body).toMatchObject({ success: false, message: 'OIDC did not accept the code. Sign in again.' });
    expect(JSON.stringify(refused.body)).not.toMatch(/invalid_grant|nonce|pkce/i);
  });

  it('binds', async () => {
    const user = await oauth.invite();
    expect((await come(oauth.browser(user), 'bound')).body).toEqual({ success: true, message: 'bind' });
    expect(await oauth.rowOf(user.id)).toMatchObject({ oidc_id: 'bound' });
  });

  it('root reads the endpoints for the settings; nobody else does', async () => {
    const query = `mutation ($url: String!) {
      discoverOidc(wellKnown: $url) { endpoints { authorizationEndpoint tokenEndpoint } }
    }`;
    const url = `${issuer.issuer}/.well-known/openid-configuration`;
    expect((await oauth.site.graphql(oauth.root, query, { url })).data).toEqual({
      discoverOidc: {
        endpoints: { authorizationEndpoint: `${issuer.issuer}/auth`, tokenEndpoint: `${issuer.issuer}/token` },
      },
    });
    const metadata = 'http://169.254.169.254/.well-known/openid-configuration';
    expect((await oauth.site.graphql(oauth.root, query, { url: metadata })).codes).toEqual(['UPSTREAM_UNREACHABLE']);
    expect((await oauth.site.graphql(oauth.root, query, { url: 'file:///etc/passwd' })).codes).toEqual([
      'INVALID_INPUT',
    ]);
  });
});

describe('OIDC without discovery: the three typed endpoints alone', () => {
  const begin = async (browser: Browser): Promise<{ state: string; url: string }> =>
    (await browser.graphql('mutation { beginSignIn(input: { provider: OIDC }) { state url } }'))['beginSignIn'] as {
      state: string;
      url: string;
    };
  const comeBack = (browser: Browser, url: URL) => browser.get(`/api/oauth/oidc${url.search}`);
  const come = async (browser: Browser, person: string) =>
    comeBack(browser, await issuer.visit((await begin(browser)).url, person));

  beforeAll(() =>
    oauth.options({
      'oidc.well_known': '',
      'oidc.authorization_endpoint': `${issuer.issuer}/auth`,
      'oidc.token_endpoint': `${issuer.issuer}/token`,
      'oidc.user_info_endpoint': `${issuer.issuer}/me`,
    }),
  );

  it('sends people to the typed address, which the status tells old clients, too', async () => {
    const { state, url } = await begin(oauth.browser());
    expect(url.split('?')[0]).toBe(`${issuer.issuer}/auth`);
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: 'gate',
      redirect_uri: 'https://gate.example/oauth/oidc',
      response_type: 'code',
      state,
      scope: 'openid profile email',
    });
    const { data } = (await oauth.site.rest(null, 'GET', '/api/status')).body;
    expect(data).toMatchObject({ oidc_enabled: true, oidc_authorization_endpoint: `${issuer.issuer}/auth` });
  });

  it('registers, signs in again and binds, by what the profile endpoint of a real provider says', async () => {
    const answer = await come(oauth.browser(), 'typed');
    expect(await oauth.rowOf(idIn(answer))).toMatchObject({
      oidc_id: 'typed',
      username: 'typed',
      display_name: 'Name of typed',
      email: 'typed@example.com',
    });
    expect(idIn(await come(oauth.browser(), 'typed'))).toBe(idIn(answer));
    const user = await oauth.invite();
    expect((await come(oauth.browser(user), 'typed-two')).body).toEqual({ success: true, message: 'bind' });
    expect(await oauth.rowOf(user.id)).toMatchObject({ oidc_id: 'typed-two' });
  });

  it('keeps an address only when the provider calls it proven', async () => {
    expect(await oauth.rowOf(idIn(await come(oauth.browser(), 'unproven-two')))).toMatchObject({ email: '' });
  });

  it('sends the documented requests, and refuses a profile without `sub`', async () => {
    const { world } = oauth;
    const profile = { body: { name: 'x', email: 'x@example.com' } as object, status: 200 };
    world.answer = ({ url }) => (url.pathname === '/token' ? { body: { access_token: 'typed token' } } : profile);
    await oauth.options({ 'oidc.token_endpoint': `${world.url}/token`, 'oidc.user_info_endpoint': `${world.url}/me` });
    const ask = async () => {
      const browser = oauth.browser();
      return browser.get(`/api/oauth/oidc?code=c&state=${await browser.state()}`);
    };
    const refused = await ask();
    expect(refused.body['success']).toBe(false);
    expect(refused.headers.getSetCookie().join()).not.toContain('session=');
    const [token, me] = world.calls;
    expect([token?.method, token?.headers['content-type']]).toEqual([
      'POST',
      expect.stringMatching(/^application\/x-www-form-urlencoded/),
    ]);
    expect(Object.fromEntries(new URLSearchParams(token?.body))).toEqual({
      client_id: 'gate',
      client_secret: secret,
      code: 'c',
      grant_type: 'authorization_code',
      redirect_uri: 'https://gate.example/oauth/oidc',
    });
    expect([me?.method, me?.headers.authorization]).toEqual(['GET', 'Bearer typed token']);
    profile.body = { sub: 'plain', name: 'Plain', email: 'plain@example.com' };
    expect(await oauth.rowOf(idIn(await ask()))).toMatchObject({ oidc_id: 'plain', email: '' });
    profile.status = 403;
    expect((await ask()).body).toMatchObject({ success: false, message: expect.not.stringContaining('plain') });
  });
});

import { StrictOidc, type OidcFault } from '../support/strict-oidc.js';
import { Browser, idIn } from './oauth-site.js';
import { Site, type Answer, type Person } from './site.js';

const client = { id: 'gate', secret: 'planted client secret' };
let site: Site;
let root: Person;
let idp: StrictOidc;

beforeAll(async () => {
  idp = await StrictOidc.start(client);
  site = await Site.open({ OUTBOUND_ALLOW: '127.0.0.1' });
  root = await site.setUp();
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'ServerAddress', value: 'https://gate.example' });
  for (const slug of ['google', 'company']) await create({ slug, name: slug, issuer: idp.issuer });
  await create({
    slug: 'discord',
    name: 'Discord',
    authorizationEndpoint: `${idp.issuer}/authorize`,
    tokenEndpoint: `${idp.issuer}/token`,
    userInfoEndpoint: `${idp.issuer}/users/@me`,
    scopes: 'identify email',
    claims: { subject: 'id', username: 'username', name: 'global_name', email: 'email', emailVerified: 'verified' },
  });
});
beforeEach(() => {
  idp.fault = null;
});
afterAll(async () => {
  await site.stop();
  await idp.server.stop();
});

const createSql = `mutation ($input: CreateSignInProviderInput!) { createSignInProvider(input: $input) { provider { id slug } } }`;
const create = async (input: object, person = root): Promise<string[]> =>
  (
    await site.graphql(person, createSql, {
      input: { oauthClientId: client.id, clientSecret: client.secret, ...input },
    })
  ).codes;
const update = async (input: object): Promise<string[]> =>
  (
    await site.graphql(
      root,
      'mutation ($input: UpdateSignInProviderInput!) { updateSignInProvider(input: $input) { provider { id } } }',
      { input },
    )
  ).codes;
const idOf = async (slug: string): Promise<number> =>
  (await site.query<{ id: number }>('SELECT id FROM sign_in_providers WHERE slug = $1', [slug]))[0]?.id ?? 0;

const begin = async (browser: Browser, slug: string): Promise<string> =>
  (
    (await browser.graphql(`mutation { beginProviderSignIn(input: { slug: "${slug}" }) { url } }`))[
      'beginProviderSignIn'
    ] as {
      url: string;
    }
  ).url;
const comeBack = (browser: Browser, slug: string, query: string): Promise<Answer> =>
  browser.get(`/api/oauth/provider/${slug}${query}`);
const signIn = async (slug: string, person: object, browser = new Browser(site)): Promise<Answer> =>
  comeBack(browser, slug, idp.agree(await begin(browser, slug), { ...person }));
const row = async (id: number) =>
  (await site.query<Record<string, unknown>>('SELECT * FROM users WHERE id = $1', [id]))[0];
const users = async (): Promise<number> =>
  Number((await site.query<{ n: string }>('SELECT count(*) AS n FROM users'))[0]?.n);

const ada = { sub: 'ada-1', name: 'Ada', preferred_username: 'ada', email: 'ada@example.com', email_verified: true };

it('offers rows to visitors, signs in with state, nonce and PKCE, and stores the link by row', async () => {
  const offered = ['google', 'company', 'Discord'].map((name) => ({ slug: name.toLowerCase(), name }));
  expect((await site.graphql(null, '{ status { signInProviders { slug name icon } } }')).data?.['status']).toEqual({
    signInProviders: offered.map((one) => ({ ...one, icon: null })),
  });
  expect((await site.rest(null, 'GET', '/api/status')).body.data).toMatchObject({
    sign_in_providers: offered.map((one) => ({ ...one, icon: '' })),
  });
  const url = new URL(await begin(new Browser(site), 'google'));
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    redirect_uri: 'https://gate.example/oauth/google',
    code_challenge_method: 'S256',
    nonce: expect.any(String),
    state: expect.any(String),
    scope: 'openid profile email',
  });
  const first = idIn(await signIn('google', ada));
  expect(await row(first)).toMatchObject({
    username: 'ada',
    display_name: 'Ada',
    email: 'ada@example.com',
    oidc_id: '',
  });
  expect(idIn(await signIn('google', ada))).toBe(first);
  expect(await site.query('SELECT provider_id, subject FROM sign_in_links WHERE user_id = $1', [first])).toEqual([
    { provider_id: await idOf('google'), subject: 'ada-1' },
  ]);
  // The same id at another provider is another person.
  expect(idIn(await signIn('company', { ...ada, email: 'ada@company.example' }))).not.toBe(first);
});

it('works for a provider without OpenID Connect, by the names of its members', async () => {
  const person = { id: '80351110224678912', username: 'nelly', global_name: 'Nelly', email: 'nelly@example.com' };
  const id = idIn(await signIn('discord', { ...person, verified: true }));
  expect(await row(id)).toMatchObject({ username: 'nelly', display_name: 'Nelly', email: 'nelly@example.com' });
  expect(idIn(await signIn('discord', { ...person, verified: true }))).toBe(id);
  expect((await signIn('discord', { username: 'no id' })).body).toMatchObject({
    success: false,
    code: 'INVALID_INPUT',
  });
});

it.each<OidcFault>([
  ...([
    'alg none',
    'a foreign key',
    'another issuer',
    'another audience',
    'another nonce',
    'an expired token',
  ] as const),
  'no id token',
])('refuses a provider that returns %s', async (fault) => {
  // A new row discovers the provider again.
  const slug = `bad-${fault.replaceAll(' ', '-')}`;
  await create({ slug, name: slug, issuer: idp.issuer });
  const before = await users();
  const browser = new Browser(site);
  if (fault === 'another issuer') {
    idp.fault = fault;
    const { body } = await browserAnswer(browser, slug);
    expect(JSON.stringify(body)).toContain('INVALID_INPUT');
  } else {
    const query = idp.agree(await begin(browser, slug), { ...ada, sub: 'victim' });
    idp.fault = fault;
    const answer = await comeBack(browser, slug, query);
    expect(answer.body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
    expect(answer.headers.getSetCookie().join()).not.toContain('session=');
  }
  expect(await users()).toBe(before);
});
const browserAnswer = (_browser: Browser, slug: string) =>
  site.rest(null, 'POST', '/graphql', {
    query: `mutation { beginProviderSignIn(input: { slug: "${slug}" }) { url } }`,
  });

it('refuses states of other browsers, of other providers and of older clients, and codes that were used', async () => {
  const [mine, theirs] = [new Browser(site), new Browser(site)];
  const query = idp.agree(await begin(theirs, 'google'), { ...ada });
  expect((await comeBack(mine, 'google', query)).status).toBe(403);
  const other = idp.agree(await begin(mine, 'google'), { ...ada });
  expect((await comeBack(mine, 'company', other)).status).toBe(403);
  const state = await mine.state();
  expect((await comeBack(mine, 'google', `?code=x&state=${state}`)).status).toBe(403);
  const used = idp.agree(await begin(mine, 'google'), { ...ada });
  expect((await comeBack(mine, 'google', used)).body).toMatchObject({ success: true });
  expect((await comeBack(mine, 'google', used)).status).toBe(403);
  // A code of another browser's sign-in fails PKCE.
  const [attacker, victim] = [new Browser(site), new Browser(site)];
  const stolen = new URLSearchParams(idp.agree(await begin(victim, 'google'), { ...ada }));
  const own = new URLSearchParams(idp.agree(await begin(attacker, 'google'), { ...ada, sub: 'mallory' }));
  own.set('code', stolen.get('code') ?? '');
  expect((await comeBack(attacker, 'google', `?${own.toString()}`)).body).toMatchObject({
    success: false,
    message: 'google did not accept the code. Sign in again.',
  });
});

it('gives no account to someone with its address, verified or not, and keeps no unverified address', async () => {
  const owner = await site.invite(root);
  await site.query(`UPDATE users SET email = 'owner@example.com' WHERE id = $1`, [owner.id]);
  for (const [sub, email_verified] of [
    ['taker-1', true],
    ['taker-2', false],
  ] as const) {
    const id = idIn(await signIn('google', { ...ada, sub, email: 'OWNER@example.com', email_verified }));
    expect(id).not.toBe(owner.id);
    expect((await row(id))?.['email']).toBe('');
  }
  expect(await site.query('SELECT 1 FROM sign_in_links WHERE user_id = $1', [owner.id])).toEqual([]);
  const unverified = idIn(
    await signIn('google', { ...ada, sub: 'new', email: 'new@example.com', email_verified: false }),
  );
  expect((await row(unverified))?.['email']).toBe('');
});

it('admits only verified addresses of the allowed domains', async () => {
  await create({ slug: 'staff', name: 'Staff', issuer: idp.issuer, allowedDomains: ['Example.com'] });
  const from = async (email: string | undefined, email_verified: boolean) =>
    (await signIn('staff', { ...ada, sub: `staff ${email}`, email, email_verified })).body['success'];
  expect([
    await from('a@example.com', true),
    await from('b@example.com', false),
    await from('c@sub.example.com', true),
    await from('d@example.com.evil.org', true),
    await from('e@evil.org@example.com', true),
    await from(undefined, true),
  ]).toEqual([true, false, false, false, true, false]);
});

it('binds to a signed-in user and unbinds, but not the only way to sign in', async () => {
  const user = await site.invite(root);
  const browser = new Browser(site, user);
  expect((await signIn('company', { ...ada, sub: 'bound' }, browser)).body).toEqual({ success: true, message: 'bind' });
  expect((await site.graphql(user, '{ boundSignInProviders { slug } }')).data).toEqual({
    boundSignInProviders: [{ slug: 'company' }],
  });
  expect(idIn(await signIn('company', { ...ada, sub: 'bound' }))).toBe(user.id);
  // No other user can bind it.
  const second = await site.invite(root);
  expect((await signIn('company', { ...ada, sub: 'bound' }, new Browser(site, second))).body).toMatchObject({
    success: false,
    code: 'CONFLICT',
  });
  const unbind = 'mutation { unbindSignInProvider(slug: "company") { bound { slug } } }';
  expect((await site.graphql(user, unbind)).data).toEqual({ unbindSignInProvider: { bound: [] } });
  await signIn('company', { ...ada, sub: 'bound' }, new Browser(site, user));
  await site.query('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id]);
  expect((await site.graphql(user, unbind)).codes).toEqual(['INVALID_INPUT']);
  const { codes } = await site.graphql(root, 'mutation ($id: Int!) { deleteSignInProvider(id: $id) { id } }', {
    id: await idOf('company'),
  });
  expect(codes).toEqual(['CONFLICT']);
});

it('is for root alone, shows no secret, and keeps addresses to which accounts are bound', async () => {
  const admin = await site.invite(root);
  await site.expectSuccess(root, 'POST', '/api/user/manage', { username: admin.username, action: 'promote' });
  expect(await create({ slug: 'mine', name: 'Mine', issuer: idp.issuer }, admin)).toEqual(['INSUFFICIENT_PRIVILEGES']);
  expect((await site.graphql(admin, '{ signInProviders { id } }')).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  const { text } = await site.graphql(
    root,
    '{ signInProviders { slug oauthClientId claims { subject } allowedDomains } auditEntries { items { changes { before after } } } }',
  );
  expect(text).toContain('"google"');
  expect(text).not.toContain(client.secret);
  const [stored] = await site.query<{ client_secret_sealed: string }>(
    `SELECT client_secret_sealed FROM sign_in_providers WHERE slug = 'google'`,
  );
  expect(stored?.client_secret_sealed).not.toContain(client.secret);
  const google = await idOf('google');
  expect(await update({ id: google, issuer: 'https://evil.example' })).toEqual(['CONFLICT']);
  expect(await update({ id: google, name: 'Google', icon: 'https://icons.example/google.svg' })).toEqual([]);
  expect(idIn(await signIn('google', ada))).toBeGreaterThan(0);
  expect(await update({ id: google, enabled: false })).toEqual([]);
  expect(JSON.stringify((await browserAnswer(new Browser(site), 'google')).body)).toContain('INVALID_INPUT');
  expect(await update({ id: google, enabled: true })).toEqual([]);
});

it.each([
  ['a taken slug', { slug: 'discord', name: 'x', issuer: 'https://a.example' }, 'CONFLICT'],
  ['the slug of a built-in provider', { slug: 'github', name: 'x', issuer: 'https://a.example' }, 'INVALID_INPUT'],
  ['a slug with a slash', { slug: 'a/b', name: 'x', issuer: 'https://a.example' }, 'INVALID_INPUT'],
  ['no address', { slug: 'none', name: 'x' }, 'INVALID_INPUT'],
  ['an address that is no URL', { slug: 'none', name: 'x', issuer: 'javascript:alert(1)' }, 'INVALID_INPUT'],
  [
    'a domain that is none',
    { slug: 'none', name: 'x', issuer: 'https://a.example', allowedDomains: ['*'] },
    'INVALID_INPUT',
  ],
])('refuses %s', async (_what, input, code) => {
  expect(await create(input)).toEqual([code]);
});

it('is added, changed and deleted over REST, by root alone and without its secret', async () => {
  const path = '/api/sign-in-provider';
  const given = { slug: 'rest', name: 'Rest', client_id: 'gate', client_secret: 'planted', issuer: idp.issuer };
  const other = await site.invite(root);
  for (const [method, at] of [
    ['GET', path],
    ['POST', path],
    ['PUT', path],
    ['DELETE', `${path}/1`],
  ] as const) {
    const { body } = await site.rest(other, method, at, method === 'POST' || method === 'PUT' ? given : undefined);
    expect([method, body['code']]).toEqual([method, 'INSUFFICIENT_PRIVILEGES']);
  }
  const made = (await site.expectSuccess(root, 'POST', path, given)).body.data as { id: number };
  expect(made).toMatchObject({ slug: 'rest', enabled: true, scopes: 'openid profile email', allowed_domains: [] });
  expect((await site.rest(root, 'POST', path, given)).body).toMatchObject({ success: false, code: 'CONFLICT' });
  expect((await site.rest(root, 'POST', path, { ...given, slug: 'none', issuer: '' })).body).toMatchObject({
    code: 'INVALID_INPUT',
  });
  const changed = await site.expectSuccess(root, 'PUT', path, { id: made.id, enabled: false });
  expect(changed.body.data).toEqual({ ...made, enabled: false });
  const list = (await site.rest(root, 'GET', path)).body;
  expect(list.data).toContainEqual({ ...made, enabled: false });
  expect(JSON.stringify(list)).not.toContain('planted');
  await site.expectSuccess(root, 'DELETE', `${path}/${made.id}`);
  expect((await site.rest(root, 'DELETE', `${path}/${made.id}`)).body).toMatchObject({ code: 'NOT_FOUND' });
});

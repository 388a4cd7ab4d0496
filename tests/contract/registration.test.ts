import { poolOf } from '../../server/src/platform/db/data-source.js';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import { maxQuota } from '../../server/src/shared/quota.js';
import { mailAccount, startMailServer, type MailServer } from '../support/mail-server.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { anywhere, Site, type Person } from './site.js';

let mail: MailServer;
let turnstile: ScriptedServer;
let site: Site;
let root: Person;

beforeAll(async () => {
  mail = await startMailServer();
  turnstile = await startScriptedServer(() => ({ body: { success: true } }));
  site = await Site.open({ TURNSTILE_URL: turnstile.url, OUTBOUND_ALLOW: '127.0.0.1', GENERATE_DEFAULT_TOKEN: 'true' });
  root = await site.setUp();
  await options({
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPAccount: mailAccount.user,
    SMTPToken: mailAccount.password,
    SystemName: 'Älpha & Co',
    ServerAddress: 'https://gate.example',
  });
  const { data } = (await site.rest(root, 'GET', '/api/option/')).body;
  usual = data as typeof usual;
  changed.clear();
});
afterAll(async () => {
  await site.stop();
  await Promise.all([mail.stop(), turnstile.stop()]);
});
beforeEach(() => mail.reset());
// After every test the options are restored, and every name and address is free, except root's name.
afterEach(async () => {
  expect(await reconcile(poolOf(site.dataSource))).toEqual([]);
  const before = usual.filter(({ key }) => changed.has(key)).map(({ key, value }) => [key, value] as const);
  await options(Object.fromEntries(before));
  changed.clear();
  await site.query(`UPDATE users SET username = 'former' || id, email = '' WHERE id <> $1`, [root.id]);
  await site.query(`UPDATE users SET email = '' WHERE id = $1`, [root.id]);
});

/** The options before a test, and the keys of those that it changed. */
let usual: ReadonlyArray<{ key: string; value: string }>;
const changed = new Set<string>();

async function options(values: Record<string, string>): Promise<void> {
  for (const [key, value] of Object.entries(values)) {
    changed.add(key);
    await site.expectSuccess(root, 'PUT', '/api/option/', { key, value });
  }
}

let addresses = 0;
/** Returns a new address, because an address gets one mail in thirty seconds. */
const newAddress = (): string => `Alice${++addresses}@Example.com`;

/** Every request has a different address, so that the limit by address does not apply. */
const ask = (method: string, path: string, body?: unknown, headers = anywhere()) =>
  site.rest(null, method, path, body, headers);
const register = (body: object) => ask('POST', '/api/user/register', { password: 'password 1', ...body });
const verification = (email: string) => ask('GET', `/api/verification?email=${encodeURIComponent(email)}`);
const rowOf = async (username: string): Promise<Record<string, unknown> | undefined> =>
  (await site.query<Record<string, unknown>>('SELECT * FROM users WHERE username = $1', [username]))[0];
const codeIn = (html: string): string => /<strong>(\w+)<\/strong>/.exec(html)?.[1] ?? '';

async function codeFor(email: string): Promise<string> {
  expect((await verification(email)).body).toEqual({ success: true, message: '' });
  return codeIn((await mail.mailTo(email)).html);
}

describe('POST /api/user/register', () => {
  it('makes a common user without a session, with a first key where the site gives one', async () => {
    const answer = await register({
      username: ' alice ',
      display_name: 'ignored',
      role: 100,
      quota: 9e9,
      password2: 'x',
    });
    expect(answer.body).toEqual({ success: true, message: '' });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await rowOf('alice')).toMatchObject({
      role: 'common',
      status: 'enabled',
      group: 'default',
      display_name: 'alice',
      email: '',
      quota: '0',
      inviter_id: null,
      password_hash: expect.stringMatching(/^\$argon2id\$/),
      aff_code: expect.stringMatching(/^\w{6}$/),
    });
    const alice = await site.signIn('alice', 'password 1');
    const tokens = (await site.rest(alice, 'GET', '/api/token/?p=0')).body.data;
    expect(tokens).toMatchObject([
      { name: "alice's initial token", unlimited_quota: true, expired_time: -1, remain_quota: 500_000, group: '' },
    ]);
  });

  it('stores no address that was not proven', async () => {
    await register({ username: 'alice', email: 'a@b.cd', verification_code: '' });
    expect(await rowOf('alice')).toMatchObject({ email: '' });
  });

  it('refuses what cannot be a name, a password or an address, with the reason', async () => {
    const before = await site.query('SELECT count(*) FROM users');
    const refused: ReadonlyArray<readonly [object, unknown]> = [
      [{ username: '' }, 'Invalid input: username must not be empty'],
      [{ username: '   ' }, 'Invalid input: username must not be empty'],
      [{ username: 'thirteen-long' }, 'Invalid input: username must have at most 12 characters'],
      [{ username: 'a@b' }, 'Invalid input: username must not contain @'],
      ...['root\u200b', '\u200b', '\u202etoor', 'ro\u00adot', '\u3164', 'a\u2028b'].map(
        (username): [object, string] => [{ username }, 'Invalid input: username must not contain invisible characters'],
      ),
      [{ username: 'alice', password: '7 chars' }, 'Invalid input: password must have at least 8 characters'],
      [{ username: 'alice', password: 'x'.repeat(21) }, 'Invalid input: password must have at most 20 characters'],
      [{ username: 'alice', email: 'x'.repeat(51) }, 'Invalid input: email must have at most 50 characters'],
      [{ username: 'root' }, 'Username exists or has been deactivated'],
      [{ username: 5 }, expect.stringContaining('Invalid parameter')],
    ];
    const answers = [];
    for (const [body] of refused) answers.push({ body, answer: (await register(body)).body });
    expect(answers).toEqual(
      refused.map(([body, message]) => ({ body, answer: expect.objectContaining({ success: false, message }) })),
    );
    expect(await site.query('SELECT count(*) FROM users')).toEqual(before);
  });

  it('is closed by two switches, in this order', async () => {
    await options({ PasswordRegisterEnabled: 'false' });
    expect((await ask('POST', '/api/user/register', 'no json')).body['message']).toBe(
      'Password registration is closed, use third-party sign-in',
    );
    await options({ RegisterEnabled: 'false' });
    expect((await ask('POST', '/api/user/register', 'no json')).body['message']).toBe(
      'New user registration is closed',
    );
  });

  it('a name of a deleted user stays taken', async () => {
    const user = await site.invite(root);
    await site.expectSuccess(user, 'DELETE', '/api/user/self');
    const short = 'gone';
    await site.query('UPDATE users SET username = $1 WHERE id = $2', [short, user.id]);
    expect((await register({ username: short })).body['message']).toBe('Username exists or has been deactivated');
  });

  it('shares the limit by address with sign-in and mail', async () => {
    const here = { 'x-forwarded-for': '10.1.2.3' };
    for (let i = 0; i < 10; i++) await ask('POST', '/api/user/register', {}, here);
    for (let i = 0; i < 10; i++) await ask('GET', '/api/verification?email=', undefined, here);
    const answer = await ask('POST', '/api/user/register', { username: 'alice', password: 'password 1' }, here);
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true]);
  });

  it('works over GraphQL, too', async () => {
    const query = 'mutation ($input: RegisterInput!) { register(input: $input) { username } }';
    const send = (input: object) => site.graphql(null, query, { input }, anywhere());
    expect((await send({ username: 'alice', password: 'password 1', email: null })).data).toEqual({
      register: { username: 'alice' },
    });
    expect((await send({ username: 'alice', password: 'password 1' })).codes).toEqual(['CONFLICT']);
    await site.signIn('alice', 'password 1');
  });
});

describe('an invite', () => {
  const codeOf = async (person: Person) => (await site.rest(person, 'GET', '/api/user/aff')).body.data as string;
  beforeEach(() => options({ QuotaForNewUser: '100', QuotaForInvitee: '20', QuotaForInviter: '7' }));

  it('rewards both, through the ledger and with log rows', async () => {
    const inviter = await site.invite(root);
    await register({ username: 'alice', aff_code: await codeOf(inviter) });
    const alice = await rowOf('alice');
    expect(alice).toMatchObject({ quota: '120', inviter_id: inviter.id });
    expect(await rowOf(inviter.username)).toMatchObject({ aff_count: 1, aff_quota: '7', aff_history_quota: '7' });
    const logs = await site.query(
      'SELECT type, username, content, quota FROM logs WHERE type = 4 ORDER BY id DESC LIMIT 3',
    );
    expect(logs).toEqual([
      { type: 4, username: inviter.username, content: 'Bonus for inviting alice $0.000014 quota', quota: '0' },
      { type: 4, username: 'alice', content: 'Bonus for using an invite code $0.000040 quota', quota: '20' },
      { type: 4, username: 'alice', content: 'New user bonus $0.000200 quota', quota: '100' },
    ]);
  });

  it('of somebody unknown, banned or deleted does no harm and rewards nobody', async () => {
    const [banned, deleted] = [await site.invite(root), await site.invite(root)];
    const codes = ['zzzzzz', await codeOf(banned), await codeOf(deleted), "' OR 1=1", '%'];
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: banned.id, action: 'disable' });
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: deleted.id, action: 'delete' });
    for (const [index, aff_code] of codes.entries()) {
      expect((await register({ username: `user${index}`, aff_code })).body['success']).toBe(true);
      expect(await rowOf(`user${index}`)).toMatchObject({ inviter_id: null, quota: '100' });
    }
    expect(await rowOf(banned.username)).toMatchObject({ aff_count: 0, aff_quota: '0' });
  });

  it.each([
    ['has no room left', 0, 0],
    ['has room for a part', 3, 0],
    ['has earned the maximum and transferred it', 0, 1_000],
  ])('does not keep the new user out when the inviter %s', async (_state, room, transferred) => {
    const inviter = await site.invite(root);
    const post = (source: string, amount: number) =>
      site.query(`SELECT ledger_post($1, $2, 'affiliate', $3, 0, $4, 0, '', NULL)`, [
        `test:${source}:${inviter.id}`,
        amount > 0 ? 'invite' : 'transfer',
        inviter.id,
        amount,
      ]);
    await post('earned', maxQuota - room);
    if (transferred > 0) await post('transferred', -transferred);
    expect((await register({ username: 'alice', aff_code: await codeOf(inviter) })).body['success']).toBe(true);
    expect(await rowOf('alice')).toMatchObject({ quota: '120', inviter_id: inviter.id });
    expect(await rowOf(inviter.username)).toMatchObject({
      aff_count: 2,
      aff_quota: String(maxQuota - transferred),
      aff_history_quota: String(maxQuota),
    });
    const query = `SELECT content FROM logs WHERE user_id = $1 AND content LIKE '%inviting alice%' ORDER BY id`;
    const logs = await site.query<{ content: string }>(query, [inviter.id]);
    const text = (amount: number): string => `$${(amount / 500_000).toFixed(6)} quota`;
    expect(logs.map(({ content }) => content)).toEqual([
      ...(room > 0 ? [`Bonus for inviting alice ${text(room)}`] : []),
      `Beyond the maximum of invite earnings, not credited for inviting alice ${text(7 - room)}`,
    ]);
  });

  it('does not keep the new user out when the bonuses of the site are above the maximum of a balance', async () => {
    const inviter = await site.invite(root);
    await options({ QuotaForNewUser: String(maxQuota - 5) });
    expect((await register({ username: 'alice', aff_code: await codeOf(inviter) })).body['success']).toBe(true);
    expect(await rowOf('alice')).toMatchObject({ quota: String(maxQuota), inviter_id: inviter.id });
  });

  it('followed by fifty at once rewards fifty times', async () => {
    const inviter = await site.invite(root);
    const code = await codeOf(inviter);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => register({ username: `user${index}`, aff_code: code })),
    );
    expect(answers.filter(({ body }) => body['success'] === true)).toHaveLength(50);
    expect(await rowOf(inviter.username)).toMatchObject({ aff_count: 50, aff_quota: '350', aff_history_quota: '350' });
  });

  it('fifty who want one name at once: one gets it, and one reward is paid', async () => {
    const inviter = await site.invite(root);
    const code = await codeOf(inviter);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => register({ username: 'alice', aff_code: code })),
    );
    expect(answers.filter(({ body }) => body['success'] === true)).toHaveLength(1);
    for (const { body } of answers.filter((answer) => !answer.body['success'])) {
      expect(body).toMatchObject({ message: 'Username exists or has been deactivated', code: 'CONFLICT' });
    }
    expect(await rowOf(inviter.username)).toMatchObject({ aff_count: 1, aff_quota: '7' });
  });
});

describe('e-mail verification', () => {
  let email: string;
  beforeEach(async () => {
    email = newAddress();
    await options({ EmailVerificationEnabled: 'true' });
  });

  it('sends a code that makes an account with this address, once', async () => {
    const code = await codeFor(email);
    expect(code).toMatch(/^[0-9a-f]{6}$/);
    const letter = await mail.mailTo(email);
    expect(letter.from).toBe(mailAccount.user);
    expect(letter.html).toContain('Älpha &#38; Co');
    expect(letter.source).toMatch(/^Message-ID: <[^>]+@mail\.example>/im);
    expect((await register({ username: 'alice', email, verification_code: code })).body['success']).toBe(true);
    expect(await rowOf('alice')).toMatchObject({ email });
    await site.query(`UPDATE users SET email = '' WHERE username = 'alice'`);
    const again = await register({ username: 'bob', email, verification_code: code });
    expect(again.body['message']).toBe('Verification code wrong or expired');
  });

  it('wants both, and the right code', async () => {
    const missing = 'E-mail verification is on: enter the address and the code';
    expect((await register({ username: 'alice' })).body['message']).toBe(missing);
    expect((await register({ username: 'alice', email })).body['message']).toBe(missing);
    expect((await register({ username: 'alice', email, verification_code: '000000' })).body['message']).toBe(
      'Verification code wrong or expired',
    );
  });

  it('a name that is taken does not cost the code', async () => {
    const verification_code = await codeFor(email);
    expect((await register({ username: 'root', email, verification_code })).body['code']).toBe('CONFLICT');
    expect((await register({ username: 'alice', email, verification_code })).body['success']).toBe(true);
  });

  it('five wrong guesses end the code', async () => {
    const code = await codeFor(email);
    const wrong = code === '000000' ? '111111' : '000000';
    for (let i = 0; i < 5; i++) await register({ username: 'alice', email, verification_code: wrong });
    expect((await register({ username: 'alice', email, verification_code: code })).body['success']).toBe(false);
  });

  it('fifty guesses at once count as fifty', async () => {
    const code = await codeFor(email);
    const guesses = Array.from({ length: 50 }, (_, index) => String(index).padStart(6, '0'));
    await Promise.all(guesses.map((guess) => register({ username: 'alice', email, verification_code: guess })));
    expect((await register({ username: 'alice', email, verification_code: code })).body['success']).toBe(false);
  });

  it('fifty who use one code at once: one account', async () => {
    const code = await codeFor(email);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => register({ username: `user${index}`, email, verification_code: code })),
    );
    expect(answers.filter(({ body }) => body['success'] === true)).toHaveLength(1);
    expect(await site.query('SELECT 1 FROM users WHERE email = $1', [email])).toHaveLength(1);
  });

  it('sends one mail to an address in thirty seconds', async () => {
    await codeFor(email);
    const answer = await verification(email.toLowerCase());
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '30']);
    expect(mail.mails).toHaveLength(1);
  });

  it('refuses addresses that are none, taken, or not wanted, in this order', async () => {
    await site.query(`UPDATE users SET email = 'taken@example.com' WHERE id = 1`);
    const message = async (address: string) => (await verification(address)).body['message'];
    expect(await message('nobody')).toBe('Invalid parameter');
    expect(await message(`${'x'.repeat(50)}@example.com`)).toBe('Invalid parameter');
    expect(await message('a@b@example.com')).toBe('Invalid e-mail address');
    expect(await message('a@b.cd>\r\nBcc: x@y.zz')).toBe('Invalid e-mail address');
    expect(await message('TAKEN@example.com')).toBe('E-mail address already in use');
    await options({ EmailAliasRestrictionEnabled: 'true', EmailDomainWhitelist: 'Example.com' });
    expect(await message('first.last@other.com')).toBe('Address refused because of alias restriction');
    await options({ EmailDomainRestrictionEnabled: 'true' });
    expect(await message('first.last@other.com')).toContain('whitelist');
    expect(await message('first+last@EXAMPLE.com')).toBe('Address refused because of alias restriction');
    expect(mail.mails).toEqual([]);
    expect((await verification('first@EXAMPLE.com')).body).toEqual({ success: true, message: '' });
  });

  it('asks the domain rules again when the code is used', async () => {
    const code = await codeFor(email);
    await options({ EmailDomainWhitelist: 'other.com', EmailDomainRestrictionEnabled: 'true' });
    expect((await register({ username: 'alice', email, verification_code: code })).body['message']).toContain(
      'whitelist',
    );
  });

  it('tells that mail does not work without the server’s words, and lets one try again', async () => {
    mail.refuse();
    const answer = await verification(email);
    expect(answer.body).toMatchObject({ success: false, message: 'The mail could not be sent' });
    mail.reset();
    expect((await verification(email)).body['success']).toBe(true);
    await options({ SMTPServer: '' });
    expect((await verification(newAddress())).body['message']).toBe('SMTP server not configured');
  });
});

describe('the owner of an account', () => {
  it('gets a mail at the former address when another one is bound, and at the own one when the password is changed', async () => {
    const [former, other] = ['former@example.com', 'other@example.com'];
    const alice = await site.invite(root);
    await site.query('UPDATE users SET email = $1 WHERE id = $2', [former, alice.id]);
    const bind = `/api/oauth/email/bind?email=${other}&code=${await codeFor(other)}`;
    expect((await site.rest(alice, 'GET', bind, undefined, anywhere())).body['success']).toBe(true);
    await mail.mailTo(former, 'got another e-mail address just now');
    mail.reset();
    const password = { password: 'another password', original_password: alice.password };
    await site.expectSuccess(alice, 'PUT', '/api/user/self', password);
    await mail.mailTo(other, 'was changed just now');
    // A change of names alone sends no mail.
    mail.reset();
    await site.expectSuccess(alice, 'PUT', '/api/user/self', { display_name: 'Alice' });
    expect(mail.mails).toEqual([]);
  });
});

describe('password reset', () => {
  let email: string;
  let alice: Person;
  beforeEach(async () => {
    email = newAddress().toLowerCase();
    alice = await site.invite(root);
    await site.query('UPDATE users SET email = $1 WHERE id = $2', [email, alice.id]);
  });
  const request = (address: string, headers = anywhere()) =>
    ask('GET', `/api/reset_password?email=${encodeURIComponent(address)}`, undefined, headers);
  const reset = (token: string, address = email) => ask('POST', '/api/user/reset', { email: address, token });
  const linkIn = async (): Promise<URL> => {
    const href = /href="([^"]+)"/.exec((await mail.mailTo(email, '/user/reset')).html)?.[1] ?? '';
    return new URL(href.replaceAll('&#38;', '&'));
  };

  it('mails a link to the site’s own address, which shows a new password once and ends every session', async () => {
    const foreign = { ...anywhere(), host: 'evil.example', 'x-forwarded-host': 'evil.example' };
    expect((await request(` ${email.toUpperCase()} `, foreign)).body).toEqual({ success: true, message: '' });
    const link = await linkIn();
    expect([link.origin, link.pathname]).toEqual(['https://gate.example', '/user/reset']);
    expect([...link.searchParams.keys()]).toEqual(['email', 'token']);
    const token = link.searchParams.get('token') ?? '';
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    const answer = await reset(token);
    expect(answer.body).toEqual({ success: true, message: '', data: expect.stringMatching(/^[0-9a-f]{12}$/) });
    expect((await site.rest(alice, 'GET', '/api/user/self')).status).toBe(401);
    await site.signIn(email, answer.body.data as string);
    expect((await reset(token)).body['message']).toBe('Reset link is invalid or expired');
    await expect(site.signIn(alice.username, alice.password)).rejects.toThrow('sign-in failed');
    const told = (): boolean =>
      mail.mails.some(({ subject, html }) => html.includes('was reset just now') && subject !== '');
    for (let i = 0; i < 2000 && !told(); i++) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(told()).toBe(true);
  });

  it('of an admin is in the audit log, without the password', async () => {
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: alice.id, action: 'promote' });
    await request(email);
    const answer = await reset((await linkIn()).searchParams.get('token') ?? '');
    expect(answer.body).toMatchObject({ success: true });
    const entries = await site.query<{ ip: string }>(
      `SELECT actor_id AS actor, ip, action, subject, subject_id AS id, changes FROM audit_entries WHERE actor_id = $1`,
      [alice.id],
    );
    expect(entries).toEqual([
      {
        actor: alice.id,
        ip: expect.stringMatching(/^10\./),
        action: 'update',
        subject: 'user',
        id: String(alice.id),
        changes: [{ field: 'password', before: null, after: '***' }],
      },
    ]);
  });

  it('does not tell whether somebody has an address', async () => {
    const [known, unknown] = [await request(email), await request('nobody@example.com')];
    expect(unknown.body).toEqual(known.body);
    await mail.mailTo(email);
    const links = mail.mails.filter(({ html }) => html.includes('/user/reset'));
    expect(links.map(({ to }) => to)).toEqual([[email]]);
  });

  it('the guesses of strangers do not end a link', async () => {
    await request(email);
    const token = (await linkIn()).searchParams.get('token') ?? '';
    for (let i = 0; i < 20; i++)
      expect((await reset('0'.repeat(32))).body['message']).toBe('Reset link is invalid or expired');
    expect((await reset(token)).body['success']).toBe(true);
  });

  it('fifty uses of one link at once: one new password', async () => {
    await request(email);
    const token = (await linkIn()).searchParams.get('token') ?? '';
    const answers = await Promise.all(Array.from({ length: 50 }, () => reset(token)));
    expect(answers.filter(({ body }) => body['success'] === true)).toHaveLength(1);
  });

  it('stores no token and needs both fields', async () => {
    await request(email);
    expect((await ask('POST', '/api/user/reset', { email })).body).toMatchObject({ success: false });
    expect((await reset('')).body).toMatchObject({ success: false });
    const query = 'mutation { resetPassword(input: { email: "a@b.cd", token: "x" }) { password } }';
    const over = await site.graphql(null, query, {}, anywhere());
    expect(over.codes).toEqual(['INVALID_INPUT']);
  });
});

describe('Turnstile', () => {
  beforeEach(async () => {
    turnstile.calls.length = 0;
    turnstile.answer = ({ body }) => ({ body: { success: new URLSearchParams(body).get('response') === 'good' } });
    await options({ TurnstileSiteKey: 'site', TurnstileSecretKey: 'planted-turnstile', TurnstileCheckEnabled: 'true' });
  });
  const login = (turnstileToken: string, headers = anywhere()) =>
    ask('POST', `/api/user/login?turnstile=${turnstileToken}`, { username: 'root', password: 'wrong' }, headers);

  it('stands before sign-in, registration and both kinds of mail', async () => {
    const calls: Array<[string, string, unknown?]> = [
      ['POST', '/api/user/login', { username: 'root', password: root.password }],
      ['POST', '/api/user/register', { username: 'alice', password: 'password 1' }],
      ['GET', '/api/verification?email=a@b.cd'],
      ['GET', '/api/reset_password?email=a@b.cd'],
    ];
    for (const [method, path, body] of calls) {
      expect((await ask(method, path, body)).body).toMatchObject({
        success: false,
        message: 'Turnstile token is empty',
      });
    }
    expect(turnstile.calls).toEqual([]);
  });

  it('is asked with secret, token and address', async () => {
    expect((await login('good', { 'x-forwarded-for': '10.9.8.7' })).body['code']).toBe('INVALID_CREDENTIALS');
    expect((await login('bad')).body['message']).toBe('Turnstile check failed, refresh and retry');
    const [call] = turnstile.calls;
    expect(call?.url.pathname).toBe('/turnstile/v0/siteverify');
    expect(Object.fromEntries(new URLSearchParams(call?.body))).toEqual({
      secret: 'planted-turnstile',
      response: 'good',
      remoteip: '10.9.8.7',
    });
  });

  it('a browser that passed needs no other token, until it has signed in', async () => {
    const home = anywhere();
    const cookie = (await login('good', home)).headers.getSetCookie()[0]?.split(';')[0] ?? '';
    expect(cookie).toMatch(/^visitor=[\w-]{22}$/);
    const again = (from = home) => login('', { ...from, cookie });
    expect((await again()).body['code']).toBe('INVALID_CREDENTIALS');
    // The proof is valid for one address only.
    expect((await again(anywhere())).body['message']).toBe('Turnstile token is empty');
    const body = { username: 'root', password: root.password };
    expect((await ask('POST', '/api/user/login', body, { ...home, cookie })).body['success']).toBe(true);
    expect((await again()).body['message']).toBe('Turnstile token is empty');
    expect((await login('', { ...anywhere(), cookie: 'visitor=0123456789012345678901' })).body['success']).toBe(false);
  });

  it('that cannot be reached lets nobody in', async () => {
    turnstile.answer = () => ({ body: 'no json' });
    const { body } = await login('good');
    expect(body).toMatchObject({ success: false, message: 'The Turnstile server is unreachable. Try again later.' });
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { Secret, TOTP } from 'otpauth';
import { SoftwareAuthenticator } from '../support/software-authenticator.js';
import { anywhere, rootPassword, Site, type GraphQLAnswer, type Person } from './site.js';

const origin = 'https://gate.example';
let site: Site;
let root: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
});
afterAll(() => site.stop());

type Json = Record<string, never>;

/** A GraphQL call from a page of the site, which must succeed. @returns the field */
async function ask<T = Json>(
  person: Person | null,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<T> {
  const answer = await attempt(person, query, variables);
  expect({ codes: answer.codes, text: answer.text }).toMatchObject({ codes: [] });
  return Object.values(answer.data ?? {})[0] as T;
}

const attempt = (person: Person | null, query: string, variables = {}): Promise<GraphQLAnswer> =>
  site.graphql(person, query, variables, { origin, ...anywhere() });

const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

/**
 * Returns the code of the previous step, which is accepted until the current step ends. Near that end, it first waits for
 * the next step.
 */
async function codeOfStepBefore(secret: string): Promise<string> {
  const left = 30_000 - (Date.now() % 30_000);
  if (left < 5000) await delay(left + 50);
  return codeOf(secret, -1);
}

/** Adds an authenticator app with the code of the previous step. Returns its secret and the recovery codes. */
async function addApp(person: Person): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { secret } = await ask<{ secret: string }>(person, 'mutation { beginAuthenticatorApp { secret uri } }');
  const { recoveryCodes } = await ask<{ recoveryCodes: string[] }>(
    person,
    'mutation ($code: String!) { confirmAuthenticatorApp(code: $code) { recoveryCodes } }',
    { code: await codeOfStepBefore(secret) },
  );
  return { secret, recoveryCodes };
}

async function addPasskey(
  person: Person,
  authenticator: SoftwareAuthenticator,
): Promise<{ id: number; codes: string[] }> {
  const { options } = await ask<{ options: never }>(person, 'mutation { beginPasskey { options } }');
  const made = await ask<{ passkey: { id: number }; recoveryCodes: string[] }>(
    person,
    'mutation ($input: AddPasskeyInput!) { addPasskey(input: $input) { passkey { id name domain } recoveryCodes } }',
    { input: { name: 'Laptop', response: authenticator.create(options) } },
  );
  return { id: made.passkey.id, codes: made.recoveryCodes };
}

/** Makes the first step of a sign-in. @returns the cookie of the session that waits for the second step */
async function firstStep(person: Person): Promise<Person> {
  const { username, password } = person;
  const answer = await site.rest(null, 'POST', '/api/user/login', { username, password }, anywhere());
  expect(answer.body).toMatchObject({ success: false, code: 'SECOND_FACTOR_NEEDED', data: { require_2fa: true } });
  return { ...person, cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

const finish = 'mutation ($input: SecondFactorInput!) { finishSecondFactor(input: $input) { user { id } } }';
const confirm =
  'mutation ($input: SecondFactorInput!) { confirmSession(input: $input) { secondFactors { needsConfirmation } } }';
const begin = 'mutation { beginSecondFactor { kinds passkeyOptions } }';

const fromPage = (address: string, ...cookies: string[]): Record<string, string> => ({
  'x-forwarded-for': address,
  origin,
  cookie: cookies.filter(Boolean).join('; '),
});

/** The first step at an address. @returns the cookie of the session that waits */
async function signInAt(address: string, { username, password }: Person, knownBrowser = ''): Promise<string> {
  const answer = await site.rest(
    null,
    'POST',
    '/api/user/login',
    { username, password },
    fromPage(address, knownBrowser),
  );
  expect(answer.body).toMatchObject({ code: 'SECOND_FACTOR_NEEDED' });
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** Makes the second step from an address. @returns error codes, and the cookie that marks the browser as known */
async function finishAt(
  address: string,
  waiting: string,
  input: object,
  knownBrowser = '',
): Promise<{ codes: string[]; retryAfter: number; knownBrowser: string }> {
  const body = { query: finish, variables: { input } };
  const answer = await site.rest(null, 'POST', '/graphql', body, fromPage(address, waiting, knownBrowser));
  const { errors = [] } = answer.body as {
    errors?: Array<{ extensions: { code: string; retryAfterSeconds?: number } }>;
  };
  const mark = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('known-browser='));
  return {
    codes: errors.map(({ extensions }) => extensions.code),
    retryAfter: errors[0]?.extensions.retryAfterSeconds ?? 0,
    knownBrowser: mark?.split(';')[0] ?? '',
  };
}

/** The signed-in user after the second step over REST. */
async function secondStep(waiting: Person, code: string): Promise<Person> {
  const headers = { cookie: waiting.cookie, ...anywhere() };
  const answer = await site.rest(null, 'POST', '/api/user/login/2fa', { code }, headers);
  expect(answer.body).toMatchObject({ success: true, data: { id: waiting.id } });
  return { ...waiting, cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

/** Moves the confirmation of every session of a user five minutes into the past. */
async function letConfirmationExpire(person: Person): Promise<void> {
  await site.query(`UPDATE sessions SET confirmed_at = confirmed_at - interval '5 minutes' WHERE user_id = $1`, [
    person.id,
  ]);
  // Ending sessions drops the cached caller.
  await ask(person, 'mutation { revokeOtherSessions { count } }');
}

describe('an authenticator app', () => {
  it('is asked for after the password, and the session grants nothing before', async () => {
    const user = await site.invite(root);
    const { secret } = await addApp(user);
    const waiting = await firstStep(user);
    expect((await site.rest(waiting, 'GET', '/api/user/self')).status).toBe(401);
    expect(await ask(waiting, '{ me { id } }')).toBeNull();
    expect(await ask(waiting, begin)).toEqual({ kinds: ['AUTHENTICATOR_APP', 'RECOVERY_CODE'], passkeyOptions: null });

    const signedIn = await secondStep(waiting, codeOf(secret));
    expect(signedIn.cookie).not.toBe(waiting.cookie);
    expect((await site.rest(signedIn, 'GET', '/api/user/self')).body).toMatchObject({ success: true });
    // The session of the first step has ended.
    expect((await attempt(waiting, begin)).codes).toEqual(['INVALID_INPUT']);
  });

  it('is also asked for over GraphQL', async () => {
    const user = await site.invite(root);
    const { secret } = await addApp(user);
    const { username, password } = user;
    const login = 'mutation ($input: LoginInput!) { login(input: $input) { user { id } needsSecondFactor } }';
    const body = { query: login, variables: { input: { username, password } } };
    const answer = await site.rest(null, 'POST', '/graphql', body, anywhere());
    expect(answer.body).toMatchObject({ data: { login: { user: null, needsSecondFactor: true } } });
    expect(answer.headers.getSetCookie()).toHaveLength(1);
    const waiting = { ...user, cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
    expect(await ask(waiting, finish, { input: { code: codeOf(secret) } })).toEqual({ user: { id: user.id } });
  });

  it('accepts each code once, also of parallel attempts', async () => {
    const user = await site.invite(root);
    const { secret } = await addApp(user);
    const waiting = await Promise.all([firstStep(user), firstStep(user), firstStep(user)]);
    const code = codeOf(secret);
    const answers = await Promise.all(waiting.map((one) => attempt(one, finish, { input: { code } })));
    expect(answers.filter(({ codes }) => codes.length === 0)).toHaveLength(1);
    expect(answers.flatMap(({ codes }) => codes)).toEqual(['INVALID_CREDENTIALS', 'INVALID_CREDENTIALS']);
    // A code of an earlier step is refused too.
    expect((await attempt(await firstStep(user), finish, { input: { code: codeOf(secret, -1) } })).codes).toEqual([
      'INVALID_CREDENTIALS',
    ]);
  });

  it('ends a sign-in after five wrong codes, and slows guessing by many sign-ins', async () => {
    const user = await site.invite(root);
    await addApp(user);
    const waiting = await firstStep(user);
    const guess = async (from: Person): Promise<string> =>
      (await attempt(from, finish, { input: { code: '000000' } })).codes[0] ?? '';
    const first = [];
    for (let index = 0; index < 6; index++) first.push(await guess(waiting));
    expect(first).toEqual([...Array<string>(5).fill('INVALID_CREDENTIALS'), 'INVALID_INPUT']);
    const codes = [];
    for (let round = 0; round < 4; round++) {
      const again = await firstStep(user);
      for (let index = 0; index < 4; index++) codes.push(await guess(again));
    }
    expect(codes).toEqual([...Array<string>(15).fill('INVALID_CREDENTIALS'), 'RATE_LIMITED']);
  });

  it('lets its owner in while others guess: a known browser, a passkey, a recovery code', async () => {
    const user = await site.invite(root);
    const { secret, recoveryCodes } = await addApp(user);
    const authenticator = new SoftwareAuthenticator(origin);
    await addPasskey(user, authenticator);
    const first = await signInAt('198.51.100.1', user);
    const known = await finishAt('198.51.100.1', first, { code: codeOf(secret) });
    expect(known.codes).toEqual([]);

    // An attacker who knows the password guesses from more addresses than wrong codes are allowed.
    const guesses: string[] = [];
    for (let n = 2; n < 8; n++) {
      const thief = await signInAt(`198.51.100.${n}`, user);
      for (let index = 0; index < 4; index++) {
        guesses.push((await finishAt(`198.51.100.${n}`, thief, { code: '000000' })).codes[0] ?? '');
      }
    }
    expect(guesses.slice(0, 20)).toEqual(Array<string>(20).fill('INVALID_CREDENTIALS'));
    expect(guesses.slice(20)).toEqual(Array<string>(4).fill('RATE_LIMITED'));

    // A right code from an unknown browser is refused for a day. From the known browser it is accepted, at any address.
    const elsewhere = await signInAt('198.51.100.9', user);
    const waits = await finishAt('198.51.100.9', elsewhere, { code: codeOf(secret, 1) });
    expect(waits.codes).toEqual(['RATE_LIMITED']);
    expect(waits.retryAfter).toBeGreaterThan(86_000);
    const home = await signInAt('198.51.100.9', user, known.knownBrowser);
    expect((await finishAt('198.51.100.9', home, { code: codeOf(secret, 1) }, known.knownBrowser)).codes).toEqual([]);
    // Factors that cannot be guessed are also accepted from an unknown browser.
    const withRecovery = await signInAt('198.51.100.10', user);
    const recovered = await finishAt('198.51.100.10', withRecovery, { recoveryCode: recoveryCodes[0] });
    expect(recovered.codes).toEqual([]);
    const withPasskey = await signInAt('198.51.100.11', user);
    const { passkeyOptions } = await ask<{ passkeyOptions: unknown }>({ ...user, cookie: withPasskey }, begin);
    const passkey = authenticator.get(passkeyOptions as never);
    expect((await finishAt('198.51.100.11', withPasskey, { passkey })).codes).toEqual([]);
  });

  it('counts only after its first code, and is not replaced without being removed', async () => {
    const user = await site.invite(root);
    await ask(user, 'mutation { beginAuthenticatorApp { secret } }');
    await site.signIn(user.username, user.password);
    const wrong = await attempt(user, 'mutation { confirmAuthenticatorApp(code: "000000") { recoveryCodes } }');
    expect(wrong.codes).toEqual(['INVALID_INPUT']);
    await addApp(user);
    expect((await attempt(user, 'mutation { beginAuthenticatorApp { secret } }')).codes).toEqual(['CONFLICT']);
  });

  it('stores no secret in clear', async () => {
    const user = await site.invite(root);
    const { secret, recoveryCodes } = await addApp(user);
    const rows = await site.query(
      'SELECT secret_sealed AS text FROM authenticator_apps UNION ALL SELECT encode(code_hash, $1) FROM recovery_codes',
      ['escape'],
    );
    const text = JSON.stringify(rows);
    for (const value of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replace('-', ''))]) {
      expect(text).not.toContain(value);
    }
  });
});

describe('recovery codes', () => {
  it('each replace the second factor once', async () => {
    const user = await site.invite(root);
    const { recoveryCodes } = await addApp(user);
    expect(new Set(recoveryCodes).size).toBe(10);
    const [code = ''] = recoveryCodes;
    await secondStep(await firstStep(user), code.toUpperCase().replace('-', ' '));
    expect((await attempt(await firstStep(user), finish, { input: { recoveryCode: code } })).codes).toEqual([
      'INVALID_CREDENTIALS',
    ]);
    expect(await ask(user, '{ secondFactors { recoveryCodesLeft } }')).toEqual({ recoveryCodesLeft: 9 });
  });

  it('are renewed together, and belong to one user', async () => {
    const [user, other] = [await site.invite(root), await site.invite(root)];
    const old = (await addApp(user)).recoveryCodes;
    await addApp(other);
    const made = await ask<{ recoveryCodes: string[] }>(user, 'mutation { renewRecoveryCodes { recoveryCodes } }');
    const use = async (person: Person, recoveryCode = ''): Promise<string[]> =>
      (await attempt(await firstStep(person), finish, { input: { recoveryCode } })).codes;
    expect(await use(user, old[0])).toEqual(['INVALID_CREDENTIALS']);
    expect(await use(other, made.recoveryCodes[0])).toEqual(['INVALID_CREDENTIALS']);
    expect(await use(user, made.recoveryCodes[0])).toEqual([]);
  });
});

describe('passkeys', () => {
  const passkeyBegin = 'mutation { beginPasskeySignIn { attempt options } }';
  const passkeyEnd =
    'mutation ($attempt: String!, $response: JSON!) { signInWithPasskey(input: { attempt: $attempt, response: $response }) { user { id } } }';
  const startPasskey = (): Promise<{ attempt: string; options: never }> => ask(null, passkeyBegin);

  it('are the second step, and the only step', async () => {
    const user = await site.invite(root);
    const authenticator = new SoftwareAuthenticator(origin, 0);
    const { codes } = await addPasskey(user, authenticator);
    expect(codes).toHaveLength(10);

    const waiting = await firstStep(user);
    const { kinds, passkeyOptions } = await ask<{ kinds: string[]; passkeyOptions: never }>(waiting, begin);
    expect(kinds).toEqual(['PASSKEY', 'RECOVERY_CODE']);
    const input = { passkey: authenticator.get(passkeyOptions) };
    expect(await ask(waiting, finish, { input })).toEqual({ user: { id: user.id } });

    const { attempt: id, options } = await startPasskey();
    const response = authenticator.get(options);
    expect(await ask(null, passkeyEnd, { attempt: id, response })).toEqual({ user: { id: user.id } });
    // The response is replayed, with the used challenge and with a new one.
    expect((await attempt(null, passkeyEnd, { attempt: id, response })).codes).toEqual(['INVALID_CREDENTIALS']);
    const next = await startPasskey();
    expect((await attempt(null, passkeyEnd, { attempt: next.attempt, response })).codes).toEqual([
      'INVALID_CREDENTIALS',
    ]);
  });

  it.each([
    ['of another page', new SoftwareAuthenticator('https://evil.example'), {}],
    ['of a subdomain', new SoftwareAuthenticator('https://sub.gate.example'), { origin: 'https://sub.gate.example' }],
  ])('refuses a response %s', async (_what, stranger, headers) => {
    const user = await site.invite(root);
    const own = new SoftwareAuthenticator(origin);
    await addPasskey(user, own);
    // The same passkey is used on a page with another address.
    Object.assign(stranger, { id: own.id, privateKey: Reflect.get(own, 'privateKey') as unknown });
    const { attempt: id, options } = await startPasskey();
    const variables = { attempt: id, response: stranger.get(options) };
    const answer = await site.graphql(null, passkeyEnd, variables, { origin, ...anywhere(), ...headers });
    expect(answer.codes).toEqual(['INVALID_CREDENTIALS']);
  });

  it('refuses a passkey of another user as the second step, a forged signature and a cloned counter', async () => {
    const [user, other] = [await site.invite(root), await site.invite(root)];
    const [mine, theirs] = [new SoftwareAuthenticator(origin, 5), new SoftwareAuthenticator(origin)];
    await addPasskey(user, mine);
    await addPasskey(other, theirs);
    const tryWith = async (authenticator: SoftwareAuthenticator): Promise<string[]> => {
      const waiting = await firstStep(user);
      const { passkeyOptions } = await ask<{ passkeyOptions: never }>(waiting, begin);
      return (await attempt(waiting, finish, { input: { passkey: authenticator.get(passkeyOptions) } })).codes;
    };
    expect(await tryWith(theirs)).toEqual(['INVALID_CREDENTIALS']);
    const forger = new SoftwareAuthenticator(origin, 100);
    Object.assign(forger, { id: mine.id });
    expect(await tryWith(forger)).toEqual(['INVALID_CREDENTIALS']);
    const clone = new SoftwareAuthenticator(origin, 2);
    Object.assign(clone, { id: mine.id, privateKey: Reflect.get(mine, 'privateKey') as unknown });
    expect(await tryWith(clone)).toEqual(['INVALID_CREDENTIALS']);
    expect(await tryWith(mine)).toEqual([]);
  });

  it('refuses a stale challenge, and one that was made for another purpose', async () => {
    const user = await site.invite(root);
    const authenticator = new SoftwareAuthenticator(origin);
    await addPasskey(user, authenticator);
    const waiting = await firstStep(user);
    const earlier = await ask<{ passkeyOptions: never }>(waiting, begin);
    await ask(waiting, begin);
    const stale = { input: { passkey: authenticator.get(earlier.passkeyOptions) } };
    expect((await attempt(waiting, finish, stale)).codes).toEqual(['INVALID_CREDENTIALS']);
    const { attempt: id, options } = await startPasskey();
    expect(id).not.toBe('');
    await ask(waiting, begin);
    const foreign = { input: { passkey: authenticator.get(options) } };
    expect((await attempt(waiting, finish, foreign)).codes).toEqual(['INVALID_CREDENTIALS']);
  });

  it('need a domain name', async () => {
    const user = await site.invite(root);
    const answer = await site.graphql(
      user,
      'mutation { beginPasskey { options } }',
      {},
      { origin: 'http://127.0.0.1:3000' },
    );
    expect(answer.codes).toEqual(['INVALID_INPUT']);
    expect(answer.text).toContain('domain name');
  });

  it('are listed, renamed and removed by their owner only', async () => {
    const [user, other] = [await site.invite(root), await site.invite(root)];
    const { id } = await addPasskey(user, new SoftwareAuthenticator(origin));
    await addPasskey(other, new SoftwareAuthenticator(origin));
    const rename =
      'mutation ($id: Int!, $name: String!) { renamePasskey(input: { id: $id, name: $name }) { passkey { name } } }';
    const remove = 'mutation ($id: Int!) { removePasskey(id: $id) { id } }';
    expect((await attempt(other, rename, { id, name: 'mine' })).codes).toEqual(['NOT_FOUND']);
    expect((await attempt(other, remove, { id })).codes).toEqual(['NOT_FOUND']);
    expect((await attempt(user, rename, { id, name: ' ' })).codes).toEqual(['INVALID_INPUT']);
    expect(await ask(user, rename, { id, name: 'Desk' })).toEqual({ passkey: { name: 'Desk' } });
    expect(await ask(user, '{ secondFactors { passkeys { name domain isSynced } } }')).toEqual({
      passkeys: [{ name: 'Desk', domain: 'gate.example', isSynced: false }],
    });
    expect(await ask(user, remove, { id })).toEqual({ id });
    // Without a factor the recovery codes are deleted, and the password is sufficient again.
    expect(await ask(user, '{ secondFactors { recoveryCodesLeft } }')).toEqual({ recoveryCodesLeft: 0 });
    await site.signIn(user.username, user.password);
  });
});

describe('confirmation', () => {
  it('is needed after five minutes for keys, settings of root, roles, exports, passwords and access tokens', async () => {
    const target = await site.invite(root);
    const admin = await site.signIn('root', rootPassword);
    const { secret, recoveryCodes } = await addApp(admin);
    const token = await site.server.api.data<string | { key: string }>(admin, 'POST', '/api/token/', { name: 'one' });
    expect(token).toBeDefined();
    const [{ id: tokenId } = { id: 0 }] = await site.query<{ id: number }>('SELECT id FROM tokens WHERE user_id = $1', [
      root.id,
    ]);
    const channel = await site.server.api.createChannel(admin, { baseUrl: 'http://127.0.0.1:9' });
    const operations: ReadonlyArray<readonly [string, () => Promise<string>]> = [
      ['own key', async () => (await attempt(admin, `{ tokenKey(id: ${tokenId}) }`)).codes.join()],
      ['own key over REST', () => restCode('POST', `/api/token/${tokenId}/key`)],
      ['own keys over REST', () => restCode('POST', '/api/token/batch/keys', { ids: [tokenId] })],
      ['channel key', async () => (await attempt(admin, `{ channelKeys(id: ${channel}) }`)).codes.join()],
      ['channel key over REST', () => restCode('POST', `/api/channel/${channel}/key`)],
      ['payment setting', () => restCode('PUT', '/api/option/', { key: 'EpayId', value: '1' })],
      ['promotion', () => restCode('POST', '/api/user/manage', { id: target.id, action: 'promote' })],
      ['demotion', () => restCode('POST', '/api/user/manage', { id: target.id, action: 'demote' })],
      [
        'password of another',
        () => restCode('PUT', '/api/user/', { id: target.id, username: target.username, password: 'another pass 1' }),
      ],
      ['export of logs', () => restCode('GET', '/api/log/export')],
      ['export of the audit log', () => restCode('GET', '/api/audit/export')],
      ['export of usage', () => restCode('GET', '/api/data/export')],
      ['access token', () => restCode('GET', '/api/user/token')],
      [
        'named access token',
        async () =>
          (
            await attempt(
              admin,
              `mutation { createAccessToken(input: { name: "n${Date.now()}", scopes: [WRITE] }) { secret } }`,
            )
          ).codes.join(),
      ],
      ['creating a key', () => restCode('POST', '/api/token/', { name: `made ${Date.now()}`, unlimited_quota: true })],
      [
        'creating a key over GraphQL',
        async () =>
          (await attempt(admin, `mutation { createToken(input: { name: "g${Date.now()}" }) { key } }`)).codes.join(),
      ],
      ['rotating a key', () => restCode('POST', `/api/token/${tokenId}/rotate`, {})],
      [
        'own password',
        () => restCode('PUT', '/api/user/self', { password: rootPassword, original_password: rootPassword }),
      ],
    ];
    async function restCode(method: string, path: string, body?: unknown): Promise<string> {
      const answer = await site.rest(admin, method, path, body, anywhere());
      return typeof answer.body['code'] === 'string' ? answer.body['code'] : '';
    }
    const run = async (): Promise<Record<string, string>> => {
      const results: Record<string, string> = {};
      for (const [name, operation] of operations) results[name] = await operation();
      return results;
    };
    // An access token belongs to a program. Older programs create keys with it without a confirmation.
    const { data: accessToken } = (await site.rest(admin, 'GET', '/api/user/token', undefined, anywhere())).body;
    const program = { authorization: String(accessToken), 'veloera-user': String(admin.id), ...anywhere() };
    await letConfirmationExpire(admin);
    const byProgram = await site.rest(null, 'POST', '/api/token/', { name: 'by a program' }, program);
    expect(byProgram.body).toMatchObject({ success: true });
    expect(await run()).toEqual(Object.fromEntries(operations.map(([name]) => [name, 'CONFIRMATION_NEEDED'])));
    // Everything else works, but lists hide the keys.
    const list = await site.rest(admin, 'GET', '/api/token/?p=0');
    expect(JSON.stringify(list.body)).toContain('**********');
    expect(await ask(admin, '{ secondFactors { needsConfirmation } }')).toEqual({ needsConfirmation: true });

    const confirmed = await ask(admin, confirm, { input: { code: codeOf(secret) } });
    expect(confirmed).toEqual({ secondFactors: { needsConfirmation: false } });
    const after = await run();
    expect(Object.entries(after).filter(([, code]) => code !== '')).toEqual([]);

    // This site's root may work without a second factor.
    await letConfirmationExpire(admin);
    expect(
      (await attempt(admin, 'mutation { removeAuthenticatorApp { secondFactors { isRequired } } }')).codes,
    ).toEqual(['CONFIRMATION_NEEDED']);
    const renewed = await ask<{ recoveryCodes?: string[] }>(admin, confirm, {
      input: { recoveryCode: recoveryCodes[0] },
    });
    expect(renewed).toBeDefined();
    await ask(admin, 'mutation { removeAuthenticatorApp { secondFactors { isRequired } } }');
    root = await site.signIn('root', rootPassword);
  });

  it('is needed to send the keys of a channel elsewhere, which reveals them as reading them does', async () => {
    const admin = await site.invite(root, 'admin');
    const [baseUrl, other] = ['http://127.0.0.1:9', 'http://127.0.0.1:10'];
    const id = await site.server.api.createChannel(admin, { baseUrl });
    const { secret } = await addApp(admin);
    await letConfirmationExpire(admin);
    const put = async (fields: object) =>
      (await site.rest(admin, 'PUT', '/api/channel/', { id, ...fields }, anywhere())).body['code'];
    const header = `mutation { updateChannel(input: { id: ${id}, headers: { x_key: "{api_key}" } }) { channel { id } } }`;
    const run = async () => [
      await put({ base_url: other }),
      await put({ setting: '{"proxy":"http://127.0.0.1:1"}' }),
      ...(await attempt(admin, header)).codes,
    ];
    expect(await run()).toEqual(Array(3).fill('CONFIRMATION_NEEDED'));
    // Forms send the unchanged address again.
    expect(await put({ base_url: baseUrl, weight: 3 })).toBeUndefined();
    expect(await site.query('SELECT base_url, weight, setting FROM channels WHERE id = $1', [id])).toEqual([
      { base_url: baseUrl, weight: 3, setting: {} },
    ]);
    await ask(admin, confirm, { input: { code: codeOf(secret) } });
    expect(await run()).toEqual([undefined, undefined]);
  });

  it('is needed for another way to sign in: an e-mail address, which resets the password, and accounts elsewhere', async () => {
    for (const [key, value] of [
      ['GitHubClientId', 'id'],
      ['GitHubOAuthEnabled', 'true'],
    ])
      await site.expectSuccess(root, 'PUT', '/api/option/', { key, value });
    const user = await site.invite(root);
    const { secret } = await addApp(user);
    await letConfirmationExpire(user);
    const run = async () => [
      ...(
        await attempt(user, 'mutation { bindEmail(input: { email: "thief@example.com", code: "x" }) { user { id } } }')
      ).codes,
      ...(await attempt(user, 'mutation { bindWechat(code: "x") { user { id } } }')).codes,
      ...(await attempt(user, 'mutation { beginSignIn(input: { provider: GITHUB }) { url } }')).codes,
      (await site.rest(user, 'GET', '/api/oauth/state', undefined, anywhere())).body['code'],
      (
        await site.rest(user, 'GET', '/api/oauth/telegram/bind', undefined, {
          ...anywhere(),
          'sec-fetch-site': 'same-origin',
        })
      ).body['code'],
    ];
    expect(await run()).toEqual(Array(5).fill('CONFIRMATION_NEEDED'));
    await ask(user, confirm, { input: { code: codeOf(secret) } });
    // The code of the mail is wrong, and two of the providers are not set up.
    expect(await run()).toEqual(['INVALID_INPUT', 'INVALID_INPUT', undefined, 'INVALID_INPUT']);
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'GitHubOAuthEnabled', value: 'false' });
  });

  it('is needed to give a user another e-mail address, and not for the role that a form of an older console contains', async () => {
    const [admin, user] = [await site.invite(root, 'admin'), await site.invite(root)];
    await site.query(`UPDATE users SET email = $2 WHERE id = $1`, [user.id, `${user.username}@example.com`]);
    const { secret } = await addApp(admin);
    await letConfirmationExpire(admin);
    const update = async (fields: string) =>
      (await attempt(admin, `mutation { updateUser(input: { id: ${user.id}, ${fields} }) { user { id } } }`)).codes;
    expect(await update('email: "thief@example.com"')).toEqual(['CONFIRMATION_NEEDED']);
    expect(await update(`email: "${user.username}@example.com", displayName: "same"`)).toEqual([]);
    const form = { id: user.id, username: user.username, display_name: 'Form', group: 'default', role: 1 };
    await site.expectSuccess(admin, 'PUT', '/api/user/', form);
    expect(await site.query('SELECT email, display_name FROM users WHERE id = $1', [user.id])).toEqual([
      { email: `${user.username}@example.com`, display_name: 'Form' },
    ]);
    await ask(admin, confirm, { input: { code: codeOf(secret) } });
    expect(await update('email: "moved@example.com"')).toEqual([]);
  });

  it('is not needed to read the own account: older consoles get it without the access token', async () => {
    const user = await site.invite(root);
    const token = (await site.expectSuccess(user, 'GET', '/api/user/token')).body.data;
    const { secret } = await addApp(user);
    const self = async () => (await site.rest(user, 'GET', '/api/user/self', undefined, anywhere())).body;
    expect(await self()).toMatchObject({ success: true, data: { id: user.id, access_token: token } });
    await letConfirmationExpire(user);
    expect(await self()).toMatchObject({ success: true, data: { id: user.id, access_token: null } });
    expect((await attempt(user, '{ accessToken }')).codes).toEqual(['CONFIRMATION_NEEDED']);
    await ask(user, confirm, { input: { code: codeOf(secret) } });
    expect(await self()).toMatchObject({ data: { access_token: token } });
  });

  it('is needed to remove a bound account, to delete the own account, and for the address of callbacks of drawings', async () => {
    const admin = await site.invite(root, 'admin');
    await site.query(`UPDATE users SET github_id = '77' WHERE id = $1`, [admin.id]);
    const channel = await site.server.api.createChannel(admin, { baseUrl: 'http://127.0.0.1:9' });
    const { secret } = await addApp(admin);
    await letConfirmationExpire(admin);
    const run = async () => [
      ...(await attempt(admin, `{ drawingNotifyUrl(channelId: ${channel}) }`)).codes,
      ...(await attempt(admin, 'mutation { unbindIdentity(provider: GITHUB) { user { id } } }')).codes,
      ...(await attempt(admin, 'mutation { deleteMe { id } }')).codes,
      (await site.rest(admin, 'DELETE', '/api/user/self', undefined, anywhere())).body['code'],
    ];
    expect(await run()).toEqual(Array(4).fill('CONFIRMATION_NEEDED'));
    const rows = () => site.query('SELECT github_id, deleted_at IS NULL AS lives FROM users WHERE id = $1', [admin.id]);
    expect(await rows()).toEqual([{ github_id: '77', lives: true }]);
    await ask(admin, confirm, { input: { code: codeOf(secret) } });
    expect(await run()).toEqual(['NOT_SIGNED_IN']);
    expect(await rows()).toEqual([{ github_id: '', lives: false }]);
  });

  it('with a passkey is bound to the session that began it', async () => {
    const user = await site.invite(root);
    const authenticator = new SoftwareAuthenticator(origin);
    const { codes } = await addPasskey(user, authenticator);
    const other = await secondStep(await firstStep(user), codes[0] ?? '');
    const startConfirm = 'mutation { beginSessionConfirmation { kinds passkeyOptions } }';
    const { passkeyOptions } = await ask<{ passkeyOptions: never }>(user, startConfirm);
    const input = { passkey: authenticator.get(passkeyOptions) };
    expect((await attempt(other, confirm, { input })).codes).toEqual(['INVALID_CREDENTIALS']);
    expect(await ask(user, confirm, { input })).toEqual({ secondFactors: { needsConfirmation: false } });
    expect((await attempt(user, confirm, { input: {} })).codes).toEqual(['INVALID_INPUT']);
    expect((await attempt(user, confirm, { input: { code: '1', recoveryCode: '2' } })).codes).toEqual([
      'INVALID_INPUT',
    ]);
  });

  it('is not for access tokens', async () => {
    const user = await site.invite(root);
    const token = (await site.expectSuccess(user, 'GET', '/api/user/token')).body.data as string;
    const answer = await site.graphql(
      null,
      'mutation { beginAuthenticatorApp { secret } }',
      {},
      { authorization: token },
    );
    expect(answer.codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  });
});

describe('the site', () => {
  afterEach(async () => {
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'SecondFactorRequiredFor', value: 'none' });
  });

  it('can require a second factor of a role, which can do nothing before it is set up', async () => {
    const [user, admin] = [await site.invite(root), await site.invite(root, 'admin')];
    const rootFactor = await addApp(root);
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'SecondFactorRequiredFor', value: 'admins' });
    expect((await site.rest(user, 'GET', '/api/token/')).body).toMatchObject({ success: true });
    const refused = await site.rest(admin, 'GET', '/api/token/');
    expect([refused.status, refused.body]).toMatchObject([403, { code: 'SECOND_FACTOR_REQUIRED' }]);
    const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
    const playground = await site.rest(admin, 'POST', '/pg/chat/completions', chat);
    expect([playground.status, JSON.stringify(playground.body)]).toEqual([
      403,
      expect.stringContaining('second factor'),
    ]);
    expect((await attempt(admin, '{ users { totalCount } }')).codes).toContain('SECOND_FACTOR_REQUIRED');
    expect(await ask(admin, '{ me { username } }')).toEqual({ username: admin.username });
    expect((await site.rest(admin, 'GET', '/api/user/self')).body).toMatchObject({
      success: true,
      data: { id: admin.id, access_token: null },
    });
    expect(await ask(admin, '{ secondFactors { isRequired } }')).toEqual({ isRequired: true });

    await addApp(admin);
    expect((await site.rest(admin, 'GET', '/api/user/')).body).toMatchObject({ success: true });
    const last = await attempt(admin, 'mutation { removeAuthenticatorApp { secondFactors { isRequired } } }');
    expect(last.codes).toEqual(['CONFLICT']);
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'SecondFactorRequiredFor', value: 'none' });
    await ask(root, confirm, { input: { recoveryCode: rootFactor.recoveryCodes[0] } });
    await ask(root, 'mutation { removeAuthenticatorApp { secondFactors { isRequired } } }');
  });

  it('lets a higher role reset lost second factors, and records it', async () => {
    const [user, admin, peer] = [
      await site.invite(root),
      await site.invite(root, 'admin'),
      await site.invite(root, 'admin'),
    ];
    for (const person of [user, admin]) await addApp(person);
    const reset = 'mutation ($id: Int!) { resetSecondFactors(userId: $id) { user { id } } }';
    for (const id of [admin.id, root.id, peer.id]) {
      expect((await attempt(peer, reset, { id })).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
    }
    expect((await attempt(user, reset, { id: admin.id })).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
    expect(await ask(peer, reset, { id: user.id })).toEqual({ user: { id: user.id } });
    expect((await site.rest(user, 'GET', '/api/user/self')).status).toBe(401);
    await site.signIn(user.username, user.password);
    const audit = await site.query('SELECT actor_id, subject_id FROM audit_entries WHERE action = $1', [
      'resetSecondFactors',
    ]);
    expect(audit).toEqual([{ actor_id: peer.id, subject_id: String(user.id) }]);
  });
});

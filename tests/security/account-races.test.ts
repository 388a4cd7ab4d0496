import { setTimeout } from 'node:timers/promises';
import bcrypt from 'bcrypt';
import { Secret, TOTP } from 'otpauth';
import { AccessTokenService } from '../../server/src/console/auth/access-token.service.js';
import { OAuthService } from '../../server/src/console/oauth/oauth.service.js';
import { PasswordService } from '../../server/src/console/auth/password.service.js';
import { SessionService } from '../../server/src/console/auth/session.service.js';
import { AccountService } from '../../server/src/console/users/account.service.js';
import { FactorProofService } from '../../server/src/console/second-factors/factor-proof.service.js';
import { SecondFactorService } from '../../server/src/console/second-factors/second-factor.service.js';
import { UserService } from '../../server/src/console/users/user.service.js';
import { anywhere, rootPassword, Site, type Person } from '../contract/site.js';

let site: Site;
let root: Person;
let user: Person;
beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
});
beforeEach(async () => (user = await site.invite(root)));
afterEach(() => jest.restoreAllMocks());
afterAll(() => site.stop());

const newPassword = 'a password after it';

/** Creates a gate that the next call of a method reaches, and passes only when the gate is opened. */
function gate(): { readonly reached: Promise<void>; readonly pass: () => Promise<void>; readonly open: () => void } {
  let arrive = (): void => undefined;
  let open = (): void => undefined;
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { reached, open, pass: () => (arrive(), opened) };
}

/** Holds the next call of a method before it begins, when its caller is already authenticated. */
function holdBefore<Name extends string>(owner: Record<Name, (...given: never[]) => Promise<unknown>>, name: Name) {
  const held = gate();
  const run = owner[name];
  jest.spyOn(owner, name as never).mockImplementationOnce(async function (this: unknown, ...given: never[]) {
    await held.pass();
    return run.apply(this as never, given);
  } as never);
  return held;
}

/** Holds the next sign-in after its password was verified. */
function holdCheckedPassword() {
  const held = gate();
  const run = PasswordService.prototype.check;
  jest.spyOn(PasswordService.prototype, 'check').mockImplementationOnce(async function (
    this: PasswordService,
    ...given
  ) {
    const result = await run.apply(this, given);
    await held.pass();
    return result;
  });
  return held;
}

const login = (password: string) =>
  site.rest(null, 'POST', '/api/user/login', { username: user.username, password }, anywhere());
const isSignedIn = async (password: string): Promise<boolean> => (await login(password)).body['success'] === true;
const setPassword = () => site.expectSuccess(user, 'PUT', '/api/user/self', { password: newPassword });
const storeOldHash = async (): Promise<void> => {
  await site.query('UPDATE users SET password_hash = $2 WHERE id = $1', [user.id, await bcrypt.hash(user.password, 4)]);
};

describe('a sign-in that began before the password changed', () => {
  it('opens no session', async () => {
    const held = holdCheckedPassword();
    const answer = login(user.password);
    await held.reached;
    await setPassword();
    held.open();
    expect((await answer).body).toMatchObject({ success: false, code: 'INVALID_CREDENTIALS' });
    expect(await site.query('SELECT 1 FROM sessions WHERE user_id = $1', [user.id])).toHaveLength(1);
  });

  it('does not bring the old password back when its hash was outdated', async () => {
    await storeOldHash();
    const held = holdCheckedPassword();
    const answer = login(user.password);
    await held.reached;
    await setPassword();
    held.open();
    expect((await answer).body).toMatchObject({ success: false, code: 'INVALID_CREDENTIALS' });
    expect([await isSignedIn(user.password), await isSignedIn(newPassword)]).toEqual([false, true]);
  });
});

it('sign-ins at once with an outdated hash all succeed', async () => {
  await storeOldHash();
  const held = holdCheckedPassword();
  const first = login(user.password);
  await held.reached;
  expect(await isSignedIn(user.password)).toBe(true);
  held.open();
  expect((await first).body['success']).toBe(true);
});

describe('a request in a session that a new password ended meanwhile', () => {
  let thief: Person;
  beforeEach(async () => (thief = await site.signIn(user.username, user.password)));

  it('makes no system access token', async () => {
    const held = holdBefore(AccountService.prototype as never, 'renewAccessToken');
    const answer = site.rest(thief, 'GET', '/api/user/token');
    await held.reached;
    await setPassword();
    held.open();
    expect((await answer).body).toMatchObject({ success: false, code: 'NOT_SIGNED_IN' });
    const [row] = await site.query('SELECT access_token_hash FROM users WHERE id = $1', [user.id]);
    expect(row).toEqual({ access_token_hash: null });
  });

  it('makes no named access token', async () => {
    const held = holdBefore(AccessTokenService.prototype as never, 'create');
    const answer = site.graphql(
      thief,
      'mutation { createAccessToken(input: { name: "x", scopes: [WRITE] }) { secret } }',
    );
    await held.reached;
    await setPassword();
    held.open();
    expect((await answer).codes).toEqual(['NOT_SIGNED_IN']);
    expect(await site.query('SELECT 1 FROM access_tokens WHERE user_id = $1', [user.id])).toEqual([]);
  });

  it('removes no way to sign in', async () => {
    await site.query(`UPDATE users SET github_id = 'gh-' || id WHERE id = $1`, [user.id]);
    const held = holdBefore(OAuthService.prototype as never, 'unbind');
    const answer = site.graphql(thief, 'mutation { unbindIdentity(provider: GITHUB) { user { id } } }');
    await held.reached;
    await setPassword();
    held.open();
    expect((await answer).codes).toEqual(['NOT_SIGNED_IN']);
    expect(await site.query('SELECT github_id FROM users WHERE id = $1', [user.id])).toEqual([
      { github_id: `gh-${user.id}` },
    ]);
  });

  it('deletes no account', async () => {
    const held = holdBefore(AccountService.prototype as never, 'remove');
    const answer = site.rest(thief, 'DELETE', '/api/user/self');
    await held.reached;
    await setPassword();
    held.open();
    expect((await answer).body).toMatchObject({ success: false, code: 'NOT_SIGNED_IN' });
    expect(await isSignedIn(newPassword)).toBe(true);
  });

  it('sets no other user name, which the owner signs in with', async () => {
    const held = holdBefore(AccountService.prototype as never, 'update');
    const answer = site.rest(thief, 'PUT', '/api/user/self', { username: `of${user.id}thief` });
    await held.reached;
    await setPassword();
    held.open();
    expect((await answer).body).toMatchObject({ success: false, code: 'NOT_SIGNED_IN' });
    expect(await isSignedIn(newPassword)).toBe(true);
  });

  it('sets no password', async () => {
    const held = holdBefore(AccountService.prototype as never, 'update');
    const answer = site.rest(thief, 'PUT', '/api/user/self', { password: 'one of a thief' });
    await held.reached;
    await setPassword();
    held.open();
    expect((await answer).body).toMatchObject({ success: false, code: 'NOT_SIGNED_IN' });
    expect([await isSignedIn('one of a thief'), await isSignedIn(newPassword)]).toEqual([false, true]);
  });
});

it('root sets no own password as an admin does, in a session that a new password ended', async () => {
  const thief = await site.signIn('root', rootPassword);
  const held = holdBefore(UserService.prototype as never, 'update');
  const answer = site.rest(thief, 'PUT', '/api/user/', { id: root.id, password: 'one of a thief' });
  await held.reached;
  await site.expectSuccess(root, 'PUT', '/api/user/self', { password: rootPassword });
  held.open();
  expect((await answer).body).toMatchObject({ success: false, code: 'NOT_SIGNED_IN' });
});

it('a session that was ended meanwhile sets up no second factor', async () => {
  const thief = await site.signIn(user.username, user.password);
  const { data } = await site.graphql(thief, 'mutation { beginAuthenticatorApp { secret } }');
  const { secret } = data?.['beginAuthenticatorApp'] as { secret: string };
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const held = holdBefore(SecondFactorService.prototype as never, 'confirmAuthenticatorApp');
  const answer = site.graphql(thief, `mutation { confirmAuthenticatorApp(code: "${code}") { recoveryCodes } }`);
  await held.reached;
  await site.graphql(user, 'mutation { revokeOtherSessions { count } }');
  held.open();
  expect((await answer).codes).toEqual(['NOT_SIGNED_IN']);
  const [row] = await site.query('SELECT has_second_factor FROM users WHERE id = $1', [user.id]);
  expect(row).toEqual({ has_second_factor: false });
});

it('a new password ends a system access token that is being used to replace itself', async () => {
  const token = (await site.rest(user, 'GET', '/api/user/token')).body.data as string;
  const held = holdBefore(AccountService.prototype as never, 'renewAccessToken');
  const answer = site.rest(null, 'GET', '/api/user/token', undefined, { authorization: token });
  await held.reached;
  await setPassword();
  held.open();
  expect((await answer).body).toMatchObject({ success: false, code: 'NOT_SIGNED_IN' });
});

it('a session that was ended while a request read it opens nothing to the next one', async () => {
  const thief = await site.signIn(user.username, user.password);
  const held = gate();
  const run = SessionService.prototype.find;
  jest.spyOn(SessionService.prototype, 'find').mockImplementationOnce(async function (this: SessionService, ...given) {
    const session = await run.apply(this, given);
    await held.pass();
    return session;
  });
  const read = () => site.rest(thief, 'GET', '/api/user/self');
  const first = read();
  await held.reached;
  await site.graphql(user, 'mutation { revokeOtherSessions { count } }');
  held.open();
  await first;
  expect((await read()).status).toBe(401);
});

describe('second factors', () => {
  const newApp = async (): Promise<string> => {
    const { data } = await site.graphql(user, 'mutation { beginAuthenticatorApp { secret } }');
    return (data?.['beginAuthenticatorApp'] as { secret: string }).secret;
  };
  const codeOf = (secret: string): string => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const confirm = (secret: string) =>
    site.graphql(user, `mutation { confirmAuthenticatorApp(code: "${codeOf(secret)}") { recoveryCodes } }`);

  it('a sign-in that was ended while its second factor was checked opens no session', async () => {
    const secret = await newApp();
    const { data } = await confirm(secret);
    const [recoveryCode] = (data?.['confirmAuthenticatorApp'] as { recoveryCodes: string[] }).recoveryCodes;
    const first = await login(user.password);
    const cookie = first.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const held = gate();
    const run = FactorProofService.prototype.check;
    jest.spyOn(FactorProofService.prototype, 'check').mockImplementationOnce(async function (
      this: FactorProofService,
      ...given
    ) {
      await run.apply(this, given);
      await held.pass();
    });
    const answer = site.rest(null, 'POST', '/api/user/login/2fa', { code: recoveryCode }, { cookie, ...anywhere() });
    await held.reached;
    await site.expectSuccess(root, 'PUT', '/api/user/', { id: user.id, password: newPassword });
    held.open();
    expect((await answer).body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
    expect(await site.query('SELECT 1 FROM sessions WHERE user_id = $1', [user.id])).toEqual([]);
  });

  it('a session that was ended meanwhile gets no recovery codes', async () => {
    await confirm(await newApp());
    const held = holdBefore(SecondFactorService.prototype as never, 'renewRecoveryCodes');
    const answer = site.graphql(user, 'mutation { renewRecoveryCodes { recoveryCodes } }');
    await held.reached;
    await site.expectSuccess(root, 'PUT', '/api/user/', { id: user.id, password: newPassword });
    held.open();
    expect((await answer).codes).toEqual(['NOT_SIGNED_IN']);
  });

  it('an authenticator app is not confirmed with the code of a secret that was replaced meanwhile', async () => {
    const former = await newApp();
    const connection = site.dataSource.createQueryRunner();
    await connection.startTransaction();
    await connection.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [user.id]);
    const answer = confirm(former);
    await oneWaits();
    const secret = await newApp();
    await connection.commitTransaction();
    await connection.release();
    expect((await answer).codes).toEqual(['INVALID_INPUT']);
    expect((await confirm(secret)).codes).toEqual([]);
  });
});

/** Resolves once a statement waits for a lock. */
async function oneWaits(): Promise<void> {
  for (;;) {
    const rows = await site.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
    await setTimeout(20);
  }
}

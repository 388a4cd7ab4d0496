import bcrypt from 'bcrypt';
import { PasswordService } from '../../server/src/modules/auth/password.service.js';
import { anywhere, Site, type Person } from '../contract/site.js';

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

/** A point that the next call of a method reaches and leaves only when it is opened. */
function gate(): { readonly reached: Promise<void>; readonly pass: () => Promise<void>; readonly open: () => void } {
  let arrive = (): void => undefined;
  let open = (): void => undefined;
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { reached, open, pass: () => (arrive(), opened) };
}

/** Holds the next sign-in after its password was found right. */
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

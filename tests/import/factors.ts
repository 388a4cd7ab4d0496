import { Secret, TOTP } from 'otpauth';
import { factors } from '../support/import/content.js';
import type { LocalServer } from '../support/server.js';

const { passkey } = factors;

/** Defines the tests of second factors of new-api at the imported site. */
export function describeFactors(server: () => LocalServer): void {
  let address = 0;
  /** Returns the headers of a page at a new address, because limits count by address. */
  const page = (): Record<string, string> => ({ origin: passkey.origin, 'x-forwarded-for': `10.3.2.${++address}` });
  async function ask(query: string, variables: Record<string, unknown>, cookie = '') {
    const headers = { ...page(), ...(cookie ? { cookie } : {}) };
    const { body } = await server().api.rest(null, 'POST', '/graphql', { query, variables }, headers);
    const { data, errors = [] } = body as { data: unknown; errors?: Array<{ extensions: { code: string } }> };
    return { data, codes: errors.map(({ extensions }) => extensions.code) };
  }

  /**
   * Makes the first step of a sign-in of the user with an authenticator app.
   * @returns the cookie of the session that waits
   */
  async function firstStep(): Promise<string> {
    const body = { username: 'user02', password: 'password of user02' };
    const answer = await server().api.rest(null, 'POST', '/api/user/login', body, page());
    expect(answer.body).toMatchObject({ success: false, code: 'SECOND_FACTOR_NEEDED' });
    return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  }
  const finish = async (cookie: string, input: Record<string, unknown>) =>
    ask(
      'mutation ($input: SecondFactorInput!) { finishSecondFactor(input: $input) { user { id } } }',
      { input },
      cookie,
    );

  it('signs in the user of an authenticator app with a code of the old secret', async () => {
    const waiting = await firstStep();
    const code = new TOTP({ secret: Secret.fromBase32(factors.secret) }).generate();
    expect((await finish(waiting, { code: code === '000000' ? '000001' : '000000' })).codes).toEqual([
      'INVALID_CREDENTIALS',
    ]);
    expect((await finish(waiting, { code })).data).toEqual({ finishSecondFactor: { user: { id: factors.appUser } } });
  });

  it('takes each old backup code once, however it is written, and no used one', async () => {
    const [first, second] = factors.backupCodes;
    const signedIn = { finishSecondFactor: { user: { id: factors.appUser } } };
    expect((await finish(await firstStep(), { recoveryCode: first })).data).toEqual(signedIn);
    const waiting = await firstStep();
    expect((await finish(waiting, { recoveryCode: first })).codes).toEqual(['INVALID_CREDENTIALS']);
    expect((await finish(waiting, { recoveryCode: factors.usedBackupCode })).codes).toEqual(['INVALID_CREDENTIALS']);
    const sloppy = second.toLowerCase().replace('-', ' ');
    expect((await finish(waiting, { recoveryCode: sloppy })).data).toEqual(signedIn);
  });

  it('signs in the owner of a passkey with it, or with the password alone as before', async () => {
    const begun = await ask('mutation { beginPasskeySignIn { attempt options } }', {});
    const { attempt, options } = (begun.data as { beginPasskeySignIn: { attempt: string; options: never } })
      .beginPasskeySignIn;
    const answer = await ask(
      'mutation ($attempt: String!, $response: JSON!) { signInWithPasskey(input: { attempt: $attempt, response: $response }) { user { id } } }',
      { attempt, response: passkey.get(options) },
    );
    expect(answer.data).toEqual({ signInWithPasskey: { user: { id: factors.passkeyUser } } });
    const person = await server().api.signIn('user05', 'password of user05', page());
    expect(person.id).toBe(factors.passkeyUser);
  });

  it('keeps the secret encrypted, and asks no user for a factor who had none', async () => {
    const rows = await server().dataSource.query<Array<{ user_id: number; secret_sealed: string }>>(
      'SELECT user_id, secret_sealed FROM authenticator_apps',
    );
    expect(rows.map(({ user_id }) => user_id)).toEqual([factors.appUser]);
    expect(rows[0]?.secret_sealed).not.toContain(factors.secret);
    const [asked] = await server().dataSource.query<Array<{ ids: number[] }>>(
      'SELECT array_agg(id) AS ids FROM users WHERE has_second_factor',
    );
    expect(asked?.ids).toEqual([factors.appUser]);
  });
}

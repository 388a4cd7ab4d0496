import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { exitCode, runCommand, withDatabase, type ExitCode } from '../../platform/db/command.js';
import type { AuditChange } from '../../shared/audit.js';
import { writeAudit } from '../audit/index.js';
import { PasswordService } from '../auth/index.js';

const usage = 'usage: npm run reset-password -- <user name> [--second-factors] [--password-login]';
const switches = ['--second-factors', '--password-login'];

/** The actor in the audit log. The operator of the machine has no account on the site. */
const operator = { id: 0, username: 'npm run reset-password' };

interface Account {
  readonly id: number;
  readonly username: string;
  readonly hasSecondFactor: boolean;
}

/**
 * `npm run reset-password -- <user name> [--second-factors] [--password-login]`: sets a new random password for a user
 * who cannot sign in and whom no admin can help, such as the super admin. It ends the sessions and access tokens of the
 * user, like every new password. `--password-login` allows sign-in by password, for sites whose other sign-in methods
 * are broken.
 */
async function main(parameters: string[]): Promise<ExitCode> {
  const names = parameters.filter((parameter) => !parameter.startsWith('--'));
  const options = parameters.filter((parameter) => parameter.startsWith('--'));
  const [name] = names;
  if (!name || names.length > 1 || options.some((option) => !switches.includes(option))) {
    console.error(usage);
    return exitCode.usage;
  }
  return withDatabase(process.env, 'tollgate-reset-password', async (client) => {
    const account = await findAccount(client, name);
    if (!account) {
      const root = await findRootName(client);
      console.error(`There is no user "${name}".${root === null ? '' : ` The super admin is "${root}".`}`);
      return exitCode.attention;
    }
    const password = randomBytes(18).toString('base64url');
    const removesFactors = options.includes('--second-factors');
    await reset(client, account, password, removesFactors);
    console.log(`New password of ${account.username}: ${password}`);
    console.log('Sign in with it and choose another one. Sessions and access tokens of the user have ended.');
    if (account.hasSecondFactor) {
      console.log(
        removesFactors
          ? 'The second factors of the user are removed: set up new ones.'
          : 'The second factors of the user are kept. With --second-factors they are removed too.',
      );
    }
    if (await isPasswordLoginOff(client)) {
      if (options.includes('--password-login')) await permitPasswordLogin(client);
      console.log(
        options.includes('--password-login')
          ? 'Users may sign in by password again. A running server notices within SYNC_FREQUENCY seconds (60).'
          : 'Nobody may sign in by password (PasswordLoginEnabled). With --password-login everybody may again.',
      );
    }
    return exitCode.ok;
  });
}

async function isPasswordLoginOff(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`SELECT 1 FROM options WHERE key = 'PasswordLoginEnabled' AND value = 'false'`);
  return rows.length > 0;
}

async function permitPasswordLogin(client: pg.Client): Promise<void> {
  await client.query('BEGIN');
  await client.query(
    `UPDATE options SET value = 'true', updated_at = now(), updated_by = NULL WHERE key = 'PasswordLoginEnabled'`,
  );
  const [before, after] = [{ value: 'false' }, { value: 'true' }];
  await writeAudit(client, operator, [
    { subject: 'option', id: 'PasswordLoginEnabled', action: 'update', before, after },
  ]);
  await client.query('COMMIT');
}

/** Finds the user of exactly this name, else the user whose name differs only in upper and lower case. */
async function findAccount(client: pg.Client, name: string): Promise<Account | undefined> {
  const { rows } = await client.query<Account>(
    `SELECT id, username, has_second_factor AS "hasSecondFactor" FROM users
      WHERE lower(username) = lower($1) AND deleted_at IS NULL ORDER BY username = $1 DESC LIMIT 1`,
    [name],
  );
  return rows[0];
}

async function findRootName(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ username: string }>(
    "SELECT username FROM users WHERE role = 'root' AND deleted_at IS NULL",
  );
  return rows[0]?.username ?? null;
}

async function reset(
  client: pg.Client,
  { id, hasSecondFactor }: Account,
  password: string,
  removesFactors: boolean,
): Promise<void> {
  const hash = await new PasswordService().hash(password);
  await client.query('BEGIN');
  // Locks the user: a sign-in with the old password either ends with this transaction or is refused after it.
  await client.query(
    `UPDATE users SET password_hash = $2, access_token_hash = NULL, access_token_sealed = NULL WHERE id = $1`,
    [id, hash],
  );
  for (const table of ['sessions', 'access_tokens']) {
    await client.query(`DELETE FROM ${table} WHERE user_id = $1`, [id]);
  }
  const subject = { subject: 'user', id } as const;
  const changes: AuditChange[] = [{ ...subject, action: 'update', before: {}, after: { password: hash } }];
  if (removesFactors && hasSecondFactor) {
    for (const table of ['authenticator_apps', 'passkeys', 'recovery_codes']) {
      await client.query(`DELETE FROM ${table} WHERE user_id = $1`, [id]);
    }
    await client.query('UPDATE users SET has_second_factor = false WHERE id = $1', [id]);
    const [before, after] = [{ hasSecondFactor: true }, { hasSecondFactor: false }];
    changes.push({ ...subject, action: 'resetSecondFactors', before, after });
  }
  await writeAudit(client, operator, changes);
  await client.query('COMMIT');
}

await runCommand(() => main(process.argv.slice(2)));

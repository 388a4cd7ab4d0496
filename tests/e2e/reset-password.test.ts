import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Api } from '../support/api.js';
import { boot, buildServer, cleanUp, connectToEmbedded, projectRoot } from './boot-support.js';

/** `npm run reset-password` as an operator runs it who can no longer sign in as root. */

jest.setTimeout(90_000);
beforeAll(buildServer);
afterEach(cleanUp);

function resetPassword(
  dataDir: string,
  ...parameters: string[]
): { code: number | null; output: string; errors: string } {
  const script = join(projectRoot, 'dist/server/console/sign-in/reset-password.main.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...parameters], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
    encoding: 'utf8',
  });
  return { code: status, output: stdout, errors: stderr };
}

const signIn = async (url: string, password: string): Promise<unknown> => {
  const response = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'root', password }),
  });
  return response.json();
};

it('gives root a password beside the running server, and ends what the old one opened', async () => {
  const server = await boot();
  await server.ready();
  const api = new Api(server.url);
  const root = await api.setUp();
  const database = await connectToEmbedded(server.dataDir);
  try {
    const { rows } = await database.query('SELECT count(*)::int AS open FROM sessions');
    expect(rows[0].open).toBeGreaterThan(0);
    await database.query('UPDATE users SET has_second_factor = true');
    await database.query(`INSERT INTO recovery_codes (user_id, code_hash) SELECT id, 'x' FROM users`);

    const first = resetPassword(server.dataDir, 'ROOT');
    expect(first).toMatchObject({ code: 0, errors: '' });
    const password = /^New password of root: (\S{20,})$/m.exec(first.output)?.[1] ?? '';
    expect(first.output).toContain('--second-factors');
    expect(await signIn(server.url, password)).toMatchObject({ data: { require_2fa: true } });
    const ended = await database.query('SELECT count(*)::int AS open FROM sessions WHERE NOT awaits_factor');
    expect(ended.rows).toEqual([{ open: 0 }]);

    expect((await api.rest(root, 'GET', '/api/user/self')).body).toMatchObject({ success: false });

    const second = resetPassword(server.dataDir, 'root', '--second-factors');
    expect(second.code).toBe(0);
    const newer = /^New password of root: (\S+)$/m.exec(second.output)?.[1] ?? '';
    expect(await signIn(server.url, password)).toMatchObject({ success: false });
    expect(await signIn(server.url, newer)).toMatchObject({ success: true, data: { username: 'root' } });

    await database.query(
      `INSERT INTO options (key, value, updated_at) VALUES ('PasswordLoginEnabled', 'false', now())`,
    );
    expect(resetPassword(server.dataDir, 'root').output).toContain('With --password-login everybody may again');
    const third = resetPassword(server.dataDir, 'root', '--password-login');
    expect(third.output).toContain('Users may sign in by password again');
    const options = await database.query('SELECT key, value FROM options');
    expect(options.rows).toContainEqual({ key: 'PasswordLoginEnabled', value: 'true' });
    expect(resetPassword(server.dataDir, 'root').output).not.toContain('sign in by password');

    const audit = await database.query(
      `SELECT actor_id, actor_name, action, subject, subject_id, changes FROM audit_entries WHERE actor_id = 0 ORDER BY id`,
    );
    const entry = { actor_id: 0, actor_name: 'npm run reset-password', subject: 'user', subject_id: '1' };
    const change = { field: 'password', before: null, after: '***' };
    expect(audit.rows).toEqual([
      { ...entry, action: 'update', changes: [change] },
      { ...entry, action: 'update', changes: [change] },
      {
        ...entry,
        action: 'resetSecondFactors',
        changes: [{ field: 'hasSecondFactor', before: 'true', after: 'false' }],
      },
      { ...entry, action: 'update', changes: [change] },
      { ...entry, action: 'update', changes: [change] },
      {
        ...entry,
        action: 'update',
        subject: 'option',
        subject_id: 'PasswordLoginEnabled',
        changes: [{ field: 'value', before: 'false', after: 'true' }],
      },
      { ...entry, action: 'update', changes: [change] },
    ]);
  } finally {
    await database.end();
  }

  expect(resetPassword(server.dataDir, 'nemo')).toEqual({
    code: 4,
    output: '',
    errors: 'There is no user "nemo". The super admin is "root".\n',
  });
  for (const wrong of [[], ['root', 'nemo'], ['root', '--force']]) {
    expect(resetPassword(server.dataDir, ...wrong)).toMatchObject({
      code: 2,
      output: '',
      errors: expect.stringMatching(/^usage: npm run reset-password /),
    });
  }
});

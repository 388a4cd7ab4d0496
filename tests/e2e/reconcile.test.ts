import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Api } from '../support/api.js';
import {
  boot,
  buildServer,
  cleanUp,
  connectToEmbedded,
  isRunning,
  postmasterPid,
  projectRoot,
} from './boot-support.js';

/** `npm run reconcile` as an operator runs it. */

jest.setTimeout(90_000);
beforeAll(buildServer);
afterEach(cleanUp);

function reconcile(environment: Record<string, string>): { code: number | null; output: string; errors: string } {
  const script = join(projectRoot, 'dist/server/modules/quota/reconcile.main.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    env: { PATH: process.env.PATH, ...environment },
    encoding: 'utf8',
  });
  return { code: status, output: stdout, errors: stderr };
}

it('reads the embedded database beside its running server and after it, and tells a drift', async () => {
  const server = await boot();
  await server.ready();
  const root = await new Api(server.url).setUp();
  const postmaster = postmasterPid(server.dataDir);

  expect(reconcile({ DATA_DIR: server.dataDir })).toEqual({ code: 0, output: 'The books add up.\n', errors: '' });
  expect(postmasterPid(server.dataDir)).toBe(postmaster);

  const client = await connectToEmbedded(server.dataDir);
  await client.query('UPDATE users SET quota = quota + 7 WHERE id = $1', [root.id]);
  await client.end();
  const drift = reconcile({ DATA_DIR: server.dataDir });
  expect(drift.code).toBe(1);
  expect(drift.output).toMatch(new RegExp(`^\\S.* ${root.id} \\(root\\): expected \\d+, found \\d+, off by 7$`, 'm'));

  expect(await server.end()).toBe(0);
  expect(reconcile({ DATA_DIR: server.dataDir }).code).toBe(1);
  expect(isRunning(postmaster)).toBe(false);
});

it('says in one line why the books cannot be read', () => {
  const refused = reconcile({
    DATABASE_URL: 'postgres://x@127.0.0.1:1/x',
    SESSION_SECRET: 'a-session-secret-for-tests',
    ENCRYPTION_KEY: 'an-encryption-key-for-tests',
  });
  expect(refused).toMatchObject({
    code: 2,
    output: '',
    errors: expect.stringMatching(/^tollgate: .*ECONNREFUSED.*\n$/),
  });
});

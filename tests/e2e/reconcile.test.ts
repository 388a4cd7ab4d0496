import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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

function reconcile(
  environment: Record<string, string>,
  ...parameters: string[]
): { code: number | null; output: string; errors: string } {
  const script = join(projectRoot, 'dist/server/billing/ledger/reconcile.main.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...parameters], {
    env: { PATH: process.env.PATH, ...environment },
    encoding: 'utf8',
  });
  return { code: status, output: stdout, errors: stderr };
}

it('counts settlements that wait and that were refused, and tells wrong parameters from a failure', async () => {
  const server = await boot();
  await server.ready();
  await new Api(server.url).setUp();
  expect(await server.end()).toBe(0);
  const spool = join(server.dataDir, 'spool');
  mkdirSync(spool, { recursive: true });
  writeFileSync(join(spool, 'rejected.jsonl'), '{"reason":"x","line":"y"}\n');
  writeFileSync(join(spool, 'a-node.jsonl'), '{}\n{}\n');
  expect(reconcile({ DATA_DIR: server.dataDir })).toMatchObject({
    code: 4,
    output: [
      'The ledger is consistent.',
      `2 settlements in ${spool} wait for the database.`,
      `1 settlements in ${spool}/rejected.jsonl were refused and are not charged.`,
      '',
    ].join('\n'),
  });
  expect(reconcile({ DATA_DIR: server.dataDir }, '--fix')).toMatchObject({
    code: 2,
    output: '',
    errors: expect.stringMatching(/^usage: /),
  });
});

/** The files that the last stage of the Dockerfile copies from the checkout and from the build. */
function imageFiles(): string[] {
  const last =
    readFileSync(join(projectRoot, 'Dockerfile'), 'utf8')
      .split(/^FROM /m)
      .at(-1) ?? '';
  return [...last.matchAll(/^COPY (?!--from=dependencies)(?:--from=build )?(.+) \S+$/gm)].flatMap(([, sources = '']) =>
    sources.split(' ').map((source) => source.replace(/^\/app\//, '')),
  );
}

it('runs by its npm name from the files of the container image alone', () => {
  const files = imageFiles();
  expect(files).toEqual(expect.arrayContaining(['dist', 'package.json']));
  const image = mkdtempSync(join(tmpdir(), 'image-'));
  try {
    for (const file of files.filter((name) => existsSync(join(projectRoot, name)))) {
      mkdirSync(dirname(join(image, file)), { recursive: true });
      cpSync(join(projectRoot, file), join(image, file), { recursive: true });
    }
    symlinkSync(join(projectRoot, 'node_modules'), join(image, 'node_modules'));
    const run = (...parameters: string[]) =>
      spawnSync('npm', ['run', '--silent', ...parameters], {
        cwd: image,
        env: {
          PATH: process.env.PATH,
          HOME: image,
          DATABASE_URL: 'postgres://x@127.0.0.1:1/x',
          SESSION_SECRET: 'a-session-secret-for-tests',
          ENCRYPTION_KEY: 'an-encryption-key-for-tests',
        },
        encoding: 'utf8',
      });
    for (const [script, parameters] of [
      ['reconcile', []],
      ['database-check', []],
      ['explain-charge', ['--', 'a-request']],
    ] as const) {
      const { status, stderr } = run(script, ...parameters);
      expect([script, status, stderr]).toEqual([script, 1, expect.stringContaining('ECONNREFUSED')]);
    }
    expect(run('explain-charge')).toMatchObject({ status: 2, stderr: expect.stringContaining('usage: ') });
  } finally {
    rmSync(image, { recursive: true });
  }
});

it('reads the embedded database beside its running server and after it, and tells a drift', async () => {
  const server = await boot();
  await server.ready();
  const root = await new Api(server.url).setUp();
  const postmaster = postmasterPid(server.dataDir);

  expect(reconcile({ DATA_DIR: server.dataDir })).toEqual({
    code: 0,
    output: 'The ledger is consistent.\n',
    errors: '',
  });
  expect(postmasterPid(server.dataDir)).toBe(postmaster);

  const client = await connectToEmbedded(server.dataDir);
  await client.query('UPDATE users SET quota = quota + 7 WHERE id = $1', [root.id]);
  await client.end();
  const drift = reconcile({ DATA_DIR: server.dataDir });
  expect(drift.code).toBe(3);
  expect(drift.output).toMatch(new RegExp(`^\\S.* ${root.id} \\(root\\): expected \\d+, found \\d+, off by 7$`, 'm'));

  expect(await server.end()).toBe(0);
  expect(reconcile({ DATA_DIR: server.dataDir }).code).toBe(3);
  expect(isRunning(postmaster)).toBe(false);
});

it('says in one line why the ledger cannot be read', () => {
  const refused = reconcile({
    DATABASE_URL: 'postgres://x@127.0.0.1:1/x',
    SESSION_SECRET: 'a-session-secret-for-tests',
    ENCRYPTION_KEY: 'an-encryption-key-for-tests',
  });
  expect(refused).toMatchObject({
    code: 1,
    output: '',
    errors: expect.stringMatching(/^tollgate: .*ECONNREFUSED.*\n$/),
  });
});

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startServer, testEncryptionKey, type LocalServer } from '../support/server.js';
import { chat } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, 'docs', file), 'utf8');
const shellBlocks = (text: string): string[] =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1]!);

let upstream: Upstream;
let server: LocalServer;
let folder: string;

beforeAll(async () => {
  [upstream, server, folder] = await Promise.all([
    startUpstream(),
    startServer(),
    mkdtemp(join(tmpdir(), 'tollgate-first-hour-')),
  ]);
});
afterAll(async () => {
  await server.stop();
  await upstream.stop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * The blocks as one script. The reader's addresses and key are those of the test; commands of the project run in its
 * folder. Each block ends with a marker, so that its output can be read.
 */
function scriptOf(blocks: readonly string[]): string {
  const values = { TOLLGATE: server.url, PROVIDER: upstream.url, PROVIDER_KEY: 'sk-upstream' };
  const lines = blocks.map((block) =>
    block
      .replace(/^export (TOLLGATE|PROVIDER|PROVIDER_KEY)=.*$/gm, (_, name: keyof typeof values) => {
        return `export ${name}='${values[name]}'`;
      })
      .replace(/^npm run /gm, `npm --prefix '${root}' run `),
  );
  return ['set -euo pipefail', ...lines.flatMap((block) => [block, 'echo; echo "@@@@"'])].join('\n');
}

it('runs every command of the page, to a charge that is explained and a ledger that is consistent', async () => {
  const blocks = shellBlocks(read('guide/first-hour.md'));
  upstream.script(
    { model: 'gpt-4o' },
    chat({ text: ['Galaxy Day'], usage: { prompt_tokens: 3, completion_tokens: 1 } }),
    chat({ text: ['Galaxy Day'], usage: { prompt_tokens: 1000, completion_tokens: 500 } }),
  );
  const { stdout } = await promisify(execFile)('bash', ['-c', scriptOf(blocks)], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      DATABASE_URL: server.database.url,
      DATA_DIR: folder,
      SESSION_SECRET: 'session secret of a test',
      ENCRYPTION_KEY: testEncryptionKey,
    },
  });
  const outputs = stdout.split('@@@@');
  expect(outputs).toHaveLength(blocks.length + 1);
  const [, setup, , channel, , call, charge, reconciled] = outputs.map((text) => text.trim());
  expect(setup).toContain('"success":true');
  expect(channel?.match(/"success":true/g)).toHaveLength(2);
  expect(call).toContain('Galaxy Day');
  expect(charge).toContain('"quota":3750');
  expect(charge).toContain('text: round((1000 prompt + 500 completion x 4) x model 1.25 x group 1) = 3750');
  expect(read('guide/first-hour.md')).toContain(
    'text: round((1000 prompt + 500 completion x 4) x model 1.25 x group 1) = 3750',
  );
  expect(reconciled).toMatch(/consistent/);
});

it('has the same commands in Chinese', () => {
  expect(shellBlocks(read('zh/guide/first-hour.md'))).toEqual(shellBlocks(read('guide/first-hour.md')));
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stateOf } from '../import/suite.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { makeContent } from '../support/import/content.js';
import { createSource, type TestSource } from '../support/import/source.js';
import { testEncryptionKey } from '../support/server.js';
import { isFullSuite } from '../support/suite.js';

/** How often the command is killed at a random moment of its work. */
const kills = isFullSuite ? 20 : 3;
const command = join(import.meta.dirname, '../../dist/server/compose/import.main.js');

let source: TestSource;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-move-kill-'));
  const now = Math.floor(Date.now() / 1000);
  source = await createSource(
    'new-api',
    'sqlite',
    makeContent({ family: 'new-api', upstream: 'http://127.0.0.1:9', now, logs: 20_000 }),
  );
});
afterAll(async () => {
  await source.drop();
  await rm(folder, { recursive: true, force: true });
});

function start(database: TestDatabase) {
  const child = spawn(process.execPath, [command, source.address, '--plans', 'drop'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      DATA_DIR: folder,
      ENCRYPTION_KEY: testEncryptionKey,
      SESSION_SECRET: 'x'.repeat(32),
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'exit');
  return { child, ended, output: () => output };
}

it(`killed at ${kills} moments and started again, it ends in the same state as without a kill`, async () => {
  const [calm, killed] = [await createTestDatabase(), await createTestDatabase()];
  const began = Date.now();
  const undisturbed = start(calm);
  expect([(await undisturbed.ended)[0], undisturbed.output()]).toEqual([
    0,
    expect.stringContaining('The ledger is consistent.'),
  ]);
  const duration = Date.now() - began;
  for (let count = 0; count < kills; count++) {
    const { child, ended } = start(killed);
    await Promise.race([ended, delay(duration * (0.25 + 0.7 * Math.random()))]);
    child.kill('SIGKILL');
    await ended;
  }
  // The killed connection may hold the lock of imports for a moment.
  for (let tries = 0; ; tries++) {
    const last = start(killed);
    const [code] = await last.ended;
    if (code === 1 && tries < 50 && /Another process is importing/.test(last.output())) {
      await delay(200);
      continue;
    }
    expect([code, last.output()]).toEqual([0, expect.stringContaining('The ledger is consistent.')]);
    break;
  }
  expect(await stateOf(killed)).toEqual(await stateOf(calm));
  await Promise.all([calm.drop(), killed.drop()]);
}, 600_000);

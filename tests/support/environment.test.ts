import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Runs a failing test file three times in one process. @returns what Jest prints */
function runThree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-environment-'));
  try {
    for (const name of ['one', 'two', 'three']) {
      writeFileSync(join(folder, `${name}.test.js`), `it('fails', () => { throw new Error('message of ${name}'); });`);
    }
    const config = { rootDir: folder, testEnvironment: join(root, 'tests/support/environment.mjs'), transform: {} };
    const jest = [join(root, 'node_modules/jest/bin/jest.js'), '--runInBand', '--no-cache'];
    return spawnSync(process.execPath, [...jest, '--config', JSON.stringify(config)], { encoding: 'utf8' }).stderr;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it('a failed test prints its message and its line, also in the later files of a worker', () => {
  const printed = runThree();
  for (const name of ['one', 'two', 'three']) {
    expect(printed).toContain(`message of ${name}\n`);
    expect(printed).toMatch(new RegExp(`at .*${name}\\.test\\.js:1:\\d+`));
  }
});

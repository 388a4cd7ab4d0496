import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { say } from './rounds.js';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/**
 * Installs and builds a commit in a temporary folder, which later runs reuse.
 * @returns the folder
 */
export async function built(commit: string): Promise<string> {
  const git = (...parameters: string[]) => run('git', parameters, { cwd: root });
  const id = (await git('rev-parse', '--short=12', `${commit}^{commit}`)).stdout.trim();
  const folder = join(tmpdir(), 'tollgate-builds', id);
  if (existsSync(join(folder, 'dist/server/main.js'))) return folder;
  say(`installing and building ${commit}`);
  if (!existsSync(folder)) await run('git', ['clone', '--quiet', '--no-checkout', root, folder]);
  await run('git', ['checkout', '--quiet', id], { cwd: folder });
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, maxBuffer: 2 ** 24 });
  await run(process.execPath, ['scripts/build.mjs', 'server'], { cwd: folder });
  return folder;
}

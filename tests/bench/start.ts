import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from './rounds.js';

const root = join(import.meta.dirname, '../..');
const starts = 5;

/**
 * Starts the built server as `npm start` does: first in an empty folder, where it creates its embedded database, and then
 * again.
 * @returns seconds from process start until it serves, each the minimum of five starts
 */
export async function startSeconds(): Promise<{ readonly first: number; readonly again: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-start-'));
  const least = { first: Infinity, again: Infinity };
  try {
    // When started by root, the embedded Postgres runs as another user, who needs access to its files.
    await chmod(folder, 0o755);
    for (let start = 0; start < starts; start++) {
      const dataDir = join(folder, String(start));
      least.first = Math.min(least.first, await startOnce(dataDir));
      least.again = Math.min(least.again, await startOnce(dataDir));
    }
    say(
      `\nStart of the built server, the least of ${starts}: ${least.first.toFixed(2)} s in an empty folder, ${least.again.toFixed(2)} s again`,
    );
    return least;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function startOnce(dataDir: string): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, [join(root, 'scripts/start.mjs')], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await isReady(child);
  const seconds = (performance.now() - begun) / 1000;
  child.kill('SIGTERM');
  await ended;
  return seconds;
}

function isReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = '';
    child.stdout?.on('data', (bytes: Buffer) => {
      seen = (seen + bytes.toString()).slice(-10_000);
      if (seen.includes('"msg":"ready"')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready: ${seen}`)));
  });
}

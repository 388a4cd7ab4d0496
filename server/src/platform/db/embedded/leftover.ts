import { realpathSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../observability/logger.js';
import { EmbeddedError } from './embedded-error.js';
import { processState, worksIn } from './process-table.js';

/** The fields of Postgres's `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** @returns null when the file is missing or unreadable */
export async function readPostmaster(cluster: string): Promise<Postmaster | null> {
  try {
    const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n');
    const pid = Number(lines[0]);
    return pid > 0 ? { pid, port: Number(lines[3] ?? 0), ready: lines[7]?.trim() === 'ready' } : null;
  } catch {
    return null;
  }
}

const fastMilliseconds = 20_000;
const immediateMilliseconds = 5_000;

/**
 * Stops the Postgres that a killed server left running. Call under the instance lock, which guarantees that the
 * Postgres found here has no owner. Everything it acknowledged is on disk.
 * @throws EmbeddedError when the process does not end
 */
export async function stopLeftover(cluster: string, logger: Logger): Promise<void> {
  const postmaster = await readPostmaster(cluster);
  if (!postmaster) return;
  const { pid } = postmaster;
  if (processState(pid) === 'running' && (await worksIn(pid, realpathSync(cluster)))) {
    logger.warn({ pid }, 'stopping the database of a killed server');
    if (
      !(await endProcess(pid, 'SIGINT', fastMilliseconds)) &&
      !(await endProcess(pid, 'SIGQUIT', immediateMilliseconds))
    ) {
      throw new EmbeddedError(`the database process ${pid} of a killed server does not stop: end it and start again`);
    }
  }
  if (processState(pid) === 'zombie') await disownZombie(cluster, pid);
}

async function endProcess(pid: number, signal: NodeJS.Signals, milliseconds: number): Promise<boolean> {
  try {
    process.kill(pid, signal);
  } catch {
    return processState(pid) !== 'running';
  }
  for (const deadline = Date.now() + milliseconds; Date.now() < deadline;) {
    if (processState(pid) !== 'running') return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

/**
 * In containers without an init process a dead postmaster stays a zombie, which the next postmaster takes for a running
 * one, indefinitely. Its pid file gets a number that no process can have instead of being removed, so that Postgres
 * still checks for remaining child processes of the old one.
 */
async function disownZombie(cluster: string, pid: number): Promise<void> {
  const path = join(cluster, 'postmaster.pid');
  const text = await readFile(path, 'utf8').catch(() => '');
  if (text.startsWith(`${pid}\n`)) await writeFile(path, text.replace(/^\d+/, '2147483646'));
}

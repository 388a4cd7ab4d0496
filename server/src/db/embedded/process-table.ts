import { execFile } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** `zombie`: dead, but its parent has not taken note; the system still counts it as there. */
export type ProcessState = 'running' | 'zombie' | 'gone';

export function processState(pid: number): ProcessState {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there and another user's.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'gone';
  }
  return statFields(pid)?.[0] === 'Z' ? 'zombie' : 'running';
}

/**
 * When a process began, in whatever form the system tells it: the same number with another beginning is another process.
 * @returns empty when the system does not tell
 */
export async function processBeginning(pid: number): Promise<string> {
  const fields = statFields(pid);
  if (fields) return fields[19] ?? '';
  try {
    return (await run('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim();
  } catch {
    return '';
  }
}

/** Does this process work in that folder? Postgres always works in its data folder. */
export async function worksIn(pid: number, folder: string): Promise<boolean> {
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  }
  try {
    return (await run('ps', ['-o', 'command=', '-p', String(pid)])).stdout.includes(folder);
  } catch {
    return false;
  }
}

/** Processes of another machine or container have numbers of their own. */
export function processSpace(hostname: string): string {
  try {
    return `${hostname} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname;
  }
}

/** Of `/proc/<pid>/stat`, what follows the name: state first, start time at 19. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

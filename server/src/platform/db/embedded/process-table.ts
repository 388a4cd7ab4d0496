import { execFile } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** `zombie`: the process ended but its parent has not collected the exit status, so the system still lists it. */
export type ProcessState = 'running' | 'zombie' | 'gone';

/** A zombie still has a process id, but holds no files or locks. */
export function processState(pid: number): ProcessState {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'gone';
  }
  return statFields(pid)?.[0] === 'Z' ? 'zombie' : 'running';
}

/**
 * Returns the start time of a process as an opaque text. The same process id with another start time is another
 * process.
 * @returns empty when the system does not report it
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

/** Whether the working directory of a process is this folder. Postgres always works in its data folder. */
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

/**
 * Returns a text that identifies the process namespace: process ids of another machine or container are not comparable.
 */
export function processSpace(hostname: string): string {
  try {
    return `${hostname} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname;
  }
}

/** Returns the fields of `/proc/<pid>/stat` after the name: state first, start time at index 19. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

import { readdirSync, rmSync, statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const sharedMemory = '/dev/shm';
/** With less free memory, files go to disk; containers often have 64 MiB in /dev/shm. */
const enoughBytes = 3 * 1024 ** 3;

/**
 * A new folder, in memory if the machine has enough: creating a database copies a thousand small files, which takes ten
 * times as long on some disks. On some machines files in it cannot be executed. The caller removes it.
 * @param name such as `postgres`
 */
export const scratchFolder = (name: string): Promise<string> =>
  mkdtemp(join(fastFolder(), `tollgate-${name}-${process.pid}-`));

function fastFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(sharedMemory);
    return bavail * bsize > enoughBytes ? sharedMemory : tmpdir();
  } catch {
    return tmpdir(); // Not Linux.
  }
}

/** Removes folders of killed processes. In memory they would stay until the machine restarts. */
export function sweepScratch(): void {
  for (const folder of [sharedMemory, tmpdir()]) {
    for (const name of namesIn(folder)) {
      const pid = Number(/^tollgate-[a-z]+-(\d+)-\w{6}$/.exec(name)?.[1]);
      if (pid > 0 && !isAlive(pid)) rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

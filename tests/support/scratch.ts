import { readdirSync, rmSync, statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const sharedMemory = '/dev/shm';
/** Below this much free memory, files go to the disk. Containers often have 64 MiB there. */
const enoughBytes = 3 * 1024 ** 3;

/**
 * A new folder, in memory where the machine has room for it. Making a database copies a thousand small files, which takes
 * ten times as long on some disks. Nothing in it can be executed on some machines. The caller removes it.
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

/** Removes folders whose process was killed before it could. In memory they would stay until the machine restarts. */
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

import { statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const sharedMemory = '/dev/shm';
/** Below this much free memory, files go to the disk. Containers often have 64 MiB there. */
const enoughBytes = 3 * 1024 ** 3;

/**
 * A new folder, in memory where the machine has room for it. Making a database copies a thousand small files, which takes
 * ten times as long on some disks. Nothing in it can be executed on some machines. The caller removes it.
 */
export const scratchFolder = (prefix: string): Promise<string> => mkdtemp(join(fastFolder(), prefix));

function fastFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(sharedMemory);
    return bavail * bsize > enoughBytes ? sharedMemory : tmpdir();
  } catch {
    return tmpdir(); // Not Linux.
  }
}

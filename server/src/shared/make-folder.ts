import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and those above it, closed to all other users. An existing folder keeps its mode.
 *
 * `mkdir` with `recursive` never ends below a folder that exists and in which nothing can be created, such as `/proc`:
 * Node takes ENOENT for a missing folder above and creates that one again and again.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    return await makeOne(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
  }
  await makeFolder(dirname(path));
  await makeOne(path);
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
}

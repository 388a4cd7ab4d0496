import { mkdtemp, readFile, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { makeFolder } from '../../shared/make-folder.js';

/** File systems whose content is lost with the container or when the machine loses power. */
const shortLived: readonly string[] = ['overlay', 'aufs', 'tmpfs', 'ramfs', 'rootfs'];

/**
 * Returns the reason why a folder may be lost before the next start, or null if nothing indicates that.
 * @param mounts text of `/proc/self/mountinfo`; empty on systems without it
 */
export function shortLivedReason(folder: string, mounts: string): string | null {
  const within = (parent: string): boolean =>
    folder === parent || folder.startsWith(parent.endsWith(sep) ? parent : `${parent}${sep}`);
  if (within(tmpdir())) return 'it lies in the folder for temporary files';
  let found: { point: string; type: string } | undefined;
  for (const line of mounts.split('\n')) {
    // A line has the form `36 35 98:0 /root /mount/point rw,noatime master:1 - ext4 /dev/sda1 rw`.
    const [left = '', right = ''] = line.split(' - ');
    const point = left
      .split(' ')[4]
      ?.replace(/\\(\d{3})/g, (_all, octal: string) => String.fromCharCode(parseInt(octal, 8)));
    const [type = ''] = right.split(' ');
    // A later mount on the same point hides the earlier one.
    if (point && within(point) && point.length >= (found?.point.length ?? 0)) found = { point, type };
  }
  if (!found || !shortLived.includes(found.type)) return null;
  return `its file system is ${found.type}, which ends with the container or the machine`;
}

interface WarningLog {
  warn(details: object, message: string): void;
}

/** Warns at the start when `DATA_DIR` may not survive a restart, or cannot be written. */
export async function warnOfDataFolder(folder: string, logger: WarningLog): Promise<void> {
  await warnOfShortLivedFolder(folder, logger);
  const reason = await unwritableReason(join(folder, 'spool'));
  if (!reason) return;
  logger.warn(
    { dataDir: folder, reason },
    'DATA_DIR cannot be written: while the database is unavailable, charges wait in memory and their calls do not end',
  );
}

/** If a spool is lost, calls whose response was sent are never charged. */
async function warnOfShortLivedFolder(folder: string, logger: WarningLog): Promise<void> {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const reason = shortLivedReason(folder, mounts);
  if (!reason) return;
  logger.warn(
    { dataDir: folder, reason },
    'DATA_DIR may not survive a restart: charges that wait in its spool, and an embedded database, would be lost',
  );
}

/**
 * Returns the reason why no file can be written in a folder, or null. Creates the folder if it is missing, because its
 * mode does not always show whether it is writable.
 */
async function unwritableReason(folder: string): Promise<string | null> {
  try {
    await makeFolder(folder);
    await rmdir(await mkdtemp(join(folder, 'check-')));
    return null;
  } catch (error) {
    return `${folder}: ${(error as NodeJS.ErrnoException).code ?? String(error)}`;
  }
}

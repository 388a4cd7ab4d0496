import { execFile } from 'node:child_process';
import { constants, type BigIntStats } from 'node:fs';
import { copyFile, open, rm, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file of some MB is copied between two writes. */
const usualPatience = 5_000;
/** Milliseconds between two copies. The number is not a multiple of intervals at which programs usually write. */
const pause = 7;
/** The first bytes of a journal that a transaction is using. */
const journalMagic = 'd9d505f920a163d7';
const headerBytes = 32;

/**
 * Copies an SQLite file and its write-ahead log as they were at one moment, while another program writes. It takes no
 * lock at first: writes during the copy are detected afterwards, and the copy is repeated. If the file is written all
 * the time, the program `sqlite3` copies it in a transaction.
 * @param patience milliseconds in which copies without a lock are attempted
 * @returns false if there was no such moment, and `sqlite3` is not installed
 */
export async function copySqlite(path: string, copy: string, patience = usualPatience): Promise<boolean> {
  const until = Date.now() + patience;
  do {
    if (await copyOnce(path, copy)) return true;
    await wait(pause);
  } while (Date.now() < until);
  await removeCopy(copy);
  return run('sqlite3', ['-readonly', path, '.timeout 60000', `VACUUM INTO '${copy.replaceAll("'", "''")}'`]).then(
    () => true,
    () => false,
  );
}

async function copyOnce(path: string, copy: string): Promise<boolean> {
  await removeCopy(copy);
  const before = await stateOf(path);
  if (before === null) return false;
  await copyFile(path, copy, constants.COPYFILE_FICLONE);
  if (before.wal !== '') await copyFile(`${path}-wal`, `${copy}-wal`);
  const after = await stateOf(path);
  if (after === null || after.wal !== before.wal) return false;
  // Pages that a checkpoint moves into the file are also in the copied log, whose header changes before the log is used
  // again.
  return before.wal !== '' || after.file === before.file;
}

const removeCopy = async (copy: string): Promise<void> => {
  await Promise.all([rm(copy, { force: true }), rm(`${copy}-wal`, { force: true })]);
};

/** Returns the state of the file, or null while a transaction writes into it. */
async function stateOf(path: string): Promise<{ readonly file: string; readonly wal: string } | null> {
  const journal = await firstBytes(`${path}-journal`);
  if (journal.startsWith(journalMagic)) return null;
  const { mtimeNs, size } = await statOf(path);
  // The header contains a counter of changes.
  return { file: `${mtimeNs} ${size} ${await firstBytes(path)}`, wal: await firstBytes(`${path}-wal`) };
}

const statOf = (path: string): Promise<BigIntStats> => stat(path, { bigint: true });

/** Returns the first bytes as hexadecimal digits; empty for a missing or empty file. */
async function firstBytes(path: string): Promise<string> {
  const file = await open(path).catch(() => null);
  if (!file) return '';
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
    return buffer.subarray(0, bytesRead).toString('hex');
  } finally {
    await file.close();
  }
}

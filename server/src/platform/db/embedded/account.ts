import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { EmbeddedError } from './embedded-error.js';

const run = promisify(execFile);

/** The operating system account that Postgres runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Accounts that exist on most systems. `initdb` requires an account with a name, so a bare number does not work. */
const candidates = ['postgres', '_postgres', 'nobody'];

/**
 * Postgres refuses to run as root. It then runs as the owner of the data folder if there is one, else as `postgres`,
 * else as `nobody`. A non-root user runs it as itself.
 * @param cluster the data folder, which may not exist yet
 * @returns undefined for the current user
 * @throws EmbeddedError when this process cannot switch to the owner of the data folder
 */
export async function chooseAccount(cluster: string): Promise<Account | undefined> {
  const self = process.getuid?.();
  const owner = await ownerOf(cluster);
  if (self === undefined) return undefined;
  if (self !== 0) {
    if (owner && owner.uid !== self) {
      throw new EmbeddedError(
        `the database in ${cluster} belongs to another user (uid ${owner.uid}): start the server as that user or as root, or set DATA_DIR to another folder`,
      );
    }
    return undefined;
  }
  if (owner && owner.uid !== 0) return owner;
  for (const name of candidates) {
    const found = await lookUp(name);
    if (found) return found;
  }
  throw new EmbeddedError(
    'Postgres does not run as root and this machine has neither a "postgres" nor a "nobody" user: start the server as a plain user, or set DATABASE_URL',
  );
}

async function ownerOf(path: string): Promise<Account | undefined> {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch {
    return undefined;
  }
}

async function lookUp(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout.trim())),
    );
    return uid && gid ? { uid, gid } : undefined;
  } catch {
    return undefined;
  }
}

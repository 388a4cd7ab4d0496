import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { EmbeddedError } from './embedded-error.js';

const run = promisify(execFile);

/** Whom Postgres runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Accounts that exist anyway. `initdb` wants one with a name, so a bare number will not do. */
const candidates = ['postgres', '_postgres', 'nobody'];

/**
 * Postgres refuses to run as root: then it runs as the owner of the database if there is one, else as `postgres`, else as
 * `nobody`. A plain user runs it under its own name.
 * @param cluster the data folder, which may not exist yet
 * @returns undefined for "as ourselves"
 * @throws EmbeddedError when the database belongs to somebody we cannot become
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

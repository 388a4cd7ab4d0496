import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, link, mkdtemp, open, readdir, readFile, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { parseFields } from '../../../shared/json.js';
import { makeFolder } from '../../../shared/make-folder.js';
import { EmbeddedError } from './embedded-error.js';

/** Paths under `DATA_DIR`. */
export interface DataFolder {
  readonly path: string;
  /** The folder that is owned by the account of Postgres. */
  readonly home: string;
  readonly cluster: string;
  readonly secrets: string;
  readonly lock: string;
}

export function dataFolder(dataDir: string): DataFolder {
  const home = join(dataDir, 'postgres');
  return {
    path: dataDir,
    home,
    cluster: join(home, 'cluster'),
    secrets: join(dataDir, 'secrets.json'),
    lock: join(dataDir, 'server.lock'),
  };
}

/** Names of the server's own files and folders, and of those that a new file system has. */
const ownName = /^(postgres|programs|spool|import|secrets\.json.*|server\.lock.*|lost\+found)$/;

/**
 * Creates the folder, closed to all other users. An existing folder is closed if it contains only the server's own
 * files. Other users may need a folder with other content, such as `/tmp`, so its mode stays.
 * @throws EmbeddedError when it cannot be used, or when other users could put files into it
 */
export async function prepareDataFolder(folder: DataFolder): Promise<void> {
  try {
    await makeFolder(folder.path);
    if ((await readdir(folder.path)).every((name) => ownName.test(name))) await chmod(folder.path, 0o700);
    // Some folders cannot be written although their mode says so.
    await rmdir(await mkdtemp(`${folder.lock}.`));
  } catch (error) {
    throw new EmbeddedError(
      `DATA_DIR ${folder.path} cannot be used by this user (${(error as NodeJS.ErrnoException).code ?? 'error'}): set DATA_DIR to a folder of your own`,
      { cause: error },
    );
  }
  if (((await stat(folder.path)).mode & 0o002) === 0) return;
  throw new EmbeddedError(
    `DATA_DIR ${folder.path} can be written by every user and holds files of others: set DATA_DIR to a folder of your own`,
  );
}

/** Secrets that are generated for a server with its own database, so that no configuration is needed. */
export interface StoredSecrets {
  readonly sessionSecret: string;
  readonly encryptionKey: string;
  readonly databasePassword: string;
}

/**
 * Reads the secrets, or creates them once with mode 0600. Call under the instance lock.
 * @throws EmbeddedError when they are missing but a database exists: a new key would make all sealed values unreadable
 */
export async function loadOrCreateSecrets(folder: DataFolder): Promise<StoredSecrets> {
  const stored = await readSecrets(folder);
  if (stored) return stored;
  if (existsSync(folder.cluster)) {
    throw new EmbeddedError(
      `${folder.secrets} is missing, and the database beside it cannot be read without it: restore it from your backup`,
    );
  }
  const made = { sessionSecret: random(), encryptionKey: random(), databasePassword: random() };
  await writeOnce(folder.secrets, `${JSON.stringify(made, null, 2)}\n`);
  return made;
}

/**
 * @returns null when none exist yet
 * @throws EmbeddedError when the file is damaged
 */
export async function readSecrets(folder: DataFolder): Promise<StoredSecrets | null> {
  let text: string;
  try {
    text = await readFile(folder.secrets, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const fields = parseFields(text) ?? {};
  const { sessionSecret, encryptionKey, databasePassword } = fields;
  if (![sessionSecret, encryptionKey, databasePassword].every((value) => typeof value === 'string' && value !== '')) {
    throw new EmbeddedError(`${folder.secrets} is damaged: restore it from your backup`);
  }
  return fields as unknown as StoredSecrets;
}

const random = (): string => randomBytes(32).toString('hex');

/** Writes the whole file or nothing, flushed to disk, and never over an existing file. */
async function writeOnce(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
  } finally {
    await unlink(draft);
  }
}

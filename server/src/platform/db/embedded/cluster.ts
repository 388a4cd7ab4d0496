import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { chmod, chown, lchown, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeFolder } from '../../../shared/make-folder.js';
import type { Account } from './account.js';
import type { DataFolder } from './data-folder.js';
import { EmbeddedError } from './embedded-error.js';
import { executable, type NativePackage } from './native-package.js';
import { runTool, type ToolOptions } from './run-tool.js';

/**
 * Name of the server's database and of the role that owns it. The role is not a superuser, so no query can reach the
 * machine.
 */
export const databaseName = 'tollgate';
const draftPrefix = 'cluster.new.';

/**
 * An open Postgres data folder. Everything under `DATA_DIR` is closed to other users, and so may be the folders above
 * it; when this process is root, Postgres runs as another user. That user therefore gets the folder as an open file
 * descriptor, which needs no permission on the path to it.
 */
export class Cluster {
  private constructor(
    private readonly descriptor: number | undefined,
    /** The home folder's path as Postgres sees it. */
    private readonly homeSeen: string,
    private readonly home: string,
    readonly account: Account | undefined,
  ) {}

  /**
   * Opens the folder, creating it for the account if it is missing.
   * @throws EmbeddedError
   */
  static async open(folder: DataFolder, account: Account | undefined): Promise<Cluster> {
    await makeFolder(folder.home);
    if (account) await chown(folder.home, account.uid, account.gid);
    await chmod(folder.home, 0o700);
    if (!account || process.platform !== 'linux') return new Cluster(undefined, folder.home, folder.home, account);
    return new Cluster(openSync(folder.home, 'r'), '/proc/self/fd/3', folder.home, account);
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
  }

  get path(): string {
    return join(this.home, 'cluster');
  }

  /** The data folder's path as Postgres sees it. */
  get pathSeen(): string {
    return join(this.homeSeen, 'cluster');
  }

  get toolOptions(): ToolOptions {
    return { account: this.account, folder: this.descriptor };
  }

  /**
   * Creates the data folder unless it exists. It is created under a temporary name and renamed when complete.
   * Incomplete folders of a crashed server are removed.
   * @throws EmbeddedError
   */
  async prepare(postgres: NativePackage, password: string, onWaiting: () => void): Promise<void> {
    if (existsSync(this.path)) {
      await this.assertVersion(postgres);
      return this.takeOver();
    }
    await this.removeDrafts();
    const draft = `${draftPrefix}${randomBytes(6).toString('hex')}`;
    await this.initialise(postgres, draft, onWaiting);
    // The flush takes as long as the next step, which flushes its own files.
    await Promise.all([
      this.createDatabase(postgres, join(this.homeSeen, draft), password),
      this.runInitdb(postgres, ['--sync-only', `--pgdata=${join(this.homeSeen, draft)}`]),
    ]);
    await rename(join(this.home, draft), this.path);
  }

  /**
   * Removes incomplete folders. The `initdb` of a server that was killed a moment ago may still write into one; it is
   * then removed at the next start.
   */
  private async removeDrafts(): Promise<void> {
    for (const name of (await readdir(this.home)).filter((entry) => entry.startsWith(draftPrefix))) {
      await rm(join(this.home, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }

  private async initialise(postgres: NativePackage, draft: string, onWaiting: () => void): Promise<void> {
    const passwordFile = join(this.home, `${draft}.password`);
    // The superuser's password is not stored; maintenance uses single-user mode.
    await writeFile(passwordFile, randomBytes(32).toString('hex'), { mode: 0o600 });
    try {
      if (this.account) await chown(passwordFile, this.account.uid, this.account.gid);
      // Texts sort by code point, and searches ignore the case of every letter, on every system alike.
      const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
      const settings = ['--username=postgres', '--auth=scram-sha-256', ...locale];
      const made = this.runInitdb(postgres, [
        ...settings,
        '--no-sync',
        `--pwfile=${join(this.homeSeen, basename(passwordFile))}`,
        `--pgdata=${join(this.homeSeen, draft)}`,
      ]);
      onWaiting();
      await made;
    } finally {
      await rm(passwordFile, { force: true });
    }
  }

  private async runInitdb(postgres: NativePackage, parameters: string[]): Promise<void> {
    const { code, output } = await runTool(executable(postgres.folder, 'initdb'), parameters, this.toolOptions);
    if (code !== 0) throw new EmbeddedError(`the database in ${this.home} could not be created: ${lastError(output)}`);
  }

  private async createDatabase(postgres: NativePackage, pathSeen: string, password: string): Promise<void> {
    // Single-user mode reads one command per line.
    const commands = [
      // The password is hexadecimal, so it needs no quoting.
      `CREATE ROLE ${databaseName} LOGIN PASSWORD '${password}'`,
      // The unused database `postgres` is renamed, because a further database would add 300 files.
      `ALTER DATABASE postgres RENAME TO ${databaseName}`,
      `ALTER DATABASE ${databaseName} OWNER TO ${databaseName}`,
      `COMMENT ON DATABASE ${databaseName} IS NULL`,
    ];
    const { code, output } = await runTool(
      executable(postgres.folder, 'postgres'),
      ['--single', '-D', pathSeen, 'template1'],
      { ...this.toolOptions, input: commands.map((command) => `${command};\n`).join('') },
    );
    if (code !== 0 || /\b(ERROR|FATAL|PANIC):/.test(output)) {
      throw new EmbeddedError(`the database in ${this.home} could not be created: ${lastError(output)}`);
    }
  }

  /**
   * Restores owner and mode. A copy of a data folder may have lost its mode, and a copy that root made (`cp -r`)
   * belongs to root. Postgres refuses both.
   */
  private async takeOver(): Promise<void> {
    await chmod(this.path, 0o700);
    const { account } = this;
    if (!account || (await stat(this.path)).uid === account.uid) return;
    for (const name of ['', ...(await readdir(this.path, { recursive: true }))]) {
      await lchown(join(this.path, name), account.uid, account.gid);
    }
  }

  private async assertVersion(postgres: NativePackage): Promise<void> {
    const made = (await readFile(join(this.path, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
    if (made === postgres.majorVersion) return;
    throw new EmbeddedError(
      made
        ? `the database in ${this.path} was created by Postgres ${made} and this server includes Postgres ${postgres.majorVersion}: move it with pg_dump of version ${made}, or start the server version that created it`
        : `${this.path} is not a database: restore it from your backup, or set DATA_DIR to another folder`,
    );
  }
}

/** Returns the line of a program's output that gives the reason of its failure. */
export function lastError(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return (
    lines.findLast((line) => /error|fatal|panic|could not|cannot|denied/i.test(line)) ??
    lines.at(-1) ??
    'no reason given'
  ).trim();
}

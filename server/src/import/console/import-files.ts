import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError, InvalidInputError } from '../../shared/errors.js';
import { makeFolder } from '../../shared/make-folder.js';

const maxNameLength = 200;
/** Uploads without a job are deleted after this time, which is longer than an upload may take. */
const staleMilliseconds = 86_400_000;
/**
 * The file endings that the import command reads. The server chooses the file's name, so that no name can be a path.
 */
const forms = [
  { pattern: /\.ya?ml$/i, file: 'config.yaml' },
  { pattern: /./, file: 'source.db' },
];

/** Uploaded databases. Each has a folder of its own that only the server's user can read. */
export class ImportFiles {
  /** @param root `DATA_DIR/import` */
  constructor(
    private readonly root: string,
    readonly maxBytes: number,
  ) {}

  /**
   * Writes an upload to the disk as it arrives.
   * @returns the folder, and the name that the user sees
   * @throws AppError INVALID_INPUT (no name, empty), PAYLOAD_TOO_LARGE; what was written is deleted
   */
  async receive(body: Readable, givenName: string): Promise<{ folder: string; name: string }> {
    const name = basename(givenName.replaceAll('\\', '/')).trim();
    if (name === '' || name.length > maxNameLength || /\p{Cc}/u.test(name)) {
      throw new InvalidInputError(`The file needs a name of at most ${maxNameLength} characters`, 'name');
    }
    const folder = randomUUID();
    try {
      await makeFolder(join(this.root, folder));
      const written = await this.write(body, join(this.root, folder, fileOf(name)));
      if (written === 0) throw new InvalidInputError('The file is empty', 'file');
      return { folder, name };
    } catch (error) {
      await this.remove(folder);
      throw error;
    }
  }

  private async write(body: Readable, path: string): Promise<number> {
    let length = 0;
    const { maxBytes } = this;
    const counted = new Transform({
      transform(piece: Buffer, _encoding, done) {
        length += piece.length;
        if (length > maxBytes) done(tooLarge(maxBytes));
        else done(null, piece);
      },
    });
    await pipeline(body, counted, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
    return length;
  }

  pathOf(folder: string, name: string): string {
    return join(this.root, folder, fileOf(name));
  }

  /** Creates a folder for the temporary copies of a job. */
  async workFolder(): Promise<string> {
    const folder = join(this.root, 'work');
    await rm(folder, { recursive: true, force: true });
    await makeFolder(folder);
    return folder;
  }

  /** Lists the folders that this node has. */
  async list(): Promise<string[]> {
    return (await readdir(this.root).catch(() => [])).filter((name) => name !== 'work');
  }

  /** Deletes uploads that no job uses. @param kept the folder of the job */
  async removeStale(kept: string): Promise<void> {
    for (const folder of await this.list()) {
      if (folder === kept) continue;
      const found = await stat(join(this.root, folder)).catch(() => null);
      // An upload that has just begun belongs to no job yet.
      if (found && Date.now() - found.mtimeMs > staleMilliseconds) await this.remove(folder);
    }
  }

  async remove(folder: string): Promise<void> {
    if (folder !== '') await rm(join(this.root, folder), { recursive: true, force: true });
  }
}

const fileOf = (name: string): string => forms.find(({ pattern }) => pattern.test(name))?.file ?? 'source.db';

/** The error is the same for an announced size and for received bytes. */
export const tooLarge = (maxBytes: number): AppError =>
  new AppError(
    'PAYLOAD_TOO_LARGE',
    `The file is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB (IMPORT_MAX_FILE_MB). Use npm run import on the server.`,
  );

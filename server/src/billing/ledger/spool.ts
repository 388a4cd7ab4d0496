import { randomInt } from 'node:crypto';
import { open, readdir, readFile, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { fromSpoolText, type SettleLine, toSpoolText } from './ledger-lines.js';
import { makeFolder } from '../../shared/make-folder.js';

/**
 * Maximum number of attempts to write. Some file systems give a file a new number each time it is checked, and the
 * write must end there, too.
 */
const maxAttempts = 3;

/**
 * Settlements that could not be committed to the database: one JSON line each, fsynced before the client gets its
 * response. Replaying is harmless: a settlement without reservation changes nothing. Files: `<node>.jsonl` (open),
 * `<node>.<n>.replay` (closed, being replayed), `rejected.jsonl` (for manual inspection).
 */
export class Spool {
  private file: FileHandle | null = null;
  private queue: Array<{ text: string; resolve: () => void; reject: (error: unknown) => void }> = [];
  /** Serializes writing, rotating and closing, so that a line is never written to a file that is being replayed. */
  private last: Promise<void> = Promise.resolve();
  private sequence = 0;
  /** Whether the last write failed, perhaps in the middle of a line. */
  private isTorn = false;

  constructor(
    private readonly folder: string,
    private readonly nodeId: string,
  ) {}

  /** Resolves when the lines are on disk. */
  append(lines: readonly SettleLine[]): Promise<void> {
    if (lines.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.queue.push({ text: lines.map((line) => `${toSpoolText(line)}\n`).join(''), resolve, reject });
      void this.inOrder(() => this.write());
    });
  }

  /** Stores a line that the database refused for its content, so that it is not lost. */
  async reject(line: SettleLine, reason: string): Promise<void> {
    await makeFolder(this.folder);
    const file = await open(join(this.folder, 'rejected.jsonl'), 'a+', 0o600);
    try {
      // A full disk may have cut off the last line.
      await writeAll(
        file,
        `${(await isTorn(file)) ? '\n' : ''}${JSON.stringify({ reason, line: toSpoolText(line) })}\n`,
      );
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  /** Closes the open file, so that it can be replayed. New lines go to a new file. */
  rotate(): Promise<void> {
    return this.inOrder(async () => {
      if (!this.file) return;
      await this.closeFile();
      const closed = join(this.folder, `${this.nodeId}.${++this.sequence}.replay`);
      await rename(this.openPath(), closed).catch(ifMissing(undefined));
    });
  }

  /** @returns names of this node's closed files, and of all files of nodes for which `isDead` returns true */
  async pending(isDead: (nodeId: string) => boolean): Promise<string[]> {
    const names = await readdir(this.folder).catch(() => []);
    return names.filter((name) => {
      const owner = /^(.+?)(?:\.\d+)?\.(?:jsonl|replay)$/.exec(name)?.[1];
      if (!owner || owner === 'rejected') return false;
      return owner === this.nodeId ? name.endsWith('.replay') : isDead(owner);
    });
  }

  /**
   * Claims a file for replay. The open file of another node is renamed first: if that node is alive after all, it
   * notices and writes its latest lines to a new file.
   * @returns the name to read and remove
   */
  async claim(name: string): Promise<string> {
    if (!name.endsWith('.jsonl')) return name;
    const claimed = `${name.slice(0, -'.jsonl'.length)}.${Date.now()}${randomInt(1e6)}.replay`;
    await rename(join(this.folder, name), join(this.folder, claimed)).catch(ifMissing(undefined));
    return claimed;
  }

  /** @returns an empty list for a file that another node replayed meanwhile */
  async read(name: string): Promise<SettleLine[]> {
    const text = await readFile(join(this.folder, name), 'utf8').catch(ifMissing(''));
    return text.split('\n').flatMap((line) => (line === '' ? [] : (fromSpoolText(line) ?? [])));
  }

  /** Removes a replayed file. */
  async remove(name: string): Promise<void> {
    await unlink(join(this.folder, name)).catch(ifMissing(undefined));
  }

  /** Closes the open file, if any. */
  close(): Promise<void> {
    return this.inOrder(() => this.closeFile());
  }

  /**
   * Writes to the open file.
   * @returns whether the file still has its name afterwards
   */
  private async isWritten(text: string): Promise<boolean> {
    if (!this.file) {
      await makeFolder(this.folder);
      this.file = await open(this.openPath(), 'a', 0o600);
      await syncFolder(this.folder);
    }
    await writeAll(this.file, text);
    await this.file.datasync();
    const [written, named] = await Promise.all([this.file.stat(), stat(this.openPath()).catch(ifMissing(null))]);
    return named?.ino === written.ino;
  }

  private async closeFile(): Promise<void> {
    const { file } = this;
    this.file = null;
    await file?.close();
  }

  private openPath(): string {
    return join(this.folder, `${this.nodeId}.jsonl`);
  }

  private inOrder(work: () => Promise<void>): Promise<void> {
    const next = this.last.then(work);
    this.last = next.catch(() => undefined);
    return next;
  }

  /** One write and one fsync for all waiting entries. Each entry resolves or rejects with its own result. */
  private async write(): Promise<void> {
    const batch = this.queue.splice(0);
    if (batch.length === 0) return;
    const text = (this.isTorn ? '\n' : '') + batch.map((entry) => entry.text).join('');
    try {
      // Another node that considered this one dead may have claimed the file before it was written.
      for (let attempt = 0; attempt < maxAttempts && !(await this.isWritten(text)); attempt++) await this.closeFile();
      this.isTorn = false;
      for (const entry of batch) entry.resolve();
    } catch (error) {
      this.isTorn = true;
      // The next write opens the file again.
      await this.closeFile().catch(() => undefined);
      for (const entry of batch) entry.reject(error);
    }
  }
}

/** Flushes the folder. Otherwise a new file may be lost in a power failure, with everything that was flushed to it. */
async function syncFolder(path: string): Promise<void> {
  // Windows has no such call and does not need it.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Whether the last line of a file is incomplete. */
async function isTorn(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== '\n';
}

/** Writes a whole text. A disk that is nearly full accepts a part of the bytes without an error. */
async function writeAll(file: FileHandle, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
}

/** Returns a default for missing files: nodes that share a folder may find a dead node's file at the same time. */
const ifMissing =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return value;
    throw error;
  };

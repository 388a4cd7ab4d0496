import { AbstractTokenizer, EndOfStreamError, type IReadChunkOptions } from 'strtok3';

/** Reads between two turns of the event loop: a few milliseconds of work. */
const readsPerTurn = 4096;
const maxReads = 2_000_000;

/**
 * Reads a file in memory for `music-metadata`. Yields to other work while reading a long file, and limits the work that
 * a hostile file can cause: one read per four bytes and two million in total, more than a real file of 100 MB needs.
 * @throws Error from every read beyond that limit
 */
export class PacedTokenizer extends AbstractTokenizer {
  readonly fileInfo: { readonly size: number; readonly path: string };
  private reads = 0;

  /** @param path a file name whose extension selects the parser */
  constructor(
    private readonly bytes: Uint8Array,
    path: string,
  ) {
    super();
    this.fileInfo = { size: bytes.length, path };
  }

  async readBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { position, length, mayBeLess } = this.normalizeOptions(target, options);
    const read = await this.peekBuffer(target, { position, length, mayBeLess });
    this.position = position + read;
    return read;
  }

  async peekBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { position, length, mayBeLess } = this.normalizeOptions(target, options);
    this.reads++;
    if (this.reads > Math.min(1024 + this.bytes.length / 4, maxReads))
      throw new Error('too many elements for its size');
    if (this.reads % readsPerTurn === 0) await new Promise(setImmediate);
    const found = this.bytes.subarray(position, position + length);
    if (found.length < length && !mayBeLess) throw new EndOfStreamError();
    target.set(found);
    return found.length;
  }

  supportsRandomAccess(): boolean {
    return true;
  }

  setPosition(position: number): void {
    this.position = position;
  }
}

import { AbstractTokenizer, EndOfStreamError, type IReadChunkOptions } from 'strtok3';

/** The reader of a value of `len` bytes. */
interface Token<Value> {
  readonly len: number;
  get(bytes: Uint8Array, offset: number): Value;
}

/** Reads between two yields to the event loop: a few milliseconds of work. */
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

  override async readToken<Value>(token: Token<Value>, position = this.position): Promise<Value> {
    this.count(samplesIn(this.bytes, position, token.len));
    return super.readToken(token, position);
  }

  async readBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { position, length, mayBeLess } = this.normalizeOptions(target, options);
    const read = await this.peekBuffer(target, { position, length, mayBeLess });
    this.position = position + read;
    return read;
  }

  async peekBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { position, length, mayBeLess } = this.normalizeOptions(target, options);
    this.count(1);
    if (this.reads % readsPerTurn === 0) await new Promise(setImmediate);
    const found = this.bytes.subarray(position, position + length);
    if (found.length < length && !mayBeLess) throw new EndOfStreamError();
    target.set(found);
    return found.length;
  }

  /**
   * Counts reads.
   * @throws Error beyond the limit
   */
  private count(reads: number): void {
    this.reads += reads;
    if (this.reads > Math.min(1024 + this.bytes.length / 4, maxReads))
      throw new Error('too many elements for its size');
  }

  supportsRandomAccess(): boolean {
    return true;
  }

  setPosition(position: number): void {
    this.position = position;
  }
}

/** Flags of a track run: whether each sample states its duration, its size, its flags, its time of composition. */
const statedBySample = [0x100, 0x200, 0x400, 0x800] as const;

/**
 * Returns the number of samples of the MP4 track run at the position. The parser creates an object for each. If samples
 * have no fields, their number does not depend on the bytes of the run, and a run of twenty bytes would fill the
 * memory.
 * @param length of the bytes that are read there
 */
function samplesIn(bytes: Uint8Array, position: number, length: number): number {
  if (length < 8 || (!hasName(bytes, position - 4, 'trun') && !hasName(bytes, position - 12, 'trun'))) return 0;
  const run = new DataView(bytes.buffer, bytes.byteOffset + position);
  if (run.byteLength < 8) return 0;
  const flags = run.getUint32(0);
  const stated = 4 * statedBySample.filter((flag) => (flags & flag) !== 0).length;
  const samples = run.getUint32(4);
  return stated === 0 ? samples : Math.min(samples, length / stated);
}

const hasName = (bytes: Uint8Array, at: number, name: string): boolean =>
  at >= 0 && Array.from(name).every((character, index) => bytes[at + index] === character.charCodeAt(0));

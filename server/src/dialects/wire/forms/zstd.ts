import { setImmediate as nextTurn } from 'node:timers/promises';
import { Decompress } from 'fzstd';

/**
 * Maximum window. A frame makes its reader allocate a window of the size that it names; encoders use at most this size
 * by default.
 */
const maxWindow = 8 * 1024 * 1024;
/** Maximum number of bytes that one frame may move, because each block moves the whole window. */
const maxMoved = 2 * 1024 ** 3;
/** Compressed bytes unpacked in one turn of the event loop. */
const turnBytes = 64 * 1024;
const magic = 0xfd2fb528;
const skippableMagic = 0x184d2a50;

/**
 * Unpacks Zstandard (RFC 8878) piece by piece, without holding up the event loop.
 * @throws Error when the bytes are not complete frames, or a frame costs more memory or time than its content can need
 */
export async function* unzstd(bytes: Buffer): AsyncGenerator<Buffer> {
  let at = 0;
  while (at < bytes.length) {
    const frame = readFrame(bytes, at);
    at = frame.end;
    if (frame.skippable) continue;
    const pieces: Buffer[] = [];
    const unpacking = new Decompress((piece) => pieces.push(Buffer.from(piece)));
    for (let from = frame.start; from < frame.end; from += turnBytes) {
      const to = Math.min(from + turnBytes, frame.end);
      unpacking.push(bytes.subarray(from, to), to === frame.end);
      yield* pieces.splice(0);
      await nextTurn();
    }
  }
}

interface Frame {
  readonly start: number;
  readonly end: number;
  readonly skippable: boolean;
}

/** Reads the headers of a frame's blocks up to its end. */
function readFrame(bytes: Buffer, start: number): Frame {
  const mark = bytes.readUInt32LE(start);
  if ((mark & 0xfffffff0) === skippableMagic) {
    return { start, end: within(bytes, start + 8 + bytes.readUInt32LE(start + 4)), skippable: true };
  }
  if (mark !== magic) throw new Error('not a Zstandard frame');
  const flags = bytes.readUInt8(start + 4);
  const single = (flags & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][flags & 3] ?? 0;
  if (dictionary > 0) throw new Error('the frame needs a dictionary');
  const sizeBytes = [single ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0;
  let at = start + 5;
  const window = single ? contentSize(bytes, at, sizeBytes) : windowSize(bytes.readUInt8(at++));
  if (window > maxWindow) throw new Error('the window of the frame is too large');
  at += sizeBytes;
  let moved = 0;
  for (let isLast = false; !isLast;) {
    moved += window;
    if (moved > maxMoved) throw new Error('the frame has too many blocks');
    const header = bytes.readUIntLE(at, 3);
    isLast = (header & 1) === 1;
    // A run is one byte that is repeated.
    at += 3 + ((header & 6) === 2 ? 1 : header >> 3);
  }
  return { start, end: within(bytes, at + ((flags & 4) === 0 ? 0 : 4)), skippable: false };
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function contentSize(bytes: Buffer, at: number, length: number): number {
  if (length === 8) return Number(bytes.readBigUInt64LE(at));
  return bytes.readUIntLE(at, length) + (length === 2 ? 256 : 0);
}

function within(bytes: Buffer, end: number): number {
  if (end > bytes.length) throw new Error('the frame is cut off');
  return end;
}

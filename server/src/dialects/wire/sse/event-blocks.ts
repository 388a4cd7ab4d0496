import { AppError } from '../../../shared/errors.js';

/** Complete events as received. `text` is the same bytes as Latin-1, so that an index into it is a byte offset. */
export interface EventBlock {
  readonly bytes: Buffer;
  readonly text: string;
}

/** A blank line: two line ends, each of `\r\n`, `\n`, `\r`. */
const blankLine = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)/g;
const defaultEventLimit = 8 * 1024 * 1024;

/**
 * Splits a byte stream of events at their boundaries, regardless of how the network split it: empty lines of server-sent
 * events, or the ends of lines that are events of their own. Bytes are not copied if a read ends with an event, and are
 * scanned once even if the reads are small.
 * @throws AppError UPSTREAM_INVALID_RESPONSE if one event is larger than `eventLimit` bytes
 */
export class EventBlocks {
  private waiting: Buffer[] = [];
  private waitingLength = 0;
  /** Number of entries of `waiting` that were merged from many reads. */
  private merged = 0;

  /** @param lastBoundary returns the offset after the last boundary of a text, or -1 */
  constructor(
    private readonly eventLimit = defaultEventLimit,
    private readonly lastBoundary = lastEmptyLine,
  ) {}

  /** @returns whole events, or null until one is complete */
  push(bytes: Buffer): EventBlock | null {
    const text = bytes.toString('latin1');
    // A typical read begins and ends with complete events.
    if (this.waitingLength === 0 && text.endsWith('\n\n')) return { bytes, text };
    const seam = this.seam();
    const probe = seam + text;
    const end = this.lastBoundary(probe) - seam.length;
    // A boundary inside the old bytes alone was found before; a match must reach into the new bytes.
    if (end <= 0) {
      this.hold(bytes);
      return null;
    }
    const block = this.takeWith(end === bytes.length ? bytes : bytes.subarray(0, end));
    if (end < bytes.length) this.hold(bytes.subarray(end));
    return block;
  }

  /** Returns the remaining bytes at the end of the stream: an event without its empty line, or null. */
  rest(): EventBlock | null {
    if (this.waitingLength === 0) return null;
    const block = this.takeWith(null);
    return block.text.trim() === '' ? null : block;
  }

  private seam(): string {
    const last = this.waiting.at(-1);
    if (!last) return '';
    if (last.length >= 3 || this.waiting.length === 1) return last.subarray(-3).toString('latin1');
    return Buffer.concat(this.waiting.slice(-3)).subarray(-3).toString('latin1');
  }

  private hold(bytes: Buffer): void {
    this.waiting.push(bytes);
    this.waitingLength += bytes.length;
    if (this.waitingLength > this.eventLimit) {
      this.forget();
      throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream sent an event that is too large');
    }
    // Thousands of one-byte reads must not become thousands of objects.
    if (this.waiting.length - this.merged >= 256) this.merge();
  }

  /**
   * Merges into blocks of decreasing size, at least doubling each time, so that every byte is copied a logarithmic
   * number of times.
   */
  private merge(): void {
    let last = Buffer.concat(this.waiting.splice(this.merged));
    for (;;) {
      const before = this.waiting.at(-1);
      if (!before || before.length > last.length) break;
      this.waiting.pop();
      last = Buffer.concat([before, last]);
    }
    this.waiting.push(last);
    this.merged = this.waiting.length;
  }

  private forget(): void {
    this.waiting = [];
    this.waitingLength = 0;
    this.merged = 0;
  }

  private takeWith(bytes: Buffer | null): EventBlock {
    const all = bytes ? [...this.waiting, bytes] : this.waiting;
    this.forget();
    const whole = all.length === 1 && all[0] ? all[0] : Buffer.concat(all);
    return { bytes: whole, text: whole.toString('latin1') };
  }
}

/** @returns the offset after the last empty line of `text`, or -1 */
function lastEmptyLine(text: string): number {
  if (!text.includes('\r')) {
    const at = text.lastIndexOf('\n\n');
    return at < 0 ? -1 : at + 2;
  }
  let end = -1;
  blankLine.lastIndex = 0;
  for (let match = blankLine.exec(text); match; match = blankLine.exec(text)) {
    // A final `\r` may be half of `\r\n`: the next read decides.
    if (blankLine.lastIndex === text.length && text.endsWith('\r')) break;
    end = blankLine.lastIndex;
  }
  return end;
}

/** Returns the start of the event that contains `at`, or of the whole block if its lines end in `\r`. */
export function startOfEvent(text: string, at: number): number {
  const before = text.includes('\r') ? -1 : text.lastIndexOf('\n\n', at);
  return before < 0 ? 0 : before + 2;
}

/**
 * Calls `visit` with the offsets of each event of a block, including the empty line.
 * @param from start of the first event to visit
 */
export function eachEvent(text: string, visit: (start: number, end: number) => void, from = 0): void {
  const plain = !text.includes('\r');
  for (let start = from; start < text.length;) {
    const end = endOfEvent(text, start, plain);
    visit(start, end);
    start = end;
  }
}

/**
 * Returns the end of the event that starts at `start`, after its empty line.
 * @param plain whether no line of the text ends in `\r`
 */
export function endOfEvent(text: string, start: number, plain: boolean): number {
  if (plain) {
    const at = text.indexOf('\n\n', start);
    return at < 0 ? text.length : at + 2;
  }
  blankLine.lastIndex = start;
  return blankLine.exec(text) ? blankLine.lastIndex : text.length;
}

import { AppError } from '../../shared/errors.js';
import type { FrameParser } from '../contract.js';
import type { ServerEvent } from './sse/event.js';

const lineFeed = 0x0a;
const maxLineBytes = 8 * 1024 * 1024;

/** Parses a stream of JSON objects, one on each line. A gateway may send the lines as data of server-sent events. */
export class LineFrames implements FrameParser {
  private rest: Buffer[] = [];
  private restLength = 0;

  /** @throws AppError UPSTREAM_INVALID_RESPONSE if a line is too long */
  push(bytes: Buffer): ServerEvent[] {
    const end = bytes.lastIndexOf(lineFeed) + 1;
    const lines = end === 0 ? [] : linesOf(Buffer.concat([...this.rest, bytes.subarray(0, end)]));
    if (end > 0) this.hold([]);
    if (end < bytes.length) this.hold([...this.rest, bytes.subarray(end)]);
    if (this.restLength > maxLineBytes) {
      this.hold([]);
      throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream sent a line that is too long');
    }
    return lines;
  }

  end(): ServerEvent[] {
    const lines = linesOf(Buffer.concat(this.rest));
    this.hold([]);
    return lines;
  }

  private hold(rest: Buffer[]): void {
    // Thousands of small reads must not become thousands of objects.
    this.rest = rest.length < 64 ? rest : [Buffer.concat(rest)];
    this.restLength = rest.reduce((sum, { length }) => sum + length, 0);
  }
}

const linesOf = (bytes: Buffer): ServerEvent[] =>
  bytes
    .toString('utf8')
    .split('\n')
    .map((line) => line.replace(/^data:/, '').trim())
    .filter((line) => line.startsWith('{'))
    .map((data) => ({ type: '', data }));

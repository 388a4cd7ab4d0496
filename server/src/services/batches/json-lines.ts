import type { Exchange } from '../../gateway/upstream/exchange.js';

/** Limits of a file of lines. */
interface LineLimits {
  /** Bytes of one line, and of the whole file. */
  readonly maxLine: number;
  readonly maxBytes: number;
  /** Returns the error of a file that exceeds a limit. */
  readonly refusal: (reason: string) => Error;
}

const newline = 10;

/**
 * Reads the lines of a body as they arrive. The provider is read as fast as the lines are taken, so memory holds one line.
 * Empty lines are left out.
 */
export async function* jsonLines(
  exchange: Exchange,
  { maxLine, maxBytes, refusal }: LineLimits,
): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  let total = 0;
  const line = (last: Buffer): Buffer => {
    const whole = parts.length === 0 ? last : Buffer.concat([...parts, last]);
    [parts, length] = [[], 0];
    return whole;
  };
  for await (const piece of piecesOf(exchange)) {
    total += piece.length;
    if (total > maxBytes) throw refusal('is too large');
    let from = 0;
    for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, from)) {
      const whole = line(piece.subarray(from, at));
      from = at + 1;
      if (whole.length > maxLine) throw refusal('has a line that is too long');
      if (!isBlank(whole)) yield whole;
    }
    const rest = piece.subarray(from);
    length += rest.length;
    if (length > maxLine) throw refusal('has a line that is too long');
    if (rest.length > 0) parts.push(rest);
  }
  const last = line(Buffer.alloc(0));
  if (!isBlank(last)) yield last;
}

/** Whether a line has nothing but white space. */
const isBlank = (line: Buffer): boolean => line.every((byte) => byte === 13 || byte === 32 || byte === 9);

async function* piecesOf(exchange: Exchange): AsyncGenerator<Buffer> {
  const pieces: Buffer[] = [];
  let outcome: { readonly error: Error | null } | null = null;
  let wake = (): void => undefined;
  const endWith = (error: Error | null): void => {
    outcome = { error };
    wake();
  };
  exchange.pipe({
    data: (bytes) => {
      pieces.push(bytes);
      exchange.pause();
      wake();
    },
    end: () => endWith(null),
    fail: (error) => endWith(error),
  });
  const ended = (): typeof outcome => outcome;
  try {
    for (;;) {
      const piece = pieces.shift();
      if (piece) {
        yield piece;
        continue;
      }
      const end = ended();
      if (end?.error) throw end.error;
      if (end) return;
      const more = new Promise<void>((resolve) => (wake = resolve));
      exchange.resume();
      if (pieces.length === 0 && !ended()) await more;
    }
  } finally {
    if (!ended()) exchange.abort(new Error('the rest of the file is not needed'));
  }
}

import { endOfEvent } from '../../dialects/wire/sse/event-blocks.js';

/** Milliseconds that the opening of a stream waits for content. */
const longestHold = 2000;
const mostHeld = 1024 * 1024;

const opensAs = /^(?:event: ?|data: ?\{"type": ?")(?:response\.(?:created|in_progress|queued)|message_start|ping)\b/;
/** Matches a chat chunk that has the role of the assistant and nothing else. */
const roleOnly =
  /"delta":\s*\{\s*"role":\s*"assistant"(?:,\s*"content":\s*(?:""|null))?(?:,\s*"(?:refusal|reasoning_content)":\s*null)?\s*\}/;

/**
 * Holds back events that only announce a response, for a short time. A provider that opens a stream and then fails has
 * served nothing, and another channel may still serve the call.
 */
export class HeldOpening {
  private held: Array<Buffer | string> | null = [];
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly forward: (out: Buffer | string) => void) {}

  /** @returns whether everything after this output is forwarded at once, so that this object is no longer needed */
  push(out: Buffer | string): boolean {
    this.bytes += out.length;
    if (this.held === null || this.bytes > mostHeld || !onlyOpens(out)) {
      const held = this.drop();
      this.forward(held.length === 0 ? out : joined([...held, out]));
      return true;
    }
    this.held.push(out);
    this.timer ??= setTimeout(() => this.release(), longestHold);
    return false;
  }

  /** Forwards the held events, and everything from now on. */
  release(): void {
    for (const out of this.drop()) this.forward(out);
  }

  /** Discards the held events and returns them. */
  drop(): ReadonlyArray<Buffer | string> {
    clearTimeout(this.timer);
    const held = this.held ?? [];
    this.held = null;
    return held;
  }
}

/** Joins the pieces, so that they are written to the client with one system call. */
const joined = (pieces: ReadonlyArray<Buffer | string>): Buffer | string =>
  pieces.every((piece) => typeof piece === 'string')
    ? pieces.join('')
    : Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));

/** Length of the beginning of an output that is looked at first. Nearly always content begins there. */
const beginning = 2048;

/** Whether the events contain no part of a response: they only open it, or are comments. */
const onlyOpens = (out: Buffer | string): boolean =>
  mayOnlyOpen(out, beginning) && (out.length <= beginning || mayOnlyOpen(out, out.length));

/** The same for the events that are complete within a length. */
function mayOnlyOpen(out: Buffer | string, length: number): boolean {
  const text = typeof out === 'string' ? out.slice(0, length) : out.toString('latin1', 0, length);
  const plain = !text.includes('\r');
  for (let start = 0; start < text.length;) {
    const end = endOfEvent(text, start, plain);
    if (end === text.length && end < out.length) return true;
    if (!isOpening(withoutComments(text.slice(start, end)))) return false;
    start = end;
  }
  return true;
}

const isOpening = (event: string): boolean =>
  event.trim() === '' ||
  opensAs.test(event) ||
  (event.startsWith('data:') && roleOnly.test(event) && !/"finish_reason":\s*"/.test(event));

function withoutComments(event: string): string {
  let start = 0;
  while (event[start] === ':') {
    const end = event.indexOf('\n', start);
    start = end < 0 ? event.length : end + 1;
  }
  return start === 0 ? event : event.slice(start);
}

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Sent while nothing happens, so that nobody in between takes the silence for the end. */
const pingMilliseconds = 15_000;
/** A reader who takes nothing for so long is dropped. */
const stallMilliseconds = 30_000;

/**
 * Events of the graphql-sse protocol, one operation a connection. Written by hand because that library's own handler
 * reads the operation whatever its reader does: what waits for him would have no bound.
 */
export class EventSocket {
  private readonly ping: NodeJS.Timeout;

  constructor(
    private readonly raw: ServerResponse,
    headers: OutgoingHttpHeaders,
    onGone: () => void,
  ) {
    raw.on('error', () => undefined);
    const gone = (): void => {
      clearInterval(this.ping);
      onGone();
    };
    raw.on('close', gone);
    raw.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
    });
    // Some browsers call an answer open when its first byte has come.
    raw.write(':\n\n');
    this.ping = setInterval(() => {
      if (!raw.writableNeedDrain && raw.writable) raw.write(':\n\n');
    }, pingMilliseconds);
    // He left before there was anybody to notice.
    if (raw.destroyed) gone();
  }

  /** @returns when the reader can take more; false when he left */
  async next(result: object): Promise<boolean> {
    if (!this.raw.writable) return false;
    if (!this.raw.write(`event: next\ndata: ${JSON.stringify(result)}\n\n`)) await this.drained();
    return this.raw.writable;
  }

  complete(): void {
    clearInterval(this.ping);
    if (this.raw.writable) this.raw.end('event: complete\ndata:\n\n');
  }

  /** Whatever was not sent by then is not. */
  closeWithin(milliseconds: number): void {
    const late = setTimeout(() => this.raw.destroy(), milliseconds);
    this.raw.once('close', () => clearTimeout(late));
  }

  private drained(): Promise<void> {
    return new Promise((resolve) => {
      const stalled = setTimeout(() => this.raw.destroy(), stallMilliseconds);
      const done = (): void => {
        clearTimeout(stalled);
        this.raw.off('drain', done).off('close', done);
        resolve();
      };
      this.raw.once('drain', done).once('close', done);
    });
  }
}

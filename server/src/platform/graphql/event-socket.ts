import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Milliseconds between pings while there are no events, so that proxies do not close an idle connection. */
const pingMilliseconds = 15_000;
/** Milliseconds. A client that reads nothing for this long is disconnected. */
const stallMilliseconds = 30_000;

/**
 * Sends events of the graphql-sse protocol, one operation per connection. It is written by hand because the library's
 * handler reads results without backpressure, so the buffer for a slow client would be unbounded.
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
    // Some browsers consider a response open only after its first byte.
    raw.write(':\n\n');
    this.ping = setInterval(() => {
      if (!raw.writableNeedDrain && raw.writable) raw.write(':\n\n');
    }, pingMilliseconds);
    // The client disconnected before the listener was registered.
    if (raw.destroyed) gone();
  }

  /** @returns a promise that resolves when the client can accept more; with false when it has disconnected */
  async next(result: object): Promise<boolean> {
    if (!this.raw.writable) return false;
    if (!this.raw.write(`event: next\ndata: ${JSON.stringify(result)}\n\n`)) await this.drained();
    return this.raw.writable;
  }

  complete(): void {
    clearInterval(this.ping);
    if (this.raw.writable) this.raw.end('event: complete\ndata:\n\n');
  }

  /** Closes the connection after the timeout; events not sent by then are dropped. */
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

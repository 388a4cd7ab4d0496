import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';

/** The source of the bytes. It is paused while the client cannot accept more. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

interface Corkable {
  cork(): void;
  uncork(): void;
}

/** The target of a response: Node's response, or a response that is sent as WebSocket frames. */
export interface ResponseSink {
  readonly headersSent: boolean;
  readonly writableFinished: boolean;
  readonly writableNeedDrain: boolean;
  /** @param headers names and values in turn */
  writeHead(status: number, headers: OutgoingHttpHeader[]): unknown;
  /** Sends the head, as Node's response does. A sink without this method sends its head at once. */
  flushHeaders?(): void;
  /** The client's socket. Null while an earlier response of its connection is sent; absent without a socket. */
  readonly socket?: Corkable | null;
  /** @returns false while the client cannot accept more; `drain` follows */
  write(bytes: Buffer | string): boolean;
  end(bytes: Buffer | string): unknown;
  destroy(): unknown;
  on(event: 'close' | 'error', handler: () => void): unknown;
  once(event: 'drain', handler: () => void): unknown;
}

/** Milliseconds. A client that reads nothing for this long is disconnected. */
const stallMilliseconds = 60_000;

const noWatchers: ReadonlyArray<() => void> = [];

/** Errors of the response are ignored: a response that fails closes, and the close is handled. */
const ignored = (): void => undefined;

/**
 * Matches a provider's rate limit headers. The `reset-budget` header is excluded, because it describes this server's
 * budgets.
 */
const ofProviderLimit = /^(?:x|anthropic)-ratelimit-(?!reset-budget$)/;

const eventStream: OutgoingHttpHeaders = { 'content-type': 'text/event-stream' };
const streamHeaders: OutgoingHttpHeaders = {
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/**
 * The response to one client: the only writer of its socket, so that a ping never splits an event. Writes after the
 * client has left are ignored.
 */
export class ClientResponse {
  private goneHandler: (() => void) | null = null;
  private stall: NodeJS.Timeout | null = null;
  private heartbeat: NodeJS.Timeout | null = null;
  private disconnected = false;
  /** Only comments were sent so far. */
  private waits = false;
  private rateHeaders: OutgoingHttpHeaders | null = null;
  /**
   * Watchers of a disconnect. The array is copied when one is added, because an array that grows reserves room for
   * sixteen more.
   */
  private watchers: ReadonlyArray<() => void> = noWatchers;

  /** @param headers headers of every response: request id, CORS */
  constructor(
    private readonly raw: ResponseSink,
    private headers: OutgoingHttpHeaders,
    private readonly stallAfter = stallMilliseconds,
  ) {
    raw.on('close', () => this.closed());
    raw.on('error', ignored);
  }

  /** True once something of a response was sent: no other attempt may begin. */
  get started(): boolean {
    return this.raw.headersSent && !this.waits;
  }

  /** True once the status was sent, even if only comments followed: an error can only be sent as an event then. */
  get isOpen(): boolean {
    return this.raw.headersSent;
  }

  get gone(): boolean {
    return this.disconnected;
  }

  /**
   * Sets a header of a response that has not begun. An earlier header of this name is replaced. Undefined removes it.
   */
  setHeader(name: string, value: string | undefined): void {
    this.headers = { ...this.headers, [name]: value };
  }

  /** Sets the rate limit headers of the caller, which replace the headers of the provider. */
  setRateHeaders(headers: OutgoingHttpHeaders): void {
    this.rateHeaders = headers;
  }

  /**
   * Sets the handler for a client that disconnects before its response is complete. It replaces an earlier one and is
   * called at most once.
   */
  onGone(handler: (() => void) | null): void {
    this.goneHandler = handler;
    if (this.disconnected) handler?.();
  }

  /**
   * Adds a handler for a client that disconnects before its response is complete. It is called at most once, in
   * addition to the handler of `onGone`.
   */
  watchGone(handler: () => void): void {
    if (this.disconnected) handler();
    else this.watchers = [...this.watchers, handler];
  }

  /** Sends a complete response. */
  send(status: number, headers: OutgoingHttpHeaders, body: Buffer | string): void {
    this.stopHeartbeat();
    if (this.disconnected) return;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.raw.writeHead(status, flatHeaders([this.headers, this.limited(headers), { 'content-length': bytes.length }]));
    this.raw.end(bytes);
  }

  /** @param contentType for streams that are not server-sent events */
  openStream(headers: OutgoingHttpHeaders, contentType?: string, status = 200): void {
    this.waits = false;
    if (this.disconnected || this.raw.headersSent) return;
    const type = contentType === undefined ? eventStream : { 'content-type': contentType };
    this.raw.writeHead(status, flatHeaders([this.headers, this.limited(headers), streamHeaders, type]));
    this.flushHead();
  }

  /**
   * Sends the head by itself. Node keeps the head for as long as the response lasts, as the tree of strings from which
   * it was built. A head that is written by itself becomes one flat string, which saves 1.5 KB per open stream. The
   * socket is corked, so that the head leaves with the first event. The response itself must not be corked: Node 22 and 24 then
   * send the end of a response before its bytes, when both are written at once.
   */
  private flushHead(): void {
    const { socket } = this.raw;
    socket?.cork();
    this.raw.flushHeaders?.();
    if (socket) process.nextTick(uncork, socket);
  }

  /** Sends complete events. `source` is paused until the client has accepted them. */
  write(bytes: Buffer | string, source?: Pausable): void {
    if (this.disconnected || this.raw.write(bytes) || !source || this.stall) return;
    source.pause();
    this.stall = setTimeout(() => this.raw.destroy(), this.stallAfter);
    this.raw.once('drain', () => {
      this.endStall();
      source.resume();
    });
  }

  /** Sends the last bytes and ends the response. */
  end(bytes: Buffer | string): void {
    this.stopHeartbeat();
    if (!this.disconnected) this.raw.end(bytes);
  }

  /** Aborts the connection: a response that cannot carry an error must not look complete. */
  drop(): void {
    this.stopHeartbeat();
    this.raw.destroy();
  }

  /** Sends `comment` at this interval while no data is waiting. */
  startHeartbeat(comment: string, milliseconds: number): void {
    this.stopHeartbeat();
    this.heartbeat = setInterval(() => this.beat(comment), milliseconds);
  }

  /**
   * Sends `comment` at this interval while the provider is still silent. The first comment opens the stream, because
   * proxies close a connection without a byte. A WebSocket has pings of its own.
   */
  keepAlive(comment: string, milliseconds: number): void {
    if (this.heartbeat || this.disconnected) return;
    this.heartbeat = setInterval(() => {
      if (this.raw.flushHeaders && !this.raw.headersSent) {
        this.openStream({});
        this.waits = true;
      }
      this.beat(comment);
    }, milliseconds);
  }

  private beat(comment: string): void {
    if (this.raw.headersSent && !this.raw.writableNeedDrain) this.write(comment);
  }

  stopHeartbeat(): void {
    if (this.heartbeat) clearInterval(this.heartbeat);
    this.heartbeat = null;
  }

  private limited(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
    if (!this.rateHeaders) return headers;
    const own = Object.entries(headers).filter(([name]) => !ofProviderLimit.test(name));
    return { ...Object.fromEntries(own), ...this.rateHeaders };
  }

  private closed(): void {
    this.stopHeartbeat();
    this.endStall();
    if (this.raw.writableFinished) return;
    this.disconnected = true;
    this.goneHandler?.();
    this.goneHandler = null;
    const { watchers } = this;
    this.watchers = noWatchers;
    for (const handler of watchers) handler();
  }

  private endStall(): void {
    if (this.stall) clearTimeout(this.stall);
    this.stall = null;
  }
}

function uncork(socket: Corkable): void {
  socket.uncork();
}

/**
 * Returns names and values in turn, which Node writes four times as fast as an object. Later groups replace names of
 * earlier ones.
 */
function flatHeaders(groups: readonly OutgoingHttpHeaders[]): OutgoingHttpHeader[] {
  const flat: OutgoingHttpHeader[] = [];
  for (let at = 0; at < groups.length; at++) {
    for (const name in groups[at]) {
      const value = groups[at]?.[name];
      if (value !== undefined && !isReplaced(groups, at, name)) flat.push(name, value);
    }
  }
  return flat;
}

function isReplaced(groups: readonly OutgoingHttpHeaders[], at: number, name: string): boolean {
  for (let later = at + 1; later < groups.length; later++) if (name in (groups[later] ?? {})) return true;
  return false;
}

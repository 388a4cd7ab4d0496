import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { errors, type Dispatcher } from 'undici';
import { AppError } from '../../shared/errors.js';
import { RelayError } from '../../dialects/errors/relay-error.js';

/** Receives a body as it arrives. Exactly one of `end` and `fail` is called, once. */
export interface BodySink {
  data(bytes: Buffer): void;
  end(): void;
  fail(error: Error): void;
}

/** A connection that failed before the response began, and whether the request was sent. */
export class UpstreamConnectionError extends RelayError {
  constructor(
    readonly requestSent: boolean,
    timedOut: boolean,
    cause: Error,
  ) {
    super(
      timedOut ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_UNREACHABLE',
      timedOut ? 'The upstream did not respond in time' : 'Request to the upstream address failed',
      'do_request_failed',
      { cause },
    );
  }
}

/** One request to a provider: undici's handler on one side, the relay's interface on the other. */
export class Exchange implements Dispatcher.DispatchHandler {
  status = 0;
  headers: IncomingHttpHeaders = {};
  private controller: Dispatcher.DispatchController | null = null;
  private abortReason: Error | null = null;
  /** Data received since the last delivery to the sink. */
  private pending: Buffer[] = [];
  private flushing = false;
  private sink: BodySink | null = null;
  private begun: (() => void) | null = null;
  private outcome: { readonly error: Error | null } | null = null;
  private sent = false;
  /** The whole body has arrived. */
  private ended = false;
  private paused = false;
  /** Decompresses the body. Requests ask for no compression, but some gateways and proxies compress anyway. */
  private unpacker: Transform | null = null;
  private restLimit: { left: number; readonly tooMuch: () => void } | null = null;
  private resolveAnswer: (answer: this) => void = () => undefined;
  private rejectAnswer: (error: Error) => void = () => undefined;

  /**
   * Resolves with the response headers.
   * @throws UpstreamConnectionError, or the reason of an abort
   */
  readonly answer = new Promise<this>((resolve, reject) => {
    this.resolveAnswer = resolve;
    this.rejectAnswer = reject;
  });

  /** Whether the request was written to a connection. */
  get requestSent(): boolean {
    return this.sent;
  }

  /** Ends the request in any state; the provider sees its connection closed. */
  abort(reason: Error): void {
    if (this.outcome || this.abortReason) return;
    this.abortReason = reason;
    this.unpacker?.destroy();
    this.finish(reason);
    this.controller?.abort(reason);
  }

  /** Discards the rest of the body: reads a little of it, so that the connection can be reused, then aborts. */
  discard(): void {
    this.pending = [];
    this.sink = null;
    if (this.ended) return;
    let left = discardLimit;
    const timer = setTimeout(() => this.abort(new Error('discarded')), discardMilliseconds);
    const stop = (): void => clearTimeout(timer);
    this.sink = {
      data: (bytes) => {
        left -= bytes.length;
        if (left < 0) this.abort(new Error('discarded'));
      },
      end: stop,
      fail: stop,
    };
    this.resume();
    if (this.outcome) stop();
  }

  /**
   * Continues to read although the client has disconnected. The number of further bytes is bounded.
   * @param tooMuch called once, when there are more than `limit` bytes
   */
  readOn(limit: number, tooMuch: () => void): void {
    this.restLimit = { left: limit, tooMuch };
    this.resume();
  }

  /**
   * Waits for the first bytes of the body, or its end. The bytes remain for `pipe`.
   * @throws the failure of a body without any bytes
   */
  async firstBytes(): Promise<void> {
    if (this.pending.length === 0 && !this.outcome) await new Promise<void>((resolve) => (this.begun = resolve));
    if (this.pending.length === 0 && this.outcome?.error) throw this.outcome.error;
  }

  /** The first bytes that arrived, as long as nothing was delivered. */
  get beginning(): Buffer | undefined {
    return this.pending[0];
  }

  /** Takes back the bytes that the sink got last. The next sink gets them first. */
  putBack(pieces: readonly Buffer[]): void {
    this.sink = null;
    this.pending.unshift(...pieces);
  }

  /** Delivers the body to `sink`, starting with the data received so far. */
  pipe(sink: BodySink): void {
    this.sink = sink;
    this.flush();
    if (this.outcome) this.reportOutcome();
  }

  /**
   * Reads the whole body.
   * @throws AppError UPSTREAM_INVALID_RESPONSE above `limit` bytes; RelayError when it breaks off
   */
  collect(limit: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      let length = 0;
      this.pipe({
        data: (bytes) => {
          length += bytes.length;
          if (length > limit) {
            this.abort(new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is too large'));
            return;
          }
          pieces.push(bytes);
        },
        end: () => resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, length)),
        fail: reject,
      });
    });
  }

  pause(): void {
    this.paused = true;
    this.unpacker?.pause();
    this.controller?.pause();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.unpacker?.resume();
    // Otherwise reading resumes when the bytes so far are decompressed.
    if (this.unpacker?.writableNeedDrain !== true) this.controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.abortReason) controller.abort(this.abortReason);
    else this.sent = true;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 1xx responses are informational and precede the real one.
    if (status < 200) return;
    this.controller = controller;
    this.status = status;
    this.headers = headers;
    // The raw headers are not read again, and would keep network buffers alive while the stream is open.
    controller.rawHeaders = null;
    const encoding = headers['content-encoding'];
    if (encoding !== undefined) this.unpacker = this.unpackerFor(encoding, controller);
    this.resolveAnswer(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.outcome) return;
    if (this.restLimit) {
      this.restLimit.left -= bytes.length;
      if (this.restLimit.left < 0) return this.restLimit.tooMuch();
    }
    if (this.unpacker === null) this.receive(bytes);
    else if (!this.unpacker.write(bytes)) controller.pause();
  }

  private unpackerFor(encoding: string, controller: Dispatcher.DispatchController): Transform | null {
    const create = unpackers.get(encoding.trim().toLowerCase());
    if (!create) return null;
    return create()
      .on('data', (bytes: Buffer) => this.receive(bytes))
      .on('drain', () => this.paused || controller.resume())
      .on('end', () => this.finish(null))
      .on('error', (error) => this.abort(brokenBody(error)));
  }

  private receive(bytes: Buffer): void {
    if (this.outcome) return;
    this.pending.push(bytes);
    this.begun?.();
    // One read of the socket may contain many chunks. They are delivered together at the end of this turn of the event
    // loop, or when there is a sink.
    if (this.flushing || !this.sink) return;
    this.flushing = true;
    queueMicrotask(() => {
      this.flushing = false;
      this.flush();
    });
  }

  onResponseEnd(): void {
    this.ended = this.unpacker === null;
    if (this.unpacker) this.unpacker.end();
    else this.finish(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.unpacker?.destroy();
    if (this.abortReason) this.finish(this.abortReason);
    else if (this.status === 0) this.finish(new UpstreamConnectionError(this.sent, isTimeout(error), error));
    else this.finish(brokenBody(error));
  }

  private finish(error: Error | null): void {
    if (this.outcome) return;
    this.flush();
    // A sink may have ended the request.
    if (this.outcome) return;
    this.outcome = { error };
    this.begun?.();
    if (this.status === 0) this.rejectAnswer(error ?? new Error('the upstream ended without a response'));
    this.reportOutcome();
  }

  private flush(): void {
    const { sink, pending } = this;
    if (!sink || pending.length === 0) return;
    this.pending = [];
    sink.data(pending.length === 1 && pending[0] ? pending[0] : Buffer.concat(pending));
  }

  private reportOutcome(): void {
    const { sink, outcome } = this;
    if (!sink || !outcome) return;
    this.sink = null;
    if (outcome.error) sink.fail(outcome.error);
    else sink.end();
  }
}

const unpackers: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
  ['deflate', createInflate],
]);

const discardLimit = 256 * 1024;
const discardMilliseconds = 2000;

const isTimeout = (error: Error): boolean =>
  error instanceof errors.HeadersTimeoutError ||
  error instanceof errors.ConnectTimeoutError ||
  error instanceof errors.BodyTimeoutError;

/** The error of a body that broke off: data received so far stays valid, and the rest is lost. */
function brokenBody(error: Error): RelayError {
  return isTimeout(error)
    ? new RelayError('UPSTREAM_TIMEOUT', 'The upstream stopped sending', 'stream_response_error', { cause: error })
    : new RelayError('UPSTREAM_UNREACHABLE', 'The upstream broke off its response', 'read_response_body_failed', {
        cause: error,
      });
}

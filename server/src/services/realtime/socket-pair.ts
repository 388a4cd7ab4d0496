import { WebSocket, type RawData } from 'ws';
import { secondsPerHold } from './session-price.js';
import { pauseReading, resumeReading } from './socket-reading.js';
import { millisecondsIn } from '../../shared/clock.js';

/** A frame to forward. Text frames stay text frames. */
export interface Frame {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** Limits of a pair of WebSockets. */
export interface SocketPairLimits {
  readonly pingMilliseconds: number;
  readonly sessionMilliseconds: number;
  /** Maximum bytes that may wait for one side before reading from the other side stops. */
  readonly maxWaiting: number;
  /** Milliseconds for which a side may exceed `maxWaiting`. */
  readonly stallMilliseconds: number;
  /** Milliseconds that a side may take to complete the closing handshake. */
  readonly closeMilliseconds: number;
  /** Milliseconds in which a provider may end its responses after its client has disconnected. */
  readonly readOnMilliseconds: number;
  /** Milliseconds after which the time of a session with a price per second is charged, and more is reserved. */
  readonly timedMilliseconds: number;
}

export const defaultPairLimits: SocketPairLimits = {
  pingMilliseconds: 30_000,
  sessionMilliseconds: 60 * 60_000,
  maxWaiting: 256 * 1024,
  stallMilliseconds: 60_000,
  closeMilliseconds: 2_000,
  readOnMilliseconds: 60_000,
  timedMilliseconds: millisecondsIn(secondsPerHold),
};

/** The cause of the end of a session: one of the sides, a timeout, the relay, or a stop of the server. */
export type EndCause = 'client' | 'upstream' | 'expired' | 'own' | 'stop';

/** Processes each frame before it is forwarded. Frames are processed one after the other. */
export interface SocketPairHandler {
  /**
   * Handles a frame of the client.
   * @returns false when the frame must not be forwarded; a promise of the frame to forward, or of null
   */
  fromClient(frame: Frame): boolean | Promise<Frame | null>;
  /**
   * Handles a frame of the provider.
   * @returns a promise that resolves when the frame may be forwarded to the client, or with frames to forward in its
   * place
   */
  fromUpstream(frame: Frame): Promise<readonly Frame[] | undefined> | Promise<void> | undefined;
  /**
   * Called after a frame from the provider was sent to the client.
   * @returns a promise that resolves when the next frame may follow
   */
  delivered(): Promise<void> | void;
  /**
   * Returns the last frame for the client, or null.
   * @param code close code of the side that ended; 1006 when there was none
   */
  farewell(cause: EndCause, code: number): string | null;
  /** Resolves when the provider has ended its output, although its client has disconnected. */
  providerEnded(): Promise<void>;
}

/**
 * Connects two WebSockets: forwards frames in both directions, reads neither side faster than the other accepts, and
 * closes both together.
 */
export class SocketPair {
  private readonly queue: Array<Frame | (() => Promise<void>)> = [];
  private isWorking = false;
  /** Frames of the client that wait behind a frame that is being checked. */
  private readonly waiting: Frame[] = [];
  private isChecking = false;
  /** Whether one side has closed, so that no frame of the client is forwarded any more. */
  isEnding = false;
  private isOver = false;
  private stopReading: () => void = () => undefined;
  /** Whether the provider had not ended its output when its time was over. */
  isCutOff = false;
  private readonly timers: NodeJS.Timeout[] = [];
  /** Timers of sides that have more bytes waiting than allowed. */
  private readonly stalls = new Map<WebSocket, NodeJS.Timeout>();
  private readonly alive = new Set<WebSocket>();
  private resolveEnd: () => void = () => undefined;

  /** Resolves when both are closed and every received frame was processed. */
  readonly ended = new Promise<void>((resolve) => (this.resolveEnd = resolve));

  constructor(
    readonly client: WebSocket,
    readonly upstream: WebSocket,
    private readonly handler: SocketPairHandler,
    private readonly limits: SocketPairLimits = defaultPairLimits,
  ) {}

  /**
   * Starts forwarding.
   * @param early frames that the client sent before, in order
   */
  start(early: readonly Frame[] = []): void {
    const { client, upstream, limits } = this;
    client.on('error', () => undefined);
    client.on('message', (data, isBinary) => this.fromClient({ data: toBuffer(data), isBinary }));
    upstream.on('message', (data, isBinary) => this.fromUpstream({ data: toBuffer(data), isBinary }));
    client.on('close', (code, reason) => this.end(code, reason.toString(), 'client'));
    upstream.on('close', (code, reason) => this.end(code, reason.toString(), 'upstream'));
    for (const socket of [client, upstream]) {
      this.alive.add(socket);
      socket.on('pong', () => this.alive.add(socket));
    }
    this.timers.push(setInterval(() => this.ping(), limits.pingMilliseconds));
    this.timers.push(
      setTimeout(() => {
        this.end(1001, 'the session reached its maximum duration', 'expired');
      }, limits.sessionMilliseconds),
    );
    this.resume(upstream);
    // The client may be paused. Forwarding a frame resumes it.
    for (const frame of early) this.fromClient(frame);
    // One side may have closed while the other was being opened.
    if (client.readyState > WebSocket.OPEN) this.end(1001, '', 'client');
    else if (upstream.readyState > WebSocket.OPEN) this.end(1006, '', 'upstream');
  }

  /** Sends a frame of this server to the client. */
  report(text: string): void {
    if (this.client.readyState === WebSocket.OPEN) this.client.send(text);
  }

  /**
   * Closes both sides.
   * @param code a code that may be sent, else 1011
   */
  end(code: number, reason: string, cause: EndCause = 'own'): void {
    if (this.isEnding) return;
    this.isEnding = true;
    for (const timer of [...this.timers, ...this.stalls.values()]) clearTimeout(timer);
    void this.close(code, reason, cause);
  }

  /** Ends the session at once, also while the provider is read without a client. */
  stop(code: number, reason: string): void {
    this.end(code, reason, 'stop');
    this.stopReading();
  }

  private async close(code: number, reason: string, cause: EndCause): Promise<void> {
    const { client, upstream, limits, handler } = this;
    // Frames received so far are still delivered to the client first.
    await this.idle();
    const last = handler.farewell(cause, code);
    if (last !== null) this.report(last);
    closeSocket(client, code, reason, limits.closeMilliseconds);
    if (cause !== 'stop' && upstream.readyState === WebSocket.OPEN) await this.readOn();
    closeSocket(upstream, code, reason, limits.closeMilliseconds);
    this.isOver = true;
    await this.idle();
    // A frame of the client that waits for its reservation releases it.
    while (this.isChecking) await new Promise((resolve) => setTimeout(resolve, 5));
    this.resolveEnd();
  }

  /** Reads the provider's output without a client, because the provider bills all of it. */
  private async readOn(): Promise<void> {
    this.upstream.once('close', () => this.stopReading());
    const isOver = new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(true), this.limits.readOnMilliseconds);
      this.stopReading = () => resolve(this.upstream.readyState === WebSocket.OPEN);
      void this.handler.providerEnded().then(() => resolve(false));
      this.timers.push(timer);
    });
    this.resume(this.upstream);
    this.isCutOff = await isOver;
    for (const timer of this.timers) clearTimeout(timer);
  }

  private fromClient(frame: Frame): void {
    if (this.isEnding) return;
    if (this.isChecking) return void this.waiting.push(frame);
    const passes = this.handler.fromClient(frame);
    if (typeof passes === 'boolean') {
      if (passes) this.forward(frame, this.upstream, this.client);
    } else void this.check(passes);
  }

  /** Forwards a frame of the client after its check, and then the frames that wait behind it. */
  private async check(checked: Promise<Frame | null>): Promise<void> {
    this.isChecking = true;
    pauseReading(this.client, 'forwarding');
    try {
      const frame = await checked;
      if (frame && !this.isEnding) this.forward(frame, this.upstream, this.client);
    } catch {
      this.end(1011, 'internal error');
    }
    this.isChecking = false;
    while (!this.isChecking) {
      const frame = this.waiting.shift();
      if (!frame) break;
      this.fromClient(frame);
    }
    if (!this.isChecking) this.ease(this.upstream, this.client);
  }

  /** Sends a frame of this server to the provider. */
  instruct(text: string): void {
    if (this.upstream.readyState === WebSocket.OPEN) this.upstream.send(text);
  }

  /** Runs a task between two frames of the provider, as if a frame had been delivered. */
  enqueue(task: () => Promise<void>): void {
    if (!this.isEnding) this.add(task);
  }

  private fromUpstream(frame: Frame): void {
    if (!this.isOver) this.add(frame);
  }

  private add(next: Frame | (() => Promise<void>)): void {
    this.queue.push(next);
    if (!this.isWorking) void this.work();
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    const { upstream, client, handler, queue } = this;
    try {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const ready = typeof next === 'function' ? next() : handler.fromUpstream(next);
        let frames: readonly Frame[] = typeof next === 'function' ? [] : [next];
        if (ready) {
          pauseReading(upstream, 'forwarding');
          frames = (await ready) ?? frames;
        }
        for (const each of frames) this.forward(each, client, upstream);
        await handler.delivered();
      }
    } catch {
      // The handler reports its own failures. Without it nothing can be charged, so the session must end.
      queue.length = 0;
      this.end(1011, 'internal error');
    } finally {
      this.isWorking = false;
      this.ease(client, upstream);
    }
  }

  private async idle(): Promise<void> {
    while (this.isWorking) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  private forward({ data, isBinary }: Frame, to: WebSocket, from: WebSocket): void {
    if (to.readyState !== WebSocket.OPEN) return;
    to.send(data, { binary: isBinary }, () => this.ease(to, from));
    if (!this.isFull(to)) return;
    pauseReading(from, 'forwarding');
    if (this.stalls.has(to) || this.isEnding) return;
    this.stalls.set(
      to,
      setTimeout(() => to.terminate(), this.limits.stallMilliseconds),
    );
  }

  /** Resumes reading from a side once the other has accepted its waiting bytes. */
  private ease(to: WebSocket, from: WebSocket): void {
    if (this.isFull(to)) return;
    clearTimeout(this.stalls.get(to));
    this.stalls.delete(to);
    // A frame that waits for its charge delays the frames behind it.
    if (from === this.upstream ? !this.isWorking : !this.isChecking) this.resume(from);
  }

  private isFull(socket: WebSocket): boolean {
    return socket.readyState === WebSocket.OPEN && socket.bufferedAmount > this.limits.maxWaiting;
  }

  private resume(socket: WebSocket): void {
    if (!socket.isPaused) return;
    // The pong may be among the bytes that are read only now.
    this.alive.add(socket);
    resumeReading(socket, 'forwarding');
  }

  private ping(): void {
    for (const socket of [this.client, this.upstream]) {
      // A pong of a paused side is not read, so the side counts as alive.
      if (socket.isPaused) continue;
      if (!this.alive.delete(socket)) socket.terminate();
      else if (socket.readyState === WebSocket.OPEN) socket.ping();
    }
  }
}

/**
 * Starts the closing handshake, and terminates the connection after a short wait.
 * @param code a code that may be sent, else 1011
 */
export function closeSocket(socket: WebSocket, code: number, reason: string, milliseconds: number): void {
  if (socket.readyState === WebSocket.CLOSED) return;
  if (socket.isPaused) socket.resume();
  if (socket.readyState === WebSocket.OPEN) {
    socket.close(sendable(code), Buffer.from(reason).subarray(0, 120).toString());
  }
  setTimeout(() => socket.terminate(), milliseconds).unref();
}

export const toBuffer = (data: RawData): Buffer =>
  Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);

/**
 * Returns a code that may be sent. 1005 and 1006 mean that the other side sent no code. They and some others must not
 * be sent.
 */
function sendable(code: number): number {
  if (code === 1005) return 1000;
  const isKnown = code >= 1000 && code <= 1014 && ![1004, 1006].includes(code);
  return isKnown || (code >= 3000 && code < 5000) ? code : 1011;
}

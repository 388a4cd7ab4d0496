import { WebSocket, type RawData } from 'ws';

/** A frame on its way; text stays text. */
export interface Frame {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

export interface SocketPairLimits {
  readonly pingMilliseconds: number;
  readonly sessionMilliseconds: number;
  /** Bytes waiting for one side at which the other is not read any more. */
  readonly maxWaiting: number;
  /** How long a side may leave more than that waiting. */
  readonly stallMilliseconds: number;
  /** How long a side may take to say goodbye. */
  readonly closeMilliseconds: number;
}

export const defaultPairLimits: SocketPairLimits = {
  pingMilliseconds: 30_000,
  sessionMilliseconds: 60 * 60_000,
  maxWaiting: 256 * 1024,
  stallMilliseconds: 60_000,
  closeMilliseconds: 2_000,
};

/** Who ended it: one of the sides, the clock, or ourselves. */
export type EndCause = 'client' | 'upstream' | 'expired' | 'own';

/** What is done with each frame before it goes on; a frame waits for the one before it. */
export interface SocketPairHandler {
  fromClient(frame: Frame): void;
  /** @returns when the frame may go on to the client */
  fromUpstream(frame: Frame): Promise<void> | void;
  /** Called after a frame from upstream was handed to the client. @returns when the next one may come */
  delivered(): Promise<void> | void;
  /** The last frame for the client; null where there is nothing to say. @param code what the ending side said, 1006: nothing */
  farewell(cause: EndCause, code: number): string | null;
}

/** Two sockets that are one: what one says the other hears, neither is read faster than the other takes, both end together. */
export class SocketPair {
  private readonly queue: Frame[] = [];
  private isWorking = false;
  private isEnding = false;
  private isOver = false;
  private readonly timers: NodeJS.Timeout[] = [];
  /** Sides that have more waiting than they may, until when. */
  private readonly stalls = new Map<WebSocket, NodeJS.Timeout>();
  private readonly alive = new Set<WebSocket>();
  private resolveEnd: () => void = () => undefined;

  /** Resolves when both are closed and everything that came was handled. */
  readonly ended = new Promise<void>((resolve) => (this.resolveEnd = resolve));

  constructor(
    readonly client: WebSocket,
    readonly upstream: WebSocket,
    private readonly handler: SocketPairHandler,
    private readonly limits: SocketPairLimits = defaultPairLimits,
  ) {}

  start(): void {
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
        this.end(1001, 'the session has lasted as long as it may', 'expired');
      }, limits.sessionMilliseconds),
    );
    this.resume(upstream);
    // Either may have gone while the other was opened.
    if (client.readyState > WebSocket.OPEN) this.end(1001, '', 'client');
    else if (upstream.readyState > WebSocket.OPEN) this.end(1006, '', 'upstream');
  }

  /** A frame of ours to the client. */
  report(text: string): void {
    if (this.client.readyState === WebSocket.OPEN) this.client.send(text);
  }

  /** Closes both sides. @param code a code that may be sent, else 1011 */
  end(code: number, reason: string, cause: EndCause = 'own'): void {
    if (this.isEnding) return;
    this.isEnding = true;
    for (const timer of [...this.timers, ...this.stalls.values()]) clearTimeout(timer);
    // What the provider said so far still reaches the client first.
    void this.idle().then(() => {
      const last = this.handler.farewell(cause, code);
      if (last !== null) this.report(last);
      for (const socket of [this.client, this.upstream]) this.close(socket, code, reason);
      this.isOver = true;
      this.resolveEnd();
    });
  }

  private fromClient(frame: Frame): void {
    if (this.isEnding) return;
    this.handler.fromClient(frame);
    this.pass(frame, this.upstream, this.client);
  }

  private fromUpstream(frame: Frame): void {
    if (this.isOver) return;
    this.queue.push(frame);
    if (!this.isWorking) void this.work();
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    const { upstream, client, handler, queue } = this;
    try {
      for (let frame = queue.shift(); frame; frame = queue.shift()) {
        const ready = handler.fromUpstream(frame);
        if (ready) {
          upstream.pause();
          await ready;
        }
        this.pass(frame, client, upstream);
        await handler.delivered();
      }
    } catch {
      // The handler tells its own failures; without it nothing can be charged, so nothing goes on.
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

  private pass({ data, isBinary }: Frame, to: WebSocket, from: WebSocket): void {
    if (to.readyState !== WebSocket.OPEN) return;
    to.send(data, { binary: isBinary }, () => this.ease(to, from));
    if (!this.isFull(to)) return;
    from.pause();
    if (this.stalls.has(to) || this.isEnding) return;
    this.stalls.set(
      to,
      setTimeout(() => to.terminate(), this.limits.stallMilliseconds),
    );
  }

  /** Reads on from a side once the other has taken what waited for it. */
  private ease(to: WebSocket, from: WebSocket): void {
    if (this.isFull(to)) return;
    clearTimeout(this.stalls.get(to));
    this.stalls.delete(to);
    // A frame that waits for its charge holds up those behind it.
    if (!(from === this.upstream && this.isWorking)) this.resume(from);
  }

  private isFull(socket: WebSocket): boolean {
    return socket.readyState === WebSocket.OPEN && socket.bufferedAmount > this.limits.maxWaiting;
  }

  private resume(socket: WebSocket): void {
    if (!socket.isPaused) return;
    // Its answer to the last ping may lie among what is read only now.
    this.alive.add(socket);
    socket.resume();
  }

  private ping(): void {
    for (const socket of [this.client, this.upstream]) {
      // A side that is not read cannot be heard answering.
      if (socket.isPaused) continue;
      if (!this.alive.delete(socket)) socket.terminate();
      else if (socket.readyState === WebSocket.OPEN) socket.ping();
    }
  }

  /** Says goodbye, and does not wait for long to hear it back. */
  private close(socket: WebSocket, code: number, reason: string): void {
    if (socket.readyState === WebSocket.CLOSED) return;
    if (socket.isPaused) socket.resume();
    if (socket.readyState === WebSocket.OPEN) {
      socket.close(sendable(code), Buffer.from(reason).subarray(0, 120).toString());
    }
    setTimeout(() => socket.terminate(), this.limits.closeMilliseconds).unref();
  }
}

const toBuffer = (data: RawData): Buffer =>
  Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);

/** 1005 and 1006 are what a side reads when the other said nothing; they and some others are never sent. */
function sendable(code: number): number {
  if (code === 1005) return 1000;
  const isKnown = code >= 1000 && code <= 1014 && ![1004, 1006].includes(code);
  return isKnown || (code >= 3000 && code < 5000) ? code : 1011;
}

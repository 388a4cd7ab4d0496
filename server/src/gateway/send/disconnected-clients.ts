import { ClientGoneError } from '../deliver/delivery.js';
import type { Exchange } from '../upstream/exchange.js';

export interface ReadOnLimits {
  /** Milliseconds in which a response in one piece may still come. */
  readonly wholeMilliseconds: number;
  /** The same for a stream whose output the client has seen: its end may be on the way. */
  readonly streamMilliseconds: number;
  readonly bytes: number;
  /** Calls that are read on at once. */
  readonly perUser: number;
  readonly perNode: number;
}

export const defaultReadOnLimits: ReadOnLimits = {
  wholeMilliseconds: 1500,
  streamMilliseconds: 500,
  bytes: 8 * 1024 * 1024,
  perUser: 100,
  perNode: 1000,
};

/** The part of an exchange that reading on uses. */
export type AbandonedExchange = Pick<Exchange, 'requestSent' | 'abort' | 'readOn'>;

/** How far a call is read on. */
export interface DisconnectedClient {
  readonly userId: number;
  readonly stream: boolean;
  /** The provider may bill output that was not sent: read until the call's own time is over. */
  readonly hidesOutput: boolean;
}

/**
 * Upstream calls whose client has left and that are read on to their usage (docs/reference/relay/billing.md#clients-that-leave),
 * bounded in number, time and bytes. Beyond a bound the upstream call is ended.
 */
export class DisconnectedClients {
  private readonly open = new Set<AbandonedExchange>();
  private readonly byUser = new Map<number, number>();
  private stopped = false;

  constructor(private readonly limits: ReadOnLimits = defaultReadOnLimits) {}

  get count(): number {
    return this.open.size;
  }

  /** @returns what ends the reading on; call it when the call is over */
  readOn(exchange: AbandonedExchange, { userId, stream, hidesOutput }: DisconnectedClient): () => void {
    const { limits } = this;
    if (this.open.has(exchange)) return () => undefined;
    const ofUser = this.byUser.get(userId) ?? 0;
    // A request that was never sent costs nothing.
    if (!exchange.requestSent || this.stopped || ofUser >= limits.perUser || this.open.size >= limits.perNode) {
      exchange.abort(new ClientGoneError());
      return () => undefined;
    }
    this.open.add(exchange);
    this.byUser.set(userId, ofUser + 1);
    const milliseconds = stream ? limits.streamMilliseconds : limits.wholeMilliseconds;
    const timer = hidesOutput ? null : setTimeout(() => exchange.abort(new ClientGoneError()), milliseconds);
    exchange.readOn(limits.bytes, () => exchange.abort(new ClientGoneError()));
    return () => {
      if (timer) clearTimeout(timer);
      if (!this.open.delete(exchange)) return;
      const left = (this.byUser.get(userId) ?? 1) - 1;
      if (left > 0) this.byUser.set(userId, left);
      else this.byUser.delete(userId);
    };
  }

  /** Ends all of them, and reads none on from now. */
  stop(): void {
    this.stopped = true;
    for (const exchange of this.open) exchange.abort(new ClientGoneError());
  }
}

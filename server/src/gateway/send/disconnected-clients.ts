import { ClientGoneError } from '../deliver/delivery.js';
import type { Exchange } from '../upstream/exchange.js';

export interface ReadOnLimits {
  /** Milliseconds in which a non-streaming response may still arrive. */
  readonly wholeMilliseconds: number;
  /** Milliseconds in which the end of a stream may still arrive, after the client has seen some output. */
  readonly streamMilliseconds: number;
  readonly bytes: number;
  /** Maximum number of disconnected calls of a user that are read at once. */
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

/** The part of an exchange that is needed to read it on. */
export type AbandonedExchange = Pick<Exchange, 'requestSent' | 'abort' | 'readOn'>;

/** Determines how far a call is read. */
export interface DisconnectedClient {
  readonly userId: number;
  readonly stream: boolean;
  /**
   * Whether the provider may bill output that was not sent. The response is then read until the call's own time limit.
   */
  readonly hidesOutput: boolean;
}

/**
 * Reads upstream calls of disconnected clients up to their usage report
 * (docs/reference/relay/billing.md#disconnected-clients), bounded in number, time and bytes. Beyond a bound the upstream
 * call is aborted.
 */
export class DisconnectedClients {
  private readonly open = new Set<AbandonedExchange>();
  private readonly byUser = new Map<number, number>();
  private stopped = false;

  constructor(private readonly limits: ReadOnLimits = defaultReadOnLimits) {}

  get count(): number {
    return this.open.size;
  }

  /**
   * Reads an exchange on.
   * @returns a function that ends the reading; call it when the call has ended
   */
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

  /** Aborts all of these calls, and accepts no further ones. */
  stop(): void {
    this.stopped = true;
    for (const exchange of this.open) exchange.abort(new ClientGoneError());
  }
}

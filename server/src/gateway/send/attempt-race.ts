import type { Exchange } from '../upstream/exchange.js';

/** Another attempt of the same call has served or ended it. */
export class LostRaceError extends Error {
  /** @param requestSent whether the provider may have begun the call and may bill it */
  constructor(readonly requestSent: boolean) {
    super('another attempt of this call was faster');
  }
}

/**
 * The attempts of one call that run at the same time. The first attempt whose response begins serves the call. All
 * others are aborted before any of their output reaches the client.
 */
export class AttemptRace {
  private readonly running = new Set<Exchange>();
  private decided = false;
  private winner: Exchange | null = null;
  private aborted = 0;

  /** Whether an attempt serves the call, or none may any more. */
  get isDecided(): boolean {
    return this.decided;
  }

  /** Attempts that were aborted after their request had been sent. */
  get abortedCount(): number {
    return this.aborted;
  }

  /** @throws LostRaceError when the race is over */
  enter(exchange: Exchange): void {
    this.running.add(exchange);
    if (!this.decided) return;
    this.abort(exchange);
    throw new LostRaceError(exchange.requestSent);
  }

  /**
   * Claims the call for this exchange. May be called repeatedly.
   * @throws LostRaceError when another exchange has claimed it
   */
  claim(exchange: Exchange): void {
    if (this.winner === exchange) return;
    if (this.decided) throw new LostRaceError(exchange.requestSent);
    this.winner = exchange;
    this.running.delete(exchange);
    this.cancel();
  }

  /** Ends all attempts that have not claimed the call. */
  cancel(): void {
    this.decided = true;
    for (const exchange of this.running) this.abort(exchange);
  }

  /** Removes an attempt that failed by itself. */
  leave(exchange: Exchange): void {
    this.running.delete(exchange);
  }

  private abort(exchange: Exchange): void {
    this.running.delete(exchange);
    if (exchange.requestSent) this.aborted++;
    exchange.abort(new LostRaceError(exchange.requestSent));
  }
}

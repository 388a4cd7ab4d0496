import type { Exchange } from '../upstream/exchange.js';

/** Another attempt of the same call has served it, or ended it. */
export class LostRaceError extends Error {
  /** @param requestSent whether the provider may have begun, and may bill it */
  constructor(readonly requestSent: boolean) {
    super('another attempt of this call was faster');
  }
}

/**
 * Attempts of one call that run at the same time. The first one whose response begins serves the call; all others are
 * aborted before anything of them reaches the client.
 */
export class AttemptRace {
  private readonly running = new Set<Exchange>();
  private decided = false;
  private winner: Exchange | null = null;
  private aborted = 0;

  /** An attempt serves the call, or none may. */
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

  /** The call is this exchange's from here on. May be called repeatedly. @throws LostRaceError when it is another's */
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

  /** The attempt failed by itself. */
  leave(exchange: Exchange): void {
    this.running.delete(exchange);
  }

  private abort(exchange: Exchange): void {
    this.running.delete(exchange);
    if (exchange.requestSent) this.aborted++;
    exchange.abort(new LostRaceError(exchange.requestSent));
  }
}

import type { Metrics } from '../../platform/observability/metrics.js';
import type { Endpoint } from '../endpoint.js';
import type { IncomingRequest } from '../request.js';
import { secondsIn } from '../../shared/clock.js';

export interface CallOutcome {
  readonly outcome: 'ok' | 'client_error' | 'upstream_error' | 'client_gone' | 'error';
  readonly stream: boolean;
  readonly model?: string;
}

export interface RunningCall {
  /** The client has disconnected: the call is over for it, while it may still be read and charged. */
  leave(): void;
  /** The call is complete, including its charge. */
  end(outcome: CallOutcome): void;
}

/** Tracks calls in flight, and disconnected calls whose charge is not durable yet. */
export class RunningCalls {
  private active = 0;
  private running = 0;
  /** Start times of calls that wait for their reservation, by request id, oldest first. */
  private readonly waiting = new Map<string, number>();
  private whenIdle: Array<() => void> = [];

  constructor(private readonly metrics: Metrics) {}

  /** Calls in flight now. */
  get count(): number {
    return this.active;
  }

  /**
   * Counts a call as in flight until its client disconnects or its response ends, and as running until it is charged.
   */
  begin({ route }: Endpoint, { startedAt }: IncomingRequest): RunningCall {
    this.active++;
    this.running++;
    this.metrics.relay.underWay(route, 1);
    let isOver = false;
    const finish = (outcome: CallOutcome): void => {
      if (isOver) return;
      isOver = true;
      this.finish(route, startedAt, outcome);
    };
    return {
      leave: () => finish({ outcome: 'client_gone', stream: false }),
      end: (outcome) => {
        finish(outcome);
        this.running--;
        if (this.running > 0) return;
        for (const resolve of this.whenIdle.splice(0)) resolve();
      },
    };
  }

  /** Resolves when no call is under way: every charge is durable then. */
  idle(): Promise<void> {
    return this.running === 0 ? Promise.resolve() : new Promise((resolve) => this.whenIdle.push(resolve));
  }

  /** Records that the call waits for its reservation. */
  waits(requestId: string): void {
    this.waiting.set(requestId, performance.now());
  }

  /** Records that the reservation was made or refused. */
  goesOn(requestId: string): void {
    this.waiting.delete(requestId);
  }

  /** Milliseconds that the oldest call has waited for its reservation; 0 when none waits. */
  databaseWait(): number {
    for (const since of this.waiting.values()) return performance.now() - since;
    return 0;
  }

  private finish(route: string, startedAt: number, { outcome, stream, model }: CallOutcome): void {
    const { metrics } = this;
    this.active--;
    metrics.relay.underWay(route, -1);
    metrics.relay.of(model ?? 'none').finished(route, outcome);
    metrics.relayDuration.observe(route, stream, secondsIn(performance.now() - startedAt));
  }
}

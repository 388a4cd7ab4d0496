import type { Clock } from '../../shared/clock.js';

const firstWait = 5_000;
const longestWait = 600_000;

interface Failing {
  readonly count: number;
  readonly until: number;
}

/** The tasks that could not be followed. Each waits twice as long after every further failure. */
export class PollingFailures {
  private readonly failing = new Map<number, Failing>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  isWaiting(id: number): boolean {
    return (this.failing.get(id)?.until ?? 0) > this.clock.now();
  }

  note(id: number): void {
    const count = this.failing.get(id)?.count ?? 0;
    this.failing.set(id, { count: count + 1, until: this.clock.now() + Math.min(longestWait, firstWait * 2 ** count) });
  }

  forget(id: number): void {
    this.failing.delete(id);
  }
}

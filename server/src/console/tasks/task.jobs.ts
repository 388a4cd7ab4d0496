import type { SharedState } from '../../platform/cache/shared-state.js';
import { millisecondsIn } from '../../shared/clock.js';

interface PolledTasks {
  run(): Promise<void>;
}

interface TaskPollingDeps {
  /** The name of its lease. */
  readonly name: string;
  readonly pollers: readonly PolledTasks[];
  readonly state: Pick<SharedState, 'lease' | 'release'>;
  readonly nodeId: string;
  readonly seconds: number;
  readonly logger: { warn(details: object, message: string): void };
}

/** Number of runs that may be missed before another node takes over. */
const leaseRuns = 4;

/**
 * Polls unfinished tasks periodically. One node does it, by lease; if two do for a moment, each task still changes only
 * once.
 */
export class TaskPolling {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private isBusy = false;

  constructor(private readonly deps: TaskPollingDeps) {}

  start(): void {
    this.timer = setInterval(() => {
      // A run that takes longer than the interval delays the next one, and keeps the lease.
      if (this.isBusy) void this.lease().catch(() => undefined);
      else this.running = this.run();
    }, millisecondsIn(this.deps.seconds));
    this.timer.unref();
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.running;
    await this.deps.state.release(this.deps.name, this.deps.nodeId).catch(() => undefined);
  }

  /** Polls once. Never throws: the next run retries. */
  private async run(): Promise<void> {
    const { pollers, logger } = this.deps;
    this.isBusy = true;
    try {
      if (!(await this.lease())) return;
      const ended = await Promise.allSettled(pollers.map((poller) => poller.run()));
      for (const one of ended) {
        if (one.status === 'rejected') logger.warn({ err: one.reason as unknown }, 'tasks could not be polled');
      }
    } catch (error) {
      logger.warn({ err: error }, 'tasks could not be polled');
    } finally {
      this.isBusy = false;
    }
  }
  /**
   * Takes or extends the lease.
   * @returns whether this node polls
   */
  private lease(): Promise<boolean> {
    const { name, state, nodeId, seconds } = this.deps;
    return state.lease(name, nodeId, Math.max(10, seconds * leaseRuns));
  }
}

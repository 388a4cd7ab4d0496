import type { SharedState } from '../../cache/shared-state.js';
import type { Aggregator } from './aggregator.service.js';

const roundMilliseconds = 10_000;
const leaseSeconds = 60;

interface RollupClockDeps {
  readonly aggregator: Pick<Aggregator, 'step'>;
  /** Deletes data older than its horizon. */
  readonly dropOld: () => Promise<void>;
  readonly state: Pick<SharedState, 'lease'>;
  readonly nodeId: string;
  readonly logger: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

/** Updates the rollups every ten seconds, on one node by lease. A second node would only wait for the first. */
export class RollupClock {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(private readonly deps: RollupClockDeps) {}

  start(): void {
    const round = (): void => {
      this.running = this.running.then(() => this.round());
    };
    this.timer = setInterval(round, roundMilliseconds);
    this.timer.unref();
    round();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    if (this.timer) clearInterval(this.timer);
    await this.running;
  }

  /** Never throws: the next round continues where this one stopped. */
  private async round(): Promise<void> {
    const { aggregator, dropOld, state, nodeId, logger } = this.deps;
    try {
      while (!this.isStopped && (await state.lease('rollups', nodeId, leaseSeconds))) {
        const buckets = await aggregator.step();
        if (buckets === 0) {
          await dropOld();
          return;
        }
        if (buckets > 1) logger.info({ buckets }, 'rollups updated');
      }
    } catch (error) {
      logger.warn({ err: error }, 'rollup update failed');
    }
  }
}

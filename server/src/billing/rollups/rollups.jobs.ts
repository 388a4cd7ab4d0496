import type { SharedState } from '../../platform/cache/shared-state.js';
import { ScheduledJob } from '../../shared/scheduled-runs.js';
import type { Aggregator } from './aggregator.js';

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
export class RollupClock extends ScheduledJob<RollupClockDeps> {
  protected readonly interval = 10_000;
  protected readonly failure = 'rollup update failed';

  /** Runs the aggregator once. The next run continues a failed one. */
  protected async work(): Promise<void> {
    const { aggregator, dropOld, state, nodeId, logger } = this.deps;
    while (!this.runs.isStopped && (await state.lease('rollups', nodeId, leaseSeconds))) {
      const buckets = await aggregator.step();
      if (buckets === 0) {
        await dropOld();
        return;
      }
      if (buckets > 1) logger.info({ buckets }, 'rollups updated');
    }
  }
}

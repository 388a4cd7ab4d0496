import type { DataSource } from 'typeorm';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { earlierTime } from '../../platform/db/earlier-time.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { ScheduledJob } from '../../shared/scheduled-runs.js';
import type { StatementCloser } from './statement-closer.js';

const leaseSeconds = 1200;

interface StatementClockDeps {
  readonly closer: Pick<StatementCloser, 'closeNext'>;
  readonly database: DataSource;
  readonly state: Pick<SharedState, 'lease'>;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly logger: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

/** Closes the statements of ended months, every ten minutes, on one node by lease. */
export class StatementClock extends ScheduledJob<StatementClockDeps> {
  protected readonly interval = 600_000;
  protected readonly failure = 'statements could not be closed';

  protected async work(): Promise<void> {
    const { closer, database, state, nodeId, clock, logger } = this.deps;
    let accounts = 0;
    while (!this.runs.isStopped && (await state.lease('statements', nodeId, leaseSeconds))) {
      const read = await closer.closeNext(await earlierTime(database, seconds(clock)));
      if (read === null) break;
      accounts += read;
    }
    if (accounts > 0) logger.info({ accounts }, 'statements were closed');
  }
}

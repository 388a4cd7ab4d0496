import type { DataSource } from 'typeorm';
import type { SharedState } from '../../../platform/cache/shared-state.js';
import { earlierTime } from '../../../platform/db/earlier-time.js';
import { seconds, type Clock } from '../../../shared/clock.js';
import { ScheduledRuns } from '../../../shared/scheduled-runs.js';

const hour = 3_600_000;
const leaseSeconds = 3600;

interface ProviderIdRetentionDeps {
  readonly database: Pick<DataSource, 'query'>;
  readonly state: SharedState;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly logger: { warn(details: object, message: string): void };
}

/**
 * Deletes the owners of ids whose objects providers no longer store, every hour. One node does it at a time, by lease.
 */
export class ProviderIdRetention {
  private readonly runs = new ScheduledRuns(
    () => this.drop(),
    (error) => this.deps.logger.warn({ err: error }, 'expired owners of ids could not be deleted'),
  );

  constructor(private readonly deps: ProviderIdRetentionDeps) {}

  start(): void {
    this.runs.every(hour);
    void this.runs.run();
  }

  stop(): Promise<void> {
    return this.runs.stop();
  }

  /** @returns the number of deleted rows; 0 when another node has the lease */
  async drop(): Promise<number> {
    const { database, state, nodeId, clock } = this.deps;
    if (!(await state.lease('provider-id-retention', nodeId, leaseSeconds))) return 0;
    const now = await earlierTime(database, seconds(clock));
    const [, count] = await database.query<[unknown, number]>('DELETE FROM provider_ids WHERE expires_at <= $1', [now]);
    return count;
  }
}

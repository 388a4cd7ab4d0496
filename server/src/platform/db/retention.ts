import type { SharedState } from '../cache/shared-state.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { ScheduledJob } from '../../shared/scheduled-runs.js';
import { earlierTime, type TimeReader } from './earlier-time.js';

const leaseSeconds = 3600;

export interface RetentionDeps {
  readonly database: TimeReader;
  readonly state: SharedState;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly logger: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

/** Deletes old rows every hour. One node does it at a time, by lease; running twice is harmless. */
export abstract class Retention<Deps extends RetentionDeps = RetentionDeps> extends ScheduledJob<Deps> {
  protected readonly interval = 3_600_000;

  /** The name of the lease. */
  protected abstract readonly lease: string;
  /** The kind of the rows, for the log. */
  protected abstract readonly rows: string;
  /**
   * @param now Unix seconds
   * @returns the number of deleted rows
   */
  protected abstract delete(now: number): Promise<number>;

  protected get failure(): string {
    return `${this.rows} could not be deleted`;
  }

  /** @returns the number of deleted rows; 0 when another node has the lease */
  async drop(): Promise<number> {
    const { database, state, nodeId, clock } = this.deps;
    if (!(await state.lease(this.lease, nodeId, leaseSeconds))) return 0;
    return this.delete(await earlierTime(database, seconds(clock)));
  }

  protected async work(): Promise<void> {
    const rows = await this.drop();
    if (rows > 0) this.deps.logger.info({ rows }, `${this.rows} were deleted`);
  }
}

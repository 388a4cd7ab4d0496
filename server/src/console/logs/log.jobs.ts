import type { DataSource } from 'typeorm';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { earlierTime } from '../../platform/db/earlier-time.js';
import { millisecondsIn, seconds, secondsIn, type Clock } from '../../shared/clock.js';
import { ScheduledRuns } from '../../shared/scheduled-runs.js';
import { trimLogs } from './log-trim.js';

const hour = 3_600_000;
const leaseSeconds = 3600;

interface RetentionDeps {
  readonly database: DataSource;
  readonly state: SharedState;
  readonly nodeId: string;
  readonly clock: Clock;
  /** The variable LOG_RETENTION_DAYS; 0 keeps everything. */
  readonly days: number;
  readonly logger: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

/**
 * Drops whole months of the log that are older than the retention period. One node does it at a time, by lease; running
 * twice is harmless.
 */
export class LogRetention {
  private readonly runs = new ScheduledRuns(
    () => this.run(),
    (error) => this.deps.logger.warn({ err: error }, 'old months of the usage log could not be dropped'),
  );

  constructor(private readonly deps: RetentionDeps) {}

  start(): void {
    if (this.deps.days === 0) return;
    this.runs.every(hour);
    void this.runs.run();
  }

  stop(): Promise<void> {
    return this.runs.stop();
  }

  /** @returns the number of deleted rows; 0 when another node has the lease */
  async drop(): Promise<number> {
    const { database, state, nodeId, clock, days } = this.deps;
    if (!(await state.lease('log-retention', nodeId, leaseSeconds))) return 0;
    const now = await earlierTime(database, seconds(clock));
    return trimLogs(database, keptSince(millisecondsIn(now), days));
  }

  private async run(): Promise<void> {
    const rows = await this.drop();
    if (rows > 0) this.deps.logger.info({ rows }, 'old months of the usage log were dropped');
  }
}

/** Returns the first of the month that contains the oldest day to keep, in Unix seconds. */
export function keptSince(now: number, days: number): number {
  const oldest = new Date(now - days * 24 * hour);
  return secondsIn(Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth(), 1));
}

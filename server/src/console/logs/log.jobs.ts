import type { DataSource } from 'typeorm';
import { Retention, type RetentionDeps } from '../../platform/db/retention.js';
import { millisecondsIn, secondsIn } from '../../shared/clock.js';
import { trimLogs } from './log-trim.js';

const day = 86_400_000;

interface LogRetentionDeps extends RetentionDeps {
  readonly database: DataSource;
  /** The variable LOG_RETENTION_DAYS; 0 keeps everything. */
  readonly days: number;
}

/** Drops whole months of the log that are older than the retention period. */
export class LogRetention extends Retention<LogRetentionDeps> {
  protected readonly lease = 'log-retention';
  protected readonly rows = 'old months of the usage log';

  override start(): void {
    if (this.deps.days > 0) super.start();
  }

  protected delete(now: number): Promise<number> {
    const { database, days } = this.deps;
    return trimLogs(database, keptSince(millisecondsIn(now), days));
  }
}

/** Returns the first of the month that contains the oldest day to keep, in Unix seconds. */
export function keptSince(now: number, days: number): number {
  const oldest = new Date(now - days * day);
  return secondsIn(Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth(), 1));
}

import type { DataSource } from 'typeorm';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { earlierTime } from '../../platform/db/earlier-time.js';
import { dateOf, seconds, type Clock } from '../../shared/clock.js';
import { ScheduledRuns } from '../../shared/scheduled-runs.js';
import type { OptionValues } from '../../options/option.service.js';

const hour = 3_600_000;
const leaseSeconds = 3600;

interface CaptureRetentionDeps {
  readonly database: Pick<DataSource, 'query'>;
  readonly options: { readonly values: Pick<OptionValues, 'content_capture.retention_days'> };
  readonly state: SharedState;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly logger: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

/** Deletes captured contents after their retention, every hour. One node does it at a time, by lease. */
export class CaptureRetention {
  private readonly runs = new ScheduledRuns(
    () => this.run(),
    (error) => this.deps.logger.warn({ err: error }, 'captured contents could not be deleted'),
  );

  constructor(private readonly deps: CaptureRetentionDeps) {}

  start(): void {
    this.runs.every(hour);
    void this.runs.run();
  }

  stop(): Promise<void> {
    return this.runs.stop();
  }

  /** @returns the number of deleted rows; 0 when another node has the lease */
  async drop(): Promise<number> {
    const { database, options, state, nodeId, clock } = this.deps;
    if (!(await state.lease('capture-retention', nodeId, leaseSeconds))) return 0;
    const now = await earlierTime(database, seconds(clock));
    const before = now - options.values['content_capture.retention_days'] * 86_400;
    const [, count] = await database.query<[unknown, number]>('DELETE FROM captured_contents WHERE created_at < $1', [
      dateOf(before),
    ]);
    return count;
  }

  private async run(): Promise<void> {
    const rows = await this.drop();
    if (rows > 0) this.deps.logger.info({ rows }, 'captured contents were deleted after their retention');
  }
}

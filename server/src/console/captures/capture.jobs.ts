import type { DataSource } from 'typeorm';
import { Retention, type RetentionDeps } from '../../platform/db/retention.js';
import { dateOf } from '../../shared/clock.js';
import type { OptionValues } from '../../options/option.service.js';

interface CaptureRetentionDeps extends RetentionDeps {
  readonly database: Pick<DataSource, 'query'>;
  readonly options: { readonly values: Pick<OptionValues, 'content_capture.retention_days'> };
}

/** Deletes captured contents after their retention. */
export class CaptureRetention extends Retention<CaptureRetentionDeps> {
  protected readonly lease = 'capture-retention';
  protected readonly rows = 'captured contents beyond their retention';

  protected async delete(now: number): Promise<number> {
    const { database, options } = this.deps;
    const before = now - options.values['content_capture.retention_days'] * 86_400;
    const [, count] = await database.query<[unknown, number]>('DELETE FROM captured_contents WHERE created_at < $1', [
      dateOf(before),
    ]);
    return count;
  }
}

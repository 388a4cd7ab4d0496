import type { DataSource } from 'typeorm';
import { Retention, type RetentionDeps } from '../../../platform/db/retention.js';

interface ProviderIdRetentionDeps extends RetentionDeps {
  readonly database: Pick<DataSource, 'query'>;
}

/** Deletes the owners of ids whose objects providers no longer store. */
export class ProviderIdRetention extends Retention<ProviderIdRetentionDeps> {
  protected readonly lease = 'provider-id-retention';
  protected readonly rows = 'expired owners of ids';

  protected async delete(now: number): Promise<number> {
    const sql = 'DELETE FROM provider_ids WHERE expires_at <= $1';
    const [, count] = await this.deps.database.query<[unknown, number]>(sql, [now]);
    return count;
  }
}

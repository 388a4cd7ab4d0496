import type { DataSource } from 'typeorm';
import { Retention, type RetentionDeps } from '../../platform/db/retention.js';
import { dateOf } from '../../shared/clock.js';

interface PaymentEventRetentionDeps extends RetentionDeps {
  readonly database: Pick<DataSource, 'query'>;
}

/** Seconds. Providers repeat an event for days. What an event did remains in the history of its order. */
const retention = 90 * 86_400;

/** Deletes processed events of payment providers: they contain data about people. */
export class PaymentEventRetention extends Retention<PaymentEventRetentionDeps> {
  protected readonly lease = 'payment-event-retention';
  protected readonly rows = 'payment events beyond their retention';

  protected async delete(now: number): Promise<number> {
    const [, count] = await this.deps.database.query<[unknown, number]>(
      'DELETE FROM payment_events WHERE processed_at < $1',
      [dateOf(now - retention)],
    );
    return count;
  }
}

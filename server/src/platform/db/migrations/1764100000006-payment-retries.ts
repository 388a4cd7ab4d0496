import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When events of payment providers are processed again, and an index for their retention. */
export class PaymentRetries1764100000006 implements MigrationInterface {
  name = 'PaymentRetries1764100000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Null: not tried since it was stored.
      ALTER TABLE payment_events ADD COLUMN next_try_at timestamptz;
      CREATE INDEX payment_events_processed ON payment_events (processed_at) WHERE processed_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX payment_events_processed;
      ALTER TABLE payment_events DROP COLUMN next_try_at;
    `);
  }
}

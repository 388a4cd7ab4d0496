import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Refunds of subscriptions that upgrades paid for, and subscriptions that end with the reversal of their payment. */
export class PlanPayments1764100000014 implements MigrationInterface {
  name = 'PlanPayments1764100000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE subscriptions
        DROP CONSTRAINT subscriptions_check1,
        -- The order that paid for it, or for the one that it replaced.
        ADD COLUMN order_id integer REFERENCES top_up_orders ON DELETE SET NULL,
        -- The reversal of the order that ended it. Null: none, or the reversal was undone.
        ADD COLUMN reversal_id integer REFERENCES top_up_reversals ON DELETE SET NULL,
        -- The rest of the replaced subscription was paid as well.
        ADD CONSTRAINT subscriptions_refunded_check
          CHECK (refunded BETWEEN 0 AND paid + coalesce((receipt ->> 'credit')::bigint, 0));
      CREATE INDEX subscriptions_order ON subscriptions (order_id) WHERE order_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX subscriptions_order;
      ALTER TABLE subscriptions
        DROP CONSTRAINT subscriptions_refunded_check,
        DROP COLUMN reversal_id,
        DROP COLUMN order_id,
        ADD CONSTRAINT subscriptions_check1 CHECK (refunded BETWEEN 0 AND paid);
    `);
  }
}

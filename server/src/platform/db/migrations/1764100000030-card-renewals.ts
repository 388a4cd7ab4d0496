import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Plans that are renewed by the card of their first payment. */
export class CardRenewals1764100000030 implements MigrationInterface {
  name = 'CardRenewals1764100000030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE subscriptions
        -- Who pays its renewal: the balance, or the card that paid its order.
        ADD COLUMN renews_by text NOT NULL DEFAULT 'balance' CHECK (renews_by IN ('balance', 'card'));
      ALTER TABLE top_up_orders
        -- The gateway keeps the card of the buyer for renewals.
        ADD COLUMN saves_card boolean NOT NULL DEFAULT false,
        -- The subscription that it renews by the saved card.
        ADD COLUMN renews_id integer REFERENCES subscriptions,
        -- Charges that were declined.
        ADD COLUMN declines integer NOT NULL DEFAULT 0,
        -- When the card is charged, or charged again. Null: it is not.
        ADD COLUMN next_charge_at timestamptz;
      -- A subscription has one order of its renewal, whichever nodes end it.
      CREATE UNIQUE INDEX top_up_orders_renews ON top_up_orders (renews_id) WHERE renews_id IS NOT NULL;
      CREATE INDEX top_up_orders_charges ON top_up_orders (next_charge_at)
        WHERE status = 'pending' AND next_charge_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE top_up_orders
        DROP COLUMN next_charge_at, DROP COLUMN declines, DROP COLUMN renews_id, DROP COLUMN saves_card;
      ALTER TABLE subscriptions DROP COLUMN renews_by;
    `);
  }
}

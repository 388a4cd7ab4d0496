import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages of payment providers as they arrived, and refunds and disputes of orders. */
export class PaymentEvents1764100000005 implements MigrationInterface {
  name = 'PaymentEvents1764100000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE payment_events (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        provider text NOT NULL,
        -- The provider's number of the event.
        event_id text NOT NULL,
        received_at timestamptz NOT NULL,
        -- As the provider sent it. Its signature was valid.
        body text NOT NULL,
        -- Null: not processed.
        processed_at timestamptz,
        -- Why it changed nothing. Empty: it was accepted.
        refusal text NOT NULL DEFAULT '',
        UNIQUE (provider, event_id)
      );
      CREATE INDEX payment_events_open ON payment_events (id) WHERE processed_at IS NULL;

      -- Money that went back to a buyer, or is disputed, and the quota that was taken for it.
      CREATE TABLE top_up_reversals (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        order_id integer NOT NULL REFERENCES top_up_orders ON DELETE CASCADE,
        kind text NOT NULL CHECK (kind IN ('refund', 'dispute')),
        -- An undone one failed, or was won: its quota is back.
        state text NOT NULL CHECK (state IN ('pending', 'done', 'undone')),
        -- The provider's number of the refund or the dispute. Null: not known yet.
        provider_id text,
        -- In minor units of the order's currency.
        money bigint NOT NULL CHECK (money > 0),
        -- Quota of the buyer for this money, and the part that their balance had.
        quota bigint NOT NULL CHECK (quota >= 0),
        taken bigint NOT NULL CHECK (taken BETWEEN 0 AND quota),
        -- The same of the rebate of their inviter.
        rebate bigint NOT NULL DEFAULT 0 CHECK (rebate >= 0),
        rebate_taken bigint NOT NULL DEFAULT 0 CHECK (rebate_taken BETWEEN 0 AND rebate),
        inviter_id integer,
        created_at timestamptz NOT NULL,
        -- Null: the provider reported it.
        actor_id integer,
        note text NOT NULL DEFAULT ''
      );
      CREATE UNIQUE INDEX top_up_reversals_provider ON top_up_reversals (order_id, kind, provider_id);
      CREATE INDEX top_up_reversals_pending ON top_up_reversals (id) WHERE state = 'pending';

      -- Minor units that were refunded or are disputed.
      ALTER TABLE top_up_orders ADD COLUMN refunded bigint NOT NULL DEFAULT 0;
      -- When the provider was last asked whether the order is paid.
      ALTER TABLE top_up_orders ADD COLUMN asked_at timestamptz;
      CREATE INDEX top_up_orders_pending ON top_up_orders (created_at) WHERE status = 'pending';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX top_up_orders_pending;
      ALTER TABLE top_up_orders DROP COLUMN asked_at, DROP COLUMN refunded;
      DROP TABLE top_up_reversals, payment_events;
    `);
  }
}

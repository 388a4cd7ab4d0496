import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Subscriptions of accounts to plans, and calls that a plan pays for. */
export class Subscriptions1764100000009 implements MigrationInterface {
  name = 'Subscriptions1764100000009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE subscriptions (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        -- The account: a row of users.
        account_id integer NOT NULL,
        plan_id integer NOT NULL REFERENCES plans,
        -- The plan as it was sold. It never changes.
        terms jsonb NOT NULL,
        state text NOT NULL CHECK (state IN ('active', 'ended', 'upgraded', 'refunded')),
        starts_at timestamptz NOT NULL,
        ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
        -- When it stopped, if that was before its end.
        stopped_at timestamptz,
        origin text NOT NULL CHECK (origin IN ('purchase', 'renewal', 'upgrade', 'code', 'grant', 'order')),
        -- Quota that the balance paid for it, and the part that a refund returned.
        paid bigint NOT NULL CHECK (paid >= 0),
        refunded bigint NOT NULL DEFAULT 0,
        -- How the amount was computed.
        receipt jsonb NOT NULL DEFAULT '{}',
        -- Whether it is renewed when it ends, who pays that, and why the last renewal failed.
        renews boolean NOT NULL DEFAULT false,
        renews_by text NOT NULL DEFAULT 'balance' CHECK (renews_by IN ('balance', 'card')),
        renewal_problem text NOT NULL DEFAULT '',
        -- The subscription that this one continues or replaces. A subscription has one successor at most.
        previous_id integer UNIQUE REFERENCES subscriptions,
        -- The order that paid for it, or for the one that it replaced.
        order_id integer REFERENCES top_up_orders ON DELETE SET NULL,
        -- The reversal of the order that ended it. Null: none, or the reversal was undone.
        reversal_id integer REFERENCES top_up_reversals ON DELETE SET NULL,
        note text NOT NULL DEFAULT '',
        created_at timestamptz NOT NULL DEFAULT now(),
        -- The rest of the replaced subscription was paid as well.
        CONSTRAINT subscriptions_refunded_check
          CHECK (refunded BETWEEN 0 AND paid + coalesce((receipt ->> 'credit')::bigint, 0))
      );
      CREATE INDEX subscriptions_account ON subscriptions (account_id, id);
      -- A second purchase of a running plan is refused, whichever nodes sell it.
      CREATE UNIQUE INDEX subscriptions_active ON subscriptions (account_id, plan_id) WHERE state = 'active';
      CREATE INDEX subscriptions_ending ON subscriptions (ends_at) WHERE state = 'active';
      CREATE INDEX subscriptions_order ON subscriptions (order_id) WHERE order_id IS NOT NULL;

      -- The subscription that an order renews by the saved card. It has one such order, whichever nodes end it.
      ALTER TABLE top_up_orders ADD COLUMN renews_id integer REFERENCES subscriptions;
      CREATE UNIQUE INDEX top_up_orders_renews ON top_up_orders (renews_id) WHERE renews_id IS NOT NULL;

      -- What a subscription has paid for, apart from its terms, because every call of it changes the row.
      CREATE TABLE subscription_use (
        subscription_id integer PRIMARY KEY,
        account_id integer NOT NULL,
        used bigint NOT NULL DEFAULT 0,
        held bigint NOT NULL DEFAULT 0,
        -- The part of used that has log rows.
        logged bigint NOT NULL DEFAULT 0
      ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
      CREATE INDEX subscription_use_account ON subscription_use (account_id);

      -- The same by the hour of the usage, Unix seconds, for statements and the history of balances.
      CREATE TABLE plan_usage_hourly (
        hour bigint NOT NULL,
        account_id integer NOT NULL,
        calls bigint NOT NULL DEFAULT 0,
        quota bigint NOT NULL,
        PRIMARY KEY (hour, account_id)
      ) WITH (fillfactor = 70);
      CREATE INDEX plan_usage_hourly_account ON plan_usage_hourly (account_id, hour);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE top_up_orders DROP COLUMN renews_id;
      DROP TABLE plan_usage_hourly, subscription_use, subscriptions;
    `);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { budgetFunctions } from './ledger-budgets.js';
import { planFunctions } from './ledger-plans.js';

/** Plans that an operator sells, the subscriptions of accounts to them, and calls that a plan pays for. */
export class Plans1764100000007 implements MigrationInterface {
  name = 'Plans1764100000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE plans (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL,
        description text NOT NULL DEFAULT '',
        -- Quota.
        price bigint NOT NULL CHECK (price BETWEEN 0 AND 9000000000000000),
        period_unit text NOT NULL CHECK (period_unit IN ('day', 'month')),
        period_count integer NOT NULL CHECK (period_count BETWEEN 1 AND 3660),
        -- A list of {"span", "kind", "amount"}: each subscription has a budget for each of them.
        windows jsonb NOT NULL,
        -- Groups that the plan opens and pays for. Empty: it pays in every group, and opens none.
        groups text[] NOT NULL DEFAULT '{}',
        -- Names or patterns of the models that the plan pays for. Empty: all.
        models text[] NOT NULL DEFAULT '{}',
        -- Limits of calls at once and of calls in the period of the site's rate limit, where they are higher than the site's.
        max_concurrent integer,
        max_requests integer,
        overflow text NOT NULL CHECK (overflow IN ('stop', 'wallet')),
        -- Part of the price that the wallet pays when the plan has no room.
        overflow_ratio numeric NOT NULL DEFAULT 1 CHECK (overflow_ratio > 0 AND overflow_ratio <= 1),
        -- Of several plans of an account the one with the lowest number pays first.
        position integer NOT NULL DEFAULT 0,
        on_sale boolean NOT NULL DEFAULT true,
        created_at timestamptz NOT NULL DEFAULT now(),
        deleted_at timestamptz
      );

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
        refunded bigint NOT NULL DEFAULT 0 CHECK (refunded BETWEEN 0 AND paid),
        -- How the amount was computed.
        receipt jsonb NOT NULL DEFAULT '{}',
        -- Whether it is renewed from the balance when it ends, and why the last renewal failed.
        renews boolean NOT NULL DEFAULT false,
        renewal_problem text NOT NULL DEFAULT '',
        -- The subscription that this one continues or replaces. A subscription has one successor at most.
        previous_id integer UNIQUE REFERENCES subscriptions,
        note text NOT NULL DEFAULT '',
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX subscriptions_account ON subscriptions (account_id, id);
      -- A second purchase of a running plan is refused, whichever nodes sell it.
      CREATE UNIQUE INDEX subscriptions_active ON subscriptions (account_id, plan_id) WHERE state = 'active';
      CREATE INDEX subscriptions_ending ON subscriptions (ends_at) WHERE state = 'active';

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

      -- The same by the hour of payment, Unix seconds, for the history of balances.
      CREATE TABLE plan_usage_hourly (
        hour bigint NOT NULL,
        account_id integer NOT NULL,
        quota bigint NOT NULL,
        PRIMARY KEY (hour, account_id)
      ) WITH (fillfactor = 70);

      -- A code for a plan. Its quota is its value in statistics, and is not added to a balance.
      ALTER TABLE redemptions ADD COLUMN plan_id integer REFERENCES plans;
      -- The plan that is bought from the credit of the order, in the transaction that credits it.
      ALTER TABLE top_up_orders ADD COLUMN plan_id integer REFERENCES plans;

      -- Windows of a plan begin at its start and end with it, whatever their span.
      ALTER TABLE budgets DROP CONSTRAINT budgets_level_check, DROP CONSTRAINT budgets_range_check;
      ALTER TABLE budgets
        ADD CONSTRAINT budgets_level_check CHECK (level IN ('token', 'user', 'group', 'channel', 'site', 'plan')),
        ADD CONSTRAINT budgets_range_check CHECK (CASE
          WHEN level = 'plan' THEN starts_at IS NOT NULL AND ends_at IS NOT NULL AND starts_at < ends_at
          WHEN span = 'fixed' THEN ends_at IS NOT NULL AND (starts_at IS NULL OR starts_at < ends_at)
          ELSE starts_at IS NULL AND ends_at IS NULL END);
    `);
    for (const statement of planFunctions) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM budgets WHERE level = 'plan';
      ALTER TABLE budgets DROP CONSTRAINT budgets_level_check, DROP CONSTRAINT budgets_range_check;
      ALTER TABLE budgets
        ADD CONSTRAINT budgets_level_check CHECK (level IN ('token', 'user', 'group', 'channel', 'site')),
        ADD CONSTRAINT budgets_range_check CHECK (CASE span
          WHEN 'fixed' THEN ends_at IS NOT NULL AND (starts_at IS NULL OR starts_at < ends_at)
          ELSE starts_at IS NULL AND ends_at IS NULL END);
      DROP FUNCTION ledger_pay_by_plan;
      ALTER TABLE top_up_orders DROP COLUMN plan_id;
      ALTER TABLE redemptions DROP COLUMN plan_id;
      DROP TABLE plan_usage_hourly, subscription_use, subscriptions, plans;
    `);
    for (const statement of budgetFunctions) {
      await runner.query(statement.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION'));
    }
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Plans that an operator sells. */
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
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE plans');
  }
}

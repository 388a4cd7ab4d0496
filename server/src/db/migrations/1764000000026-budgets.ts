import type { MigrationInterface, QueryRunner } from 'typeorm';
import { budgetFunctions } from './ledger-budgets.js';
import { releaseFunction } from './ledger-functions.js';
import { dropSettlementFunctions, settlementFunctions } from './ledger-settlement.js';

/** Budgets of keys, users, groups, channels and the site, what was used of them, and the ledger functions that count it. */
export class Budgets1764000000026 implements MigrationInterface {
  name = 'Budgets1764000000026';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE budgets (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        level text NOT NULL CHECK (level IN ('token', 'user', 'group', 'channel', 'site')),
        -- The key, user or channel; 0 for a group and the site.
        subject_id integer NOT NULL DEFAULT 0,
        group_name text NOT NULL DEFAULT '',
        kind text NOT NULL CHECK (kind IN ('money', 'tokens', 'requests')),
        -- Quota, model tokens or calls.
        amount bigint NOT NULL CHECK (amount BETWEEN 0 AND 9000000000000000),
        span text NOT NULL CHECK (span IN ('5h', 'day', 'week', 'month', 'fixed')),
        is_rolling boolean NOT NULL DEFAULT false,
        time_zone text NOT NULL DEFAULT 'UTC',
        -- Unix seconds of a fixed range, else 0.
        starts_at bigint NOT NULL DEFAULT 0,
        ends_at bigint NOT NULL DEFAULT 0,
        models text[] NOT NULL DEFAULT '{}',
        enabled boolean NOT NULL DEFAULT true,
        created_by integer NOT NULL,
        -- False: set by the key's owner, who may change it.
        by_admin boolean NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        -- The window of the last notice, and its percentage.
        notice_window bigint NOT NULL DEFAULT 0,
        notice_percent smallint NOT NULL DEFAULT 0
      );
      CREATE INDEX budgets_subject ON budgets (level, subject_id);

      -- A calendar window, or one of the buckets of a rolling one.
      CREATE TABLE budget_windows (
        budget_id integer NOT NULL,
        -- Unix seconds.
        started_at bigint NOT NULL,
        used bigint NOT NULL DEFAULT 0,
        held bigint NOT NULL DEFAULT 0,
        -- The part of used that has log rows.
        logged bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (budget_id, started_at)
      ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

      ALTER TABLE reservations ADD COLUMN budget_holds jsonb;
    `);
    await runner.query(dropSettlementFunctions);
    for (const statement of [...settlementFunctions, releaseFunction, ...budgetFunctions])
      await runner.query(statement);
  }

  /** The functions of the ledger read the new column, so it stays. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('UPDATE reservations SET budget_holds = NULL');
    await runner.query('DROP TABLE budget_windows, budgets');
  }
}

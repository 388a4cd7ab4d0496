import type { MigrationInterface, QueryRunner } from 'typeorm';
import { planFunctions } from './ledger-plans.js';

/** Statements credit what plans paid, and plans count it in the hour of the usage. */
export class StatedPlans1764100000013 implements MigrationInterface {
  name = 'StatedPlans1764100000013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE plan_usage_hourly ADD COLUMN calls bigint NOT NULL DEFAULT 0;
      CREATE INDEX plan_usage_hourly_account ON plan_usage_hourly (account_id, hour);

      -- The part of it that is in statements, or in the opening balance of the first one.
      CREATE TABLE statement_plan_usage (
        account_id integer PRIMARY KEY,
        calls bigint NOT NULL,
        quota bigint NOT NULL
      );
    `);
    for (const statement of planFunctions) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE statement_plan_usage;
      DROP INDEX plan_usage_hourly_account;
      ALTER TABLE plan_usage_hourly DROP COLUMN calls;
    `);
  }
}

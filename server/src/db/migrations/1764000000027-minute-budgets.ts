import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits per minute: budgets of requests and tokens that are counted in the shared state and have no windows in the database. */
export class MinuteBudgets1764000000027 implements MigrationInterface {
  name = 'MinuteBudgets1764000000027';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE budgets DROP CONSTRAINT budgets_span_check,
        ADD CONSTRAINT budgets_span_check CHECK (span IN ('minute', '5h', 'day', 'week', 'month', 'fixed')),
        ADD CONSTRAINT budgets_minute_check
          CHECK (span <> 'minute' OR (kind <> 'money' AND level <> 'channel' AND NOT is_rolling))
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM budgets WHERE span = 'minute'`);
    await runner.query(`
      ALTER TABLE budgets DROP CONSTRAINT budgets_minute_check, DROP CONSTRAINT budgets_span_check,
        ADD CONSTRAINT budgets_span_check CHECK (span IN ('5h', 'day', 'week', 'month', 'fixed'))
    `);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often one API key may be used: calls, and calls that succeed, in any `rate_limit_period` seconds; 0 is no limit. */
export class TokenLimits1763730000000 implements MigrationInterface {
  name = 'TokenLimits1763730000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tokens
        ADD COLUMN rate_limit_enabled boolean NOT NULL DEFAULT false,
        ADD COLUMN rate_limit_period integer NOT NULL DEFAULT 60 CHECK (rate_limit_period BETWEEN 1 AND 31536000),
        ADD COLUMN rate_limit_count integer NOT NULL DEFAULT 1000 CHECK (rate_limit_count >= 0),
        ADD COLUMN rate_limit_success integer NOT NULL DEFAULT 10 CHECK (rate_limit_success >= 0);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tokens
        DROP COLUMN rate_limit_success, DROP COLUMN rate_limit_count, DROP COLUMN rate_limit_period,
        DROP COLUMN rate_limit_enabled;
    `);
  }
}

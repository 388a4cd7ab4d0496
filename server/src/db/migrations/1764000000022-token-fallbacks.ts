import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Groups and models that the calls of a key fall back to. */
export class TokenFallbacks1764000000022 implements MigrationInterface {
  name = 'TokenFallbacks1764000000022';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE tokens
      ADD COLUMN fallback_groups text NOT NULL DEFAULT '', ADD COLUMN fallback_models text NOT NULL DEFAULT ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tokens DROP COLUMN fallback_groups, DROP COLUMN fallback_models');
  }
}

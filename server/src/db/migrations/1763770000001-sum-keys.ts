import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The sums of some keys, whoever they belong to. */
export class SumKeys1763770000001 implements MigrationInterface {
  name = 'SumKeys1763770000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX usage_by_token_key ON usage_by_token (token_id, span, start)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX usage_by_token_key');
  }
}

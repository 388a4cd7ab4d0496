import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who saved a setting last. */
export class OptionWriter1764000000007 implements MigrationInterface {
  name = 'OptionWriter1764000000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE options ADD COLUMN updated_by integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE options DROP COLUMN updated_by');
  }
}

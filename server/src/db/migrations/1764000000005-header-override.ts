import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Changes of the headers that a channel's requests have. */
export class HeaderOverride1764000000005 implements MigrationInterface {
  name = 'HeaderOverride1764000000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE channels ADD COLUMN header_override text NOT NULL DEFAULT ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE channels DROP COLUMN header_override');
  }
}

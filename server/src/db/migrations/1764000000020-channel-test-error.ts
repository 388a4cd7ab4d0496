import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why the last test of a channel failed; empty when it passed. */
export class ChannelTestError1764000000020 implements MigrationInterface {
  name = 'ChannelTestError1764000000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE channels ADD COLUMN test_error text NOT NULL DEFAULT ''");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE channels DROP COLUMN test_error');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits of a channel and its keys, and its timeouts. */
export class ChannelLimits1764000000010 implements MigrationInterface {
  name = 'ChannelLimits1764000000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE channels
      ADD COLUMN limits text NOT NULL DEFAULT '', ADD COLUMN timeouts text NOT NULL DEFAULT ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE channels DROP COLUMN limits, DROP COLUMN timeouts');
  }
}

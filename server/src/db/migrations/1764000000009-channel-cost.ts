import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The cost of the calls of a channel. */
export class ChannelCost1764000000009 implements MigrationInterface {
  name = 'ChannelCost1764000000009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE channels ADD COLUMN cost_rule text NOT NULL DEFAULT ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE channels DROP COLUMN cost_rule');
  }
}

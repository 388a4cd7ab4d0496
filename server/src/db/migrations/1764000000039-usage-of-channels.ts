import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Usage of one channel by user or key, without reading that of all channels. */
export class UsageOfChannels1764000000039 implements MigrationInterface {
  name = 'UsageOfChannels1764000000039';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX usage_by_all_channel ON usage_by_all (channel_id, granularity, start)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX usage_by_all_channel');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Failed attempts by five minutes, channel and kind, for the health of channels. Deleted with `usage_five_minutes`. */
export class ChannelFailures1764000000038 implements MigrationInterface {
  name = 'ChannelFailures1764000000038';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE channel_failures (
        -- Unix seconds.
        start bigint NOT NULL,
        channel_id integer NOT NULL,
        kind text NOT NULL,
        attempts bigint NOT NULL,
        -- The last of them, Unix seconds.
        last_at bigint NOT NULL,
        last_model text NOT NULL,
        last_error text NOT NULL,
        PRIMARY KEY (start, channel_id, kind)
      );
      -- Failed attempts whose calls another channel then served.
      CREATE TABLE channel_rescues (
        start bigint NOT NULL,
        channel_id integer NOT NULL,
        attempts bigint NOT NULL,
        PRIMARY KEY (start, channel_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE channel_failures, channel_rescues');
  }
}

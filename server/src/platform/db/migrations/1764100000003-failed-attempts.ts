import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last failed attempts of calls, each with its channel and key, for the pages of channels, keys and requests. */
export class FailedAttempts1764100000003 implements MigrationInterface {
  name = 'FailedAttempts1764100000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE failed_attempts (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at timestamptz NOT NULL,
        request_id text NOT NULL,
        user_id integer NOT NULL,
        channel_id integer NOT NULL,
        -- The last four characters of the key. Empty: the key is short, or a document.
        key_ending text NOT NULL,
        model text NOT NULL,
        kind text NOT NULL,
        -- The HTTP status of the provider. Null: it sent none.
        status integer,
        error text NOT NULL,
        -- During an outage one row stands for several attempts.
        attempts integer NOT NULL DEFAULT 1
      );
      CREATE INDEX failed_attempts_channel ON failed_attempts (channel_id, at);
      CREATE INDEX failed_attempts_request ON failed_attempts (request_id);
      CREATE INDEX failed_attempts_at ON failed_attempts (at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE failed_attempts');
  }
}

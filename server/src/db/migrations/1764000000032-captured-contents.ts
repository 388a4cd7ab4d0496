import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Prompts and responses of callers whose content is captured, apart from the log. Deleted after their retention. */
export class CapturedContents1764000000032 implements MigrationInterface {
  name = 'CapturedContents1764000000032';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE captured_contents (
        request_id text PRIMARY KEY,
        -- Unix seconds.
        created_at bigint NOT NULL,
        user_id integer NOT NULL,
        token_id integer NOT NULL,
        "group" text NOT NULL,
        model_name text NOT NULL,
        -- The JSON body after redaction, without media. Cut at 64 KB.
        request text NOT NULL,
        response text NOT NULL,
        is_cut boolean NOT NULL
      )`);
    await runner.query('CREATE INDEX captured_contents_created ON captured_contents (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE captured_contents');
  }
}

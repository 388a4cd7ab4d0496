import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Failed calls by hour, model, group and kind, for the health of models. Deleted after eight days. */
export class ModelFailures1764000000023 implements MigrationInterface {
  name = 'ModelFailures1764000000023';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE model_failures (
        -- Start of the hour, Unix seconds.
        hour bigint NOT NULL,
        model_name text NOT NULL,
        "group" text NOT NULL,
        kind text NOT NULL,
        calls bigint NOT NULL,
        -- The last of them, Unix seconds.
        last_at bigint NOT NULL,
        PRIMARY KEY (hour, model_name, "group", kind)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE model_failures');
  }
}

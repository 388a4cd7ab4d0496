import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists of prices that were read, and the changes of prices that were made from them. */
export class PriceSync1764000000008 implements MigrationInterface {
  name = 'PriceSync1764000000008';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE price_checks (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        created_at timestamptz NOT NULL DEFAULT now(),
        created_by integer,
        is_scheduled boolean NOT NULL DEFAULT false,
        sources jsonb NOT NULL,
        digest text NOT NULL DEFAULT ''
      )`);
    await runner.query(`
      CREATE TABLE price_updates (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        created_at timestamptz NOT NULL DEFAULT now(),
        created_by integer NOT NULL,
        markup double precision NOT NULL,
        before jsonb NOT NULL,
        after jsonb NOT NULL,
        version_before text NOT NULL,
        version_after text NOT NULL,
        undone_at timestamptz
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE price_updates');
    await runner.query('DROP TABLE price_checks');
  }
}

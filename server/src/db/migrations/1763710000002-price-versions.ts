import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The price tables that were ever in force, under the name that log rows give. */
export class PriceVersions1763710000002 implements MigrationInterface {
  name = 'PriceVersions1763710000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE price_versions (
        version text PRIMARY KEY,
        created_at timestamptz NOT NULL DEFAULT now(),
        tables jsonb NOT NULL
      );
      CREATE INDEX price_versions_time ON price_versions (created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE price_versions');
  }
}

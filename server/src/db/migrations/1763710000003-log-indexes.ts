import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * For lists by group alone, by the name of somebody who is gone, and for a search by content. Calls all say the same few
 * things, so only the other rows are in the last one: it costs a settlement nothing.
 */
export class LogIndexes1763710000003 implements MigrationInterface {
  name = 'LogIndexes1763710000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX logs_group ON logs ("group", created_at, id);
      CREATE INDEX logs_username ON logs (username, created_at, id);
      CREATE INDEX logs_content ON logs (content text_pattern_ops, created_at, id) WHERE type <> 2;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX logs_content; DROP INDEX logs_username; DROP INDEX logs_group');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A digest under the site's ENCRYPTION_KEY, so that a server with another key does not start. */
export class EncryptionKeyCheck1764000000004 implements MigrationInterface {
  name = 'EncryptionKeyCheck1764000000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE encryption_key_check (
        id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        digest bytea NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE encryption_key_check');
  }
}

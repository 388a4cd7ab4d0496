import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which user got an id from a provider, and the owner of a channel. Rows are added in the order of their expiry, so the small
 * index of blocks finds those that expired.
 */
export class ProviderIds1764100000020 implements MigrationInterface {
  name = 'ProviderIds1764100000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE provider_ids (
        hash bytea NOT NULL,
        user_id integer NOT NULL,
        token_id integer NOT NULL,
        channel_id integer NOT NULL,
        key_mark text NOT NULL,
        expires_at bigint NOT NULL,
        PRIMARY KEY (hash, channel_id, key_mark)
      )`);
    await runner.query('CREATE INDEX provider_ids_expired ON provider_ids USING brin (expires_at)');
    await runner.query('ALTER TABLE channels ADD COLUMN owner_id integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE channels DROP COLUMN owner_id');
    await runner.query('DROP TABLE provider_ids');
  }
}

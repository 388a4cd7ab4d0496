import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files and other objects that providers keep for users. Their content is never stored here. */
export class ProviderFiles1764100000013 implements MigrationInterface {
  name = 'ProviderFiles1764100000013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE provider_objects (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        -- API and noun, such as openai/files.
        kind text NOT NULL,
        -- The provider's id. Null while the object is being created.
        object_id text,
        user_id integer NOT NULL,
        token_id integer NOT NULL,
        channel_id integer NOT NULL,
        key_mark text NOT NULL,
        bytes bigint NOT NULL DEFAULT 0 CHECK (bytes >= 0),
        created_at timestamptz NOT NULL DEFAULT now(),
        -- Null: kept until it is deleted.
        expires_at timestamptz,
        -- The provider's last description of the object, as lists show it.
        shown json,
        -- Deletions at the provider, once the user was deleted.
        tries integer NOT NULL DEFAULT 0,
        next_try_at timestamptz,
        UNIQUE (object_id, channel_id, key_mark)
      );
      CREATE INDEX provider_objects_user ON provider_objects (user_id, kind, id DESC);
      CREATE INDEX provider_objects_expired ON provider_objects (expires_at) WHERE expires_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE provider_objects');
  }
}

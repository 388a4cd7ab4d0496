import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Named access tokens, and the results of mutations that must happen once. */
export class AccessTokens1764000000003 implements MigrationInterface {
  name = 'AccessTokens1764000000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE access_tokens (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        name text NOT NULL,
        token_hash bytea NOT NULL,
        scopes text[] NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        expires_at timestamptz
      );
      CREATE UNIQUE INDEX access_tokens_token_hash ON access_tokens (token_hash);
      CREATE UNIQUE INDEX access_tokens_user_id_name ON access_tokens (user_id, name);

      -- Results of mutations that must happen once.
      CREATE TABLE idempotency_keys (
        user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        operation text NOT NULL,
        key text NOT NULL,
        input_hash bytea NOT NULL,
        -- Null while the first call runs in its transaction.
        result jsonb,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (user_id, operation, key)
      );
      CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_keys, access_tokens');
  }
}

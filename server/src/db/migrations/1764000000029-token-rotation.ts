import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Scopes and earlier keys of API keys, where they were used last, and notices before they expire. */
export class TokenRotation1764000000029 implements MigrationInterface {
  name = 'TokenRotation1764000000029';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tokens
        ADD COLUMN scopes text NOT NULL DEFAULT 'relay,usage',
        -- The key before the last rotation, and the Unix second until which it works.
        ADD COLUMN previous_key_hash bytea,
        ADD COLUMN previous_key_until bigint NOT NULL DEFAULT 0,
        -- The expiry that the owner was notified of, Unix seconds.
        ADD COLUMN expiry_noticed bigint NOT NULL DEFAULT 0;
      CREATE UNIQUE INDEX tokens_previous_key_hash ON tokens (previous_key_hash) WHERE previous_key_hash IS NOT NULL;

      -- Apart from tokens, whose rows every charge changes.
      CREATE TABLE token_uses (
        token_id integer PRIMARY KEY REFERENCES tokens (id) ON DELETE CASCADE,
        address text NOT NULL,
        at timestamptz NOT NULL DEFAULT now()
      ) WITH (fillfactor = 70);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE token_uses');
    await runner.query(`ALTER TABLE tokens DROP COLUMN scopes, DROP COLUMN previous_key_hash,
      DROP COLUMN previous_key_until, DROP COLUMN expiry_noticed`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Second factors of users, and sessions that wait for one or were confirmed with one. */
export class SecondFactors1764000000013 implements MigrationInterface {
  name = 'SecondFactors1764000000013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE users ADD COLUMN has_second_factor boolean NOT NULL DEFAULT false;

      ALTER TABLE sessions
        -- The password was right, the second factor is still missing: the session grants nothing.
        ADD COLUMN awaits_factor boolean NOT NULL DEFAULT false,
        -- The last time a second factor was shown in this session.
        ADD COLUMN confirmed_at timestamptz;

      CREATE TABLE authenticator_apps (
        user_id integer PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
        secret_sealed text NOT NULL,
        -- Null until the first code was entered.
        confirmed_at timestamptz,
        -- Time step of the last accepted code: an older or equal one is a replay.
        last_step bigint NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz
      );

      CREATE TABLE recovery_codes (
        user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        code_hash bytea NOT NULL,
        PRIMARY KEY (user_id, code_hash)
      );

      CREATE TABLE passkeys (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        name text NOT NULL,
        -- base64url, as browsers send it.
        credential_id text NOT NULL,
        -- COSE key.
        public_key bytea NOT NULL,
        -- Domain the passkey was made for; browsers offer it nowhere else.
        domain text NOT NULL,
        -- Signature counter; stays 0 for passkeys that are synced between devices.
        counter bigint NOT NULL,
        transports text[] NOT NULL,
        is_synced boolean NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz
      );
      CREATE UNIQUE INDEX passkeys_credential_id ON passkeys (credential_id);
      CREATE INDEX passkeys_user_id ON passkeys (user_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE passkeys, recovery_codes, authenticator_apps');
    await runner.query('ALTER TABLE sessions DROP COLUMN confirmed_at, DROP COLUMN awaits_factor');
    await runner.query('ALTER TABLE users DROP COLUMN has_second_factor');
  }
}

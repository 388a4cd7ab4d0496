import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sign-in providers that the operator adds as rows, the accounts that are bound to them, access tokens, second factors and
 * passkeys.
 */
export class SignIn1764100000014 implements MigrationInterface {
  name = 'SignIn1764100000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sign_in_providers (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        -- Part of the redirect address, so it never changes.
        slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z][a-z0-9-]{1,31}$'),
        name text NOT NULL,
        -- URL of an image. Empty: a plain icon.
        icon text NOT NULL DEFAULT '',
        enabled boolean NOT NULL DEFAULT true,
        -- OpenID Connect: the endpoints are discovered, and the id token is verified. Empty: OAuth 2 with the three addresses.
        issuer text NOT NULL DEFAULT '',
        authorization_endpoint text NOT NULL DEFAULT '',
        token_endpoint text NOT NULL DEFAULT '',
        user_info_endpoint text NOT NULL DEFAULT '',
        client_id text NOT NULL,
        client_secret_sealed text NOT NULL DEFAULT '',
        scopes text NOT NULL,
        -- Names of the members of the profile: {"subject","username","name","email","emailVerified"}.
        claims jsonb NOT NULL CHECK (jsonb_typeof(claims) = 'object'),
        -- Only people with a verified address in one of these may sign in. Empty: all.
        allowed_domains text[] NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT sign_in_providers_addresses CHECK (issuer <> ''
          OR (authorization_endpoint <> '' AND token_endpoint <> '' AND user_info_endpoint <> ''))
      );

      CREATE TABLE sign_in_links (
        provider_id integer NOT NULL REFERENCES sign_in_providers ON DELETE CASCADE,
        -- The id of the person at the provider.
        subject text NOT NULL,
        user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (provider_id, subject),
        UNIQUE (provider_id, user_id)
      );
      CREATE INDEX sign_in_links_user ON sign_in_links (user_id);

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
    await runner.query(
      'DROP TABLE passkeys, recovery_codes, authenticator_apps, access_tokens, sign_in_links, sign_in_providers',
    );
  }
}

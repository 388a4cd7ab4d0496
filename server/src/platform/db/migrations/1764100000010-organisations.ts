import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Members, projects and invitations of organisations. An organisation is an account without sign-in; its members own keys
 * that it pays for.
 */
export class Organisations1764100000010 implements MigrationInterface {
  name = 'Organisations1764100000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE memberships (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        organisation_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        -- The person. Without a reference: the row stays when the person's row is removed, for usage by member.
        user_id integer NOT NULL,
        role text NOT NULL CHECK (role IN ('owner', 'billing', 'member')),
        created_at timestamptz NOT NULL DEFAULT now(),
        -- Null: a member now.
        left_at timestamptz
      );
      CREATE UNIQUE INDEX memberships_current ON memberships (organisation_id, user_id) WHERE left_at IS NULL;
      CREATE INDEX memberships_organisation_id ON memberships (organisation_id);
      CREATE INDEX memberships_user_id ON memberships (user_id) WHERE left_at IS NULL;

      -- Cost centres of keys.
      CREATE TABLE projects (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        organisation_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        name text NOT NULL CHECK (name <> ''),
        created_at timestamptz NOT NULL DEFAULT now(),
        archived_at timestamptz
      );
      CREATE UNIQUE INDEX projects_name ON projects (organisation_id, lower(name));

      CREATE TABLE invitations (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        organisation_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        role text NOT NULL CHECK (role IN ('owner', 'billing', 'member')),
        -- Keyed hash of the text in the link, which is stored nowhere.
        token_hash bytea NOT NULL,
        -- Where the link was sent; empty when it was only shown.
        email text NOT NULL DEFAULT '',
        created_by integer NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        accepted_at timestamptz,
        accepted_by integer,
        revoked_at timestamptz
      );
      CREATE UNIQUE INDEX invitations_token_hash ON invitations (token_hash);
      CREATE INDEX invitations_organisation_id ON invitations (organisation_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE invitations, projects, memberships');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Organisations: accounts without sign-in, whose members own keys that the organisation pays for. New rules are not
 * checked for the rows that exist (`NOT VALID`): all of them meet them, and a check would read large tables.
 */
export class Organisations1764100000008 implements MigrationInterface {
  name = 'Organisations1764100000008';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE users ADD COLUMN kind text NOT NULL DEFAULT 'person';
      ALTER TABLE users ADD CONSTRAINT users_kind_check CHECK (kind IN ('person', 'organisation')) NOT VALID;
      -- No sign-in method, no role, no inviter: an organisation can only be acted for.
      ALTER TABLE users ADD CONSTRAINT users_organisation CHECK (kind = 'person' OR (
        role = 'common' AND custom_role_id IS NULL AND password_hash IS NULL AND access_token_hash IS NULL
        AND access_token_sealed IS NULL AND NOT has_second_factor AND aff_code IS NULL AND inviter_id IS NULL
        AND email || github_id || oidc_id || wechat_id || telegram_id || linux_do_id = '')) NOT VALID;
      CREATE INDEX users_organisations ON users (id) WHERE kind = 'organisation';

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

      -- 0: of the organisation itself, of no project, or of a person.
      ALTER TABLE tokens ADD COLUMN member_id integer NOT NULL DEFAULT 0;
      ALTER TABLE tokens ADD COLUMN project_id integer NOT NULL DEFAULT 0;
      CREATE INDEX tokens_member_id ON tokens (member_id) WHERE member_id <> 0;
      CREATE INDEX tokens_project_id ON tokens (project_id) WHERE project_id <> 0;

      ALTER TABLE budgets DROP CONSTRAINT budgets_level_check;
      ALTER TABLE budgets ADD CONSTRAINT budgets_level_check
        CHECK (level IN ('token', 'member', 'project', 'user', 'group', 'channel', 'site', 'plan')) NOT VALID;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM budgets WHERE level IN ('member', 'project');
      ALTER TABLE budgets DROP CONSTRAINT budgets_level_check;
      ALTER TABLE budgets ADD CONSTRAINT budgets_level_check
        CHECK (level IN ('token', 'user', 'group', 'channel', 'site', 'plan'));
      ALTER TABLE tokens DROP COLUMN member_id, DROP COLUMN project_id;
      DROP TABLE invitations, projects, memberships;
      DROP INDEX users_organisations;
      ALTER TABLE users DROP CONSTRAINT users_organisation, DROP CONSTRAINT users_kind_check, DROP COLUMN kind;
    `);
  }
}

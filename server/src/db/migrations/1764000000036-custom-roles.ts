import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Custom roles: named permissions for common users. */
export class CustomRoles1764000000036 implements MigrationInterface {
  name = 'CustomRoles1764000000036';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE custom_roles (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL CHECK (name <> ''),
        -- Names of server/src/shared/permission.ts. Unknown ones grant nothing.
        permissions text[] NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX custom_roles_name ON custom_roles (lower(name));

      -- Only common users have one: the other roles have their own rights.
      ALTER TABLE users ADD COLUMN custom_role_id integer REFERENCES custom_roles (id) ON DELETE SET NULL;
      ALTER TABLE users ADD CONSTRAINT users_custom_role CHECK (custom_role_id IS NULL OR role = 1);
      CREATE INDEX users_custom_role_id ON users (custom_role_id) WHERE custom_role_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN custom_role_id; DROP TABLE custom_roles');
  }
}

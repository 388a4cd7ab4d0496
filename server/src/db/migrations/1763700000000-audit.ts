import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What admins changed: kept apart from the log, which people may trim. */
export class Audit1763700000000 implements MigrationInterface {
  name = 'Audit1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE audit_entries (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        created_at timestamptz NOT NULL DEFAULT now(),
        actor_id integer NOT NULL,
        actor_name text NOT NULL,
        ip text NOT NULL DEFAULT '',
        action text NOT NULL,
        subject text NOT NULL,
        subject_id text NOT NULL,
        changes jsonb NOT NULL DEFAULT '[]'
      );
      CREATE INDEX audit_entries_subject ON audit_entries (subject, subject_id, id DESC);
      CREATE INDEX audit_entries_actor ON audit_entries (actor_id, id DESC);
      CREATE INDEX audit_entries_created_at ON audit_entries (created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE audit_entries');
  }
}

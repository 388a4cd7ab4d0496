import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notices on their way: a row lives from the moment somebody is to be told until he was, or until it is given up. */
export class Notices1763750000000 implements MigrationInterface {
  name = 'Notices1763750000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE notices (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        type text NOT NULL,
        title text NOT NULL,
        content text NOT NULL,
        fillings jsonb NOT NULL,
        tries smallint NOT NULL,
        -- when somebody may take it up (again)
        due_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX notices_due_at ON notices (due_at);
      CREATE INDEX notices_user_id ON notices (user_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE notices');
  }
}

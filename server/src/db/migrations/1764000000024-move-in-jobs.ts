import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A move that was started in the console. */
export class MoveInJobs1764000000024 implements MigrationInterface {
  name = 'MoveInJobs1764000000024';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE move_in_jobs (
        -- One at a time.
        id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        state text NOT NULL,
        -- Name of the uploaded file, or the address without its password.
        source_name text NOT NULL,
        -- Folder of the uploaded file in DATA_DIR/move-in of the node that has it; empty without a file.
        folder text NOT NULL DEFAULT '',
        -- JSON: addresses with their passwords, and environment variables.
        source_sealed text NOT NULL,
        choices jsonb NOT NULL DEFAULT '{}',
        progress jsonb,
        -- Of the last dry run, and of the run.
        preview jsonb,
        report jsonb,
        failure text,
        failure_text text NOT NULL DEFAULT '',
        started_by integer NOT NULL DEFAULT 0,
        -- The process that works on it, until its lease ends.
        owner text NOT NULL DEFAULT '',
        lease_until timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE move_in_jobs');
  }
}

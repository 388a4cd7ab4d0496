import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Imports of sites of other programs. */
export class Imports1764100000005 implements MigrationInterface {
  name = 'Imports1764100000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE import_runs (
        -- Digest of the address of the source, without its password.
        source text PRIMARY KEY,
        name text NOT NULL,
        family text NOT NULL,
        -- The user who started the run in the console; 0: the command.
        started_by integer NOT NULL DEFAULT 0,
        started_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz,
        -- Id of the last log row that was imported, and what was counted so far.
        log_cursor bigint NOT NULL DEFAULT 0,
        log_counts jsonb NOT NULL DEFAULT '{}',
        -- Unix seconds. Only log rows from here on are imported; hourly usage only from before the second.
        logs_since bigint NOT NULL DEFAULT 0,
        usage_until bigint NOT NULL DEFAULT 0,
        report jsonb
      );

      -- The content that was imported from each row of the source, so that a later run writes only what changed there.
      CREATE TABLE import_rows (
        source text NOT NULL,
        source_table text NOT NULL,
        source_key text NOT NULL,
        digest bytea NOT NULL,
        amounts jsonb NOT NULL DEFAULT '{}',
        PRIMARY KEY (source, source_table, source_key)
      );

      CREATE TABLE import_jobs (
        -- One at a time.
        id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        state text NOT NULL,
        -- Name of the uploaded file, or the address without its password.
        source_name text NOT NULL,
        -- Folder of the uploaded file in DATA_DIR/import of the node that has it; empty without a file.
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
    await runner.query('DROP TABLE import_jobs, import_rows, import_runs');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Progress of moving in from another program, and the counters that its accounts had before. */
export class MoveIn1764000000012 implements MigrationInterface {
  name = 'MoveIn1764000000012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Usage from before the oldest row of usage_hourly: used counter = this + the rows of usage_hourly. It may be negative
      -- where the old program logged more than it counted.
      CREATE TABLE opening_counters (
        kind text NOT NULL CHECK (kind IN ('user', 'token', 'channel')),
        id integer NOT NULL,
        used_quota bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (kind, id)
      );

      CREATE TABLE move_in_runs (
        -- Digest of the address of the source, without its password.
        source text PRIMARY KEY,
        name text NOT NULL,
        family text NOT NULL,
        -- The user who started the run in the console; 0: the command.
        started_by integer NOT NULL DEFAULT 0,
        started_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz,
        -- Id of the last log row that was moved, and what was counted so far.
        log_cursor bigint NOT NULL DEFAULT 0,
        log_counts jsonb NOT NULL DEFAULT '{}',
        -- Unix seconds. Only log rows from here on are moved; hourly usage only from before the second.
        logs_since bigint NOT NULL DEFAULT 0,
        usage_until bigint NOT NULL DEFAULT 0,
        report jsonb
      );

      -- The content that was moved from each row of the source, so that a later run writes only what changed there.
      CREATE TABLE move_in_rows (
        source text NOT NULL,
        source_table text NOT NULL,
        source_key text NOT NULL,
        digest bytea NOT NULL,
        amounts jsonb NOT NULL DEFAULT '{}',
        PRIMARY KEY (source, source_table, source_key)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE move_in_rows, move_in_runs, opening_counters');
  }
}

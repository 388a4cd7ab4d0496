import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * On busy sites the log is also aggregated by the minute until its five minutes end, and the row of an hour keeps its
 * minutes. Hours that are aggregated already have none until they change: their rows are read.
 */
export class MinuteRollups1764000000041 implements MigrationInterface {
  name = 'MinuteRollups1764000000041';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TYPE rollup_granularity ADD VALUE IF NOT EXISTS 'MINUTE';
      -- From five_minutes_until on, every minute of the log that ends at or before this is aggregated. Unix seconds.
      ALTER TABLE rollup_state ADD COLUMN minutes_until bigint NOT NULL DEFAULT 0;
      -- In the row of an hour: its minutes with rows (0 to 59), and the measures of each. Null where they are not known.
      ALTER TABLE log_by_route ADD COLUMN parts smallint[], ADD COLUMN part_entries bigint[], ADD COLUMN part_quota bigint[],
        ADD COLUMN part_prompt_tokens bigint[], ADD COLUMN part_completion_tokens bigint[];
    `);
    // Log rows invalidate their five minutes as soon as their own second is closed.
    await runner.query(lateTriggers((row) => `${row}.created_at <`));
  }

  async down(runner: QueryRunner): Promise<void> {
    // A value of a type cannot be removed.
    await runner.query(lateTriggers((row) => `${row}.created_at - ${row}.created_at % 300 + 300 <=`));
    await runner.query(`
      ALTER TABLE log_by_route DROP COLUMN parts, DROP COLUMN part_entries, DROP COLUMN part_quota,
        DROP COLUMN part_prompt_tokens, DROP COLUMN part_completion_tokens;
      ALTER TABLE rollup_state DROP COLUMN minutes_until;
    `);
  }
}

/** @param isBefore the left side of a comparison with the moment until which all is closed */
const lateTriggers = (isBefore: (row: 'NEW' | 'OLD') => string): string =>
  (
    [
      ['rollup_late_write', 'INSERT OR UPDATE', 'NEW'],
      ['rollup_late_delete', 'DELETE', 'OLD'],
    ] as const
  )
    .map(
      ([name, event, row]) => `CREATE OR REPLACE TRIGGER ${name} AFTER ${event} ON logs FOR EACH ROW
         WHEN (${isBefore(row)} pg_sequence_last_value('rollup_closed_until')) EXECUTE FUNCTION rollup_invalidate_log();`,
    )
    .join('\n');

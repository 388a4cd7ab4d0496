import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Minutes behind the slots in the sums of the log: rows of span -1, until their slot is folded. And what is closed, so that marks
 * no longer depend on a clock: who folds says it first, in a sequence, because that is seen by every transaction at once.
 * A mark of the log now names a minute. A node of the version before understands that, and reads or folds the whole slot.
 */
export class SumMinutes1763810000000 implements MigrationInterface {
  name = 'SumMinutes1763810000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Behind folded_until and slots_until, every minute of the log that ends at or before it is in the sums.
      ALTER TABLE sums_state ADD COLUMN minutes_until bigint NOT NULL DEFAULT 0;
      -- Who changes what ends at or before it leaves a mark. It never goes back.
      CREATE SEQUENCE sums_closed_until MINVALUE 0;
      SELECT setval('sums_closed_until', (SELECT greatest(folded_until, slots_until) FROM sums_state));
    `);
    // A node of the version before closes nothing, and folds what was over two minutes ago: half of that is for its clock.
    await runner.query(marks(`greatest(pg_sequence_last_value('sums_closed_until'), sums_clock() - 60)`, 60));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(marks('sums_clock()', 300));
    await runner.query(`
      DROP SEQUENCE sums_closed_until;
      DELETE FROM log_by_all WHERE span = -1;
      DELETE FROM log_by_route WHERE span = -1;
      ALTER TABLE sums_state DROP COLUMN minutes_until;
    `);
  }
}

/** @param closed until when a change leaves a mark, Unix seconds @param seconds length of what a mark of the log names */
function marks(closed: string, seconds: number): string {
  const start = (row: string): string => `${row}.created_at - ${row}.created_at % ${seconds}`;
  const trigger = (name: string, of: string, ends: string, run: string): string => `
    DROP TRIGGER ${name} ON ${of.split(' ').at(-1)};
    CREATE TRIGGER ${name} AFTER ${of} FOR EACH ROW WHEN (${ends} <= ${closed}) EXECUTE FUNCTION ${run}();`;
  return `
    CREATE OR REPLACE FUNCTION sums_mark_log() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' THEN
        INSERT INTO sums_late (hour) VALUES (${start('OLD')}) ON CONFLICT DO NOTHING;
      ELSE
        INSERT INTO sums_late (hour) VALUES (${start('NEW')}) ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END $$;
    ${trigger('sums_late_write', 'INSERT OR UPDATE ON usage_hourly', 'NEW.hour + 3600', 'sums_mark_usage')}
    ${trigger('sums_late_delete', 'DELETE ON usage_hourly', 'OLD.hour + 3600', 'sums_mark_usage')}
    ${trigger('sums_late_write', 'INSERT OR UPDATE ON logs', `${start('NEW')} + ${seconds}`, 'sums_mark_log')}
    ${trigger('sums_late_delete', 'DELETE ON logs', `${start('OLD')} + ${seconds}`, 'sums_mark_log')}
  `;
}

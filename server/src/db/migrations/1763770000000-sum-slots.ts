import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Slots of five minutes beside the blocks of hours in the sums of the log: rows of span 0, kept until their hour is
 * folded. A mark of the log now names a slot. A node of the version before understands that, too: it reads the hours that
 * such a mark lies in from their rows.
 */
export class SumSlots1763770000000 implements MigrationInterface {
  name = 'SumSlots1763770000000';

  async up(runner: QueryRunner): Promise<void> {
    // Behind folded_until, every slot of the log that ends at or before it is in the sums.
    await runner.query(`ALTER TABLE sums_state ADD COLUMN slots_until bigint NOT NULL DEFAULT 0`);
    await runner.query(marksOf(300));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(marksOf(3600));
    await runner.query(`
      UPDATE sums_late SET hour = hour - hour % 3600;
      DELETE FROM log_by_all WHERE span = 0;
      DELETE FROM log_by_route WHERE span = 0;
      ALTER TABLE sums_state DROP COLUMN slots_until;
    `);
  }
}

/** Who changes a part of the log of this many seconds that is over leaves a mark. */
function marksOf(seconds: number): string {
  const start = (row: string): string => `${row}.created_at - ${row}.created_at % ${seconds}`;
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
    DROP TRIGGER sums_late_write ON logs;
    DROP TRIGGER sums_late_delete ON logs;
    CREATE TRIGGER sums_late_write AFTER INSERT OR UPDATE ON logs
      FOR EACH ROW WHEN (${start('NEW')} + ${seconds} <= sums_clock()) EXECUTE FUNCTION sums_mark_log();
    CREATE TRIGGER sums_late_delete AFTER DELETE ON logs
      FOR EACH ROW WHEN (${start('OLD')} + ${seconds} <= sums_clock()) EXECUTE FUNCTION sums_mark_log();
  `;
}

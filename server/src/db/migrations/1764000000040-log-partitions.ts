import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rows of a month without a partition lie in the default one: of a node whose clock was ahead, or moved from a site whose
 * log has times in the future. Postgres then refuses the partition of that month, so those rows move into it first.
 */
export class LogPartitions1764000000040 implements MigrationInterface {
  name = 'LogPartitions1764000000040';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      ensurePartitions(`
        IF EXISTS (SELECT FROM logs_default WHERE created_at >= from_second AND created_at < to_second) THEN
          -- A row that is written between the two statements below would refuse the partition.
          LOCK TABLE logs_default IN ACCESS EXCLUSIVE MODE;
          EXECUTE format('CREATE TABLE %I (LIKE logs INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', month);
          EXECUTE format('WITH late AS (DELETE FROM logs_default WHERE created_at >= %s AND created_at < %s RETURNING *)
            INSERT INTO %I SELECT * FROM late', from_second, to_second, month);
          EXECUTE format('ALTER TABLE logs ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', month, from_second, to_second);
          CONTINUE;
        END IF;`),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(ensurePartitions(''));
  }
}

/** @param unlessEmpty what to do where the default partition may have rows of the month */
const ensurePartitions = (unlessEmpty: string): string => `
  CREATE OR REPLACE FUNCTION logs_ensure_partitions(p_from timestamptz, p_ahead integer) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    first timestamp := date_trunc('month', p_from AT TIME ZONE 'UTC');
    low timestamp;
    month text;
    from_second bigint;
    to_second bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(5201314001);
    FOR i IN 0..p_ahead LOOP
      low := first + make_interval(months => i);
      month := 'logs_' || to_char(low, 'YYYYMM');
      CONTINUE WHEN to_regclass(month) IS NOT NULL;
      from_second := extract(epoch FROM low)::bigint;
      to_second := extract(epoch FROM low + interval '1 month')::bigint;
      ${unlessEmpty}
      EXECUTE format('CREATE TABLE %I PARTITION OF logs FOR VALUES FROM (%s) TO (%s)', month, from_second, to_second);
    END LOOP;
  END $$`;

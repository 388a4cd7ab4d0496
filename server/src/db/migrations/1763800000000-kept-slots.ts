import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Slots of hours that are folded: rows of span 0 in `log_by_route` whose hour is over and in the sums. An hour that has one
 * has all of them; an hour without is read from its rows, as those folded before are. A node of the version before makes
 * an hour anew without its slots, so these go with the sums that they belong to, whoever removes them.
 */
export class KeptSlots1763800000000 implements MigrationInterface {
  name = 'KeptSlots1763800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION sums_drop_kept_slots() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT 1 FROM gone WHERE span = 1) THEN
          DELETE FROM log_by_route WHERE span = 0
             AND start >= (SELECT min(start) FROM gone WHERE span = 1) AND start < (SELECT max(start) + 3600 FROM gone WHERE span = 1)
             AND start - start % 3600 IN (SELECT start FROM gone WHERE span = 1);
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER sums_kept_slots AFTER DELETE ON log_by_route
        REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION sums_drop_kept_slots();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER sums_kept_slots ON log_by_route;
      DROP FUNCTION sums_drop_kept_slots;
      DELETE FROM log_by_route WHERE span = 0 AND start < (SELECT folded_until FROM sums_state);
    `);
  }
}

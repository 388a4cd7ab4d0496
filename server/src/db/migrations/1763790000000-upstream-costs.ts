import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What providers say that calls cost them, beside what was charged for the same calls. Written by the log row of a
 * settlement, and so exactly once; rows of calls whose provider says nothing cost one look at their text.
 */
export class UpstreamCosts1763790000000 implements MigrationInterface {
  name = 'UpstreamCosts1763790000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- A row a call, so that settlements never wait for each other here; a clock adds them up.
      CREATE TABLE upstream_costs_new (
        created_at bigint NOT NULL,
        channel_id integer NOT NULL,
        quota bigint NOT NULL,
        nano_usd bigint NOT NULL
      );
      CREATE INDEX upstream_costs_new_time ON upstream_costs_new (created_at);

      CREATE TABLE upstream_costs (
        hour bigint NOT NULL,
        channel_id integer NOT NULL,
        calls bigint NOT NULL,
        quota bigint NOT NULL,
        nano_usd bigint NOT NULL,
        PRIMARY KEY (hour, channel_id)
      );

      CREATE FUNCTION upstream_costs_note() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        cost numeric;
      BEGIN
        cost := NEW.other::json #>> '{admin_info,upstream_cost}';
        IF cost IS NOT NULL THEN
          INSERT INTO upstream_costs_new (created_at, channel_id, quota, nano_usd)
            VALUES (NEW.created_at, NEW.channel_id, NEW.quota, round(cost * 1000000000));
        END IF;
        RETURN NULL;
      EXCEPTION WHEN data_exception THEN
        -- Whatever stands there, a call is charged.
        RETURN NULL;
      END $$;
      CREATE TRIGGER upstream_costs_note AFTER INSERT ON logs FOR EACH ROW
        WHEN (NEW.type = 2 AND position('"upstream_cost":' IN NEW.other) > 0) EXECUTE FUNCTION upstream_costs_note();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER upstream_costs_note ON logs;
      DROP FUNCTION upstream_costs_note();
      DROP TABLE upstream_costs, upstream_costs_new;
    `);
  }
}

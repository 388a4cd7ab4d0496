import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rollups of hourly usage and of the log, for dashboards, badges and totals (modules/sums describes them). Settlements never
 * wait for them: a settlement that changes a closed period only inserts a row into `sums_late`, in its own transaction, and
 * readers then read that period from its source until it is aggregated again.
 *
 * Everything here is derived and can be rebuilt from `usage_hourly` and `logs`.
 */
export class Sums1764000000002 implements MigrationInterface {
  name = 'Sums1764000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sums_state (
        id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        -- Watermarks. Every hour that ends at or before folded_until is in the rollups, so are five-minute buckets of the
        -- log up to slots_until and minutes of the log up to minutes_until.
        folded_until bigint NOT NULL DEFAULT 0,
        slots_until bigint NOT NULL DEFAULT 0,
        minutes_until bigint NOT NULL DEFAULT 0
      );
      INSERT INTO sums_state DEFAULT VALUES;

      -- One row per period and transaction that changed it late. Rows are never shared between transactions, so removing one
      -- never removes that of another and writers never wait for each other.
      CREATE TABLE sums_late (
        hour bigint NOT NULL,
        xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
        PRIMARY KEY (hour, xact)
      );

      -- Writers of anything that ends at or before this value insert into sums_late. It never decreases. A sequence rather
      -- than a row, because every transaction sees its value at once, even before the one that set it has ended.
      CREATE SEQUENCE sums_closed_until MINVALUE 0;
      SELECT setval('sums_closed_until', 0);

      -- The only clock that decides whether a period is over; clocks of the nodes do not count.
      CREATE FUNCTION sums_clock() RETURNS double precision LANGUAGE sql VOLATILE AS $$
        SELECT date_part('epoch', clock_timestamp())
      $$;
    `);

    await runner.query(usageTable('usage_by_model', 'model_name text'));
    await runner.query(usageTable('usage_by_route', 'channel_id integer, model_name text, "group" text'));
    await runner.query(usageTable('usage_by_user', 'user_id integer'));
    await runner.query(usageTable('usage_by_token', 'user_id integer, token_id integer'));
    await runner.query(
      usageTable(
        'usage_by_all',
        'user_id integer, token_id integer, channel_id integer, model_name text, "group" text',
      ),
    );
    await runner.query(logTable('log_by_route', 'type smallint, channel_id integer, model_name text, "group" text'));
    await runner.query(
      logTable(
        'log_by_all',
        'type smallint, user_id integer, token_id integer, token_name text, channel_id integer, model_name text, "group" text',
      ),
    );
    await runner.query(`
      CREATE INDEX usage_by_user_own ON usage_by_user (user_id, span, start);
      CREATE INDEX usage_by_token_own ON usage_by_token (user_id, span, start);
      CREATE INDEX usage_by_token_key ON usage_by_token (token_id, span, start);
      CREATE INDEX usage_by_all_own ON usage_by_all (user_id, span, start);
      CREATE INDEX log_by_all_own ON log_by_all (user_id, span, start);
      CREATE INDEX log_by_all_named ON log_by_all (token_name, span, start);
    `);

    // The condition costs a settlement one to two microseconds per row; the functions run for late rows only.
    await runner.query(`
      CREATE FUNCTION sums_mark_usage() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP <> 'INSERT' THEN INSERT INTO sums_late (hour) VALUES (OLD.hour) ON CONFLICT DO NOTHING; END IF;
        IF TG_OP <> 'DELETE' THEN INSERT INTO sums_late (hour) VALUES (NEW.hour) ON CONFLICT DO NOTHING; END IF;
        RETURN NULL;
      END $$;
      -- Log rows are marked by the minute.
      CREATE FUNCTION sums_mark_log() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'DELETE' THEN
          INSERT INTO sums_late (hour) VALUES (OLD.created_at - OLD.created_at % 60) ON CONFLICT DO NOTHING;
        ELSE
          INSERT INTO sums_late (hour) VALUES (NEW.created_at - NEW.created_at % 60) ON CONFLICT DO NOTHING;
        END IF;
        RETURN NULL;
      END $$;
      ${lateTrigger('sums_late_write', 'INSERT OR UPDATE ON usage_hourly', 'NEW.hour + 3600', 'sums_mark_usage')}
      ${lateTrigger('sums_late_delete', 'DELETE ON usage_hourly', 'OLD.hour + 3600', 'sums_mark_usage')}
      ${lateTrigger('sums_late_write', 'INSERT OR UPDATE ON logs', 'NEW.created_at - NEW.created_at % 60 + 60', 'sums_mark_log')}
      ${lateTrigger('sums_late_delete', 'DELETE ON logs', 'OLD.created_at - OLD.created_at % 60 + 60', 'sums_mark_log')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER sums_late_delete ON logs;
      DROP TRIGGER sums_late_write ON logs;
      DROP TRIGGER sums_late_delete ON usage_hourly;
      DROP TRIGGER sums_late_write ON usage_hourly;
      DROP FUNCTION sums_mark_log, sums_mark_usage, sums_clock;
      DROP SEQUENCE sums_closed_until;
      DROP TABLE log_by_all, log_by_route, usage_by_all, usage_by_token, usage_by_user, usage_by_route, usage_by_model,
        sums_late, sums_state;
    `);
  }
}

/** @param end when the changed period ends, Unix seconds */
const lateTrigger = (name: string, event: string, end: string, run: string): string =>
  `CREATE TRIGGER ${name} AFTER ${event} FOR EACH ROW
     WHEN (${end} <= pg_sequence_last_value('sums_closed_until')) EXECUTE FUNCTION ${run}();`;

/** @param keys key columns of a bucket, with their types */
function sumTable(name: string, keys: string, measures: string): string {
  const names = keys.split(', ').map((key) => key.split(' ')[0]);
  return `CREATE TABLE ${name} (
    -- Bucket length in hours (0: five minutes, -1: one minute), and its first second.
    span smallint NOT NULL,
    start bigint NOT NULL,
    ${keys
      .split(', ')
      .map((key) => `${key} NOT NULL`)
      .join(', ')},
    ${measures},
    PRIMARY KEY (span, start, ${names.join(', ')})
  )`;
}

const usageTable = (name: string, keys: string): string =>
  sumTable(
    name,
    keys,
    `calls bigint NOT NULL, stream_calls bigint NOT NULL, failed_calls bigint NOT NULL, prompt_tokens bigint NOT NULL,
     completion_tokens bigint NOT NULL, cached_tokens bigint NOT NULL, quota bigint NOT NULL, logged_calls bigint NOT NULL,
     logged_quota bigint NOT NULL, duration_ms bigint NOT NULL, duration_buckets bigint[] NOT NULL`,
  );

const logTable = (name: string, keys: string): string =>
  sumTable(
    name,
    keys,
    'entries bigint NOT NULL, quota bigint NOT NULL, prompt_tokens bigint NOT NULL, completion_tokens bigint NOT NULL',
  );

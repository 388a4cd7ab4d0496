import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sums of the hourly usage and of the log, for dashboards, badges and totals: what each holds and how it is written is
 * said in modules/sums. A settlement never waits for them. It only leaves a mark where it changes an hour that is over, in
 * its own transaction, so that whoever reads knows that the sums of this hour are not to be trusted until they are made anew.
 */
export class Sums1763740000000 implements MigrationInterface {
  name = 'Sums1763740000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sums_state (
        id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        -- Every hour that ends at or before it is in the sums.
        folded_until bigint NOT NULL DEFAULT 0
      );
      INSERT INTO sums_state DEFAULT VALUES;

      -- One row an hour and transaction that changed it late. Never shared between transactions: whoever removes the mark
      -- of one cannot remove that of another, and nobody waits for anybody.
      CREATE TABLE sums_late (
        hour bigint NOT NULL,
        xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
        PRIMARY KEY (hour, xact)
      );

      -- Whether an hour is over is asked of this clock alone, not of the nodes'.
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
      CREATE INDEX usage_by_all_own ON usage_by_all (user_id, span, start);
      CREATE INDEX log_by_all_own ON log_by_all (user_id, span, start);
      CREATE INDEX log_by_all_named ON log_by_all (token_name, span, start);
    `);

    // The condition costs a settlement less than a microsecond a row; the functions run for late rows alone.
    await runner.query(`
      CREATE FUNCTION sums_mark_usage() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP <> 'INSERT' THEN INSERT INTO sums_late (hour) VALUES (OLD.hour) ON CONFLICT DO NOTHING; END IF;
        IF TG_OP <> 'DELETE' THEN INSERT INTO sums_late (hour) VALUES (NEW.hour) ON CONFLICT DO NOTHING; END IF;
        RETURN NULL;
      END $$;
      CREATE FUNCTION sums_mark_log() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'DELETE' THEN
          INSERT INTO sums_late (hour) VALUES (OLD.created_at - OLD.created_at % 3600) ON CONFLICT DO NOTHING;
        ELSE
          INSERT INTO sums_late (hour) VALUES (NEW.created_at - NEW.created_at % 3600) ON CONFLICT DO NOTHING;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER sums_late_write AFTER INSERT OR UPDATE ON usage_hourly
        FOR EACH ROW WHEN (NEW.hour + 3600 <= sums_clock()) EXECUTE FUNCTION sums_mark_usage();
      CREATE TRIGGER sums_late_delete AFTER DELETE ON usage_hourly
        FOR EACH ROW WHEN (OLD.hour + 3600 <= sums_clock()) EXECUTE FUNCTION sums_mark_usage();
      CREATE TRIGGER sums_late_write AFTER INSERT OR UPDATE ON logs
        FOR EACH ROW WHEN (NEW.created_at - NEW.created_at % 3600 + 3600 <= sums_clock()) EXECUTE FUNCTION sums_mark_log();
      CREATE TRIGGER sums_late_delete AFTER DELETE ON logs
        FOR EACH ROW WHEN (OLD.created_at - OLD.created_at % 3600 + 3600 <= sums_clock()) EXECUTE FUNCTION sums_mark_log();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER sums_late_delete ON logs;
      DROP TRIGGER sums_late_write ON logs;
      DROP TRIGGER sums_late_delete ON usage_hourly;
      DROP TRIGGER sums_late_write ON usage_hourly;
      DROP FUNCTION sums_mark_log, sums_mark_usage, sums_clock;
      DROP TABLE log_by_all, log_by_route, usage_by_all, usage_by_token, usage_by_user, usage_by_route, usage_by_model,
        sums_late, sums_state;
    `);
  }
}

/** @param keys columns with their types, the key inside a block of time */
function sumTable(name: string, keys: string, measures: string): string {
  const names = keys.split(', ').map((key) => key.split(' ')[0]);
  return `CREATE TABLE ${name} (
    -- Length of the block in hours, and its first second.
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

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rollups of hourly usage and of the log, for dashboards, counts and totals (billing/rollups describes them). Settlements never
 * wait for them: a settlement that changes a closed time only inserts a row into `rollup_invalidated`, in its own transaction,
 * and readers then read that time from its source until it is aggregated again.
 *
 * Everything here is derived and can be rebuilt from `usage_hourly` and `logs`.
 */
export class Rollups1764100000002 implements MigrationInterface {
  name = 'Rollups1764100000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE rollup_state (
        id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        -- Watermarks, Unix seconds. Every hour and day that ends at or before hours_until is aggregated; so is, from there on,
        -- every five-minute bucket of the log that ends at or before five_minutes_until.
        hours_until bigint NOT NULL DEFAULT 0,
        five_minutes_until bigint NOT NULL DEFAULT 0,
        -- On busy sites: from five_minutes_until on, every minute of the log that ends at or before this. Unix seconds.
        minutes_until bigint NOT NULL DEFAULT 0
      );
      INSERT INTO rollup_state DEFAULT VALUES;

      -- One row per bucket and transaction that changed it late. Rows are never shared between transactions, so removing one
      -- never removes that of another and writers never wait for each other.
      CREATE TABLE rollup_invalidated (
        start bigint NOT NULL,
        xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
        PRIMARY KEY (start, xact)
      );

      -- Writers of anything that ends at or before this value insert into rollup_invalidated. It never decreases. A sequence
      -- rather than a row, because every transaction sees its value at once, even before the one that set it has ended.
      CREATE SEQUENCE rollup_closed_until MINVALUE 0;
      SELECT setval('rollup_closed_until', 0);

      -- The only clock that decides whether a time has ended; clocks of the nodes do not count.
      CREATE FUNCTION rollup_clock() RETURNS double precision LANGUAGE sql VOLATILE AS $$
        SELECT date_part('epoch', clock_timestamp())
      $$;

      CREATE TYPE rollup_granularity AS ENUM ('FIVE_MINUTES', 'HOUR', 'DAY', 'MINUTE');
    `);

    await runner.query(usageTable('usage_by_model', 'model_name text'));
    await runner.query(usageTable('usage_by_route', 'channel_id integer, model_name text, "group" text'));
    await runner.query(usageTable('usage_by_user', 'user_id integer', ranked));
    await runner.query(usageTable('usage_by_token', 'user_id integer, token_id integer', ranked));
    await runner.query(
      usageTable(
        'usage_by_all',
        'user_id integer, token_id integer, channel_id integer, model_name text, "group" text',
      ),
    );
    await runner.query(
      logTable(
        'log_by_route',
        'type smallint, channel_id integer, model_name text, "group" text',
        `-- In the row of an hour: its minutes with rows (0 to 59), and the measures of each. Null where they are not known.
    parts smallint[], part_entries bigint[], part_quota bigint[], part_prompt_tokens bigint[], part_completion_tokens bigint[],`,
      ),
    );
    await runner.query(
      logTable(
        'log_by_all',
        'type smallint, user_id integer, token_id integer, token_name text, channel_id integer, model_name text, "group" text',
      ),
    );
    await runner.query(
      rollupTable(
        'calls_by_detail',
        'type smallint, channel_id integer, model_name text, "group" text, endpoint text, error_code text, upstream_key text',
        [
          ...bigints('calls stream_calls failed_calls prompt_tokens completion_tokens cached_tokens quota'),
          ...bigints('duration_ms cost_calls cost_quota cost_plan_quota cost_nano_usd'),
          ...bigints('cache_write_tokens cache_saved_nano_usd'),
          // The savings in rows whose prices are in quota become USD when they are read.
          'cache_saved_quota numeric',
          ...['duration_buckets bigint[]', 'first_token_buckets bigint[]'],
        ],
      ),
    );
    await runner.query(`
      CREATE INDEX usage_by_user_own ON usage_by_user (user_id, granularity, start);
      CREATE INDEX usage_by_token_own ON usage_by_token (user_id, granularity, start);
      -- Without its counters, Postgres would read those of a hundred keys by reading all of the primary key.
      CREATE INDEX usage_by_token_key ON usage_by_token (token_id, granularity, start) INCLUDE (${counters});
      CREATE INDEX usage_by_all_own ON usage_by_all (user_id, granularity, start);
      CREATE INDEX log_by_all_own ON log_by_all (user_id, granularity, start);
      CREATE INDEX usage_by_all_channel ON usage_by_all (channel_id, granularity, start);
      CREATE INDEX log_by_all_named ON log_by_all (token_name, granularity, start);
    `);

    // The condition costs a settlement one to two microseconds per row; the functions run for late rows only.
    await runner.query(`
      CREATE FUNCTION rollup_invalidate_usage() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP <> 'INSERT' THEN INSERT INTO rollup_invalidated (start) VALUES (OLD.hour) ON CONFLICT DO NOTHING; END IF;
        IF TG_OP <> 'DELETE' THEN INSERT INTO rollup_invalidated (start) VALUES (NEW.hour) ON CONFLICT DO NOTHING; END IF;
        RETURN NULL;
      END $$;
      -- Log rows invalidate their five minutes, as soon as their own second is closed.
      CREATE FUNCTION rollup_invalidate_log() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'DELETE' THEN
          INSERT INTO rollup_invalidated (start) VALUES (OLD.created_at - OLD.created_at % 300) ON CONFLICT DO NOTHING;
        ELSE
          INSERT INTO rollup_invalidated (start) VALUES (NEW.created_at - NEW.created_at % 300) ON CONFLICT DO NOTHING;
        END IF;
        RETURN NULL;
      END $$;
      ${lateTrigger('rollup_late_write', 'INSERT OR UPDATE ON usage_hourly', 'NEW.hour + 3600 <=', 'rollup_invalidate_usage')}
      ${lateTrigger('rollup_late_delete', 'DELETE ON usage_hourly', 'OLD.hour + 3600 <=', 'rollup_invalidate_usage')}
      ${lateTrigger('rollup_late_write', 'INSERT OR UPDATE ON logs', 'NEW.created_at <', 'rollup_invalidate_log')}
      ${lateTrigger('rollup_late_delete', 'DELETE ON logs', 'OLD.created_at <', 'rollup_invalidate_log')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER rollup_late_delete ON logs;
      DROP TRIGGER rollup_late_write ON logs;
      DROP TRIGGER rollup_late_delete ON usage_hourly;
      DROP TRIGGER rollup_late_write ON usage_hourly;
      DROP FUNCTION rollup_invalidate_log, rollup_invalidate_usage, rollup_clock;
      DROP SEQUENCE rollup_closed_until;
      DROP TABLE calls_by_detail, log_by_all, log_by_route, usage_by_all, usage_by_token, usage_by_user, usage_by_route, usage_by_model,
        rollup_invalidated, rollup_state;
      DROP TYPE rollup_granularity;
    `);
  }
}

/** @param isBefore the left side of a comparison with the watermark, Unix seconds */
const lateTrigger = (name: string, event: string, isBefore: string, run: string): string =>
  `CREATE TRIGGER ${name} AFTER ${event} FOR EACH ROW
     WHEN (${isBefore} pg_sequence_last_value('rollup_closed_until')) EXECUTE FUNCTION ${run}();`;

const counters = `calls, stream_calls, failed_calls, prompt_tokens, completion_tokens, cached_tokens, quota, duration_ms, cost_calls,
  cost_quota, cost_plan_quota, cost_nano_usd`;

const plain = { optional: '', include: '', storage: '' };

/**
 * Storage settings for dashboards that rank users or keys, which read every row of a month. A row with its histograms
 * has 600 bytes, and an entry of the primary key with the counters 130, so that ranking 80,000 rows from the index
 * reads a quarter of the memory and takes half of the time. Index-only scans need pages that VACUUM has marked: by
 * default it waits until a fifth of the table is new.
 */
const ranked = {
  ...plain,
  include: ` INCLUDE (${counters})`,
  storage: ' WITH (autovacuum_vacuum_insert_scale_factor = 0.02)',
};

/** @param keys key columns of a bucket, with their types */
function rollupTable(
  name: string,
  keys: string,
  measures: readonly string[],
  { optional, include, storage } = plain,
): string {
  const names = keys.split(', ').map((key) => key.split(' ')[0]);
  const columns = [...keys.split(', '), ...measures].map((column) => `${column} NOT NULL`);
  return `CREATE TABLE ${name} (
    granularity rollup_granularity NOT NULL,
    -- First second of the bucket.
    start bigint NOT NULL,
    ${columns.join(',\n    ')},
    ${optional}
    PRIMARY KEY (granularity, start, ${names.join(', ')})${include}
  )${storage}`;
}

const bigints = (names: string): string[] => names.split(' ').map((name) => `${name} bigint`);

const usageTable = (name: string, keys: string, storage = plain): string =>
  rollupTable(
    name,
    keys,
    [
      ...bigints('calls stream_calls failed_calls prompt_tokens completion_tokens cached_tokens quota'),
      ...bigints('logged_calls logged_quota duration_ms cost_calls cost_quota cost_plan_quota cost_nano_usd'),
      ...['duration_buckets bigint[]', 'first_token_buckets bigint[]'],
    ],
    storage,
  );

/** @param optional columns that may be null */
const logTable = (name: string, keys: string, optional = ''): string =>
  rollupTable(name, keys, bigints('entries quota prompt_tokens completion_tokens'), { ...plain, optional });

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { budgetFunctions } from './ledger-budgets.js';
import { ledgerFunctions } from './ledger-functions.js';

/**
 * Reservations, ledger entries, the log, usage, budgets, and the functions that are the only writers of a balance. The log,
 * usage and windows of budgets have Unix seconds, and 0 for no key, channel or user: every call writes them, their rows are
 * the most of the site, and these columns are parts of primary keys, partitions and sums.
 */
export class Ledger1764100000001 implements MigrationInterface {
  name = 'Ledger1764100000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE nodes (
        id text PRIMARY KEY,
        started_at timestamptz NOT NULL DEFAULT now(),
        heartbeat_at timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE reservations (
        request_id text PRIMARY KEY,
        node_id text NOT NULL,
        user_id integer NOT NULL,
        token_id integer NOT NULL DEFAULT 0,
        amount bigint NOT NULL CHECK (amount BETWEEN 0 AND 9000000000000000),
        created_at timestamptz NOT NULL DEFAULT now(),
        -- Set by the sweeper: the amount was returned, but the spool of a dead node may still hold the settlement.
        swept_at timestamptz,
        -- For lists of calls in flight.
        model_name text NOT NULL DEFAULT '',
        -- Budgets that hold a part of the call, each with its amount.
        budget_holds jsonb,
        -- What is charged if the node dies: {"session": request id of the log row, "turn": input of ledger_settle_turn}.
        due jsonb
      ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
      CREATE INDEX reservations_node ON reservations (node_id);

      CREATE TABLE ledger_entries (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        created_at timestamptz NOT NULL DEFAULT now(),
        source text NOT NULL UNIQUE,
        kind text NOT NULL,
        -- The balance that the amount changed: the user's, a token's remaining quota, or the affiliate earnings.
        account text NOT NULL CHECK (account IN ('user', 'token', 'affiliate')),
        user_id integer NOT NULL,
        token_id integer NOT NULL DEFAULT 0 CHECK ((token_id <> 0) = (account = 'token')),
        amount bigint NOT NULL CHECK (amount BETWEEN -9000000000000000 AND 9000000000000000),
        -- The part of the amount that is in statements. It differs from the amount while an entry waits for the next one.
        stated bigint NOT NULL DEFAULT 0,
        actor_id integer NOT NULL DEFAULT 0,
        note text NOT NULL DEFAULT ''
      );
      CREATE INDEX ledger_entries_user ON ledger_entries (user_id, id);
      CREATE INDEX ledger_entries_created_at ON ledger_entries (created_at);
      CREATE INDEX ledger_entries_token ON ledger_entries (token_id, id) WHERE token_id <> 0;

      -- Settled calls without a log row of their own. A log row or a row here proves that a call was settled.
      CREATE TABLE settled_unlogged (
        request_id text PRIMARY KEY,
        settled_at timestamptz NOT NULL DEFAULT now(),
        -- What was charged for a response of a dead node: its reservations.due. Null once its own settlement has arrived.
        charged_due jsonb
      );
    `);

    await runner.query(`
      -- Admins may have deleted log rows older than this, so reconciliation does not expect them.
      CREATE TABLE log_state (
        id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        trimmed_before bigint NOT NULL DEFAULT 0
      );
      INSERT INTO log_state DEFAULT VALUES;

      CREATE SEQUENCE logs_id_seq;
      CREATE TABLE logs (
        id bigint NOT NULL DEFAULT nextval('logs_id_seq'),
        created_at bigint NOT NULL,
        request_id text NOT NULL DEFAULT '',
        type smallint NOT NULL,
        user_id integer NOT NULL,
        username text NOT NULL DEFAULT '',
        token_id integer NOT NULL DEFAULT 0,
        token_name text NOT NULL DEFAULT '',
        channel_id integer NOT NULL DEFAULT 0,
        model_name text NOT NULL DEFAULT '',
        "group" text NOT NULL DEFAULT '',
        quota bigint NOT NULL DEFAULT 0,
        prompt_tokens integer NOT NULL DEFAULT 0,
        completion_tokens integer NOT NULL DEFAULT 0,
        use_time integer NOT NULL DEFAULT 0,
        is_stream boolean NOT NULL DEFAULT false,
        content text NOT NULL DEFAULT '',
        other text NOT NULL DEFAULT '',
        PRIMARY KEY (created_at, id)
      ) PARTITION BY RANGE (created_at);
      CREATE INDEX logs_user ON logs (user_id, created_at, id);
      CREATE INDEX logs_channel ON logs (channel_id, created_at, id);
      CREATE INDEX logs_model ON logs (model_name, created_at, id);
      CREATE INDEX logs_token ON logs (token_name, created_at, id);
      CREATE INDEX logs_group ON logs ("group", created_at, id);
      CREATE INDEX logs_username ON logs (username, created_at, id);
      CREATE INDEX logs_quota ON logs (quota, created_at, id);
      CREATE INDEX logs_type ON logs (type, created_at, id) WHERE type <> 2;
      -- Without calls (type 2): their content has few distinct values, and settlements then do not maintain this index.
      CREATE INDEX logs_content ON logs (content text_pattern_ops, created_at, id) WHERE type <> 2;
      -- Slow calls, and calls that moved between channels, are few among all: in the order of time.
      CREATE INDEX logs_slow ON logs (created_at, use_time) WHERE use_time >= 10;
      CREATE INDEX logs_moved ON logs (created_at) WHERE split_part(split_part(other, '"use_channel":', 2), ']', 1) LIKE '%,%';
      CREATE INDEX logs_request ON logs (request_id) WHERE request_id <> '';
      CREATE TABLE logs_default PARTITION OF logs DEFAULT;

      -- Creates the partitions of UTC months [from, from + ahead], named logs_YYYYMM. Rows of a month without a partition lie in
      -- the default one: of a node whose clock was ahead, or imported from a site whose log has times in the future. Postgres then
      -- refuses the partition of that month, so those rows move into it first.
      CREATE FUNCTION logs_ensure_partitions(p_from timestamptz, p_ahead integer) RETURNS void LANGUAGE plpgsql AS $$
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
          IF EXISTS (SELECT FROM logs_default WHERE created_at >= from_second AND created_at < to_second) THEN
            -- A row that is written between the two statements below would refuse the partition.
            LOCK TABLE logs_default IN ACCESS EXCLUSIVE MODE;
            EXECUTE format('CREATE TABLE %I (LIKE logs INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', month);
            EXECUTE format('WITH late AS (DELETE FROM logs_default WHERE created_at >= %s AND created_at < %s RETURNING *)
              INSERT INTO %I SELECT * FROM late', from_second, to_second, month);
            EXECUTE format('ALTER TABLE logs ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', month, from_second, to_second);
            CONTINUE;
          END IF;
          EXECUTE format('CREATE TABLE %I PARTITION OF logs FOR VALUES FROM (%s) TO (%s)', month, from_second, to_second);
        END LOOP;
      END $$;
      SELECT logs_ensure_partitions(now(), 2);
    `);

    await runner.query(`
      CREATE TABLE usage_hourly (
        hour bigint NOT NULL,
        user_id integer NOT NULL,
        token_id integer NOT NULL,
        channel_id integer NOT NULL,
        model_name text NOT NULL,
        "group" text NOT NULL,
        calls bigint NOT NULL DEFAULT 0,
        stream_calls bigint NOT NULL DEFAULT 0,
        failed_calls bigint NOT NULL DEFAULT 0,
        prompt_tokens bigint NOT NULL DEFAULT 0,
        completion_tokens bigint NOT NULL DEFAULT 0,
        cached_tokens bigint NOT NULL DEFAULT 0,
        quota bigint NOT NULL DEFAULT 0,
        -- The part that has a log row (option LogConsumeEnabled may be off). Reconciliation compares it with the log.
        logged_calls bigint NOT NULL DEFAULT 0,
        logged_quota bigint NOT NULL DEFAULT 0,
        duration_ms bigint NOT NULL DEFAULT 0,
        -- Calls by duration; bucket bounds are in shared/latency.ts.
        duration_buckets bigint[] NOT NULL DEFAULT '{}',
        -- Streamed responses by the time until their first data, in the same buckets.
        first_token_buckets bigint[] NOT NULL DEFAULT '{}',
        -- Calls whose provider reported a charge, what balances and what plans paid for them, and that charge.
        cost_calls bigint NOT NULL DEFAULT 0,
        cost_quota bigint NOT NULL DEFAULT 0,
        cost_plan_quota bigint NOT NULL DEFAULT 0,
        cost_nano_usd bigint NOT NULL DEFAULT 0,
        -- Prices minus charges, in billionths of a quota unit: of all calls, and of those with a log row.
        rest bigint NOT NULL DEFAULT 0,
        logged_rest bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (hour, user_id, token_id, channel_id, model_name, "group")
      ) WITH (fillfactor = 70);
      CREATE INDEX usage_hourly_user ON usage_hourly (user_id, hour);
      CREATE INDEX usage_hourly_channel ON usage_hourly (channel_id, hour);
    `);
    await runner.query(usageFiveMinutes);
    await runner.query(`
      -- Charges are whole quota units. What a call costs beyond its charge, or less, is carried to the next call of its user
      -- (docs/adr/0121-fractions-of-a-unit-are-carried.md). Apart from users, so that a settlement locks the row before those of
      -- usage and channels, and no reservation waits for it.
      CREATE TABLE quota_carry (
        user_id integer PRIMARY KEY,
        -- Sum of the prices minus the charges of each formula, in billionths of a quota unit. Its whole units were charged, and
        -- the remainder is carried; it is negative where the user has paid in advance.
        rests numeric NOT NULL
      ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

      -- Usage from before the oldest row of usage_hourly: used counter = this + the rows of usage_hourly. It may be negative
      -- where the old program logged more than it counted.
      CREATE TABLE opening_counters (
        kind text NOT NULL CHECK (kind IN ('user', 'token', 'channel')),
        id integer NOT NULL,
        used_quota bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (kind, id)
      );

      -- Failed calls by hour, model, group and kind, for the health of models. Deleted after eight days.
      CREATE TABLE model_failures (
        -- Start of the hour, Unix seconds.
        hour bigint NOT NULL,
        model_name text NOT NULL,
        "group" text NOT NULL,
        kind text NOT NULL,
        calls bigint NOT NULL,
        -- The last of them, Unix seconds.
        last_at bigint NOT NULL,
        PRIMARY KEY (hour, model_name, "group", kind)
      );

      -- Failed attempts by five minutes, channel and kind, for the health of channels. Deleted with usage_five_minutes.
      CREATE TABLE channel_failures (
        -- Unix seconds.
        start bigint NOT NULL,
        channel_id integer NOT NULL,
        kind text NOT NULL,
        attempts bigint NOT NULL,
        -- The last of them, Unix seconds.
        last_at bigint NOT NULL,
        last_model text NOT NULL,
        last_error text NOT NULL,
        PRIMARY KEY (start, channel_id, kind)
      );

      -- Failed attempts whose calls another channel then served.
      CREATE TABLE channel_rescues (
        start bigint NOT NULL,
        channel_id integer NOT NULL,
        attempts bigint NOT NULL,
        PRIMARY KEY (start, channel_id)
      );

      -- Prompts and responses of callers whose content is captured, apart from the log. Deleted after their retention.
      CREATE TABLE captured_contents (
        request_id text PRIMARY KEY,
        created_at timestamptz NOT NULL,
        user_id integer NOT NULL,
        token_id integer NOT NULL,
        "group" text NOT NULL,
        model_name text NOT NULL,
        -- The JSON body after redaction, without media. Cut at 64 KB.
        request text NOT NULL,
        response text NOT NULL,
        is_cut boolean NOT NULL
      );
      CREATE INDEX captured_contents_created ON captured_contents (created_at);
    `);
    // Budgets, and the used part of each window.
    await runner.query(`
      CREATE TABLE budgets (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        level text NOT NULL
          CHECK (level IN ('token', 'member', 'project', 'user', 'group', 'channel', 'site', 'plan')),
        -- The row of the level; 0 for a group and the site.
        subject_id integer NOT NULL DEFAULT 0,
        group_name text NOT NULL DEFAULT '',
        kind text NOT NULL CHECK (kind IN ('money', 'tokens', 'requests')),
        -- Quota, model tokens or calls.
        amount bigint NOT NULL CHECK (amount BETWEEN 0 AND 9000000000000000),
        span text NOT NULL CHECK (span IN ('minute', '5h', 'day', 'week', 'month', 'fixed')),
        is_rolling boolean NOT NULL DEFAULT false,
        time_zone text NOT NULL DEFAULT 'UTC',
        -- Of a fixed range. Without a start it is open.
        starts_at timestamptz,
        ends_at timestamptz,
        models text[] NOT NULL DEFAULT '{}',
        enabled boolean NOT NULL DEFAULT true,
        created_by integer NOT NULL,
        -- False: set by the key's owner, who may change it.
        by_admin boolean NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        -- The window of the last notice, and its percentage.
        notice_window bigint NOT NULL DEFAULT 0,
        notice_percent smallint NOT NULL DEFAULT 0,
        -- Windows of a plan begin at its start and end with it, whatever their span.
        CONSTRAINT budgets_range_check CHECK (CASE
          WHEN level = 'plan' THEN starts_at IS NOT NULL AND ends_at IS NOT NULL AND starts_at < ends_at
          WHEN span = 'fixed' THEN ends_at IS NOT NULL AND (starts_at IS NULL OR starts_at < ends_at)
          ELSE starts_at IS NULL AND ends_at IS NULL END),
        -- Limits per minute are counted in the shared state and have no windows here.
        CONSTRAINT budgets_minute_check
          CHECK (span <> 'minute' OR (kind <> 'money' AND level <> 'channel' AND NOT is_rolling))
      );
      CREATE INDEX budgets_subject ON budgets (level, subject_id);

      -- A calendar window, or one of the buckets of a rolling one.
      CREATE TABLE budget_windows (
        budget_id integer NOT NULL,
        -- Unix seconds: each call computes them and the ledger compares them.
        started_at bigint NOT NULL,
        used bigint NOT NULL DEFAULT 0,
        held bigint NOT NULL DEFAULT 0,
        -- The part of used that has log rows.
        logged bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (budget_id, started_at)
      ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
    `);

    for (const statement of [...ledgerFunctions, ...budgetFunctions]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION ledger_return_to_plan;
      DROP FUNCTION ledger_reserve_one, ledger_reserve, ledger_settle_one, ledger_settle_calls, ledger_settle_lost,
        ledger_settle_turn, ledger_settle_due, ledger_settle_more, ledger_charge_rest, ledger_carried, ledger_release, ledger_post, ledger_refusing_budget, ledger_take_budgets,
        ledger_move_budgets, ledger_pay_by_plan, ledger_settle_budgets, ledger_reserve_budgeted, ledger_add_budgets, ledger_drop_budgets;
      DROP TYPE ledger_call, ledger_reservation;
      DROP TABLE budget_windows, budgets, captured_contents, channel_rescues, channel_failures, model_failures,
        opening_counters, quota_carry, usage_five_minutes, usage_hourly, logs, log_state, settled_unlogged, ledger_entries,
        reservations, nodes;
      DROP FUNCTION logs_ensure_partitions;
      DROP SEQUENCE logs_id_seq;
    `);
  }
}

/** The same counters per five minutes, channel and model, for the last two days. Written with `usage_hourly`. */
const usageFiveMinutes = `
  CREATE TABLE usage_five_minutes (
    -- Unix seconds.
    start bigint NOT NULL,
    channel_id integer NOT NULL,
    model_name text NOT NULL,
    calls bigint NOT NULL DEFAULT 0,
    stream_calls bigint NOT NULL DEFAULT 0,
    failed_calls bigint NOT NULL DEFAULT 0,
    prompt_tokens bigint NOT NULL DEFAULT 0,
    completion_tokens bigint NOT NULL DEFAULT 0,
    cached_tokens bigint NOT NULL DEFAULT 0,
    quota bigint NOT NULL DEFAULT 0,
    logged_calls bigint NOT NULL DEFAULT 0,
    logged_quota bigint NOT NULL DEFAULT 0,
    duration_ms bigint NOT NULL DEFAULT 0,
    duration_buckets bigint[] NOT NULL DEFAULT '{}',
    first_token_buckets bigint[] NOT NULL DEFAULT '{}',
    cost_calls bigint NOT NULL DEFAULT 0,
    cost_quota bigint NOT NULL DEFAULT 0,
    cost_plan_quota bigint NOT NULL DEFAULT 0,
    cost_nano_usd bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (start, channel_id, model_name)
  ) WITH (fillfactor = 70)`;

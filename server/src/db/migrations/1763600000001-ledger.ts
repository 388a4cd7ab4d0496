import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The books: reservations, ledger entries, logs, hourly usage, and the functions that are the only writers of a balance.
 *
 * Rows are always locked in the order users, tokens, channels, usage_hourly and by id inside each, so batches of several
 * nodes cannot deadlock. A replay of anything changes nothing: a settlement or release needs its reservation row, an
 * entry needs a new `source`.
 */
export class Ledger1763600000001 implements MigrationInterface {
  name = 'Ledger1763600000001';

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
        -- Set by the sweeper: the amount went back, but a settlement that a dead node left in its spool may still come.
        swept_at timestamptz
      ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
      CREATE INDEX reservations_node ON reservations (node_id);

      CREATE TABLE ledger_entries (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        created_at timestamptz NOT NULL DEFAULT now(),
        source text NOT NULL UNIQUE,
        kind text NOT NULL,
        -- What the amount moved: the user's balance, a token's remaining quota, or what invitations earned.
        account text NOT NULL CHECK (account IN ('user', 'token', 'affiliate')),
        user_id integer NOT NULL,
        token_id integer NOT NULL DEFAULT 0 CHECK ((token_id <> 0) = (account = 'token')),
        amount bigint NOT NULL CHECK (amount BETWEEN -9000000000000000 AND 9000000000000000),
        actor_id integer NOT NULL DEFAULT 0,
        note text NOT NULL DEFAULT ''
      );
      CREATE INDEX ledger_entries_user ON ledger_entries (user_id, id);
      CREATE INDEX ledger_entries_token ON ledger_entries (token_id, id) WHERE token_id <> 0;

      -- Rows before this time may have been deleted on purpose, so the books do not expect them in the log.
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
      CREATE INDEX logs_type ON logs (type, created_at, id) WHERE type <> 2;
      CREATE INDEX logs_request ON logs (request_id) WHERE request_id <> '';
      CREATE TABLE logs_default PARTITION OF logs DEFAULT;

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
        -- What of it has a log row: option LogConsumeEnabled may be off. The books compare this with the log.
        logged_calls bigint NOT NULL DEFAULT 0,
        logged_quota bigint NOT NULL DEFAULT 0,
        duration_ms bigint NOT NULL DEFAULT 0,
        -- Calls by duration, bucket bounds in shared/latency.ts.
        duration_buckets bigint[] NOT NULL DEFAULT '{}',
        PRIMARY KEY (hour, user_id, token_id, channel_id, model_name, "group")
      ) WITH (fillfactor = 70);
      CREATE INDEX usage_hourly_user ON usage_hourly (user_id, hour);
      CREATE INDEX usage_hourly_channel ON usage_hourly (channel_id, hour);

      CREATE TYPE ledger_hold AS (request_id text, user_id integer, token_id integer, amount bigint, least bigint);
      CREATE TYPE ledger_settlement AS (
        request_id text, user_id integer, token_id integer, reserved bigint, charge bigint, counted integer, logged boolean,
        created_at bigint, channel_id integer, username text, token_name text, model_name text, "group" text,
        prompt_tokens integer, completion_tokens integer, cached_tokens integer, duration_ms bigint, duration_bucket integer,
        is_stream boolean, content text, other text
      );
    `);

    // UTC months [from, from + ahead], named logs_YYYYMM.
    await runner.query(`
      CREATE FUNCTION logs_ensure_partitions(p_from timestamptz, p_ahead integer) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        first timestamp := date_trunc('month', p_from AT TIME ZONE 'UTC');
        low timestamp;
      BEGIN
        PERFORM pg_advisory_xact_lock(5201314001);
        FOR i IN 0..p_ahead LOOP
          low := first + make_interval(months => i);
          IF to_regclass('logs_' || to_char(low, 'YYYYMM')) IS NULL THEN
            EXECUTE format('CREATE TABLE %I PARTITION OF logs FOR VALUES FROM (%s) TO (%s)',
              'logs_' || to_char(low, 'YYYYMM'),
              extract(epoch FROM low)::bigint, extract(epoch FROM low + interval '1 month')::bigint);
          END IF;
        END LOOP;
      END $$;
      SELECT logs_ensure_partitions(now(), 2);
    `);

    // Answers what is refused: 1 user unknown, 2 user quota too low, 3 token quota too low. What is not answered is held.
    // A request id that was used before violates the primary key.
    await runner.query(`
      CREATE FUNCTION ledger_reserve(p_node text, p_rows json)
      RETURNS TABLE (out_request text, outcome integer, user_quota bigint, token_quota bigint) LANGUAGE plpgsql AS $$
      DECLARE
        wanted ledger_hold[];
        users_known integer;
        users_short boolean;
        tokens_known integer;
        tokens_short boolean;
        item ledger_hold;
      BEGIN
        SELECT array_agg(ROW(x.r, x.u, x.t, x.a, x.m)::ledger_hold) INTO wanted
          FROM json_to_recordset(p_rows) AS x(r text, u integer, t integer, a bigint, m bigint);

        SELECT count(*), bool_or(l.quota < n.least) INTO users_known, users_short
          FROM (SELECT id, quota FROM users WHERE id IN (SELECT w.user_id FROM unnest(wanted) w)
                 ORDER BY id FOR NO KEY UPDATE) l
          JOIN (SELECT w.user_id, CASE WHEN max(w.least) > 0 THEN greatest(sum(w.amount), max(w.least))
                                       ELSE -9000000000000000 END AS least
                  FROM unnest(wanted) w GROUP BY w.user_id) n ON n.user_id = l.id;
        SELECT count(*), bool_or(NOT l.unlimited_quota AND n.amount > 0 AND l.remain_quota < n.amount)
          INTO tokens_known, tokens_short
          FROM (SELECT id, remain_quota, unlimited_quota FROM tokens
                 WHERE id IN (SELECT w.token_id FROM unnest(wanted) w WHERE w.token_id <> 0)
                 ORDER BY id FOR NO KEY UPDATE) l
          JOIN (SELECT w.token_id, sum(w.amount) AS amount FROM unnest(wanted) w GROUP BY w.token_id) n ON n.token_id = l.id;

        -- Usual case: everybody in the batch can pay for all of it, so one statement a table does.
        IF users_known = (SELECT count(DISTINCT w.user_id) FROM unnest(wanted) w)
           AND tokens_known = (SELECT count(DISTINCT w.token_id) FROM unnest(wanted) w WHERE w.token_id <> 0)
           AND NOT coalesce(users_short, false) AND NOT coalesce(tokens_short, false) THEN
          INSERT INTO reservations (request_id, node_id, user_id, token_id, amount)
            SELECT w.request_id, p_node, w.user_id, w.token_id, w.amount FROM unnest(wanted) w;
          UPDATE users SET quota = quota - n.amount
            FROM (SELECT w.user_id, sum(w.amount) AS amount FROM unnest(wanted) w GROUP BY w.user_id) n
            WHERE users.id = n.user_id AND n.amount > 0;
          UPDATE tokens SET remain_quota = remain_quota - n.amount
            FROM (SELECT w.token_id, sum(w.amount) AS amount FROM unnest(wanted) w WHERE w.token_id <> 0 GROUP BY w.token_id) n
            WHERE tokens.id = n.token_id AND n.amount > 0;
          RETURN;
        END IF;

        -- Somebody cannot: one after the other, in the order in which they came.
        FOREACH item IN ARRAY wanted LOOP
          out_request := item.request_id;
          outcome := 0;
          token_quota := NULL;
          SELECT quota INTO user_quota FROM users WHERE id = item.user_id;
          IF user_quota IS NULL THEN
            outcome := 1;
          ELSIF item.least > 0 AND user_quota < greatest(item.amount, item.least) THEN
            outcome := 2;
          ELSIF item.token_id <> 0 THEN
            UPDATE tokens SET remain_quota = remain_quota - item.amount
              WHERE id = item.token_id AND (unlimited_quota OR item.amount = 0 OR remain_quota >= item.amount);
            IF NOT FOUND THEN
              outcome := 3;
              SELECT remain_quota INTO token_quota FROM tokens WHERE id = item.token_id;
            END IF;
          END IF;
          IF outcome <> 0 THEN
            RETURN NEXT;
          ELSE
            UPDATE users SET quota = quota - item.amount WHERE id = item.user_id AND item.amount > 0;
            INSERT INTO reservations (request_id, node_id, user_id, token_id, amount)
              VALUES (item.request_id, p_node, item.user_id, item.token_id, item.amount);
          END IF;
        END LOOP;
      END $$;
    `);

    await runner.query(`
      CREATE FUNCTION ledger_settle(p_rows json)
      RETURNS TABLE (out_user integer, user_quota bigint) LANGUAGE plpgsql AS $$
      DECLARE
        due ledger_settlement[];
        charged integer[];
        balances bigint[];
      BEGIN
        WITH input AS MATERIALIZED (
          -- A replay may come in the same batch as what it replays.
          SELECT DISTINCT ON (x.request_id) * FROM json_to_recordset(p_rows) AS x(
            request_id text, charge bigint, counted integer, logged boolean, created_at bigint, channel_id integer,
            username text, token_name text, model_name text, "group" text, prompt_tokens integer, completion_tokens integer,
            cached_tokens integer, duration_ms bigint, duration_bucket integer, is_stream boolean, content text, other text)
        ), gone AS (
          DELETE FROM reservations r USING input i WHERE r.request_id = i.request_id
          RETURNING r.request_id, r.user_id, r.token_id, r.amount
        )
        SELECT array_agg(ROW(i.request_id, g.user_id, g.token_id, g.amount, i.charge, i.counted, i.logged, i.created_at,
                 i.channel_id, i.username, i.token_name, i.model_name, i."group", i.prompt_tokens, i.completion_tokens,
                 i.cached_tokens, i.duration_ms, i.duration_bucket, i.is_stream, i.content, i.other)::ledger_settlement)
          INTO due FROM gone g JOIN input i ON i.request_id = g.request_id;
        IF due IS NULL THEN RETURN; END IF;

        -- Each table's rows are locked in id order before the first of them is changed.
        WITH changed AS (
          UPDATE users SET quota = quota + t.back, used_quota = used_quota + t.charge, request_count = request_count + t.counted
            FROM (SELECT id FROM users WHERE id IN (SELECT d.user_id FROM unnest(due) d) ORDER BY id FOR NO KEY UPDATE) l
            JOIN (SELECT d.user_id, sum(d.reserved - d.charge) AS back, sum(d.charge) AS charge, sum(d.counted) AS counted
                    FROM unnest(due) d GROUP BY d.user_id) t ON t.user_id = l.id
            WHERE users.id = l.id RETURNING users.id, users.quota
        ) SELECT array_agg(id), array_agg(quota) INTO charged, balances FROM changed;

        UPDATE tokens SET remain_quota = remain_quota + t.back, used_quota = tokens.used_quota + t.charge,
                          accessed_time = greatest(accessed_time, t.at)
          FROM (SELECT id FROM tokens WHERE id IN (SELECT d.token_id FROM unnest(due) d WHERE d.token_id <> 0)
                 ORDER BY id FOR NO KEY UPDATE) l
          JOIN (SELECT d.token_id, sum(d.reserved - d.charge) AS back, sum(d.charge) AS charge, max(d.created_at) AS at
                  FROM unnest(due) d GROUP BY d.token_id) t ON t.token_id = l.id
          WHERE tokens.id = l.id;

        UPDATE channels SET used_quota = used_quota + t.charge
          FROM (SELECT id FROM channels WHERE id IN (SELECT d.channel_id FROM unnest(due) d WHERE d.charge <> 0)
                 ORDER BY id FOR NO KEY UPDATE) l
          JOIN (SELECT d.channel_id, sum(d.charge) AS charge FROM unnest(due) d GROUP BY d.channel_id) t ON t.channel_id = l.id
          WHERE channels.id = l.id;

        INSERT INTO logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id, model_name,
                          "group", quota, prompt_tokens, completion_tokens, use_time, is_stream, content, other)
          SELECT d.created_at, d.request_id, 2, d.user_id, d.username, d.token_id, d.token_name, d.channel_id, d.model_name,
                 d."group", d.charge, d.prompt_tokens, d.completion_tokens, (d.duration_ms / 1000)::integer, d.is_stream,
                 d.content, d.other
          FROM unnest(due) d WHERE d.logged;

        INSERT INTO usage_hourly AS h (hour, user_id, token_id, channel_id, model_name, "group", calls, stream_calls,
            prompt_tokens, completion_tokens, cached_tokens, quota, logged_calls, logged_quota, duration_ms, duration_buckets)
          SELECT k.hour, k.user_id, k.token_id, k.channel_id, k.model_name, k."group", sum(k.calls), sum(k.streams),
                 sum(k.prompt_tokens), sum(k.completion_tokens), sum(k.cached_tokens), sum(k.quota), sum(k.logged_calls),
                 sum(k.logged_quota), sum(k.duration_ms),
                 (SELECT array_agg((SELECT count(*) FROM unnest(array_agg(k.duration_bucket)) b WHERE b = n) ORDER BY n)
                    FROM generate_series(0, max(k.duration_bucket)) n)
          FROM (SELECT d.created_at - d.created_at % 3600 AS hour, d.user_id, d.token_id, d.channel_id, d.model_name, d."group",
                       1 AS calls, d.is_stream::integer AS streams, d.prompt_tokens, d.completion_tokens, d.cached_tokens,
                       d.charge AS quota, d.logged::integer AS logged_calls,
                       CASE WHEN d.logged THEN d.charge ELSE 0 END AS logged_quota, d.duration_ms, d.duration_bucket
                  FROM unnest(due) d) k
          GROUP BY k.hour, k.user_id, k.token_id, k.channel_id, k.model_name, k."group"
          ORDER BY k.hour, k.user_id, k.token_id, k.channel_id, k.model_name, k."group"
          ON CONFLICT (hour, user_id, token_id, channel_id, model_name, "group") DO UPDATE SET
            calls = h.calls + excluded.calls,
            stream_calls = h.stream_calls + excluded.stream_calls,
            prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
            completion_tokens = h.completion_tokens + excluded.completion_tokens,
            cached_tokens = h.cached_tokens + excluded.cached_tokens,
            quota = h.quota + excluded.quota,
            logged_calls = h.logged_calls + excluded.logged_calls,
            logged_quota = h.logged_quota + excluded.logged_quota,
            duration_ms = h.duration_ms + excluded.duration_ms,
            duration_buckets = ledger_add_buckets(h.duration_buckets, excluded.duration_buckets);

        RETURN QUERY SELECT * FROM unnest(charged, balances);
      END $$;

      CREATE FUNCTION ledger_add_buckets(a bigint[], b bigint[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE AS $$
        SELECT array_agg(coalesce(a[i], 0) + coalesce(b[i], 0) ORDER BY i)
        FROM generate_series(1, greatest(coalesce(cardinality(a), 0), coalesce(cardinality(b), 0))) i
      $$;
    `);

    // Gives reservations back. p_sweep keeps an empty row behind, for a settlement that may still arrive from a spool.
    await runner.query(`
      CREATE FUNCTION ledger_release(p_requests text[], p_sweep boolean) RETURNS TABLE (out_request text) LANGUAGE plpgsql AS $$
      DECLARE
        ids text[];
        owners integer[];
        keys integer[];
        amounts bigint[];
      BEGIN
        SELECT array_agg(r.request_id), array_agg(r.user_id), array_agg(r.token_id), array_agg(r.amount)
          INTO ids, owners, keys, amounts
          FROM (SELECT * FROM reservations WHERE request_id = ANY (p_requests) AND swept_at IS NULL
                 ORDER BY request_id FOR UPDATE SKIP LOCKED) r;
        IF ids IS NULL THEN RETURN; END IF;
        IF p_sweep THEN
          UPDATE reservations SET amount = 0, swept_at = now() WHERE request_id = ANY (ids);
        ELSE
          DELETE FROM reservations WHERE request_id = ANY (ids);
        END IF;
        PERFORM 1 FROM users WHERE id = ANY (owners) ORDER BY id FOR NO KEY UPDATE;
        UPDATE users SET quota = quota + t.amount
          FROM (SELECT o AS id, sum(a) AS amount FROM unnest(owners, amounts) AS x(o, a) GROUP BY o) t
          WHERE users.id = t.id AND t.amount > 0;
        PERFORM 1 FROM tokens WHERE id = ANY (keys) ORDER BY id FOR NO KEY UPDATE;
        UPDATE tokens SET remain_quota = remain_quota + t.amount
          FROM (SELECT k AS id, sum(a) AS amount FROM unnest(keys, amounts) AS x(k, a) WHERE k <> 0 GROUP BY k) t
          WHERE tokens.id = t.id AND t.amount > 0;
        RETURN QUERY SELECT unnest(ids);
      END $$;
    `);

    // One movement of a balance that is not a call. p_least: refuse when the balance would fall under it (NULL: no floor).
    // Answers the balance after, NULL when the source was booked before; raises LDG01 when the floor holds it back.
    await runner.query(`
      CREATE FUNCTION ledger_post(p_source text, p_kind text, p_account text, p_user integer, p_token integer, p_amount bigint,
                                  p_actor integer, p_note text, p_least bigint) RETURNS bigint LANGUAGE plpgsql AS $$
      DECLARE
        after bigint;
      BEGIN
        INSERT INTO ledger_entries (source, kind, account, user_id, token_id, amount, actor_id, note)
          VALUES (p_source, p_kind, p_account, p_user, p_token, p_amount, p_actor, p_note) ON CONFLICT (source) DO NOTHING;
        IF NOT FOUND THEN RETURN NULL; END IF;
        CASE p_account
          WHEN 'user' THEN
            UPDATE users SET quota = quota + p_amount WHERE id = p_user RETURNING quota INTO after;
          WHEN 'token' THEN
            UPDATE tokens SET remain_quota = remain_quota + p_amount WHERE id = p_token AND user_id = p_user
              RETURNING remain_quota INTO after;
          WHEN 'affiliate' THEN
            UPDATE users SET aff_quota = aff_quota + p_amount,
                             aff_history_quota = aff_history_quota + greatest(p_amount, 0),
                             aff_count = aff_count + (p_kind = 'invite')::integer
              WHERE id = p_user AND aff_quota + p_amount >= 0 RETURNING aff_quota INTO after;
            IF after IS NULL AND EXISTS (SELECT 1 FROM users WHERE id = p_user) THEN
              RAISE EXCEPTION 'balance would fall under its floor' USING ERRCODE = 'LDG01';
            END IF;
        END CASE;
        IF after IS NULL THEN RAISE EXCEPTION 'no balance to move' USING ERRCODE = 'LDG02'; END IF;
        IF p_least IS NOT NULL AND after < p_least THEN
          RAISE EXCEPTION 'balance would fall under its floor' USING ERRCODE = 'LDG01';
        END IF;
        RETURN after;
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION ledger_post, ledger_release, ledger_settle, ledger_add_buckets, ledger_reserve, logs_ensure_partitions;
      DROP TYPE ledger_settlement, ledger_hold;
      DROP TABLE usage_hourly, logs, log_state, ledger_entries, reservations, nodes;
      DROP SEQUENCE logs_id_seq;
    `);
  }
}

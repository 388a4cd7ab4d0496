import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Holds that do not wait for the disk. A crash of the database may take one, with what it took from the balance; the
 * settlement of its call then has to prove that it is the first. Everything here stands beside `ledger_settle`, which nodes
 * of the version before may still be calling. Databases of one earlier version have the table already.
 */
export class UnflushedHolds1763760000000 implements MigrationInterface {
  name = 'UnflushedHolds1763760000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Settled calls without a log row of their own. A log row or a row here says that a call was settled.
      CREATE TABLE IF NOT EXISTS settled_unlogged (
        request_id text PRIMARY KEY,
        settled_at timestamptz NOT NULL DEFAULT now()
      );
    `);

    // ledger_settle, which also leaves a mark for what it does not log and tells what had no reservation: out_missing.
    await runner.query(`
      CREATE FUNCTION ledger_settle_calls(p_rows json)
      RETURNS TABLE (out_user integer, user_quota bigint, out_missing text) LANGUAGE plpgsql
      -- Planning anew for the size of each batch would cost more than the slowest of these statements. Rows are always found
      -- by their key: where few are alive a plan would read the whole table, with what waits to be vacuumed in it.
      SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
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
          DELETE FROM reservations r WHERE r.request_id = ANY (ARRAY(SELECT i.request_id FROM input i))
          RETURNING r.request_id, r.user_id, r.token_id, r.amount
        )
        SELECT array_agg(ROW(i.request_id, g.user_id, g.token_id, g.amount, i.charge, i.counted, i.logged, i.created_at,
                 i.channel_id, i.username, i.token_name, i.model_name, i."group", i.prompt_tokens, i.completion_tokens,
                 i.cached_tokens, i.duration_ms, i.duration_bucket, i.is_stream, i.content, i.other)::ledger_settlement)
          INTO due FROM gone g JOIN input i ON i.request_id = g.request_id;
        IF coalesce(cardinality(due), 0) < json_array_length(p_rows) THEN
          RETURN QUERY SELECT DISTINCT NULL::integer, NULL::bigint, x.request_id
            FROM json_to_recordset(p_rows) AS x(request_id text)
            WHERE NOT EXISTS (SELECT 1 FROM unnest(due) d WHERE d.request_id = x.request_id);
        END IF;
        IF due IS NULL THEN RETURN; END IF;

        INSERT INTO logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id, model_name,
                          "group", quota, prompt_tokens, completion_tokens, use_time, is_stream, content, other)
          SELECT d.created_at, d.request_id, 2, d.user_id, d.username, d.token_id, d.token_name, d.channel_id, d.model_name,
                 d."group", d.charge, d.prompt_tokens, d.completion_tokens, (d.duration_ms / 1000)::integer, d.is_stream,
                 d.content, d.other
          FROM unnest(due) d WHERE d.logged;
        INSERT INTO settled_unlogged (request_id) SELECT d.request_id FROM unnest(due) d WHERE NOT d.logged
          ON CONFLICT DO NOTHING;

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
            duration_buckets = (
              SELECT array_agg(coalesce(h.duration_buckets[i], 0) + coalesce(excluded.duration_buckets[i], 0) ORDER BY i)
                FROM generate_series(1, greatest(cardinality(h.duration_buckets), cardinality(excluded.duration_buckets))) i);

        -- Each table's rows are locked in id order before the first of them is changed. What every call of a user waits for,
        -- his own row, comes last: it is locked until the commit is on the disk.
        UPDATE channels SET used_quota = used_quota + t.charge
          FROM (SELECT id FROM channels WHERE id IN (SELECT d.channel_id FROM unnest(due) d WHERE d.charge <> 0)
                 ORDER BY id FOR NO KEY UPDATE) l
          JOIN (SELECT d.channel_id, sum(d.charge) AS charge FROM unnest(due) d GROUP BY d.channel_id) t ON t.channel_id = l.id
          WHERE channels.id = l.id;

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

        RETURN QUERY SELECT charged_id, balance, NULL::text FROM unnest(charged, balances) AS x(charged_id, balance);
      END $$;
    `);

    // The same for what stands already.
    await runner.query(`
      ALTER FUNCTION ledger_reserve(text, json) SET plan_cache_mode = force_generic_plan;
      ALTER FUNCTION ledger_reserve(text, json) SET enable_seqscan = off;
      ALTER FUNCTION ledger_release(text[], boolean) SET enable_seqscan = off;
    `);

    // Settles what had no reservation: settled before, or a crash of the database took it. A row to settle against is put
    // in its place, which also makes two such settlements of one call wait for each other; then the proof of a settlement
    // is looked for. Where log rows were deleted meanwhile nothing proves anything: out_doubtful names those, and they stay
    // open. Rows without a token_id come from spools of a version whose holds were flushed: without one they were settled.
    await runner.query(`
      CREATE FUNCTION ledger_settle_lost(p_rows json)
      RETURNS TABLE (out_user integer, user_quota bigint, out_doubtful text) LANGUAGE plpgsql AS $$
      DECLARE
        placed text[];
        proven text[];
        doubtful text[];
      BEGIN
        WITH stand_in AS (
          INSERT INTO reservations (request_id, node_id, user_id, token_id, amount, swept_at)
            SELECT DISTINCT ON (x.request_id) x.request_id, 'lost', x.user_id, x.token_id, 0, now()
            FROM json_to_recordset(p_rows) AS x(request_id text, user_id integer, token_id integer)
            WHERE x.token_id IS NOT NULL ORDER BY x.request_id
            ON CONFLICT DO NOTHING RETURNING request_id
        ) SELECT array_agg(request_id) INTO placed FROM stand_in;

        SELECT array_agg(p) INTO proven FROM unnest(placed) p
          WHERE EXISTS (SELECT 1 FROM logs l WHERE l.request_id = p AND l.request_id <> '' AND l.type = 2)
             OR EXISTS (SELECT 1 FROM settled_unlogged u WHERE u.request_id = p);
        SELECT array_agg(DISTINCT x.request_id) INTO doubtful
          FROM json_to_recordset(p_rows) AS x(request_id text, created_at bigint)
          WHERE x.request_id = ANY (placed) AND NOT x.request_id = ANY (coalesce(proven, '{}'))
            AND x.created_at < (SELECT trimmed_before FROM log_state);
        DELETE FROM reservations WHERE request_id = ANY (proven) OR request_id = ANY (doubtful);

        RETURN QUERY SELECT s.out_user, s.user_quota, NULL::text FROM ledger_settle_calls(p_rows) s
          WHERE s.out_user IS NOT NULL;
        RETURN QUERY SELECT NULL::integer, NULL::bigint, d FROM unnest(doubtful) d;
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER FUNCTION ledger_reserve(text, json) RESET ALL;
      ALTER FUNCTION ledger_release(text[], boolean) RESET ALL;
    `);
    await runner.query(
      'DROP FUNCTION ledger_settle_lost(json), ledger_settle_calls(json); DROP TABLE settled_unlogged',
    );
  }
}

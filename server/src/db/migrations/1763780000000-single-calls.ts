import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `ledger_reserve` and `ledger_settle_calls` for a batch of one, which is what a node with little to do sends: the same
 * steps on the same rows in the same order, without the sets, which costs Postgres half.
 */
export class SingleCalls1763780000000 implements MigrationInterface {
  name = 'SingleCalls1763780000000';

  async up(runner: QueryRunner): Promise<void> {
    // Answers like ledger_reserve, and asks it whenever the call is not simply paid for: a refusal has one wording.
    await runner.query(`
      CREATE FUNCTION ledger_reserve_one(p_node text, p_row json)
      RETURNS TABLE (out_request text, outcome integer, user_quota bigint, token_quota bigint) LANGUAGE plpgsql
      SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
      DECLARE
        hold ledger_hold;
      BEGIN
        SELECT x.r, x.u, x.t, x.a, x.m INTO hold
          FROM json_to_record(p_row) AS x(r text, u integer, t integer, a bigint, m bigint);
        IF hold.amount > 0 THEN
          UPDATE users SET quota = quota - hold.amount
            WHERE id = hold.user_id AND (hold.least = 0 OR quota >= greatest(hold.amount, hold.least));
          IF FOUND THEN
            IF hold.token_id <> 0 THEN
              UPDATE tokens SET remain_quota = remain_quota - hold.amount
                WHERE id = hold.token_id AND (unlimited_quota OR remain_quota >= hold.amount);
            END IF;
            IF FOUND THEN
              INSERT INTO reservations (request_id, node_id, user_id, token_id, amount)
                VALUES (hold.request_id, p_node, hold.user_id, hold.token_id, hold.amount);
              RETURN;
            END IF;
            UPDATE users SET quota = quota + hold.amount WHERE id = hold.user_id;
          END IF;
        END IF;
        RETURN QUERY SELECT * FROM ledger_reserve(p_node, json_build_array(p_row));
      END $$;
    `);

    await runner.query(`
      CREATE FUNCTION ledger_settle_one(p_row json)
      RETURNS TABLE (out_user integer, user_quota bigint, out_missing text) LANGUAGE plpgsql
      SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
      DECLARE
        call record;
        held record;
      BEGIN
        SELECT * INTO call FROM json_to_record(p_row) AS x(
          request_id text, charge bigint, counted integer, logged boolean, created_at bigint, channel_id integer,
          username text, token_name text, model_name text, "group" text, prompt_tokens integer, completion_tokens integer,
          cached_tokens integer, duration_ms bigint, duration_bucket integer, is_stream boolean, content text, other text);
        DELETE FROM reservations r WHERE r.request_id = call.request_id
          RETURNING r.user_id, r.token_id, r.amount INTO held;
        IF NOT FOUND THEN
          out_missing := call.request_id;
          RETURN NEXT;
          RETURN;
        END IF;

        IF call.logged THEN
          INSERT INTO logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id, model_name,
                            "group", quota, prompt_tokens, completion_tokens, use_time, is_stream, content, other)
            VALUES (call.created_at, call.request_id, 2, held.user_id, call.username, held.token_id, call.token_name,
                    call.channel_id, call.model_name, call."group", call.charge, call.prompt_tokens,
                    call.completion_tokens, (call.duration_ms / 1000)::integer, call.is_stream, call.content, call.other);
        ELSE
          INSERT INTO settled_unlogged (request_id) VALUES (call.request_id) ON CONFLICT DO NOTHING;
        END IF;

        INSERT INTO usage_hourly AS h (hour, user_id, token_id, channel_id, model_name, "group", calls, stream_calls,
            prompt_tokens, completion_tokens, cached_tokens, quota, logged_calls, logged_quota, duration_ms, duration_buckets)
          VALUES (call.created_at - call.created_at % 3600, held.user_id, held.token_id, call.channel_id, call.model_name,
                  call."group", 1, call.is_stream::integer, call.prompt_tokens, call.completion_tokens, call.cached_tokens,
                  call.charge, call.logged::integer, CASE WHEN call.logged THEN call.charge ELSE 0 END, call.duration_ms,
                  array_fill(0::bigint, ARRAY[call.duration_bucket]) || 1::bigint)
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
            -- One more in its bucket, with empty ones before it where the row has fewer.
            duration_buckets = h.duration_buckets[1 : call.duration_bucket]
              || array_fill(0::bigint, ARRAY[greatest(call.duration_bucket - cardinality(h.duration_buckets), 0)])
              || (coalesce(h.duration_buckets[call.duration_bucket + 1], 0) + 1)
              || h.duration_buckets[call.duration_bucket + 2 : cardinality(h.duration_buckets)];

        IF call.charge <> 0 THEN
          UPDATE channels SET used_quota = used_quota + call.charge WHERE id = call.channel_id;
        END IF;
        UPDATE users SET quota = quota + held.amount - call.charge, used_quota = used_quota + call.charge,
                         request_count = request_count + call.counted
          WHERE id = held.user_id RETURNING id, quota INTO out_user, user_quota;
        UPDATE tokens SET remain_quota = remain_quota + held.amount - call.charge, used_quota = used_quota + call.charge,
                          accessed_time = greatest(accessed_time, call.created_at)
          WHERE id = held.token_id;
        IF out_user IS NOT NULL THEN RETURN NEXT; END IF;
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION ledger_settle_one(json), ledger_reserve_one(text, json)');
  }
}

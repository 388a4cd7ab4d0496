import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Turns of a realtime session. Each is charged when it ends; all of a session share one log row, which grows in the
 * transaction that charges, so that it is the sum of what was charged at every moment, a crash included.
 */
export class Realtime1763720000001 implements MigrationInterface {
  name = 'Realtime1763720000001';

  async up(runner: QueryRunner): Promise<void> {
    // p_row is one row of ledger_settle_calls, which a later migration brings; p_session names the log row, p_log_at is its
    // time, 0 while there is none. The sums that people read (content, other) are the session's so far. Answers the balance
    // after; nothing for a replay.
    await runner.query(`
      CREATE FUNCTION ledger_settle_turn(p_row json, p_session text, p_log_at bigint) RETURNS TABLE (user_quota bigint)
      LANGUAGE plpgsql AS $$
      DECLARE
        turn record;
        balance bigint;
        owner reservations%ROWTYPE;
        log_hour bigint;
      BEGIN
        SELECT * INTO turn FROM json_to_record(p_row) AS x(
          request_id text, charge bigint, logged boolean, created_at bigint, channel_id integer, username text,
          token_name text, model_name text, "group" text, prompt_tokens integer, completion_tokens integer,
          duration_ms bigint, is_stream boolean, content text, other text);
        SELECT * INTO owner FROM reservations WHERE request_id = turn.request_id;
        IF NOT FOUND THEN RETURN; END IF;
        -- The turn is booked without a row of its own.
        SELECT s.user_quota INTO balance
          FROM ledger_settle_calls(json_build_array(p_row::jsonb || '{"logged": false}'::jsonb)) s
          WHERE s.out_user IS NOT NULL;
        IF NOT FOUND THEN RETURN; END IF;
        IF turn.logged THEN
          IF p_log_at = 0 THEN
            INSERT INTO logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id, model_name,
                              "group", quota, prompt_tokens, completion_tokens, use_time, is_stream, content, other)
              VALUES (turn.created_at, p_session, 2, owner.user_id, turn.username, owner.token_id, turn.token_name,
                      turn.channel_id, turn.model_name, turn."group", turn.charge, turn.prompt_tokens,
                      turn.completion_tokens, (turn.duration_ms / 1000)::integer, turn.is_stream, turn.content, turn.other);
          ELSE
            UPDATE logs SET quota = quota + turn.charge, prompt_tokens = prompt_tokens + turn.prompt_tokens,
                            completion_tokens = completion_tokens + turn.completion_tokens,
                            use_time = use_time + (turn.duration_ms / 1000)::integer,
                            content = turn.content, other = turn.other
              WHERE created_at = p_log_at AND request_id = p_session AND type = 2;
            -- Whoever deletes rows of a session that still runs gets the rest of it unlogged.
            IF NOT FOUND THEN
              RETURN QUERY SELECT balance;
              RETURN;
            END IF;
          END IF;
          -- The books compare the log with the hour in which its row lies.
          log_hour := CASE WHEN p_log_at = 0 THEN turn.created_at ELSE p_log_at END;
          log_hour := log_hour - log_hour % 3600;
          UPDATE usage_hourly SET logged_quota = logged_quota + turn.charge,
                                  logged_calls = logged_calls + (p_log_at = 0)::integer
            WHERE hour = log_hour AND user_id = owner.user_id AND token_id = owner.token_id
              AND channel_id = turn.channel_id AND model_name = turn.model_name AND "group" = turn."group";
        END IF;
        RETURN QUERY SELECT balance;
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION ledger_settle_turn');
  }
}

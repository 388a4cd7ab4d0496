import { billion, carryOf, logColumns, settlementColumns, unitsOf } from './ledger-settlement.js';

/** SQL of the ledger functions for turns of realtime sessions, and for calls whose reservation or node was lost. */

/**
 * Settles calls without a reservation: the call was settled before, or a database crash lost the reservation, because
 * reservations are not flushed. Inserts a stand-in reservation, which also serializes two such settlements of one call,
 * and then looks for proof of an earlier settlement. If log rows were deleted since, neither case can be proven:
 * `out_doubtful` names those calls, and they stay open.
 */
const settleLost = `
  CREATE FUNCTION ledger_settle_lost(p_rows json)
  RETURNS TABLE (out_user integer, user_quota bigint, out_doubtful text) LANGUAGE plpgsql AS $$
  DECLARE
    placed text[];
    proven text[];
    doubtful text[];
  BEGIN
    WITH stand_in AS (
      INSERT INTO reservations (request_id, node_id, user_id, token_id, amount, swept_at, budget_holds)
        SELECT DISTINCT ON (x.request_id) x.request_id, 'lost', x.user_id, x.token_id, 0, now(), x.budget_holds
        FROM json_to_recordset(p_rows) AS x(request_id text, user_id integer, token_id integer, budget_holds jsonb)
        ORDER BY x.request_id
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
    PERFORM ledger_settle_more(x) FROM json_array_elements(p_rows) x
      WHERE EXISTS (SELECT 1 FROM settled_unlogged u WHERE u.request_id = x ->> 'request_id' AND u.charged_due IS NOT NULL);

    RETURN QUERY SELECT s.out_user, s.user_quota, NULL::text FROM ledger_settle_calls(p_rows) s
      WHERE s.out_user IS NOT NULL;
    RETURN QUERY SELECT NULL::integer, NULL::bigint, d FROM unnest(doubtful) d;
  END $$`;

/**
 * Settles one turn of a realtime session. All turns of a session share one log row, updated in the transaction that
 * charges, so the row is correct after a crash. The row of turns that a plan pays names the plan.
 *
 * `p_row` is one row of `ledger_settle_calls`; its content and other describe the whole session so far. `p_session` is the
 * request id of the log row, `p_log_at` its time, 0 before it exists. Returns the balance after, and the part of the charge
 * that it did not have; no row for a replay.
 */
const settleTurn = `
  CREATE FUNCTION ledger_settle_turn(p_row json, p_session text, p_log_at bigint)
  RETURNS TABLE (user_quota bigint, uncharged bigint)
  LANGUAGE plpgsql AS $$
  DECLARE
    turn record;
    balance bigint;
    short_by bigint;
    owner reservations%ROWTYPE;
    owed numeric;
    before bigint := 0;
    after bigint := 0;
    log_hour bigint;
    payer integer;
  BEGIN
    SELECT * INTO turn FROM json_to_record(p_row) AS x(${settlementColumns});
    SELECT * INTO owner FROM reservations WHERE request_id = turn.request_id;
    IF NOT FOUND THEN
      RETURN QUERY SELECT * FROM ledger_settle_more(p_row);
      RETURN;
    END IF;
    -- Settles the turn without a log row of its own.
    SELECT max(s.user_quota) FILTER (WHERE s.out_user IS NOT NULL), coalesce(max(s.out_uncharged), 0)
      INTO balance, short_by
      FROM ledger_settle_calls(json_build_array(p_row::jsonb || '{"logged": false}'::jsonb)) s;
    IF balance IS NULL THEN RETURN; END IF;
    IF turn.rest <> 0 THEN
      SELECT c.rests INTO owed FROM quota_carry c WHERE c.user_id = owner.user_id;
      before := ${carryOf('owed - turn.rest')};
      after := ${carryOf('owed')};
      turn.charge := turn.charge + ${unitsOf('owed')} - ${unitsOf('owed - turn.rest')};
    END IF;
    turn.charge := turn.charge - short_by;
    IF short_by > 0 THEN
      turn.other := (turn.other::jsonb || jsonb_build_object('uncharged_quota',
        short_by + coalesce((turn.other::jsonb ->> 'uncharged_quota')::bigint, 0)))::text;
    END IF;
    SELECT (h ->> 'p')::integer INTO payer FROM jsonb_array_elements(owner.budget_holds) h WHERE h ? 'p';
    IF payer IS NOT NULL THEN
      SELECT (turn.other::jsonb || jsonb_build_object('plan', jsonb_build_object('id', s.id, 'name', s.terms -> 'name')))::text
        INTO turn.other FROM subscriptions s WHERE s.id = payer;
    END IF;
    IF turn.logged THEN
      IF p_log_at = 0 THEN
        INSERT INTO logs (${logColumns})
          VALUES (turn.created_at, p_session, 2, owner.user_id, turn.username, owner.token_id, turn.token_name,
                  turn.channel_id, turn.model_name, turn."group", turn.charge, turn.prompt_tokens,
                  turn.completion_tokens, (turn.duration_ms / 1000)::integer, turn.is_stream, turn.content,
                  ledger_carried(turn.other, before, after));
      ELSE
        UPDATE logs SET quota = quota + turn.charge, prompt_tokens = prompt_tokens + turn.prompt_tokens,
                        completion_tokens = completion_tokens + turn.completion_tokens,
                        use_time = use_time + (turn.duration_ms / 1000)::integer,
                        content = turn.content,
                        other = ledger_carried(turn.other, before + coalesce((other::json #>> '{carried,0}')::bigint, 0),
                                               after + coalesce((other::json #>> '{carried,1}')::bigint, 0))
          WHERE created_at = p_log_at AND request_id = p_session AND type = 2;
        -- If the row of a running session was deleted, the rest of the session is not logged.
        IF NOT FOUND THEN
          RETURN QUERY SELECT balance, short_by;
          RETURN;
        END IF;
      END IF;
      UPDATE subscription_use SET logged = logged + turn.charge WHERE subscription_id = payer;
      -- Reconciliation compares the log with the hour of the log row.
      log_hour := CASE WHEN p_log_at = 0 THEN turn.created_at ELSE p_log_at END;
      log_hour := log_hour - log_hour % 3600;
      UPDATE usage_hourly SET logged_quota = logged_quota + turn.charge, logged_rest = logged_rest + after - before,
                              logged_calls = logged_calls + (p_log_at = 0)::integer
        WHERE hour = log_hour AND user_id = owner.user_id AND token_id = owner.token_id
          AND channel_id = turn.channel_id AND model_name = turn.model_name AND "group" = turn."group";
    END IF;
    RETURN QUERY SELECT balance, short_by;
  END $$`;

/**
 * Charges what a response of a dead node had produced (`reservations.due`). One response for each transaction: a settlement
 * locks the row of its user. Returns false when there is no such reservation, or another node is charging it.
 */
const settleDue = `
  CREATE FUNCTION ledger_settle_due(p_request text) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    owed jsonb;
    log_at bigint;
  BEGIN
    SELECT due INTO owed FROM reservations WHERE request_id = p_request AND due IS NOT NULL AND swept_at IS NULL
      FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN false; END IF;
    SELECT coalesce(max(l.created_at), 0) INTO log_at FROM logs l WHERE l.request_id = owed ->> 'session' AND l.type = 2;
    PERFORM ledger_settle_turn((owed -> 'turn')::json, owed ->> 'session', log_at);
    UPDATE settled_unlogged SET charged_due = owed WHERE request_id = p_request;
    RETURN true;
  END $$`;

/**
 * Charges the settlement of a response that was charged by `ledger_settle_due` before: its node was not dead, or its spool
 * arrived late. Only the difference is charged, as far as the balance has it. No row when there is none.
 */
const settleMore = `
  CREATE FUNCTION ledger_settle_more(p_row json) RETURNS TABLE (user_quota bigint, uncharged bigint) LANGUAGE plpgsql AS $$
  DECLARE
    call record;
    before record;
    owed jsonb;
    log_at bigint;
    more numeric;
    plan_holds jsonb;
  BEGIN
    SELECT * INTO call FROM json_to_record(p_row) AS x(${settlementColumns}, user_id integer, token_id integer);
    SELECT charged_due INTO owed FROM settled_unlogged WHERE request_id = call.request_id AND charged_due IS NOT NULL FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    UPDATE settled_unlogged SET charged_due = NULL WHERE request_id = call.request_id;
    SELECT * INTO before FROM jsonb_to_record(owed -> 'turn') AS x(${settlementColumns});
    more := (call.charge - before.charge) * ${billion}::numeric + coalesce(call.rest, 0) - coalesce(before.rest, 0);
    IF more <= 0 THEN RETURN; END IF;
    -- A plan pays the difference, too. Its windows have counted the request.
    SELECT jsonb_agg(h) FILTER (WHERE h ->> 'k' IS DISTINCT FROM 'r') INTO plan_holds
      FROM json_to_record(p_row) AS x(budget_holds jsonb), jsonb_array_elements(x.budget_holds) h
      HAVING bool_or(h ? 'p');
    INSERT INTO reservations (request_id, node_id, user_id, token_id, amount, swept_at, budget_holds)
      VALUES (call.request_id, 'more', call.user_id, call.token_id, 0, now(), plan_holds);
    SELECT coalesce(max(l.created_at), 0) INTO log_at FROM logs l WHERE l.request_id = owed ->> 'session' AND l.type = 2;
    RETURN QUERY SELECT * FROM ledger_settle_turn((p_row::jsonb || jsonb_build_object(
      'charge', div(more, ${billion}), 'rest', more % ${billion}, 'least', CASE WHEN plan_holds IS NULL THEN 0 END, 'counted', 0, 'duration_ms', 0,
      'prompt_tokens', greatest(0, call.prompt_tokens - before.prompt_tokens),
      'completion_tokens', greatest(0, call.completion_tokens - before.completion_tokens),
      'cost_nano_usd', greatest(0, call.cost_nano_usd - before.cost_nano_usd)))::json, owed ->> 'session', log_at);
  END $$`;

/** Statements that create the functions of turns and lost calls, in order. Those of settlements must exist. */
export const turnFunctions: readonly string[] = [settleLost, settleMore, settleTurn, settleDue];

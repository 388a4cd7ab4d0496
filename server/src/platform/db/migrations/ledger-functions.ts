import { settlementFunctions } from './ledger-settlement.js';
import { turnFunctions } from './ledger-turns.js';

/**
 * SQL of the ledger: the `ledger_*` functions are the only writers of a balance.
 *
 * Rows are locked in the order users, tokens for a reservation and quota_carry, usage_hourly, usage_five_minutes, channels,
 * users, tokens for a settlement, by id within each table, and budgets after them (`ledger-budgets.ts`), so batches of several nodes cannot deadlock. Replays change nothing: a
 * settlement or release needs its reservation row, an entry needs a new `source`.
 *
 * `plan_cache_mode`: a new plan per batch size costs more than the slowest statement. `enable_seqscan`: rows are always
 * looked up by key; with few live rows the planner would scan the whole table, dead rows included.
 */

const reservationType = `
  CREATE TYPE ledger_reservation AS (
    request_id text, user_id integer, token_id integer, amount bigint, least bigint, model_name text
  )`;

/**
 * Reserves a batch. Returns the refused requests only: outcome 1 unknown user, 2 insufficient user quota, 3 insufficient
 * token quota. A request id that was used before violates the primary key.
 */
const reserve = `
  CREATE FUNCTION ledger_reserve(p_node text, p_rows json)
  RETURNS TABLE (out_request text, outcome integer, user_quota bigint, token_quota bigint) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  DECLARE
    wanted ledger_reservation[];
    users_known integer;
    users_short boolean;
    tokens_known integer;
    tokens_short boolean;
    item ledger_reservation;
  BEGIN
    SELECT array_agg(ROW(x.r, x.u, x.t, x.a, x.m, coalesce(x.n, ''))::ledger_reservation) INTO wanted
      FROM json_to_recordset(p_rows) AS x(r text, u integer, t integer, a bigint, m bigint, n text);

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

    -- Common case: every user and token can pay for the whole batch, so one statement per table suffices.
    IF users_known = (SELECT count(DISTINCT w.user_id) FROM unnest(wanted) w)
       AND tokens_known = (SELECT count(DISTINCT w.token_id) FROM unnest(wanted) w WHERE w.token_id <> 0)
       AND NOT coalesce(users_short, false) AND NOT coalesce(tokens_short, false) THEN
      INSERT INTO reservations (request_id, node_id, user_id, token_id, amount, model_name)
        SELECT w.request_id, p_node, w.user_id, w.token_id, w.amount, w.model_name FROM unnest(wanted) w;
      UPDATE users SET quota = quota - n.amount
        FROM (SELECT w.user_id, sum(w.amount) AS amount FROM unnest(wanted) w GROUP BY w.user_id) n
        WHERE users.id = n.user_id AND n.amount > 0;
      UPDATE tokens SET remain_quota = remain_quota - n.amount
        FROM (SELECT w.token_id, sum(w.amount) AS amount FROM unnest(wanted) w WHERE w.token_id <> 0 GROUP BY w.token_id) n
        WHERE tokens.id = n.token_id AND n.amount > 0;
      RETURN;
    END IF;

    -- Otherwise one by one, in order of arrival.
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
        INSERT INTO reservations (request_id, node_id, user_id, token_id, amount, model_name)
          VALUES (item.request_id, p_node, item.user_id, item.token_id, item.amount, item.model_name);
      END IF;
    END LOOP;
  END $$`;

/**
 * `ledger_reserve` for a batch of one, which an idle node sends: the same steps on the same rows in the same order, at
 * half the cost. Calls `ledger_reserve` for everything but the plain success, so that only one function decides on
 * refusals.
 */
const reserveOne = `
  CREATE FUNCTION ledger_reserve_one(p_node text, p_row json)
  RETURNS TABLE (out_request text, outcome integer, user_quota bigint, token_quota bigint) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  DECLARE
    wanted ledger_reservation;
  BEGIN
    SELECT x.r, x.u, x.t, x.a, x.m, coalesce(x.n, '') INTO wanted
      FROM json_to_record(p_row) AS x(r text, u integer, t integer, a bigint, m bigint, n text);
    IF wanted.amount > 0 THEN
      UPDATE users SET quota = quota - wanted.amount
        WHERE id = wanted.user_id AND (wanted.least = 0 OR quota >= greatest(wanted.amount, wanted.least));
      IF FOUND THEN
        IF wanted.token_id <> 0 THEN
          UPDATE tokens SET remain_quota = remain_quota - wanted.amount
            WHERE id = wanted.token_id AND (unlimited_quota OR remain_quota >= wanted.amount);
        END IF;
        IF FOUND THEN
          INSERT INTO reservations (request_id, node_id, user_id, token_id, amount, model_name)
            VALUES (wanted.request_id, p_node, wanted.user_id, wanted.token_id, wanted.amount, wanted.model_name);
          RETURN;
        END IF;
        UPDATE users SET quota = quota + wanted.amount WHERE id = wanted.user_id;
      END IF;
    END IF;
    RETURN QUERY SELECT * FROM ledger_reserve(p_node, json_build_array(p_row));
  END $$`;

/**
 * Returns reservations to their owners. `p_sweep` keeps an empty row, for a settlement that may still arrive from a spool,
 * and skips rows that another node sweeps. Otherwise a row that is locked, by a checkpoint of its session, is waited for.
 * Returns the request ids released.
 */
const release = `
  CREATE FUNCTION ledger_release(p_requests text[], p_sweep boolean) RETURNS TABLE (out_request text)
  LANGUAGE plpgsql SET enable_seqscan = off AS $$
  DECLARE
    ids text[];
    owners integer[];
    keys integer[];
    amounts bigint[];
    holds jsonb[];
    none bigint[];
  BEGIN
    IF NOT p_sweep THEN
      PERFORM 1 FROM reservations WHERE request_id = ANY (p_requests) AND swept_at IS NULL
        ORDER BY request_id FOR UPDATE;
    END IF;
    SELECT array_agg(r.request_id), array_agg(r.user_id), array_agg(r.token_id), array_agg(r.amount),
           array_agg(r.budget_holds) FILTER (WHERE r.budget_holds IS NOT NULL)
      INTO ids, owners, keys, amounts, holds
      FROM (SELECT * FROM reservations WHERE request_id = ANY (p_requests) AND swept_at IS NULL
             ORDER BY request_id FOR UPDATE SKIP LOCKED) r;
    IF ids IS NULL THEN RETURN; END IF;
    IF p_sweep THEN
      UPDATE reservations SET amount = 0, swept_at = now(),
             budget_holds = (SELECT jsonb_agg(h || '{"a": 0}') FROM jsonb_array_elements(budget_holds) h)
        WHERE request_id = ANY (ids);
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
    IF holds IS NOT NULL THEN
      none := array_fill(0::bigint, ARRAY[cardinality(holds)]);
      PERFORM ledger_move_budgets(holds, none, none, none, array_fill(false, ARRAY[cardinality(holds)]));
    END IF;
    RETURN QUERY SELECT unnest(ids);
  END $$`;

/**
 * One change of a balance that is not a call. `p_least`: refuse if the balance would fall below it (NULL: no floor).
 * Returns the balance after, NULL if the source was posted before. Raises LDG01 below the floor, LDG02 without an account.
 */
const post = `
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
  END $$`;

/** Statements that create every function of the ledger, in order. Its tables must exist. */
export const ledgerFunctions: readonly string[] = [
  reservationType,
  reserve,
  reserveOne,
  ...settlementFunctions,
  ...turnFunctions,
  release,
  post,
];

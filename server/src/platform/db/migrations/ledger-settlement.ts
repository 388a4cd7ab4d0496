import { countBatch, countOne, countPlans, usageTables } from './ledger-usage.js';

/** SQL of the ledger functions that settle calls: charge, counters, log row and usage in one statement. */

/** Parts of a quota unit. */
export const billion = 1_000_000_000;

const settlementType = `
  CREATE TYPE ledger_call AS (
    request_id text, user_id integer, token_id integer, reserved bigint, charge bigint, most bigint, counted integer,
    logged boolean, created_at bigint, channel_id integer, username text, token_name text, model_name text,
    "group" text, prompt_tokens integer, completion_tokens integer, cached_tokens integer, duration_ms bigint,
    duration_bucket integer, first_token_bucket integer, cost_nano_usd bigint, is_stream boolean, content text, other text,
    budget_holds jsonb, rest bigint
  )`;

/**
 * One settlement as JSON. `first_token_bucket` and `cost_nano_usd` are null if unknown. `least` is the part of the
 * charge that is charged regardless of the balance; null: all of it. `rest` is the price minus the charge, in
 * billionths of a quota unit; null in settlements of earlier builds.
 */
export const settlementColumns = `
    request_id text, charge bigint, least bigint, counted integer, logged boolean, created_at bigint, channel_id integer, username text,
    token_name text, model_name text, "group" text, prompt_tokens integer, completion_tokens integer,
    cached_tokens integer, duration_ms bigint, duration_bucket integer, first_token_bucket integer, cost_nano_usd bigint,
    is_stream boolean, content text, other text, rest bigint`;

export const logColumns = `created_at, request_id, type, user_id, username, token_id, token_name, channel_id, model_name,
      "group", quota, prompt_tokens, completion_tokens, use_time, is_stream, content, other`;

/**
 * Adds to the details of a log row the fractions of a unit that its user carried before and after the call, in
 * billionths. A session has the sums of its turns.
 */
const carried = `
  CREATE FUNCTION ledger_carried(p_other text, p_before bigint, p_after bigint) RETURNS text
  LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_before = 0 AND p_after = 0 THEN p_other
                ELSE '{"carried":[' || p_before || ',' || p_after || ']'
                     || CASE p_other WHEN '{}' THEN '}' ELSE ',' || substr(p_other, 2) END END
  $$`;

/** Adds the fractions of calls to those of their users. */
const addRests = 'ON CONFLICT (user_id) DO UPDATE SET rests = c.rests + excluded.rests';

/**
 * SQL of the units that are charged for carried fractions. They are computed from the sum of all calls, so the order of the
 * calls does not matter.
 */
export const unitsOf = (rests: string): string => `div(${rests}, ${billion})`;
/** SQL of the fraction that remains. */
export const carryOf = (rests: string): string => `((${rests}) % ${billion})::bigint`;

/**
 * Charges the part of a settlement above `least`, as far as the balance and the key's limit allow, and returns the part
 * that they do not. The settlement that has charged `least` calls it, and has locked every row that changes here.
 */
const chargeRest = `
  CREATE FUNCTION ledger_charge_rest(p_call ledger_call) RETURNS bigint
  LANGUAGE plpgsql SET enable_seqscan = off AS $$
  DECLARE
    due bigint := p_call.most - p_call.charge;
    more bigint;
  BEGIN
    SELECT least(due, greatest(u.quota, 0), CASE WHEN t.id IS NULL OR t.unlimited_quota THEN due
             ELSE greatest(t.remain_quota, 0) END)
      INTO more FROM users u LEFT JOIN tokens t ON t.id = p_call.token_id WHERE u.id = p_call.user_id;
    more := coalesce(more, 0);
    ${usageTables
      .map(
        ({ name, time, seconds, keys }) => `UPDATE ${name} SET quota = quota + more,
        logged_quota = logged_quota + CASE WHEN p_call.logged THEN more ELSE 0 END,
        cost_quota = cost_quota + CASE WHEN p_call.cost_nano_usd IS NULL THEN 0 ELSE more END
      WHERE ${time} = p_call.created_at - p_call.created_at % ${seconds} AND ${keys.map((key) => `${key} = p_call.${key}`).join(' AND ')}`,
      )
      .join(';\n    ')};
    UPDATE channels SET used_quota = used_quota + more WHERE id = p_call.channel_id;
    UPDATE users SET quota = quota - more, used_quota = used_quota + more WHERE id = p_call.user_id;
    UPDATE tokens SET remain_quota = remain_quota - more, used_quota = used_quota + more WHERE id = p_call.token_id;
    UPDATE logs SET quota = quota + more,
                    other = CASE WHEN due = more THEN other
                                 ELSE (other::jsonb || jsonb_build_object('uncharged_quota', due - more))::text END
      WHERE created_at = p_call.created_at AND request_id = p_call.request_id AND type = 2;
    RETURN due - more;
  END $$`;

/**
 * Settles a batch. `out_missing` names requests without a reservation: settled before, or lost (see `ledger_settle_lost`).
 * `out_request` and `out_uncharged` name the calls whose charge the balance did not cover, and the difference.
 */
const settleCalls = `
  CREATE FUNCTION ledger_settle_calls(p_rows json)
  RETURNS TABLE (out_user integer, user_quota bigint, out_missing text, out_request text, out_uncharged bigint)
  LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  DECLARE
    due ledger_call[];
    partly ledger_call;
    charged integer[];
    balances bigint[];
    short_calls text[] := '{}';
    short_by bigint[] := '{}';
  BEGIN
    WITH input AS MATERIALIZED (
      -- A replay may arrive in the same batch as its original.
      SELECT DISTINCT ON (x.request_id) x.* FROM ROWS FROM (json_to_recordset(p_rows) AS (${settlementColumns})) WITH ORDINALITY x
    ), gone AS (
      DELETE FROM reservations r WHERE r.request_id = ANY (ARRAY(SELECT i.request_id FROM input i))
      RETURNING r.request_id, r.user_id, r.token_id, r.amount, r.budget_holds
    ), calls AS MATERIALIZED (
      SELECT i.*, g.user_id, g.token_id, g.amount, g.budget_holds FROM gone g JOIN input i ON i.request_id = g.request_id
    ), carries AS (
      INSERT INTO quota_carry AS c (user_id, rests)
        SELECT k.user_id, sum(k.rest) FROM calls k WHERE k.rest <> 0 GROUP BY k.user_id ORDER BY k.user_id
        ${addRests} RETURNING c.user_id, c.rests
    ), sums AS (
      SELECT k.*, c.rests - sum(k.rest) OVER (PARTITION BY k.user_id)
                  + sum(k.rest) OVER (PARTITION BY k.user_id ORDER BY k.ordinality) AS rests
        FROM calls k LEFT JOIN carries c ON c.user_id = k.user_id
    ), charges AS (
      SELECT s.*, coalesce(${unitsOf('s.rests')} - ${unitsOf('s.rests - s.rest')}, 0)::bigint AS units FROM sums s
    )
    SELECT array_agg(ROW(i.request_id, i.user_id, i.token_id, i.amount, least(i.least, i.charge + i.units), i.charge + i.units,
             i.counted, i.logged, i.created_at, i.channel_id, i.username, i.token_name, i.model_name, i."group",
             i.prompt_tokens, i.completion_tokens, i.cached_tokens, i.duration_ms, i.duration_bucket, i.first_token_bucket,
             i.cost_nano_usd, i.is_stream, i.content,
             CASE WHEN i.rest <> 0 THEN ledger_carried(i.other, ${carryOf('i.rests - i.rest')}, ${carryOf('i.rests')}) ELSE i.other END,
             i.budget_holds, coalesce(i.rest, 0) - i.units * ${billion})::ledger_call)
      INTO due FROM charges i;
    IF coalesce(cardinality(due), 0) < json_array_length(p_rows) THEN
      RETURN QUERY SELECT DISTINCT NULL::integer, NULL::bigint, x.request_id, NULL::text, NULL::bigint
        FROM json_to_recordset(p_rows) AS x(request_id text)
        WHERE NOT EXISTS (SELECT 1 FROM unnest(due) d WHERE d.request_id = x.request_id);
    END IF;
    IF due IS NULL THEN RETURN; END IF;

    INSERT INTO logs (${logColumns})
      SELECT d.created_at, d.request_id, 2, d.user_id, d.username, d.token_id, d.token_name, d.channel_id, d.model_name,
             d."group", d.charge, d.prompt_tokens, d.completion_tokens, (d.duration_ms / 1000)::integer, d.is_stream,
             d.content, d.other
      FROM unnest(due) d WHERE d.logged;
    INSERT INTO settled_unlogged (request_id) SELECT d.request_id FROM unnest(due) d WHERE NOT d.logged
      ON CONFLICT DO NOTHING;

    ${usageTables.map(countBatch).join(';\n    ')};

    -- Lock each table's rows in id order before changing any. The users' rows, which every call of a user waits for, come
    -- late: they stay locked until the commit is flushed.
    UPDATE channels SET used_quota = used_quota + t.charge
      FROM (SELECT id FROM channels WHERE id IN (SELECT d.channel_id FROM unnest(due) d WHERE d.most <> 0)
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
                      last_used_at = greatest(last_used_at, to_timestamp(t.at))
      FROM (SELECT id FROM tokens WHERE id IN (SELECT d.token_id FROM unnest(due) d WHERE d.token_id <> 0)
             ORDER BY id FOR NO KEY UPDATE) l
      JOIN (SELECT d.token_id, sum(d.reserved - d.charge) AS back, sum(d.charge) AS charge, max(d.created_at) AS at
              FROM unnest(due) d GROUP BY d.token_id) t ON t.token_id = l.id
      WHERE tokens.id = l.id;

    IF EXISTS (SELECT 1 FROM unnest(due) d WHERE d.charge < d.most) THEN
      FOR partly IN SELECT * FROM unnest(due) d WHERE d.charge < d.most ORDER BY d.request_id LOOP
        out_request := partly.request_id;
        out_uncharged := ledger_charge_rest(partly);
        short_calls := short_calls || out_request;
        short_by := short_by || out_uncharged;
        IF out_uncharged > 0 THEN RETURN NEXT; END IF;
      END LOOP;
      SELECT array_agg(u.id), array_agg(u.quota) INTO charged, balances FROM users u WHERE u.id = ANY (charged);
    END IF;
    IF EXISTS (SELECT 1 FROM unnest(due) d WHERE d.budget_holds IS NOT NULL) THEN
      PERFORM ledger_settle_budgets(array_agg(d.request_id), array_agg(d.created_at), array_agg(d.budget_holds),
          array_agg(d.most - coalesce(short_by[array_position(short_calls, d.request_id)], 0)),
          array_agg(d.prompt_tokens::bigint + d.completion_tokens), array_agg(d.logged))
        FROM unnest(due) d WHERE d.budget_holds IS NOT NULL;
      IF EXISTS (SELECT 1 FROM unnest(due) d WHERE d.budget_holds @> '[{"i": 0}]') THEN
        ${usageTables
          .map((table) =>
            countPlans(
              table,
              `(SELECT * FROM unnest(due) WHERE budget_holds @> '[{"i": 0}]' AND cost_nano_usd IS NOT NULL)`,
            ),
          )
          .join(';\n        ')};
      END IF;
    END IF;
    RETURN QUERY SELECT charged_id, balance, NULL::text, NULL::text, NULL::bigint
      FROM unnest(charged, balances) AS x(charged_id, balance);
  END $$`;

/** `ledger_settle_calls` for a batch of one: the same steps on the same rows in the same order, at half the cost. */
const settleOne = `
  CREATE FUNCTION ledger_settle_one(p_row json)
  RETURNS TABLE (out_user integer, user_quota bigint, out_missing text, out_request text, out_uncharged bigint)
  LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  DECLARE
    call record;
    reserved record;
    most bigint;
    owed numeric;
    units bigint;
  BEGIN
    SELECT * INTO call FROM json_to_record(p_row) AS x(${settlementColumns});
    DELETE FROM reservations r WHERE r.request_id = call.request_id
      RETURNING r.user_id, r.token_id, r.amount, r.budget_holds INTO reserved;
    IF NOT FOUND THEN
      out_missing := call.request_id;
      RETURN NEXT;
      RETURN;
    END IF;
    IF call.rest <> 0 THEN
      INSERT INTO quota_carry AS c (user_id, rests) VALUES (reserved.user_id, call.rest)
        ${addRests} RETURNING c.rests INTO owed;
      units := ${unitsOf('owed')} - ${unitsOf('owed - call.rest')};
      call.other := ledger_carried(call.other, ${carryOf('owed - call.rest')}, ${carryOf('owed')});
      call.charge := call.charge + units;
      call.rest := call.rest - units * ${billion};
    END IF;
    most := call.charge;
    call.charge := least(call.least, most);

    IF call.logged THEN
      INSERT INTO logs (${logColumns})
        VALUES (call.created_at, call.request_id, 2, reserved.user_id, call.username, reserved.token_id, call.token_name,
                call.channel_id, call.model_name, call."group", call.charge, call.prompt_tokens,
                call.completion_tokens, (call.duration_ms / 1000)::integer, call.is_stream, call.content, call.other);
    ELSE
      INSERT INTO settled_unlogged (request_id) VALUES (call.request_id) ON CONFLICT DO NOTHING;
    END IF;

    ${usageTables.map(countOne).join(';\n    ')};

    IF most <> 0 THEN
      UPDATE channels SET used_quota = used_quota + call.charge WHERE id = call.channel_id;
    END IF;
    UPDATE users SET quota = quota + reserved.amount - call.charge, used_quota = used_quota + call.charge,
                     request_count = request_count + call.counted
      WHERE id = reserved.user_id RETURNING id, quota INTO out_user, user_quota;
    UPDATE tokens SET remain_quota = remain_quota + reserved.amount - call.charge, used_quota = used_quota + call.charge,
                      last_used_at = greatest(last_used_at, to_timestamp(call.created_at))
      WHERE id = reserved.token_id;
    IF call.charge < most THEN
      out_uncharged := ledger_charge_rest(ROW(call.request_id, reserved.user_id, reserved.token_id, reserved.amount,
        call.charge, most, call.counted, call.logged, call.created_at, call.channel_id, call.username, call.token_name,
        call.model_name, call."group", call.prompt_tokens, call.completion_tokens, call.cached_tokens, call.duration_ms,
        call.duration_bucket, call.first_token_bucket, call.cost_nano_usd, call.is_stream, call.content,
        call.other, NULL, call.rest)::ledger_call);
      SELECT quota INTO user_quota FROM users WHERE id = reserved.user_id;
      IF out_uncharged > 0 THEN out_request := call.request_id; END IF;
    END IF;
    IF reserved.budget_holds IS NOT NULL THEN
      PERFORM ledger_settle_budgets(ARRAY[call.request_id], ARRAY[call.created_at], ARRAY[reserved.budget_holds],
        ARRAY[most - coalesce(out_uncharged, 0)], ARRAY[call.prompt_tokens::bigint + call.completion_tokens],
        ARRAY[call.logged]);
      IF reserved.budget_holds @> '[{"i": 0}]' AND call.cost_nano_usd IS NOT NULL THEN
        ${usageTables
          .map((table) =>
            countPlans(
              table,
              `(SELECT call.created_at, reserved.user_id, reserved.token_id, call.channel_id, call.model_name, call."group", call.charge)`,
            ),
          )
          .join(';\n        ')};
      END IF;
    END IF;
    IF out_user IS NOT NULL OR out_request IS NOT NULL THEN RETURN NEXT; END IF;
  END $$`;

/** Statements that create the type and the functions of settlements, in order. */
export const settlementFunctions: readonly string[] = [settlementType, carried, chargeRest, settleCalls, settleOne];

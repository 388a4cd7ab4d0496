/** SQL of the ledger functions that settle calls: charge, counters, log row and usage in one statement. */

/** One settlement as JSON. `first_token_bucket` and `cost_nano_usd` are null where unknown. */
const settlementColumns = `
    request_id text, charge bigint, counted integer, logged boolean, created_at bigint, channel_id integer, username text,
    token_name text, model_name text, "group" text, prompt_tokens integer, completion_tokens integer,
    cached_tokens integer, duration_ms bigint, duration_bucket integer, first_token_bucket integer, cost_nano_usd bigint,
    is_stream boolean, content text, other text`;

const logColumns = `created_at, request_id, type, user_id, username, token_id, token_name, channel_id, model_name,
      "group", quota, prompt_tokens, completion_tokens, use_time, is_stream, content, other`;

const usageMeasures = `calls, stream_calls, prompt_tokens, completion_tokens, cached_tokens, quota, logged_calls, logged_quota,
      duration_ms, cost_calls, cost_quota, cost_nano_usd, duration_buckets, first_token_buckets`;

/** The tables that count usage: by hour for good, and by five minutes for the last two days. */
const usageTables = [
  {
    name: 'usage_hourly',
    time: 'hour',
    seconds: 3600,
    keys: ['user_id', 'token_id', 'channel_id', 'model_name', '"group"'],
  },
  { name: 'usage_five_minutes', time: 'start', seconds: 300, keys: ['channel_id', 'model_name'] },
];
type UsageTable = (typeof usageTables)[number];

const keysOf = ({ time, keys }: UsageTable): string => [time, ...keys].join(', ');

/** End of an upsert into one of them `AS h`; the two arrays follow. */
const addToUsageRow = (table: UsageTable): string => `ON CONFLICT (${keysOf(table)}) DO UPDATE SET
        calls = h.calls + excluded.calls,
        stream_calls = h.stream_calls + excluded.stream_calls,
        prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = h.completion_tokens + excluded.completion_tokens,
        cached_tokens = h.cached_tokens + excluded.cached_tokens,
        quota = h.quota + excluded.quota,
        logged_calls = h.logged_calls + excluded.logged_calls,
        logged_quota = h.logged_quota + excluded.logged_quota,
        duration_ms = h.duration_ms + excluded.duration_ms,
        cost_calls = h.cost_calls + excluded.cost_calls,
        cost_quota = h.cost_quota + excluded.cost_quota,
        cost_nano_usd = h.cost_nano_usd + excluded.cost_nano_usd`;

/** Counts a batch of settlements `due`, in the order of the keys. */
const countBatch = (table: UsageTable): string => {
  const keys = table.keys.map((key) => `k.${key}`).join(', ');
  const histogram = (bucket: string): string => `coalesce((
               SELECT array_agg((SELECT count(*) FROM unnest(array_agg(k.${bucket})) b WHERE b = n) ORDER BY n)
                 FROM generate_series(0, max(k.${bucket})) n), '{}')`;
  const merged = (column: string): string => `coalesce((
          SELECT array_agg(coalesce(h.${column}[i], 0) + coalesce(excluded.${column}[i], 0) ORDER BY i)
            FROM generate_series(1, greatest(cardinality(h.${column}), cardinality(excluded.${column}))) i), '{}')`;
  return `INSERT INTO ${table.name} AS h (${keysOf(table)}, ${usageMeasures})
      SELECT k.time, ${keys}, count(*), sum(k.is_stream::integer), sum(k.prompt_tokens), sum(k.completion_tokens),
             sum(k.cached_tokens), sum(k.charge), sum(k.logged::integer), sum(CASE WHEN k.logged THEN k.charge ELSE 0 END),
             sum(k.duration_ms), count(k.cost_nano_usd), coalesce(sum(k.charge) FILTER (WHERE k.cost_nano_usd IS NOT NULL), 0),
             coalesce(sum(k.cost_nano_usd), 0), ${histogram('duration_bucket')}, ${histogram('first_token_bucket')}
        FROM (SELECT *, d.created_at - d.created_at % ${table.seconds} AS time FROM unnest(due) d) k
       GROUP BY k.time, ${keys} ORDER BY k.time, ${keys}
      ${addToUsageRow(table)},
        duration_buckets = ${merged('duration_buckets')},
        first_token_buckets = ${merged('first_token_buckets')}`;
};

/** Counts one settlement `call` of a reservation `reserved`. */
const countOne = (table: UsageTable): string => {
  const keys = table.keys.map((key) => (/^(user|token)_id$/.test(key) ? `reserved.${key}` : `call.${key}`)).join(', ');
  const one = (bucket: string): string => `array_fill(0::bigint, ARRAY[call.${bucket}]) || 1::bigint`;
  // Increments one bucket; pads with zeros if the row has fewer.
  const incremented = (column: string, bucket: string): string => `h.${column}[1 : call.${bucket}]
          || array_fill(0::bigint, ARRAY[greatest(call.${bucket} - cardinality(h.${column}), 0)])
          || (coalesce(h.${column}[call.${bucket} + 1], 0) + 1)
          || h.${column}[call.${bucket} + 2 : cardinality(h.${column})]`;
  return `INSERT INTO ${table.name} AS h (${keysOf(table)}, ${usageMeasures})
      VALUES (call.created_at - call.created_at % ${table.seconds}, ${keys}, 1, call.is_stream::integer, call.prompt_tokens,
              call.completion_tokens, call.cached_tokens, call.charge, call.logged::integer,
              CASE WHEN call.logged THEN call.charge ELSE 0 END, call.duration_ms, (call.cost_nano_usd IS NOT NULL)::integer,
              CASE WHEN call.cost_nano_usd IS NULL THEN 0 ELSE call.charge END, coalesce(call.cost_nano_usd, 0),
              ${one('duration_bucket')},
              CASE WHEN call.first_token_bucket IS NULL THEN '{}'::bigint[] ELSE ${one('first_token_bucket')} END)
      ${addToUsageRow(table)},
        duration_buckets = ${incremented('duration_buckets', 'duration_bucket')},
        first_token_buckets = CASE WHEN call.first_token_bucket IS NULL THEN h.first_token_buckets
          ELSE ${incremented('first_token_buckets', 'first_token_bucket')} END`;
};

/** Settles a batch. `out_missing` names requests without a reservation: settled before, or lost (see `ledger_settle_lost`). */
export const settleCalls = `
  CREATE FUNCTION ledger_settle_calls(p_rows json)
  RETURNS TABLE (out_user integer, user_quota bigint, out_missing text) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  DECLARE
    due ledger_settlement[];
    charged integer[];
    balances bigint[];
  BEGIN
    WITH input AS MATERIALIZED (
      -- A replay may arrive in the same batch as its original.
      SELECT DISTINCT ON (x.request_id) * FROM json_to_recordset(p_rows) AS x(${settlementColumns})
    ), gone AS (
      DELETE FROM reservations r WHERE r.request_id = ANY (ARRAY(SELECT i.request_id FROM input i))
      RETURNING r.request_id, r.user_id, r.token_id, r.amount
    )
    SELECT array_agg(ROW(i.request_id, g.user_id, g.token_id, g.amount, i.charge, i.counted, i.logged, i.created_at,
             i.channel_id, i.username, i.token_name, i.model_name, i."group", i.prompt_tokens, i.completion_tokens,
             i.cached_tokens, i.duration_ms, i.duration_bucket, i.first_token_bucket, i.cost_nano_usd, i.is_stream, i.content,
             i.other)::ledger_settlement)
      INTO due FROM gone g JOIN input i ON i.request_id = g.request_id;
    IF coalesce(cardinality(due), 0) < json_array_length(p_rows) THEN
      RETURN QUERY SELECT DISTINCT NULL::integer, NULL::bigint, x.request_id
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
  END $$`;

/** `ledger_settle_calls` for a batch of one: the same steps on the same rows in the same order, at half the cost. */
export const settleOne = `
  CREATE FUNCTION ledger_settle_one(p_row json)
  RETURNS TABLE (out_user integer, user_quota bigint, out_missing text) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  DECLARE
    call record;
    reserved record;
  BEGIN
    SELECT * INTO call FROM json_to_record(p_row) AS x(${settlementColumns});
    DELETE FROM reservations r WHERE r.request_id = call.request_id
      RETURNING r.user_id, r.token_id, r.amount INTO reserved;
    IF NOT FOUND THEN
      out_missing := call.request_id;
      RETURN NEXT;
      RETURN;
    END IF;

    IF call.logged THEN
      INSERT INTO logs (${logColumns})
        VALUES (call.created_at, call.request_id, 2, reserved.user_id, call.username, reserved.token_id, call.token_name,
                call.channel_id, call.model_name, call."group", call.charge, call.prompt_tokens,
                call.completion_tokens, (call.duration_ms / 1000)::integer, call.is_stream, call.content, call.other);
    ELSE
      INSERT INTO settled_unlogged (request_id) VALUES (call.request_id) ON CONFLICT DO NOTHING;
    END IF;

    ${usageTables.map(countOne).join(';\n    ')};

    IF call.charge <> 0 THEN
      UPDATE channels SET used_quota = used_quota + call.charge WHERE id = call.channel_id;
    END IF;
    UPDATE users SET quota = quota + reserved.amount - call.charge, used_quota = used_quota + call.charge,
                     request_count = request_count + call.counted
      WHERE id = reserved.user_id RETURNING id, quota INTO out_user, user_quota;
    UPDATE tokens SET remain_quota = remain_quota + reserved.amount - call.charge, used_quota = used_quota + call.charge,
                      accessed_time = greatest(accessed_time, call.created_at)
      WHERE id = reserved.token_id;
    IF out_user IS NOT NULL THEN RETURN NEXT; END IF;
  END $$`;

/**
 * Settles calls without a reservation: either settled before, or the reservation was lost in a database crash, since
 * reservations are not flushed. Inserts a stand-in reservation, which also serializes two such settlements of one call,
 * then looks for proof of an earlier settlement. Where log rows were deleted since, there is no proof either way:
 * `out_doubtful` names those, and they stay open.
 */
export const settleLost = `
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

    RETURN QUERY SELECT s.out_user, s.user_quota, NULL::text FROM ledger_settle_calls(p_rows) s
      WHERE s.out_user IS NOT NULL;
    RETURN QUERY SELECT NULL::integer, NULL::bigint, d FROM unnest(doubtful) d;
  END $$`;

/**
 * Settles one turn of a realtime session. All turns of a session share one log row, updated in the transaction that
 * charges, so the row is correct after a crash.
 *
 * `p_row` is one row of `ledger_settle_calls`; its content and other describe the whole session so far. `p_session` is the
 * request id of the log row, `p_log_at` its time, 0 before it exists. Returns the balance after; no row for a replay.
 */
export const settleTurn = `
  CREATE FUNCTION ledger_settle_turn(p_row json, p_session text, p_log_at bigint) RETURNS TABLE (user_quota bigint)
  LANGUAGE plpgsql AS $$
  DECLARE
    turn record;
    balance bigint;
    owner reservations%ROWTYPE;
    log_hour bigint;
  BEGIN
    SELECT * INTO turn FROM json_to_record(p_row) AS x(${settlementColumns});
    SELECT * INTO owner FROM reservations WHERE request_id = turn.request_id;
    IF NOT FOUND THEN RETURN; END IF;
    -- Settles the turn without a log row of its own.
    SELECT s.user_quota INTO balance
      FROM ledger_settle_calls(json_build_array(p_row::jsonb || '{"logged": false}'::jsonb)) s
      WHERE s.out_user IS NOT NULL;
    IF NOT FOUND THEN RETURN; END IF;
    IF turn.logged THEN
      IF p_log_at = 0 THEN
        INSERT INTO logs (${logColumns})
          VALUES (turn.created_at, p_session, 2, owner.user_id, turn.username, owner.token_id, turn.token_name,
                  turn.channel_id, turn.model_name, turn."group", turn.charge, turn.prompt_tokens,
                  turn.completion_tokens, (turn.duration_ms / 1000)::integer, turn.is_stream, turn.content, turn.other);
      ELSE
        UPDATE logs SET quota = quota + turn.charge, prompt_tokens = prompt_tokens + turn.prompt_tokens,
                        completion_tokens = completion_tokens + turn.completion_tokens,
                        use_time = use_time + (turn.duration_ms / 1000)::integer,
                        content = turn.content, other = turn.other
          WHERE created_at = p_log_at AND request_id = p_session AND type = 2;
        -- If the row of a running session was deleted, the rest of the session is not logged.
        IF NOT FOUND THEN
          RETURN QUERY SELECT balance;
          RETURN;
        END IF;
      END IF;
      -- Reconciliation compares the log with the hour of the log row.
      log_hour := CASE WHEN p_log_at = 0 THEN turn.created_at ELSE p_log_at END;
      log_hour := log_hour - log_hour % 3600;
      UPDATE usage_hourly SET logged_quota = logged_quota + turn.charge,
                              logged_calls = logged_calls + (p_log_at = 0)::integer
        WHERE hour = log_hour AND user_id = owner.user_id AND token_id = owner.token_id
          AND channel_id = turn.channel_id AND model_name = turn.model_name AND "group" = turn."group";
    END IF;
    RETURN QUERY SELECT balance;
  END $$`;

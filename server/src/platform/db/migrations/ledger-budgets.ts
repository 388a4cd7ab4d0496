/**
 * SQL of budgets and plans. A reservation stores its holds on budgets in `reservations.budget_holds`, an array of
 * `{"i": budget, "k": "m" | "t" | "r", "s": start of the window or bucket, "a": amount}`. It is null for calls without a
 * budget or a plan, which never run these functions.
 *
 * A reservation that a plan pays has one more element: `{"i": 0, "p": subscription, "u": account, "a": amount}`. No budget
 * has the id 0, so the joins with budgets ignore it. The balance of the account then reserves nothing, although
 * `reservations.amount` is the whole amount: what ends the reservation returns the amount and takes the charge, and
 * `ledger_move_budgets` corrects both in the same transaction.
 *
 * Rows are locked after users and tokens: those of `budgets` by id, of `subscription_use` by id, of `budget_windows` by
 * budget and start, of `plan_usage_hourly` last.
 */

/**
 * Fields of a hold in the request of a node: `f` is the first bucket that counts, `e` the end of the window or `d` the
 * lifetime of a bucket.
 */
const askedHold = 'i integer, k text, s bigint, f bigint, e bigint, d bigint, a bigint';
const hold = 'i integer, k text, s bigint, a bigint';
const plan = 'p integer, u integer, a bigint';

/**
 * Selects the budget that refuses these holds. Of several, it is the one that has room again last. `budget_left` is the smallest
 * remaining amount of its kind, `frees_at` the Unix second at which it has room. No row: all have room. The rows of the
 * budgets must be locked.
 */
const refusing = `
  CREATE FUNCTION ledger_refusing_budget(p_holds jsonb)
  RETURNS TABLE (out_budget integer, budget_left bigint, frees_at bigint) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  BEGIN
    RETURN QUERY
      SELECT h.i, greatest(g.amount - t.total, 0)::bigint,
             coalesce(h.e, (SELECT min(c.started_at) FROM (
                              SELECT w.started_at, sum(w.used + w.held) OVER (ORDER BY w.started_at) AS sum
                                FROM budget_windows w WHERE w.budget_id = h.i AND w.started_at BETWEEN h.f AND h.s) c
                             WHERE t.total - c.sum + h.a <= g.amount) + h.d, h.s + h.d)
      FROM jsonb_to_recordset(p_holds) AS h(${askedHold})
      JOIN budgets g ON g.id = h.i AND g.enabled
      CROSS JOIN LATERAL (SELECT coalesce(sum(w.used + w.held), 0) AS total FROM budget_windows w
                           WHERE w.budget_id = h.i AND w.started_at BETWEEN h.f AND h.s) t
      WHERE h.a > 0 AND t.total + h.a > g.amount
      ORDER BY 3 DESC, 1 LIMIT 1;
  END $$`;

/** Adds holds to their windows and returns those of budgets that exist and are enabled; null without any. */
const take = `
  CREATE FUNCTION ledger_take_budgets(p_holds jsonb) RETURNS jsonb LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  DECLARE
    taken jsonb;
  BEGIN
    SELECT jsonb_agg(jsonb_build_object('i', h.i, 'k', h.k, 's', h.s, 'a', h.a) ORDER BY h.i) INTO taken
      FROM jsonb_to_recordset(p_holds) AS h(${hold}) JOIN budgets g ON g.id = h.i AND g.enabled;
    INSERT INTO budget_windows AS w (budget_id, started_at, held)
      SELECT h.i, h.s, h.a FROM jsonb_to_recordset(taken) AS h(${hold}) ORDER BY h.i, h.s
      ON CONFLICT (budget_id, started_at) DO UPDATE SET held = w.held + excluded.held;
    RETURN taken;
  END $$`;

/**
 * Returns to the balances what plans pay: the charge that the settlement took from the balance, less the reserved amount
 * that it returned although the balance had not reserved it. The rows of the users are locked.
 */
const pay = `
  CREATE FUNCTION ledger_pay_by_plan(p_holds jsonb[], p_charges bigint[], p_logged boolean[]) RETURNS void
  LANGUAGE plpgsql SET enable_seqscan = off AS $$
  BEGIN
    UPDATE users SET quota = quota + t.back
      FROM (SELECT h.u AS id, sum(x.charge - h.a) AS back
              FROM unnest(p_holds, p_charges) AS x(holds, charge)
              CROSS JOIN LATERAL jsonb_to_recordset(x.holds) AS h(${plan}) WHERE h.p IS NOT NULL GROUP BY h.u) t
      WHERE users.id = t.id;
    PERFORM 1 FROM subscription_use WHERE subscription_id IN (
        SELECT h.p FROM unnest(p_holds) AS x(holds) CROSS JOIN LATERAL jsonb_to_recordset(x.holds) AS h(${plan}))
      ORDER BY subscription_id FOR NO KEY UPDATE;
    UPDATE subscription_use s SET held = s.held - t.held, used = s.used + t.used, logged = s.logged + t.logged
      FROM (SELECT h.p AS id, sum(h.a) AS held, sum(x.charge) AS used,
                   sum(CASE WHEN x.logged THEN x.charge ELSE 0 END) AS logged
              FROM unnest(p_holds, p_charges, p_logged) AS x(holds, charge, logged)
              CROSS JOIN LATERAL jsonb_to_recordset(x.holds) AS h(${plan}) WHERE h.p IS NOT NULL GROUP BY h.p) t
      WHERE s.subscription_id = t.id;
  END $$`;

/**
 * Ends the holds of calls: adds the use of each call to the window in which it was reserved. `p_calls` is 0 for a call
 * that is released. A batch counts each of its lines as a request, as it was reserved. `logged` is the part that has a log row. Plans pay for their calls first.
 */
const move = `
  CREATE FUNCTION ledger_move_budgets(p_holds jsonb[], p_charges bigint[], p_tokens bigint[], p_calls bigint[],
                                                 p_logged boolean[]) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off AS $$
  BEGIN
    IF EXISTS (SELECT FROM unnest(p_holds) h WHERE h @> '[{"i": 0}]') THEN
      PERFORM ledger_pay_by_plan(p_holds, p_charges, p_logged);
    END IF;
    INSERT INTO budget_windows AS w (budget_id, started_at, held, used, logged)
      SELECT v.i, v.s, -sum(v.a), sum(v.used), sum(CASE WHEN v.logged THEN v.used ELSE 0 END)
        FROM (SELECT h.i, h.s, h.a, x.logged,
                     CASE h.k WHEN 'm' THEN x.charge WHEN 't' THEN x.tokens
                     ELSE x.calls * greatest(h.a, 1) END AS used
                FROM unnest(p_holds, p_charges, p_tokens, p_calls, p_logged) AS x(holds, charge, tokens, calls, logged)
                CROSS JOIN LATERAL jsonb_to_recordset(x.holds) AS h(${hold})
                JOIN budgets g ON g.id = h.i) v
       GROUP BY v.i, v.s ORDER BY v.i, v.s
      ON CONFLICT (budget_id, started_at) DO UPDATE
        SET held = w.held + excluded.held, used = w.used + excluded.used, logged = w.logged + excluded.logged;
  END $$`;

/** SQL that counts what plans pay. */
const countHours = (calls: string, count: string): string => `
    INSERT INTO plan_usage_hourly AS u (hour, account_id, calls, quota)
      SELECT x.at - x.at % 3600, h.u, ${count}, sum(x.charge)
        FROM ${calls} AS x(at, holds, charge)
        CROSS JOIN LATERAL jsonb_to_recordset(x.holds) AS h(${plan})
       WHERE h.p IS NOT NULL AND x.charge <> 0 GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (hour, account_id) DO UPDATE SET calls = u.calls + excluded.calls, quota = u.quota + excluded.quota`;

/**
 * Settles the holds of calls. The log row of each call names its budgets and their windows, from which reconciliation
 * recomputes them, and the plan that pays. The part that a plan pays is counted in the hour in which the usage of the call
 * is counted, however late the settlement arrives.
 */
const settle = `
  CREATE FUNCTION ledger_settle_budgets(p_requests text[], p_times bigint[], p_holds jsonb[], p_charges bigint[],
                                                   p_tokens bigint[], p_logged boolean[]) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off AS $$
  BEGIN
    UPDATE logs l SET other = (l.other::jsonb
             || jsonb_build_object('budgets', (
                  SELECT jsonb_agg(jsonb_build_array(h.i, h.s)) FROM jsonb_to_recordset(x.holds) AS h(${hold})
                    JOIN budgets g ON g.id = h.i))
             || coalesce((SELECT jsonb_build_object('plan', jsonb_build_object('id', s.id, 'name', s.terms -> 'name'))
                            FROM jsonb_to_recordset(x.holds) AS h(${plan}) JOIN subscriptions s ON s.id = h.p), '{}'))::text
      FROM unnest(p_requests, p_times, p_holds, p_logged) AS x(request, at, holds, logged)
      WHERE x.logged AND l.created_at = x.at AND l.request_id = x.request AND l.type = 2;
    PERFORM ledger_move_budgets(p_holds, p_charges, p_tokens, array_fill(1::bigint, ARRAY[cardinality(p_requests)]), p_logged);
    ${countHours('unnest(p_times, p_holds, p_charges)', 'count(*)')};
  END $$`;

/**
 * Returns the charge of a failed task to the windows of its plan, and counts it in the hour of its entry. The balance gets
 * the charge as a ledger entry, and pays it back here. Other budgets keep it.
 */
const giveBack = `
  CREATE FUNCTION ledger_return_to_plan(p_holds jsonb, p_charge bigint, p_logged boolean) RETURNS void
  LANGUAGE plpgsql SET enable_seqscan = off AS $$
  DECLARE
    returned jsonb;
  BEGIN
    SELECT jsonb_agg(h) INTO returned FROM jsonb_array_elements(p_holds) h
      LEFT JOIN budgets b ON b.id = (h ->> 'i')::integer WHERE h ? 'p' OR b.level = 'plan';
    PERFORM ledger_move_budgets(ARRAY[returned], ARRAY[-p_charge], '{0}', '{-1}', ARRAY[p_logged]);
    ${countHours('(VALUES (floor(extract(epoch FROM now()))::bigint, returned, -p_charge))', '-count(*)')};
  END $$`;

/**
 * `ledger_reserve` for calls with budgets or a plan, one by one in order of arrival. `b` contains the holds, `p` is the
 * subscription that pays. Outcome 4: a budget has no room (`out_budget`, see `ledger_refusing_budget`). Outcome 5: the
 * subscription is not active any more.
 */
const reserve = `
  CREATE FUNCTION ledger_reserve_budgeted(p_node text, p_rows json)
  RETURNS TABLE (out_request text, outcome integer, user_quota bigint, token_quota bigint, out_budget integer,
                 budget_left bigint, frees_at bigint)
  LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  DECLARE
    item record;
    holds jsonb;
  BEGIN
    PERFORM 1 FROM users WHERE id IN (SELECT x.u FROM json_to_recordset(p_rows) AS x(u integer))
      ORDER BY id FOR NO KEY UPDATE;
    PERFORM 1 FROM tokens WHERE id IN (SELECT x.t FROM json_to_recordset(p_rows) AS x(t integer))
      ORDER BY id FOR NO KEY UPDATE;
    PERFORM 1 FROM budgets WHERE id IN (
        SELECT h.i FROM json_to_recordset(p_rows) AS x(b jsonb), jsonb_to_recordset(x.b) AS h(i integer))
      ORDER BY id FOR NO KEY UPDATE;
    PERFORM 1 FROM subscription_use WHERE subscription_id IN (
        SELECT x.p FROM json_to_recordset(p_rows) AS x(p integer) WHERE x.p IS NOT NULL)
      ORDER BY subscription_id FOR NO KEY UPDATE;
    FOR item IN SELECT * FROM json_to_recordset(p_rows)
                  AS x(r text, u integer, t integer, a bigint, m bigint, n text, b jsonb, p integer) LOOP
      out_request := item.r;
      outcome := 0;
      token_quota := NULL;
      out_budget := NULL;
      SELECT quota INTO user_quota FROM users WHERE id = item.u;
      IF user_quota IS NULL THEN
        outcome := 1;
      ELSIF item.p IS NOT NULL AND NOT EXISTS (
          SELECT FROM subscriptions s WHERE s.id = item.p AND s.account_id = item.u AND s.state = 'active') THEN
        outcome := 5;
      ELSIF item.p IS NULL AND item.m > 0 AND user_quota < greatest(item.a, item.m) THEN
        outcome := 2;
      ELSIF item.t <> 0 THEN
        SELECT CASE WHEN unlimited_quota THEN NULL ELSE remain_quota END INTO token_quota FROM tokens WHERE id = item.t;
        IF NOT FOUND OR (item.a > 0 AND token_quota < item.a) THEN outcome := 3; END IF;
      END IF;
      IF outcome = 0 THEN
        SELECT f.out_budget, f.budget_left, f.frees_at INTO out_budget, budget_left, frees_at
          FROM ledger_refusing_budget(item.b) f;
        IF FOUND THEN outcome := 4; END IF;
      END IF;
      IF outcome <> 0 THEN
        RETURN NEXT;
      ELSE
        holds := ledger_take_budgets(item.b);
        IF item.p IS NULL THEN
          UPDATE users SET quota = quota - item.a WHERE id = item.u AND item.a > 0;
        ELSE
          UPDATE subscription_use SET held = held + item.a WHERE subscription_id = item.p;
          holds := coalesce(holds, '[]') || jsonb_build_array(
            jsonb_build_object('i', 0, 'p', item.p, 'u', item.u, 'a', item.a));
        END IF;
        UPDATE tokens SET remain_quota = remain_quota - item.a WHERE id = item.t AND item.a > 0;
        INSERT INTO reservations (request_id, node_id, user_id, token_id, amount, model_name, budget_holds)
          VALUES (item.r, p_node, item.u, item.t, item.a, coalesce(item.n, ''), holds);
      END IF;
    END LOOP;
  END $$`;

/**
 * Adds holds to a reservation: those on budgets of the channel that is about to serve its call. Returns the budget that
 * refuses. If a crash has lost the reservation, nothing is held.
 */
const add = `
  CREATE FUNCTION ledger_add_budgets(p_request text, p_holds jsonb)
  RETURNS TABLE (out_budget integer, budget_left bigint, frees_at bigint) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  BEGIN
    PERFORM 1 FROM reservations WHERE request_id = p_request AND swept_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM 1 FROM budgets WHERE id IN (SELECT h.i FROM jsonb_to_recordset(p_holds) AS h(i integer))
      ORDER BY id FOR NO KEY UPDATE;
    RETURN QUERY SELECT * FROM ledger_refusing_budget(p_holds);
    IF FOUND THEN RETURN; END IF;
    UPDATE reservations SET budget_holds = coalesce(budget_holds, '[]') || coalesce(ledger_take_budgets(p_holds), '[]')
      WHERE request_id = p_request;
  END $$`;

/** Removes holds on these budgets from a reservation whose channel did not serve the call. */
const drop = `
  CREATE FUNCTION ledger_drop_budgets(p_request text, p_budgets integer[]) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off AS $$
  DECLARE
    holds jsonb;
  BEGIN
    SELECT budget_holds INTO holds FROM reservations WHERE request_id = p_request AND swept_at IS NULL FOR UPDATE;
    IF holds IS NULL THEN RETURN; END IF;
    UPDATE reservations SET budget_holds = (SELECT jsonb_agg(h) FROM jsonb_array_elements(holds) h
                                             WHERE NOT (h ->> 'i')::integer = ANY (p_budgets))
      WHERE request_id = p_request;
    PERFORM ledger_move_budgets(ARRAY(SELECT jsonb_agg(h) FROM jsonb_array_elements(holds) h
                                       WHERE (h ->> 'i')::integer = ANY (p_budgets)), '{0}', '{0}', '{0}', '{f}');
  END $$`;

/** Statements that create the functions of budgets and plans, in order. */
export const budgetFunctions: readonly string[] = [refusing, take, pay, move, settle, giveBack, reserve, add, drop];

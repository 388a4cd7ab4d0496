import { rollupChecks } from '../rollups/index.js';
import { statementChecks } from '../statements/index.js';
import { returnedToPlans, taskTables } from '../../shared/task-refunds.js';

/**
 * Verifies the charges of tasks. A charge stored on a task has a log row of the same call and amount, unless the row
 * was not written or was trimmed. A failed task was refunded exactly this amount, to its user and its token if they
 * still exist; no other task was refunded.
 */
const taskChecks: readonly string[] = taskTables.flatMap(({ table, source, name }) => [
  `SELECT '${table} charged' AS account, x.id::text, x.${name} AS name, x.quota::text AS expected, coalesce(l.quota, 0)::text AS found
   FROM ${table} x
   LEFT JOIN LATERAL (SELECT sum(quota) AS quota FROM logs
                       WHERE request_id = x.request_id AND created_at = extract(epoch FROM x.charged_at)::bigint AND type = 2) l ON true
   WHERE x.is_logged AND x.charged_at >= (SELECT to_timestamp(trimmed_before) FROM log_state) AND coalesce(l.quota, 0) <> x.quota`,
  refundCheck({ table, source, name, suffix: '', owner: 'user_id', owners: 'users' }),
  refundCheck({ table, source, name, suffix: ':token', owner: 'token_id', owners: 'tokens' }),
  `SELECT 'refund without a task' AS account, e.source AS id, e.note AS name, '0' AS expected, e.amount::text AS found
   FROM ledger_entries e
   WHERE e.source LIKE 'refund:${source}:%'
     AND NOT EXISTS (SELECT 1 FROM ${table} x WHERE x.id::text = split_part(e.source, ':', 3))`,
]);

function refundCheck(check: {
  readonly table: string;
  readonly source: string;
  readonly name: string;
  readonly suffix: string;
  readonly owner: string;
  readonly owners: string;
}): string {
  const due = `CASE WHEN x.status = 'FAILURE' AND EXISTS (SELECT 1 FROM ${check.owners} o WHERE o.id = x.${check.owner})
                    THEN x.quota ELSE 0 END`;
  return `
    SELECT '${check.table} refund of ${check.owners}' AS account, x.id::text, x.${check.name} AS name, (${due})::text AS expected,
           coalesce(e.amount, 0)::text AS found
    FROM ${check.table} x LEFT JOIN ledger_entries e ON e.source = 'refund:${check.source}:' || x.id || '${check.suffix}'
    WHERE coalesce(e.amount, 0) <> ${due}
      -- A refunded user may be removed afterwards.
      AND NOT (coalesce(e.amount, 0) = x.quota AND x.status = 'FAILURE')`;
}

/** The part of a call `l` that a budget `b` counts. */
const budgetValue = `CASE b.kind WHEN 'money' THEN l.quota WHEN 'tokens' THEN l.prompt_tokens + l.completion_tokens
  ELSE CASE WHEN l.other LIKE '%"batch"%' THEN coalesce((l.other::jsonb #>> '{batch,lines}')::bigint, 1) ELSE 1 END END`;

/**
 * Verifies the used and reserved amounts of budgets: log rows name the windows in which their calls were counted,
 * reservations name their holds, and failed tasks the windows of plans to which they were returned. Windows from before
 * the log was trimmed are left out.
 */
const budgetChecks: readonly string[] = [
  `WITH logged AS (
     SELECT b.id AS budget_id, (n ->> 1)::bigint AS started_at, sum(${budgetValue}) AS amount
       FROM logs l
       CROSS JOIN LATERAL jsonb_array_elements(
         CASE WHEN l.other LIKE '%"budgets"%' THEN l.other::jsonb -> 'budgets' END) n
       JOIN budgets b ON b.id = (n ->> 0)::integer
      WHERE l.type = 2 AND l.request_id <> '' AND l.created_at >= (SELECT min(started_at) FROM budget_windows)
      GROUP BY 1, 2),
   returned AS (
     SELECT b.id AS budget_id, (h ->> 's')::bigint AS started_at,
            sum(CASE b.kind WHEN 'money' THEN t.amount WHEN 'tokens' THEN 0 ELSE 1 END) AS amount
       FROM (${returnedToPlans}) t CROSS JOIN LATERAL jsonb_array_elements(t.holds) h
       JOIN budgets b ON b.id = (h ->> 'i')::integer AND b.level = 'plan' WHERE t.is_logged GROUP BY 1, 2)
   SELECT 'budget used' AS account, w.budget_id::text AS id, 'window ' || w.started_at AS name,
          (coalesce(l.amount, 0) - coalesce(r.amount, 0))::text AS expected, w.logged::text AS found
   FROM budget_windows w JOIN budgets b ON b.id = w.budget_id
   LEFT JOIN logged l ON l.budget_id = w.budget_id AND l.started_at = w.started_at
   LEFT JOIN returned r ON r.budget_id = w.budget_id AND r.started_at = w.started_at
   WHERE w.started_at >= (SELECT trimmed_before FROM log_state)
     AND (w.logged <> coalesce(l.amount, 0) - coalesce(r.amount, 0) OR w.used < w.logged)
   ORDER BY 2, 3`,
  `WITH held AS (
     SELECT (h ->> 'i')::integer AS budget_id, (h ->> 's')::bigint AS started_at, sum((h ->> 'a')::bigint) AS amount
       FROM reservations r CROSS JOIN LATERAL jsonb_array_elements(r.budget_holds) h GROUP BY 1, 2)
   SELECT 'budget held' AS account, w.budget_id::text AS id, 'window ' || w.started_at AS name,
          coalesce(h.amount, 0)::text AS expected, w.held::text AS found
   FROM budget_windows w JOIN budgets b ON b.id = w.budget_id
   LEFT JOIN held h ON h.budget_id = w.budget_id AND h.started_at = w.started_at
   WHERE w.held <> coalesce(h.amount, 0)
   ORDER BY 2, 3`,
];

/**
 * Verifies what plans paid, what they reserve, and what was paid for them: log rows name the subscription that paid,
 * reservations the one that is to pay, and each subscription has its ledger entries.
 */
const planChecks: readonly string[] = [
  `WITH paid AS (
     SELECT (l.other::jsonb #>> '{plan,id}')::integer AS id, sum(l.quota) AS amount
       FROM logs l WHERE l.type = 2 AND l.request_id <> '' AND l.other LIKE '%"plan"%' GROUP BY 1),
   returned AS (
     SELECT (h ->> 'p')::integer AS id, sum(t.amount) AS amount
       FROM (${returnedToPlans}) t CROSS JOIN LATERAL jsonb_array_elements(t.holds) h WHERE h ? 'p' AND t.is_logged GROUP BY 1)
   SELECT 'plan paid' AS account, u.subscription_id::text AS id, s.terms ->> 'name' AS name,
          (coalesce(p.amount, 0) - coalesce(r.amount, 0))::text AS expected, u.logged::text AS found
   FROM subscription_use u JOIN subscriptions s ON s.id = u.subscription_id
   LEFT JOIN paid p ON p.id = u.subscription_id LEFT JOIN returned r ON r.id = u.subscription_id
   WHERE extract(epoch FROM s.starts_at) >= (SELECT trimmed_before FROM log_state)
     AND (u.logged <> coalesce(p.amount, 0) - coalesce(r.amount, 0) OR u.used < u.logged)`,
  `SELECT 'plan paid by the hour' AS account, coalesce(u.id, h.id)::text AS id, '' AS name,
          coalesce(u.amount, 0)::text AS expected, coalesce(h.amount, 0)::text AS found
   FROM (SELECT account_id AS id, sum(used) AS amount FROM subscription_use GROUP BY 1) u
   FULL JOIN (SELECT account_id AS id, sum(quota) AS amount FROM plan_usage_hourly GROUP BY 1) h ON h.id = u.id
   WHERE coalesce(u.amount, 0) <> coalesce(h.amount, 0)`,
  `WITH held AS (
     SELECT (h ->> 'p')::integer AS id, sum((h ->> 'a')::bigint) AS amount
       FROM reservations r CROSS JOIN LATERAL jsonb_array_elements(r.budget_holds) h GROUP BY 1)
   SELECT 'plan held' AS account, u.subscription_id::text AS id, '' AS name,
          coalesce(h.amount, 0)::text AS expected, u.held::text AS found
   FROM subscription_use u LEFT JOIN held h ON h.id = u.subscription_id WHERE u.held <> coalesce(h.amount, 0)`,
  `SELECT 'plan price' AS account, s.id::text, s.terms ->> 'name' AS name, (s.refunded - s.paid)::text AS expected,
          coalesce(e.amount, 0)::text AS found
   FROM subscriptions s LEFT JOIN LATERAL (
     SELECT sum(amount) AS amount FROM ledger_entries
      WHERE source IN ('plan:' || s.id, 'plan:' || s.id || ':refund', 'plan:' || s.id || ':reversal:' || s.reversal_id) AND user_id = s.account_id) e ON true
   WHERE coalesce(e.amount, 0) <> s.refunded - s.paid`,
];

/** Executes SQL: a pool or a client. */
export interface Queryable {
  query<R extends object>(text: string, values?: unknown[]): Promise<{ rows: R[] }>;
}

/** One inconsistency of the ledger. Amounts are quota. */
export interface Drift {
  readonly account: string;
  readonly id: string;
  readonly name: string;
  readonly expected: number;
  readonly found: number;
}

interface DriftRow {
  account: string;
  id: string;
  name: string;
  expected: string;
  found: string;
}

/**
 * Verifies the ledger from independent records of the same movements:
 * - entries - charges - open reservations = balance, for users, tokens and invite earnings; what plans paid and
 *   reserve is added for users;
 * - what a plan paid = its calls in the log less the failed tasks that were returned to it, what it reserves = the open
 *   reservations, its price = its ledger entries;
 * - charges, and those from before the site was imported = used counters, for users, tokens and channels;
 * - the total of the log = the charges, per hour, for hours whose log was not trimmed;
 * - prices minus charges, per hour = the fraction of a unit that is accumulated for the user;
 * - the quota that a refund or a dispute of an order took = its ledger entries;
 * - the charge stored on a task = its log row, and its refund if it failed;
 * - the used amount of a budget = its calls in the log, and its reserved amount = the open reservations;
 * - rollups = the rows they were aggregated from;
 * - statements = the entries, the usage and the payments of plans that they state, and with what they do not state yet the
 *   balance. Reads one snapshot, so it may run beside a live server.
 */
export async function reconcile(database: Queryable): Promise<Drift[]> {
  const drifts: Drift[] = [];
  for (const text of checks) {
    const found = await database.query<DriftRow>(text);
    for (const row of found.rows) {
      drifts.push({
        account: row.account,
        id: row.id,
        name: row.name,
        expected: Number(row.expected),
        found: Number(row.found),
      });
    }
  }
  return drifts;
}

/** Verifies that refunds and disputes took what they recorded, and that those which ended otherwise returned it. */
const reversalChecks: readonly string[] = [
  { account: 'top-up reversal', taken: 'taken', owner: 'o.user_id', prefix: '' },
  { account: 'rebate reversal', taken: 'rebate_taken', owner: 'r.inviter_id', prefix: 'rebate:' },
].map(
  ({ account, taken, owner, prefix }) => `
  SELECT '${account}' AS account, r.id::text, o.trade_no AS name,
         (CASE WHEN r.state = 'undone' THEN 0 ELSE -r.${taken} END)::text AS expected, coalesce(e.amount, 0)::text AS found
    FROM top_up_reversals r JOIN top_up_orders o ON o.id = r.order_id
    LEFT JOIN LATERAL (
      SELECT sum(amount) AS amount FROM ledger_entries
       WHERE source IN ('${prefix}reversal:' || r.id, '${prefix}reversal:' || r.id || ':back')
          -- Taken later, from what an undone reversal of the order returned.
          OR source = ANY (ARRAY(SELECT '${prefix}reversal:' || r.id || ':after:' || u.id FROM top_up_reversals u
                                  WHERE u.order_id = r.order_id AND u.state = 'undone'))) e ON true
   WHERE coalesce(e.amount, 0) <> CASE WHEN r.state = 'undone' THEN 0 ELSE -r.${taken} END
     -- A deleted user has no entry for what could not be returned.
     AND (r.state <> 'undone' OR EXISTS (SELECT 1 FROM users WHERE id = ${owner}))`,
);

const charges = (column: string): string =>
  `(SELECT ${column} AS id, sum(quota) AS amount FROM usage_hourly GROUP BY 1)`;

/** Amounts that plans paid and reserve for the calls of an account: the balance has neither. */
const byPlans = `(SELECT account_id AS id, sum(used + held) AS amount FROM subscription_use GROUP BY 1)`;
const byNoPlan = `(SELECT 0 AS id, 0::numeric AS amount WHERE false)`;

const balanceCheck = (options: {
  account: string;
  table: string;
  balance: string;
  name: string;
  entries: string;
  owner: string;
  plans: string;
}): string => `
  SELECT '${options.account}' AS account, x.id::text, x.${options.name} AS name,
         (coalesce(e.amount, 0) - coalesce(c.amount, 0) - coalesce(r.amount, 0) + coalesce(p.amount, 0))::text AS expected, x.${options.balance}::text AS found
  FROM ${options.table} x
  LEFT JOIN (SELECT ${options.owner} AS id, sum(amount) AS amount FROM ledger_entries WHERE account = '${options.entries}' GROUP BY 1) e
    ON e.id = x.id
  LEFT JOIN ${charges(options.owner)} c ON c.id = x.id
  LEFT JOIN (SELECT ${options.owner} AS id, sum(amount) AS amount FROM reservations GROUP BY 1) r ON r.id = x.id
  LEFT JOIN ${options.plans} p ON p.id = x.id
  WHERE x.${options.balance} <> coalesce(e.amount, 0) - coalesce(c.amount, 0) - coalesce(r.amount, 0) + coalesce(p.amount, 0)`;

/**
 * SQL for the used counters. An imported site has used counters from before its oldest charge: they are in
 * `opening_counters`.
 */
const usedCheck = (table: string, kind: string, name: string): string => `
  SELECT '${table} used' AS account, x.id::text, x.${name} AS name,
         (coalesce(c.amount, 0) + coalesce(o.used_quota, 0))::text AS expected, x.used_quota::text AS found
  FROM ${table} x LEFT JOIN ${charges(`${kind}_id`)} c ON c.id = x.id
  LEFT JOIN opening_counters o ON o.kind = '${kind}' AND o.id = x.id
  WHERE x.used_quota <> coalesce(c.amount, 0) + coalesce(o.used_quota, 0)`;

/**
 * SQL for the part of a log row in the user's accumulated fraction, in billionths: the price of the call minus its
 * charge.
 */
const loggedRest = `CASE WHEN other LIKE '%"carried"%'
                              THEN (other::json #>> '{carried,1}')::bigint - (other::json #>> '{carried,0}')::bigint ELSE 0 END`;

const checks = [
  balanceCheck({
    account: 'user balance',
    table: 'users',
    balance: 'quota',
    name: 'username',
    entries: 'user',
    owner: 'user_id',
    plans: byPlans,
  }),
  balanceCheck({
    account: 'token balance',
    table: 'tokens',
    balance: 'remain_quota',
    name: 'name',
    entries: 'token',
    owner: 'token_id',
    plans: byNoPlan,
  }),
  `SELECT 'invite earnings' AS account, u.id::text, u.username AS name, coalesce(e.amount, 0)::text AS expected, u.aff_quota::text AS found
   FROM users u LEFT JOIN (SELECT user_id, sum(amount) AS amount FROM ledger_entries WHERE account = 'affiliate' GROUP BY 1) e
     ON e.user_id = u.id
   WHERE u.aff_quota <> coalesce(e.amount, 0)`,
  usedCheck('users', 'user', 'username'),
  usedCheck('tokens', 'token', 'name'),
  usedCheck('channels', 'channel', 'name'),
  // Trimmed log rows are not missing rows: hours count from the first complete one after the trim.
  `WITH since AS (SELECT CASE WHEN trimmed_before % 3600 = 0 THEN trimmed_before
                              ELSE trimmed_before - trimmed_before % 3600 + 3600 END AS at FROM log_state),
   counted AS (SELECT hour, user_id, sum(logged_quota) AS quota, sum(logged_calls) AS calls, sum(logged_rest) AS rest FROM usage_hourly
               WHERE hour >= (SELECT at FROM since) GROUP BY 1, 2),
   logged AS (SELECT created_at - created_at % 3600 AS hour, user_id, sum(quota) AS quota, count(*) AS calls,
                     sum(${loggedRest}) AS rest FROM logs
               WHERE type = 2 AND request_id <> '' AND created_at >= (SELECT at FROM since) GROUP BY 1, 2)
   SELECT 'log' AS account, coalesce(b.user_id, l.user_id)::text AS id, 'hour ' || coalesce(b.hour, l.hour) AS name,
          coalesce(b.quota, 0)::text AS expected, coalesce(l.quota, 0)::text AS found
   FROM counted b FULL JOIN logged l ON l.hour = b.hour AND l.user_id = b.user_id
   WHERE coalesce(b.quota, 0) <> coalesce(l.quota, 0) OR coalesce(b.calls, 0) <> coalesce(l.calls, 0)
      OR coalesce(b.rest, 0) <> coalesce(l.rest, 0)`,
  `SELECT 'carried billionths' AS account, coalesce(c.user_id, h.user_id)::text AS id, coalesce(u.username, '') AS name,
          coalesce(h.rest, 0)::text AS expected, coalesce(c.rests % 1000000000, 0)::text AS found
   FROM quota_carry c FULL JOIN (SELECT user_id, sum(rest) AS rest FROM usage_hourly GROUP BY 1) h ON h.user_id = c.user_id
   LEFT JOIN users u ON u.id = coalesce(c.user_id, h.user_id)
   WHERE coalesce(h.rest, 0) <> coalesce(c.rests % 1000000000, 0)`,
  ...reversalChecks,
  ...taskChecks,
  ...budgetChecks,
  ...planChecks,
  ...rollupChecks,
  ...statementChecks,
];

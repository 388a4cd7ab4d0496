import { reservedOfBalance } from '../../shared/reserved-of-balance.js';
import { returnedToPlans } from '../../shared/task-refunds.js';

const lastClosing =
  'SELECT DISTINCT ON (account_id) account_id, month, closing FROM statements ORDER BY account_id, month DESC';

/**
 * SQL of the checks of `reconcile`:
 * - the lines of a statement = its sums;
 * - its opening balance = the closing balance before;
 * - the last closing balance = the entries, the usage and the payments of plans that are stated, and all are in the ledger;
 * - the last closing balance + what is not stated yet - what the balance has reserved = the balance;
 * - the numbers of a year have no gap.
 *
 * The ledger may have more than the statements: what arrived later, which the next statement has.
 */
export const statementChecks: readonly string[] = [
  `SELECT 'statement lines' AS account, s.account_id::text AS id, s.month AS name, (s.credits - s.usage)::text AS expected,
          (c.amount - u.amount)::text AS found
     FROM statements s
     CROSS JOIN LATERAL (SELECT coalesce(sum((x ->> 'amount')::bigint), 0) AS amount FROM jsonb_array_elements(s.content -> 'credits') x) c
     CROSS JOIN LATERAL (SELECT coalesce(sum((x ->> 'quota')::bigint), 0) AS amount FROM jsonb_array_elements(s.content -> 'usage') x) u
    WHERE s.credits <> c.amount OR s.usage <> u.amount OR s.closing <> s.opening + s.credits - s.usage`,
  `SELECT 'statement opening' AS account, account_id::text AS id, month AS name, before::text AS expected, opening::text AS found
     FROM (SELECT account_id, month, opening, lag(closing) OVER (PARTITION BY account_id ORDER BY month) AS before FROM statements) s
    WHERE opening <> before`,
  `SELECT 'statement closing' AS account, coalesce(l.account_id, e.id, u.id)::text AS id, coalesce(l.month, 'no statement') AS name,
          (coalesce(e.amount, 0) - coalesce(u.amount, 0) + coalesce(p.quota, 0))::text AS expected, coalesce(l.closing, 0)::text AS found
     FROM (${lastClosing}) l
     FULL JOIN (SELECT user_id AS id, sum(stated) AS amount FROM ledger_entries WHERE account = 'user' AND stated <> 0 GROUP BY 1) e
       ON e.id = l.account_id
     FULL JOIN (SELECT account_id AS id, sum(quota) AS amount FROM statement_usage GROUP BY 1) u ON u.id = coalesce(l.account_id, e.id)
     LEFT JOIN statement_plan_usage p ON p.account_id = coalesce(l.account_id, e.id, u.id)
    WHERE coalesce(l.closing, 0) <> coalesce(e.amount, 0) - coalesce(u.amount, 0) + coalesce(p.quota, 0)`,
  `SELECT 'statement balance' AS account, u.id::text, u.username AS name,
          (l.closing + coalesce(e.amount, 0) - coalesce(c.amount, 0) + coalesce(p.amount, 0) - ${reservedOfBalance('u.id')})::text AS expected,
          u.quota::text AS found
     FROM (${lastClosing}) l
     JOIN users u ON u.id = l.account_id
     LEFT JOIN (SELECT user_id AS id, sum(amount - stated) AS amount FROM ledger_entries WHERE account = 'user' GROUP BY 1) e ON e.id = u.id
     LEFT JOIN (SELECT id, sum(quota) AS amount
                  FROM (SELECT user_id AS id, quota FROM usage_hourly UNION ALL SELECT account_id, -quota FROM statement_usage) x
                 GROUP BY 1) c ON c.id = u.id
     LEFT JOIN (SELECT id, sum(quota) AS amount
                  FROM (SELECT account_id AS id, quota FROM plan_usage_hourly
                        UNION ALL SELECT account_id, -quota FROM statement_plan_usage) x
                 GROUP BY 1) p ON p.id = u.id
    WHERE u.quota <> l.closing + coalesce(e.amount, 0) - coalesce(c.amount, 0) + coalesce(p.amount, 0) - ${reservedOfBalance('u.id')}`,
  `SELECT 'stated usage' AS account, s.account_id::text AS id, 'key ' || s.token_id || ' ' || s.model_name AS name,
          coalesce(sum(h.quota), 0)::text AS expected, s.quota::text AS found
     FROM statement_usage s
     LEFT JOIN usage_hourly h ON h.user_id = s.account_id AND h.token_id = s.token_id AND h.model_name = s.model_name
    GROUP BY s.account_id, s.token_id, s.model_name, s.quota
   HAVING coalesce(sum(h.quota), 0) < s.quota`,
  // Plans may have got back a task since its payment was stated.
  `WITH returned AS (SELECT account_id, sum(amount) AS amount FROM (${returnedToPlans}) t GROUP BY 1)
   SELECT 'stated payments of plans' AS account, s.account_id::text AS id, '' AS name,
          (coalesce(sum(h.quota), 0) + coalesce(r.amount, 0))::text AS expected, s.quota::text AS found
     FROM statement_plan_usage s LEFT JOIN plan_usage_hourly h ON h.account_id = s.account_id
     LEFT JOIN returned r ON r.account_id = s.account_id
    GROUP BY s.account_id, s.quota, r.amount HAVING coalesce(sum(h.quota), 0) + coalesce(r.amount, 0) < s.quota`,
  `SELECT 'statement numbers' AS account, year::text AS id, '' AS name, max(number)::text AS expected, count(*)::text AS found
     FROM statements GROUP BY year HAVING max(number) <> count(*)`,
];

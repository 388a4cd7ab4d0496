/** Tables of tasks, and the source names of their refunds in the ledger. */
const kinds = [
  { table: 'midjourneys', source: 'mj', name: 'mj_id' },
  { table: 'tasks', source: 'task', name: 'task_id' },
] as const;

/**
 * Verifies the charges of tasks. A charge stored on a task has a log row of the same call and amount, unless the row
 * was not written or was trimmed. A failed task was refunded exactly this amount, to its user and its token if they
 * still exist; no other task was refunded.
 */
export const taskChecks: readonly string[] = kinds.flatMap(({ table, source, name }) => [
  `SELECT '${table} charged' AS account, x.id::text, x.${name} AS name, x.quota::text AS expected, coalesce(l.quota, 0)::text AS found
   FROM ${table} x
   LEFT JOIN LATERAL (SELECT sum(quota) AS quota FROM logs
                       WHERE request_id = x.request_id AND created_at = x.charged_at AND type = 2) l ON true
   WHERE x.is_logged AND x.charged_at >= (SELECT trimmed_before FROM log_state) AND coalesce(l.quota, 0) <> x.quota`,
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
      -- Whoever was refunded may be removed afterwards.
      AND NOT (coalesce(e.amount, 0) = x.quota AND x.status = 'FAILURE')`;
}

/** Tables of tasks, and the source names of their refunds in the ledger. */
export const taskTables = [
  { table: 'midjourneys', source: 'mj', name: 'mj_id' },
  { table: 'tasks', source: 'task', name: 'task_id' },
] as const;

/**
 * SQL that finds the task whose refund a ledger entry records. It finds none unless a plan had paid for the task.
 * @param source SQL of the source of the entry
 */
export const paidByPlan = (source: string): string =>
  taskTables
    .map(
      (kind) => `SELECT x.quota, x.is_logged, x.plan_holds FROM ${kind.table} x
        WHERE ${source} ~ '^refund:${kind.source}:[0-9]+$' AND x.plan_holds IS NOT NULL
          AND x.id = CASE WHEN ${source} ~ '^refund:${kind.source}:[0-9]+$' THEN split_part(${source}, ':', 3)::integer END`,
    )
    .join(' UNION ALL ');

/** SQL of the charges that plans got back: `holds` as in a reservation, `amount`, whether they have a log row. */
export const returnedToPlans = `
  SELECT e.user_id AS account_id, r.plan_holds AS holds, r.quota AS amount, r.is_logged FROM ledger_entries e CROSS JOIN LATERAL (${paidByPlan('e.source')}) r
   WHERE e.account = 'user' AND e.kind = 'refund'`;

/**
 * Adds what was used of windows before the import. The part with log rows belongs to calls of this site, and stays.
 * @param budgets SQL with the columns `id`, `started_at` and `used`
 */
const addUse = (budgets: string): string => `
  INSERT INTO budget_windows AS w (budget_id, started_at, used) ${budgets}
  ON CONFLICT (budget_id, started_at) DO UPDATE SET used = w.logged + excluded.used`;

/** Writes the budgets of running subscriptions, and what was used of their windows. */
export const writePlanWindows = `
  WITH given AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS g(id integer, account_id integer, span text, amount bigint,
      starts_at timestamptz, ends_at timestamptz, started_at bigint, used bigint)),
  counted AS (
    INSERT INTO subscription_use (subscription_id, account_id) SELECT id, account_id FROM given ON CONFLICT DO NOTHING),
  changed AS (
    UPDATE budgets b SET span = g.span, amount = g.amount, starts_at = g.starts_at, ends_at = g.ends_at
      FROM given g WHERE b.level = 'plan' AND b.subject_id = g.id RETURNING b.id, b.subject_id),
  added AS (
    INSERT INTO budgets (level, subject_id, kind, amount, span, starts_at, ends_at, created_by, by_admin)
      SELECT 'plan', g.id, 'money', g.amount, g.span, g.starts_at, g.ends_at, g.account_id, true FROM given g
       WHERE NOT EXISTS (SELECT FROM budgets b WHERE b.level = 'plan' AND b.subject_id = g.id)
    RETURNING id, subject_id)
  ${addUse(`
    SELECT x.id, g.started_at, g.used FROM given g
      JOIN (SELECT * FROM changed UNION ALL SELECT * FROM added) x ON x.subject_id = g.id`)}`;

/** Ends subscriptions that were deleted in the source. Calls of this site may have used them, so that they stay. */
export const endSubscriptions = `
  UPDATE subscriptions t SET state = 'ended', renews = false
    FROM jsonb_populate_recordset(NULL::subscriptions, $1::jsonb) v WHERE t.id = v.id AND t.state = 'active'`;

/** Adds the used amounts of budget windows. */
export const writeBudgetWindows = addUse(`
  SELECT id, started_at, used FROM jsonb_to_recordset($1::jsonb) AS g(id integer, started_at bigint, used bigint)`);

/**
 * Begins to close the statements of last month, in UTC: the next node that starts goes on with them at any hour, where it would begin
 * only some hours after the end of the month.
 */
export async function beginLastMonth(query: (text: string) => Promise<unknown>): Promise<void> {
  // The closing when a server starts may have found no account of last month.
  await query('DELETE FROM statement_months');
  await query(
    `INSERT INTO statement_months (month, starts_at, ends_at, time_zone)
     SELECT to_char(first, 'YYYY-MM'), first AT TIME ZONE 'UTC', (first + interval '1 month') AT TIME ZONE 'UTC', 'UTC'
       FROM (SELECT date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month' AS first) AS last_month`,
  );
}

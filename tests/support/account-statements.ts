/** Runs a statement of SQL, and returns its rows. */
type Query = (text: string, values: readonly unknown[]) => Promise<ReadonlyArray<{ readonly id: number }>>;

/**
 * Adds the statement of an account for January 2020: a payment of 5 quota units, a use of 2.
 * @returns its id
 */
export async function addStatement(query: Query, accountId: number): Promise<number> {
  const party = { name: 'n', address: 'a', taxNumber: 't' };
  const used = { tokenId: 1, tokenName: 'k', modelName: 'm', calls: 1, promptTokens: 1, completionTokens: 1, quota: 2 };
  const content = {
    startsAt: '2020-01-01T00:00:00Z',
    endsAt: '2020-02-01T00:00:00Z',
    timeZone: 'UTC',
    quotaPerUnit: 500_000,
    inCurrency: true,
    seller: { ...party, note: '' },
    buyer: { ...party, username: 'u' },
    credits: [{ kind: 'top_up', count: 1, amount: 5 }],
    payments: [{ kind: 'top_up', at: '2020-01-02T00:00:00Z', amount: 5, reference: 'A1' }],
    usage: [used],
  };
  const [row] = await query(
    `WITH month AS (
       INSERT INTO statement_months (month, starts_at, ends_at, time_zone, closed_at)
       VALUES ('2020-01', '2020-01-01', '2020-02-01', 'UTC', now()) ON CONFLICT (month) DO UPDATE SET closed_at = now() RETURNING month)
     INSERT INTO statements (account_id, month, year, number, closed_at, opening, credits, usage, closing, content)
     SELECT $1, month, 2020, (SELECT coalesce(max(number), 0) + 1 FROM statements), now(), 0, 5, 2, 3, $2 FROM month RETURNING id`,
    [accountId, JSON.stringify(content)],
  );
  return row!.id;
}

import type { Pool } from 'pg';

/** What one refused reservation looked like to the database. */
export interface Refusal {
  /** 1 user unknown, 2 user quota too low, 3 token quota too low. */
  readonly outcome: number;
  readonly userQuota: number;
  readonly tokenQuota: number;
}

/** Prepared statements over the functions of the ledger migration; each is one transaction. */
export class LedgerSql {
  constructor(
    private readonly pool: Pool,
    private readonly nodeId: string,
  ) {}

  /** @returns what was refused, by request id; what is not in it is held */
  async reserve(rows: readonly string[]): Promise<Map<string, Refusal>> {
    const answer = await this.pool.query<[string, number, string | null, string | null]>({
      name: 'ledger-reserve',
      text: 'SELECT out_request, outcome, user_quota, token_quota FROM ledger_reserve($1, $2::json)',
      values: [this.nodeId, jsonArray(rows)],
      rowMode: 'array',
    });
    return new Map(
      answer.rows.map(([requestId, outcome, userQuota, tokenQuota]) => [
        requestId,
        { outcome, userQuota: Number(userQuota), tokenQuota: Number(tokenQuota) },
      ]),
    );
  }

  /** @returns the balance after, for every user who was charged */
  async settle(rows: readonly string[]): Promise<Map<number, number>> {
    const answer = await this.pool.query<[number, string]>({
      name: 'ledger-settle',
      text: 'SELECT out_user, user_quota FROM ledger_settle($1::json)',
      values: [jsonArray(rows)],
      rowMode: 'array',
    });
    return new Map(answer.rows.map(([user, quota]) => [user, Number(quota)]));
  }

  async release(requestIds: readonly string[]): Promise<void> {
    await this.pool.query({
      name: 'ledger-release',
      text: 'SELECT count(*) FROM ledger_release($1, false)',
      values: [requestIds],
    });
  }
}

const jsonArray = (rows: readonly string[]): string => `[${rows.join(',')}]`;

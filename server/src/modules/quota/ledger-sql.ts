import type { Pool } from 'pg';

/** Why the database refused a reservation. */
export interface Refusal {
  /** 1 unknown user, 2 user quota too low, 3 token quota too low. */
  readonly outcome: number;
  readonly userQuota: number;
  readonly tokenQuota: number;
}

export interface SettledBatch {
  /** New balance of every user who was charged. */
  readonly balances: ReadonlyMap<number, number>;
  /** Request ids without a reservation: already settled, or lost in a crash. */
  readonly missing: ReadonlySet<string>;
}

export interface SettledLost {
  readonly balances: ReadonlyMap<number, number>;
  readonly doubtful: ReadonlySet<string>;
}

/** Turns flushing off for this transaction only, before the function reads its arguments. */
const unflushedNode = `CASE WHEN set_config('synchronous_commit', 'off', true) = 'off' THEN $1 END`;

const reserving = (name: string, call: string): { name: string; text: string } => ({
  name,
  text: `SELECT out_request, outcome, user_quota, token_quota FROM ${call}`,
});
const settling = (name: string, call: string): { name: string; text: string } => ({
  name,
  text: `SELECT out_user, user_quota, out_missing FROM ${call}`,
});

/** A batch of one has its own functions, which need no set operations. */
const statements = {
  flushed: {
    one: reserving('ledger-reserve-one', 'ledger_reserve_one($1, $2::json)'),
    many: reserving('ledger-reserve', 'ledger_reserve($1, $2::json)'),
  },
  unflushed: {
    one: reserving('ledger-reserve-one-unflushed', `ledger_reserve_one(${unflushedNode}, $2::json)`),
    many: reserving('ledger-reserve-unflushed', `ledger_reserve(${unflushedNode}, $2::json)`),
  },
  settle: {
    one: settling('ledger-settle-one', 'ledger_settle_one($1::json)'),
    many: settling('ledger-settle-calls', 'ledger_settle_calls($1::json)'),
  },
};

/** Prepared statements over the `ledger_*` functions of the migrations. Each call is one transaction. */
export class LedgerSql {
  constructor(
    private readonly pool: Pool,
    private readonly nodeId: string,
  ) {}

  /**
   * @param flushed whether the rows must survive a database crash. A lost reservation returns its amount, and
   * `settleLost` charges the calls of lost reservations, so most calls need not wait for the disk here.
   * @returns the refused reservations by request id; all others are reserved
   */
  async reserve(rows: readonly string[], flushed: boolean): Promise<Map<string, Refusal>> {
    const answer = await this.pool.query<[string, number, string | null, string | null]>({
      ...statements[flushed ? 'flushed' : 'unflushed'][rows.length === 1 ? 'one' : 'many'],
      values: [this.nodeId, asJson(rows)],
      rowMode: 'array',
    });
    return new Map(
      answer.rows.map(([requestId, outcome, userQuota, tokenQuota]) => [
        requestId,
        { outcome, userQuota: Number(userQuota), tokenQuota: Number(tokenQuota) },
      ]),
    );
  }

  async settle(rows: readonly string[]): Promise<SettledBatch> {
    const answer = await this.pool.query<[number | null, string, string]>({
      ...statements.settle[rows.length === 1 ? 'one' : 'many'],
      values: [asJson(rows)],
      rowMode: 'array',
    });
    const balances = new Map<number, number>();
    const missing = new Set<string>();
    for (const [user, quota, requestId] of answer.rows) {
      if (user === null) missing.add(requestId);
      else balances.set(user, Number(quota));
    }
    return { balances, missing };
  }

  /**
   * Settles calls whose reservation may have been lost in a database crash, unless they were settled before.
   * @returns the new balances, and the calls for which neither can be proven
   */
  async settleLost(rows: readonly string[]): Promise<SettledLost> {
    const answer = await this.pool.query<{ out_user: number | null; user_quota: string; out_doubtful: string }>(
      'SELECT * FROM ledger_settle_lost($1::json)',
      [jsonArray(rows)],
    );
    const balances = new Map<number, number>();
    const doubtful = new Set<string>();
    for (const { out_user, user_quota, out_doubtful } of answer.rows) {
      if (out_user === null) doubtful.add(out_doubtful);
      else balances.set(out_user, Number(user_quota));
    }
    return { balances, doubtful };
  }

  async release(requestIds: readonly string[]): Promise<void> {
    await this.pool.query({
      name: 'ledger-release',
      text: 'SELECT count(*) FROM ledger_release($1, false)',
      values: [requestIds],
    });
  }
}

/** A single row is passed as it is, several as a JSON array. */
const asJson = (rows: readonly string[]): string => (rows.length === 1 ? (rows[0] ?? '') : jsonArray(rows));
const jsonArray = (rows: readonly string[]): string => `[${rows.join(',')}]`;

import type { Pool, QueryArrayConfig, QueryConfig } from 'pg';
import { AppError } from '../../shared/errors.js';
import { budgetError, toHoldRows, type BudgetHold, type BudgetRefusal } from './budget-holds.js';
import { QuotaError, type ReserveRequest, SubscriptionEndedError } from './ledger.js';

/** Why the database refused a reservation. */
export interface Refusal {
  /**
   * The outcome: 1 unknown user, 2 user quota too low, 3 token quota too low, 4 a budget has no room, 5 the
   * subscription has ended.
   */
  readonly outcome: number;
  readonly userQuota: number;
  readonly tokenQuota: number;
  readonly budget?: BudgetRefusal;
}

/** Returns the error for the caller of a refused reservation. */
export function refusalError(refusal: Refusal, request: ReserveRequest): AppError {
  if (refusal.budget) return budgetError(refusal.budget, request.budgets ?? []);
  switch (refusal.outcome) {
    case 2:
      return new QuotaError('INSUFFICIENT_QUOTA', refusal.userQuota, request.amount);
    case 3:
      return new QuotaError('INSUFFICIENT_TOKEN_QUOTA', refusal.tokenQuota, request.amount);
    case 5:
      return new SubscriptionEndedError(request.subscriptionId ?? 0);
    default:
      return new AppError('INVALID_API_KEY', 'Invalid token');
  }
}

/** The result of a batch of settlements. */
export interface SettledBatch {
  /** The new balance of every user who was charged. */
  readonly balances: Map<number, number>;
  /** Request ids without a reservation: already settled, or lost in a crash. */
  readonly missing: ReadonlySet<string>;
  /** Quota that a balance did not have, by request id. */
  readonly uncharged: ReadonlyMap<string, number>;
}

/** The result of settling calls without a reservation. */
export interface SettledLost {
  readonly balances: ReadonlyMap<number, number>;
  readonly doubtful: ReadonlySet<string>;
}

/** SQL that turns flushing off for this transaction only, before the function reads its arguments. */
const unflushedNode = `CASE WHEN set_config('synchronous_commit', 'off', true) = 'off' THEN $1 END`;

const reserving = (name: string, call: string): { name: string; text: string } => ({
  name,
  text: `SELECT out_request, outcome, user_quota, token_quota FROM ${call}`,
});
const reservingBudgeted = (name: string, node: string): { name: string; text: string } => ({
  name,
  text: `SELECT out_request, outcome, user_quota, token_quota, out_budget, budget_left, frees_at
         FROM ledger_reserve_budgeted(${node}, $2::json)`,
});
const settling = (name: string, call: string): { name: string; text: string } => ({
  name,
  text: `SELECT out_user, user_quota, out_missing, out_request, out_uncharged FROM ${call}`,
});

/**
 * SQL for batches of one and of several items. A batch of one has functions of its own, which need no set operations.
 */
const statements = {
  flushed: {
    one: reserving('ledger-reserve-one', 'ledger_reserve_one($1, $2::json)'),
    many: reserving('ledger-reserve', 'ledger_reserve($1, $2::json)'),
  },
  unflushed: {
    one: reserving('ledger-reserve-one-unflushed', `ledger_reserve_one(${unflushedNode}, $2::json)`),
    many: reserving('ledger-reserve-unflushed', `ledger_reserve(${unflushedNode}, $2::json)`),
  },
  budgeted: {
    flushed: reservingBudgeted('ledger-reserve-budgeted', '$1'),
    unflushed: reservingBudgeted('ledger-reserve-budgeted-unflushed', unflushedNode),
  },
  settle: {
    one: settling('ledger-settle-one', 'ledger_settle_one($1::json)'),
    many: settling('ledger-settle-calls', 'ledger_settle_calls($1::json)'),
  },
};

const addingBudgets = {
  name: 'ledger-add-budgets',
  text: 'SELECT out_budget, budget_left, frees_at FROM ledger_add_budgets($1, $2::jsonb)',
};
const releasing = { name: 'ledger-release', text: 'SELECT count(*) FROM ledger_release($1, false)' };

interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Statements over the `ledger_*` functions of the migrations. Each call is one transaction. */
export class LedgerSql {
  /** @param isPrepared false behind a pooler that does not know which connection has which prepared statement */
  constructor(
    private readonly pool: Pool,
    private readonly nodeId: string,
    private readonly isPrepared = true,
  ) {}

  private execution({ name, text }: Statement, values: unknown[]): QueryConfig {
    return this.isPrepared ? { name, text, values } : { text, values };
  }

  /** Returns a query whose rows arrive as arrays. */
  private inArrays({ name, text }: Statement, values: string[]): QueryArrayConfig<string[]> {
    return this.isPrepared ? { name, text, values, rowMode: 'array' } : { text, values, rowMode: 'array' };
  }

  /**
   * Writes half a megabyte and removes it. A database whose disk is full, or that became a standby, still serves reads.
   */
  async tryWriting(): Promise<void> {
    await this.pool.query(
      `CREATE TEMP TABLE tollgate_probe ON COMMIT DROP AS SELECT repeat('x', 1000) FROM generate_series(1, 500)`,
    );
  }

  /**
   * @param flushed whether the rows must survive a database crash. A lost reservation returns its amount, and
   * `settleLost` charges the calls of lost reservations, so most calls need not wait for the disk here.
   * @returns the refused reservations by request id; all others are reserved
   */
  async reserve(rows: readonly string[], flushed: boolean): Promise<Map<string, Refusal>> {
    const statement = statements[flushed ? 'flushed' : 'unflushed'][rows.length === 1 ? 'one' : 'many'];
    const answer = await this.pool.query<[string, number, string | null, string | null]>(
      this.inArrays(statement, [this.nodeId, asJson(rows)]),
    );
    return new Map(
      answer.rows.map(([requestId, outcome, userQuota, tokenQuota]) => [
        requestId,
        { outcome, userQuota: Number(userQuota), tokenQuota: Number(tokenQuota) },
      ]),
    );
  }

  /** Reserves calls with budgets, like `reserve`. */
  async reserveBudgeted(rows: readonly string[], flushed: boolean): Promise<Map<string, Refusal>> {
    const statement = statements.budgeted[flushed ? 'flushed' : 'unflushed'];
    const answer = await this.pool.query<[string, number, string | null, string | null, number | null, string, string]>(
      this.inArrays(statement, [this.nodeId, jsonArray(rows)]),
    );
    return new Map(
      answer.rows.map(([requestId, outcome, userQuota, tokenQuota, budgetId, left, freesAt]) => [
        requestId,
        {
          outcome,
          userQuota: Number(userQuota),
          tokenQuota: Number(tokenQuota),
          ...(budgetId === null ? {} : { budget: { budgetId, left: Number(left), freesAt: Number(freesAt) } }),
        },
      ]),
    );
  }

  /**
   * Adds holds to a reservation.
   * @returns the budget that has no room; null when all have
   */
  async addBudgets(requestId: string, holds: readonly BudgetHold[]): Promise<BudgetRefusal | null> {
    const answer = await this.pool.query<{ out_budget: number; budget_left: string; frees_at: string }>(
      this.execution(addingBudgets, [requestId, JSON.stringify(toHoldRows(holds))]),
    );
    const [row] = answer.rows;
    return row ? { budgetId: row.out_budget, left: Number(row.budget_left), freesAt: Number(row.frees_at) } : null;
  }

  /** Releases the holds of these budgets. */
  async dropBudgets(requestId: string, budgetIds: readonly number[]): Promise<void> {
    await this.pool.query('SELECT ledger_drop_budgets($1, $2)', [requestId, budgetIds]);
  }

  /**
   * Settles calls by reservation.
   * @param rows JSON of one settlement each
   */
  async settle(rows: readonly string[]): Promise<SettledBatch> {
    const answer = await this.pool.query<[number | null, string, string | null, string | null, string]>(
      this.inArrays(statements.settle[rows.length === 1 ? 'one' : 'many'], [asJson(rows)]),
    );
    const balances = new Map<number, number>();
    const missing = new Set<string>();
    const uncharged = new Map<string, number>();
    for (const [user, quota, lost, requestId, amount] of answer.rows) {
      if (lost !== null) missing.add(lost);
      if (requestId !== null) uncharged.set(requestId, Number(amount));
      if (user !== null) balances.set(user, Number(quota));
    }
    return { balances, missing, uncharged };
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

  /** Returns the reservations to their owners. Unknown ids are ignored. */
  async release(requestIds: readonly string[]): Promise<void> {
    await this.pool.query(this.execution(releasing, [requestIds]));
  }
}

/** Returns a single row unchanged, several rows as a JSON array. */
const asJson = (rows: readonly string[]): string => (rows.length === 1 ? (rows[0] ?? '') : jsonArray(rows));
const jsonArray = (rows: readonly string[]): string => `[${rows.join(',')}]`;

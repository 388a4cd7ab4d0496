import type { DataSource } from 'typeorm';
import { budgetWindowAt } from '../../shared/budget.js';
import { dateOf } from '../../shared/clock.js';
import type { Budget } from './budget.entity.js';

/** The current use of a budget. */
export interface BudgetState {
  /** Start of the window. */
  readonly start: Date;
  /** End of the window. Null for a rolling window, which frees its amount continuously. */
  readonly end: Date | null;
  readonly used: number;
  /** The amount reserved by running calls. */
  readonly held: number;
}

/** A budget with its use. */
export interface BudgetView {
  readonly budget: Budget;
  /** The name of the key, user, group or channel; '' for the site and deleted ones. */
  readonly subjectName: string;
  /** Null when the budget is outside its fixed range. */
  readonly state: BudgetState | null;
}

/**
 * Returns what is used and reserved as a share of the amount: above 1 after the amount was lowered. A budget of 0 is used
 * up. Null outside the window.
 */
export function usedShare(
  { amount }: Pick<Budget, 'amount'>,
  state: Pick<BudgetState, 'used' | 'held'> | null,
): number | null {
  if (!state) return null;
  return amount === 0 ? 1 : (state.used + state.held) / amount;
}

/**
 * Reads the use in the open windows, by budget id. Budgets outside their fixed range are left out.
 * @param now Unix milliseconds
 */
export async function readBudgetStates(
  database: Pick<DataSource, 'query'>,
  budgets: readonly Budget[],
  now: number,
): Promise<Map<number, BudgetState>> {
  const open = budgets.flatMap((budget) => {
    const window = budgetWindowAt(budget, now);
    return window ? [{ id: budget.id, window }] : [];
  });
  const rows = await database.query<Array<{ id: number; used: string; held: string }>>(
    `SELECT x.id, coalesce(sum(w.used), 0) AS used, coalesce(sum(w.held), 0) AS held
     FROM unnest($1::integer[], $2::bigint[], $3::bigint[]) AS x(id, since, start)
     LEFT JOIN budget_windows w ON w.budget_id = x.id AND w.started_at BETWEEN x.since AND x.start
     GROUP BY x.id`,
    [open.map(({ id }) => id), open.map(({ window }) => window.from), open.map(({ window }) => window.start)],
  );
  const sums = new Map(rows.map(({ id, used, held }) => [id, { used: Number(used), held: Number(held) }]));
  return new Map(
    open.map(({ id, window: { from, end, lifetime } }) => [
      id,
      { start: dateOf(from), end: lifetime === null ? dateOf(end) : null, used: 0, held: 0, ...sums.get(id) },
    ]),
  );
}

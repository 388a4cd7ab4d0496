import { AppError } from '../../shared/errors.js';
import type { BudgetKind } from '../../shared/budget.js';
import { dateOf, secondsIn } from '../../shared/clock.js';

/**
 * The amount that a call reserves in one budget before it begins. Times are Unix seconds, like those of `BudgetWindow`.
 */
export interface BudgetHold {
  readonly budgetId: number;
  readonly kind: BudgetKind;
  readonly start: number;
  readonly from: number;
  readonly end: number;
  readonly lifetime: number | null;
  /** Unix milliseconds at which the window was selected. */
  readonly askedAt: number;
  /** Quota, model tokens or calls. */
  readonly amount: number;
}

/** The ledger's result when a budget has no room. */
export interface BudgetRefusal {
  readonly budgetId: number;
  readonly left: number;
  /** Unix seconds at which the budget has room again. */
  readonly freesAt: number;
}

/** A budget has no room for the call. The relay responds with 429 and the time at which the budget has room. */
export class BudgetError extends AppError {
  declare readonly code: 'BUDGET_EXCEEDED';

  constructor(
    readonly hold: BudgetHold,
    /** The amount that is left in the budget. */
    readonly available: number,
    /** Unix seconds at which the budget has room. */
    override readonly resetAt: number,
  ) {
    const reset = dateOf(resetAt).toISOString().replace('.000Z', 'Z');
    super('BUDGET_EXCEEDED', `The budget of ${budgetWord[hold.kind]} is used up. It resets at ${reset}`, {
      retryAfterSeconds: Math.max(1, Math.ceil(resetAt - secondsIn(hold.askedAt))),
      resetAt,
    });
  }
}

const budgetWord: Record<BudgetKind, string> = { money: 'money', tokens: 'tokens', requests: 'requests' };
const kindLetter: Record<BudgetKind, string> = { money: 'm', tokens: 't', requests: 'r' };

/** Returns the error for a refused call. */
export function budgetError(refusal: BudgetRefusal, holds: readonly BudgetHold[]): AppError {
  const hold = holds.find(({ budgetId }) => budgetId === refusal.budgetId);
  return hold
    ? new BudgetError(hold, refusal.left, refusal.freesAt)
    : new AppError('INTERNAL_ERROR', `budget ${refusal.budgetId} was not asked for`);
}

/** Converts holds to the rows that the `ledger_*` functions of `platform/db/migrations/ledger-budgets.ts` read. */
export const toHoldRows = (holds: readonly BudgetHold[]): object[] =>
  holds.map(({ budgetId, kind, start, from, end, lifetime, amount }) => ({
    i: budgetId,
    k: kindLetter[kind],
    s: start,
    f: from,
    a: amount,
    ...(lifetime === null ? { e: end } : { d: lifetime }),
  }));

/**
 * Converts holds to rows for a settlement whose reservation may be lost: the reserved amounts are 0. The last row names
 * the plan that pays (`platform/db/migrations/ledger-budgets.ts`).
 */
export const toLostHoldRows = (
  holds: readonly BudgetHold[],
  { userId, subscriptionId }: { readonly userId: number; readonly subscriptionId?: number },
): object[] => {
  const rows: object[] = holds.map(({ budgetId, kind, start }) => ({
    i: budgetId,
    k: kindLetter[kind],
    s: start,
    a: 0,
  }));
  if (subscriptionId !== undefined) rows.push({ i: 0, p: subscriptionId, u: userId, a: 0 });
  return rows;
};

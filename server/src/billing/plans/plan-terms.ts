import type { BudgetKind, BudgetSpan } from '../../shared/budget.js';
import { monthsAfter } from '../../shared/calendar.js';

export const periodUnits = ['day', 'month'] as const;
export type PeriodUnit = (typeof periodUnits)[number];

/** The payer of a call that the plan has no room for. */
export const overflows = ['stop', 'wallet'] as const;
export type Overflow = (typeof overflows)[number];

/** Windows of a plan begin at the second of its start. `fixed` is the whole period. */
export const planSpans = ['5h', 'day', 'week', 'month', 'fixed'] as const satisfies readonly BudgetSpan[];
export type PlanSpan = (typeof planSpans)[number];

export interface PlanWindow {
  readonly span: PlanSpan;
  readonly kind: BudgetKind;
  /** Quota, model tokens or calls. */
  readonly amount: number;
}

/** Returns the end of a period: so many times 24 hours later, or the same day and time of a later month in UTC. */
export function periodEnd(
  start: Date,
  { periodUnit, periodCount }: { readonly periodUnit: PeriodUnit; readonly periodCount: number },
): Date {
  return periodUnit === 'month'
    ? monthsAfter(start, periodCount)
    : new Date(start.getTime() + periodCount * 24 * 3_600_000);
}

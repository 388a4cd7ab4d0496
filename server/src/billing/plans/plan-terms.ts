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

/** A plan as it is sold. A subscription keeps a copy that never changes. */
export interface PlanTerms {
  readonly name: string;
  readonly description: string;
  /** Quota. */
  readonly price: number;
  readonly periodUnit: PeriodUnit;
  readonly periodCount: number;
  readonly windows: readonly PlanWindow[];
  /** Groups that the plan opens and pays for. Empty: it pays in every group, and opens none. */
  readonly groups: readonly string[];
  /** Names or patterns of the models that the plan pays for. Empty: all. */
  readonly models: readonly string[];
  /** Calls at once. Null: the site's limit. */
  readonly maxConcurrent: number | null;
  /** Calls in the period of the site's rate limit. Null: the site's limit. */
  readonly maxRequests: number | null;
  readonly overflow: Overflow;
  /** The part of the price that the balance pays when the plan has no room. */
  readonly overflowRatio: number;
  /** The plan with the lowest number pays first. */
  readonly position: number;
}

/** The names of all terms. A term that is missing here does not compile. */
export const planTermNames = Object.keys({
  name: true,
  description: true,
  price: true,
  periodUnit: true,
  periodCount: true,
  windows: true,
  groups: true,
  models: true,
  maxConcurrent: true,
  maxRequests: true,
  overflow: true,
  overflowRatio: true,
  position: true,
} satisfies Record<keyof PlanTerms, true>) as Array<keyof PlanTerms>;

/** Returns the end of a period: so many times 24 hours later, or the same day and time of a later month in UTC. */
export function periodEnd(
  start: Date,
  { periodUnit, periodCount }: Pick<PlanTerms, 'periodUnit' | 'periodCount'>,
): Date {
  return periodUnit === 'month'
    ? monthsAfter(start, periodCount)
    : new Date(start.getTime() + periodCount * 24 * 3_600_000);
}
